//! Sessions: a program, what a client does, and all that both say, as snapshots.
//!
//! `testdata/transcripts/NAME.txt` is a scenario (see `tests/support/src/scenario.rs`) about `NAME.ez`, unless it
//! names other files.
//!
//! To add one, put a program into `testdata/transcripts`, mark the lines to refer to with `//@ name` at their end,
//! write a scenario beside it, add its name to the list below, run
//!
//! ```sh
//! INSTA_UPDATE=always cargo test --test server transcripts::stops
//! ```
//!
//! check the snapshot, which has all messages of both sides, and commit program, scenario and snapshot. Scenarios
//! for new commands have `version 2`.

use support::scenario::{Ez, parse, play};
use support::testdata;

fn check(name: &str) {
    let directory = testdata("transcripts");
    let text = std::fs::read_to_string(directory.join(format!("{name}.txt"))).unwrap();
    let scenario = parse(&text, &directory, &format!("{name}.ez"));
    insta::assert_snapshot!(name, play(&scenario, &directory, &Ez));
}

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_scenario_is_played() {
            let names = [$(stringify!($name)),*];
            for entry in std::fs::read_dir(testdata("transcripts")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|e| e == "txt") {
                    let name = path.file_stem().unwrap().to_str().unwrap();
                    assert!(names.contains(&name), "{name} is not listed in tests/server/transcripts.rs");
                }
            }
        }
    };
}

transcripts! {
    bad_messages
    breakpoint_before_initialize
    breakpoint_clear
    breakpoint_condition
    breakpoint_condition_early
    breakpoint_condition_effects
    breakpoint_in_imported_file
    breakpoint_multi_line
    breakpoint_on_loop_header
    breakpoint_paths
    breakpoint_session
    breakpoint_slides
    breakpoint_while_running
    changes_deep
    check_errors
    deny
    end_of_stdin
    end_of_stdin_while_running
    ensure_calls
    error_at_file_level
    error_in_function
    evaluate
    evaluate_moved_local
    evaluate_refuses
    evaluate_untyped
    exit_status
    globals
    globals_stepping
    ids
    imported_file
    input_at_the_end
    input_early
    input_eof
    input_requested
    library_values
    loops_continue_and_break
    loops_for
    loops_for_each
    loops_loop
    loops_while
    nested_calls
    one_line_bodies
    or_conditions
    order_attach_behind_errors
    order_breakpoint_behind_continue
    order_commands_behind_errors
    order_error_after_exit
    order_pause_in_one_write
    order_pauses
    order_second_initialize
    order_terminate_at_the_end
    order_three_steps_in_one_write
    order_variables_behind_step
    // invariant 11
    output_order
    output_streams
    output_unfinished_lines
    pause_in_condition
    pause_in_endless_loop
    pause_in_input
    pause_in_sleep
    recursion
    several_on_a_line
    simple_stepping
    start_resumes
    states
    step_out
    step_over
    syntax_error
    terminate_in_evaluation
    terminate_running
    terminate_stopped
    unreadable_file
    v2_aliases_show
    v2_breakpoints
    v2_breakpoints_before_initialize
    v2_children_of_children
    v2_columns
    v2_commands_after_the_end
    v2_commands_before_initialize
    v2_completions
    v2_completions_of_all_kinds
    v2_data_added
    v2_data_aliases
    v2_data_and_steps
    v2_data_breakpoints
    v2_data_conditions
    v2_data_conditions_of_writers
    v2_data_globals
    v2_data_out_of_scope
    v2_data_disabled_locals
    v2_data_kept
    v2_disabled_do_not_count
    v2_evaluate
    v2_evaluate_frames
    v2_evaluate_prints
    v2_expected
    v2_expected_ends
    v2_expected_past
    v2_evaluate_time_limits
    v2_exception_codes
    v2_exception_conditions
    v2_exception_restart
    v2_exceptions
    v2_exceptions_at_file_level
    v2_exceptions_not_of_evaluations
    v2_exit_ends_without_keep_alive
    v2_files_of_modules
    v2_full
    v2_function_without_statements
    v2_functions
    v2_functions_of_modules
    v2_hit_conditions
    v2_hit_conditions_with_conditions
    v2_keep_alive
    v2_kill
    v2_log_points
    v2_long_values
    v2_f32
    v2_fields_by_name
    v2_input_after_its_end
    v2_input_place
    v2_notation
    v2_memory_limit
    v2_no_stop_on_entry
    v2_parameters
    v2_pause_in_input
    v2_restart
    v2_restart_after_error
    v2_restart_in_input
    v2_restart_keeps_numbers
    v2_restart_while_running
    v2_refusals
    v2_return_values
    v2_run_to_meets_breakpoints
    v2_set_constants
    v2_set_nameless_parts
    v2_set_parts
    v2_set_passed
    v2_set_variable
    v2_several_meet
    v2_source
    v2_source_default_name
    v2_source_restart
    v2_source_with_errors
    v2_stack_pages
    v2_state
    v2_state_while_running
    v2_step_targets_back_at_error
    v2_step_targets_in_conditions
    v2_step_targets_in_recursion
    v2_step_targets_left
    v2_step_targets_of_modules
    v2_step_targets_outer
    v2_undeclared_globals
    v2_undeclared_of_modules
    v2_step_targets_of_nothing
    v2_stop_on_entry
    v2_stops
    v2_values
    v2_history_breakpoints
    v2_history_change_at_error
    v2_history_changes
    v2_history_data
    v2_history_denied
    v2_history_elements
    v2_history_end
    v2_history_error
    v2_history_errors
    v2_history_failed_change
    v2_history_globals
    v2_history_hit_conditions
    v2_history_input
    v2_history_off
    v2_history_out
    v2_history_refusals
    v2_history_restart_frame
    v2_history_reverse
    v2_history_start_and_kill
    v2_last_change
    v2_changes
    v2_done_by_ensure
    v2_output_after_step_out
    v2_output_by_client
    v2_output_step
    v2_history_steps
    v2_radix
    v2_unfold_before_error
    v2_unfold
    v2_unfold_without_history
    v2_unreadable
    v2_watch_errors
    v2_watches
    values
    values_long
    variable_updates
    variables_of_frames
    warnings
    when_cases
    working_dir
}

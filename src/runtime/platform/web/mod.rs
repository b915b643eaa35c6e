//! A page: one thread in a worker, without processes, network and files of the system. What cannot be done fails as
//! `Unsupported`, and what asks for it is not used there: programs have a host of their own.

mod instance;
mod memory;
mod names;
mod nothing;

pub use super::without_fork::{Copied, Link, ProcessCopy, copy_process, end_copy, look_ahead, stand_in};
pub use super::without_guard::{End, Guard, guard_program, run_guard, running_program};
pub use super::without_handles::{Handle, hold};
pub use instance::{Instance, start_instance};
pub use memory::{
    address_space_limit, machine_memory, memory_usage, own_process_memory, page_faults, remaining_stack,
    with_stack,
};
pub use names::{
    HOME_VARIABLE, LINE_END, NULL_DEVICE, SHELL, TEMPORARY, environment, has_process, host_name,
    jupyter_directory, message, name_of, parent_id, process_id, same_variable, shared_jupyter_directories,
    state_directory, text_of, user_name, working_directory,
};
pub use nothing::{
    FileIdentity, ProcessGroup, ReaderWatch, adopt_orphans, before_signal_ends, create_private,
    decoded_output, disconnect, end_as_by_signal, end_family, ending_signal, file_identity, is_own,
    keep_attributes, keep_owner, kill_children_except, limit_unsent, listen_everywhere, make_directory,
    may_write, names_of, on_interrupt, open, open_as_only_writer, open_with_mode, permissions,
    prepare_process, reap_all, reveals_processes, set_permissions, shell, shell_directory, spawn_in_group,
    take_standard_streams, wait_for_client, without_window,
};

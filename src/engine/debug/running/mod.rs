//! Running a program: loading and starting it, where steps end, stops, and requests meanwhile.
//!
//! # A stop
//!
//! 1. Before a statement, attached code reads the statement's flag (`StatementFlag`, `interp/flags.rs`) and counts
//!    the place (`Steps::pass`, `interp/steps.rs`).
//! 2. If the debugger may have to be called, `ask` (`interp/compile/stmts.rs`) compares watched slots with their
//!    old values, evaluates the condition if the statement has just one breakpoint and that is conditional, and
//!    otherwise calls `Debugger::statement`, which is implemented in [`hook`].
//! 3. `Engine::before_statement` answers the requests that have come meanwhile (`Engine::drain`), and decides
//!    whether the program stops (`Engine::reason`): at a breakpoint (`Engine::hit`, which also writes the messages
//!    of log points), a write (`Engine::written`), the target of `runTo`, a pause, or the end of a step
//!    ([`stepper`]). The result is a `Halt`, or none.
//! 4. `Engine::stop` flushes the program's output, so that all that was printed precedes the stop, and calls
//!    `Engine::tell_stop` ([`stop_events`]). `ChangeTracker::changed` finds the variables to report;
//!    `Engine::stopped` makes the event.
//! 5. `Inspection::unshare` gives each dead local that shares its object with a live value a copy of it, so that the
//!    client sees the value that the language prescribes; `Inspection::update_watches` reports the watches that have
//!    changed.
//! 6. The engine answers requests until one of them resumes or ends the program (`Engine::handle`, [`requests`],
//!    which also answers those that come while the program runs or does not). The stop's handles and temporaries then
//!    become invalid.
//!
//! `Engine::stop` is also called at the return of a watched frame (`Engine::after_return`), at a run-time error
//! (`Engine::at_raised`), the creation of an `Error` value (`Engine::at_error_value`), a pause while the program
//! waits (`Engine::during_wait`) and, if the program's history is recorded, its end (`Engine::before_end`); in the
//! past, when a journey arrives (`Engine::passes`).
//!
//! # Programs of other kinds
//!
//! With [`Launch::replay`](crate::api::Launch::replay), [`replayed`] opens the recording, takes the program and its
//! directory from it, and puts the recording's host around that of the session. If the program departs from the
//! recording, `InterruptHandle::stop_with` makes it stop and report the reason.
//!
//! With [`Launch::cells`](crate::api::Launch::cells) the session has no program of its own, and `Request::RunCell`
//! checks and runs a cell ([`cells`]); [`cell_session`] keeps what cells share, and the host. Unless a debugger was
//! asked for (`Request::SetDebugging`), the code of a cell is plain: it notices interrupts where it checks the
//! memory limit. Between cells, questions about variables are answered by a program with an empty `main` that is
//! entered but does not run.

pub mod cell_session;
pub mod cells;
pub mod expected_output;
pub mod halt;
pub mod hook;
pub mod loading;
pub mod output_stop;
pub mod replayed;
pub mod requests;
pub mod serve;
pub mod state;
pub mod step_targets;
pub mod stepper;
pub mod stop_events;

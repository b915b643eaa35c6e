//! What differs between operating systems, as plain functions. Nothing else in the host uses `std::os`,
//! numbers of errors or signals, except for the guard of commands, which is a thing of Unix.

mod children;
mod errors;
mod files;
mod identity;
mod process;
mod streams;

pub use children::{Reaped, adopt_orphans, kill_children, reap, wait_for_ended_child};
pub use errors::{
    already_exists, bad_handle, file_too_large, invalid_argument, is_a_directory, not_a_directory, reason,
    system_error,
};
pub use files::{
    create_private, file_identity, file_status, make_directory, open, open_with_mode, permissions,
    set_permissions,
};
pub use identity::{host_name, parent_id, this_program, user_name};
pub use process::{command_end, exit_status, group_exists, ignore_termination, in_own_group, kill_group};
pub use streams::{receive_streams, send_streams, standard_input_socket};

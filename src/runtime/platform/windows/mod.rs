//! Windows 10 and later.

mod console;
mod directories;
mod files;
mod memory;
mod network;
mod process;
mod system;
mod words;

pub use crate::platform::identity::{environment, host_name, process_id};
pub use crate::platform::network::{disconnect, limit_unsent, wait_for_client};
pub use crate::platform::without_fork::{
    Copied, Link, ProcessCopy, copy_process, end_copy, look_ahead, stand_in,
};
pub use crate::platform::without_guard::{End, Guard, guard_program, run_guard, running_program};
pub use crate::platform::without_handles::{Handle, hold};
pub use crate::platform::without_instances::{Instance, start_instance};
pub use console::{
    ReaderWatch, TerminalMode, before_signal_ends, decoded_output, end_as_by_signal, on_interrupt,
    prepare_process, take_standard_streams,
};
pub use directories::{shell_directory, working_directory};
pub use files::{
    FileIdentity, create_private, file_identity, is_own, keep_attributes, keep_owner, make_directory,
    may_write, names_of, open, open_as_only_writer, open_with_mode, permissions, reveals_processes,
    set_permissions,
};
pub use memory::{
    address_space_limit, machine_memory, memory_usage, own_process_memory, page_faults, remaining_stack,
    with_stack,
};
pub use network::listen_everywhere;
pub use process::{
    ProcessGroup, SHELL, adopt_orphans, end_family, ending_signal, has_process, kill_children_except,
    parent_id, reap_all, shell, spawn_in_group, user_name, without_window,
};
pub use system::end_waits;
pub use words::{
    HOME_VARIABLE, LINE_END, NULL_DEVICE, TEMPORARY, jupyter_directory, message, name_of, same_variable,
    shared_jupyter_directories, state_directory, text_of,
};

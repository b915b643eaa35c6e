//! Linux, macOS and other Unix systems. What only some of them have is tried at run time.

#[cfg(target_os = "linux")]
mod allocator;
mod beneath;
mod children;
mod files;
mod fork;
mod guard;
mod guard_process;
mod memory;
mod names;
mod process;
mod streams;
mod user;

pub use crate::platform::identity::{environment, host_name, process_id};
pub use crate::platform::network::{disconnect, limit_unsent, wait_for_client};
pub use crate::platform::without_instances::{Instance, start_instance};
#[cfg(target_os = "linux")]
pub use allocator::LargeFromSystem;
pub use beneath::{Handle, hold};
pub use children::{adopt_orphans, end_family, kill_children_except, reap_all};
pub use files::{
    FileIdentity, create_private, file_identity, is_own, keep_attributes, keep_owner, make_directory,
    may_write, names_of, open, open_as_only_writer, open_with_mode, permissions, reveals_processes,
    set_permissions, shell_directory, working_directory,
};
pub use fork::{Copied, Link, ProcessCopy, copy_process, end_copy, look_ahead, stand_in};
pub use guard::{End, Guard};
pub use guard_process::run as run_guard;
pub use memory::{
    address_space_limit, machine_memory, memory_usage, own_process_memory, page_faults, remaining_stack,
    with_stack,
};
pub use names::{name_of, text_of};
pub use process::{
    ProcessGroup, SHELL, before_signal_ends, decoded_output, end_as_by_signal, ending_signal, guard_program,
    has_process, on_interrupt, parent_id, running_program, shell, spawn_in_group, without_window,
};
pub use streams::{
    ReaderWatch, TerminalMode, end_waits, listen_everywhere, prepare_process, take_standard_streams,
};
pub use user::{
    HOME_VARIABLE, LINE_END, NULL_DEVICE, TEMPORARY, jupyter_directory, message, same_variable,
    shared_jupyter_directories, state_directory, user_name,
};

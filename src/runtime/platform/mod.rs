//! Everything that differs between operating systems, as plain functions: files, processes, the console,
//! memory.
//!
//! `unix`, `windows` and `web` (a page: no processes, no network, no files of the system) define the same names; their
//! meaning is documented here. No other module depends on the target system, but those that choose between what a page
//! has (`page`) and threads ([`sync`](crate::sync)) or clocks ([`clock`](crate::clock)), and those that
//! leave out what it has not.

mod command;
mod groups;
#[cfg(not(target_family = "wasm"))]
mod identity;
#[cfg(not(target_family = "wasm"))]
mod network;
mod own;
#[cfg(unix)]
mod unix;
#[cfg(target_family = "wasm")]
mod web;
#[cfg(windows)]
mod windows;
#[cfg(not(unix))]
mod without_fork;
#[cfg(not(unix))]
mod without_guard;
#[cfg(not(unix))]
mod without_handles;
#[cfg(not(target_family = "wasm"))]
mod without_instances;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf, is_separator};
use std::process::{Child, Command, ExitCode, ExitStatus};

#[cfg(unix)]
use unix as system;
#[cfg(target_family = "wasm")]
use web as system;
#[cfg(windows)]
use windows as system;

pub use command::{GuardProgram, Running, ShellCommand, not_started};
pub use groups::Groups;
pub use own::{own_name, own_path, own_program};
#[cfg(target_os = "linux")]
pub use system::LargeFromSystem;
#[cfg(not(target_family = "wasm"))]
pub use system::TerminalMode;
pub use system::{Copied, Link, ProcessCopy, copy_process, end_copy, look_ahead, stand_in};
pub use system::{End, FileIdentity, Guard, ProcessGroup, ReaderWatch};
pub use system::{disconnect, limit_unsent, wait_for_client};

/// The line end of text files.
pub const LINE_END: &str = system::LINE_END;

/// Replaces the system's line end at the end of a line by `\n`.
pub fn unify_line_end(line: &mut Vec<u8>) {
    if line.ends_with(LINE_END.as_bytes()) {
        line.truncate(line.len() - LINE_END.len());
        line.push(b'\n');
    }
}

/// The path of the null device.
pub const NULL_DEVICE: &str = system::NULL_DEVICE;

/// Whether a path is the null device, which some systems report as a regular file.
pub fn is_null_device(path: &Path) -> bool {
    let name = if is_separator('\\') { path.file_name() } else { Some(path.as_os_str()) };
    name.is_some_and(|name| name.eq_ignore_ascii_case(NULL_DEVICE))
}

/// The shell that runs commands, for error messages.
pub const SHELL: &str = system::SHELL;

/// The environment variable with the user's home directory.
pub const HOME_VARIABLE: &str = system::HOME_VARIABLE;

/// The environment variable with the directory for temporary files, and the default directory.
pub const TEMPORARY: (&str, &str) = system::TEMPORARY;

/// The system's message for an error, without number: `No such file or directory`. If the system's messages
/// are localised or have other words, the message of Linux if it has one.
pub fn message(error: &io::Error) -> String {
    system::message(error)
}

/// The message with a lower-case first letter, for use within a sentence.
pub fn reason(error: &io::Error) -> String {
    // What was found here, or by Rust's library (which refuses a path with a NUL byte), is told as the system would.
    let is_own = error.raw_os_error().is_none();
    let text = match error.kind() {
        io::ErrorKind::InvalidInput if is_own => "invalid argument".to_string(),
        io::ErrorKind::NotFound if is_own && error.get_ref().is_none() => {
            "no such file or directory".to_string()
        }
        _ => message(error),
    };
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default() + chars.as_str()
}

/// Whether two names denote the same environment variable.
pub fn same_variable(one: &str, other: &str) -> bool {
    system::same_variable(one, other)
}

/// The directory for data that programs keep between runs, if the system has one.
pub fn state_directory() -> Option<PathBuf> {
    system::state_directory(&path_in_variable)
}

/// The directory for what the user's running programs tell each other, if the system has one.
pub fn runtime_directory() -> Option<PathBuf> {
    // Who logs in has one; only what belongs to another login may be missing.
    path_in_variable("XDG_RUNTIME_DIR").filter(|path| path.is_dir()).or_else(state_directory)
}

/// The path in an environment variable, if it is an absolute one.
fn path_in_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// The directory in which Jupyter looks for the user's kernels and other data, if the system has one.
#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn jupyter_directory() -> Option<PathBuf> {
    path_in_variable("JUPYTER_DATA_DIR").or_else(|| system::jupyter_directory(&path_in_variable))
}

/// The directories in which Jupyter looks for the kernels of all users.
#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn shared_jupyter_directories() -> Vec<PathBuf> {
    system::shared_jupyter_directories(&path_in_variable)
}

/// A name or value of the system as a text. Different names have different texts, also if they are not UTF-8:
/// [`name_of`] gives the name again. (On Windows, unpaired surrogates are replaced.)
pub fn text_of(name: &OsStr) -> String {
    system::text_of(name)
}

/// The name or value of the system with this text: the inverse of [`text_of`].
pub fn name_of(text: &str) -> OsString {
    system::name_of(text)
}

/// The path with this text.
pub fn path_of(text: &str) -> PathBuf {
    name_of(text).into()
}

/// The text of a path, with `/` as separator on every system.
pub fn slashed(path: &Path) -> String {
    slashed_text(&text_of(path.as_os_str()))
}

/// The text of a path with `/` as separator, given its text with any separators of the system.
pub fn slashed_text(path: &str) -> String {
    if is_separator('\\') { path.replace('\\', "/") } else { path.into() }
}

/// The environment variables of this process, in order.
pub fn environment() -> Vec<(OsString, OsString)> {
    system::environment()
}

/// The name of the computer.
pub fn host_name() -> OsString {
    system::host_name()
}

/// The id of this process; 0 where there are none.
pub fn process_id() -> u32 {
    system::process_id()
}

/// The login name of the user that runs this process.
///
/// # Errors
/// If the system does not know it.
pub fn user_name() -> io::Result<String> {
    system::user_name()
}

/// Id of the parent process; 0 if the system does not tell.
pub fn parent_id() -> u32 {
    system::parent_id()
}

/// Whether there is a process with this id; on Unix also while its parent has not asked how it ended.
pub fn has_process(id: u32) -> bool {
    system::has_process(id)
}

/// How to open a file, as in `open(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenFlags {
    /// Allow reading.
    pub read: bool,
    /// Allow writing.
    pub write: bool,
    /// Write at the end.
    pub append: bool,
    /// Create the file if it does not exist.
    pub create: bool,
    /// Truncate the file.
    pub truncate: bool,
    /// With `create`: fail if the file exists.
    pub exclusive: bool,
    /// Fail if the path names a symbolic link, where the system can tell.
    pub no_link: bool,
}

/// Permissions of a new file, before the umask.
const NEW_FILE_MODE: u32 = 0o666;

/// Opens a file, or a directory for reading; a new file gets the permissions `mode`, reduced by the umask.
///
/// # Errors
/// If the system call fails.
pub fn open(path: &Path, flags: OpenFlags, mode: u32) -> io::Result<File> {
    system::open(path, flags, mode)
}

/// A file or directory beneath a folder, or a place for a new one, that stays what it was when it was looked up.
pub struct Held {
    /// The path by which it is reached while this value exists.
    pub path: PathBuf,
    /// Whether there was nothing. What is created there must not be a link that was made meanwhile, see
    /// [`OpenFlags::no_link`].
    pub is_new: bool,
    /// Whether the path is that of a handle, which itself looks like a link.
    pub is_itself: bool,
    /// What keeps it.
    _handle: system::Handle,
}

impl Held {
    /// What exists at `path` as long as `handle` does.
    fn at(path: PathBuf, handle: system::Handle) -> Held {
        Held { path, is_new: false, is_itself: false, _handle: handle }
    }
}

/// Looks up `names`, without links and `..`, beneath a folder, one after the other: links are not followed, whoever
/// makes them meanwhile. `None` if a name is a link. With `entry` the last name is that of an entry in a directory,
/// whatever that is; otherwise it must be no link either. On systems other than Linux nothing is held: a link that is
/// made after the names were resolved is followed.
///
/// # Errors
/// If a directory on the way is missing or cannot be searched, or the system has no `/proc`.
pub fn hold(folder: &Path, names: &Path, entry: bool) -> io::Result<Option<Held>> {
    system::hold(folder, names, entry)
}

/// Opens a file for reading.
///
/// # Errors
/// If the system call fails. For a directory [`io::ErrorKind::IsADirectory`], here or on reading.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    system::open_with_mode(OpenOptions::new().read(true), NEW_FILE_MODE, path)
}

/// The path, unless something else is there than a file: who opens a pipe may wait for ever, and a device may have no end.
///
/// # Errors
/// That it is no regular file. The error for a directory is that of reading it.
pub fn regular(path: &Path) -> io::Result<&Path> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(path)
}

/// Opens a file for writing, or creates it, as the only one until it is closed; its content stays. Others may read it
/// meanwhile. Devices and pipes are for all, and so are files where the file system has no locks.
///
/// # Errors
/// [`io::ErrorKind::ResourceBusy`] if another process, or this one, has opened it so; or if the system call fails.
pub fn open_as_only_writer(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    system::open_as_only_writer(options.write(true).create(true).truncate(false), path)
}

/// Creates a file that must not exist yet and that only its owner can read.
///
/// # Errors
/// If the system call fails.
pub fn create_private(path: &Path) -> io::Result<File> {
    system::create_private(path)
}

/// Creates a directory with the permissions `mode`, reduced by the umask.
///
/// # Errors
/// If the system call fails.
pub fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    system::make_directory(path, mode)
}

/// Creates a directory that only its owner can read, and those that it is in, as far as they do not exist.
///
/// # Errors
/// If the system call fails, or a directory that exists is not private (see [`check_private`]).
pub fn make_private_directory(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match make_directory(path, 0o700) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_private_directory(path),
        made => made,
    }
}

/// Fails if a directory is none, or is not private (see [`check_private`]).
///
/// # Errors
/// What is wrong with it. If it is not there: [`io::ErrorKind::NotFound`].
pub fn check_private_directory(path: &Path) -> io::Result<()> {
    let data = std::fs::symlink_metadata(path)?;
    if !data.is_dir() {
        return Err(io::Error::other("it is not a directory"));
    }
    check_private(&data)
}

/// Fails if a file or directory belongs to another user than this process's, or others can read it. Systems without such
/// permissions have private directories for each user.
///
/// # Errors
/// Which of these is so.
pub fn check_private(data: &Metadata) -> io::Result<()> {
    if !system::is_own(data) {
        return Err(io::Error::other("it belongs to another user"));
    }
    match !cfg!(unix) || permissions(data) & 0o077 == 0 {
        true => Ok(()),
        false => Err(io::Error::other("others can read it")),
    }
}

/// The permission bits of a file. Systems without them derive them from the read-only attribute.
pub fn permissions(data: &Metadata) -> u32 {
    system::permissions(data)
}

/// Sets the permissions of a file, regardless of the umask.
///
/// # Errors
/// If the system call fails.
pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    system::set_permissions(file, mode)
}

/// Number of names that a file has: more than one with hard links.
///
/// # Errors
/// If the file does not exist or cannot be examined.
pub fn names_of(path: &Path) -> io::Result<u64> {
    system::names_of(path)
}

/// Whether this process may write to a file or into a folder, as far as the system tells before it is tried.
#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn may_write(path: &Path) -> bool {
    system::may_write(path)
}

/// Gives a new file the owner and group of an old one. Systems where the creator decides about that do nothing.
///
/// # Errors
/// If they differ, and this process may not change them.
pub fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    system::keep_owner(new, old)
}

/// Gives a new file the access list and the attributes that users have set of an old one, where the system has them
/// beside the permissions (Linux).
///
/// # Errors
/// If the new file cannot have them.
pub fn keep_attributes(new: &File, old: &Path) -> io::Result<()> {
    system::keep_attributes(new, old)
}

/// An identity that is equal for all names of the same file.
///
/// # Errors
/// If the file does not exist or cannot be examined.
pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    system::file_identity(path)
}

/// Whether a path, with links resolved, is a file with information about processes, such as their environment
/// or memory.
pub fn reveals_processes(path: &Path) -> bool {
    system::reveals_processes(path)
}

/// The absolute path of a working directory, with links resolved where that is usual on the system.
///
/// # Errors
/// If it is not a directory, or the program may not search it.
pub fn working_directory(path: &Path) -> io::Result<PathBuf> {
    system::working_directory(path)
}

/// A working directory in the form that the shell accepts.
///
/// # Errors
/// If the shell cannot work in it.
pub fn shell_directory(path: &Path) -> io::Result<PathBuf> {
    system::shell_directory(path)
}

/// A call of the shell with a command; the streams are those of [`Command::new`].
pub fn shell(text: &str) -> Command {
    system::shell(text)
}

/// Output of a command as UTF-8, where the system's own programs use another encoding. Lines of valid UTF-8
/// are not changed.
pub fn decoded_output(output: Vec<u8>) -> Vec<u8> {
    system::decoded_output(output)
}

/// Prevents that a process spawned in the foreground opens a console window.
pub fn without_window(command: &mut Command) {
    system::without_window(command);
}

/// Spawns a process in a new group, so that it can be killed with those descendants that stay in the group.
///
/// # Errors
/// If the system call fails.
pub fn spawn_in_group(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    system::spawn_in_group(command)
}

/// Makes this process the parent of descendants whose parents end, where the system can do that (Linux).
pub fn adopt_orphans() {
    system::adopt_orphans();
}

/// Kills a child and, after [`adopt_orphans`], all other descendants of this process, also those that have left
/// its process group. (Elsewhere than on Linux, those that the child has started in the background may live on.)
///
/// # Errors
/// If the child cannot be killed.
pub fn end_family(child: &mut Child) -> io::Result<()> {
    system::end_family(child)
}

/// Kills the children of this process except these, by process id: also one that is still being started, where that blocks
/// until the child is there.
pub fn kill_children_except(kept: &[u32]) {
    system::kill_children_except(kept);
}

/// Forgets children that have ended and that nobody waits for. No [`Child`] may be in use.
pub fn reap_all() {
    system::reap_all();
}

/// The signal that has ended a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its description: `killed`, `terminated`, `signal 64`.
    pub name: String,
    /// Whether it caused a core dump.
    pub dumped: bool,
}

/// The signal that has ended a process, if any.
pub fn ending_signal(status: ExitStatus) -> Option<Signal> {
    system::ending_signal(status)
}

/// The executable of this process, if the system tells; where possible it can be started even after its file
/// was replaced. `None` on systems that need no guard.
pub fn guard_program() -> Option<PathBuf> {
    system::guard_program()
}

/// Runs the guard for the parent process; returns the exit status.
pub fn run_guard() -> ExitCode {
    system::run_guard()
}

/// Calls `heard` on a thread of its own whenever Ctrl+C is pressed, which no longer ends the process. May be
/// called once per process.
///
/// # Errors
/// If the system call fails, or at the second call.
pub fn on_interrupt(heard: impl FnMut() + Send + 'static) -> io::Result<()> {
    system::on_interrupt(heard)
}

/// Calls `heard` on a thread of its own with the number of the signal when Ctrl+C, another process or the end of
/// the terminal ends this one; the process then ends as usual. Signals that are ignored stay ignored. Not to be
/// combined with [`on_interrupt`].
///
/// # Errors
/// If the system call fails.
pub fn before_signal_ends(heard: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    system::before_signal_ends(heard)
}

/// Ends the process by the signal with this number where the system has signals, else with the exit status
/// that shells use for it.
pub fn end_as_by_signal(number: i32) -> ! {
    system::end_as_by_signal(number)
}

/// Prepares the process; to be called first. Enables colours on consoles that need it, makes writes beyond the
/// file size limit (`ulimit -f`) fail instead of ending the process, and makes sure that the ends of children
/// are reported, also if the parent ignores those of its own. Where the address space is limited, threads share a heap.
pub fn prepare_process() {
    system::prepare_process();
}

/// The standard input and output that were taken over from this process.
pub struct StandardStreams {
    /// The original standard input.
    pub reader: File,
    /// The original standard output.
    pub writer: File,
    /// Detects that the output is not read any more, where that is possible.
    pub watch: Option<ReaderWatch>,
}

/// Takes over standard input and output: from now on, the process's own are connected to the null device.
///
/// # Errors
/// If the system call fails.
pub fn take_standard_streams() -> io::Result<StandardStreams> {
    system::take_standard_streams()
}

/// Calls `work` with a stack of `size` bytes: on the same thread, where that makes memory allocation cheaper,
/// else on a new one.
///
/// # Errors
/// If no stack or thread can be created.
pub fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    system::with_stack(size, work)
}

/// How many bytes of the calling thread's stack are unused; `None` if that is not known.
pub fn remaining_stack() -> Option<usize> {
    system::remaining_stack()
}

/// Another instance of this program. `send` sends it bytes, `receive` appends to a vector what it has sent, without
/// waiting; it ends when this is dropped.
pub use system::Instance;

/// Starts another instance of this program, where a program has only one thread.
///
/// # Errors
/// On all other systems.
pub fn start_instance() -> io::Result<Instance> {
    system::start_instance()
}

/// The memory of a process that shares part of it with copies of itself, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemory {
    /// Memory in use.
    pub resident: u64,
    /// Memory in use, with shared memory divided by the number of processes that share it.
    pub share: u64,
    /// Memory that is not shared and has been written to.
    pub own: u64,
}

/// The memory of this process; `None` on systems where processes cannot be copied.
pub fn own_process_memory() -> Option<ProcessMemory> {
    system::own_process_memory()
}

/// Listens on a port of all IPv4 and IPv6 addresses of this computer.
///
/// # Errors
/// If the port is in use, or the computer has no IPv6.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    system::listen_everywhere(port)
}

/// Memory of this process in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryUsage {
    /// Address space, as counted for its limit.
    pub total: u64,
    /// Memory in use.
    pub resident: u64,
    /// Writable memory, in use or not; 0 if unknown.
    pub data: u64,
}

/// The present memory usage of this process, if the system tells.
pub fn memory_usage() -> Option<MemoryUsage> {
    system::memory_usage()
}

/// How often this process had to be given a page of memory, or a page of its own in place of one that it shares with
/// a copy; `None` if the system does not tell.
pub fn page_faults() -> Option<u64> {
    system::page_faults()
}

/// The limit of this process's address space in bytes, if there is one (`ulimit -v`).
pub fn address_space_limit() -> Option<u64> {
    system::address_space_limit()
}

/// Memory of the computer or container in bytes; a very large number if the system does not tell.
pub fn machine_memory() -> u64 {
    system::machine_memory().unwrap_or(u64::MAX >> 1)
}

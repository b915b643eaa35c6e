//! What differs between operating systems, as plain functions: files, processes, the console, memory.
//!
//! The only code that asks which system it is compiled for, or uses what only one of them has. `unix` and
//! `windows` hold the same names; what those mean is said here.

mod command;
mod groups;
mod network;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf, is_separator};
use std::process::{Child, Command, ExitCode, ExitStatus};

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use command::{GuardProgram, Running, ShellCommand, not_started};
pub use groups::Groups;
pub use network::{disconnect, wait_for_client};
pub use system::{Copied, Link, ProcessCopy, copy_process, end_copy, look_ahead, stand_in};
pub use system::{End, FileIdentity, Guard, OutputWatch, ProcessGroup};

/// What ends a line of text.
pub const LINE_END: &str = system::LINE_END;

/// Gives a line of input that ends as the system ends lines the end `\n`.
pub fn unify_line_end(line: &mut Vec<u8>) {
    if line.ends_with(LINE_END.as_bytes()) {
        line.truncate(line.len() - LINE_END.len());
        line.push(b'\n');
    }
}

/// The path of the file that swallows everything.
pub const NULL_DEVICE: &str = system::NULL_DEVICE;

/// Whether a path leads to the file that swallows everything: not all systems tell of it that it is no file.
pub fn is_null_device(path: &Path) -> bool {
    let name = if is_separator('\\') { path.file_name() } else { Some(path.as_os_str()) };
    name.is_some_and(|name| name.eq_ignore_ascii_case(NULL_DEVICE))
}

/// The shell that runs commands, as it is named in errors.
pub const SHELL: &str = system::SHELL;

/// The environment variable that holds the user's home directory.
pub const HOME_VARIABLE: &str = system::HOME_VARIABLE;

/// The environment variable that names the directory for temporary files, and the directory without it.
pub const TEMPORARY: (&str, &str) = system::TEMPORARY;

/// The system's message for a failure, without its number: `No such file or directory`. Where systems word
/// a failure in the user's language, or in words of their own, it is the one of Linux if there is one.
pub fn message(error: &io::Error) -> String {
    system::message(error)
}

/// The same to stand inside a sentence: `no such file or directory`.
pub fn reason(error: &io::Error) -> String {
    // A path with a zero byte never reaches the system; it is worded as the system would word it.
    let refused = error.raw_os_error().is_none() && error.kind() == io::ErrorKind::InvalidInput;
    let text = if refused { "invalid argument".to_string() } else { message(error) };
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default() + chars.as_str()
}

/// Whether two names stand for one environment variable.
pub fn same_variable(one: &str, other: &str) -> bool {
    system::same_variable(one, other)
}

/// Where programs keep what they remember from run to run, if the system has a place for it.
pub fn state_directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    system::state_directory(&variable)
}

/// The path with `/` as separator on every system.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if is_separator('\\') { text.replace('\\', "/") } else { text.into_owned() }
}

/// The login name of the user whose process this is.
///
/// # Errors
/// When the system knows none.
pub fn user_name() -> io::Result<String> {
    system::user_name()
}

/// Number of the process that started this one; 0 if the system does not tell.
pub fn parent_id() -> u32 {
    system::parent_id()
}

/// The bits of `open(2)` that a program may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenFlags {
    /// To be read.
    pub read: bool,
    /// To be written.
    pub write: bool,
    /// What is written goes to the end.
    pub append: bool,
    /// Made if it is missing.
    pub create: bool,
    /// Emptied.
    pub truncate: bool,
    /// With `create`: an error if it is there.
    pub exclusive: bool,
}

/// What everybody may do with a new file, less the umask.
const NEW_FILE_MODE: u32 = 0o666;

/// Opens a file or, to read, a directory; a file that is created gets `mode`, less the umask.
///
/// # Errors
/// When the system refuses.
pub fn open(path: &Path, flags: OpenFlags, mode: u32) -> io::Result<File> {
    system::open(path, flags, mode)
}

/// Opens with `options`; a file that is created gets `mode`, less the umask.
///
/// # Errors
/// When the system refuses; [`io::ErrorKind::IsADirectory`] for a directory that is to be written, or cannot
/// be opened at all.
pub fn open_with_mode(options: &mut OpenOptions, mode: u32, path: &Path) -> io::Result<File> {
    system::open_with_mode(options, mode, path)
}

/// Opens a file to read it.
///
/// # Errors
/// When the system refuses. [`io::ErrorKind::IsADirectory`] for a directory, here or when it is read.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    system::open_with_mode(OpenOptions::new().read(true), NEW_FILE_MODE, path)
}

/// Creates a file that must not exist yet and that only its owner can read.
///
/// # Errors
/// When the system refuses.
pub fn create_private(path: &Path) -> io::Result<File> {
    system::create_private(path)
}

/// Makes one directory with `mode`, less the umask.
///
/// # Errors
/// When the system refuses.
pub fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    system::make_directory(path, mode)
}

/// The permission bits of a file. Systems without them derive them from its being read-only.
pub fn permissions(data: &Metadata) -> u32 {
    system::permissions(data)
}

/// Gives a file exactly these permissions, whatever the umask.
///
/// # Errors
/// When the system refuses.
pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    system::set_permissions(file, mode)
}

/// The same for all names of one file.
///
/// # Errors
/// When there is no file, or the system refuses to look.
pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    system::file_identity(path)
}

/// Whether a path, links resolved, leads to what the system knows of processes: their environment, their
/// memory.
pub fn reveals_processes(path: &Path) -> bool {
    system::reveals_processes(path)
}

/// The absolute path of a directory that a program may work in, links resolved where that is usual.
///
/// # Errors
/// When it is no directory, or the program has no right to search it.
pub fn working_directory(path: &Path) -> io::Result<PathBuf> {
    system::working_directory(path)
}

/// A working directory as the shell takes it.
///
/// # Errors
/// When the shell cannot work in it.
pub fn shell_directory(path: &Path) -> io::Result<PathBuf> {
    system::shell_directory(path)
}

/// A call of the shell with a command, its streams as [`Command::new`] leaves them.
pub fn shell(text: &str) -> Command {
    system::shell(text)
}

/// What a command has written, in UTF-8 where the system's own programs write something else. Lines that
/// are valid stay as they are.
pub fn decoded_output(output: Vec<u8>) -> Vec<u8> {
    system::decoded_output(output)
}

/// Spares a process that is spawned in the foreground a console window of its own.
pub fn without_window(command: &mut Command) {
    system::without_window(command);
}

/// Spawns a process together with whose descendants it can be ended, as far as they stay in its group.
///
/// # Errors
/// When the system refuses.
pub fn spawn_in_group(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    system::spawn_in_group(command)
}

/// A signal that has ended a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// What it is called in a sentence: `killed`, `terminated`, `signal 64`.
    pub name: String,
    /// Whether it left a memory dump.
    pub dumped: bool,
}

/// The signal that has ended a process, if one has.
pub fn ending_signal(status: ExitStatus) -> Option<Signal> {
    system::ending_signal(status)
}

/// The program that this process runs, if the system tells; it can be started even when its file has been
/// replaced, where that is possible. `None` on systems whose process groups need no guard.
pub fn guard_program() -> Option<PathBuf> {
    system::guard_program()
}

/// Serves as the guard of the process that started this one; gives the status to end with.
pub fn run_guard() -> ExitCode {
    system::run_guard()
}

/// Calls `heard` on a thread of its own whenever Ctrl+C is pressed, which no longer ends the process. May be
/// called once in a process.
///
/// # Errors
/// When the system refuses, or it has been called before.
pub fn on_interrupt(heard: impl FnMut() + Send + 'static) -> io::Result<()> {
    system::on_interrupt(heard)
}

/// Calls `heard`, on a thread of its own, with the number of the signal when Ctrl+C or another process ends
/// this one; it then ends as it would have. Not together with [`on_interrupt`].
///
/// # Errors
/// When the system refuses.
pub fn before_signal_ends(heard: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    system::before_signal_ends(heard)
}

/// Ends the process as the signal of this number does, as far as the system has such a thing; else with the
/// status by which shells tell it.
pub fn end_as_by_signal(number: i32) -> ! {
    system::end_as_by_signal(number)
}

/// To be called first in a process: lets a console show colours where it has to be asked to, and lets writes
/// beyond the size that a file may have (`ulimit -f`) fail, rather than end the process.
pub fn prepare_process() {
    system::prepare_process();
}

/// Standard input and output of this process, taken from it.
pub struct StandardStreams {
    /// What was standard input.
    pub reader: File,
    /// What was standard output.
    pub writer: File,
    /// Tells when nobody can read any more what is written, where that can be found out.
    pub watch: Option<OutputWatch>,
}

/// Takes standard input and output; from now on what is read from and written to them is nothing.
///
/// # Errors
/// When the system refuses.
pub fn take_standard_streams() -> io::Result<StandardStreams> {
    system::take_standard_streams()
}

/// Does `work` on a stack of `size` bytes. It is one of the same thread where memory of a process with but
/// one thread costs less to allocate.
///
/// # Errors
/// When there is no thread for it.
pub fn with_stack<T: Send>(size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    system::with_stack(size, work)
}

/// Listens at a port of all addresses of this machine, of the fourth and the sixth version.
///
/// # Errors
/// When the port is taken, or the machine has no addresses of the sixth version.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    system::listen_everywhere(port)
}

/// The memory of a process that has a part of it in common with its copies, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct ProcessMemory {
    /// All that it uses.
    pub resident: u64,
    /// The same, but of what several processes use a part each.
    pub share: u64,
    /// What it alone uses, and has written.
    pub own: u64,
}

/// The memory of this process; `None` on systems where processes cannot be copied.
pub fn own_process_memory() -> Option<ProcessMemory> {
    system::own_process_memory()
}

/// Memory of this process, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryUsage {
    /// Address space, as far as it is limited.
    pub total: u64,
    /// Memory that is in use.
    pub resident: u64,
    /// Writable memory, whether it is in use or not; 0 if that is not known.
    pub data: u64,
}

/// What this process holds now, if the system tells.
pub fn memory_usage() -> Option<MemoryUsage> {
    system::memory_usage()
}

/// Bytes of address space that this process may have, if that is limited (`ulimit -v`).
pub fn address_space_limit() -> Option<u64> {
    system::address_space_limit()
}

/// Bytes of memory that the machine or the container has; more than any has if the system does not tell.
pub fn machine_memory() -> u64 {
    system::machine_memory().unwrap_or(u64::MAX >> 1)
}

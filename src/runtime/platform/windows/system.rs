//! Calls of the system for which there is no safe function elsewhere: the only `unsafe` code for Windows.
//!
//! Each block relies on no more than what is said at it. Common to all: structures are plain data for which
//! all zero bytes are valid, their size is given where the system asks for it, and pointers lead to local
//! variables that outlive the call, which keeps none of them. Handles are owned ([`OwnedHandle`]) from the
//! line on in which the system gives them, or borrowed from somebody who owns them during the call.

#![allow(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::mem::size_of;
use std::net::TcpStream;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{
    AsRawHandle, AsRawSocket, BorrowedHandle, FromRawHandle, IntoRawHandle, OwnedHandle,
};
use std::path::{Path, PathBuf};
use std::ptr;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CONNECTED_STATE, FILE_PIPE_LOCAL_INFORMATION, FilePipeLocalInformation, NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Globalization::{CP_OEMCP, MultiByteToWideChar};
use windows_sys::Win32::Storage::FileSystem::GetShortPathNameW;
use windows_sys::Win32::System::Console::{
    GetConsoleCP, GetConsoleOutputCP, GetStdHandle, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
    TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::IO::{CancelIoEx, IO_STATUS_BLOCK};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    GetCurrentThreadStackLimits, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};
use windows_sys::Win32::System::WindowsProgramming::GetUserNameW;
use windows_sys::core::BOOL;

/// The longest name of a user, with the zero at its end (`UNLEN` + 1).
const LONGEST_NAME: u32 = 257;

fn check(result: BOOL) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A handle that the system has just given, or the failure that it reports by an invalid one.
///
/// # Safety
/// Nobody else owns the handle.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is valid, and the caller says that nobody owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The size of a structure, as the system wants to be told it.
fn size<T>() -> u32 {
    size_of::<T>() as u32
}

/// A job object: processes that end together, at the latest when it is dropped.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// A job without processes.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new() -> io::Result<Job> {
        // SAFETY: no attributes and no name; the handle is new.
        let job = unsafe { owned(CreateJobObjectW(ptr::null(), ptr::null()))? };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the structure is the one that belongs to this kind of information.
        check(unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        })?;
        Ok(Job(job))
    }

    /// Adds a process; what it spawns from now on is in the job too.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn add(&self, process: BorrowedHandle) -> io::Result<()> {
        // SAFETY: both handles are valid during the call.
        check(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) })
    }

    /// Whether there is any process in it.
    pub fn has_members(&self) -> bool {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is the one that belongs to this kind of information, and is written to.
        let asked = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut found).cast(),
                size::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>(),
                ptr::null_mut(),
            )
        };
        asked != 0 && found.ActiveProcesses > 0
    }

    /// Ends all processes in it, with status 1.
    pub fn terminate(&self) {
        // SAFETY: the handle is valid.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

/// Lets a process run that was spawned suspended.
///
/// # Errors
/// When it has no thread, or the system refuses.
pub fn resume(process: u32) -> io::Result<()> {
    // SAFETY: the handle is new.
    let threads = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0))? };
    let mut thread = THREADENTRY32 { dwSize: size::<THREADENTRY32>(), ..Default::default() };
    // SAFETY: the handle is valid, and the structure says its size.
    let mut more = unsafe { Thread32First(threads.as_raw_handle(), &mut thread) };
    while more != 0 {
        if thread.th32OwnerProcessID == process {
            // SAFETY: the handle is new. The thread cannot have ended, since it is suspended.
            let thread = unsafe { owned(OpenThread(THREAD_SUSPEND_RESUME, 0, thread.th32ThreadID))? };
            // SAFETY: the handle is valid and has the right that this needs.
            let count = unsafe { ResumeThread(thread.as_raw_handle()) };
            return if count == u32::MAX { Err(io::Error::last_os_error()) } else { Ok(()) };
        }
        // SAFETY: as above.
        more = unsafe { Thread32Next(threads.as_raw_handle(), &mut thread) };
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The process that has started another one; it may have ended.
pub fn parent_of(process: u32) -> Option<u32> {
    // SAFETY: the handle is new.
    let processes = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0)).ok()? };
    let mut found = PROCESSENTRY32W { dwSize: size::<PROCESSENTRY32W>(), ..Default::default() };
    // SAFETY: the handle is valid, and the structure says its size.
    let mut more = unsafe { Process32FirstW(processes.as_raw_handle(), &mut found) };
    while more != 0 {
        if found.th32ProcessID == process {
            return Some(found.th32ParentProcessID);
        }
        // SAFETY: as above.
        more = unsafe { Process32NextW(processes.as_raw_handle(), &mut found) };
    }
    None
}

/// The name under which the user has logged in.
///
/// # Errors
/// When the system refuses.
pub fn user_name() -> io::Result<String> {
    let mut name = [0; LONGEST_NAME as usize];
    let mut length = LONGEST_NAME;
    // SAFETY: `length` is that of the array, and becomes that of the name with the zero at its end.
    check(unsafe { GetUserNameW(name.as_mut_ptr(), &mut length) })?;
    let name = name.get(..(length as usize).saturating_sub(1)).unwrap_or_default();
    Ok(String::from_utf16_lossy(name))
}

/// The path of a file with a short name for each of its parts, where the file system keeps such names.
///
/// # Errors
/// When the file is not there.
pub fn short_path(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    // Without this prefix, long paths are not taken.
    let prefix = if path.as_os_str().as_encoded_bytes().starts_with(br"\\") { "" } else { r"\\?\" };
    let long: Vec<u16> =
        OsStr::new(prefix).encode_wide().chain(path.as_os_str().encode_wide()).chain([0]).collect();
    let mut short = vec![0; long.len()];
    let room = u32::try_from(short.len()).map_err(io::Error::other)?;
    // SAFETY: the path ends with a zero; writes no more than the vector has room for.
    let length = unsafe { GetShortPathNameW(long.as_ptr(), short.as_mut_ptr(), room) };
    let found = short.get(..length as usize).filter(|found| !found.is_empty());
    let found = OsString::from_wide(found.ok_or_else(io::Error::last_os_error)?);
    let text = found.into_string().map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(text.strip_prefix(r"\\?\").unwrap_or(&text).into())
}

/// Whether this process has a console, be it one without a window.
pub fn has_console() -> bool {
    // SAFETY: there is nothing to be wrong; without a console it fails.
    unsafe { GetConsoleCP() != 0 }
}

/// The text that a program of the console means by these bytes: in the code page of this process's console,
/// else in the one that consoles have at first.
///
/// # Errors
/// When there are too many bytes, or the system does not know the code page.
pub fn console_text(bytes: &[u8]) -> io::Result<String> {
    // SAFETY: there is nothing to be wrong; without a console it fails.
    let page = match unsafe { GetConsoleOutputCP() } {
        0 => CP_OEMCP,
        page => page,
    };
    let length = i32::try_from(bytes.len()).map_err(io::Error::other)?;
    // SAFETY: reads as many bytes as it is told; writes nothing, but says how much it would.
    let size = unsafe { MultiByteToWideChar(page, 0, bytes.as_ptr(), length, ptr::null_mut(), 0) };
    let mut text = vec![0; usize::try_from(size).unwrap_or(0)];
    // SAFETY: reads as many bytes as it is told, and writes no more than the vector has room for.
    let size = unsafe { MultiByteToWideChar(page, 0, bytes.as_ptr(), length, text.as_mut_ptr(), size) };
    check(size)?;
    text.truncate(usize::try_from(size).unwrap_or(0));
    Ok(String::from_utf16_lossy(&text))
}

/// One of the streams that a process begins with.
#[derive(Clone, Copy, Debug)]
pub enum StandardStream {
    Input,
    Output,
}

/// Puts a file, which stays open, in the place of a standard stream, which is closed.
///
/// # Errors
/// When the system refuses.
pub fn replace_standard_stream(stream: StandardStream, file: File) -> io::Result<()> {
    let stream = match stream {
        StandardStream::Input => STD_INPUT_HANDLE,
        StandardStream::Output => STD_OUTPUT_HANDLE,
    };
    // SAFETY: there is nothing to be wrong; the handle is not owned yet.
    let before = unsafe { GetStdHandle(stream) };
    // SAFETY: the file is never closed, so that the stream stays valid.
    check(unsafe { SetStdHandle(stream, file.into_raw_handle()) })?;
    // SAFETY: the process's own handle of the stream, which nobody can get at any more: the library looks
    // the stream up for each use. There may have been none.
    drop(unsafe { owned(before) });
    Ok(())
}

/// Whether the other end of a pipe is closed; `None` if it is no pipe, or the system does not tell. Waits
/// while another thread reads or writes it.
pub fn pipe_is_closed(pipe: BorrowedHandle) -> Option<bool> {
    let mut status = IO_STATUS_BLOCK::default();
    let mut found = FILE_PIPE_LOCAL_INFORMATION::default();
    // SAFETY: the structures are the ones that belong to this kind of information, and are written to. The
    // handle is one for waiting calls, so that nothing is written after the return.
    let result = unsafe {
        NtQueryInformationFile(
            pipe.as_raw_handle(),
            &mut status,
            (&raw mut found).cast(),
            size::<FILE_PIPE_LOCAL_INFORMATION>(),
            FilePipeLocalInformation,
        )
    };
    (result >= 0).then_some(found.NamedPipeState != FILE_PIPE_CONNECTED_STATE)
}

/// Ends what other threads wait for at a connection, with an error there: shutting it down does not always.
pub fn end_waits(stream: &TcpStream) {
    let socket = stream.as_raw_socket() as HANDLE;
    // SAFETY: the handle is valid, and no operation is singled out. There may be none.
    unsafe { CancelIoEx(socket, ptr::null()) };
}

/// The lowest address of the calling thread's stack.
pub fn stack_limit() -> usize {
    let (mut low, mut high) = (0, 0);
    // SAFETY: both are written to.
    unsafe { GetCurrentThreadStackLimits(&mut low, &mut high) };
    low
}

/// Bytes of memory that the machine has.
pub fn machine_memory() -> Option<u64> {
    let mut status = MEMORYSTATUSEX { dwLength: size::<MEMORYSTATUSEX>(), ..Default::default() };
    // SAFETY: the structure says its size, and is written to.
    let asked = unsafe { GlobalMemoryStatusEx(&mut status) };
    (asked != 0).then_some(status.ullTotalPhys)
}

//! Calls of the system about consoles.

#![allow(unsafe_code)]
#![allow(dead_code)] // Every test program uses a part of it.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::mem::size_of;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Console::{
    COORD, CTRL_C_EVENT, ClosePseudoConsole, CreatePseudoConsole, GenerateConsoleCtrlEvent, GetConsoleCP,
    GetConsoleWindow, HPCON, ResizePseudoConsole,
};
use windows_sys::Win32::System::Threading::{
    CreateProcessW, DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT,
    InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
    PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, PROCESS_INFORMATION, STARTF_USESTDHANDLES, STARTUPINFOEXW,
    TerminateProcess, UpdateProcThreadAttribute,
};
use windows_sys::core::{BOOL, HRESULT};

fn check(result: BOOL) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn succeeded(result: HRESULT) -> io::Result<()> {
    if result < 0 { Err(io::Error::other(format!("{result:#x}"))) } else { Ok(()) }
}

fn size((rows, columns): (u16, u16)) -> COORD {
    COORD { X: columns.cast_signed(), Y: rows.cast_signed() }
}

/// Whether the system is Wine, which says so to processes that it starts.
pub fn is_wine() -> bool {
    std::env::var_os("WINELOADER").is_some()
}

/// Ctrl+C for all processes on the console of this one.
pub fn interrupt() -> io::Result<()> {
    // SAFETY: there is nothing to be wrong.
    check(unsafe { GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) })
}

/// Ends a process, which may have ended.
pub fn end(process: &OwnedHandle) {
    // SAFETY: the handle is valid.
    unsafe { TerminateProcess(process.as_raw_handle(), 1) };
}

/// Which console this process has.
pub fn own() -> &'static str {
    // SAFETY: there is nothing to be wrong; without a console, both give zero.
    let (page, window) = unsafe { (GetConsoleCP(), GetConsoleWindow()) };
    match (page, window.is_null()) {
        (0, _) => "no console",
        (_, true) => "a console without a window",
        (_, false) => "a console with a window",
    }
}

/// A console without a window.
pub struct PseudoConsole(HPCON);

impl PseudoConsole {
    /// One of so many rows and columns that takes keys from one pipe and writes what it shows to another.
    pub fn new(cells: (u16, u16), keys: PipeReader, shown: PipeWriter) -> io::Result<PseudoConsole> {
        let mut console = 0;
        // SAFETY: the handles are valid; the system duplicates them.
        succeeded(unsafe {
            CreatePseudoConsole(size(cells), keys.as_raw_handle(), shown.as_raw_handle(), 0, &mut console)
        })?;
        Ok(PseudoConsole(console))
    }

    pub fn resize(&self, cells: (u16, u16)) -> io::Result<()> {
        // SAFETY: the console is open.
        succeeded(unsafe { ResizePseudoConsole(self.0, size(cells)) })
    }

    /// Starts a process on it whose standard streams lead nowhere.
    pub fn start(&self, command: &str) -> io::Result<()> {
        let nowhere = File::options().read(true).write(true).open("NUL")?;
        let nowhere = nowhere.as_raw_handle();
        // SAFETY: the handle is open.
        check(unsafe { SetHandleInformation(nowhere, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) })?;
        let attributes = Attributes::new(2)?;
        // SAFETY: the value of this attribute is the console itself, which is open.
        unsafe {
            attributes.set(
                PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE,
                self.0 as *const HANDLE,
                size_of::<HPCON>(),
            )?
        };
        // SAFETY: the value of this attribute is an array of handles, which are open.
        unsafe { attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, &nowhere, size_of::<HANDLE>())? };
        let mut startup = STARTUPINFOEXW { lpAttributeList: attributes.list(), ..Default::default() };
        startup.StartupInfo.cb = size_of::<STARTUPINFOEXW>() as u32;
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        startup.StartupInfo.hStdInput = nowhere;
        startup.StartupInfo.hStdOutput = nowhere;
        startup.StartupInfo.hStdError = nowhere;
        let mut command: Vec<u16> = command.encode_utf16().chain([0]).collect();
        let mut started = PROCESS_INFORMATION::default();
        // SAFETY: the texts end with a zero, and the structures and what they lead to outlive the call.
        check(unsafe {
            CreateProcessW(
                ptr::null(),
                command.as_mut_ptr(),
                ptr::null(),
                ptr::null(),
                1,
                EXTENDED_STARTUPINFO_PRESENT,
                ptr::null(),
                ptr::null(),
                &startup.StartupInfo,
                &mut started,
            )
        })?;
        for handle in [started.hProcess, started.hThread] {
            // SAFETY: the handle is new, and owned by nobody.
            drop(unsafe { OwnedHandle::from_raw_handle(handle) });
        }
        Ok(())
    }
}

impl Drop for PseudoConsole {
    fn drop(&mut self) {
        // SAFETY: it is open, and closed once.
        unsafe { ClosePseudoConsole(self.0) };
    }
}

/// What a process is started with besides.
struct Attributes(Vec<usize>);

impl Attributes {
    fn new(count: u32) -> io::Result<Attributes> {
        let mut size = 0;
        // SAFETY: without a list, it only tells the size.
        unsafe { InitializeProcThreadAttributeList(ptr::null_mut(), count, 0, &mut size) };
        let mut list = vec![0_usize; size.div_ceil(size_of::<usize>())];
        // SAFETY: the list has that size.
        check(unsafe { InitializeProcThreadAttributeList(list.as_mut_ptr().cast(), count, 0, &mut size) })?;
        Ok(Attributes(list))
    }

    fn list(&self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.0.as_ptr().cast_mut().cast()
    }

    /// # Safety
    /// The value is of the kind that this attribute has, and outlives the list.
    unsafe fn set(&self, attribute: u32, value: *const HANDLE, size: usize) -> io::Result<()> {
        let (previous, returned) = (ptr::null_mut(), ptr::null());
        // SAFETY: the list is initialized; the rest, the caller says.
        check(unsafe {
            UpdateProcThreadAttribute(
                self.list(),
                0,
                attribute as usize,
                value.cast(),
                size,
                previous,
                returned,
            )
        })
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: it is initialized, and used no more.
        unsafe { DeleteProcThreadAttributeList(self.list()) };
    }
}

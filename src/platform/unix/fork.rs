//! Copies of the running process: the only `unsafe` code for Unix.
//!
//! A copy has one thread, the one that made it. Locks that other threads of the original held at that moment
//! stay locked in it for ever, and descriptors that objects of the original hold are closed in it. So whoever
//! goes on in a copy may allocate, start threads and use what it makes itself; it must neither use nor drop
//! what other threads use too, or what holds a descriptor. What the original prepares for the end of the
//! process (`atexit`) is not to be done twice: a copy ends by [`end_copy`].

#![allow(unsafe_code)]

use std::io;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use rustix::net::RecvFlags;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::platform::ProcessMemory;

use super::memory;

/// A way to another process of this program: bytes in both directions.
pub type Link = UnixStream;

/// A copy of this process. It is ended, and forgotten by the system, when this is dropped.
#[derive(Debug)]
pub struct ProcessCopy {
    process: Pid,
    link: Link,
}

/// Which of two processes this is.
#[derive(Debug)]
pub enum Copied {
    /// The one that was there before.
    Original(ProcessCopy),
    /// The copy, with its link to the original.
    Copy(Link),
}

/// Signals that concern the original alone. It tells its copies what they are to do.
const IGNORED: [i32; 5] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE];

/// Makes a copy of this process. See the top of this file for what may be done in it.
pub fn copy_process() -> io::Result<Copied> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok(match copy()? {
        Some(process) => Copied::Original(ProcessCopy { process, link: ours }),
        None => {
            // The original's end is among what is closed.
            std::mem::forget(ours);
            keep_only(&theirs);
            memory::in_copied_process();
            Copied::Copy(theirs)
        }
    })
}

/// Makes a copy that takes this process's place at its link until it ends; `true` in the copy. In the
/// original, returns when the copy has ended.
pub fn stand_in() -> io::Result<bool> {
    match copy()? {
        Some(process) => {
            let _ = wait_for(process);
            Ok(false)
        }
        None => Ok(true),
    }
}

/// Waits for bytes from the other process, and looks at them without taking them; gives how many there are.
pub fn look_ahead(link: &Link, bytes: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::net::recv(link, bytes, RecvFlags::PEEK)?.1)
}

/// Ends a copy at once, and nothing else.
pub fn end_copy() -> ! {
    // SAFETY: ends the process without running code of it.
    unsafe { libc::_exit(0) }
}

impl ProcessCopy {
    /// The link to it.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Its memory. Where the system does not tell, it counts as large as this process and alone.
    pub fn memory(&self) -> Option<ProcessMemory> {
        memory::process_memory(&self.process.as_raw_nonzero().to_string())
    }
}

impl Drop for ProcessCopy {
    fn drop(&mut self) {
        // Whoever stands in for it ends by that.
        let _ = self.link.shutdown(Shutdown::Both);
        let _ = kill_process(self.process, Signal::KILL);
        let _ = wait_for(self.process);
    }
}

fn wait_for(process: Pid) -> io::Result<()> {
    loop {
        match waitpid(Some(process), WaitOptions::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            result => return Ok(result.map(drop)?),
        }
    }
}

/// Makes a copy; gives it to the original, and nothing to the copy.
fn copy() -> io::Result<Option<Pid>> {
    // SAFETY: what the copy may do afterwards is said at the top of this file; nothing of it is undefined
    // behaviour, since all that is used there was made, and is used, by the one thread that it has.
    let number = unsafe { libc::fork() };
    match number {
        ..0 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

/// Closes every descriptor but one, lets standard streams lead nowhere, and ignores the original's signals.
fn keep_only(kept: &UnixStream) {
    for signal in IGNORED {
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    let nowhere = std::fs::OpenOptions::new().read(true).write(true).open(super::NULL_DEVICE);
    if let Ok(nowhere) = &nowhere {
        let _ = (dup2_stdin(nowhere), dup2_stdout(nowhere), dup2_stderr(nowhere));
    }
    drop(nowhere);
    let listed = std::fs::read_dir("/dev/fd").map(|entries| {
        let name = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
        entries.filter_map(Result::ok).filter_map(name).collect::<Vec<i32>>()
    });
    for descriptor in listed.unwrap_or_else(|_| (0..1024).collect()) {
        if descriptor > libc::STDERR_FILENO && descriptor != kept.as_raw_fd() {
            // SAFETY: what owns it is used by nobody in this process, nor dropped.
            unsafe { libc::close(descriptor) };
        }
    }
}

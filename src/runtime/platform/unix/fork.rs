//! Copies of the running process: the only `unsafe` code for Unix.
//!
//! A copy has one thread: the one that made it. Locks that other threads of the original held stay locked in
//! it for ever, and file descriptors of the original's objects are closed. So code in a copy may allocate
//! memory, start threads, and use objects that it creates; it must neither use nor drop objects that other
//! threads use, too, or that own a descriptor. Exit handlers of the process (`atexit`) must not run twice: a
//! copy ends by [`end_copy`].

#![allow(unsafe_code)]

use std::io;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::RecvFlags;
use rustix::process::{Pid, Resource, Signal, WaitOptions, getrlimit, kill_process, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::platform::ProcessMemory;

use super::memory;

/// A bidirectional byte stream to another process of this program.
pub type Link = UnixStream;

/// A copy of this process. Dropping this ends and reaps it.
#[derive(Debug)]
pub struct ProcessCopy {
    process: Pid,
    link: Link,
}

/// In which of the two processes the call has returned.
#[derive(Debug)]
pub enum Copied {
    Original(ProcessCopy),
    /// The copy, with its link to the original.
    Copy(Link),
}

/// Signals that are meant for the original only, which tells its copies what to do.
const IGNORED: [i32; 5] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE];

/// Copies this process. See the module documentation for what the copy may do.
pub fn copy_process() -> io::Result<Copied> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok(match copy()? {
        Some(process) => Copied::Original(ProcessCopy { process, link: ours }),
        None => {
            // Its descriptor is closed below.
            std::mem::forget(ours);
            keep_only(&theirs);
            memory::in_copied_process();
            Copied::Copy(theirs)
        }
    })
}

/// Makes a copy that takes over this process's link until it ends. Returns `true` in the copy; in the
/// original, returns `false` when the copy has ended.
pub fn stand_in() -> io::Result<bool> {
    match copy()? {
        Some(process) => {
            let _ = wait_for(process);
            Ok(false)
        }
        None => Ok(true),
    }
}

/// Waits until bytes from the other process fill the buffer, without consuming them; returns `false` if the
/// stream ends before.
pub fn look_ahead(link: &Link, bytes: &mut [u8]) -> io::Result<bool> {
    loop {
        // Asked first: bytes that came before the end are still found after it.
        let ended = has_ended(link)?;
        match rustix::net::recv(link, &mut *bytes, RecvFlags::PEEK) {
            Ok((_, count)) if count == bytes.len() => return Ok(true),
            Ok((_, 0)) => return Ok(false),
            Ok(_) if ended => return Ok(false),
            // The rest of a message follows at once.
            Ok(_) => std::thread::yield_now(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the other process has closed its side.
fn has_ended(link: &Link) -> io::Result<bool> {
    let mut asked = [PollFd::new(link, PollFlags::HUP)];
    match poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => {
            let [link] = asked;
            Ok(link.revents().intersects(PollFlags::HUP | PollFlags::ERR))
        }
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Ends a copy at once, without running exit handlers.
pub fn end_copy() -> ! {
    // SAFETY: ends the process without running any of its code.
    unsafe { libc::_exit(0) }
}

impl ProcessCopy {
    /// The link to the copy.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The copy's memory. Where the system does not tell, an estimate: as much as this process's, not shared.
    pub fn memory(&self) -> Option<ProcessMemory> {
        memory::process_memory(&self.process.as_raw_nonzero().to_string())
    }
}

impl Drop for ProcessCopy {
    fn drop(&mut self) {
        // This also ends a copy that has taken over the link.
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

/// Forks; returns the copy's process id in the original, and `None` in the copy.
fn copy() -> io::Result<Option<Pid>> {
    // SAFETY: what the copy may do afterwards is said at the top of this file; nothing of it is undefined
    // behaviour, since all that is used there was made, and is used, by the one thread that it has.
    let number = unsafe { libc::fork() };
    match number {
        ..0 => Err(io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

/// The largest number of a descriptor that is closed where the system does not list those that are open.
const MAX_DESCRIPTOR: i32 = 1 << 20;

/// The descriptors that may be open: those that the system lists, or else all that it allows.
fn open_descriptors() -> Vec<i32> {
    let name = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
    let listed = ["/dev/fd", "/proc/self/fd"].into_iter().find_map(|folder| {
        let entries = std::fs::read_dir(folder).ok()?;
        Some(entries.filter_map(Result::ok).filter_map(name).collect())
    });
    listed.unwrap_or_else(|| {
        let allowed = getrlimit(Resource::Nofile).current.and_then(|count| i32::try_from(count).ok());
        (0..allowed.unwrap_or(MAX_DESCRIPTOR).min(MAX_DESCRIPTOR)).collect()
    })
}

/// Closes all descriptors but one, connects the standard streams to the null device, and ignores the signals
/// for the original.
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
    for descriptor in open_descriptors() {
        if descriptor > libc::STDERR_FILENO && descriptor != kept.as_raw_fd() {
            // SAFETY: what owns it is used by nobody in this process, nor dropped.
            unsafe { libc::close(descriptor) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn looking_ahead_ends_with_the_stream() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair");
        theirs.write_all(b"12345abc").expect("a write");
        drop(theirs);
        let mut bytes = [0; 5];
        assert!(look_ahead(&ours, &mut bytes).expect("bytes"));
        assert_eq!(&bytes, b"12345");
        // A message that is cut off.
        assert!(!look_ahead(&ours, &mut [0; 9]).expect("the end"));
        assert_eq!(std::io::copy(&mut &ours, &mut std::io::sink()).expect("the rest"), 8);
        assert!(!look_ahead(&ours, &mut bytes).expect("the end"));
    }
}

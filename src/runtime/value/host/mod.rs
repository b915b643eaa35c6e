//! The only access of a program to the outside: streams, clock, random numbers, files, environment, processes
//! and network.
//!
//! Requests and answers are plain data, so that a host can record the answers and replay them.

pub mod bytes;
mod interrupt;
mod job;
mod request;
mod wrap;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use interrupt::InterruptFlag;
pub use job::{
    CommandEnd, HttpFailure, HttpReply, HttpRequest, Job, JobResult, ServedRoute, canonical_header,
};
pub use request::{
    FileKind, FileStatus, HostAnswer, HostRequest, RequestClass, SystemError, SystemErrorKind, open_flags,
};
pub use wrap::WrapsHost;

/// A standard stream for output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The result of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited<T> {
    /// The wait is over, with its result.
    Done(T),
    /// The interrupt flag was raised. The caller has to handle the interrupt and wait again.
    Interrupted,
}

/// Gives a program access to the outside. All methods are called on the interpreter's thread.
/// [`SystemHost`](crate::host::SystemHost) makes system calls; other hosts record answers, replay them, or
/// refuse requests.
pub trait Host {
    /// Writes output. May be buffered; text for one stream becomes visible before later text for the other.
    ///
    /// # Errors
    /// If the stream is closed or fails.
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()>;

    /// Whether writing a text of this size in bytes may make output visible at once, and so can fail.
    fn shows(&self, _stream: Stream, _bytes: usize) -> bool {
        true
    }

    /// Writes buffered output.
    ///
    /// # Errors
    /// If the stream is closed or fails.
    fn flush(&mut self) -> io::Result<()>;

    /// Waits for a line of standard input, and returns it with its line end; `None` at the end of input.
    ///
    /// # Errors
    /// If reading fails.
    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>>;

    /// Waits for `time`; if the interrupt flag is raised meanwhile, returns the rest of the time.
    fn sleep(&mut self, time: Duration) -> Option<Duration>;

    /// Time since 1970-01-01 00:00:00 UTC: seconds (negative before that) and nanoseconds (never negative).
    fn now(&mut self) -> (i64, u32);

    /// 64 random bits.
    fn random(&mut self) -> u64;

    /// The seed of all random bits, for recording them. Called before any bits are drawn; hosts that wrap
    /// another host pass it on. A host that records or replays returns the seed of all further bits.
    fn seed(&mut self) -> u64 {
        self.random()
    }

    /// Begins or ends an evaluation of a debugger. The random bits drawn meanwhile are drawn again by the
    /// program.
    fn set_evaluating(&mut self, _evaluating: bool) {}

    /// Carries out a request on this thread. Requests that may block (large files, pipes, terminals) have to
    /// be started as [`Job::Request`] instead.
    ///
    /// # Errors
    /// If the system call fails.
    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError>;

    /// Starts a job; returns its number for [`Host::finish`] and [`Host::cancel`].
    ///
    /// # Errors
    /// The result of a job that is refused: it has no number.
    fn start(&mut self, job: Job) -> Result<u64, JobResult>;

    /// Waits until a job has ended, or the interrupt flag is raised.
    fn finish(&mut self, job: u64) -> Waited<JobResult>;

    /// Cancels a job; its result is dropped.
    fn cancel(&mut self, job: u64);

    /// The flag that other threads raise to interrupt the program; `None` if it cannot be interrupted. Long
    /// computations poll it.
    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        None
    }

    /// Called when the program has ended: cancels its jobs, ends its commands, and flushes the output.
    fn end(&mut self) {
        let _ = self.flush();
    }
}

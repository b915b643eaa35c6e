//! The only door from a program to the outside: streams, clock, random numbers, files, environment,
//! processes and network.
//!
//! Requests and answers are plain data, so that a host can record every answer and give it back later.

pub(crate) mod bytes;
mod interrupt;
mod job;
mod request;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use interrupt::InterruptFlag;
pub use job::{
    CommandEnd, HttpFailure, HttpReply, HttpRequest, Job, JobResult, ServedRoute, canonical_header,
};
pub use request::{FileKind, FileStatus, HostAnswer, HostRequest, SystemError, SystemErrorKind, open_flags};

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited<T> {
    /// With what was waited for.
    Done(T),
    /// Early, because the interrupt flag was raised. The caller handles the interrupt and then waits
    /// again.
    Interrupted,
}

/// What a program can do to, or learn from, the world outside. All methods are called on the
/// interpreter's thread. [`SystemHost`](crate::host::SystemHost) does the real thing; other hosts record
/// answers, replay them, or refuse.
pub trait Host {
    /// Writes program output. What was written to one stream before something is written to the other
    /// reaches its reader first.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()>;

    /// Hands what was written and is still buffered to its reader.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn flush(&mut self) -> io::Result<()>;

    /// The next line of standard input with its line end; `None` at the end of input.
    ///
    /// # Errors
    /// When reading fails.
    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>>;

    /// Waits for `time`, or until the interrupt flag is raised: then gives what is left of the time.
    fn sleep(&mut self, time: Duration) -> Option<Duration>;

    /// Time since 1970-01-01 00:00:00 UTC as seconds (negative before) and nanoseconds (never negative).
    fn now(&mut self) -> (i64, u32);

    /// 64 random bits.
    fn random(&mut self) -> u64;

    /// What all random bits of a recorded run are to follow from. Asked before any of them by who records;
    /// hosts that wrap another one pass it on. A host that records, or replays, gives what all later ones
    /// follow from.
    fn seed(&mut self) -> u64 {
        self.random()
    }

    /// Begins, or ends, something that a debugger evaluates for itself: the random bits that it takes are
    /// not missing to the program.
    fn set_evaluating(&mut self, _evaluating: bool) {}

    /// Carries out a request on this thread. Requests that may block (large files, pipes, terminals) are
    /// to be started as a [`Job::Request`] instead.
    ///
    /// # Errors
    /// When the system refuses.
    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError>;

    /// Starts a job; gives the number that [`Host::finish`] and [`Host::cancel`] take.
    fn start(&mut self, job: Job) -> u64;

    /// Waits for a job to end, or until the interrupt flag is raised.
    fn finish(&mut self, job: u64) -> Waited<JobResult>;

    /// Ends a job whose result is not wanted any more.
    fn cancel(&mut self, job: u64);

    /// The flag that other threads raise to interrupt the program; `None` if nothing can. Long
    /// computations poll it.
    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        None
    }

    /// Ends what belongs to the program, which is over: cancels its jobs, ends its commands, flushes its
    /// output.
    fn end(&mut self) {
        let _ = self.flush();
    }
}

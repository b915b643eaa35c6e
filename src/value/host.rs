//! The only door from a program to the outside: streams, clock, random numbers, and (through the
//! extension methods that the library adds here) files, environment, processes and network.

use std::io;
use std::time::Duration;

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Early, because somebody wants the interpreter's attention; to be asked again after that.
    Attention,
}

/// What a program can do to, or learn from, the world. The system host does the real thing; other
/// hosts keep answers, give them back, or refuse.
pub trait Host {
    /// Writes program output; order between the streams is kept.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()>;

    /// Makes what was written visible.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn flush(&mut self) -> io::Result<()>;

    /// The next line of standard input with its line end; `None` at the end of input.
    ///
    /// # Errors
    /// When reading fails.
    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>>;

    /// Waits that long, or until attention is wanted: then gives what is left of the time.
    fn sleep(&mut self, time: Duration) -> Option<Duration>;

    /// Time since 1970-01-01 00:00:00 UTC (negative before, as seconds and nanoseconds).
    fn now(&mut self) -> (i64, u32);

    /// 64 random bits.
    fn random(&mut self) -> u64;
}

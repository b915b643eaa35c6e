//! Threads of the process.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Runs `work` on a new thread with this name.
///
/// # Errors
/// If no thread can be created. `work` has been dropped then.
pub fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    start(Builder::new().name(name.into()), Box::new(work))
}

/// The same, with a stack of this size in bytes.
///
/// # Errors
/// As [`spawn`].
pub fn spawn_with_stack(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    start(Builder::new().name(name.into()).stack_size(stack), Box::new(work))
}

/// Not generic, since what the standard library makes of each type of closure is long.
fn start(thread: Builder, work: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("no thread can be started: {error}"));
    thread.spawn(work).map_err(failed)
}

//! What a computation costs, which has to be in proportion to the length of its input.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How many bytes are allocated, if somebody counts them, and how many were at most since [`within`] began.
pub static HELD: AtomicUsize = AtomicUsize::new(0);
pub static MOST: AtomicUsize = AtomicUsize::new(0);

/// What a computation may take, whatever its input is, and for each byte of that.
const TIME: Duration = Duration::from_millis(100);
const TIME_PER_BYTE: Duration = Duration::from_micros(150);
const MEMORY: usize = 32 << 20;
const MEMORY_PER_BYTE: usize = 16 << 10;

/// The processor's time of this thread.
fn time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Does something with an input of this length.
///
/// # Panics
/// If that takes more time or memory than it may.
pub fn within<T>(length: usize, what: &str, work: impl FnOnce() -> T) -> T {
    let (begin, held) = (time(), HELD.load(Relaxed));
    MOST.store(held, Relaxed);
    let result = work();
    let (took, memory) = (time().saturating_sub(begin), MOST.load(Relaxed).saturating_sub(held));
    let most = TIME + TIME_PER_BYTE * length as u32;
    assert!(took <= most, "{what} of {length} bytes takes {took:?}, more than {most:?}");
    let most = MEMORY + MEMORY_PER_BYTE * length;
    assert!(memory <= most, "{what} of {length} bytes takes {} MiB, more than {}", memory >> 20, most >> 20);
    result
}

//! Interrupting the interpreter from other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Instant;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// A flag with which any thread interrupts a program that computes or waits, and a condition variable on
/// which the interpreter's thread waits.
#[derive(Debug, Default)]
pub struct InterruptFlag {
    raised: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl InterruptFlag {
    /// A flag that is not raised.
    pub fn new() -> Arc<InterruptFlag> {
        Arc::default()
    }

    /// Raises the flag: waits end, and long computations stop when they next poll it.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.notify();
    }

    /// Lowers the flag. Call it before looking for the reason, so that a later interrupt is not lost.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::SeqCst);
    }

    /// Whether the flag is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Makes [`InterruptFlag::wait_for`] evaluate its condition again, without raising the flag.
    pub fn notify(&self) {
        // A thread that has evaluated the condition holds the lock until it waits.
        drop(self.guard());
        self.changed.notify_all();
    }

    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock()
    }

    /// Waits until the flag is raised, or for `timeout`; returns whether it is raised.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_for(Instant::now().checked_add(timeout), || None::<()>);
        self.is_raised()
    }

    /// Waits until `condition` returns a value, the flag is raised, or the time `until` is reached; returns
    /// the last result of the condition. Whatever changes that result must call [`InterruptFlag::notify`]
    /// afterwards.
    pub fn wait_for<T>(&self, until: Option<Instant>, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
        let mut guard = self.guard();
        loop {
            let found = condition();
            if found.is_some() || self.raised.load(Ordering::SeqCst) {
                return found;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            // The loop continues after the longest wait.
            let left = left.unwrap_or(Duration::from_secs(3600));
            guard = self.changed.wait_timeout(guard, left);
        }
    }
}

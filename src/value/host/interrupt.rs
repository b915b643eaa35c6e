//! How other threads interrupt the interpreter.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A flag by which any thread interrupts a program that computes or waits, and the condition variable
/// on which the interpreter's thread waits.
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

    /// Raises the flag: waits end early, long computations stop at their next poll.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.notify();
    }

    /// Lowers the flag. To be called before looking for the reason, so that no later one is lost.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::SeqCst);
    }

    /// Whether the flag is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Makes [`InterruptFlag::wait_for`] look at its condition again, without raising the flag.
    pub fn notify(&self) {
        // Whoever has seen the condition unmet holds the lock until it waits.
        drop(self.guard());
        self.changed.notify_all();
    }

    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the flag is raised, for `timeout` at most; gives whether it is raised.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_for(Instant::now().checked_add(timeout), || None::<()>);
        self.is_raised()
    }

    /// Waits until `condition` gives something, the flag is raised or `until` has come; gives what the
    /// condition gave last. Whoever makes the condition true calls [`InterruptFlag::notify`] after that.
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
            // The loop goes on after the longest wait.
            let left = left.unwrap_or(Duration::from_secs(3600));
            guard = match self.changed.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

//! How another thread gets the attention of a running program.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::interp::flags::ATTENTION;

/// The handle by which any thread wakes a program that runs, sleeps or waits. Cheap to clone.
#[derive(Clone, Default)]
pub struct Control {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    raised: AtomicBool,
    flags: OnceLock<&'static [AtomicU8]>,
    lock: Mutex<()>,
    woken: Condvar,
}

impl Control {
    /// A handle for a program that is not built yet.
    pub fn new() -> Control {
        Control::default()
    }

    /// The flags of the program's statements, once it is built.
    pub(crate) fn attach(&self, flags: &'static [AtomicU8]) {
        let _ = self.inner.flags.set(flags);
        if self.is_raised() {
            self.set_bits(ATTENTION);
        }
    }

    /// Asks for attention: the program looks at its requests before its next statement, or at once if
    /// it waits for something.
    pub fn raise(&self) {
        self.inner.raised.store(true, Ordering::SeqCst);
        self.set_bits(ATTENTION);
        // The lock makes sure that nobody is between looking at `raised` and waiting.
        drop(self.inner.lock.lock());
        self.inner.woken.notify_all();
    }

    /// Whether attention is wanted.
    pub fn is_raised(&self) -> bool {
        self.inner.raised.load(Ordering::SeqCst)
    }

    /// Attention was given. To be called before looking at the requests.
    pub(crate) fn clear(&self) {
        self.clear_bits(ATTENTION);
        self.inner.raised.store(false, Ordering::SeqCst);
        // A raise between the two lines above set `raised` first and is lost, but its request is
        // looked at next, since that is queued before raising.
    }

    /// Waits until the time is over or attention is wanted; says whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        let end = Instant::now().checked_add(time);
        let Ok(mut guard) = self.inner.lock.lock() else { return self.is_raised() };
        loop {
            if self.is_raised() {
                return true;
            }
            let left = match end {
                Some(end) => end.saturating_duration_since(Instant::now()),
                None => Duration::from_secs(3600),
            };
            if left.is_zero() {
                return false;
            }
            guard = match self.inner.woken.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(_) => return self.is_raised(),
            };
        }
    }

    pub(crate) fn set_bits(&self, bits: u8) {
        for flag in self.inner.flags.get().copied().unwrap_or_default() {
            flag.fetch_or(bits, Ordering::SeqCst);
        }
    }

    pub(crate) fn clear_bits(&self, bits: u8) {
        for flag in self.inner.flags.get().copied().unwrap_or_default() {
            flag.fetch_and(!bits, Ordering::SeqCst);
        }
    }

    /// Whether a statement has this bit set.
    pub(crate) fn has_bit(&self, index: usize, bit: u8) -> bool {
        let flags = self.inner.flags.get().copied().unwrap_or_default();
        flags.get(index).is_some_and(|f| f.load(Ordering::Relaxed) & bit != 0)
    }

    /// Sets or clears bits of one statement.
    pub(crate) fn set_at(&self, index: usize, bits: u8, on: bool) {
        if let Some(flag) = self.inner.flags.get().and_then(|f| f.get(index)) {
            if on {
                flag.fetch_or(bits, Ordering::SeqCst);
            } else {
                flag.fetch_and(!bits, Ordering::SeqCst);
            }
        }
    }
}

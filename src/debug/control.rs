//! How another thread gets the attention of a running program.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::interp::flags::ATTENTION;
use crate::value::Attention;

/// The handle by which any thread wakes a program that runs, sleeps or waits. Cheap to clone.
#[derive(Clone)]
pub struct Control {
    inner: Arc<Inner>,
}

struct Inner {
    attention: Arc<Attention>,
    flags: OnceLock<&'static [AtomicU8]>,
}

impl Default for Control {
    fn default() -> Control {
        Control { inner: Arc::new(Inner { attention: Attention::new(), flags: OnceLock::new() }) }
    }
}

impl Control {
    /// A handle for a program that is not built yet.
    pub fn new() -> Control {
        Control::default()
    }

    /// What a host that waits listens to.
    pub fn attention(&self) -> Arc<Attention> {
        self.inner.attention.clone()
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
        // Statements see their own flags; whoever waits sees the attention. A statement that clears
        // both at this moment looks at the requests next, and the request was queued before.
        self.set_bits(ATTENTION);
        self.inner.attention.raise();
    }

    /// Whether attention is wanted.
    pub fn is_raised(&self) -> bool {
        self.inner.attention.is_raised()
    }

    /// Attention is given: to be called before looking at the requests.
    pub(crate) fn clear(&self) {
        self.inner.attention.clear();
        self.clear_bits(ATTENTION);
    }

    /// Waits until the time is over or attention is wanted; says whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        self.inner.attention.wait(time)
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

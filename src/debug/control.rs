//! How another thread gets the attention of a running program.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::interp::flags::INTERRUPT;
use crate::value::InterruptFlag;

/// The handle by which any thread wakes a program that runs, sleeps or waits. Cheap to clone.
#[derive(Clone)]
pub struct InterruptHandle {
    inner: Arc<Inner>,
}

struct Inner {
    interrupt: Arc<InterruptFlag>,
    flags: OnceLock<&'static [AtomicU8]>,
}

impl Default for InterruptHandle {
    fn default() -> InterruptHandle {
        InterruptHandle { inner: Arc::new(Inner { interrupt: InterruptFlag::new(), flags: OnceLock::new() }) }
    }
}

impl InterruptHandle {
    /// A handle for a program that is not compiled yet.
    pub fn new() -> InterruptHandle {
        InterruptHandle::default()
    }

    /// What a host that waits listens to.
    pub fn interrupt_flag(&self) -> Arc<InterruptFlag> {
        self.inner.interrupt.clone()
    }

    /// The flags of the program's statements, once it is compiled.
    pub(crate) fn attach(&self, flags: &'static [AtomicU8]) {
        let _ = self.inner.flags.set(flags);
        if self.is_raised() {
            self.set_bits(INTERRUPT);
        }
    }

    /// Asks for attention: the program looks at its requests before its next statement, or at once if
    /// it waits for something.
    pub fn raise(&self) {
        // Statements see their own flags; whoever waits sees the attention. A statement that clears
        // both at this moment looks at the requests next, and the request was queued before.
        self.set_bits(INTERRUPT);
        self.inner.interrupt.raise();
    }

    /// Whether attention is wanted.
    pub fn is_raised(&self) -> bool {
        self.inner.interrupt.is_raised()
    }

    /// InterruptFlag is given: to be called before looking at the requests.
    pub(crate) fn clear(&self) {
        self.inner.interrupt.clear();
        self.clear_bits(INTERRUPT);
    }

    /// Waits until the time is over or attention is wanted; says whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        self.inner.interrupt.wait(time)
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

//! How another thread gets the attention of a running program.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use crate::interp::flags::StatementFlags;
use crate::value::InterruptFlag;

/// The handle by which any thread wakes a program that runs, sleeps or waits. Cheap to clone.
#[derive(Clone)]
pub struct InterruptHandle {
    inner: Arc<Inner>,
}

struct Inner {
    interrupt: Arc<InterruptFlag>,
    /// Those of the program that was compiled last.
    flags: RwLock<Option<Arc<StatementFlags>>>,
    /// Why the program is to stop, though no request asks for it.
    notice: Mutex<Option<String>>,
}

impl Default for InterruptHandle {
    fn default() -> InterruptHandle {
        InterruptHandle {
            inner: Arc::new(Inner {
                interrupt: InterruptFlag::new(),
                flags: RwLock::default(),
                notice: Mutex::default(),
            }),
        }
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
    pub(crate) fn attach(&self, flags: Arc<StatementFlags>) {
        *self.inner.flags.write().unwrap_or_else(PoisonError::into_inner) = Some(flags);
        if self.is_raised() {
            self.set_interrupt(true);
        }
    }

    fn flags(&self) -> Option<Arc<StatementFlags>> {
        self.inner.flags.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks for attention: the program looks at its requests before its next statement, or at once if
    /// it waits for something.
    pub fn raise(&self) {
        // Statements see their own flags; whoever waits sees the attention. A statement that clears
        // both at this moment looks at the requests next, and the request was queued before.
        self.set_interrupt(true);
        self.inner.interrupt.raise();
    }

    /// Lets the program stop, and tell why.
    pub(crate) fn stop_with(&self, why: String) {
        *self.inner.notice.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        self.raise();
    }

    /// Why the program is to stop, if it is; told once.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.inner.notice.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether attention is wanted.
    pub fn is_raised(&self) -> bool {
        self.inner.interrupt.is_raised()
    }

    /// The program attends to it: to be called before looking at the requests.
    pub(crate) fn clear(&self) {
        self.inner.interrupt.clear();
        self.set_interrupt(false);
    }

    /// Waits until the time is over or attention is wanted; says whether it is.
    pub fn wait(&self, time: Duration) -> bool {
        self.inner.interrupt.wait(time)
    }

    /// Whether statements ask the debugger because the program was interrupted.
    pub(crate) fn wants_statements(&self) -> bool {
        self.is_raised() || self.flags().is_some_and(|flags| flags.is_interrupted())
    }

    fn set_interrupt(&self, on: bool) {
        if let Some(flags) = self.flags() {
            flags.set_interrupt(on);
        }
    }

    /// Sets or clears bits of the statement with this number.
    pub(crate) fn set_for(&self, statement: usize, bits: u8, on: bool) {
        if let Some(flags) = self.flags() {
            flags.set_own(statement, bits, on);
        }
    }
}

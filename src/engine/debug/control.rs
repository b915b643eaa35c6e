//! The handle by which other threads interrupt a running program.

use std::sync::Arc;
use std::time::Duration;

use ez_runtime::interp::flags::{STEP, StatementFlags};
use ez_runtime::sync::{Mutex, RwLock};
use ez_runtime::value::InterruptFlag;

/// Interrupts a program that runs, sleeps or waits, so that it looks at its requests. May be used on any
/// thread; clones refer to the same program.
#[derive(Clone)]
pub struct InterruptHandle {
    inner: Arc<Inner>,
}

struct Inner {
    interrupt: Arc<InterruptFlag>,
    /// The flags of the statements of the program compiled last.
    flags: RwLock<Option<Arc<StatementFlags>>>,
    /// A reason to stop the program that comes from no request.
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
    /// A handle to which no program is attached yet.
    pub fn new() -> InterruptHandle {
        InterruptHandle::default()
    }

    /// The flag that a waiting host has to observe.
    pub fn interrupt_flag(&self) -> Arc<InterruptFlag> {
        self.inner.interrupt.clone()
    }

    /// Attaches the flags of a compiled program's statements.
    pub(crate) fn attach(&self, flags: Arc<StatementFlags>) {
        {
            // Under the lock, as in `set_interrupt`: so none is left set that nobody would clear.
            let mut attached = self.inner.flags.write();
            if let Some(before) = attached.replace(flags) {
                before.set_interrupt(false);
            }
        }
        if self.is_raised() {
            self.set_interrupt(true);
        }
    }

    fn flags(&self) -> Option<Arc<StatementFlags>> {
        self.inner.flags.read().clone()
    }

    /// Interrupts the program: it looks at its requests before the next statement, or at once if it waits.
    pub fn raise(&self) {
        // Statements check their own flags; waiting hosts check the attention flag. If a statement clears
        // both just now, it looks at its requests next, and the request has been queued before. The attention
        // flag comes first: if the flags of another program are attached just now, they are set because of it.
        self.inner.interrupt.raise();
        self.set_interrupt(true);
    }

    /// Makes the program stop and report this reason.
    pub(crate) fn stop_with(&self, why: String) {
        *self.inner.notice.lock() = Some(why);
        self.raise();
    }

    /// Takes the reason set by [`InterruptHandle::stop_with`], if any.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.inner.notice.lock().take()
    }

    /// Whether the program has been interrupted and has not reacted yet.
    pub fn is_raised(&self) -> bool {
        self.inner.interrupt.is_raised()
    }

    /// Clears the interrupt. Call it before looking at the requests.
    pub(crate) fn clear(&self) {
        self.inner.interrupt.clear();
        self.set_interrupt(false);
    }

    /// Waits for the time given, or until interrupted; returns whether it was.
    pub fn wait(&self, time: Duration) -> bool {
        self.inner.interrupt.wait(time)
    }

    /// Whether the flags of the statements are set because of an interrupt.
    pub(crate) fn wants_statements(&self) -> bool {
        self.is_raised() || self.flags().is_some_and(|flags| flags.is_interrupted())
    }

    fn set_interrupt(&self, on: bool) {
        if let Some(flags) = &*self.inner.flags.read() {
            flags.set_interrupt(on);
        }
    }

    /// Makes the very next place call the debugger, and all others, until it is switched off.
    pub(crate) fn poll_statements(&self, on: bool) {
        if let Some(flags) = self.flags() {
            flags.set_each(STEP, on);
        }
    }

    /// Sets or clears bits in the flags of a statement.
    pub(crate) fn set_for(&self, statement: usize, bits: u8, on: bool) {
        if let Some(flags) = self.flags() {
            flags.set_own(statement, bits, on);
        }
    }
}

//! Flags of statements: the reasons for which attached code calls the debugger before a statement.
//!
//! Each statement has a byte of its own, and all share one for the interrupt, which other threads may set at
//! any time. What concerns all statements, and is set by the program's own thread, is in
//! [`Steps`](super::steps::Steps). So setting a breakpoint, beginning a step and interrupting the program
//! take the same time in programs of any size.
//!
//! Statements of function bodies and back edges of loops check both bytes, all others only their own: no
//! program runs for long without passing one of the former.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// For all statements: another thread has sent a request, or the program is to end.
pub(crate) const INTERRUPT: u8 = 1;
/// The statement has a breakpoint.
pub(crate) const BREAKPOINT: u8 = 2;
/// For all statements: a step is in progress.
pub(crate) const STEP: u8 = 4;
/// The statement has one breakpoint, whose condition is tested first.
pub(crate) const CONDITION: u8 = 8;

/// The statement may assign a watched variable and runs no other statements: the variable is checked after
/// it.
pub(crate) const ASSIGNS: u8 = 16;
/// The statement may assign a watched variable before other statements, in its blocks or calls, run: the
/// variable is checked at each place until the statement after it.
pub(crate) const WRITES: u8 = 64;
/// For all statements: something watched may have been written since the last place.
pub(crate) const WRITTEN: u8 = 32;

/// The place that a journey through the history leads to.
pub(crate) const GOAL: u8 = 128;

/// The flags of the statements of attached code. Any thread may set them; statements that begin later see the
/// change.
#[derive(Debug, Default)]
pub struct StatementFlags {
    all: Arc<AtomicU8>,
    each: Box<[Arc<AtomicU8>]>,
}

/// The flags of one statement, as compiled into its code.
#[derive(Clone, Debug)]
pub(crate) struct StatementFlag {
    all: Arc<AtomicU8>,
    own: Arc<AtomicU8>,
}

impl StatementFlag {
    /// The bits of this statement, and the interrupt; usually 0.
    #[inline(always)]
    pub fn bits(&self) -> u8 {
        self.all.load(Ordering::Relaxed) | self.own_bits()
    }

    /// The bits of this statement; usually 0.
    #[inline(always)]
    pub fn own_bits(&self) -> u8 {
        self.own.load(Ordering::Relaxed)
    }
}

impl StatementFlags {
    /// Flags for this many statements, all clear.
    pub(crate) fn new(statements: usize) -> StatementFlags {
        StatementFlags { all: Arc::default(), each: (0..statements).map(|_| Arc::default()).collect() }
    }

    /// The flags of the statement with this index.
    pub(crate) fn of(&self, statement: usize) -> Option<StatementFlag> {
        let own = self.each.get(statement)?.clone();
        Some(StatementFlag { all: self.all.clone(), own })
    }

    /// Sets or clears the interrupt.
    pub(crate) fn set_interrupt(&self, on: bool) {
        set(&self.all, INTERRUPT, on);
    }

    /// Sets or clears bits of one statement.
    pub(crate) fn set_own(&self, statement: usize, bits: u8, on: bool) {
        if let Some(own) = self.each.get(statement) {
            set(own, bits, on);
        }
    }

    /// Sets or clears bits of every statement. The interrupt, in contrast, is looked at only by loops and calls.
    pub(crate) fn set_each(&self, bits: u8, on: bool) {
        self.each.iter().for_each(|own| set(own, bits, on));
    }

    /// Whether the interrupt is set.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.all.load(Ordering::Relaxed) != 0
    }
}

fn set(flags: &AtomicU8, bits: u8, on: bool) {
    if on {
        flags.fetch_or(bits, Ordering::SeqCst);
    } else {
        flags.fetch_and(!bits, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // invariant 13
    #[test]
    fn a_statement_sees_its_own_bits_and_the_interrupt() {
        let flags = StatementFlags::new(2);
        let (first, second) = (flags.of(0).expect("a statement"), flags.of(1).expect("a statement"));
        assert!(flags.of(2).is_none());
        flags.set_own(1, BREAKPOINT, true);
        flags.set_interrupt(true);
        assert_eq!((first.bits(), second.bits()), (INTERRUPT, INTERRUPT | BREAKPOINT));
        assert_eq!((first.own_bits(), second.own_bits()), (0, BREAKPOINT));
        assert!(flags.is_interrupted());
        flags.set_interrupt(false);
        flags.set_own(1, BREAKPOINT, false);
        assert_eq!((first.bits(), second.bits()), (0, 0));
    }
}

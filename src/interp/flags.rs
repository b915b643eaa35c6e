//! Flags of statements: why attached code asks the debugger before it runs a statement.
//!
//! Each statement has a byte of its own for what concerns it alone, and all statements share one for what
//! stops at any of them. So setting a breakpoint, beginning a step and interrupting the program each cost
//! the same whatever the size of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Another thread has requests for the program, or it is to end.
pub(crate) const INTERRUPT: u8 = 1;
/// The statement has a breakpoint.
pub(crate) const BREAKPOINT: u8 = 2;
/// A step is in progress.
pub(crate) const STEP: u8 = 4;
/// The statement has one breakpoint, whose condition is tested first.
pub(crate) const CONDITION: u8 = 8;

/// The flags of an attached program's statements. Any thread may set them; a statement that begins later
/// sees what was set.
#[derive(Debug, Default)]
pub struct StatementFlags {
    all: Arc<AtomicU8>,
    each: Box<[Arc<AtomicU8>]>,
}

/// The flags of one statement, as its code holds them.
#[derive(Clone, Debug)]
pub(crate) struct StatementFlag {
    all: Arc<AtomicU8>,
    own: Arc<AtomicU8>,
}

impl StatementFlag {
    /// The bits that are set for the statement, or for all of them; 0 for nearly every one.
    #[inline(always)]
    pub fn bits(&self) -> u8 {
        self.all.load(Ordering::Relaxed) | self.own.load(Ordering::Relaxed)
    }
}

impl StatementFlags {
    /// Flags for so many statements, none of them set.
    pub(crate) fn new(statements: usize) -> StatementFlags {
        StatementFlags { all: Arc::default(), each: (0..statements).map(|_| Arc::default()).collect() }
    }

    /// The flags of the statement with this number.
    pub(crate) fn of(&self, statement: usize) -> Option<StatementFlag> {
        let own = self.each.get(statement)?.clone();
        Some(StatementFlag { all: self.all.clone(), own })
    }

    /// Sets or clears bits for all statements.
    pub(crate) fn set_all(&self, bits: u8, on: bool) {
        set(&self.all, bits, on);
    }

    /// Sets or clears bits of one statement.
    pub(crate) fn set_own(&self, statement: usize, bits: u8, on: bool) {
        if let Some(own) = self.each.get(statement) {
            set(own, bits, on);
        }
    }

    /// Whether a bit is set for all statements.
    pub(crate) fn has_all(&self, bit: u8) -> bool {
        self.all.load(Ordering::Relaxed) & bit != 0
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

    #[test]
    fn a_statement_sees_its_own_bits_and_those_of_all() {
        let flags = StatementFlags::new(2);
        let (first, second) = (flags.of(0).expect("a statement"), flags.of(1).expect("a statement"));
        assert!(flags.of(2).is_none());
        flags.set_own(1, BREAKPOINT, true);
        flags.set_all(STEP, true);
        assert_eq!((first.bits(), second.bits()), (STEP, STEP | BREAKPOINT));
        assert!(flags.has_all(STEP) && !flags.has_all(INTERRUPT));
        flags.set_all(STEP, false);
        flags.set_own(1, BREAKPOINT, false);
        assert_eq!((first.bits(), second.bits()), (0, 0));
    }
}

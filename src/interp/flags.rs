//! Flags of statements: why attached code asks the debugger before it runs a statement.
//!
//! Each statement has a byte of its own for what concerns it alone, and all statements share one for the
//! interrupt, which other threads may set at any time. What the program's thread wants to know of all
//! statements is said in [`Steps`](super::steps::Steps). So setting a breakpoint, beginning a step and
//! interrupting the program each cost the same whatever the size of the program.
//!
//! Statements of bodies and back edges of loops look at both bytes, the others at their own alone: no program
//! runs for long without passing one of the former.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// For all statements: another thread has requests for the program, or it is to end.
pub(crate) const INTERRUPT: u8 = 1;
/// The statement has a breakpoint.
pub(crate) const BREAKPOINT: u8 = 2;
/// For all statements: a step is in progress.
pub(crate) const STEP: u8 = 4;
/// The statement has one breakpoint, whose condition is tested first.
pub(crate) const CONDITION: u8 = 8;

/// The statement, a simple one, may assign a watched variable: it is looked at when it has run.
pub(crate) const ASSIGNS: u8 = 16;
/// The statement may assign a watched variable before statements of its own or of its calls run: it is
/// looked at at each place until the statement after it.
pub(crate) const WRITES: u8 = 64;
/// For all statements: something that is watched may have been written since the last statement.
pub(crate) const WRITTEN: u8 = 32;

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
    /// The bits that are set for the statement, and the interrupt; 0 for nearly every one.
    #[inline(always)]
    pub fn bits(&self) -> u8 {
        self.all.load(Ordering::Relaxed) | self.own_bits()
    }

    /// The bits that are set for the statement; 0 for nearly every one.
    #[inline(always)]
    pub fn own_bits(&self) -> u8 {
        self.own.load(Ordering::Relaxed)
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

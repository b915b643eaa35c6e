//! Flags of statements: the reasons for which attached code calls the debugger before a statement.
//!
//! Each statement has a byte of its own, and all share one for the interrupt, which other threads may set at
//! any time. What concerns all statements, and is set by the program's own thread, is in
//! [`Steps`](super::steps::Steps). So setting a breakpoint, beginning a step and interrupting the program
//! take the same time in programs of any size.
//!
//! Code reads no flags as long as it has nothing to do for the debugger: statements that follow each other have one
//! [`SegmentFlags`], which tells that for all of them.

use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use crate::value::memory;

/// For all statements: another thread has sent a request, or the program is to end.
pub const INTERRUPT: u8 = 1;
/// The statement has a breakpoint.
pub const BREAKPOINT: u8 = 2;
/// For all statements: a step is in progress.
pub const STEP: u8 = 4;
/// The statement has one breakpoint, whose condition is tested first.
pub const CONDITION: u8 = 8;

/// The statement may assign a watched variable and runs no other statements: the variable is checked after
/// it. Or its writes are reported then (see [`report_writes`](super::watch::report_writes)).
pub const ASSIGNS: u8 = 16;
/// The statement may assign a watched variable before other statements, in its blocks or calls, run: the
/// variable is checked at each place until the statement after it.
pub const WRITES: u8 = 64;
/// For all statements: something watched may have been written since the last place.
pub const WRITTEN: u8 = 32;

/// The place that a journey through the history leads to.
pub const GOAL: u8 = 128;

/// Which segments are never quiet, besides those of statements with flags: those of statements that may write parts of
/// objects, while such a part is watched.
pub const WRITERS: u8 = 1;
/// All segments.
pub const EVERY_HEAD: u8 = 2;

/// What a [`SegmentFlags`] costs whose places look each for itself: more than the number of places until the next that calls the
/// debugger can be.
pub const LOOK: i64 = 1 << 62;
/// What a [`SegmentFlags`] costs where statements test a condition first ([`CONDITION`]) and have no other flags.
pub const TEST: i64 = LOOK + 1;

/// The flags of the statements of attached code. Any thread may set them; statements that begin later see the
/// change.
#[derive(Debug, Default)]
pub struct StatementFlags {
    all: Arc<AtomicU8>,
    each: Box<[Entry]>,
    /// [`WRITERS`] and [`EVERY_HEAD`].
    careful: AtomicU8,
}

/// What belongs to one statement.
#[derive(Debug, Default)]
struct Entry {
    own: Arc<AtomicU8>,
    /// Those of the segment that begins with this statement.
    leads: OnceLock<Arc<SegmentFlags>>,
    /// Those of the segment that it is part of, if it is not the first.
    follows: OnceLock<Arc<SegmentFlags>>,
    /// Those of the rounds of this loop.
    repeats: OnceLock<Arc<SegmentFlags>>,
}

impl Entry {
    fn segments(&self) -> impl Iterator<Item = &Arc<SegmentFlags>> {
        [&self.leads, &self.follows, &self.repeats].into_iter().filter_map(OnceLock::get)
    }
}

/// The flags of a segment: of statements whose places are counted at once unless one of them has to call the debugger.
#[derive(Debug)]
pub struct SegmentFlags {
    /// The number of places that it counts; [`LOOK`] or [`TEST`] if a statement has flags.
    cost: AtomicI64,
    places: i64,
    flags: Box<[Arc<AtomicU8>]>,
    /// When it is never quiet: see [`StatementFlags::set_careful`].
    sensitive: u8,
}

impl SegmentFlags {
    /// To be counted before the statements run: see [`Steps::pass_all`](super::steps::Steps::pass_all).
    #[inline(always)]
    pub fn cost(&self) -> i64 {
        self.cost.load(Ordering::Relaxed)
    }

    /// Whether no statement has flags.
    #[inline(always)]
    pub fn is_clear(&self) -> bool {
        self.cost() < LOOK
    }

    /// Whether some statements have a condition, and none has other flags.
    #[inline(always)]
    pub fn has_tests(&self) -> bool {
        self.cost() == TEST
    }

    /// The number of places that it counts.
    pub fn places(&self) -> i64 {
        self.places
    }

    /// Computes the cost anew. Several threads may do that at once: each looks again after it has stored.
    fn update(&self, careful: &AtomicU8) {
        loop {
            let cost = self.computed(careful);
            self.cost.store(cost, Ordering::SeqCst);
            if self.computed(careful) == cost {
                return;
            }
        }
    }

    fn computed(&self, careful: &AtomicU8) -> i64 {
        if careful.load(Ordering::SeqCst) & self.sensitive != 0 {
            return LOOK;
        }
        match self.flags.iter().fold(0, |bits, own| bits | own.load(Ordering::SeqCst)) {
            0 => self.places,
            CONDITION => TEST,
            _ => LOOK,
        }
    }
}

/// The flags of one statement, as compiled into its code.
#[derive(Clone, Debug)]
pub struct StatementFlag {
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
    pub fn new(statements: usize) -> StatementFlags {
        let each = (0..statements).map(|_| Entry::default()).collect();
        StatementFlags { all: Arc::default(), each, careful: AtomicU8::default() }
    }

    /// The flags of the statement with this index.
    pub fn of(&self, statement: usize) -> Option<StatementFlag> {
        let own = self.each.get(statement)?.own.clone();
        Some(StatementFlag { all: self.all.clone(), own })
    }

    /// The flags of a segment of these statements, which are compiled now; it counts this many `places` of them. `header`: the
    /// loop whose first segment it is, with its place at the back edge, which is counted, too. `writes`: they may write
    /// parts of objects.
    pub fn segment(
        &self,
        header: Option<usize>,
        statements: &[usize],
        places: usize,
        writes: bool,
    ) -> Arc<SegmentFlags> {
        let members = header.iter().chain(statements);
        let flags: Box<[_]> = members.filter_map(|s| Some(self.each.get(*s)?.own.clone())).collect();
        let places = (places + usize::from(header.is_some())) as i64;
        let sensitive = EVERY_HEAD | if writes { WRITERS } else { 0 };
        let segment = Arc::new(SegmentFlags { cost: AtomicI64::new(LOOK), places, flags, sensitive });
        let entry = |statement: &usize| self.each.get(*statement);
        let mut is_known = true;
        if let Some(header) = header.as_ref().and_then(entry) {
            is_known &= header.repeats.set(segment.clone()).is_ok();
        }
        for (i, entry) in statements.iter().filter_map(entry).enumerate() {
            let place = if i == 0 { &entry.leads } else { &entry.follows };
            is_known &= place.set(segment.clone()).is_ok();
        }
        // One that would not be told of changes is never quiet: of statements that are compiled a second time.
        if is_known {
            segment.update(&self.careful);
        }
        segment
    }

    /// Sets or clears the interrupt. Code notices it where it looks at the memory limit, plain code only there.
    pub fn set_interrupt(&self, on: bool) {
        if (set(&self.all, INTERRUPT, on) & INTERRUPT != 0) != on {
            memory::attention(on);
        }
    }

    /// Sets or clears bits of one statement.
    pub fn set_own(&self, statement: usize, bits: u8, on: bool) {
        if let Some(entry) = self.each.get(statement) {
            set(&entry.own, bits, on);
            entry.segments().for_each(|segment| segment.update(&self.careful));
        }
    }

    /// Sets or clears bits of every statement.
    pub fn set_each(&self, bits: u8, on: bool) {
        for entry in &self.each {
            set(&entry.own, bits, on);
        }
        self.update_heads();
    }

    /// Makes [`WRITERS`] or [`EVERY_HEAD`] quiet no longer, or again.
    pub fn set_careful(&self, which: u8, on: bool) {
        if (set(&self.careful, which, on) & which != 0) != on {
            self.update_heads();
        }
    }

    fn update_heads(&self) {
        let segments =
            self.each.iter().flat_map(|entry| entry.leads.get().into_iter().chain(entry.repeats.get()));
        segments.for_each(|segment| segment.update(&self.careful));
    }

    /// Whether the interrupt is set.
    pub fn is_interrupted(&self) -> bool {
        self.all.load(Ordering::Relaxed) != 0
    }
}

impl Drop for StatementFlags {
    fn drop(&mut self) {
        self.set_interrupt(false);
    }
}

/// Sets or clears bits; returns the flags before.
fn set(flags: &AtomicU8, bits: u8, on: bool) -> u8 {
    if on { flags.fetch_or(bits, Ordering::SeqCst) } else { flags.fetch_and(!bits, Ordering::SeqCst) }
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

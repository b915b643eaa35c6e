//! Counts the places that an attached program has passed, and decides at which the debugger is called.
//!
//! A place is where attached code checks a flag: before a statement, and at a loop header on the back edge.
//! The number of a place depends on the program and its input only; it is the same whatever a debugger sets,
//! evaluates or stops at.

use super::flags::GOAL;

/// More places than are counted without a look, in batches of rounds.
pub const SOON: u64 = 1 << 13;

/// The counter, and the places where the debugger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Number of places until the next one that calls the debugger. Counts down, which needs one instruction
    /// less; wraps around after it.
    left: u64,
    /// The number of that place.
    next: u64,
    /// Flags ([`super::flags`]) for all places; if any is set, every place calls the debugger.
    all: u8,
    /// A place that calls the debugger regardless.
    goal: u64,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { left: u64::MAX, next: u64::MAX, all: 0, goal: u64::MAX }
    }
}

impl Steps {
    /// Counts a place; returns `true` if it has to call the debugger.
    #[inline(always)]
    pub fn pass(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == 0
    }

    /// Whether more places than these are left before the next that calls the debugger.
    #[inline(always)]
    pub fn is_quiet(&self, need: u64) -> bool {
        self.left > need
    }

    /// The same for this many times as many places.
    #[inline(always)]
    pub fn is_quiet_for(&self, times: u64, need: u64) -> bool {
        self.left / times > need
    }

    /// Counts places that do not have to call the debugger, perhaps before they are reached.
    #[inline(always)]
    pub fn pass_quiet(&mut self, places: u64) {
        self.left = self.left.wrapping_sub(places);
    }

    /// Takes back places that have been counted and are not reached.
    #[inline(always)]
    pub fn take_back(&mut self, places: u64) {
        self.left = self.left.wrapping_add(places);
    }

    /// Called at a place that has to call the debugger: returns the flags for all places, and [`GOAL`] if
    /// this is the goal; schedules the next such place.
    pub fn asked(&mut self) -> u8 {
        self.aim();
        if self.now() == self.goal { self.all | GOAL } else { self.all }
    }

    /// Makes one of the next places ask whether it has to call the debugger; not the very next, since places may have been
    /// counted that are not reached yet, or be counted without a look.
    pub fn ask_soon(&mut self) {
        let sooner = self.left.min(SOON);
        self.next = self.now().wrapping_add(sooner);
        self.left = sooner;
    }

    /// Makes the place with this number call the debugger.
    pub fn set_goal(&mut self, goal: u64) {
        self.goal = goal;
        self.aim();
    }

    /// Sets or clears flags for all places.
    pub fn set_all(&mut self, bits: u8, on: bool) {
        self.all = if on { self.all | bits } else { self.all & !bits };
        self.aim();
    }

    /// The flags for all places.
    pub fn all(&self) -> u8 {
        self.all
    }

    /// The number of the last place passed, from 1; 0 before the first.
    pub fn now(&self) -> u64 {
        self.next.wrapping_sub(self.left)
    }

    fn aim(&mut self) {
        let now = self.now();
        self.next = match self.all {
            0 if self.goal > now => self.goal,
            0 => u64::MAX,
            _ => now.wrapping_add(1),
        };
        self.left = self.next.wrapping_sub(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::flags::{STEP, WRITTEN};

    #[test]
    fn places_are_counted_whether_they_ask_or_not() {
        let mut steps = Steps::default();
        assert_eq!((steps.now(), steps.pass(), steps.now()), (0, false, 1));
        steps.set_all(STEP, true);
        for step in 2..5 {
            assert_eq!((steps.pass(), steps.now(), steps.asked()), (true, step, STEP));
        }
        steps.set_all(WRITTEN, true);
        steps.set_all(STEP, false);
        assert_eq!((steps.pass(), steps.now(), steps.asked()), (true, 5, WRITTEN));
        steps.set_all(WRITTEN, false);
        assert_eq!((steps.pass(), steps.now()), (false, 6));
        steps.ask_soon();
        steps.pass_quiet(SOON - 1);
        steps.ask_soon();
        assert_eq!((steps.pass(), steps.now(), steps.asked()), (true, 6 + SOON, 0));
        steps.set_goal(8 + SOON);
        steps.ask_soon();
        assert_eq!((steps.pass(), steps.pass(), steps.asked()), (false, true, GOAL));
        assert_eq!((steps.pass(), steps.now()), (false, 9 + SOON));
    }
}

//! Counts the places that an attached program has passed, and decides at which the debugger is called.
//!
//! A place is where attached code checks a flag: before a statement, and at a loop header on the back edge.
//! The number of a place depends on the program and its input only; it is the same whatever a debugger sets,
//! evaluates or stops at.

use super::flags::GOAL;

/// Maximum number of places until the next that calls the debugger, also if nothing wants that.
const FAR: i64 = 1 << 61;

/// The counter, and the places where the debugger is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Number of places before the next one that calls the debugger. Counts down, so that whether a segment is quiet is its
    /// sign after counting.
    left: i64,
    /// The number of the last one of them.
    next: i64,
    /// Flags ([`super::flags`]) for all places; if any is set, every place calls the debugger.
    all: u8,
    /// A place that calls the debugger regardless.
    goal: u64,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { left: FAR, next: FAR, all: 0, goal: u64::MAX }
    }
}

impl Steps {
    /// Counts a place; returns `true` if it has to call the debugger.
    #[inline(always)]
    pub fn pass(&mut self) -> bool {
        self.left -= 1;
        self.left < 0
    }

    /// Counts the places of a segment, of which this is the cost; returns `false`, and counts none, if each of them has to look
    /// whether it calls the debugger.
    #[inline(always)]
    pub fn pass_all(&mut self, cost: i64) -> bool {
        self.left -= cost;
        self.left >= 0 || self.look(cost)
    }

    /// Takes back the places of a segment. Kept apart, so that these are counted by one instruction.
    #[cold]
    #[inline(never)]
    fn look(&mut self, cost: i64) -> bool {
        self.left += cost;
        false
    }

    /// Whether more places than these are left before the next that calls the debugger.
    #[inline(always)]
    pub fn is_far(&self, places: i64) -> bool {
        self.left > places
    }

    /// Counts places that do not have to call the debugger, perhaps before they are reached.
    #[inline(always)]
    pub fn pass_quiet(&mut self, places: i64) {
        self.left -= places;
    }

    /// Takes back places that have been counted and are not reached.
    #[inline(always)]
    pub fn take_back(&mut self, places: i64) {
        self.left += places;
    }

    /// Called at a place that has to call the debugger: returns the flags for all places, and [`GOAL`] if
    /// this is the goal; schedules the next such place. Called where only the statement's own flags want that, there are
    /// none, and the next such place is known.
    pub fn asked(&mut self) -> u8 {
        if self.left >= 0 {
            return 0;
        }
        self.aim();
        if self.now() == self.goal { self.all | GOAL } else { self.all }
    }

    /// Makes the next place that looks ask whether it has to call the debugger.
    pub fn ask_at_next(&mut self) {
        self.set_next(1);
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
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.next.wrapping_sub(self.left) as u64
    }

    fn aim(&mut self) {
        let now = self.now();
        let places = match self.all {
            0 if self.goal > now => i64::try_from(self.goal - now).unwrap_or(FAR),
            0 => FAR,
            _ => 1,
        };
        self.set_next(places.min(FAR));
    }

    /// Makes the place after this many others call the debugger.
    fn set_next(&mut self, places: i64) {
        let now = self.now();
        self.left = places - 1;
        self.next = (now as i64).wrapping_add(self.left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::flags::{LOOK, STEP, WRITTEN};

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
        steps.ask_at_next();
        assert_eq!((steps.now(), steps.pass(), steps.now(), steps.asked()), (6, true, 7, 0));
        steps.set_goal(9);
        steps.ask_at_next();
        assert_eq!((steps.pass(), steps.asked()), (true, 0));
        assert_eq!((steps.pass(), steps.asked()), (true, GOAL));
        assert_eq!((steps.pass(), steps.now()), (false, 10));
    }

    #[test]
    fn places_are_counted_at_once_if_none_of_them_may_ask() {
        let mut steps = Steps::default();
        assert_eq!((steps.pass_all(5), steps.pass_all(LOOK), steps.now()), (true, false, 5));
        steps.set_goal(9);
        assert_eq!((steps.pass_all(4), steps.pass_all(3), steps.pass_all(1)), (false, true, false));
        assert_eq!((steps.now(), steps.pass(), steps.asked()), (8, true, GOAL));
        // A request while places are counted that are not reached yet.
        steps.ask_at_next();
        steps.pass_quiet(2);
        assert_eq!(
            (steps.pass_all(1), steps.pass(), steps.asked(), steps.pass_all(1)),
            (false, true, 0, true)
        );
    }
}

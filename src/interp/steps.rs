//! Steps: how many places an attached program has passed.
//!
//! A place is where attached code looks at a flag: before a statement, and where the header of a loop decides
//! again. The number of a place depends on the program and its input alone: it is the same whatever a
//! debugger sets, evaluates or stops at.

/// The count of places, and the one that is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Places until the target. Counted down, since that costs one instruction less; wraps behind it.
    left: u64,
    target: u64,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { left: u64::MAX, target: u64::MAX }
    }
}

impl Steps {
    /// Counts a place; `true` if it is the target.
    #[inline(always)]
    pub fn pass(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == 0
    }

    /// Whether the place passed last is the target.
    pub fn is_at_target(&self) -> bool {
        self.left == 0
    }

    /// The number of the place passed last, from 1; 0 before the first.
    pub fn now(&self) -> u64 {
        self.target.wrapping_sub(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_before_and_behind_the_target() {
        let mut steps = Steps { left: 3, target: 3 };
        let passed: Vec<(bool, u64)> = (0..5).map(|_| (steps.pass(), steps.now())).collect();
        assert_eq!(passed, [(false, 1), (false, 2), (true, 3), (false, 4), (false, 5)]);
        assert_eq!(Steps::default().now(), 0);
    }
}

//! Positions in a run of a program.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What has happened since the last place (see [`crate::api::Stopped::step`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Nothing: the program is before a statement.
    #[default]
    Statement,
    /// Part of the statement has been executed; this has happened in a frame of this depth. (Deeper frames
    /// come first.)
    Within(Reverse<u32>, Happening),
    /// The program is about to end.
    End,
}

/// An event within a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Happening {
    /// A call has returned.
    Return,
    /// An `Error` value was created: the one with this number, from 1, since the place or the return.
    ErrorValue(u32),
    /// A wait has begun, or a run-time error was raised.
    Halt,
}

/// A point in a run. Positions are ordered by time. A position is the same point in every run with the same
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RunPosition {
    /// The number of the last place.
    pub step: u64,
    pub phase: Phase,
}

impl Phase {
    /// The phase of an event within a statement, in a frame of this depth.
    pub fn within(depth: u32, happening: Happening) -> Phase {
        Phase::Within(Reverse(depth), happening)
    }

    /// Whether a call has just returned.
    pub fn is_return(self) -> bool {
        matches!(self, Phase::Within(_, Happening::Return))
    }

    /// The number of the `Error` value that was just created; 0 if none was.
    pub fn error_value(self) -> u32 {
        match self {
            Phase::Within(_, Happening::ErrorValue(number)) => number,
            _ => 0,
        }
    }
}

impl RunPosition {
    /// The beginning of the program.
    pub const BEGINNING: RunPosition = RunPosition::place(0);

    /// The position before the statement at this step.
    pub const fn place(step: u64) -> RunPosition {
        RunPosition { step, phase: Phase::Statement }
    }

    /// The position after a return to a frame of this depth.
    pub fn returned(step: u64, depth: u32) -> RunPosition {
        RunPosition { step, phase: Phase::within(depth, Happening::Return) }
    }
}

/// Numbers the `Error` values that are created between two positions.
#[derive(Default)]
pub(crate) struct ErrorValues {
    /// Step and depth of the last one.
    last: (u64, u32),
    number: u32,
}

impl ErrorValues {
    /// The number, from 1, of an `Error` value created in a frame of this depth.
    pub fn count(&mut self, step: u64, depth: u32) -> u32 {
        let before = std::mem::replace(&mut self.last, (step, depth));
        self.number = if before == self.last { self.number.saturating_add(1) } else { 1 };
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_the_order_of_time() {
        let within = |depth, happening| RunPosition { step: 3, phase: Phase::within(depth, happening) };
        let end = RunPosition { step: 3, phase: Phase::End };
        let all = [
            RunPosition::place(2),
            RunPosition::place(3),
            within(3, Happening::ErrorValue(1)),
            RunPosition::returned(3, 2),
            within(2, Happening::ErrorValue(1)),
            within(2, Happening::ErrorValue(2)),
            RunPosition::returned(3, 1),
            within(1, Happening::Halt),
            end,
            RunPosition::place(4),
        ];
        assert!(all.windows(2).all(|two| two[0] < two[1]));
    }
}

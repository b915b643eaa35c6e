//! Positions: the points of a run at which a program can stand still.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What has happened since the place that the program passed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Nothing: it stands before a statement.
    #[default]
    Place,
    /// A part of the statement has run; this has happened in a frame with so many calls below it.
    Within(Reverse<u32>, Happening),
    /// The program is about to end.
    End,
}

/// What has happened in the middle of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Happening {
    /// A call has returned.
    Return,
    /// An `Error` value has come into being: the one with this number, from 1, since the place or return.
    ErrorValue(u32),
    /// The program waits, or a run-time error has happened.
    Halt,
}

/// A point of a run. Earlier points are less than later ones; it means the same in every run with the same
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The place that was passed last.
    pub step: u64,
    pub phase: Phase,
}

impl Phase {
    /// In the middle of a statement, in a frame of this depth.
    pub fn within(depth: u32, happening: Happening) -> Phase {
        Phase::Within(Reverse(depth), happening)
    }

    /// Whether a call has just returned.
    pub fn is_return(self) -> bool {
        matches!(self, Phase::Within(_, Happening::Return))
    }

    /// The number of the `Error` value that has just come into being; 0 if none has.
    pub fn error_value(self) -> u32 {
        match self {
            Phase::Within(_, Happening::ErrorValue(number)) => number,
            _ => 0,
        }
    }
}

impl Position {
    /// Before the statement with this number.
    pub fn place(step: u64) -> Position {
        Position { step, phase: Phase::Place }
    }

    /// After a return to a frame of this depth.
    pub fn returned(step: u64, depth: u32) -> Position {
        Position { step, phase: Phase::within(depth, Happening::Return) }
    }
}

/// Numbers the `Error` values that come into being between two positions.
#[derive(Default)]
pub(crate) struct ErrorValues {
    /// Step and depth of the last one.
    last: (u64, u32),
    number: u32,
}

impl ErrorValues {
    /// The number, from 1, of one that has come into being in a frame of this depth.
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
        let within = |depth, happening| Position { step: 3, phase: Phase::within(depth, happening) };
        let end = Position { step: 3, phase: Phase::End };
        let all = [
            Position::place(2),
            Position::place(3),
            within(3, Happening::ErrorValue(1)),
            Position::returned(3, 2),
            within(2, Happening::ErrorValue(1)),
            within(2, Happening::ErrorValue(2)),
            Position::returned(3, 1),
            within(1, Happening::Halt),
            end,
            Position::place(4),
        ];
        assert!(all.windows(2).all(|two| two[0] < two[1]));
    }
}

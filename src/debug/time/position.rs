//! Positions: the points of a run at which a program can stand still.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What has happened since the place that the program passed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// Nothing: it stands before a statement.
    #[default]
    Place,
    /// A part of the statement has run: it stands at an error, or waits.
    Within,
    /// A call has returned to a frame with so many calls below it.
    Return(Reverse<u32>),
    /// The program is about to end.
    End,
}

/// A point of a run. Earlier points are less than later ones; it means the same in every run with the same
/// input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The place that was passed last.
    pub step: u64,
    pub phase: Phase,
}

impl Position {
    /// Before the statement with this number.
    pub fn place(step: u64) -> Position {
        Position { step, phase: Phase::Place }
    }

    /// After a return to a frame of this depth.
    pub fn returned(step: u64, depth: u32) -> Position {
        Position { step, phase: Phase::Return(Reverse(depth)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_the_order_of_time() {
        let within = Position { step: 3, phase: Phase::Within };
        let end = Position { step: 3, phase: Phase::End };
        let all = [
            Position::place(2),
            Position::place(3),
            within,
            Position::returned(3, 2),
            Position::returned(3, 1),
            end,
            Position::place(4),
        ];
        assert!(all.windows(2).all(|two| two[0] < two[1]));
    }
}

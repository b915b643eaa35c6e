//! The calls in progress at a position, and where each of them began: enough to step back out of, or over, a
//! call with more positions than can be recorded.

use serde::{Deserialize, Serialize};

use crate::source::FileId;

use super::plan::{Back, Note};
use super::position::{Phase, Position};

/// A call in progress.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Call {
    /// The first position in it.
    first: Position,
    /// The last place in it so far.
    last: Option<Position>,
    /// The last place in it so far at which a step may end.
    boundary: Option<Position>,
}

/// The calls in progress after a sequence of consecutive positions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls {
    /// The calls, outermost first.
    calls: Vec<Call>,
    /// The last position at which a step may end.
    boundary: Option<Position>,
    /// Depth and line of the last position.
    here: Option<(u32, (FileId, u32))>,
}

impl Calls {
    /// Adds the next position.
    pub fn pass(&mut self, note: &Note) {
        let Note { position, depth, line, back_edge } = *note;
        let count = depth as usize + 1;
        self.calls.truncate(count);
        self.calls.resize(count, Call { first: position, last: None, boundary: None });
        let is_place = position.phase == Phase::Place;
        let is_boundary = back_edge || self.here != Some((depth, line));
        self.here = Some((depth, line));
        if is_boundary || !is_place {
            self.boundary = Some(position);
        }
        if let (true, Some(call)) = (is_place, self.calls.last_mut()) {
            call.last = Some(position);
            if is_boundary {
                call.boundary = call.last;
            }
        }
    }

    /// The goal of a step back from the position after those added; `depth` is the number of calls in
    /// progress there.
    pub fn target(&self, back: Back, depth: u32) -> Option<Position> {
        let depth = depth as usize;
        match back {
            Back::Into => self.boundary,
            Back::Over => self.calls.iter().take(depth + 1).rev().find_map(|call| call.boundary),
            Back::Out => self.calls.iter().take(depth).rev().find_map(|call| call.last),
            Back::ToBeginning(wanted) => self.calls.get(wanted as usize).map(|call| call.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plan::target;
    use super::*;

    /// The positions of a program with these calls and returns, and statements on a few lines.
    fn run(moves: &[(u8, u32)]) -> Vec<Note> {
        let mut notes = Vec::new();
        let (mut depth, mut step) = (0, 0);
        // The line of each call in progress.
        let mut lines = vec![1];
        for (what, line) in moves {
            let line_of = |line: u32| (FileId(0), line);
            match what {
                0 if depth > 0 => {
                    lines.pop();
                    depth -= 1;
                    let line = line_of(*lines.last().unwrap());
                    let position = Position::returned(step, depth);
                    notes.push(Note { position, depth, line, back_edge: false });
                    continue;
                }
                1 => {
                    depth += 1;
                    lines.push(*line);
                }
                _ => *lines.last_mut().unwrap() = *line,
            }
            step += 1;
            let position = Position::place(step);
            notes.push(Note { position, depth, line: line_of(*line), back_edge: *what == 2 });
        }
        notes
    }

    proptest! {
        #[test]
        fn steps_back_lead_where_all_notes_lead(moves in prop::collection::vec((0..5u8, 1..4u32), 2..60)) {
            // The first position is the beginning of the program.
            let mut moves = moves;
            moves[0].0 = 4;
            let notes = run(&moves);
            let mut calls = Calls::default();
            for note in &notes {
                if note.position > notes[0].position {
                    for back in [Back::Into, Back::Over, Back::Out] {
                        let wanted = target(back, note.position, note.depth, &notes, true);
                        prop_assert_eq!(calls.target(back, note.depth), wanted, "{:?} from {:?}", back, note);
                    }
                    for depth in 0..=note.depth {
                        let back = Back::ToBeginning(depth);
                        let wanted = target(back, note.position, note.depth, &notes, true);
                        let found = calls.target(back, note.depth).unwrap_or(note.position);
                        prop_assert_eq!(Some(found), wanted, "{:?} from {:?}", back, note);
                    }
                }
                calls.pass(note);
            }
        }
    }
}

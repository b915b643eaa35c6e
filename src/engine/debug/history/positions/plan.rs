//! Finds the goal of a step back among the positions before.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use ez_runtime::source::{FileId, Span};

/// A position that a run has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub position: RunPosition,
    /// Calls in progress.
    pub depth: u32,
    /// The statement, or the call that has returned.
    pub at: Span,
    pub line: (FileId, u32),
    /// Whether it is a loop header reached by the back edge.
    pub back_edge: bool,
}

/// The kinds of steps back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Back {
    Into,
    Over,
    /// To the statement before, wherever it is, in this call or where the call was made.
    Previous,
    Out,
    /// To the first position of the call in progress at this depth.
    ToBeginning(u32),
}

/// The goal of a step back from the depth `depth`, looked for before `now`. `notes` are consecutive positions before `now`; if
/// `is_whole`, the first is the program's beginning. `lowest` is the least depth on the way back as far as to `now`, and
/// becomes that as far as to the first position: deeper ones belong to calls that have returned. `None` if the goal is before
/// them.
pub(crate) fn target(
    back: Back,
    now: RunPosition,
    depth: u32,
    lowest: &mut u32,
    notes: &[Note],
    is_whole: bool,
) -> Option<RunPosition> {
    let before = notes.partition_point(|note| note.position < now);
    let notes = notes.get(..before)?;
    if let Back::ToBeginning(depth) = back {
        return beginning(now, depth, notes, is_whole);
    }
    for (index, note) in notes.iter().enumerate().rev() {
        let is_return = note.position.phase.is_return();
        let previous = index.checked_sub(1).and_then(|index| notes.get(index));
        let is_boundary = match previous {
            Some(previous) => {
                is_return || note.back_edge || (note.depth, note.line) != (previous.depth, previous.line)
            }
            None => is_whole,
        };
        let is_wanted = match back {
            Back::Into => is_boundary,
            Back::Over => is_boundary && !is_return && note.depth <= *lowest,
            Back::Previous => !is_return && note.depth <= *lowest,
            Back::Out => !is_return && note.depth < depth && note.depth <= *lowest,
            Back::ToBeginning(_) => false,
        };
        if is_wanted {
            return Some(note.position);
        }
        // Whether the first is a boundary is not known: it is looked at again.
        if previous.is_some() {
            *lowest = (*lowest).min(note.depth);
        }
    }
    None
}

/// The first position of the call in progress at this depth at `now`.
fn beginning(now: RunPosition, depth: u32, notes: &[Note], is_whole: bool) -> Option<RunPosition> {
    match notes.iter().rposition(|note| note.depth < depth) {
        Some(before) => Some(notes.get(before + 1).map_or(now, |note| note.position)),
        None if is_whole => Some(notes.first().map_or(now, |note| note.position)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(step: u64, depth: u32, line: u32) -> Note {
        let at = Span { file: FileId(0), start: line, end: line };
        Note { position: RunPosition::place(step), depth, at, line: (FileId(0), line), back_edge: false }
    }

    fn returned(step: u64, depth: u32, line: u32) -> Note {
        Note { position: RunPosition::returned(step, depth), ..place(step, depth, line) }
    }

    /// `x = f(1) + f(2)` on line 5, where `f` has lines 8 and 9.
    fn two_calls() -> Vec<Note> {
        vec![
            place(1, 0, 4),
            place(2, 0, 5),
            place(3, 1, 8),
            place(4, 1, 9),
            returned(4, 0, 5),
            place(5, 1, 8),
            place(6, 1, 9),
            returned(6, 0, 5),
            place(7, 0, 6),
        ]
    }

    fn back(back: Back, from: usize) -> Option<RunPosition> {
        let notes = two_calls();
        let now = notes[from];
        target(back, now.position, now.depth, &mut now.depth.clone(), &notes, true)
    }

    #[test]
    fn into_goes_to_the_position_before() {
        let notes = two_calls();
        for from in 1..notes.len() {
            assert_eq!(back(Back::Into, from), Some(notes[from - 1].position));
        }
        assert_eq!(back(Back::Into, 0), None);
    }

    #[test]
    fn several_statements_of_a_line_are_one() {
        let notes = [place(1, 0, 4), place(2, 0, 4), place(3, 0, 5)];
        let into =
            |notes: &[Note], is_whole| target(Back::Into, RunPosition::place(3), 0, &mut 0, notes, is_whole);
        assert_eq!(into(&notes, true), Some(RunPosition::place(1)));
        assert_eq!(into(&notes[1..], false), None, "it may go on before");
    }

    #[test]
    fn over_leaves_calls_out_and_out_leaves_the_call() {
        let line_5 = Some(RunPosition::place(2));
        assert_eq!(back(Back::Over, 8), line_5);
        assert_eq!(back(Back::Over, 7), line_5, "from the second return");
        assert_eq!(back(Back::Over, 6), Some(RunPosition::place(5)));
        assert_eq!(back(Back::Over, 5), line_5, "not into the call before");
        assert_eq!((back(Back::Out, 6), back(Back::Out, 3)), (line_5, line_5));
        assert_eq!(back(Back::Out, 8), None);
    }

    #[test]
    fn calls_begin_at_their_first_position() {
        let at = |step| Some(RunPosition::place(step));
        assert_eq!((back(Back::ToBeginning(1), 6), back(Back::ToBeginning(1), 5)), (at(5), at(5)));
        assert_eq!(back(Back::ToBeginning(1), 3), at(3), "the first call");
        assert_eq!((back(Back::ToBeginning(0), 6), back(Back::ToBeginning(0), 8)), (at(1), at(1)));
        let late = &two_calls()[5..];
        let (now, depth) = (late[1].position, late[1].depth);
        assert_eq!(
            target(Back::ToBeginning(1), now, depth, &mut 0, late, false),
            None,
            "it may begin before"
        );
    }

    #[test]
    fn positions_in_parts_have_the_goal_that_they_have_as_a_whole() {
        let notes = two_calls();
        for (now, first) in (1..notes.len()).flat_map(|now| (0..now).map(move |first| (now, first))) {
            let Note { position, depth, .. } = notes[now];
            for kind in [Back::Into, Back::Over, Back::Previous, Back::Out] {
                let mut lowest = depth;
                let late = target(kind, position, depth, &mut lowest, &notes[first..], first == 0);
                let until = notes.get(first + 1).map_or(position, |second| second.position.min(position));
                let early = || target(kind, until, depth, &mut lowest, &notes, true);
                assert_eq!(late.or_else(early), back(kind, now), "{kind:?} from {now}, parted at {first}");
            }
        }
    }
}

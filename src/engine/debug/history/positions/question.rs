//! Finds the positions to which steps back lead.

use crate::debug::history::position::RunPosition;
use crate::debug::history::positions::aim::{MAX_NOTES, RecordPositions, Recorded};
use crate::debug::history::positions::plan::{self, Back};
use crate::debug::history::relay::Outcome;
use crate::debug::history::state::{Notes, StopPoint};
use crate::debug::history::time_machine::TimeMachine;

/// Most steps that are searched at once for the goal of a step back: there is a note for each place, and one for each return.
const MAX_WINDOW: u64 = MAX_NOTES as u64 / 4;

impl TimeMachine<'_> {
    /// The goal of a step back from `now`; `None` if there is no earlier position. It is looked for in a few
    /// positions at a time; calls that have lasted longer are passed over.
    pub fn position_before(&mut self, back: Back, now: StopPoint) -> Result<Option<RunPosition>, Outcome> {
        // From the first statement of `main`, the way leads back into the initialisers of globals.
        let first = self.history.first_step(RunPosition::place(now.position.step.saturating_sub(1)));
        let first_window = self.history.checkpoints.window();
        let (mut until, mut window, mut lowest) = (now.position, first_window, now.depth);
        loop {
            let from = until.step.saturating_sub(window).max(first);
            let is_whole = from <= first;
            self.take_notes(from, until, is_whole)?;
            let notes = &self.history.notes;
            let all = &notes.recorded.notes;
            let found = plan::target(back, until, now.depth, &mut lowest, all, notes.is_whole);
            if found.is_some() || is_whole {
                return Ok(found);
            }
            if let Some(begin) = notes.beginning(back) {
                return Ok(Some(RunPosition::place(begin)));
            }
            let (before, is_far) = notes.before(back, until, now.depth, lowest);
            window = if is_far { first_window } else { window.saturating_mul(10).min(MAX_WINDOW) };
            until = before;
        }
    }

    /// Records the positions between a step and a position, unless they are known.
    fn take_notes(&mut self, from: u64, until: RunPosition, is_whole: bool) -> Result<(), Outcome> {
        if !self.history.notes.cover(from, until, is_whole) {
            let recorded: Recorded = self.find(RecordPositions { from, until })?;
            self.history.notes = Notes { from, until: Some(until), is_whole, recorded };
        }
        Ok(())
    }

    /// The first position of the call at this depth.
    pub fn beginning_of_call(&mut self, depth: u32, now: StopPoint) -> Result<RunPosition, Outcome> {
        if depth == 0 {
            return Ok(RunPosition::place(self.history.first_step(now.position)));
        }
        let found = self.position_before(Back::ToBeginning(depth), now)?;
        // The call begins at the present position.
        Ok(found.unwrap_or(now.position))
    }
}

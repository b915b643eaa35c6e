//! To record positions.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::positions::plan::Note;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::{FrameView, frames};
use ez_runtime::interp::vm::Vm;

/// Maximum number of positions recorded; then the earliest are dropped.
pub(crate) const MAX_NOTES: usize = 1 << 18;

/// To record the positions from a step up to a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordPositions {
    pub from: u64,
    pub until: RunPosition,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// The positions; the latest, if there are too many.
    pub notes: Vec<Note>,
    /// The step of the first place of each call in progress at the first one, outermost first.
    pub begins: Vec<u64>,
}

impl Itinerary for RecordPositions {
    fn start(&self) -> Option<RunPosition> {
        Some(RunPosition::place(self.from))
    }

    fn last_step(&self) -> u64 {
        self.until.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Recording { aim: self.clone(), recorded: Recorded::default() })
    }
}

impl Finds for RecordPositions {
    type Found = Recorded;
}

struct Recording {
    aim: RecordPositions,
    recorded: Recorded,
}

impl Visit for Recording {
    fn goal(&self) -> u64 {
        self.aim.from
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        if here.position >= self.aim.until {
            return PositionAction::End;
        }
        let is_error_value = here.position.phase.error_value() > 0;
        if here.position.step >= self.aim.from && !is_error_value {
            self.record(here);
            here.look_everywhere();
        }
        PositionAction::Pass
    }

    fn end(&mut self, step: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        (step >= self.aim.until.step).then(|| JourneyEnd::found(&self.recorded))
    }
}

impl Recording {
    fn record(&mut self, here: &Here) {
        let Recorded { notes, begins } = &mut self.recorded;
        if notes.is_empty() {
            *begins = begins_of_calls(here.vm, here.view);
        }
        if notes.len() == MAX_NOTES {
            notes.drain(..MAX_NOTES / 2);
        }
        let FrameView { at, back_edge, .. } = *here.view;
        let line = (at.file, here.vm.program.sources.line(at));
        notes.push(Note { position: here.position, depth: here.vm.depth(), at, line, back_edge });
    }
}

/// The step of the first place of each call in progress, outermost first.
fn begins_of_calls(vm: &Vm, view: &FrameView) -> Vec<u64> {
    let all = frames(vm, *view, usize::MAX);
    all.iter().rev().map(|frame| vm.frames.step_before(frame.fp).saturating_add(1)).collect()
}

//! To record which breakpoints are hit.

use serde::{Deserialize, Serialize};

use crate::debug::breakpoints::condition_test::failure;
use crate::debug::history::hits::counts::{Hit, Tally};
use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::inspection::Inspection;
use crate::recording::Replay;
use ez_runtime::interp::vm::Vm;

/// To record which breakpoints are hit from a position up to another one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordHits {
    pub from: RunPosition,
    pub until: RunPosition,
}

impl Itinerary for RecordHits {
    fn start(&self) -> Option<RunPosition> {
        Some(self.from)
    }

    fn last_step(&self) -> u64 {
        self.until.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Recording { aim: self.clone(), tally: Tally::default() })
    }
}

impl Finds for RecordHits {
    type Found = Tally;
}

struct Recording {
    aim: RecordHits,
    tally: Tally,
}

impl Visit for Recording {
    fn goal(&self) -> u64 {
        self.aim.until.step
    }

    fn begin(&mut self, vm: &mut Vm, inspection: &mut Inspection, _: &Replay) {
        inspection.breakpoints.borrow_mut().table.ignore_hit_conditions(true);
        inspection.arm_breakpoints(vm);
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        let RecordHits { from, until } = self.aim;
        let position = here.position;
        let hit = hit_at(here);
        if !hit.is_empty() && (from..=until).contains(&position) {
            self.tally.add(hit, from, until);
        }
        if position >= until {
            return PositionAction::End;
        }
        here.look_out_for(until);
        if position.phase.error_value() > 0 && position >= from {
            PositionAction::Proceed
        } else {
            PositionAction::Pass
        }
    }

    /// The program stops at an `Error` value.
    fn hits(&mut self, position: RunPosition, text: Option<&str>) -> bool {
        let hit = Hit { text: text.map(str::to_string), ..Hit::none(position) };
        self.tally.add(hit, self.aim.from, self.aim.until);
        true
    }

    fn end(&mut self, step: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        (step >= self.aim.until.step).then(|| JourneyEnd::found(&self.tally))
    }
}

/// The breakpoints that are hit at a position, regardless of their hit conditions, and those whose conditions fail there.
fn hit_at(here: &mut Here) -> Hit {
    let Here { vm, view, inspection, .. } = here;
    let mut hit = Hit::none(here.position);
    if here.position != RunPosition::place(vm.steps.now()) {
        return hit;
    }
    let mut known = vm.condition_result.take();
    let candidates = inspection.breakpoints.borrow().table.candidates(view.func, view.stmt, view.back_edge);
    if candidates.len() > 1 {
        known = None;
    }
    for candidate in candidates.iter().filter(|candidate| candidate.log.is_none()) {
        let (result, interruption) = inspection.test(vm, view.fp, candidate, known.take());
        match result.map_err(|pending| failure(pending, &interruption)) {
            Ok(true) => hit.breakpoints.push(candidate.id),
            Ok(false) | Err(None) => {}
            Err(Some(why)) => {
                hit.failed.push(candidate.id);
                hit.text.get_or_insert(why);
            }
        }
    }
    hit
}

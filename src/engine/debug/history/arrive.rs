//! To stop at a position.

use serde::{Deserialize, Serialize};

use crate::api::{BreakpointId, Difference, StopReason, Written};
use crate::debug::history::hits::counts::Counts;
use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::running::halt::Halt;
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::vm::Vm;

/// To stop at the first position not before this one, and handle requests there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arrive {
    pub position: RunPosition,
    pub arrival: Arrival,
}

/// How to report a stop in the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub reason: StopReason,
    pub breakpoints: Vec<BreakpointId>,
    /// Why the condition of the first of these, or that of an error, has failed.
    pub text: Option<String>,
    /// The write just before the stop, and a sentence about it.
    pub written: Option<(Written, String)>,
    /// Numbers of hits of breakpoints so far.
    pub counts: Counts,
    /// The difference of the output for which the live program was stopped there.
    pub difference: Option<Box<Difference>>,
}

impl Arrival {
    /// A stop without breakpoints.
    pub fn step(reason: StopReason) -> Arrival {
        Arrival {
            reason,
            breakpoints: Vec::new(),
            text: None,
            written: None,
            counts: Counts::default(),
            difference: None,
        }
    }
}

impl Itinerary for Arrive {
    fn start(&self) -> Option<RunPosition> {
        Some(self.position)
    }

    fn last_step(&self) -> u64 {
        self.position.step
    }

    fn visit(&self, present: RunPosition) -> Box<dyn Visit> {
        Box::new(Arriving { aim: self.clone(), present, has_arrived: false, is_over: false })
    }

    fn is_shown(&self) -> bool {
        true
    }
}

struct Arriving {
    aim: Arrive,
    present: RunPosition,
    has_arrived: bool,
    /// Whether it has gone on from there to the present.
    is_over: bool,
}

impl Visit for Arriving {
    fn goal(&self) -> u64 {
        if self.has_arrived { self.present.step } else { self.aim.position.step }
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        if !self.has_arrived {
            if here.position >= self.aim.position {
                return PositionAction::Arrive(Box::new(self.arrive(here)));
            }
            here.look_out_for(self.aim.position);
            return PositionAction::Pass;
        }
        if here.position >= self.present {
            self.is_over = true;
            return PositionAction::End;
        }
        if here.position.step >= self.present.step {
            here.vm.watch_return(true);
        }
        PositionAction::Proceed
    }

    fn reaches_present(&mut self, _: &mut Vm, _: &mut Inspection, _: Option<&FrameView>) {
        self.is_over = self.has_arrived;
    }

    fn end(&mut self, _: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        self.is_over.then_some(JourneyEnd::Present)
    }
}

impl Arriving {
    /// How to stop at the goal; from now on the instance runs as the live program would.
    fn arrive(&mut self, here: &mut Here) -> Halt {
        self.has_arrived = true;
        let Arrival { reason, breakpoints, text, written, counts, difference } = &self.aim.arrival;
        here.vm.steps.set_all(STEP, false);
        here.inspection.arm_breakpoints(here.vm);
        here.inspection.breakpoints.borrow().table.set_hits(counts);
        let line = here.vm.program.sources.line(here.view.at);
        let (written, sentence) = written.clone().unzip();
        let sentence = sentence.or_else(|| match (reason, breakpoints.first()) {
            (StopReason::Restart | StopReason::Exception | StopReason::Output, _) => None,
            (StopReason::Entry, _) => Some("Back at the first statement".into()),
            (_, Some(id)) => Some(format!("Back at breakpoint {}", id.0)),
            (_, None) => Some(format!("Back at line {line}")),
        });
        Halt {
            written,
            hits: reason.breakpoint().and_then(|id| counts.get(&id).copied()),
            breakpoints: breakpoints.clone(),
            text: text.clone(),
            sentence,
            phase: here.position.phase,
            returned: here.returned.take(),
            difference: difference.clone(),
            ..(*reason).into()
        }
    }
}

//! The state of a journey.

use std::rc::Rc;

use crate::api::Moment;
use crate::debug::history::messages::{Intervention, Journey, Occasion};
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::visit::{JourneyEnd, Visit};
use crate::debug::history::worker::wire::OriginalLink;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::recording::Replay;

/// Number of places between two reports of progress.
const STRIDE: u64 = 1 << 18;

pub(crate) struct JourneyState {
    pub journey: Journey,
    /// What depends on the aim.
    pub visit: Box<dyn Visit>,
    /// The changes still to be repeated, the next one last.
    interventions: Vec<Intervention>,
    /// Why the past cannot be reached, if that has turned out.
    pub lost: Option<String>,
    /// Reports the step that the instance has reached to the live engine.
    tell_step: Box<dyn Fn(u64)>,
    /// The step of the next report.
    report_at: u64,
    /// What the client has seen last during the journey.
    pub shown: Option<VariableSnapshot>,
    pub replay: Replay,
    /// The connection to the live engine, if the instance runs in a copy of its process.
    pub original: Option<Rc<OriginalLink>>,
}

impl JourneyState {
    pub fn new(
        journey: Journey,
        visit: Box<dyn Visit>,
        replay: Replay,
        tell_step: Box<dyn Fn(u64)>,
    ) -> JourneyState {
        tell_step(0);
        let interventions = journey.interventions.iter().rev().cloned().collect();
        let state = JourneyState {
            journey,
            visit,
            interventions,
            lost: None,
            tell_step,
            report_at: STRIDE,
            shown: None,
            replay,
            original: None,
        };
        state.expect_wait();
        state
    }

    /// Lets the program be interrupted in the wait in which the client has made the next change, if it was in one.
    fn expect_wait(&self) {
        let calls = self.interventions.last().and_then(|next| match next.occasion {
            Occasion::Wait { calls } => Some(calls),
            Occasion::Position | Occasion::Error => None,
        });
        self.replay.interrupt_after(calls);
    }

    /// The next step, after the step `now`, at which the engine has to be called.
    pub fn goal(&self, now: u64) -> u64 {
        let goal = self.visit.goal().min(self.report_at);
        let mut interventions = self.interventions.iter().rev();
        let next = interventions.find(|next| next.occasion == Occasion::Position);
        // A place after the change shows that it was missed.
        next.map_or(goal, |next| goal.min(next.position.step.max(now + 1)))
    }

    /// Reports progress if it is time.
    pub fn report(&mut self, step: u64) {
        if step >= self.report_at {
            (self.tell_step)(step);
            self.report_at = step.saturating_add(STRIDE);
        }
    }

    pub fn present(&self) -> RunPosition {
        self.journey.present
    }

    /// The position of a stop in the history.
    pub fn moment(&self, phase: Phase) -> Moment {
        Moment {
            present: self.journey.present.step,
            is_past: true,
            output_length: self.replay.output_size().to(None),
            after_return: phase.is_return(),
            error_values: phase.error_value(),
        }
    }

    /// The result of the journey, after its run, whose last step this is.
    pub fn ended(&mut self, step: u64) -> JourneyEnd {
        let mut problem = self.replay.problem();
        let end = self.visit.end(step, &mut problem);
        problem.or(self.lost.take()).map_or_else(|| end.unwrap_or(JourneyEnd::Left), JourneyEnd::Lost)
    }

    /// Bytes of output so far.
    pub fn output_length(&self) -> u64 {
        self.replay.output_size().to(None)
    }

    /// Whether there is a change to be repeated at a position.
    pub fn has_intervention(&self, position: RunPosition) -> bool {
        self.interventions.last().is_some_and(|next| is_at(next, position))
    }

    /// Takes the next change, if it is to be repeated at a position.
    pub fn take_intervention(&mut self, position: RunPosition) -> Option<Intervention> {
        let taken = self.interventions.pop_if(|next| is_at(next, position));
        self.expect_wait();
        taken
    }

    /// Takes the next change, if it is to be repeated in the wait in which the program was interrupted.
    pub fn take_intervention_in_wait(&mut self) -> Option<Intervention> {
        let calls = self.replay.lines();
        let taken = self.interventions.pop_if(|next| next.occasion == Occasion::Wait { calls });
        self.expect_wait();
        taken
    }

    /// Takes the next change, if it is to be repeated at a run-time error after this step.
    pub fn take_intervention_at_error(&mut self, step: u64) -> Option<Intervention> {
        let taken =
            self.interventions.pop_if(|next| next.occasion == Occasion::Error && next.position.step == step);
        self.expect_wait();
        taken
    }

    /// Whether the next change is to be repeated after this step, but before the next one.
    pub fn intervenes_within(&self, step: u64) -> bool {
        self.interventions.last().is_some_and(|next| next.position.step == step)
    }

    /// The step at which a change was to be repeated that was not, if there is one before this position.
    pub fn missed(&self, position: RunPosition) -> Option<u64> {
        self.interventions.last().filter(|next| next.position < position).map(|next| next.position.step)
    }

    /// Whether the live program has raised a run-time error after this step, and has gone on with ensured calls.
    pub fn goes_on_after_error(&self, step: u64) -> bool {
        self.journey.raised.contains(&step) && step < self.journey.present.step
    }
}

/// Whether a change is to be repeated at a position.
fn is_at(intervention: &Intervention, position: RunPosition) -> bool {
    intervention.occasion == Occasion::Position && intervention.position == position
}

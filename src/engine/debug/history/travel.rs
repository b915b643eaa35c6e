//! Moves through the history, by the engine of the live program: finds the goal of a request, and reports the
//! stop there.

use crate::api::{
    Done, Event, Failure, FailureKind, Moment, Request, RequestId, Response, Resume, StopReason, Stopped,
    Travel,
};
use crate::debug::history::arrive::{Arrival, Arrive};
use crate::debug::history::changes::writes::WantedWrite;
use crate::debug::history::position::{Happening, Phase, RunPosition};
use crate::debug::history::positions::plan::Back;
use crate::debug::history::relay::Outcome;
use crate::debug::history::state::StopPoint;
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::history::visit::JourneyEnd;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::running::halt::Halt;

impl TimeMachine<'_> {
    /// Carries out a move through the history, or resumes an instance of the past. If the program is to end
    /// meanwhile, the request for that is among the postponed ones.
    pub fn travel(&mut self, id: RequestId, how: Resume) {
        if let Err(failure) = self.can_travel(&how).and_then(|()| self.resume_instance(&how)) {
            return self.engine.respond(id, Err(failure));
        }
        self.engine.respond(id, Ok(Response::Done(Done::Resumed)));
        self.begin_progress(&how);
        self.note_shown();
        let outcome = match how {
            Resume::Travel(travel) => self.travel_to(travel).unwrap_or_else(|outcome| outcome),
            how => self.go_forward(how).unwrap_or_else(|outcome| outcome),
        };
        self.end_progress();
        let mut sentence = "Back in the present";
        let text = match outcome {
            Outcome::Stopped(stopped) => {
                self.arrived(*stopped);
                return self.synchronize();
            }
            Outcome::Over => return,
            Outcome::Ended(JourneyEnd::Lost(why)) => Some(format!("the past cannot be shown: {why}")),
            Outcome::Cancelled => Some("the journey was interrupted".into()),
            Outcome::Beginning => {
                sentence = "Nothing is before this statement";
                None
            }
            Outcome::Ended(_) => None,
        };
        self.be_present(sentence, text);
    }

    /// Records what the client sees, if it is in the present.
    fn note_shown(&mut self) {
        if self.history.past.is_none() {
            let handles = &mut self.engine.inspection.handles;
            self.history.shown = Some(VariableSnapshot::at(self.vm, handles, self.view));
        }
    }

    fn begin_progress(&mut self, how: &Resume) {
        let watched = self.engine.breakpoints.borrow().data.questions(WantedWrite::Last).len() as u64;
        let history = &mut *self.history;
        let windows = history.checkpoints.count() as u64 + 1;
        match how {
            Resume::Travel(Travel::GoToStep(_) | Travel::GoToPresent) => {
                history.progress.begin("Going back", 1);
            }
            Resume::Travel(Travel::ReverseContinue) => {
                history.progress.begin("Going back", 1 + windows * (1 + watched))
            }
            Resume::Travel(_) => history.progress.begin("Going back", 2),
            _ => {
                history.progress.begin("Going forward", 1);
                history.progress.next_run(history.present.position.step);
            }
        }
    }

    fn can_travel(&self, how: &Resume) -> Result<(), Failure> {
        match how {
            Resume::Travel(Travel::RestartFrame(index)) if *index > self.history.now().depth as usize => {
                Err(Failure::new(FailureKind::NotFound, format!("there is no frame {index}")))
            }
            Resume::Travel(_) => self.history.check(how.verb()),
            Resume::Continue
            | Resume::StepInto
            | Resume::StepIntoTarget(_)
            | Resume::StepOver
            | Resume::StepOut
            | Resume::RunTo { .. } => Ok(()),
        }
    }

    /// Resumes the instance of the past, unless it is to continue (which it never refuses) or is to be left.
    ///
    /// # Errors
    /// The instance's own, such as that a line does not exist: then it is stopped where it was.
    fn resume_instance(&mut self, how: &Resume) -> Result<(), Failure> {
        match how {
            Resume::Travel(_) | Resume::Continue => Ok(()),
            how => self.ask_instance(Request::Resume(how.clone())),
        }
    }

    /// Lets the instance of the past, which was resumed or is to continue, run towards the present.
    fn go_forward(&mut self, how: Resume) -> Result<Outcome, Outcome> {
        let (now, present) = (self.history.now().position, self.history.present.position);
        let unseen = self.unseen_stop_between((now, present), how == Resume::Continue)?;
        if how == Resume::Continue {
            self.internal_request(Request::Resume(how));
        }
        let outcome = self.relay_until_stop();
        let stop = match &outcome {
            Outcome::Stopped(stopped) => stop_point(stopped).position,
            Outcome::Ended(JourneyEnd::Present) => present,
            _ => return Ok(outcome),
        };
        match unseen {
            Some((position, mut arrival))
                if position < stop || (position == stop && matches!(outcome, Outcome::Stopped(_))) =>
            {
                if let Outcome::Stopped(stopped) = outcome {
                    if position == stop {
                        arrival.breakpoints.extend(&stopped.breakpoints);
                        arrival.breakpoints.sort_unstable();
                    }
                    self.note_past(&stopped);
                }
                self.leave_past();
                self.arrive_at(position, arrival)
            }
            _ => Ok(outcome),
        }
    }

    /// Reports a stop in the past.
    fn arrived(&mut self, stopped: Stopped) {
        self.note_past(&stopped);
        self.engine.event(Event::Stopped(Box::new(stopped)));
    }

    /// Records the position of a stop in the past.
    fn note_past(&mut self, stopped: &Stopped) {
        self.history.past = Some(stop_point(stopped));
    }

    /// Reports that the program is back in the present.
    fn be_present(&mut self, sentence: &str, text: Option<String>) {
        let sentence = Some(sentence.into());
        self.engine.inspection.shown_before = self.history.shown.take();
        let difference = self.engine.expected_output.difference_at(self.history.present.position);
        let halt = Halt { text, sentence, difference, ..StopReason::Present.into() };
        self.engine.tell_stop(self.vm, self.view, halt);
        self.engine.inspection.watches.reset();
        self.engine.inspection.update_watches(self.vm, self.view);
    }

    /// Moves to another point of the history. The `Err` is the outcome of a journey that was made to find the
    /// goal.
    fn travel_to(&mut self, travel: Travel) -> Result<Outcome, Outcome> {
        let (now, present) = (self.history.now(), self.history.present.position);
        let first = RunPosition::place(self.history.first_step(now.position));
        let was_in_past = self.history.past.is_some();
        self.leave_past();
        let step = |found: Option<RunPosition>| {
            let position = found.unwrap_or(first);
            let reason = if position == first { StopReason::Entry } else { StopReason::Step };
            (position, Arrival::step(reason))
        };
        let restarts = matches!(travel, Travel::RestartFrame(_));
        let (position, arrival) = match travel {
            Travel::GoToPresent => return Ok(Outcome::Ended(JourneyEnd::Present)),
            Travel::GoToStep(wanted) if wanted > present.step || RunPosition::place(wanted) == present => {
                return Ok(Outcome::Ended(JourneyEnd::Present));
            }
            Travel::GoToStep(wanted) => {
                let place = RunPosition::place(wanted.max(1));
                return self.arrive_at(place, Arrival::step(StopReason::Step));
            }
            Travel::StepBack => step(self.position_before(Back::Into, now)?),
            Travel::StepBackOver => step(self.position_before(Back::Over, now)?),
            // Nothing has called `main`.
            Travel::StepBackOut if now.depth == 0 => step(None),
            Travel::StepBackOut => step(self.position_before(Back::Out, now)?),
            Travel::RestartFrame(index) => {
                let depth = now.depth.saturating_sub(index as u32);
                (self.beginning_of_call(depth, now)?, Arrival::step(StopReason::Restart))
            }
            Travel::ReverseContinue => self.hit_before(now.position)?.unwrap_or_else(|| step(None)),
        };
        if position >= now.position && !was_in_past {
            return Ok(if restarts { Outcome::Ended(JourneyEnd::Present) } else { Outcome::Beginning });
        }
        self.arrive_at(position, arrival)
    }

    /// Makes the journey to a stop.
    fn arrive_at(&mut self, position: RunPosition, arrival: Arrival) -> Result<Outcome, Outcome> {
        let arrival = self.with_counts(position, arrival)?;
        Ok(self.go(Arrive { position, arrival }.into(), self.history.present.position))
    }
}

/// Where an instance of the past has stopped.
fn stop_point(stopped: &Stopped) -> StopPoint {
    let depth = stopped.frame_count.saturating_sub(1) as u32;
    let phase = match stopped.moment {
        Some(Moment { after_return: true, .. }) => Phase::within(depth, Happening::Return),
        Some(Moment { error_values: number @ 1.., .. }) => {
            Phase::within(depth, Happening::ErrorValue(number))
        }
        _ => Phase::Statement,
    };
    StopPoint { position: RunPosition { step: stopped.step, phase }, depth }
}

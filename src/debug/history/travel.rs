//! Moves through the history, by the engine of the live program: finds the goal of a request, and reports the
//! stop there.

use crate::api::{
    Done, Event, Failure, FailureKind, Moment, Request, RequestId, Response, Resume, StopReason, Stopped,
    Travel,
};
use crate::debug::engine::Engine;
use crate::debug::history::journey_state::MAX_NOTES;
use crate::debug::history::messages::{Aim, Arrival, Journey, JourneyEnd};
use crate::debug::history::plan::{self, Back};
use crate::debug::history::position::{Happening, Phase, RunPosition};
use crate::debug::history::relay::{Outcome, lost};
use crate::debug::history::state::{History, Notes, StopPoint};
use crate::debug::history::worker::thread as worker;
use crate::debug::history::worker::wire::ToWorker;
use crate::debug::history::writes::WantedWrite;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::running::stop_events::Halt;
use crate::interp::vm::Vm;

/// Number of steps before the present one that are searched first for the goal of a step back, and most that
/// are searched at once: there is a note for each place, and one for each return.
const WINDOW: u64 = 1000;
const MAX_WINDOW: u64 = MAX_NOTES as u64 / 4;

/// The failure of a request that needs a history.
fn no_history(verb: &str) -> Failure {
    let message = format!("Cannot {verb}: no history is kept ('history' in initialize)");
    Failure::new(FailureKind::WrongState, message)
}

impl Engine {
    /// Whether the client is in the past.
    pub fn is_in_past(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.past.is_some())
    }

    /// The present stop's position in the history, if one is kept.
    pub fn moment(&self, step: u64, phase: Phase) -> Option<Moment> {
        if let Some(journey_state) = &self.journey_state {
            return Some(journey_state.moment(phase));
        }
        let output_length = self.history.as_ref()?.record.output_length();
        let (after_return, error_values) = (phase.is_return(), phase.error_value());
        Some(Moment { present: step, is_past: false, output_length, after_return, error_values })
    }

    /// Records the position at which the live program has stopped.
    pub fn note_present(&mut self, vm: &Vm, phase: Phase) {
        if let Some(history) = &mut self.history {
            history.present =
                StopPoint { position: RunPosition { step: vm.steps.now(), phase }, depth: vm.depth() };
            history.waits = history.record.is_waiting();
            history.past = None;
        }
    }

    /// Carries out a move through the history, or resumes an instance of the past. If the program is to end
    /// meanwhile, the request for that is among the postponed ones.
    pub fn travel(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, how: Resume) {
        if let Err(failure) = self.can_travel(&how).and_then(|()| self.resume_instance(&how)) {
            return self.respond(id, Err(failure));
        }
        self.respond(id, Ok(Response::Done(Done::Resumed)));
        self.begin_progress(&how);
        self.note_shown(vm, view);
        let outcome = match how {
            Resume::Travel(travel) => self.travel_to(vm, travel).unwrap_or_else(|outcome| outcome),
            how => self.go_forward(vm, how).unwrap_or_else(|outcome| outcome),
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
        self.be_present(vm, view, sentence, text);
    }

    /// Records what the client sees, if it is in the present.
    fn note_shown(&mut self, vm: &mut Vm, view: &FrameView) {
        if !self.is_in_past() {
            let shown = VariableSnapshot::at(vm, &mut self.inspection.handles, view);
            self.history.iter_mut().for_each(|history| history.shown = Some(shown.clone()));
        }
    }

    fn begin_progress(&mut self, how: &Resume) {
        let watched = self.breakpoints.borrow().data.questions(WantedWrite::Last).len() as u64;
        let Some(history) = &mut self.history else { return };
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
        match (&self.history, how) {
            (Some(history), Resume::Travel(Travel::RestartFrame(index)))
                if *index > history.now().depth as usize =>
            {
                Err(Failure::new(FailureKind::NotFound, format!("there is no frame {index}")))
            }
            (_, Resume::Travel(_)) => self.has_past(how.verb()),
            (Some(_), _) => Ok(()),
            (None, _) => Err(no_history(how.verb())),
        }
    }

    /// Checks that the program can be run again; `verb` is for the message.
    pub fn has_past(&self, verb: &str) -> Result<(), Failure> {
        let Some(history) = &self.history else { return Err(no_history(verb)) };
        match (&history.lost, history.record.is_whole()) {
            (None, true) => Ok(()),
            (lost, _) => {
                let why = lost.as_deref().unwrap_or("the record is too large");
                Err(Failure::new(FailureKind::WrongState, format!("Cannot {verb}: {why}")))
            }
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
    fn go_forward(&mut self, vm: &mut Vm, how: Resume) -> Result<Outcome, Outcome> {
        let Some(history) = &self.history else { return Ok(lost("there is no history")) };
        let (now, present) = (history.now().position, history.present.position);
        // Instances do not check data breakpoints.
        let write = match how {
            Resume::Continue => self.write_between(vm, now, present)?,
            _ => None,
        };
        if how == Resume::Continue {
            self.internal_request(Request::Resume(how));
        }
        let outcome = self.relay_until_stop(vm, true);
        let stop = match &outcome {
            Outcome::Stopped(stopped) => RunPosition::place(stopped.step),
            Outcome::Ended(JourneyEnd::Present) => present,
            _ => return Ok(outcome),
        };
        match write {
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
                self.leave_past(vm);
                self.arrive_at(vm, position, arrival)
            }
            _ => Ok(outcome),
        }
    }

    /// Reports a stop in the past.
    fn arrived(&mut self, stopped: Stopped) {
        self.note_past(&stopped);
        self.event(Event::Stopped(Box::new(stopped)));
    }

    /// Records the position of a stop in the past.
    fn note_past(&mut self, stopped: &Stopped) {
        if let Some(history) = &mut self.history {
            let depth = stopped.frame_count.saturating_sub(1) as u32;
            let phase = match stopped.moment {
                Some(Moment { after_return: true, .. }) => Phase::within(depth, Happening::Return),
                Some(Moment { error_values: number @ 1.., .. }) => {
                    Phase::within(depth, Happening::ErrorValue(number))
                }
                _ => Phase::Statement,
            };
            let position = RunPosition { step: stopped.step, phase };
            history.past = Some(StopPoint { position, depth });
        }
    }

    /// Reports that the program is back in the present.
    fn be_present(&mut self, vm: &mut Vm, view: &FrameView, sentence: &str, text: Option<String>) {
        let sentence = Some(sentence.into());
        self.inspection.shown_before = self.history.as_mut().and_then(|history| history.shown.take());
        self.tell_stop(vm, view, Halt { text, sentence, ..StopReason::Present.into() });
        self.inspection.watches.reset();
        self.inspection.update_watches(vm, view);
    }

    /// Moves to another point of the history. The `Err` is the outcome of a journey that was made to find the
    /// goal.
    fn travel_to(&mut self, vm: &mut Vm, travel: Travel) -> Result<Outcome, Outcome> {
        let Some(history) = &self.history else { return Ok(lost("there is no history")) };
        let (now, present) = (history.now(), history.present.position);
        let (first, was_in_past) =
            (RunPosition::place(history.first_step(now.position)), history.past.is_some());
        self.leave_past(vm);
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
                return self.arrive_at(vm, place, Arrival::step(StopReason::Step));
            }
            Travel::StepBack => step(self.position_before(vm, Back::Into, now)?),
            Travel::StepBackOver => step(self.position_before(vm, Back::Over, now)?),
            // Nothing has called `main`.
            Travel::StepBackOut if now.depth == 0 => step(None),
            Travel::StepBackOut => step(self.position_before(vm, Back::Out, now)?),
            Travel::RestartFrame(index) => {
                let depth = now.depth.saturating_sub(index as u32);
                (self.beginning_of_call(vm, depth, now)?, Arrival::step(StopReason::Restart))
            }
            Travel::ReverseContinue => self.hit_before(vm, now.position)?.unwrap_or_else(|| step(None)),
        };
        if position >= now.position && !was_in_past {
            return Ok(if restarts { Outcome::Ended(JourneyEnd::Present) } else { Outcome::Beginning });
        }
        self.arrive_at(vm, position, arrival)
    }

    /// Makes the journey to a stop.
    fn arrive_at(
        &mut self,
        vm: &mut Vm,
        position: RunPosition,
        arrival: Arrival,
    ) -> Result<Outcome, Outcome> {
        let arrival = self.with_counts(vm, position, arrival)?;
        Ok(self.go(vm, Aim::Arrive(position, Box::new(arrival))))
    }

    /// The goal of a step back from `now`; `None` if there is no earlier position. It is looked for in a few
    /// positions at a time; calls that have lasted longer are passed over.
    pub fn position_before(
        &mut self,
        vm: &mut Vm,
        back: Back,
        now: StopPoint,
    ) -> Result<Option<RunPosition>, Outcome> {
        let Some(history) = &self.history else { return Ok(None) };
        // From the first statement of `main`, the way leads back into the initialisers of globals.
        let first = history.first_step(RunPosition::place(now.position.step.saturating_sub(1)));
        let (mut until, mut window) = (now.position, WINDOW);
        loop {
            let from = until.step.saturating_sub(window).max(first);
            let is_whole = from <= first;
            self.take_notes(vm, from, until, is_whole)?;
            let Some(History { notes, .. }) = &self.history else { return Ok(None) };
            let found = plan::target(back, until, now.depth, &notes.list, notes.is_whole);
            if found.is_some() || is_whole {
                return Ok(found);
            }
            if let Some(begin) = notes.beginning(back) {
                return Ok(Some(RunPosition::place(begin)));
            }
            let (before, is_far) = notes.before(back, until, now.depth);
            window = if is_far { WINDOW } else { window.saturating_mul(10).min(MAX_WINDOW) };
            until = before;
        }
    }

    /// Records the positions between a step and a position, unless they are known.
    fn take_notes(
        &mut self,
        vm: &mut Vm,
        from: u64,
        until: RunPosition,
        is_whole: bool,
    ) -> Result<(), Outcome> {
        if self.history.as_ref().is_some_and(|history| history.notes.cover(from, until, is_whole)) {
            return Ok(());
        }
        match self.go(vm, Aim::Note(from, until)) {
            Outcome::Ended(JourneyEnd::Notes(list, begins)) => {
                if let Some(history) = &mut self.history {
                    history.notes = Notes { from, until: Some(until), is_whole, list, begins };
                }
                Ok(())
            }
            other => Err(other),
        }
    }

    /// The first position of the call at this depth.
    fn beginning_of_call(&mut self, vm: &mut Vm, depth: u32, now: StopPoint) -> Result<RunPosition, Outcome> {
        if depth == 0 {
            let first = self.history.as_ref().map_or(1, |history| history.first_step(now.position));
            return Ok(RunPosition::place(first));
        }
        let found = self.position_before(vm, Back::ToBeginning(depth), now)?;
        // The call begins at the present position.
        Ok(found.unwrap_or(now.position))
    }

    /// Makes a journey that ends at the present at the latest.
    pub fn go(&mut self, vm: &mut Vm, aim: Aim) -> Outcome {
        let present =
            self.history.as_ref().map_or(RunPosition::BEGINNING, |history| history.present.position);
        self.go_until(vm, aim, present)
    }

    /// Makes a journey that ends at `last` at the latest.
    pub fn go_until(&mut self, vm: &mut Vm, aim: Aim, last: RunPosition) -> Outcome {
        let last_handle = self.inspection.handles.last();
        let Some(history) = &mut self.history else { return lost("there is no history") };
        let shown = match &aim {
            Aim::Arrive(..) => history.shown.take(),
            Aim::Note(..)
            | Aim::Hits(..)
            | Aim::Resolve(..)
            | Aim::Changes(_)
            | Aim::Search(..)
            | Aim::Statements(_)
            | Aim::Output(_)
            | Aim::Unfold(_) => None,
        };
        let journey = Journey {
            aim,
            present: last,
            interventions: history.interventions.clone(),
            raised: history.raised.clone(),
            last_handle,
            shown,
            last_internal_request: history.internal_requests,
        };
        if let Some(checkpoint) = history.use_checkpoint(&journey.aim) {
            let outcome = self.make_journey(vm, journey.clone().from(checkpoint));
            if !matches!(outcome, Outcome::Ended(JourneyEnd::Lost(_))) {
                return outcome;
            }
            // The checkpoint's process may have died. The journey can be made from the beginning.
            let Some(history) = &mut self.history else { return outcome };
            history.checkpoints.clear();
        }
        let Some(history) = &mut self.history else { return lost("there is no history") };
        if !history.use_nested() {
            match worker::start(history.origin.clone(), history.record.clone()) {
                Ok(worker) => history.use_worker(worker),
                Err(why) => return lost(why),
            }
        }
        self.make_journey(vm, journey)
    }

    /// Lets the chosen worker make a journey.
    fn make_journey(&mut self, vm: &mut Vm, journey: Journey) -> Outcome {
        let news = self.take_new_settings();
        let Some(history) = &mut self.history else { return lost("there is no history") };
        history.progress.next_run(journey.aim.goal());
        if let Some(worker) = &history.worker {
            (worker.send)(ToWorker::Go(news, Box::new(journey)));
        }
        self.relay_until_stop(vm, true)
    }
}

//! Going back, as the engine of the live program does it: where a command leads, and how that is told.

use crate::api::{
    BreakpointId, Event, Failure, FailureKind, Moment, Request, RequestId, Response, Resume, StopReason,
    Stopped, Travel,
};
use crate::interp::vm::Vm;

use super::super::breakpoints::HitCondition;
use super::super::engine::Engine;
use super::super::frames::FrameView;
use super::super::shown::Shown;
use super::super::stops::Halt;
use super::super::time::calls::Calls;
use super::super::time::history::{Aim, Arrival, History, Journey, JourneyEnd, Standing, Write};
use super::super::time::plan::{self, Back, Counts};
use super::super::time::position::{Happening, Phase, Position};
use super::super::time::underway::MOST_NOTES;
use super::super::time::wire::ToWorker;
use super::following::{Outcome, lost};
use super::worker;

/// How many places before the present one are looked at first for a step back.
const WINDOW: u64 = 1000;

/// The failure of a request for which a history is needed.
fn no_history(verb: &str) -> Failure {
    let message = format!("Cannot {verb}: no history is kept ('history' in initialize)");
    Failure::new(FailureKind::WrongState, message)
}

impl Engine {
    /// Whether the client is in the past.
    pub(in super::super) fn is_in_past(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.past.is_some())
    }

    /// Where the live program is in its history.
    pub(in super::super) fn moment(&self, step: u64, phase: Phase) -> Option<Moment> {
        if let Some(underway) = &self.underway {
            return Some(underway.moment(phase));
        }
        let output_length = self.history.as_ref()?.record.output_length();
        let (after_return, error_values) = (phase.is_return(), phase.error_value());
        Some(Moment { present: step, is_past: false, output_length, after_return, error_values })
    }

    /// Takes note of where the live program stands.
    pub(in super::super) fn note_present(&mut self, vm: &Vm, phase: Phase) {
        if let Some(history) = &mut self.history {
            history.present =
                Standing { position: Position { step: vm.steps.now(), phase }, depth: vm.depth() };
            history.past = None;
        }
    }

    /// Goes through time, or on in the past. If the program is to end meanwhile, the request for that is among
    /// the postponed ones.
    pub(in super::super) fn travel(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, how: Resume) {
        if let Err(failure) = self.can_travel(&how) {
            return self.respond(id, Err(failure));
        }
        self.respond(id, Ok(Response::Resumed));
        self.begin_progress(&how);
        self.note_shown(vm, view);
        let outcome = match how {
            Resume::Travel(travel) => self.depart(vm, travel).unwrap_or_else(|outcome| outcome),
            how => self.go_forward(vm, how).unwrap_or_else(|outcome| outcome),
        };
        self.end_progress();
        let text = match outcome {
            Outcome::Stopped(stopped) => {
                self.arrived(*stopped);
                return self.synchronize();
            }
            Outcome::Over => return,
            Outcome::Ended(JourneyEnd::Lost(why)) => Some(format!("the past cannot be shown: {why}")),
            Outcome::Cancelled => Some("the journey was interrupted".into()),
            Outcome::Ended(_) => None,
        };
        self.be_present(vm, view, text);
    }

    /// Takes note of what the client has seen last, if that was the present.
    fn note_shown(&mut self, vm: &mut Vm, view: &FrameView) {
        if !self.is_in_past() {
            let shown = Shown::at(vm, &mut self.handles, view);
            self.history.iter_mut().for_each(|history| history.shown = Some(shown.clone()));
        }
    }

    fn begin_progress(&mut self, how: &Resume) {
        let watched = self.placing.borrow().data.questions().len() as u64;
        let Some(history) = &mut self.history else { return };
        let windows = history.checkpoints.count() as u64 + 1;
        match how {
            Resume::Travel(Travel::GoToStep(_) | Travel::GoToPresent) => {
                history.progress.begin("Going back", 1);
            }
            Resume::Travel(Travel::ReverseContinue) => {
                history.progress.begin("Going back", 1 + windows + watched)
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

    /// Whether the past can be run again; if not, why `verb` cannot be done.
    pub(super) fn has_past(&self, verb: &str) -> Result<(), Failure> {
        let Some(history) = &self.history else { return Err(no_history(verb)) };
        match (&history.lost, history.record.is_whole()) {
            (None, true) => Ok(()),
            (lost, _) => {
                let why = lost.as_deref().unwrap_or("the record is too large");
                Err(Failure::new(FailureKind::WrongState, format!("Cannot {verb}: {why}")))
            }
        }
    }

    /// Goes on in the past, towards the present.
    fn go_forward(&mut self, vm: &mut Vm, how: Resume) -> Result<Outcome, Outcome> {
        let Some(history) = &self.history else { return Ok(lost("there is no history")) };
        let (now, present) = (history.now().position, history.present.position);
        // Instances know nothing of breakpoints on writes.
        let write = match how {
            Resume::Continue => self.write_between(vm, now, present)?,
            _ => None,
        };
        self.order(Request::Resume(how));
        let outcome = self.follow(vm, true);
        let stop = match &outcome {
            Outcome::Stopped(stopped) => Position::place(stopped.step),
            Outcome::Ended(JourneyEnd::Present) => present,
            _ => return Ok(outcome),
        };
        match write {
            Some((position, arrival)) if position < stop => {
                if let Outcome::Stopped(stopped) = outcome {
                    self.note_past(&stopped);
                }
                self.leave(vm);
                Ok(self.go(vm, Aim::Arrive(position, Box::new(arrival))))
            }
            _ => Ok(outcome),
        }
    }

    /// Tells a stop in the past.
    fn arrived(&mut self, stopped: Stopped) {
        self.note_past(&stopped);
        self.event(Event::Stopped(Box::new(stopped)));
    }

    /// Takes note of where the past stands.
    fn note_past(&mut self, stopped: &Stopped) {
        if let Some(history) = &mut self.history {
            let depth = stopped.frame_count.saturating_sub(1) as u32;
            let phase = match stopped.moment {
                Some(Moment { after_return: true, .. }) => Phase::within(depth, Happening::Return),
                Some(Moment { error_values: number @ 1.., .. }) => {
                    Phase::within(depth, Happening::ErrorValue(number))
                }
                _ => Phase::Place,
            };
            let position = Position { step: stopped.step, phase };
            history.past = Some(Standing { position, depth });
        }
    }

    /// Tells that the program stands where it really is, the past being left.
    fn be_present(&mut self, vm: &mut Vm, view: &FrameView, text: Option<String>) {
        let sentence = Some("Back in the present".into());
        self.shown_before = self.history.as_mut().and_then(|history| history.shown.take());
        self.tell_stop(vm, view, Halt { text, sentence, ..StopReason::Present.into() });
        self.watches.reset();
        self.update_watches(vm, view);
    }

    /// Goes somewhere in the history. An error: what happened to a journey on which the way was looked for.
    fn depart(&mut self, vm: &mut Vm, travel: Travel) -> Result<Outcome, Outcome> {
        let Some(history) = &self.history else { return Ok(lost("there is no history")) };
        let (now, present) = (history.now(), history.present.position);
        let (entry, was_in_past) = (history.entry, history.past.is_some());
        self.leave(vm);
        // Before `main` begins, initial values of globals are computed.
        let first = Position::place(if now.position.step < entry { 1 } else { entry });
        let step = |found: Option<Position>| {
            let position = found.unwrap_or(first);
            let reason = if position == first { StopReason::Entry } else { StopReason::Step };
            (position, Arrival::step(reason))
        };
        let (position, arrival) = match travel {
            Travel::GoToPresent => return Ok(Outcome::Ended(JourneyEnd::Present)),
            Travel::GoToStep(wanted) if wanted >= present.step => {
                return Ok(Outcome::Ended(JourneyEnd::Present));
            }
            Travel::GoToStep(wanted) => {
                let place = Position::place(wanted.max(1));
                return Ok(self.go(vm, Aim::Arrive(place, Box::new(Arrival::step(StopReason::Step)))));
            }
            Travel::StepBack => step(self.position_before(vm, Back::Into, now, entry)?),
            Travel::StepBackOver => step(self.position_before(vm, Back::Over, now, entry)?),
            Travel::StepBackOut => step(self.position_before(vm, Back::Out, now, entry)?),
            Travel::RestartFrame(index) => {
                let depth = now.depth.saturating_sub(index as u32);
                (self.beginning_of_call(vm, depth, now, entry)?, Arrival::step(StopReason::Restart))
            }
            Travel::ReverseContinue => self.hit_before(vm, now.position)?.unwrap_or_else(|| step(None)),
        };
        if position >= now.position && !was_in_past {
            // There is nothing before.
            return Ok(Outcome::Ended(JourneyEnd::Present));
        }
        Ok(self.go(vm, Aim::Arrive(position, Box::new(arrival))))
    }

    /// The position to which a step back leads.
    fn position_before(
        &mut self,
        vm: &mut Vm,
        back: Back,
        now: Standing,
        entry: u64,
    ) -> Result<Option<Position>, Outcome> {
        // A stop before `main` goes back to the first place of all.
        let first = if now.position.step > entry { entry } else { 1 };
        let mut window = WINDOW;
        loop {
            let from = now.position.step.saturating_sub(window).max(first);
            let is_whole = from <= first;
            // There is a note at each place, and at each return from a call in which there was one.
            if now.position.step - from > MOST_NOTES as u64 / 2 {
                let calls = self.take_notes(vm, first, now.position, false)?;
                return Ok(calls.target(back, now.depth));
            }
            if !self.has_notes(from, now.position, is_whole) {
                self.take_notes(vm, from, now.position, is_whole)?;
            }
            let Some(History { notes: (notes, known_whole), .. }) = &self.history else {
                return Ok(None);
            };
            let found = plan::target(back, now.position, now.depth, notes, *known_whole);
            if found.is_some() || is_whole {
                return Ok(found);
            }
            window = window.saturating_mul(10);
        }
    }

    /// Notes the positions from a step on up to a position; gives the calls in progress there.
    fn take_notes(
        &mut self,
        vm: &mut Vm,
        from: u64,
        until: Position,
        is_whole: bool,
    ) -> Result<Calls, Outcome> {
        match self.go(vm, Aim::Note(from, until)) {
            Outcome::Ended(JourneyEnd::Notes(notes, calls)) => {
                if let Some(history) = &mut self.history {
                    history.notes = (notes, is_whole);
                }
                Ok(calls)
            }
            other => Err(other),
        }
    }

    /// The first position of the call of this depth.
    fn beginning_of_call(
        &mut self,
        vm: &mut Vm,
        depth: u32,
        now: Standing,
        entry: u64,
    ) -> Result<Position, Outcome> {
        if depth == 0 {
            let is_in_main = now.position.step >= entry;
            return Ok(Position::place(if is_in_main { entry } else { 1 }));
        }
        let found = self.position_before(vm, Back::ToBeginning(depth), now, entry)?;
        // It begins here.
        Ok(found.unwrap_or(now.position))
    }

    /// Whether the positions from a step on up to `until` were noted by an earlier step back.
    fn has_notes(&self, from: u64, until: Position, is_whole: bool) -> bool {
        let Some(History { notes: (notes, known_whole), .. }) = &self.history else { return false };
        let begins =
            notes.first().is_some_and(|note| note.position.step <= from || (is_whole && *known_whole));
        begins
            && notes.last().is_some_and(|note| note.position >= until || note.position.step + 1 == until.step)
    }

    /// The last breakpoint that was hit before a position, and how that stop is told.
    fn hit_before(&mut self, vm: &mut Vm, now: Position) -> Result<Option<(Position, Arrival)>, Outcome> {
        let writes = self.writes_until(vm, now)?;
        let (mut counts, mut until) = (Counts::new(), now);
        loop {
            let from = self.history.as_ref().and_then(|history| history.checkpoints.last_before(until));
            let from = from.unwrap_or(Position::place(0));
            let mut hits = match self.go(vm, Aim::Hits(from, until)) {
                Outcome::Ended(JourneyEnd::Hits(hits)) => hits,
                other => return Err(other),
            };
            let written = writes.iter().map(|write| &write.hit);
            hits.extend(written.filter(|hit| (from..until).contains(&hit.position)).cloned());
            let last = plan::last_hit(&plan::merged(hits), &mut counts, |id| self.hit_condition(id));
            match last {
                Some((position, hit)) => return Ok(Some((position, self.arrival(hit, position, &writes)))),
                None if from.step == 0 => return Ok(None),
                None => until = from,
            }
        }
    }

    pub(super) fn hit_condition(&self, id: BreakpointId) -> Option<HitCondition> {
        let placing = self.placing.borrow();
        match placing.breakpoints.get(id) {
            Some(entry) => entry.hit_condition,
            None => placing.data.hit_condition(id),
        }
    }

    /// How a stop is told at which these breakpoints are hit.
    pub(super) fn arrival(
        &self,
        breakpoints: Vec<BreakpointId>,
        position: Position,
        writes: &[Write],
    ) -> Arrival {
        let is_told = |write: &&Write| {
            write.hit.position == position && write.hit.breakpoints.iter().any(|id| breakpoints.contains(id))
        };
        let write = writes.iter().find(is_told);
        let placing = self.placing.borrow();
        let reason = match (write.and_then(|write| write.hit.breakpoints.first()), breakpoints.first()) {
            (Some(id), _) => StopReason::DataBreakpoint(*id),
            (None, Some(id)) if placing.breakpoints.is_at_function(*id) => {
                StopReason::FunctionBreakpoint(*id)
            }
            (None, Some(id)) => StopReason::Breakpoint(*id),
            (None, None) => StopReason::Exception,
        };
        let written = write.map(|write| (write.written.clone(), write.sentence.clone()));
        Arrival { reason, breakpoints, written }
    }

    /// Lets the worker run.
    fn go(&mut self, vm: &mut Vm, aim: Aim) -> Outcome {
        let present = self.history.as_ref().map_or(Position::place(0), |history| history.present.position);
        self.go_until(vm, aim, present)
    }

    /// Lets a worker run, `last` at most.
    pub(super) fn go_until(&mut self, vm: &mut Vm, aim: Aim, last: Position) -> Outcome {
        let last_handle = self.handles.last();
        let Some(history) = &mut self.history else { return lost("there is no history") };
        let shown = match &aim {
            Aim::Arrive(..) => history.shown.take(),
            Aim::Note(..) | Aim::Hits(..) | Aim::Search(..) => None,
        };
        let journey = Journey {
            aim,
            present: last,
            interventions: history.interventions.clone(),
            last_handle,
            shown,
            last_order: history.orders,
        };
        if let Some(checkpoint) = history.employ_checkpoint(&journey.aim) {
            let outcome = self.send_off(vm, journey.clone().from(checkpoint));
            if !matches!(outcome, Outcome::Ended(JourneyEnd::Lost(_))) {
                return outcome;
            }
            // Perhaps its process has ended. All of it can be run again from the beginning.
            let Some(history) = &mut self.history else { return outcome };
            history.checkpoints.clear();
        }
        let Some(history) = &mut self.history else { return lost("there is no history") };
        if !history.employ_nested() {
            match worker::start(history.origin.clone(), history.record.clone()) {
                Ok(worker) => history.employ(worker),
                Err(why) => return lost(why),
            }
        }
        self.send_off(vm, journey)
    }

    /// Lets the worker that is employed make a journey.
    fn send_off(&mut self, vm: &mut Vm, journey: Journey) -> Outcome {
        let news = self.news();
        let Some(history) = &mut self.history else { return lost("there is no history") };
        history.progress.next_run(journey.aim.goal());
        if let Some(worker) = &history.worker {
            (worker.send)(ToWorker::Go(news, Box::new(journey)));
        }
        self.follow(vm, true)
    }
}

//! Searches for the origin of a value, by the engine of the live program.
//!
//! What has changed lately is found soon: the search begins a few thousand steps before the question, and goes
//! back to earlier checkpoints only as long as it finds nothing.

use crate::api::{
    ChangeCause, Described, Failure, FailureKind, LastChange, LastChangeQuery, RequestId, Response,
};
use crate::debug::engine::Engine;
use crate::debug::history::messages::{Aim, Changes, JourneyEnd};
use crate::debug::history::plan::Back;
use crate::debug::history::position::RunPosition;
use crate::debug::history::relay::Outcome;
use crate::debug::history::search::{Event, Found, PortableSubject, Subject};
use crate::debug::history::state::StopPoint;
use crate::debug::history::writes::ChangeQuestion;
use crate::debug::inspect::frames::{FrameView, location};
use crate::interp::vm::Vm;

/// Number of steps before the question in which every place is visited first.
const NEAR: u64 = 20_000;

/// What a question is about, and its value.
type Meaning = (Option<PortableSubject>, Option<Described>);

impl Engine {
    /// Answers the question what gave something the value it has at the client's position; `view` is the
    /// innermost frame of the live program.
    pub fn last_change(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, query: LastChangeQuery) {
        let answer = self.has_past("tell the last change").and_then(|()| {
            let label = format!("Looking for the last change of {}", query.expression.trim());
            self.history.iter_mut().for_each(|history| history.progress.begin(label.clone(), 2));
            let asked_at =
                self.history.as_ref().map_or(RunPosition::place(0), |history| history.now().position);
            let question = ChangeQuestion { query, asked_at, breakpoint: None };
            self.with_other_worker(|engine| engine.search_for(vm, view, &question))
        });
        self.end_progress();
        self.respond(id, answer);
    }

    fn search_for(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        question: &ChangeQuestion,
    ) -> Result<Response, Failure> {
        let (subject, value) = self.meaning(vm, view, question)?;
        let found = match &subject {
            Some(subject) => self.find_change(vm, question, subject)?,
            None => {
                let aim = Aim::Search(question.asked_at, question.clone());
                match self.go_until(vm, aim, question.asked_at) {
                    Outcome::Ended(JourneyEnd::Change(found, _)) => *found,
                    other => return Err(not_found(other)),
                }
            }
        };
        let found = match found {
            Some(found) => self.with_statement(vm, found, question.asked_at)?,
            None => self.declared(vm, subject.map(Subject::from))?,
        };
        Ok(Response::LastChange(Box::new(told(vm, &question.query, found, value))))
    }

    /// What the expression refers to at the position of the question.
    fn meaning(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        question: &ChangeQuestion,
    ) -> Result<Meaning, Failure> {
        let present = self.history.as_ref().map(|history| history.present.position);
        if present == Some(question.asked_at) {
            let resolved = self.resolved(vm, view, &question.query)?;
            return Ok((resolved.subject.portable(), resolved.value));
        }
        let aim = Aim::Resolve(question.asked_at, question.clone());
        match self.go_until(vm, aim, question.asked_at) {
            Outcome::Ended(JourneyEnd::Resolved(resolved)) => *resolved,
            other => Err(not_found(other)),
        }
    }

    /// The last event before the question, searched for further and further back; `None` if there was none.
    fn find_change(
        &mut self,
        vm: &mut Vm,
        question: &ChangeQuestion,
        subject: &PortableSubject,
    ) -> Result<Option<Found>, Failure> {
        let until = question.asked_at;
        let mut start = until;
        let (mut from, mut polls) = (until.step.saturating_sub(NEAR), true);
        loop {
            let (question, subject) = (question.clone(), subject.clone());
            let changes = Changes { start, from, polls, until, question, subject };
            match self.go_until(vm, Aim::Changes(changes), until) {
                Outcome::Ended(JourneyEnd::Change(found, is_whole)) if found.is_some() || is_whole => {
                    return Ok(*found);
                }
                Outcome::Ended(JourneyEnd::Change(..)) => {}
                other => return Err(not_found(other)),
            }
            // Again from the same checkpoint, but watching all the time; then from others, farther away.
            let checkpoint = self.history.as_ref().and_then(|history| match polls {
                true => history.checkpoints.last_before(until),
                false => history.checkpoints.last_before(far_before(until, start)),
            });
            start = checkpoint.unwrap_or(RunPosition::place(0));
            (from, polls) = (start.step, false);
        }
    }

    /// The event with the step of the statement that did it, where that is not known: then a call that the
    /// statement has made was under way.
    fn with_statement(&mut self, vm: &mut Vm, found: Found, until: RunPosition) -> Result<Found, Failure> {
        let Some(depth) = found.event.depth else { return Ok(found) };
        let after = RunPosition::place(found.event.step + 1).min(until);
        let goal = self.position_before(vm, Back::Out, StopPoint { position: after, depth: depth + 1 });
        let position = match goal {
            Ok(position) => position,
            Err(outcome) => return Err(not_found(outcome)),
        };
        let Some(position) = position else { return Ok(found) };
        let notes = self.history.as_ref().map(|history| history.notes.list.as_slice()).unwrap_or_default();
        let at = notes.iter().find(|note| note.position == position).map(|note| note.at);
        let at = at.filter(|_| found.cause == ChangeCause::Created).unwrap_or(found.event.at);
        Ok(Found { event: Event { step: position.step, depth: None, at }, ..found })
    }

    /// The declaration of a variable, as the event if nothing has happened to it since.
    fn declared(&mut self, vm: &Vm, subject: Option<Subject>) -> Result<Found, Failure> {
        let declaring = subject.and_then(|subject| subject.declaring(&vm.program));
        let statement = declaring.and_then(|stmt| vm.program.statement(stmt));
        let at = statement.ok_or_else(|| failed("it was not found"))?.at;
        let event = Event { step: 1, depth: None, at };
        Ok(Found { cause: ChangeCause::Declared, event, old: None })
    }

    /// Calls `work`, which uses another worker; the one that the client looks at stays stopped where it is.
    pub fn with_other_worker<T>(&mut self, work: impl FnOnce(&mut Engine) -> T) -> T {
        let saved = self.history.as_mut().and_then(|history| {
            let past = history.past.take()?;
            Some((past, history.worker.take(), history.shown.take()))
        });
        let result = work(self);
        if let (Some(history), Some((past, worker, shown))) = (&mut self.history, saved) {
            (history.past, history.shown) = (Some(past), shown);
            match worker {
                Some(worker) if worker.is_nested => history.worker = Some(worker),
                Some(worker) => history.use_worker(worker),
                None => history.worker = None,
            }
        }
        result
    }
}

/// A position about twice as far before `until` as `start` is.
fn far_before(until: RunPosition, start: RunPosition) -> RunPosition {
    let distance = until.step.saturating_sub(start.step).max(1);
    RunPosition::place(start.step.saturating_sub(distance))
}

/// The answer to a question, given the event that set the value.
fn told(vm: &Vm, query: &LastChangeQuery, found: Found, value: Option<Described>) -> LastChange {
    let Found { cause, event: Event { step, at, .. }, old } = found;
    let (expression, location) = (query.expression.trim(), location(&vm.program.sources, at));
    let line = location.line;
    let description = match cause {
        ChangeCause::Written => format!("{expression} was changed in line {line}"),
        ChangeCause::Client => format!("{expression} was changed by you at step {step}"),
        ChangeCause::Declared => format!("{expression} has not changed since its declaration in line {line}"),
        ChangeCause::Passed => format!("{expression} has not changed since the call in line {line}"),
        ChangeCause::Created => {
            format!("{expression} has not changed since it was created in line {line}")
        }
    };
    LastChange { expression: expression.into(), cause, step, location, description, old, new: value }
}

/// The failure of a search that ended without a result.
fn not_found(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Ended(JourneyEnd::Resolved(resolved)) if resolved.is_err() => {
            resolved.err().unwrap_or_else(|| failed("it was not found"))
        }
        Outcome::Ended(JourneyEnd::Lost(why)) => failed(&format!("the past cannot be shown: {why}")),
        Outcome::Cancelled | Outcome::Over => failed("the search was interrupted"),
        Outcome::Ended(_) | Outcome::Stopped(_) | Outcome::Beginning => failed("it was not found"),
    }
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureKind::WrongState, format!("Cannot tell the last change: {why}"))
}

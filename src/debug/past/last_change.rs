//! Where a value comes from, as the engine of the live program answers it.

use crate::api::{Failure, FailureKind, LastChangeQuery, RequestId, Response};
use crate::interp::vm::Vm;

use super::super::engine::Engine;
use super::super::time::history::{Aim, Arrival, JourneyEnd, Question, Write};
use super::super::time::plan;
use super::super::time::position::Position;
use super::following::Outcome;

impl Engine {
    /// Answers where something got the value that it has where the client is.
    pub(in super::super) fn last_change(&mut self, vm: &mut Vm, id: RequestId, question: LastChangeQuery) {
        let answer = self.has_past("tell the last change").and_then(|()| self.search_for(vm, question));
        self.respond(id, answer);
    }

    fn search_for(&mut self, vm: &mut Vm, query: LastChangeQuery) -> Result<Response, Failure> {
        let Some(history) = &mut self.history else { return Err(failed("there is no history")) };
        history.progress.begin(format!("Looking for the last change of {}", query.expression.trim()), 2);
        let asked_at = history.now().position;
        let question = Question { query, asked_at, breakpoint: None };
        let outcome = self.aside(|engine| engine.go_until(vm, Aim::Search(asked_at, question), asked_at));
        self.end_progress();
        match outcome {
            Outcome::Ended(JourneyEnd::LastChange(answer)) => {
                answer.map(|change| Response::LastChange(Box::new(change)))
            }
            Outcome::Ended(JourneyEnd::Lost(why)) => Err(failed(&format!("the past cannot be shown: {why}"))),
            Outcome::Cancelled | Outcome::Over => Err(failed("the search was interrupted")),
            Outcome::Ended(_) | Outcome::Stopped(_) => Err(failed("it was not found")),
        }
    }

    /// Does something with a worker, while the one with which the client looks at the past, if it does,
    /// stays where it is.
    fn aside<T>(&mut self, work: impl FnOnce(&mut Engine) -> T) -> T {
        let standing = self.history.as_mut().and_then(|history| {
            let past = history.past.take()?;
            Some((past, history.worker.take(), history.shown.take()))
        });
        let result = work(self);
        if let (Some(history), Some((past, worker, shown))) = (&mut self.history, standing) {
            (history.past, history.shown) = (Some(past), shown);
            match worker {
                Some(worker) if worker.is_nested => history.worker = Some(worker),
                Some(worker) => history.employ(worker),
                None => history.worker = None,
            }
        }
        result
    }

    /// The writes up to a position that breakpoints on writes watch, one breakpoint after the other.
    pub(super) fn writes_until(&mut self, vm: &mut Vm, until: Position) -> Result<Vec<Write>, Outcome> {
        let questions = self.placing.borrow().data.questions();
        let mut found = Vec::new();
        for question in questions {
            match self.go_until(vm, Aim::Search(until, question), until) {
                Outcome::Ended(JourneyEnd::Writes(writes)) => found.extend(writes),
                // It cannot be found again: it stops nowhere.
                Outcome::Ended(JourneyEnd::LastChange(_)) => {}
                other => return Err(other),
            }
        }
        Ok(found)
    }

    /// The first write behind `from` and before `until` at which the program stops, and how that is told.
    pub(super) fn write_between(
        &mut self,
        vm: &mut Vm,
        from: Position,
        until: Position,
    ) -> Result<Option<(Position, Arrival)>, Outcome> {
        let writes = self.aside(|engine| engine.writes_until(vm, until))?;
        let hits = writes.iter().map(|write| write.hit.clone()).filter(|hit| hit.position > from);
        let first = plan::first_hit(&plan::merged(hits.collect()), |id| self.hit_condition(id));
        Ok(first.map(|(position, hit)| (position, self.arrival(hit, position, &writes))))
    }
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureKind::WrongState, format!("Cannot tell the last change: {why}"))
}

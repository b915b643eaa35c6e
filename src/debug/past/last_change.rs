//! Searches for the origin of a value, by the engine of the live program.

use crate::api::{Failure, FailureKind, LastChangeQuery, RequestId, Response};
use crate::interp::vm::Vm;

use super::super::engine::Engine;
use super::super::time::history::{Aim, Arrival, JourneyEnd, Question, Write};
use super::super::time::plan;
use super::super::time::position::Position;
use super::following::Outcome;

impl Engine {
    /// Answers the question what gave something the value it has at the client's position.
    pub(in super::super) fn last_change(&mut self, vm: &mut Vm, id: RequestId, question: LastChangeQuery) {
        let answer = self.has_past("tell the last change").and_then(|()| self.search_for(vm, question));
        self.respond(id, answer);
    }

    fn search_for(&mut self, vm: &mut Vm, query: LastChangeQuery) -> Result<Response, Failure> {
        let Some(history) = &mut self.history else { return Err(failed("there is no history")) };
        history.progress.begin(format!("Looking for the last change of {}", query.expression.trim()), 2);
        let asked_at = history.now().position;
        let question = Question { query, asked_at, breakpoint: None };
        let outcome =
            self.with_other_worker(|engine| engine.go_until(vm, Aim::Search(asked_at, question), asked_at));
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

    /// Calls `work`, which uses another worker; the one that the client looks at stays stopped where it is.
    fn with_other_worker<T>(&mut self, work: impl FnOnce(&mut Engine) -> T) -> T {
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

    /// The writes to what data breakpoints watch, from the beginning up to a position; ordered per
    /// breakpoint.
    pub(super) fn writes_until(&mut self, vm: &mut Vm, until: Position) -> Result<Vec<Write>, Outcome> {
        let questions = self.placing.borrow().data.questions();
        let mut found = Vec::new();
        for question in questions {
            match self.go_until(vm, Aim::Search(until, question), until) {
                Outcome::Ended(JourneyEnd::Writes(writes)) => found.extend(writes),
                // What is watched cannot be identified in the past: it hits nothing.
                Outcome::Ended(JourneyEnd::LastChange(_)) => {}
                other => return Err(other),
            }
        }
        Ok(found)
    }

    /// The first write between two positions (exclusive) that stops the program, and the stop to report for
    /// it.
    pub(super) fn write_between(
        &mut self,
        vm: &mut Vm,
        from: Position,
        until: Position,
    ) -> Result<Option<(Position, Arrival)>, Outcome> {
        let writes = self.with_other_worker(|engine| engine.writes_until(vm, until))?;
        let hits = writes.iter().map(|write| write.hit.clone()).filter(|hit| hit.position > from);
        let first = plan::first_hit(&plan::merged(hits.collect()), |id| self.hit_condition(id));
        Ok(first.map(|(position, hit)| (position, self.arrival(hit, position, &writes))))
    }
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureKind::WrongState, format!("Cannot tell the last change: {why}"))
}

//! Where a value comes from, as the engine of the live program answers it.

use crate::api::{Failure, FailureKind, LastChangeQuery, RequestId, Response};
use crate::interp::vm::Vm;

use super::super::engine::Engine;
use super::super::time::history::{Aim, JourneyEnd};
use super::following::Outcome;

impl Engine {
    /// Answers where something got the value that it has where the client is.
    pub(in super::super) fn last_change(&mut self, vm: &mut Vm, id: RequestId, question: LastChangeQuery) {
        let answer = self.has_past("tell the last change").and_then(|()| self.search_for(vm, question));
        self.respond(id, answer);
    }

    fn search_for(&mut self, vm: &mut Vm, question: LastChangeQuery) -> Result<Response, Failure> {
        let Some(history) = &mut self.history else { return Err(failed("there is no history")) };
        // The worker with which the client looks at the past stays where it is: another one searches.
        let (past, known) = (history.past.take(), history.known);
        let standing = past.and_then(|_| history.worker.take());
        let position = past.unwrap_or(history.present).position;
        history.progress.begin(format!("Looking for the last change of {}", question.expression.trim()), 2);
        let outcome = self.go_until(vm, Aim::LastChange(position, question), position);
        if let Some(history) = self.history.as_mut().filter(|_| standing.is_some()) {
            (history.past, history.worker, history.known) = (past, standing, known);
        }
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
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureKind::WrongState, format!("Cannot tell the last change: {why}"))
}

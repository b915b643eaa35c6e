//! Finds what has printed parts of the output, by the engine of the live program.

use crate::api::{Failure, FailureKind, GetOutputSteps, OutputStep, Question, RequestId};
use crate::debug::engine::Engine;
use crate::debug::history::messages::{Aim, JourneyEnd, OutputSearch};
use crate::debug::history::relay::Outcome;
use crate::debug::history::statements::Deed;
use crate::debug::inspect::frames::location;
use crate::interp::output_watch::Printed;
use crate::interp::vm::Vm;

impl Engine {
    /// Answers the question what has printed some bytes of the output.
    pub fn output_steps(&mut self, vm: &mut Vm, id: RequestId, question: &GetOutputSteps) {
        let answer = self.has_past("tell what has printed").and_then(|()| {
            let label = "Looking for what has printed the output";
            self.history.iter_mut().for_each(|history| history.progress.begin(label, 2));
            self.with_other_worker(|engine| engine.printed(vm, &question.offsets))
        });
        self.end_progress();
        self.respond(id, answer.map(GetOutputSteps::response));
    }

    fn printed(&mut self, vm: &mut Vm, offsets: &[u64]) -> Result<Vec<OutputStep>, Failure> {
        let Some(history) = &self.history else { return Ok(Vec::new()) };
        let length = history.record.output_length();
        if let Some(offset) = offsets.iter().find(|offset| **offset >= length) {
            let message = match length {
                0 => "the program has not printed anything yet".into(),
                _ => format!("there is no byte {offset} of the output: it has the bytes 0 to {}", length - 1),
            };
            return Err(Failure::new(FailureKind::NotFound, message));
        }
        let mut sorted = offsets.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let Some(first) = sorted.first() else { return Ok(Vec::new()) };
        let start = history.checkpoints.last_with_output_until(*first);
        let until = history.present.position;
        let aim = Aim::Output(OutputSearch { offsets: sorted.clone(), start, until });
        let found = match self.go(vm, aim) {
            Outcome::Ended(JourneyEnd::Output(found)) if found.len() == sorted.len() => found,
            other => return Err(not_found(&other)),
        };
        // An evaluation was made at the place itself.
        let deed = |printed: &Printed| Deed {
            after: printed.after,
            depth: (!printed.by_evaluation).then_some(printed.depth),
            at: printed.at,
        };
        let deeds: Vec<Deed> = found.iter().map(deed).collect();
        let steps = self.statement_steps(vm, &deeds).map_err(|outcome| not_found(&outcome))?;
        let answer = |offset: &u64| {
            let index = sorted.binary_search(offset).ok()?;
            let (printed, (step, stopped_at)) = (found.get(index)?, *steps.get(index)?);
            let at = if printed.by_evaluation { stopped_at } else { printed.at };
            let location = location(&vm.program.sources, at);
            Some(OutputStep { offset: *offset, step, location, by_client: printed.by_evaluation })
        };
        Ok(offsets.iter().filter_map(answer).collect())
    }
}

/// The failure of a search that ended without a result.
fn not_found(outcome: &Outcome) -> Failure {
    let message = format!("Cannot tell what has printed: {}", outcome.why_nothing_was_found());
    Failure::new(FailureKind::WrongState, message)
}

//! Finds what has printed parts of the output, by the engine of the live program.

use crate::api::{Failure, FailureKind, GetOutputSteps, OutputStep};
use crate::debug::history::output::aim::FindPrinted;
use crate::debug::history::relay::Outcome;
use crate::debug::history::statements::question::{Deed, made_at_end};
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::history::visit::JourneyEnd;
use crate::debug::inspect::frames::location;
use ez_runtime::interp::output_watch::Printed;
use ez_runtime::value::Stream;

/// What is asked.
const VERB: &str = "tell what has printed";

impl TimeMachine<'_> {
    /// Answers the question what has printed some bytes of the output.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn steps_of_output(&mut self, question: &GetOutputSteps) -> Result<Vec<OutputStep>, Failure> {
        self.answer(VERB, "Looking for what has printed the output", |machine| {
            machine.printed(&question.offsets, question.stream)
        })
    }

    fn printed(&mut self, offsets: &[u64], stream: Option<Stream>) -> Result<Vec<OutputStep>, Failure> {
        let length = self.history.record.output_size().to(stream);
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
        let start = self.history.checkpoints.last_with_output_until(*first, stream);
        let until = self.history.present.position;
        let aim = FindPrinted { offsets: sorted.clone(), stream, start, until };
        let found = self.find(aim).map_err(|outcome| not_found(&outcome))?;
        if found.len() != sorted.len() {
            return Err(not_found(&Outcome::Ended(JourneyEnd::Left)));
        }
        // An evaluation was made at the place itself.
        let deed = |printed: &Printed| Deed {
            after: printed.after,
            depth: (!printed.by_evaluation).then_some(printed.depth),
            at: printed.at,
        };
        let deeds: Vec<Deed> = found.iter().map(deed).collect();
        let steps = self.statement_steps(&deeds).map_err(|outcome| not_found(&outcome))?;
        let answer = |offset: &u64| {
            let index = sorted.binary_search(offset).ok()?;
            let (printed, (step, stopped_at)) = (found.get(index)?, *steps.get(index)?);
            let at = if printed.by_evaluation { stopped_at } else { printed.at };
            let location = location(&self.vm.program.sources, at);
            let at_end = !printed.by_evaluation && made_at_end(&self.vm.program, at);
            Some(OutputStep { offset: *offset, step, location, at_end, by_client: printed.by_evaluation })
        };
        Ok(offsets.iter().filter_map(answer).collect())
    }
}

/// The failure of a search that ended without a result.
fn not_found(outcome: &Outcome) -> Failure {
    Failure::wrong_state(VERB, outcome.why_nothing_was_found())
}

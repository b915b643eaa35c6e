//! Answers the question how a statement computed its result, by the engine of the live program.

use crate::api::{Failure, FailureKind, Unfold, UnfoldTarget, Unfolded};
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::positions::plan::Back;
use crate::debug::history::relay::Outcome;
use crate::debug::history::state::StopPoint;
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::history::unfold::aim::{UnfoldStatement, UnfoldedStatement};
use crate::debug::history::unfold::visits::FindVisits;

/// What is asked.
const VERB: &str = "unfold a statement";

impl TimeMachine<'_> {
    /// Answers the question how a statement computed its result, from the client's position.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn unfold_statement(&mut self, question: &Unfold) -> Result<Box<Unfolded>, Failure> {
        let now = self.history.now();
        self.answer(VERB, "Unfolding a statement", |machine| machine.unfolded(question, now))
    }

    fn unfolded(&mut self, question: &Unfold, now: StopPoint) -> Result<Box<Unfolded>, Failure> {
        let (position, until) = self.statement_to_unfold(question, now)?;
        let found = self.find(UnfoldStatement { position, until, limits: question.limits });
        let found = found.and_then(|found| {
            if question.condition_steps { self.with_condition_steps(found) } else { Ok(found.unfolded) }
        });
        found.map(Box::new).map_err(|outcome| not_unfolded(&outcome))
    }

    /// Adds when the conditions of a statement were computed last. They are looked for in one window of the past after
    /// the other, from checkpoint to checkpoint.
    fn with_condition_steps(&mut self, found: UnfoldedStatement) -> Result<Unfolded, Outcome> {
        let UnfoldedStatement { mut unfolded, depth, heads } = found;
        let mut before = unfolded.step;
        while before > 1 && unfolded.conditions.iter().any(|condition| condition.step.is_none()) {
            let checkpoint = self.history.checkpoints.last_before(RunPosition::place(before - 1));
            let start = checkpoint.unwrap_or(RunPosition::BEGINNING);
            let statements = heads.clone();
            let visits = self.find(FindVisits { statements, depth, start, before })?;
            for (condition, head) in unfolded.conditions.iter_mut().zip(&heads) {
                let visit = visits.iter().find(|(stmt, _)| stmt == head);
                condition.step = condition.step.or(visit.map(|(_, step)| *step));
            }
            // What was carried out at the checkpoint's own place, the next run finds.
            before = if checkpoint.is_some() { start.step + 1 } else { 0 };
        }
        Ok(unfolded)
    }

    /// The place before the statement of a question, and the position at which it is to be ended if it is
    /// still in progress there.
    fn statement_to_unfold(
        &mut self,
        question: &Unfold,
        now: StopPoint,
    ) -> Result<(RunPosition, Option<RunPosition>), Failure> {
        let (present, entry) = (self.history.present.position, self.history.entry);
        if let UnfoldTarget::Step(step) = question.target {
            let position = RunPosition::place(step);
            if step == 0 || position > present {
                let steps =
                    format!("there is no step {step}: the history has the steps 1 to {}", present.step);
                return Err(Failure::new(FailureKind::NotFound, steps));
            }
            return Ok((position, (position < present).then_some(present)));
        }
        let missing = || Failure::new(FailureKind::NotFound, format!("there is no frame {}", question.frame));
        let frame = u32::try_from(question.frame).map_err(|_| missing())?;
        let depth = now.depth.checked_sub(frame).ok_or_else(missing)?;
        let is_next = question.target == UnfoldTarget::Next;
        let is_in_progress = frame > 0 || matches!(now.position.phase, Phase::Within(..));
        if is_in_progress {
            let point = StopPoint { position: now.position, depth: depth + 1 };
            let begin = self.position_before(Back::Out, point).map_err(|outcome| not_unfolded(&outcome))?;
            let begin = begin.ok_or_else(|| refused("its beginning was not found"))?;
            return Ok((begin, (!is_next).then_some(now.position)));
        }
        match (is_next, now.position.phase) {
            (true, Phase::End) => Err(refused("the program is about to end, and no statement comes next")),
            (true, _) => Ok((now.position, None)),
            (false, _) => {
                let before = self.position_before(Back::Previous, StopPoint { depth, ..now });
                let before = before.map_err(|outcome| not_unfolded(&outcome))?;
                let is_same_call = |position: &RunPosition| {
                    let mut notes = self.history.notes.recorded.notes.iter();
                    let note = notes.find(|note| note.position == *position);
                    let was_before = now.position.step >= entry && position.step < entry;
                    note.is_some_and(|note| note.depth == depth) && !was_before
                };
                let before = before
                    .filter(is_same_call)
                    .ok_or_else(|| refused("nothing has been computed in this call yet"))?;
                Ok((before, Some(now.position)))
            }
        }
    }
}

/// The failure of a journey that ended without a result.
fn not_unfolded(outcome: &Outcome) -> Failure {
    refused(&outcome.why_nothing_was_found())
}

fn refused(why: &str) -> Failure {
    Failure::wrong_state(VERB, why)
}

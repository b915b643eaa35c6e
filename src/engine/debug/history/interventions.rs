//! Changes that the client makes to the live program; they are recorded, to be repeated in the past.

use crate::api::{Container, Evaluate, Failure, Inspect, Purpose, Response, SetVariable};
use crate::debug::history::messages::{Intervention, Occasion};
use crate::debug::history::position::{Happening, Phase};
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::inspect::frames::frame_view;
use crate::debug::inspect::handles::part_expression;
use crate::debug::inspect::inspection::ChangePolicy;
use ez_runtime::value::resume_numbers;

impl TimeMachine<'_> {
    /// The part of a request that changes the program, in a form that can be repeated in another instance;
    /// `None` if it changes nothing.
    fn intervention(&mut self, request: &Inspect) -> Option<Inspect> {
        if !request.may_change() {
            return None;
        }
        match request {
            Inspect::SetVariable(SetVariable { container: Container::Frame(_), .. })
            | Inspect::SetExpression(_) => Some(request.clone()),
            Inspect::SetVariable(SetVariable {
                container: Container::Value(handle),
                name,
                value,
                limits,
            }) => {
                let held = self.engine.inspection.handles.get(*handle)?;
                let Some(whole) = &held.origin.name else {
                    let why = "a value was changed that no expression gives";
                    self.lose_history(why);
                    return None;
                };
                // It is refused if there is no such part.
                let part = part_expression(whole, &held.object, name)?;
                Some(Inspect::Evaluate(Evaluate {
                    expression: format!("{part} = {value}"),
                    frame: held.origin.frame,
                    purpose: Purpose::Plain,
                    timeout_ms: None,
                    limits: *limits,
                }))
            }
            Inspect::Evaluate(evaluate) => {
                let frame = frame_view(self.vm, self.view, evaluate.frame).ok()?;
                self.engine.inspection.may_change(&frame, &evaluate.expression).then(|| request.clone())
            }
            _ => {
                self.lose_history("the program was changed in a way that cannot be repeated");
                None
            }
        }
    }

    /// From now on, going back is not possible.
    fn lose_history(&mut self, why: &str) {
        self.history.lost = Some(why.into());
    }

    /// Handles a request about the live program, and records its changes.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    pub fn inspect_present(&mut self, request: Inspect) -> Result<Response, Failure> {
        let Some(again) = self.intervention(&request) else {
            return self.engine.inspect(self.vm, self.view, request);
        };
        let (record, position) = (self.history.record.clone(), self.history.present.position);
        let occasion = self.occasion();
        self.engine.inspection.has_run = false;
        record.keep_evaluations(true);
        let numbering = resume_numbers();
        self.engine.inspection.change_policy = ChangePolicy::Recorded;
        let answer = self.engine.inspect(self.vm, self.view, request);
        self.engine.inspection.change_policy = ChangePolicy::Allowed;
        drop(numbering);
        record.keep_evaluations(false);
        if std::mem::take(&mut self.engine.inspection.has_interrupted) {
            self.lose_history("an evaluation was interrupted that may have changed something");
        }
        match occasion {
            // It was refused before anything of it was done. What fails later may have changed something.
            _ if answer.is_err() && !self.engine.inspection.has_run => {}
            Some(occasion) => {
                self.history.interventions.push(Intervention { position, occasion, request: again });
            }
            None => self.lose_history("the program was changed in the middle of a call of the library"),
        }
        answer
    }

    /// What the live program does at the present stop; `None` in a long call of the library that does not wait for
    /// anything outside: no instance can be interrupted at the same point.
    fn occasion(&self) -> Option<Occasion> {
        match self.history.present.position.phase {
            // What the latest stop says is no matter: it may be that of a return from the past.
            Phase::Within(_, Happening::Halt) if self.engine.inspection.has_failed => Some(Occasion::Error),
            Phase::Within(_, Happening::Halt) => {
                let calls = self.history.record.count();
                self.history.waits.then_some(Occasion::Wait { calls })
            }
            Phase::Statement
            | Phase::Within(_, Happening::Return | Happening::ErrorValue(_))
            | Phase::End => Some(Occasion::Position),
        }
    }
}

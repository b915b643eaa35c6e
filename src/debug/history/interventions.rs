//! Changes that the client makes to the live program; they are recorded, to be repeated in the past.

use crate::api::{Container, Evaluate, Failure, Inspect, Purpose, Response, SetVariable, StopReason};
use crate::debug::engine::Engine;
use crate::debug::history::messages::{Intervention, Occasion};
use crate::debug::history::position::{Happening, Phase};
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::inspect::handles::part_expression;
use crate::debug::inspect::inspection::Effects;
use crate::interp::vm::Vm;
use crate::value::resume_numbers;

impl Engine {
    /// The part of a request that changes the program, in a form that can be repeated in another instance;
    /// `None` if it changes nothing.
    fn intervention(&mut self, vm: &Vm, view: &FrameView, request: &Inspect) -> Option<Inspect> {
        if !request.may_change() {
            return None;
        }
        match request {
            Inspect::SetVariable(SetVariable { container: Container::Frame(_), .. }) => Some(request.clone()),
            Inspect::SetVariable(SetVariable {
                container: Container::Value(handle),
                name,
                value,
                limits,
            }) => {
                let held = self.inspection.handles.get(*handle)?;
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
                let frame = frame_view(vm, view, evaluate.frame).ok()?;
                self.inspection.may_change(&frame, &evaluate.expression).then(|| request.clone())
            }
            _ => {
                self.lose_history("the program was changed in a way that cannot be repeated");
                None
            }
        }
    }

    /// From now on, going back is not possible.
    pub fn lose_history(&mut self, why: &str) {
        if let Some(history) = &mut self.history {
            history.lost = Some(why.into());
        }
    }

    fn inspect(&mut self, vm: &mut Vm, view: &FrameView, request: Inspect) -> Result<Response, Failure> {
        let cells = self.cells.as_mut().map(|session| &mut session.cells);
        self.inspection.inspect(vm, view, cells, request)
    }

    /// Handles a request about the live program, and records its changes.
    pub fn inspect_present(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        request: Inspect,
    ) -> Result<Response, Failure> {
        let Some(history) = &self.history else { return self.inspect(vm, view, request) };
        let (record, position) = (history.record.clone(), history.present.position);
        let Some(again) = self.intervention(vm, view, &request) else {
            return self.inspect(vm, view, request);
        };
        let occasion = self.occasion();
        record.keep_evaluations(true);
        let numbering = resume_numbers();
        self.inspection.effects = Effects::Recorded;
        let answer = self.inspect(vm, view, request);
        self.inspection.effects = Effects::Allowed;
        if std::mem::take(&mut self.inspection.has_interrupted) {
            self.lose_history("an evaluation was interrupted that may have changed something");
        }
        drop(numbering);
        record.keep_evaluations(false);
        if let Some(history) = &mut self.history {
            history.interventions.push(Intervention { position, occasion, request: again });
        }
        answer
    }

    /// What the live program does at the present stop. In a long call of the library that does not wait for
    /// anything outside, no instance can be interrupted at the same point, so the history is lost.
    fn occasion(&mut self) -> Occasion {
        let is_error = self.state.stop().is_some_and(|stop| stop.reason == StopReason::Exception);
        let Some(history) = &self.history else { return Occasion::Position };
        match history.present.position.phase {
            Phase::Within(_, Happening::Halt) if is_error => Occasion::Error,
            Phase::Within(_, Happening::Halt) if history.waits => {
                Occasion::Wait { calls: history.record.count() }
            }
            Phase::Within(_, Happening::Halt) => {
                self.lose_history("the program was changed in the middle of a call of the library");
                Occasion::Position
            }
            Phase::Statement
            | Phase::Within(_, Happening::Return | Happening::ErrorValue(_))
            | Phase::End => Occasion::Position,
        }
    }
}

//! Changes that the client makes to the live program; they are recorded, to be repeated in the past.

use crate::api::{Container, Evaluate, Failure, Inspect, Purpose, Response, SetVariable};
use crate::debug::engine::Engine;
use crate::debug::history::messages::Intervention;
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::inspect::handles::part_name;
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
                let held = self.handles.get(*handle)?;
                let Some(whole) = &held.origin.name else {
                    let why = "a value was changed that no expression gives";
                    self.lose_history(why);
                    return None;
                };
                Some(Inspect::Evaluate(Evaluate {
                    expression: format!("{} = {value}", part_name(whole, name)),
                    frame: held.origin.frame,
                    purpose: Purpose::Plain,
                    timeout_ms: None,
                    limits: *limits,
                }))
            }
            Inspect::Evaluate(evaluate) => {
                let frame = frame_view(vm, view, evaluate.frame).ok()?;
                self.may_change(&frame, &evaluate.expression).then(|| request.clone())
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
        record.keep_evaluations(true);
        let numbering = resume_numbers();
        self.is_intervening = true;
        let answer = self.inspect(vm, view, request);
        self.is_intervening = false;
        drop(numbering);
        record.keep_evaluations(false);
        if let Some(history) = &mut self.history {
            history.interventions.push(Intervention { position, request: again });
        }
        answer
    }
}

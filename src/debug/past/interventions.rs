//! What the debugger changes in the live program, kept so that it can be done again in the past.

use crate::api::{Container, Evaluate, Failure, Inspect, Purpose, Response};
use crate::interp::vm::Vm;

use super::super::engine::Engine;
use super::super::frames::{FrameView, frame_view};
use super::super::handles::part_name;
use super::super::time::history::Intervention;

impl Engine {
    /// What of a request changes the program, as it can be done again in another instance; `None` if nothing
    /// does.
    fn intervention(&mut self, vm: &Vm, view: &FrameView, request: &Inspect) -> Option<Inspect> {
        match request {
            Inspect::SetVariable { container: Container::Frame(_), .. } => Some(request.clone()),
            Inspect::SetVariable { container: Container::Value(handle), name, value, limits } => {
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
            Inspect::Evaluate(evaluate) if request.may_change() => {
                let frame = frame_view(vm, view, evaluate.frame).ok()?;
                self.may_change(&frame, &evaluate.expression).then(|| request.clone())
            }
            Inspect::Evaluate(_)
            | Inspect::Variables { .. }
            | Inspect::Children { .. }
            | Inspect::StackTrace { .. }
            | Inspect::StepTargets { .. }
            | Inspect::LastChange(_)
            | Inspect::Completions { .. } => None,
        }
    }

    /// From now on one cannot go back.
    pub(in super::super) fn lose_history(&mut self, why: &str) {
        if let Some(history) = &mut self.history {
            history.lost = Some(why.into());
        }
    }

    /// Answers a request about the live program; what changes it is kept, to be done again in the past.
    pub(in super::super) fn inspect_present(
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
        self.is_intervening = true;
        let answer = self.inspect(vm, view, request);
        self.is_intervening = false;
        record.keep_evaluations(false);
        if let Some(history) = &mut self.history {
            history.interventions.push(Intervention { position, request: again });
        }
        answer
    }
}

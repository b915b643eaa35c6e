//! Requests that inspect a stopped program.

use crate::api::{Failure, Inspect, Response};
use crate::interp::vm::Vm;

use super::completions::completions;
use super::engine::Engine;
use super::evaluate::Place;
use super::frames::{self, FrameView, frame_view};
use super::handles::{Page, stale};
use super::program::wrong;
use super::step_targets;
use super::variables::variables;

impl Engine {
    /// Carries out a request; `top` is the innermost frame.
    pub(super) fn inspect(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        request: Inspect,
    ) -> Result<Response, Failure> {
        match request {
            Inspect::Variables { frame, scope, limits } => {
                let view = frame_view(vm, top, frame)?;
                self.unshare(vm, &view, frame);
                let mut found = variables(vm, &mut self.handles, &view, frame, scope, limits);
                if frame == 0 {
                    found.iter_mut().for_each(|variable| variable.changed = self.has_changed(&variable.name));
                }
                Ok(Response::Variables(found))
            }
            Inspect::Children { handle, start, count, limits } => {
                let page =
                    self.handles.children(handle, start, count, limits).ok_or_else(|| stale(handle))?;
                let Page { parts, total } = page;
                Ok(Response::Children { children: parts, total })
            }
            Inspect::StackTrace { start, count } => Ok(Response::StackTrace {
                frames: frames::stack_trace(vm, *top, start, count),
                total: frames::frame_count(vm),
            }),
            Inspect::StepTargets { frame } => {
                let view = frame_view(vm, top, frame)?;
                let calls = step_targets::calls(&vm.program, view.func, view.stmt);
                Ok(Response::StepTargets(step_targets::described(&vm.program, &calls)))
            }
            Inspect::Evaluate(request) => {
                let view = frame_view(vm, top, request.frame)?;
                self.unshare(vm, &view, request.frame);
                let place = Place { top, view: &view, frame: request.frame };
                let result = self.evaluate(vm, place, &request);
                // Output of the evaluated code precedes the response.
                let _ = vm.host.flush();
                result.map(Response::Evaluated)
            }
            Inspect::SetVariable { container, name, value, limits } => {
                if let Some(refusal) = self.refusal_of_changes(vm) {
                    return Err(refusal);
                }
                let result = self.set_variable(vm, top, container, &name, &value, limits);
                let _ = vm.host.flush();
                result.map(Response::VariableSet)
            }
            // The engine of the live program has handled it if there is a history.
            Inspect::LastChange(_) => Err(wrong("there is no history")),
            Inspect::Completions { text, column, frame } => {
                let view = frame_view(vm, top, frame)?;
                let program = self.debugged().ok_or_else(|| wrong("no program is loaded"))?;
                let extras = self.temporaries.all();
                Ok(Response::Completions(completions(&program, &view, extras, &text, column)))
            }
        }
    }
}

//! Requests that inspect a stopped program.

use crate::api::{
    Children, Completion, CopyToGlobals, Described, Evaluate, Failure, FailureKind, GetChildren,
    GetCompletions, GetRich, GetStackTrace, GetStepTargets, GetType, GetVariables, Inspect, Inspector,
    Obstacle, Purpose, Response, RichValue, SetExpression, SetVariable, StackTrace, StepTarget, TypeText,
    Variable,
};
use crate::debug::inspect::completions::completions;
use crate::debug::inspect::evaluate::{FrameContext, TIME_LIMIT};
use crate::debug::inspect::frames::{self, FrameView, frame_view};
use crate::debug::inspect::handles::stale;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::inspect::rich::rich_value;
use crate::debug::inspect::variables::variables;
use crate::debug::program::wrong;
use crate::debug::running::step_targets::{calls_ahead, described};
use ez_language::cells::Cells;
use ez_language::check::Allowed;
use ez_runtime::interp::vm::Vm;

impl Inspection {
    /// Carries out a request; `top` is the innermost frame. `cells`: in a session of cells, what they have declared.
    pub fn inspect(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        cells: Option<&mut Cells>,
        request: Inspect,
    ) -> Result<Response, Failure> {
        request.answered_by(&mut StoppedProgram { inspection: self, vm, top, cells })
    }
}

/// A stopped program that is being inspected.
struct StoppedProgram<'a> {
    inspection: &'a mut Inspection,
    vm: &'a mut Vm,
    /// The innermost frame.
    top: &'a FrameView,
    cells: Option<&'a mut Cells>,
}

impl Inspector for StoppedProgram<'_> {
    fn variables(&mut self, question: GetVariables) -> Result<Vec<Variable>, Failure> {
        let GetVariables { frame, scope, limits } = question;
        let view = frame_view(self.vm, self.top, frame)?;
        self.inspection.unshare(self.vm, &view, frame);
        let mut found = variables(self.vm, &mut self.inspection.handles, &view, frame, scope, limits);
        if frame == 0 {
            found
                .iter_mut()
                .for_each(|variable| variable.changed = self.inspection.has_changed(&variable.name));
        }
        Ok(found)
    }

    fn children(&mut self, question: GetChildren) -> Result<Children, Failure> {
        let GetChildren { handle, start, count, limits } = question;
        let page =
            self.inspection.handles.children(handle, start, count, limits).ok_or_else(|| stale(handle))?;
        Ok(Children { children: page.parts, total: page.total })
    }

    fn stack_trace(&mut self, question: GetStackTrace) -> Result<StackTrace, Failure> {
        Ok(StackTrace {
            frames: frames::stack_trace(self.vm, *self.top, question.start, question.count),
            total: frames::frame_count(self.vm),
        })
    }

    fn step_targets(&mut self, question: GetStepTargets) -> Result<Vec<StepTarget>, Failure> {
        let view = frame_view(self.vm, self.top, question.frame)?;
        // Nothing of the statement goes on where an error ends the program.
        let ahead =
            if self.inspection.has_failed { Vec::new() } else { calls_ahead(&self.vm.program, &view) };
        let handles = &mut self.inspection.handles;
        let target = |call| described(&self.vm.program, handles.step_target(question.frame, call)?, call);
        Ok(ahead.into_iter().filter_map(target).collect())
    }

    fn evaluate(&mut self, question: Evaluate) -> Result<Described, Failure> {
        let view = frame_view(self.vm, self.top, question.frame)?;
        self.inspection.unshare(self.vm, &view, question.frame);
        let context = FrameContext { top: self.top, view: &view, frame: question.frame };
        let result = self.inspection.evaluate(self.vm, context, &question);
        // Output of the evaluated code precedes the response.
        let _ = self.vm.host.flush();
        result
    }

    fn set_variable(&mut self, question: SetVariable) -> Result<Variable, Failure> {
        if let Some(refusal) = self.inspection.refusal_of_changes(self.vm) {
            return Err(refusal);
        }
        let SetVariable { container, name, value, limits } = question;
        let result = self.inspection.set_variable(self.vm, self.top, container, &name, &value, limits);
        let _ = self.vm.host.flush();
        result
    }

    fn set_expression(&mut self, question: SetExpression) -> Result<Described, Failure> {
        if let Some(refusal) = self.inspection.refusal_of_changes(self.vm) {
            return Err(refusal);
        }
        let view = frame_view(self.vm, self.top, question.frame)?;
        self.inspection.unshare(self.vm, &view, question.frame);
        let context = FrameContext { top: self.top, view: &view, frame: question.frame };
        let result = self.inspection.set_expression(self.vm, context, &question);
        let _ = self.vm.host.flush();
        result
    }

    fn rich(&mut self, question: GetRich) -> Result<Box<RichValue>, Failure> {
        let GetRich { expression, frame } = question;
        let view = frame_view(self.vm, self.top, frame)?;
        self.inspection.unshare(self.vm, &view, frame);
        let context = FrameContext { top: self.top, view: &view, frame };
        let found = self.inspection.value_of(self.vm, context, &expression, Purpose::Look, TIME_LIMIT);
        Ok(Box::new(rich_value(&found?.0.follow())))
    }

    fn copy_to_globals(&mut self, question: CopyToGlobals) -> Result<(), Failure> {
        let CopyToGlobals { expression, frame, name } = question;
        let view = frame_view(self.vm, self.top, frame)?;
        self.inspection.unshare(self.vm, &view, frame);
        let context = FrameContext { top: self.top, view: &view, frame };
        let (value, ty) =
            self.inspection.value_of(self.vm, context, &expression, Purpose::Look, TIME_LIMIT)?;
        let no_cells = || Failure::wrong_state("copy", Obstacle::NoCells);
        let cells = self.cells.as_mut().ok_or_else(no_cells)?;
        let kept = cells.keep(&name, ty, &value.follow());
        kept.map_err(|why| Failure::new(FailureKind::BadRequest, why))
    }

    fn type_of(&mut self, question: GetType) -> Result<TypeText, Failure> {
        let GetType { expression, frame } = question;
        let view = frame_view(self.vm, self.top, frame)?;
        let program = self.inspection.program.clone().ok_or_else(|| wrong("no program is loaded"))?;
        let extras = self.inspection.temporaries.all();
        let known = program.program.sources.len();
        let checked = program.check(&view, &expression, extras, Allowed::Evaluation);
        program.program.sources.truncate(known);
        let expr = checked?.expr.ok_or_else(|| wrong("that is not an expression"))?;
        Ok(TypeText(expr.ty.typeof_name()))
    }

    fn completions(&mut self, question: GetCompletions) -> Result<Vec<Completion>, Failure> {
        let view = frame_view(self.vm, self.top, question.frame)?;
        let program = self.inspection.program.clone().ok_or_else(|| wrong("no program is loaded"))?;
        let extras = self.inspection.temporaries.all();
        Ok(completions(self.vm, &program, &view, extras, &question.text, question.column))
    }
}

//! Stops at errors: when a run-time error is raised, before it ends the program, and when an `Error` value is
//! created.

use crate::api::{ExceptionFilter, ExceptionSpec, Raised, StopReason};
use crate::debug::breakpoints::conditions::{INTERRUPTED, Verdict};
use crate::debug::engine::Engine;
use crate::debug::history::position::{Happening, Phase, RunPosition};
use crate::debug::history::visit::PositionAction;
use crate::debug::inspect::evaluate::FrameContext;
use crate::debug::inspect::frames::{self, FrameView};
use crate::debug::running::halt::{Halt, terminate};
use ez_runtime::diagnostics::Code;
use ez_runtime::interp::RunError;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Stop, Vm};
use ez_runtime::value::{Heap, Value, builtin};

impl Engine {
    /// A run-time error has happened in a frame.
    pub fn at_raised(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        error: &RunError,
    ) -> Result<Option<(FrameView, Halt)>, Stop> {
        let at = error.span;
        let stmt = error.stmt.or_else(|| vm.program.statement_around(at));
        let view = stmt.and_then(|stmt| {
            let func = vm.program.statement(stmt)?.func;
            Some(FrameView { fp, func, stmt, at, back_edge: false })
        });
        let value = builtin::error_value(&error.message, error.code.as_str());
        if let Some(journey) = &mut self.journey {
            if !journey.visit.lets_errors_pass() {
                let why = why_it_ends(error);
                journey.raised(vm, &mut self.inspection, view.as_ref(), value, &why)?;
            }
            return Ok(None);
        }
        if let Some(history) = &mut self.history {
            history.raised.push(vm.steps.now());
        }
        let Some(view) = view else { return Ok(None) };
        let raised = Raised {
            filter: ExceptionFilter::Uncaught,
            message: error.message.clone(),
            code: Some(error.code.as_str().to_string()),
            help: error.help.clone(),
            stack: Vec::new(),
        };
        let filter = ExceptionFilter::Uncaught;
        let mut specs = self.breakpoints.borrow().exceptions.of(filter);
        if specs.is_empty() && self.record.is_some() {
            // What it does in the end is to be seen before it is over.
            specs.push(ExceptionSpec::UNCAUGHT);
        }
        if specs.is_empty() {
            return Ok(None);
        }
        let phase = Phase::within(vm.depth(), Happening::Halt);
        self.at_error(vm, view, value, raised, &specs, phase)
    }

    /// An `Error` value has come into being.
    pub fn at_error_value(&mut self, vm: &mut Vm, error: &Value) -> Result<Option<(FrameView, Halt)>, Stop> {
        let Some((fp, stmt, at)) = vm.native_at else { return Ok(None) };
        let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { return Ok(None) };
        let view = FrameView { fp, func, stmt, at, back_edge: false };
        let number = self.run.error_values.count(vm.steps.now(), vm.depth());
        let phase = Phase::within(vm.depth(), Happening::ErrorValue(number));
        let filter = ExceptionFilter::ErrorValue;
        let mut specs = self.breakpoints.borrow().exceptions.of(filter);
        let position = RunPosition { step: vm.steps.now(), phase };
        let action = match &mut self.journey {
            Some(journey) => journey.error_value(vm, &mut self.inspection, &view, position, error)?,
            None => PositionAction::Proceed,
        };
        match action {
            PositionAction::Arrive(_) => specs = vec![ExceptionSpec { filter, condition: None }],
            PositionAction::Proceed if !specs.is_empty() => {}
            PositionAction::Proceed | PositionAction::Pass => return Ok(None),
            PositionAction::End => return Err(terminate(vm)),
        }
        let (message, code) = texts(error);
        let raised = Raised { filter, message, code, help: None, stack: Vec::new() };
        self.at_error(vm, view, error.clone(), raised, &specs, phase)
    }

    fn at_error(
        &mut self,
        vm: &mut Vm,
        view: FrameView,
        error: Value,
        raised: Raised,
        specs: &[ExceptionSpec],
        phase: Phase,
    ) -> Result<Option<(FrameView, Halt)>, Stop> {
        let added = self.inspection.name_error(vm, error);
        let verdict = match added {
            Ok(()) => self.is_wanted(vm, &view, specs)?,
            Err(_) => Verdict::Hit,
        };
        let text = match verdict {
            Verdict::Hit => None,
            Verdict::Pass => {
                self.inspection.temporaries.pop(vm);
                return Ok(None);
            }
            Verdict::Failed(why) => Some(why),
            // The program stops at the error, which may end it.
            Verdict::Paused => Some(INTERRUPTED.into()),
        };
        let position = RunPosition { step: vm.steps.now(), phase };
        if self.journey.as_mut().is_some_and(|journey| journey.visit.hits(position, text.as_deref())) {
            self.inspection.temporaries.pop(vm);
            return Ok(None);
        }
        let stack = frames::stack_trace(vm, view, 0, MAX_FRAMES);
        let raised = Some(Raised { stack, ..raised });
        Ok(Some((view, Halt { text, raised, phase, ..StopReason::Exception.into() })))
    }

    /// Whether one of these filters has no condition, or one that is true.
    fn is_wanted(&mut self, vm: &mut Vm, view: &FrameView, specs: &[ExceptionSpec]) -> Result<Verdict, Stop> {
        for spec in specs {
            let Some(condition) = &spec.condition else { return Ok(Verdict::Hit) };
            let context = FrameContext { top: view, view, frame: 0 };
            match self.condition_verdict(vm, context, condition)? {
                Verdict::Pass => {}
                verdict @ (Verdict::Hit | Verdict::Failed(_) | Verdict::Paused) => return Ok(verdict),
            }
        }
        Ok(Verdict::Pass)
    }
}

/// Why an instance of the past ends at a run-time error.
fn why_it_ends(error: &RunError) -> String {
    match error.code == Code::E5018Memory {
        // The instance needs memory beside the live program.
        true => "has not enough memory".into(),
        false => format!("fails: {}", error.message),
    }
}

/// How many frames are told with an error.
const MAX_FRAMES: usize = 20;

/// Message and code of an `Error` value.
fn texts(error: &Value) -> (String, Option<String>) {
    let Some(Heap::Struct(object)) = error.as_ref().map(|object| &**object) else {
        return (String::new(), None);
    };
    let fields = object.fields.borrow();
    let text = |index: usize| fields.get(index).map(ez_runtime::value::display).unwrap_or_default();
    let code = text(1);
    (text(0), (!code.is_empty() && code != "nil").then_some(code))
}

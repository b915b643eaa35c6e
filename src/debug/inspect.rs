//! Frames and variables of a stopped program, as data.

use crate::interp::RunError;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::Vm;
use crate::program::{FuncId, GlobalId, LocalId, Program, StmtId};
use crate::source::{SourceMap, Span};
use crate::value::{Type, Value};

use super::changes::is_shown;
use super::messages::{Frame, Location, Problem, Variable};
use super::preview::{Limits, preview};

/// Most frames in one answer.
const MAX_FRAMES: usize = 100;

/// A frame of the stopped program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameView {
    pub fp: Fp,
    pub func: FuncId,
    /// The statement it stands at, or whose call is in progress.
    pub stmt: StmtId,
    /// Where it stands.
    pub at: Span,
    /// It stands at a loop's header that came back_edge.
    pub back_edge: bool,
}

/// The frames from `top` outwards.
pub(crate) fn frames(vm: &Vm, top: FrameView, limit: usize) -> Vec<FrameView> {
    let mut found = vec![top];
    let mut fp = top.fp;
    while found.len() < limit {
        let Some(site) = vm.sites.get(vm.frames.site(fp) as usize) else { break };
        fp = fp.caller(site.offset);
        found.push(FrameView { fp, func: site.caller, stmt: site.stmt, at: site.span, back_edge: false });
    }
    found
}

/// The frames as data: the innermost hundred, and how many there are.
pub(crate) fn stack_trace(vm: &Vm, top: FrameView) -> (Vec<Frame>, usize) {
    let all = frames(vm, top, usize::MAX);
    let shown = all.iter().take(MAX_FRAMES).enumerate().map(|(index, view)| Frame {
        index,
        function: function_name(&vm.program, view.func),
        location: location(&vm.program, view.at),
    });
    (shown.collect(), all.len())
}

pub(crate) fn function_name(program: &Program, func: FuncId) -> String {
    program.function(func).map_or("?".into(), |f| f.name.to_string())
}

/// A place as path, line and column.
pub(crate) fn location(program: &Program, at: Span) -> Location {
    location_in(&program.sources, at)
}

/// A place as path, line and column.
pub(crate) fn location_in(sources: &SourceMap, at: Span) -> Location {
    match sources.get(at.file) {
        Some(file) => {
            let position = file.position(at.start);
            Location { path: file.path.clone(), line: position.line, column: position.column }
        }
        None => Location { path: Default::default(), line: 1, column: 1 },
    }
}

/// The locals that are visible in a frame, in declaration order.
pub(crate) fn visible_locals(program: &Program, view: &FrameView) -> Vec<LocalId> {
    let (Some(function), Some(info)) = (program.function(view.func), program.statement(view.stmt)) else {
        return Vec::new();
    };
    match info.loop_scope.filter(|_| view.back_edge) {
        // At a header that came back_edge the loop's own variables still have their last values.
        Some(scope) => function.visible(scope, StmtId(view.stmt.0 + 1)),
        None => function.visible(info.scope, view.stmt),
    }
}

/// Parameters and locals of a frame with their values.
pub(crate) fn locals(vm: &mut Vm, view: &FrameView) -> Vec<(LocalId, Variable)> {
    let program = vm.program.clone();
    let Some(function) = program.function(view.func) else { return Vec::new() };
    let mut found = Vec::new();
    for id in visible_locals(&program, view) {
        let Some(local) = function.local(id) else { continue };
        if !is_shown(local) {
            continue;
        }
        let value = slot_value(vm, view.fp, id.0, local.boxed, &local.ty);
        found.push((id, variable(&local.name, &value, &local.ty)));
    }
    found
}

/// The value that a slot holds, or that what it refers to holds.
pub(crate) fn slot_value(vm: &mut Vm, fp: Fp, number: u32, boxed: bool, ty: &Type) -> Value {
    if boxed {
        return vm.frames.get_ref(fp, Slot::new(number)).map_or(Value::Nil, |r| Value::Ref(r).follow());
    }
    vm.slot_value(fp, Slot::new(number), ty).follow()
}

pub(crate) fn variable(name: &str, value: &Value, ty: &Type) -> Variable {
    Variable {
        name: name.to_string(),
        value: preview(value, Limits::PREVIEW),
        type_name: type_name(value, ty),
    }
}

/// Name of a type for the protocol; where the static one is not known, of the value's kind.
pub(crate) fn type_name(value: &Value, ty: &Type) -> String {
    match ty {
        Type::Any => {
            let name = value.typeof_name();
            if value.as_array().is_some() {
                "array".into()
            } else if value.as_map().is_some() {
                "map".into()
            } else {
                name
            }
        }
        known => known.protocol_name(),
    }
}

/// Variables of a frame for `getVariables`: its locals, then the globals of its file.
pub(crate) fn variables(vm: &mut Vm, view: &FrameView) -> Vec<Variable> {
    let mut found: Vec<Variable> = locals(vm, view).into_iter().map(|(_, v)| v).collect();
    let program = vm.program.clone();
    let file = view.at.file;
    let hidden: Vec<String> = found.iter().map(|v| v.name.clone()).collect();
    for (index, global) in program.globals.iter().enumerate() {
        if global.file != file || hidden.iter().any(|name| **name == *global.name) {
            continue;
        }
        let value = vm.global_value(GlobalId(index as u32));
        found.push(variable(&global.name, &value, &global.ty));
    }
    found
}

/// A run-time error as data.
pub fn problem(program: &Program, error: &RunError) -> Problem {
    let mut stack = Vec::new();
    let mut at = error.span;
    for call in &error.calls {
        let frame = Frame {
            index: stack.len(),
            function: function_name(program, call.callee),
            location: location(program, at),
        };
        stack.push(frame);
        at = call.span;
    }
    if let Some(last) = error.calls.last() {
        let function = function_name(program, last.caller);
        stack.push(Frame { index: stack.len(), function, location: location(program, at) });
    }
    Problem {
        message: error.message.clone(),
        code: error.code,
        severity: error.code.severity(),
        location: Some(location(program, error.span)),
        help: error.help.clone(),
        stack,
    }
}

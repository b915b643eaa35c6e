//! Frames and variables of a stopped program, as data.

use std::collections::HashMap;

use crate::interp::RunError;
use crate::interp::slots::Fp;
use crate::interp::vm::{SEE_WIDE, Vm};
use crate::program::{FuncId, GlobalId, LocalId, LocalKind, Program, StmtId};
use crate::source::{SourceMap, Span};
use crate::value::{Heap, Repr, Value};

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
    /// It stands at a loop's header that came round.
    pub round: bool,
}

/// The call site number of the outermost frame.
const ROOT: u32 = u32::MAX;

/// The frames from `top` outwards.
pub(crate) fn frames(vm: &Vm, top: FrameView, limit: usize) -> Vec<FrameView> {
    let mut found = vec![top];
    let mut fp = top.fp;
    while found.len() < limit {
        let header = fp.header();
        if header == ROOT {
            break;
        }
        let Some(site) = vm.sites.get(header as usize) else { break };
        fp = fp.below(site.offset);
        found.push(FrameView { fp, func: site.caller, stmt: site.stmt, at: site.span, round: false });
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
    match info.loop_scope.filter(|_| view.round) {
        // At a header that came round the loop's own variables still have their last values.
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
        if &*local.name == "_" || local.kind == LocalKind::Hidden {
            continue;
        }
        let value = local_value(vm, view.fp, id, local.boxed, &local.ty);
        found.push((id, variable(&local.name, &value, &local.ty)));
    }
    found
}

/// What a local showed at a stop: enough to tell whether it shows something else now. Numbers and
/// strings are told by what their slots hold; only what can change in place is compared as text.
#[derive(Debug)]
pub(crate) enum Seen {
    /// A scalar slot.
    Bits(u64),
    /// A string (kept, so that no other can take its place).
    Text(crate::value::Ref),
    /// Anything else.
    Shown(String),
}

/// The local, if it is new or has changed since it was `seen`.
pub(crate) fn if_changed(
    vm: &mut Vm,
    view: &FrameView,
    id: LocalId,
    seen: &mut Vec<Option<Seen>>,
) -> Option<Variable> {
    let program = vm.program.clone();
    let local = program.function(view.func)?.local(id)?;
    if &*local.name == "_" || local.kind == LocalKind::Hidden {
        return None;
    }
    if seen.len() <= id.0 as usize {
        seen.resize_with(id.0 as usize + 1, || None);
    }
    let seen = seen.get_mut(id.0 as usize)?;
    let scalar = !local.boxed && local.ty.repr() != Repr::Ref;
    let bits = view.fp.get(id.0);
    // A slot that says "look elsewhere" may have another number there.
    if scalar && bits != SEE_WIDE as u64 {
        if matches!(seen.replace(Seen::Bits(bits)), Some(Seen::Bits(before)) if before == bits) {
            return None;
        }
        let value = local_value(vm, view.fp, id, false, &local.ty);
        return Some(variable(&local.name, &value, &local.ty));
    }
    let value = local_value(vm, view.fp, id, local.boxed, &local.ty);
    if let Value::Ref(r) = &value
        && let Heap::Str(_) = &**r
    {
        if matches!(seen, Some(Seen::Text(before)) if std::rc::Rc::ptr_eq(before, r)) {
            return None;
        }
        *seen = Some(Seen::Text(r.clone()));
        return Some(variable(&local.name, &value, &local.ty));
    }
    let now = variable(&local.name, &value, &local.ty);
    match seen.replace(Seen::Shown(now.value.clone())) {
        Some(Seen::Shown(before)) if before == now.value => None,
        _ => Some(now),
    }
}

pub(crate) fn local_value(vm: &mut Vm, fp: Fp, id: LocalId, boxed: bool, ty: &crate::value::Type) -> Value {
    if boxed {
        return fp.get_ref(id.0).map_or(Value::Nil, |r| Value::Ref(r).follow());
    }
    vm.slot_value(fp, id.0, ty).follow()
}

pub(crate) fn variable(name: &str, value: &Value, ty: &crate::value::Type) -> Variable {
    Variable {
        name: name.to_string(),
        value: preview(value, Limits::PREVIEW),
        type_name: type_name(value, ty),
    }
}

/// Name of a type for the protocol; where the static one is not known, of the value's kind.
pub(crate) fn type_name(value: &Value, ty: &crate::value::Type) -> String {
    use crate::value::Type;
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

/// All globals that can change, by number.
pub(crate) fn globals(vm: &mut Vm) -> HashMap<u32, Variable> {
    let program = vm.program.clone();
    let mut found = HashMap::new();
    for (index, global) in program.globals.iter().enumerate().filter(|(_, g)| !g.constant) {
        let value = vm.global_value(GlobalId(index as u32));
        found.insert(index as u32, variable(&global.name, &value, &global.ty));
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

//! Resolves the expression of a search, at the position where the question was asked.

use crate::api::{Failure, FailureKind, GetChanges, Purpose};
use crate::debug::breakpoints::data::WatchTarget;
use crate::debug::history::changes::search::Resolved;
use crate::debug::history::changes::subject::{PortableSubject, Subject};
use crate::debug::inspect::effects::effect;
use crate::debug::inspect::evaluate::{Deadline, FrameContext, TIME_LIMIT};
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::inspect::handles::Origin;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::inspect::undeclared::refuse_undeclared;
use crate::debug::program::{DebuggedProgram, wrong};
use ez_language::check::{Allowed, Fragment};
use ez_runtime::interp::slots::Slot;
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::{self, WatchedVariable};
use ez_runtime::program::{Expr, ExprKind};
use ez_runtime::value::{Heap, PartKey, Ref, Value, object_number};

/// Resolves the expression of a question; `top` is the innermost frame.
pub fn resolved(
    inspection: &mut Inspection,
    vm: &mut Vm,
    top: &FrameView,
    question: &GetChanges,
) -> Result<Resolved, Failure> {
    let view = frame_view(vm, top, question.frame)?;
    inspection.unshare(vm, &view, question.frame);
    let context = FrameContext { top, view: &view, frame: question.frame };
    let target = target(inspection, vm, context, &question.expression)?;
    let value = match inspection.value_of(vm, context, &question.expression, Purpose::Look, TIME_LIMIT) {
        Ok(value) => Some(value),
        // An entry that was removed has a last change, too.
        Err(_) if matches!(&target, WatchTarget::Part(_, PartKey::Entry(_))) => None,
        Err(failure) => return Err(failure),
    };
    let value = value.map(|(value, ty)| {
        let origin = Origin { frame: question.frame, name: None };
        inspection.handles.describe(&value.follow(), &ty, question.limits, origin).without_handle()
    });
    let depth = vm.depth().saturating_sub(question.frame as u32);
    Ok(Resolved { subject: subject(vm, target, &question.expression, depth)?, value })
}

/// The variable or part that an expression refers to.
fn target(
    inspection: &mut Inspection,
    vm: &mut Vm,
    context: FrameContext,
    text: &str,
) -> Result<WatchTarget, Failure> {
    let Some(program) = inspection.program.clone() else { return Err(wrong("no program is loaded")) };
    let sources = vm.program.sources.clone();
    let (known_sources, known_sites) = (sources.len(), vm.sites.len());
    let target = checked_target(inspection, vm, &program, context, text);
    vm.sites.truncate(known_sites);
    sources.truncate(known_sources);
    target
}

fn checked_target(
    inspection: &mut Inspection,
    vm: &mut Vm,
    program: &DebuggedProgram,
    context: FrameContext,
    text: &str,
) -> Result<WatchTarget, Failure> {
    let fragment = program.check(context.view, text, inspection.temporaries.all(), Allowed::Evaluation)?;
    refuse_undeclared(vm, &fragment)?;
    if let Some(effect) = effect(&program.program, context.view.func, &fragment) {
        return Err(wrong(format!("not evaluated, since it has an effect: {effect}")));
    }
    let none = || wrong(format!("{} is not a variable, field, element or entry", text.trim()));
    let expr = match fragment.expr.as_ref().ok_or_else(none)? {
        // A field that is looked up by its name, and checked when it is read.
        Expr { kind: ExprKind::Store(field, _), .. } if matches!(field.kind, ExprKind::FieldNamed(..)) => {
            field
        }
        expr => expr,
    };
    let mut value = |expr: &Expr| part_value(inspection, vm, program, context, &fragment, expr);
    if let ExprKind::Local(local) = expr.kind {
        let (fp, func) = (context.view.fp, context.view.func);
        return Ok(WatchTarget::Variable(WatchedVariable::Local { fp, func, local }));
    }
    if let ExprKind::Global(global) = expr.kind {
        return Ok(WatchTarget::Variable(WatchedVariable::Global(global)));
    }
    let (base, key) = if let ExprKind::Index(base, index) = &expr.kind {
        let (base, index) = (value(base)?, value(index)?);
        let key = base.as_ref().and_then(|object| indexed(object, &index));
        (base, key)
    } else if let ExprKind::Field(base, field) = &expr.kind {
        (value(base)?, Some(PartKey::Field(*field)))
    } else if let ExprKind::FieldNamed(base, name) = &expr.kind {
        let base = value(base)?;
        let field = base.as_struct().and_then(|object| object.def.field_index(name));
        (base, field.map(|field| PartKey::Field(field as u32)))
    } else {
        return Err(none());
    };
    let (object, key) = base.as_ref().zip(key).ok_or_else(none)?;
    Ok(WatchTarget::Part(object.clone(), key))
}

/// The value of a checked subexpression.
fn part_value(
    inspection: &mut Inspection,
    vm: &mut Vm,
    program: &DebuggedProgram,
    context: FrameContext,
    whole: &Fragment,
    expr: &Expr,
) -> Result<Value, Failure> {
    let part = Fragment {
        expr: Some(expr.clone()),
        stmts: Vec::new(),
        declared: None,
        statements: whole.statements.clone(),
    };
    let deadline = Deadline::after(TIME_LIMIT);
    let runnable = inspection.compiled_fragment(vm, context, program, (&part, false), deadline)?;
    inspection.run_compiled(vm, context, &runnable, deadline).map(|(value, _)| value.follow())
}

/// What identifies the target in every run of the program; `depth` is that of its frame, if it is a local.
fn subject(vm: &Vm, target: WatchTarget, text: &str, depth: u32) -> Result<Subject, Failure> {
    let program = &vm.program;
    let (object, key, declared) = match target {
        WatchTarget::Part(object, key) => (object, key, None),
        WatchTarget::Variable(variable) => {
            let (boxed, fp, slot, subject) = match variable {
                WatchedVariable::Local { fp, func, local } => {
                    let known = program.function(func).and_then(|function| function.local(local));
                    let boxed = known.is_some_and(|local| local.boxed);
                    let begin = Some(vm.frames.step_before(fp));
                    (boxed, fp, Slot::new(local.0), Subject::Local { func, local, depth, begin })
                }
                WatchedVariable::Global(id) => {
                    let boxed = program.globals.get(id.0 as usize).is_some_and(|global| global.boxed);
                    (boxed, vm.globals, Slot::new(id.0), Subject::Global(id))
                }
            };
            if !boxed {
                return Ok(subject);
            }
            match vm.frames.get_ref(fp, slot).as_ref().and_then(watch::referred) {
                Some((object, key)) => {
                    let is_own = matches!(key, PartKey::Variable);
                    let declared = subject.creating(program).filter(|_| is_own);
                    (object, key, declared.map(|stmt| (stmt, depth)))
                }
                None => return Err(wrong(format!("{text} has no value yet"))),
            }
        }
    };
    let number = object_number(&object).ok_or_else(|| lost(text))?;
    Ok(Subject::Part { number, key, declared })
}

/// What identifies the target of a data breakpoint that is set while the program is stopped, which stays on the local
/// of that call; `None` if it cannot be named in another process.
pub(crate) fn lasting_subject(
    vm: &Vm,
    target: WatchTarget,
    text: &str,
    depth: u32,
) -> Option<PortableSubject> {
    subject(vm, target, text, depth).ok()?.portable()
}

fn lost(text: &str) -> Failure {
    let message = format!("{text} belongs to a constant, which never changes");
    Failure::new(FailureKind::NotFound, message)
}

/// The part of an array or map that an index selects.
fn indexed(object: &Ref, index: &Value) -> Option<PartKey> {
    match (&**object, index) {
        (Heap::Array(_), Value::Int(index)) => usize::try_from(*index).ok().map(PartKey::Element),
        (Heap::Array(_), Value::Byte(index)) => Some(PartKey::Element((*index).into())),
        (Heap::Map(map), key) => {
            let map = map.borrow();
            let own = map.entries.get(key).map(|_| key.clone());
            own.or_else(|| map.own_key(key)).map(PartKey::Entry)
        }
        _ => None,
    }
}

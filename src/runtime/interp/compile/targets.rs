//! Targets (expressions that can be assigned to): locating them, referring to them, and storing into them.

use std::rc::Rc;

use crate::diagnostics::{Code, constant_help};
use crate::program::{Target, TargetKind};
use crate::source::Span;
use crate::value::{Heap, Limits, Ref, Reference, Repr, Type, Value};

use crate::interp::access;
use crate::interp::arith::{Bound, in_slot};
use crate::interp::boxing::follow_ref;
use crate::interp::closures::{Closure, IntFn, ResultFn, StmtFn, closure};
use crate::interp::lvalues::{boxed_lvalue, boxed_reference, index_lvalue, nil_member, step_lvalue};
use crate::interp::slots::{Fp, Frames, Slot};
use crate::interp::targets::{Lvalue, new_variable};
use crate::interp::vm::{Exit, SEE_WIDE, Stop, Vm, Wide};

use super::Compiler;
use super::scalar_targets::ScalarTarget;
use super::stmts::statement;
use super::stores::Store;

pub type LvalueFn = ResultFn<Lvalue, Stop>;
pub type ReferenceFn = ResultFn<Ref, Stop>;

impl Compiler<'_> {
    /// Locates the target; the container is evaluated before the index. Errors of stores are reported at `at`.
    pub fn lvalue(&mut self, target: &Target, at: Span) -> LvalueFn {
        match &target.kind {
            TargetKind::Local(id) if self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                let ty = target.ty.clone();
                closure(move |vm, fp| Ok(boxed_lvalue(vm, fp, slot, &ty)))
            }
            TargetKind::Local(id) => {
                let slot = Slot::new(id.0);
                closure(move |_, fp| Ok(Lvalue::Slot(fp, slot)))
            }
            TargetKind::Global(id) => {
                let slot = Slot::new(id.0);
                let boxed = self.global_boxed(*id);
                let constant =
                    self.program.globals.get(id.0 as usize).filter(|g| g.constant).map(|g| g.name.clone());
                if let Some(name) = constant {
                    return closure(move |vm, _| {
                        let message =
                            format!("cannot assign to immutable variable '{name}' (declared as const)");
                        vm.fail_with_help(Code::E5013, message, Some(constant_help(&name)), at)
                    });
                }
                let ty = target.ty.clone();
                closure(move |vm, _| {
                    let globals = vm.globals;
                    Ok(if boxed { boxed_lvalue(vm, globals, slot, &ty) } else { Lvalue::Slot(globals, slot) })
                })
            }
            TargetKind::Index { base, index, constant } => {
                let constant = constant.clone();
                let (base, index) = (self.reference(base), self.value(index));
                closure(move |vm, fp| {
                    if let Some(name) = &constant {
                        let message =
                            format!("cannot modify immutable variable '{name}' (declared as const)");
                        return vm.fail_with_help(Code::E5006, message, Some(constant_help(name)), at);
                    }
                    let base = follow_ref(base.get(vm, fp)?);
                    let index = index.run(vm, fp)?;
                    index_lvalue(vm, base, index, at)
                })
            }
            TargetKind::Char { base, index } => {
                let (base, index) = (self.lvalue(base, at), self.value(index));
                closure(move |vm, fp| {
                    let base = base.run(vm, fp)?;
                    let index = index.run(vm, fp)?;
                    Ok(Lvalue::Char(Box::new(base), index))
                })
            }
            TargetKind::Field { base, field } => {
                let (base, field) = (self.reference(base), *field);
                closure(move |vm, fp| match follow_ref(base.get(vm, fp)?) {
                    Some(object) => Ok(Lvalue::Field(object, field)),
                    None => nil_member(vm, at),
                })
            }
            TargetKind::FieldNamed { base, name } => {
                let (base, name) = (self.reference(base), name.clone());
                closure(move |vm, fp| {
                    let Some(object) = follow_ref(base.get(vm, fp)?) else {
                        return nil_member(vm, at);
                    };
                    let field = match &*object {
                        Heap::Struct(s) => s.def.field_index(&name),
                        _ => return vm.fail(Code::E4011, "member access not supported on this value", at),
                    };
                    match field {
                        Some(field) => Ok(Lvalue::Field(object, field as u32)),
                        None => vm.fail(Code::E4003, format!("field '{name}' not found"), at),
                    }
                })
            }
        }
    }

    /// The target as a reference, for `&` parameters and `ref()`.
    pub fn target_reference(&mut self, target: &Target) -> ReferenceFn {
        match &target.kind {
            TargetKind::Local(id) if self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                let ty = target.ty.clone();
                closure(move |vm, fp| Ok(boxed_reference(vm, fp, slot, &ty)))
            }
            TargetKind::Local(id) => {
                // Only in fragments: a copy of the variable, which the caller of this copies back.
                let (slot, ty) = (Slot::new(id.0), target.ty.clone());
                closure(move |vm, fp| {
                    let value = vm.slot_value(fp, slot, &ty);
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
            TargetKind::Global(id) => {
                let (slot, ty, boxed) = (Slot::new(id.0), target.ty.clone(), self.global_boxed(*id));
                closure(move |vm, _| {
                    if boxed {
                        return Ok(boxed_reference(vm, vm.globals, slot, &ty));
                    }
                    let value = vm.slot_value(vm.globals, slot, &ty);
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
            TargetKind::Index { base, index, constant: _ } => {
                let (base, index) = (self.reference(base), self.value(index));
                closure(move |vm, fp| {
                    let base = follow_ref(base.get(vm, fp)?);
                    let index = index.run(vm, fp)?;
                    Ok(element_reference(base, index))
                })
            }
            TargetKind::Field { base, field } => {
                let name = super::values::field_name(&base.ty, *field);
                let (base, field, at) = (self.reference(base), *field, target.at);
                closure(move |vm, fp| match follow_ref(base.get(vm, fp)?) {
                    Some(object) => Ok(field_reference(object, field)),
                    None => {
                        access::named_field(vm, None, &name, at).map(|_| Rc::new(Heap::Scalar(Value::Nil)))
                    }
                })
            }
            TargetKind::FieldNamed { .. } | TargetKind::Char { .. } => {
                let at = target.at;
                let (lvalue, ty) = (self.lvalue(target, at), target.ty.clone());
                closure(move |vm, fp| {
                    let lvalue = lvalue.run(vm, fp)?;
                    if let Lvalue::Field(object, field) = lvalue {
                        return Ok(field_reference(object, field));
                    }
                    let value = lvalue.read(vm, &ty, at)?;
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
        }
    }

    /// `x++`, `x--`.
    pub fn postfix(&mut self, target: &Target, delta: i64, at: Span) -> IntFn {
        let limits = Bound::of(&target.ty).limits();
        if let Some(slot) = self.assignable_slot(target, Repr::Int) {
            let (limits, general) = (in_slot(limits), self.postfix_general(target, delta, at));
            return IntFn::new(move |vm, fp| match step_slot(&mut vm.frames, fp, slot, delta, limits) {
                Some(old) => Ok(old),
                None => general.get(vm, fp),
            });
        }
        let store = Store { ty: target.ty.clone(), value_type: Type::INT, at };
        if matches!(target.ty, Type::Int(_) | Type::Byte) {
            scalar_operand!(self, target, scalar => return IntFn::new(move |vm, fp| {
                match scalar.update::<false, _>(vm, fp, |x: i64| x.checked_add(delta).filter(|x| limits.have(*x)))? {
                    Some(old) => Ok(old),
                    None => store.step(&scalar, vm, fp, delta).take(vm),
                }
            }));
        }
        self.postfix_general(target, delta, at)
    }

    /// `x++`, `x--` as a statement.
    pub fn postfix_stmt(&mut self, target: &Target, delta: i64, at: Span) -> StmtFn {
        if let Some(slot) = self.assignable_slot(target, Repr::Int) {
            let limits = in_slot(Bound::of(&target.ty).limits());
            let general = self.postfix_general(target, delta, at);
            return statement(move |vm, fp| match step_slot(&mut vm.frames, fp, slot, delta, limits) {
                Some(_) => Ok(()),
                None => discard(vm, fp, &general),
            });
        }
        let value = self.postfix(target, delta, at);
        statement(move |vm, fp| match value.get(vm, fp) {
            Ok(_) => Ok(()),
            Err(Wide) => discarded(vm),
        })
    }

    fn postfix_general(&mut self, target: &Target, delta: i64, at: Span) -> IntFn {
        let ty = target.ty.clone();
        let lvalue = self.lvalue(target, at);
        IntFn::new(move |vm, fp| {
            let lvalue = lvalue.run(vm, fp)?;
            step_lvalue(vm, &lvalue, &ty, delta, at)
        })
    }

    /// The slot of a local integer that may be changed in place.
    pub fn assignable_slot(&self, target: &Target, repr: Repr) -> Option<Slot> {
        let TargetKind::Local(id) = target.kind else { return None };
        (!self.is_boxed(id) && target.ty.repr() == repr).then(|| Slot::new(id.0))
    }
}

/// Adds `delta` to the integer in a slot, and returns the old one; `None`, and nothing has happened, if that is large or
/// nil, or the sum is outside of the limits.
#[inline(always)]
fn step_slot(frames: &mut Frames, fp: Fp, slot: Slot, delta: i64, limits: Limits) -> Option<i64> {
    let old = frames.get(fp, slot) as i64;
    let new = old.checked_add(delta).filter(|new| old != SEE_WIDE && limits.have(*new))?;
    frames.set(fp, slot, new as u64);
    Some(old)
}

/// Evaluates an integer and ignores it.
#[inline(never)]
fn discard(vm: &mut Vm, fp: Fp, value: &IntFn) -> Result<(), Exit> {
    match value.get(vm, fp) {
        Ok(_) => Ok(()),
        Err(Wide) => discarded(vm),
    }
}

/// Ignores a pending integer, or nil.
#[cold]
#[inline(never)]
fn discarded(vm: &mut Vm) -> Result<(), Exit> {
    Ok(vm.take_value().map(drop)?)
}

/// A reference to an element or entry. If that is itself a reference, it is returned instead.
fn element_reference(base: Option<Ref>, index: Value) -> Ref {
    let Some(base) = base else { return Rc::new(Heap::Scalar(Value::Nil)) };
    let reference = match (&*base, &index) {
        (Heap::Array(_), Value::Int(i)) => Reference::Element { array: base.clone(), index: *i },
        (Heap::Map(m), _) => {
            let key = m.borrow().own_key(&index).unwrap_or_else(|| index.follow());
            Reference::Entry { map: base.clone(), key }
        }
        _ => Reference::Entry { map: base.clone(), key: index.follow() },
    };
    if matches!(&*base, Heap::Array(array) if array.borrow().data.values().is_none()) {
        return Rc::new(Heap::Reference(reference));
    }
    match reference.read() {
        Some(Value::Ref(r)) if matches!(&*r, Heap::Reference(_)) => r,
        _ => Rc::new(Heap::Reference(reference)),
    }
}

fn field_reference(object: Ref, field: u32) -> Ref {
    let reference = Reference::Field { object, field };
    match reference.read() {
        Some(Value::Ref(r)) if matches!(&*r, Heap::Reference(_)) => r,
        _ => Rc::new(Heap::Reference(reference)),
    }
}

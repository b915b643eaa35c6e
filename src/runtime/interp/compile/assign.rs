//! Assignments, plain and compound. Each frequent form has a fast path; the general one is used for all
//! others.

use crate::diagnostics::Code;
use crate::program::{ArithOp, Expr, Target, TargetKind};
use crate::source::Span;
use crate::value::{Heap, Ref, Repr, Type, Value, convert};

use crate::interp::arith::{Arithmetic, Bound, arith_values, float_if_finite, float_op, int_slow, widened};
use crate::interp::boxing::value_ref;
use crate::interp::closures::{StmtFn, Word};
use crate::interp::operand::{BoolOperand, FloatOperand, IntOperand, ObjectOperand};
use crate::interp::parts::{change, change_element};
use crate::interp::slots::{Fp, Slot};
use crate::interp::store::misfit;
use crate::interp::targets::Lvalue;
use crate::interp::vm::{Exit, SEE_WIDE, Stop, Vm, Wide, is_nil_float};

use super::stmts::statement;
use super::stores::{ElementStore, FieldStore};
use super::values::field_name;
use super::{Compiler, is_pure};

impl Compiler<'_> {
    pub fn assign(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        match &target.kind {
            TargetKind::Local(local) if !self.is_boxed(*local) && !self.fragment => {
                return self.set_slot(Slot::new(local.0), &target.ty, value);
            }
            TargetKind::Index { base, index, constant: None }
                if matches!(base.ty, Type::Array(..))
                    && index.ty.repr() == Repr::Int
                    && self.may_repeat(&[base, index]) =>
            {
                return self.assign_element(target, (base, index), value, at);
            }
            TargetKind::Index { base, index, constant: None }
                if matches!(base.ty, Type::Map(..)) && self.may_repeat(&[base, index]) =>
            {
                return self.assign_entry(target, base, index, value, at);
            }
            TargetKind::Field { base, field } => return self.assign_field(target, base, *field, value, at),
            _ => {}
        }
        self.assign_general(target, value, at)
    }

    fn assign_general(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        let ty = target.ty.clone();
        let value = self.value(value);
        let lvalue = self.lvalue(target, at);
        statement(move |vm, fp| {
            let value = value.run(vm, fp)?;
            let lvalue = lvalue.run(vm, fp)?;
            Ok(lvalue.write(vm, &ty, value, at)?)
        })
    }

    /// Whether the parts of a target may be evaluated a second time, by the slow path of a store.
    fn may_repeat(&self, parts: &[&Expr]) -> bool {
        !self.is_observing() && parts.iter().all(|e| is_pure(e))
    }

    /// `array[index] = value` where the fast path needs no conversion; array and index have no side effects.
    fn assign_element(
        &mut self,
        target: &Target,
        (base, index): (&Expr, &Expr),
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let ty = target.ty.clone();
        let slow = ElementStore { ty: ty.clone(), index: index.ty.clone(), at };
        match (ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) if value.ty.is_integer() => {
                let store = IntStore { slow, value_type: value.ty.clone() };
                if let (Some(base), Some(index)) = (self.local_object(base), self.local_int(index)) {
                    return element_operand!(self, value, value => store.statement(value, base, index));
                }
                let value = self.int(value);
                element_operands!(self, (base, index), (base, index) => store.statement(value, base, index))
            }
            (Repr::Float, Repr::Float) => {
                let value = self.float(value);
                element_operands!(self, (base, index), (base, index) => statement(move |vm, fp| {
                    let v = value.get(vm, fp)?;
                    if !is_nil_float(v)
                        && let Some(()) = change_element((&base, &index), vm, fp, |array, i| array.set_float(i, v))?
                    {
                        return Ok(());
                    }
                    slow.write_float((&base, &index), vm, fp, v)
                }))
            }
            (Repr::Bool, Repr::Bool) => {
                bool_operand!(self, value, value => element_operands!(self, (base, index), (base, index) => {
                    statement(move |vm, fp| {
                        let v = match value.get(vm, fp) {
                            Ok(v) => Some(v),
                            Err(Wide) => pending_bool(vm)?,
                        };
                        if let Some(v) = v
                            && let Some(()) = change_element((&base, &index), vm, fp, |array, i| array.set_bool(i, v))?
                        {
                            return Ok(());
                        }
                        slow.write_bool((&base, &index), vm, fp, v)
                    })
                }))
            }
            (Repr::Ref, Repr::Ref) if matches!(ty, Type::Struct(_) | Type::Str) => {
                let value = self.reference(value);
                element_operands!(self, (base, index), (base, index) => statement(move |vm, fp| {
                    let mut v = value.get(vm, fp)?;
                    if let Some(old) =
                        change_element((&base, &index), vm, fp, |array, i| array.replace_element(i, &mut v))?
                    {
                        drop(old);
                        return Ok(());
                    }
                    slow.write((&base, &index), vm, fp, crate::interp::boxing::ref_value(v))
                }))
            }
            _ => self.assign_general(target, value, at),
        }
    }

    fn assign_field(&mut self, target: &Target, base: &Expr, field: u32, value: &Expr, at: Span) -> StmtFn {
        if target.ty == Type::FLOAT && value.ty.repr() == Repr::Float && self.may_repeat(&[base]) {
            let slow = FieldStore { name: field_name(&base.ty, field), field, at };
            let value = self.float(value);
            return object_operand!(self, base, base => statement(move |vm, fp| {
                let v = value.get(vm, fp)?;
                if !is_nil_float(v)
                    && let Some(()) = change(&base, vm, fp, |object| object.update_float_field(field, |_| Some(v)))?
                {
                    return Ok(());
                }
                slow.write(&base, vm, fp, v)
            }));
        }
        self.assign_general(target, value, at)
    }

    pub fn op_assign(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        if let Some(slot) = self.assignable_slot(target, Repr::Int)
            && value.ty.repr() == Repr::Int
            && Bound::of(&target.ty) == Bound::Int
            && target.ty.is_integer()
        {
            return int_operand!(self, value, a => with_arith!(op, O => op_assign_int::<O>(slot, a, at)));
        }
        if let Some(slot) = self.assignable_slot(target, Repr::Float)
            && target.ty == Type::FLOAT
            && matches!(value.ty.repr(), Repr::Int | Repr::Float)
        {
            return float_operand!(self, value, a => with_arith!(op, O => statement(move |vm, fp| {
                let y = a.get(vm, fp)?;
                let x = f64::from_bits(vm.frames.get(fp, slot));
                let r = float_op::<O>(vm, x, y, &at)?;
                vm.frames.set(fp, slot, r.to_bits());
                Ok(())
            })));
        }
        if let Some(slot) = self.assignable_slot(target, Repr::Ref)
            && matches!((&target.ty, &value.ty, op), (Type::Str, Type::Str, ArithOp::Add))
        {
            let value = self.reference(value);
            return statement(move |vm, fp| {
                let more = value.get(vm, fp)?;
                append_to_slot(vm, fp, slot, more, at)
            });
        }
        if let TargetKind::Field { base, field } = &target.kind
            && target.ty == Type::FLOAT
            && matches!(value.ty.repr(), Repr::Int | Repr::Float)
            && self.may_repeat(&[base])
        {
            return self.op_assign_field(base, *field, op, value, at);
        }
        if let TargetKind::Index { base, index, constant: None } = &target.kind
            && matches!(base.ty, Type::Map(..))
            && target.ty == Type::INT
            && value.ty == Type::INT
            && self.may_repeat(&[base, index])
        {
            return self.op_assign_entry((base, index), op, value, at);
        }
        self.op_assign_general(target, op, value, at)
    }

    fn op_assign_field(&mut self, base: &Expr, field: u32, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        let slow = FieldStore { name: field_name(&base.ty, field), field, at };
        let value = self.float(value);
        object_operand!(self, base, base => statement(move |vm, fp| {
            let y = value.get(vm, fp)?;
            let changed = change(&base, vm, fp, |object| {
                object.update_float_field(field, |x| float_if_finite(op, x, y))
            })?;
            if changed.is_some() {
                return Ok(());
            }
            slow.change(&base, vm, fp, op, y)
        }))
    }

    fn op_assign_general(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        let (ty, value_type) = (target.ty.clone(), value.ty.clone());
        let value = self.value(value);
        let character = matches!(target.kind, TargetKind::Char { .. });
        let lvalue = self.lvalue(target, at);
        statement(move |vm, fp| {
            let y = value.run(vm, fp)?;
            let lvalue = lvalue.run(vm, fp)?;
            if character {
                // A compound operator on a character of a string is ignored.
                return Ok(lvalue.write(vm, &ty, y, at)?);
            }
            op_lvalue(vm, &lvalue, (&ty, &value_type), op, &y, at)
        })
    }
}

/// A store of an integer register to an element.
struct IntStore {
    slow: ElementStore,
    value_type: Type,
}

impl IntStore {
    fn statement(self, value: impl IntOperand, base: impl ObjectOperand, index: impl IntOperand) -> StmtFn {
        statement(move |vm, fp| {
            let v = value.get(vm, fp);
            if let Ok(v) = v
                && let Some(()) = change_element((&base, &index), vm, fp, |array, i| array.set_int(i, v))?
            {
                return Ok(());
            }
            let v = Word::new(vm, v);
            self.slow.write_int((&base, &index), vm, fp, v, &self.value_type)
        })
    }
}

/// `target op= y` on a target that was located.
pub fn op_lvalue(
    vm: &mut Vm,
    lvalue: &Lvalue,
    (ty, value_type): (&Type, &Type),
    op: ArithOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    if lvalue.is_missing_entry() {
        return Ok(vm.fail(Code::E12003, "key not found in map for compound assignment", at)?);
    }
    let x = lvalue.read(vm, ty, at)?;
    let r = typed_arith(vm, op, &x, y, (ty, value_type), at)?;
    // The result has the type of the arithmetic: that of a byte and an int does not fit every byte.
    let r = match convert(ty, r.clone()) {
        Ok(r) => r,
        Err(failure) => misfit(vm, failure, ty, &r, &lvalue.store_kind(), at)?,
    };
    Ok(lvalue.write(vm, ty, r, at)?)
}

/// The pending value as a bool; `None` for nil.
#[cold]
#[inline(never)]
fn pending_bool(vm: &mut Vm) -> Result<Option<bool>, Stop> {
    Ok(crate::interp::boxing::value_bool(&vm.take_value()?))
}

/// `slot op= a`
fn op_assign_int<O: Arithmetic>(slot: Slot, a: impl IntOperand, at: Span) -> StmtFn {
    statement(move |vm, fp| op_assign_to::<O, _>(slot, &a, &at, vm, fp))
}

#[inline(always)]
fn op_assign_to<O: Arithmetic, A: IntOperand>(
    slot: Slot,
    a: &A,
    at: &Span,
    vm: &mut Vm,
    fp: Fp,
) -> Result<(), Exit> {
    let y = if A::AT_HAND { a.at_hand(&vm.frames, &vm.mutator, fp).ok_or(Wide) } else { a.get(vm, fp) };
    let x = vm.frames.get(fp, slot) as i64;
    if x != SEE_WIDE
        && let Ok(y) = y
        && let Some(r) = O::ints(x, y)
        && r != SEE_WIDE
    {
        vm.frames.set(fp, slot, r as u64);
        return Ok(());
    }
    if A::AT_HAND {
        return op_assign_apart(O::OP, slot, a, at, vm, fp);
    }
    let y = Word::new(vm, y);
    op_int_any(vm, fp, slot, O::OP, y, at)
}

#[cold]
#[inline(never)]
fn op_assign_apart(
    op: ArithOp,
    slot: Slot,
    a: &impl IntOperand,
    at: &Span,
    vm: &mut Vm,
    fp: Fp,
) -> Result<(), Exit> {
    let y = a.get(vm, fp);
    let y = Word::new(vm, y);
    op_int_any(vm, fp, slot, op, y, at)
}

/// `slot op= y` for integers of any size, and nil.
#[cold]
#[inline(never)]
fn op_int_any(
    vm: &mut Vm,
    fp: Fp,
    slot: Slot,
    op: ArithOp,
    register: Word<i64>,
    at: &Span,
) -> Result<(), Exit> {
    let register = register.take(vm);
    let y = vm.int_value(&Type::INT, register)?;
    let x = vm.int(fp, slot);
    let x = vm.int_value(&Type::INT, x)?;
    match int_slow(vm, Some(fp), op, &x, &y, Bound::Int, *at) {
        Ok(r) => vm.set_int(fp, slot, r),
        Err(Wide) => vm.set_pending(fp, slot)?,
    }
    Ok(())
}

/// `slot += more` on strings: in place if nothing else refers to the string.
fn append_to_slot(vm: &mut Vm, fp: Fp, slot: Slot, more: Option<Ref>, at: Span) -> Result<(), Exit> {
    if let (Some(Heap::Str(_)), Some(Heap::Str(more_text))) = (vm.frames.object(fp, slot), more.as_deref())
        && let Some(own) = vm.frames.replace_ref(fp, slot, None)
    {
        let longer = super::refs::append_str(own, more_text.as_str());
        drop(vm.frames.replace_ref(fp, slot, Some(longer)));
        if vm.memory.is_low() {
            vm.check_memory(at)?;
        }
        return Ok(());
    }
    let value = |r: Option<Ref>| r.map_or(Value::Nil, Value::Ref);
    let old = value(vm.frames.get_ref(fp, slot));
    let new = arith_values(vm, ArithOp::Add, &old, &value(more), at)?;
    drop(vm.frames.replace_ref(fp, slot, value_ref(new)));
    Ok(())
}

/// Arithmetic on values with the bounds of the left operand's static type.
fn typed_arith(
    vm: &mut Vm,
    op: ArithOp,
    x: &Value,
    y: &Value,
    (left, right): (&Type, &Type),
    at: Span,
) -> Result<Value, Stop> {
    let (a, b) = (x.plain(), y.plain());
    let whole = |v: &Value| v.as_bigint().is_some();
    // An `int` may be another name for a byte.
    let (wide_a, wide_b) = (widened(&a), widened(&b));
    if left.is_integer() && whole(&wide_a) && whole(&wide_b) {
        return match int_slow(vm, None, op, &wide_a, &wide_b, Bound::of(left), at) {
            Ok(r) => Ok(Value::Int(r)),
            Err(Wide) => vm.take_value(),
        };
    }
    if let (Type::Byte, Type::Int(kind), Value::Byte(x)) = (left, right, &a)
        && whole(&b)
    {
        let bound = Bound::of(&Type::Int(*kind));
        return match int_slow(vm, None, op, &Value::Int(i64::from(*x)), &b, bound, at) {
            Ok(r) => Ok(Value::Int(r)),
            Err(Wide) => vm.take_value(),
        };
    }
    arith_values(vm, op, &a, &b, at)
}

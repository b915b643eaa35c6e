//! Targets at run time: locating them, and the operators that change them, in all cases.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::program::ArithOp;
use crate::source::Span;
use crate::value::{Heap, Ref, Type, Value, append_str, convert};

use super::absent;
use super::access::{int_register, map_key};
use super::arith::{Bound, arith_values, dispatch_int, int_slow, step, widened};
use super::defaults::default_variable;
use super::slots::{Fp, Slot};
use super::store::misfit;
use super::targets::{Lvalue, new_variable, not_indexable};
use super::vm::{Exit, Stop, Vm, Wide};

/// The error for a member of nil.
pub fn nil_member<X>(vm: &mut Vm, at: Span) -> Result<X, Stop> {
    vm.fail(Code::E4011, "member access not supported: nil", at)
}

/// A boxed variable.
pub fn boxed_lvalue(vm: &mut Vm, fp: Fp, slot: Slot, ty: &Type) -> Lvalue {
    Lvalue::Boxed(boxed_reference(vm, fp, slot, ty))
}

/// The variable in a boxed slot. It is created if the slot is not initialised (a name used before its
/// declaration has run).
pub fn boxed_reference(vm: &mut Vm, fp: Fp, slot: Slot, ty: &Type) -> Ref {
    if let Some(variable) = vm.frames.get_ref(fp, slot) {
        return variable;
    }
    let variable = new_variable(Rc::new(ty.clone()), default_variable(ty), None);
    drop(vm.frames.replace_ref(fp, slot, Some(variable.clone())));
    variable
}

/// `base[index]`.
pub fn index_lvalue(vm: &mut Vm, base: Option<Ref>, index: Value, at: Span) -> Result<Lvalue, Stop> {
    let Some(base) = base else { return not_indexable(vm, None, at) };
    match &*base {
        Heap::Map(m) => {
            let key = map_key(vm, &index, "map key must be a hashable type, got ", at)?;
            // An invalid key is refused when something is stored.
            let key = m.borrow().own_key(&key).unwrap_or(key);
            Ok(Lvalue::Entry(base, key))
        }
        Heap::Array(_) => Ok(Lvalue::Element(base, index)),
        other => not_indexable(vm, Some(other), at),
    }
}

/// `target op= y` on a target that was located.
pub fn op_lvalue(
    vm: &mut Vm,
    fp: Fp,
    lvalue: &Lvalue,
    types: (&Type, &Type),
    op: ArithOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    if let Some(key) = lvalue.missing_key() {
        return Ok(absent::compound_error(vm, key, at)?);
    }
    let (ty, _) = types;
    let x = lvalue.read(vm, ty, at)?;
    if let (Type::Str, Some(Heap::Str(_)), Some(more), ArithOp::Add) =
        (ty, x.as_ref().map(|r| &**r), y.as_str(), op)
        && let Value::Ref(text) = x
    {
        return Ok(lvalue.write(vm, ty, Value::Ref(append_str(text, more)), at)?);
    }
    let r = typed_arith(vm, fp, op, &x, y, types, at)?;
    // The result has the type of the arithmetic: that of a byte and an int does not fit every byte.
    let r = match convert(ty, r.clone()) {
        Ok(r) => r,
        Err(failure) => misfit(vm, failure, ty, &r, &lvalue.store_kind(), at)?,
    };
    Ok(lvalue.write(vm, ty, r, at)?)
}

/// Arithmetic on values with the bounds of the left operand's static type.
fn typed_arith(
    vm: &mut Vm,
    fp: Fp,
    op: ArithOp,
    x: &Value,
    y: &Value,
    (left, right): (&Type, &Type),
    at: Span,
) -> Result<Value, Stop> {
    let (a, b) = (x.plain(), y.plain());
    if let (Value::Int(x), Value::Int(y), Type::Int(_)) = (&a, &b, left)
        && let Some(r) = dispatch_int(op, *x, *y)
        && Bound::of(left).limits().have(r)
    {
        return Ok(Value::Int(r));
    }
    let whole = |v: &Value| v.as_bigint().is_some();
    // An `int` may be another name for a byte.
    let (wide_a, wide_b) = (widened(&a), widened(&b));
    if left.is_integer() && whole(&wide_a) && whole(&wide_b) {
        return match int_slow(vm, Some(fp), op, &wide_a, &wide_b, Bound::of(left), at) {
            Ok(r) => Ok(Value::Int(r)),
            Err(Wide) => vm.take_value(),
        };
    }
    if let (Type::Byte, Type::Int(kind), Value::Byte(x)) = (left, right, &a)
        && whole(&b)
    {
        let bound = Bound::of(&Type::Int(*kind));
        return match int_slow(vm, Some(fp), op, &Value::Int(i64::from(*x)), &b, bound, at) {
            Ok(r) => Ok(Value::Int(r)),
            Err(Wide) => vm.take_value(),
        };
    }
    arith_values(vm, op, &a, &b, at)
}

/// `target++` and `target--` on a target that was located; the result is the old value.
pub fn step_lvalue(vm: &mut Vm, lvalue: &Lvalue, ty: &Type, delta: i64, at: Span) -> Result<i64, Wide> {
    let old = read_for_postfix(vm, lvalue, ty, at)?;
    // An `int` may be another name for a byte.
    let old = if ty.is_integer() { widened(&old) } else { old };
    let new = step(vm, &old, delta, Bound::of(ty), at)?;
    lvalue.write(vm, ty, new, at)?;
    int_register(vm, &old)
}

fn read_for_postfix(vm: &mut Vm, lvalue: &Lvalue, ty: &Type, at: Span) -> Result<Value, Wide> {
    match lvalue {
        Lvalue::Element(array, index) => {
            let found = match (&**array, index) {
                (Heap::Array(a), Value::Int(i)) => {
                    usize::try_from(*i).ok().and_then(|i| a.borrow().data.get(i))
                }
                _ => None,
            };
            match found {
                Some(value) => Ok(value.follow()),
                None => absent::step_element_error(vm, array, index, at),
            }
        }
        Lvalue::Entry(map, key) => {
            let found = match &**map {
                Heap::Map(m) => m.borrow().entries.get(key).cloned(),
                _ => None,
            };
            match found {
                Some(value) => Ok(value.follow()),
                None => absent::step_entry_error(vm, key, at),
            }
        }
        other => Ok(other.read(vm, ty, at)?),
    }
}

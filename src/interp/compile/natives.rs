//! Library functions that are often called in hot loops, on registers instead of values. They behave exactly
//! like the library rows, which are called in all but the most frequent cases.

use crate::diagnostics::Code;
use crate::library::{self, Call, elementary};
use crate::program::{Expr, Native};
use crate::source::Span;
use crate::value::{FloatKind, IntKind, ObjectMut, Repr, Type, Value};

use crate::interp::operand::{BoxedRef, LocalRef, ObjectOperand, StmtFn};
use crate::interp::parts::change;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Pending, Stop, Vm, Wide, is_nil_float};
use crate::interp::watch;

use super::{Compiler, is_pure};

/// A function from float to float; it may fail.
pub(crate) type FloatFunction = fn(&mut Vm, f64, Span) -> Result<f64, Stop>;

/// The function `name` of @math for arguments that are numbers.
pub(crate) fn math_function(module: &str, name: &str) -> Option<FloatFunction> {
    if module != "math" {
        return None;
    }
    match name {
        "sqrt" => Some(sqrt),
        "sin" => Some(|vm, x, at| plain(vm, x, elementary::sin, at)),
        "cos" => Some(|vm, x, at| plain(vm, x, elementary::cos, at)),
        _ => None,
    }
}

#[inline]
fn sqrt(vm: &mut Vm, x: f64, at: Span) -> Result<f64, Stop> {
    if x >= 0.0 {
        return Ok(x.sqrt());
    }
    if is_nil_float(x) {
        return vm.fail(Code::E7005, "expected number, got nil", at);
    }
    if x.is_nan() {
        return Ok(x);
    }
    vm.fail(Code::E8001, "math.sqrt() cannot take negative number", at)
}

fn plain(vm: &mut Vm, x: f64, f: fn(f64) -> f64, at: Span) -> Result<f64, Stop> {
    if is_nil_float(x) {
        return vm.fail(Code::E7005, "expected number, got nil", at);
    }
    Ok(f(x))
}

/// `arrays.append(a, v)` as a statement, for one value whose type is the element type.
pub(crate) fn append(b: &mut Compiler, native: &Native, at: Span) -> Option<StmtFn> {
    if (native.module, native.row.name, native.args.len()) != ("arrays", "append", 2) || native.counted {
        return None;
    }
    let (array, value) = (native.args.first()?, native.args.get(1)?);
    let elem = array.ty.elem()?;
    if elem != &value.ty || elem.is_any() {
        return None;
    }
    let general = append_any(b, native, (array, value), at);
    Some(match (b.plain_local(array, Repr::Ref), b.boxed_local(array)) {
        (Some(slot), _) => append_scalar(b, LocalRef(slot), value, general),
        (_, Some(slot)) => append_scalar(b, BoxedRef(slot, array.at), value, general),
        _ => general,
    })
}

/// The same for an array in a variable and a scalar: reading the variable cannot fail, so the value can be
/// computed first. `general` does it in all cases.
fn append_scalar(b: &mut Compiler, array: impl ObjectOperand, value: &Expr, general: StmtFn) -> StmtFn {
    if !is_pure(value) || b.is_observing() {
        return general;
    }
    match value.ty {
        Type::Int(IntKind::Int) => {
            let value = b.int(value);
            Box::new(move |vm, fp| match value(vm, fp) {
                Ok(x) => push(vm, fp, &array, &Value::Int(x), &general),
                Err(Wide) => again(vm, fp, &general),
            })
        }
        Type::Bool => {
            let value = b.boolean(value);
            Box::new(move |vm, fp| match value(vm, fp) {
                Ok(x) => push(vm, fp, &array, &Value::Bool(x), &general),
                Err(Wide) => again(vm, fp, &general),
            })
        }
        Type::Float(FloatKind::Float) => {
            let value = b.float(value);
            Box::new(move |vm, fp| match value(vm, fp)? {
                x if is_nil_float(x) => again(vm, fp, &general),
                x => push(vm, fp, &array, &Value::Float(x), &general),
            })
        }
        _ => general,
    }
}

#[inline(always)]
fn push(
    vm: &mut Vm,
    fp: Fp,
    array: &impl ObjectOperand,
    value: &Value,
    general: &StmtFn,
) -> Result<(), Exit> {
    match change(array, vm, fp, |array| array.push(value))? {
        Some(()) => Ok(()),
        None => again(vm, fp, general),
    }
}

/// Evaluates everything in the general way, with its errors.
#[cold]
#[inline(never)]
fn again(vm: &mut Vm, fp: Fp, general: &StmtFn) -> Result<(), Exit> {
    if let Pending::Error(_) = vm.pending {
        return Err(Exit::Stop);
    }
    vm.pending = Pending::None;
    general(vm, fp)
}

fn append_any(b: &mut Compiler, native: &Native, (array, value): (&Expr, &Expr), at: Span) -> StmtFn {
    let ty = [array_type(native), value.ty.clone()];
    // An owned reference, since evaluating the value may change the variable.
    let array = b.reference(array);
    let value = b.value(value);
    let row = native.row;
    Box::new(move |vm, fp| {
        let array = array.evaluate(vm, fp)?;
        let value = value(vm, fp)?;
        if let Some(heap) = &array
            && let Some(()) = ObjectMut::new(heap, &mut vm.mutator).push(&value)
        {
            return Ok(());
        }
        if vm.memory.is_low() {
            vm.check_memory(at)?;
        }
        let array = array.map_or(Value::Nil, Value::Ref);
        let args = [array, value.follow()];
        let mut call = Call {
            module: "arrays",
            name: row.name,
            args: &args,
            types: &ty,
            result: &Type::Void,
            runtime: vm,
        };
        let result = library::invoke(row, &mut call);
        if vm.mutator.has_changes() {
            watch::locate_changes(vm, at);
        }
        match result {
            Ok(_) if vm.memory.is_low() => Ok(vm.check_memory(at)?),
            Ok(_) => Ok(()),
            Err(fail) => Ok(vm.set_pending_failure(fail, at)?),
        }
    })
}

fn array_type(native: &Native) -> Type {
    native.args.first().map_or(Type::Any, |a| a.ty.clone())
}

//! `arrays.append(a, v)`.

use crate::program::{Expr, Native};
use crate::value::{FloatKind, IntKind, ObjectMut, Ref, Repr, Type, Value};

use crate::interp::boxing::float_value;
use crate::interp::closures::{StmtFn, closure};
use crate::interp::operand::{BoxedRef, LocalRef, ObjectOperand};
use crate::interp::parts::{owned, to_change};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};

use super::natives::NativeCall;
use super::{Compiler, is_pure};

/// `arrays.append(a, v)` as a statement, for one value whose type is the element type.
pub(super) fn append(b: &mut Compiler, native: &Native, e: &Expr) -> Option<StmtFn> {
    let ("arrays", "append", [array, value]) = (native.module, native.row.name, &native.args[..]) else {
        return None;
    };
    let elem = array.ty.elem()?;
    if elem != &value.ty || elem.is_any() {
        return None;
    }
    let append = Append(b.native_call(native, e));
    if is_pure(value) && !b.is_observing() {
        match (b.plain_local(array, Repr::Ref), b.boxed_local(array)) {
            (Some(slot), _) if is_register(value) => {
                return Some(append_scalar(b, LocalRef(slot), value, append));
            }
            (_, Some(slot)) if is_register(value) => {
                return Some(append_scalar(b, BoxedRef(slot, array.at), value, append));
            }
            _ => {}
        }
    }
    // An owned reference, since evaluating the value may change the variable.
    let array = b.reference(array);
    let value = b.value(value);
    Some(closure(move |vm, fp| {
        let array = array.evaluate(vm, fp)?;
        let value = value.run(vm, fp)?;
        append.run(vm, fp, array, &value)
    }))
}

/// Whether a value is computed in a register by [`append_scalar`].
fn is_register(value: &Expr) -> bool {
    matches!(value.ty, Type::Int(IntKind::Int) | Type::Bool | Type::Float(FloatKind::Float))
}

/// Appends a scalar without side effects to an array in a variable: reading the variable cannot fail, so the
/// value can be computed first.
fn append_scalar(b: &mut Compiler, array: impl ObjectOperand, value: &Expr, append: Append) -> StmtFn {
    match value.ty.repr() {
        Repr::Float => {
            let value = b.float(value);
            closure(move |vm, fp| {
                let x = value.get(vm, fp)?;
                append.push(vm, fp, &array, &float_value(&Type::FLOAT, x))
            })
        }
        Repr::Bool => {
            let value = b.boolean(value);
            closure(move |vm, fp| match value.run(vm, fp) {
                Ok(x) => append.push(vm, fp, &array, &Value::Bool(x)),
                Err(Wide) => append.push_pending(vm, fp, &array),
            })
        }
        Repr::Int | Repr::Ref => {
            let value = b.int(value);
            closure(move |vm, fp| match value.get(vm, fp) {
                Ok(x) => append.push(vm, fp, &array, &Value::Int(x)),
                Err(Wide) => append.push_pending(vm, fp, &array),
            })
        }
    }
}

/// A call of `append` with one value.
struct Append(NativeCall);

impl Append {
    #[inline(always)]
    fn push(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand, value: &Value) -> Result<(), Exit> {
        let mut evaluated = None;
        if self.0.may_run(vm)
            && let Some(mut object) = to_change(array, &mut evaluated, false, vm, fp)?
            && let Some(()) = object.push(value)
        {
            return Ok(());
        }
        self.push_any(vm, fp, array, value)
    }

    #[cold]
    #[inline(never)]
    fn push_any(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand, value: &Value) -> Result<(), Exit> {
        let array = owned(array, vm, fp)?;
        self.run(vm, fp, array, value)
    }

    /// Appends the pending value, which no register holds.
    #[cold]
    #[inline(never)]
    fn push_pending(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand) -> Result<(), Exit> {
        let value = vm.take_value()?;
        self.push_any(vm, fp, array, &value)
    }

    /// In all cases, with the errors.
    fn run(&self, vm: &mut Vm, fp: Fp, array: Option<Ref>, value: &Value) -> Result<(), Exit> {
        if self.0.may_run(vm)
            && let Some(heap) = &array
            && let Some(()) = ObjectMut::new(heap, &mut vm.mutator).push(value)
        {
            return Ok(());
        }
        let args = [array.map_or(Value::Nil, Value::Ref), value.follow()];
        Ok(self.0.run(vm, fp, &args).map(drop)?)
    }
}

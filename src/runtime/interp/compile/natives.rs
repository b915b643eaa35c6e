//! Library functions that are often called in hot loops, on registers instead of values. They behave exactly
//! like the library rows, which are called in all but the most frequent cases.

use crate::diagnostics::Code;
use crate::library::{self, Call, elementary};
use crate::program::{Expr, Native};
use crate::source::Span;
use crate::value::{FloatKind, IntKind, ObjectMut, Ref, Repr, Type, Value};

use crate::interp::boxing::float_value;
use crate::interp::closures::{StmtFn, closure};
use crate::interp::operand::{BoxedRef, LocalRef, ObjectOperand};
use crate::interp::parts::{change, owned};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Stop, Vm, Wide, is_nil_float};
use crate::interp::watch;

use super::{Compiler, is_pure};

/// A function from float to float; it may fail.
pub type FloatFunction = fn(&mut Vm, f64, Span) -> Result<f64, Stop>;

/// The function `name` of @math for arguments that are numbers.
pub fn math_function(module: &str, name: &str) -> Option<FloatFunction> {
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

/// Whether a function never looks for an interrupt, nor at the number of the place, and never returns an `Error`: where
/// the debugger can do something in the middle of a statement, nothing may have been counted in advance.
pub(super) fn is_quiet(native: &Native) -> bool {
    let (module, name) = (native.module, native.row.name);
    math_function(module, name).is_some() || (module, name) == ("arrays", "append")
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
pub fn append(b: &mut Compiler, native: &Native, at: Span) -> Option<StmtFn> {
    if (native.module, native.row.name, native.args.len()) != ("arrays", "append", 2) || native.counted {
        return None;
    }
    let (array, value) = (native.args.first()?, native.args.get(1)?);
    let elem = array.ty.elem()?;
    if elem != &value.ty || elem.is_any() {
        return None;
    }
    let append = Append { row: native.row, types: [array_type(native), value.ty.clone()], at };
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
        append.run(vm, array, &value)
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
struct Append {
    row: &'static library::Row,
    /// The types of the arguments.
    types: [Type; 2],
    at: Span,
}

impl Append {
    #[inline(always)]
    fn push(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand, value: &Value) -> Result<(), Exit> {
        match change(array, vm, fp, |array| array.push(value))? {
            Some(()) => Ok(()),
            None => self.push_any(vm, fp, array, value),
        }
    }

    #[cold]
    #[inline(never)]
    fn push_any(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand, value: &Value) -> Result<(), Exit> {
        let array = owned(array, vm, fp)?;
        self.run(vm, array, value)
    }

    /// Appends the pending value, which no register holds.
    #[cold]
    #[inline(never)]
    fn push_pending(&self, vm: &mut Vm, fp: Fp, array: &impl ObjectOperand) -> Result<(), Exit> {
        let value = vm.take_value()?;
        self.push_any(vm, fp, array, &value)
    }

    /// In all cases, with the errors.
    fn run(&self, vm: &mut Vm, array: Option<Ref>, value: &Value) -> Result<(), Exit> {
        if let Some(heap) = &array
            && let Some(()) = ObjectMut::new(heap, &mut vm.mutator).push(value)
        {
            return Ok(());
        }
        if vm.memory.is_low() {
            vm.check_memory(self.at)?;
        }
        let args = [array.map_or(Value::Nil, Value::Ref), value.follow()];
        let mut call = Call {
            module: "arrays",
            name: self.row.name,
            args: &args,
            types: &self.types,
            result: &Type::Void,
            runtime: vm,
        };
        let result = library::invoke(self.row, &mut call);
        if vm.mutator.has_changes() {
            watch::locate_changes(vm, self.at);
        }
        match result {
            Ok(_) if vm.memory.is_low() => Ok(vm.check_memory(self.at)?),
            Ok(_) => Ok(()),
            Err(fail) => Ok(vm.set_pending_failure(fail, self.at)?),
        }
    }
}

fn array_type(native: &Native) -> Type {
    native.args.first().map_or(Type::Any, |a| a.ty.clone())
}

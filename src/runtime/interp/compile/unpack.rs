//! `temp a, b = f()` and `a, b = f()`.

use std::mem::take;
use std::rc::Rc;

use crate::diagnostics::Code;
use crate::program::{Expr, StoreKind, StoreSite, TargetKind, UnpackTarget};
use crate::source::Span;
use crate::value::{FloatKind, Heap, Type, Value, fit_small};

use crate::interp::boxing::{ref_value, value_ref};
use crate::interp::closures::StmtFn;
use crate::interp::slots::{Fp, Slot};
use crate::interp::store;
use crate::interp::vm::{Stop, Vm};

use super::Compiler;
use super::stmts::statement;

/// Stores one of the values, which it takes from its place unless it is a scalar.
type Sink = Box<dyn Fn(&mut Vm, Fp, &mut Value) -> Result<(), Stop>>;

impl Compiler<'_> {
    pub fn unpack(&mut self, targets: &[UnpackTarget], value: &Expr, at: Span) -> StmtFn {
        let value = self.reference(value);
        let count = targets.len();
        let targets: Vec<Sink> = targets.iter().map(|t| self.sink(t, at)).collect();
        statement(move |vm, fp| {
            let mut tuple = value.get(vm, fp)?;
            // The results of a call: nothing else refers to them.
            match tuple.as_mut().and_then(Rc::get_mut) {
                Some(Heap::Tuple(parts)) if parts.len() == count => {
                    for (sink, part) in targets.iter().zip(parts) {
                        sink(vm, fp, part)?;
                    }
                    vm.keep_tuple(tuple);
                }
                _ => {
                    let mut parts = parts(vm, ref_value(tuple), count, at)?;
                    for (sink, part) in targets.iter().zip(&mut parts) {
                        sink(vm, fp, part)?;
                    }
                }
            }
            Ok(())
        })
    }

    fn sink(&mut self, target: &UnpackTarget, at: Span) -> Sink {
        match target {
            UnpackTarget::Skip => Box::new(|_, _, value| {
                drop(take(value));
                Ok(())
            }),
            UnpackTarget::Declare(local) => {
                let variable = self.variable(*local, &Type::Any);
                if !variable.boxed && variable.constant.is_none() {
                    return in_slot(variable.slot, variable.ty, StoreKind::Declare, at);
                }
                Box::new(move |vm, fp, value| {
                    let constant = variable.constant.is_some();
                    let value = converted(vm, value, &variable.ty, constant, StoreKind::Declare, at)?;
                    variable.init(vm, fp, value);
                    Ok(())
                })
            }
            UnpackTarget::DeclareGlobal(global) => {
                let variable = self.global_variable(*global);
                Box::new(move |vm, _, value| {
                    let constant = variable.constant.is_some();
                    let value = converted(vm, value, &variable.ty, constant, StoreKind::Declare, at)?;
                    variable.init_global(vm, value);
                    Ok(())
                })
            }
            UnpackTarget::Assign(target) => {
                let ty = target.ty.clone();
                if let TargetKind::Local(local) = target.kind
                    && !self.is_boxed(local)
                    && !self.fragment
                {
                    return in_slot(Slot::new(local.0), Rc::new(ty), StoreKind::Assign, at);
                }
                let lvalue = self.lvalue(target, at);
                Box::new(move |vm, fp, value| {
                    let value = converted(vm, value, &ty, false, StoreKind::Assign, at)?;
                    let lvalue = lvalue.run(vm, fp)?;
                    lvalue.write(vm, &ty, value, at)
                })
            }
        }
    }
}

/// Stores in an unboxed local.
fn in_slot(slot: Slot, ty: Rc<Type>, kind: StoreKind, at: Span) -> Sink {
    Box::new(move |vm, fp, value| {
        match (&*value, &*ty) {
            (Value::Int(x), Type::Int(kind)) if fit_small(*kind, *x).is_ok() => vm.set_int(fp, slot, *x),
            // These are stored as they are.
            (Value::Float(x), Type::Float(FloatKind::Float | FloatKind::F64)) => {
                vm.frames.set(fp, slot, x.to_bits());
            }
            (Value::Bool(x), Type::Bool) => vm.frames.set(fp, slot, u64::from(*x)),
            (Value::Nil, Type::Struct(_)) => drop(vm.frames.replace_ref(fp, slot, None)),
            (Value::Ref(text), Type::Str) if matches!(&**text, Heap::Str(_)) => {
                drop(vm.frames.replace_ref(fp, slot, value_ref(take(value))));
            }
            _ => {
                let value = converted(vm, value, &ty, false, kind.clone(), at)?;
                vm.set_slot_value(fp, slot, &ty, value);
            }
        }
        Ok(())
    })
}

fn converted(
    vm: &mut Vm,
    value: &mut Value,
    ty: &Type,
    constant: bool,
    kind: StoreKind,
    at: Span,
) -> Result<Value, Stop> {
    if let (Value::Int(x), Type::Int(kind)) = (&*value, ty)
        && fit_small(*kind, *x).is_ok()
    {
        return Ok(Value::Int(*x));
    }
    let site = StoreSite { kind, at };
    let container = |v: &Value| matches!(v, Value::Ref(r) if matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)));
    // Values that nothing else refers to are then moved, not copied.
    let value = take(value).followed();
    if container(&value) {
        return Ok(ref_value(store::copy(vm, value_ref(value), ty, constant, &site)?));
    }
    store::store(vm, ty, value, &site)
}

/// The values of a tuple; error E5012 if there are not `count` of them.
fn parts(vm: &mut Vm, value: Value, count: usize, at: Span) -> Result<Vec<Value>, Stop> {
    let found = match &value {
        Value::Ref(r) => match &**r {
            Heap::Tuple(parts) => {
                if parts.len() == count {
                    return Ok(parts.to_vec());
                }
                parts.len()
            }
            _ => 1,
        },
        _ => 1,
    };
    match count {
        1 => {
            let message = format!("cannot assign {found} values to a single variable");
            vm.fail_with_help(
                Code::E5012,
                message,
                Some("write a variable for each value: temp a, b = f()".into()),
                at,
            )
        }
        _ => vm.fail(Code::E5012, format!("expected {count} values, got {found}"), at),
    }
}

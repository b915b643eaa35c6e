//! `temp a, b = f()` and `a, b = f()`.

use crate::diagnostics::Code;
use crate::program::{StoreKind, StoreSite, Target};
use crate::source::Span;
use crate::value::{Heap, Type, Value};

use crate::interp::boxing::{ref_value, value_ref};
use crate::interp::places::new_variable;
use crate::interp::slots::Fp;
use crate::interp::store;
use crate::interp::vm::{Stop, Vm};

use super::{Builder, Hook};

/// Takes one of the values.
pub(crate) type Sink = Box<dyn Fn(&mut Vm, Fp, Value) -> Result<(), Stop>>;

impl<H: Hook> Builder<'_, H> {
    pub(crate) fn sink(&mut self, target: &Target, at: Span) -> Sink {
        match target {
            Target::Skip => Box::new(|_, _, _| Ok(())),
            Target::Declare(local) => {
                let slot = local.0;
                let (ty, boxed, constant) = match self.local(*local) {
                    Some(l) => (l.ty.clone(), l.boxed, l.constant.then(|| l.name.clone())),
                    None => (Type::Any, false, None),
                };
                Box::new(move |vm, fp, value| {
                    let value = converted(vm, value, &ty, constant.is_some(), StoreKind::Declare, at)?;
                    if boxed {
                        drop(fp.replace_ref(slot, Some(new_variable(&ty, value, constant.clone()))));
                    } else {
                        vm.set_slot_value(fp, slot, &ty, value);
                    }
                    Ok(())
                })
            }
            Target::DeclareGlobal(global) => {
                let slot = global.0;
                let info = self.program.globals.get(slot as usize);
                let (ty, boxed) = info.map_or((Type::Any, false), |g| (g.ty.clone(), g.boxed));
                let constant = info.filter(|g| g.constant).map(|g| g.name.clone());
                Box::new(move |vm, _, value| {
                    let value = converted(vm, value, &ty, constant.is_some(), StoreKind::Declare, at)?;
                    vm.bind(slot);
                    let globals = vm.globals;
                    if boxed {
                        drop(globals.replace_ref(slot, Some(new_variable(&ty, value, constant.clone()))));
                    } else {
                        vm.set_slot_value(globals, slot, &ty, value);
                    }
                    Ok(())
                })
            }
            Target::Assign(place) => {
                let ty = place.ty.clone();
                let spot = self.spot(place, at);
                Box::new(move |vm, fp, value| {
                    let value = converted(vm, value, &ty, false, StoreKind::Assign, at)?;
                    let spot = spot(vm, fp)?;
                    spot.write(vm, &ty, value, at)
                })
            }
        }
    }
}

fn converted(
    vm: &mut Vm,
    value: Value,
    ty: &Type,
    constant: bool,
    kind: StoreKind,
    at: Span,
) -> Result<Value, Stop> {
    let site = StoreSite { kind, at };
    let container = |v: &Value| matches!(v, Value::Ref(r) if matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)));
    let followed = value.follow();
    // What nobody else holds is moved, not copied.
    drop(value);
    let value = followed;
    if container(&value) {
        return Ok(ref_value(store::copy(vm, value_ref(value), ty, constant, &site)?));
    }
    store::store(vm, ty, value, &site)
}

/// The `count` values of a tuple; E5012 if there are more or fewer.
pub(crate) fn parts(vm: &mut Vm, value: Value, count: usize, at: Span) -> Result<Vec<Value>, Stop> {
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
    vm.fail(Code::E5012, format!("expected {count} values, got {found}"), at)
}

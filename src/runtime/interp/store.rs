//! Stores: conversion to the type of the target, errors for values that do not fit, and copies.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::program::{StoreKind, StoreSite};
use crate::source::Span;
use crate::value::memory;
use crate::value::{
    Heap, Ref, StoreFailure, Type, Value, apart, bounds_text, convert, copy_as, deep_copy, freeze, inspect,
    misfitting_part, mismatch_text,
};

use super::slots::{Fp, Slot};
use super::vm::{Pending, Stop, Vm};

/// Converts `value` for a variable of type `ty`.
#[inline]
pub fn store(vm: &mut Vm, ty: &Type, value: Value, site: &StoreSite) -> Result<Value, Stop> {
    // A reference is stored as it is.
    if let Value::Ref(r) = &value
        && matches!(&**r, Heap::Reference(_))
        && !ty.is_any()
    {
        return store(vm, ty, value.follow(), site);
    }
    match convert(ty, value.clone()) {
        Ok(value) => Ok(value),
        Err(failure) => misfit(vm, failure, ty, &value, &site.kind, site.at),
    }
}

/// Reports a value that does not fit, or the part of it that does not.
#[cold]
#[inline(never)]
pub fn misfit<X>(
    vm: &mut Vm,
    failure: StoreFailure,
    ty: &Type,
    value: &Value,
    kind: &StoreKind,
    at: Span,
) -> Result<X, Stop> {
    let is_byte = *ty == Type::Byte;
    let (ty, value) = &misfitting_part(ty, value);
    if *kind == StoreKind::Return {
        return misfit_of_result(vm, failure, ty, value, at);
    }
    let shown = inspect(value);
    let range = match ty {
        Type::Int(kind) => format!(" (valid range: {})", bounds_text(*kind)),
        _ => String::new(),
    };
    let (code, message) = match failure {
        StoreFailure::Negative => (
            Code::E3020,
            match kind {
                StoreKind::Parameter(name) => {
                    format!(
                        "cannot pass negative value {shown} to unsigned parameter '{name}' of type '{ty}'{range}"
                    )
                }
                StoreKind::Element => format!("cannot use negative value {shown} in array of type [{ty}]"),
                _ => format!("cannot assign negative value {shown} to unsigned type '{ty}'{range}"),
            },
        ),
        StoreFailure::OutOfRange => (
            Code::E3036,
            match kind {
                StoreKind::Parameter(name) => {
                    format!("value {shown} out of range for parameter '{name}' of type '{ty}'{range}")
                }
                StoreKind::Element => {
                    format!("value {shown} out of range for array element type {ty}{range}")
                }
                _ => format!("value {shown} out of range for type '{ty}'{range}"),
            },
        ),
        StoreFailure::Byte => match kind {
            StoreKind::Declare => {
                (Code::E3020, format!("cannot assign value {shown} to byte: value must be between 0 and 255"))
            }
            StoreKind::Element => {
                (Code::E3026, format!("byte array element must be between 0 and 255: {shown}"))
            }
            StoreKind::Entry | StoreKind::Key => {
                (Code::E3026, format!("byte map element must be between 0 and 255: {shown}"))
            }
            _ => (Code::E3025, format!("byte value must be between 0 and 255: {shown}")),
        },
        StoreFailure::WrongKind => match kind {
            StoreKind::Assign | StoreKind::Field(_) if is_byte => {
                let what = if matches!(kind, StoreKind::Assign) { "variable" } else { "field" };
                (Code::E3025, format!("cannot assign {} to byte {what}", value.typeof_name()))
            }
            _ => (Code::E3001, mismatch_text(ty, value)),
        },
        StoreFailure::Copy(error) => (error.code(), error.to_string()),
    };
    vm.fail(code, message, at)
}

/// Reports a result that does not fit, at the call.
#[cold]
fn misfit_of_result<X>(
    vm: &mut Vm,
    failure: StoreFailure,
    ty: &Type,
    value: &Value,
    at: Span,
) -> Result<X, Stop> {
    let shown = inspect(value);
    let (code, message) = match failure {
        StoreFailure::Negative => {
            (Code::E3020, format!("cannot return negative value {shown} to unsigned type '{ty}'"))
        }
        StoreFailure::OutOfRange => (Code::E3036, failure.message(ty, value)),
        StoreFailure::Byte => {
            (Code::E3020, format!("cannot assign value {shown} to byte: value must be between 0 and 255"))
        }
        StoreFailure::WrongKind => {
            let (wanted, got) = apart(ty, value);
            (Code::E5024, format!("return type mismatch: expected {wanted}, got {got}"))
        }
        StoreFailure::Copy(error) => (error.code(), error.to_string()),
    };
    let result = vm.fail(code, message, at);
    if let Pending::Error(error) = &mut vm.pending {
        error.at_call = true;
    }
    result
}

/// A deep copy for a variable of type `ty`; a value that nothing else refers to is used itself.
pub fn copy(
    vm: &mut Vm,
    value: Option<Ref>,
    ty: &Type,
    constant: bool,
    site: &StoreSite,
) -> Result<Option<Ref>, Stop> {
    let Some(r) = super::boxing::follow_ref(value) else { return Ok(None) };
    if !has_type(&r, ty) {
        let value = match copy_as(ty, &Value::Ref(r.clone())) {
            Ok(value) => value,
            Err(failure) => return misfit(vm, failure, ty, &Value::Ref(r), &site.kind, site.at),
        };
        return Ok(finish(value, constant));
    }
    if is_fresh(&r) {
        return Ok(finish(Value::Ref(r), constant));
    }
    match deep_copy(&Value::Ref(r)) {
        Ok(value) => Ok(finish(value, constant)),
        Err(error) => vm.fail(error.code(), error.to_string(), site.at),
    }
}

/// Whether the object itself can be used where a copy for a variable of type `ty` is needed: nothing but the owner
/// of `r` refers to it, and no conversion is needed. `is_flat`: [`Type::is_flat`] holds for `ty`.
#[inline(always)]
pub fn is_own(r: &Ref, ty: &Type, is_flat: bool) -> bool {
    match (&**r, ty) {
        (Heap::Struct(s), Type::Struct(def)) if is_flat && Rc::ptr_eq(&s.def, def) => {
            Rc::strong_count(r) == 1 && !s.fields.is_frozen()
        }
        _ => is_fresh(r) && has_type(r, ty),
    }
}

/// Gives a dead local, which shares its object with a live value, a copy of its own, as the language demands.
/// `slot` is one of [`super::compile::Code::handed_on`]; its declaration has run.
pub fn unshare(vm: &mut Vm, fp: Fp, slot: Slot) {
    if !vm.frames.is_handed_on(fp, slot) {
        return;
    }
    // If there is no memory for the copy, the object stays shared until the next evaluation.
    if let Some(object) = vm.frames.get_ref(fp, slot)
        && let Ok(Value::Ref(copy)) = deep_copy(&Value::Ref(object))
    {
        drop(vm.frames.replace_ref(fp, slot, Some(copy)));
        vm.frames.set_handed_on(fp, slot, false);
    }
}

fn finish(value: Value, constant: bool) -> Option<Ref> {
    if constant {
        freeze(&value);
    }
    super::boxing::value_ref(value)
}

/// Whether the type of the object is exactly `ty`, so that copying needs no conversion.
pub fn has_type(r: &Ref, ty: &Type) -> bool {
    match (&**r, ty) {
        (Heap::Array(a), Type::Array(elem, _)) => elem.is_any() || *a.borrow().elem == **elem,
        (Heap::Map(m), Type::Map(key, value)) => {
            let m = m.borrow();
            (key.is_any() || *m.key == **key) && (value.is_any() || *m.value == **value)
        }
        (Heap::Struct(s), Type::Struct(def)) => Rc::ptr_eq(def, &s.def),
        (_, Type::Any) => true,
        _ => false,
    }
}

/// Depth from which on parts are looked at later: lists may have any number of nodes, each inside the one before it.
const DIRECT: u32 = 100;

/// Whether all that is reachable from `r` and can change is reachable through it only, and is not read-only.
pub fn is_fresh(r: &Ref) -> bool {
    if Rc::strong_count(r) != 1 {
        return false;
    }
    let mut later = Vec::new();
    let mut fresh = are_parts_fresh(r, 0, &mut later);
    while fresh && let Some(part) = later.pop() {
        fresh = are_parts_fresh(&part, 0, &mut later);
    }
    fresh
}

/// Like [`is_fresh`], for the parts of `r`, which is at this depth. Those in `later` are still to be looked at.
fn are_parts_fresh(r: &Ref, depth: u32, later: &mut Vec<Ref>) -> bool {
    let mut fresh = |v: &Value| match v {
        Value::Ref(r) => match &**r {
            Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) if Rc::strong_count(r) != 1 => false,
            Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) if depth < DIRECT => {
                are_parts_fresh(r, depth + 1, later)
            }
            // Without memory, a copy fails as well.
            Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) if !memory::grow(later) => false,
            Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) => {
                later.push(r.clone());
                true
            }
            Heap::Reference(_) => false,
            _ => true,
        },
        _ => true,
    };
    match &**r {
        Heap::Array(a) => {
            let is_frozen = a.is_frozen();
            let a = a.borrow();
            !is_frozen
                && match a.data.values() {
                    // Strings that are shared never change in place.
                    Some(values) => *a.elem == Type::Str || values.iter().all(&mut fresh),
                    None => true,
                }
        }
        Heap::Map(m) => !m.is_frozen() && m.borrow().entries.iter().all(|(_, v)| fresh(v)),
        Heap::Struct(s) => !s.fields.is_frozen() && s.fields.borrow().iter().all(fresh),
        _ => true,
    }
}

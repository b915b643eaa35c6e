//! Targets at run time: what is assigned to, once it has been located: variables, elements, entries, fields, characters.

use std::rc::Rc;

use crate::diagnostics::{Code, FROZEN_HELP, constant_help};
use crate::program::StoreKind;
use crate::source::Span;
use crate::value::{
    Heap, Part, Ref, Reference, Refused, Type, Value, Variable, convert, inspect_short, new_object,
};

use super::absent;
use super::access;
use super::slots::{Fp, Slot};
use super::store::misfit;
use super::vm::{Stop, Vm};
use super::watch;
use crate::value::Repr;

/// A target that was located, to be read or written.
pub enum Lvalue {
    /// A slot of a frame.
    Slot(Fp, Slot),
    /// A boxed variable, or what it refers to.
    Boxed(Ref),
    /// An element of an array.
    Element(Ref, Value),
    /// An entry of a map.
    Entry(Ref, Value),
    /// A field.
    Field(Ref, u32),
    /// A character of the string in another target.
    Char(Box<Lvalue>, Value),
}

/// A new boxed variable.
pub fn new_variable(ty: Rc<Type>, value: Value, constant: Option<Rc<str>>) -> Ref {
    new_object(Heap::Reference(Reference::Variable(Variable { ty, value, constant }.into())))
}

/// The value of a boxed local, references followed.
pub fn read_boxed(vm: &mut Vm, fp: Fp, slot: Slot, at: Span) -> Result<Value, Stop> {
    match vm.frames.get_ref(fp, slot) {
        Some(reference) => read_reference(vm, &reference, at),
        None => Ok(Value::Nil),
    }
}

/// The value that a reference leads to; error E4001 if the element or entry does not exist.
fn read_reference(vm: &mut Vm, reference: &Ref, at: Span) -> Result<Value, Stop> {
    let mut current = reference.clone();
    for _ in 0..1000 {
        let Heap::Reference(inner) = &*current else { return Ok(Value::Ref(current)) };
        let Some(value) = inner.read() else {
            return missing(vm, inner, at);
        };
        match value {
            Value::Ref(r) if matches!(&*r, Heap::Reference(_)) => current = r,
            Value::Ref(r) => match &*r {
                Heap::Scalar(inner) => return Ok(inner.clone()),
                _ => return Ok(Value::Ref(r)),
            },
            other => return Ok(other),
        }
    }
    Ok(Value::Nil)
}

/// Follows a chain of references to its end.
fn last_reference(reference: &Ref) -> Ref {
    let mut current = reference.clone();
    for _ in 0..1000 {
        let next = match &*current {
            Heap::Reference(inner) => match inner.read() {
                Some(Value::Ref(r)) if matches!(&*r, Heap::Reference(_)) => r,
                _ => return current,
            },
            _ => return current,
        };
        current = next;
    }
    current
}

impl Lvalue {
    /// The key of an entry that the map does not have.
    pub fn missing_key(&self) -> Option<&Value> {
        let Lvalue::Entry(map, key) = self else { return None };
        match &**map {
            Heap::Map(m) if !m.borrow().entries.contains(key) => Some(key),
            _ => None,
        }
    }

    /// The value in it.
    pub fn read(&self, vm: &mut Vm, ty: &Type, at: Span) -> Result<Value, Stop> {
        match self {
            Lvalue::Slot(fp, slot) => Ok(vm.slot_value(*fp, *slot, ty).follow()),
            Lvalue::Boxed(reference) => read_reference(vm, reference, at),
            Lvalue::Element(array, index) => access::element_value(vm, Some(array), index, at),
            Lvalue::Entry(map, key) => access::element_value(vm, Some(map), key, at),
            // The name is for the error where there is no object.
            Lvalue::Field(object, field) => access::field_value(vm, Some(object), (*field, ""), at),
            Lvalue::Char(base, index) => {
                let text = base.read(vm, &Type::Str, at)?;
                access::element_value(vm, text.as_ref().map(|r| &**r), index, at)
            }
        }
    }

    /// What kind of target it is, for error messages.
    pub fn store_kind(&self) -> StoreKind {
        match self {
            Lvalue::Slot(..) | Lvalue::Boxed(_) => StoreKind::Assign,
            Lvalue::Element(..) | Lvalue::Char(..) => StoreKind::Element,
            Lvalue::Entry(..) => StoreKind::Entry,
            Lvalue::Field(object, field) => {
                let name = match &**object {
                    Heap::Struct(s) => s.def.fields().get(*field as usize).map(|f| f.name.clone()),
                    _ => None,
                };
                StoreKind::Field(name.unwrap_or_else(|| "".into()))
            }
        }
    }

    /// Stores a value of the static type `ty`; checks it against the type that the target has at run time.
    pub fn write(&self, vm: &mut Vm, ty: &Type, value: Value, at: Span) -> Result<(), Stop> {
        match self {
            Lvalue::Slot(fp, slot) => {
                if ty.repr() == Repr::Ref
                    && let Some(old) = vm.frames.reference(*fp, *slot)
                    && matches!(&**old, Heap::Reference(_))
                {
                    let old = old.clone();
                    return write_reference(vm, &old, value, at);
                }
                let value = fit(vm, ty, value, &StoreKind::Assign, at)?;
                vm.set_slot_value(*fp, *slot, ty, value);
                Ok(())
            }
            Lvalue::Boxed(reference) => write_reference(vm, reference, value, at),
            Lvalue::Element(array, index) => write_element(vm, array, index, value, at),
            Lvalue::Entry(map, key) => write_entry(vm, map, key, value, at),
            Lvalue::Field(object, field) => write_field(vm, object, *field, value, at),
            Lvalue::Char(base, index) => write_char(vm, base, index, &value, at),
        }
    }
}

/// Stores through a reference.
pub fn write_reference(vm: &mut Vm, reference: &Ref, value: Value, at: Span) -> Result<(), Stop> {
    let target = last_reference(reference);
    if let Value::Ref(r) = &value
        && Rc::ptr_eq(&last_reference(r), &target)
    {
        return Ok(());
    }
    let Heap::Reference(inner) = &*target else { return Ok(()) };
    match inner {
        Reference::Variable(variable) => {
            let (ty, constant) = {
                let v = variable.borrow();
                (v.ty.clone(), v.constant.clone())
            };
            if let Some(name) = constant {
                let message = format!("cannot assign to immutable variable '{name}' (declared as const)");
                return vm.fail_with_help(Code::E5013, message, Some(constant_help(&name)), at);
            }
            let is_reference = matches!(&value, Value::Ref(r) if matches!(&**r, Heap::Reference(_)));
            let value = if is_reference { value } else { fit(vm, &ty, value, &StoreKind::Assign, at)? };
            let changed = variable.change(&mut vm.mutator, Part::One);
            let old = changed.map(|mut variable| std::mem::replace(&mut variable.value, value));
            stored(vm, old, Code::E5013, "variable", at)
        }
        Reference::Element { array, index } => {
            if inner.read().is_none() {
                return missing(vm, inner, at);
            }
            write_element(vm, array, &Value::Int(*index), value, at)
        }
        Reference::Entry { map, key } => {
            if inner.read().is_none() {
                return missing(vm, inner, at);
            }
            write_entry(vm, map, key, value, at)
        }
        Reference::Field { object, field } => write_field(vm, object, *field, value, at),
    }
}

/// Completes a store: drops the old value, now that the object is not borrowed any more, or reports why the
/// store was refused.
fn stored<X>(vm: &mut Vm, old: Result<X, Refused>, code: Code, kind: &str, at: Span) -> Result<(), Stop> {
    match old {
        Ok(_) => {
            if vm.mutator.has_changes() {
                watch::locate_changes(vm, at);
            }
            Ok(())
        }
        Err(refused) => refuse(vm, refused, code, kind, at),
    }
}

/// Reports the change of an object that must not change; `code` is the one for constants.
#[cold]
fn refuse<X>(vm: &mut Vm, refused: Refused, code: Code, kind: &str, at: Span) -> Result<X, Stop> {
    let whole = if kind == "struct" { "field of immutable struct" } else { &format!("immutable {kind}") };
    match refused {
        Refused::Frozen => {
            let message = format!("cannot modify {whole} (declared as const)");
            vm.fail_with_help(code, message, Some(FROZEN_HELP.into()), at)
        }
        Refused::Iterated | Refused::InUse => {
            vm.fail(Code::E9006, format!("cannot modify {kind} while it is in use"), at)
        }
    }
}

/// Error E4001 for a reference to an element or entry that does not exist.
fn missing<X>(vm: &mut Vm, reference: &Reference, at: Span) -> Result<X, Stop> {
    let name = vm.source_text(at);
    let help = match reference {
        Reference::Entry { key, .. } => Some(absent::entry_help(key, "store one before passing it with '&'")),
        Reference::Element { index, .. } => {
            Some(format!("the array has no element {index}: add it before passing it with '&'"))
        }
        _ => None,
    };
    vm.fail_with_help(Code::E4001Reference, format!("cannot dereference variable '{name}'"), help, at)
}

#[inline]
fn fit(vm: &mut Vm, ty: &Type, value: Value, kind: &StoreKind, at: Span) -> Result<Value, Stop> {
    match convert(ty, value.clone()) {
        Ok(value) => Ok(value),
        Err(failure) => misfit(vm, failure, ty, &value, kind, at),
    }
}

/// `array[index] = value`.
pub fn write_element(vm: &mut Vm, array: &Heap, index: &Value, value: Value, at: Span) -> Result<(), Stop> {
    match array {
        Heap::Array(a) => {
            if let Some(refused) = a.refuses(Part::One) {
                return refuse(vm, refused, Code::E5007, "array", at);
            }
            let (elem, len) = {
                let a = a.borrow();
                (a.elem.clone(), a.data.len())
            };
            let position = match index.follow() {
                Value::Int(i) => usize::try_from(i).ok().filter(|i| *i < len),
                other if other.as_bigint().is_some() => None,
                other => {
                    let message = format!("array index must be integer, got {}", other.typeof_name());
                    return vm.fail(Code::E3003, message, at);
                }
            };
            let Some(position) = position else { return write_out_of_range(vm, len, index, at) };
            let value = fit(vm, &elem, value, &StoreKind::Element, at)?;
            // If the element is a reference, the value is stored where that leads.
            let old = a.borrow().data.get(position);
            if let (Some(_), Some(Value::Ref(r))) = (a.borrow().data.values(), &old)
                && matches!(&**r, Heap::Reference(_))
            {
                let r = r.clone();
                return write_reference(vm, &r, value, at);
            }
            let changed = a.change(&mut vm.mutator, Part::Element(position));
            let old = changed.map(|mut a| a.data.set(position, value));
            stored(vm, old, Code::E5007, "array", at)
        }
        Heap::Map(_) => Err(Stop),
        other => not_indexable(vm, Some(other), at),
    }
}

#[cold]
fn write_out_of_range(vm: &mut Vm, len: usize, index: &Value, at: Span) -> Result<(), Stop> {
    let shown = inspect_short(index);
    if len == 0 {
        let message = format!(
            "index out of bounds: array is empty (length 0)\n\nAttempted to assign to index {shown}, but array has no elements\nHint: Use arrays.append() to add elements before accessing by index"
        );
        return vm.fail(Code::E9004, message, at);
    }
    let message = format!(
        "index out of bounds: attempted to assign to index {shown}, but valid range is 0-{}",
        len - 1
    );
    vm.fail(Code::E9001, message, at)
}

/// Reports a store into something that has no elements.
#[cold]
pub fn not_indexable<X>(vm: &mut Vm, heap: Option<&Heap>, at: Span) -> Result<X, Stop> {
    let kind = match heap {
        None => "nil".to_string(),
        Some(heap) => access::kind_name(heap),
    };
    vm.fail(Code::E3016, format!("index operator not supported: {kind}"), at)
}

/// `map[key] = value`.
pub fn write_entry(vm: &mut Vm, map: &Heap, key: &Value, value: Value, at: Span) -> Result<(), Stop> {
    let Heap::Map(m) = map else { return not_indexable(vm, Some(map), at) };
    if let Some(refused) = m.refuses(Part::All) {
        return refuse(vm, refused, Code::E12002, "map", at);
    }
    let (key_type, value_type) = {
        let m = m.borrow();
        (m.key.clone(), m.value.clone())
    };
    let key = access::map_key(vm, key, "map key must be a hashable type, got ", at)?;
    let key = fit(vm, &key_type, key, &StoreKind::Key, at)?;
    let value = fit(vm, &value_type, value, &StoreKind::Entry, at)?;
    let old = m.change(&mut vm.mutator, Part::All).map(|mut m| m.entries.insert(key, value));
    stored(vm, old, Code::E12002, "map", at)?;
    if vm.memory.is_low() { vm.check_memory(at) } else { Ok(()) }
}

/// `object.field = value`.
pub fn write_field(vm: &mut Vm, object: &Heap, field: u32, value: Value, at: Span) -> Result<(), Stop> {
    let Heap::Struct(s) = object else {
        return vm.fail(Code::E4011, "member access not supported on this value", at);
    };
    if let Some(refused) = s.fields.refuses(Part::One) {
        return refuse(vm, refused, Code::E5017, "struct", at);
    }
    let Some(def) = s.def.fields().get(field as usize) else { return Ok(()) };
    let value = fit(vm, &def.ty, value, &StoreKind::Field(def.name.clone()), at)?;
    let current = s.fields.borrow().get(field as usize).cloned();
    if let Some(Value::Ref(r)) = &current
        && matches!(&**r, Heap::Reference(_))
    {
        let r = r.clone();
        return write_reference(vm, &r, value, at);
    }
    let changed = s.fields.change(&mut vm.mutator, Part::Field(field));
    let old =
        changed.map(|mut fields| fields.get_mut(field as usize).map(|old| std::mem::replace(old, value)));
    stored(vm, old, Code::E5017, "struct", at)
}

fn write_char(vm: &mut Vm, base: &Lvalue, index: &Value, value: &Value, at: Span) -> Result<(), Stop> {
    let text = base.read(vm, &Type::Str, at)?;
    let text = match text.as_ref().map(|r| &**r) {
        Some(Heap::Str(text)) => text,
        other => return not_indexable(vm, other, at),
    };
    let Value::Char(c) = value.follow() else {
        let message = format!("can only assign character to string index, got {}", value.typeof_name());
        return vm.fail(Code::E3004, message, at);
    };
    let count = text.char_count();
    let position = match index {
        Value::Int(i) => usize::try_from(*i).ok().filter(|i| *i < count),
        _ => None,
    };
    let Some(position) = position else {
        let shown = inspect_short(index);
        if count == 0 {
            let message = format!(
                "index out of bounds: string is empty (length 0)\n\nAttempted to assign to index {shown}"
            );
            return vm.fail(Code::E5004, message, at);
        }
        let message = format!(
            "index out of bounds: attempted to assign to index {shown}, but valid range is 0-{}",
            count - 1
        );
        return vm.fail(Code::E5003, message, at);
    };
    let changed = Value::from(Heap::Str(text.with_char(position, c)));
    base.write(vm, &Type::Str, changed, at)
}

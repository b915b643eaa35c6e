//! Reading elements, entries, characters and fields, with their errors.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Elems, EnumValue, Heap, Mutator, Ref, Value, inspect_short};

use super::absent;
use super::boxing::{value_float, value_int};
use super::slots::peek;
use super::vm::{Pending, Stop, Vm, Wide};

/// Element `i` of an array of integers, chars or bytes, if `i` is in range and the element fits into 64 bits.
#[inline(always)]
pub fn quick_int_element(heap: &Heap, i: i64, mutator: &Mutator) -> Option<i64> {
    let Heap::Array(array) = heap else { return None };
    // A negative index is too large as an unsigned one.
    match &peek(array, mutator).data {
        Elems::Ints(all) | Elems::Scalars(_, all) => all.get(i as usize).copied(),
        Elems::Enums(all) => all.0.get(i as usize).copied(),
        Elems::Bytes(all) => all.get(i as usize).map(|b| i64::from(*b)),
        _ => None,
    }
}

/// Like [`quick_int_element`], of an array of `int`.
#[inline(always)]
pub fn element_of_ints(heap: &Heap, i: i64, mutator: &Mutator) -> Option<i64> {
    let Heap::Array(array) = heap else { return None };
    match &peek(array, mutator).data {
        Elems::Ints(all) => all.get(i as usize).copied(),
        _ => None,
    }
}

/// Like [`quick_int_element`], for all cases, with errors.
#[cold]
#[inline(never)]
pub fn int_element(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<i64, Wide> {
    // What is taken for an array of `int` may have other elements.
    if let Some(x) = heap.and_then(|heap| quick_int_element(heap, i, &vm.mutator)) {
        return Ok(x);
    }
    let value = element_value(vm, heap, &Value::Int(i), at)?;
    match value_int(&value) {
        Some(x) => Ok(x),
        None => Err(vm.set_pending_value(&value.follow())),
    }
}

/// Element `i` of an array of floats.
#[inline(always)]
pub fn quick_float_element(heap: &Heap, i: i64, mutator: &Mutator) -> Option<f64> {
    let Heap::Array(array) = heap else { return None };
    match &peek(array, mutator).data {
        Elems::Floats(all) => all.get(i as usize).copied(),
        _ => None,
    }
}

/// Like [`quick_float_element`], of an array of `f32`.
#[inline(always)]
pub fn quick_single_element(heap: &Heap, i: i64, mutator: &Mutator) -> Option<f64> {
    let Heap::Array(array) = heap else { return None };
    match &peek(array, mutator).data {
        Elems::Singles(all) => all.get(i as usize).map(|x| f64::from(*x)),
        _ => None,
    }
}

/// Like [`quick_float_element`], for all cases, with errors.
#[cold]
#[inline(never)]
pub fn float_element(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<f64, Stop> {
    Ok(value_float(&element_value(vm, heap, &Value::Int(i), at)?))
}

/// Element `i` of an array of bools.
#[inline(always)]
pub fn quick_bool_element(heap: &Heap, i: i64, mutator: &Mutator) -> Option<bool> {
    let Heap::Array(array) = heap else { return None };
    match &peek(array, mutator).data {
        Elems::Bools(all) => all.get(i as usize).copied(),
        _ => None,
    }
}

/// Like [`quick_bool_element`], for all cases, with errors.
#[cold]
#[inline(never)]
pub fn bool_element(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<bool, Wide> {
    let value = element_value(vm, heap, &Value::Int(i), at)?;
    bool_register(vm, &value)
}

/// Converts a value to a bool register; nil becomes pending.
pub fn bool_register(vm: &mut Vm, value: &Value) -> Result<bool, Wide> {
    super::boxing::value_bool(value).ok_or_else(|| {
        vm.pending = Pending::Nil;
        Wide
    })
}

/// Converts a value to an integer register; big integers and nil become pending.
#[inline]
pub fn int_register(vm: &mut Vm, value: &Value) -> Result<i64, Wide> {
    match value_int(value) {
        Some(i) => Ok(i),
        None => Err(vm.set_pending_value(&value.follow())),
    }
}

/// Element, entry or character of anything that has them.
pub fn element_value(vm: &mut Vm, heap: Option<&Heap>, index: &Value, at: Span) -> Result<Value, Stop> {
    match heap {
        Some(Heap::Array(a)) => {
            let found = match index_of(index) {
                Some(i) => usize::try_from(i).ok().and_then(|i| a.borrow().data.get(i)),
                None => None,
            };
            match found {
                Some(value) => Ok(value),
                None => index_error(vm, heap, index, at),
            }
        }
        Some(Heap::Map(m)) => {
            let found = m.borrow().entries.get(index).cloned();
            if let Some(value) = found {
                return Ok(value);
            }
            let key = map_key(vm, index, "unusable as map key: ", at)?;
            let found = m.borrow().find(&key).cloned();
            match found {
                Some(value) => Ok(value),
                None => absent::key_error(vm, &m.borrow(), &key, at),
            }
        }
        Some(Heap::Str(s)) => {
            let found = match index_of(index) {
                Some(i) => usize::try_from(i).ok().and_then(|i| s.char_at(i)),
                None => None,
            };
            match found {
                Some(c) => Ok(Value::Char(c)),
                None => index_error(vm, heap, index, at),
            }
        }
        Some(Heap::Reference(_) | Heap::Scalar(_)) | None => index_error(vm, heap, index, at),
        Some(other) => index_error(vm, Some(other), index, at),
    }
}

fn index_of(index: &Value) -> Option<i64> {
    match index {
        Value::Int(i) => Some(*i),
        Value::Ref(_) => match index.follow() {
            Value::Int(i) => Some(i),
            _ => None,
        },
        _ => None,
    }
}

/// A value as a map key, with references followed.
pub fn map_key(vm: &mut Vm, key: &Value, message: &str, at: Span) -> Result<Value, Stop> {
    let key = match key {
        Value::Ref(r) if matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => key.follow(),
        _ => key.clone(),
    };
    if crate::value::Key::hashable(&key) {
        return Ok(key);
    }
    vm.fail(Code::E12001, format!("{message}{}", key.typeof_name()), at)
}

/// The error for reading an index that does not exist, or from something that has no elements.
#[cold]
#[inline(never)]
pub fn index_error<X>(vm: &mut Vm, heap: Option<&Heap>, index: &Value, at: Span) -> Result<X, Stop> {
    let shown = inspect_short(index);
    match heap {
        Some(Heap::Array(_) | Heap::Str(_)) if index.as_bigint().is_none() => {
            vm.fail(Code::E9003Index, format!("index must be an integer, got {}", index.typeof_name()), at)
        }
        Some(Heap::Array(a)) if a.borrow().data.is_empty() => {
            let message = format!(
                "index out of bounds: array is empty (length 0)\n\nAttempted to access index {shown}, but array has no elements\nHint: Use arrays.append() to add elements before accessing by index"
            );
            vm.fail(Code::E9004, message, at)
        }
        Some(Heap::Array(a)) => {
            let last = a.borrow().data.len() - 1;
            let message = format!(
                "index out of bounds: attempted to access index {shown}, but valid range is 0-{last}"
            );
            vm.fail(Code::E9001, message, at)
        }
        Some(Heap::Str(s)) if s.as_str().is_empty() => {
            let message = format!(
                "index out of bounds: string is empty (length 0)\n\nAttempted to access index {shown}"
            );
            vm.fail(Code::E10004, message, at)
        }
        Some(Heap::Str(s)) => {
            let last = s.char_count() - 1;
            let message = format!(
                "index out of bounds: attempted to access index {shown}, but valid range is 0-{last}"
            );
            vm.fail(Code::E10003, message, at)
        }
        None => vm.fail(Code::E5015, "index operator not supported for nil", at),
        Some(other) => {
            let message = format!("index operator not supported for {}", kind_name(other));
            vm.fail(Code::E5015, message, at)
        }
    }
}

pub(super) fn kind_name(heap: &Heap) -> String {
    match heap {
        Heap::Struct(s) => s.def.name.to_string(),
        Heap::Scalar(v) => v.typeof_name(),
        Heap::Range(_) => "Range<int>".into(),
        Heap::Handle(h) => h.kind.name().into(),
        Heap::Enum(e) => e.def.name.to_string(),
        Heap::Big(_) => "int".into(),
        Heap::Str(_) => "string".into(),
        _ => "value".into(),
    }
}

/// Code point `i` of a string.
#[inline(always)]
pub fn quick_char(heap: &Heap, i: i64) -> Option<i64> {
    match heap {
        Heap::Str(text) => text.char_at(usize::try_from(i).ok()?).map(|c| i64::from(u32::from(c))),
        _ => None,
    }
}

/// Like [`quick_char`], for all cases, with errors.
pub fn char_of_string(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<i64, Wide> {
    match heap.and_then(|heap| quick_char(heap, i)) {
        Some(c) => Ok(c),
        None => Ok(index_error(vm, heap, &Value::Int(i), at)?),
    }
}

/// `len()` of anything that has a length.
#[inline(always)]
pub fn quick_length(heap: &Heap, mutator: &Mutator) -> Option<i64> {
    match heap {
        Heap::Array(array) => Some(peek(array, mutator).data.len() as i64),
        Heap::Str(text) => Some(text.char_count() as i64),
        Heap::Map(map) => Some(peek(map, mutator).entries.len() as i64),
        _ => None,
    }
}

/// `len()`.
pub fn length(vm: &mut Vm, heap: Option<&Heap>, at: Span) -> Result<i64, Wide> {
    match heap.and_then(|heap| quick_length(heap, &vm.mutator)) {
        Some(length) => Ok(length),
        None => length_error(vm, heap, at),
    }
}

#[cold]
#[inline(never)]
fn length_error(vm: &mut Vm, heap: Option<&Heap>, at: Span) -> Result<i64, Wide> {
    let kind = heap.map_or("nil".to_string(), kind_name);
    vm.fail_wide(Code::E7015, format!("len() not supported for {kind}"), at)
}

/// A field: its place in the struct, and its name for the error if there is no struct.
type Field<'n> = (u32, &'n str);

/// The fields of a struct.
#[inline(always)]
fn fields<'v>(heap: &'v Heap, mutator: &'v Mutator) -> Option<&'v [Value]> {
    match heap {
        Heap::Struct(object) => {
            let fields = &**peek(&object.fields, mutator);
            Some(fields)
        }
        _ => None,
    }
}

/// The value of a field.
#[inline(always)]
pub fn field<'v>(heap: &'v Heap, field: u32, mutator: &'v Mutator) -> Option<&'v Value> {
    fields(heap, mutator)?.get(field as usize)
}

/// An integer field, if it holds one in 64 bits.
#[inline(always)]
pub fn quick_int_field(heap: &Heap, field: u32, mutator: &Mutator) -> Option<i64> {
    match fields(heap, mutator)?.get(field as usize)? {
        Value::Int(i) => Some(*i),
        Value::Char(c) => Some(i64::from(*c as u32)),
        Value::Byte(b) => Some(i64::from(*b)),
        Value::Ref(r) => match &**r {
            Heap::Enum(EnumValue { value: Value::Int(i), .. }) => Some(*i),
            _ => None,
        },
        _ => None,
    }
}

/// Like [`quick_int_field`], for all cases, with errors.
#[cold]
#[inline(never)]
pub fn int_field(vm: &mut Vm, heap: Option<&Heap>, field: Field, at: Span) -> Result<i64, Wide> {
    let value = field_value(vm, heap, field, at)?;
    match value_int(&value) {
        Some(i) => Ok(i),
        None => Err(vm.set_pending_value(&value.follow())),
    }
}

/// A float field.
#[inline(always)]
pub fn quick_float_field(heap: &Heap, field: u32, mutator: &Mutator) -> Option<f64> {
    match fields(heap, mutator)?.get(field as usize)? {
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

/// Like [`quick_float_field`], for all cases, with errors.
#[cold]
#[inline(never)]
pub fn float_field(vm: &mut Vm, heap: Option<&Heap>, field: Field, at: Span) -> Result<f64, Stop> {
    Ok(value_float(&field_value(vm, heap, field, at)?))
}

/// A field that holds a reference.
#[inline(always)]
pub fn quick_ref_field(heap: &Heap, field: u32, mutator: &Mutator) -> Option<Ref> {
    match fields(heap, mutator)?.get(field as usize)? {
        Value::Ref(r) => Some(r.clone()),
        _ => None,
    }
}

/// Any field.
#[inline]
pub fn field_value(vm: &mut Vm, heap: Option<&Heap>, (field, name): Field, at: Span) -> Result<Value, Stop> {
    if let Some(value) = heap.and_then(|heap| fields(heap, &vm.mutator)?.get(field as usize)) {
        return Ok(value.clone());
    }
    field_error(vm, heap, name, at)
}

/// A field by its name.
pub fn named_field(vm: &mut Vm, heap: Option<&Heap>, name: &str, at: Span) -> Result<Value, Stop> {
    if let Some(Heap::Struct(s)) = heap {
        return match s.def.field_index(name) {
            Some(i) => field_value(vm, heap, (i as u32, name), at),
            None => vm.fail(Code::E4003, format!("field '{name}' not found"), at),
        };
    }
    field_error(vm, heap, name, at)
}

#[cold]
#[inline(never)]
fn field_error<X>(vm: &mut Vm, heap: Option<&Heap>, name: &str, at: Span) -> Result<X, Stop> {
    match heap {
        None => vm.fail(Code::E4010, format!("nil reference: cannot access member '{name}' of nil"), at),
        Some(heap) => {
            let kind = match heap {
                Heap::Array(_) => "array".into(),
                Heap::Map(_) => "map".into(),
                Heap::Str(_) => "string".into(),
                other => kind_name(other),
            };
            vm.fail(Code::E4011, format!("member access not supported on type {kind}"), at)
        }
    }
}

//! Reading elements, entries, characters and fields, with their errors.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Elems, Heap, Type, Value, inspect};

use super::boxing::{value_float, value_int};
use super::operand::{IntE, RefE};
use super::slots::{Fp, peek};
use super::vm::{Pending, Stop, Vm, Wide};

/// Element `i` of an array of integers, chars or bytes.
#[inline(always)]
pub(crate) fn int_element(
    vm: &mut Vm,
    heap: Option<&Heap>,
    i: i64,
    ty: &Type,
    at: Span,
) -> Result<i64, Wide> {
    if let Some(Heap::Array(a)) = heap
        && let Some(a) = peek(a)
    {
        let found = match &a.data {
            Elems::Ints(v) | Elems::Scalars(v, _) => v.get(i as usize).copied(),
            Elems::Bytes(v) => v.get(i as usize).map(|b| i64::from(*b)),
            _ => None,
        };
        if let Some(x) = found {
            return Ok(x);
        }
    }
    int_element_slow(vm, heap, i, ty, at)
}

#[cold]
#[inline(never)]
fn int_element_slow(vm: &mut Vm, heap: Option<&Heap>, i: i64, _ty: &Type, at: Span) -> Result<i64, Wide> {
    let value = element_value(vm, heap, &Value::Int(i), at)?;
    match value_int(&value) {
        Some(x) => Ok(x),
        None => Err(vm.set_pending_value(&value.follow())),
    }
}

/// The index is no 64-bit integer: the error for it.
#[cold]
#[inline(never)]
pub(crate) fn int_element_wide<A: RefE>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    _ty: &Type,
    at: Span,
) -> Result<i64, Wide> {
    let i = vm.take_value()?;
    let held = base.get(vm, fp)?;
    Ok(index_error(vm, held.as_deref(), &i, at)?)
}

/// As [`int_element_wide`] for other results.
#[cold]
#[inline(never)]
pub(crate) fn element_wide<A: RefE, X>(vm: &mut Vm, fp: Fp, base: &A, at: Span) -> Result<X, Stop> {
    let i = vm.take_value()?;
    let held = base.get(vm, fp)?;
    index_error(vm, held.as_deref(), &i, at)
}

/// Element `i` of an array of floats.
#[inline(always)]
pub(crate) fn float_element(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<f64, Stop> {
    if let Some(Heap::Array(a)) = heap
        && let Some(a) = peek(a)
        && let Elems::Floats(v) = &a.data
        && let Some(x) = v.get(i as usize)
    {
        return Ok(*x);
    }
    float_element_slow(vm, heap, i, at)
}

#[cold]
#[inline(never)]
fn float_element_slow(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<f64, Stop> {
    Ok(value_float(&element_value(vm, heap, &Value::Int(i), at)?))
}

/// Element `i` of an array of bools.
#[inline(always)]
pub(crate) fn bool_element(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<bool, Wide> {
    if let Some(Heap::Array(a)) = heap
        && let Some(a) = peek(a)
        && let Elems::Bools(v) = &a.data
        && let Some(x) = v.get(i as usize)
    {
        return Ok(*x);
    }
    bool_element_slow(vm, heap, i, at)
}

#[cold]
#[inline(never)]
fn bool_element_slow(vm: &mut Vm, heap: Option<&Heap>, i: i64, at: Span) -> Result<bool, Wide> {
    let value = element_value(vm, heap, &Value::Int(i), at)?;
    bool_register(vm, &value)
}

/// A value as a bool register; nil is pending.
pub(crate) fn bool_register(vm: &mut Vm, value: &Value) -> Result<bool, Wide> {
    super::boxing::value_bool(value).ok_or_else(|| {
        vm.pending = Pending::Nil;
        Wide
    })
}

/// Element, entry or character of anything that has them.
pub(crate) fn element_value(
    vm: &mut Vm,
    heap: Option<&Heap>,
    index: &Value,
    at: Span,
) -> Result<Value, Stop> {
    match heap {
        Some(Heap::Array(a)) => {
            let found = match index_of(index) {
                Some(i) => peek(a).and_then(|a| a.data.get(usize::try_from(i).ok()?)),
                None => None,
            };
            match found {
                Some(value) => Ok(value),
                None => index_error(vm, heap, index, at),
            }
        }
        Some(Heap::Map(m)) => {
            if let Some(value) = peek(m).and_then(|m| m.entries.get(index)) {
                return Ok(value.clone());
            }
            let key = map_key(vm, index, "unusable as map key: ", at)?;
            match peek(m).and_then(|m| m.find(&key).cloned()) {
                Some(value) => Ok(value),
                None => key_error(vm, m, &key, at),
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
        Some(Heap::Place(_) | Heap::Scalar(_)) | None => index_error(vm, heap, index, at),
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

/// A value as a map key: references followed.
pub(crate) fn map_key(vm: &mut Vm, key: &Value, message: &str, at: Span) -> Result<Value, Stop> {
    let key = match key {
        Value::Ref(r) if matches!(&**r, Heap::Place(_) | Heap::Scalar(_)) => key.follow(),
        _ => key.clone(),
    };
    if crate::value::Key::hashable(&key) {
        return Ok(key);
    }
    vm.fail(Code::E12001, format!("{message}{}", key.typeof_name()), at)
}

#[cold]
fn key_error(
    vm: &mut Vm,
    m: &std::cell::RefCell<crate::value::MapValue>,
    key: &Value,
    at: Span,
) -> Result<Value, Stop> {
    let mut message = format!("key {} not found in map", inspect(key));
    let keys: Vec<String> = m.borrow().entries.iter().map(|(k, _)| inspect(k)).collect();
    if !keys.is_empty() {
        message.push_str(&format!("\n\nAvailable keys: [{}]", keys.join(" ")));
    }
    vm.fail(Code::E12003, message, at)
}

/// The error of reading an index that is not there, or of something that has no elements.
#[cold]
#[inline(never)]
pub(crate) fn index_error<X>(vm: &mut Vm, heap: Option<&Heap>, index: &Value, at: Span) -> Result<X, Stop> {
    let shown = inspect(index);
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

fn kind_name(heap: &Heap) -> String {
    match heap {
        Heap::Struct(s) => s.def.name.to_string(),
        Heap::Scalar(v) => v.typeof_name(),
        Heap::Range { .. } => "Range<int>".into(),
        Heap::Handle(h) => h.kind.name().into(),
        Heap::Enum(e) => e.def.name.to_string(),
        Heap::Big(_) => "int".into(),
        _ => "value".into(),
    }
}

/// An index that may be a big integer or nil.
pub(crate) fn index_number<I: IntE>(vm: &mut Vm, fp: Fp, index: &I) -> Result<Value, Stop> {
    match index.get(vm, fp) {
        Ok(i) => Ok(Value::Int(i)),
        Err(Wide) => vm.take_value(),
    }
}

/// Code point `i` of a string.
pub(crate) fn char_of_string(vm: &mut Vm, heap: Option<&Heap>, i: &Value, at: Span) -> Result<i64, Wide> {
    if let (Some(Heap::Str(s)), Value::Int(i)) = (heap, i)
        && let Ok(i) = usize::try_from(*i)
        && let Some(c) = s.char_at(i)
    {
        return Ok(i64::from(c as u32));
    }
    Ok(index_error(vm, heap, i, at)?)
}

/// `len()`.
#[inline(always)]
pub(crate) fn length(vm: &mut Vm, heap: Option<&Heap>, at: Span) -> Result<i64, Wide> {
    match heap {
        Some(Heap::Array(a)) if peek(a).is_some() => Ok(peek(a).map_or(0, |a| a.data.len()) as i64),
        Some(Heap::Str(s)) => Ok(s.char_count() as i64),
        Some(Heap::Map(m)) => Ok(m.borrow().entries.len() as i64),
        _ => length_error(vm, heap, at),
    }
}

#[cold]
#[inline(never)]
fn length_error(vm: &mut Vm, heap: Option<&Heap>, at: Span) -> Result<i64, Wide> {
    let kind = heap.map_or("nil".to_string(), kind_name);
    vm.fail_wide(Code::E7015, format!("len() not supported for {kind}"), at)
}

/// An integer field.
#[inline(always)]
pub(crate) fn int_field(
    vm: &mut Vm,
    heap: Option<&Heap>,
    field: u32,
    _ty: &Type,
    at: Span,
) -> Result<i64, Wide> {
    if let Some(Heap::Struct(s)) = heap
        && let Some(fields) = peek(&s.fields)
        && let Some(value) = fields.get(field as usize)
    {
        match value {
            Value::Int(i) => return Ok(*i),
            Value::Char(c) => return Ok(i64::from(*c as u32)),
            Value::Byte(b) => return Ok(i64::from(*b)),
            _ => {}
        }
    }
    let value = field_value(vm, heap, field, at)?;
    match value_int(&value) {
        Some(i) => Ok(i),
        None => Err(vm.set_pending_value(&value.follow())),
    }
}

/// A float field.
#[inline(always)]
pub(crate) fn float_field(vm: &mut Vm, heap: Option<&Heap>, field: u32, at: Span) -> Result<f64, Stop> {
    if let Some(Heap::Struct(s)) = heap
        && let Some(fields) = peek(&s.fields)
        && let Some(Value::Float(x)) = fields.get(field as usize)
    {
        return Ok(*x);
    }
    Ok(value_float(&field_value(vm, heap, field, at)?))
}

/// Any field.
#[inline]
pub(crate) fn field_value(vm: &mut Vm, heap: Option<&Heap>, field: u32, at: Span) -> Result<Value, Stop> {
    if let Some(Heap::Struct(s)) = heap
        && let Some(value) = peek(&s.fields).and_then(|f| f.get(field as usize))
    {
        return Ok(value.clone());
    }
    field_error(vm, heap, &field.to_string(), at)
}

/// A field by its name.
pub(crate) fn named_field(vm: &mut Vm, heap: Option<&Heap>, name: &str, at: Span) -> Result<Value, Stop> {
    if let Some(Heap::Struct(s)) = heap {
        return match s.def.field_index(name) {
            Some(i) => field_value(vm, heap, i as u32, at),
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

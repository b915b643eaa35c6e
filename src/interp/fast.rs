//! Stores into containers whose form is that of the value: nothing to convert, nothing to check but
//! what is tested here. `false` or `None` sends the caller the general way.

use std::rc::Rc;

use crate::syntax::ast::BinaryOp;
use crate::value::{Elems, Heap, IntKind, MapValue, Ref, Type, Value};

use super::arith::dispatch_int;
use super::keys::HeldKey;
use super::slots::peek;
use super::vm::is_nil_float;

/// Does something to an array that may be changed now.
#[inline(always)]
fn with_array(heap: &Heap, store: impl FnOnce(&mut Elems) -> Option<()>) -> bool {
    match heap {
        Heap::Array(a) => match a.try_borrow_mut() {
            Ok(mut a) if !a.frozen => store(&mut a.data).is_some(),
            _ => false,
        },
        _ => false,
    }
}

#[inline(always)]
pub(crate) fn set_int_element(heap: &Heap, i: i64, value: i64) -> bool {
    with_array(heap, |data| match data {
        Elems::Ints(v) => v.get_mut(i as usize).map(|place| *place = value),
        _ => None,
    })
}

#[inline(always)]
pub(crate) fn set_float_element(heap: &Heap, i: i64, value: f64) -> bool {
    with_array(heap, |data| match data {
        Elems::Floats(v) if !is_nil_float(value) => v.get_mut(i as usize).map(|place| *place = value),
        _ => None,
    })
}

#[inline(always)]
pub(crate) fn set_bool_element(heap: &Heap, i: i64, value: bool) -> bool {
    with_array(heap, |data| match data {
        Elems::Bools(v) => v.get_mut(i as usize).map(|place| *place = value),
        _ => None,
    })
}

/// Puts a string or struct over another one in an array of them; gives back the old one.
#[inline(always)]
pub(crate) fn replace_object(heap: &Heap, i: i64, new: &Ref) -> Option<Value> {
    let Heap::Array(a) = heap else { return None };
    let mut a = a.try_borrow_mut().ok()?;
    let a = &mut *a;
    let fits = match (&**new, &*a.elem) {
        (Heap::Struct(s), Type::Struct(def)) => Rc::ptr_eq(&s.def, def),
        (Heap::Str(_), Type::Str) => true,
        _ => false,
    };
    let Elems::Values(values) = &mut a.data else { return None };
    let place = values.get_mut(i as usize)?;
    // An element that is a reference passes the store on.
    let plain = matches!(place, Value::Ref(r) if matches!(&**r, Heap::Struct(_) | Heap::Str(_)));
    (fits && plain && !a.frozen).then(|| std::mem::replace(place, Value::Ref(new.clone())))
}

/// Does something to a map that may be changed now.
#[inline(always)]
fn with_map<X>(heap: &Heap, store: impl FnOnce(&mut MapValue) -> Option<X>) -> Option<X> {
    match heap {
        Heap::Map(m) => match m.try_borrow_mut() {
            Ok(mut m) if !m.frozen => store(&mut m),
            _ => None,
        },
        _ => None,
    }
}

/// `map[key] = value` for values of the map's own type.
#[inline(always)]
pub(crate) fn set_entry(heap: &Heap, key: &impl HeldKey, value: &Value) -> bool {
    let old = with_map(heap, |m| {
        let fits = match (value, &*m.value) {
            (Value::Int(_), Type::Int(IntKind::Int)) | (Value::Bool(_), Type::Bool) => true,
            (Value::Ref(r), Type::Str) => matches!(&**r, Heap::Str(_)),
            _ => false,
        };
        fits.then(|| put_entry(m, key, value.clone())).flatten()
    });
    // What was there is dropped here, where the map may be used again.
    old.is_some()
}

/// The same for small integers.
#[inline(always)]
pub(crate) fn set_int_entry(heap: &Heap, key: &impl HeldKey, value: i64) -> bool {
    let done = with_map(heap, |m| {
        if !matches!(*m.value, Type::Int(IntKind::Int)) {
            return None;
        }
        match key.entry_mut(&mut m.entries) {
            Some(Value::Int(place)) => {
                *place = value;
                Some(())
            }
            _ => put_entry(m, key, Value::Int(value)).map(drop),
        }
    });
    done.is_some()
}

/// Sets the entry and gives back what was there.
#[inline(always)]
fn put_entry(map: &mut MapValue, key: &impl HeldKey, value: Value) -> Option<Value> {
    if let Some(place) = key.entry_mut(&mut map.entries) {
        return Some(std::mem::replace(place, value));
    }
    key.fits(&map.key).then(|| map.entries.insert(key.to_value(), value).unwrap_or_default())
}

/// `map[key] op= y` on small integers.
#[inline(always)]
pub(crate) fn op_entry(heap: &Heap, key: &impl HeldKey, op: BinaryOp, y: i64) -> bool {
    let done = with_map(heap, |m| {
        if !matches!(*m.value, Type::Int(IntKind::Int)) {
            return None;
        }
        match key.entry_mut(&mut m.entries) {
            Some(Value::Int(x)) => dispatch_int(op, *x, y).map(|r| *x = r),
            _ => None,
        }
    });
    done.is_some()
}

#[inline(always)]
pub(crate) fn get_float_field(heap: &Heap, field: u32) -> Option<f64> {
    match heap {
        Heap::Struct(s) => match peek(&s.fields)?.get(field as usize)? {
            Value::Float(x) => Some(*x),
            _ => None,
        },
        _ => None,
    }
}

/// Stores over a float; anything else there (nil, a reference) goes the slow way.
#[inline(always)]
pub(crate) fn set_float_field(heap: &Heap, field: u32, value: f64) -> bool {
    if let Heap::Struct(s) = heap
        && !s.frozen.get()
        && !is_nil_float(value)
        && let Ok(mut fields) = s.fields.try_borrow_mut()
        && let Some(place @ Value::Float(_)) = fields.get_mut(field as usize)
    {
        *place = Value::Float(value);
        return true;
    }
    false
}

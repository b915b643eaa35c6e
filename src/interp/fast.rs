//! Stores into containers whose form is that of the value: nothing to convert, nothing to check but
//! what is tested here. `false` or `None` sends the caller the general way.

use std::rc::Rc;

use crate::syntax::ast::BinaryOp;
use crate::value::{Elems, Heap, IntKind, Ref, Type, Value};

use super::arith::dispatch_int;
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

fn key_fits(key: &Value, ty: &Type) -> bool {
    match (key, ty) {
        (Value::Int(_), Type::Int(IntKind::Int)) => true,
        (Value::Ref(r), Type::Str) => matches!(&**r, Heap::Str(_)),
        _ => false,
    }
}

/// `map[key] = value` for keys and values of the map's own types.
#[inline]
pub(crate) fn set_entry(heap: &Heap, key: &Value, value: &Value) -> bool {
    let Heap::Map(m) = heap else { return false };
    let Ok(mut m) = m.try_borrow_mut() else { return false };
    let m = &mut *m;
    if m.frozen || !key_fits(key, &m.key) {
        return false;
    }
    let fits = match (value, &*m.value) {
        (Value::Int(_), Type::Int(IntKind::Int)) | (Value::Bool(_), Type::Bool) => true,
        (Value::Ref(r), Type::Str) => matches!(&**r, Heap::Str(_)),
        _ => false,
    };
    if !fits {
        return false;
    }
    // What is replaced may be dropped here: it is a scalar or a string.
    m.entries.insert(key.clone(), value.clone());
    true
}

/// `map[key] op= y` on small integers.
#[inline]
pub(crate) fn op_entry(heap: &Heap, key: &Value, op: BinaryOp, y: i64) -> bool {
    let Heap::Map(m) = heap else { return false };
    let Ok(mut m) = m.try_borrow_mut() else { return false };
    if m.frozen || !matches!(*m.value, Type::Int(IntKind::Int)) {
        return false;
    }
    match m.entries.get_mut(key) {
        Some(Value::Int(x)) => match dispatch_int(op, *x, y) {
            Some(r) => {
                *x = r;
                true
            }
            None => false,
        },
        _ => false,
    }
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

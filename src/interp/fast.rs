//! Stores into containers whose form is that of the value: nothing to convert, nothing to check but
//! what is tested here. `false` or `None` sends the caller the general way.

use std::rc::Rc;

use crate::syntax::ast::BinaryOp;
use crate::value::{Elems, Heap, IntKind, Ref, Type, Value};

use super::arith::dispatch_int;

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

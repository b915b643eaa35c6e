//! Searching arrays.

use crate::diagnostics::Code;
use crate::library::{Call, Fail};
use crate::value::{Elems, ScalarKind, Value, library_equal};

use super::{AN_ARRAY, INDEX};

/// Calls `hit` with the position of every element equal to `wanted`, in order, until it returns false.
pub fn hits(data: &Elems, wanted: &Value, hit: &mut dyn FnMut(usize) -> bool) {
    match (data, wanted) {
        (Elems::Ints(v) | Elems::Scalars(ScalarKind::Sized, v), Value::Int(w)) => {
            scan(v, |x| x == w, hit);
        }
        (Elems::Ints(_) | Elems::Scalars(ScalarKind::Sized, _), _) => {}
        (Elems::Scalars(ScalarKind::Char, v), Value::Char(w)) => {
            scan(v, |x| *x == i64::from(*w as u32), hit);
        }
        (Elems::Scalars(ScalarKind::Char, _), _) => {}
        (Elems::Bytes(v), Value::Byte(w)) => scan(v, |x| x == w, hit),
        (Elems::Bools(v), Value::Bool(w)) => scan(v, |x| x == w, hit),
        (Elems::Bytes(_) | Elems::Bools(_), _) => {}
        (Elems::Values(v), _) => match wanted.as_str() {
            Some(w) => scan(v, |x| x.as_str().map_or_else(|| library_equal(x, wanted), |x| x == w), hit),
            None => scan(v, |x| library_equal(x, wanted), hit),
        },
        (Elems::Floats(v), Value::Float(_)) => {
            scan(v, |x| library_equal(&Value::Float(*x), wanted), hit);
        }
        (data, _) => {
            for (i, x) in data.iter().enumerate() {
                if library_equal(&x, wanted) && !hit(i) {
                    return;
                }
            }
        }
    }
}

fn scan<T>(items: &[T], same: impl Fn(&T) -> bool, hit: &mut dyn FnMut(usize) -> bool) {
    for (i, item) in items.iter().enumerate() {
        if same(item) && !hit(i) {
            return;
        }
    }
}

fn positions(call: &Call, mut hit: impl FnMut(usize) -> bool) -> Result<(), Fail> {
    call.exactly(2, "")?;
    let cell = call.array(0, AN_ARRAY)?;
    hits(&cell.borrow().data, &call.arg(1), &mut hit);
    Ok(())
}

fn position_value(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |i| i as i64))
}

pub fn is_empty(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Bool(call.array(0, AN_ARRAY)?.borrow().data.is_empty()))
}

pub fn get(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let cell = call.array(0, AN_ARRAY)?;
    let index = call.index(1, INDEX)?;
    let found = usize::try_from(index).ok().and_then(|i| cell.borrow().data.get(i));
    let length = cell.borrow().data.len();
    found.map_or_else(|| call.out_of_bounds(Code::E5003, length), Ok)
}

pub fn first(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(call.array(0, AN_ARRAY)?.borrow().data.get(0).unwrap_or_default())
}

pub fn last(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    let last = array.data.len().checked_sub(1);
    Ok(last.and_then(|i| array.data.get(i)).unwrap_or_default())
}

pub fn contains(call: &mut Call) -> Result<Value, Fail> {
    let mut found = false;
    positions(call, |_| {
        found = true;
        false
    })?;
    Ok(Value::Bool(found))
}

pub fn index(call: &mut Call) -> Result<Value, Fail> {
    let mut found = None;
    positions(call, |i| {
        found = Some(i);
        false
    })?;
    Ok(position_value(found))
}

pub fn last_index(call: &mut Call) -> Result<Value, Fail> {
    let mut found = None;
    positions(call, |i| {
        found = Some(i);
        true
    })?;
    Ok(position_value(found))
}

pub fn count(call: &mut Call) -> Result<Value, Fail> {
    let mut count = 0;
    positions(call, |_| {
        count += 1;
        true
    })?;
    Ok(Value::Int(count))
}

pub fn all_equal(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    let first = array.data.get(0).unwrap_or_default();
    Ok(Value::Bool(array.data.iter().all(|x| library_equal(&x, &first))))
}

pub fn equals(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(array1, array2)")?;
    let text = "requires two arrays";
    let (a, b) = (call.array(0, text)?.borrow(), call.array(1, text)?.borrow());
    let same = match (&a.data, &b.data) {
        (Elems::Ints(a), Elems::Ints(b)) => a == b,
        (a, b) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| library_equal(&x, &y)),
    };
    Ok(Value::Bool(same))
}

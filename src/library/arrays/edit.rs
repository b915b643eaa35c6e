//! Changes in place.

use crate::diagnostics::Code;
use crate::library::args::stored;
use crate::library::{Call, Fail};
use crate::value::{Array, Elems, Value};

use super::search::hits;
use super::{AN_ARRAY, FIRST, INDEX, editable};

pub fn append(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let cell = editable(call, FIRST)?;
    if let [_, value] = call.args
        && push_fast(&mut cell.borrow_mut(), value)
    {
        return Ok(Value::Nil);
    }
    let values = converted(call, cell)?;
    let data = &mut cell.borrow_mut().data;
    values.into_iter().for_each(|value| data.push(value));
    Ok(Value::Nil)
}

/// Appends what needs no check.
fn push_fast(array: &mut Array, value: &Value) -> bool {
    match (&mut array.data, value) {
        (Elems::Ints(_), Value::Int(_))
        | (Elems::Bytes(_), Value::Byte(_))
        | (Elems::Bools(_), Value::Bool(_))
        | (Elems::Floats(_), Value::Float(_)) => array.data.push(value.clone()),
        _ => return false,
    }
    true
}

/// The values behind the array argument as the array keeps them; nothing is stored if one does not fit.
fn converted(call: &Call, cell: &std::cell::RefCell<Array>) -> Result<Vec<Value>, Fail> {
    let elem = cell.borrow().elem.clone();
    call.args.iter().skip(1).map(|value| stored(&elem, value)).collect()
}

pub fn unshift(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let cell = editable(call, FIRST)?;
    let values = converted(call, cell)?;
    let count = values.len();
    let data = &mut cell.borrow_mut().data;
    values.into_iter().for_each(|value| data.push(value));
    with_elems!(data, v => v.rotate_right(count));
    Ok(Value::Nil)
}

pub fn insert(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(array, index, value)")?;
    let cell = editable(call, FIRST)?;
    let index = call.index(1, INDEX)?;
    let length = cell.borrow().data.len();
    let Some(at) = usize::try_from(index).ok().filter(|i| *i <= length) else {
        return call.wrong(Code::E5003, "index out of bounds");
    };
    let value = stored(&cell.borrow().elem.clone(), &call.arg(2))?;
    let data = &mut cell.borrow_mut().data;
    data.push(value);
    with_elems!(data, v => if let Some(tail) = v.get_mut(at..) { tail.rotate_right(1) });
    Ok(Value::Nil)
}

pub fn pop(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let data = &mut cell.borrow_mut().data;
    if let Elems::Values(v) = data {
        return match v.pop() {
            Some(value) => Ok(value),
            None => call.wrong(Code::E9001Empty, "cannot pop from empty array"),
        };
    }
    let last = data.len().checked_sub(1).and_then(|i| data.get(i));
    let Some(last) = last else { return call.wrong(Code::E9001Empty, "cannot pop from empty array") };
    with_elems!(data, v => {
        v.pop();
    });
    Ok(last)
}

pub fn shift(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let data = &mut cell.borrow_mut().data;
    let Some(first) = data.get(0) else {
        return call.wrong(Code::E9001Empty, "cannot shift from empty array");
    };
    remove(data, 0);
    Ok(first)
}

fn remove(data: &mut Elems, at: usize) {
    with_elems!(data, v => {
        v.remove(at);
    });
}

pub fn remove_at(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let index = call.index(1, INDEX)?;
    let data = &mut cell.borrow_mut().data;
    let length = data.len();
    match usize::try_from(index).ok().filter(|i| *i < length) {
        Some(at) => {
            remove(data, at);
            Ok(Value::Nil)
        }
        None => {
            let index = crate::value::display(&call.arg(1));
            call.wrong(Code::E5003, &format!("index out of bounds: {index} (array length: {length})"))
        }
    }
}

pub fn remove_value(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(array, value)")?;
    let cell = editable(call, AN_ARRAY)?;
    let mut found = None;
    hits(&cell.borrow().data, &call.arg(1), &mut |i| {
        found = Some(i);
        false
    });
    if let Some(at) = found {
        remove(&mut cell.borrow_mut().data, at);
    }
    Ok(Value::Nil)
}

pub fn remove_all(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let mut found = Vec::new();
    hits(&cell.borrow().data, &call.arg(1), &mut |i| {
        found.push(i);
        true
    });
    let mut found = found.into_iter().peekable();
    let data = &mut cell.borrow_mut().data;
    with_elems!(data, v => {
        let mut at = 0;
        v.retain(|_| {
            let goes = found.next_if_eq(&at).is_some();
            at += 1;
            !goes
        });
    });
    Ok(Value::Nil)
}

pub fn clear(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let mut array = cell.borrow_mut();
    let fresh = Elems::for_type(&array.elem.clone());
    let old = std::mem::replace(&mut array.data, fresh);
    // The old elements may hold this very array.
    drop(array);
    drop(old);
    Ok(Value::Nil)
}

pub fn set(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(array, index, value)")?;
    let cell = editable(call, AN_ARRAY)?;
    let index = call.index(1, INDEX)?;
    let length = cell.borrow().data.len();
    let Some(at) = usize::try_from(index).ok().filter(|i| *i < length) else {
        return call.wrong(Code::E5003, "index out of bounds");
    };
    let value = stored(&cell.borrow().elem.clone(), &call.arg(2))?;
    let old = cell.borrow_mut().data.set(at, value);
    drop(old);
    Ok(Value::Nil)
}

pub fn fill(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(array, value)")?;
    let cell = editable(call, AN_ARRAY)?;
    let elem = cell.borrow().elem.clone();
    let value = stored(&elem, &call.arg(1))?;
    let mut fresh = Elems::for_type(&elem);
    for _ in 0..cell.borrow().data.len() {
        fresh.push(value.clone());
    }
    let old = std::mem::replace(&mut cell.borrow_mut().data, fresh);
    drop(old);
    Ok(Value::Nil)
}

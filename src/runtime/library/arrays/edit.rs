//! Changes in place.

use crate::diagnostics::Code;
use crate::library::args::stored;
use crate::library::{Call, Fail};
use crate::value::{Array, Elems, ObjectCell, ObjectMut, Part, Value};

use super::search::hits;
use super::{AN_ARRAY, FIRST, INDEX, edit, editable};

pub fn append(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let cell = editable(call, FIRST)?;
    if let [Value::Ref(array), value] = call.args
        && let Some(()) = ObjectMut::new(array, call.runtime.mutator()).push(value)
    {
        return Ok(Value::Nil);
    }
    let values = converted(call, cell)?;
    let mut data = edit(call, cell, Part::End)?;
    values.into_iter().for_each(|value| data.push(value));
    Ok(Value::Nil)
}

/// The arguments after the array, converted to its element type; an error if one does not fit.
fn converted(call: &Call, cell: &ObjectCell<Array>) -> Result<Vec<Value>, Fail> {
    let elem = cell.borrow().elem.clone();
    call.args.iter().skip(1).map(|value| stored(&elem, value)).collect()
}

pub fn unshift(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let cell = editable(call, FIRST)?;
    let values = converted(call, cell)?;
    let count = values.len();
    let mut data = edit(call, cell, Part::All)?;
    values.into_iter().for_each(|value| data.push(value));
    with_elems!(&mut *data, v => v.rotate_right(count));
    Ok(Value::Nil)
}

pub fn insert(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(array, index, value)")?;
    let cell = editable(call, FIRST)?;
    let index = call.index(1, INDEX)?;
    let length = cell.borrow().data.len();
    let Some(at) = usize::try_from(index).ok().filter(|i| *i <= length) else {
        return call.out_of_bounds(Code::E5003, length);
    };
    let value = stored(&cell.borrow().elem.clone(), &call.arg(2))?;
    let mut data = edit(call, cell, Part::All)?;
    data.push(value);
    with_elems!(&mut *data, v => if let Some(tail) = v.get_mut(at..) { tail.rotate_right(1) });
    Ok(Value::Nil)
}

pub fn pop(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let last = edit(call, cell, Part::All)?.pop();
    match last {
        Some(last) => Ok(last),
        None => call.wrong(Code::E9001Empty, "cannot pop from empty array"),
    }
}

pub fn shift(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = editable(call, AN_ARRAY)?;
    let first = edit(call, cell, Part::All)?.shift();
    match first {
        Some(first) => Ok(first),
        None => call.wrong(Code::E9001Empty, "cannot shift from empty array"),
    }
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
    let length = cell.borrow().data.len();
    match usize::try_from(index).ok().filter(|i| *i < length) {
        Some(at) => {
            remove(&mut *edit(call, cell, Part::All)?, at);
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
        remove(&mut *edit(call, cell, Part::All)?, at);
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
    let mut data = edit(call, cell, Part::All)?;
    with_elems!(&mut *data, v => {
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
    let fresh = Elems::for_type(&cell.borrow().elem);
    // The old elements, which may hold this very array, are dropped when it is no longer in use.
    let old = std::mem::replace(&mut *edit(call, cell, Part::All)?, fresh);
    drop(old);
    Ok(Value::Nil)
}

pub fn set(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(array, index, value)")?;
    let cell = editable(call, AN_ARRAY)?;
    let index = call.index(1, INDEX)?;
    let length = cell.borrow().data.len();
    let Some(at) = usize::try_from(index).ok().filter(|i| *i < length) else {
        return call.out_of_bounds(Code::E5003, length);
    };
    let value = stored(&cell.borrow().elem.clone(), &call.arg(2))?;
    let old = edit(call, cell, Part::Element(at))?.set(at, value);
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
    let old = std::mem::replace(&mut *edit(call, cell, Part::All)?, fresh);
    drop(old);
    Ok(Value::Nil)
}

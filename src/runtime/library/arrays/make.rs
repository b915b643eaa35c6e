//! New arrays (and strings) from old ones.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use foldhash::fast::FixedState;

use std::cell::Ref;

use crate::diagnostics::Code;
use crate::library::args::{PART, STRING, TOO_LARGE, element_type, saturated, stored, type_of};
use crate::library::offload::{ROUNDS, Rounds, elements, poll_interrupt, write_display};
use crate::library::{Call, Fail};
use crate::value::{
    self, Array, Elems, FloatKind, Heap, ObjectCell, ScalarKind, Type, Value, inspect, shown_as,
};

use super::AN_ARRAY;

/// Largest length of the text of a 64-bit number in bytes.
const MAX_NUMBER: usize = 32;

/// A new array of the same element type.
pub fn same_kind(array: &Array, data: Elems) -> Value {
    let elem = array.elem.clone();
    Value::from(Heap::Array(Array { elem, data }.into()))
}

/// The bounds of a slice of `length` elements: negative ones count from the end, then both are clamped.
pub fn slice_bounds(length: usize, start: i64, end: i64) -> (usize, usize) {
    let length = length as i64;
    let settle = |at: i64| if at < 0 { at.saturating_add(length) } else { at };
    let start = settle(start).clamp(0, length);
    let end = settle(end).min(length);
    if end <= start { (start as usize, start as usize) } else { (start as usize, end as usize) }
}

fn part(data: &Elems, start: usize, end: usize) -> Elems {
    map_elems!(data, v => v.get(start..end).unwrap_or_default().to_vec())
}

pub fn slice(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2 or 3 arguments")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    let start = call.index(1, "requires integer indices")?;
    let end = match call.args.get(2) {
        Some(_) => call.index(2, "requires integer indices")?,
        None => i64::MAX,
    };
    let (start, end) = slice_bounds(array.data.len(), start, end);
    call.room((end - start) as u64, PART, TOO_LARGE)?;
    Ok(same_kind(&array, part(&array.data, start, end)))
}

fn split_at(call: &Call, first: bool) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    let count = call.index(1, "requires an integer")?;
    let length = array.data.len();
    let at = usize::try_from(count.max(0)).unwrap_or(usize::MAX).min(length);
    let (start, end) = if first { (0, at) } else { (at, length) };
    call.room((end - start) as u64, PART, TOO_LARGE)?;
    Ok(same_kind(&array, part(&array.data, start, end)))
}

pub fn take(call: &mut Call) -> Result<Value, Fail> {
    split_at(call, true)
}

pub fn drop(call: &mut Call) -> Result<Value, Fail> {
    split_at(call, false)
}

pub fn reverse(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    call.room(array.data.len() as u64, PART, TOO_LARGE)?;
    Ok(same_kind(&array, map_elems!(&array.data, v => v.iter().rev().cloned().collect())))
}

pub fn concat(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let arrays = (0..call.args.len()).map(|i| call.array(i, "requires arrays"));
    let arrays: Vec<_> = arrays.collect::<Result<_, _>>()?;
    let count: usize = arrays.iter().map(|array| array.borrow().data.len()).sum();
    call.room(count as u64, PART, TOO_LARGE)?;
    let (mut elem, mut data) = match arrays.first() {
        Some(first) => {
            let first = first.borrow();
            ((*first.elem).clone(), first.data.clone())
        }
        None => return Ok(Value::Nil),
    };
    // An empty literal has no element type: take that of the static type or of the next array.
    if elem.is_any() && data.is_empty() {
        let next = || arrays.iter().map(|a| (*a.borrow().elem).clone()).find(|e| !e.is_any());
        elem = element_type(call.result, || next().unwrap_or(Type::Any));
        data = Elems::for_type(&elem);
    }
    for more in arrays.iter().skip(1) {
        let more = more.borrow();
        match (&mut data, &more.data) {
            (Elems::Ints(a), Elems::Ints(b)) => a.extend_from_slice(b),
            (Elems::Floats(a), Elems::Floats(b)) => a.extend_from_slice(b),
            (Elems::Bytes(a), Elems::Bytes(b)) => a.extend_from_slice(b),
            (Elems::Values(a), Elems::Values(b)) if elem.is_any() || elem == *more.elem => {
                a.extend_from_slice(b);
            }
            (data, more) => {
                for value in more.iter() {
                    data.push(stored(&elem, &value)?);
                }
            }
        }
    }
    Ok(Value::array_of(&elem, data))
}

pub fn zip(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let (a, b) = (call.array(0, "requires arrays")?, call.array(1, "requires arrays")?);
    let elem = {
        let (a, b) = (&a.borrow().elem, &b.borrow().elem);
        if a == b { (**a).clone() } else { element_type_of(call.result) }
    };
    let pair_type = Type::array(elem.clone());
    let (a, _) = elements(call.runtime, a);
    let (b, mut rounds) = elements(call.runtime, b);
    let length = a.len().min(b.len());
    call.room(length as u64, STRING, TOO_LARGE)?;
    let mut pairs = Vec::with_capacity(length);
    for (x, y) in a.iter().zip(b.iter()) {
        rounds.next(call.runtime)?;
        pairs.push(Value::array(&elem, [stored(&elem, &x)?, stored(&elem, &y)?]));
    }
    Ok(Value::array_of(&pair_type, Elems::Values(pairs)))
}

/// Element type of the inner arrays of a static type `[[T]]`.
fn element_type_of(result: &Type) -> Type {
    result.elem().and_then(Type::elem).cloned().unwrap_or(Type::Any)
}

pub fn flatten(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = call.array(0, AN_ARRAY)?;
    let elem = match &*cell.borrow().elem {
        Type::Array(inner, _) => (**inner).clone(),
        Type::Any => element_type(call.result, || Type::Any),
        other => other.clone(),
    };
    let mut rounds = Rounds::new(call.runtime);
    let array = rounds.share(Ref::map(cell.borrow(), |array| &array.data));
    let lengths = array.iter().map(|item| item.as_array().map_or(1, |inner| inner.borrow().data.len()));
    call.room(lengths.map(|length| length as u64).sum(), PART, TOO_LARGE)?;
    let mut made = Array::from_values(&elem, []);
    for item in array.iter() {
        rounds.next(call.runtime)?;
        match item.as_array() {
            Some(inner) => {
                let inner = rounds.share(Ref::map(inner.borrow(), |array| &array.data));
                for value in inner.iter() {
                    rounds.next(call.runtime)?;
                    made.data.push(stored(&elem, &value)?);
                }
            }
            None => made.data.push(stored(&elem, &item)?),
        }
    }
    Ok(Value::from(Heap::Array(made.into())))
}

/// Positions of first occurrences, and of the first occurrences of repeated elements.
fn occurrences<K: Hash + Eq>(
    keys: impl Iterator<Item = K>,
    repeated: bool,
    mut round: impl FnMut() -> Result<(), Fail>,
) -> Result<Vec<usize>, Fail> {
    if !repeated {
        let mut seen = HashSet::with_hasher(FixedState::default());
        let mut first = Vec::new();
        for (i, key) in keys.enumerate() {
            round()?;
            if seen.insert(key) {
                first.push(i);
            }
        }
        return Ok(first);
    }
    let mut seen: HashMap<K, (usize, bool), FixedState> = HashMap::default();
    for (i, key) in keys.enumerate() {
        round()?;
        seen.entry(key).and_modify(|e| e.1 = true).or_insert((i, false));
    }
    let mut found: Vec<usize> = seen.into_values().filter(|e| e.1).map(|e| e.0).collect();
    found.sort_unstable();
    Ok(found)
}

fn distinct(call: &mut Call, repeated: bool) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = call.array(0, AN_ARRAY)?;
    let (array, mut rounds) = elements(call.runtime, cell);
    let round = || rounds.next(call.runtime);
    let kept = match &*array {
        Elems::Ints(v) | Elems::Scalars(ScalarKind::Sized, v) => occurrences(v.iter(), repeated, round)?,
        Elems::Values(v) if v.iter().all(|x| x.as_str().is_some()) => {
            occurrences(v.iter().map(|x| x.as_str().unwrap_or_default()), repeated, round)?
        }
        data => occurrences(data.iter().map(|x| inspect(&x)), repeated, round)?,
    };
    let data = map_elems!(&*array, v => kept.iter().filter_map(|i| v.get(*i).cloned()).collect());
    Ok(same_kind(&cell.borrow(), data))
}

pub fn unique(call: &mut Call) -> Result<Value, Fail> {
    distinct(call, false)
}

pub fn duplicates(call: &mut Call) -> Result<Value, Fail> {
    distinct(call, true)
}

pub fn repeat(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let count = call.index(1, "requires integer count")?.max(0) as u64;
    let value = call.arg(0);
    let elem = element_type(call.result, || type_of(&value));
    let value = stored(&elem, &value)?;
    let mut data = Elems::for_type(&elem);
    let small = matches!(data, Elems::Bools(_) | Elems::Bytes(_));
    call.room(count, if small { 1 } else { PART }, TOO_LARGE)?;
    match (&mut data, &value) {
        (Elems::Ints(v), Value::Int(i)) => v.resize(count as usize, *i),
        (Elems::Floats(v), Value::Float(x)) => v.resize(count as usize, *x),
        (Elems::Bools(v), Value::Bool(b)) => v.resize(count as usize, *b),
        (Elems::Bytes(v), Value::Byte(b)) => v.resize(count as usize, *b),
        _ => (0..count).for_each(|_| data.push(value.clone())),
    }
    Ok(Value::array_of(&elem, data))
}

/// Texts of the elements with a separator; strings are not quoted.
pub fn join(call: &mut Call, array: &ObjectCell<Array>, separator: &str) -> Result<Value, Fail> {
    let mut out = String::new();
    let mut from = 0;
    loop {
        let lent = array.borrow();
        let length = lent.data.len();
        let separators = (separator.len() as u64).saturating_mul(length as u64);
        call.room(separators, 1, TOO_LARGE)?;
        let to = length.min(from + ROUNDS as usize);
        from = add_texts(call, &lent.data, from..to, separator, &mut out)?;
        // The array may be changed while the program is paused.
        let long = if from < to { lent.data.get(from) } else { None };
        std::mem::drop(lent);
        if let Some(long) = long {
            from += 1;
            write_display(call.runtime, &mut out, &long)?;
        } else if from < length {
            poll_interrupt(call.runtime)?;
        } else {
            return Ok(Value::str(out));
        }
    }
}

/// Adds the texts of some elements, with the separators before them. Returns the index after the last of them, or of
/// an element which may be long and whose text is missing.
fn add_texts(
    call: &Call,
    data: &Elems,
    range: Range<usize>,
    separator: &str,
    out: &mut String,
) -> Result<usize, Fail> {
    let elem = match data {
        Elems::Singles(_) => Type::Float(FloatKind::F32),
        _ => Type::Any,
    };
    let end = range.end;
    for i in range {
        if i > 0 {
            out.push_str(separator);
        }
        let value = match data {
            Elems::Values(values) => values.get(i),
            _ => None,
        };
        let text = value.and_then(Value::as_str);
        let length = text.map_or(MAX_NUMBER, str::len) + separator.len();
        // Growing as needed is cheaper than a second pass over the strings to add up their lengths.
        if out.capacity() - out.len() < length {
            let more = out.capacity().max(length);
            call.room(more as u64, 1, TOO_LARGE)?;
            out.reserve(more);
        }
        match (text, value) {
            (Some(text), _) => out.push_str(text),
            (None, Some(Value::Ref(_))) => return Ok(i),
            (None, _) => value::write_display(out, &shown_as(&elem, data.get(i).unwrap_or_default())),
        }
    }
    Ok(end)
}

pub fn join_function(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let array = call.array(0, AN_ARRAY)?;
    let separator = call.text(1, "requires a string separator")?;
    join(call, array, separator)
}

pub fn chunk(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(array, size)")?;
    let cell = call.array(0, AN_ARRAY)?;
    let Some(size) = call.args.get(1).and_then(saturated) else {
        return call.wrong(Code::E7004, "requires an integer size");
    };
    if size <= 0 {
        return call.wrong(Code::E9004Size, "size must be greater than 0");
    }
    let (array, mut rounds) = elements(call.runtime, cell);
    let (size, length) = (size as usize, array.len());
    let rest = (length as u64).saturating_mul(PART) / STRING;
    call.room(length.div_ceil(size) as u64 + rest, STRING, TOO_LARGE)?;
    let mut chunks = Vec::with_capacity(length.div_ceil(size));
    for start in (0..length).step_by(size) {
        rounds.next(call.runtime)?;
        let end = start.saturating_add(size).min(length);
        chunks.push(same_kind(&cell.borrow(), part(&array, start, end)));
    }
    let elem = Type::Array(cell.borrow().elem.clone(), None);
    Ok(Value::array_of(&elem, Elems::Values(chunks)))
}

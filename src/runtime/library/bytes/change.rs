//! Functions that combine, change and search byte arrays.

use std::cmp::Ordering;

use bstr::ByteSlice;

use crate::diagnostics::Code;
use crate::library::args::{STRING, bad, byte_array, good};
use crate::library::arrays::slice_bounds;
use crate::library::offload::Rounds;
use crate::library::{Call, Fail};
use crate::value::{Elems, Type, Value};

use super::{AN_ARGUMENT, FIRST, bytes, bytes_of, bytes_or};

/// Applies `f` to the two byte arrays that are the arguments.
pub fn pair(call: &Call, names: &str, f: impl Fn(&[u8], &[u8]) -> Value) -> Result<Value, Fail> {
    call.exactly(2, names)?;
    let (a, b) = (bytes(call, 0)?, bytes(call, 1)?);
    Ok(f(&a, &b))
}

pub fn search(call: &Call, f: impl Fn(&[u8], &[u8]) -> Value) -> Result<Value, Fail> {
    pair(call, "(bytes, pattern)", f)
}

/// A position as a value; -1 for none.
pub fn place(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |i| i as i64))
}

/// The UTF-8 characters of the bytes; an invalid byte is one of its own.
fn characters(bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let (front, back) = rest.split_at_checked(c.len_utf8()).unwrap_or((rest, ""));
            parts.push(front.as_bytes());
            rest = back;
        }
        parts.extend(chunk.invalid().chunks(1));
    }
    parts
}

pub fn count(call: &mut Call) -> Result<Value, Fail> {
    search(call, |bytes, pattern| {
        let count =
            if pattern.is_empty() { characters(bytes).len() + 1 } else { bytes.find_iter(pattern).count() };
        Value::Int(count as i64)
    })
}

pub fn compare(call: &mut Call) -> Result<Value, Fail> {
    pair(call, "(bytes1, bytes2)", |a, b| {
        Value::Int(match a.cmp(b) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    })
}

pub fn is_empty(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(bytes)")?;
    Ok(Value::Bool(call.array(0, AN_ARGUMENT)?.borrow().data.is_empty()))
}

/// The bytes of the only argument, changed by `change`.
pub fn changed(call: &Call, change: fn(&mut Vec<u8>)) -> Result<Value, Fail> {
    call.exactly(1, "(bytes)")?;
    let mut bytes = bytes(call, 0)?;
    change(&mut bytes);
    Ok(byte_array(bytes))
}

pub fn slice(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(bytes, start, end)")?;
    let bytes = bytes_or(call, 0, FIRST)?;
    let start = call.index(1, "requires an integer start index")?;
    let end = call.index(2, "requires an integer end index")?;
    let (start, end) = slice_bounds(bytes.len(), start, end);
    Ok(byte_array(bytes.get(start..end).unwrap_or_default().to_vec()))
}

pub fn concat(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(bytes1, bytes2)")?;
    let text = "requires byte arrays";
    call.array(1, text)?;
    let mut all = bytes_or(call, 0, text)?;
    all.extend(bytes_or(call, 1, text)?);
    Ok(byte_array(all))
}

pub fn join(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(array, separator)")?;
    let parts = call.array(0, "requires an array of byte arrays as first argument")?.borrow();
    let separator = bytes_or(call, 1, "requires a byte array separator")?;
    let lengths = parts.data.iter().map(|part| part.as_array().map_or(0, |part| part.borrow().data.len()));
    let size = (separator.len() as u64).saturating_mul(parts.data.len() as u64);
    // Room for doubling the result.
    call.room(size.saturating_add(lengths.map(|length| length as u64).sum()), 2, TOO_LARGE)?;
    let mut all = Vec::new();
    for (i, part) in parts.data.iter().enumerate() {
        if i > 0 {
            all.extend_from_slice(&separator);
        }
        match part.as_array() {
            Some(part) => all.extend(bytes_of(call, &part.borrow().data)?),
            None => return call.wrong(Code::E7002, "array elements must be byte arrays"),
        }
    }
    Ok(byte_array(all))
}

pub fn split(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(bytes, separator)")?;
    let (bytes, separator) = (bytes(call, 0)?, bytes(call, 1)?);
    let count = if separator.is_empty() { bytes.len() } else { bytes.find_iter(&separator).count() };
    // Each part is an array and a reference to it.
    call.room(count as u64, 2 * STRING, TOO_LARGE)?;
    let parts: Vec<&[u8]> =
        if separator.is_empty() { characters(&bytes) } else { bytes.split_str(&separator).collect() };
    let mut rounds = Rounds::new(call.runtime);
    let mut made = Vec::with_capacity(parts.len());
    for part in parts {
        rounds.next(call.runtime)?;
        made.push(byte_array(part.to_vec()));
    }
    Ok(Value::array_of(&Type::array(Type::Byte), Elems::Values(made)))
}

const TOO_LARGE: &str = "size too large";

pub fn repeat(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(bytes, count)")?;
    let bytes = bytes_or(call, 0, FIRST)?;
    let count = call.index(1, "requires an integer count")?;
    let Ok(count) = u64::try_from(count) else {
        return call.wrong(Code::E7011, "count cannot be negative");
    };
    call.room(count.saturating_mul(bytes.len() as u64), 1, TOO_LARGE)?;
    if bytes.is_empty() {
        return Ok(byte_array(bytes));
    }
    Ok(byte_array(bytes.repeat(count as usize)))
}

fn replaced(call: &Call, bytes: &[u8], old: &[u8], new: &[u8], limit: usize) -> Result<Vec<u8>, Fail> {
    if new.len() > old.len() {
        let count = if old.is_empty() { bytes.len() + 1 } else { bytes.find_iter(old).count() };
        let more = (count.min(limit) as u64).saturating_mul((new.len() - old.len()) as u64);
        // Room for doubling the result.
        call.room(more.saturating_add(bytes.len() as u64), 2, TOO_LARGE)?;
    }
    if !old.is_empty() {
        return Ok(bytes.replacen(old, new, limit));
    }
    let mut all = Vec::new();
    let parts = characters(bytes);
    for (i, part) in parts.iter().enumerate() {
        if i < limit {
            all.extend_from_slice(new);
        }
        all.extend_from_slice(part);
    }
    if parts.len() < limit {
        all.extend_from_slice(new);
    }
    Ok(all)
}

pub fn replace(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(bytes, old, new)")?;
    let (all, old, new) = (bytes(call, 0)?, bytes(call, 1)?, bytes(call, 2)?);
    Ok(byte_array(replaced(call, &all, &old, &new, usize::MAX)?))
}

pub fn replace_n(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(4, "(bytes, old, new, n)")?;
    let (all, old, new) = (bytes(call, 0)?, bytes(call, 1)?, bytes(call, 2)?);
    let limit = call.index(3, "requires an integer count")?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(byte_array(replaced(call, &all, &old, &new, limit)?))
}

pub fn trim(call: &mut Call, left: bool, right: bool) -> Result<Value, Fail> {
    pair(call, "(bytes, cutset)", |bytes, set| {
        let keep = |b: &u8| !set.contains(b);
        let start = if left { bytes.iter().position(keep).unwrap_or(bytes.len()) } else { 0 };
        let end = if right { bytes.iter().rposition(keep).map_or(0, |i| i + 1) } else { bytes.len() };
        byte_array(bytes.get(start..end).unwrap_or_default().to_vec())
    })
}

/// A single byte given as an integer.
fn byte_value(call: &Call, index: usize) -> Result<u8, Fail> {
    match (call.args.get(index), call.args.get(index).and_then(Value::as_bigint)) {
        (Some(Value::Byte(b)), _) => Ok(*b),
        (_, Some(number)) => match u8::try_from(&number) {
            Ok(b) => Ok(b),
            Err(_) => call.wrong(Code::E3021, &format!("byte value {number} out of range (0-255)")),
        },
        _ => call.wrong(Code::E7004, "requires a byte or integer value"),
    }
}

pub fn pad(call: &mut Call, left: bool) -> Result<Value, Fail> {
    call.exactly(3, "(bytes, length, pad_byte)")?;
    let bytes = bytes_or(call, 0, FIRST)?;
    let length = call.index(1, "requires an integer length")?;
    let pad = byte_value(call, 2)?;
    let length = u64::try_from(length).unwrap_or(0);
    call.room(length, 2, TOO_LARGE)?;
    let padding = vec![pad; (length as usize).saturating_sub(bytes.len())];
    Ok(byte_array(if left { [padding, bytes].concat() } else { [bytes, padding].concat() }))
}

pub fn bits(call: &mut Call, combine: fn(u8, u8) -> u8) -> Result<Value, Fail> {
    call.exactly(2, "(bytes1, bytes2)")?;
    let (a, b) = (bytes(call, 0)?, bytes(call, 1)?);
    if a.len() != b.len() {
        let text = format!("{}() requires byte arrays of equal length", call.qualified());
        return bad(Value::Nil, Code::E7010, &text);
    }
    good(byte_array(a.iter().zip(&b).map(|(a, b)| combine(*a, *b)).collect()))
}

pub fn fill(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(bytes, value)")?;
    let length = bytes_or(call, 0, FIRST)?.len();
    Ok(byte_array(vec![byte_value(call, 1)?; length]))
}

//! Searching and comparing strings.

use std::cmp::Ordering;

use crate::library::{Call, Fail};
use crate::value::Value;

use super::texts;

pub fn contains(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    Ok(Value::Bool(call.offload(s.len() as u64, || s.contains(part))?))
}

pub fn starts_with(call: &mut Call) -> Result<Value, Fail> {
    let [s, prefix] = texts(call)?;
    Ok(Value::Bool(s.starts_with(prefix)))
}

pub fn ends_with(call: &mut Call) -> Result<Value, Fail> {
    let [s, suffix] = texts(call)?;
    Ok(Value::Bool(s.ends_with(suffix)))
}

fn offset(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |i| i as i64))
}

pub fn index(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    Ok(offset(call.offload(s.len() as u64, || s.find(part))?))
}

pub fn last_index(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    Ok(offset(call.offload(s.len() as u64, || s.rfind(part))?))
}

pub fn count(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    let count = call.offload(s.len() as u64 * 4, || s.matches(part).count())?;
    Ok(Value::Int(count as i64))
}

pub fn compare(call: &mut Call) -> Result<Value, Fail> {
    let [a, b] = texts(call)?;
    Ok(Value::Int(match a.as_bytes().cmp(b.as_bytes()) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

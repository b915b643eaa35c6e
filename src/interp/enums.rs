//! Values of enum members that are computed at run time, and ranges in `when`.

use crate::value::{EnumBase, EnumDef, Heap, Value};

use super::arith::plain;
use super::dynamic::in_range;

/// The value of the first member if none is given.
pub(crate) fn first(def: &EnumDef) -> Value {
    match def.base() {
        EnumBase::Float => Value::Float(0.0),
        _ => Value::Int(0),
    }
}

/// The value of the member after `value` if none is given: one more, or for flags the double.
pub(crate) fn after(value: &Value, flags: bool) -> Value {
    match value {
        Value::Int(i) if flags => i.checked_mul(2).map_or(Value::Nil, Value::Int),
        Value::Int(i) => i.checked_add(1).map_or(Value::Nil, Value::Int),
        Value::Float(x) if flags => Value::Float(x * 2.0),
        Value::Float(x) => Value::Float(x + 1.0),
        other => other.clone(),
    }
}

/// Whether a `when` value lies in a case's range.
pub(crate) fn in_case_range(value: &Value, range: &Value) -> bool {
    let (Value::Int(n), Value::Ref(r)) = (plain(value), range) else { return false };
    match &**r {
        Heap::Range { start, end, step } => in_range(n, *start, *end, *step),
        _ => false,
    }
}

//! Values of enum members that are computed when the declaration runs, and cases of `when`.

use crate::value::{EnumBase, EnumDef, Heap, Value};

use super::arith::plain;
use super::dynamic::in_range;

/// The first member's value when none is written.
pub(crate) fn first(def: &EnumDef) -> Value {
    match def.base() {
        EnumBase::Float => Value::Float(0.0),
        _ => Value::Int(0),
    }
}

/// The value after `value` when none is written: one more, or the double for flags.
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

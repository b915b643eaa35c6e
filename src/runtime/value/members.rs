//! The values of enum members that are declared without one.

use super::{EnumBase, Value, normalize};

/// Counts through the members of an enum: each member without a value has the value after that of the member
/// before it, which is one more, or for flags the double.
pub struct MemberCounter {
    base: EnumBase,
    flags: bool,
    next: Value,
}

impl MemberCounter {
    /// Counts from 0, flags from 1.
    pub fn new(base: EnumBase, flags: bool) -> MemberCounter {
        let next = match base {
            EnumBase::Float => Value::Float(0.0),
            _ if flags => Value::Int(1),
            _ => Value::Int(0),
        };
        MemberCounter { base, flags, next }
    }

    /// The value of a member: its own, or if it has none the one that was counted.
    pub fn value(&mut self, own: Option<Value>) -> Value {
        let value = match (own.unwrap_or_else(|| self.next.clone()), self.base) {
            (Value::Int(i), EnumBase::Float) => Value::Float(i as f64),
            (value, _) => value,
        };
        self.next = match (&value, self.flags) {
            (Value::Float(x), true) => Value::Float(x * 2.0),
            (Value::Float(x), false) => Value::Float(x + 1.0),
            (other, flags) => match other.as_bigint() {
                Some(i) => normalize(if flags { i * 2 } else { i + 1 }),
                None => other.clone(),
            },
        };
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::display;

    fn counted(base: EnumBase, flags: bool, first: Option<Value>) -> Vec<String> {
        let mut counter = MemberCounter::new(base, flags);
        [first, None, None].into_iter().map(|own| display(&counter.value(own))).collect()
    }

    #[test]
    fn numbers_have_any_size() {
        let last = Some(Value::Int(i64::MAX));
        assert_eq!(
            counted(EnumBase::Int, false, last),
            ["9223372036854775807", "9223372036854775808", "9223372036854775809"]
        );
        let high = Some(Value::Int(1 << 62));
        assert_eq!(
            counted(EnumBase::Int, true, high),
            ["4611686018427387904", "9223372036854775808", "18446744073709551616"]
        );
        assert_eq!(counted(EnumBase::Int, true, None), ["1", "2", "4"]);
        assert_eq!(counted(EnumBase::Float, false, Some(Value::Int(2))), ["2.0", "3.0", "4.0"]);
    }
}

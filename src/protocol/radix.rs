//! Integers of described values in another radix.

use std::borrow::Cow;

use compact_str::CompactString;
use num_bigint::BigInt;

use ez_engine::api::{Cut, Described, Value, Variable};

/// The radix in which the integers of a value are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Radix {
    /// `255`.
    #[default]
    Decimal,
    /// `0xff`.
    Hexadecimal,
    /// `0b11111111`.
    Binary,
}

/// Maximum number of decimal digits of an integer that is converted: the time grows with their square.
const MAX_DIGITS: usize = 20_000;

impl Radix {
    /// The value with its integers, also those inside of containers, as EZ literals of this radix. Integers
    /// whose digits are not all described, or that are very long, stay decimal.
    pub fn value(self, value: &Value) -> Cow<'_, Value> {
        match self {
            Radix::Decimal => Cow::Borrowed(value),
            _ => Cow::Owned(self.converted(value)),
        }
    }

    /// A described value, in the same way.
    pub fn described(self, described: &Described) -> Cow<'_, Described> {
        match self {
            Radix::Decimal => Cow::Borrowed(described),
            _ => Cow::Owned(Described { value: self.converted(&described.value), ..described.clone() }),
        }
    }

    /// A variable, in the same way.
    pub fn variable(self, variable: &Variable) -> Cow<'_, Variable> {
        match self {
            Radix::Decimal => Cow::Borrowed(variable),
            _ => {
                let held = self.described(&variable.held).into_owned();
                Cow::Owned(Variable { held, ..variable.clone() })
            }
        }
    }

    /// Variables, in the same way.
    pub fn variables(self, all: &[Variable]) -> Cow<'_, [Variable]> {
        match self {
            Radix::Decimal => Cow::Borrowed(all),
            _ => Cow::Owned(all.iter().map(|variable| self.variable(variable).into_owned()).collect()),
        }
    }

    fn converted(self, value: &Value) -> Value {
        let all = |values: &[Value]| values.iter().map(|value| self.converted(value)).collect();
        match value {
            Value::Int(number) => self.digits(&BigInt::from(*number)),
            // The text would be that of an integer of any size; the type stays known.
            Value::Byte(number) => {
                Value::Opaque { kind: "byte".into(), text: self.literal(&BigInt::from(*number)) }
            }
            Value::BigInt(Cut { text, cut: false }) if text.len() <= MAX_DIGITS => {
                text.parse().map_or_else(|_| value.clone(), |number| self.digits(&number))
            }
            Value::Array { shown, total } => Value::Array { shown: all(shown), total: *total },
            Value::Tuple(parts) => Value::Tuple(all(parts)),
            Value::Map { shown, total } => {
                let entry = |(key, value): &(Value, Value)| (self.converted(key), self.converted(value));
                Value::Map { shown: shown.iter().map(entry).collect(), total: *total }
            }
            Value::Struct { name, shown, total } => {
                let field = |(name, value): &(CompactString, Value)| (name.clone(), self.converted(value));
                Value::Struct { name: name.clone(), shown: shown.iter().map(field).collect(), total: *total }
            }
            Value::Enum { name, member, value } => Value::Enum {
                name: name.clone(),
                member: member.clone(),
                value: Box::new(self.converted(value)),
            },
            Value::Nil
            | Value::Bool(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Char(_)
            | Value::String(_)
            | Value::Range(_)
            | Value::Opaque { .. }
            | Value::Cycle => value.clone(),
        }
    }

    fn digits(self, number: &BigInt) -> Value {
        Value::BigInt(Cut { text: self.literal(number).into(), cut: false })
    }

    fn literal(self, number: &BigInt) -> String {
        match self {
            Radix::Decimal => number.to_string(),
            Radix::Hexadecimal => format!("{number:#x}"),
            Radix::Binary => format!("{number:#b}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::value_text::{type_text, whole_text};

    #[test]
    fn integers_everywhere_are_converted() {
        let cut = |text: &str, cut| Value::BigInt(Cut { text: text.into(), cut });
        let array = Value::Array { shown: vec![Value::Int(255), Value::Int(-1)], total: 3 };
        let map = Value::Map { shown: vec![(Value::Int(16), Value::Byte(7))], total: 1 };
        let point = Value::Struct { name: "P".into(), shown: vec![("x".into(), Value::Int(10))], total: 1 };
        let level = Value::Enum { name: "Level".into(), member: None, value: Box::new(Value::Int(12)) };
        for (value, hexadecimal, binary) in [
            (Value::Int(0), "0x0", "0b0"),
            (Value::Int(i64::MIN), "-0x8000000000000000", &format!("-0b1{}", "0".repeat(63))),
            (cut("18446744073709551616", false), "0x10000000000000000", &format!("0b1{}", "0".repeat(64))),
            (cut("-18446744073709551616", true), "-18446744073709551616…", "-18446744073709551616…"),
            (array, "{0xff, -0x1, …}", "{0b11111111, -0b1, …}"),
            (map, "{0x10: 0x7}", "{0b10000: 0b111}"),
            (point, "P{x: 0xa}", "P{x: 0b1010}"),
            (level, "Level(0xc)", "Level(0b1100)"),
            (Value::Tuple(vec![Value::Int(1), Value::Bool(true)]), "(0x1, true)", "(0b1, true)"),
            (Value::Float(1.5), "1.5", "1.5"),
        ] {
            assert_eq!(whole_text(&Radix::Hexadecimal.value(&value)), hexadecimal);
            assert_eq!(whole_text(&Radix::Binary.value(&value)), binary);
            assert_eq!(Radix::Decimal.value(&value).into_owned(), value);
        }
    }

    #[test]
    fn types_stay_what_they_are() {
        for (value, name) in [(Value::Int(1), "int"), (Value::Byte(1), "byte")] {
            let declared_type = "any".into();
            let described = Described { value, declared_type, handle: None, children: 0, object: None };
            assert_eq!(type_text(&Radix::Hexadecimal.described(&described)), name);
        }
    }
}

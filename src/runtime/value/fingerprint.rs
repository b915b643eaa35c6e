//! Fingerprints (hashes) of values: equal for equal values, and almost certainly different for others.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::{FixedState, FoldHasher};

use super::array::Elems;
use super::heap::{Heap, Ref, Value};

/// The fingerprint of an object with all its parts. `None` if it has more than `budget` parts (each eight
/// bytes of text count as one), or contains itself.
pub fn fingerprint(object: &Heap, budget: usize) -> Option<u64> {
    let state = FixedState::default();
    let mut walk = Walk { hasher: state.build_hasher(), left: budget, later: Vec::new() };
    walk.object(object)?;
    while let Some(container) = walk.later.pop() {
        walk.object(&container)?;
    }
    Some(walk.hasher.finish())
}

/// Stands for a container whose parts follow.
const CONTAINER: u8 = 13;

struct Walk<'a> {
    hasher: FoldHasher<'a>,
    left: usize,
    /// Containers whose parts follow, the last one first.
    later: Vec<Ref>,
}

impl Walk<'_> {
    fn spend(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        Some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.spend(text.len() / 8)?;
        self.hasher.write_usize(text.len());
        self.hasher.write(text.as_bytes());
        Some(())
    }

    fn number(&mut self, kind: u8, bits: u64) -> Option<()> {
        self.hasher.write_u8(kind);
        self.hasher.write_u64(bits);
        Some(())
    }

    fn value(&mut self, value: &Value) -> Option<()> {
        self.spend(1)?;
        match value {
            Value::Nil => self.number(0, 0),
            Value::Bool(x) => self.number(1, u64::from(*x)),
            Value::Int(x) => self.number(2, *x as u64),
            Value::Float(x) => self.number(3, x.to_bits()),
            Value::Char(x) => self.number(4, u64::from(*x)),
            Value::Byte(x) => self.number(5, u64::from(*x)),
            Value::Ref(object) => match &**object {
                Heap::Reference(_) | Heap::Scalar(_) => self.value(&value.follow()),
                Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) | Heap::Tuple(_) => {
                    self.hasher.write_u8(CONTAINER);
                    self.later.push(object.clone());
                    Some(())
                }
                object => self.object(object),
            },
        }
    }

    fn object(&mut self, object: &Heap) -> Option<()> {
        match object {
            Heap::Str(text) => {
                self.hasher.write_u8(6);
                self.text(text.as_str())
            }
            Heap::Array(cell) => {
                let array = cell.borrow();
                self.number(7, array.data.len() as u64)?;
                self.elements(&array.data)
            }
            Heap::Map(cell) => {
                let map = cell.borrow();
                self.number(8, map.entries.len() as u64)?;
                map.entries.iter().try_for_each(|(key, value)| {
                    self.value(key)?;
                    self.value(value)
                })
            }
            Heap::Struct(object) => {
                let fields = object.fields.borrow();
                self.number(9, fields.len() as u64)?;
                fields.iter().try_for_each(|field| self.value(field))
            }
            Heap::Enum(member) => {
                self.hasher.write_u8(10);
                self.value(&member.value)
            }
            Heap::Tuple(parts) => {
                self.number(11, parts.len() as u64)?;
                parts.iter().try_for_each(|part| self.value(part))
            }
            Heap::Big(number) => {
                let bytes = number.to_signed_bytes_le();
                self.spend(bytes.len() / 8)?;
                self.hasher.write_u8(12);
                self.hasher.write(&bytes);
                Some(())
            }
            Heap::Range(range) => range.numbers().into_iter().try_for_each(|number| self.value(number)),
            Heap::Handle(handle) => self.text(&handle.preview.borrow()),
            Heap::Type(ty) => self.text(&ty.to_string()),
            Heap::Reference(_) | Heap::Scalar(_) => None,
        }
    }

    fn elements(&mut self, elements: &Elems) -> Option<()> {
        if let Some(values) = elements.values() {
            return values.iter().try_for_each(|value| self.value(value));
        }
        self.spend(elements.len())?;
        let (elements, front) = elements.parts();
        match elements {
            Elems::Ints(all) | Elems::Scalars(_, all) => {
                all.iter().skip(front).for_each(|x| self.hasher.write_i64(*x));
            }
            Elems::Enums(all) => all.0.iter().skip(front).for_each(|x| self.hasher.write_i64(*x)),
            Elems::Bytes(all) => self.hasher.write(all.get(front..).unwrap_or_default()),
            Elems::Floats(all) => all.iter().skip(front).for_each(|x| self.hasher.write_u64(x.to_bits())),
            Elems::Singles(all) => all.iter().skip(front).for_each(|x| self.hasher.write_u32(x.to_bits())),
            Elems::Bools(all) => all.iter().skip(front).for_each(|x| self.hasher.write_u8(u8::from(*x))),
            Elems::Values(_) | Elems::Queue(_) => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::spawn_with_stack;
    use crate::value::test_values::nested;
    use crate::value::{Mutator, Part, Type, deep_copy};

    fn of(value: &Value, budget: usize) -> Option<u64> {
        fingerprint(value.as_ref().expect("an object"), budget)
    }

    #[test]
    fn copies_have_the_same_and_others_have_another() {
        let rows = |last: i64| {
            let inner = |x| Value::array(&Type::INT, [Value::Int(1), Value::Int(x)]);
            Value::array(&Type::array(Type::INT), [inner(2), inner(last)])
        };
        let copy = deep_copy(&rows(3)).expect("a copy");
        assert_eq!(of(&rows(3), 100), of(&copy, 100));
        assert_ne!(of(&rows(3), 100), of(&rows(4), 100));
        assert_ne!(of(&Value::str("ab"), 9), of(&Value::str("ba"), 9));
        let (number, truth) = (Value::tuple(vec![Value::Int(1)]), Value::tuple(vec![Value::Bool(true)]));
        assert_ne!(of(&number, 9), of(&truth, 9));
    }

    #[test]
    fn where_a_part_is_counts() {
        let list = |parts: Vec<Value>| Value::array(&Type::Any, parts);
        let one = || list(vec![Value::Int(1)]);
        let values = [
            list(vec![one(), list(vec![])]),
            list(vec![list(vec![]), one()]),
            list(vec![one(), Value::Int(1)]),
            list(vec![Value::Int(1), one()]),
            list(vec![list(vec![one()])]),
            list(vec![list(vec![]), Value::Int(1)]),
        ];
        for (at, value) in values.iter().enumerate() {
            assert!(values.iter().skip(at + 1).all(|other| of(value, 9) != of(other, 9)), "{at}");
        }
    }

    #[test]
    fn depth_takes_no_stack() {
        let deep = |end| nested(1_000_000, Value::array(&Type::INT, [Value::Int(end)]));
        let work = move || {
            assert_eq!(of(&deep(1), 2_000_000), of(&deep(1), 2_000_000));
            assert_ne!(of(&deep(1), 2_000_000), of(&deep(2), 2_000_000));
        };
        spawn_with_stack("fingerprints", 1 << 20, work).expect("starts").join().expect("no failure");
    }

    #[test]
    fn too_much_has_none() {
        let long = Value::array(&Type::INT, (0..100).map(Value::Int));
        assert!(of(&long, 100).is_some());
        assert!(of(&long, 99).is_none());
        assert!(of(&Value::str("x".repeat(1000)), 100).is_none());
        let mut mutator = Mutator::new().expect("the only one");
        let cycle = Value::array(&Type::Any, []);
        let cell = cycle.as_array().expect("an array");
        cell.change(&mut mutator, Part::All).expect("may change").data.push(cycle.clone());
        assert!(of(&cycle, 100).is_none());
        cell.change(&mut mutator, Part::All).expect("may change").data.pop();
    }
}

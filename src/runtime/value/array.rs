//! Arrays: elements of one type, unboxed where that is possible.

use std::rc::Rc;

use super::heap::{EnumValue, Heap, Value};
use super::memory;
use super::queue::Queue;
use super::types::{EnumBase, EnumDef, FloatKind, IntKind, Type};

/// The kind of the integers in an array whose elements must be checked when stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// Any integer type but `int`.
    Sized,
    /// Code points.
    Char,
}

/// The elements of an array, unboxed if the element type allows it. An array changes to `Values` when
/// something is stored that its representation cannot hold (a big integer, nil, a reference).
///
/// `repr(u8)` makes the variant a byte; else it is taken from the capacity of a vector, which takes twelve instructions.
#[derive(Clone, Debug)]
#[repr(u8)]
pub enum Elems {
    /// `[int]`
    Ints(Vec<i64>),
    /// Sized integers and chars.
    Scalars(ScalarKind, Vec<i64>),
    /// Values of an enum over int: the underlying values, and the enum. (Boxed, so that objects stay small.)
    Enums(Box<(Vec<i64>, Rc<EnumDef>)>),
    /// `[byte]`
    Bytes(Vec<u8>),
    /// `[float]`, `[f64]`
    Floats(Vec<f64>),
    /// `[f32]`
    Singles(Vec<f32>),
    /// `[bool]`
    Bools(Vec<bool>),
    /// Everything else.
    Values(Vec<Value>),
    /// Any of these, with elements at the beginning that were removed.
    Queue(Box<Queue>),
}

/// An array object.
#[derive(Debug)]
pub struct Array {
    /// Type of the elements; `Any` if it is not known.
    pub elem: Rc<Type>,
    /// The elements.
    pub data: Elems,
}

impl Elems {
    /// Empty elements in the best representation for `elem`.
    pub fn for_type(elem: &Type) -> Elems {
        match elem {
            Type::Int(IntKind::Int) => Elems::Ints(Vec::new()),
            Type::Int(_) => Elems::Scalars(ScalarKind::Sized, Vec::new()),
            Type::Char => Elems::Scalars(ScalarKind::Char, Vec::new()),
            Type::Enum(def) if def.base() == EnumBase::Int => {
                Elems::Enums(Box::new((Vec::new(), def.clone())))
            }
            Type::Byte => Elems::Bytes(Vec::new()),
            Type::Float(FloatKind::F32) => Elems::Singles(Vec::new()),
            Type::Float(_) => Elems::Floats(Vec::new()),
            Type::Bool => Elems::Bools(Vec::new()),
            _ => Elems::Values(Vec::new()),
        }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Elems::Ints(v) => v.len(),
            Elems::Scalars(_, v) => v.len(),
            Elems::Enums(enums) => enums.0.len(),
            Elems::Bytes(v) => v.len(),
            Elems::Floats(v) => v.len(),
            Elems::Singles(v) => v.len(),
            Elems::Bools(v) => v.len(),
            Elems::Values(v) => v.len(),
            Elems::Queue(queue) => {
                let (storage, front) = queue.parts();
                storage.len() - front
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Value> {
        Some(match self {
            Elems::Ints(v) => Value::Int(*v.get(index)?),
            Elems::Scalars(kind, v) => scalar_value(*v.get(index)?, *kind),
            Elems::Enums(enums) => enum_value(*enums.0.get(index)?, &enums.1),
            Elems::Bytes(v) => Value::Byte(*v.get(index)?),
            Elems::Floats(v) => Value::Float(*v.get(index)?),
            Elems::Singles(v) => Value::Float(f64::from(*v.get(index)?)),
            Elems::Bools(v) => Value::Bool(*v.get(index)?),
            Elems::Values(v) => v.get(index)?.clone(),
            Elems::Queue(queue) => {
                let (storage, front) = queue.parts();
                return storage.get(front.checked_add(index)?);
            }
        })
    }

    /// The scalar at `index` as 64 bits: an integer, a float, or 0 and 1; `None` if it is kept as a value.
    #[inline]
    pub fn register(&self, index: usize) -> Option<u64> {
        match self {
            Elems::Ints(v) | Elems::Scalars(_, v) => v.get(index).map(|x| *x as u64),
            Elems::Enums(enums) => enums.0.get(index).map(|x| *x as u64),
            Elems::Bytes(v) => v.get(index).map(|x| u64::from(*x)),
            Elems::Floats(v) => v.get(index).map(|x| x.to_bits()),
            Elems::Singles(v) => v.get(index).map(|x| f64::from(*x).to_bits()),
            Elems::Bools(v) => v.get(index).map(|x| u64::from(*x)),
            Elems::Values(_) | Elems::Queue(_) => None,
        }
    }

    /// Whether `value` can be stored in this representation.
    fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (Elems::Ints(_), Value::Int(_))
            | (Elems::Scalars(ScalarKind::Sized, _), Value::Int(_))
            | (Elems::Scalars(ScalarKind::Char, _), Value::Char(_))
            | (Elems::Bytes(_), Value::Byte(_))
            | (Elems::Floats(_) | Elems::Singles(_), Value::Float(_))
            | (Elems::Bools(_), Value::Bool(_))
            | (Elems::Values(_), _) => true,
            (Elems::Enums(enums), value) => is_member(value, &enums.1),
            (Elems::Queue(queue), value) => queue.parts().0.takes(value),
            _ => false,
        }
    }

    /// Converts to the representation that can hold any value.
    pub fn make_values(&mut self) -> &mut Vec<Value> {
        self.settle();
        if !matches!(self, Elems::Values(_)) {
            let all: Vec<Value> = (0..self.len()).filter_map(|i| self.get(i)).collect();
            *self = Elems::Values(all);
        }
        match self {
            Elems::Values(v) => v,
            _ => unreachable!("just made"),
        }
    }

    /// Appends a value that fits the element type (see [`super::fit_integer`]). No effect if there is no
    /// memory (`memory::deny`).
    #[inline]
    pub fn push(&mut self, value: Value) {
        match (self, value) {
            (Elems::Ints(v), Value::Int(i)) => push(v, i),
            (Elems::Scalars(ScalarKind::Sized, v), Value::Int(i)) => push(v, i),
            (Elems::Scalars(ScalarKind::Char, v), Value::Char(c)) => push(v, i64::from(u32::from(c))),
            (Elems::Bytes(v), Value::Byte(b)) => push(v, b),
            (Elems::Floats(v), Value::Float(x)) => push(v, x),
            (Elems::Singles(v), Value::Float(x)) => push(v, x as f32),
            (Elems::Bools(v), Value::Bool(b)) => push(v, b),
            (Elems::Values(v), value) => push(v, value),
            (other, value) => other.push_rare(value),
        }
    }

    /// Like [`Elems::push`], for a value of an enum, an array with elements that were removed, and what the representation
    /// cannot hold.
    #[inline(never)]
    fn push_rare(&mut self, value: Value) {
        match self {
            Elems::Queue(queue) if queue.parts().0.takes(&value) => queue.parts_mut().0.push(value),
            Elems::Enums(enums) if is_member(&value, &enums.1) => push(&mut enums.0, scalar_number(&value)),
            _ if self.can_be_values() => push(self.make_values(), value),
            _ => {}
        }
    }

    /// Removes the last value.
    pub fn pop(&mut self) -> Option<Value> {
        match self {
            Elems::Ints(v) => v.pop().map(Value::Int),
            Elems::Scalars(kind, v) => v.pop().map(|number| scalar_value(number, *kind)),
            Elems::Enums(enums) => enums.0.pop().map(|number| enum_value(number, &enums.1)),
            Elems::Bytes(v) => v.pop().map(Value::Byte),
            Elems::Floats(v) => v.pop().map(Value::Float),
            Elems::Singles(v) => v.pop().map(|x| Value::Float(f64::from(x))),
            Elems::Bools(v) => v.pop().map(Value::Bool),
            Elems::Values(v) => v.pop(),
            Elems::Queue(_) if self.is_empty() => None,
            Elems::Queue(queue) => queue.parts_mut().0.pop(),
        }
    }

    /// Whether there is memory for the representation that can hold any value.
    fn can_be_values(&self) -> bool {
        let room = memory::has_room((self.len() * size_of::<Value>()) as u64);
        if !room {
            memory::deny();
        }
        room
    }

    /// Size of a copy in bytes.
    pub fn bytes(&self) -> u64 {
        let size = match self {
            Elems::Ints(_) | Elems::Scalars(..) | Elems::Enums(_) | Elems::Floats(_) => 8,
            Elems::Bytes(_) | Elems::Bools(_) => 1,
            Elems::Singles(_) => 4,
            Elems::Values(_) => size_of::<Value>(),
            Elems::Queue(queue) => return queue.parts().0.bytes(),
        };
        (self.len() * size) as u64
    }

    /// Replaces the value at `index` by one that fits the element type; returns the old one, to be dropped by
    /// the caller, or `None` if there is no such index.
    pub fn set(&mut self, index: usize, value: Value) -> Option<Value> {
        let old = self.get(index)?;
        if !self.takes(&value) {
            if self.can_be_values() {
                *self.make_values().get_mut(index)? = value;
            }
            return Some(old);
        }
        match (self, value) {
            (Elems::Ints(v), Value::Int(i)) => *v.get_mut(index)? = i,
            (Elems::Scalars(_, v), value) => *v.get_mut(index)? = scalar_number(&value),
            (Elems::Enums(enums), value) => *enums.0.get_mut(index)? = scalar_number(&value),
            (Elems::Bytes(v), Value::Byte(b)) => *v.get_mut(index)? = b,
            (Elems::Floats(v), Value::Float(x)) => *v.get_mut(index)? = x,
            (Elems::Singles(v), Value::Float(x)) => *v.get_mut(index)? = x as f32,
            (Elems::Bools(v), Value::Bool(b)) => *v.get_mut(index)? = b,
            (Elems::Values(v), value) => *v.get_mut(index)? = value,
            (Elems::Queue(queue), value) => {
                let (storage, front) = queue.parts_mut();
                return storage.set(front.checked_add(index)?, value);
            }
            _ => {}
        }
        Some(old)
    }

    /// Removes the first `count` values, all if there are fewer, by moving the others.
    pub(super) fn drop_first(&mut self, count: usize) {
        let count = count.min(self.len());
        match self {
            Elems::Ints(v) | Elems::Scalars(_, v) => drop(v.drain(..count)),
            Elems::Enums(enums) => drop(enums.0.drain(..count)),
            Elems::Bytes(v) => drop(v.drain(..count)),
            Elems::Floats(v) => drop(v.drain(..count)),
            Elems::Singles(v) => drop(v.drain(..count)),
            Elems::Bools(v) => drop(v.drain(..count)),
            Elems::Values(v) => drop(v.drain(..count)),
            Elems::Queue(_) => {
                self.settle();
                self.drop_first(count);
            }
        }
    }

    /// The elements in a representation that is a vector, and how many values at its beginning do not belong
    /// to the array any more.
    #[inline]
    pub fn parts(&self) -> (&Elems, usize) {
        match self {
            Elems::Queue(queue) => queue.parts(),
            other => (other, 0),
        }
    }

    /// The elements, if the representation can hold any value.
    #[inline]
    pub fn values(&self) -> Option<&[Value]> {
        match self.parts() {
            (Elems::Values(values), front) => values.get(front..),
            _ => None,
        }
    }

    /// All values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + '_ {
        (0..self.len()).map(|i| self.get(i).unwrap_or_default())
    }
}

/// Whether it is a value of this enum over int.
fn is_member(value: &Value, def: &Rc<EnumDef>) -> bool {
    let Value::Ref(r) = value else { return false };
    matches!(&**r, Heap::Enum(e) if Rc::ptr_eq(&e.def, def) && matches!(e.value, Value::Int(_)))
}

/// Appends, unless there is no memory.
#[inline]
fn push<T>(elements: &mut Vec<T>, element: T) {
    if memory::grow(elements) {
        elements.push(element);
    }
}

fn scalar_value(number: i64, kind: ScalarKind) -> Value {
    match kind {
        ScalarKind::Sized => Value::Int(number),
        ScalarKind::Char => Value::Char(char_of(number)),
    }
}

fn enum_value(number: i64, def: &Rc<EnumDef>) -> Value {
    Value::from(Heap::Enum(EnumValue { def: def.clone(), value: Value::Int(number) }))
}

/// The char with this code point; U+FFFD if there is none.
fn char_of(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}')
}

fn scalar_number(value: &Value) -> i64 {
    match value {
        Value::Int(i) => *i,
        Value::Char(c) => i64::from(*c as u32),
        Value::Byte(b) => i64::from(*b),
        Value::Bool(b) => i64::from(*b),
        Value::Ref(r) => match &**r {
            Heap::Enum(e) => scalar_number(&e.value),
            _ => 0,
        },
        _ => 0,
    }
}

impl Array {
    /// An array of `values`, which fit `elem`.
    pub fn from_values(elem: &Type, values: impl IntoIterator<Item = Value>) -> Array {
        let mut data = Elems::for_type(elem);
        for value in values {
            data.push(value);
        }
        Array::from_elems(elem, data)
    }

    /// An array with these elements.
    pub fn from_elems(elem: &Type, data: Elems) -> Array {
        Array { elem: Rc::new(elem.clone()), data }
    }
}

/// `array` for an empty literal without type; `[any]` if the elements have different types.
pub(super) fn array_typeof(array: &Array) -> String {
    match (&*array.elem, array.data.get(0)) {
        (Type::Any, Some(_)) => "[any]".into(),
        (Type::Array(inner, _), Some(first)) if inner.is_any() => format!("[{}]", first.typeof_name()),
        (elem, _) => Type::Array(Rc::new(elem.clone()), None).typeof_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_change_form_for_what_does_not_fit() {
        let mut elems = Elems::for_type(&Type::INT);
        elems.push(Value::Int(1));
        elems.push(Value::Nil);
        assert!(matches!(elems, Elems::Values(_)));
        assert!(matches!(elems.get(0), Some(Value::Int(1))));
    }
}

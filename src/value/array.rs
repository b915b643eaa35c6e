//! Arrays: elements of one type, unboxed where that is possible.

use std::rc::Rc;

use super::heap::{EnumValue, Heap, Value};
use super::memory;
use super::types::{EnumBase, EnumDef, FloatKind, IntKind, Type};

/// Integers in an array that need a check when stored.
#[derive(Clone, Debug)]
pub enum ScalarKind {
    /// Any integer type but `int`.
    Sized(IntKind),
    /// Code points.
    Char,
    /// Underlying values of an enum over int.
    Enum(Rc<EnumDef>),
}

/// The elements of an array, unboxed where the element type allows. An array changes to `Values`
/// when something is stored that its form cannot hold (a big integer, nil, a reference).
#[derive(Clone, Debug)]
pub enum Elems {
    /// `[int]`
    Ints(Vec<i64>),
    /// Sized integers, chars, enums over int.
    Scalars(Vec<i64>, ScalarKind),
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
}

/// An array object.
#[derive(Debug)]
pub struct Array {
    /// Type of the elements; `Any` when none was ever declared or found.
    pub elem: Rc<Type>,
    /// The elements.
    pub data: Elems,
}

impl Elems {
    /// Empty elements in the best form for `elem`.
    pub fn for_type(elem: &Type) -> Elems {
        match elem {
            Type::Int(IntKind::Int) => Elems::Ints(Vec::new()),
            Type::Int(kind) => Elems::Scalars(Vec::new(), ScalarKind::Sized(*kind)),
            Type::Char => Elems::Scalars(Vec::new(), ScalarKind::Char),
            Type::Enum(def) if def.base() == EnumBase::Int => {
                Elems::Scalars(Vec::new(), ScalarKind::Enum(def.clone()))
            }
            Type::Byte => Elems::Bytes(Vec::new()),
            Type::Float(FloatKind::F32) => Elems::Singles(Vec::new()),
            Type::Float(_) => Elems::Floats(Vec::new()),
            Type::Bool => Elems::Bools(Vec::new()),
            _ => Elems::Values(Vec::new()),
        }
    }

    /// How many.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Elems::Ints(v) => v.len(),
            Elems::Scalars(v, _) => v.len(),
            Elems::Bytes(v) => v.len(),
            Elems::Floats(v) => v.len(),
            Elems::Singles(v) => v.len(),
            Elems::Bools(v) => v.len(),
            Elems::Values(v) => v.len(),
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
            Elems::Scalars(v, kind) => scalar_value(*v.get(index)?, kind),
            Elems::Bytes(v) => Value::Byte(*v.get(index)?),
            Elems::Floats(v) => Value::Float(*v.get(index)?),
            Elems::Singles(v) => Value::Float(f64::from(*v.get(index)?)),
            Elems::Bools(v) => Value::Bool(*v.get(index)?),
            Elems::Values(v) => v.get(index)?.clone(),
        })
    }

    /// Whether `value` can be kept in this form as it is.
    fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (Elems::Ints(_), Value::Int(_))
            | (Elems::Scalars(_, ScalarKind::Sized(_)), Value::Int(_))
            | (Elems::Scalars(_, ScalarKind::Char), Value::Char(_))
            | (Elems::Bytes(_), Value::Byte(_))
            | (Elems::Floats(_) | Elems::Singles(_), Value::Float(_))
            | (Elems::Bools(_), Value::Bool(_))
            | (Elems::Values(_), _) => true,
            (Elems::Scalars(_, ScalarKind::Enum(def)), Value::Ref(r)) => match &**r {
                Heap::Enum(e) => Rc::ptr_eq(&e.def, def) && matches!(e.value, Value::Int(_)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Changes to the form that holds anything.
    pub fn make_values(&mut self) -> &mut Vec<Value> {
        if !matches!(self, Elems::Values(_)) {
            let all: Vec<Value> = (0..self.len()).filter_map(|i| self.get(i)).collect();
            *self = Elems::Values(all);
        }
        match self {
            Elems::Values(v) => v,
            _ => unreachable!("just made"),
        }
    }

    /// Appends a value that fits the element type (see [`super::fit_integer`]). Without memory for it the
    /// elements stay as they are (`memory::deny`).
    pub fn push(&mut self, value: Value) {
        if !self.takes(&value) && !self.can_be_values() {
            return;
        }
        if !self.takes(&value) {
            self.make_values();
        }
        match (self, value) {
            (Elems::Ints(v), Value::Int(i)) => push(v, i),
            (Elems::Scalars(v, _), value) => push(v, scalar_number(&value)),
            (Elems::Bytes(v), Value::Byte(b)) => push(v, b),
            (Elems::Floats(v), Value::Float(x)) => push(v, x),
            (Elems::Singles(v), Value::Float(x)) => push(v, x as f32),
            (Elems::Bools(v), Value::Bool(b)) => push(v, b),
            (Elems::Values(v), value) => push(v, value),
            _ => {}
        }
    }

    /// Removes the last value.
    pub fn pop(&mut self) -> Option<Value> {
        match self {
            Elems::Ints(v) => v.pop().map(Value::Int),
            Elems::Scalars(v, kind) => v.pop().map(|number| scalar_value(number, kind)),
            Elems::Bytes(v) => v.pop().map(Value::Byte),
            Elems::Floats(v) => v.pop().map(Value::Float),
            Elems::Singles(v) => v.pop().map(|x| Value::Float(f64::from(x))),
            Elems::Bools(v) => v.pop().map(Value::Bool),
            Elems::Values(v) => v.pop(),
        }
    }

    /// Whether there is memory for the form that holds anything.
    fn can_be_values(&self) -> bool {
        let room = memory::has_room((self.len() * size_of::<Value>()) as u64);
        if !room {
            memory::deny();
        }
        room
    }

    /// Bytes that a copy takes.
    pub(crate) fn bytes(&self) -> u64 {
        let size = match self {
            Elems::Ints(_) | Elems::Scalars(..) | Elems::Floats(_) => 8,
            Elems::Bytes(_) | Elems::Bools(_) => 1,
            Elems::Singles(_) => 4,
            Elems::Values(_) => size_of::<Value>(),
        };
        (self.len() * size) as u64
    }

    /// Replaces the value at `index`, which fits the element type; gives back the old one so that it
    /// is dropped by the caller. `None` if there is no such index.
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
            (Elems::Scalars(v, _), value) => *v.get_mut(index)? = scalar_number(&value),
            (Elems::Bytes(v), Value::Byte(b)) => *v.get_mut(index)? = b,
            (Elems::Floats(v), Value::Float(x)) => *v.get_mut(index)? = x,
            (Elems::Singles(v), Value::Float(x)) => *v.get_mut(index)? = x as f32,
            (Elems::Bools(v), Value::Bool(b)) => *v.get_mut(index)? = b,
            (Elems::Values(v), value) => *v.get_mut(index)? = value,
            _ => {}
        }
        Some(old)
    }

    /// All values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + '_ {
        (0..self.len()).map(|i| self.get(i).unwrap_or_default())
    }
}

/// Appends if there is memory.
#[inline]
fn push<T>(elements: &mut Vec<T>, element: T) {
    if memory::grow(elements) {
        elements.push(element);
    }
}

fn scalar_value(number: i64, kind: &ScalarKind) -> Value {
    match kind {
        ScalarKind::Sized(_) => Value::Int(number),
        ScalarKind::Char => Value::Char(char_of(number)),
        ScalarKind::Enum(def) => {
            Value::from(Heap::Enum(EnumValue { def: def.clone(), value: Value::Int(number) }))
        }
    }
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

/// `array` for an empty literal without type; `[any]` where the elements are of all kinds.
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

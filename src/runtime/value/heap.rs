//! Values and the objects they refer to.
//!
//! A [`Value`] has 16 bytes: a small scalar, or a counted reference to a [`Heap`] object. The mutable part of
//! an object is in a cell; no code of the program may run while one is borrowed.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use compact_str::CompactString;
use num_bigint::BigInt;

use super::array::{Array, Elems, array_typeof};
use super::creations;
use super::fields::Fields;
use super::map::{EntryKey, Key, OrderedMap};
use super::memory;
use super::object::ObjectCell;
use super::range::Range;
use super::reference::Reference;
use super::store::convert;
use super::string::Str;
use super::types::{EnumDef, HandleKind, StructDef, Type};

/// Size of an object in bytes, with its counters and the allocator's overhead.
const OBJECT: usize = size_of::<Heap>() + 24;

/// A counted reference to an object.
pub type Ref = Rc<Heap>;

/// A value with its kind. The sizes of integers are known only to the variable, element or field that holds
/// them.
///
/// `repr(u64)` gives all variants the same layout, so that copying takes two words. Without it, small values
/// are next to the tag, and copying piecewise costs `sieve` 8 %, `structs` 5 %.
#[derive(Clone, Debug, Default)]
#[repr(u64)]
pub enum Value {
    /// `nil`
    #[default]
    Nil,
    Bool(bool),
    /// An integer that fits in 64 bits (larger ones: [`Heap::Big`]).
    Int(i64),
    /// float; already rounded if it is from an `f32`.
    Float(f64),
    Char(char),
    Byte(u8),
    /// Everything else.
    Ref(Ref),
}

/// An object.
#[derive(Debug)]
pub enum Heap {
    Str(Str),
    /// An integer outside of 64 bits.
    Big(BigInt),
    Array(ObjectCell<Array>),
    Map(ObjectCell<MapValue>),
    Struct(StructValue),
    Enum(EnumValue),
    /// `range(start, end, step)`.
    Range(Range),
    /// Several results, between `return` and their consumer.
    Tuple(Box<[Value]>),
    /// A variable, element, entry or field that is referred to (`&`, `ref()`).
    Reference(Reference),
    /// A file, a database…
    Handle(Box<Handle>),
    /// A type given as an argument (`json.decode(text, Person)`).
    Type(Type),
    /// A scalar where a reference is needed (static type `any`).
    Scalar(Value),
}

/// A map object.
#[derive(Debug)]
pub struct MapValue {
    /// Type of the keys; `Any` if not declared.
    pub key: Rc<Type>,
    /// Type of the values; `Any` if not declared.
    pub value: Rc<Type>,
    /// The entries, in insertion order.
    pub entries: Box<OrderedMap>,
}

impl MapValue {
    /// `key`, converted as by a store into this map. `None` if no key of this map can equal it; a byte never
    /// equals an integer key.
    pub fn own_key(&self, key: &Value) -> Option<Value> {
        if key.fits(&self.key) {
            return Some(key.clone());
        }
        let key = key.follow();
        if matches!((&key, &*self.key), (Value::Byte(_), Type::Int(_))) {
            return None;
        }
        let key = convert(&self.key, key).ok()?;
        Key::hashable(&key).then_some(key)
    }

    /// The value of `key`, which may be of another kind than the map's keys.
    pub fn find(&self, key: &Value) -> Option<&Value> {
        let as_given = self.entries.get(key);
        match (key, &*self.key) {
            (Value::Int(_), Type::Int(_)) => as_given,
            _ => as_given.or_else(|| self.entries.get(&self.own_key(key)?)),
        }
    }
}

/// A struct object. The fields come first, so that they are likely to be in the same line of the processor's cache as
/// the object's kind.
#[derive(Debug)]
#[repr(C)]
pub struct StructValue {
    /// Its fields, in the type's order.
    pub fields: ObjectCell<Fields>,
    /// Its type.
    pub def: Rc<StructDef>,
}

/// An enum value where no static type says which enum it is.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Its type.
    pub def: Rc<EnumDef>,
    /// The underlying value, not necessarily that of a member.
    pub value: Value,
}

impl EnumValue {
    /// Name of the (first) member with this underlying value.
    pub fn member(&self) -> Option<&Rc<str>> {
        self.def.members().iter().find(|(_, v)| super::member_equal(v, &self.value)).map(|(name, _)| name)
    }
}

/// A library object such as an open file.
pub struct Handle {
    pub kind: HandleKind,
    /// One line that identifies it, and is shown as its value (`<FileHandle a.txt>`).
    pub preview: RefCell<String>,
    /// The data of the library.
    pub state: RefCell<Box<dyn Any>>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.kind.name(), self.preview.borrow())
    }
}

impl Value {
    pub fn str(text: impl Into<CompactString>) -> Value {
        Value::from(Heap::Str(Str::new(text)))
    }

    /// An array of `values`, which fit `elem`.
    pub fn array(elem: &Type, values: impl IntoIterator<Item = Value>) -> Value {
        Value::from(Heap::Array(Array::from_values(elem, values).into()))
    }

    /// An array with these elements.
    pub fn array_of(elem: &Type, data: Elems) -> Value {
        Value::from(Heap::Array(Array::from_elems(elem, data).into()))
    }

    /// An array of strings.
    pub fn strings<S: Into<CompactString>>(values: impl IntoIterator<Item = S>) -> Value {
        Value::array(&Type::Str, values.into_iter().map(Value::str))
    }

    pub fn map(key: &Type, value: &Type, entries: OrderedMap) -> Value {
        let (key, value) = (Rc::new(key.clone()), Rc::new(value.clone()));
        let entries = Box::new(entries);
        Value::from(Heap::Map(MapValue { key, value, entries }.into()))
    }

    /// A struct with these fields, in the type's order.
    pub fn structure(def: &Rc<StructDef>, fields: impl IntoIterator<Item = Value>) -> Value {
        Value::struct_of(def, fields.into_iter().collect())
    }

    /// [`Value::structure`] for fields in the form that the object keeps.
    #[inline]
    pub fn struct_of(def: &Rc<StructDef>, fields: Fields) -> Value {
        memory::charge(OBJECT + fields.bytes_outside());
        let fields = ObjectCell::new(fields);
        Value::Ref(new_object(Heap::Struct(StructValue { fields, def: def.clone() })))
    }

    /// Several results.
    pub fn tuple(parts: impl IntoIterator<Item = Value>) -> Value {
        Value::from(Heap::Tuple(parts.into_iter().collect()))
    }

    /// An integer of any size.
    pub fn integer(number: BigInt) -> Value {
        super::normalize(number)
    }

    /// The object, if there is one.
    #[inline]
    pub fn as_ref(&self) -> Option<&Ref> {
        match self {
            Value::Ref(r) => Some(r),
            _ => None,
        }
    }

    /// The text of a string.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Ref(r) => match &**r {
                Heap::Str(s) => Some(s.as_str()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The array of an array value.
    #[inline]
    pub fn as_array(&self) -> Option<&ObjectCell<Array>> {
        match self {
            Value::Ref(r) => match &**r {
                Heap::Array(a) => Some(a),
                _ => None,
            },
            _ => None,
        }
    }

    /// The map of a map value.
    #[inline]
    pub fn as_map(&self) -> Option<&ObjectCell<MapValue>> {
        match self {
            Value::Ref(r) => match &**r {
                Heap::Map(m) => Some(m),
                _ => None,
            },
            _ => None,
        }
    }

    /// The struct of a struct value.
    pub fn as_struct(&self) -> Option<&StructValue> {
        match self {
            Value::Ref(r) => match &**r {
                Heap::Struct(s) => Some(s),
                _ => None,
            },
            _ => None,
        }
    }

    /// The integer (not byte, not enum) as a big one.
    pub fn as_bigint(&self) -> Option<BigInt> {
        match self {
            Value::Int(i) => Some(BigInt::from(*i)),
            Value::Ref(r) => match &**r {
                Heap::Big(b) => Some(b.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Follows references, and replaces enum values by their underlying values.
    pub fn plain(&self) -> Value {
        let value = self.follow();
        if let Value::Ref(r) = &value
            && let Heap::Enum(e) = &**r
        {
            return e.value.clone();
        }
        value
    }

    /// Follows references, and unboxes a scalar; other values are returned unchanged. A reference to an
    /// element that does not exist any more gives nil.
    pub fn follow(&self) -> Value {
        let mut value = self.clone();
        for _ in 0..1000 {
            let next = match &value {
                Value::Ref(r) => match &**r {
                    Heap::Scalar(inner) => inner.clone(),
                    Heap::Reference(place) => place.read().unwrap_or_default(),
                    _ => return value,
                },
                _ => return value,
            };
            value = next;
        }
        value
    }

    /// Like [`Value::follow`], of a value that is not needed any more.
    #[inline]
    pub fn followed(self) -> Value {
        let is_reference =
            matches!(&self, Value::Ref(r) if matches!(&**r, Heap::Scalar(_) | Heap::Reference(_)));
        if is_reference { self.follow() } else { self }
    }

    /// Name of the value's type, as `typeof` gives it for values without static type.
    pub fn typeof_name(&self) -> String {
        match self {
            Value::Nil => "nil".into(),
            Value::Bool(_) => "bool".into(),
            Value::Int(_) => "int".into(),
            Value::Float(_) => "float".into(),
            Value::Char(_) => "char".into(),
            Value::Byte(_) => "byte".into(),
            Value::Ref(r) => match &**r {
                Heap::Str(_) => "string".into(),
                Heap::Big(_) => "int".into(),
                Heap::Array(a) => array_typeof(&a.borrow()),
                Heap::Map(m) => {
                    let m = m.borrow();
                    Type::Map(m.key.clone(), m.value.clone()).typeof_name()
                }
                Heap::Struct(s) => s.def.name.to_string(),
                Heap::Enum(e) => e.def.name.to_string(),
                Heap::Range(_) => "Range<int>".into(),
                Heap::Tuple(parts) => {
                    let parts: Vec<String> = parts.iter().map(Value::typeof_name).collect();
                    format!("({})", parts.join(", "))
                }
                Heap::Reference(_) | Heap::Scalar(_) => self.follow().typeof_name(),
                Heap::Handle(h) => h.kind.name().into(),
                Heap::Type(t) => t.to_string(),
            },
        }
    }
}

impl From<Heap> for Value {
    fn from(heap: Heap) -> Value {
        memory::charge(OBJECT);
        Value::Ref(new_object(heap))
    }
}

/// Creates an object. All mutable objects are created by this.
#[inline]
pub fn new_object(heap: Heap) -> Ref {
    let object = Rc::new(heap);
    creations::note(&object);
    object
}

impl From<Ref> for Value {
    fn from(r: Ref) -> Value {
        Value::Ref(r)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Value {
        Value::Int(i)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Float(x)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Value {
        Value::str(s)
    }
}

impl From<String> for Value {
    fn from(s: String) -> Value {
        Value::str(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert_eq!(std::mem::size_of::<Value>(), 16);
        assert_eq!(std::mem::size_of::<Option<Value>>(), 16);
        assert!(std::mem::size_of::<Heap>() <= 88, "{}", std::mem::size_of::<Heap>());
    }
}

//! Values and the objects they refer to.
//!
//! A [`Value`] is 16 bytes: a small scalar, or a counted reference to a [`Heap`] object. Objects that
//! change in place keep their changing part in a `RefCell`; nothing that runs a program's code may
//! happen while one is borrowed.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use compact_str::CompactString;
use num_bigint::BigInt;

use super::map::OrderedMap;
use super::types::{EnumBase, EnumDef, FloatKind, HandleKind, IntKind, StructDef, Type};

/// A counted reference to an object.
pub type Ref = Rc<Heap>;

/// A value with its kind. Sizes of integers are not kept: the place that holds it knows them.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `nil`
    #[default]
    Nil,
    /// bool
    Bool(bool),
    /// An integer that fits in 64 bits (larger ones: [`Heap::Big`]).
    Int(i64),
    /// float; an `f32` place holds rounded ones.
    Float(f64),
    /// char
    Char(char),
    /// byte
    Byte(u8),
    /// Everything else.
    Ref(Ref),
}

/// An object.
#[derive(Debug)]
pub enum Heap {
    /// A string.
    Str(Str),
    /// An integer outside of 64 bits.
    Big(BigInt),
    /// An array.
    Array(RefCell<Array>),
    /// A map.
    Map(RefCell<MapValue>),
    /// A struct.
    Struct(StructValue),
    /// An enum value.
    Enum(EnumValue),
    /// `range(start, end, step)`.
    Range {
        /// First.
        start: i64,
        /// Excluded end.
        end: i64,
        /// Step, not 0.
        step: i64,
    },
    /// Several results, between `return` and their consumer.
    Tuple(Box<[Value]>),
    /// A variable that is referred to (`&`, `ref()`), or an element, entry or field that is.
    Place(Place),
    /// A file, a database…
    Handle(Box<Handle>),
    /// A type given as an argument (`json.decode(text, Person)`).
    Type(Type),
    /// A scalar in a place that may hold anything (static type `any`).
    Scalar(Value),
}

/// A string: UTF-8 text with its length in code points, once known.
#[derive(Debug)]
pub struct Str {
    text: CompactString,
    /// Code points; `usize::MAX` while unknown.
    chars: Cell<usize>,
    /// Hash as a map key; 0 while unknown.
    hash: Cell<u64>,
}

impl Str {
    /// The string of `text`.
    pub fn new(text: impl Into<CompactString>) -> Str {
        Str { text: text.into(), chars: Cell::new(usize::MAX), hash: Cell::new(0) }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its hash, computed by `hash` once.
    #[inline]
    pub(crate) fn hash_by(&self, hash: impl FnOnce(&[u8]) -> u64) -> u64 {
        let known = self.hash.get();
        if known != 0 {
            return known;
        }
        let computed = hash(self.text.as_bytes()) | 1;
        self.hash.set(computed);
        computed
    }

    /// Length in code points.
    #[inline]
    pub fn char_count(&self) -> usize {
        let known = self.chars.get();
        if known != usize::MAX {
            return known;
        }
        let count = self.text.chars().count();
        self.chars.set(count);
        count
    }

    /// Whether every code point is one byte long.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.char_count() == self.text.len()
    }

    /// The `index`th code point.
    #[inline]
    pub fn char_at(&self, index: usize) -> Option<char> {
        if self.is_ascii() {
            self.text.as_bytes().get(index).map(|b| *b as char)
        } else {
            self.text.chars().nth(index)
        }
    }

    /// Appends in place.
    pub fn push_str(&mut self, more: &str) {
        self.text.push_str(more);
        self.chars.set(usize::MAX);
        self.hash.set(0);
    }
}

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
    /// Whether it belongs to a constant and must not change.
    pub frozen: bool,
    /// How many `for_each` loops go over it at present.
    pub iterating: u32,
}

/// A map object.
#[derive(Debug)]
pub struct MapValue {
    /// Type of the keys; `Any` when none was declared.
    pub key: Rc<Type>,
    /// Type of the values; `Any` when none was declared.
    pub value: Rc<Type>,
    /// The entries, in insertion order.
    pub entries: Box<OrderedMap>,
    /// Whether it belongs to a constant and must not change.
    pub frozen: bool,
}

/// A struct object.
#[derive(Debug)]
pub struct StructValue {
    /// Its type.
    pub def: Rc<StructDef>,
    /// Its fields, in the type's order.
    pub fields: RefCell<Box<[Value]>>,
    /// Whether it belongs to a constant and must not change.
    pub frozen: Cell<bool>,
}

/// An enum value outside of a place that knows its type.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Its type.
    pub def: Rc<EnumDef>,
    /// The underlying value; need not be that of a member.
    pub value: Value,
}

impl EnumValue {
    /// Name of the (first) member with this underlying value.
    pub fn member(&self) -> Option<&Rc<str>> {
        self.def.members().iter().find(|(_, v)| super::member_equal(v, &self.value)).map(|(name, _)| name)
    }
}

/// Something that can be referred to.
#[derive(Debug)]
pub enum Place {
    /// A variable that was moved out of its frame because it is referred to.
    Variable(RefCell<Variable>),
    /// Element of an array.
    Element {
        /// The array.
        array: Ref,
        /// Its index.
        index: i64,
    },
    /// Entry of a map.
    Entry {
        /// The map.
        map: Ref,
        /// Its key.
        key: Value,
    },
    /// Field of a struct.
    Field {
        /// The struct.
        object: Ref,
        /// Number of the field.
        field: u32,
    },
}

/// A boxed variable.
#[derive(Debug)]
pub struct Variable {
    /// Its declared type: what is stored must fit.
    pub ty: Rc<Type>,
    /// Its value; may be a reference to another place.
    pub value: Value,
    /// Name, if it is a constant: stores fail.
    pub constant: Option<Rc<str>>,
}

/// A library object such as an open file.
pub struct Handle {
    /// What it is.
    pub kind: HandleKind,
    /// One line that tells which: how the value is shown (`<FileHandle a.txt>`).
    pub preview: RefCell<String>,
    /// What the library keeps in it.
    pub state: RefCell<Box<dyn Any>>,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.kind.name(), self.preview.borrow())
    }
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

    /// Appends a value that fits the element type (see [`super::fit_integer`]).
    pub fn push(&mut self, value: Value) {
        if !self.takes(&value) {
            self.make_values().push(value);
            return;
        }
        match (self, value) {
            (Elems::Ints(v), Value::Int(i)) => v.push(i),
            (Elems::Scalars(v, _), value) => v.push(scalar_number(&value)),
            (Elems::Bytes(v), Value::Byte(b)) => v.push(b),
            (Elems::Floats(v), Value::Float(x)) => v.push(x),
            (Elems::Singles(v), Value::Float(x)) => v.push(x as f32),
            (Elems::Bools(v), Value::Bool(b)) => v.push(b),
            (Elems::Values(v), value) => v.push(value),
            _ => {}
        }
    }

    /// Replaces the value at `index`, which fits the element type; gives back the old one so that it
    /// is dropped by the caller. `None` if there is no such index.
    pub fn set(&mut self, index: usize, value: Value) -> Option<Value> {
        let old = self.get(index)?;
        if !self.takes(&value) {
            *self.make_values().get_mut(index)? = value;
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
pub(crate) fn char_of(number: i64) -> char {
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
        Array { elem: Rc::new(elem.clone()), data, frozen: false, iterating: 0 }
    }
}

impl Value {
    /// A string.
    pub fn str(text: impl Into<CompactString>) -> Value {
        Value::from(Heap::Str(Str::new(text)))
    }

    /// An array of `values`, which fit `elem`.
    pub fn array(elem: &Type, values: impl IntoIterator<Item = Value>) -> Value {
        Value::from(Heap::Array(RefCell::new(Array::from_values(elem, values))))
    }

    /// An array with these elements.
    pub fn array_of(elem: &Type, data: Elems) -> Value {
        Value::from(Heap::Array(RefCell::new(Array::from_elems(elem, data))))
    }

    /// An array of strings.
    pub fn strings<S: Into<CompactString>>(values: impl IntoIterator<Item = S>) -> Value {
        Value::array(&Type::Str, values.into_iter().map(Value::str))
    }

    /// A map with these entries.
    pub fn map(key: &Type, value: &Type, entries: OrderedMap) -> Value {
        let (key, value) = (Rc::new(key.clone()), Rc::new(value.clone()));
        let entries = Box::new(entries);
        Value::from(Heap::Map(RefCell::new(MapValue { key, value, entries, frozen: false })))
    }

    /// A struct with these fields, in the type's order.
    pub fn structure(def: &Rc<StructDef>, fields: impl IntoIterator<Item = Value>) -> Value {
        Value::from(Heap::Struct(StructValue {
            def: def.clone(),
            fields: RefCell::new(fields.into_iter().collect()),
            frozen: Cell::new(false),
        }))
    }

    /// Several results.
    pub fn tuple(parts: impl IntoIterator<Item = Value>) -> Value {
        Value::from(Heap::Tuple(parts.into_iter().collect()))
    }

    /// An integer of any size.
    pub fn integer(number: BigInt) -> Value {
        super::normalize(number)
    }

    /// The object, for values that have one.
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
    pub fn as_array(&self) -> Option<&RefCell<Array>> {
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
    pub fn as_map(&self) -> Option<&RefCell<MapValue>> {
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

    /// What a reference (or a boxed scalar) stands for, followed to the end; itself otherwise.
    /// A reference to an element that is gone gives nil.
    pub fn follow(&self) -> Value {
        let mut value = self.clone();
        for _ in 0..1000 {
            let next = match &value {
                Value::Ref(r) => match &**r {
                    Heap::Scalar(inner) => inner.clone(),
                    Heap::Place(place) => place.read().unwrap_or_default(),
                    _ => return value,
                },
                _ => return value,
            };
            value = next;
        }
        value
    }

    /// Name of the value's kind as `typeof` says it for values without static type.
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
                Heap::Range { .. } => "Range<int>".into(),
                Heap::Tuple(parts) => {
                    let parts: Vec<String> = parts.iter().map(Value::typeof_name).collect();
                    format!("({})", parts.join(", "))
                }
                Heap::Place(_) | Heap::Scalar(_) => self.follow().typeof_name(),
                Heap::Handle(h) => h.kind.name().into(),
                Heap::Type(t) => t.to_string(),
            },
        }
    }
}

/// Containers this deep inside others are released by the outermost one, in a loop: a chain of a
/// million objects must not use up the stack.
const DIRECT_DROPS: u32 = 100;

thread_local! {
    static DROPPING: Cell<u32> = const { Cell::new(0) };
    static POSTPONED: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Releases the parts of a container that goes away.
fn release(parts: impl Iterator<Item = Value>) {
    let depth = DROPPING.try_with(Cell::get).unwrap_or(0);
    if depth >= DIRECT_DROPS {
        let parts: Vec<Value> = parts.collect();
        let _ = POSTPONED.try_with(|p| p.borrow_mut().extend(parts));
        return;
    }
    let _ = DROPPING.try_with(|d| d.set(depth + 1));
    parts.for_each(drop);
    if depth == 0 {
        while let Ok(Some(value)) = POSTPONED.try_with(|p| p.borrow_mut().pop()) {
            drop(value);
        }
    }
    let _ = DROPPING.try_with(|d| d.set(depth));
}

/// Whether dropping the values could go deep.
fn has_containers(values: &[Value]) -> bool {
    values.iter().any(|v| match v {
        Value::Ref(r) => matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) | Heap::Place(_)),
        _ => false,
    })
}

impl Drop for StructValue {
    fn drop(&mut self) {
        let fields = self.fields.get_mut();
        if has_containers(fields) {
            release(std::mem::take(fields).into_vec().into_iter());
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Elems::Values(values) = &mut self.data
            && has_containers(values)
        {
            release(std::mem::take(values).into_iter());
        }
    }
}

impl Drop for MapValue {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        if entries.iter().any(|(_, v)| has_containers(std::slice::from_ref(v))) {
            release(entries.into_values());
        }
    }
}

/// `array` for an empty literal without type; `[any]` where the elements are of all kinds.
fn array_typeof(array: &Array) -> String {
    match (&*array.elem, array.data.get(0)) {
        (Type::Any, Some(_)) => "[any]".into(),
        (Type::Array(inner, _), Some(first)) if inner.is_any() => format!("[{}]", first.typeof_name()),
        (elem, _) => Type::Array(Rc::new(elem.clone()), None).typeof_name(),
    }
}

impl From<Heap> for Value {
    fn from(heap: Heap) -> Value {
        Value::Ref(Rc::new(heap))
    }
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

impl Place {
    /// What stands there; `None` if the element or entry does not exist (any more).
    pub fn read(&self) -> Option<Value> {
        match self {
            Place::Variable(variable) => Some(variable.borrow().value.clone()),
            Place::Element { array, index } => match &**array {
                Heap::Array(a) => a.borrow().data.get(usize::try_from(*index).ok()?),
                _ => None,
            },
            Place::Entry { map, key } => match &**map {
                Heap::Map(m) => m.borrow().entries.get(key).cloned(),
                _ => None,
            },
            Place::Field { object, field } => match &**object {
                Heap::Struct(s) => s.fields.borrow().get(*field as usize).cloned(),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_small() {
        assert_eq!(std::mem::size_of::<Value>(), 16);
        assert!(std::mem::size_of::<Heap>() <= 72, "{}", std::mem::size_of::<Heap>());
    }

    #[test]
    fn long_chains_are_released_in_a_loop() {
        let mut chain = Value::array(&Type::Any, []);
        for _ in 0..1_000_000 {
            chain = Value::array(&Type::Any, [chain]);
        }
        drop(chain);
    }

    #[test]
    fn arrays_change_form_for_what_does_not_fit() {
        let mut elems = Elems::for_type(&Type::INT);
        elems.push(Value::Int(1));
        elems.push(Value::Nil);
        assert!(matches!(elems, Elems::Values(_)));
        assert!(matches!(elems.get(0), Some(Value::Int(1))));
    }
}

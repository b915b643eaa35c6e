//! Targets of references: variables, elements, entries, fields.

use std::rc::Rc;

use super::heap::{Heap, Ref, Value};
use super::object::ObjectCell;
use super::types::Type;

/// The target of a reference.
#[derive(Debug)]
pub enum Place {
    /// A variable on the heap (boxed), because something refers to it.
    Variable(ObjectCell<Variable>),
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
        /// Index of the field.
        field: u32,
    },
}

/// A boxed variable.
#[derive(Debug)]
pub struct Variable {
    /// Its declared type.
    pub ty: Rc<Type>,
    /// Its value, which may be a reference to another place.
    pub value: Value,
    /// Its name if it is a constant, which cannot be assigned to.
    pub constant: Option<Rc<str>>,
}

impl Place {
    /// The value; `None` if the element or entry does not exist (any more).
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

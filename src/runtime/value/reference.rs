//! References, to variables, elements, entries and fields.

use std::rc::Rc;

use super::heap::{Heap, Ref, Value};
use super::object::ObjectCell;
use super::types::Type;

/// A reference, by what it refers to.
#[derive(Debug)]
pub enum Reference {
    /// A variable on the heap (boxed), because something refers to it.
    Variable(ObjectCell<Variable>),
    /// Element of an array.
    Element { array: Ref, index: i64 },
    /// Entry of a map.
    Entry { map: Ref, key: Value },
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
    /// Its value, which may be a reference to a reference again.
    pub value: Value,
    /// Its name if it is a constant, which cannot be assigned to.
    pub constant: Option<Rc<str>>,
}

impl Reference {
    /// The value; `None` if the element or entry does not exist (any more).
    pub fn read(&self) -> Option<Value> {
        match self {
            Reference::Variable(variable) => Some(variable.borrow().value.clone()),
            Reference::Element { array, index } => match &**array {
                Heap::Array(a) => a.borrow().data.get(usize::try_from(*index).ok()?),
                _ => None,
            },
            Reference::Entry { map, key } => match &**map {
                Heap::Map(m) => m.borrow().entries.get(key).cloned(),
                _ => None,
            },
            Reference::Field { object, field } => match &**object {
                Heap::Struct(s) => s.fields.borrow().get(*field as usize).cloned(),
                _ => None,
            },
        }
    }
}

//! Deep copies, and freezing the values of constants.

use std::collections::HashMap;
use std::rc::Rc;

use crate::diagnostics::Code;

use super::array::{Array, Elems};
use super::fields::Fields;
use super::heap::{Heap, MapValue, Ref, Value};
use super::map::OrderedMap;
use super::memory;
use super::types::{StructDef, Type};

/// Depth to which values are copied.
const MAX_DEPTH: usize = 100_000;

/// Why a value cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// It contains itself.
    #[error("value contains itself and cannot be copied")]
    Cyclic,
    /// It consists of too many parts inside each other, such as a list of that many nodes.
    #[error("value is nested too deeply to be copied (limit: {MAX_DEPTH})")]
    TooDeep,
    /// There is not enough memory for the copy.
    #[error("out of memory: the value is too large to be copied")]
    NoMemory,
}

impl CopyError {
    /// The code of the run-time error.
    pub fn code(&self) -> Code {
        match self {
            CopyError::NoMemory => Code::E5018Memory,
            CopyError::Cyclic | CopyError::TooDeep => Code::E5018,
        }
    }
}

/// Depth from which on copies are made without recursion: lists may have any number of nodes, each inside the one
/// before it. (Recursion is faster.)
const DIRECT: usize = 100;

/// A copy that shares no mutable object with the original; references inside are kept. Copies are never
/// frozen.
pub fn deep_copy(value: &Value) -> Result<Value, CopyError> {
    copy_at(value, 0).map_err(|error| match error {
        CopyError::TooDeep if contains_itself(value) => CopyError::Cyclic,
        error => error,
    })
}

fn copy_at(value: &Value, depth: usize) -> Result<Value, CopyError> {
    let Value::Ref(r) = value else { return Ok(value.clone()) };
    if depth >= DIRECT {
        return copy_from(r, depth);
    }
    Ok(match &**r {
        Heap::Array(a) => {
            let a = a.borrow();
            room(a.data.bytes())?;
            let mut data = match a.data.values() {
                Some(values) => Elems::Values(copy_all(values, depth)?),
                None => a.data.clone(),
            };
            data.settle();
            Value::from(Heap::Array(Array { elem: a.elem.clone(), data }.into()))
        }
        Heap::Map(m) => {
            let m = m.borrow();
            room(m.entries.bytes())?;
            let mut entries = m.entries.clone();
            for (_, value) in entries.iter_mut() {
                *value = copy_at(value, depth + 1)?;
            }
            Value::from(Heap::Map(MapValue { key: m.key.clone(), value: m.value.clone(), entries }.into()))
        }
        Heap::Struct(s) => {
            let fields = s.fields.borrow();
            let mut copies = Fields::nil(fields.len());
            for (copy, field) in copies.iter_mut().zip(fields.iter()) {
                *copy = if is_shared(field) { field.clone() } else { copy_at(field, depth + 1)? };
            }
            Value::struct_of(&s.def, copies)
        }
        _ => value.clone(),
    })
}

fn copy_all(values: &[Value], depth: usize) -> Result<Vec<Value>, CopyError> {
    if values.iter().all(is_shared) {
        return Ok(values.to_vec());
    }
    values.iter().map(|value| copy_at(value, depth + 1)).collect()
}

/// A copy of an object at this depth, made without recursion.
#[cold]
#[inline(never)]
fn copy_from(object: &Ref, depth: usize) -> Result<Value, CopyError> {
    let mut around: Vec<Unfinished> = Vec::new();
    let mut copy = Unfinished::begin(object)?;
    loop {
        while let Some(part) = copy.next_container() {
            if depth + around.len() >= MAX_DEPTH {
                return Err(CopyError::TooDeep);
            }
            if !memory::grow(&mut around) {
                return Err(CopyError::NoMemory);
            }
            around.push(std::mem::replace(&mut copy, Unfinished::begin(&part)?));
        }
        let value = copy.finish();
        let Some(outer) = around.pop() else { return Ok(value) };
        copy = outer;
        copy.replace(value);
    }
}

/// A copy of a container whose parts are those of the original, from a certain one on.
struct Unfinished {
    parts: Parts,
    /// Index of that part.
    at: usize,
}

enum Parts {
    Elements(Rc<Type>, Elems),
    Entries(Rc<Type>, Rc<Type>, Box<OrderedMap>),
    Fields(Rc<StructDef>, Fields),
    /// It can be shared as a whole.
    Shared(Ref),
}

impl Unfinished {
    fn begin(object: &Ref) -> Result<Unfinished, CopyError> {
        let parts = match &**object {
            Heap::Array(a) => {
                let a = a.borrow();
                room(a.data.bytes())?;
                let data = match a.data.values() {
                    Some(values) => Elems::Values(values.to_vec()),
                    None => a.data.clone(),
                };
                Parts::Elements(a.elem.clone(), data)
            }
            Heap::Map(m) => {
                let m = m.borrow();
                room(m.entries.bytes())?;
                Parts::Entries(m.key.clone(), m.value.clone(), m.entries.clone())
            }
            Heap::Struct(s) => Parts::Fields(s.def.clone(), s.fields.borrow().clone()),
            _ => Parts::Shared(object.clone()),
        };
        Ok(Unfinished { parts, at: 0 })
    }

    /// The next part that is a container, which has to be replaced.
    fn next_container(&mut self) -> Option<Ref> {
        let shared = |values: &[Value]| values.iter().take_while(|value| is_shared(value)).count();
        self.at += match &self.parts {
            Parts::Elements(_, elements) => shared(elements.values()?.get(self.at..)?),
            Parts::Fields(_, fields) => shared(fields.get(self.at..)?),
            Parts::Entries(_, _, entries) => {
                entries.places(self.at).take_while(|place| place.is_none_or(is_shared)).count()
            }
            Parts::Shared(_) => return None,
        };
        container(self.part()?).cloned()
    }

    /// Replaces the part that `next_container` has found.
    fn replace(&mut self, value: Value) {
        if let Some(part) = self.part() {
            *part = value;
        }
        self.at += 1;
    }

    fn part(&mut self) -> Option<&mut Value> {
        match &mut self.parts {
            Parts::Elements(_, Elems::Values(values)) => values.get_mut(self.at),
            Parts::Fields(_, fields) => fields.get_mut(self.at),
            Parts::Entries(_, _, entries) => entries.place_mut(self.at),
            Parts::Elements(..) | Parts::Shared(_) => None,
        }
    }

    fn finish(self) -> Value {
        match self.parts {
            Parts::Elements(elem, mut data) => {
                data.settle();
                Value::from(Heap::Array(Array { elem, data }.into()))
            }
            Parts::Entries(key, value, entries) => {
                Value::from(Heap::Map(MapValue { key, value, entries }.into()))
            }
            Parts::Fields(def, fields) => Value::struct_of(&def, fields),
            Parts::Shared(object) => Value::Ref(object),
        }
    }
}

/// Fails if this many bytes cannot be allocated.
fn room(bytes: u64) -> Result<(), CopyError> {
    // Counts what was charged for earlier parts, too.
    if !memory::check() || !memory::has_room(bytes) { Err(CopyError::NoMemory) } else { Ok(()) }
}

/// Whether the value is immutable, so that copies can share it.
#[inline]
fn is_shared(value: &Value) -> bool {
    match value {
        Value::Ref(r) => !matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)),
        _ => true,
    }
}

/// Makes a value that is not shared immutable, with all its parts.
pub fn freeze(value: &Value) {
    let mut todo: Vec<Ref> = container(value).cloned().into_iter().collect();
    while let Some(r) = todo.pop() {
        let fresh = match &*r {
            Heap::Array(a) => a.freeze(),
            Heap::Map(m) => m.freeze(),
            Heap::Struct(s) => s.fields.freeze(),
            _ => false,
        };
        if fresh {
            each_container_in(&r, |part| todo.push(part.clone()));
        }
    }
}

/// Whether the value, or a part of it, is one of its own parts.
fn contains_itself(value: &Value) -> bool {
    enum Step {
        Enter(Ref),
        Leave(*const Heap),
    }
    // Whether a container is being looked through, by its address.
    let mut open = HashMap::new();
    let mut todo: Vec<Step> = container(value).cloned().map(Step::Enter).into_iter().collect();
    while let Some(step) = todo.pop() {
        match step {
            Step::Leave(address) => {
                open.insert(address, false);
            }
            Step::Enter(r) => {
                let address = Rc::as_ptr(&r);
                match open.get(&address) {
                    Some(true) => return true,
                    Some(false) => {}
                    None => {
                        open.insert(address, true);
                        todo.push(Step::Leave(address));
                        each_container_in(&r, |part| todo.push(Step::Enter(part.clone())));
                    }
                }
            }
        }
    }
    false
}

/// The object of an array, map or struct.
fn container(value: &Value) -> Option<&Ref> {
    match value {
        Value::Ref(r) if !is_shared(value) => Some(r),
        _ => None,
    }
}

/// Calls `each` with the arrays, maps and structs that are direct parts of the object.
fn each_container_in(object: &Heap, mut each: impl FnMut(&Ref)) {
    let each = |part: &Value| container(part).into_iter().for_each(&mut each);
    match object {
        Heap::Array(a) => a.borrow().data.values().into_iter().flatten().for_each(each),
        Heap::Map(m) => m.borrow().entries.iter().map(|(_, part)| part).for_each(each),
        Heap::Struct(s) => s.fields.borrow().iter().for_each(each),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mutator, Part, identical, inspect, library_equal};
    use super::*;
    use crate::threads::spawn_with_stack;
    use crate::value::test_values::{empty, nested};

    #[test]
    fn only_what_can_change_is_copied() {
        let text = Value::str("a");
        let numbers = || Value::array(&Type::INT, [Value::Int(1)]);
        let mut entries: OrderedMap = (0..9).map(|i| (Value::Int(i), numbers())).collect();
        let _ = (entries.remove(&Value::Int(0)), entries.remove(&Value::Int(4)));
        let map = Value::map(&Type::INT, &Type::Any, entries);
        let list = Value::array(&Type::Any, [text.clone(), numbers(), map, Value::Nil, numbers()]);
        let parts = |value: &Value| -> Vec<Value> {
            value.as_array().expect("an array").borrow().data.iter().collect()
        };
        for depth in [0, DIRECT - 1, DIRECT, DIRECT + 1] {
            let copy = copy_at(&list, depth).expect("a copy");
            assert!(library_equal(&list, &copy) && inspect(&list) == inspect(&copy));
            let are_same: Vec<bool> =
                parts(&list).iter().zip(parts(&copy)).map(|(a, b)| identical(a, &b)).collect();
            assert_eq!(are_same, [true, false, false, true, false]);
        }
    }

    #[test]
    fn depth_is_not_taken_for_a_cycle() {
        let test = || {
            assert!(deep_copy(&nested(MAX_DEPTH, empty())).is_ok());
            assert_eq!(deep_copy(&nested(MAX_DEPTH + 1, empty())).err(), Some(CopyError::TooDeep));
            let part = nested(MAX_DEPTH, empty());
            let twice = Value::array(&Type::Any, [part.clone(), part]);
            assert_eq!(deep_copy(&twice).err(), Some(CopyError::TooDeep));
            let cycle = Value::array(&Type::Any, [nested(MAX_DEPTH, empty()), Value::Nil]);
            let array = cycle.as_array().expect("an array");
            array
                .change(&mut Mutator::new().expect("the only one"), Part::All)
                .expect("may change")
                .data
                .push(cycle.clone());
            assert_eq!(
                deep_copy(&Value::array(&Type::Any, [Value::Nil, cycle.clone()])).err(),
                Some(CopyError::Cyclic)
            );
        };
        spawn_with_stack("copies", 1 << 20, test).expect("starts").join().expect("no failure");
    }
}

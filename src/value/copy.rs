//! Deep copies, and freezing the values of constants.

use std::collections::HashMap;
use std::rc::Rc;

use crate::diagnostics::Code;
use crate::sync::{ALONE, on_new_stack};

use super::array::{Array, Elems};
use super::fields::Fields;
use super::heap::{Heap, MapValue, Ref, Value};
use super::memory;

/// Depth to which values are copied.
const MAX_DEPTH: usize = 100_000;

/// Where there is not one stack for all of it (`ALONE`): levels on one, and what they take at most, in bytes.
const LEVELS_ON_STACK: usize = 500;
const STACK: u32 = 150_000;

/// Why a value cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// It contains itself.
    #[error("value contains itself and cannot be copied")]
    Cyclic,
    /// It consists of too many parts inside each other, such as a list of that many nodes.
    #[error("value is nested too deeply to be copied (limit: {MAX_DEPTH})")]
    TooDeep,
    /// It is nested too deeply for the stack that a browser gives.
    #[error("value is nested too deeply to be copied in this browser")]
    NoStack,
    /// There is not enough memory for the copy.
    #[error("out of memory: the value is too large to be copied")]
    NoMemory,
}

impl CopyError {
    /// The code of the run-time error.
    pub fn code(&self) -> Code {
        match self {
            CopyError::NoMemory => Code::E5018Memory,
            CopyError::Cyclic | CopyError::TooDeep | CopyError::NoStack => Code::E5018,
        }
    }
}

/// A copy that shares no mutable object with the original; references inside are kept. Copies are never
/// frozen.
pub fn deep_copy(value: &Value) -> Result<Value, CopyError> {
    copy_at(value, 0).map_err(|error| match error {
        CopyError::TooDeep | CopyError::NoStack if contains_itself(value) => CopyError::Cyclic,
        error => error,
    })
}

fn copy_at(value: &Value, depth: usize) -> Result<Value, CopyError> {
    if ALONE && depth % LEVELS_ON_STACK == LEVELS_ON_STACK - 1 && !is_shared(value) {
        let mut copy = Err(CopyError::NoStack);
        on_new_stack(STACK, &mut || copy = copy_level(value, depth));
        return copy;
    }
    copy_level(value, depth)
}

#[inline]
fn copy_level(value: &Value, depth: usize) -> Result<Value, CopyError> {
    let Value::Ref(r) = value else { return Ok(value.clone()) };
    if depth > MAX_DEPTH {
        return Err(CopyError::TooDeep);
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

/// Fails if this many bytes cannot be allocated.
fn room(bytes: u64) -> Result<(), CopyError> {
    // Counts what was charged for earlier parts, too.
    if !memory::check() || !memory::has_room(bytes) { Err(CopyError::NoMemory) } else { Ok(()) }
}

fn copy_all(values: &[Value], depth: usize) -> Result<Vec<Value>, CopyError> {
    if values.iter().all(is_shared) {
        return Ok(values.to_vec());
    }
    values.iter().map(|value| copy_at(value, depth + 1)).collect()
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
    use super::super::types::Type;
    use super::super::{Mutator, Part};
    use super::*;
    use crate::threads::spawn_with_stack;
    use crate::value::test_values::{empty, nested};

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
        spawn_with_stack("copies", 512 << 20, test).expect("starts").join().expect("no failure");
    }
}

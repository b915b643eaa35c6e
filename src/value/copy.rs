//! Deep copies, and freezing the values of constants.

use std::rc::Rc;

use super::array::{Array, Elems};
use super::fields::Fields;
use super::heap::{Heap, MapValue, Value};
use super::memory;

/// Depth at which a value is taken to be cyclic.
const MAX_DEPTH: usize = 100_000;

/// Why a value cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// It contains itself.
    #[error("value contains itself and cannot be copied")]
    Cyclic,
    /// There is not enough memory for the copy.
    #[error("out of memory: the value is too large to be copied")]
    NoMemory,
}

/// A copy that shares no mutable object with the original; references inside are kept. Copies are never
/// frozen.
pub fn deep_copy(value: &Value) -> Result<Value, CopyError> {
    copy_at(value, 0)
}

fn copy_at(value: &Value, depth: usize) -> Result<Value, CopyError> {
    let Value::Ref(r) = value else { return Ok(value.clone()) };
    if depth > MAX_DEPTH {
        return Err(CopyError::Cyclic);
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
    let Value::Ref(r) = value else { return };
    let mut todo = vec![r.clone()];
    while let Some(r) = todo.pop() {
        let mut more = |v: &Value| {
            if let Value::Ref(r) = v
                && matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_))
            {
                todo.push(Rc::clone(r));
            }
        };
        match &*r {
            Heap::Array(a) => {
                if a.freeze()
                    && let Some(values) = a.borrow().data.values()
                {
                    values.iter().for_each(&mut more);
                }
            }
            Heap::Map(m) if m.freeze() => {
                m.borrow().entries.iter().for_each(|(_, v)| more(v));
            }
            Heap::Struct(s) if s.fields.freeze() => {
                s.fields.borrow().iter().for_each(&mut more);
            }
            _ => {}
        }
    }
}

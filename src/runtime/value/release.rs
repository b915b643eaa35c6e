//! Dropping deeply nested containers without overflowing the stack.

use std::cell::{Cell, RefCell};

use super::array::{Array, Elems};
use super::heap::{Heap, MapValue, StructValue, Value};

/// Depth up to which containers are dropped recursively. Deeper ones are dropped by the outermost one, in a
/// loop: a list of a million nodes must not overflow the stack.
const DIRECT_DROPS: u32 = 100;

thread_local! {
    static DROPPING: Cell<u32> = const { Cell::new(0) };
    static POSTPONED: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops the parts of a container.
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

/// Whether dropping the values might recurse deeply.
fn has_containers(values: &[Value]) -> bool {
    values.iter().any(|v| match v {
        Value::Ref(r) => matches!(&**r, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) | Heap::Reference(_)),
        _ => false,
    })
}

impl Drop for StructValue {
    fn drop(&mut self) {
        let fields = self.fields.content_mut();
        if has_containers(fields) {
            release(fields.iter_mut().map(std::mem::take));
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.data.settle();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Type;

    #[test]
    fn long_chains_are_released_in_a_loop() {
        let mut chain = Value::array(&Type::Any, []);
        for _ in 0..1_000_000 {
            chain = Value::array(&Type::Any, [chain]);
        }
        drop(chain);
    }
}

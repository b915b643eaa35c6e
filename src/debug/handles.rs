//! Handles: numbers by which a client asks for the parts of a value while the program is stopped.

use std::num::NonZeroU64;

use compact_str::CompactString;
use foldhash::HashMap;

use crate::api::{Described, Handle, Limits, Scope, Variable};
use crate::value::{Heap, Ref, Type, Value, inspect};

use super::describe::{describe, part_count, type_text};

/// What the handles of the present stop stand for. All are given up when the program goes on, so that
/// the debugger never keeps a value alive, or a copy from being left out, while the program runs.
#[derive(Default)]
pub(crate) struct Handles {
    values: HashMap<Handle, Ref>,
    /// The last number used; none is used twice in a session.
    last: u64,
}

impl Handles {
    /// Gives all handles up.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Describes a value of a static type, with a handle if it has parts.
    pub fn describe(&mut self, value: &Value, ty: &Type, limits: Limits) -> Described {
        let children = part_count(value);
        let handle = if children > 0 { value.as_ref().and_then(|object| self.add(object)) } else { None };
        Described { value: describe(value, limits), declared_type: type_text(ty), handle, children }
    }

    fn add(&mut self, object: &Ref) -> Option<Handle> {
        self.last += 1;
        let handle = Handle(NonZeroU64::new(self.last)?);
        self.values.insert(handle, object.clone());
        Some(handle)
    }

    /// Some parts of a value, and how many it has; `None` for a handle that is not valid (any more).
    pub fn children(
        &mut self,
        handle: Handle,
        start: usize,
        count: usize,
        limits: Limits,
    ) -> Option<(Vec<Variable>, usize)> {
        let object = self.values.get(&handle)?.clone();
        let total = part_count(&Value::Ref(object.clone()));
        let end = start.saturating_add(count).min(total);
        let mut children = Vec::new();
        for part in parts(&object, start, end) {
            let Part { name, value, ty, mutable } = part;
            let held = self.describe(&value.follow(), &ty, limits);
            children.push(Variable { name, scope: Scope::Part, mutable, held });
        }
        Some((children, total))
    }
}

/// A part of a value.
struct Part {
    name: CompactString,
    value: Value,
    ty: Type,
    mutable: bool,
}

/// The parts with these indices.
fn parts(object: &Ref, start: usize, end: usize) -> Vec<Part> {
    match &**object {
        Heap::Array(cell) => {
            let a = cell.borrow();
            let part = |i: usize| Part {
                name: CompactString::from(format!("[{i}]")),
                value: a.data.get(i).unwrap_or_default(),
                ty: (*a.elem).clone(),
                mutable: !cell.is_frozen(),
            };
            (start..end).map(part).collect()
        }
        Heap::Map(cell) => {
            let m = cell.borrow();
            let entries = m.entries.iter().skip(start).take(end.saturating_sub(start));
            let part = |(key, value): (&Value, &Value)| Part {
                name: CompactString::from(format!("[{}]", inspect(key))),
                value: value.clone(),
                ty: (*m.value).clone(),
                mutable: !cell.is_frozen(),
            };
            entries.map(part).collect()
        }
        Heap::Struct(s) => {
            let fields = s.fields.borrow();
            let part = |i: usize| {
                let field = s.def.fields().get(i)?;
                let (name, ty) = (CompactString::new(&field.name), field.ty.clone());
                Some(Part { name, value: fields.get(i)?.clone(), ty, mutable: !s.fields.is_frozen() })
            };
            (start..end).filter_map(part).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Value as Shown;

    #[test]
    fn parts_are_asked_for_in_pages() {
        let mut handles = Handles::default();
        let array = Value::array(&Type::INT, (0..1000).map(Value::Int));
        let described = handles.describe(&array, &Type::array(Type::INT), Limits { parts: 1, bytes: 10 });
        assert_eq!((described.children, described.declared_type.as_str()), (1000, "[int]"));
        let handle = described.handle.expect("it has parts");
        let (page, total) = handles.children(handle, 998, 100, Limits::PREVIEW).expect("valid");
        let names: Vec<&str> = page.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((names, total), (vec!["[998]", "[999]"], 1000));
        assert_eq!(page[1].held.value, Shown::Int(999));
        assert!(handles.children(handle, 2000, 1, Limits::PREVIEW).expect("valid").0.is_empty());
        handles.clear();
        assert!(handles.children(handle, 0, 1, Limits::PREVIEW).is_none());
        let again = handles.describe(&array, &Type::Any, Limits::PREVIEW).handle;
        assert_ne!(again, Some(handle));
        assert_eq!(handles.describe(&Value::Int(1), &Type::INT, Limits::PREVIEW).handle, None);
    }
}

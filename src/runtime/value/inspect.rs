//! The text forms of values: *display* (as `print` writes them) and *inspect* (as inside containers). Containers are
//! written without recursion, since lists may have any number of nodes, each inside the one before it.

use std::fmt::Write;
use std::rc::Rc;
use std::vec::IntoIter;

use foldhash::HashSet;

use super::float::shown_as;
use super::heap::{Heap, Ref, Value};
use super::memory;
use super::text::{float_text, inspect_string};
use crate::text::start_of;

/// Size in bytes that most parts of a container do not exceed as text.
const SHORT: usize = 64;

/// The display form: strings without quotes, everything else as [`inspect`].
pub fn display(value: &Value) -> String {
    let mut out = String::new();
    write_display(&mut out, value);
    out
}

/// The inspect form: strings quoted and escaped.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspect(&mut out, value);
    out
}

/// Appends the display form.
pub fn write_display(out: &mut String, value: &Value) {
    match value {
        Value::Ref(r) => match &**r {
            Heap::Str(s) if memory::grow_text(out, s.as_str().len()) => out.push_str(s.as_str()),
            Heap::Str(_) => {}
            Heap::Reference(_) | Heap::Scalar(_) => write_display(out, &value.follow()),
            _ => write_inspect(out, value),
        },
        _ => write_inspect(out, value),
    }
}

/// Appends the inspect form. A part that is already being written is `<cycle>`. Without memory for all of it, the
/// text is incomplete; the interpreter reports that.
pub fn write_inspect(out: &mut String, value: &Value) {
    let mut inspection = Inspection::begin(out, value);
    while inspection.write_parts(out, u32::MAX) {}
}

/// The inspect form of a value while it is written. No container is borrowed between two calls: what is changed
/// meanwhile is written as it is when its turn comes.
pub struct Inspection(OpenContainers);

impl Inspection {
    /// Appends the value, or the beginning of a container.
    pub fn begin(out: &mut String, value: &Value) -> Inspection {
        Inspection::begin_in(OpenContainers::default(), out, value)
    }

    fn begin_in(mut open: OpenContainers, out: &mut String, value: &Value) -> Inspection {
        write_part(out, value, &mut open);
        Inspection(open)
    }

    /// Appends at most this many parts; returns whether there are more.
    pub fn write_parts(&mut self, out: &mut String, most: u32) -> bool {
        for _ in 0..most {
            let Some(part) = self.0.next_part(out) else { return false };
            write_part(out, &part, &mut self.0);
        }
        true
    }
}

/// The inspect form of at most about `most` bytes; `…` stands for what is left out. Takes no longer than that needs,
/// however large the value is.
pub fn inspect_within(value: &Value, most: usize) -> String {
    let mut out = String::new();
    let open = OpenContainers { most: Some(most), ..OpenContainers::default() };
    let mut inspection = Inspection::begin_in(open, &mut out, value);
    while out.len() <= most && inspection.write_parts(&mut out, 1) {}
    if out.len() > most {
        out.truncate(start_of(&out, most).len());
        out.push('…');
    }
    out
}

/// The inspect form of a key or index in a report; `…` stands for what is left out of a long one.
pub fn inspect_short(value: &Value) -> String {
    inspect_within(value, 80)
}

/// Writes a value, or the beginning of a container, which is open then.
fn write_part(out: &mut String, value: &Value, open: &mut OpenContainers) {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => {
            let _ = write!(out, "{i}");
        }
        Value::Float(x) => out.push_str(&float_text(*x)),
        Value::Char(c) => out.push(*c),
        Value::Byte(b) => {
            let _ = write!(out, "{b}");
        }
        Value::Ref(r) => write_object(out, r, open),
    }
}

fn write_object(out: &mut String, r: &Ref, open: &mut OpenContainers) {
    match &**r {
        Heap::Str(s) if open.most.is_some_and(|most| s.as_str().len() > most) => {
            let most = open.most.unwrap_or_default();
            // More than fits, so that it is cut.
            let shown: String = s.as_str().chars().take(most + 1).collect();
            inspect_string(out, &shown);
        }
        Heap::Str(s) if memory::grow_text(out, s.as_str().len()) => inspect_string(out, s.as_str()),
        Heap::Str(_) => {}
        Heap::Big(b) => {
            let _ = write!(out, "{b}");
        }
        Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) if open.contains(r) => out.push_str("<cycle>"),
        Heap::Array(_) | Heap::Struct(_) => {
            out.push('{');
            open.push(r, Vec::new());
        }
        Heap::Map(m) if memory::has_room(m.borrow().entries.bytes()) => {
            out.push('{');
            let most = open.most.unwrap_or(usize::MAX);
            let pairs = m.borrow().entries.iter().take(most).map(|(k, v)| (k.clone(), v.clone())).collect();
            open.push(r, pairs);
        }
        Heap::Map(_) => memory::deny(),
        Heap::Tuple(_) => open.push(r, Vec::new()),
        Heap::Enum(e) => write_part(out, &e.value, open),
        Heap::Range(range) => {
            let _ = write!(out, "{range}");
        }
        Heap::Reference(_) | Heap::Scalar(_) => write_part(out, &Value::Ref(r.clone()).follow(), open),
        Heap::Handle(h) => out.push_str(&h.preview.borrow()),
        Heap::Type(t) => {
            let _ = write!(out, "{t}");
        }
    }
}

/// A container whose beginning has been written.
struct Open {
    object: Ref,
    /// The number of parts that have been written, or are being written.
    begun: usize,
    /// The pairs of a map that have not been written.
    pairs: IntoIter<(Value, Value)>,
    /// The value of a map whose key has been written.
    value: Option<Value>,
}

impl Open {
    /// The next part, after what is written before it; `None` after the last one.
    fn next_part(&mut self, out: &mut String) -> Option<Value> {
        if let Some(value) = self.value.take() {
            out.push_str(": ");
            return Some(value);
        }
        let (part, name) = match &*self.object {
            Heap::Array(a) => {
                let a = a.borrow();
                (shown_as(&a.elem, a.data.get(self.begun)?), None)
            }
            Heap::Struct(s) => {
                let value = s.fields.borrow().get(self.begun).cloned()?;
                match s.def.fields().get(self.begun) {
                    Some(field) => (shown_as(&field.ty, value), Some(&*field.name)),
                    None => (value, Some("?")),
                }
            }
            Heap::Tuple(parts) => (parts.get(self.begun).cloned()?, None),
            other => {
                let (key, mut value) = self.pairs.next()?;
                if let Heap::Map(m) = other {
                    value = shown_as(&m.borrow().value, value);
                }
                self.value = Some(value);
                (key, None)
            }
        };
        if self.begun > 0 {
            out.push_str(", ");
        }
        if let Some(name) = name {
            out.push_str(name);
            out.push_str(": ");
        }
        self.begun += 1;
        Some(part)
    }
}

/// The containers whose beginning has been written, the outermost first.
#[derive(Default)]
struct OpenContainers {
    all: Vec<Open>,
    /// The addresses of those which at least [`NEAR`] others contain.
    deep: HashSet<*const Heap>,
    /// The number of bytes after which writing ends, if it is limited.
    most: Option<usize>,
}

/// So many containers are searched one by one, which takes less time than hashing.
const NEAR: usize = 16;

impl OpenContainers {
    fn contains(&self, r: &Ref) -> bool {
        let mut near = self.all.iter().take(NEAR);
        near.any(|open| Rc::ptr_eq(&open.object, r)) || self.deep.contains(&Rc::as_ptr(r))
    }

    /// Adds a container, and if it is a map, its pairs.
    fn push(&mut self, r: &Ref, pairs: Vec<(Value, Value)>) {
        let is_deep = self.all.len() >= NEAR;
        if !memory::grow(&mut self.all) || (is_deep && !memory::grow_set(&mut self.deep)) {
            return;
        }
        if is_deep {
            self.deep.insert(Rc::as_ptr(r));
        }
        self.all.push(Open { object: r.clone(), begun: 0, pairs: pairs.into_iter(), value: None });
    }

    /// The next part to write, after the ends of the containers which have no more; `None` after the last one, and
    /// without memory for it.
    fn next_part(&mut self, out: &mut String) -> Option<Value> {
        while let Some(innermost) = self.all.last_mut() {
            if !memory::grow_text(out, SHORT) {
                return None;
            }
            if let Some(part) = innermost.next_part(out) {
                return Some(part);
            }
            if !matches!(&*innermost.object, Heap::Tuple(_)) {
                out.push('}');
            }
            let ended = self.all.pop();
            if let Some(ended) = ended.filter(|_| self.all.len() >= NEAR) {
                self.deep.remove(&Rc::as_ptr(&ended.object));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::test_values::{empty, nested};
    use crate::value::{Mutator, Part, Type};

    #[test]
    fn depth_is_not_taken_for_a_cycle() {
        for depth in [1, NEAR - 1, NEAR, NEAR + 1, 2_001, 300_000] {
            assert!(
                inspect(&nested(depth - 1, empty())) == "{".repeat(depth) + &"}".repeat(depth),
                "{depth}"
            );
        }
    }

    #[test]
    fn cycles_end_at_any_depth() {
        let mut mutator = Mutator::new().expect("the thread's first");
        for depth in [1, NEAR - 1, NEAR, NEAR + 1, 3_000] {
            let innermost = empty();
            let value = nested(depth - 1, innermost.clone());
            let cell = innermost.as_array().expect("an array");
            cell.change(&mut mutator, Part::All).expect("may change").data.push(innermost.clone());
            cell.change(&mut mutator, Part::All).expect("may change").data.push(value.clone());
            let text = inspect(&value);
            assert!(text == "{".repeat(depth) + "<cycle>, <cycle>" + &"}".repeat(depth), "{depth}");
        }
    }

    #[test]
    fn texts_have_a_limit() {
        let numbers = Value::array(&Type::INT, (0..1_000_000).map(Value::Int));
        let table = Value::array(&Type::Any, std::iter::repeat_n(numbers.clone(), 3_000));
        let map = {
            let entries = (0..1_000).map(|i| (Value::Int(i), Value::str("x".repeat(1_000)))).collect();
            Value::map(&Type::INT, &Type::Str, entries)
        };
        for value in [&table, &numbers, &map, &Value::str("é".repeat(1_000_000))] {
            let text = inspect_within(value, 1_000);
            assert!((990..=1_003).contains(&text.len()) && text.ends_with('…'), "{}", text.len());
        }
        assert_eq!(inspect_within(&Value::array(&Type::INT, [1, 2].map(Value::Int)), 6), "{1, 2}");
        assert_eq!(inspect_within(&Value::array(&Type::INT, [1, 2].map(Value::Int)), 5), "{1, 2…");
    }

    #[test]
    fn what_occurs_twice_is_no_cycle() {
        let twice = Value::array(&Type::Any, [Value::Int(1)]);
        assert_eq!(inspect(&Value::array(&Type::Any, [twice.clone(), twice])), "{{1}, {1}}");
    }
}

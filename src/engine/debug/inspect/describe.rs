//! Describes values of the program in the form of the API, within limits.

use std::rc::Rc;

use compact_str::{CompactString, ToCompactString};

use crate::api::{Cut, Described, Limits, Value as Shown};
use crate::debug::inspect::leading_digits::leading_digits;
use ez_runtime::text::start_of;
use ez_runtime::value::{FloatKind, Heap, Ref, Type, Value, shown_as};

/// Depth of nested containers at which a value is taken to be cyclic.
const MAX_DEPTH: usize = 100;

/// Minimum size of a string or number in bytes, even if the limit is used up.
const MIN_TEXT: usize = 40;

/// Describes a value of this static type within `limits`.
pub(crate) fn describe(value: &Value, ty: &Type, limits: Limits) -> Shown {
    Describer { parts: limits.parts, room: limits.bytes, path: Vec::new() }.part(ty, value)
}

impl Described {
    /// Gives a value that was described without its type, its declared type; an `f32` gets the digits that it has.
    pub(crate) fn declare(&mut self, declared_type: &CompactString) {
        self.declared_type.clone_from(declared_type);
        if let Shown::Float(x) = self.value
            && declared_type == FloatKind::F32.name()
            && let Value::Float(x) = shown_as(&Type::Float(FloatKind::F32), Value::Float(x))
        {
            self.value = Shown::Float(x);
        }
    }
}

/// Number of parts that can be requested separately.
pub(crate) fn part_count(value: &Value) -> usize {
    let Value::Ref(r) = value else { return 0 };
    match &**r {
        Heap::Array(a) => a.borrow().data.len(),
        Heap::Map(m) => m.borrow().entries.len(),
        Heap::Struct(s) => s.fields.borrow().len(),
        _ => 0,
    }
}

/// A static type in EZ syntax.
pub(crate) fn type_text(ty: &Type) -> CompactString {
    match ty {
        Type::Range => "Range<int>".into(),
        other => other.to_compact_string(),
    }
}

struct Describer {
    /// Maximum number of parts of each container.
    parts: usize,
    /// Remaining bytes of text.
    room: usize,
    /// The containers that enclose the value.
    path: Vec<*const Heap>,
}

impl Describer {
    fn spend(&mut self, bytes: usize) {
        self.room = self.room.saturating_sub(bytes);
    }

    /// Describes a value of this declared type.
    fn part(&mut self, ty: &Type, value: &Value) -> Shown {
        match value {
            Value::Float(_) => self.value(&shown_as(ty, value.clone())),
            _ => self.value(value),
        }
    }

    fn value(&mut self, value: &Value) -> Shown {
        let (bytes, shown) = match value {
            Value::Nil => (3, Shown::Nil),
            Value::Bool(b) => (5, Shown::Bool(*b)),
            Value::Int(i) => (i.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1, Shown::Int(*i)),
            Value::Byte(b) => (3, Shown::Byte(*b)),
            Value::Float(x) => (8, Shown::Float(*x)),
            Value::Char(c) => (3, Shown::Char(*c)),
            Value::Ref(r) => return self.object(r),
        };
        self.spend(bytes);
        shown
    }

    fn object(&mut self, r: &Ref) -> Shown {
        match &**r {
            Heap::Str(s) => Shown::String(self.text(s.as_str())),
            Heap::Big(b) => {
                let digits = leading_digits(b, self.room.max(MIN_TEXT));
                self.spend(digits.text.len());
                Shown::BigInt(digits)
            }
            Heap::Array(a) => self.within(r, |this| {
                let total = a.borrow().data.len();
                let shown = this.list(total, |this, i| {
                    let (elem, element) = {
                        let a = a.borrow();
                        (a.elem.clone(), a.data.get(i).unwrap_or_default())
                    };
                    this.part(&elem, &element)
                });
                Shown::Array { shown, total }
            }),
            Heap::Map(m) => self.within(r, |this| {
                let ty = m.borrow().value.clone();
                let first: Vec<(Value, Value)> = {
                    let m = m.borrow();
                    m.entries.iter().take(this.most()).map(|(k, v)| (k.clone(), v.clone())).collect()
                };
                let shown = this.list(first.len(), |this, i| match first.get(i) {
                    Some((key, value)) => (this.value(key), this.part(&ty, value)),
                    None => (Shown::Nil, Shown::Nil),
                });
                Shown::Map { shown, total: m.borrow().entries.len() }
            }),
            Heap::Struct(s) => self.within(r, |this| {
                let total = s.fields.borrow().len();
                let name = s.def.name.to_compact_string();
                this.spend(name.len());
                let shown = this.list(total, |this, i| {
                    let field = s.fields.borrow().get(i).cloned().unwrap_or_default();
                    let declared = s.def.fields().get(i);
                    let name = declared.map_or_else(Default::default, |f| CompactString::new(&f.name));
                    this.spend(name.len() + 2);
                    (name, this.part(declared.map_or(&Type::Any, |f| &f.ty), &field))
                });
                Shown::Struct { name, shown, total }
            }),
            Heap::Enum(e) => {
                let (name, member) = (CompactString::new(&e.def.name), e.member().map(CompactString::new));
                self.spend(name.len() + member.as_ref().map_or(0, CompactString::len));
                Shown::Enum { name, member, value: Box::new(self.value(&e.value)) }
            }
            Heap::Range(range) => {
                let text = range.to_string();
                self.spend(text.len());
                Shown::Range(text)
            }
            Heap::Tuple(parts) => Shown::Tuple(parts.iter().map(|part| self.value(part)).collect()),
            Heap::Reference(_) | Heap::Scalar(_) => self.value(&Value::Ref(r.clone()).follow()),
            Heap::Handle(h) => self.opaque(h.kind.name().into(), h.preview.borrow().clone()),
            Heap::Type(t) => self.opaque("type".into(), t.to_string()),
        }
    }

    fn text(&mut self, text: &str) -> Cut {
        let most = self.room.max(MIN_TEXT);
        let cut = text.len() > most;
        let text = CompactString::new(start_of(text, most));
        self.spend(text.len() + 2);
        Cut { text, cut }
    }

    fn opaque(&mut self, kind: CompactString, text: String) -> Shown {
        self.spend(text.len());
        Shown::Opaque { kind, text }
    }

    /// Describes a container, unless it encloses itself.
    fn within(&mut self, r: &Ref, container: impl FnOnce(&mut Describer) -> Shown) -> Shown {
        let this = Rc::as_ptr(r);
        if self.path.len() >= MAX_DEPTH || self.path.contains(&this) {
            self.spend(7);
            return Shown::Cycle;
        }
        self.path.push(this);
        let shown = container(self);
        self.path.pop();
        shown
    }

    /// Maximum number of parts for which there can be room.
    fn most(&self) -> usize {
        self.parts.min(self.room / 3 + 1)
    }

    /// Describes the first parts of a container: at least one, unless the limit is 0 parts.
    fn list<T>(&mut self, total: usize, mut part: impl FnMut(&mut Describer, usize) -> T) -> Vec<T> {
        self.spend(2);
        let most = self.parts.min(total);
        let mut shown = Vec::with_capacity(most.min(self.room / 3 + 1));
        while shown.len() < most && (shown.is_empty() || self.room > 0) {
            let i = shown.len();
            shown.push(part(self, i));
            self.spend(2);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, cut: bool) -> Cut {
        Cut { text: text.into(), cut }
    }

    #[test]
    fn limits_cut_parts_and_texts() {
        let many = Value::array(&Type::INT, (0..1000).map(Value::Int));
        let shown = describe(&many, &Type::Any, Limits { parts: 2, bytes: 1000 });
        assert_eq!(shown, Shown::Array { shown: vec![Shown::Int(0), Shown::Int(1)], total: 1000 });
        let Shown::Array { shown, total: 1000 } =
            describe(&many, &Type::Any, Limits { parts: 1000, bytes: 60 })
        else {
            panic!("an array");
        };
        assert!((15..25).contains(&shown.len()), "{}", shown.len());
        let long = Value::str("é".repeat(1000));
        let shown = describe(&long, &Type::Any, Limits { parts: 3, bytes: 51 });
        assert_eq!(shown, Shown::String(text(&"é".repeat(25), true)));
        assert_eq!(
            describe(&Value::str("ab"), &Type::Any, Limits { parts: 3, bytes: 0 }),
            Shown::String(text("ab", false))
        );
    }

    #[test]
    fn nothing_is_begun_without_room() {
        let inner = || Value::array(&Type::INT, (0..50).map(Value::Int));
        let outer = Value::array(&Type::Any, (0..50).map(|_| inner()));
        let Shown::Array { shown, total: 50 } =
            describe(&outer, &Type::Any, Limits { parts: 100, bytes: 500 })
        else {
            panic!("an array");
        };
        assert_eq!(shown.len(), 3);
    }

    #[test]
    fn a_value_that_contains_itself_ends() {
        let array = Value::array(&Type::Any, []);
        if let Some(cell) = array.as_array() {
            let mut mutator = ez_runtime::value::Mutator::new().expect("the only one");
            cell.change(&mut mutator, ez_runtime::value::Part::All)
                .expect("may change")
                .data
                .push(array.clone());
        }
        let shown = describe(&array, &Type::Any, Limits::PREVIEW);
        assert_eq!(shown, Shown::Array { shown: vec![Shown::Cycle], total: 1 });
        if let Some(cell) = array.as_array() {
            let mut mutator = ez_runtime::value::Mutator::new().expect("the only one");
            let mut content = cell.change(&mut mutator, ez_runtime::value::Part::All).expect("may change");
            content.data = ez_runtime::value::Elems::Values(vec![]);
        }
    }
}

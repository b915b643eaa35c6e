//! Numbers with which a client refers to values and calls while the program is stopped.

use std::num::NonZeroU64;

use compact_str::CompactString;
use foldhash::HashMap;

use crate::api::{Described, Failure, FailureKind, Handle, Limits, ObjectId, Scope, Variable};
use crate::debug::inspect::describe::{describe, part_count, type_text};
use crate::debug::running::step_targets::CallSite;
use ez_runtime::source::Span;
use ez_runtime::value::{Heap, ObjectNumbers, PartKey, Ref, Type, Value, inspect};
use ez_runtime::value::{char_expression, char_text, string_expression};

/// Where a value was found.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// Index of the frame.
    pub frame: usize,
    /// An expression for it in that frame, if there is one.
    pub name: Option<CompactString>,
}

/// The value of a handle.
#[derive(Clone)]
pub(crate) struct Held {
    pub object: Ref,
    /// The static type of the variable or expression that gave it.
    pub ty: Type,
    /// Where it was found.
    pub origin: Origin,
}

/// Where a value was found, by the number of its object, the frame and the expression for it.
type Found = (u64, usize, Option<CompactString>);

/// The handles and the step targets of the present stop. They are dropped when the program resumes, so that the
/// debugger never keeps a value alive, or causes an object to be copied, while the program runs.
#[derive(Default)]
pub(crate) struct Handles {
    values: HashMap<Handle, Held>,
    /// The handles by what they are of: a client that asks again is told the same ones.
    known: HashMap<Found, Handle>,
    /// The step targets that were told, by their numbers: their frames and calls.
    targets: HashMap<u32, (usize, CallSite)>,
    /// Their numbers, by frame and call: a statement may have very many.
    numbers: HashMap<(usize, Span), u32>,
    /// The last number given; numbers are not reused in a session.
    last: u64,
    /// Numbers of the objects that clients have been sent.
    objects: ObjectNumbers,
}

/// A range of the parts of a value.
pub(crate) struct ChildrenPage {
    pub parts: Vec<Variable>,
    /// Number of all parts of the value.
    pub total: usize,
}

impl Handles {
    /// The last number given.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Continues the numbers after `last`.
    pub fn go_on_after(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    /// Drops all handles and step targets.
    pub fn clear(&mut self) {
        self.values = HashMap::default();
        self.known = HashMap::default();
        self.targets = HashMap::default();
        self.numbers = HashMap::default();
    }

    /// The number, as a step target, of a call that this frame has still to make; `None` if there are no more numbers.
    pub fn step_target(&mut self, frame: usize, call: CallSite) -> Option<u32> {
        if let Some(id) = self.numbers.get(&(frame, call.at)) {
            return Some(*id);
        }
        let id = u32::try_from(self.last + 1).ok()?;
        self.last += 1;
        self.targets.insert(id, (frame, call));
        self.numbers.insert((frame, call.at), id);
        Some(id)
    }

    /// The frame and the call of the step target with this number.
    ///
    /// # Errors
    /// If no client was told this number at the present stop.
    pub fn target(&self, wanted: u32) -> Result<(usize, CallSite), Failure> {
        let missing = || format!("there is no step target {wanted} at this stop");
        let found = self.targets.get(&wanted).copied();
        found.ok_or_else(|| Failure::new(FailureKind::NotFound, missing()))
    }

    /// The value of a handle; `None` if it is not valid.
    pub fn get(&self, handle: Handle) -> Option<&Held> {
        self.values.get(&handle)
    }

    /// Describes a value of this static type; gives it a handle if it has parts.
    pub fn describe(&mut self, value: &Value, ty: &Type, limits: Limits, origin: Origin) -> Described {
        let children = part_count(value);
        let object = value.as_ref().and_then(|object| self.objects.number(object));
        let object = object.and_then(NonZeroU64::new).map(ObjectId);
        let handle = match value.as_ref().filter(|_| children > 0) {
            Some(of) => self.handle_of(Held { object: of.clone(), ty: ty.clone(), origin }, object),
            None => None,
        };
        Described {
            value: describe(value, ty, limits),
            declared_type: type_text(ty),
            handle,
            children,
            object,
        }
    }

    /// The handle of a value that was found where `held` says; `number`: that of its object, if it has one.
    fn handle_of(&mut self, held: Held, number: Option<ObjectId>) -> Option<Handle> {
        let found = number.map(|number| (number.0.get(), held.origin.frame, held.origin.name.clone()));
        let known = found.as_ref().and_then(|found| self.known.get(found)).copied();
        if let Some(handle) =
            known.filter(|handle| self.values.get(handle).is_some_and(|old| old.ty == held.ty))
        {
            return Some(handle);
        }
        self.last += 1;
        let handle = Handle(NonZeroU64::new(self.last)?);
        self.values.insert(handle, held);
        if let Some(found) = found {
            self.known.insert(found, handle);
        }
        Some(handle)
    }

    /// A range of the parts of a value; `None` if the handle is not valid.
    pub fn children(
        &mut self,
        handle: Handle,
        start: usize,
        count: usize,
        limits: Limits,
    ) -> Option<ChildrenPage> {
        let Held { object, origin, .. } = self.values.get(&handle)?.clone();
        let total = part_count(&Value::Ref(object.clone()));
        let end = start.saturating_add(count).min(total);
        let mut found = Vec::new();
        for part in parts(&object, start.min(end), end) {
            let Part { name, path, value, ty, mutable } = part;
            let evaluate_name =
                origin.name.as_ref().map(|whole| part_name(whole, path.as_ref().unwrap_or(&name)));
            let origin = Origin { frame: origin.frame, name: evaluate_name.clone() };
            let held = self.describe(&value.follow(), &ty, limits, origin);
            found.push(Variable {
                name,
                scope: Scope::Part,
                mutable,
                held,
                evaluate_name,
                changed: false,
                new: false,
            });
        }
        Some(ChildrenPage { parts: found, total })
    }
}

/// The expression for a part, given the expression `whole` for the value.
pub(crate) fn part_name(whole: &str, part: &str) -> CompactString {
    let dot = if part.starts_with('[') { "" } else { "." };
    CompactString::from(format!("{whole}{dot}{part}"))
}

/// The failure of a request with an invalid handle.
pub(crate) fn stale(handle: Handle) -> Failure {
    Failure::new(FailureKind::NotFound, format!("reference {} is not valid, or no longer valid", handle.0))
}

/// The part of an object with this name, in the form that clients see, or as in the name of its value for
/// evaluations: `[0]`, `["key"]`, `field`. Nothing is evaluated, so a name means the same in every frame.
pub(crate) fn part_key(object: &Ref, name: &str) -> Option<PartKey> {
    let index = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match &**object {
        Heap::Array(array) => {
            let index: usize = index?.parse().ok()?;
            (index < array.borrow().data.len()).then_some(PartKey::Element(index))
        }
        Heap::Map(map) => {
            let index = index?;
            let map = map.borrow();
            let mut keys = map.entries.iter().map(|(key, _)| key);
            keys.find(|key| key_name(key) == index || key_expression(key) == index)
                .cloned()
                .map(PartKey::Entry)
        }
        Heap::Struct(object) => object.def.field_index(name).map(|field| PartKey::Field(field as u32)),
        _ => None,
    }
}

/// An expression for the part of an object with this name, given the expression `whole` for the object, which means
/// the same in every frame as far as `whole` does. There need not be such a part (an assignment may make one), but
/// then the name must not be one that would have to be evaluated: else `None`.
pub(crate) fn part_expression(whole: &str, object: &Ref, name: &str) -> Option<CompactString> {
    match part_key(object, name) {
        Some(PartKey::Entry(key)) => Some(part_name(whole, &format!("[{}]", key_expression(&key)))),
        Some(PartKey::Element(_) | PartKey::Field(_) | PartKey::Variable) => Some(part_name(whole, name)),
        None => is_constant(name).then(|| part_name(whole, name)),
    }
}

/// Whether the name of a part is that of a field, or has a literal as index or key.
fn is_constant(name: &str) -> bool {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(index) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) else {
        return is_word(name);
    };
    let quote = index.chars().next().unwrap_or_default();
    match quote {
        '"' | '\'' | '`' => {
            let inner = index.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
            let Some(inner) = inner else { return false };
            let mut is_escaped = false;
            let closes = inner.chars().any(|c| {
                let closes = c == quote && !is_escaped;
                is_escaped = c == '\\' && !is_escaped && quote != '`';
                closes
            });
            !closes && !is_escaped && (quote == '`' || !inner.contains("${"))
        }
        _ => {
            let digits = index.strip_prefix('-').unwrap_or(index);
            let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && is_word(digits);
            is_number || ["true", "false"].contains(&index)
        }
    }
}

/// A key of a map as it is shown.
fn key_name(key: &Value) -> String {
    match key {
        Value::Char(c) => char_text(*c),
        key => key_expression(key),
    }
}

/// An expression for a key of a map. That of an enum value is its underlying value, as in an index of the program.
fn key_expression(key: &Value) -> String {
    match key.as_ref().map(|object| &**object) {
        Some(Heap::Str(text)) => string_expression(text.as_str()),
        Some(Heap::Enum(member)) => key_expression(&member.value),
        _ => match key {
            Value::Char(c) => char_expression(*c),
            key => inspect(key),
        },
    }
}

/// A part of a value.
struct Part {
    name: CompactString,
    /// Its name in expressions, where that is another one.
    path: Option<CompactString>,
    value: Value,
    ty: Type,
    mutable: bool,
}

/// The first `most` parts of a value, with their names (an index, a key, a field), and the number of all; `None` if it
/// cannot have parts.
pub(crate) fn part_values(object: &Ref, most: usize) -> Option<(Vec<(String, Value)>, usize)> {
    if !matches!(&**object, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)) {
        return None;
    }
    let total = part_count(&Value::Ref(object.clone()));
    let found = parts(object, 0, total.min(most)).into_iter().map(|Part { name, value, .. }| {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        (bare.unwrap_or(&name).to_string(), value)
    });
    Some((found.collect(), total))
}

/// The parts with indices from `start` to `end`, exclusive.
fn parts(object: &Ref, start: usize, end: usize) -> Vec<Part> {
    match &**object {
        Heap::Array(cell) => {
            let a = cell.borrow();
            let part = |i: usize| Part {
                name: CompactString::from(format!("[{i}]")),
                path: None,
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
                name: CompactString::from(format!("[{}]", key_name(key))),
                path: Some(CompactString::from(format!("[{}]", key_expression(key)))),
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
                Some(Part {
                    name,
                    path: None,
                    value: fields.get(i)?.clone(),
                    ty,
                    mutable: !s.fields.is_frozen(),
                })
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
    use ez_runtime::program::FuncId;
    use ez_runtime::source::FileId;

    fn origin(name: &str) -> Origin {
        Origin { frame: 0, name: Some(name.into()) }
    }

    #[test]
    fn parts_are_asked_for_in_pages() {
        let mut handles = Handles::default();
        let array = Value::array(&Type::INT, (0..1000).map(Value::Int));
        let few = Limits { parts: 1, bytes: 10 };
        let described = handles.describe(&array, &Type::array(Type::INT), few, origin("a"));
        assert_eq!((described.children, described.declared_type.as_str()), (1000, "[int]"));
        let handle = described.handle.expect("it has parts");
        let ChildrenPage { parts, total } =
            handles.children(handle, 998, 100, Limits::PREVIEW).expect("valid");
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((names, total), (vec!["[998]", "[999]"], 1000));
        assert_eq!(parts[1].held.value, Shown::Int(999));
        assert_eq!(parts[1].evaluate_name.as_deref(), Some("a[999]"));
        assert!(handles.children(handle, 2000, 1, Limits::PREVIEW).expect("valid").parts.is_empty());
        handles.clear();
        assert!(handles.children(handle, 0, 1, Limits::PREVIEW).is_none());
        let again = handles.describe(&array, &Type::Any, Limits::PREVIEW, origin("a"));
        assert_ne!(again.handle, Some(handle));
        assert_eq!(again.object, described.object);
        assert_eq!(handles.describe(&Value::Int(1), &Type::INT, Limits::PREVIEW, origin("b")).handle, None);
    }

    #[test]
    fn who_asks_again_is_told_the_same_numbers() {
        let mut handles = Handles::default();
        let row = Value::array(&Type::INT, [Value::Int(1)]);
        let rows = Value::array(&Type::array(Type::INT), vec![row; 100]);
        let ty = Type::array(Type::array(Type::INT));
        let mut describe = |name: &str| {
            let handle =
                handles.describe(&rows, &ty, Limits::PREVIEW, origin(name)).handle.expect("it has parts");
            let page = handles.children(handle, 0, 100, Limits::PREVIEW).expect("valid");
            (handle, page.parts.iter().map(|part| part.held.handle).collect::<Vec<_>>())
        };
        let first = describe("a");
        assert_eq!(describe("a"), first);
        let other = describe("b");
        assert_ne!(other.0, first.0, "the parts of `b` are assigned to by its name");
        assert_ne!(other.1, first.1);
        assert_eq!(handles.values.len(), 202);
    }

    #[test]
    fn a_step_target_is_of_one_stop() {
        let call = |start| CallSite { callee: FuncId(0), at: Span::new(FileId(0), start, start + 1) };
        let mut handles = Handles::default();
        let first = handles.step_target(1, call(5)).expect("there are numbers");
        assert_eq!(handles.step_target(1, call(5)), Some(first));
        assert_ne!(handles.step_target(0, call(5)), Some(first));
        assert_eq!(handles.target(first), Ok((1, call(5))));
        handles.clear();
        assert!(handles.target(first).is_err());
        assert_ne!(handles.step_target(1, call(5)), Some(first));
    }

    #[test]
    fn constant_names_mean_the_same_everywhere() {
        for name in [
            "x",
            "[9]",
            "[-1]",
            "[0xff]",
            "[true]",
            "[\"a\\\"b\"]",
            "['\\'']",
            "[`${x}`]",
            "[\"\"]",
            "[\"$ {\"]",
        ] {
            assert!(is_constant(name), "{name}");
        }
        for name in [
            "[x]",
            "[f()]",
            "[\"${x}\"]",
            "[\"a\" + b]",
            "[\"a\", b = \"c\"]",
            "x = 1",
            "[]",
            "[\"]",
            "[\"a\\\"]",
            "[1 + 1]",
        ] {
            assert!(!is_constant(name), "{name}");
        }
    }

    #[test]
    fn parts_are_named_as_in_expressions() {
        assert_eq!(part_name("p", "x"), "p.x");
        assert_eq!(part_name("p.items", "[3]"), "p.items[3]");
    }
}

//! Observation of changes for a debugger: which objects have changed since it looked at them, and each change
//! of a watched part.
//!
//! Every change of an array, map, struct or boxed variable passes `ObjectCell::change` (`super::object`),
//! which tests the object's guard byte: usually 0. The two bits set here, *tracked* and *watched*, therefore
//! cost nothing for other objects.
//!
//! Tracking: stops are numbered by [`Mutator::begin_stop`]. [`track`] marks everything reachable from a
//! value; the first change of a marked object clears the mark and stores the number of the next stop in the
//! object. So [`is_unchanged`] decides exactly, without a copy or reference, whether anything in a value has
//! changed since a stop: in constant time if no tracked object has changed, else in time proportional to the
//! number of arrays, maps and structs in the value.

use std::rc::Rc;

use foldhash::HashMap;
use smallvec::SmallVec;

use super::array::Array;
use super::equal::library_equal;
use super::fields::Fields;
use super::float::shown_as;
use super::heap::{Heap, MapValue, Ref, Value};
use super::object::{Header, Mutator, Part};
use super::reference::{Reference, Variable};
use super::types::Type;

/// A part of an object that can be watched.
#[derive(Clone, Debug)]
pub enum PartKey {
    /// The element of an array with this index.
    Element(usize),
    /// The entry with this key, in the representation of the map's keys.
    Entry(Value),
    /// The field with this index.
    Field(u32),
    /// The value of a boxed variable.
    Variable,
}

/// A change of a watched part. The values are as they are shown ([`shown_as`]).
#[derive(Clone, Debug)]
pub struct PartChange {
    /// The number of the watch.
    pub watch: u64,
    /// The old value; `None` if the part did not exist.
    pub old: Option<Value>,
    /// The new value; `None` if it does not exist any more.
    pub new: Option<Value>,
}

impl PartChange {
    /// Whether the old and the new value are the same.
    pub fn is_void(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => is_same(old, new),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Whether storing `new` over `old` changes nothing.
pub fn is_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Nil, Value::Nil) => true,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Ref(a), Value::Ref(b)) if Rc::ptr_eq(a, b) => true,
        _ => library_equal(old, new),
    }
}

/// The content of an object whose parts can be watched.
pub trait Parts {
    /// The part with this key, if there is one.
    fn part(&self, key: &PartKey) -> Option<Value>;
}

impl Parts for Array {
    fn part(&self, key: &PartKey) -> Option<Value> {
        match key {
            PartKey::Element(index) => self.data.get(*index),
            _ => None,
        }
    }
}

impl Parts for MapValue {
    fn part(&self, key: &PartKey) -> Option<Value> {
        match key {
            PartKey::Entry(key) => self.entries.get(key).cloned(),
            _ => None,
        }
    }
}

impl Parts for Fields {
    fn part(&self, key: &PartKey) -> Option<Value> {
        match key {
            PartKey::Field(field) => self.get(*field as usize).cloned(),
            _ => None,
        }
    }
}

impl Parts for Variable {
    fn part(&self, key: &PartKey) -> Option<Value> {
        matches!(key, PartKey::Variable).then(|| self.value.clone())
    }
}

/// The present value of a part of an object; `None` if there is none.
pub fn part_of(object: &Heap, key: &PartKey) -> Option<Value> {
    match object {
        Heap::Array(cell) => cell.borrow().part(key),
        Heap::Map(cell) => cell.borrow().part(key),
        Heap::Struct(object) => object.fields.borrow().part(key),
        Heap::Reference(Reference::Variable(cell)) => cell.borrow().part(key),
        _ => None,
    }
}

/// A watch of a part of an object.
#[derive(Clone, Debug)]
struct Watch {
    number: u64,
    key: PartKey,
    /// The type that the part is declared with.
    ty: Type,
}

/// The watches and the recorded changes; part of the [`Mutator`].
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// The number of the last stop.
    stop: u32,
    /// The number of the first stop after the last change of a tracked object.
    last_change: u32,
    /// By the address of the object's header. Entries of dropped objects stay until another object at the
    /// address is watched.
    watches: HashMap<usize, Vec<Watch>>,
    /// A bit for each element that is or was watched, by its index modulo 64: a program may write to all others of a
    /// large array.
    elements: u64,
    changes: Vec<PartChange>,
}

/// The watched parts of an object before a change.
#[derive(Debug)]
pub(super) struct Before {
    /// The object, as in [`Observer::watches`].
    address: usize,
    /// The values, in the order of the object's watches: most objects have one, and a program may write to other parts
    /// of the object very often.
    values: SmallVec<[Option<Value>; 1]>,
}

impl Observer {
    /// Records that a tracked object changes; returns the number of the next stop.
    pub fn note_change(&mut self) -> u32 {
        self.last_change = self.stop.saturating_add(1);
        self.last_change
    }

    /// The watches of an object. If there are none any more, the object is as any other from now on.
    fn watches_of(&self, header: &Header) -> &[Watch] {
        let watches = self.watches.get(&header.address()).map_or(&[][..], Vec::as_slice);
        header.set_watched(!watches.is_empty());
        watches
    }

    /// Whether a change of an object may concern a part that is watched.
    pub fn concerns_watch(&self, header: &Header, part: Part, content: &dyn Parts) -> bool {
        if let Part::Element(index) = part
            && self.elements & bit_of(index) == 0
        {
            return false;
        }
        let is_concerned = |watch: &Watch| match (part, &watch.key) {
            (Part::Element(changed), PartKey::Element(watched)) => changed == *watched,
            (Part::Field(changed), PartKey::Field(watched)) => changed == *watched,
            // No element that is there changes.
            (Part::End, key) => content.part(key).is_none(),
            (Part::One | Part::Element(_) | Part::Field(_) | Part::All, _) => true,
        };
        self.watches_of(header).iter().any(is_concerned)
    }

    /// The watched parts of an object before a change; `None` if there are none any more.
    pub fn before(&self, header: &Header, content: &dyn Parts) -> Option<Before> {
        let values: SmallVec<_> =
            self.watches_of(header).iter().map(|watch| content.part(&watch.key)).collect();
        (!values.is_empty()).then(|| Before { address: header.address(), values })
    }

    /// Records the watched parts that a change has modified.
    pub fn after(&mut self, before: Before, content: &dyn Parts) {
        let watches = self.watches.get(&before.address).into_iter().flatten();
        for (watch, old) in watches.zip(before.values) {
            let [old, new] = [old, content.part(&watch.key)].map(|value| Some(shown_as(&watch.ty, value?)));
            let change = PartChange { watch: watch.number, old, new };
            if !change.is_void() {
                self.changes.push(change);
            }
        }
    }
}

impl Mutator {
    /// Called when the program has stopped; returns the number of the stop, for [`is_unchanged`].
    pub fn begin_stop(&mut self) -> u32 {
        self.observer.stop = self.observer.stop.saturating_add(1);
        self.observer.stop
    }

    /// Watches a part of an object, under a number chosen by the caller; returns `false` if the object has no
    /// mutable parts. The watch does not keep the object alive, and ends with it.
    pub fn watch(&mut self, object: &Heap, key: PartKey, number: u64) -> bool {
        let Some(header) = header(object) else { return false };
        let watches = self.observer.watches.entry(header.address()).or_default();
        if !header.is_watched() {
            // The old entries belong to an object that was dropped.
            watches.clear();
        }
        header.set_watched(true);
        if let PartKey::Element(index) = &key {
            self.observer.elements |= bit_of(*index);
        }
        watches.push(Watch { number, ty: type_of_part(object, &key), key });
        true
    }

    /// Ends the watch with this number.
    pub fn unwatch(&mut self, number: u64) {
        self.observer.watches.retain(|_, watches| {
            watches.retain(|watch| watch.number != number);
            !watches.is_empty()
        });
    }

    /// Whether a part is watched.
    pub fn is_watching(&self) -> bool {
        !self.observer.watches.is_empty()
    }

    /// Whether a watched part has changed since the last [`Mutator::take_changes`].
    #[inline(always)]
    pub fn has_changes(&self) -> bool {
        !self.observer.changes.is_empty()
    }

    /// Removes and returns the changes of watched parts, in order.
    pub fn take_changes(&mut self) -> Vec<PartChange> {
        std::mem::take(&mut self.observer.changes)
    }
}

/// The bit of an element in [`Observer::elements`].
fn bit_of(index: usize) -> u64 {
    1 << (index % 64)
}

/// The type that a part is declared with.
fn type_of_part(object: &Heap, key: &PartKey) -> Type {
    match (object, key) {
        (Heap::Array(cell), _) => (*cell.borrow().elem).clone(),
        (Heap::Map(cell), _) => (*cell.borrow().value).clone(),
        (Heap::Struct(object), PartKey::Field(field)) => {
            object.def.fields().get(*field as usize).map_or(Type::Any, |field| field.ty.clone())
        }
        (Heap::Reference(Reference::Variable(cell)), _) => (*cell.borrow().ty).clone(),
        _ => Type::Any,
    }
}

/// The header of a mutable object.
pub(super) fn header(object: &Heap) -> Option<&Header> {
    match object {
        Heap::Array(cell) => Some(cell.header()),
        Heap::Map(cell) => Some(cell.header()),
        Heap::Struct(object) => Some(object.fields.header()),
        Heap::Reference(Reference::Variable(cell)) => Some(cell.header()),
        _ => None,
    }
}

/// Whether values of this type can contain mutable objects.
fn can_change(ty: &Type) -> bool {
    ty.is_any()
        || !matches!(ty, Type::Str | Type::Int(_) | Type::Float(_) | Type::Bool | Type::Char | Type::Byte)
}

/// Calls `each` with the objects that an object refers to directly, except strings and the like.
fn for_each_part(object: &Heap, each: &mut dyn FnMut(&Ref)) {
    let mut value = |value: &Value| {
        if let Value::Ref(part) = value
            && !matches!(&**part, Heap::Str(_) | Heap::Big(_))
        {
            each(part);
        }
    };
    match object {
        Heap::Array(cell) => {
            let array = cell.borrow();
            if let Some(values) = array.data.values()
                && can_change(&array.elem)
            {
                values.iter().for_each(value);
            }
        }
        Heap::Map(cell) => {
            let map = cell.borrow();
            if can_change(&map.value) {
                map.entries.iter().for_each(|(_, entry)| value(entry));
            }
        }
        Heap::Struct(object) => object.fields.borrow().iter().for_each(value),
        Heap::Tuple(parts) => parts.iter().for_each(value),
        Heap::Scalar(inner) => value(inner),
        Heap::Reference(place) => match place {
            Reference::Variable(variable) => value(&variable.borrow().value),
            Reference::Element { array: object, .. }
            | Reference::Entry { map: object, .. }
            | Reference::Field { object, .. } => {
                each(object);
            }
        },
        _ => {}
    }
}

/// Calls `visit` with the headers of all reachable objects, each once, until it returns `false`.
fn visit_all(root: &Ref, mut visit: impl FnMut(&Header) -> bool) -> bool {
    let mut found = vec![root.clone()];
    let mut next = 0;
    let mut goes_on = true;
    while goes_on && let Some(object) = found.get(next).cloned() {
        next += 1;
        if let Some(header) = header(&object) {
            goes_on = visit(header);
        }
        for_each_part(&object, &mut |part| {
            if header(part).is_none_or(Header::begin_visit) {
                found.push(part.clone());
            }
        });
    }
    found.iter().filter_map(|object| header(object)).for_each(Header::end_visit);
    goes_on
}

/// The object with this number (`value::creations`) among those that can be reached from some others. Takes
/// time in proportion to the number of these.
pub fn reachable_object(roots: Vec<Ref>, number: u64) -> Option<Ref> {
    let mut found: Vec<Ref> =
        roots.into_iter().filter(|root| header(root).is_none_or(Header::begin_visit)).collect();
    let mut next = 0;
    let mut wanted = None;
    while let Some(object) = found.get(next).cloned() {
        next += 1;
        if object_number(&object) == Some(number) {
            wanted = Some(object);
            break;
        }
        for_each_part(&object, &mut |part| {
            if header(part).is_none_or(Header::begin_visit) {
                found.push(part.clone());
            }
        });
    }
    found.iter().filter_map(|object| header(object)).for_each(Header::end_visit);
    wanted
}

/// Marks everything reachable from a value, for a later [`is_unchanged`]. Call it at a stop.
pub fn track(root: &Ref, mutator: &Mutator) {
    let stop = mutator.observer.stop;
    visit_all(root, |header| {
        header.track(stop);
        true
    });
}

/// Whether a value that was tracked at the stop `since`, with the object at `address`, is still the same
/// object with nothing reachable from it changed.
pub fn is_unchanged(root: &Ref, address: usize, since: u32, mutator: &Mutator) -> bool {
    let is_as_seen = |header: &Header| header.is_as_at(since);
    if address_of(root) != address || !header(root).is_some_and(is_as_seen) {
        return false;
    }
    mutator.observer.last_change <= since || visit_all(root, is_as_seen)
}

/// Identifies an object among those that exist at the same time.
pub fn address_of(object: &Ref) -> usize {
    Rc::as_ptr(object) as usize
}

/// The number of an object that the program has created (`value::creations`); `None` for other objects, and
/// for immutable ones (strings, tuples, big integers …), whose identity means nothing.
pub fn object_number(object: &Ref) -> Option<u64> {
    header(object).map(Header::number).filter(|number| *number > 0)
}

/// Numbers objects, also those that the program has not created: constants, and what a debugger has made. An
/// object keeps its number for its lifetime, and no number is used twice.
#[derive(Debug, Default)]
pub struct ObjectNumbers {
    /// Numbers of objects that the program has not created, by address. Numbered objects also have a mark, so
    /// that a new object at the address of a dropped one does not get its number.
    numbers: HashMap<usize, u64>,
    last: u64,
}

/// The numbers of objects that the program has not created are greater than this one. (Clients may read
/// numbers as floats, which are exact up to 2⁵³.)
const OTHERS: u64 = 1 << 40;

impl ObjectNumbers {
    /// The number of an object; `None` for immutable objects.
    pub fn number(&mut self, object: &Ref) -> Option<u64> {
        let header = header(object)?;
        if header.number() > 0 {
            return Some(header.number());
        }
        let address = address_of(object);
        if !header.begin_numbered()
            && let Some(number) = self.numbers.get(&address)
        {
            return Some(*number);
        }
        self.last = self.last.max(OTHERS) + 1;
        self.numbers.insert(address, self.last);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ObjectMut, Part};

    fn ints(values: &[i64]) -> Value {
        Value::array(&Type::INT, values.iter().copied().map(Value::Int))
    }

    fn object(value: &Value) -> &Ref {
        value.as_ref().expect("an object")
    }

    fn set(value: &Value, index: usize, new: Value, mutator: &mut Mutator) {
        let array = value.as_array().expect("an array");
        array.change(mutator, Part::One).expect("may change").data.set(index, new);
    }

    #[test]
    fn writes_to_other_elements_are_no_changes_of_a_watched_one() {
        let mut mutator = Mutator::new().expect("the only one");
        let array = ints(&[0; 100]);
        let mut changes = |watched: usize, change: &dyn Fn(&Value, &mut Mutator)| {
            assert!(mutator.watch(object(&array), PartKey::Element(watched), watched as u64));
            change(&array, &mut mutator);
            mutator.unwatch(watched as u64);
            mutator.take_changes().len()
        };
        let write = |index: i64, new: i64| {
            move |array: &Value, mutator: &mut Mutator| {
                let cell = array.as_array().expect("an array");
                if ObjectMut::new(object(array), mutator).set_element(index, new).is_none() {
                    let mut change = cell.change(mutator, Part::Element(index as usize)).expect("may change");
                    change.data.set(index as usize, Value::Int(new));
                }
            }
        };
        let push = |array: &Value, mutator: &mut Mutator| {
            if ObjectMut::new(object(array), mutator).push(&Value::Int(9)).is_none() {
                let cell = array.as_array().expect("an array");
                cell.change(mutator, Part::End).expect("may change").data.push(Value::Int(9));
            }
        };
        // 67 has the same bit as 3.
        assert_eq!(changes(3, &write(3, 1)), 1);
        assert_eq!(changes(3, &write(67, 1)), 0);
        assert_eq!(changes(3, &write(4, 1)), 0);
        assert_eq!(changes(3, &push), 0);
        // The length is 101 by now, so that this one comes into being.
        assert_eq!(changes(101, &push), 1);
        assert_eq!(changes(103, &push), 0);
    }

    // invariant 3
    #[test]
    fn changes_are_found_deep_inside_and_nothing_else_is() {
        let mut mutator = Mutator::new().expect("the only one");
        let inner = ints(&[1, 2]);
        let rows = (0..500).map(|i| if i == 321 { inner.clone() } else { ints(&[i]) });
        let outer = Value::array(&Type::array(Type::INT), rows);
        let other = ints(&[7]);
        let first = mutator.begin_stop();
        track(object(&outer), &mutator);
        track(object(&other), &mutator);
        let same = |value: &Value, since, mutator: &Mutator| {
            is_unchanged(object(value), address_of(object(value)), since, mutator)
        };
        assert!(same(&outer, first, &mutator) && same(&other, first, &mutator));
        set(&inner, 1, Value::Int(5), &mut mutator);
        let second = mutator.begin_stop();
        assert!(!same(&outer, first, &mutator) && same(&other, first, &mutator));
        track(object(&outer), &mutator);
        assert!(same(&outer, second, &mutator) && !same(&outer, first, &mutator));
        // Added objects become part of it, removed ones do not count any more.
        let fresh = ints(&[9]);
        set(&outer, 0, fresh.clone(), &mut mutator);
        set(&outer, 321, ints(&[]), &mut mutator);
        let third = mutator.begin_stop();
        track(object(&outer), &mutator);
        set(&inner, 0, Value::Int(6), &mut mutator);
        assert!(same(&outer, third, &mutator));
        set(&fresh, 0, Value::Int(10), &mut mutator);
        assert!(!same(&outer, third, &mutator));
    }

    #[test]
    fn an_object_that_was_never_tracked_counts_as_changed() {
        let mut mutator = Mutator::new().expect("the only one");
        let seen = ints(&[1]);
        let address = address_of(object(&seen));
        let stop = mutator.begin_stop();
        assert!(!is_unchanged(object(&seen), address, stop, &mutator));
        track(object(&seen), &mutator);
        assert!(is_unchanged(object(&seen), address, stop, &mutator));
        let other = ints(&[1]);
        assert!(!is_unchanged(object(&other), address, stop, &mutator));
    }

    #[test]
    fn a_value_that_contains_itself_is_walked_once() {
        let mut mutator = Mutator::new().expect("the only one");
        let array = Value::array(&Type::Any, []);
        array
            .as_array()
            .expect("an array")
            .change(&mut mutator, Part::All)
            .expect("may")
            .data
            .push(array.clone());
        let stop = mutator.begin_stop();
        track(object(&array), &mutator);
        let other = ints(&[1]);
        track(object(&other), &mutator);
        set(&other, 0, Value::Int(2), &mut mutator);
        assert!(is_unchanged(object(&array), address_of(object(&array)), stop, &mutator));
        array.as_array().expect("an array").change(&mut mutator, Part::All).expect("may").data.pop();
    }

    #[test]
    fn a_watched_part_tells_its_old_and_new_value() {
        let mut mutator = Mutator::new().expect("the only one");
        let array = ints(&[1, 2, 3]);
        assert!(mutator.watch(object(&array), PartKey::Element(1), 7));
        assert!(!mutator.watch(object(&Value::str("text")), PartKey::Element(1), 8));
        set(&array, 0, Value::Int(9), &mut mutator);
        set(&array, 1, Value::Int(2), &mut mutator);
        assert!(!mutator.has_changes(), "another element, and the same value");
        let mut store =
            |index, value: i64| ObjectMut::new(object(&array), &mut mutator).set_element(index, value);
        assert_eq!(store(2, 4), Some(()), "no watch concerns it");
        assert_eq!((store(1, 4), store(-1, 4), store(3, 4)), (None, None, None));
        set(&array, 1, Value::Int(5), &mut mutator);
        array.as_array().expect("an array").change(&mut mutator, Part::All).expect("may").data.pop();
        let cell = array.as_array().expect("an array");
        cell.change(&mut mutator, Part::All).expect("may").data = crate::value::Elems::Ints(Vec::new());
        let told: Vec<String> =
            mutator.take_changes().iter().map(|c| format!("{:?}", (c.watch, &c.old, &c.new))).collect();
        assert_eq!(told, ["(7, Some(Int(2)), Some(Int(5)))", "(7, Some(Int(5)), None)"]);
        mutator.unwatch(7);
        cell.change(&mut mutator, Part::All).expect("may").data.push(Value::Int(1));
        assert!(!mutator.has_changes());
        assert!(!cell.header().is_watched(), "an object without watches is as any other");
    }

    #[test]
    fn entries_and_fields_and_variables_are_watched() {
        let mut mutator = Mutator::new().expect("the only one");
        let map =
            Value::map(&Type::Str, &Type::INT, [(Value::str("a"), Value::Int(1))].into_iter().collect());
        let cell = map.as_map().expect("a map");
        mutator.watch(object(&map), PartKey::Entry(Value::str("b")), 1);
        cell.change(&mut mutator, Part::All).expect("may").entries.insert(Value::str("b"), Value::Int(2));
        cell.change(&mut mutator, Part::All).expect("may").entries.remove(&Value::str("b"));
        let variable = Ref::new(Heap::Reference(Reference::Variable(
            Variable { ty: Rc::new(Type::INT), value: Value::Int(1), constant: None }.into(),
        )));
        mutator.watch(&variable, PartKey::Variable, 2);
        if let Heap::Reference(Reference::Variable(cell)) = &*variable {
            cell.change(&mut mutator, Part::One).expect("may").value = Value::Int(4);
        }
        let told: Vec<String> =
            mutator.take_changes().iter().map(|c| format!("{:?}", (c.watch, &c.old, &c.new))).collect();
        let expected =
            ["(1, None, Some(Int(2)))", "(1, Some(Int(2)), None)", "(2, Some(Int(1)), Some(Int(4)))"];
        assert_eq!(told, expected);
    }

    #[test]
    fn an_object_keeps_its_number_and_another_one_at_its_address_gets_a_new_one() {
        let mut numbers = ObjectNumbers::default();
        let (a, b) = (ints(&[1]), ints(&[1]));
        assert_eq!(numbers.number(object(&a)), Some(OTHERS + 1));
        assert_eq!(numbers.number(object(&b)), Some(OTHERS + 2));
        assert_eq!(numbers.number(object(&a.clone())), Some(OTHERS + 1));
        assert_eq!(numbers.number(object(&Value::str("text"))), None);
        drop(a);
        for expected in 3..100 {
            assert_eq!(numbers.number(object(&ints(&[expected]))), Some(OTHERS + expected as u64));
        }
    }
}

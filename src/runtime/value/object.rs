//! The mutable part of arrays, maps, structs and boxed variables, and the only way to change it.
//!
//! All changes of objects pass here: assignments to elements, entries, fields and boxed variables
//! (`interp::targets`, [`ObjectMut`](super::ObjectMut)) and library functions. Changes that a debugger
//! observes are handled in `super::observe`. (Variables that are not boxed are slots of frames, see
//! `interp::slots`.)
//!
//! An [`ObjectCell`] can always be read. Changing it needs the thread's [`Mutator`]: code that holds a shared
//! reference to the mutator knows that no object changes meanwhile. The interpreter relies on that to read
//! elements and fields without counting borrows (`interp::slots`).

use std::cell::{BorrowMutError, Cell, Ref, RefCell, RefMut};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::creations;
use super::observe::{Before, Observer, Parts};

thread_local! {
    static MUTATOR_EXISTS: Cell<bool> = const { Cell::new(false) };
}

/// The permission to change objects. A thread has at most one; it belongs to the running program.
#[derive(Debug)]
pub struct Mutator {
    /// Records changes for a debugger.
    pub(super) observer: Observer,
    /// Makes the type `!Send`: other threads may have mutators of their own.
    stays_here: PhantomData<*const ()>,
}

impl Mutator {
    /// Creates this thread's mutator; `None` if it has one already.
    pub fn new() -> Option<Mutator> {
        let is_first = MUTATOR_EXISTS.try_with(|exists| !exists.replace(true));
        is_first
            .unwrap_or(false)
            .then_some(Mutator { observer: Observer::default(), stays_here: PhantomData })
    }
}

impl Drop for Mutator {
    fn drop(&mut self) {
        let _ = MUTATOR_EXISTS.try_with(|exists| exists.set(false));
    }
}

/// The extent of a change.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// One part is replaced: an element, an entry's value, a field, a variable's value.
    One,
    /// The element of an array with this index is replaced.
    Element(usize),
    /// The field with this index is replaced.
    Field(u32),
    /// Elements are added at the end of an array.
    End,
    /// Parts are added or removed, or all of them replaced.
    All,
}

/// Why an object cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is the value of a constant.
    Frozen,
    /// A `for_each` loop iterates over it, so that parts cannot be added or removed.
    Iterated,
    /// It is being read.
    InUse,
}

impl From<BorrowMutError> for Refused {
    fn from(_: BorrowMutError) -> Refused {
        Refused::InUse
    }
}

/// Guard bit: the object is the value of a constant.
const FROZEN: u8 = 1;
/// Guard bit: a `for_each` loop iterates over the object.
const ITERATED: u8 = 2;
/// Guard bit: a debugger wants to know whether the object changes.
const TRACKED: u8 = 4;
/// Guard bit: a debugger watches a part of the object.
const WATCHED: u8 = 8;

/// Mark: the object has a number for the debugger.
const NUMBERED: u8 = 1;
/// Mark: a traversal has visited the object.
const VISITED: u8 = 2;

/// Data about an object in addition to its content.
#[derive(Debug)]
pub struct Header {
    /// What a change has to check; usually 0.
    guard: Cell<u8>,
    marks: Cell<u8>,
    /// The number of the first stop after the last tracked change; 0 if the object was never tracked.
    changed_at: Cell<u32>,
    /// See [`super::creations`].
    number: Cell<u64>,
}

impl Header {
    #[inline]
    fn new() -> Header {
        Header {
            guard: Cell::default(),
            marks: Cell::default(),
            changed_at: Cell::default(),
            number: Cell::new(creations::next()),
        }
    }

    /// The object's number; 0 if it has none.
    pub(super) fn number(&self) -> u64 {
        self.number.get()
    }

    /// Numbers the object as if it had just been created.
    pub(super) fn renew_number(&self) {
        self.number.set(creations::next());
    }

    /// Whether no debugger knows the object, and it is no constant.
    pub(super) fn is_unknown(&self) -> bool {
        self.guard.get() == 0 && self.marks.get() == 0 && self.changed_at.get() == 0
    }

    #[inline]
    fn has(&self, bit: u8) -> bool {
        self.guard.get() & bit != 0
    }

    /// Sets or clears a guard bit; returns the previous state.
    fn set(&self, bit: u8, on: bool) -> bool {
        let guard = self.guard.get();
        self.guard.set(if on { guard | bit } else { guard & !bit });
        guard & bit != 0
    }

    /// Sets a mark; returns `false` if it was set already.
    fn mark(&self, mark: u8) -> bool {
        let marks = self.marks.get();
        self.marks.set(marks | mark);
        marks & mark == 0
    }

    /// Why a change of `part` is refused, if it is.
    fn refusal(&self, part: Part) -> Option<Refused> {
        match part {
            _ if self.has(FROZEN) => Some(Refused::Frozen),
            Part::End | Part::All if self.has(ITERATED) => Some(Refused::Iterated),
            Part::One | Part::Element(_) | Part::Field(_) | Part::End | Part::All => None,
        }
    }

    /// Records a change.
    fn note_change(&self, observer: &mut Observer) {
        if self.set(TRACKED, false) {
            self.changed_at.set(observer.note_change());
        }
    }

    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    pub(super) fn is_watched(&self) -> bool {
        self.has(WATCHED)
    }

    pub(super) fn set_watched(&self, on: bool) {
        self.set(WATCHED, on);
    }

    /// Tracks changes after the stop with this number.
    pub(super) fn track(&self, stop: u32) {
        self.set(TRACKED, true);
        if self.changed_at.get() == 0 {
            self.changed_at.set(stop);
        }
    }

    /// Whether the object was tracked at a stop and has not changed since.
    pub(super) fn is_as_at(&self, stop: u32) -> bool {
        self.has(TRACKED) && self.changed_at.get() <= stop
    }

    /// Marks the object as visited; returns `false` if it was already.
    pub(super) fn begin_visit(&self) -> bool {
        self.mark(VISITED)
    }

    pub(super) fn end_visit(&self) {
        self.marks.set(self.marks.get() & !VISITED);
    }

    /// Marks the object as numbered; returns `false` if it was already.
    pub(super) fn begin_numbered(&self) -> bool {
        self.mark(NUMBERED)
    }
}

/// The mutable part of an object.
#[derive(Debug)]
pub struct ObjectCell<T> {
    header: Header,
    content: RefCell<T>,
}

/// Mutable access to the content of an object.
pub struct Change<'a, T: Parts> {
    content: RefMut<'a, T>,
    /// For a watched object: the observer, and the watched parts before the change.
    watched: Option<(&'a mut Observer, Before)>,
}

impl<T: Parts> Deref for Change<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T: Parts> DerefMut for Change<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.content
    }
}

impl<T: Parts> Drop for Change<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some((observer, before)) = self.watched.take() {
            observer.after(before, &*self.content);
        }
    }
}

impl<T> ObjectCell<T> {
    #[inline]
    pub fn new(content: T) -> ObjectCell<T> {
        ObjectCell { header: Header::new(), content: RefCell::new(content) }
    }

    /// The content for reading.
    ///
    /// # Panics
    /// While a [`Change`] of the same object exists.
    #[inline]
    pub fn borrow(&self) -> Ref<'_, T> {
        self.content.borrow()
    }

    /// Why a change of `part` would be refused, if it would.
    #[inline]
    pub fn refuses(&self, part: Part) -> Option<Refused> {
        if self.header.guard.get() == 0 { None } else { self.header.refusal(part) }
    }

    /// The content of an object that is not shared.
    #[inline]
    pub fn content_mut(&mut self) -> &mut T {
        self.content.get_mut()
    }

    /// Makes the object immutable for good; returns `false` if it was already.
    pub fn freeze(&self) -> bool {
        !self.header.set(FROZEN, true)
    }

    /// Whether it is the value of a constant.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.header.has(FROZEN)
    }

    /// Called when a `for_each` loop begins; returns `false` if an outer loop iterates over the object
    /// already.
    pub fn begin_iteration(&self) -> bool {
        !self.header.set(ITERATED, true)
    }

    /// Called at the end of the loop for which [`ObjectCell::begin_iteration`] returned `true`.
    pub fn end_iteration(&self) {
        self.header.set(ITERATED, false);
    }

    /// The data about the object.
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// A pointer to the content, which changes only while somebody holds the mutator exclusively, or owns the
    /// whole cell.
    #[inline(always)]
    pub fn as_ptr(&self) -> *const T {
        self.content.as_ptr()
    }
}

impl<T: Parts> ObjectCell<T> {
    /// The content for a change, unless a part that it may concern is watched: then [`ObjectCell::change`] has to
    /// be used.
    #[inline]
    pub(super) fn change_unwatched<'a>(
        &'a self,
        mutator: &'a mut Mutator,
        part: Part,
    ) -> Option<RefMut<'a, T>> {
        if self.header.guard.get() != 0 && !self.admits_unwatched(mutator, part) {
            return None;
        }
        self.content.try_borrow_mut().ok()
    }

    /// Like [`ObjectCell::change_unwatched`], unless there is anything to check.
    #[inline(always)]
    pub(super) fn change_unguarded<'a>(&'a self, _: &'a mut Mutator) -> Option<RefMut<'a, T>> {
        if self.header.guard.get() != 0 { None } else { self.content.try_borrow_mut().ok() }
    }

    #[cold]
    fn admits_unwatched(&self, mutator: &mut Mutator, part: Part) -> bool {
        let observer = &mut mutator.observer;
        let Ok(content) = self.content.try_borrow() else { return false };
        if self.header.refusal(part).is_some() || self.is_watched(observer, part, &*content) {
            return false;
        }
        self.header.note_change(observer);
        true
    }

    /// Whether a change of `part` may concern a part that is watched.
    fn is_watched(&self, observer: &Observer, part: Part, content: &T) -> bool {
        self.header.has(WATCHED) && observer.concerns_watch(&self.header, part, content)
    }

    /// The content for a change. Used for all changes except those of [`ObjectMut`](super::ObjectMut), which
    /// does not change watched objects.
    ///
    /// # Errors
    /// Why the object cannot be changed now.
    #[inline]
    pub fn change<'a>(&'a self, mutator: &'a mut Mutator, part: Part) -> Result<Change<'a, T>, Refused> {
        if self.header.guard.get() == 0 {
            return Ok(Change { content: self.content.try_borrow_mut()?, watched: None });
        }
        match self.header.refusal(part) {
            Some(refused) => Err(refused),
            None => self.change_observed(mutator, part),
        }
    }

    /// Like [`ObjectCell::change`], also for the value of a constant: for library functions that create it.
    ///
    /// # Errors
    /// Why the object cannot be changed now.
    pub fn change_constant<'a>(
        &'a self,
        mutator: &'a mut Mutator,
        part: Part,
    ) -> Result<Change<'a, T>, Refused> {
        match self.refuses(part) {
            None | Some(Refused::Frozen) => self.change_observed(mutator, part),
            Some(refused) => Err(refused),
        }
    }

    #[cold]
    fn change_observed<'a>(&'a self, mutator: &'a mut Mutator, part: Part) -> Result<Change<'a, T>, Refused> {
        let content = self.content.try_borrow_mut()?;
        let observer = &mut mutator.observer;
        self.header.note_change(observer);
        let is_watched = self.is_watched(observer, part, &*content);
        let before = if is_watched { observer.before(&self.header, &*content) } else { None };
        Ok(Change { content, watched: before.map(|before| (observer, before)) })
    }
}

impl<T> From<T> for ObjectCell<T> {
    #[inline]
    fn from(content: T) -> ObjectCell<T> {
        ObjectCell::new(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Array, Type, Value};

    // invariant 3
    #[test]
    fn a_thread_has_one_mutator_at_a_time() {
        let first = Mutator::new();
        assert!(first.is_some());
        assert!(Mutator::new().is_none());
        assert!(std::thread::spawn(|| Mutator::new().is_some()).join().expect("no panic"));
        drop(first);
        assert!(Mutator::new().is_some());
    }

    // invariant 3
    #[test]
    fn guards_refuse_changes() {
        let mut mutator = Mutator::new().expect("the only one");
        let cell = ObjectCell::new(Array::from_values(&Type::INT, [Value::Int(1)]));
        cell.change(&mut mutator, Part::All).expect("may change").data.push(Value::Int(2));
        assert!(cell.begin_iteration());
        assert!(!cell.begin_iteration());
        assert_eq!(cell.change(&mut mutator, Part::All).err(), Some(Refused::Iterated));
        assert!(cell.change(&mut mutator, Part::One).is_ok());
        cell.end_iteration();
        assert!(cell.change(&mut mutator, Part::All).is_ok());
        let reading = cell.borrow();
        assert_eq!(cell.change(&mut mutator, Part::All).err(), Some(Refused::InUse));
        drop(reading);
        assert!(cell.freeze());
        assert!(!cell.freeze());
        assert_eq!(cell.change(&mut mutator, Part::One).err(), Some(Refused::Frozen));
        assert_eq!(cell.borrow().data.len(), 2);
    }
}

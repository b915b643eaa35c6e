//! What can change in an array, map, struct or boxed variable, and the one way to change it.
//!
//! Anybody may read an [`ObjectCell`]. Changing it takes the thread's [`Mutator`], so that code which holds
//! a shared reference to the mutator knows that no object changes meanwhile: the interpreter reads
//! elements and fields on that promise without counting its borrows (`interp::slots`).

use std::cell::{BorrowMutError, Cell, Ref, RefCell, RefMut};
use std::marker::PhantomData;

thread_local! {
    static MUTATOR_EXISTS: Cell<bool> = const { Cell::new(false) };
}

/// The permission to change objects. A thread has at most one, which belongs to the program that runs.
#[derive(Debug)]
pub struct Mutator {
    /// Not to be sent to another thread, which may have one of its own.
    stays_here: PhantomData<*const ()>,
}

impl Mutator {
    /// This thread's mutator; `None` while there is one already.
    pub fn new() -> Option<Mutator> {
        let is_first = MUTATOR_EXISTS.try_with(|exists| !exists.replace(true));
        is_first.unwrap_or(false).then_some(Mutator { stays_here: PhantomData })
    }
}

impl Drop for Mutator {
    fn drop(&mut self) {
        let _ = MUTATOR_EXISTS.try_with(|exists| exists.set(false));
    }
}

/// What a change affects.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// One part is replaced (an element, an entry's value, a field, the variable's value).
    One,
    /// Parts are added or removed, or all of them are replaced.
    All,
}

/// Why an object cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It belongs to a constant.
    Frozen,
    /// A `for_each` loop goes over it, during which parts can neither be added nor removed.
    Iterated,
    /// It is being read.
    InUse,
}

impl From<BorrowMutError> for Refused {
    fn from(_: BorrowMutError) -> Refused {
        Refused::InUse
    }
}

/// Guard bit: the object belongs to a constant.
const FROZEN: u8 = 1;
/// Guard bit: a `for_each` loop goes over the object.
const ITERATED: u8 = 2;

/// The part of an object that can change.
#[derive(Debug)]
pub struct ObjectCell<T> {
    /// What stands in the way of changes; 0 for nearly all objects.
    guard: Cell<u8>,
    content: RefCell<T>,
}

impl<T> ObjectCell<T> {
    /// A cell with this content.
    #[inline]
    pub fn new(content: T) -> ObjectCell<T> {
        ObjectCell { guard: Cell::new(0), content: RefCell::new(content) }
    }

    /// The content, to be read.
    ///
    /// # Panics
    /// While it is being changed: by whoever holds what [`ObjectCell::change`] gave and reads through
    /// another reference to the same object.
    #[inline]
    pub fn borrow(&self) -> Ref<'_, T> {
        self.content.borrow()
    }

    /// The content, to be changed.
    ///
    /// # Errors
    /// When the object may not be changed now.
    #[inline]
    pub fn change<'a>(&'a self, _: &'a mut Mutator, part: Part) -> Result<RefMut<'a, T>, Refused> {
        if self.guard.get() != 0 {
            self.admit(part)?;
        }
        Ok(self.content.try_borrow_mut()?)
    }

    /// The same, also where the object belongs to a constant: for library functions that fill it.
    ///
    /// # Errors
    /// When the object may not be changed now.
    pub fn change_constant<'a>(&'a self, _: &'a mut Mutator, part: Part) -> Result<RefMut<'a, T>, Refused> {
        match self.refuses(part) {
            None | Some(Refused::Frozen) => Ok(self.content.try_borrow_mut()?),
            Some(refused) => Err(refused),
        }
    }

    #[cold]
    fn admit(&self, part: Part) -> Result<(), Refused> {
        match (self.guard.get(), part) {
            (guard, _) if guard & FROZEN != 0 => Err(Refused::Frozen),
            (guard, Part::All) if guard & ITERATED != 0 => Err(Refused::Iterated),
            _ => Ok(()),
        }
    }

    /// Why a change of `part` would be refused, if it would.
    #[inline]
    pub fn refuses(&self, part: Part) -> Option<Refused> {
        if self.guard.get() == 0 { None } else { self.admit(part).err() }
    }

    /// The content for an owner that nobody shares the object with.
    #[inline]
    pub fn content_mut(&mut self) -> &mut T {
        self.content.get_mut()
    }

    /// Makes the object immutable for good; `false` if it was already.
    pub fn freeze(&self) -> bool {
        self.set(FROZEN)
    }

    /// Whether it belongs to a constant.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.guard.get() & FROZEN != 0
    }

    /// A `for_each` loop begins; `false` if one goes over the object already, whose end then counts.
    pub fn begin_iteration(&self) -> bool {
        self.set(ITERATED)
    }

    /// The loop has ended for which [`ObjectCell::begin_iteration`] gave `true`.
    pub fn end_iteration(&self) {
        self.guard.set(self.guard.get() & !ITERATED);
    }

    fn set(&self, bit: u8) -> bool {
        let guard = self.guard.get();
        self.guard.set(guard | bit);
        guard & bit == 0
    }

    /// Where the content is. It changes only while somebody holds the mutator exclusively (or the whole
    /// cell).
    #[inline(always)]
    pub(crate) fn as_ptr(&self) -> *const T {
        self.content.as_ptr()
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

    #[test]
    fn a_thread_has_one_mutator_at_a_time() {
        let first = Mutator::new();
        assert!(first.is_some());
        assert!(Mutator::new().is_none());
        assert!(std::thread::spawn(|| Mutator::new().is_some()).join().expect("no panic"));
        drop(first);
        assert!(Mutator::new().is_some());
    }

    #[test]
    fn guards_refuse_changes() {
        let mut mutator = Mutator::new().expect("the only one");
        let cell = ObjectCell::new(vec![1]);
        cell.change(&mut mutator, Part::All).expect("may change").push(2);
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
        assert_eq!(*cell.borrow(), [1, 2]);
    }
}

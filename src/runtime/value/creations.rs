//! Numbers objects in the order in which a thread's program creates them, so that a debugger can find the
//! same object in another run.
//!
//! Arrays, maps, structs and boxed variables are numbered from 1 while a program runs ([`number_run`]), except
//! while a debugger evaluates something ([`pause_numbers`]). Runs that do the same give the same numbers to the
//! same objects.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::{Rc, Weak};

use super::heap::{Heap, Ref};
use super::object::Header;
use super::observe::header;

/// Added to the last number while objects are not numbered.
const PAUSED: u64 = 1 << 63;

thread_local! {
    /// The last number given.
    static LAST: Cell<u64> = const { Cell::new(PAUSED) };
    static IS_OBSERVED: Cell<bool> = const { Cell::new(false) };
    static OBSERVED: RefCell<Option<Observed>> = const { RefCell::new(None) };
}

/// An object that is waited for.
struct Observed {
    number: u64,
    /// It, once it has been created.
    object: Option<Weak<Heap>>,
    created: Box<dyn Fn()>,
}

/// The number of an object that is being created; 0 if it is not numbered.
#[inline]
pub(super) fn next() -> u64 {
    let last = LAST.get();
    if last >= PAUSED {
        return 0;
    }
    LAST.set(last + 1);
    last + 1
}

/// Whether an object can become its own copy ([`become_copy`]): no debugger knows it, and it can change.
#[inline]
pub fn can_become_copy(object: &Heap) -> bool {
    header(object).is_some_and(Header::is_unknown)
}

/// Gives an object the number that a copy of it would have, which it takes the place of.
#[inline]
pub fn become_copy(object: &Heap) {
    if let Some(header) = header(object) {
        header.renew_number();
    }
}

/// Restores, when it is dropped, how objects were numbered before.
#[derive(Debug)]
#[must_use]
pub struct Numbering {
    was_paused: bool,
    /// Makes the type `!Send`.
    stays_here: PhantomData<*const ()>,
}

impl Numbering {
    fn set(is_paused: bool) -> Numbering {
        let last = LAST.get();
        LAST.set(if is_paused { last | PAUSED } else { last & !PAUSED });
        Numbering { was_paused: last >= PAUSED, stays_here: PhantomData }
    }
}

impl Drop for Numbering {
    fn drop(&mut self) {
        let last = LAST.get();
        LAST.set(if self.was_paused { last | PAUSED } else { last & !PAUSED });
    }
}

/// Numbers objects from 1 again: a program begins to run.
pub fn number_run() -> Numbering {
    LAST.set(PAUSED);
    Numbering::set(false)
}

/// Creates objects without numbers, for what a debugger evaluates.
pub fn pause_numbers() -> Numbering {
    Numbering::set(true)
}

/// Numbers objects although that is paused, for a change that a debugger makes to the program.
pub fn resume_numbers() -> Numbering {
    Numbering::set(false)
}

/// The last number that was given to an object.
pub fn last_number() -> u64 {
    LAST.get() & !PAUSED
}

/// An object was created.
#[inline(always)]
pub(super) fn note(object: &Ref) {
    if IS_OBSERVED.get() {
        note_observed(object);
    }
}

#[cold]
#[inline(never)]
fn note_observed(object: &Ref) {
    if let Some(header) = header(object) {
        let _ = OBSERVED.try_with(|observed| {
            if let Some(observed) = observed.borrow_mut().as_mut().filter(|it| it.number == header.number()) {
                observed.object = Some(Rc::downgrade(object));
                (observed.created)();
            }
        });
    }
}

/// Waits for the creation of an object. There is one per thread: a new one replaces it.
#[derive(Debug)]
pub struct CreationObserver {
    /// Makes the type `!Send`.
    stays_here: PhantomData<*const ()>,
}

impl CreationObserver {
    /// Waits for the object with this number; calls `created` when it has been created.
    pub fn new(number: u64, created: Box<dyn Fn()>) -> CreationObserver {
        OBSERVED.set(Some(Observed { number, object: None, created }));
        IS_OBSERVED.set(true);
        CreationObserver { stays_here: PhantomData }
    }

    /// Returns the object once, when it has been created and if it still exists.
    pub fn take(&self) -> Option<Ref> {
        OBSERVED.with_borrow_mut(|observed| observed.as_mut()?.object.take())?.upgrade()
    }
}

impl CreationObserver {
    /// Whether the object has been created, and has not been taken.
    pub fn has_object(&self) -> bool {
        OBSERVED.with_borrow(|observed| observed.as_ref().is_some_and(|observed| observed.object.is_some()))
    }
}

impl Drop for CreationObserver {
    fn drop(&mut self) {
        IS_OBSERVED.set(false);
        let _ = OBSERVED.try_with(|observed| observed.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Type, Value, freeze, object_number};

    fn array() -> Ref {
        Value::array(&Type::INT, [Value::Int(1)]).as_ref().expect("an object").clone()
    }

    #[test]
    fn objects_have_numbers_in_the_order_of_their_creation() {
        let earlier = array();
        let run = number_run();
        let text = Value::str("strings do not count");
        let (first, second) = (array(), array());
        let numbers = [&first, &second, &earlier, text.as_ref().expect("an object")].map(object_number);
        assert_eq!(numbers, [Some(1), Some(2), None, None]);
        let pause = pause_numbers();
        assert_eq!(object_number(&array()), None);
        {
            let _resumed = resume_numbers();
            assert_eq!(object_number(&array()), Some(3));
        }
        assert_eq!(object_number(&array()), None);
        drop(pause);
        assert_eq!((object_number(&array()), last_number()), (Some(4), 4));
        drop(run);
        assert_eq!(object_number(&array()), None);
        let _run = number_run();
        assert_eq!(object_number(&array()), Some(1));
    }

    #[test]
    fn an_object_that_becomes_its_copy_has_the_number_of_the_copy() {
        let _run = number_run();
        let (first, _second) = (array(), array());
        assert!(can_become_copy(&first));
        become_copy(&first);
        assert_eq!((object_number(&first), last_number()), (Some(3), 3));
        let constant = Value::from(array());
        freeze(&constant);
        assert!(!can_become_copy(constant.as_ref().expect("an object")));
    }

    #[test]
    fn an_object_is_given_by_its_number() {
        let _run = number_run();
        let calls = Rc::new(Cell::new(0));
        let called = calls.clone();
        let observer = CreationObserver::new(2, Box::new(move || called.set(called.get() + 1)));
        let first = array();
        assert!(observer.take().is_none());
        let second = array();
        assert!(observer.take().is_some_and(|found| Rc::ptr_eq(&found, &second)));
        assert!(observer.take().is_none());
        assert_eq!(calls.get(), 1);
        drop((first, observer));
        let observer = CreationObserver::new(3, Box::new(|| {}));
        drop(array());
        assert!(observer.take().is_none(), "it has died");
    }
}

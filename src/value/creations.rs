//! Numbers objects in the order in which a thread's program creates them, so that a debugger can find the
//! same object in another run.
//!
//! Arrays, maps, structs and boxed variables are numbered from 1, starting when a [`CreationObserver`] is
//! made. Runs that do the same give the same numbers to the same objects. Without an observer nothing is
//! counted; creating an object then costs the test of one flag.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::rc::{Rc, Weak};

use super::heap::{Heap, Ref};
use super::observe::{address_of, header};

/// Maximum number of addresses recorded: 128 MiB.
const MAX_ADDRESSES: usize = 1 << 24;

thread_local! {
    static IS_OBSERVED: Cell<bool> = const { Cell::new(false) };
    static CREATIONS: RefCell<Creations> = const { RefCell::new(Creations::new()) };
}

/// What to observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CreationQuery {
    /// Record the numbers of objects, up to this number.
    NumbersUpTo(u64),
    /// Report the object with this number when it is created.
    Object(u64),
}

struct Creations {
    query: CreationQuery,
    /// Number of objects created.
    count: u64,
    /// The addresses of the last recorded objects; the last one has the number `last_kept`.
    addresses: VecDeque<usize>,
    last_kept: u64,
    found: Option<Weak<Heap>>,
}

impl Creations {
    const fn new() -> Creations {
        let query = CreationQuery::NumbersUpTo(0);
        Creations { query, count: 0, addresses: VecDeque::new(), last_kept: 0, found: None }
    }

    fn note(&mut self, object: &Ref) {
        self.count += 1;
        match self.query {
            CreationQuery::NumbersUpTo(last) if self.count <= last => {
                if self.addresses.len() == MAX_ADDRESSES {
                    self.addresses.pop_front();
                }
                self.addresses.push_back(address_of(object));
                self.last_kept = self.count;
            }
            CreationQuery::Object(number) if self.count == number => {
                self.found = Some(Rc::downgrade(object));
            }
            CreationQuery::NumbersUpTo(_) | CreationQuery::Object(_) => {}
        }
    }
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
    if header(object).is_some() {
        let _ = CREATIONS.try_with(|creations| creations.borrow_mut().note(object));
    }
}

/// The result of looking up an object's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbered {
    /// Its number.
    Is(u64),
    /// The number is less than this one; it was not recorded.
    Before(u64),
    /// The object was created before the observer.
    No,
}

/// Counts the objects that the thread's program creates. There is one per thread: a new one replaces it.
#[derive(Debug)]
pub(crate) struct CreationObserver {
    /// Makes the type `!Send`.
    stays_here: PhantomData<*const ()>,
}

impl CreationObserver {
    /// Starts counting.
    pub fn new(query: CreationQuery) -> CreationObserver {
        CREATIONS.with_borrow_mut(|creations| *creations = Creations { query, ..Creations::new() });
        IS_OBSERVED.set(true);
        CreationObserver { stays_here: PhantomData }
    }

    /// Number of objects created.
    pub fn count(&self) -> u64 {
        CREATIONS.with_borrow(|creations| creations.count)
    }

    /// Stops counting; what is known stays available.
    pub fn stop(&self) {
        IS_OBSERVED.set(false);
    }

    /// Resumes counting.
    pub fn go_on(&self) {
        IS_OBSERVED.set(true);
    }

    /// The number of an object that exists; [`CreationQuery::NumbersUpTo`] determines which are known.
    pub fn number(&self, object: &Ref) -> Numbered {
        CREATIONS.with_borrow(|creations| {
            let Creations { addresses, last_kept, .. } = creations;
            // Of objects created at the same address, only the last still exists.
            let later = addresses.iter().rev().position(|address| *address == address_of(object));
            match later {
                Some(later) => Numbered::Is(last_kept - later as u64),
                None if addresses.len() < MAX_ADDRESSES => Numbered::No,
                None => Numbered::Before(last_kept - addresses.len() as u64 + 1),
            }
        })
    }

    /// Returns the observed object once, when it has been created and if it still exists.
    pub fn take(&self) -> Option<Ref> {
        CREATIONS.with_borrow_mut(|creations| creations.found.take())?.upgrade()
    }
}

impl Drop for CreationObserver {
    fn drop(&mut self) {
        IS_OBSERVED.set(false);
        let _ = CREATIONS.try_with(|creations| *creations.borrow_mut() = Creations::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Type, Value};

    fn array() -> Ref {
        Value::array(&Type::INT, [Value::Int(1)]).as_ref().expect("an object").clone()
    }

    #[test]
    fn objects_have_numbers_in_the_order_of_their_creation() {
        let earlier = array();
        let observer = CreationObserver::new(CreationQuery::NumbersUpTo(u64::MAX));
        let text = Value::str("strings do not count");
        let (first, second) = (array(), array());
        assert_eq!((observer.number(&first), observer.number(&second)), (Numbered::Is(1), Numbered::Is(2)));
        assert_eq!(observer.number(&earlier), Numbered::No);
        assert_eq!(observer.number(text.as_ref().expect("an object")), Numbered::No);
        drop(first);
        let third = array();
        assert_eq!((observer.number(&third), observer.count()), (Numbered::Is(3), 3));
        observer.stop();
        drop(array());
        assert_eq!(observer.count(), 3);
    }

    #[test]
    fn an_object_is_given_by_its_number() {
        let observer = CreationObserver::new(CreationQuery::Object(2));
        let first = array();
        assert!(observer.take().is_none());
        let second = array();
        assert!(observer.take().is_some_and(|found| Rc::ptr_eq(&found, &second)));
        assert!(observer.take().is_none());
        drop((first, observer));
        let observer = CreationObserver::new(CreationQuery::Object(1));
        drop(array());
        assert!(observer.take().is_none(), "it has died");
    }
}

//! Requests that are not answered yet, with what follows their responses.

use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use ez_engine::api::RequestNumber;

/// The requests of a client that are not answered yet, each with what is to be known when it is.
pub struct Pending<T, Id = RequestNumber> {
    /// The latest number.
    last: u64,
    waiting: HashMap<Id, T>,
}

impl<T, Id> Default for Pending<T, Id> {
    fn default() -> Pending<T, Id> {
        Pending { last: 0, waiting: HashMap::new() }
    }
}

impl<T> Pending<T> {
    /// A number that no other request has: they count from 1.
    pub fn number(&mut self) -> RequestNumber {
        self.last += 1;
        RequestNumber::of_low_bits(self.last)
    }

    /// Adds a request; returns its number.
    pub fn add(&mut self, request: T) -> RequestNumber {
        let id = self.number();
        self.waiting.insert(id, request);
        id
    }
}

impl<T, Id: Copy + Eq + Hash + Ord> Pending<T, Id> {
    /// Adds a request that has this number already.
    pub fn insert(&mut self, id: Id, request: T) {
        self.waiting.insert(id, request);
    }

    /// Removes a request, because it is answered; `None` if it is not among these.
    pub fn take(&mut self, id: Id) -> Option<T> {
        self.waiting.remove(&id)
    }

    /// A request that is not answered.
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        self.waiting.get_mut(&id)
    }

    /// A request that is not answered, for which this holds.
    pub fn find_mut(&mut self, mut wanted: impl FnMut(&T) -> bool) -> Option<(Id, &mut T)> {
        self.waiting.iter_mut().find(|(_, request)| wanted(request)).map(|(id, request)| (*id, request))
    }

    /// All requests that are not answered, in the order of their numbers.
    pub fn in_order(&self) -> Vec<(Id, &T)> {
        let mut all: Vec<_> = self.waiting.iter().map(|(id, request)| (*id, request)).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all
    }
}

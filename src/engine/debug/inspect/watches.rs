//! The watches of a session: expressions that are evaluated at each stop.

use crate::api::{Failure, FailureKind, Watch, WatchId};

/// All watches, in order of their numbers.
#[derive(Default)]
pub struct Watches {
    all: Vec<Watch>,
    /// The last number given; numbers are not reused in a session.
    last: u32,
}

impl Watches {
    /// Adds a watch, which has no value yet.
    pub fn add(&mut self, expression: String) -> WatchId {
        self.last += 1;
        let id = WatchId(self.last);
        self.all.push(Watch { id, expression, shown: None });
        id
    }

    pub fn remove(&mut self, id: WatchId) {
        self.all.retain(|watch| watch.id != id);
    }

    /// The watch with this number.
    pub fn get(&self, id: WatchId) -> Result<&Watch, Failure> {
        let missing = || Failure::new(FailureKind::NotFound, format!("there is no watch {}", id.0));
        self.all.iter().find(|watch| watch.id == id).ok_or_else(missing)
    }

    /// The watch with this number, to change its value.
    pub fn get_mut(&mut self, id: WatchId) -> Option<&mut Watch> {
        self.all.iter_mut().find(|watch| watch.id == id)
    }

    /// All of them.
    pub fn all(&self) -> Vec<Watch> {
        self.all.clone()
    }

    /// Their numbers.
    pub fn ids(&self) -> Vec<WatchId> {
        self.all.iter().map(|watch| watch.id).collect()
    }

    /// Removes all values: another program starts.
    pub fn reset(&mut self) {
        self.all.iter_mut().for_each(|watch| watch.shown = None);
    }
}

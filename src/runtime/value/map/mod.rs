//! A hash map that keeps insertion order and removes in constant time.

mod keys;
#[cfg(test)]
mod tests;

pub(super) use keys::hash_bytes;
pub use keys::{EntryKey, Key, Lookup};

use super::heap::Value;
use super::memory;

#[derive(Clone, Debug)]
struct Entry {
    key: Value,
    value: Value,
}

/// A cell of the index: the position of an entry, and half of the hash, so that most entries with other keys
/// need not be compared.
#[derive(Clone, Copy, Debug)]
struct IndexSlot {
    position: u32,
    tag: u32,
}

impl IndexSlot {
    /// A cell that was never used: here the search for a key ends.
    const FREE: IndexSlot = IndexSlot { position: u32::MAX, tag: 0 };

    /// The position in the cell of an entry that was removed: that of none. The search goes on.
    const REMOVED: u32 = u32::MAX - 1;

    #[inline]
    fn is_free(self) -> bool {
        self.position == u32::MAX
    }
}

/// The part of a hash that the index stores.
#[inline]
fn tag(hash: u64) -> u32 {
    ((hash >> 32) ^ hash) as u32
}

/// The probe sequence for a hash, as in Python's dictionaries: it depends on all bits of the hash after some
/// steps and then visits all cells, so that even very regular hashes work.
struct Probe {
    at: usize,
    rest: u64,
}

impl Probe {
    #[inline]
    fn new(hash: u64) -> Probe {
        Probe { at: hash as usize, rest: hash }
    }

    #[inline]
    fn step(&mut self) {
        self.rest >>= 5;
        self.at = self.at.wrapping_mul(5).wrapping_add(self.rest as usize).wrapping_add(1);
    }
}

/// The entries of a map, in insertion order. Keys must be [`Key::hashable`].
///
/// An open-addressed index of positions in a dense list, as in Python's dictionaries: a look-up touches one
/// cell of the index and one entry, and iteration is a scan.
#[derive(Clone, Debug, Default)]
pub struct OrderedMap {
    /// Positions in `entries`; its length is a power of two (or 0), and at most two thirds are used.
    index: Vec<IndexSlot>,
    /// The number of cells that are used, those of removed entries included.
    used: usize,
    /// `None` is a removed entry; the last one is none.
    entries: Vec<Option<Entry>>,
    live: usize,
}

/// An entry, where it is, and the cell of the index that says so.
struct Found<'m> {
    entry: &'m Entry,
    position: usize,
    cell: usize,
}

impl OrderedMap {
    /// An empty map.
    pub fn new() -> OrderedMap {
        OrderedMap::default()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Size of a copy in bytes.
    pub fn bytes(&self) -> u64 {
        (self.index.len() * size_of::<IndexSlot>() + self.entries.len() * size_of::<Entry>()) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Looks at the first cell for the hash, where most keys are, or would be.
    #[inline(always)]
    fn find(&self, key: &impl Lookup) -> Option<Found<'_>> {
        let hash = key.hash();
        let cell = hash as usize & self.index.len().wrapping_sub(1);
        let place = self.index.get(cell).filter(|place| !place.is_free())?;
        let position = place.position as usize;
        if place.tag == tag(hash)
            && let Some(Some(entry)) = self.entries.get(position)
            && key.is(&entry.key)
        {
            return Some(Found { entry, position, cell });
        }
        self.search(key, hash)
    }

    /// Like [`OrderedMap::find`], in the other cells where it may be.
    #[inline(never)]
    fn search(&self, key: &impl Lookup, hash: u64) -> Option<Found<'_>> {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        loop {
            probe.step();
            let cell = probe.at & mask;
            let place = self.index.get(cell)?;
            let position = place.position as usize;
            if place.tag == tag(hash)
                && let Some(Some(entry)) = self.entries.get(position)
                && key.is(&entry.key)
            {
                return Some(Found { entry, position, cell });
            }
            if place.is_free() {
                return None;
            }
        }
    }

    /// The value of `key`.
    #[inline(always)]
    pub fn get(&self, key: &impl Lookup) -> Option<&Value> {
        self.find(key).map(|found| &found.entry.value)
    }

    /// The value of `key`, mutably.
    #[inline(always)]
    pub fn get_mut(&mut self, key: &impl Lookup) -> Option<&mut Value> {
        let position = self.find(key)?.position;
        self.place_mut(position)
    }

    /// The value of a key with this hash, if it is in the first cell and `is` the key, mutably; else nothing is known.
    #[inline(always)]
    pub fn first_mut(&mut self, hash: u64, is: impl Fn(&Value) -> bool) -> Option<&mut Value> {
        let place = self.index.get(hash as usize & self.index.len().wrapping_sub(1))?;
        let entry = self.entries.get_mut(place.position as usize)?.as_mut()?;
        is(&entry.key).then_some(&mut entry.value)
    }

    /// Whether there is an entry for `key`.
    #[inline]
    pub fn contains(&self, key: &impl Lookup) -> bool {
        self.find(key).is_some()
    }

    /// Sets `key`; an existing entry keeps its position. Returns the old value. No effect if there is no
    /// memory for a new entry (`memory::deny`).
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        if let Some(place) = self.get_mut(&key) {
            return Some(std::mem::replace(place, value));
        }
        self.add(key, value);
        None
    }

    /// Adds an entry for a key that has none. No effect if there is no memory for it (`memory::deny`).
    #[inline]
    pub(super) fn add(&mut self, key: Value, value: Value) {
        let is_full = (self.used + 1) * 3 > self.index.len() * 2;
        if is_full && !self.can_rebuild() || !memory::grow(&mut self.entries) {
            return;
        }
        if is_full {
            self.rebuild();
        }
        let position = self.entries.len() as u32;
        self.place(key.hash(), position);
        self.entries.push(Some(Entry { key, value }));
        self.live += 1;
    }

    /// Removes `key` and returns its value; the order of the others is kept.
    pub fn remove(&mut self, key: &impl Lookup) -> Option<Value> {
        let Found { position, cell, .. } = self.find(key)?;
        self.index.get_mut(cell)?.position = IndexSlot::REMOVED;
        let entry = self.entries.get_mut(position)?.take()?;
        self.live -= 1;
        while let Some(None) = self.entries.last() {
            self.entries.pop();
        }
        if self.entries.len() > 32 && self.live * 2 < self.entries.len() {
            self.rebuild();
        }
        Some(entry.value)
    }

    /// Writes a position into the first cell for its hash that leads to no entry.
    #[inline]
    fn place(&mut self, hash: u64, position: u32) {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        while let Some(place) = self.index.get_mut(probe.at & mask) {
            if place.position >= IndexSlot::REMOVED {
                self.used += usize::from(place.is_free());
                *place = IndexSlot { position, tag: tag(hash) };
                return;
            }
            probe.step();
        }
    }

    /// Length of the index after a rebuild.
    fn index_size(&self) -> usize {
        (self.entries.len() * 3 + 1).next_power_of_two().max(8)
    }

    /// Whether there is memory for a new index.
    fn can_rebuild(&self) -> bool {
        let room = memory::has_room((self.index_size() * size_of::<IndexSlot>()) as u64);
        if !room {
            memory::deny();
        }
        room
    }

    /// Drops removed entries and rebuilds the index, with room to double the number of entries.
    fn rebuild(&mut self) {
        self.entries.retain(Option::is_some);
        let size = self.index_size();
        self.index.clear();
        self.index.resize(size, IndexSlot::FREE);
        self.used = 0;
        for position in 0..self.entries.len() {
            if let Some(Some(entry)) = self.entries.get(position) {
                self.place(entry.key.hash(), position as u32);
            }
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = OrderedMap::new();
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.entries.iter().flatten().map(|e| (&e.key, &e.value))
    }

    /// The values, in order.
    pub fn into_values(self) -> impl Iterator<Item = Value> {
        self.entries.into_iter().flatten().map(|e| e.value)
    }

    /// Keys and mutable values, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Value, &mut Value)> {
        self.entries.iter_mut().flatten().map(|e| (&e.key, &mut e.value))
    }

    /// The values in order from a place on, with `None` for entries that were removed.
    pub(super) fn places(&self, from: usize) -> impl Iterator<Item = Option<&Value>> {
        self.entries.iter().skip(from).map(|e| e.as_ref().map(|e| &e.value))
    }

    /// The value at a place.
    pub(super) fn place_mut(&mut self, at: usize) -> Option<&mut Value> {
        self.entries.get_mut(at)?.as_mut().map(|e| &mut e.value)
    }
}

impl FromIterator<(Value, Value)> for OrderedMap {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(pairs: I) -> OrderedMap {
        let mut map = OrderedMap::new();
        for (key, value) in pairs {
            map.insert(key, value);
        }
        map
    }
}

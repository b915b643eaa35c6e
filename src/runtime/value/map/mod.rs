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
    used: u32,
    /// The number of entries that are not in the first cell for their hash. As long as there are none, no search goes past
    /// another entry's cell.
    displaced: u32,
    /// `None` is a removed entry; the last one is none.
    entries: Vec<Option<Entry>>,
    live: usize,
}

/// Where a key is, or where its entry would be.
pub struct Place {
    hash: u64,
    /// That of its entry; [`Place::NONE`] if there is none.
    position: usize,
    /// The cell of the index that leads to the entry, or may do so; [`Place::NONE`] if that is not known.
    cell: usize,
}

impl Place {
    /// The position of no entry, and no cell.
    const NONE: usize = usize::MAX;
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
    pub fn locate(&self, key: &impl Lookup) -> Place {
        let hash = key.hash();
        let cell = hash as usize & self.index.len().wrapping_sub(1);
        let (position, cell) = match self.index.get(cell) {
            Some(place) if self.entry(*place, key, hash).is_some() => (place.position as usize, cell),
            Some(place) if !place.is_free() => self.search(key, hash),
            _ => (Place::NONE, cell),
        };
        Place { hash, position, cell }
    }

    /// The entry that a cell leads to, if it is that of a key.
    #[inline(always)]
    fn entry(&self, place: IndexSlot, key: &impl Lookup, hash: u64) -> Option<&Entry> {
        if place.tag == tag(hash)
            && let Some(Some(entry)) = self.entries.get(place.position as usize)
            && key.is(&entry.key)
        {
            return Some(entry);
        }
        None
    }

    /// Like [`OrderedMap::locate`], in all other cells where it may be: the position and the cell.
    #[inline(never)]
    fn search(&self, key: &impl Lookup, hash: u64) -> (usize, usize) {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        loop {
            probe.step();
            let cell = probe.at & mask;
            match self.index.get(cell) {
                Some(place) if self.entry(*place, key, hash).is_some() => {
                    return (place.position as usize, cell);
                }
                Some(place) if !place.is_free() => {}
                _ => return (Place::NONE, Place::NONE),
            }
        }
    }

    /// The value of `key`.
    #[inline(always)]
    pub fn get(&self, key: &impl Lookup) -> Option<&Value> {
        let hash = key.hash();
        let place = *self.index.get(hash as usize & self.index.len().wrapping_sub(1))?;
        if let Some(entry) = self.entry(place, key, hash) {
            return Some(&entry.value);
        }
        if place.is_free() { None } else { self.get_elsewhere(key, hash) }
    }

    /// Like [`OrderedMap::get`], in the other cells.
    #[inline(never)]
    fn get_elsewhere(&self, key: &impl Lookup, hash: u64) -> Option<&Value> {
        let (position, _) = self.search(key, hash);
        self.entries.get(position)?.as_ref().map(|entry| &entry.value)
    }

    /// The value of `key`, mutably.
    #[inline(always)]
    pub fn get_mut(&mut self, key: &impl Lookup) -> Option<&mut Value> {
        let place = self.locate(key);
        self.value_mut(&place)
    }

    /// The value in a place, if there is an entry.
    #[inline(always)]
    pub(super) fn value_mut(&mut self, place: &Place) -> Option<&mut Value> {
        self.place_mut(place.position)
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
        self.get(key).is_some()
    }

    /// Sets `key`; an existing entry keeps its position. Returns the old value. No effect if there is no
    /// memory for a new entry (`memory::deny`).
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        let place = self.locate(&key);
        if let Some(old) = self.value_mut(&place) {
            return Some(std::mem::replace(old, value));
        }
        self.add(place, key, value);
        None
    }

    /// Adds an entry for a key that has none, in the place where it would be. No effect if there is no memory for it
    /// (`memory::deny`).
    #[inline]
    pub(super) fn add(&mut self, Place { hash, cell, .. }: Place, key: Value, value: Value) {
        let is_full = (self.used as usize + 1) * 3 > self.index.len() * 2;
        if is_full && !self.can_rebuild() || !memory::grow(&mut self.entries) {
            return;
        }
        if is_full {
            self.rebuild();
        }
        if is_full || cell == Place::NONE {
            self.enter(hash, self.entries.len());
        } else {
            self.set_cell(cell, hash, self.entries.len());
        }
        self.entries.push(Some(Entry { key, value }));
        self.live += 1;
    }

    /// Removes `key` and returns its value; the order of the others is kept.
    pub fn remove(&mut self, key: &impl Lookup) -> Option<Value> {
        let place = self.locate(key);
        self.remove_from(place)
    }

    /// Removes the entry in a place, if there is one; returns its value.
    pub(super) fn remove_from(&mut self, Place { hash, position, cell }: Place) -> Option<Value> {
        let is_last = position.wrapping_add(1) == self.entries.len();
        let entry = if is_last { self.entries.pop()? } else { self.entries.get_mut(position)?.take() }?;
        self.live -= 1;
        self.displaced -= u32::from(!self.is_first(cell, hash));
        let is_past = self.displaced > 0;
        let place = self.index.get_mut(cell)?;
        place.position = if is_past { IndexSlot::REMOVED } else { u32::MAX };
        self.used -= u32::from(!is_past);
        while let Some(None) = self.entries.last() {
            self.entries.pop();
        }
        if self.entries.len() > 32 && self.live * 2 < self.entries.len() {
            self.rebuild();
        }
        Some(entry.value)
    }

    /// Whether a cell is the first one for a hash.
    #[inline(always)]
    fn is_first(&self, cell: usize, hash: u64) -> bool {
        cell == hash as usize & self.index.len().wrapping_sub(1)
    }

    /// Makes the first cell for a hash that leads to no entry lead to this position.
    fn enter(&mut self, hash: u64, position: usize) {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        while let Some(place) = self.index.get(probe.at & mask) {
            if place.position >= IndexSlot::REMOVED {
                return self.set_cell(probe.at & mask, hash, position);
            }
            probe.step();
        }
    }

    #[inline]
    fn set_cell(&mut self, cell: usize, hash: u64, position: usize) {
        self.displaced += u32::from(!self.is_first(cell, hash));
        if let Some(place) = self.index.get_mut(cell) {
            self.used += u32::from(place.is_free());
            *place = IndexSlot { position: position as u32, tag: tag(hash) };
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
        (self.used, self.displaced) = (0, 0);
        for position in 0..self.entries.len() {
            if let Some(Some(entry)) = self.entries.get(position) {
                self.enter(entry.key.hash(), position);
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

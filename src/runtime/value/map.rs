//! A hash map that keeps insertion order and removes in constant time.

use std::hash::{BuildHasher, Hasher};

use super::heap::{Heap, Value};
use super::memory;
use super::string::Str;
use super::types::Type;

/// Decides which values can be keys, and when two are equal.
pub struct Key;

impl Key {
    /// Whether `value` can be a key: string, integer, bool, char, byte, enum (not over float).
    pub fn hashable(value: &Value) -> bool {
        match value {
            Value::Bool(_) | Value::Int(_) | Value::Char(_) | Value::Byte(_) => true,
            Value::Nil | Value::Float(_) => false,
            Value::Ref(r) => match &**r {
                Heap::Str(_) | Heap::Big(_) => true,
                Heap::Enum(e) => Key::hashable(&e.value),
                _ => false,
            },
        }
    }

    /// Whether two keys are equal: same kind and value; enum values also of the same type.
    #[inline]
    pub fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Char(a), Value::Char(b)) => a == b,
            (Value::Byte(a), Value::Byte(b)) => a == b,
            (Value::Ref(a), Value::Ref(b)) => match (&**a, &**b) {
                (Heap::Str(a), Heap::Str(b)) => a.as_str() == b.as_str(),
                (Heap::Big(a), Heap::Big(b)) => a == b,
                (Heap::Enum(a), Heap::Enum(b)) => {
                    std::rc::Rc::ptr_eq(&a.def, &b.def) && Key::same(&a.value, &b.value)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// A key for looking up an entry, of any representation.
pub trait Lookup {
    /// The hash, equal to that of the same key as a value.
    fn hash(&self) -> u64;
    /// Whether it equals `key`.
    fn is(&self, key: &Value) -> bool;
}

impl Lookup for Value {
    #[inline]
    fn hash(&self) -> u64 {
        match self {
            Value::Int(i) => i.hash(),
            Value::Bool(b) => u64::from(*b),
            Value::Char(c) => u64::from(*c),
            Value::Byte(b) => u64::from(*b),
            Value::Ref(r) => match &**r {
                Heap::Str(s) => s.hash(),
                Heap::Big(b) => hash_bytes(&b.to_signed_bytes_le()),
                Heap::Enum(e) => e.value.hash() ^ 0x9e37,
                _ => 0,
            },
            _ => 0,
        }
    }

    #[inline]
    fn is(&self, key: &Value) -> bool {
        Key::same(key, self)
    }
}

impl Lookup for i64 {
    /// The number itself: so consecutive keys never collide in the index.
    #[inline]
    fn hash(&self) -> u64 {
        *self as u64
    }

    #[inline]
    fn is(&self, key: &Value) -> bool {
        matches!(key, Value::Int(i) if i == self)
    }
}

impl Lookup for Str {
    #[inline]
    fn hash(&self) -> u64 {
        self.hash_by(hash_bytes)
    }

    #[inline]
    fn is(&self, key: &Value) -> bool {
        matches!(key.as_str(), Some(text) if text == self.as_str())
    }
}

/// A key for looking up an entry, or creating it.
pub trait EntryKey {
    /// The value of this key; `None` also if the slow path has to report an error in the key.
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value>;
    /// Like [`EntryKey::entry`], mutably.
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value>;
    /// Whether it is a key of this type without conversion.
    fn fits(&self, ty: &Type) -> bool;
    fn to_value(&self) -> Value;
}

#[inline]
pub(super) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = foldhash::fast::FixedState::with_seed(0x5eed).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

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
    /// An unused cell.
    const FREE: IndexSlot = IndexSlot { position: u32::MAX, tag: 0 };

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
    /// `None` is a removed entry, whose index cell stays in use until the index is rebuilt.
    entries: Vec<Option<Entry>>,
    live: usize,
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

    #[inline]
    fn find(&self, key: &impl Lookup) -> Option<usize> {
        self.locate(key, key.hash()).ok()
    }

    /// The position of a key's entry or, as `Err`, the free index cell for it.
    #[inline]
    fn locate(&self, key: &impl Lookup, hash: u64) -> Result<usize, usize> {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        loop {
            let Some(place) = self.index.get(probe.at & mask) else { return Err(usize::MAX) };
            if place.is_free() {
                return Err(probe.at & mask);
            }
            if place.tag == tag(hash)
                && let Some(Some(entry)) = self.entries.get(place.position as usize)
                && key.is(&entry.key)
            {
                return Ok(place.position as usize);
            }
            probe.step();
        }
    }

    /// The value of `key`.
    #[inline]
    pub fn get(&self, key: &impl Lookup) -> Option<&Value> {
        let at = self.find(key)?;
        self.entries.get(at)?.as_ref().map(|e| &e.value)
    }

    /// The value of `key`, mutably.
    #[inline]
    pub fn get_mut(&mut self, key: &impl Lookup) -> Option<&mut Value> {
        let at = self.find(key)?;
        self.entries.get_mut(at)?.as_mut().map(|e| &mut e.value)
    }

    /// Whether there is an entry for `key`.
    #[inline]
    pub fn contains(&self, key: &impl Lookup) -> bool {
        self.find(key).is_some()
    }

    /// Sets `key`; an existing entry keeps its position. Returns the old value. No effect if there is no
    /// memory for a new entry (`memory::deny`).
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        let hash = key.hash();
        let free = match self.locate(&key, hash) {
            Ok(at) => {
                let slot = self.entries.get_mut(at)?.as_mut()?;
                return Some(std::mem::replace(&mut slot.value, value));
            }
            Err(free) => free,
        };
        let full = (self.entries.len() + 1) * 3 > self.index.len() * 2;
        if full && !self.can_rebuild() || !memory::grow(&mut self.entries) {
            return None;
        }
        if full {
            self.rebuild();
        }
        let position = self.entries.len() as u32;
        self.entries.push(Some(Entry { key, value }));
        match self.index.get_mut(free) {
            Some(place) if !full => *place = IndexSlot { position, tag: tag(hash) },
            _ => self.place(hash, position),
        }
        self.live += 1;
        None
    }

    /// Removes `key` and returns its value; the order of the others is kept.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let at = self.find(key)?;
        let entry = self.entries.get_mut(at)?.take()?;
        self.live -= 1;
        if self.entries.len() > 32 && self.live * 2 < self.entries.len() {
            self.rebuild();
        }
        Some(entry.value)
    }

    /// Writes a position into the first free cell for its hash.
    fn place(&mut self, hash: u64, position: u32) {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        while let Some(place) = self.index.get_mut(probe.at & mask) {
            if place.is_free() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_through_removals() {
        let mut map = OrderedMap::new();
        for i in 0..100 {
            map.insert(Value::Int(i), Value::Int(i * 2));
        }
        for i in 0..90 {
            assert!(map.remove(&Value::Int(i)).is_some());
        }
        map.insert(Value::Int(5), Value::Nil);
        let keys: Vec<String> = map.iter().map(|(k, _)| format!("{k:?}")).collect();
        assert_eq!(keys.len(), 11);
        assert_eq!(keys.last().map(String::as_str), Some("Int(5)"));
        assert!(map.get(&Value::Int(95)).is_some());
        assert!(map.get(&Value::Byte(95)).is_none());
    }
}

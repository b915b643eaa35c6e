//! A hash map that keeps insertion order and removes in constant time.

use std::hash::{BuildHasher, Hasher};

use super::heap::{Heap, Value};
use super::memory;
use super::string::Str;
use super::types::Type;

/// Why a value cannot be a key is simple: it is none of these kinds. Keys are plain values; this
/// trait-less helper decides.
pub struct Key;

impl Key {
    /// Whether `value` may be a key: string, integer, bool, char, byte, enum (not over float).
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

    /// Whether two keys are the same: same kind and value; enum values also by type.
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

/// What a key is looked for by: a value, or what is known to be one kind of it.
pub trait Lookup {
    /// The same number as for the value that stands for it.
    fn hash(&self) -> u64;
    /// Whether `key` is it.
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
    /// As it is: keys that count up, as most do, then never meet in the index.
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

/// A key under which an entry is looked for and, if it has none yet, made.
pub trait EntryKey {
    /// The value under this key. `None` also where the general way has to say what is wrong with the key.
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value>;
    /// The same, to be changed.
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value>;
    /// Whether it is, as it stands, a key of this type.
    fn fits(&self, ty: &Type) -> bool;
    /// The key as a value.
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

/// A place of the index: where the entry is, and half of its hash, so that most entries with another key
/// need not be looked at.
#[derive(Clone, Copy, Debug)]
struct Place {
    position: u32,
    tag: u32,
}

impl Place {
    /// A place that is not used.
    const FREE: Place = Place { position: u32::MAX, tag: 0 };

    #[inline]
    fn is_free(self) -> bool {
        self.position == u32::MAX
    }
}

/// The part of a hash that the index keeps.
#[inline]
fn tag(hash: u64) -> u32 {
    ((hash >> 32) ^ hash) as u32
}

/// The places to look for a hash, one after the other, as in Python's dictionaries: they come to depend
/// on all of its bits and then go through all places, so that hashes may be as regular as integers are.
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
/// An open-addressed index of positions into a dense list, as Python's dictionaries have: look-ups
/// touch one word of the index and one entry, and iteration is a scan.
#[derive(Clone, Debug, Default)]
pub struct OrderedMap {
    /// Positions in `entries`; a power of two long (or empty), at most two thirds used.
    index: Vec<Place>,
    /// `None` marks a removed entry, whose place in the index stays used until it is made anew.
    entries: Vec<Option<Entry>>,
    live: usize,
}

impl OrderedMap {
    /// An empty map.
    pub fn new() -> OrderedMap {
        OrderedMap::default()
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Bytes that a copy takes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.index.len() * size_of::<Place>() + self.entries.len() * size_of::<Entry>()) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    #[inline]
    fn find(&self, key: &impl Lookup) -> Option<usize> {
        self.locate(key, key.hash()).ok()
    }

    /// Where the entry of a key is, or else the free place of the index where it would be noted.
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

    /// The value of `key`, to be changed.
    #[inline]
    pub fn get_mut(&mut self, key: &impl Lookup) -> Option<&mut Value> {
        let at = self.find(key)?;
        self.entries.get_mut(at)?.as_mut().map(|e| &mut e.value)
    }

    /// Whether `key` is there.
    #[inline]
    pub fn contains(&self, key: &impl Lookup) -> bool {
        self.find(key).is_some()
    }

    /// Sets `key`; a key that is there keeps its position. Gives back the old value. Without memory for a
    /// new entry the map stays as it is (`memory::deny`).
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
            Some(place) if !full => *place = Place { position, tag: tag(hash) },
            _ => self.place(hash, position),
        }
        self.live += 1;
        None
    }

    /// Removes `key` and gives back its value; the order of the others stays.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let at = self.find(key)?;
        let entry = self.entries.get_mut(at)?.take()?;
        self.live -= 1;
        if self.entries.len() > 32 && self.live * 2 < self.entries.len() {
            self.rebuild();
        }
        Some(entry.value)
    }

    /// Writes a position into the first free place for its hash.
    fn place(&mut self, hash: u64, position: u32) {
        let mask = self.index.len().wrapping_sub(1);
        let mut probe = Probe::new(hash);
        while let Some(place) = self.index.get_mut(probe.at & mask) {
            if place.is_free() {
                *place = Place { position, tag: tag(hash) };
                return;
            }
            probe.step();
        }
    }

    /// How long the index is after a rebuild.
    fn index_size(&self) -> usize {
        (self.entries.len() * 3 + 1).next_power_of_two().max(8)
    }

    /// Whether there is memory for a new index.
    fn can_rebuild(&self) -> bool {
        let room = memory::has_room((self.index_size() * size_of::<Place>()) as u64);
        if !room {
            memory::deny();
        }
        room
    }

    /// Drops removed entries and makes the index anew, with room to double.
    fn rebuild(&mut self) {
        self.entries.retain(Option::is_some);
        let size = self.index_size();
        self.index.clear();
        self.index.resize(size, Place::FREE);
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
    pub(crate) fn into_values(self) -> impl Iterator<Item = Value> {
        self.entries.into_iter().flatten().map(|e| e.value)
    }

    /// Keys and values in order, values to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Value, &mut Value)> {
        self.entries.iter_mut().flatten().map(|e| (&e.key, &mut e.value))
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

//! Keys of maps: which values can be keys, when two are equal, and what looks up an entry.

use std::hash::{BuildHasher, Hasher};

use crate::value::heap::{Heap, Value};
use crate::value::integer::fit_small;
use crate::value::string::Str;
use crate::value::types::Type;

use super::{OrderedMap, Place};

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
                (Heap::Str(a), Heap::Str(b)) => a.is(b),
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
    #[inline(always)]
    fn hash(&self) -> u64 {
        if let Value::Int(i) = self { i.hash() } else { self.other_hash() }
    }

    #[inline]
    fn is(&self, key: &Value) -> bool {
        if let Value::Int(i) = self { i.is(key) } else { Key::same(key, self) }
    }
}

impl Value {
    /// The hash of a key that is no integer of 64 bits.
    fn other_hash(&self) -> u64 {
        match self {
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
    #[inline(always)]
    fn hash(&self) -> u64 {
        self.hash_by(hash_bytes)
    }

    #[inline(always)]
    fn is(&self, key: &Value) -> bool {
        matches!(key, Value::Ref(r) if matches!(&**r, Heap::Str(text) if text.is(self)))
    }
}

/// A key for looking up an entry, or creating it.
pub trait EntryKey {
    /// The value of this key; `None` also if the slow path has to report an error in the key.
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value>;
    /// Where its entry is, or would be; `None` if the slow path has to report an error in the key.
    fn locate(&self, map: &OrderedMap) -> Option<Place>;
    /// Like [`EntryKey::entry`], mutably.
    #[inline(always)]
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        let place = self.locate(map)?;
        map.value_mut(&place)
    }
    /// Like [`EntryKey::entry_mut`], if finding it takes no call; else `None`.
    #[inline(always)]
    fn quick_entry_mut<'m>(&self, _: &'m mut OrderedMap) -> Option<&'m mut Value> {
        None
    }
    /// Whether it is a key of this type without conversion.
    fn fits(&self, ty: &Type) -> bool;
    fn to_value(&self) -> Value;
}

impl EntryKey for &Value {
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        map.get(*self)
    }

    fn locate(&self, map: &OrderedMap) -> Option<Place> {
        Some(map.locate(*self))
    }

    fn fits(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Value::Int(key), Type::Int(kind)) => fit_small(*kind, *key).is_ok(),
            (Value::Char(_), Type::Char) | (Value::Byte(_), Type::Byte) | (Value::Bool(_), Type::Bool) => {
                true
            }
            (Value::Ref(key), Type::Str) => matches!(&**key, Heap::Str(_)),
            _ => false,
        }
    }

    fn to_value(&self) -> Value {
        (*self).clone()
    }
}

#[inline]
pub(in crate::value) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = foldhash::fast::FixedState::with_seed(0x5eed).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

//! Strings.

use std::cell::Cell;

use compact_str::CompactString;

use super::memory;

/// A string: UTF-8 text with its length in code points, once known.
#[derive(Debug)]
pub struct Str {
    text: CompactString,
    /// Code points; `usize::MAX` while unknown.
    chars: Cell<usize>,
    /// Hash as a map key; 0 while unknown.
    hash: Cell<u64>,
}

impl Str {
    /// The string of `text`.
    pub fn new(text: impl Into<CompactString>) -> Str {
        let text = text.into();
        memory::charge(text.len());
        Str { text, chars: Cell::new(usize::MAX), hash: Cell::new(0) }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its hash, computed by `hash` once.
    #[inline]
    pub(crate) fn hash_by(&self, hash: impl FnOnce(&[u8]) -> u64) -> u64 {
        let known = self.hash.get();
        if known != 0 {
            return known;
        }
        let computed = hash(self.text.as_bytes()) | 1;
        self.hash.set(computed);
        computed
    }

    /// Length in code points.
    #[inline]
    pub fn char_count(&self) -> usize {
        let known = self.chars.get();
        if known != usize::MAX {
            return known;
        }
        let count = self.text.chars().count();
        self.chars.set(count);
        count
    }

    /// Whether every code point is one byte long.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.char_count() == self.text.len()
    }

    /// The `index`th code point.
    #[inline]
    pub fn char_at(&self, index: usize) -> Option<char> {
        if self.is_ascii() {
            self.text.as_bytes().get(index).map(|b| *b as char)
        } else {
            self.text.chars().nth(index)
        }
    }

    /// Appends in place; the text stays as it is if there is no memory (`memory::deny`).
    pub fn push_str(&mut self, more: &str) {
        let free = self.text.capacity() - self.text.len();
        if more.len() > free {
            // The text grows by half of what it is, or by what is needed.
            let bytes = more.len().max(self.text.len() / 2) as u64;
            if !memory::has_room(bytes) || self.text.try_reserve(more.len()).is_err() {
                return memory::deny();
            }
        }
        self.text.push_str(more);
        self.chars.set(usize::MAX);
        self.hash.set(0);
    }
}

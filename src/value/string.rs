//! Strings.

use std::cell::Cell;

use compact_str::CompactString;

use super::memory;

/// A string: UTF-8 text, with its length in code points once that has been counted.
#[derive(Debug)]
pub struct Str {
    text: CompactString,
    /// Number of code points; `usize::MAX` while unknown.
    chars: Cell<usize>,
    /// Hash as a map key; 0 while unknown.
    hash: Cell<u64>,
    /// A code point looked up before: its index, and where it begins in bytes. Walks through a text that is
    /// not ASCII continue from there.
    known: Cell<(u32, u32)>,
}

impl Str {
    /// The string of `text`.
    pub fn new(text: impl Into<CompactString>) -> Str {
        let text = text.into();
        memory::charge(text.len());
        Str { text, chars: Cell::new(usize::MAX), hash: Cell::new(0), known: Cell::default() }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The hash; computed by `hash` the first time.
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
            self.text.get(self.offset(index)..)?.chars().next()
        }
    }

    /// Where the `index`th code point begins, in bytes; the text's length if there are fewer.
    pub fn offset(&self, index: usize) -> usize {
        if self.is_ascii() {
            return index.min(self.text.len());
        }
        let (known, at) = self.known.get();
        let (known, at) = (known as usize, at as usize);
        let (before, after) = self.text.split_at_checked(at).unwrap_or(("", &self.text));
        let found = match index.checked_sub(known) {
            Some(ahead) => after.char_indices().nth(ahead).map(|(offset, _)| at + offset),
            None if known - index <= index => {
                before.char_indices().nth_back(known - index - 1).map(|(at, _)| at)
            }
            None => self.text.char_indices().nth(index).map(|(at, _)| at),
        };
        let Some(found) = found else { return self.text.len() };
        if let (Ok(index), Ok(found)) = (u32::try_from(index), u32::try_from(found)) {
            self.known.set((index, found));
        }
        found
    }

    /// The string with another code point at an index; a copy if there is none.
    pub fn with_char(&self, index: usize, c: char) -> Str {
        let at = self.offset(index);
        let (before, rest) = self.text.split_at_checked(at).unwrap_or((&self.text, ""));
        let mut after = rest.chars();
        let mut text = CompactString::with_capacity(self.text.len() + c.len_utf8());
        text.push_str(before);
        if after.next().is_some() {
            text.push(c);
            text.push_str(after.as_str());
        }
        let changed = Str::new(text);
        changed.chars.set(self.char_count());
        changed.known.set(self.known.get());
        changed
    }

    /// Appends in place. No effect if there is no memory (`memory::deny`).
    pub fn push_str(&mut self, more: &str) {
        let free = self.text.capacity() - self.text.len();
        if more.len() > free {
            // The buffer grows by half of its length, or by as much as needed.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_code_point_is_replaced(text in "[aé€😀]{0,20}", index in 0..24usize, c in "[aé€😀]", looked in 0..24usize) {
            let c = c.chars().next().unwrap();
            let string = Str::new(text.as_str());
            string.offset(looked);
            let changed = string.with_char(index, c);
            let wanted: String = text.chars().enumerate().map(|(i, old)| if i == index { c } else { old }).collect();
            prop_assert_eq!(changed.as_str(), wanted.as_str());
            prop_assert_eq!(changed.char_count(), wanted.chars().count());
            for (i, (at, c)) in wanted.char_indices().enumerate() {
                prop_assert_eq!((changed.offset(i), changed.char_at(i)), (at, Some(c)));
            }
        }

        #[test]
        fn code_points_are_found_in_any_order(text in "[aé€😀]{0,20}", indices in prop::collection::vec(0..24usize, 0..20), more in "[bü]{0,3}") {
            let mut string = Str::new(text.as_str());
            let check = |string: &Str| {
                for index in &indices {
                    let whole = string.as_str();
                    let wanted = whole.char_indices().nth(*index);
                    prop_assert_eq!(string.offset(*index), wanted.map_or(whole.len(), |(at, _)| at));
                    prop_assert_eq!(string.char_at(*index), wanted.map(|(_, c)| c));
                }
                Ok(())
            };
            check(&string)?;
            string.push_str(&more);
            check(&string)?;
        }
    }
}

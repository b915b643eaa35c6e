//! Strings.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use compact_str::CompactString;

use super::heap::{Heap, Ref};
use super::memory;

/// A string: UTF-8 text, with its length in code points once that has been counted.
#[derive(Debug)]
pub struct Str {
    text: CompactString,
    /// Number of code points; `usize::MAX` while unknown.
    chars: Cell<usize>,
    /// Hash as a map key; 0 while unknown.
    hash: Cell<u64>,
    /// For a text that is not ASCII.
    marks: Marks,
}

impl Str {
    /// The string of `text`.
    pub fn new(text: impl Into<CompactString>) -> Str {
        let text = text.into();
        memory::charge(text.len());
        Str { text, chars: Cell::new(usize::MAX), hash: Cell::new(0), marks: Marks::default() }
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is the same text. The same literals are one string, whose text need not be looked at.
    #[inline(always)]
    pub fn is(&self, other: &Str) -> bool {
        std::ptr::eq(self, other) || self.has_text_of(other)
    }

    #[inline(never)]
    fn has_text_of(&self, other: &Str) -> bool {
        self.text == other.text
    }

    /// Like [`Str::is`], where many are different: most of them at their end, which takes no call.
    #[inline]
    pub fn equals(&self, other: &Str) -> bool {
        let (own, others) = (self.text.as_bytes(), other.text.as_bytes());
        own.len() == others.len() && own.last() == others.last() && self.is(other)
    }

    /// The hash, if it is known.
    #[inline(always)]
    pub fn known_hash(&self) -> Option<u64> {
        Some(self.hash.get()).filter(|hash| *hash != 0)
    }

    /// The hash; computed by `hash` the first time.
    #[inline(always)]
    pub fn hash_by(&self, hash: impl FnOnce(&[u8]) -> u64) -> u64 {
        match self.hash.get() {
            0 => self.first_hash(hash),
            known => known,
        }
    }

    #[inline(never)]
    fn first_hash(&self, hash: impl FnOnce(&[u8]) -> u64) -> u64 {
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
        self.marks.offset(&self.text, index)
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
        let is_as_wide = text.len() == self.text.len();
        let marks = self.marks.up_to(if is_as_wide { usize::MAX } else { index });
        Str { chars: Cell::new(self.char_count()), marks, ..Str::new(text) }
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

/// Number of code points from one mark to the next.
const STRIDE: usize = 64;

/// Where every [`STRIDE`]th code point of a text begins, in bytes, as far as that was needed: code points are looked
/// up from there. They stay right when text is appended.
#[derive(Default)]
#[allow(clippy::box_collection, reason = "one word in each string instead of three, and most have none")]
struct Marks(Cell<Option<Box<Vec<usize>>>>);

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Marks")
    }
}

impl Marks {
    /// Where the `index`th code point of `text` begins, in bytes; the text's length if there are fewer.
    fn offset(&self, text: &str, index: usize) -> usize {
        let walked = |from: usize, count: usize| {
            let found = text.get(from..).and_then(|rest| rest.char_indices().nth(count));
            found.map(|(offset, _)| from + offset)
        };
        let wanted = index / STRIDE;
        if wanted == 0 {
            return walked(0, index).unwrap_or(text.len());
        }
        let mut marks = self.0.take().unwrap_or_default();
        while marks.len() < wanted
            && let Some(next) = walked(marks.last().copied().unwrap_or(0), STRIDE)
        {
            marks.push(next);
        }
        let mark = marks.get(wanted - 1).copied();
        self.0.set(Some(marks));
        mark.and_then(|mark| walked(mark, index % STRIDE)).unwrap_or(text.len())
    }

    /// A copy of the marks up to the `index`th code point.
    fn up_to(&self, index: usize) -> Marks {
        let marks = self.0.take();
        let copied = marks.as_ref().map(|marks| marks.iter().take(index / STRIDE).copied().collect());
        self.0.set(marks);
        Marks(Cell::new(copied.map(Box::new)))
    }
}

/// Texts of at most this many bytes need no memory outside of the string.
const INLINE: usize = size_of::<CompactString>();

/// Appends text to a string: in place if nothing else refers to it; without effect if there is no memory
/// ([`memory::deny`]).
pub fn append_str(mut x: Ref, more: &str) -> Ref {
    if let Some(Heap::Str(s)) = Rc::get_mut(&mut x) {
        s.push_str(more);
        return x;
    }
    let Heap::Str(s) = &*x else { return x };
    let length = s.text.len() + more.len();
    let mut text = if length <= INLINE {
        s.text.clone()
    } else if memory::has_room(length as u64) {
        let mut text = CompactString::with_capacity(length);
        text.push_str(&s.text);
        text
    } else {
        memory::deny();
        return x;
    };
    text.push_str(more);
    Rc::new(Heap::Str(Str::new(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_code_point_is_replaced(
            text in "[aé€😀]{0,20}|[aé€😀]{120,400}",
            index in 0..400usize,
            c in "[aé€😀]",
            looked in 0..400usize,
        ) {
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
        fn code_points_are_found_in_any_order(text in "[aé€😀]{0,20}|[aé€😀]{120,400}", indices in prop::collection::vec(0..420usize, 0..20), more in "[bü]{0,3}") {
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

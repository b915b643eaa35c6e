//! Interning of short strings.

use super::heap::{Heap, Value};
use super::map::hash_bytes;

/// Initial and maximum number of interned texts.
const SMALLEST: usize = 1 << 8;
const LARGEST: usize = 1 << 14;
/// Maximum length of an interned text in bytes.
const LONGEST: usize = 24;

/// Creates strings from the pieces of a text. A piece equal to a recent one becomes the same object (shared
/// strings are never changed in place). If the pieces turn out not to repeat, interning is given up after
/// some thousand of them, so that it costs almost nothing.
#[derive(Debug, Default)]
pub struct StringInterner {
    /// By hash; empty while there are few pieces, or once interning was given up.
    table: Vec<Value>,
    /// Number of look-ups since the table got its present size.
    asked: usize,
    found: usize,
    gave_up: bool,
}

impl StringInterner {
    /// The string of `text`.
    pub fn string(&mut self, text: &str) -> Value {
        if self.gave_up || text.len() > LONGEST {
            return Value::str(text);
        }
        if self.asked >= 2 * self.table.len().max(SMALLEST / 2) {
            self.resize();
        }
        self.asked += 1;
        if self.table.is_empty() {
            return Value::str(text);
        }
        let place = hash_bytes(text.as_bytes()) as usize & (self.table.len() - 1);
        let Some(known) = self.table.get_mut(place) else { return Value::str(text) };
        if matches!(known, Value::Ref(r) if matches!(&**r, Heap::Str(s) if s.as_str() == text)) {
            self.found += 1;
        } else {
            *known = Value::str(text);
        }
        known.clone()
    }

    /// Enlarges the table if too few texts are found; gives up if it has its maximum size.
    fn resize(&mut self) {
        let (asked, size) = (self.asked, self.table.len());
        if 2 * self.found < asked {
            self.gave_up = size >= LARGEST && 4 * self.found < asked;
            let next = if self.gave_up { 0 } else { (4 * size).clamp(SMALLEST, LARGEST) };
            if next != size {
                self.table = vec![Value::Nil; next];
            }
        }
        (self.asked, self.found) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn object(value: &Value) -> Rc<Heap> {
        value.as_ref().cloned().expect("a string")
    }

    #[test]
    fn texts_that_repeat_are_one_object() {
        let mut recent = StringInterner::default();
        let texts: Vec<Value> = (0..10_000).map(|i| recent.string(&format!("word{}", i % 50))).collect();
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(text.as_str(), Some(format!("word{}", i % 50).as_str()));
        }
        assert!(Rc::ptr_eq(&object(&texts[9_000]), &object(&texts[9_050])));
    }

    #[test]
    fn texts_that_do_not_repeat_are_not_looked_up_for_long() {
        let mut recent = StringInterner::default();
        for i in 0..100_000 {
            assert_eq!(recent.string(&format!("{i}")).as_str(), Some(format!("{i}").as_str()));
        }
        assert!(recent.gave_up && recent.table.is_empty());
    }

    #[test]
    fn long_texts_are_made_as_they_are() {
        let mut recent = StringInterner::default();
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(recent.string(&long).as_str(), Some(long.as_str()));
        assert_eq!(recent.asked, 0);
    }
}

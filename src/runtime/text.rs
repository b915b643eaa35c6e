//! Parts of texts, and texts of bytes.

use std::slice::SliceIndex;

/// The part of a text whose ends are known: they are computed from the text itself, are within it and between
/// characters. If they are not, that is a bug: it ends the program in a debug build, and the part is empty in others.
#[inline]
pub fn slice<R>(text: &str, range: R) -> &str
where
    R: SliceIndex<str, Output = str> + Clone + std::fmt::Debug,
{
    let part = text.get(range.clone());
    debug_assert!(part.is_some(), "{range:?} is no part of {text:?}");
    part.unwrap_or_default()
}

/// The beginning of a text: as many of its characters as have at most this many bytes together.
#[inline]
pub fn start_of(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    slice(text, ..end)
}

/// A string from bytes; each byte that is not part of valid UTF-8 becomes U+FFFD.
pub fn text_from(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let extra = char::REPLACEMENT_CHARACTER.len_utf8() - 1;
        let broken: usize = error.as_bytes().utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        let mut text = String::with_capacity(error.as_bytes().len() + broken * extra);
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            chunk.invalid().iter().for_each(|_| text.push(char::REPLACEMENT_CHARACTER));
        }
        text
    })
}

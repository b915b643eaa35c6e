//! Texts for names and values of the system, which need not be UTF-8.
//!
//! A byte that is not part of valid UTF-8 becomes one of the characters U+EF80 to U+EFFF (of the private use
//! area), whose low byte it is. The bytes of those characters themselves are treated in the same way, so that
//! each name has its own text.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What is added to a byte.
const BASE: u32 = 0xef00;

pub fn text_of(name: &OsStr) -> String {
    // Nearly all names are, and all variables of the environment are read when a program starts.
    if let Some(ascii) = name.to_str().filter(|text| text.is_ascii()) {
        return ascii.into();
    }
    let mut text = String::with_capacity(name.len());
    let escape = |text: &mut String, bytes: &[u8]| {
        text.extend(bytes.iter().filter_map(|byte| char::from_u32(BASE + u32::from(*byte))));
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(_) => escape(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(c),
            }
        }
        escape(&mut text, chunk.invalid());
    }
    text
}

pub fn name_of(text: &str) -> OsString {
    let mut name = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => name.push(byte),
            None => name.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    OsString::from_vec(name)
}

/// The byte that a character stands for, if it does.
fn byte_of(c: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(c).checked_sub(BASE)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn utf_8_is_its_own_text() {
        for text in ["", "a.ez", "añ€😀", "\u{ef7f}\u{f000}"] {
            assert_eq!(text_of(OsStr::new(text)), text);
            assert_eq!(name_of(text), text);
        }
        assert_eq!(text_of(OsStr::from_bytes(b"a\xffb")), "a\u{efff}b");
    }

    proptest! {
        #[test]
        fn each_name_has_its_own_text(bytes in prop::collection::vec(any::<u8>(), 0..12), mark in 0xef80..0xf000u32) {
            let mut bytes = bytes;
            bytes.extend(char::from_u32(mark).unwrap().to_string().bytes());
            let name = OsString::from_vec(bytes);
            prop_assert_eq!(name_of(&text_of(&name)), name);
        }
    }
}

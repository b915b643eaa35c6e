//! Positions in texts as the protocol counts them.

use memchr::memchr2;
use serde::Deserialize;
use serde_json::{Value, json};

use ez_runtime::source::{SourceFile, Span};
use ez_runtime::text::slice;

/// How a position counts the characters of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Utf16,
    Utf8,
}

/// A position in a message, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Position {
    pub line: u64,
    pub character: u64,
}

/// Where a position is in a text, moved into it and to the beginning of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOffset {
    /// The byte offset.
    pub at: usize,
    /// Whether the position is within the character that begins there.
    pub is_within: bool,
}

/// Where a position is in a text, the byte order mark of which counts. Lines end as the protocol says: with `\n`,
/// `\r\n` or `\r`.
pub fn text_offset(text: &str, position: Position, encoding: Encoding) -> TextOffset {
    let mut start = 0;
    for _ in 0..position.line {
        let rest = slice(text, start..);
        let Some(end) = memchr2(b'\n', b'\r', rest.as_bytes()) else {
            return TextOffset { at: text.len(), is_within: false };
        };
        start += end + if slice(rest, end..).starts_with("\r\n") { 2 } else { 1 };
    }
    let rest = slice(text, start..);
    let rest = slice(rest, ..memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len()));
    let mut counted = 0;
    for (at, c) in rest.char_indices() {
        let next = counted + width(c, encoding) as u64;
        if next > position.character {
            return TextOffset { at: start + at, is_within: counted < position.character };
        }
        counted = next;
    }
    TextOffset { at: start + rest.len(), is_within: false }
}

/// The byte offset of a position in a file, moved into it and to the beginning of a character.
pub fn offset(file: &SourceFile, position: &Value, encoding: Encoding) -> usize {
    let count = |name: &str| position.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (line, character) = (count("line"), count("character"));
    let before = mark(file, line as u32, encoding) as u64;
    text_offset(&file.text, Position { line, character: character.saturating_sub(before) }, encoding).at
}

/// The position of a byte offset.
pub fn position(file: &SourceFile, at: u32, encoding: Encoding) -> Value {
    let (line, start) = file.editor_line(at);
    let text = slice(&file.text, start as usize..(at as usize).min(file.text.len()));
    // There is no position between the two characters of a line end.
    let text = text.strip_suffix('\r').unwrap_or(text);
    json!({"line": line, "character": mark(file, line, encoding) + units(text, encoding)})
}

/// The length of the byte order mark that the text of a client has before a line.
pub fn mark(file: &SourceFile, line: u32, encoding: Encoding) -> usize {
    if line == 0 && file.has_mark { width('\u{feff}', encoding) } else { 0 }
}

fn width(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf8 => c.len_utf8(),
    }
}

/// The length of a text in a line.
pub fn units(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        Encoding::Utf8 => text.len(),
    }
}

/// The range of a span.
pub fn range(file: &SourceFile, span: Span, encoding: Encoding) -> Value {
    json!({"start": position(file, span.start, encoding), "end": position(file, span.end, encoding)})
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use ez_runtime::source::SourceMap;

    #[test]
    fn positions_are_moved_into_the_text() {
        let text = "aé😀b\r\nx";
        let file = SourceMap::new().add("/a", Path::new("/a"), text);
        let at = |line: u64, character: u64, encoding| {
            offset(&file, &json!({"line": line, "character": character}), encoding)
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(|c| at(0, c, Encoding::Utf16)), [0, 1, 3, 3, 7, 8, 8]);
        assert_eq!([0, 1, 2, 3, 6, 7, 8].map(|c| at(0, c, Encoding::Utf8)), [0, 1, 1, 3, 3, 7, 8]);
        assert_eq!(
            [at(1, 0, Encoding::Utf16), at(1, 5, Encoding::Utf16), at(7, 0, Encoding::Utf16)],
            [10, 11, 11]
        );
        assert_eq!(offset(&file, &Value::Null, Encoding::Utf16), 0);
    }

    #[test]
    fn positions_and_offsets_are_each_others_inverse() {
        for text in ["aé😀b\r\nx", "\u{feff}aé\rb\r\r\nc\n\r", "\u{feff}", "\r\n\n\r"] {
            let file = SourceMap::new().add("/a", Path::new("/a"), text);
            let ends = file.text.char_indices().map(|(at, _)| at).chain([file.text.len()]);
            let is_place = |at: &usize| {
                !slice(&file.text, ..*at).ends_with('\r') || !slice(&file.text, *at..).starts_with('\n')
            };
            for at in ends.filter(is_place) {
                for encoding in [Encoding::Utf16, Encoding::Utf8] {
                    let position = position(&file, at as u32, encoding);
                    assert_eq!(offset(&file, &position, encoding), at, "{text:?}");
                    // As the client counts it, who has the mark in its text.
                    let known: Position = serde_json::from_value(position).unwrap();
                    let mark = if file.has_mark { 3 } else { 0 };
                    assert_eq!(
                        text_offset(text, known, encoding),
                        TextOffset { at: at + mark, is_within: false }
                    );
                }
            }
        }
    }
}

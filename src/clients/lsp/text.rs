//! The text of an open document: what its client has, or that this is not known.

use std::fmt::{self, Formatter};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::positions::{Encoding, Position, text_offset};

/// The text of an open document. Whatever is computed from a document is computed from what [`Text::known`] returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// Exactly as the client has it, with its byte order mark.
    Known(String),
    /// In units of UTF-16, with half a character in it: some editors insert or delete the halves one after the other.
    Halved(Vec<u16>),
    /// Something that the client has sent could not be read: it has another text.
    Unknown,
}

/// A text in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Whole(String),
    /// In units of UTF-16, with half a character in it.
    Halved(Vec<u16>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Range {
    start: Position,
    end: Position,
}

/// An item of `contentChanges`.
#[derive(Clone, Debug, Deserialize)]
pub struct Change {
    /// What is replaced: by default, all.
    range: Option<Range>,
    text: Piece,
}

impl Text {
    /// The text of a client.
    pub fn new(piece: Piece, encoding: Encoding) -> Text {
        match (piece, encoding) {
            (Piece::Whole(text), _) => Text::Known(text),
            (Piece::Halved(units), Encoding::Utf16) => Text::Halved(units),
            // It cannot be said how many bytes a half has.
            (Piece::Halved(_), Encoding::Utf8) => Text::Unknown,
        }
    }

    /// The text, if it is known and is one.
    pub fn known(&self) -> Option<&str> {
        match self {
            Text::Known(text) => Some(text),
            Text::Halved(_) | Text::Unknown => None,
        }
    }

    /// Carries a change out. One that cannot be carried out as the client did leaves nothing known.
    pub fn change(&mut self, change: Change, encoding: Encoding) {
        let Some(range) = change.range else {
            *self = Text::new(change.text, encoding);
            return;
        };
        let before = std::mem::replace(self, Text::Unknown);
        let units = match before {
            Text::Unknown => return,
            Text::Halved(units) => units,
            Text::Known(mut text) => {
                let (start, end) =
                    (text_offset(&text, range.start, encoding), text_offset(&text, range.end, encoding));
                if range.start > range.end {
                    return;
                }
                if let Piece::Whole(new) = &change.text
                    && !start.is_within
                    && !end.is_within
                {
                    text.replace_range(start.at..end.at, new);
                    *self = Text::Known(text);
                    return;
                }
                text.encode_utf16().collect()
            }
        };
        if let Encoding::Utf16 = encoding
            && range.start <= range.end
        {
            *self = halved(units, range, change.text);
        }
    }
}

/// A text of units after a change.
fn halved(mut units: Vec<u16>, range: Range, new: Piece) -> Text {
    let (start, end) = (unit_of(&units, range.start), unit_of(&units, range.end));
    let new = match new {
        Piece::Whole(text) => text.encode_utf16().collect(),
        Piece::Halved(units) => units,
    };
    units.splice(start..end.max(start), new);
    String::from_utf16(&units).map_or(Text::Halved(units), Text::Known)
}

/// The number of the unit at a position, moved into the text.
fn unit_of(units: &[u16], position: Position) -> usize {
    let (feed, back) = (u16::from(b'\n'), u16::from(b'\r'));
    let is_end = |unit: &u16| *unit == feed || *unit == back;
    let mut start = 0;
    for _ in 0..position.line {
        let rest = units.get(start..).unwrap_or_default();
        let Some(end) = rest.iter().position(is_end) else { return units.len() };
        start += end + if rest.get(end..end + 2) == Some(&[back, feed]) { 2 } else { 1 };
    }
    let rest = units.get(start..).unwrap_or_default();
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    start + usize::try_from(position.character).unwrap_or(length).min(length)
}

impl<'de> Deserialize<'de> for Piece {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Piece, D::Error> {
        // As bytes, since half a character is allowed in JSON, and none in a string of Rust.
        deserializer.deserialize_byte_buf(PieceVisitor)
    }
}

struct PieceVisitor;

impl Visitor<'_> for PieceVisitor {
    type Value = Piece;

    fn expecting(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Piece, E> {
        Ok(Piece::Whole(text.into()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Piece, E> {
        Ok(Piece::Whole(text))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Piece, E> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Piece::Whole(text.into())),
            Err(_) => wide(bytes).map(Piece::Halved).ok_or_else(|| E::custom("not UTF-8")),
        }
    }
}

/// The units of bytes in UTF-8, or in its extension with halves of characters; `None` if they are in neither.
fn wide(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::new();
    while !bytes.is_empty() {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let (text, rest) = bytes.split_at_checked(valid)?;
        units.extend(std::str::from_utf8(text).ok()?.encode_utf16());
        bytes = rest;
        if let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, rest @ ..] = rest {
            units.push(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f));
            bytes = rest;
        } else if !rest.is_empty() {
            return None;
        }
    }
    Some(units)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn change(json: &str) -> Change {
        serde_json::from_str(json).unwrap()
    }

    fn at(line: u64, character: u64) -> Position {
        Position { line, character }
    }

    fn edit(start: (u64, u64), end: (u64, u64), text: &str) -> String {
        format!(
            r#"{{"range": {{"start": {{"line": {}, "character": {}}}, "end": {{"line": {}, "character": {}}}}}, "text": "{text}"}}"#,
            start.0, start.1, end.0, end.1
        )
    }

    #[test]
    fn halves_come_and_go_one_after_the_other() {
        let mut text = Text::Known("a\n\")".into());
        let mut apply = |json: &str| {
            text.change(change(json), Encoding::Utf16);
            text.known().map(str::to_string)
        };
        assert_eq!(apply(&edit((1, 1), (1, 1), r"\ud83d")), None);
        assert_eq!(apply(&edit((0, 0), (0, 1), "bc")), None);
        assert_eq!(apply(&edit((1, 2), (1, 2), r"\ude00")).as_deref(), Some("bc\n\"😀)"));
        assert_eq!(apply(&edit((1, 2), (1, 3), "")), None);
        assert_eq!(apply(&edit((1, 1), (1, 2), "")).as_deref(), Some("bc\n\")"));
        assert_eq!(apply(r#"{"text": "\ud83dx"}"#), None);
        assert_eq!(apply(r#"{"text": "x"}"#).as_deref(), Some("x"));
    }

    #[test]
    fn what_cannot_be_carried_out_leaves_nothing_known() {
        let after = |json: &str, encoding| {
            let mut text = Text::Known("one\n😀 two".into());
            text.change(change(json), encoding);
            text
        };
        assert_eq!(after(&edit((0, 3), (0, 1), "!"), Encoding::Utf16), Text::Unknown);
        assert_eq!(after(&edit((1, 1), (1, 2), ""), Encoding::Utf8), Text::Unknown);
        assert_eq!(after(r#"{"text": "\ud83d"}"#, Encoding::Utf8), Text::Unknown);
        // As clients do it themselves.
        assert_eq!(after(&edit((9, 9), (10, 1), "?"), Encoding::Utf8), Text::Known("one\n😀 two?".into()));
        let mut unknown = Text::Unknown;
        unknown.change(change(&edit((0, 0), (0, 0), "a")), Encoding::Utf8);
        assert_eq!(unknown, Text::Unknown);
        for wrong in [
            r#"{}"#,
            r#"{"text": 3}"#,
            r#"{"range": {"start": {"line": 0, "character": 0}}, "text": ""}"#,
            r#"{"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "text": ""}"#,
        ] {
            assert!(serde_json::from_str::<Change>(wrong).is_err(), "{wrong}");
        }
        assert!(serde_json::from_slice::<Change>(b"{\"text\": \"\xff\"}").is_err());
    }

    proptest! {
        /// Texts and units are changed in the same way.
        #[test]
        fn units_and_bytes_agree(
            text in "[a😀é\r\n\u{feff}]{0,12}", new in "[a😀\r\n]{0,3}",
            (a, b, c, d) in (0..5u64, 0..5u64, 0..5u64, 0..5u64),
        ) {
            let range = Range { start: at(a, b).min(at(c, d)), end: at(a, b).max(at(c, d)) };
            let mut changed = Text::Known(text.clone());
            changed.change(Change { range: Some(range), text: Piece::Whole(new.clone()) }, Encoding::Utf16);
            let units = text.encode_utf16().collect();
            prop_assert_eq!(changed, halved(units, range, Piece::Whole(new)));
        }
    }
}

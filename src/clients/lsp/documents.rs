//! The texts of open documents, and positions in texts as the protocol counts them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::platform::{path_of, slashed};
use crate::protocol::uri::{self, uri};
use crate::source::{SourceFile, Span};
use crate::text::slice;

/// How a position counts the characters of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    #[default]
    Utf16,
    Utf8,
}

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// As the client writes it.
    pub uri: String,
    pub text: String,
    pub version: Option<i64>,
}

/// The open documents by path.
#[derive(Debug, Default)]
pub struct Documents {
    pub open: BTreeMap<PathBuf, Document>,
    pub encoding: Encoding,
    /// Whether the client takes snippets as completions.
    pub takes_snippets: bool,
    /// Whether it shows no Markdown.
    pub takes_plain_text_only: bool,
}

/// The path of a URI; for documents that are no files an invented one.
pub fn path(uri: &str) -> PathBuf {
    match uri.strip_prefix("file://").and_then(uri::path) {
        Some(path) => path_of(&path),
        // In a folder that cannot be: nothing is beside it.
        None => Path::new("/\0").join(uri.replace(['/', '\\', ':'], "_")),
    }
}

/// A part of a message by its JSON pointer; null if it is not there.
pub fn part<'v>(message: &'v Value, pointer: &str) -> &'v Value {
    message.pointer(pointer).unwrap_or(&Value::Null)
}

/// Adds a field to an object.
pub fn put(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(name.into(), value);
    }
}

/// A text without its byte order mark, which is in no line.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl Documents {
    /// The URI of a file: the client's own if it is open.
    pub fn uri(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| uri(&slashed(path)), |document| document.uri.clone())
    }

    /// The texts of all open documents by their paths.
    pub fn texts(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.open.iter().map(|(path, document)| (path.as_path(), document.text.as_str()))
    }

    /// Changes a text as an item of `contentChanges` says.
    ///
    /// # Errors
    /// What is wrong with the item.
    pub fn change(&mut self, path: &Path, change: &Value) -> Result<(), String> {
        let encoding = self.encoding;
        let new = change.get("text").and_then(Value::as_str).ok_or("a change has no 'text'")?;
        let document = self.open.get_mut(path).ok_or("the document is not open")?;
        match change.get("range") {
            None | Some(Value::Null) => document.text = without_mark(new).into(),
            Some(range) => {
                let (start, end) = (
                    offset(&document.text, &range["start"], encoding),
                    offset(&document.text, &range["end"], encoding),
                );
                let before = slice(&document.text, ..start);
                let behind = slice(&document.text, end.max(start)..);
                document.text = format!("{before}{new}{behind}");
            }
        }
        Ok(())
    }
}

/// The byte offset of a position, moved into the text and to the beginning of a character.
pub fn offset(text: &str, position: &Value, encoding: Encoding) -> usize {
    let count = |name: &str| position.get(name).and_then(Value::as_u64).unwrap_or(0);
    let (line, character) = (count("line"), count("character"));
    let mut start = 0;
    for _ in 0..line {
        match slice(text, start..).find('\n') {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let rest = slice(text, start..);
    let rest = rest.split('\n').next().unwrap_or(rest);
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    let mut units = 0;
    for (at, c) in rest.char_indices() {
        let width = match encoding {
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf8 => c.len_utf8(),
        } as u64;
        if units + width > character {
            return start + at;
        }
        units += width;
    }
    start + rest.len()
}

/// The position of a byte offset.
pub fn position(file: &SourceFile, at: u32, encoding: Encoding) -> Value {
    let line = file.line(at);
    let text = file.line_text(line).unwrap_or_default();
    let points = file.position(at).column.saturating_sub(1) as usize;
    let end = text.char_indices().nth(points).map_or(text.len(), |(end, _)| end);
    json!({"line": line.saturating_sub(1), "character": units(slice(text, ..end), encoding)})
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
    use super::*;
    use crate::source::SourceMap;

    #[test]
    fn positions_are_moved_into_the_text() {
        let text = "aé😀b\r\nx";
        let at = |line: u64, character: u64, encoding| {
            offset(text, &json!({"line": line, "character": character}), encoding)
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(|c| at(0, c, Encoding::Utf16)), [0, 1, 3, 3, 7, 8, 8]);
        assert_eq!([0, 1, 2, 3, 6, 7, 8].map(|c| at(0, c, Encoding::Utf8)), [0, 1, 1, 3, 3, 7, 8]);
        assert_eq!(
            [at(1, 0, Encoding::Utf16), at(1, 5, Encoding::Utf16), at(7, 0, Encoding::Utf16)],
            [10, 11, 11]
        );
        assert_eq!(offset(text, &Value::Null, Encoding::Utf16), 0);
        let file = SourceMap::new().add("/a", Path::new("/a"), text);
        for offset_of in [0, 1, 3, 7, 8, 10, 11] {
            for encoding in [Encoding::Utf16, Encoding::Utf8] {
                assert_eq!(offset(text, &position(&file, offset_of, encoding), encoding), offset_of as usize);
            }
        }
    }

    #[test]
    fn edits_that_are_wrong_change_what_they_can() {
        let mut documents = Documents::default();
        let path = Path::new("/a.ez");
        let document = Document { uri: "file:///a.ez".into(), text: "one\ntwo".into(), version: None };
        documents.open.insert(path.into(), document);
        let place = |line: u64, character: u64| json!({"line": line, "character": character});
        let mut change = |range: Value, text: &str| {
            documents.change(path, &json!({"range": range, "text": text})).unwrap();
            documents.open[path].text.clone()
        };
        assert_eq!(change(json!({"start": place(0, 3), "end": place(0, 1)}), "!"), "one!\ntwo");
        assert_eq!(change(json!({"start": place(9, 9), "end": place(10, 1)}), "?"), "one!\ntwo?");
        assert_eq!(change(Value::Null, "new"), "new");
        assert!(documents.change(path, &json!({})).is_err());
        assert!(documents.change(Path::new("/b.ez"), &json!({"text": ""})).is_err());
    }

    #[test]
    fn uris_are_paths() {
        assert_eq!(path("file:///a%20b/%C3%A9.ez"), Path::new("/a b/é.ez"));
        assert_eq!(path("file://localhost/a.ez"), Path::new("/a.ez"));
        assert_eq!(path("untitled:Untitled-1"), Path::new("/\0/untitled_Untitled-1"));
        assert_eq!(path("file:///%zz"), Path::new("/\0/file____%zz"));
    }
}

//! The open documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::platform::{path_of, slashed};
use crate::protocol::uri::{self, uri};

use super::positions::Encoding;
use super::synchronization::{Content, Synchronization};
use super::text::Text;

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// As the client writes it.
    pub uri: String,
    pub text: Text,
    pub version: Option<i64>,
    /// Whether the person has been told that half a character is in it.
    has_told: bool,
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
    /// Whether it takes signatures of which no parameter is the present one.
    pub takes_no_parameter: bool,
    /// Whether the person has been told that messages are lost, since a document has been taken anew.
    has_told: bool,
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

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Documents {
    /// The URI of a file: the client's own if it is open.
    pub fn uri(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| uri(&slashed(path)), |document| document.uri.clone())
    }

    /// The text of an open document, if it is known.
    pub fn text(&self, path: &Path) -> Option<&str> {
        self.open.get(path)?.text.known()
    }

    /// Takes what a client says of the document at a path. If its text is not known any more, what the person has to be
    /// told.
    pub fn synchronize(&mut self, path: PathBuf, said: Synchronization) -> Option<String> {
        if let Content::Closed = said.content {
            self.open.remove(&path);
            return None;
        }
        let name = name(&path);
        // A document that is changed before it is opened: the message that has opened it has been lost.
        let is_known = self.open.get(&path).is_none_or(|document| document.text != Text::Unknown);
        let document = self.open.entry(path).or_insert_with(|| Document {
            uri: said.uri.clone(),
            text: Text::Unknown,
            version: None,
            has_told: false,
        });
        (document.uri, document.version) = (said.uri, said.version);
        match said.content {
            Content::Opened(text) => document.text = Text::new(text, self.encoding),
            Content::Changed(changes) => {
                for change in changes {
                    document.text.change(change, self.encoding);
                }
            }
            Content::Closed | Content::Lost => document.text = Text::Unknown,
        }
        let is_lost = document.text == Text::Unknown;
        if !is_lost {
            self.has_told = false;
        }
        (is_lost && is_known).then(|| {
            format!(
                "ez could not read a change of {name} and does not know its text any more: it reports nothing about it and changes nothing in it until you close it and open it again."
            )
        })
    }

    /// Nothing is known any more of the texts of open documents. What the person has to be told.
    pub fn lose_all(&mut self, why: &str) -> Option<String> {
        let mut is_new = self.open.is_empty() && !self.has_told;
        for document in self.open.values_mut() {
            is_new |= document.text != Text::Unknown;
            document.text = Text::Unknown;
        }
        self.has_told = true;
        is_new.then(|| {
            format!(
                "ez could not read a message of the editor ({why}) and does not know the texts of open files any more: it reports nothing and changes nothing until you close them and open them again, or restart the language server."
            )
        })
    }

    /// What the person has to be told of texts with half a character in them, which no change has completed.
    pub fn halved(&mut self) -> impl Iterator<Item = String> {
        self.open.iter_mut().filter_map(|(path, document)| {
            let is_halved = matches!(document.text, Text::Halved(_));
            let is_new = is_halved && !document.has_told;
            document.has_told = is_halved;
            is_new.then(|| {
                format!(
                    "There is half a character in {}, which is no text: ez reports nothing about it and changes nothing in it until you delete that.",
                    name(path)
                )
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        assert_eq!(path("file:///a%20b/%C3%A9.ez"), Path::new("/a b/é.ez"));
        assert_eq!(path("file://localhost/a.ez"), Path::new("/a.ez"));
        assert_eq!(path("untitled:Untitled-1"), Path::new("/\0/untitled_Untitled-1"));
        assert_eq!(path("file:///%zz"), Path::new("/\0/file____%zz"));
    }
}

//! The open documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::protocol::uri::{self, uri};
use ez_runtime::platform::{path_of, slashed};
use ez_runtime::source::SourceFile;

use super::positions::Encoding;
use super::synchronization::{Content, Synchronization};
use super::text::Text;

/// A file that is open: once, or several times, by links or by URIs that are written differently.
#[derive(Debug)]
struct Document {
    /// Its path as it was opened first.
    path: PathBuf,
    /// The client's texts of it, at least one; that which has changed last counts, and is the last.
    buffers: Vec<Buffer>,
}

/// A text of the client.
#[derive(Debug)]
struct Buffer {
    /// The URI as the client writes it.
    uri: String,
    text: Text,
    version: Option<i64>,
    /// Whether the person has been told that half a character is in it.
    has_told: bool,
}

impl Buffer {
    /// The name of its file.
    fn name(&self) -> String {
        name(&path(&self.uri))
    }
}

impl Document {
    fn buffer(&self) -> Option<&Buffer> {
        self.buffers.last()
    }

    /// The number of the buffer of a URI; some clients do not always write it in the same way.
    fn number(&self, uri: &str) -> Option<usize> {
        let by_uri = self.buffers.iter().position(|buffer| buffer.uri == uri);
        by_uri.or_else(|| self.buffers.iter().position(|buffer| path(&buffer.uri) == path(uri)))
    }

    /// The buffer of a URI, which becomes the last one, or a new one, of which nothing is known.
    fn latest(&mut self, uri: &str, number: Option<usize>) -> Option<&mut Buffer> {
        let new = || Buffer { uri: uri.to_string(), text: Text::Unknown, version: None, has_told: false };
        let buffer = number.map_or_else(new, |number| self.buffers.remove(number));
        self.buffers.push(buffer);
        self.buffers.last_mut()
    }
}

/// The open documents by their real paths ([`SourceFile::real`]).
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
    pub encoding: Encoding,
    /// Whether the client takes snippets as completions.
    pub takes_snippets: bool,
    /// Whether it shows no Markdown.
    pub takes_plain_text_only: bool,
    /// Whether it takes signatures of which no parameter is the present one.
    pub takes_no_parameter: bool,
    /// Whether it takes edits with the versions of the texts that they are for.
    pub takes_versions: bool,
    /// Whether the person has been told that messages are lost, since a document has been taken anew.
    has_told: bool,
    /// The URIs that were closed since a message was lost that may have opened any document; `None` if none was.
    closed: Option<BTreeSet<String>>,
    /// The document that is not open of which a change was ignored last.
    ignored: Option<PathBuf>,
}

/// What comes of what a client says of a document.
pub enum Taken {
    /// It counts; what the person has to be told.
    Yes(Option<String>),
    /// It does not, since the document is not open; what is logged.
    Ignored(Option<String>),
}

/// The path of a URI; for documents that are no files an invented one.
pub fn path(uri: &str) -> PathBuf {
    match uri.strip_prefix("file://").and_then(uri::path) {
        Some(path) => path_of(&path),
        // In a folder that cannot be: nothing is beside it.
        None => Path::new("/\0").join(uri.replace(['/', '\\', ':'], "_")),
    }
}

/// A path with symbolic links resolved, as far as there is a file or its folder.
pub fn real(path: &Path) -> PathBuf {
    let in_folder = || Some(dunce::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    dunce::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_path_buf())
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
    /// The real path of the document with a URI.
    pub fn real(&self, uri: &str) -> PathBuf {
        let of_uri = |document: &Document| document.buffers.iter().any(|buffer| buffer.uri == uri);
        let found = self.open.iter().find(|(_, document)| of_uri(document)).map(|(real, _)| real.clone());
        found.unwrap_or_else(|| real(&path(uri)))
    }

    /// The real paths of the open documents.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// Their paths as they were opened.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.values().map(|document| document.path.as_path())
    }

    pub fn is_open(&self, real: &Path) -> bool {
        self.open.contains_key(real)
    }

    fn buffer(&self, real: &Path) -> Option<&Buffer> {
        self.open.get(real)?.buffer()
    }

    fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.open.values().flat_map(|document| &document.buffers)
    }

    /// The URI of a file: the client's own if it is open.
    pub fn uri(&self, file: &SourceFile) -> String {
        self.buffer(&file.real).map_or_else(|| uri(&slashed(&file.path)), |buffer| buffer.uri.clone())
    }

    /// The URIs of open documents, each with the real path.
    pub fn uris(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.open.iter().flat_map(|(real, document)| {
            document.buffers.iter().map(move |buffer| (&*buffer.uri, real.as_path()))
        })
    }

    /// The version of the text with a URI, if the client has said it.
    pub fn version(&self, uri: &str) -> Option<i64> {
        self.buffers().find(|buffer| buffer.uri == uri)?.version
    }

    /// The text of an open document, if it is known.
    pub fn text(&self, real: &Path) -> Option<&str> {
        self.buffer(real)?.text.known()
    }

    /// Why nothing can be said of the text of an open document, and what helps; `None` if it is known.
    pub fn not_known(&self, real: &Path) -> Option<String> {
        let buffer = self.buffer(real)?;
        let name = buffer.name();
        let helps = match buffer.text {
            Text::Known(_) => return None,
            Text::Halved(_) => "there is half a character in it, delete that".to_string(),
            Text::Unknown => format!("close {name} and open it again"),
        };
        Some(format!("the text of {name} is not known: {helps}"))
    }

    /// Whether the client's text of this URI is the one that counts for its document.
    pub fn counts(&self, uri: &str, real: &Path) -> bool {
        self.open.contains_key(real) && self.newer(uri, real).is_none()
    }

    /// Why nothing can be said of the client's text of this URI: the same file is open with another one, which counts.
    pub fn newer(&self, uri: &str, real: &Path) -> Option<String> {
        let document = self.open.get(real)?;
        let own = document.number(uri).and_then(|number| document.buffers.get(number));
        let last = document.buffer()?;
        let own_name = own.map_or_else(|| name(&path(uri)), Buffer::name);
        let is_same = own.is_some_and(|own| own.text == last.text);
        (!is_same).then(|| {
            format!("{} is the same file as {own_name}, and has a newer text: {}", last.name(), last.uri)
        })
    }

    /// Whether the client has a text of this URI.
    pub fn has(&self, uri: &str, real: &Path) -> bool {
        self.open.get(real).is_some_and(|document| document.number(uri).is_some())
    }

    /// Takes what a client says of the document with a real path.
    pub fn synchronize(&mut self, real: PathBuf, said: Synchronization) -> Taken {
        if let Content::Closed = said.content {
            self.close(&real, &said.uri);
            return Taken::Yes(None);
        }
        // The message that has opened it may have been lost.
        let may_be_open = || self.closed.as_ref().is_some_and(|closed| !closed.contains(&said.uri));
        if !said.opens() && !self.has(&said.uri, &real) && !may_be_open() {
            let is_new = self.ignored.as_ref() != Some(&real);
            let text = format!("{} is not open: ez ignores a change of it.", name(&path(&said.uri)));
            self.ignored = Some(real);
            return Taken::Ignored(is_new.then_some(text));
        }
        self.ignored = self.ignored.take().filter(|ignored| *ignored != real);
        Taken::Yes(self.change(real, said))
    }

    /// Takes the text of a document. If it is not known any more, what the person has to be told.
    fn change(&mut self, real: PathBuf, said: Synchronization) -> Option<String> {
        let document =
            self.open.entry(real).or_insert_with(|| Document { path: path(&said.uri), buffers: Vec::new() });
        let is_known = document.buffer().is_none_or(|buffer| buffer.text != Text::Unknown);
        let number = match said.content {
            Content::Opened(_) => document.buffers.iter().position(|buffer| buffer.uri == said.uri),
            Content::Changed(_) | Content::Closed | Content::Lost { .. } => document.number(&said.uri),
        };
        let buffer = document.latest(&said.uri, number)?;
        buffer.version = said.version;
        match said.content {
            Content::Opened(text) => buffer.text = Text::new(text, self.encoding),
            Content::Changed(changes) => {
                for change in changes {
                    buffer.text.change(change, self.encoding);
                }
            }
            Content::Closed | Content::Lost { .. } => buffer.text = Text::Unknown,
        }
        let is_lost = buffer.text == Text::Unknown;
        if !is_lost {
            self.has_told = false;
        }
        (is_lost && is_known).then(|| {
            format!(
                "ez could not read a change of {} and does not know its text any more: it reports nothing about it and changes nothing in it until you close it and open it again.",
                buffer.name()
            )
        })
    }

    /// Closes the text of a URI, and the document with its last one.
    fn close(&mut self, real: &Path, uri: &str) {
        if let Some(closed) = &mut self.closed {
            closed.insert(uri.into());
        }
        let Some(document) = self.open.get_mut(real) else { return };
        if let Some(number) = document.number(uri) {
            document.buffers.remove(number);
        }
        if document.buffers.is_empty() {
            self.open.remove(real);
        }
    }

    /// Nothing is known any more of the texts of open documents. What the person has to be told.
    pub fn lose_all(&mut self, why: &str) -> Option<String> {
        self.closed = Some(BTreeSet::new());
        let mut is_new = self.open.is_empty() && !self.has_told;
        for buffer in self.open.values_mut().flat_map(|document| &mut document.buffers) {
            is_new |= buffer.text != Text::Unknown;
            buffer.text = Text::Unknown;
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
        let buffers = self.open.values_mut().flat_map(|document| &mut document.buffers);
        buffers.filter_map(|buffer| {
            let is_halved = matches!(buffer.text, Text::Halved(_));
            let is_new = is_halved && !buffer.has_told;
            buffer.has_told = is_halved;
            is_new.then(|| {
                format!(
                    "There is half a character in {}, which is no text: ez reports nothing about it and changes nothing in it until you delete that.",
                    buffer.name()
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

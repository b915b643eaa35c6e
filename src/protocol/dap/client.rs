//! How a client counts lines and columns and writes paths, and what it understands.

use std::path::Path;

use serde_json::{Value, json};

use crate::protocol::params::Params;

/// What a client has said of itself in `initialize`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The number of the first line.
    pub first_line: u32,
    /// The number of the first column.
    pub first_column: u32,
    /// Whether paths are URIs.
    uris: bool,
    /// Whether it wants the types of variables.
    pub wants_types: bool,
    /// Whether it wants to hear that what it shows is out of date.
    pub wants_invalidated: bool,
}

impl Default for Client {
    fn default() -> Client {
        Client { first_line: 1, first_column: 1, uris: false, wants_types: false, wants_invalidated: false }
    }
}

impl Client {
    /// The client that begins like this.
    ///
    /// # Errors
    /// What is wrong with the arguments of `initialize`.
    pub fn new(params: &Params) -> Result<Client, String> {
        let first = |name| Ok::<u32, String>(u32::from(params.choice(name)?.unwrap_or(true)));
        let uris = params.word("pathFormat", &[("path", false), ("uri", true)])?.unwrap_or(false);
        Ok(Client {
            first_line: first("linesStartAt1")?,
            first_column: first("columnsStartAt1")?,
            uris,
            wants_types: params.flag("supportsVariableType")?,
            wants_invalidated: params.flag("supportsInvalidatedEvent")?,
        })
    }

    /// A line as the client counts it.
    pub fn line(&self, line: u32) -> u32 {
        line.saturating_sub(1) + self.first_line
    }

    /// A column as the client counts it.
    pub fn column(&self, column: u32) -> u32 {
        column.saturating_sub(1) + self.first_column
    }

    /// A line that the client has named, counted from 1.
    pub fn line_of(&self, params: &Params, name: &str) -> Result<Option<u32>, String> {
        Ok(params.number(name, self.first_line, u32::MAX - 1)?.map(|line| line - self.first_line + 1))
    }

    /// A column that the client has named, counted from 1.
    pub fn column_of(&self, params: &Params, name: &str) -> Result<Option<u32>, String> {
        let column = params.number(name, self.first_column, u32::MAX - 1)?;
        Ok(column.map(|column| column - self.first_column + 1))
    }

    /// A path as the client writes it.
    pub fn path(&self, path: &Path) -> String {
        let text = path.to_string_lossy();
        if self.uris { uri(&text) } else { text.into_owned() }
    }

    /// A file as a source.
    pub fn source(&self, path: &Path) -> Value {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        json!({"name": name, "path": self.path(path)})
    }

    /// The path of the source that the client names.
    pub fn path_of(&self, params: &Params, name: &str) -> Result<String, String> {
        let path = params.object(name, |source| source.required_path("path"))?;
        self.plain_path(params.required(name, path)?)
    }

    /// A path of the client's without a scheme.
    pub fn plain_path(&self, path: String) -> Result<String, String> {
        match path.strip_prefix("file://") {
            // Some clients send URIs whatever they have said.
            Some(rest) => {
                let path = rest.strip_prefix("localhost").unwrap_or(rest);
                decoded(path).ok_or_else(|| format!("wrong parameter 'path': no path: {path}"))
            }
            None if self.uris && path.contains("://") => {
                Err(format!("wrong parameter 'path': not the URI of a file: {path}"))
            }
            None => Ok(path),
        }
    }
}

/// The URI of a file.
fn uri(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into())
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// A text with its `%xx` replaced.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'%' {
            let (digits, tail) = rest.split_at_checked(2)?;
            bytes.extend(hex::decode(digits).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris() {
        let uris = Client { uris: true, ..Client::default() };
        let path = "/a b/é#1.ez";
        let uri = uris.path(Path::new(path));
        assert_eq!(uri, "file:///a%20b/%C3%A9%231.ez");
        assert_eq!(uris.plain_path(uri.clone()), Ok(path.into()));
        assert_eq!(Client::default().plain_path(uri), Ok(path.into()));
        assert_eq!(uris.plain_path("/x.ez".into()), Ok("/x.ez".into()));
        assert!(uris.plain_path("untitled://x".into()).is_err());
        assert!(uris.plain_path("file:///%zz".into()).is_err());
        assert!(uris.plain_path("file:///%f".into()).is_err());
    }
}

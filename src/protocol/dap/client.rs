//! How a client counts lines and columns and writes paths, and what it understands.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::platform::slashed;
use crate::protocol::params::Params;
use foldhash::HashMap;

use super::wire::Source;

/// The lines of the program that have characters outside the Basic Multilingual Plane: only there, columns
/// in UTF-16 units, which clients count, differ from those in code points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WideLines {
    files: HashMap<PathBuf, HashMap<u32, String>>,
}

impl WideLines {
    /// Looks at the text of a file.
    pub fn add(&mut self, path: &Path, text: &str) {
        let is_wide = |(_, line): &(u32, &str)| line.chars().any(|c| c.len_utf16() > 1);
        let lines: HashMap<u32, String> = (1..)
            .zip(text.lines())
            .filter(is_wide)
            .map(|(number, line)| (number, line.to_string()))
            .collect();
        if lines.is_empty() {
            self.files.remove(path);
        } else {
            self.files.insert(path.to_path_buf(), lines);
        }
    }

    fn line(&self, path: &Path, line: u32) -> Option<&str> {
        Some(self.files.get(path)?.get(&line)?.as_str())
    }
}

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
    /// Whether it can run programs in a terminal.
    pub runs_in_terminal: bool,
    /// Whether it wants to hear that what it shows is out of date.
    pub wants_invalidated: bool,
    /// Whether it shows how far something has come.
    pub shows_progress: bool,
    /// Where its columns are not those of the program.
    pub wide: Arc<WideLines>,
}

impl Default for Client {
    fn default() -> Client {
        Client {
            first_line: 1,
            first_column: 1,
            uris: false,
            wants_types: false,
            runs_in_terminal: false,
            wants_invalidated: false,
            shows_progress: false,
            wide: Arc::default(),
        }
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
            runs_in_terminal: params.flag("supportsRunInTerminalRequest")?,
            wants_invalidated: params.flag("supportsInvalidatedEvent")?,
            shows_progress: params.flag("supportsProgressReporting")?,
            wide: Arc::default(),
        })
    }

    /// A line as the client counts it.
    pub fn line(&self, line: u32) -> u32 {
        line.saturating_sub(1) + self.first_line
    }

    /// A column of a file as the client counts it.
    pub fn column_in(&self, path: &Path, line: u32, column: u32) -> u32 {
        self.column(self.wide.line(path, line).map_or(column, |text| utf16(text, column)))
    }

    /// A column of a file, counted from 1 in code points, that is counted from 1 by the client.
    pub fn own_column_in(&self, path: &Path, line: u32, column: u32) -> u32 {
        self.wide.line(path, line).map_or(column, |text| code_points(text, column))
    }

    /// A column, in UTF-16 units from 1, as the client counts it.
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
        if self.uris { uri(&slashed(path)) } else { path.to_string_lossy().into_owned() }
    }

    /// A file as a source.
    pub fn source(&self, path: &Path) -> Source {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Source { name: name.into_owned(), path: self.path(path) }
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
                let path = decoded(path).ok_or_else(|| format!("wrong parameter 'path': no path: {path}"))?;
                // "/C:/a.ez" on Windows.
                let drive = path.strip_prefix('/').filter(|rest| has_drive(rest)).map(String::from);
                Ok(drive.unwrap_or(path))
            }
            None if self.uris && path.contains("://") => {
                Err(format!("wrong parameter 'path': not the URI of a file: {path}"))
            }
            None => Ok(path),
        }
    }
}

/// The column in code points of a column in UTF-16 units; both count from 1.
pub fn code_points(text: &str, column: u32) -> u32 {
    let mut units = 1;
    let mut points = 1;
    for c in text.chars() {
        if units >= column {
            break;
        }
        units += c.len_utf16() as u32;
        points += 1;
    }
    points
}

/// The column in UTF-16 units of a column in code points; both count from 1.
pub fn utf16(text: &str, column: u32) -> u32 {
    let before = text.chars().take(column.saturating_sub(1) as usize);
    1 + before.map(|c| c.len_utf16() as u32).sum::<u32>()
}

/// Whether a path begins with a drive, as it can on Windows.
fn has_drive(path: &str) -> bool {
    matches!(Path::new(path).components().next(), Some(Component::Prefix(_)))
}

/// The URI of a file.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
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
        if has_drive("C:/") {
            let uri = uris.path(Path::new("C:\\a b.ez"));
            assert_eq!(uri, "file:///C%3A/a%20b.ez");
            assert_eq!(uris.plain_path(uri), Ok("C:/a b.ez".into()));
        }
        assert!(uris.plain_path("untitled://x".into()).is_err());
        assert!(uris.plain_path("file:///%zz".into()).is_err());
        assert!(uris.plain_path("file:///%f".into()).is_err());
    }

    #[test]
    fn columns_are_counted_in_both_ways() {
        let text = "a😀b";
        assert_eq!([1, 2, 3, 4].map(|column| utf16(text, column)), [1, 2, 4, 5]);
        assert_eq!([1, 2, 4, 5, 9].map(|column| code_points(text, column)), [1, 2, 3, 4, 4]);
    }
}

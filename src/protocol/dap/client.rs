//! Conversion of lines, columns and paths to the client's conventions, and the client's capabilities.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashMap;
use serde_json::{Map, Value, json};

use crate::protocol::params::Params;
use crate::protocol::uri::{self, uri};
use ez_engine::api::{BreakpointId, Location};
use ez_runtime::platform::slashed;

use super::DapFrontEnd;
use super::wire::Source;

/// Maximum size in bytes of a file that is read for its columns.
const MAX_TEXT: u64 = 16 << 20;

/// The lines of the program with characters outside the Basic Multilingual Plane. Only there a column in
/// UTF-16 units, as in the protocol, differs from one in code points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WideLines {
    /// By the path without links.
    files: HashMap<PathBuf, HashMap<u32, String>>,
    /// The paths by which clients and the program name files, with those without links.
    names: HashMap<PathBuf, PathBuf>,
}

impl WideLines {
    /// Adds the lines of a file.
    pub fn add(&mut self, path: &Path, text: &str) {
        let is_wide = |(_, line): &(u32, &str)| line.chars().any(|c| c.len_utf16() > 1);
        let lines: HashMap<u32, String> = (1..)
            .zip(text.lines())
            .filter(is_wide)
            .map(|(number, line)| (number, line.to_string()))
            .collect();
        let whole = without_links(path);
        self.names.insert(path.to_path_buf(), whole.clone());
        self.files.insert(whole, lines);
    }

    /// Whether the lines of a file are known that is named so.
    fn knows(&self, path: &Path) -> bool {
        self.names.contains_key(path)
    }

    /// Makes columns in a file possible before the session has given its text: the client means the file that there
    /// is now.
    pub fn look_up(&mut self, path: &Path) {
        if self.knows(path) {
            return;
        }
        let whole = without_links(path);
        if self.files.contains_key(&whole) {
            self.names.insert(path.to_path_buf(), whole);
        } else if let Some(text) = text_of_file(&whole) {
            self.add(path, &text);
        }
    }

    fn line(&self, path: &Path, line: u32) -> Option<&str> {
        let name = match self.names.get(path) {
            Some(whole) => whole,
            None if self.files.values().all(HashMap::is_empty) => return None,
            None => &without_links(path),
        };
        Some(self.files.get(name)?.get(&line)?.as_str())
    }
}

fn without_links(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The text of a regular file, if it is not too large.
fn text_of_file(path: &Path) -> Option<String> {
    let about = std::fs::metadata(path).ok()?;
    (about.is_file() && about.len() <= MAX_TEXT).then(|| std::fs::read_to_string(path).ok())?
}

/// The numbers by which the client knows breakpoints, where they are not those of the session: it was told of some
/// before it was known where the program is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BreakpointNumbers {
    told: HashMap<BreakpointId, BreakpointId>,
    /// The highest number of those.
    last: u32,
}

impl BreakpointNumbers {
    /// Numbers for the breakpoints of a session, if the client knows others up to `last`.
    pub fn after(last: u32) -> BreakpointNumbers {
        BreakpointNumbers { told: HashMap::default(), last }
    }

    /// The client knows a breakpoint by this number.
    pub fn keep(&mut self, id: BreakpointId, told: BreakpointId) {
        self.told.insert(id, told);
    }

    /// The breakpoint that the client knows by this number.
    pub fn breakpoint(&self, told: u32) -> BreakpointId {
        let kept = self.told.iter().find(|(_, known)| known.0 == told);
        kept.map_or(BreakpointId(told.saturating_sub(self.last)), |(id, _)| *id)
    }

    /// The number for the client.
    pub fn of(&self, id: BreakpointId) -> u32 {
        self.told.get(&id).map_or(self.last.saturating_add(id.0), |told| told.0)
    }
}

/// Conventions and capabilities of a client, from its `initialize` request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Number of the first line: 0 or 1.
    pub first_line: u32,
    /// Number of the first column: 0 or 1.
    pub first_column: u32,
    /// Whether paths are `file:` URIs.
    uris: bool,
    /// Whether the types of variables are sent.
    pub wants_types: bool,
    /// Whether it supports the request `runInTerminal`.
    pub runs_in_terminal: bool,
    /// Whether it supports the request `startDebugging`.
    pub starts_debugging: bool,
    /// Whether it supports the event `invalidated`.
    pub wants_invalidated: bool,
    /// Whether it supports progress events.
    pub shows_progress: bool,
    /// Where its columns differ from those of the debug API.
    pub wide: Arc<WideLines>,
    /// By which numbers the client knows breakpoints.
    pub numbers: Arc<BreakpointNumbers>,
    /// The files whose texts in a recording are not those that they have now. Their texts are asked for by their places
    /// here, from 1.
    pub recorded: Arc<Vec<PathBuf>>,
}

impl Default for Client {
    fn default() -> Client {
        Client {
            first_line: 1,
            first_column: 1,
            uris: false,
            wants_types: false,
            runs_in_terminal: false,
            starts_debugging: false,
            wants_invalidated: false,
            shows_progress: false,
            wide: Arc::default(),
            numbers: Arc::default(),
            recorded: Arc::default(),
        }
    }
}

impl Client {
    /// From the arguments of `initialize`.
    ///
    /// # Errors
    /// If the client requires something that is not supported.
    pub fn new(params: &Params) -> Result<Client, String> {
        let first = |name| Ok::<u32, String>(u32::from(params.choice(name)?.unwrap_or(true)));
        let uris = params.word("pathFormat", &[("path", false), ("uri", true)])?.unwrap_or(false);
        Ok(Client {
            first_line: first("linesStartAt1")?,
            first_column: first("columnsStartAt1")?,
            uris,
            wants_types: params.flag("supportsVariableType")?,
            runs_in_terminal: params.flag("supportsRunInTerminalRequest")?,
            starts_debugging: params.flag("supportsStartDebuggingRequest")?,
            wants_invalidated: params.flag("supportsInvalidatedEvent")?,
            shows_progress: params.flag("supportsProgressReporting")?,
            wide: Arc::default(),
            numbers: Arc::default(),
            recorded: Arc::default(),
        })
    }

    /// A line of the API (from 1), in the client's numbering.
    pub fn line(&self, line: u32) -> u32 {
        line.saturating_sub(1) + self.first_line
    }

    /// A column of the API (in code points from 1), in the client's units and numbering.
    pub fn column_in(&self, path: &Path, line: u32, column: u32) -> u32 {
        self.column(self.wide.line(path, line).map_or(column, |text| utf16(text, column)))
    }

    /// A column in the client's units, from 1, as a column of the API.
    pub fn own_column_in(&self, path: &Path, line: u32, column: u32) -> u32 {
        self.wide.line(path, line).map_or(column, |text| code_points(text, column))
    }

    /// A column in the client's units, from 1, in its numbering.
    pub fn column(&self, column: u32) -> u32 {
        column.saturating_sub(1) + self.first_column
    }

    /// The parameter `name`: a line, converted to count from 1.
    pub fn line_of(&self, params: &Params, name: &str) -> Result<Option<u32>, String> {
        Ok(params.number(name, self.first_line, u32::MAX - 1)?.map(|line| line - self.first_line + 1))
    }

    /// The parameter `name`: a column in the client's units, converted to count from 1.
    pub fn column_of(&self, params: &Params, name: &str) -> Result<Option<u32>, String> {
        let column = params.number(name, self.first_column, u32::MAX - 1)?;
        Ok(column.map(|column| column - self.first_column + 1))
    }

    /// A path in the form that the client uses.
    pub fn path(&self, path: &Path) -> String {
        if self.uris { uri(&slashed(path)) } else { path.to_string_lossy().into_owned() }
    }

    /// The protocol's `Source` of a file.
    pub fn source(&self, path: &Path) -> Source {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let recorded = self.recorded.iter().position(|known| known == path);
        Source {
            name: name.into_owned(),
            path: self.path(path),
            source_reference: recorded.map(|index| index + 1),
        }
    }

    /// A place as `source`, `line` and `column`.
    pub fn placed(&self, location: &Location) -> Map<String, Value> {
        let Location { path, line, column } = location;
        let mut body = Map::new();
        body.insert("source".into(), json!(self.source(path)));
        body.insert("line".into(), self.line(*line).into());
        body.insert("column".into(), self.column_in(path, *line, *column).into());
        body
    }

    /// The path in the parameter `name`, which is a `Source`.
    pub fn path_of(&self, params: &Params, name: &str) -> Result<String, String> {
        let path = params.object(name, |source| {
            let number = source.number("sourceReference", 0, u32::MAX)?.unwrap_or(0);
            let recorded = (number as usize).checked_sub(1).and_then(|index| self.recorded.get(index));
            match recorded {
                Some(path) => Ok(path.to_string_lossy().into_owned()),
                None => source.required_path("path"),
            }
        })?;
        self.plain_path(params.required(name, path)?)
    }

    /// Takes the text of a file of a recording; returns whether the file has another one now, or is not there.
    pub fn differs_from_recorded(&mut self, path: &Path, text: &str) -> bool {
        let differs = text_of_file(path).is_none_or(|now| now != text);
        if differs && !self.recorded.iter().any(|known| known == path) {
            Arc::make_mut(&mut self.recorded).push(path.to_path_buf());
        }
        differs
    }

    /// A path of the client as a plain path.
    pub fn plain_path(&self, path: String) -> Result<String, String> {
        match path.strip_prefix("file://") {
            // Some clients send URIs even if they have announced paths.
            Some(rest) => uri::path(rest).ok_or_else(|| {
                let path = rest.strip_prefix("localhost").unwrap_or(rest);
                format!("wrong parameter 'path': no path: {path}")
            }),
            None if self.uris && path.contains("://") => {
                Err(format!("wrong parameter 'path': not the URI of a file: {path}"))
            }
            None => Ok(path),
        }
    }
}

/// Converts a column from UTF-16 units to code points; both count from 1.
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

/// Converts a column from code points to UTF-16 units; both count from 1.
pub fn utf16(text: &str, column: u32) -> u32 {
    let before = text.chars().take(column.saturating_sub(1) as usize);
    1 + before.map(|c| c.len_utf16() as u32).sum::<u32>()
}

impl DapFrontEnd {
    /// Conventions and capabilities of the client.
    pub(super) fn client(&self) -> Client {
        self.client.clone().unwrap_or_default()
    }
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
        if uri::has_drive("C:/") {
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

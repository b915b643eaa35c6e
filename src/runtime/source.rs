//! Source files, byte spans in them, and the line and column of a place.
//!
//! All later phases use [`Span`]s; they are converted to lines and columns only where they are shown (in
//! a report or a protocol message).

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Number of a file in its [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A range of bytes `start..end` in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte; equal to `start` for a point.
    pub end: u32,
}

impl Span {
    /// The span of `start..end` in `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// From the first byte of `self` to the last byte of `other` (same file).
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the first byte.
    pub fn head(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The last `n` bytes (or all of it, if it is shorter).
    pub fn tail(self, n: u32) -> Span {
        Span { start: self.end.saturating_sub(n).max(self.start), ..self }
    }
}

/// Line and column, both from 1; columns count code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// One source text with its name and path.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its number.
    pub id: FileId,
    /// Its name in reports: as written on the command line, or its path.
    pub name: String,
    /// Absolute path, symbolic links not resolved; an invented one for text that is not from a file.
    pub path: PathBuf,
    /// What tells whether two files are one: by default `path`; for an editor, the path with symbolic links resolved.
    pub real: PathBuf,
    pub text: Rc<str>,
    /// Whether a byte order mark was before the text, of which it is no part.
    pub has_mark: bool,
    lines: Vec<u32>,
    /// The carriage returns without a line feed behind them.
    lone_returns: Vec<u32>,
}

impl SourceFile {
    /// A file of this name and path with another text.
    pub fn with_text(&self, text: &str) -> SourceFile {
        SourceFile { real: self.real.clone(), ..SourceFile::new(self.id, &self.name, &self.path, text) }
    }

    /// A file with a text, of which a byte order mark is no part.
    fn new(id: FileId, name: &str, path: &Path, text: &str) -> SourceFile {
        let (text, has_mark) = text.strip_prefix('\u{feff}').map_or((text, false), |rest| (rest, true));
        let (mut lines, mut lone_returns) = (vec![0], Vec::new());
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes.get(at) == Some(&b'\n') {
                lines.push(at as u32 + 1);
            } else if bytes.get(at + 1) != Some(&b'\n') {
                lone_returns.push(at as u32);
            }
        }
        let (name, path) = (name.to_string(), path.to_path_buf());
        SourceFile { id, name, real: path.clone(), path, text: text.into(), has_mark, lines, lone_returns }
    }

    /// How many lines the text has (at least 1).
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Line and column of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0) as usize;
        let end = (offset as usize).min(self.text.len());
        let column = match self.text.get(start..end) {
            Some(before) => before.chars().count(),
            None => end.saturating_sub(start),
        };
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// Line (from 1) of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.lines.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// The line of a byte offset, from 0, and where it begins, as editors count them: a carriage return by itself ends a
    /// line, too.
    pub fn editor_line(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let returns = self.lone_returns.partition_point(|at| *at < offset);
        let after =
            returns.checked_sub(1).and_then(|last| self.lone_returns.get(last)).map_or(0, |at| at + 1);
        (line - 1 + returns as u32, self.line_start(line).max(after))
    }

    /// Where a line (from 1) begins; the end of the text for a line that it does not have.
    pub fn line_start(&self, line: u32) -> u32 {
        let index = (line as usize).saturating_sub(1);
        self.lines.get(index).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of line `line` (from 1) without its line end; `None` when there is no such line.
    pub fn line_text(&self, line: u32) -> Option<&str> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.lines.get(index)? as usize;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// The bytes of `span` as text; empty if the span is not of this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// All source texts of a program. Shared; files are only ever added.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: RefCell<Vec<Rc<SourceFile>>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.borrow().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.borrow().is_empty()
    }

    /// Removes all but the first `count` files; spans in the others become invalid.
    pub fn truncate(&self, count: usize) {
        self.files.borrow_mut().truncate(count);
    }

    /// Adds a text and gives it a number. A byte order mark, which some editors put before the text, is left out.
    pub fn add(&self, name: &str, path: &Path, text: &str) -> Rc<SourceFile> {
        self.add_real(name, path, path, text)
    }

    /// [`SourceMap::add`] with [`SourceFile::real`].
    pub fn add_real(&self, name: &str, path: &Path, real: &Path, text: &str) -> Rc<SourceFile> {
        let mut files = self.files.borrow_mut();
        let file = SourceFile::new(FileId(files.len() as u32), name, path, text);
        let file = Rc::new(SourceFile { real: real.to_path_buf(), ..file });
        files.push(file.clone());
        file
    }

    /// Gives a file another path.
    pub fn set_path(&self, id: FileId, path: &Path) {
        if let Some(file) = self.files.borrow_mut().get_mut(id.0 as usize) {
            let (path, real) = (path.to_path_buf(), path.to_path_buf());
            *file = Rc::new(SourceFile { path, real, ..(**file).clone() });
        }
    }

    /// The file with this number.
    pub fn get(&self, id: FileId) -> Option<Rc<SourceFile>> {
        self.files.borrow().get(id.0 as usize).cloned()
    }

    /// The file with this path.
    pub fn by_path(&self, path: &Path) -> Option<Rc<SourceFile>> {
        self.files.borrow().iter().find(|file| file.path == path).cloned()
    }

    /// The first file that is really this one.
    pub fn by_real(&self, real: &Path) -> Option<Rc<SourceFile>> {
        self.files.borrow().iter().find(|file| file.real == real).cloned()
    }

    /// Line and column where `span` starts; 1:1 for an unknown file.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).map_or(Position { line: 1, column: 1 }, |f| f.position(span.start))
    }

    /// Line where `span` starts.
    pub fn line(&self, span: Span) -> u32 {
        self.get(span.file).map_or(1, |f| f.line(span.start))
    }

    /// All files, in order of their numbers.
    pub fn files(&self) -> Vec<Rc<SourceFile>> {
        self.files.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_code_points() {
        let map = SourceMap::new();
        let file = map.add("a.ez", Path::new("/a.ez"), "aé€b\nx\n");
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(6), Position { line: 1, column: 4 });
        assert_eq!(file.position(8), Position { line: 2, column: 1 });
        assert_eq!(file.position(99), Position { line: 3, column: 1 });
        assert_eq!(file.line_text(1), Some("aé€b"));
        assert_eq!(file.line_text(4), None);
    }

    #[test]
    fn editors_count_lone_carriage_returns() {
        let file = SourceMap::new().add("a.ez", Path::new("/a.ez"), "\u{feff}a\rb\r\nc\n\r\rd\r");
        assert!(file.has_mark);
        let lines: Vec<(u32, u32)> = (0..=10).map(|at| file.editor_line(at)).collect();
        let (a, b, c, d) = ((0, 0), (1, 2), (2, 5), (5, 9));
        assert_eq!(lines, [a, a, b, b, b, c, c, (3, 7), (4, 8), d, d]);
        assert_eq!([file.line(2), file.line(5), file.line(9)], [1, 2, 3]);
        assert_eq!(file.editor_line(11), (6, 11));
    }
}

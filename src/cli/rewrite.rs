//! Replacing the text of a source file.

use std::path::Path;

use crate::clients::overwrite::{replace, unless_changed};
use crate::clients::show::{self, Style};
use ez_language::modules::{DiskLoader, SourceLoader};
use ez_runtime::platform::{reason, text_of};

/// The byte order mark, which is no part of what is checked or formatted.
const MARK: char = '\u{feff}';

/// Replaces the text of a file that was `before`, as [`replace`] does; it keeps a byte order mark.
///
/// # Errors
/// Why it is left as it is: as in [`replace`], or it has changed meanwhile.
pub(super) fn rewrite(path: &Path, before: &str, text: &str) -> Result<(), String> {
    let now = DiskLoader.read(path).map_err(|error| reason(&error))?;
    let last = || unless_changed(without_mark(&DiskLoader.read(path)?) == without_mark(before));
    replace(path, marked(&now, without_mark(text)).as_bytes(), last)
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// A new text for one that was `before`, with a byte order mark if that has one.
pub(super) fn marked(before: &str, text: &str) -> String {
    let mark = before.strip_prefix(MARK).map(|_| MARK);
    mark.into_iter().chain(text.chars()).collect()
}

/// Reports why a file was left as it is.
pub(super) fn left_alone(path: &Path, why: &str, style: Style) {
    show::problem(&format!("{} is left as it is: {why}", text_of(path.as_os_str())), style);
}

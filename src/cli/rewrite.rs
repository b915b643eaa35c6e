//! Replacing the text of a source file.

use std::fs;
use std::path::Path;

use crate::clients::show::{self, Style};
use crate::host::replace_file;
use crate::modules::{DiskLoader, SourceLoader, reason};
use crate::platform::{OpenFlags, open, permissions, text_of};

/// The byte order mark.
const MARK: char = '\u{feff}';

/// Replaces the text of a file that was `before`, in one step; it keeps its permissions.
///
/// # Errors
/// Why it is left as it is: a link, no regular file, not writable, or it has changed meanwhile.
pub(super) fn rewrite(path: &Path, before: &str, text: &str) -> Result<(), String> {
    let found = fs::symlink_metadata(path).map_err(|error| reason(&error))?;
    if found.is_symlink() {
        return Err("it is a link".into());
    }
    if !found.is_file() {
        return Err("it is not a regular file".into());
    }
    let mode = permissions(&found);
    if found.permissions().readonly() {
        return Err("it is read-only".into());
    }
    open(path, OpenFlags { write: true, ..OpenFlags::default() }, mode).map_err(|error| reason(&error))?;
    if DiskLoader.read(path).map_err(|error| reason(&error))? != before {
        return Err("it has changed meanwhile".into());
    }
    replace_file(path, text.as_bytes(), mode).map_err(|error| reason(&error))
}

/// A new text for a file that was `before`: a byte order mark is no part of what is checked or formatted, and stays.
pub(super) fn with_mark(before: &str, text: String) -> String {
    if before.starts_with(MARK) { format!("{MARK}{text}") } else { text }
}

/// Reports why a file was left as it is.
pub(super) fn left_alone(path: &Path, why: &str, style: Style) {
    show::problem(&format!("{} is left as it is: {why}", text_of(path.as_os_str())), style);
}

//! Replacing the text of a source file.

use std::fs;
use std::io;
use std::path::Path;

use crate::clients::show::{self, Style};
use ez_language::modules::{DiskLoader, SourceLoader};
use ez_runtime::host::replace_file;
use ez_runtime::platform::{
    OpenFlags, keep_attributes, keep_owner, names_of, open, permissions, reason, text_of,
};

/// The byte order mark, which is no part of what is checked or formatted.
const MARK: char = '\u{feff}';

/// Replaces the text of a file that was `before`, in one step; it keeps its permissions, access list and
/// attributes, its owner and a byte order mark.
///
/// # Errors
/// Why it is left as it is: a link, one of several names of a file, no regular file, not writable, of an owner or with
/// an access list that the new file cannot have, or it has changed meanwhile.
pub(super) fn rewrite(path: &Path, before: &str, text: &str) -> Result<(), String> {
    let found = fs::symlink_metadata(path).map_err(|error| reason(&error))?;
    if found.is_symlink() {
        return Err("it is a link".into());
    }
    if !found.is_file() {
        return Err("it is not a regular file".into());
    }
    if names_of(path).map_err(|error| reason(&error))? > 1 {
        return Err("it is a link: the file has another name, too".into());
    }
    let mode = permissions(&found);
    if found.permissions().readonly() {
        return Err("it is read-only".into());
    }
    open(path, OpenFlags { write: true, ..OpenFlags::default() }, mode).map_err(|error| reason(&error))?;
    let now = DiskLoader.read(path).map_err(|error| reason(&error))?;
    let last = |new: &fs::File| {
        keep_owner(new, &found)?;
        keep_attributes(new, path)?;
        // As late as possible: an editor may save the file while this one is written.
        let is_as_before = without_mark(&DiskLoader.read(path)?) == without_mark(before);
        if is_as_before { Ok(()) } else { Err(io::Error::other("it has changed meanwhile")) }
    };
    replace_file(path, marked(&now, without_mark(text)).as_bytes(), mode, last)
        .map_err(|error| reason(&error))
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

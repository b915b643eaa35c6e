//! Files beneath a folder. Nothing keeps a file from being replaced here: the names are only known to have had no links.

use std::io;
use std::path::Path;

use crate::platform::Held;

/// Nothing is held.
pub type Handle = ();

pub fn hold(folder: &Path, names: &Path, _entry: bool) -> io::Result<Option<Held>> {
    let path = folder.join(names);
    let is_new = std::fs::symlink_metadata(&path).is_err();
    Ok(Some(Held { is_new, ..Held::at(path, ()) }))
}

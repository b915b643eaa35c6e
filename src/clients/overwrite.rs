//! Programs and recordings, and what a person has written, are not overwritten by what is written about programs; a file
//! that is replaced stays that file for everybody.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ez_runtime::host::replace_file;
use ez_runtime::platform::{
    OpenFlags, file_identity, keep_attributes, keep_owner, names_of, open, path_of, permissions, reason,
};

/// Writes a file in one step. One that is there is replaced, and keeps its permissions, access list and attributes, and its
/// owner. `last` is called as late as possible, and may refuse: somebody else may write the file meanwhile.
///
/// # Errors
/// Why it is left as it is: a link, one of several names of a file, no regular file, not writable, of an owner or with
/// an access list that the new file cannot have, or what `last` says.
pub fn replace(path: &Path, content: &[u8], last: impl FnOnce() -> io::Result<()>) -> Result<(), String> {
    let said = |error: io::Error| reason(&error);
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return replace_file(path, content, None, |_| last()).map_err(said);
        }
        found => found.map_err(said)?,
    };
    if found.is_symlink() {
        return Err("it is a link".into());
    }
    if !found.is_file() {
        return Err("it is not a regular file".into());
    }
    if names_of(path).map_err(said)? > 1 {
        return Err("it is a link: the file has another name, too".into());
    }
    if found.permissions().readonly() {
        return Err("it is read-only".into());
    }
    let mode = permissions(&found);
    open(path, OpenFlags { write: true, ..OpenFlags::default() }, mode).map_err(said)?;
    let last = |new: &File| {
        keep_owner(new, &found)?;
        keep_attributes(new, path)?;
        last()
    };
    replace_file(path, content, Some(mode), last).map_err(said)
}

/// What is said of a file that somebody else has written meanwhile.
///
/// # Errors
/// That, unless it is as before.
pub fn unless_changed(is_as_before: bool) -> io::Result<()> {
    if is_as_before { Ok(()) } else { Err(io::Error::other("it has changed meanwhile")) }
}

/// Checks that a file that is to be written is none of those that were read, and no other program, under whatever
/// name or link.
///
/// # Errors
/// What the file is.
pub fn refuse_overwrite(file: &str, read: &[PathBuf]) -> Result<(), String> {
    let path = path_of(file);
    let resolved = dunce::canonicalize(&path).unwrap_or_else(|_| path.clone());
    if [&path, &resolved].iter().any(|path| path.extension().is_some_and(|extension| extension == "ez")) {
        return Err("that is the name of a program".into());
    }
    let Ok(identity) = file_identity(&path) else { return Ok(()) };
    match read.iter().find(|read| file_identity(read).is_ok_and(|read| read == identity)) {
        Some(_) => Err("what is to be run would be overwritten".into()),
        None => Ok(()),
    }
}

/// Checks that a file that is to be written is a new or empty one, or begins with one of `beginnings`, as those do that
/// were written before. A device or pipe takes anything.
///
/// # Errors
/// That it is another one.
pub fn written_before(file: &str, beginnings: &[&str]) -> Result<(), String> {
    let Ok(known) = std::fs::metadata(path_of(file)) else { return Ok(()) };
    if !known.is_file() || known.len() == 0 {
        return Ok(());
    }
    let longest = beginnings.iter().map(|beginning| beginning.len()).max().unwrap_or(0);
    let mut found = Vec::new();
    let read = File::open(path_of(file)).and_then(|file| file.take(longest as u64).read_to_end(&mut found));
    let is_own = read.is_ok() && beginnings.iter().any(|beginning| found.starts_with(beginning.as_bytes()));
    if is_own { Ok(()) } else { Err("the file exists, and something else is in it".into()) }
}

/// Whether something is at a path that is no regular file: who reads or writes a pipe or a device may wait for ever.
pub fn is_not_regular(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_has_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x").display().to_string();
        let check = || written_before(&file, &["# Saved ", "<!"]).is_ok();
        assert!(check(), "there is none");
        for (text, is_own) in
            [("", true), ("# Saved now", true), ("<!x", true), ("# Sav", false), ("mine", false)]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(check(), is_own, "{text}");
        }
        assert!(refuse_overwrite("a.ez", &[]).is_err());
    }
}

//! Operations on whole files and directories by path.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf, is_separator};

use crate::host::errors::{already_exists, invalid_argument, is_a_directory, not_a_directory, system_error};
use crate::platform::{self, Held, OpenFlags};
use crate::value::SystemError;

use super::NEW_FILE_MODE;

/// Maximum number of names tried for a temporary file.
const MAX_TRIES: u32 = 100;

/// A path of the program that has been looked up.
pub struct FilePath<'a> {
    /// The path as the program wrote it, for errors.
    pub written: &'a str,
    /// The absolute form.
    pub path: PathBuf,
    /// What keeps it from becoming something else, if access is confined to a folder.
    pub held: Option<Held>,
}

impl FilePath<'_> {
    /// Opens it; a new file gets the permissions `mode`, reduced by the umask.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn open(&self, flags: OpenFlags, mode: u32) -> Result<File, SystemError> {
        let no_link = self.held.as_ref().is_some_and(|held| held.is_new);
        platform::open(&self.path, OpenFlags { no_link, ..flags }, mode).map_err(|e| self.failure("open", &e))
    }

    /// Whether the path is that of a handle, which looks like a link.
    pub fn is_held_itself(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.is_itself)
    }

    /// The error of a system call on it.
    pub fn failure(&self, operation: &str, error: &io::Error) -> SystemError {
        system_error(operation, self.written, error)
    }
}

/// Writes a file from its beginning.
pub fn write(to: &FilePath, data: &[u8]) -> Result<(), SystemError> {
    let flags = OpenFlags { write: true, create: true, truncate: true, ..OpenFlags::default() };
    to.open(flags, NEW_FILE_MODE)?.write_all(data).map_err(|e| to.failure("open", &e))
}

/// Replaces a file atomically: writes a new file in the same directory and renames it. `target` and `entry` are the same
/// path: what it refers to, and the entry in its directory.
pub fn write_atomic(target: &FilePath, entry: &FilePath, data: &[u8], mode: u32) -> Result<(), SystemError> {
    match fs::metadata(&target.path) {
        Ok(found) if found.is_dir() => return Err(target.failure("open", &is_a_directory())),
        // A device or pipe is written to, not replaced.
        Ok(found) if !found.is_file() => {
            let mut device = target.open(OpenFlags { write: true, ..OpenFlags::default() }, mode)?;
            return device.write_all(data).map_err(|e| target.failure("open", &e));
        }
        Err(_) if platform::is_null_device(&target.path) => return Ok(()),
        _ => {}
    }
    replace(&entry.path, data, Some(mode), |_| Ok(())).map_err(|e| entry.failure("open", &e))
}

/// Replaces a file, or creates it, in one step: whoever reads it meanwhile, or after a failure, finds the old or the new
/// content. `mode` are its permissions; `None`: those of any new file. `last` is called directly before, with the new file.
///
/// # Errors
/// If its directory cannot be changed, or the system call fails; that of `last`, after which nothing has changed.
pub fn replace(
    path: &Path,
    data: &[u8],
    mode: Option<u32>,
    last: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, mut file) = temporary_file(path.parent().unwrap_or(path), mode.is_some())?;
    let written = file
        .write_all(data)
        .and_then(|()| mode.map_or(Ok(()), |mode| platform::set_permissions(&file, mode)))
        .and_then(|()| file.sync_all())
        .and_then(|()| last(&file))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file with a name of its own; if it is not `private`, with the permissions of any new file.
fn temporary_file(directory: &Path, private: bool) -> io::Result<(PathBuf, File)> {
    let flags = OpenFlags { write: true, create: true, exclusive: true, ..OpenFlags::default() };
    let mut tries = 0;
    loop {
        let name = directory.join(format!(".ez_tmp_{}_{:08x}", std::process::id(), fastrand::u32(..)));
        let created = match private {
            true => platform::create_private(&name),
            false => platform::open(&name, flags, NEW_FILE_MODE),
        };
        match created {
            Ok(file) => return Ok((name, file)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tries < MAX_TRIES => tries += 1,
            Err(e) => return Err(e),
        }
    }
}

/// Appends to a file. `line`: starts a new line first, if the file's last line has no end.
pub fn append(to: &FilePath, data: &[u8], mode: u32, line: bool) -> Result<(), SystemError> {
    let flags = OpenFlags { write: true, append: true, create: true, ..OpenFlags::default() };
    let mut file = to.open(flags, mode)?;
    let mut all = Vec::with_capacity(data.len() + 1);
    if line && !ends_line(&to.path) {
        all.push(b'\n');
    }
    all.extend_from_slice(data);
    file.write_all(&all).map_err(|e| to.failure("write", &e))
}

/// Whether a file is empty or ends with a line end.
fn ends_line(path: &Path) -> bool {
    let mut last = [b'\n'];
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return true;
    }
    let read = File::open(path).and_then(|mut file| {
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        Ok(())
    });
    read.is_err() || last == [b'\n']
}

/// Copies the contents of a file; a new file gets `mode`, or the permissions of the source.
pub fn copy(from: &FilePath, to: &FilePath, mode: Option<u32>) -> Result<(), SystemError> {
    let mut source = from.open(OpenFlags { read: true, ..OpenFlags::default() }, NEW_FILE_MODE)?;
    let data = source.metadata().map_err(|e| from.failure("stat", &e))?;
    let identity = platform::file_identity(&from.path).map_err(|e| from.failure("stat", &e))?;
    if platform::file_identity(&to.path).is_ok_and(|there| there == identity) {
        return Ok(());
    }
    let mode = mode.unwrap_or_else(|| platform::permissions(&data));
    let flags = OpenFlags { write: true, create: true, truncate: true, ..OpenFlags::default() };
    let mut target = to.open(flags, mode)?;
    io::copy(&mut source, &mut target).map_err(|e| to.failure("copy", &e))?;
    Ok(())
}

/// Creates a directory.
pub fn make_directory(at: &FilePath, mode: u32) -> Result<(), SystemError> {
    platform::make_directory(&at.path, mode).map_err(|e| at.failure("mkdir", &e))
}

/// Creates a directory and its missing parents; no error if it exists.
pub fn make_directories<'a>(
    look_up: impl Fn(&'a str) -> Result<FilePath<'a>, SystemError>,
    written: &'a str,
    mode: u32,
) -> Result<(), SystemError> {
    let trimmed = written.trim_end_matches(is_separator);
    let fronts = trimmed.match_indices(is_separator).filter_map(|(at, _)| trimmed.get(..at));
    for written in fronts.filter(|front| !front.is_empty()).chain([written]) {
        let at = look_up(written)?;
        let made = match fs::metadata(&at.path) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(not_a_directory()),
            Err(_) => platform::make_directory(&at.path, mode),
        };
        match made {
            // Another process may have created it meanwhile.
            Err(e) if !fs::metadata(&at.path).is_ok_and(|found| found.is_dir()) => {
                return Err(at.failure("mkdir", &e));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes an empty directory, or a symbolic link to one.
pub fn remove_directory(at: &FilePath) -> Result<(), SystemError> {
    let link = fs::symlink_metadata(&at.path).is_ok_and(|found| found.is_symlink());
    let result = if link { fs::remove_file(&at.path) } else { fs::remove_dir(&at.path) };
    result.map_err(|e| at.failure("remove", &e))
}

/// Removes a file or a directory with its contents; no error if it does not exist.
pub fn remove_all(at: &FilePath) -> Result<(), SystemError> {
    if at.written == "." || at.written.ends_with("/.") {
        return Err(at.failure("RemoveAll", &invalid_argument()));
    }
    let result = match fs::symlink_metadata(&at.path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&at.path),
        Ok(_) => fs::remove_file(&at.path),
        Err(e) => Err(e),
    };
    match result {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at.failure("unlinkat", &e)),
        _ => Ok(()),
    }
}

/// Renames a file; never replaces a directory.
pub fn rename(from: &FilePath, to: &FilePath) -> Result<(), SystemError> {
    let both = format!("{} {}", from.written, to.written);
    let failure = |e: &io::Error| system_error("rename", &both, e);
    // A missing source is reported first, whatever the target is.
    let source = fs::symlink_metadata(&from.path).map_err(|e| failure(&e))?;
    match fs::symlink_metadata(&to.path) {
        Ok(found) if found.is_dir() => return Err(failure(&already_exists())),
        // Some systems would replace the file.
        Ok(_) if source.is_dir() => return Err(failure(&not_a_directory())),
        _ => {}
    }
    fs::rename(&from.path, &to.path).map_err(|e| failure(&e))
}

/// The names in a directory, sorted.
pub fn names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = fs::read_dir(path).map_err(|error| match path.is_file() {
        // Some systems report another error.
        true => not_a_directory(),
        false => error,
    })?;
    for entry in entries {
        names.push(platform::text_of(&entry?.file_name()));
    }
    names.sort_unstable();
    Ok(names)
}

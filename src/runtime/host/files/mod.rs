//! Files and directories of a program.

mod handles;
mod whole;

pub use whole::replace as replace_file;

use std::fs::{self, Metadata};
use std::io;
use std::time::UNIX_EPOCH;

use crate::platform::{self, OpenFlags};
use crate::value::{FileKind, FileStatus, HostAnswer, HostRequest, SystemError, SystemErrorKind};

use super::confine::{Reach, Root, outside_of};
use super::directory::WorkingDirectory;
use super::errors::system_error;
use handles::{OpenFiles, is_prompt};
use whole::FilePath;

/// Maximum number of bytes read at once: a device may never end.
pub const MAX_READ: u64 = (1 << 31) - 1;

/// Number of bytes from which on reading or writing a file is done as a job.
const MUCH: usize = 1 << 22;

/// Permissions of a file that a program creates without naming any.
const NEW_FILE_MODE: u32 = 0o666;

/// A program's working directory and open files. Clones share the open files.
#[derive(Clone)]
pub struct Files {
    directory: WorkingDirectory,
    /// The folder to which access is confined, if it is.
    root: Option<Root>,
    open: OpenFiles,
}

/// The error for a path outside of a folder.
fn outside(root: &Root, operation: &str, path: &str) -> SystemError {
    SystemError {
        kind: SystemErrorKind::PermissionDenied,
        operation: operation.into(),
        path: path.into(),
        reason: outside_of(root),
    }
}

/// The metadata of a file as programs see it.
fn status(data: &Metadata) -> FileStatus {
    let kind = match data.file_type() {
        t if t.is_file() => FileKind::File,
        t if t.is_dir() => FileKind::Directory,
        t if t.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    let modified = data.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        // Rounded down, like the system's seconds.
        Err(before) => -(before.duration().as_nanos().div_ceil(1_000_000_000) as i64),
    });
    FileStatus { kind, size: data.len() as i64, modified, mode: platform::permissions(data) }
}

impl Files {
    /// Without open files.
    pub fn new(directory: WorkingDirectory) -> Files {
        Files { directory, root: None, open: OpenFiles::default() }
    }

    pub fn set_directory(&mut self, directory: WorkingDirectory) {
        self.directory = directory;
    }

    /// Confines access to a folder, if there is one.
    pub fn set_root(&mut self, root: Option<Root>) {
        self.root = root;
    }

    /// The working directory.
    pub fn directory(&self) -> &WorkingDirectory {
        &self.directory
    }

    /// Changes the working directory.
    ///
    /// # Errors
    /// If it cannot be entered.
    pub fn change_directory(&mut self, path: &str) -> Result<HostAnswer, SystemError> {
        let at = self.at(path, "chdir", Reach::Target)?;
        let entered = self.directory.enter(&at.path).map_err(|e| at.failure("chdir", &e))?;
        // A directory that another process has moved out of the folder meanwhile.
        if let Some(root) = self.root.as_ref().filter(|root| !root.contains(entered.path())) {
            return Err(outside(root, "chdir", path));
        }
        self.directory = entered;
        Ok(HostAnswer::Done)
    }

    /// Looks up a path of the program for an operation, named in errors.
    ///
    /// # Errors
    /// If it is outside of the folder to which access is confined, or cannot be looked up there.
    fn at<'a>(&self, path: &'a str, operation: &str, reach: Reach) -> Result<FilePath<'a>, SystemError> {
        let whole = self.directory.resolve(path);
        // The system refuses an empty path.
        let Some(root) = self.root.as_ref().filter(|_| !path.is_empty()) else {
            return Ok(FilePath { written: path, path: whole, held: None });
        };
        match root.hold(&whole, reach) {
            Ok(Some(held)) => Ok(FilePath { written: path, path: held.path.clone(), held: Some(held) }),
            Ok(None) => Err(outside(root, operation, path)),
            Err(error) => Err(system_error(operation, path, &error)),
        }
    }

    /// Looks up what is to be read or written.
    fn target<'a>(&self, path: &'a str, operation: &str) -> Result<FilePath<'a>, SystemError> {
        self.at(path, operation, Reach::Target)
    }

    /// Looks up an entry that is to be removed or renamed.
    fn entry<'a>(&self, path: &'a str, operation: &str) -> Result<FilePath<'a>, SystemError> {
        self.at(path, operation, Reach::Entry)
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// If it cannot be opened or read, or has more than [`MAX_READ`] bytes.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, SystemError> {
        let at = self.target(path, "open")?;
        // Opens directories, too, where `File::open` does not: then reading gives the right error.
        let file = at.open(OpenFlags { read: true, ..OpenFlags::default() }, NEW_FILE_MODE)?;
        handles::read_all(&file).map_err(|e| at.failure("read", &e))
    }

    /// Answers a request about files. May block, see [`Files::may_block`].
    ///
    /// # Errors
    /// If the system call fails.
    pub fn answer(&self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match request {
            HostRequest::Open { path, flags, mode } => {
                self.open.open(&self.target(&path, "open")?, flags, mode)
            }
            HostRequest::Read(number, count) => self.open.read(number, count),
            HostRequest::Write(number, data) => self.open.write(number, &data),
            HostRequest::Seek(number, offset, whence) => self.open.seek(number, offset, whence),
            HostRequest::Sync(number) => self.open.sync(number),
            HostRequest::Close(number) => {
                self.open.close(number);
                Ok(HostAnswer::Done)
            }
            HostRequest::Status { path, follow } => self.status(&path, follow).map(HostAnswer::Status),
            HostRequest::ReadDirectory(path) => {
                let at = self.target(&path, "open")?;
                whole::names(&at.path).map(HostAnswer::Texts).map_err(|e| at.failure("open", &e))
            }
            request => self.change(request).map(|()| HostAnswer::Done),
        }
    }

    fn status(&self, path: &str, follow: bool) -> Result<FileStatus, SystemError> {
        let target = || self.target(path, "stat");
        // The folder itself is no entry in a directory that may be looked at.
        let at = if follow { target()? } else { self.entry(path, "stat").or_else(|_| target())? };
        let follows = follow || at.is_held_itself();
        let found = if follows { fs::metadata(&at.path) } else { fs::symlink_metadata(&at.path) };
        let operation = if follow { "stat" } else { "lstat" };
        found.map(|found| status(&found)).map_err(|e| at.failure(operation, &e))
    }

    /// Carries out a request that changes files and has no result.
    fn change(&self, request: HostRequest) -> Result<(), SystemError> {
        match request {
            HostRequest::WriteFile { path, data, mode, atomic } => {
                let target = self.target(&path, "open")?;
                if atomic {
                    whole::write_atomic(&target, &self.entry(&path, "open")?, &data, mode)
                } else {
                    whole::write(&target, &data)
                }
            }
            HostRequest::AppendFile { path, data, mode, line } => {
                whole::append(&self.target(&path, "open")?, &data, mode, line)
            }
            HostRequest::Remove(path) => {
                let at = self.entry(&path, "remove")?;
                fs::remove_file(&at.path).map_err(|e| at.failure("remove", &e))
            }
            HostRequest::RemoveDirectory(path) => whole::remove_directory(&self.entry(&path, "remove")?),
            HostRequest::RemoveAll(path) => whole::remove_all(&self.entry(&path, "remove")?),
            HostRequest::Rename(from, to) => {
                whole::rename(&self.entry(&from, "rename")?, &self.entry(&to, "rename")?)
            }
            HostRequest::Copy { from, to, mode } => {
                whole::copy(&self.target(&from, "copy")?, &self.target(&to, "copy")?, mode)
            }
            HostRequest::MakeDirectory { path, mode, parents: false } => {
                whole::make_directory(&self.target(&path, "mkdir")?, mode)
            }
            HostRequest::MakeDirectory { path, mode, parents: true } => {
                whole::make_directories(|front| self.target(front, "mkdir"), &path, mode)
            }
            other => {
                let error = io::Error::from(io::ErrorKind::Unsupported);
                Err(system_error(&format!("{other:?}"), "", &error))
            }
        }
    }

    /// Whether a request may take long: because of the amount of data, or because another process is at the
    /// other end of a pipe or terminal.
    pub fn may_block(&self, request: &HostRequest) -> bool {
        let waits = |path: &String| {
            let found = self.target(path, "stat").map(|at| fs::metadata(&at.path));
            found.is_ok_and(|found| found.is_ok_and(|found| !is_prompt(&found)))
        };
        use HostRequest::*;
        match request {
            // Replacing a file waits for the disk.
            WriteFile { atomic: true, .. } => true,
            WriteFile { path, data, .. } | AppendFile { path, data, .. } => data.len() > MUCH || waits(path),
            Open { path, .. } => waits(path),
            Copy { .. } | RemoveAll(_) | Sync(_) => true,
            Read(number, count) => {
                count.is_none_or(|count| count > MUCH as u64) || self.open.may_wait(*number)
            }
            Write(number, data) => data.len() > MUCH || self.open.may_wait(*number),
            Status { .. } | ReadDirectory(_) | ChangeDirectory(_) | MakeDirectory { .. } => false,
            Remove(_) | RemoveDirectory(_) | Rename(..) | Seek(..) | Close(_) => false,
            Variable(_) | SetVariable(..) | Variables | HostName | UserName => false,
            Arguments | Directory | ProcessId | ParentId | Processors | Zone(_) | RandomBytes(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;

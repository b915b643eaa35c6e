//! Files and directories of a program.

mod handles;
mod whole;

use std::fs::{self, Metadata};
use std::io;
use std::time::UNIX_EPOCH;

use crate::platform::{self, OpenFlags};
use crate::value::{FileKind, FileStatus, HostAnswer, HostRequest, SystemError};

use super::directory::WorkingDirectory;
use super::errors::system_error;
use handles::{OpenFiles, is_prompt};
use whole::FilePath;

/// Most bytes that are read at once: a device may have no end.
pub const MAX_READ: u64 = (1 << 31) - 1;

/// From how many bytes on reading and writing a file counts as something that may take long.
const MUCH: usize = 1 << 22;

/// A program's files: its working directory, and those that it has open. Cheap to clone; clones share the
/// open files.
#[derive(Clone)]
pub struct Files {
    directory: WorkingDirectory,
    open: OpenFiles,
}

/// What a program learns about a file.
fn status(data: &Metadata) -> FileStatus {
    let kind = match data.file_type() {
        t if t.is_file() => FileKind::File,
        t if t.is_dir() => FileKind::Directory,
        t if t.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    let modified = data.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs() as i64,
        // Rounded down, as the seconds of the system are.
        Err(before) => -(before.duration().as_nanos().div_ceil(1_000_000_000) as i64),
    });
    FileStatus { kind, size: data.len() as i64, modified, mode: platform::permissions(data) }
}

impl Files {
    /// No open files yet.
    pub fn new(directory: WorkingDirectory) -> Files {
        Files { directory, open: OpenFiles::default() }
    }

    /// Where relative paths start.
    pub fn directory(&self) -> &WorkingDirectory {
        &self.directory
    }

    /// Makes the directory at `path` the working directory.
    ///
    /// # Errors
    /// When it cannot be entered.
    pub fn change_directory(&mut self, path: &str) -> Result<HostAnswer, SystemError> {
        let at = self.at(path);
        self.directory = self.directory.enter(path).map_err(|e| at.failure("chdir", &e))?;
        Ok(HostAnswer::Done)
    }

    fn at<'a>(&self, path: &'a str) -> FilePath<'a> {
        FilePath::new(&self.directory, path)
    }

    /// All that a file holds.
    ///
    /// # Errors
    /// When it cannot be opened or read, or holds more than [`MAX_READ`] bytes.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, SystemError> {
        let at = self.at(path);
        // Unlike `File::open`, also where that refuses directories: reading then tells what is wrong.
        let flags = OpenFlags { read: true, ..OpenFlags::default() };
        let file = platform::open(&at.path, flags, 0o666).map_err(|e| at.failure("open", &e))?;
        handles::read_all(&file).map_err(|e| at.failure("read", &e))
    }

    /// The answer to a request about files.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn answer(&self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match request {
            HostRequest::Open { path, flags, mode } => self.open.open(&self.at(&path), flags, mode),
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
                let at = self.at(&path);
                whole::names(&at.path).map(HostAnswer::Texts).map_err(|e| at.failure("open", &e))
            }
            request => self.change(request).map(|()| HostAnswer::Done),
        }
    }

    fn status(&self, path: &str, follow: bool) -> Result<FileStatus, SystemError> {
        let at = self.at(path);
        let found = if follow { fs::metadata(&at.path) } else { fs::symlink_metadata(&at.path) };
        let operation = if follow { "stat" } else { "lstat" };
        found.map(|found| status(&found)).map_err(|e| at.failure(operation, &e))
    }

    /// Carries out what changes files and has no other answer than that it is done.
    fn change(&self, request: HostRequest) -> Result<(), SystemError> {
        match request {
            HostRequest::WriteFile { path, data, mode, atomic } => {
                let at = self.at(&path);
                let written = match atomic {
                    true => whole::write_atomic(&at.path, &data, mode),
                    false => fs::write(&at.path, &data),
                };
                written.map_err(|e| at.failure("open", &e))
            }
            HostRequest::AppendFile { path, data, mode, line } => {
                whole::append(&self.at(&path), &data, mode, line)
            }
            HostRequest::Remove(path) => {
                let at = self.at(&path);
                fs::remove_file(&at.path).map_err(|e| at.failure("remove", &e))
            }
            HostRequest::RemoveDirectory(path) => whole::remove_directory(&self.at(&path)),
            HostRequest::RemoveAll(path) => whole::remove_all(&self.at(&path)),
            HostRequest::Rename(from, to) => whole::rename(&self.at(&from), &self.at(&to)),
            HostRequest::Copy { from, to, mode } => whole::copy(&self.at(&from), &self.at(&to), mode),
            HostRequest::MakeDirectory { path, mode, parents: false } => {
                whole::make_directory(&self.at(&path), mode)
            }
            HostRequest::MakeDirectory { path, mode, parents: true } => {
                whole::make_directories(&self.directory, &path, mode)
            }
            other => {
                let error = io::Error::from(io::ErrorKind::Unsupported);
                Err(system_error(&format!("{other:?}"), "", &error))
            }
        }
    }

    /// Whether a request may take long: because of its size, or because it has to wait for another
    /// process at the other end of a pipe or terminal.
    pub fn may_block(&self, request: &HostRequest) -> bool {
        let waits = |path: &String| fs::metadata(self.at(path).path).is_ok_and(|found| !is_prompt(&found));
        match request {
            // What replaces a file waits for the disk.
            HostRequest::WriteFile { atomic: true, .. } => true,
            HostRequest::WriteFile { path, data, .. } | HostRequest::AppendFile { path, data, .. } => {
                data.len() > MUCH || waits(path)
            }
            HostRequest::Open { path, .. } => waits(path),
            HostRequest::Copy { .. } | HostRequest::RemoveAll(_) | HostRequest::Sync(_) => true,
            HostRequest::Read(number, count) => {
                count.is_none_or(|count| count > MUCH as u64) || self.open.may_wait(*number)
            }
            HostRequest::Write(number, data) => data.len() > MUCH || self.open.may_wait(*number),
            HostRequest::Status { .. }
            | HostRequest::Remove(_)
            | HostRequest::RemoveDirectory(_)
            | HostRequest::Rename(..)
            | HostRequest::MakeDirectory { .. }
            | HostRequest::ReadDirectory(_)
            | HostRequest::Seek(..)
            | HostRequest::Close(_)
            | HostRequest::Variable(_)
            | HostRequest::SetVariable(..)
            | HostRequest::Variables
            | HostRequest::Arguments
            | HostRequest::Directory
            | HostRequest::ChangeDirectory(_)
            | HostRequest::HostName
            | HostRequest::UserName
            | HostRequest::ProcessId
            | HostRequest::ParentId
            | HostRequest::Processors
            | HostRequest::Zone(_)
            | HostRequest::RandomBytes(_) => false,
        }
    }
}

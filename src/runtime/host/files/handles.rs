//! The table of open files.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use crate::host::errors::{bad_handle, file_too_large, invalid_argument, is_a_directory, system_error};
use crate::platform::OpenFlags;
use crate::sync::{Mutex, MutexGuard};
use crate::value::{HostAnswer, SystemError, open_flags};

use super::MAX_READ;
use super::whole::FilePath;

/// The open files of a program, by number. Clones share the table.
#[derive(Clone, Default)]
pub struct OpenFiles {
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, OpenFile>,
    /// The last number assigned.
    last: u64,
}

#[derive(Clone)]
struct OpenFile {
    /// The path as the program wrote it.
    path: String,
    file: Arc<File>,
    /// How it was opened. Checked here, since systems report misuse differently.
    flags: OpenFlags,
    /// Whether reading and writing never wait for another process.
    prompt: bool,
}

/// Whether it is a regular file or a directory: reading and writing these never wait for another process,
/// unlike pipes and terminals.
pub fn is_prompt(data: &Metadata) -> bool {
    data.is_file() || data.is_dir()
}

impl OpenFiles {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }

    /// Opens a file; returns its number.
    pub fn open(&self, at: &FilePath, flags: i32, mode: u32) -> Result<HostAnswer, SystemError> {
        let flags = open_flags_of(flags);
        let file = at.open(flags, mode)?;
        let prompt = file.metadata().is_ok_and(|found| is_prompt(&found));
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        table.open.insert(number, OpenFile { path: at.written.into(), file: Arc::new(file), flags, prompt });
        Ok(HostAnswer::Number(number as i64))
    }

    /// Reads up to `count` bytes in one call, or without a count everything that is left.
    pub fn read(&self, number: u64, count: Option<u64>) -> Result<HostAnswer, SystemError> {
        self.with(number, "read", |file, flags| {
            if !flags.read {
                return Err(bad_handle());
            }
            let data = match count {
                None => read_all(file),
                Some(count) => read_once(file, count),
            };
            Ok(HostAnswer::Bytes(data?))
        })
    }

    /// Writes all of `data`.
    pub fn write(&self, number: u64, data: &[u8]) -> Result<HostAnswer, SystemError> {
        self.with(number, "write", |mut file, flags| {
            if !flags.write {
                return Err(bad_handle());
            }
            file.write_all(data)?;
            Ok(HostAnswer::Number(data.len() as i64))
        })
    }

    /// Sets the position in the file, relative to its start (`whence` 0), the present position (1) or its end
    /// (2).
    pub fn seek(&self, number: u64, offset: i64, whence: i64) -> Result<HostAnswer, SystemError> {
        self.with(number, "seek", |mut file, _| {
            let target = match whence {
                0 => u64::try_from(offset).ok().map(SeekFrom::Start),
                1 => Some(SeekFrom::Current(offset)),
                2 => Some(SeekFrom::End(offset)),
                _ => None,
            };
            let target = target.ok_or_else(invalid_argument)?;
            file.seek(target).map(|at| HostAnswer::Number(at as i64))
        })
    }

    /// Flushes written data to disk.
    pub fn sync(&self, number: u64) -> Result<HostAnswer, SystemError> {
        self.with(number, "sync", |file, flags| {
            // Some systems refuse it where nothing can have been written.
            let synced = if flags.write { file.sync_all() } else { Ok(()) };
            synced.map(|()| HostAnswer::Done)
        })
    }

    /// Closes a file; no effect if it is closed already.
    pub fn close(&self, number: u64) {
        self.table().open.remove(&number);
    }

    /// Whether reading or writing this file may wait for another process.
    pub fn may_wait(&self, number: u64) -> bool {
        self.table().open.get(&number).is_some_and(|open| !open.prompt)
    }

    fn with(
        &self,
        number: u64,
        operation: &str,
        run: impl FnOnce(&File, OpenFlags) -> io::Result<HostAnswer>,
    ) -> Result<HostAnswer, SystemError> {
        // The table is unlocked during the operation.
        let open = self.table().open.get(&number).cloned();
        match open {
            Some(OpenFile { path, file, flags, .. }) => {
                run(&file, flags).map_err(|e| system_error(operation, &path, &e))
            }
            None => Err(system_error(operation, "", &bad_handle())),
        }
    }
}

/// The flags for the bits that programs use (`O_RDONLY` and so on, as on Linux). Other bits are ignored.
fn open_flags_of(number: i32) -> OpenFlags {
    let access = number & open_flags::ACCESS;
    let has = |flag: i32| number & flag != 0;
    OpenFlags {
        read: access != open_flags::WRITE_ONLY,
        write: access != open_flags::READ_ONLY,
        append: has(open_flags::APPEND),
        create: has(open_flags::CREATE),
        truncate: has(open_flags::TRUNCATE),
        exclusive: has(open_flags::EXCLUSIVE),
        no_link: false,
    }
}

/// Reads the rest of a file.
pub fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    // Some devices do not report their type.
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(is_a_directory());
    }
    file.take(MAX_READ + 1).read_to_end(&mut data)?;
    if data.len() as u64 > MAX_READ {
        return Err(file_too_large());
    }
    Ok(data)
}

/// Reads up to `count` bytes in one call; the buffer is not larger than the rest of the file.
fn read_once(mut file: &File, count: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    if count == 0 {
        return Ok(data);
    }
    // Some files, such as those in `/proc`, have more data than their size says.
    let left = match (file.metadata(), file.stream_position()) {
        (Ok(found), _) if found.is_dir() => return Err(is_a_directory()),
        (Ok(found), Ok(at)) if found.is_file() => found.len().saturating_sub(at).max(1 << 16),
        _ => 1 << 20,
    };
    let size = count.min(left).min(MAX_READ);
    data.try_reserve_exact(size as usize)?;
    data.resize(size as usize, 0);
    let got = loop {
        match file.read(&mut data) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other?,
        }
    };
    data.truncate(got);
    Ok(data)
}

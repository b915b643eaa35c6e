//! The open files of a program.

use std::collections::HashMap;
use std::io;

use super::tree::File;
use crate::host::errors::{bad_handle, invalid_argument};
use crate::value::open_flags;

struct OpenFile {
    /// The path as the program wrote it.
    path: String,
    /// `None`: a directory.
    file: Option<File>,
    /// The bits of [`open_flags`].
    flags: i32,
    position: usize,
}

impl OpenFile {
    fn can_read(&self) -> bool {
        self.flags & open_flags::ACCESS != open_flags::WRITE_ONLY
    }

    fn can_write(&self) -> bool {
        self.flags & open_flags::ACCESS != open_flags::READ_ONLY
    }
}

/// The table of open files.
#[derive(Default)]
pub struct OpenFiles {
    open: HashMap<u64, OpenFile>,
    /// The last number assigned.
    last: u64,
}

impl OpenFiles {
    /// Adds a file, or a directory (`None`); returns its number.
    pub fn add(&mut self, path: &str, file: Option<File>, flags: i32) -> u64 {
        self.last += 1;
        self.open.insert(self.last, OpenFile { path: path.into(), file, flags, position: 0 });
        self.last
    }

    /// The path of an open file as the program wrote it, for errors.
    pub fn path(&self, number: u64) -> &str {
        self.open.get(&number).map_or("", |open| &open.path)
    }

    /// Reads up to `count` bytes, or everything that is left.
    pub fn read(&mut self, number: u64, count: Option<u64>) -> io::Result<Vec<u8>> {
        let open = self.open.get_mut(&number).filter(|open| open.can_read()).ok_or_else(bad_handle)?;
        let file = open.file.as_ref().ok_or_else(crate::host::errors::is_a_directory)?;
        let content = file.lock();
        let left = content.data.get(open.position..).unwrap_or_default();
        let count = count.map_or(left.len(), |count| usize::try_from(count).unwrap_or(usize::MAX));
        let data = left.get(..count.min(left.len())).unwrap_or_default().to_vec();
        open.position += data.len();
        Ok(data)
    }

    /// Writes all of `data`.
    pub fn write(&mut self, number: u64, data: &[u8]) -> io::Result<()> {
        let open = self.open.get_mut(&number).filter(|open| open.can_write()).ok_or_else(bad_handle)?;
        let file = open.file.as_ref().ok_or_else(bad_handle)?;
        let mut content = file.lock();
        if open.flags & open_flags::APPEND != 0 {
            open.position = content.data.len();
        }
        content.write(open.position, data)?;
        open.position += data.len();
        Ok(())
    }

    /// Sets the position, relative to the start (`whence` 0), the present position (1) or the end (2); returns it.
    pub fn seek(&mut self, number: u64, offset: i64, whence: i64) -> io::Result<i64> {
        let open = self.open.get_mut(&number).ok_or_else(bad_handle)?;
        let base = match whence {
            0 => 0,
            1 => open.position,
            2 => open.file.as_ref().map_or(0, |file| file.lock().data.len()),
            _ => return Err(invalid_argument()),
        };
        let position = (base as i64).checked_add(offset).filter(|position| *position >= 0);
        let position = position.ok_or_else(invalid_argument)?;
        open.position = usize::try_from(position).map_err(|_| invalid_argument())?;
        Ok(position)
    }

    /// Whether this is the number of an open file.
    pub fn is_open(&self, number: u64) -> bool {
        self.open.contains_key(&number)
    }

    /// Closes a file; no effect if it is closed already.
    pub fn close(&mut self, number: u64) {
        self.open.remove(&number);
    }
}

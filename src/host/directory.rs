//! The working directory of one program. The process's own is left alone, so that programs in one
//! process can have different ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::platform;

/// Where a program's relative paths start. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WorkingDirectory(Arc<Path>);

impl WorkingDirectory {
    /// The directory at `path` (relative to the process's), links resolved.
    pub fn new(path: &Path) -> WorkingDirectory {
        let path = platform::working_directory(path).or_else(|_| std::path::absolute(path));
        WorkingDirectory(path.unwrap_or_else(|_| PathBuf::from(".")).into())
    }

    /// The absolute path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where a program's path leads, links not resolved.
    pub fn resolve(&self, path: &str) -> PathBuf {
        // An empty path names nothing; joined, it would name the directory.
        if path.is_empty() { PathBuf::new() } else { self.0.join(path) }
    }

    /// The directory at `path`, which a program may enter.
    ///
    /// # Errors
    /// When it is no directory, or the program has no right to search it.
    pub fn enter(&self, path: &str) -> io::Result<WorkingDirectory> {
        Ok(WorkingDirectory(platform::working_directory(&self.resolve(path))?.into()))
    }
}

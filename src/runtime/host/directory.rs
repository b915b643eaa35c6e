//! The working directory of a program. It is independent of the process's, so that programs in one process
//! can have different ones.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::platform;

/// The base of a program's relative paths. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WorkingDirectory(Arc<Path>);

impl WorkingDirectory {
    /// The directory at `path` (relative to the process's working directory), with symbolic links resolved.
    pub fn new(path: &Path) -> WorkingDirectory {
        let path = platform::working_directory(path).or_else(|_| std::path::absolute(path));
        WorkingDirectory(path.unwrap_or_else(|_| PathBuf::from(".")).into())
    }

    /// The absolute path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The absolute form of a path, without resolving symbolic links.
    pub fn resolve(&self, path: &str) -> PathBuf {
        // An empty path is invalid; joined to the directory, it would name that.
        if path.is_empty() { PathBuf::new() } else { self.0.join(platform::path_of(path)) }
    }

    /// The working directory after changing to an absolute path.
    ///
    /// # Errors
    /// If it is not a directory, or the program may not search it.
    pub fn enter(&self, path: &Path) -> io::Result<WorkingDirectory> {
        Ok(WorkingDirectory(platform::working_directory(path)?.into()))
    }
}

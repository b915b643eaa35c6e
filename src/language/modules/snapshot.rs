//! A record of what a loader has answered, from which the same program can be loaded again.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use ez_runtime::platform::reason;
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::SourceLoader;

/// Answers by path. Whatever is made from them (a recording) is the same each time.
type Answers<T> = HashMap<PathBuf, T, FixedState>;

/// The answers of a loader. As a loader it gives the same answers again, even if the files have changed, also
/// on other computers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    files: Answers<Result<String, LoadError>>,
    directories: Answers<Result<Vec<String>, LoadError>>,
    existing: Answers<bool>,
    is_directory: Answers<bool>,
    absolute: Answers<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LoadError {
    kind: LoadErrorKind,
    /// The message.
    reason: String,
}

/// The kinds of errors that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum LoadErrorKind {
    NotFound,
    PermissionDenied,
    InvalidData,
    Other,
}

impl From<&io::Error> for LoadError {
    fn from(error: &io::Error) -> LoadError {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => LoadErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => LoadErrorKind::PermissionDenied,
            io::ErrorKind::InvalidData => LoadErrorKind::InvalidData,
            _ => LoadErrorKind::Other,
        };
        LoadError { kind, reason: reason(error) }
    }
}

impl From<LoadError> for io::Error {
    fn from(refusal: LoadError) -> io::Error {
        let kind = match refusal.kind {
            LoadErrorKind::NotFound => io::ErrorKind::NotFound,
            LoadErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
            LoadErrorKind::InvalidData => io::ErrorKind::InvalidData,
            LoadErrorKind::Other => io::ErrorKind::Other,
        };
        io::Error::new(kind, refusal.reason)
    }
}

fn known<T: Clone>(answers: &Answers<Result<T, LoadError>>, path: &Path) -> io::Result<T> {
    match answers.get(path) {
        Some(answer) => answer.clone().map_err(io::Error::from),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

impl Snapshot {
    /// The files and folders that were read or looked for, also those that there are not, in the order of their paths.
    pub fn paths(&self) -> BTreeSet<&Path> {
        self.files.keys().chain(self.existing.keys()).map(PathBuf::as_path).collect()
    }

    /// These answers, for other paths.
    pub fn with_paths(self, change: impl Fn(&Path) -> PathBuf) -> Snapshot {
        fn keys<T>(answers: Answers<T>, change: &impl Fn(&Path) -> PathBuf) -> Answers<T> {
            answers.into_iter().map(|(path, answer)| (change(&path), answer)).collect()
        }
        let absolute = keys(self.absolute, &change);
        Snapshot {
            files: keys(self.files, &change),
            directories: keys(self.directories, &change),
            existing: keys(self.existing, &change),
            is_directory: keys(self.is_directory, &change),
            absolute: absolute.into_iter().map(|(path, answer)| (path, change(&answer))).collect(),
        }
    }
}

impl SourceLoader for Snapshot {
    fn read(&self, path: &Path) -> io::Result<String> {
        known(&self.files, path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        known(&self.directories, dir)
    }

    fn exists(&self, path: &Path) -> bool {
        self.existing.get(path).copied().unwrap_or(false)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.is_directory.get(path).copied().unwrap_or(false)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.absolute.get(path).cloned().unwrap_or_else(|| path.to_path_buf())
    }
}

/// Passes requests on to another loader and records the answers.
pub struct SnapshotLoader<'a> {
    inner: &'a dyn SourceLoader,
    answers: RefCell<Snapshot>,
}

impl<'a> SnapshotLoader<'a> {
    /// Has no answers yet.
    pub fn new(inner: &'a dyn SourceLoader) -> SnapshotLoader<'a> {
        SnapshotLoader { inner, answers: RefCell::default() }
    }

    /// The recorded answers.
    pub fn into_snapshot(self) -> Snapshot {
        self.answers.into_inner()
    }
}

impl SourceLoader for SnapshotLoader<'_> {
    fn read(&self, path: &Path) -> io::Result<String> {
        let answer = self.inner.read(path);
        let kept = answer.as_ref().map(String::clone).map_err(LoadError::from);
        self.answers.borrow_mut().files.insert(path.to_path_buf(), kept);
        answer
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let answer = self.inner.list(dir);
        let kept = answer.as_ref().map(Vec::clone).map_err(LoadError::from);
        self.answers.borrow_mut().directories.insert(dir.to_path_buf(), kept);
        answer
    }

    fn exists(&self, path: &Path) -> bool {
        let answer = self.inner.exists(path);
        self.answers.borrow_mut().existing.insert(path.to_path_buf(), answer);
        answer
    }

    fn is_dir(&self, path: &Path) -> bool {
        let answer = self.inner.is_dir(path);
        self.answers.borrow_mut().is_directory.insert(path.to_path_buf(), answer);
        answer
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        let answer = self.inner.absolute(path);
        self.answers.borrow_mut().absolute.insert(path.to_path_buf(), answer.clone());
        answer
    }
}

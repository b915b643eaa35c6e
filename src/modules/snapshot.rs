//! What a program was made from, kept so that it can be made again from the same.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::SourceLoader;

/// The answers of a loader. Gives the same ones again, whatever has become of the files.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    files: BTreeMap<PathBuf, Result<String, io::ErrorKind>>,
    directories: BTreeMap<PathBuf, Result<Vec<String>, io::ErrorKind>>,
    existing: BTreeMap<PathBuf, bool>,
    is_directory: BTreeMap<PathBuf, bool>,
    absolute: BTreeMap<PathBuf, PathBuf>,
}

fn known<T: Clone>(answers: &BTreeMap<PathBuf, Result<T, io::ErrorKind>>, path: &Path) -> io::Result<T> {
    match answers.get(path) {
        Some(answer) => answer.clone().map_err(io::Error::from),
        None => Err(io::ErrorKind::NotFound.into()),
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

/// Passes everything on to another loader and keeps its answers.
pub struct SnapshotLoader<'a> {
    inner: &'a dyn SourceLoader,
    answers: RefCell<Snapshot>,
}

impl<'a> SnapshotLoader<'a> {
    /// A loader that has not answered anything yet.
    pub fn new(inner: &'a dyn SourceLoader) -> SnapshotLoader<'a> {
        SnapshotLoader { inner, answers: RefCell::default() }
    }

    /// What it has answered.
    pub fn into_snapshot(self) -> Snapshot {
        self.answers.into_inner()
    }
}

impl SourceLoader for SnapshotLoader<'_> {
    fn read(&self, path: &Path) -> io::Result<String> {
        let answer = self.inner.read(path);
        let kept = answer.as_ref().map(String::clone).map_err(io::Error::kind);
        self.answers.borrow_mut().files.insert(path.to_path_buf(), kept);
        answer
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let answer = self.inner.list(dir);
        let kept = answer.as_ref().map(Vec::clone).map_err(io::Error::kind);
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

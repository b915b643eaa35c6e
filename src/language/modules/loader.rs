//! Source loaders: where the texts of programs come from.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use ez_runtime::host::{Reach, Root, outside_of};
use ez_runtime::platform::{Held, open_to_read, regular};

use super::paths::normalize;

/// Reads the files of a program.
pub trait SourceLoader {
    /// The text of a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8 ([`io::ErrorKind::InvalidData`]).
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The text of a file of data, which may be larger than a source file.
    ///
    /// # Errors
    /// As for [`SourceLoader::read`].
    fn read_data(&self, path: &Path) -> io::Result<String> {
        self.read(path)
    }

    /// Finds a file that is read otherwise, and keeps it: what is found is what is read. `None`: it is read by its path.
    ///
    /// # Errors
    /// When it is not there, or must not be read.
    fn hold(&self, _: &Path) -> io::Result<Option<Held>> {
        Ok(None)
    }

    /// Names of what is directly in a directory, in ascending order.
    ///
    /// # Errors
    /// When it cannot be read.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// Whether there is a file or directory.
    fn exists(&self, path: &Path) -> bool;

    /// Whether there is a directory.
    fn is_dir(&self, path: &Path) -> bool;

    /// The absolute path, `.` and `..` resolved by name only.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// What tells whether two absolute paths are of one file ([`ez_runtime::source::SourceFile::real`]).
    fn real(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

/// Bytes as text.
///
/// # Errors
/// If they are not UTF-8; names the first wrong byte and its line.
pub fn text_from(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| not_text(&error))
}

/// The error for a file that is not UTF-8, with the place of the first wrong byte.
fn not_text(error: &FromUtf8Error) -> io::Error {
    let start = error.utf8_error().valid_up_to();
    let line = error.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1;
    let byte = error.as_bytes().get(start).copied().unwrap_or_default();
    let text = format!("not UTF-8 text (byte 0x{byte:02x} in line {line}); save it as UTF-8");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Maximum size of a source file in bytes: a file without an end is not read for ever.
const MAX_SIZE: u64 = 64 << 20;

/// Maximum size of a file of data in bytes.
const MAX_DATA_SIZE: u64 = 1 << 30;

/// The text of a file that has at most this many bytes.
fn read_up_to(path: &Path, most: u64) -> io::Result<String> {
    let file = open_to_read(path)?;
    // Some files have another size than they say.
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= most {
        bytes.try_reserve_exact(size as usize + 1)?;
        file.take(most + 1).read_to_end(&mut bytes)?;
    }
    if size.max(bytes.len() as u64) > most {
        let text = format!("the file is larger than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    text_from(bytes)
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl SourceLoader for DiskLoader {
    fn read(&self, path: &Path) -> io::Result<String> {
        read_up_to(path, MAX_SIZE)
    }

    fn read_data(&self, path: &Path) -> io::Result<String> {
        read_up_to(path, MAX_DATA_SIZE)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(dir)? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        normalize(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
    }
}

/// The file system, as far as it is inside of a folder, if there is one. Only regular files are read, so that loading
/// a program does not wait for anything.
#[derive(Clone, Debug, Default)]
pub struct ConfinedLoader {
    /// The folder; `None`: no restriction.
    pub root: Option<Root>,
}

impl ConfinedLoader {
    fn admits(&self, path: &Path) -> bool {
        self.root.as_ref().is_none_or(|root| root.contains(path))
    }

    /// Reads what is at `path`, if it is inside.
    fn beneath<T>(&self, path: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        match self.hold(path)? {
            Some(held) => read(&held.path),
            None => read(path),
        }
    }
}

impl SourceLoader for ConfinedLoader {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.beneath(path, |path| read_up_to(regular(path)?, MAX_SIZE))
    }

    fn read_data(&self, path: &Path) -> io::Result<String> {
        self.beneath(path, |path| read_up_to(regular(path)?, MAX_DATA_SIZE))
    }

    fn hold(&self, path: &Path) -> io::Result<Option<Held>> {
        let Some(root) = &self.root else { return Ok(None) };
        match root.hold(path, Reach::Target)? {
            Some(held) if held.is_new => Err(io::ErrorKind::NotFound.into()),
            Some(held) => Ok(Some(held)),
            None => Err(io::Error::new(io::ErrorKind::PermissionDenied, outside_of(root))),
        }
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.beneath(dir, |dir| DiskLoader.list(dir))
    }

    fn exists(&self, path: &Path) -> bool {
        // Whether there is something outside is not revealed; reading it is refused.
        !self.admits(path) || DiskLoader.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.admits(path) && DiskLoader.is_dir(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        DiskLoader.absolute(path)
    }
}

/// A loader that provides texts as if they were in files.
pub struct TextLoader<'a> {
    inner: &'a dyn SourceLoader,
    texts: HashMap<&'a Path, &'a str>,
}

impl<'a> TextLoader<'a> {
    /// A loader of this text under this absolute path; all else comes from `inner`.
    pub fn new(inner: &'a dyn SourceLoader, path: &'a Path, text: &'a str) -> TextLoader<'a> {
        TextLoader::of(inner, [(path, text)])
    }

    /// A loader of these texts under these absolute paths; all else comes from `inner`.
    pub fn of(
        inner: &'a dyn SourceLoader,
        texts: impl IntoIterator<Item = (&'a Path, &'a str)>,
    ) -> TextLoader<'a> {
        TextLoader { inner, texts: texts.into_iter().collect() }
    }
}

impl SourceLoader for TextLoader<'_> {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.texts.get(path).map_or_else(|| self.inner.read(path), |text| Ok(text.to_string()))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.inner.list(dir)
    }

    fn exists(&self, path: &Path) -> bool {
        self.texts.contains_key(path) || self.inner.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.texts.contains_key(path) && self.inner.is_dir(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.inner.absolute(path)
    }

    fn real(&self, path: &Path) -> PathBuf {
        self.inner.real(path)
    }
}

/// Texts kept in memory, under absolute paths; for tests and embedding.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<PathBuf, String>,
}

impl MemoryLoader {
    /// A loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file; a relative path is below the root.
    pub fn add(&mut self, path: impl AsRef<Path>, text: impl Into<String>) {
        self.files.insert(self.absolute(path.as_ref()), text.into());
    }
}

impl SourceLoader for MemoryLoader {
    fn read(&self, path: &Path) -> io::Result<String> {
        let found = self.files.get(&self.absolute(path));
        found.cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let dir = self.absolute(dir);
        let mut names: Vec<String> = Vec::new();
        for path in self.files.keys() {
            let Some(first) = path.strip_prefix(&dir).ok().and_then(|rest| rest.components().next()) else {
                continue;
            };
            let name = first.as_os_str().to_string_lossy().into_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> bool {
        let path = self.absolute(path);
        self.files.keys().any(|file| file.starts_with(&path))
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.exists(path) && !self.files.contains_key(&self.absolute(path))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        normalize(&Path::new("/").join(path))
    }
}

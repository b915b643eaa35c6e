//! Files and directories in memory. There are no links, and one device, the null device; whoever runs the program may do
//! everything.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::clock;
use crate::host::errors::{already_exists, is_a_directory, not_a_directory};
use crate::sync::Mutex;
use crate::value::{FileKind, FileStatus};

const NULL_DEVICE: &str = "/dev/null";

/// Permissions of directories that were not made by the program.
const DIRECTORY_MODE: u32 = 0o755;

/// What a new file or directory does not get, as with a usual umask.
const UMASK: u32 = 0o022;

/// The contents of a file, which stay while it is open.
#[derive(Debug, Default)]
pub struct Content {
    pub data: Vec<u8>,
    /// Whether it is the null device, which keeps nothing.
    is_null: bool,
    /// Permission bits.
    mode: u32,
    /// Time since 1970-01-01 UTC.
    modified: Duration,
}

impl Content {
    fn new(data: Vec<u8>, mode: u32) -> Content {
        Content { data, is_null: false, mode, modified: now() }
    }

    /// Writes at a position, which may be behind the end.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn write(&mut self, at: usize, data: &[u8]) -> io::Result<()> {
        if self.is_null {
            return Ok(());
        }
        let end = at.checked_add(data.len()).ok_or_else(full)?;
        self.data.try_reserve(end.saturating_sub(self.data.len())).map_err(|_| full())?;
        if self.data.len() < end {
            self.data.resize(end, 0);
        }
        if let Some(place) = self.data.get_mut(at..end) {
            place.copy_from_slice(data);
        }
        self.touch();
        Ok(())
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.data = Vec::new();
        self.touch();
    }

    fn touch(&mut self) {
        self.modified = now();
    }
}

/// The error that there is no memory for a file.
fn full() -> io::Error {
    io::Error::new(ErrorKind::StorageFull, "no space left on device")
}

fn now() -> Duration {
    clock::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn not_found() -> io::Error {
    ErrorKind::NotFound.into()
}

/// A file that may be open.
pub type File = Arc<Mutex<Content>>;

#[derive(Clone, Debug)]
enum Node {
    File(File),
    Directory { mode: u32, modified: Duration },
}

/// What is at each path. Paths are absolute, with single slashes, none at the end, and without `.` and `..`; that of
/// the root is empty. Each directory on the way to a path is there.
#[derive(Debug)]
pub struct Tree(BTreeMap<String, Node>);

impl Default for Tree {
    fn default() -> Tree {
        let null = Content { is_null: true, ..Content::new(Vec::new(), 0o666) };
        let null = Node::File(Arc::new(Mutex::new(null)));
        let directory = || directory(DIRECTORY_MODE);
        Tree(BTreeMap::from([
            (String::new(), directory()),
            ("/dev".into(), directory()),
            (NULL_DEVICE.into(), null),
            ("/tmp".into(), directory()),
        ]))
    }
}

fn directory(mode: u32) -> Node {
    Node::Directory { mode, modified: now() }
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

impl Tree {
    fn node(&self, path: &str) -> io::Result<&Node> {
        if let Some(found) = self.0.get(path) {
            return Ok(found);
        }
        let mut above = path;
        while let Some(up) = parent(above) {
            match self.0.get(up) {
                Some(Node::File(_)) => return Err(not_a_directory()),
                Some(Node::Directory { .. }) => break,
                None => above = up,
            }
        }
        Err(not_found())
    }

    /// Adds something at a path where nothing is.
    fn add(&mut self, path: &str, node: Node) -> io::Result<()> {
        match self.node(parent(path).unwrap_or_default())? {
            Node::Directory { .. } => drop(self.0.insert(path.into(), node)),
            Node::File(_) => return Err(not_a_directory()),
        }
        Ok(())
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> io::Result<File> {
        match self.node(path)? {
            Node::File(file) => Ok(file.clone()),
            Node::Directory { .. } => Err(is_a_directory()),
        }
    }

    /// The file at a path, which is made if it does not exist; the flag says that it was.
    pub fn file_or_new(&mut self, path: &str, mode: u32) -> io::Result<(File, bool)> {
        match self.file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let file = Arc::new(Mutex::new(Content::new(Vec::new(), mode & !UMASK)));
                self.add(path, Node::File(file.clone()))?;
                Ok((file, true))
            }
            found => found.map(|file| (file, false)),
        }
    }

    /// Puts a new file at a path, in place of an old one.
    pub fn replace_file(&mut self, path: &str, data: Vec<u8>, mode: u32) -> io::Result<()> {
        match self.node(path) {
            Ok(Node::Directory { .. }) => return Err(is_a_directory()),
            Ok(Node::File(file)) if file.lock().is_null => return Ok(()),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(Node::File(_)) | Err(_) => {}
        }
        self.add(path, Node::File(Arc::new(Mutex::new(Content::new(data, mode)))))
    }

    /// Whether there is a directory.
    pub fn is_directory(&self, path: &str) -> bool {
        matches!(self.0.get(path), Some(Node::Directory { .. }))
    }

    /// The names in a directory, sorted.
    pub fn names(&self, path: &str) -> io::Result<Vec<String>> {
        match self.node(path)? {
            Node::Directory { .. } => {
                let inside = self.inside(path).filter_map(|(inner, _)| inner.get(path.len() + 1..));
                Ok(inside.filter(|name| !name.contains('/')).map(String::from).collect())
            }
            Node::File(_) => Err(not_a_directory()),
        }
    }

    /// Everything below a directory.
    fn inside(&self, path: &str) -> impl Iterator<Item = (&String, &Node)> {
        let start = format!("{path}/");
        self.0.range(start.clone()..).take_while(move |(inner, _)| inner.starts_with(&start))
    }

    pub fn make_directory(&mut self, path: &str, mode: u32) -> io::Result<()> {
        match self.node(path) {
            Ok(_) => Err(already_exists()),
            Err(error) if error.kind() == ErrorKind::NotFound => self.add(path, directory(mode & !UMASK)),
            Err(error) => Err(error),
        }
    }

    /// Makes a directory and those on the way to it that do not exist.
    pub fn make_directories(&mut self, path: &str, mode: u32) -> io::Result<()> {
        if self.is_directory(path) {
            return Ok(());
        }
        if let Some(parent) = parent(path) {
            self.make_directories(parent, mode)?;
        }
        self.make_directory(path, mode)
    }

    /// All files but the null device, with their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().filter_map(|(path, node)| match node {
            Node::File(file) if path != NULL_DEVICE => Some((path.as_str(), file)),
            Node::File(_) | Node::Directory { .. } => None,
        })
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) -> io::Result<()> {
        self.file(path)?;
        self.0.remove(path);
        Ok(())
    }

    /// Removes an empty directory.
    pub fn remove_directory(&mut self, path: &str) -> io::Result<()> {
        if !self.names(path)?.is_empty() {
            return Err(io::Error::new(ErrorKind::DirectoryNotEmpty, "directory not empty"));
        }
        if path.is_empty() {
            return Err(io::Error::new(ErrorKind::ResourceBusy, "device or resource busy"));
        }
        self.0.remove(path);
        Ok(())
    }

    /// Removes a file, or a directory with its contents. The root stays.
    pub fn remove_all(&mut self, path: &str) {
        let start = format!("{path}/");
        self.0.retain(|inner, _| inner.is_empty() || (inner != path && !inner.starts_with(&start)));
    }

    /// Renames a file or directory; never replaces a directory.
    pub fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        let source = self.node(from)?.clone();
        match (self.node(to), &source) {
            (Ok(Node::Directory { .. }), _) => return Err(already_exists()),
            (Ok(Node::File(_)), Node::Directory { .. }) => return Err(not_a_directory()),
            _ => {}
        }
        let start = format!("{from}/");
        if to.starts_with(&start) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "invalid argument"));
        }
        self.add(to, source)?;
        let moved: Vec<String> = self.inside(from).map(|(path, _)| path.clone()).collect();
        for path in moved {
            if let (Some(node), Some(rest)) = (self.0.remove(&path), path.get(from.len()..)) {
                self.0.insert(format!("{to}{rest}"), node);
            }
        }
        if from != to {
            self.0.remove(from);
        }
        Ok(())
    }

    pub fn status(&self, path: &str) -> io::Result<FileStatus> {
        Ok(match self.node(path)? {
            Node::File(file) => {
                let Content { data, is_null, mode, modified } = &*file.lock();
                let kind = if *is_null { FileKind::Other } else { FileKind::File };
                FileStatus { kind, size: data.len() as i64, modified: modified.as_secs() as i64, mode: *mode }
            }
            Node::Directory { mode, modified } => {
                let modified = modified.as_secs() as i64;
                FileStatus { kind: FileKind::Directory, size: 0, modified, mode: *mode }
            }
        })
    }
}

//! The breakpoints that a client has set: their numbers, and which places are the same.

use std::path::{Path, PathBuf};

use crate::debug::BreakpointSpec;

/// A client's view of the file system.
#[derive(Clone, Debug)]
pub(super) struct Base(PathBuf);

impl Base {
    /// Relative paths are relative to `directory`.
    pub fn new(directory: PathBuf) -> Base {
        Base(directory)
    }

    /// The path made absolute; links stay as they are.
    pub fn absolute(&self, file: &str) -> PathBuf {
        let path = self.0.join(file);
        std::path::absolute(&path).unwrap_or(path)
    }

    pub fn directory(&self) -> &Path {
        &self.0
    }
}

/// What stands for a file, however it is named: its path with links resolved, as far as it exists.
fn identity(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => identity(parent).join(name),
        _ => path.to_path_buf(),
    }
}

#[derive(Debug)]
struct Entry {
    id: u32,
    file: String,
    path: PathBuf,
    identity: PathBuf,
    line: u32,
    condition: Option<String>,
}

impl Entry {
    fn spec(&self) -> BreakpointSpec {
        BreakpointSpec {
            id: self.id,
            path: self.path.clone(),
            line: self.line,
            condition: self.condition.clone(),
        }
    }
}

/// What a breakpoint was before it was set (again).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Set(Option<String>),
}

/// All that are set.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    entries: Vec<Entry>,
    last: u32,
}

impl Breakpoints {
    /// Sets one. The same place has the same number; numbers are never used twice.
    pub fn set(
        &mut self,
        base: &Base,
        file: &str,
        line: u32,
        condition: Option<String>,
    ) -> (BreakpointSpec, Before) {
        let path = base.absolute(file);
        let identity = identity(&path);
        if let Some(entry) = self.entries.iter_mut().find(|e| e.line == line && e.identity == identity) {
            let before = std::mem::replace(&mut entry.condition, condition);
            return (entry.spec(), Before::Set(before));
        }
        self.last += 1;
        let entry = Entry { id: self.last, file: file.to_string(), path, identity, line, condition };
        let spec = entry.spec();
        self.entries.push(entry);
        (spec, Before::Nothing)
    }

    /// Removes the one at a place, if there is one; gives its number.
    pub fn clear(&mut self, base: &Base, file: &str, line: u32) -> Option<u32> {
        let identity = identity(&base.absolute(file));
        let index = self.entries.iter().position(|e| e.line == line && e.identity == identity)?;
        Some(self.entries.remove(index).id)
    }

    /// Makes one what it was before.
    pub fn restore(&mut self, id: u32, before: &Before) {
        match before {
            Before::Nothing => self.entries.retain(|e| e.id != id),
            Before::Set(condition) => {
                if let Some(entry) = self.entries.iter_mut().find(|e| e.id == id) {
                    entry.condition = condition.clone();
                }
            }
        }
    }

    /// Looks at all relative paths again, after the base has changed.
    pub fn rebase(&mut self, base: &Base) {
        for entry in &mut self.entries {
            entry.path = base.absolute(&entry.file);
            entry.identity = identity(&entry.path);
        }
    }

    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All, for the engine.
    pub fn specs(&self) -> Vec<BreakpointSpec> {
        self.entries.iter().map(Entry::spec).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers() {
        let directory = std::env::temp_dir().join(format!("ez-breakpoints-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("a.ez"), "").unwrap();
        let link = directory.join("link.ez");
        let _ = std::os::unix::fs::symlink(directory.join("a.ez"), &link);
        let base = Base::new(directory.clone());
        let mut set = Breakpoints::default();
        let id = |(spec, _): (BreakpointSpec, Before)| spec.id;
        assert_eq!(id(set.set(&base, "a.ez", 3, None)), 1);
        assert_eq!(id(set.set(&base, "./a.ez", 3, None)), 1);
        assert_eq!(id(set.set(&base, link.to_str().unwrap(), 3, None)), 1);
        assert_eq!(id(set.set(&base, "a.ez", 4, None)), 2);
        assert_eq!(id(set.set(&base, "missing/../b.ez", 4, None)), 3);
        assert_eq!(set.clear(&base, "link.ez", 3), Some(1));
        assert_eq!(set.clear(&base, "a.ez", 3), None);
        assert_eq!(id(set.set(&base, "a.ez", 3, None)), 4);
        let (spec, before) = set.set(&base, "a.ez", 3, Some("x".into()));
        assert_eq!((spec.id, before.clone()), (4, Before::Set(None)));
        set.restore(4, &before);
        assert_eq!(set.specs().last().unwrap().condition, None);
        std::fs::remove_dir_all(directory).unwrap();
    }
}

//! Numbers for frames and for what has variables. They are good until the program goes on, and are never
//! used again.

use std::path::{Path, PathBuf};

use foldhash::HashMap;

use crate::api::{Handle, Scope};

/// What has variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A scope of the frame with this index.
    Scope(usize, Scope),
    /// What the function gave that has just returned.
    Returned,
    /// A value: its parts are counted (elements, or a great many entries) or named.
    Parts {
        /// By which the engine knows it.
        handle: Handle,
        /// Whether clients ask for the parts by their position.
        counted: bool,
    },
}

/// The numbers that are good now.
#[derive(Debug, Default)]
pub struct References {
    last: u32,
    targets: HashMap<u32, Target>,
    /// Number and file of each frame that was told, and the other way round.
    ids: HashMap<usize, (u32, PathBuf)>,
    frames: HashMap<u32, usize>,
}

impl References {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// The number for something that has variables.
    pub fn add(&mut self, target: Target) -> u32 {
        let number = self.next();
        self.targets.insert(number, target);
        number
    }

    /// What a number stands for.
    ///
    /// # Errors
    /// That it stands for nothing, or nothing any more.
    pub fn target(&self, number: u32) -> Result<Target, String> {
        let stale = || stale("variablesReference", number, number <= self.last);
        self.targets.get(&number).copied().ok_or_else(stale)
    }

    /// The number of the frame with this index, which stands in this file.
    pub fn frame_id(&mut self, index: usize, path: &Path) -> u32 {
        if let Some((id, _)) = self.ids.get(&index) {
            return *id;
        }
        let id = self.next();
        self.ids.insert(index, (id, path.to_path_buf()));
        self.frames.insert(id, index);
        id
    }

    /// The file in which the frame with this index stands, if it was told.
    pub fn path(&self, index: usize) -> Option<PathBuf> {
        self.ids.get(&index).map(|(_, path)| path.clone())
    }

    /// The index of the frame with this number.
    ///
    /// # Errors
    /// That there is none, or none any more.
    pub fn frame(&self, id: u32) -> Result<usize, String> {
        self.frames.get(&id).copied().ok_or_else(|| stale("frameId", id, id <= self.last))
    }

    /// The program goes on: none of the numbers is good any more.
    pub fn clear(&mut self) {
        *self = References { last: self.last, ..References::default() };
    }
}

fn stale(what: &str, number: u32, was: bool) -> String {
    if was {
        format!("{what} {number} is not valid any more: the program has gone on since")
    } else {
        format!("there is no {what} {number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_never_used_again() {
        let mut references = References::default();
        let frame = references.frame_id(3, Path::new("/a.ez"));
        assert_eq!(references.frame_id(3, Path::new("/a.ez")), frame);
        assert_eq!(references.path(3).as_deref(), Some(Path::new("/a.ez")));
        let scope = references.add(Target::Scope(3, Scope::Local));
        assert_eq!(references.target(scope), Ok(Target::Scope(3, Scope::Local)));
        assert_eq!(references.frame(frame), Ok(3));
        assert!(references.target(frame).is_err() && references.frame(scope).is_err());
        references.clear();
        assert!(references.target(scope).unwrap_err().contains("not valid any more"));
        assert!(references.frame(frame).unwrap_err().contains("not valid any more"));
        assert!(references.target(99).unwrap_err().contains("there is no"));
        assert!(references.frame_id(3, Path::new("/a.ez")) > scope);
    }
}

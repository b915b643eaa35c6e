//! Numbers that the client uses for frames and for what has variables. They are valid until the program
//! resumes, and are never reused.

use std::path::{Path, PathBuf};

use foldhash::HashMap;

use ez_engine::api::{Handle, Scope};

/// Something that has variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A scope of the frame with this index.
    Scope(usize, Scope),
    /// The result of the function that has just returned.
    Returned,
    /// The parts of a value.
    Parts {
        /// Its handle in the API.
        handle: Handle,
        /// Whether clients ask for parts by index (arrays, and maps with many entries), or for all of them.
        counted: bool,
        /// Whether it is an array, whose parts are named by their places.
        is_array: bool,
    },
}

/// The numbers that are valid at present.
#[derive(Debug, Default)]
pub struct References {
    last: u32,
    targets: HashMap<u32, Target>,
    numbers: HashMap<Target, u32>,
    /// By frame index: the frame's number and its file.
    ids: HashMap<usize, (u32, PathBuf)>,
    frames: HashMap<u32, usize>,
}

impl References {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// The number of what has variables; the same until the program resumes.
    pub fn number(&mut self, target: Target) -> u32 {
        if let Some(number) = self.numbers.get(&target) {
            return *number;
        }
        let number = self.next();
        self.targets.insert(number, target);
        self.numbers.insert(target, number);
        number
    }

    /// What a `variablesReference` stands for.
    ///
    /// # Errors
    /// What the number is instead.
    pub fn target(&self, number: u32) -> Result<Target, String> {
        self.targets.get(&number).copied().ok_or_else(|| self.wrong(number, "variablesReference"))
    }

    /// The number of the frame with this index, whose function is in the file `path`.
    pub fn frame_id(&mut self, index: usize, path: &Path) -> u32 {
        if let Some((id, _)) = self.ids.get(&index) {
            return *id;
        }
        let id = self.next();
        self.ids.insert(index, (id, path.to_path_buf()));
        self.frames.insert(id, index);
        id
    }

    /// The file of the frame with this index, if it has a number.
    pub fn path(&self, index: usize) -> Option<PathBuf> {
        self.ids.get(&index).map(|(_, path)| path.clone())
    }

    /// The index of the frame with this number.
    ///
    /// # Errors
    /// What the number is instead.
    pub fn frame(&self, id: u32) -> Result<usize, String> {
        self.frames.get(&id).copied().ok_or_else(|| self.wrong(id, "frameId"))
    }

    /// Why a number is none of a `wanted`. Of those from before the program has continued, it is not known what they were.
    fn wrong(&self, number: u32, wanted: &str) -> String {
        if self.frames.contains_key(&number) {
            format!("{number} is a frameId, no {wanted}")
        } else if self.targets.contains_key(&number) {
            format!("{number} is a variablesReference, no {wanted}")
        } else if (1..=self.last).contains(&number) {
            format!(
                "{wanted}: the number {number} is no longer valid, the program has continued since it was given"
            )
        } else {
            format!("{wanted}: the number {number} was never given")
        }
    }

    /// The program resumes: all numbers become invalid.
    pub fn clear(&mut self) {
        *self = References { last: self.last, ..References::default() };
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
        let scope = references.number(Target::Scope(3, Scope::Local));
        assert_eq!(references.number(Target::Scope(3, Scope::Local)), scope);
        assert_eq!(references.target(scope), Ok(Target::Scope(3, Scope::Local)));
        assert_eq!(references.frame(frame), Ok(3));
        let never = |why: Result<_, String>| assert!(why.unwrap_err().contains("was never given"));
        assert_eq!(references.target(frame).unwrap_err(), "1 is a frameId, no variablesReference");
        assert_eq!(references.frame(scope).unwrap_err(), "2 is a variablesReference, no frameId");
        for number in [0, 3, 99] {
            never(references.target(number).map(drop));
            never(references.frame(number).map(drop));
        }
        references.clear();
        // What it was is not kept.
        for number in [frame, scope] {
            assert!(references.target(number).unwrap_err().contains("no longer valid"));
            assert!(references.frame(number).unwrap_err().contains("no longer valid"));
        }
        never(references.target(3).map(drop));
        assert!(references.frame_id(3, Path::new("/a.ez")) > scope);
    }
}

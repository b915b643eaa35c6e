//! A folder to which access to files is confined.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::platform::{self, Held};

/// How often a path is resolved again when links change meanwhile.
const MAX_TRIES: usize = 100;

/// How many symbolic links to files that do not exist are followed, one after the other.
const MAX_LINKS: usize = 40;

/// Maximum length of a path in bytes; no system has longer ones. Looking for the part of it that exists takes long.
const MAX_PATH: usize = 1 << 15;

/// A folder. Paths are compared with it after their symbolic links and `..` are resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// The folder at `path`, which must exist.
    ///
    /// # Errors
    /// If there is no folder, or it cannot be accessed.
    pub fn new(path: &Path) -> io::Result<Root> {
        let path = dunce::canonicalize(path)?;
        if path.is_dir() { Ok(Root(path)) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    /// The folder, with its symbolic links resolved.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether what is found, or would be created, at an absolute path is inside of the folder, or the folder
    /// itself.
    pub fn contains(&self, path: &Path) -> bool {
        resolved(path).is_some_and(|path| path.starts_with(&self.0))
    }

    /// Looks up an absolute path, so that what is found, or the place for what is to be created, is inside of the folder
    /// and stays what it is, whatever other processes do to the links on the way. `None` if it is outside.
    ///
    /// # Errors
    /// If a directory on the way is missing or cannot be searched, or if the links on the way change all the time.
    pub fn hold(&self, path: &Path, reach: Reach) -> io::Result<Option<Held>> {
        for _ in 0..MAX_TRIES {
            let found = match reach {
                Reach::Target => resolved(path),
                Reach::Entry => match (path.parent(), path.file_name()) {
                    // `folder/..` names no entry that could be removed or renamed.
                    (Some(parent), Some(name)) => resolved(parent).map(|parent| parent.join(name)),
                    _ => None,
                },
            };
            let Some(found) = found else { return Ok(None) };
            let Ok(names) = found.strip_prefix(&self.0) else { return Ok(None) };
            let entry = matches!(reach, Reach::Entry);
            if entry && names.as_os_str().is_empty() {
                return Ok(None);
            }
            if let Some(mut held) = platform::hold(&self.0, names, entry)? {
                if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                    // Only a directory may be meant.
                    held.path.push("");
                }
                return Ok(Some(held));
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }

    /// Whether the entry in a directory that an absolute path names is inside of the folder, although it may
    /// be a link to something else. The folder's own entry is not.
    pub fn contains_entry(&self, path: &Path) -> bool {
        // `folder/.` and `folder/..` name no entry that could be removed or renamed.
        let (Some(parent), Some(_)) = (path.parent(), path.file_name()) else { return false };
        self.contains(parent)
    }
}

/// Why a program may not access files outside of a folder.
pub fn outside_of(root: &Root) -> String {
    format!("the program is denied files outside of {}", platform::slashed(root.path()))
}

/// What a path reaches, if it ends with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// What the link refers to.
    Target,
    /// The link itself, an entry in a directory.
    Entry,
}

/// What an absolute path refers to, without links and `..`; `None` if that cannot be found out. What does not
/// exist is resolved as far as it would be when it is created.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_path_buf();
    if !path.is_absolute() || path.as_os_str().len() > MAX_PATH {
        return None;
    }
    // The names at the end of the path that do not exist, the last one first.
    let mut missing: Vec<OsString> = Vec::new();
    let mut links = 0;
    loop {
        match dunce::canonicalize(&path) {
            Ok(mut found) => {
                found.extend(missing.iter().rev());
                return Some(found);
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(_) => return None,
        }
        if let Ok(target) = std::fs::read_link(&path) {
            // A link to something that does not exist: creating the file would create that.
            links += 1;
            if links > MAX_LINKS {
                return None;
            }
            path = path.parent()?.join(target);
            continue;
        }
        // `..` below something that does not exist names nothing.
        missing.push(path.file_name()?.to_os_string());
        path = path.parent()?.to_path_buf();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // invariant 29
    #[test]
    fn names_inside_and_outside() {
        let outer = tempfile::tempdir().expect("a directory");
        let folder = outer.path().join("root");
        std::fs::create_dir_all(folder.join("a/b")).expect("directories");
        std::fs::write(folder.join("a/file"), "").expect("a file");
        std::fs::write(outer.path().join("secret"), "").expect("a file");
        let root = Root::new(&folder).expect("a root");
        for inside in ["", ".", "a", "a/file", "a/b/../file", "new", "a/new/newer", "../root/a", "a/file/x"] {
            assert!(root.contains(&folder.join(inside)), "{inside}");
        }
        for outside in
            ["..", "../secret", "a/../../secret", "../new", "../root2", "new/../../x", "a/b/../../.."]
        {
            assert!(!root.contains(&folder.join(outside)), "{outside}");
        }
        assert!(!root.contains(Path::new("a")), "relative to what?");
        assert!(!root.contains(&folder.join("a/".repeat(100_000))));
        assert!(root.contains_entry(&folder.join("a")) && root.contains_entry(&folder.join("a/../new")));
        assert!(!root.contains_entry(&folder) && !root.contains_entry(&folder.join("a/..")));
        assert!(Root::new(&folder.join("a/file")).is_err() && Root::new(&folder.join("none")).is_err());
    }

    // invariant 29
    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;
        let outer = tempfile::tempdir().expect("a directory");
        let folder = outer.path().join("root");
        std::fs::create_dir_all(folder.join("a/b")).expect("directories");
        std::fs::create_dir_all(outer.path().join("other")).expect("a directory");
        let links = [
            ("../other", "out", false),
            ("a/b", "in", true),
            ("../new", "dangling", false),
            ("a/new", "later", true),
            ("dangling", "twice", false),
            ("loop", "loop", false),
            ("/", "top", false),
        ];
        for (target, name, _) in links {
            symlink(target, folder.join(name)).expect("a link");
        }
        let root = Root::new(&folder).expect("a root");
        for (_, name, inside) in links {
            assert_eq!(root.contains(&folder.join(name)), inside, "{name}");
            assert_eq!(root.contains(&folder.join(name).join("x/y")), inside, "{name}/x/y");
            assert!(root.contains_entry(&folder.join(name)), "{name}");
        }
        // The directory above the target of a link is not that above the link.
        assert!(!root.contains(&folder.join("out/../root2")) && root.contains(&folder.join("in/../../a")));
        assert!(!root.contains_entry(&folder.join("out/x")));
        // The root may be named by a link.
        symlink(&folder, outer.path().join("alias")).expect("a link");
        let alias = Root::new(&outer.path().join("alias")).expect("a root");
        assert_eq!(alias, root);
        assert!(root.contains(&outer.path().join("alias/a")));
    }
}

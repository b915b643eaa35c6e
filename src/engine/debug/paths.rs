//! Paths of files as clients name them.

use std::path::{Component, Path, PathBuf};

use ez_runtime::platform::path_of;

/// The absolute form of a path; `directory` is the base of relative ones. Symbolic links are not resolved.
pub(crate) fn absolute(directory: &Path, file: &str) -> PathBuf {
    let path = directory.join(path_of(file));
    // Without a system, by name.
    std::path::absolute(&path).unwrap_or_else(|_| path.components().collect())
}

/// The canonical form of a path, equal for all names of a file: symbolic links are resolved as far as the
/// path exists, and `.` and `..` are removed from the rest.
pub(crate) fn identity(path: &Path) -> PathBuf {
    if let Ok(found) = dunce::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => identity(parent).join(name),
        (Some(parent), Some(Component::ParentDir)) => {
            let mut parent = identity(parent);
            parent.pop();
            parent
        }
        (Some(parent), Some(Component::CurDir)) => identity(parent),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    // invariant 19
    #[test]
    #[cfg(unix)] // Links take a privilege elsewhere.
    fn names_of_one_file_are_one() {
        use crate::debug::paths::{absolute, identity};

        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        std::fs::write(base.join("a.ez"), "").unwrap();
        std::os::unix::fs::symlink(base.join("a.ez"), base.join("link.ez")).unwrap();
        for name in ["a.ez", "./a.ez", "link.ez", "missing/../a.ez", "missing/./x/../../a.ez"] {
            assert_eq!(identity(&absolute(&base, name)), base.join("a.ez"), "{name}");
        }
        assert_eq!(identity(&absolute(&base, "no/../b.ez")), base.join("b.ez"));
    }
}

//! Lexical operations on paths: symbolic links are never followed.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..` parts (leading `..` of relative paths stay).
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    out
}

/// `to` as seen from the directory `from`; both absolute and normal.
pub fn relative(from: &Path, to: &Path) -> PathBuf {
    let from: Vec<Component> = from.components().collect();
    let to: Vec<Component> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut out = PathBuf::new();
    for _ in common..from.len() {
        out.push("..");
    }
    for part in to.iter().skip(common) {
        out.push(part);
    }
    out
}

/// The parent of the first `internal` directory in a path; only files in it and below may import the
/// path.
pub fn internal_owner(path: &Path) -> Option<PathBuf> {
    let mut owner = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == "internal" {
            return Some(owner);
        }
        owner.push(part);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_by_name() {
        assert_eq!(normalize(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert_eq!(normalize(Path::new("../a")), Path::new("../a"));
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/c/d.ez")), Path::new("../c/d.ez"));
        assert_eq!(internal_owner(Path::new("/a/internal/x/internal")), Some(PathBuf::from("/a")));
        assert_eq!(internal_owner(Path::new("/a/b")), None);
    }
}

//! Directories that programs and their commands work in.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf, Prefix};

use super::system;

/// The longest path of a directory that a process can be started in: with a separator and a zero behind it,
/// it takes 260 units.
const LONGEST: usize = 258;

/// Links are not resolved: behind a drive letter may be a directory of another computer, which has no drive
/// letter itself.
pub fn working_directory(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    if fs::metadata(&path)?.is_dir() { Ok(path) } else { Err(ErrorKind::NotADirectory.into()) }
}

/// The shell would go elsewhere, and only write that, where it cannot work.
pub fn shell_directory(path: &Path) -> io::Result<PathBuf> {
    let drive = match path.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => Some(char::from(letter)),
            _ => None,
        },
        _ => None,
    };
    let Some(drive) = drive else {
        return Err(io::Error::other("the shell works in no directory without a drive letter"));
    };
    if !is_too_long(path) {
        let plain = path.components().skip(1);
        return Ok(Path::new(&format!("{drive}:")).components().chain(plain).collect());
    }
    let short = system::short_path(path).unwrap_or_else(|_| path.into());
    if is_too_long(&short) {
        Err(io::Error::other("the path of the working directory is too long for the shell"))
    } else {
        Ok(short)
    }
}

fn is_too_long(path: &Path) -> bool {
    path.as_os_str().encode_wide().count() > LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_shell_can_work() {
        let works = |path: &str| shell_directory(Path::new(path)).map_err(|error| error.to_string());
        assert_eq!(works(r"C:\a b\c"), Ok(r"C:\a b\c".into()));
        assert_eq!(works(r"\\?\C:\a"), Ok(r"C:\a".into()));
        assert_eq!(works(r"C:\"), Ok(r"C:\".into()));
        for path in [r"\\server\share\a", r"\\?\UNC\server\share\a", r"\\.\pipe"] {
            assert!(works(path).is_err_and(|error| error.contains("drive letter")), "{path}");
        }
        let missing = format!(r"C:\{}", r"missing\".repeat(40));
        assert!(works(&missing).is_err_and(|error| error.contains("too long")));
    }

    #[test]
    fn directories_are_absolute() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(working_directory(directory.path()).expect("is there"), directory.path());
        let file = directory.path().join("file");
        fs::write(&file, "").expect("writes");
        let kind = |path: &Path| working_directory(path).map_err(|error| error.kind());
        assert_eq!(kind(&file), Err(ErrorKind::NotADirectory));
        assert_eq!(kind(&directory.path().join("missing")), Err(ErrorKind::NotFound));
    }
}

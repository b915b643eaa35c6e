//! Files beneath a folder, held by handles, so that links made meanwhile cannot lead out of it.

use std::io;
use std::path::{Path, PathBuf};

use crate::platform::Held;

/// The handle that keeps a file or directory.
#[cfg(target_os = "linux")]
pub type Handle = std::os::fd::OwnedFd;
#[cfg(not(target_os = "linux"))]
pub type Handle = ();

#[cfg(target_os = "linux")]
pub fn hold(folder: &Path, names: &Path, entry: bool) -> io::Result<Option<Held>> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, open, openat, statat};
    use rustix::io::Errno;

    let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut within = open(folder, directory, Mode::empty())?;
    let mut names = names.iter().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            within = match openat(&within, name, directory | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOTDIR | Errno::LOOP) => {
                    let found = statat(&within, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    let is_link = FileType::from_raw_mode(found.st_mode) == FileType::Symlink;
                    return if is_link { Ok(None) } else { Err(Errno::NOTDIR.into()) };
                }
                Err(error) => return Err(error.into()),
            };
            continue;
        }
        if entry {
            return Ok(Some(Held::at(path_of(&within).join(name), within)));
        }
        return match openat(&within, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) if FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::Symlink => Ok(None),
            Ok(file) => Ok(Some(Held { is_itself: true, ..Held::at(path_of(&file), file) })),
            Err(Errno::NOENT) => {
                Ok(Some(Held { is_new: true, ..Held::at(path_of(&within).join(name), within) }))
            }
            Err(error) => Err(error.into()),
        };
    }
    Ok(Some(Held { is_itself: true, ..Held::at(path_of(&within), within) }))
}

/// A path that means what the handle refers to, as long as it is open.
#[cfg(target_os = "linux")]
fn path_of(handle: &Handle) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

/// Other systems have no paths for handles: the names are only known to have had no links.
#[cfg(not(target_os = "linux"))]
pub fn hold(folder: &Path, names: &Path, _entry: bool) -> io::Result<Option<Held>> {
    let path: PathBuf = folder.join(names);
    let is_new = std::fs::symlink_metadata(&path).is_err();
    Ok(Some(Held { is_new, ..Held::at(path, ()) }))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_never_followed() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("inside")).expect("a directory");
        std::fs::write(at("inside/file"), "text").expect("a file");
        symlink("inside", at("link")).expect("a link");
        symlink("file", at("inside/alias")).expect("a link");
        let held = |names: &str, entry: bool| hold(folder.path(), Path::new(names), entry);
        let file = held("inside/file", false).expect("found").expect("no link");
        std::fs::rename(at("inside/file"), at("moved")).expect("renamed");
        assert_eq!(std::fs::read_to_string(&file.path).expect("still there"), "text");
        assert!(held("link/file", false).expect("looked at").is_none());
        assert!(held("inside/alias", false).expect("looked at").is_none());
        let alias = held("inside/alias", true).expect("found").expect("an entry");
        assert!(std::fs::symlink_metadata(&alias.path).expect("the link itself").is_symlink());
        assert!(held("inside/new", false).expect("found").is_some_and(|new| new.is_new));
        assert!(held("none/new", false).is_err() && held("moved/x", false).is_err());
    }
}

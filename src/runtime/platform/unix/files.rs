//! Files, their permissions, and flags for opening them.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::platform::OpenFlags;

/// Permissions to read, write and execute for owner, group and others.
const PERMISSIONS: u32 = 0o777;

/// Device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    let data = fs::metadata(path)?;
    Ok(FileIdentity(data.dev(), data.ino()))
}

pub fn permissions(data: &Metadata) -> u32 {
    data.mode() & 0o7777
}

pub fn is_own(data: &Metadata) -> bool {
    data.uid() == nix::unistd::geteuid().as_raw()
}

pub fn names_of(path: &Path) -> io::Result<u64> {
    Ok(fs::metadata(path)?.nlink())
}

pub fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(target_os = "linux")]
pub fn keep_attributes(new: &File, old: &Path) -> io::Result<()> {
    use std::ffi::CStr;

    use rustix::fs::{XattrFlags, fsetxattr, getxattr, getxattr_query, listxattr, listxattr_query};
    use rustix::io::Errno;

    let length = match listxattr_query(old) {
        Err(Errno::NOTSUP) => return Ok(()),
        length => length?,
    };
    let mut names = vec![0; length];
    let length = listxattr(old, names.as_mut_slice())?;
    names.truncate(length);
    for name in names.split_inclusive(|byte| *byte == 0) {
        let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
        // What the user sets; the rest comes from the system.
        if name != c"system.posix_acl_access" && !name.to_bytes().starts_with(b"user.") {
            continue;
        }
        let mut value = vec![0; getxattr_query(old, name)?];
        let length = getxattr(old, name, value.as_mut_slice())?;
        value.truncate(length);
        fsetxattr(new, name, &value, XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

pub fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    let data = new.metadata()?;
    if (data.uid(), data.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid()))?;
    // The system has taken some permissions away with that.
    new.set_permissions(data.permissions())
}

pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode & PERMISSIONS))
}

pub fn open_with_mode(options: &mut OpenOptions, mode: u32, path: &Path) -> io::Result<File> {
    options.mode(mode & PERMISSIONS).open(path)
}

pub fn open_as_only_writer(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.open(path)?;
    if file.metadata()?.is_file() && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    Ok(file)
}

pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

pub fn open(path: &Path, flags: OpenFlags, mode: u32) -> io::Result<File> {
    let OpenFlags { read, write, append, create, truncate, exclusive, no_link } = flags;
    let bits = [
        (create, libc::O_CREAT),
        (truncate, libc::O_TRUNC),
        (exclusive, libc::O_EXCL),
        (no_link, libc::O_NOFOLLOW),
    ];
    let bits = bits.into_iter().filter(|(wanted, _)| *wanted).fold(0, |all, (_, bit)| all | bit);
    let mut options = OpenOptions::new();
    // `OpenOptions` refuses some combinations that the system allows; so creation is requested by flags.
    options.read(read).write(write).append(write && append).custom_flags(bits);
    open_with_mode(&mut options, mode, path)
}

pub fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode & PERMISSIONS).create(path)
}

pub fn working_directory(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    // Only who may search a directory can see its own entry.
    fs::metadata(path.join("."))?;
    Ok(path)
}

pub fn shell_directory(path: &Path) -> io::Result<PathBuf> {
    Ok(path.into())
}

pub fn reveals_processes(path: &Path) -> bool {
    path.starts_with("/proc")
}

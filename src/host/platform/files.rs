//! Files, their permissions and the flags they are opened with.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::value::{FileKind, FileStatus};

/// Read, write and execute for owner, group and others: the bits that programs may set.
const PERMISSIONS: u32 = 0o777;

/// Device and inode: the same for all names of one file.
pub fn file_identity(data: &Metadata) -> (u64, u64) {
    (data.dev(), data.ino())
}

/// What a program learns about a file.
pub fn file_status(data: &Metadata) -> FileStatus {
    let kind = match data.file_type() {
        t if t.is_file() => FileKind::File,
        t if t.is_dir() => FileKind::Directory,
        t if t.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    FileStatus {
        kind,
        size: data.len() as i64,
        modified: data.mtime(),
        mode: data.mode() & 0o7777,
        identity: file_identity(data),
    }
}

/// The permission bits of a file.
pub fn permissions(data: &Metadata) -> u32 {
    data.mode() & PERMISSIONS
}

/// Gives a file exactly these permissions, whatever the umask.
pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(mode & PERMISSIONS))
}

/// Opens with `options`; a file that is created gets `mode`, less the umask.
pub fn open_with_mode(options: &mut OpenOptions, mode: u32, path: &Path) -> io::Result<File> {
    options.mode(mode & PERMISSIONS).open(path)
}

/// Creates a file that must not exist yet and that only its owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file with the flags of `open(2)`; a file that is created gets `mode`, less the umask.
pub fn open(path: &Path, flags: i32, mode: u32) -> io::Result<File> {
    let access = flags & libc::O_ACCMODE;
    let (read, write) = (access != libc::O_WRONLY, access != libc::O_RDONLY);
    let mut options = OpenOptions::new();
    // `OpenOptions` refuses combinations that the system takes, so creation goes as plain flags.
    options.read(read).write(write).custom_flags(flags & !libc::O_ACCMODE);
    if write && flags & libc::O_APPEND != 0 {
        options.append(true);
    }
    open_with_mode(&mut options, mode, path)
}

/// Makes one directory with `mode`, less the umask.
pub fn make_directory(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode & PERMISSIONS).create(path)
}

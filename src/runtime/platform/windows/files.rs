//! Files. Of the permissions, only the read-only attribute exists here.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

use winapi_util::Handle;
use winapi_util::file::information;
use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_READONLY, FILE_FLAG_BACKUP_SEMANTICS, FILE_SHARE_DELETE, FILE_SHARE_READ,
};

use crate::platform::OpenFlags;

/// Permission of the owner to write.
const WRITABLE: u32 = 0o200;

/// The volume's serial number, and the file's index in the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

pub fn file_identity(path: &Path) -> io::Result<FileIdentity> {
    let found = information(Handle::from_path_any(path)?)?;
    Ok(FileIdentity(found.volume_serial_number(), found.file_index()))
}

/// The directories that are asked about are those of the user.
pub fn is_own(_: &Metadata) -> bool {
    true
}

pub fn permissions(data: &Metadata) -> u32 {
    match (data.is_dir(), data.permissions().readonly()) {
        (true, _) => 0o777,
        (false, true) => 0o444,
        (false, false) => 0o666,
    }
}

pub fn names_of(path: &Path) -> io::Result<u64> {
    Ok(information(Handle::from_path_any(path)?)?.number_of_links())
}

pub fn may_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| !data.permissions().readonly())
}

pub fn keep_attributes(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

pub fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

pub fn set_permissions(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & WRITABLE == 0);
    file.set_permissions(permissions)
}

pub fn open_with_mode(options: &mut OpenOptions, mode: u32, path: &Path) -> io::Result<File> {
    if mode & WRITABLE == 0 {
        options.attributes(FILE_ATTRIBUTE_READONLY);
    }
    options.open(path).map_err(|error| match error.kind() {
        // The system reports this for directories.
        ErrorKind::PermissionDenied if path.is_dir() => ErrorKind::IsADirectory.into(),
        _ => error,
    })
}

pub fn open_as_only_writer(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // A lock would keep readers away, too.
    options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE);
    options.open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == ERROR_SHARING_VIOLATION as i32 => ErrorKind::ResourceBusy.into(),
        _ => error,
    })
}

pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

pub fn open(path: &Path, flags: OpenFlags, mode: u32) -> io::Result<File> {
    let OpenFlags { read, write, append, create, truncate, exclusive, no_link: _ } = flags;
    let appends = write && append;
    // Combinations that `OpenOptions` refuses need a first call to open the file.
    let first = (create || truncate) && (!write || appends);
    if first {
        let mut options = OpenOptions::new();
        options.write(true).truncate(truncate).create(create && !exclusive).create_new(create && exclusive);
        drop(open_with_mode(&mut options, mode | WRITABLE, path)?);
    }
    let mut options = OpenOptions::new();
    options.read(read).write(write && !appends).append(appends);
    if !first {
        options.truncate(truncate).create(create && !exclusive).create_new(create && exclusive);
    }
    if !write {
        // Needed to open directories.
        options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    }
    open_with_mode(&mut options, mode, path)
}

pub fn make_directory(path: &Path, _mode: u32) -> io::Result<()> {
    fs::create_dir(path)
}

pub fn reveals_processes(_: &Path) -> bool {
    false
}

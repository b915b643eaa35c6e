//! Errors of system calls, including those that are reported without making a call.

use std::io;

use crate::platform::reason;
use crate::value::{SystemError, SystemErrorKind};

/// The error of `operation` on `path`, which is the path as the program wrote it.
pub fn system_error(operation: &str, path: &str, error: &io::Error) -> SystemError {
    SystemError { kind: kind(error), operation: operation.into(), path: path.into(), reason: reason(error) }
}

fn kind(error: &io::Error) -> SystemErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => SystemErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => SystemErrorKind::PermissionDenied,
        io::ErrorKind::AlreadyExists => SystemErrorKind::AlreadyExists,
        io::ErrorKind::DirectoryNotEmpty => SystemErrorKind::DirectoryNotEmpty,
        io::ErrorKind::StorageFull => SystemErrorKind::StorageFull,
        _ => SystemErrorKind::Other,
    }
}

/// An invalid argument (EINVAL).
pub fn invalid_argument() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "invalid argument")
}

/// A directory where a file is needed (EISDIR).
pub fn is_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a directory")
}

/// A file where a directory is needed (ENOTDIR).
pub fn not_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::NotADirectory, "not a directory")
}

/// A file that exists already (EEXIST).
pub fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "file exists")
}

/// A file too large for memory (EFBIG).
pub fn file_too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "file too large")
}

/// A file that is not open (EBADF).
pub fn bad_handle() -> io::Error {
    io::Error::other("bad file descriptor")
}

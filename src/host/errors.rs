//! Failures of system calls: as data, as text, and made here where a call is not even tried.

use std::io;

use crate::platform::reason;
use crate::value::{SystemError, SystemErrorKind};

/// The failure of `operation` on `path`, which is the path as the program wrote it.
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

/// What a system call would say of an argument that makes no sense.
pub fn invalid_argument() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "invalid argument")
}

/// What it would say of a directory where a file has to be.
pub fn is_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a directory")
}

/// What it would say of a file where a directory has to be.
pub fn not_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::NotADirectory, "not a directory")
}

/// What it would say of a file that is there already.
pub fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "file exists")
}

/// What it would say of a file that cannot be held.
pub fn file_too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "file too large")
}

/// What it would say of a file that is closed.
pub fn bad_handle() -> io::Error {
    io::Error::other("bad file descriptor")
}

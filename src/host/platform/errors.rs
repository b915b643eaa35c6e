//! Failures of system calls: as data, as text, and made here where a call is not even tried.

use std::io;

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

/// The system's words for a failure, to stand inside a sentence: `no such file or directory`.
pub fn reason(error: &io::Error) -> String {
    // A path with a zero byte never reaches the system; it is worded as the system would word it.
    let invalid = invalid_argument();
    let refused = error.raw_os_error().is_none() && error.kind() == io::ErrorKind::InvalidInput;
    let text = if refused { invalid.to_string() } else { error.to_string() };
    // "No such file or directory (os error 2)": the number is noise to a learner.
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default() + chars.as_str()
}

/// "Invalid argument".
pub fn invalid_argument() -> io::Error {
    io::Error::from_raw_os_error(libc::EINVAL)
}

/// "Is a directory".
pub fn is_a_directory() -> io::Error {
    io::Error::from_raw_os_error(libc::EISDIR)
}

/// "Not a directory".
pub fn not_a_directory() -> io::Error {
    io::Error::from_raw_os_error(libc::ENOTDIR)
}

/// "File exists".
pub fn already_exists() -> io::Error {
    io::Error::from_raw_os_error(libc::EEXIST)
}

/// "File too large".
pub fn file_too_large() -> io::Error {
    io::Error::from_raw_os_error(libc::EFBIG)
}

/// "Bad file descriptor".
pub fn bad_handle() -> io::Error {
    io::Error::from_raw_os_error(libc::EBADF)
}

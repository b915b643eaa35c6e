//! Names of environment variables, and error messages.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use windows_sys::Win32::Foundation::ERROR_NEGATIVE_SEEK;

pub const LINE_END: &str = "\r\n";
pub const NULL_DEVICE: &str = "NUL";
pub const HOME_VARIABLE: &str = "USERPROFILE";
pub const TEMPORARY: (&str, &str) = ("TEMP", "C:/Windows/Temp");

pub fn same_variable(one: &str, other: &str) -> bool {
    one == other || one.to_uppercase() == other.to_uppercase()
}

pub fn state_directory(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("LOCALAPPDATA")
}

#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn jupyter_directory(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(variable("APPDATA")?.join("jupyter"))
}

#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn shared_jupyter_directories(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    variable("PROGRAMDATA").map(|data| data.join("jupyter")).into_iter().collect()
}

/// The system's own messages are localised, and differ between versions.
pub fn message(error: &io::Error) -> String {
    let text = error.to_string();
    let Some(number) = error.raw_os_error() else { return text };
    if u32::try_from(number) == Ok(ERROR_NEGATIVE_SEEK) {
        return "Invalid argument".into();
    }
    if let Some(words) = words(error.kind()) {
        return words.into();
    }
    let text = text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text);
    text.trim_end().trim_end_matches('.').into()
}

fn words(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotFound => "No such file or directory",
        ErrorKind::PermissionDenied => "Permission denied",
        ErrorKind::AlreadyExists => "File exists",
        ErrorKind::DirectoryNotEmpty => "Directory not empty",
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::IsADirectory => "Is a directory",
        ErrorKind::StorageFull => "No space left on device",
        ErrorKind::ReadOnlyFilesystem => "Read-only file system",
        ErrorKind::CrossesDevices => "Invalid cross-device link",
        ErrorKind::InvalidInput => "Invalid argument",
        ErrorKind::InvalidFilename => "Invalid file name",
        ErrorKind::BrokenPipe => "Broken pipe",
        ErrorKind::AddrInUse => "Address already in use",
        ErrorKind::AddrNotAvailable => "Cannot assign requested address",
        ErrorKind::ConnectionRefused => "Connection refused",
        ErrorKind::ConnectionReset => "Connection reset by peer",
        ErrorKind::NetworkUnreachable => "Network is unreachable",
        ErrorKind::HostUnreachable => "No route to host",
        ErrorKind::TimedOut => "Connection timed out",
        ErrorKind::OutOfMemory => "Cannot allocate memory",
        _ => return None,
    })
}

pub fn text_of(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

pub fn name_of(text: &str) -> OsString {
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_the_same_words_everywhere() {
        let missing = std::fs::metadata("no such file").expect_err("is missing");
        assert_eq!(message(&missing), "No such file or directory");
        assert_eq!(message(&io::Error::other("of its own")), "of its own");
        assert_eq!(message(&io::Error::from_raw_os_error(131)), "Invalid argument");
        // ERROR_SHARING_VIOLATION, which has no kind.
        let busy = message(&io::Error::from_raw_os_error(32));
        assert!(!busy.is_empty() && !busy.contains("os error") && !busy.ends_with('.'), "{busy}");
    }

    #[test]
    fn names_of_variables() {
        assert!(same_variable("Path", "PATH") && !same_variable("PATH", "PATHS"));
    }
}

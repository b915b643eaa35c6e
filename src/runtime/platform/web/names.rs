//! Names and messages, which are those of Linux.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub const LINE_END: &str = "\n";
pub const NULL_DEVICE: &str = "/dev/null";
pub const HOME_VARIABLE: &str = "HOME";
pub const TEMPORARY: (&str, &str) = ("TMPDIR", "/tmp");
pub const SHELL: &str = "/bin/sh";

pub fn message(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "No such file or directory".into(),
        ErrorKind::PermissionDenied => "Permission denied".into(),
        ErrorKind::AlreadyExists => "File exists".into(),
        ErrorKind::IsADirectory => "Is a directory".into(),
        ErrorKind::NotADirectory => "Not a directory".into(),
        ErrorKind::Unsupported => "Operation not supported".into(),
        // Few others occur, and those have words of their own.
        _ => error.to_string(),
    }
}

pub fn same_variable(one: &str, other: &str) -> bool {
    one == other
}

pub fn state_directory(_: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    None
}

pub fn jupyter_directory(_: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    None
}

pub fn shared_jupyter_directories(_: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    Vec::new()
}

pub fn text_of(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

pub fn name_of(text: &str) -> OsString {
    text.into()
}

pub fn environment() -> Vec<(OsString, OsString)> {
    Vec::new()
}

pub fn host_name() -> OsString {
    "localhost".into()
}

pub fn process_id() -> u32 {
    0
}

pub fn parent_id() -> u32 {
    0
}

pub fn has_process(_: u32) -> bool {
    false
}

pub fn user_name() -> io::Result<String> {
    Err(ErrorKind::Unsupported.into())
}

pub fn working_directory(path: &Path) -> io::Result<PathBuf> {
    Ok(path.into())
}

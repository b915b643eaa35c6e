//! The user, environment variables, and error messages.

use std::io;
use std::path::PathBuf;

pub const LINE_END: &str = "\n";
pub const NULL_DEVICE: &str = "/dev/null";
pub const HOME_VARIABLE: &str = "HOME";
pub const TEMPORARY: (&str, &str) = ("TMPDIR", "/tmp");

pub fn state_directory(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))
}

pub fn user_name() -> io::Result<String> {
    let id = nix::unistd::getuid();
    match nix::unistd::User::from_uid(id)? {
        Some(user) => Ok(user.name),
        None => Err(io::Error::other(format!("unknown userid {id}"))),
    }
}

pub fn same_variable(one: &str, other: &str) -> bool {
    one == other
}

pub fn message(error: &io::Error) -> String {
    let text = error.to_string();
    let Some(number) = error.raw_os_error() else { return text };
    text.strip_suffix(&format!(" (os error {number})")).map(String::from).unwrap_or(text)
}

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

#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn jupyter_directory(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some(variable("HOME")?.join("Library/Jupyter"));
    }
    let data = variable("XDG_DATA_HOME").or_else(|| Some(variable("HOME")?.join(".local/share")));
    Some(data?.join("jupyter"))
}

#[cfg_attr(not(feature = "kernel"), allow(dead_code))]
pub fn shared_jupyter_directories(_: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    vec!["/usr/local/share/jupyter".into(), "/usr/share/jupyter".into()]
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

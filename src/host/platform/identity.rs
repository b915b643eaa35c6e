//! Names of the machine and its user, numbers and files of processes.

use std::io;
use std::path::{Path, PathBuf};

/// The machine's name in its network.
pub fn host_name() -> io::Result<String> {
    Ok(nix::unistd::gethostname()?.to_string_lossy().into_owned())
}

/// The login name of the user whose process this is.
pub fn user_name() -> io::Result<String> {
    let id = nix::unistd::getuid();
    match nix::unistd::User::from_uid(id)? {
        Some(user) => Ok(user.name),
        None => Err(io::Error::other(format!("unknown userid {id}"))),
    }
}

/// Number of the process that started this one.
pub fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// The program that this process runs.
pub fn this_program() -> Option<PathBuf> {
    // Leads to the program even when its file has been replaced.
    let linux = Path::new("/proc/self/exe");
    if linux.exists() { Some(linux.into()) } else { std::env::current_exe().ok() }
}

//! What this process is: the same calls on Unix and Windows.

use std::ffi::OsString;

pub fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

pub fn host_name() -> OsString {
    gethostname::gethostname()
}

pub fn process_id() -> u32 {
    std::process::id()
}

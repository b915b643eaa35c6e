//! There is no guard on systems where groups of processes end with this process, or where there are no processes.

use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use crate::platform::{GuardProgram, Running, ShellCommand};

/// A guard; there is never one.
#[derive(Debug)]
pub enum Guard {}

/// The receiver of a report; there is never one.
pub enum End {}

impl Guard {
    /// Always fails, so that commands are run in groups.
    ///
    /// # Errors
    /// Always.
    pub fn start(_: &GuardProgram) -> io::Result<Guard> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn start_command(&self, _: &ShellCommand, _: bool) -> io::Result<Running> {
        match *self {}
    }

    pub fn stop(self) {
        match self {}
    }
}

impl End {
    pub fn canceller(&self) -> Box<dyn FnOnce() + Send> {
        match *self {}
    }

    pub fn wait(self) -> Result<ExitStatus, String> {
        match self {}
    }
}

pub fn guard_program() -> Option<PathBuf> {
    None
}

pub fn running_program() -> Option<PathBuf> {
    None
}

pub fn run_guard() -> ExitCode {
    ExitCode::FAILURE
}

//! Shell commands, and the guard that supervises them.

use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{End, SHELL, guard_program, name_of, path_of, reason, shell, shell_directory};

/// A shell command. All texts stand for names of the system ([`name_of`]).
#[derive(Debug, Serialize, Deserialize)]
pub struct ShellCommand {
    pub text: String,
    /// Environment variables.
    pub variables: Vec<(String, String)>,
    /// Working directory.
    pub directory: String,
}

impl ShellCommand {
    /// The process to spawn, with all standard streams closed.
    ///
    /// # Errors
    /// If the shell cannot work in the directory.
    pub fn prepared(&self) -> io::Result<Command> {
        let mut shell = shell(&self.text);
        shell.current_dir(shell_directory(&path_of(&self.directory))?);
        shell.env_clear().envs(self.variables.iter().map(|(k, v)| (name_of(k), name_of(v))));
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(shell)
    }
}

/// The error message for a command that could not be started.
pub fn not_started(error: &io::Error) -> String {
    format!("fork/exec {SHELL}: {}", reason(error))
}

/// A command started by a guard.
pub struct Running {
    /// Its output, if captured.
    pub reader: Option<PipeReader>,
    /// Reports its exit status.
    pub end: End,
}

/// An executable that becomes a guard ([`run_guard`](super::run_guard)) when it is started with the argument
/// [`GuardProgram::ARGUMENT`].
#[derive(Clone, Debug)]
pub struct GuardProgram(PathBuf);

impl GuardProgram {
    /// The only argument.
    pub const ARGUMENT: &str = "__guard";

    /// The executable at `path`.
    pub fn new(path: PathBuf) -> GuardProgram {
        GuardProgram(path)
    }

    /// Path of the executable.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The executable of this process; `None` if the system does not tell, or needs no guard.
    pub fn this() -> Option<GuardProgram> {
        guard_program().map(GuardProgram)
    }
}

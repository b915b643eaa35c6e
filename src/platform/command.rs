//! Commands of the shell, and what watches over them.

use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{End, SHELL, guard_program, reason, shell, shell_directory};

/// A command as a program asks for it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ShellCommand {
    /// The shell's text.
    pub text: String,
    /// Environment.
    pub variables: Vec<(String, String)>,
    /// Working directory.
    pub directory: PathBuf,
}

impl ShellCommand {
    /// A process to be spawned. Its streams are closed.
    ///
    /// # Errors
    /// When the shell cannot work in the directory.
    pub fn prepared(&self) -> io::Result<Command> {
        let mut shell = shell(&self.text);
        shell.current_dir(shell_directory(&self.directory)?);
        shell.env_clear().envs(self.variables.iter().map(|(k, v)| (k, v)));
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(shell)
    }
}

/// What is said of a command that could not be started.
pub fn not_started(error: &io::Error) -> String {
    format!("fork/exec {SHELL}: {}", reason(error))
}

/// A command that a guard was asked to start.
pub struct Running {
    /// Its output, if that is captured.
    pub reader: Option<PipeReader>,
    /// Where its end is reported.
    pub end: End,
}

/// A program that becomes a guard ([`run_guard`](super::run_guard)) when it is started with the argument
/// [`GuardProgram::ARGUMENT`].
#[derive(Clone, Debug)]
pub struct GuardProgram(PathBuf);

impl GuardProgram {
    /// The only argument that the program is started with.
    pub const ARGUMENT: &str = "__guard";

    /// The program at `path`.
    pub fn new(path: PathBuf) -> GuardProgram {
        GuardProgram(path)
    }

    /// Where the program is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The program that this process runs; `None` if the system does not tell which that is, or needs no
    /// guard.
    pub fn this() -> Option<GuardProgram> {
        guard_program().map(GuardProgram)
    }
}

//! How a program begins, and begins again.

use super::{Capability, Limits};
use serde::{Deserialize, Serialize};

/// Changes to the environment variables that a program sees: names with their values, or `None` for one
/// that is taken away.
pub type EnvironmentChanges = Vec<(String, Option<String>)>;

/// How to begin a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The program's main file; the one that the server was started with, if there is none.
    pub file: Option<String>,
    /// The program itself, if it is in no file; counts more than `file`.
    pub source: Option<SourceText>,
    /// The program's working directory, and where relative paths start; the server's own, if there is
    /// none.
    pub working_dir: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Changes to its environment variables, which are otherwise those of the server.
    pub env: EnvironmentChanges,
    /// Whether the program stops at its first statement; if nothing is said, it does when no breakpoint
    /// is set.
    pub stop_on_entry: Option<bool>,
    /// Whether the session stays after the program has ended, or could not be loaded, until it is told to
    /// end.
    pub keep_alive: bool,
    /// Whether the history of the program is kept, so that one can go back in it.
    pub history: bool,
    /// The file of a recording that is run again, instead of a program: it says what is run, and how.
    pub replay: Option<String>,
    /// What the program is kept from.
    pub deny: Vec<Capability>,
    /// Most memory that the program may take, in bytes; three quarters of what there is, if nothing is
    /// said.
    pub memory_limit: Option<u64>,
    /// How much of each changed variable is described at a stop.
    pub limits: Limits,
}

/// How a client comes to a session that is there already.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attach {
    /// How the program begins, if none has been named yet; without this such a session stays as it is.
    pub launch: Option<Launch>,
}

/// A program that is in no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its text.
    pub text: String,
    /// What stands for it wherever a file is named.
    pub name: String,
}

/// What is different when a program begins again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restart {
    /// New arguments; the same as before, if there are none.
    pub args: Option<Vec<String>>,
    /// New changes to the environment variables; the same as before, if there are none.
    pub env: Option<EnvironmentChanges>,
}

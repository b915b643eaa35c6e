//! How to start a program, and start it again.

use ez_runtime::host::Capability;
use serde::{Deserialize, Serialize};

use super::{CellSettings, Failure, Limits, SetExpectedOutput};

/// Changes to the environment variables that the program sees: names with new values; `None` removes the
/// variable.
pub type EnvironmentChanges = Vec<(String, Option<String>)>;

/// Parameters of a session's program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Launch {
    /// The program's main file; `None`: the file that the server was started with.
    pub file: Option<String>,
    /// The text of the program, if it is not in a file; takes precedence over `file`.
    pub source: Option<SourceText>,
    /// The program's working directory, also the base of relative paths in requests; `None`: the server's
    /// own.
    pub working_dir: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Changes to the environment variables that the program inherits from the server.
    pub env: EnvironmentChanges,
    /// Whether to stop before the first statement; `None`: only if no breakpoint is set.
    pub stop_on_entry: Option<bool>,
    /// Whether the session continues after the program has ended or could not be loaded, until it is told to
    /// end.
    pub keep_alive: bool,
    /// Whether to keep the program's history, which is needed for going back in time.
    pub history: bool,
    /// A recording to play instead of a program: path of its file. Program, arguments and environment are
    /// taken from it.
    pub replay: Option<String>,
    /// What the program must not do.
    pub deny: Vec<Capability>,
    /// Memory limit of the program in bytes; `None`: three quarters of the memory of the machine or
    /// container.
    pub memory_limit: Option<u64>,
    /// Whether the EZ programs that the program starts announce themselves to the session (see
    /// [`super::ChildProcess`]).
    pub children: bool,
    /// How much of each changed variable to describe at a stop.
    pub limits: Limits,
    /// Whether to observe what every statement computes while the program is stepped through with
    /// [`super::Resume::StepInto`] ([`super::Stopped::computed`]), and how much of each value to describe. The
    /// program then runs slower.
    pub observe: Option<Limits>,
    /// Makes it a session of cells, which has no program of its own: what runs comes with [`super::Request::RunCell`].
    /// `None`: a session of one program.
    pub cells: Option<CellSettings>,
    /// What the program is to write, also after restarts, for which a file is read again, until
    /// [`super::Request::SetExpectedOutput`] says something else. If it cannot be read, the program is not loaded.
    pub expected: Option<SetExpectedOutput>,
}

/// Parameters of a client that connects to an existing session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attach {
    /// The program to start, if the session has none yet; ignored otherwise. `None` leaves such a session
    /// without a program.
    pub launch: Option<Launch>,
    /// The client's name, for the others of a shared session; `None`: the session gives a guest one.
    pub name: Option<String>,
    /// Whether the client shows its user the breakpoints in the answer. If not, requests that replace breakpoints do
    /// not mean those, until it was told of them otherwise.
    pub shows_breakpoints: bool,
}

/// A program that is not in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    pub text: String,
    /// Name used where a path of the file would be used.
    pub name: String,
}

/// Changes for a program that is started again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restart {
    /// New arguments; `None`: the same as before.
    pub args: Option<Vec<String>>,
    /// New changes to the environment variables; `None`: the same as before.
    pub env: Option<EnvironmentChanges>,
    /// Whether the program stops at its first statement; `None`: as before.
    #[serde(default)]
    pub stop_on_entry: Option<bool>,
}

impl Restart {
    /// Why the replay of a recording cannot be started again like this, if it cannot.
    pub fn refusal_in_replay(&self) -> Option<Failure> {
        let given = [("args", self.args.is_some()), ("env", self.env.is_some())];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| Failure::in_recording(name))
    }
}

//! Child processes: EZ programs that a debugged program has started, directly or through other programs.

use serde::{Deserialize, Serialize};

use super::question::question;
use super::{Done, Request, Response, SessionRequest};

/// A child process that runs an EZ program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildProcess {
    /// Its process id.
    pub pid: u32,
    /// The process id of its parent, which need not be an EZ program.
    pub parent: u32,
    /// The program's file, as it was named on the command line.
    pub file: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The process's working directory, absolute.
    pub directory: String,
    /// Where debuggers can attach to it; `None` if it runs without a debugger, or has one of its own.
    pub entrance: Option<Entrance>,
    /// Whether it waits before its first statement, until a client attaches to it or releases it.
    pub held: bool,
}

/// Where clients can attach to a process: on the loopback interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrance {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The token that clients have to show.
    pub token: String,
}

impl Entrance {
    /// The address of every entrance.
    pub const HOST: &str = "127.0.0.1";
}

/// The child processes that have not ended, in the order in which they were started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Processes(pub Vec<ChildProcess>);

/// [`SessionRequest::GetProcesses`].
#[derive(Clone, Copy, Debug)]
pub struct GetProcesses;

/// [`SessionRequest::ReleaseChild`].
#[derive(Clone, Copy, Debug)]
pub struct ReleaseChild(pub u32);

question!(GetProcesses: |_| Request::Session(SessionRequest::GetProcesses), Processes, all => Response::Processes(all));
question!(ReleaseChild: |child| Request::Session(SessionRequest::ReleaseChild(child.0)), Done, done => Response::Done(done));

//! Questions about the session or its program, with their answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::question::questions;
use super::{
    Breakpoint, ExceptionBreakpoint, Guest, Location, ModuleInfo, Moment, OutputState, StopReason, Stopped,
    Watch,
};

questions! {
    /// A question about the session or its program.
    Query: Request::Query, answers QueryAnswer, answered by Queried:

    /// Status, breakpoints, watches and present stop, for a client that connects late.
    State(GetState) -> Box<State>, state, "get the state";
    /// The threads of the program: always one. The answer is its state.
    Threads(GetThreads) -> Status, threads, "get threads";
    /// The text of a file of the program.
    Source(GetSource) -> SourceFile, source, "get the source";
    /// The files of the program, and the library modules that it uses.
    Modules(GetModules) -> Vec<ModuleInfo>, modules, "get modules";
}

impl Query {
    /// Whether the answer depends on where the program is stopped: in the past, it is another one.
    pub fn is_about_stop(&self) -> bool {
        match self {
            Query::State(_) | Query::Threads(_) => true,
            Query::Source(_) | Query::Modules(_) => false,
        }
    }
}

/// Asks for the state of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetState;

/// Asks for the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetThreads;

/// Asks for the modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetModules;

/// Asks for the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetSource {
    /// The file as the client names it.
    pub file: String,
}

/// A file of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its text as it was when the program was loaded.
    pub text: String,
}

/// State of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// No program is loaded.
    #[default]
    NotInitialized,
    /// A program is loaded but not started.
    Ready,
    /// It runs.
    Running,
    Stopped,
    /// It has ended.
    Exited,
}

impl Status {
    /// All states.
    pub const ALL: [Status; 5] =
        [Status::NotInitialized, Status::Ready, Status::Running, Status::Stopped, Status::Exited];

    /// Its name in the protocols.
    pub const fn name(self) -> &'static str {
        match self {
            Status::NotInitialized => "notInitialized",
            Status::Ready => "ready",
            Status::Running => "running",
            Status::Stopped => "stopped",
            Status::Exited => "exited",
        }
    }
}

/// The state of a session in full, for a client that connects late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The state in a word.
    pub status: Status,
    /// The program's main file as the client named it; `None` if there is no program yet.
    pub file: Option<String>,
    /// The present stop in short; `None` if the program is not stopped.
    pub stop: Option<StoppedAt>,
    /// The program's exit status; `None` if it has not ended.
    pub exit_status: Option<i32>,
    /// The breakpoints of all kinds, in order of their numbers.
    pub breakpoints: Vec<Breakpoint>,
    /// The exception filters in force.
    pub exceptions: Vec<ExceptionBreakpoint>,
    pub watches: Vec<Watch>,
    /// Whether the program's history is kept, so that the client can go back in time.
    pub keeps_history: bool,
    /// How far the program's output is as it is expected; `None` if nothing is, or no program has been started.
    pub output: Option<OutputState>,
}

/// What a client learns when it connects to an existing session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// The state of the session.
    pub state: State,
    /// The present stop in full; `None` if the program is not stopped.
    pub stop: Option<Box<Stopped>>,
    /// How many bytes of output were discarded while no client was connected, because too much had come.
    pub dropped_output: u64,
    /// The id of the process that has the session.
    pub process: u32,
    /// What the client is in the session, if it is a guest.
    #[serde(default)]
    pub guest: Option<Guest>,
}

/// What is known of a stop from [`StoppedAt`].
impl From<StoppedAt> for Stopped {
    fn from(at: StoppedAt) -> Stopped {
        let StoppedAt { reason, location, description, frame_count, step, moment } = at;
        Stopped { description, frame_count, step, moment, ..Stopped::new(reason, location) }
    }
}

/// A stop in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppedAt {
    /// See [`super::Stopped::reason`].
    pub reason: StopReason,
    /// See [`super::Stopped::location`].
    pub location: Location,
    /// See [`super::Stopped::description`].
    pub description: String,
    /// See [`super::Stopped::frame_count`].
    pub frame_count: usize,
    /// See [`super::Stopped::step`].
    pub step: u64,
    /// See [`super::Stopped::moment`].
    pub moment: Option<Moment>,
}

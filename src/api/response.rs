//! Responses to successful requests.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::{
    Breakpoint, Described, ExceptionBreakpoint, Frame, LastChange, Location, ModuleInfo, Moment, Position,
    Problem, StopReason, Stopped, Variable, Watch,
};

/// The response to a successful request. The comment of each variant names the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To [`super::Request::Initialize`]: the program is loaded and has no errors.
    Initialized(Initialized),
    /// To [`super::Request::Start`]: the program is about to run.
    Started,
    /// To [`super::Request::Restart`]: the program was loaded again and is about to run.
    Restarted(Initialized),
    /// To [`super::Request::Resume`], and to `Start` while the program is stopped: the program is about to
    /// run.
    Resumed,
    /// To [`super::Request::Pause`]: the program will stop, or the evaluation will be interrupted, soon.
    Pausing,
    /// To [`super::Request::Kill`]: the program has ended.
    Killed,
    /// To [`super::Request::Terminate`]: the session will end soon.
    Terminating,
    /// To [`super::Request::Attach`].
    Attached(Box<Attached>),
    /// To [`super::Request::Disconnect`].
    Disconnected,
    /// To [`super::Request::Input`].
    InputTaken,
    /// To [`super::BreakpointRequest::Set`].
    BreakpointSet(Breakpoint),
    /// To [`super::BreakpointRequest::Clear`].
    BreakpointCleared,
    /// To [`super::BreakpointRequest::SetAll`], `SetFunctions` and `SetData`: the breakpoints in the order of
    /// the request; to `List`: in order of their numbers.
    Breakpoints(Vec<Breakpoint>),
    /// To [`super::BreakpointRequest::Enable`] and `Change`: the breakpoint as it is now; to `Remove`: as it
    /// was.
    BreakpointChanged {
        /// The breakpoint.
        breakpoint: Breakpoint,
        /// Whether it was removed.
        removed: bool,
    },
    /// To [`super::BreakpointRequest::Locations`]: in order of line and column.
    Locations(Vec<Position>),
    /// To [`super::BreakpointRequest::SetExceptions`]: in the order of the request.
    Exceptions(Vec<ExceptionBreakpoint>),
    /// To [`super::WatchRequest::Add`].
    WatchAdded(Watch),
    /// To [`super::WatchRequest::Remove`].
    WatchRemoved,
    /// To [`super::WatchRequest::List`].
    Watches(Vec<Watch>),
    /// To [`super::Query::State`].
    State(Box<State>),
    /// To [`super::Query::Threads`].
    Threads(Status),
    /// To [`super::Query::Source`].
    Source {
        /// Absolute path of the file.
        path: PathBuf,
        /// Its text as it was when the program was loaded.
        text: String,
    },
    /// To [`super::Query::Modules`].
    Modules(Vec<ModuleInfo>),
    /// To [`super::Inspect::Variables`].
    Variables(Vec<Variable>),
    /// To [`super::Inspect::Children`].
    Children {
        /// The requested parts; their names are `[0]`, `["key"]`, `field`.
        children: Vec<Variable>,
        /// Number of parts that the value has in all.
        total: usize,
    },
    /// To [`super::Inspect::StackTrace`].
    StackTrace {
        /// The requested frames, innermost first.
        frames: Vec<Frame>,
        /// Number of frames in all.
        total: usize,
    },
    /// To [`super::Inspect::StepTargets`]: in order of execution.
    StepTargets(Vec<StepTarget>),
    /// To [`super::Inspect::Evaluate`]: the value; `nil` for an assignment.
    Evaluated(Described),
    /// To [`super::Inspect::SetVariable`]: the variable or part with its new value.
    VariableSet(Variable),
    /// To [`super::Inspect::LastChange`].
    LastChange(Box<LastChange>),
    /// To [`super::Inspect::Completions`].
    Completions(Vec<Completion>),
}

/// A program that was loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Initialized {
    /// Its main file, as the client (or the command line of the server) named it.
    pub file: String,
    /// Warnings of the checker, in source order.
    pub warnings: Vec<Problem>,
}

/// State of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// No program is loaded.
    NotInitialized,
    /// A program is loaded but not started.
    Ready,
    /// It runs.
    Running,
    /// It is stopped.
    Stopped,
    /// It has ended.
    Exited,
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
    /// The watches.
    pub watches: Vec<Watch>,
    /// Whether the program's history is kept, so that the client can go back in time.
    pub keeps_history: bool,
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

/// A call of a user-defined function that a step can go into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTarget {
    /// Its number, for [`super::Resume::StepIntoTarget`]; valid until the program resumes.
    pub id: u32,
    /// The source text of the call, shortened.
    pub label: String,
    /// Where the call begins.
    pub start: Position,
    /// Where it ends, just after its last character.
    pub end: Position,
}

/// What a completed name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompletionKind {
    /// A parameter, local or global.
    Variable,
    /// A constant.
    Constant,
    /// A function.
    Function,
    /// A field of a struct.
    Field,
    /// A member of an enum.
    Member,
    /// A type.
    Type,
    /// A module.
    Module,
    /// A keyword.
    Keyword,
}

/// A completion of the name before the cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The complete name.
    pub label: String,
    /// What it refers to.
    pub kind: CompletionKind,
    /// Column of the first character to replace, in code points, from 1.
    pub start: u32,
    /// How many code points to replace.
    pub length: u32,
    /// Its type or signature.
    pub detail: String,
}

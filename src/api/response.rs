//! What a request that succeeds is answered.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::{
    Breakpoint, Described, ExceptionBreakpoint, Frame, LastChange, Location, ModuleInfo, Moment, Position,
    Problem, StopReason, Stopped, Variable, Watch,
};

/// The answer to a request. Each variant names the request that it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// To [`super::Request::Initialize`]: the program is loaded and sound.
    Initialized(Initialized),
    /// To [`super::Request::Start`]: the program runs from now on.
    Started,
    /// To [`super::Request::Restart`]: the program was read again, and runs from now on.
    Restarted(Initialized),
    /// To [`super::Request::Resume`], and to `Start` at a stop: the program runs from now on.
    Resumed,
    /// To [`super::Request::Pause`]: the program will stop, or the evaluation end.
    Pausing,
    /// To [`super::Request::Kill`]: the program has ended.
    Killed,
    /// To [`super::Request::Terminate`]: the session will end.
    Terminating,
    /// To [`super::Request::Attach`].
    Attached(Box<Attached>),
    /// To [`super::Request::Disconnect`].
    Disconnected,
    /// To [`super::Request::Input`].
    InputTaken,
    /// To [`super::BreakpointRequest::Set`]: the breakpoint, and what became of it.
    BreakpointSet(Breakpoint),
    /// To [`super::BreakpointRequest::Clear`]: there is no breakpoint at that line (any more).
    BreakpointCleared,
    /// To [`super::BreakpointRequest::SetAll`], `SetFunctions` and `SetData`: the breakpoints in the
    /// order in which they were asked for; to `List`: in order of their numbers.
    Breakpoints(Vec<Breakpoint>),
    /// To [`super::BreakpointRequest::Enable`] and `Change`: the breakpoint as it is now; to `Remove`: as
    /// it was.
    BreakpointChanged {
        /// The breakpoint.
        breakpoint: Breakpoint,
        /// Whether it is gone.
        removed: bool,
    },
    /// To [`super::BreakpointRequest::Locations`]: in order of lines and columns.
    Locations(Vec<Position>),
    /// To [`super::BreakpointRequest::SetExceptions`]: in the order in which they were asked for.
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
        /// Path of the file, absolute.
        path: PathBuf,
        /// Its text, as the program was made from it.
        text: String,
    },
    /// To [`super::Query::Modules`].
    Modules(Vec<ModuleInfo>),
    /// To [`super::Inspect::Variables`].
    Variables(Vec<Variable>),
    /// To [`super::Inspect::Children`].
    Children {
        /// The parts asked for; their names are `[0]`, `["key"]`, `field`.
        children: Vec<Variable>,
        /// How many parts the value has in all.
        total: usize,
    },
    /// To [`super::Inspect::StackTrace`].
    StackTrace {
        /// The frames asked for, innermost first.
        frames: Vec<Frame>,
        /// How many frames there are in all.
        total: usize,
    },
    /// To [`super::Inspect::StepTargets`]: in the order in which they run.
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
    /// Warnings of the check, in source order.
    pub warnings: Vec<Problem>,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// No program is loaded.
    NotInitialized,
    /// A program is loaded, and not started.
    Ready,
    /// It runs.
    Running,
    /// It is stopped.
    Stopped,
    /// It has ended.
    Exited,
}

/// What a client needs that comes late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Where the session stands.
    pub status: Status,
    /// The program's main file as the client named it; `None` before there is one.
    pub file: Option<String>,
    /// Where the program is stopped, why, and with how many frames.
    pub stop: Option<StoppedAt>,
    /// The status with which it has ended.
    pub exit_status: Option<i32>,
    /// The breakpoints of all kinds, in order of their numbers.
    pub breakpoints: Vec<Breakpoint>,
    /// The errors at which it stops.
    pub exceptions: Vec<ExceptionBreakpoint>,
    /// The watches.
    pub watches: Vec<Watch>,
    /// Whether the history of the program is kept, so that one can go back.
    pub keeps_history: bool,
}

/// What a client is told that comes to a session which is there already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// Where the session stands.
    pub state: State,
    /// The stop at which the program stands, as it was told when it came.
    pub stop: Option<Box<Stopped>>,
    /// How many bytes of output were dropped since there was more than is kept for a client.
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

/// A call of a user's function into which a step may go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTarget {
    /// Its number, for [`super::Resume::StepIntoTarget`]; valid until the program goes on.
    pub id: u32,
    /// The call as it is written, in short.
    pub label: String,
    /// Where the call begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
}

/// What a name that can be completed stands for.
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
    /// A word of the language.
    Keyword,
}

/// A way in which a name that is being typed could go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The whole name.
    pub label: String,
    /// What it stands for.
    pub kind: CompletionKind,
    /// Column of the first character that it replaces, in code points, from 1.
    pub start: u32,
    /// How many code points it replaces.
    pub length: u32,
    /// Its type or signature.
    pub detail: String,
}

//! Requests: what a front end asks of a session.
//!
//! A *place* is a position where execution can stop; SPEC.md section 4.1 lists them.

use super::{
    Attach, BreakpointId, BreakpointOptions, Container, DataSpec, ExceptionSpec, FunctionSpec, Handle,
    LastChangeQuery, Launch, Limits, LinePlace, LineSpec, OptionsChange, Restart, Scope, WatchId,
};
use serde::{Deserialize, Serialize};

/// Number that a front end gives to a request; the response carries the same number. A front end never uses a
/// number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(pub u64);

/// Exit status of a program ended by [`Request::Kill`]: that of a process ended by SIGTERM.
pub const KILLED: i32 = 143;

/// A request. Each gets exactly one response (a [`super::Response`] or a [`super::Failure`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Loads a program: reads and checks its files.
    Initialize(Box<Launch>),
    /// Starts the program. The response comes before the program runs; the first stop, or the end, is an
    /// event.
    Start,
    /// Ends the program if it runs, loads it again, and starts it. The response comes before it runs.
    Restart(Box<Restart>),
    /// Resumes a stopped program. The response comes before it runs; the next stop, or the end, is an event.
    Resume(Resume),
    /// Stops a running program before its next statement, or interrupts an evaluation. The response comes
    /// at once, the stop is an event.
    Pause,
    /// Ends the program as if it had exited with [`KILLED`]. The response comes when it has ended, and the
    /// event after it; the session stays as after any other end of a program.
    Kill,
    /// Ends the program and the session. The response comes at once, the end is an event.
    Terminate,
    /// Connects a client to an existing session. The response describes the session; the events and output
    /// kept while there was no client follow. Handled by the session, not the engine.
    Attach(Box<Attach>),
    /// Disconnects the client; the session continues without one. The response is the last message that the
    /// client gets. Handled by the session, not the engine.
    Disconnect,
    /// Provides standard input to the program.
    Input {
        /// Lines of input; a missing line end is added to the last one.
        text: Option<String>,
        /// Whether this is the end of the input. If so, no line end is added.
        eof: bool,
    },
    /// Sets, changes, lists or removes breakpoints. Allowed in every state.
    Breakpoint(BreakpointRequest),
    /// Adds, lists or removes watches. Allowed in every state.
    Watch(WatchRequest),
    /// Asks about the session or its program. Allowed in every state.
    Query(Query),
    /// Inspects a stopped program or evaluates in it.
    Inspect(Inspect),
}

/// How to resume a stopped program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resume {
    /// Until a breakpoint, or the end.
    Continue,
    /// To the next place, also in a called function.
    StepInto,
    /// Into the call with this number of the present statement (see [`Inspect::StepTargets`]), and no other.
    StepIntoTarget(u32),
    /// To the next place in the present call, or in its caller if the call returns.
    StepOver,
    /// Until the present call returns.
    StepOut,
    /// To a certain place, unless something stops the program earlier.
    RunTo {
        /// The file as the client names it.
        file: String,
        /// The place.
        place: LinePlace,
    },
    /// To another point in the history.
    Travel(Travel),
}

/// A move through the program's history. Needs [`super::Launch::history`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Travel {
    /// To the previous place, also in a called function: undoes [`Resume::StepInto`].
    StepBack,
    /// To the previous place in the present call, or to the caller if there is none.
    StepBackOver,
    /// To the statement that called the present function.
    StepBackOut,
    /// To the first place in the call of the frame with this index.
    RestartFrame(usize),
    /// To the latest breakpoint hit before this point, or the beginning.
    ReverseContinue,
    /// To the first place at or after this step (see [`super::Stopped::step`]).
    GoToStep(u64),
    /// To the point that the live program has reached.
    GoToPresent,
}

/// A request about breakpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointRequest {
    /// Sets a breakpoint; an existing one at the same place of the same file gets the new options.
    Set {
        /// The file as the client names it; relative paths start at the session's working directory.
        file: String,
        /// Place and options.
        spec: LineSpec,
    },
    /// Removes all breakpoints requested for a line; succeeds if there are none, too.
    Clear {
        /// The file as the client names it.
        file: String,
        /// The line in the requests that set them, from 1.
        line: u32,
    },
    /// Replaces all line breakpoints of a file. Those that were set before keep their number and hits.
    SetAll {
        /// The file as the client names it.
        file: String,
        /// Places and options.
        specs: Vec<LineSpec>,
    },
    /// Lists line breakpoints.
    List {
        /// Restricts the list to this file, as the client names it; `None`: all files.
        file: Option<String>,
    },
    /// Enables or disables a breakpoint of any kind.
    Enable(BreakpointId, bool),
    /// Removes a breakpoint of any kind.
    Remove(BreakpointId),
    /// Changes the options of a breakpoint of any kind.
    Change(BreakpointId, OptionsChange),
    /// Lists the places in a range of lines.
    Locations {
        /// The file as the client names it.
        file: String,
        /// First line, from 1.
        first: u32,
        /// Last line, inclusive.
        last: u32,
    },
    /// Replaces all function breakpoints. Those that were set before keep their number and hits.
    SetFunctions(Vec<FunctionSpec>),
    /// Replaces all exception filters.
    SetExceptions(Vec<ExceptionSpec>),
    /// Replaces all data breakpoints. Those that were set before keep their number and hits.
    SetData(Vec<DataSpec>),
}

/// A request about watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchRequest {
    /// Adds a watch on this expression.
    Add(String),
    /// Removes a watch.
    Remove(WatchId),
    /// Lists all watches.
    List,
}

/// A question about the session or its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// Status, breakpoints, watches and present stop, for a client that connects late.
    State,
    /// The threads of the program: always one.
    Threads,
    /// The text of a file of the program.
    Source {
        /// The file as the client names it.
        file: String,
    },
    /// The files of the program, and the library modules that it uses.
    Modules,
}

/// A question about, or a change to, a stopped program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inspect {
    /// The variables of a frame: parameters and locals, then the globals of its file.
    Variables {
        /// Index of the frame.
        frame: usize,
        /// Only variables of this scope; `None`: all.
        scope: Option<Scope>,
        /// How much of each value is described.
        limits: Limits,
    },
    /// Elements, entries or fields of a value.
    Children {
        /// Handle of the value.
        handle: Handle,
        /// Index of the first part to return, from 0.
        start: usize,
        /// Maximum number of parts to return.
        count: usize,
        /// How much of each part is described.
        limits: Limits,
    },
    /// The call stack.
    StackTrace {
        /// Index of the first frame to return; 0 is the innermost.
        start: usize,
        /// Maximum number of frames to return.
        count: usize,
    },
    /// The calls of user-defined functions in the statement of a frame.
    StepTargets {
        /// Index of the frame.
        frame: usize,
    },
    /// Evaluates an expression, or executes an assignment.
    Evaluate(Evaluate),
    /// Assigns to a variable or part.
    SetVariable {
        /// Where to look up the name.
        container: Container,
        /// Name of the variable or part.
        name: String,
        /// The expression whose value is assigned.
        value: String,
        /// How much of the new value to describe.
        limits: Limits,
    },
    /// What gave a variable or part its present value.
    LastChange(LastChangeQuery),
    /// Ways to complete a name that is being typed.
    Completions {
        /// The text of the input so far, and the text after the cursor.
        text: String,
        /// Column of the cursor in code points, from 1.
        column: u32,
        /// Index of the frame in whose scope to complete.
        frame: usize,
    },
}

/// An expression to evaluate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluate {
    /// Its text.
    pub expression: String,
    /// Index of the frame in whose scope it is evaluated; 0 is the innermost.
    pub frame: usize,
    /// Who asked for it, which decides about side effects.
    pub purpose: Purpose,
    /// Time limit in milliseconds; `None`: five seconds.
    pub timeout_ms: Option<u32>,
    /// How much of the result to describe.
    pub limits: Limits,
}

/// What an evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Requested by the user: may have side effects.
    Plain,
    /// Typed by the user at a prompt: may have side effects, and declare variables that exist until the
    /// program resumes.
    Prompt,
    /// Made by the client for display: refused if it would have side effects.
    Look,
}

/// In which states a request is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Needs {
    /// In every state. While the program runs it is answered without stopping it, after a short wait.
    Nothing,
    /// Only before the session has a program.
    NoProgram,
    /// Once a program was named, also if it could not be loaded.
    Program,
    /// When a program is loaded and not started, or is stopped.
    ReadyOrStopped,
    /// While the program is stopped.
    Stopped,
    /// While the program runs or is stopped.
    Started,
    /// While the program or an evaluation runs.
    Running,
}

impl Request {
    /// In which states it is allowed.
    pub fn needs(&self) -> Needs {
        match self {
            Request::Initialize(_) => Needs::NoProgram,
            Request::Restart(_) => Needs::Program,
            Request::Start => Needs::ReadyOrStopped,
            Request::Resume(_) | Request::Inspect(_) => Needs::Stopped,
            Request::Kill => Needs::Started,
            Request::Pause => Needs::Running,
            Request::Terminate
            | Request::Attach(_)
            | Request::Disconnect
            | Request::Input { .. }
            | Request::Breakpoint(_)
            | Request::Watch(_)
            | Request::Query(_) => Needs::Nothing,
        }
    }

    /// What it does, as the verb phrase in `Cannot …: …`.
    pub fn verb(&self) -> &'static str {
        match self {
            Request::Initialize(_) => "initialize",
            Request::Start => "start",
            Request::Restart(_) => "restart",
            Request::Resume(how) => how.verb(),
            Request::Pause => "pause",
            Request::Kill => "kill the program",
            Request::Terminate => "terminate",
            Request::Attach(_) => "attach",
            Request::Disconnect => "disconnect",
            Request::Input { .. } => "give input",
            Request::Breakpoint(request) => request.verb(),
            Request::Watch(WatchRequest::Add(_)) => "add a watch",
            Request::Watch(WatchRequest::Remove(_)) => "remove a watch",
            Request::Watch(WatchRequest::List) => "get watches",
            Request::Query(Query::State) => "get the state",
            Request::Query(Query::Threads) => "get threads",
            Request::Query(Query::Source { .. }) => "get the source",
            Request::Query(Query::Modules) => "get modules",
            Request::Inspect(request) => request.verb(),
        }
    }
}

impl Resume {
    /// The verb phrase, see [`Request::verb`].
    pub fn verb(&self) -> &'static str {
        match self {
            Resume::Continue => "continue",
            Resume::StepInto | Resume::StepIntoTarget(_) | Resume::StepOver | Resume::StepOut => "step",
            Resume::RunTo { .. } => "run to a line",
            Resume::Travel(_) => "go back",
        }
    }
}

impl BreakpointRequest {
    fn verb(&self) -> &'static str {
        match self {
            BreakpointRequest::Set { .. } => "set a breakpoint",
            BreakpointRequest::Clear { .. } => "clear a breakpoint",
            BreakpointRequest::SetAll { .. }
            | BreakpointRequest::SetFunctions(_)
            | BreakpointRequest::SetExceptions(_)
            | BreakpointRequest::SetData(_) => "set breakpoints",
            BreakpointRequest::List { .. } => "get breakpoints",
            BreakpointRequest::Enable(_, true) => "enable a breakpoint",
            BreakpointRequest::Enable(_, false) => "disable a breakpoint",
            BreakpointRequest::Remove(_) => "remove a breakpoint",
            BreakpointRequest::Change(..) => "change a breakpoint",
            BreakpointRequest::Locations { .. } => "get breakpoint locations",
        }
    }
}

impl Inspect {
    /// Whether it may change the program: its variables, what it has written, what is outside of it.
    pub fn may_change(&self) -> bool {
        match self {
            Inspect::SetVariable { .. } => true,
            Inspect::Evaluate(evaluate) => match evaluate.purpose {
                Purpose::Plain | Purpose::Prompt => true,
                Purpose::Look => false,
            },
            Inspect::Variables { .. }
            | Inspect::Children { .. }
            | Inspect::StackTrace { .. }
            | Inspect::StepTargets { .. }
            | Inspect::LastChange(_)
            | Inspect::Completions { .. } => false,
        }
    }

    fn verb(&self) -> &'static str {
        match self {
            Inspect::Variables { .. } => "get variables",
            Inspect::Children { .. } => "get children",
            Inspect::StackTrace { .. } => "get the stack trace",
            Inspect::StepTargets { .. } => "get step targets",
            Inspect::Evaluate(_) => "evaluate",
            Inspect::SetVariable { .. } => "set a variable",
            Inspect::LastChange(_) => "tell the last change",
            Inspect::Completions { .. } => "complete",
        }
    }
}

/// A breakpoint without options at the first statement of a line.
impl From<u32> for LineSpec {
    fn from(line: u32) -> LineSpec {
        LineSpec { place: LinePlace { line, column: None }, options: BreakpointOptions::default() }
    }
}

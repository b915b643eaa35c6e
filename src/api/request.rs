//! What a front end asks of a session.

use super::{
    Attach, BreakpointId, BreakpointOptions, Container, DataSpec, ExceptionSpec, FunctionSpec, Handle,
    LastChangeQuery, Launch, Limits, LinePlace, LineSpec, OptionsChange, Restart, Scope, WatchId,
};
use serde::{Deserialize, Serialize};

/// Number that a front end gives a request; its response carries the same one. Each front end counts by
/// itself and uses no number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(pub u64);

/// Exit status of a program that [`Request::Kill`] has ended: that of a process ended by SIGTERM.
pub const KILLED: i32 = 143;

/// A request. Each gets exactly one response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Names the program; reads and checks it.
    Initialize(Box<Launch>),
    /// Starts the program. The response comes before the program runs; the first stop, or the end, is an
    /// event.
    Start,
    /// Ends the program if it runs, reads it again, and starts it. The response comes before it runs.
    Restart(Box<Restart>),
    /// Lets a stopped program go on. The response comes before it does; the next stop, or the end, is an
    /// event.
    Resume(Resume),
    /// Stops a running program before its next statement, or interrupts an evaluation. The response comes
    /// at once, the stop is an event.
    Pause,
    /// Ends the program as if it had exited with [`KILLED`]. The response comes when it has ended, and the
    /// event after it; the session stays as after any other end of a program.
    Kill,
    /// Ends the program and the session. The response comes at once, the end is an event.
    Terminate,
    /// Begins the connection of a client that comes to a session which is there already: asks what there is
    /// to know. What was kept for the client follows the response. Carried out by the session.
    Attach(Box<Attach>),
    /// Ends the connection of the client; the session stays as it is, for another client. The response is the
    /// last that this one is told. Carried out by the session.
    Disconnect,
    /// Gives the program something to read from standard input.
    Input {
        /// Lines of input; a missing last line end is added.
        text: Option<String>,
        /// Whether nothing comes after that. A last line without an end then stays as it is.
        eof: bool,
    },
    /// Sets, changes or removes breakpoints. Possible at any time.
    Breakpoint(BreakpointRequest),
    /// Sets, removes or looks at watches. Possible at any time.
    Watch(WatchRequest),
    /// Asks about the session and its program. Possible at any time.
    Query(Query),
    /// Looks at, or evaluates in, a stopped program.
    Inspect(Inspect),
}

/// How a stopped program goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Resume {
    /// To the next breakpoint, or the end.
    Continue,
    /// To the next place, in a called function too.
    StepInto,
    /// Into one of the calls of the statement, see [`Inspect::StepTargets`], and into no other.
    StepIntoTarget(u32),
    /// To the next place in this call, or in its caller if it returns.
    StepOver,
    /// Until this call has returned.
    StepOut,
    /// To a place, if nothing stops the program before.
    RunTo {
        /// The file as the client names it.
        file: String,
        /// The place.
        place: LinePlace,
    },
    /// Through time, see [`Travel`].
    Travel(Travel),
}

/// How a stopped program goes through time. Possible if its history is kept ([`Launch::history`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Travel {
    /// To the place before, in a called function too: undoes [`Resume::StepInto`].
    StepBack,
    /// To the place before in this call, or to the call itself.
    StepBackOver,
    /// To the call of this function.
    StepBackOut,
    /// To the first position in the call of the frame with this index.
    RestartFrame(usize),
    /// To the last breakpoint before, or the beginning.
    ReverseContinue,
    /// To the first place from this step on.
    GoToStep(u64),
    /// Back to where the program really is.
    GoToPresent,
}

/// A request about breakpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointRequest {
    /// Sets a breakpoint; one that is set at the same place of the same file gets the new options.
    Set {
        /// The file as the client names it; a relative path starts at the session's working directory.
        file: String,
        /// What is asked for.
        spec: LineSpec,
    },
    /// Removes the breakpoints at a line, if there are any.
    Clear {
        /// The file as the client names it.
        file: String,
        /// The line that was asked for when they were set.
        line: u32,
    },
    /// Replaces all breakpoints at lines of a file. One that is asked for again keeps its number and hits.
    SetAll {
        /// The file as the client names it.
        file: String,
        /// What is asked for.
        specs: Vec<LineSpec>,
    },
    /// The breakpoints at lines.
    List {
        /// Those of one file, as the client names it.
        file: Option<String>,
    },
    /// Enables or disables a breakpoint of any kind.
    Enable(BreakpointId, bool),
    /// Removes a breakpoint of any kind.
    Remove(BreakpointId),
    /// Changes what a breakpoint does.
    Change(BreakpointId, OptionsChange),
    /// The places in some lines at which the program can stop.
    Locations {
        /// The file as the client names it.
        file: String,
        /// First line.
        first: u32,
        /// Last line.
        last: u32,
    },
    /// Replaces all breakpoints at functions. One that is asked for again keeps its number and hits.
    SetFunctions(Vec<FunctionSpec>),
    /// Replaces the errors at which the program stops.
    SetExceptions(Vec<ExceptionSpec>),
    /// Replaces all breakpoints at writes. One that is asked for again keeps its number and hits.
    SetData(Vec<DataSpec>),
}

/// A request about watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchRequest {
    /// Adds a watch.
    Add(String),
    /// Removes a watch.
    Remove(WatchId),
    /// All watches.
    List,
}

/// A question about the session and its program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    /// What a client needs that comes late: everything that is set, and where the program stands.
    State,
    /// The threads of the program; there is one.
    Threads,
    /// The text of a file of the program.
    Source {
        /// The file as the client names it.
        file: String,
    },
    /// The files of the program, and the modules of the library that it uses.
    Modules,
}

/// A question about a stopped program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inspect {
    /// The variables of a frame: parameters and locals, then the globals of its file.
    Variables {
        /// Index of the frame.
        frame: usize,
        /// Those of one scope only.
        scope: Option<Scope>,
        /// How much of each value is described.
        limits: Limits,
    },
    /// The parts of a value.
    Children {
        /// The value's handle.
        handle: Handle,
        /// Index of the first part wanted.
        start: usize,
        /// How many parts are wanted.
        count: usize,
        /// How much of each part is described.
        limits: Limits,
    },
    /// The call stack.
    StackTrace {
        /// Index of the first frame wanted.
        start: usize,
        /// How many frames are wanted.
        count: usize,
    },
    /// The calls of the user's functions in the statement at which a frame stands.
    StepTargets {
        /// Index of the frame.
        frame: usize,
    },
    /// Evaluates an expression, or carries out an assignment.
    Evaluate(Evaluate),
    /// Assigns the value of an expression to a variable or part.
    SetVariable {
        /// Where the name is looked for.
        container: Container,
        /// Name of the variable or part.
        name: String,
        /// The expression.
        value: String,
        /// How much of the new value is described.
        limits: Limits,
    },
    /// Where something got its value.
    LastChange(LastChangeQuery),
    /// How a name that is being typed could go on.
    Completions {
        /// The text typed so far, and what stands behind it.
        text: String,
        /// Where the cursor stands, as a column in code points, from 1.
        column: u32,
        /// Index of the frame in whose scope it stands.
        frame: usize,
    },
}

/// An expression to be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluate {
    /// Its text.
    pub expression: String,
    /// Index of the frame in whose scope it stands.
    pub frame: usize,
    /// What it is for.
    pub purpose: Purpose,
    /// How long it may take, in milliseconds; five seconds, if nothing is said.
    pub timeout_ms: Option<u32>,
    /// How much of the result is described.
    pub limits: Limits,
}

/// What an evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// The client has asked for it: it may have effects.
    Plain,
    /// The client's user has typed it: it may have effects, and declare variables that live until the
    /// program goes on.
    Prompt,
    /// The client evaluates it by itself: one that has effects is refused.
    Look,
}

/// When a request can be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Needs {
    /// In every state. Carried out beside a running program if it has to wait for too long.
    Nothing,
    /// Before the session has a program.
    NoProgram,
    /// Once a program was named.
    Program,
    /// Once a program is loaded, and while it is stopped.
    ReadyOrStopped,
    /// While the program is stopped.
    Stopped,
    /// While the program runs or is stopped.
    Started,
    /// While the program runs, or an evaluation does.
    Running,
}

impl Request {
    /// When it can be carried out.
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

    /// What it does, in the words of `Cannot …`.
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
    /// See [`Request::verb`].
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

/// A breakpoint that stops whenever control comes to a line.
impl From<u32> for LineSpec {
    fn from(line: u32) -> LineSpec {
        LineSpec { place: LinePlace { line, column: None }, options: BreakpointOptions::default() }
    }
}

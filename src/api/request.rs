//! What a front end asks of a session.

use super::{BreakpointSpec, Capability, Handle, Limits};

/// Number that a front end gives a request; its response carries the same one. Each front end counts by
/// itself and uses no number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(pub u64);

/// A request. Each gets exactly one response.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Names the program; reads and checks it.
    Initialize(Box<Launch>),
    /// Starts the program. The response comes before the program runs; the first stop, or the end, is an
    /// event.
    Start,
    /// Lets a stopped program go on. The response comes before it does; the next stop, or the end, is an
    /// event.
    Resume(Resume),
    /// Stops a running program before its next statement, or interrupts an evaluation. The response comes
    /// at once, the stop is an event.
    Pause,
    /// Ends the program and the session. The response comes at once, the end is an event.
    Terminate,
    /// Gives the program something to read from standard input.
    Input {
        /// Lines of input; a missing last line end is added.
        text: Option<String>,
        /// Whether nothing comes after that. A last line without an end then stays as it is.
        eof: bool,
    },
    /// Sets, changes or removes breakpoints. Possible at any time.
    Breakpoint(BreakpointRequest),
    /// Looks at, or evaluates in, a stopped program.
    Inspect(Inspect),
}

/// How to begin a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The program's main file; the one that the server was started with, if there is none.
    pub file: Option<String>,
    /// The program's working directory, and where relative paths start; the server's own, if there is
    /// none.
    pub working_dir: Option<String>,
    /// Whether the program stops at its first statement; if nothing is said, it does when no breakpoint
    /// is set.
    pub stop_on_entry: Option<bool>,
    /// What the program is kept from.
    pub deny: Vec<Capability>,
    /// Most memory that the program may take, in bytes; three quarters of what there is, if nothing is
    /// said.
    pub memory_limit: Option<u64>,
    /// How much of each changed variable is described at a stop.
    pub limits: Limits,
}

/// How a stopped program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// To the next breakpoint, or the end.
    Continue,
    /// To the next place, in a called function too.
    StepInto,
    /// To the next place in this call, or in its caller if it returns.
    StepOver,
    /// Until this call has returned.
    StepOut,
}

/// A request about breakpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakpointRequest {
    /// Sets a breakpoint; one that is set at the same line of the same file gets the new condition.
    Set(BreakpointSpec),
    /// Removes the breakpoint at a line, if there is one.
    Clear {
        /// The file as the client names it.
        file: String,
        /// The line that was asked for when it was set.
        line: u32,
    },
}

/// A question about a stopped program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inspect {
    /// The variables of a frame: parameters and locals, then the globals of its file.
    Variables {
        /// Index of the frame.
        frame: usize,
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
        /// Most frames in the answer, from the innermost one.
        most: usize,
    },
    /// Evaluates an expression, or carries out an assignment.
    Evaluate {
        /// Its text.
        expression: String,
        /// Index of the frame in whose scope it stands.
        frame: usize,
        /// How much of the result is described.
        limits: Limits,
    },
}

/// When a request can be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// In every state. Carried out beside a running program if it has to wait for too long.
    Nothing,
    /// Before the session has a program.
    NoProgram,
    /// Once a program is loaded, and while it is stopped.
    ReadyOrStopped,
    /// While the program is stopped.
    Stopped,
    /// While the program runs, or an evaluation does.
    Running,
}

impl Request {
    /// When it can be carried out.
    pub fn needs(&self) -> Needs {
        match self {
            Request::Initialize(_) => Needs::NoProgram,
            Request::Start => Needs::ReadyOrStopped,
            Request::Resume(_) | Request::Inspect(_) => Needs::Stopped,
            Request::Pause => Needs::Running,
            Request::Terminate | Request::Input { .. } | Request::Breakpoint(_) => Needs::Nothing,
        }
    }

    /// What it does, in the words of `Cannot …`.
    pub fn verb(&self) -> &'static str {
        match self {
            Request::Initialize(_) => "initialize",
            Request::Start => "start",
            Request::Resume(Resume::Continue) => "continue",
            Request::Resume(Resume::StepInto | Resume::StepOver | Resume::StepOut) => "step",
            Request::Pause => "pause",
            Request::Terminate => "terminate",
            Request::Input { .. } => "give input",
            Request::Breakpoint(BreakpointRequest::Set(_)) => "set a breakpoint",
            Request::Breakpoint(BreakpointRequest::Clear { .. }) => "clear a breakpoint",
            Request::Inspect(Inspect::Variables { .. }) => "get variables",
            Request::Inspect(Inspect::Children { .. }) => "get children",
            Request::Inspect(Inspect::StackTrace { .. }) => "get the stack trace",
            Request::Inspect(Inspect::Evaluate { .. }) => "evaluate",
        }
    }
}

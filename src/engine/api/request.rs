//! Requests: what a front end asks of a session.
//!
//! A *place* is a position where execution can stop; SPEC.md section 5.1 lists them.

use serde::{Deserialize, Serialize};

use super::{
    Attach, BreakpointRequest, Cell, Inspect, Investigate, Launch, LineLocation, Query, Restart,
    SetExpectedOutput, Share, WatchRequest,
};

/// The number by which a front end, or a client that numbers by itself, knows a request; the response carries the same
/// number. It means something on its connection only: within a session the request has a [`RequestId`], which only the
/// connection makes of it. A front end never uses a number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct RequestNumber(u64);

impl RequestNumber {
    /// How many bits a number has at most.
    pub const BITS: u32 = 40;

    /// The largest number.
    pub const MAX: RequestNumber = RequestNumber((1 << RequestNumber::BITS) - 1);

    /// `None` if the number is too large.
    pub const fn new(number: u64) -> Option<RequestNumber> {
        if number <= RequestNumber::MAX.0 { Some(RequestNumber(number)) } else { None }
    }

    /// The number within a session whose bits beyond [`RequestNumber::BITS`] are not looked at.
    pub const fn of_low_bits(number: u64) -> RequestNumber {
        RequestNumber(number & RequestNumber::MAX.0)
    }

    /// The number as such.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl From<RequestNumber> for u64 {
    fn from(number: RequestNumber) -> u64 {
        number.0
    }
}

impl TryFrom<u64> for RequestNumber {
    type Error = String;

    fn try_from(number: u64) -> Result<RequestNumber, String> {
        let max = RequestNumber::MAX.0;
        RequestNumber::new(number)
            .ok_or_else(|| format!("the number of a request must be at most {max}, got {number}"))
    }
}

/// The number of a request within a session, whoever has made it. That of a client's request is made by its connection,
/// of a [`RequestNumber`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RequestId(pub u64);

impl RequestId {
    /// From here on, the numbers are those of requests that a session makes itself.
    pub const OF_SESSION: u64 = 1 << 62;
    /// From here on, the numbers are those of requests that an engine makes to an instance of the past; nobody else
    /// gets the responses.
    pub const OF_ENGINE: u64 = 1 << 63;

    /// Whether a session has made it.
    pub fn is_of_session(self) -> bool {
        (RequestId::OF_SESSION..RequestId::OF_ENGINE).contains(&self.0)
    }
}

/// Exit status of a program ended by [`Request::Kill`]: that of a process ended by SIGTERM.
pub const KILLED: i32 = 143;

/// A request. Each gets exactly one response (a [`super::Response`] or a [`super::Failure`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// What the session answers by itself.
    Session(SessionRequest),
    /// Loads a program: reads and checks its files.
    Initialize(Box<Launch>),
    /// Starts the program. The response comes before the program runs; the first stop, or the end, is an
    /// event. The parameter replaces [`Launch::stop_on_entry`], if it is given.
    Start(Option<bool>),
    /// Checks and runs a cell, in a session of cells. The response comes before it runs; its stops and its end
    /// ([`super::Event::CellEnded`]) are events. The failure of a cell with errors has them as problems and as a report.
    RunCell(Box<Cell>),
    /// Says whether cells that start from now on stop at breakpoints. At first they do not, and run faster.
    SetDebugging(bool),
    /// Says what programs that start from now on are to write.
    SetExpectedOutput(Box<SetExpectedOutput>),
    /// Ends the program if it runs, loads it again, and starts it. The response comes before it runs. In a session of
    /// cells it only forgets everything that cells have declared.
    Restart(Box<Restart>),
    /// Resumes a stopped program. The response comes before it runs; the next stop, or the end, is an event.
    Resume(Resume),
    /// Stops a running program before its next statement, or interrupts an evaluation. The response comes
    /// at once, the stop is an event.
    Pause,
    /// Ends the program as if it had exited with [`KILLED`], or the cell that runs. The response comes when it has
    /// ended, and the event after it; the session stays as after any other end of a program.
    Kill,
    /// Ends the program and the session. The response comes at once, the end is an event.
    Terminate,
    /// Removes all breakpoints, and lets a program that was started run on, whatever it does at present: an
    /// evaluation, a step, a move through the past. Made by the session for [`SessionRequest::Disconnect`].
    Detach,
    /// Sets, changes, lists or removes breakpoints. Allowed in every state.
    Breakpoint(BreakpointRequest),
    /// Adds, lists or removes watches. Allowed in every state.
    Watch(WatchRequest),
    /// Asks about the session or its program. Allowed in every state.
    Query(Query),
    /// Inspects a stopped program or evaluates in it.
    Inspect(Inspect),
    /// Asks what has happened in the program's past. Needs [`super::Launch::history`].
    Investigate(Investigate),
}

/// A request that the session answers, not the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SessionRequest {
    /// Connects a client to an existing session. The response describes the session; the events and output
    /// kept while there was no client follow.
    Attach(Box<Attach>),
    /// Disconnects the client; the session continues without one. The response is the last message that the
    /// client gets.
    Disconnect {
        /// Whether the program goes on as if no client had been there: without breakpoints of any kind, and running
        /// if it has been started. Otherwise it stays as it is.
        resume: bool,
    },
    /// Lets guests join the session, from now on.
    Share(Box<Share>),
    /// Sends the guests away, and lets no more join.
    Unshare,
    /// Lists the guests.
    GetGuests,
    /// Lists the child processes.
    GetProcesses,
    /// Lets the child process with this id run that waits before its first statement.
    ReleaseChild(u32),
    /// Provides standard input to the program.
    Input {
        /// Lines of input; a missing line end is added to the last one.
        text: Option<String>,
        /// Whether this is the end of the input. If so, no line end is added.
        eof: bool,
    },
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
        place: LineLocation,
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

impl Request {
    /// Whether it lets a program run that is loaded. A pause that follows it is meant for that run.
    pub fn resumes(&self) -> bool {
        matches!(self, Request::Start(_) | Request::RunCell(_) | Request::Resume(_))
    }
}

impl SessionRequest {
    /// The verb phrase, see [`Request::verb`].
    pub fn verb(&self) -> &'static str {
        match self {
            SessionRequest::Attach(_) => "attach",
            SessionRequest::Disconnect { .. } => "disconnect",
            SessionRequest::Share(_) => "share",
            SessionRequest::Unshare => "unshare",
            SessionRequest::GetGuests => "get guests",
            SessionRequest::GetProcesses => "get processes",
            SessionRequest::ReleaseChild(_) => "release a child process",
            SessionRequest::Input { .. } => "give input",
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

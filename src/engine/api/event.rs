//! Events: messages that a session sends to its client without a request. Program output is not an event:
//! there may be a great deal of it, so it takes a shorter path (`crate::session::Outbox`), in order with the
//! events.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{
    Breakpoint, BreakpointId, CellEnded, ChildProcess, Company, Described, Difference, ExceptionFilter,
    Frame, Location, OutputState, Problem, Unfolded, Variable, Watch,
};

/// A message that the session sends without a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The program has stopped: before a statement, or after a call has returned.
    Stopped(Box<Stopped>),
    /// The condition of a breakpoint that was set before the program was loaded is not a valid `bool`
    /// expression.
    WrongCondition(Breakpoint),
    /// Breakpoints have changed without a request of the client: they stop elsewhere in a program that was loaded
    /// again, the variable that one watches no longer exists, or another client of a shared session has changed them.
    BreakpointsChanged {
        /// Each breakpoint as it is now (if it was removed, as it was), and what has become of it.
        changes: Vec<(Breakpoint, ChangeReason)>,
        /// The name of the client that has changed them; `None`: the session has.
        #[serde(default)]
        by: Option<String>,
    },
    /// The text of a log point that was hit.
    Log(String),
    /// The value of a watch has changed. Follows the stop, or the assignment by the client, that changed it.
    WatchChanged(Watch),
    /// Progress of a long move through the program's history. `pause` cancels the move.
    Progress(Progress),
    /// The program has begun to wait for a line of standard input, and none is there. `None` if it is not known which
    /// call reads it.
    InputRequested(Option<Reader>),
    /// The cell that ran has ended.
    CellEnded(Box<CellEnded>),
    /// A child process has announced itself; also sent to a client that attaches, for each child process that
    /// has not ended.
    ChildStarted(Box<ChildProcess>),
    /// A child process has ended.
    ChildEnded(ChildEnd),
    /// What another client of a shared session does.
    Company(Company),
    /// The program has ended.
    Exited(Box<Exited>),
    /// The interpreter itself failed (a bug); the program has ended. The text says so.
    Failed(String),
    /// The session has ended: the last event.
    Terminated,
}

/// What has become of a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeReason {
    /// It was set.
    New,
    /// Its options, its place or its state are others.
    Changed,
    Removed,
}

impl ChangeReason {
    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            ChangeReason::New => "new",
            ChangeReason::Changed => "changed",
            ChangeReason::Removed => "removed",
        }
    }
}

/// A call that reads a line of standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    /// Where it is, and a pause would stop the program.
    pub location: Location,
    /// The step of its statement.
    pub step: u64,
}

/// Why a program stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// It is about to execute its first statement.
    Entry,
    /// A step is complete.
    Step,
    /// It hit a breakpoint; of several, the one with the lowest number.
    Breakpoint(BreakpointId),
    /// It entered a function that has a breakpoint.
    FunctionBreakpoint(BreakpointId),
    /// It wrote to what a data breakpoint watches.
    DataBreakpoint(BreakpointId),
    /// A run-time error or an `Error` value that an exception filter selects.
    Exception,
    /// It reached the target of [`super::Resume::RunTo`].
    RunTo,
    /// It was asked to pause.
    Pause,
    /// The client has moved through the history, and has returned to the program's present.
    Present,
    /// It is about to end. Occurs only if the history is kept.
    End,
    /// The client has gone back to the beginning of a call.
    Restart,
    /// It has written something else than is expected ([`super::SetExpectedOutput`]), or less.
    Output,
}

impl StopReason {
    /// The breakpoint that stopped the program, if one did.
    pub fn breakpoint(self) -> Option<BreakpointId> {
        match self {
            StopReason::Breakpoint(id)
            | StopReason::FunctionBreakpoint(id)
            | StopReason::DataBreakpoint(id) => Some(id),
            StopReason::Entry
            | StopReason::Step
            | StopReason::Exception
            | StopReason::RunTo
            | StopReason::Pause
            | StopReason::Present
            | StopReason::End
            | StopReason::Restart
            | StopReason::Output => None,
        }
    }

    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Entry => "entry",
            StopReason::Step => "step",
            StopReason::Breakpoint(_) => "breakpoint",
            StopReason::FunctionBreakpoint(_) => "function breakpoint",
            StopReason::DataBreakpoint(_) => "data breakpoint",
            StopReason::Exception => "exception",
            StopReason::RunTo => "runTo",
            StopReason::Pause => "pause",
            StopReason::Present => "present",
            StopReason::End => "end",
            StopReason::Restart => "restart",
            StopReason::Output => "output",
        }
    }
}

/// Progress of a long operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The operation, in words for a user.
    pub title: String,
    /// Part that is done, 0 to 100; never decreases.
    pub percentage: u32,
    /// Whether the operation is over, successfully or not.
    pub is_over: bool,
}

/// The end of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildEnd {
    /// Its process id.
    pub pid: u32,
    /// Its exit status; `None` if it was killed.
    pub status: Option<i32>,
}

/// Position of a stop in the program's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The step that the live program has reached.
    pub present: u64,
    /// Whether this stop is earlier than that.
    pub is_past: bool,
    /// How many bytes the program had written to both streams by then.
    pub output_length: u64,
    /// `true` if the program is stopped after a call returned, `false` if before a statement.
    pub after_return: bool,
    /// For a stop at an `Error` value: how many of them were created since the statement began or since the
    /// last return from a call, this one included; else 0.
    pub error_values: u32,
}

/// What [`Stopped::step`] is, for the descriptions of protocols.
pub const STEP: &str = "How many places the program has come to, this one included: statements, and loop headers before each round.";

/// A stop of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why it stopped.
    pub reason: StopReason,
    /// In a shared session, the name of the client that has resumed or paused the program.
    #[serde(default)]
    pub by: Option<String>,
    /// The statement before which the program stands, or the call from which it has just returned.
    pub location: Location,
    /// Details of the reason, such as the error with which a condition failed.
    pub text: Option<String>,
    /// The reason as one sentence for a learner.
    pub description: String,
    /// How many calls are in progress.
    pub frame_count: usize,
    /// How many places the program has come to so far (SPEC.md section 5.1), the one where it stands included: the first
    /// statement has step 1. A statement is a place each time it is executed, and the header of a loop is one before each
    /// round. Equal in every run with the same input. For clients: [`STEP`].
    pub step: u64,
    /// Position in the history; `None` if no history is kept.
    pub moment: Option<Moment>,
    /// Number of hits of the breakpoint in `reason`, if it is known (see [`Breakpoint::hits`]); `None` for other
    /// reasons.
    pub hits: Option<u32>,
    /// All breakpoints that were hit here, in order of their numbers.
    pub breakpoints: Vec<BreakpointId>,
    /// The result of the function that has just returned, if a step ended there.
    pub returned: Option<Returned>,
    /// The write that hit a data breakpoint.
    pub written: Option<Written>,
    /// The error of an [`StopReason::Exception`].
    pub raised: Option<Raised>,
    /// The first difference between its output and what is expected, at a stop for [`StopReason::Output`], and whenever
    /// the client is told again that the program is stopped there.
    pub difference: Option<Box<Difference>>,
    /// The changed variables: those of the innermost frame that are new or have changed since the last stop
    /// in that frame, in order of declaration, then the globals that have changed since the last stop.
    pub changed: Vec<Variable>,
    /// What was computed by the statements that have come to their end since the last stop, if they are
    /// observed ([`super::Launch::observe`]); at an error and at the end of the program also what the
    /// statements in progress have computed so far. If such a statement goes on, it comes again when it has ended.
    pub computed: Vec<Unfolded>,
}

impl Stopped {
    /// A stop with everything optional left empty, in one frame at step 0.
    pub fn new(reason: StopReason, location: Location) -> Stopped {
        Stopped {
            reason,
            by: None,
            location,
            text: None,
            description: String::new(),
            frame_count: 1,
            step: 0,
            moment: None,
            hits: None,
            breakpoints: Vec::new(),
            returned: None,
            written: None,
            raised: None,
            difference: None,
            changed: Vec::new(),
            computed: Vec::new(),
        }
    }
}

/// The error at a stop for [`StopReason::Exception`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Raised {
    /// Which filter selected it.
    pub filter: ExceptionFilter,
    pub message: String,
    /// Its code (`E5001`), or the code of an `Error` value; `None` if it has none.
    pub code: Option<String>,
    /// Advice on how to fix it, if there is any.
    pub help: Option<String>,
    /// The call stack, innermost frame first.
    pub stack: Vec<Frame>,
}

/// The result of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Returned {
    /// Name of the function.
    pub function: String,
    /// Its result.
    pub value: Described,
}

/// A write to a variable or part that a data breakpoint watches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The variable or part in words: `field x of p`.
    pub description: CompactString,
    /// The value before the write; `None` if there was none.
    pub old: Option<Described>,
    /// The value after it.
    pub new: Described,
    /// The statement that wrote.
    pub at: Location,
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exited {
    pub status: i32,
    /// The run-time error that ended it; `None` if it ended otherwise.
    pub error: Option<Problem>,
    /// How far its output was as it is expected; `None` if nothing is.
    pub output: Option<OutputState>,
}

impl Exited {
    /// An end of which only the status is known.
    pub fn with_status(status: i32) -> Exited {
        Exited { status, error: None, output: None }
    }
}

//! What a session tells without having been asked. Program output is not among it, since there may be a
//! great deal of that: it goes its own, shorter way (`crate::session::Outbox`), in order with the events.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{
    Breakpoint, BreakpointId, Described, ExceptionFilter, Frame, Location, Problem, Variable, Watch,
};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The program stands before a statement.
    Stopped(Box<Stopped>),
    /// The condition of a breakpoint turned out to be wrong when the program was loaded.
    WrongCondition(Breakpoint),
    /// What became of a breakpoint has changed other than by a request for it: it stops at another place
    /// of a program that was read again, or what it watches has gone.
    BreakpointChanged {
        /// What it is now.
        breakpoint: Breakpoint,
        /// Whether it is gone.
        removed: bool,
    },
    /// The text of a log point that was hit.
    Log(String),
    /// What a watch shows has changed. Comes after the stop, or the assignment, by which it has.
    WatchChanged(Watch),
    /// How far a journey through time has come that takes long. `pause` ends it.
    Progress(Progress),
    /// The program waits for input, and there is none.
    InputRequested,
    /// The program has ended.
    Exited(Box<Exited>),
    /// The interpreter failed; the program has ended.
    Failed(String),
    /// The session is over: nothing follows.
    Terminated,
}

/// Why a program stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// It stands at its first statement.
    Entry,
    /// A step ended.
    Step,
    /// It hit a breakpoint; of several, the one with the lowest number.
    Breakpoint(BreakpointId),
    /// It called a function that has a breakpoint.
    FunctionBreakpoint(BreakpointId),
    /// It wrote what a breakpoint watches.
    DataBreakpoint(BreakpointId),
    /// An error that the client wants to see.
    Exception,
    /// It came to the place to which it was to run.
    RunTo,
    /// It was asked to pause.
    Pause,
    /// It was gone back in time, and is again where the program really is.
    Present,
    /// It is about to end. Only if its history is kept.
    End,
    /// It was gone back to the beginning of a call.
    Restart,
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
            | StopReason::Restart => None,
        }
    }

    /// Its name in protocols.
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
        }
    }
}

/// How far something has come that takes long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is, for a user.
    pub title: String,
    /// How much of it is done, in percent; never decreases.
    pub percentage: u32,
    /// Whether it is over, whatever its outcome.
    pub is_over: bool,
}

/// Where a stop is in the history of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The step at which the program really is.
    pub present: u64,
    /// Whether the stop is before that.
    pub is_past: bool,
    /// How many bytes the program had written by then.
    pub output_length: u64,
    /// Whether a call has just returned, instead of a statement being next.
    pub after_return: bool,
    /// How many `Error` values have come into being since the statement began or a call has returned, if the
    /// program stands at one.
    pub error_values: u32,
}

/// A stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// The statement before which the program stands, or the call from which it has just returned.
    pub location: Location,
    /// More to say about the reason, such as why a condition failed.
    pub text: Option<String>,
    /// The reason as a sentence that a learner understands.
    pub description: String,
    /// How many frames there are.
    pub frame_count: usize,
    /// How many places the program has passed: statements, and loop headers that decided again. The same in
    /// every run with the same input.
    pub step: u64,
    /// Where in its history, if that is kept.
    pub moment: Option<Moment>,
    /// How often the breakpoint of the reason was hit.
    pub hits: Option<u32>,
    /// All breakpoints that were hit here, in order of their numbers.
    pub breakpoints: Vec<BreakpointId>,
    /// What the function gave that has just returned, if a step ended at its call.
    pub returned: Option<Returned>,
    /// The write at which a data breakpoint stopped.
    pub written: Option<Written>,
    /// The error at which the program stopped.
    pub raised: Option<Raised>,
    /// What has changed: the variables of the innermost frame that are new or have changed since the last
    /// stop in that frame, in order of declaration, then the globals that have changed since the last
    /// stop.
    pub changed: Vec<Variable>,
}

impl Stopped {
    /// A stop of which only the most necessary is said.
    pub fn new(reason: StopReason, location: Location) -> Stopped {
        Stopped {
            reason,
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
            changed: Vec::new(),
        }
    }
}

/// An error at which a program stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Raised {
    /// What kind of error it is.
    pub filter: ExceptionFilter,
    /// What is wrong.
    pub message: String,
    /// Its code, if it has one.
    pub code: Option<String>,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// The frames, innermost first.
    pub stack: Vec<Frame>,
}

/// What a function gave.
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
    /// Which it is: `field x of p`.
    pub description: CompactString,
    /// What it held before.
    pub old: Described,
    /// What it holds now.
    pub new: Described,
    /// The statement that wrote it.
    pub at: Location,
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exited {
    /// Its exit status.
    pub status: i32,
    /// The run-time error that ended it, if one did.
    pub error: Option<Problem>,
}

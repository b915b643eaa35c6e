//! What a session tells without having been asked. Program output is not among it, since there may be a
//! great deal of that: it goes its own, shorter way (`crate::session::Outbox`), in order with the events.

use super::{Breakpoint, BreakpointId, Location, Problem, Variable};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program stands before a statement.
    Stopped(Box<Stopped>),
    /// What became of a breakpoint has changed other than by a request for it: its condition turned out
    /// to be wrong when the program was loaded.
    BreakpointChanged(Breakpoint),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It stands at its first statement.
    Entry,
    /// A step ended.
    Step,
    /// It hit a breakpoint; of several, the one with the lowest number.
    Breakpoint(BreakpointId),
    /// It was asked to pause.
    Pause,
}

/// A stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// The statement before which the program stands, or the call from which it has just returned.
    pub location: Location,
    /// More to say about the reason, such as why a condition failed.
    pub text: Option<String>,
    /// What has changed: the variables of the innermost frame that are new or have changed since the last
    /// stop in that frame, in order of declaration, then the globals that have changed since the last
    /// stop.
    pub changed: Vec<Variable>,
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Exited {
    /// Its exit status.
    pub status: i32,
    /// The run-time error that ended it, if one did.
    pub error: Option<Problem>,
}

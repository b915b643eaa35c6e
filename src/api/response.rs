//! What a request that succeeds is answered.

use super::{Breakpoint, Described, Frame, Problem, Variable};

/// The answer to a request. Each variant names the request that it answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// To [`super::Request::Initialize`]: the program is loaded and sound.
    Initialized(Initialized),
    /// To [`super::Request::Start`]: the program runs from now on.
    Started,
    /// To [`super::Request::Resume`], and to `Start` at a stop: the program runs from now on.
    Resumed,
    /// To [`super::Request::Pause`]: the program will stop, or the evaluation end.
    Pausing,
    /// To [`super::Request::Terminate`]: the session will end.
    Terminating,
    /// To [`super::Request::Input`].
    InputTaken,
    /// To [`super::BreakpointRequest::Set`]: the breakpoint, and what became of it.
    BreakpointSet(Breakpoint),
    /// To [`super::BreakpointRequest::Clear`]: there is no breakpoint at that line (any more).
    BreakpointCleared,
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
    /// To [`super::Inspect::Evaluate`]: the value; `nil` for an assignment.
    Evaluated(Described),
}

/// A program that was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Initialized {
    /// Its main file, as the client (or the command line of the server) named it.
    pub file: String,
    /// Warnings of the check, in source order.
    pub warnings: Vec<Problem>,
}

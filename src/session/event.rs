//! What a session tells a front end: plain data. Program output is not among it, since there may be
//! a great deal of that: see [`super::Encoder::output`].

use crate::debug::{Evaluated, Frame, Location, Problem, Stopped, Variable};
use crate::diagnostics::{Code, Severity};

/// Something that happened, or the answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    /// The program is loaded and checked.
    Initialized {
        /// The file as the client named it.
        file: String,
        /// Warnings of the check.
        warnings: Vec<Problem>,
        /// Highest version that the client knows, if it said so.
        version: Option<u32>,
    },
    /// More warnings of the check, where one message cannot hold them all.
    Warnings(Vec<Problem>),
    /// The program starts.
    Started,
    /// It stands before a statement. What has changed comes by itself.
    Stopped(Stopped),
    /// A variable is new or has changed at the stop told before.
    VariableUpdate(Variable),
    /// Something failed.
    Error(Failure),
    /// The program has ended.
    Exited {
        /// Its status.
        status: i32,
    },
    /// The session is over.
    Terminated,
    /// The variables of a frame.
    Variables {
        /// Number of the frame.
        frame: usize,
        /// They.
        variables: Vec<Variable>,
    },
    /// The frames.
    StackTrace {
        /// The innermost ones.
        frames: Vec<Frame>,
        /// How many there are in all.
        total: usize,
    },
    /// The value of an expression.
    Evaluated {
        /// The expression.
        expression: String,
        /// Its value.
        value: Evaluated,
    },
    /// A breakpoint is set.
    BreakpointSet {
        /// The file as the client named it.
        file: String,
        /// The line that was asked for.
        line: u32,
        /// Number of the breakpoint.
        id: u32,
    },
    /// There is no breakpoint (any more).
    BreakpointCleared {
        /// The file as the client named it.
        file: String,
        /// The line that was asked for.
        line: u32,
    },
    /// The program waits for input.
    InputRequested,
}

/// What is wrong: with a command, with the program, or with a message that is not understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// What is wrong.
    pub message: String,
    /// Code, of errors that the program has.
    pub code: Option<Code>,
    /// Severity, of the same.
    pub severity: Option<Severity>,
    /// Where in the program.
    pub location: Option<Location>,
    /// Name of the command that failed.
    pub command: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// Calls that were under way.
    pub stack: Vec<Frame>,
}

impl Failure {
    /// That of a command.
    pub fn of_command(command: &str, message: impl Into<String>) -> Failure {
        Failure { message: message.into(), command: Some(command.to_string()), ..Failure::default() }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let Problem { message, code, severity, location, help, stack } = problem;
        Failure { message, code: Some(code), severity: Some(severity), location, command: None, help, stack }
    }
}

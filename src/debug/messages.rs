//! What goes between the engine, which lives on the interpreter's thread, and a session: plain data.

use std::path::PathBuf;

use crate::diagnostics::{Code, Severity};

/// What a session asks of a program that runs or is stopped. A running program is told through its
/// [`crate::debug::InterruptHandle`] that requests are waiting.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Begin to run. Before it, breakpoints can be set.
    Start {
        /// Whether to stop at the first statement of `main`.
        stop_at_entry: bool,
    },
    /// Go on. Only when stopped.
    Resume(Resume),
    /// Stop before the next statement; nothing if it is stopped already.
    Pause,
    /// End the program. Answered by [`Event::Ended`].
    Terminate,
    /// Sets a breakpoint, or changes the one with this id. Answered by [`Event::BreakpointSet`].
    SetBreakpoint(BreakpointSpec),
    /// Removes the breakpoint with this id. Not answered.
    ClearBreakpoint(u32),
    /// Variables of a frame (0: innermost). Only when stopped. Answered by [`Event::Variables`].
    Variables {
        /// Number of the frame.
        frame: usize,
    },
    /// Only when stopped. Answered by [`Event::StackTrace`].
    StackTrace,
    /// Only when stopped. Answered by [`Event::Evaluated`].
    Evaluate {
        /// An expression, or an assignment.
        expression: String,
        /// Number of the frame.
        frame: usize,
    },
}

/// How to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// To the next breakpoint.
    Continue,
    /// To the next place, wherever it is.
    Into,
    /// To the next place in this call or a caller.
    Over,
    /// To the caller.
    Out,
}

/// A breakpoint as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointSpec {
    /// Its number.
    pub id: u32,
    /// Absolute path; links need not be resolved.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// A bool expression: it stops only where that is true.
    pub condition: Option<String>,
}

/// What became of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointState {
    /// Its number.
    pub id: u32,
    /// Whether there is a statement where it can stop.
    pub verified: bool,
    /// Line where it stops (it slides forward to the next statement).
    pub line: u32,
    /// Why it is not verified, or what is wrong with its condition.
    pub message: Option<String>,
}

/// What the engine tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program stands before a statement.
    Stopped(Stopped),
    /// The program has ended; the engine answers nothing more.
    Ended(Ended),
    /// Answer to [`Request::SetBreakpoint`]; an `Err` says what is wrong with the condition.
    BreakpointSet(Result<BreakpointState, String>),
    /// Answer to [`Request::Variables`]; an `Err` says that there is no such frame.
    Variables(Result<Vec<Variable>, String>),
    /// Answer to [`Request::StackTrace`]: the innermost frames, and how many there are in all.
    StackTrace {
        /// Innermost first, at most 100.
        frames: Vec<Frame>,
        /// All of them.
        total: usize,
    },
    /// Answer to [`Request::Evaluate`].
    Evaluated(Result<Evaluated, String>),
}

/// Why the program stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// At the first statement.
    Entry,
    /// A step ended.
    Step,
    /// A breakpoint; its number.
    Breakpoint(u32),
    /// It was asked to pause.
    Pause,
}

/// A stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// Where.
    pub location: Location,
    /// Something to tell beside it, such as a condition that failed.
    pub text: Option<String>,
    /// Variables of the innermost frame that are new or have changed since the last stop in that
    /// frame, in declaration order, then globals that have changed since the last stop.
    pub changed: Vec<Variable>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Absolute path, links not resolved.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// A variable at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value as protocol text, cut to a preview.
    pub value: String,
    /// Its type's protocol name.
    pub type_name: String,
}

/// A frame of the call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number, 0 is the innermost.
    pub index: usize,
    /// The function's name.
    pub function: String,
    /// Where it stands.
    pub location: Location,
}

/// A value computed at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value as protocol text.
    pub result: String,
    /// Its type's protocol name.
    pub type_name: String,
}

/// How the program ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Status it ends with.
    pub status: i32,
    /// The run-time error, if one ended it.
    pub error: Option<Problem>,
    /// Whether it was told to end.
    pub terminated: bool,
}

/// An error or warning as data: found before running, or at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Its code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Where, if it is anywhere.
    pub location: Option<Location>,
    /// What to do.
    pub help: Option<String>,
    /// Calls that were under way (run-time errors), innermost first; empty if only `main` was.
    pub stack: Vec<Frame>,
}

//! Breakpoints: what a client requests, and the state of each breakpoint that is set.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::{Handle, Location};

/// Number of a breakpoint of any kind: from 1, unique within a session, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BreakpointId(pub u32);

/// What a breakpoint does when execution reaches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointOptions {
    /// A `bool` expression, evaluated in the frame that reached the breakpoint; only `true` counts as a hit.
    /// `None`: every time.
    pub condition: Option<String>,
    /// Which hits stop the program: `N` or `== N`, `>= N`, `> N`, `<= N`, `< N`, `% N` (every N-th). `None`:
    /// all.
    pub hit_condition: Option<String>,
    /// For a log point: the text to send as [`super::Event::Log`] instead of stopping. `{expression}` is
    /// replaced by its value; doubled braces stand for themselves.
    pub log_message: Option<String>,
    /// `false`: never hit, but kept.
    pub enabled: bool,
}

impl Default for BreakpointOptions {
    fn default() -> BreakpointOptions {
        BreakpointOptions { condition: None, hit_condition: None, log_message: None, enabled: true }
    }
}

/// A line, or one statement of it, where the program is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1, to select one of several statements on the line; `None`: the first one.
    pub column: Option<u32>,
}

/// A line breakpoint as a client requests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSpec {
    /// Where to stop.
    pub place: LinePlace,
    /// What to do there.
    pub options: BreakpointOptions,
}

/// A function breakpoint as a client requests it. It stops before the first statement of the function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSpec {
    /// Name of the function: `f`, or `module.f` in an imported module.
    pub name: String,
    /// What to do there.
    pub options: BreakpointOptions,
}

/// Where to look up a variable or a part of a value by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    /// The variables visible in the frame with this index.
    Frame(usize),
    /// The parts of the value with this handle.
    Value(Handle),
}

/// A data breakpoint (stop on a write) as a client requests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSpec {
    /// What to watch.
    pub target: DataTarget,
    /// What to do when it is written.
    pub options: BreakpointOptions,
}

/// What a data breakpoint watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataTarget {
    /// A variable or part, looked up now: only while the program is stopped.
    Named {
        /// Where the name is looked for.
        container: Container,
        /// Name of the variable, or of the part: `x`, `[3]`, `["key"]`.
        name: String,
    },
    /// Whatever the existing breakpoint with this number watches; that one is kept and gets the new options.
    Same(BreakpointId),
}

/// Changes to the options of a breakpoint. `None` leaves an option as it is, `Some(None)` removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsChange {
    /// See [`BreakpointOptions::condition`].
    pub condition: Option<Option<String>>,
    /// See [`BreakpointOptions::hit_condition`].
    pub hit_condition: Option<Option<String>>,
    /// See [`BreakpointOptions::log_message`].
    pub log_message: Option<Option<String>>,
}

/// What a breakpoint is attached to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointPlace {
    /// A line.
    Line {
        /// The file as the client named it in the latest request for it.
        file: String,
        /// Absolute path of that file; symbolic links are not resolved.
        path: PathBuf,
        /// The place that the client requested.
        place: LinePlace,
    },
    /// The first statement of a function.
    Function {
        /// The name of the function in the client's words.
        name: String,
    },
    /// Writes to a variable or a part of a value.
    Data {
        /// What is watched, in words: `field x of p`.
        description: String,
    },
}

/// A breakpoint that is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// Its number.
    pub id: BreakpointId,
    /// What it is attached to.
    pub place: BreakpointPlace,
    /// What it does when execution reaches it.
    pub options: BreakpointOptions,
    /// Whether the program can stop there.
    pub verified: bool,
    /// Where it stops: the statement on the line, or the one that the line stands for. `None` if it is not
    /// verified, or is a data breakpoint.
    pub location: Option<Location>,
    /// Number of hits since the program started.
    pub hits: u32,
    /// Why it cannot stop the program, or that it stops on another line than requested.
    pub message: Option<String>,
}

/// A class of errors at which the program can be made to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ExceptionFilter {
    /// A run-time error, at the time it is raised, before it ends the program.
    Uncaught,
    /// An `Error` value, at the time it is created.
    ErrorValue,
}

/// An exception filter as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionSpec {
    /// The class of errors.
    pub filter: ExceptionFilter,
    /// A `bool` expression, evaluated in the frame of the error; it may use the variable `error`. `None`:
    /// always stop.
    pub condition: Option<String>,
}

/// An exception filter in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionBreakpoint {
    /// The filter as requested.
    pub spec: ExceptionSpec,
    /// Why it never stops the program; `None` if it can.
    pub message: Option<String>,
}

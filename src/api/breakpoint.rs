//! Breakpoints: as they are asked for, and what became of them.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use super::{Handle, Location};

/// Number of a breakpoint of any kind: positive, and never used for another one in the same session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BreakpointId(pub u32);

/// What a breakpoint does when control comes to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointOptions {
    /// A `bool` expression in the scope of the place: where it is false, the breakpoint is not hit.
    pub condition: Option<String>,
    /// Which hits stop: `N` or `== N`, `>= N`, `> N`, `<= N`, `< N`, `% N` (each N-th).
    pub hit_condition: Option<String>,
    /// Instead of stopping, this text is told, with each `{expression}` replaced by its value.
    pub log_message: Option<String>,
    /// A disabled breakpoint is never hit.
    pub enabled: bool,
}

impl Default for BreakpointOptions {
    fn default() -> BreakpointOptions {
        BreakpointOptions { condition: None, hit_condition: None, log_message: None, enabled: true }
    }
}

/// A place in a file at which to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinePlace {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1, of one of several statements of the line; the first, if there is
    /// none.
    pub column: Option<u32>,
}

/// A breakpoint at a line as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSpec {
    /// The place.
    pub place: LinePlace,
    /// What it does.
    pub options: BreakpointOptions,
}

/// A breakpoint at the beginning of a function as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSpec {
    /// Name of the function: `f`, or `module.f` of an imported module.
    pub name: String,
    /// What it does.
    pub options: BreakpointOptions,
}

/// Where a variable or part is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    /// In the frame with this index.
    Frame(usize),
    /// Among the parts of the value that the handle stands for.
    Value(Handle),
}

/// A breakpoint on writes to a variable or part as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSpec {
    /// What is watched.
    pub target: DataTarget,
    /// What it does.
    pub options: BreakpointOptions,
}

/// What a breakpoint on writes watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataTarget {
    /// A variable or part. It is found only while the program is stopped.
    Named {
        /// Where the name is looked for.
        container: Container,
        /// Name of the variable, or of the part: `x`, `[3]`, `["key"]`.
        name: String,
    },
    /// What the breakpoint with this number watches: it is kept, with new options.
    Same(BreakpointId),
}

/// What of a breakpoint is to change; `None` leaves it as it is, `Some(None)` takes it away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsChange {
    /// See [`BreakpointOptions::condition`].
    pub condition: Option<Option<String>>,
    /// See [`BreakpointOptions::hit_condition`].
    pub hit_condition: Option<Option<String>>,
    /// See [`BreakpointOptions::log_message`].
    pub log_message: Option<Option<String>>,
}

/// Where a breakpoint of the session belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointPlace {
    /// At a line.
    Line {
        /// The file as the client named it in the latest request for it.
        file: String,
        /// Absolute path of that file; symbolic links are not resolved.
        path: PathBuf,
        /// The place that was asked for.
        place: LinePlace,
    },
    /// At the first statement of a function.
    Function {
        /// Its name as the client named it.
        name: String,
    },
    /// At writes to a variable or part.
    Data {
        /// Which it is: `field x of p`.
        description: String,
    },
}

/// A breakpoint of the session, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// Its number.
    pub id: BreakpointId,
    /// Where it belongs.
    pub place: BreakpointPlace,
    /// What it does.
    pub options: BreakpointOptions,
    /// Whether it can stop the program.
    pub verified: bool,
    /// Where it stops, if it is verified and stops at a fixed place: the statement that begins on the
    /// line, or the one that the line leads to.
    pub location: Option<Location>,
    /// How often it was hit since the program began.
    pub hits: u32,
    /// Why it does not stop anywhere, or that it stops on another line than asked for.
    pub message: Option<String>,
}

/// Errors at which the program stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ExceptionFilter {
    /// A run-time error, before it ends the program.
    Uncaught,
    /// An `Error` value that comes into being.
    ErrorValue,
}

/// An exception filter as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionSpec {
    /// At which errors.
    pub filter: ExceptionFilter,
    /// A `bool` expression in the scope of the place, which may use the variable `error`.
    pub condition: Option<String>,
}

/// An exception filter that is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceptionBreakpoint {
    /// At which errors.
    pub spec: ExceptionSpec,
    /// Why it never stops; `None` if it may.
    pub message: Option<String>,
}

//! Breakpoints: as they are asked for, and what became of them.

use std::path::PathBuf;

use super::Location;

/// Number of a breakpoint: positive, and never used for another one in the same session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// A breakpoint as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointSpec {
    /// The file as the client names it; a relative path starts at the session's working directory.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// A `bool` expression in the scope of the line: the program stops only where it is true.
    pub condition: Option<String>,
}

/// A breakpoint of the session, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub id: BreakpointId,
    /// What was asked for, with the file named as in the latest request for it.
    pub spec: BreakpointSpec,
    /// Absolute path of that file; symbolic links are not resolved.
    pub path: PathBuf,
    /// Where it stops, if it is verified: the statement that begins on the line, or the one that the
    /// line leads to. `None` while no program is loaded, and where the program has no such place.
    pub location: Option<Location>,
    /// Why it does not stop anywhere, or that it stops on another line than asked for.
    pub message: Option<String>,
}

impl Breakpoint {
    /// Whether it can stop the program.
    pub fn is_verified(&self) -> bool {
        self.location.is_some()
    }
}

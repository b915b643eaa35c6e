//! Positions in source files, and stack frames.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Absolute path of the file; symbolic links are not resolved. For a program that is not in a file, its
    /// name.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// A line and a column in code points, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A frame of the call stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Index: 0 is the innermost frame.
    pub index: usize,
    /// Name of the function: `area`, `geometry.area` in an imported module, `main`, or `<program>` for
    /// the initialisers of globals.
    pub function: String,
    /// The statement that is next (innermost frame), or the call in progress (all others).
    pub location: Location,
    /// Where the call, the head of the statement, or the operation that has failed begins: `location` may be at
    /// the operator, or at the parenthesis of the call.
    pub begin: Position,
    pub end: Position,
    /// Name of the module that the function belongs to; `None` for the main program.
    pub module: Option<String>,
}

/// A file of the program, or a module of the library that it uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleInfo {
    pub name: String,
    /// Its file as an absolute path; `None` for a module of the library.
    pub path: Option<PathBuf>,
    /// Where it comes from.
    pub kind: ModuleKind,
}

/// Where a module comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleKind {
    /// The program's main file.
    Main,
    /// A module that the program imports from a file.
    User,
    Library,
}

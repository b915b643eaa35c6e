//! Places in source files, and the frames that stand at them.

use std::path::PathBuf;

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Absolute path of the file; symbolic links are not resolved.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

/// A frame of the call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Distance from the innermost frame, which is 0.
    pub index: usize,
    /// Name of the function: `area`, `geometry.area` in an imported module, `main`, or `<program>` for
    /// the initialisers of globals.
    pub function: String,
    /// The statement before which it stands (innermost frame), or the call in progress (other frames).
    pub location: Location,
}

//! Sessions of cells: pieces of a program that are entered one after the other and share variables, functions,
//! types and imports, as in a notebook or at a prompt.

use serde::{Deserialize, Serialize};

use super::question::question;
use super::{Done, Problem, Request, Response};

/// Parameters of a session of cells; see [`super::Launch::cells`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellSettings {
    /// Whether reports are coloured, with the escape sequences of terminals.
    pub colours: bool,
    /// Whether reports are JSON, one object a line.
    pub json: bool,
}

/// A piece of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its text: imports, declarations, statements.
    pub text: String,
    /// Its name in reports, where the name of a file would be.
    pub name: String,
    /// Its path, as frames have it and breakpoints name it. Later cells may have the same path.
    pub path: String,
    /// Whether the value of an expression that is its last statement is wanted.
    pub shows_value: bool,
    /// Whether to stop before its first statement, even if cells do not stop at breakpoints.
    pub stops_on_entry: bool,
    /// Whether reading standard input is a run-time error instead of asking the client for it.
    pub refuses_input: bool,
}

/// [`Request::RunCell`].
#[derive(Clone, Debug)]
pub struct RunCell(pub Cell);

question!(
    RunCell: |RunCell(cell)| Request::RunCell(Box::new(cell)),
    CellStarted, started => Response::CellStarted(started)
);

/// [`Request::SetDebugging`].
#[derive(Clone, Copy, Debug)]
pub struct SetDebugging(pub bool);

question!(SetDebugging: |SetDebugging(on)| Request::SetDebugging(on), Done, done => Response::Done(done));

/// A cell has no errors, and is about to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellStarted {
    /// Its warnings, in source order.
    pub warnings: Vec<Problem>,
    /// The warnings as a terminal shows them; empty if there are none.
    pub report: String,
}

/// A cell that ran has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellEnded {
    pub outcome: CellOutcome,
}

/// How a cell has ended. The variables that it declared and the changes that it made remain in every case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CellOutcome {
    /// After its last statement.
    Finished {
        /// The value of its last statement, if that was wanted ([`Cell::shows_value`]) and it has one.
        value: Option<RichValue>,
    },
    /// By a call of `exit` with this status.
    Exited(i32),
    /// By a run-time error.
    Failed {
        /// The error.
        problem: Problem,
        /// The error as a terminal shows it.
        report: String,
    },
    /// By [`Request::Kill`].
    Interrupted,
}

/// A value as text, and as a tree that a front end can lay out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RichValue {
    /// The value as the interactive prompt shows it: of at most [`RichValue::TEXT`] bytes, with `…` for the rest.
    pub text: String,
    /// The value with its parts, of which only the first are included.
    pub tree: ValueTree,
}

impl RichValue {
    /// Maximum length of the text, in bytes.
    pub const TEXT: usize = 20_000;
}

/// A value with its parts. At most [`ValueTree::PARTS`] parts of a value, [`ValueTree::NODES`] values in all and
/// [`ValueTree::TEXT`] characters of a text are included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueTree {
    /// A value without parts, or whose parts are not included, as text.
    Text(String),
    /// An array.
    List {
        /// Its type.
        kind: String,
        /// Its first elements.
        items: Vec<ValueTree>,
        /// Number of its elements.
        total: usize,
    },
    Map {
        /// Its type.
        kind: String,
        /// Its first entries, in order; keys as text.
        entries: Vec<(String, ValueTree)>,
        /// Number of its entries.
        total: usize,
    },
    Struct {
        /// Name of its type.
        name: String,
        /// Its fields, in order of their declaration.
        fields: Vec<(String, ValueTree)>,
    },
}

impl ValueTree {
    /// Maximum number of parts of one value.
    pub const PARTS: usize = 50;
    /// Maximum number of values.
    pub const NODES: usize = 2_000;
    /// Maximum length of a text, in characters.
    pub const TEXT: usize = 1_000;
}

/// Asks for a value with its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetRich {
    /// The expression, which must not change anything.
    pub expression: String,
    /// Index of the frame in which it is evaluated.
    pub frame: usize,
}

/// Asks for the static type of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetType {
    pub expression: String,
    /// Index of the frame in whose scope it is.
    pub frame: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeText(pub String);

/// Asks for a copy of a value in a variable for the cells to come. A variable that has the name already is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyToGlobals {
    /// The expression whose value is copied; it must not change anything.
    pub expression: String,
    /// Index of the frame in which it is evaluated.
    pub frame: usize,
    /// The name of the variable.
    pub name: String,
}

//! The question of how a statement computed its result.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Described, Limits, Location, Position};

/// Asks what the expressions of a statement have computed, one after the other. Needs the program's history
/// ([`super::Launch::history`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfold {
    /// Which statement.
    pub target: UnfoldTarget,
    /// Index of the frame, for [`UnfoldTarget::Last`] and `Next`; 0 is the innermost.
    pub frame: usize,
    /// How much of each value to describe.
    pub limits: Limits,
    /// Whether to look for the steps of [`Unfolded::conditions`], which takes another run.
    pub condition_steps: bool,
}

/// Which statement to unfold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnfoldTarget {
    /// The one that was carried out last in the frame, or is being carried out there.
    Last,
    /// The first one from this step of the history on.
    Step(u64),
    /// The one that comes next in the frame, as far as nothing new is needed from outside the program.
    Next,
}

/// What a statement, or the head of a compound one, has computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfolded {
    /// The step of the statement.
    pub step: u64,
    /// Where the statement begins.
    pub location: Location,
    /// Where it ends; a compound one: where its head ends.
    pub end: Position,
    pub statement: StatementKind,
    /// The heads of the innermost `if`, `when` or loop with a condition around it, in the order in which they are
    /// computed; of an `if`, the conditions up to that of the block with the statement. They are in the same file.
    pub conditions: Vec<Condition>,
    /// Its source text from `location` to `end`.
    pub text: String,
    /// The part of `text` whose value is computed: the right side of an assignment, a condition; all of it, if
    /// there is no such part. In bytes.
    pub expression: Range<usize>,
    /// What was computed, in this order; at most [`MAX_PARTS`].
    pub parts: Vec<Part>,
    /// Why not everything was computed, if so: a call is still in progress, or something is needed from
    /// outside the program.
    pub incomplete: Option<String>,
    /// Whether there are more parts.
    pub truncated: bool,
}

/// A head that decided that a statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    pub at: Position,
    /// What it was; `None` for that of a `when`, `for` or `for_each`.
    pub holds: Option<bool>,
    /// The step at which it was computed last before the statement, if that was asked for
    /// ([`Unfold::condition_steps`]).
    pub step: Option<u64>,
}

/// Maximum number of parts.
pub const MAX_PARTS: usize = 2000;

/// An expression of the statement, or what the statement does with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its source text.
    pub text: String,
    /// Where that is in [`Unfolded::text`], in bytes; empty if it is elsewhere: the cases of a `when`.
    pub range: Range<usize>,
    /// Where it begins.
    pub start: Position,
    pub end: Position,
    pub kind: PartKind,
    /// The index of the part to which it belongs, which is computed later.
    pub parent: Option<usize>,
    /// What came of it.
    pub result: PartResult,
    /// If it is a call of a function of the program: the first and the last step in the body.
    pub steps: Option<(u64, u64)>,
    /// The arguments of a call of a function of the program, one for each parameter.
    pub arguments: Vec<PartArgument>,
    /// The effect that a call of another function has on what the program computes with, beside the result.
    pub effect: Option<CallEffect>,
    /// Where its text is in the text that the part makes to which it belongs, in bytes: an interpolated string, or what a
    /// call prints.
    pub place: Option<Range<usize>>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartArgument {
    /// Its source text; `None` if it is not there: the default value of the parameter.
    pub text: Option<String>,
    /// The index of the part that has its value; `None` if that is a constant or the argument is passed by reference.
    pub part: Option<usize>,
    /// Whether the parameter refers to the variable or part that is passed (`&`).
    pub by_reference: bool,
}

/// What a call of the library, or a builtin, does beside its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallEffect {
    /// It reads from the program's input.
    Input,
    /// It changes its first argument in place.
    Change,
}

impl CallEffect {
    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            CallEffect::Input => "input",
            CallEffect::Change => "change",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatementKind {
    /// Declares a variable or constant.
    Declaration,
    /// Assigns a new value.
    Assignment,
    /// Computes a new value from the one before: `+=` and others, `++`, `--`.
    Update,
    /// An expression: a call, usually.
    Expression,
    /// `return`
    Return,
    /// `if`, or one of its `or`.
    If,
    /// `when`
    When,
    /// `for`
    For,
    /// `for_each`
    ForEach,
    /// `as_long_as`
    AsLongAs,
    /// Any other.
    Other,
}

impl StatementKind {
    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            StatementKind::Declaration => "declaration",
            StatementKind::Assignment => "assignment",
            StatementKind::Update => "update",
            StatementKind::Expression => "expression",
            StatementKind::Return => "return",
            StatementKind::If => "if",
            StatementKind::When => "when",
            StatementKind::For => "for",
            StatementKind::ForEach => "for_each",
            StatementKind::AsLongAs => "as_long_as",
            StatementKind::Other => "other",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartKind {
    /// The value of a variable or constant was read.
    Variable,
    /// An element, entry or character was read.
    Element,
    /// A field was read.
    Field,
    /// A function was called.
    Call,
    /// An operator was applied; or the case of a `when` was compared.
    Operator,
    /// A value was converted to another type.
    Conversion,
    /// An interpolated string was made.
    Interpolation,
    /// A range was made.
    Range,
    /// An array, map or struct was made.
    Literal,
    /// A variable, element, entry or field got a value.
    Write,
    /// A run-time error ended the statement.
    Error,
}

impl PartKind {
    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Variable => "variable",
            PartKind::Element => "element",
            PartKind::Field => "field",
            PartKind::Call => "call",
            PartKind::Operator => "operator",
            PartKind::Conversion => "conversion",
            PartKind::Interpolation => "interpolation",
            PartKind::Range => "range",
            PartKind::Literal => "literal",
            PartKind::Write => "write",
            PartKind::Error => "error",
        }
    }
}

/// What came of a part. Values are described as they were at that time, without handles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PartResult {
    Value(Described),
    /// It was a call of a function without result, or is one that has not returned.
    Nothing,
    /// It was not computed, for this reason.
    Skipped(String),
    Written {
        /// What was written to, as it is in the source.
        target: String,
        /// The value before; `None` if there was none.
        old: Option<Described>,
        /// The value after.
        new: Option<Described>,
    },
    Failed {
        /// The message of the error.
        message: String,
        code: String,
    },
}

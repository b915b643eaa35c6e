//! Requests that fail, and what is wrong with a program.

use super::{Frame, Location, Position};
use crate::diagnostics::{Code, Severity};
use serde::{Deserialize, Serialize};

/// What kind of failure it is, for front ends that number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// The message could not be understood: no such command, a parameter that is missing or wrong.
    BadRequest,
    /// The request cannot be carried out in the present state, such as a step while nothing is stopped.
    WrongState,
    /// The program cannot be read, or has errors: see [`Failure::problems`].
    NoProgram,
    /// The expression, condition or assignment is wrong, or failed when it was evaluated.
    Evaluation,
    /// What the request names (a frame, a handle, a file) does not exist.
    NotFound,
    /// The client did not want the answer any more.
    Cancelled,
    /// The interpreter failed.
    Internal,
}

/// Why a request was not carried out. A request that fails has changed nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What is wrong, as a clause that a learner understands.
    pub message: String,
    /// The errors of a program that does not check, in source order; else empty.
    pub problems: Vec<Problem>,
    /// What is wrong with an expression, and where in it.
    pub wrong: Option<WrongExpression>,
}

/// What is wrong with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongExpression {
    /// The code of the error in the table of diagnostics.
    pub code: Code,
    /// Where it is, inside the expression; `None` if that is not known, or outside.
    pub position: Option<Position>,
}

impl Failure {
    /// A failure with nothing but a message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), problems: Vec::new(), wrong: None }
    }

    /// The failure of a request that the present state does not allow: `Cannot VERB: STATE`.
    pub fn wrong_state(verb: &str, state: &str) -> Failure {
        Failure::new(FailureKind::WrongState, format!("Cannot {verb}: {state}"))
    }
}

/// An error or warning of the program: found before it runs, or at run time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Its code in the table of diagnostics.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Where, for problems that have a place.
    pub location: Option<Location>,
    /// Where that ends, if it has a place: behind its last character.
    pub end: Option<Position>,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// Run-time errors: the calls in progress, innermost first; empty if only `main` was.
    pub stack: Vec<Frame>,
}

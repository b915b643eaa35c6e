//! Failed requests, and errors and warnings of a program.

use super::{Frame, Location, Position};
use ez_runtime::diagnostics::{Code, Severity};
use serde::{Deserialize, Serialize};

/// The class of a failure, for protocols that number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// The message is not understood: unknown command, missing or wrong parameter.
    BadRequest,
    /// The request is not allowed in the present state, such as a step while the program runs.
    WrongState,
    /// The past is shown, which cannot be changed. For protocols it is a wrong state.
    Past,
    /// There is no program: it has errors ([`Failure::problems`]), or cannot be run.
    NoProgram,
    /// There is no program: its file or its recording cannot be read ([`Failure::unreadable`]).
    Unreadable,
    /// An expression, condition or assignment has an error, or failed when it was evaluated.
    Evaluation,
    /// What the request names (a frame, a handle, a file) does not exist.
    NotFound,
    /// The client has cancelled the request.
    Cancelled,
    /// The interpreter itself failed (a bug).
    Internal,
}

impl FailureKind {
    /// Whether the program, and not the request, is to blame.
    pub fn blames_program(self) -> bool {
        match self {
            FailureKind::NoProgram | FailureKind::Unreadable => true,
            FailureKind::BadRequest
            | FailureKind::WrongState
            | FailureKind::Past
            | FailureKind::Evaluation
            | FailureKind::NotFound
            | FailureKind::Cancelled
            | FailureKind::Internal => false,
        }
    }
}

/// How the message of a [`FailureKind::Unreadable`] begins.
const UNREADABLE: &str = "Error reading file: ";

/// Why a request was not carried out. A failed request has changed nothing, unless an evaluation had done so before it
/// failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Its class.
    pub kind: FailureKind,
    /// The message, for a learner; no final period.
    pub message: String,
    /// The errors of a program that could not be loaded, in source order; else empty.
    pub problems: Vec<Problem>,
    /// The error in an expression; `None` for failures of other kinds.
    pub wrong: Option<WrongExpression>,
    /// The errors of a cell as a terminal shows them; `None` for failures of other requests.
    pub report: Option<String>,
}

/// An error in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongExpression {
    /// Its code in the table of diagnostics.
    pub code: Code,
    /// Its position in the text of the expression, from 1; `None` if unknown or not in that text.
    pub position: Option<Position>,
}

impl Failure {
    /// The failure of an expression that is wrong at this position in its text (see [`WrongExpression`]).
    pub fn wrong_expression(code: Code, position: Option<Position>, message: impl Into<String>) -> Failure {
        let wrong = Some(WrongExpression { code, position });
        Failure { wrong, ..Failure::new(FailureKind::Evaluation, message) }
    }

    /// A failure that consists of a class and a message.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), problems: Vec::new(), wrong: None, report: None }
    }

    /// A failure because a file cannot be read, for this reason.
    pub fn of_file(file: &str, reason: impl std::fmt::Display) -> Failure {
        Failure::new(FailureKind::Unreadable, format!("{UNREADABLE}{file}: {reason}"))
    }

    /// Whether a text could not be parsed, so that what it was written for is of no interest.
    pub fn is_of_syntax(&self) -> bool {
        self.wrong.is_some_and(|wrong| wrong.code.is_of_syntax())
    }

    /// The file that cannot be read, and why: `FILE: REASON`; `None` for failures of other kinds.
    pub fn unreadable(&self) -> Option<&str> {
        let is_unreadable = self.kind == FailureKind::Unreadable;
        is_unreadable.then(|| self.message.strip_prefix(UNREADABLE).unwrap_or(&self.message))
    }

    /// A failure because of the present state, such as an [`Obstacle`](super::Obstacle): `Cannot VERB: REASON`.
    pub fn wrong_state(verb: &str, why: impl std::fmt::Display) -> Failure {
        Failure::new(FailureKind::WrongState, format!("Cannot {verb}: {why}"))
    }

    /// The failure of a request to run a program in a directory that does not exist.
    pub fn no_working_directory(wanted: &str) -> Failure {
        Failure::new(
            FailureKind::BadRequest,
            format!("there is no directory {wanted} for the program to run in"),
        )
    }

    /// The failure of a request to replay a recording with a parameter that the recording determines.
    pub fn in_recording(parameter: &str) -> Failure {
        let message = format!("wrong parameter '{parameter}': with 'replay' it is in the recording");
        Failure::new(FailureKind::BadRequest, message)
    }

    /// The failure of a request that was answered like one of another kind, which is a bug.
    pub(super) fn another_answer() -> Failure {
        Failure::new(FailureKind::Internal, "the response is one to another request")
    }
}

/// An error or warning of the program, found by the checker or at run time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    pub message: String,
    /// Its code in the table of diagnostics.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Where it begins; `None` if it has no position in the source.
    pub location: Option<Location>,
    /// Where it ends, just after the last character; `None` if it has no position.
    pub end: Option<Position>,
    /// Advice on how to fix it, if there is any.
    pub help: Option<String>,
    /// For run-time errors the calls in progress, innermost first; empty if only `main` was, and for other
    /// problems.
    pub stack: Vec<Frame>,
}

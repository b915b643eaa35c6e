//! What a program is expected to write, and where it has written something else.

use ez_runtime::interp::expected_output::Mode;
use serde::{Deserialize, Serialize};

use super::question::question;
use super::{Done, Location, Request, Response};

/// What counts when outputs are compared.
pub type OutputMode = Mode;

/// Says what programs that start from now on are to write to standard output. Where a program has written something else,
/// it stops ([`super::StopReason::Output`]). What evaluations write is not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetExpectedOutput {
    /// The text; `None`: nothing is expected any more.
    pub expected: Option<ExpectedText>,
    pub mode: OutputMode,
}

impl SetExpectedOutput {
    /// Whether the text is in a file.
    pub fn is_in_file(&self) -> bool {
        matches!(self.expected, Some(ExpectedText::File(_)))
    }
}

/// Where the text is that is expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExpectedText {
    Text(String),
    /// A file, whose path is as the client names files. It is read at once.
    File(String),
}

question!(
    SetExpectedOutput: |wanted| Request::SetExpectedOutput(Box::new(wanted)),
    Done, done => Response::Done(done)
);

/// How far the output of a program is as it is expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputState {
    /// Number of lines that have come as they are expected.
    pub matched: u64,
    /// The first difference, once it was told.
    pub difference: Option<Box<Difference>>,
}

/// The first difference between what a program has written to standard output and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// How many bytes the program had written to standard output before it.
    pub offset: u64,
    /// Line of the output, from 1.
    pub line: u64,
    /// Column, in characters, from 1.
    pub column: u64,
    /// The character that is expected there; `None`: nothing more.
    pub expected: Option<char>,
    /// The character that was written there; `None`: nothing more.
    pub actual: Option<char>,
    /// The line that is expected, and the one that was written, both cut around the column.
    pub expected_line: String,
    pub actual_line: String,
    /// How many characters of both lines are left out at their beginning.
    pub left_out: u64,
    /// How many characters are left out at the end of the line that is expected.
    pub expected_more: u64,
    /// How many are left out at the end of the one that was written.
    pub actual_more: u64,
    /// Whether that line has not been written to its end.
    pub is_unfinished: bool,
    /// What has written it; `None` if nothing has.
    pub written: Option<WriteStatement>,
    /// How many bytes the same write had before it.
    pub within: Option<u64>,
    /// What has made the write before that one, or the last one; `None` if there is none.
    pub before: Option<WriteStatement>,
}

/// A statement that has written something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteStatement {
    pub location: Location,
    /// Its step; `None` if it has made calls, or is an `ensure`: then [`super::GetOutputSteps`] tells it.
    pub step: Option<u64>,
}

//! The question of what has printed a part of the program's output.

use ez_runtime::value::Stream;
use serde::{Deserialize, Serialize};

use super::Location;

/// Asks what has printed some bytes of the output. Needs the program's history ([`super::Launch::history`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetOutputSteps {
    /// The numbers of the bytes, from 0, in the order in which they were written.
    pub offsets: Vec<u64>,
    /// Which bytes are counted: those that the program itself has written to this stream; `None`: all of both streams, with
    /// what evaluations have written (see [`super::Moment::output_length`]).
    pub stream: Option<Stream>,
}

/// What has printed a byte of the output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputStep {
    /// The number of the byte.
    pub offset: u64,
    /// The step of the statement that has printed it; of output of the client's evaluations, that of the stop.
    pub step: u64,
    /// That statement.
    pub location: Location,
    /// Whether that is an `ensure`: see [`Change::at_end`](super::Change).
    pub at_end: bool,
    /// Whether an evaluation by the client has printed it.
    pub by_client: bool,
}

//! The cell that runs.

use serde_json::{Map, Value};

use super::asked::Asked;
use crate::protocol::jupyter::content::ExecuteRequest;

/// A cell between its request and its reply.
pub(super) struct RunningCell {
    pub asked: Asked,
    pub request: ExecuteRequest,
    pub number: u64,
    pub phase: Phase,
    /// Whether a front end has asked to end it.
    pub interrupted: bool,
    /// Whether the program waits for a line that the front end was asked for.
    pub wants_input: bool,
    /// The values of expressions that were asked for, so far, and how many are missing.
    pub expressions: Map<String, Value>,
    pub missing: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is being checked.
    Checked,
    Runs,
    /// It is stopped by the debugger.
    Stopped,
    /// It has ended, and expressions are evaluated.
    Ended,
}

impl RunningCell {
    pub fn is_stopped(&self) -> bool {
        self.phase == Phase::Stopped
    }
}

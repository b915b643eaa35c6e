//! Questions about writes in the past, and the writes that hit data breakpoints.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::api::{BreakpointId, GetChanges, Written};
use crate::debug::history::counts::Hit;
use crate::debug::history::position::RunPosition;

/// A search for changes of a variable or part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChangeQuestion {
    pub query: GetChanges,
    /// The position at which to resolve the expression.
    pub asked_at: RunPosition,
    /// The data breakpoint for which all writes are wanted; `None`: the latest ones are, as many as the query
    /// says.
    pub breakpoint: Option<DataWatch>,
}

/// A data breakpoint to search for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataWatch {
    pub id: BreakpointId,
    pub description: CompactString,
    pub condition: Option<String>,
}

/// A write that hits a data breakpoint, as it is to be reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Write {
    pub hit: Hit,
    pub written: Written,
    pub sentence: String,
}

//! Watches: expressions that are evaluated at each stop.

use super::{Described, Failure};
use serde::{Deserialize, Serialize};

/// Number of a watch: from 1, unique within a session, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WatchId(pub u32);

/// A watch and its present value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Its number.
    pub id: WatchId,
    /// Its expression.
    pub expression: String,
    /// Its value at the present stop, or why it cannot be evaluated; `None` while the program is not stopped.
    pub shown: Option<Result<Described, Failure>>,
}

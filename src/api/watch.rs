//! Watches: expressions that are evaluated after each stop.

use super::{Described, Failure};
use serde::{Deserialize, Serialize};

/// Number of a watch: positive, and never used for another one in the same session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WatchId(pub u32);

/// A watch, and what it shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Its number.
    pub id: WatchId,
    /// Its expression.
    pub expression: String,
    /// Its value at the present stop, or why it has none; `None` while the program is not stopped.
    pub shown: Option<Result<Described, Failure>>,
}

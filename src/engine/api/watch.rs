//! Watches: expressions that are evaluated at each stop.

use serde::{Deserialize, Serialize};

use super::question::questions;
use super::{Described, Failure};

questions! {
    /// A request about watches.
    WatchRequest: Request::Watch, answers WatchAnswer, answered by WatchHandler:

    /// Adds a watch.
    Add(AddWatch) -> WatchAdded, add, "add a watch";
    /// Removes a watch.
    Remove(RemoveWatch) -> (), remove, "remove a watch";
    /// Lists all watches.
    List(GetWatches) -> Vec<Watch>, list, "get watches";
}

/// Adds a watch on this expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddWatch(pub String);

/// Removes the watch with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveWatch(pub WatchId);

/// Asks for all watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetWatches;

/// A watch that was added, evaluated if the program is stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchAdded(pub Watch);

/// Number of a watch: from 1, unique within a session, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WatchId(pub u32);

/// A watch and its present value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Its number.
    pub id: WatchId,
    pub expression: String,
    /// Its value at the present stop, or why it cannot be evaluated; `None` while the program is not stopped.
    pub shown: Option<Result<Described, Failure>>,
}

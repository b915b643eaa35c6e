//! Changes of breakpoints and watches, which each instance of the past repeats.

use serde::{Deserialize, Serialize};

use crate::api::{BreakpointRequest, WatchRequest};

/// A change of breakpoints or watches, to be repeated in each instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Setting {
    /// With the last number that had been given to a breakpoint before.
    Breakpoint(u32, BreakpointRequest),
    Watch(WatchRequest),
}

//! The line breakpoints of a session, readable by other threads.

use std::sync::Arc;

use crate::api::SetBreakpoint;
use ez_runtime::sync::Mutex;

/// The line breakpoints of a session, with absolute paths, in the order in which they were set. Clones share
/// them. May be used on any thread.
#[derive(Clone, Debug, Default)]
pub struct PublishedBreakpoints(Arc<Mutex<Vec<SetBreakpoint>>>);

impl PublishedBreakpoints {
    pub fn get(&self) -> Vec<SetBreakpoint> {
        self.0.lock().clone()
    }

    /// Replaces the breakpoints.
    pub(super) fn set(&self, breakpoints: Vec<SetBreakpoint>) {
        *self.0.lock() = breakpoints;
    }
}

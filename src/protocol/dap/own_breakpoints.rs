//! Which breakpoints the client has set itself.

use std::collections::BTreeSet;

use crate::protocol::Received;
use ez_engine::api::{
    Breakpoint, BreakpointId, BreakpointRequest, Request, SetBreakpoints, SetExceptionBreakpoints,
    SetFunctionBreakpoints,
};

use super::DapFrontEnd;

/// What the client has set itself.
#[derive(Default)]
pub(super) struct OwnBreakpoints {
    ids: BTreeSet<BreakpointId>,
    /// The files in which it has set some, each once.
    files: Vec<String>,
}

impl OwnBreakpoints {
    /// Notes breakpoints that were set.
    pub fn add(&mut self, all: &[Breakpoint]) {
        self.ids.extend(all.iter().map(|breakpoint| breakpoint.id));
    }

    /// Notes a file in which some are set.
    pub fn add_file(&mut self, file: &str) {
        if !self.files.iter().any(|known| known == file) {
            self.files.push(file.to_string());
        }
    }

    pub fn has(&self, id: BreakpointId) -> bool {
        self.ids.contains(&id)
    }

    pub fn remove(&mut self, id: BreakpointId) {
        self.ids.remove(&id);
    }
}

impl DapFrontEnd {
    /// Removes all breakpoints that were set.
    pub(super) fn forget_breakpoints(&mut self, work: &mut Vec<Received>) {
        let lines = std::mem::take(&mut self.breakpoints.files).into_iter();
        let lines = lines.map(|file| BreakpointRequest::SetAll(SetBreakpoints::new(file, Vec::new())));
        let others = [
            BreakpointRequest::SetFunctions(SetFunctionBreakpoints::new(Vec::new())),
            BreakpointRequest::SetExceptions(SetExceptionBreakpoints::new(Vec::new())),
        ];
        for request in lines.chain(others) {
            self.ask_silently(Request::Breakpoint(request), work);
        }
    }
}

//! The requests that the engine has not answered yet.
//!
//! A client may send many pauses at once, and each time the machine asks whether there is something else among them: that
//! is counted.

use std::collections::VecDeque;

use crate::api::{Request, RequestId};

/// A request sent to the engine and not yet answered.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub id: RequestId,
    pub request: Request,
}

impl PendingRequest {
    /// Whether later requests wait for its answer. They wait for the program, not for the answer, if it resumes or pauses
    /// that.
    fn holds_up(&self) -> bool {
        !self.request.resumes() && self.request != Request::Pause
    }
}

/// The requests that are not answered yet, in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    pending: VecDeque<PendingRequest>,
    /// How many of them hold up later ones.
    holding_up: usize,
}

impl PendingRequests {
    pub fn push(&mut self, id: RequestId, request: Request) {
        let pending = PendingRequest { id, request };
        self.holding_up += usize::from(pending.holds_up());
        self.pending.push_back(pending);
    }

    /// Removes the one that is answered; `None` if it is not waited for.
    pub fn answered(&mut self, id: RequestId) -> Option<PendingRequest> {
        let index = self.pending.iter().position(|pending| pending.id == id)?;
        let answered = self.pending.remove(index)?;
        self.holding_up = self.holding_up.saturating_sub(usize::from(answered.holds_up()));
        Some(answered)
    }

    /// Removes those that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&PendingRequest) -> bool) {
        self.pending.retain(keep);
        self.holding_up = self.pending.iter().filter(|pending| pending.holds_up()).count();
    }

    pub fn take_all(&mut self) -> VecDeque<PendingRequest> {
        std::mem::take(self).pending
    }

    pub fn iter(&self) -> impl Iterator<Item = &PendingRequest> {
        self.pending.iter()
    }

    pub fn front(&self) -> Option<&PendingRequest> {
        self.pending.front()
    }

    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a later request has to wait for the answer to one of them.
    pub fn hold_up(&self) -> bool {
        self.holding_up > 0
    }
}

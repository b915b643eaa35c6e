//! Whose turn it is in a shared session, and which evaluation is ended since others wait for it.
//!
//! The owner waits for one request of a guest at most. Among guests, participants and observers take turns, and within
//! each role the clients: so nobody waits for the many requests of one, or of many observers.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::api::{Inspect, Request, RequestId, Role};
use crate::session::connection::ConnectionId;

use super::asked::{PendingRequest, PendingRequests};
use super::is_request_of_guest;
use super::queue::{RequestKind, RequestQueue};

/// How long a guest's evaluation goes on that somebody else waits for.
pub const GUEST_GRACE: Duration = Duration::from_millis(500);

/// Whose requests were carried out in their turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// How many there were of guests.
    count: u64,
    /// Whether the last one was a guest's.
    was_guest: bool,
    /// The role of the last guest.
    last: Option<Role>,
    /// The latest request of a guest that was ended since others waited for it. The engine answers the pause at once,
    /// before what it ends.
    ended: Option<RequestId>,
}

impl Turns {
    /// Notes that it was the turn of the owner, or of a guest with this role; returns the number of the turn of a guest.
    pub fn note(&mut self, guest: Option<Role>) -> u64 {
        self.was_guest = guest.is_some();
        self.last = guest.or(self.last);
        self.count += u64::from(self.was_guest);
        self.count
    }

    /// A request of a guest is being ended, since somebody else waits for it.
    pub fn note_ended(&mut self, id: RequestId) {
        self.ended = Some(id);
    }

    /// Index of the request whose turn it is while the engine waits: the first one, but that of the owner after one of
    /// a guest. `seat` tells the role of a guest, and the number of its latest turn.
    pub fn next(
        &self,
        queue: &RequestQueue,
        seat: impl Fn(ConnectionId) -> Option<(Role, u64)>,
    ) -> Option<usize> {
        let first = queue.iter().next()?;
        if queue.has_only(RequestKind::Owners) {
            return Some(0);
        }
        let of_owner = || self.was_guest.then(|| queue.find(RequestKind::Owners)).flatten();
        let of_guest = || is_request_of_guest(first.id).then(|| self.next_guest(queue, seat)).flatten();
        of_owner().or_else(of_guest).or(Some(0))
    }

    /// Index of the first request of the guest whose turn it is.
    fn next_guest(
        &self,
        queue: &RequestQueue,
        seat: impl Fn(ConnectionId) -> Option<(Role, u64)>,
    ) -> Option<usize> {
        let mut seen = BTreeSet::new();
        let mut firsts = Vec::new();
        for (index, incoming) in queue.iter().enumerate() {
            let client = ConnectionId::of(incoming.id);
            if let Some((role, served)) = seat(client).filter(|_| seen.insert(client)) {
                firsts.push((Some(role) == self.last, served, index));
            }
        }
        firsts.into_iter().min().map(|(_, _, index)| index)
    }

    /// The request of a guest that the engine is busy with, if it is to end after [`GUEST_GRACE`], and is not being ended
    /// already: somebody waits who need not wait any longer. An observer does not end what a participant does. What an
    /// observer evaluates, in whatever request, ends in any case; only what it asks of the past may take its time while
    /// nobody waits. `role` tells that of a guest.
    pub fn awaited(
        &self,
        asked: &PendingRequests,
        queue: &RequestQueue,
        role: impl Fn(ConnectionId) -> Option<Role>,
    ) -> Option<RequestId> {
        let first = asked.front().filter(|asked| is_request_of_guest(asked.id))?;
        let is_pause = |asked: &PendingRequest| asked.request == Request::Pause;
        if self.ended == Some(first.id) || asked.iter().any(is_pause) {
            return None;
        }
        let by = ConnectionId::of(first.id);
        let own = role(by);
        let may_end = |client: ConnectionId| match role(client) {
            Some(waiting) => client != by && own.is_none_or(|own| waiting <= own),
            None => !client.is_of_guest(),
        };
        let takes_its_time =
            matches!(first.request, Request::Investigate(_) | Request::Inspect(Inspect::Evaluate(_)));
        let ends = own == Some(Role::Observer) && !takes_its_time
            || queue.has(RequestKind::Owners)
            || queue.iter().any(|incoming| may_end(ConnectionId::of(incoming.id)));
        ends.then_some(first.id)
    }
}

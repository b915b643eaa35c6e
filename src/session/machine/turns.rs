//! Whose turn it is in a shared session, and which evaluation is ended since others wait for it.
//!
//! The owner waits for one request of a guest at most. Among guests, participants and observers take turns, and within
//! each role the clients: so nobody waits for the many requests of one, or of many observers.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::api::{Inspect, Request, RequestId, Role};
use crate::session::connection::ConnectionId;

use super::queue::Kind;
use super::{Machine, PendingRequest, is_guests};

/// How long a guest's evaluation goes on that somebody else waits for.
pub const GUEST_GRACE: Duration = Duration::from_millis(500);

/// Whose requests were carried out in their turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// How many there were of guests.
    count: u64,
    /// Whether the last one was a guest's.
    is_guests: bool,
    /// The role of the last guest.
    last: Option<Role>,
    /// The latest request of a guest that was ended since others waited for it. The engine answers the pause at once,
    /// before what it ends.
    ended: Option<RequestId>,
}

impl Machine {
    /// Notes whose turn it was.
    pub(super) fn note_turn(&mut self, client: ConnectionId) {
        let Some(sharing) = &mut self.sharing else { return };
        sharing.turns.is_guests = client.is_of_guest();
        let member = sharing.guests.iter_mut().find(|member| member.connection == client);
        if let Some(member) = member {
            sharing.turns.count += 1;
            sharing.turns.last = Some(member.guest.role);
            member.served = sharing.turns.count;
        }
    }

    /// A request of a guest is being ended, since somebody else waits for it.
    pub(super) fn note_ended(&mut self, id: RequestId) {
        if let Some(sharing) = &mut self.sharing {
            sharing.turns.ended = Some(id);
        }
    }

    /// Index of the request whose turn it is while the engine waits: the first one, but that of the owner after one of
    /// a guest, and before all that of a guest that joins.
    pub(super) fn next_in_turn(&self) -> Option<usize> {
        let first = self.queue.iter().next()?;
        let Some(sharing) = self.sharing.as_ref().filter(|_| !self.queue.has_only(Kind::Owners)) else {
            return Some(0);
        };
        let joining = self.has_joining_guest().then(|| self.queue.find(Kind::Joins)).flatten();
        let owners = || sharing.turns.is_guests.then(|| self.queue.find(Kind::Owners)).flatten();
        let guests = || is_guests(first.id).then(|| self.guest_in_turn()).flatten();
        joining.or_else(owners).or_else(guests).or(Some(0))
    }

    /// Index of the first request of the guest whose turn it is.
    fn guest_in_turn(&self) -> Option<usize> {
        let last = self.sharing.as_ref()?.turns.last;
        let mut seen = BTreeSet::new();
        let mut firsts = Vec::new();
        for (index, incoming) in self.queue.iter().enumerate() {
            let client = ConnectionId::of(incoming.id);
            if let Some(member) = self.member(client).filter(|_| seen.insert(client)) {
                firsts.push((Some(member.guest.role) == last, member.served, index));
            }
        }
        firsts.into_iter().min().map(|(_, _, index)| index)
    }

    /// The evaluation of a guest that somebody waits for who need not wait for it any longer than [`GUEST_GRACE`], if it
    /// is not being ended already. An observer does not end what a participant does. What an observer evaluates, in
    /// whatever request, ends in any case; only what it asks of the past may take its time while nobody waits.
    pub(super) fn awaited_evaluation(&self) -> Option<RequestId> {
        let asked = self.asked.front().filter(|asked| is_guests(asked.id))?;
        let guests = asked.id;
        let sharing = self.sharing.as_ref()?;
        let is_pause = |asked: &PendingRequest| asked.request == Request::Pause;
        let is_ending = sharing.turns.ended == Some(guests) || self.asked.iter().any(is_pause);
        if is_ending || !self.is_evaluating() {
            return None;
        }
        let by = ConnectionId::of(guests);
        let role = self.member(by).map(|member| member.guest.role);
        let may_end = |client| match self.member(client) {
            Some(waiting) => client != by && role.is_none_or(|role| waiting.guest.role <= role),
            None => !client.is_of_guest(),
        };
        let has_own_end = match asked.request {
            Request::Investigate(_) | Request::Inspect(Inspect::Evaluate(_)) => true,
            _ => role != Some(Role::Observer),
        };
        let waits = !has_own_end
            || self.queue.has(Kind::Owners)
            || self.queue.iter().any(|incoming| may_end(ConnectionId::of(incoming.id)));
        waits.then_some(guests)
    }
}

//! What guests of a shared session are sent: each has a queue of its own, for which nobody waits.

use std::sync::Arc;

use crate::api::{Event, Exited, Failure, OutputSource, RequestId, Response, Share, Shared};

use super::connection::ConnectionId;
use super::copies::Copied;
use super::item::Item;
use super::outbox::{Outbox, Outgoing, ToGuest};
use super::{InlineTransport, Session};

/// Lets guests connect to a session.
pub trait Door: Send + Sync {
    /// Begins to listen for guests, which are connected with [`Session::connect_guest`]. Must not wait for anything.
    ///
    /// # Errors
    /// Why it is not possible.
    fn open(&self, session: &Session, how: &Share) -> Result<Shared, Failure>;

    /// Listens no more. Must not wait for anything.
    fn close(&self);
}

/// The connection of a guest.
pub(super) struct Guest {
    pub connection: ConnectionId,
    pub outbox: Arc<Outbox<ToGuest>>,
    pub transport: Arc<dyn InlineTransport>,
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "guest {:?}", self.connection)
    }
}

impl Copied for Guest {
    fn connection(&self) -> ConnectionId {
        self.connection
    }

    fn tell(&self, event: Event, size: usize) {
        self.outbox.tell(event, size);
        self.close_if_dismissed();
    }

    fn write(&self, source: OutputSource, text: &str) {
        self.outbox.write(source, text);
        self.close_if_dismissed();
    }

    fn finish_line(&self) {
        self.outbox.finish_line();
    }

    fn is_dismissed(&self) -> bool {
        self.outbox.is_closed()
    }
}

impl Guest {
    /// Sends it a response.
    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        self.outbox.respond(id, result);
        self.close_if_dismissed();
    }

    fn tell_ended(&self, status: i32) {
        let exited = Event::Exited(Box::new(Exited::with_status(status)));
        self.outbox.add(Item::Event(exited), false);
    }

    /// Closes the connection of a guest that its queue has dismissed.
    fn close_if_dismissed(&self) {
        if self.outbox.is_closed() {
            self.transport.close();
        }
    }

    /// Sends it a response, and adds it to those that get everything.
    pub fn open(
        self: &Arc<Guest>,
        owner: &Outbox,
        (id, result): (RequestId, Result<Response, Failure>),
        waits: Option<Event>,
    ) {
        owner.with_copies(|copies| {
            let has_joined = result.is_ok();
            let ended = match &result {
                Ok(Response::Attached(attached)) => attached.state.exit_status,
                Ok(_) | Err(_) => None,
            };
            self.outbox.respond(id, result);
            // As to an owner that comes after the end.
            if let Some(status) = ended {
                self.tell_ended(status);
            }
            if has_joined {
                waits.into_iter().for_each(|event| self.outbox.add(Item::Event(event), false));
                copies.add(self.clone());
            }
        });
    }

    /// Sends it a last event, if given; then its connection is closed.
    pub fn close(&self, owner: &Outbox, last: Option<Event>) {
        owner.with_copies(|copies| copies.remove(self.connection));
        last.into_iter().for_each(|event| self.outbox.add(Item::Event(event), false));
        self.outbox.close();
        self.transport.close();
    }
}

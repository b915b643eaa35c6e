//! The way from a client to its session.

use crate::session::{ConnectionId, Session, SessionRef};

use super::Received;

/// What a client's messages go through. Cheap to clone.
#[derive(Clone)]
pub struct ClientLink {
    session: SessionRef,
    connection: ConnectionId,
}

impl ClientLink {
    /// The link of the client that has this connection with a session.
    pub fn new(session: &Session, connection: ConnectionId) -> ClientLink {
        ClientLink { session: session.downgrade(), connection }
    }

    /// The connection of the client.
    pub fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// Hands on what a front end has made of the client's bytes. `lend` as in [`Session::receive`].
    pub fn deliver(&self, received: Vec<Received>, lend: impl FnOnce()) -> bool {
        self.hand_on(received, false, lend)
    }

    /// The same for a thread that then writes by itself what is told.
    pub fn deliver_quietly(&self, received: Vec<Received>) {
        self.hand_on(received, true, || ());
    }

    fn hand_on(&self, received: Vec<Received>, quiet: bool, lend: impl FnOnce()) -> bool {
        let Some(session) = self.session.upgrade() else { return false };
        let mut messages = Vec::with_capacity(received.len());
        let mut cancelled = Vec::new();
        for received in received {
            match received {
                Received::Message(mut message) => {
                    message.id = self.connection.in_session(message.id);
                    messages.push(message);
                }
                Received::Reply(id) => session.outbox().add_reply(self.connection.in_session(id), quiet),
                Received::Cancel(id) => cancelled.push(self.connection.in_session(id)),
            }
        }
        let lent = session.receive(messages, quiet, lend);
        cancelled.into_iter().for_each(|id| session.cancel(id));
        lent
    }

    /// Calls the thread that writes, if it waits.
    pub fn call_writer(&self) {
        if let Some(session) = self.session.upgrade() {
            session.outbox().call_writer();
        }
    }

    /// The client sends nothing more.
    pub fn end(&self) {
        let Some(session) = self.session.upgrade() else { return };
        match self.connection {
            ConnectionId::ONLY => session.commands_end(),
            connection => session.client_gone(connection),
        }
    }
}

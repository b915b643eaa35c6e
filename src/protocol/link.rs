//! Passes what a front end decodes on to the session.

use crate::api::Request;
use crate::session::{ConnectionId, Session, SessionRef};

use super::Received;

/// A client's access to its session. Clones refer to the same client.
#[derive(Clone)]
pub struct ClientLink {
    session: SessionRef,
    connection: ConnectionId,
}

impl ClientLink {
    /// For the client with this connection.
    pub fn new(session: &Session, connection: ConnectionId) -> ClientLink {
        ClientLink { session: session.downgrade(), connection }
    }

    /// The client's connection.
    pub fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// Passes on what a front end has decoded. Parameter and result as in [`Session::receive`].
    pub fn deliver(&self, received: Vec<Received>, lend: impl FnOnce()) -> bool {
        self.hand_on(received, false, lend)
    }

    /// The same, for a thread that writes the outbox itself afterwards.
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

    /// Wakes the writer's thread if it waits.
    pub fn wake_writer(&self) {
        if let Some(session) = self.session.upgrade() {
            session.outbox().wake_writer();
        }
    }

    /// The client sends nothing more. `farewell` as in [`FrontEnd::farewell`](super::FrontEnd::farewell).
    pub fn end(&self, farewell: Request) {
        let Some(session) = self.session.upgrade() else { return };
        match self.connection {
            ConnectionId::ONLY => session.commands_end(),
            connection => session.client_gone(connection, farewell),
        }
    }
}

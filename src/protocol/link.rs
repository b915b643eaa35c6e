//! Passes what a front end decodes on to the session.

use std::sync::Arc;

use ez_engine::api::{Failure, FailureKind, Request, RequestNumber};
use ez_engine::session::{ConnectionId, Incoming, Item, Outgoing, Session, SessionRef};
use ez_runtime::sync::Mutex;

use super::Received;
use super::remote::RemoteSession;

/// A client's access to its session. Clones refer to the same client.
#[derive(Clone)]
pub struct ClientLink {
    session: SessionRef,
    connection: ConnectionId,
    /// What is to be sent to the client.
    outbox: Arc<dyn Outgoing>,
    /// The session in another process to which requests go, if the client uses that one.
    elsewhere: Arc<Mutex<Option<RemoteSession>>>,
}

impl ClientLink {
    /// For the owner of the session, with this connection.
    pub fn new(session: &Session, connection: ConnectionId) -> ClientLink {
        ClientLink::with_outbox(session, connection, session.outbox().clone())
    }

    /// For the client with this connection, which is sent what is in `outbox`.
    pub fn with_outbox(session: &Session, connection: ConnectionId, outbox: Arc<dyn Outgoing>) -> ClientLink {
        ClientLink { session: session.downgrade(), connection, outbox, elsewhere: Arc::default() }
    }

    /// The client's connection.
    pub fn connection(&self) -> ConnectionId {
        self.connection
    }

    /// Passes on what a front end has decoded. Parameter and result as in [`Session::receive`].
    pub fn deliver(&self, received: Vec<Received>, lend: impl FnOnce()) -> bool {
        self.hand_on(received, false, lend)
    }

    /// Like [`ClientLink::deliver`], for a thread that writes the outbox itself afterwards.
    pub fn deliver_quietly(&self, received: Vec<Received>) {
        self.hand_on(received, true, || ());
    }

    fn hand_on(&self, received: Vec<Received>, quiet: bool, lend: impl FnOnce()) -> bool {
        let Some(session) = self.session.upgrade() else { return false };
        let elsewhere = self.elsewhere.lock().clone();
        let mut messages = Vec::with_capacity(received.len());
        let mut cancelled = Vec::new();
        for received in received {
            match (received, &elsewhere) {
                (Received::Message(Incoming { id, request: Ok(request) }), Some(elsewhere)) => {
                    elsewhere.ask(id, request);
                }
                (Received::Cancel(id), Some(elsewhere)) => elsewhere.cancel(id),
                (Received::Message(Incoming { id, request }), _) => {
                    messages.push(Incoming { id: self.connection.in_session(id), request });
                }
                (Received::Reply(id), _) => {
                    self.outbox.add(Item::Reply(self.connection.in_session(id)), quiet);
                }
                (Received::Cancel(id), None) => cancelled.push(self.connection.in_session(id)),
            }
        }
        self.outbox.expect(messages.len());
        let lent = session.receive(messages, quiet, lend);
        cancelled.into_iter().for_each(|id| session.cancel(id));
        lent
    }

    /// From now on, requests go to a session in another process. What comes of them has to be passed on with
    /// [`ClientLink::arrive`].
    pub fn lead_to(&self, session: RemoteSession) {
        *self.elsewhere.lock() = Some(session);
    }

    /// From now on, requests go to the session in this process again. The connection to the other one is closed.
    pub fn come_home(&self) {
        *self.elsewhere.lock() = None;
    }

    /// Sends the client what a session in another process has sent. Waits while there is too much output for it.
    pub fn arrive(&self, item: Item<RequestNumber>) {
        let Some(session) = self.session.upgrade() else { return };
        if !matches!(item, Item::Response(..)) {
            session.outbox().wait_for_space(|| false);
        }
        self.outbox.add(item.in_session(self.connection), false);
    }

    /// Lets a request of the client fail that no session will answer.
    pub fn fail(&self, id: RequestNumber, why: &str) {
        self.arrive(Item::Response(id, Err(Failure::new(FailureKind::Internal, why))));
    }

    /// Wakes the writer's thread if it waits.
    pub fn wake_writer(&self) {
        self.outbox.wake_writer();
    }

    /// The client sends nothing more. `on_disconnect` as in [`FrontEnd::on_disconnect`](super::FrontEnd::on_disconnect).
    pub fn end(&self, on_disconnect: Request) {
        let Some(session) = self.session.upgrade() else { return };
        match self.connection {
            ConnectionId::ONLY => session.commands_end(),
            connection => session.client_gone(connection, on_disconnect),
        }
    }
}

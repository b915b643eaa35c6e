//! The engine's side of a session.

use std::sync::{Arc, Weak};

use crossbeam_channel::Receiver;

use super::host::{DebugHost, Streams};
use super::machine::Machine;
use super::{Shared, lock};
use crate::api::{Request, RequestId, Response};
use crate::debug::{Client, InterruptHandle, Message};
use crate::host::Commands;
use crate::value::Host;

/// What connects the engine, on the interpreter's thread, with its session.
pub struct EngineLink {
    session: Weak<Shared>,
    streams: Streams,
    commands: Commands,
    requests: Receiver<(RequestId, Request)>,
}

impl EngineLink {
    pub(super) fn new(session: &Arc<Shared>, requests: Receiver<(RequestId, Request)>) -> EngineLink {
        let (streams, commands) = (session.streams.clone(), session.commands.clone());
        EngineLink { session: Arc::downgrade(session), streams, commands, requests }
    }

    /// What the session asks.
    pub fn requests(&self) -> Receiver<(RequestId, Request)> {
        self.requests.clone()
    }

    /// What makes a running program look at the requests.
    pub fn interrupt(&self) -> InterruptHandle {
        self.streams.interrupt.clone()
    }

    /// What starts the commands of the session's program.
    pub(super) fn commands(&self) -> Commands {
        self.commands.clone()
    }

    /// The streams of the session, for the hosts of its programs.
    pub(super) fn streams(&self) -> Streams {
        self.streams.clone()
    }
}

impl Streams {
    /// A host whose standard streams are these; all else is done by `inner`.
    pub(super) fn host(&self, inner: Box<dyn Host>) -> Box<dyn Host> {
        Box::new(DebugHost::new(self.clone(), inner))
    }
}

impl Client for EngineLink {
    fn message(&self, message: Message) {
        let Some(shared) = self.session.upgrade() else { return };
        let transport = lock(&shared.transport).clone();
        // A step is over in no time, and the client has to be woken only once.
        let goes_on = matches!(message, Message::Response(_, Ok(Response::Resumed)));
        shared.with_machine(transport.is_some(), |machine, now| machine.engine(message, now));
        match transport {
            Some(transport) if goes_on => transport.flush_soon(),
            Some(transport) => transport.flush(),
            None => {}
        }
    }

    fn wait_inline(&self) -> bool {
        let Some(shared) = self.session.upgrade() else { return false };
        let pending = || !self.requests.is_empty();
        let transport = lock(&shared.transport).clone();
        // The session may be over before this returns.
        drop(shared);
        transport.is_some_and(|transport| transport.wait(&pending))
    }
}

/// Tells the session that the interpreter's thread has ended, however that happened.
pub(super) struct Gone(Weak<Shared>);

impl Gone {
    pub fn new(session: &Arc<Shared>) -> Gone {
        Gone(Arc::downgrade(session))
    }
}

impl Drop for Gone {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.with_machine(false, Machine::engine_gone);
            lock(&shared.progress).engine_lives = false;
            shared.changed.notify_all();
        }
    }
}

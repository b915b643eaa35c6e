//! The engine's side of a session.

use std::sync::{Arc, Weak};

use crossbeam_channel::Receiver;

use super::Shared;
use super::children::ChildSettings;
use super::host::{DebugHost, Streams};
use super::machine::Machine;
use crate::api::{Done, Event, Launch, Reader, Request, RequestId, Response};
use crate::debug::{EngineClient, InterruptHandle, Message, PublishedBreakpoints};
use ez_runtime::host::{Commands, Followed};
use ez_runtime::value::Host;

/// The engine's access to its session. Used on the interpreter's thread.
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

    /// The channel on which the session sends requests, with their numbers.
    pub fn requests(&self) -> Receiver<(RequestId, Request)> {
        self.requests.clone()
    }

    /// The handle with which the session makes a running program look at the channel.
    pub fn interrupt(&self) -> InterruptHandle {
        self.streams.interrupt.clone()
    }

    /// What programs of the session start.
    pub(super) fn surroundings(&self) -> Surroundings {
        Surroundings { session: self.session.clone(), commands: self.commands.clone() }
    }

    /// The session's streams, for the program's host.
    pub(super) fn streams(&self) -> Streams {
        self.streams.clone()
    }
}

/// How a session's programs start commands, and how it follows the child processes.
pub(super) struct Surroundings {
    session: Weak<Shared>,
    commands: Commands,
}

impl Surroundings {
    /// Starts the operating system commands of a program that is about to run.
    pub fn commands(&self) -> Commands {
        self.commands.reopen();
        self.commands.clone()
    }

    /// The session that follows the child processes of a program.
    pub fn followed(&self, launch: &Launch) -> Followed {
        if !launch.children {
            return Followed::Inherited;
        }
        if let Some(shared) = self.session.upgrade() {
            let Launch { stop_on_entry, history, .. } = *launch;
            *shared.child_settings.lock() = ChildSettings { stop_on_entry, history };
        }
        let session = self.session.clone();
        Followed::By(Arc::new(move || session.upgrade()?.contact()))
    }
}

impl Streams {
    /// A host with the session's streams, which passes everything else on to `inner`.
    pub(super) fn host(&self, inner: Box<dyn Host>) -> Box<dyn Host> {
        Box::new(DebugHost::new(self.clone(), inner))
    }
}

impl EngineClient for EngineLink {
    fn message(&self, message: Message) {
        let Some(shared) = self.session.upgrade() else { return };
        let transport = shared.transport.lock().clone();
        // A step takes microseconds: the stop follows this response, and both can be written together.
        let goes_on = matches!(message, Message::Response(_, Ok(Response::Done(Done::Resumed))));
        if let Message::Event(Event::Log(_)) = message {
            // Log points may write as much as a program prints.
            self.streams.outbox.wait_for_space(|| self.streams.interrupt.is_raised());
        }
        if let Message::Event(Event::Stopped(_) | Event::CellEnded(_) | Event::Exited(_)) = message {
            self.streams.input.wait_ends();
        }
        shared.with_machine(transport.is_some(), |machine, now| machine.engine(message, now));
        match transport {
            Some(transport) if goes_on => transport.flush_soon(),
            Some(transport) => transport.flush(),
            None => {}
        }
    }

    fn reads_line(&self, call: Option<Reader>) {
        self.streams.input.set_reader(call);
    }

    fn wait_inline(&self) -> bool {
        let Some(shared) = self.session.upgrade() else { return false };
        let pending = || !self.requests.is_empty();
        // This thread could not look at the requests of guests while it reads from the owner.
        if shared.machine.lock().is_shared() {
            return false;
        }
        let transport = shared.transport.lock().clone();
        // This may be the last reference to a session that has ended.
        drop(shared);
        transport.is_some_and(|transport| transport.wait(&pending))
    }

    fn published_breakpoints(&self) -> Option<PublishedBreakpoints> {
        self.session.upgrade().map(|shared| shared.breakpoints.clone())
    }
}

/// Tells the session, when dropped, that the engine has ended, even if by a panic.
pub(super) struct EngineGuard(Weak<Shared>);

impl EngineGuard {
    pub fn new(session: &Arc<Shared>) -> EngineGuard {
        EngineGuard(Arc::downgrade(session))
    }
}

impl Drop for EngineGuard {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.with_machine(false, Machine::engine_gone);
            shared.progress.lock().engine_lives = false;
            shared.changed.notify_all();
        }
    }
}

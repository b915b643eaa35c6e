//! The state of the debug engine, and its line to whoever debugs the program.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use compact_str::CompactString;
use crossbeam_channel::{Receiver, TryRecvError};
use foldhash::HashMap;

use crate::api::{Event, Failure, Launch, Request, RequestId, Response, Restart, StoppedAt, WatchId};
use crate::interp::vm::Vm;
use crate::program::StmtId;
use crate::recording::file::Playback;

use super::changes::ChangeTracker;
use super::client::{Client, Message};
use super::control::InterruptHandle;
use super::handles::Handles;
use super::placing::Placing;
use super::program::{DebuggedProgram, Runnable};
use super::shown::Shown;
use super::stepper::Mode;
use super::temporaries::Temporaries;
use super::time::history::History;
use super::time::position::ErrorValues;
use super::time::underway::Underway;
use super::time::wire::Voice;
use super::watchdog::Watchdog;
use super::watches::Watches;

/// The program that was loaded, and how far it may run.
pub(super) struct Instance {
    pub debugged: Rc<DebuggedProgram>,
    pub changes: ChangeTracker,
    pub error_values: ErrorValues,
    pub mode: Mode,
    /// Whether the first stop is at the first statement; `None` if the breakpoints say so.
    pub stop_on_entry: Option<bool>,
    /// Whether the program is to stop before its next statement.
    pub pause: bool,
    /// The machine that will run it; `None` once it has started.
    pub vm: Option<Vm>,
}

/// A debug engine. Lives on the interpreter's thread.
pub(super) struct Engine {
    requests: Receiver<(RequestId, Request)>,
    pub client: Rc<dyn Client>,
    pub interrupt: InterruptHandle,
    pub placing: Rc<RefCell<Placing>>,
    pub handles: Handles,
    pub program: Option<Instance>,
    /// Variables of the debugger's, at the present stop.
    pub temporaries: Temporaries,
    pub watches: Watches,
    /// What watches were compiled to for a place: a statement, or the back edge of its loop.
    pub watch_code: HashMap<(WatchId, StmtId, bool), Rc<Result<Runnable, Failure>>>,
    pub watchdog: Watchdog,
    /// How the program was begun.
    pub launch: Option<Launch>,
    /// The program's main file as the client names it.
    pub file: Option<String>,
    /// The status with which the program has ended.
    pub exit_status: Option<i32>,
    /// Where the program is stopped.
    pub stopped_at: Option<StoppedAt>,
    /// The variables that have changed at the present stop.
    pub changed: Vec<CompactString>,
    /// What the client saw last, if the program has not run on from there to the present stop.
    pub shown_before: Option<Shown>,
    /// Whether the program that is loaded is to start.
    pub starting: bool,
    /// The machine of a program that has ended, until the engine ends or another program begins: dropping
    /// it may take long.
    pub ended: Option<Vm>,
    /// The request that ends the run to begin another one.
    pub restart: Option<(RequestId, Box<Restart>)>,
    /// The request that ends the run.
    pub kill: Option<RequestId>,
    /// Requests that came while an expression was evaluated, to be answered next.
    pub postponed: VecDeque<(RequestId, Request)>,
    /// The history of the program, if it is kept.
    pub history: Option<History>,
    /// The journey under way, if this engine runs the past of another one's program.
    pub underway: Option<Underway>,
    /// Whether something is done again that the debugger did.
    pub is_intervening: bool,
    /// How a recording fares that is run again.
    pub playback: Option<Playback>,
    /// Why the program stops next, though nobody has asked for it.
    pub notice: Option<String>,
    /// How this engine speaks to that of the live program, if it makes a journey in a copy of its process.
    pub voice: Option<Rc<Voice>>,
}

impl Engine {
    /// An engine without a program.
    pub fn new(
        requests: Receiver<(RequestId, Request)>,
        client: Rc<dyn Client>,
        interrupt: InterruptHandle,
        directory: PathBuf,
    ) -> Engine {
        let placing = Placing::new(directory, interrupt.clone());
        let watchdog = Watchdog::new(interrupt.clone());
        Engine {
            requests,
            client,
            interrupt,
            placing: Rc::new(RefCell::new(placing)),
            handles: Handles::default(),
            temporaries: Temporaries::default(),
            watches: Watches::default(),
            watch_code: HashMap::default(),
            watchdog,
            program: None,
            launch: None,
            file: None,
            exit_status: None,
            stopped_at: None,
            changed: Vec::new(),
            shown_before: None,
            starting: false,
            ended: None,
            restart: None,
            kill: None,
            postponed: VecDeque::new(),
            history: None,
            underway: None,
            is_intervening: false,
            playback: None,
            notice: None,
            voice: None,
        }
    }

    /// Listens to other requests, speaks to another client, and is interrupted by another handle from now
    /// on; gives those of before.
    pub fn attach_to(
        &mut self,
        requests: Receiver<(RequestId, Request)>,
        client: Rc<dyn Client>,
        interrupt: InterruptHandle,
    ) -> impl Sized + use<> {
        (
            self.placing.borrow_mut().interrupt_by(interrupt.clone()),
            std::mem::replace(&mut self.interrupt, interrupt),
            std::mem::replace(&mut self.client, client),
            std::mem::replace(&mut self.requests, requests),
        )
    }

    /// The program that was loaded, if one was.
    pub fn debugged(&self) -> Option<Rc<DebuggedProgram>> {
        self.program.as_ref().map(|program| program.debugged.clone())
    }

    pub fn event(&self, event: Event) {
        self.client.message(Message::Event(event));
    }

    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        self.client.message(Message::Response(id, result));
    }

    /// The next request; waits for it. `None` when there will be none.
    pub fn next_request(&mut self) -> Option<(RequestId, Request)> {
        if let Some(postponed) = self.postponed.pop_front() {
            return Some(postponed);
        }
        loop {
            match self.requests.try_recv() {
                Ok(request) => return Some(request),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if self.client.wait_inline() => {}
                Err(TryRecvError::Empty) => return self.requests.recv().ok(),
            }
        }
    }

    /// The next request, if there is one already.
    pub fn poll_request(&mut self) -> Result<(RequestId, Request), TryRecvError> {
        self.requests.try_recv()
    }

    /// What an evaluation listens to.
    pub fn request_channel(&self) -> Receiver<(RequestId, Request)> {
        self.requests.clone()
    }

    /// Answers a request that cannot be carried out in this state. Sessions ask only what can be.
    pub fn refuse(&self, id: RequestId, request: &Request, state: &str) {
        self.respond(id, Err(Failure::wrong_state(request.verb(), state)));
    }
}

//! The state of the debug engine, and its communication with the client.

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
use super::time::journey_state::JourneyState;
use super::time::position::ErrorValues;
use super::time::wire::ParentLink;
use super::watchdog::Watchdog;
use super::watches::Watches;

/// A loaded program that has not ended, and how far to run it.
pub(super) struct Instance {
    pub debugged: Rc<DebuggedProgram>,
    pub changes: ChangeTracker,
    pub error_values: ErrorValues,
    pub mode: Mode,
    /// Whether to stop before the first statement; `None`: only if no breakpoint is set.
    pub stop_on_entry: Option<bool>,
    /// Whether to stop before the next statement.
    pub pause: bool,
    /// The interpreter; `None` once the program has been started, since it owns itself then.
    pub vm: Option<Vm>,
}

/// The debug engine. Lives on the interpreter's thread.
pub(super) struct Engine {
    requests: Receiver<(RequestId, Request)>,
    pub client: Rc<dyn Client>,
    pub interrupt: InterruptHandle,
    pub placing: Rc<RefCell<Placing>>,
    pub handles: Handles,
    pub program: Option<Instance>,
    /// Variables that the client has declared at the present stop.
    pub temporaries: Temporaries,
    pub watches: Watches,
    /// Compiled watches, by statement and whether it is reached by a loop's back edge.
    pub watch_code: HashMap<(WatchId, StmtId, bool), Rc<Result<Runnable, Failure>>>,
    pub watchdog: Watchdog,
    /// The parameters of the session's program.
    pub launch: Option<Launch>,
    /// The program's main file in the words of the client.
    pub file: Option<String>,
    /// The exit status, once the program has ended.
    pub exit_status: Option<i32>,
    /// The present stop.
    pub stopped_at: Option<StoppedAt>,
    /// The variables that have changed at the present stop.
    pub changed: Vec<CompactString>,
    /// The variables at the stop that the client saw last, if the present one was reached through time.
    pub shown_before: Option<Shown>,
    /// Whether the loaded program is to be started.
    pub starting: bool,
    /// The interpreter of a program that has ended. Dropping it may take long, and is left until the engine
    /// ends or another program starts.
    pub ended: Option<Vm>,
    /// The request to restart the program, while the old run ends.
    pub restart: Option<(RequestId, Box<Restart>)>,
    /// The request to end the program, until it has ended.
    pub kill: Option<RequestId>,
    /// Requests received during an evaluation, to be handled next.
    pub postponed: VecDeque<(RequestId, Request)>,
    /// The program's history, if it is kept.
    pub history: Option<History>,
    /// The journey under way, if this engine runs another instance of a program to show its past.
    pub journey_state: Option<JourneyState>,
    /// Whether a change made by the client is being repeated, in an instance of the past.
    pub is_intervening: bool,
    /// The state of a recording that is being played.
    pub playback: Option<Playback>,
    /// A reason to stop the program that comes from no request.
    pub notice: Option<String>,
    /// The connection to the live engine, if this one runs in a copy of its process.
    pub parent: Option<Rc<ParentLink>>,
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
            journey_state: None,
            is_intervening: false,
            playback: None,
            notice: None,
            parent: None,
        }
    }

    /// Replaces the channel of requests, the client and the interrupt handle; returns the previous ones.
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

    /// The loaded program, if any.
    pub fn debugged(&self) -> Option<Rc<DebuggedProgram>> {
        self.program.as_ref().map(|program| program.debugged.clone())
    }

    /// Sends an event to the client.
    pub fn event(&self, event: Event) {
        self.client.message(Message::Event(event));
    }

    /// Sends the client the response to a request.
    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        self.client.message(Message::Response(id, result));
    }

    /// Waits for the next request; `None` when the channel is closed.
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

    /// The next request, if there is one.
    pub fn poll_request(&mut self) -> Result<(RequestId, Request), TryRecvError> {
        self.requests.try_recv()
    }

    /// The channel of requests, for evaluations to observe.
    pub fn request_channel(&self) -> Receiver<(RequestId, Request)> {
        self.requests.clone()
    }

    /// Answers a request that this state does not allow. (Sessions do not send such requests.)
    pub fn refuse(&self, id: RequestId, request: &Request, state: &str) {
        self.respond(id, Err(Failure::wrong_state(request.verb(), state)));
    }
}

//! The state of the debug engine, and its communication with the client.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;

use compact_str::CompactString;
use crossbeam_channel::{Receiver, TryRecvError};
use foldhash::HashMap;

use crate::api::{Event, Failure, FailureKind, Launch, Request, RequestId, Response, WatchId};
use crate::debug::breakpoints::manager::BreakpointManager;
use crate::debug::client::{Client, Message};
use crate::debug::control::InterruptHandle;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::position::ErrorValues;
use crate::debug::history::state::History;
use crate::debug::history::worker::wire::ParentLink;
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::inspect::handles::Handles;
use crate::debug::inspect::temporaries::Temporaries;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::inspect::watchdog::Watchdog;
use crate::debug::inspect::watches::Watches;
use crate::debug::program::{DebuggedProgram, Runnable};
use crate::debug::running::cell_session::CellSession;
use crate::debug::running::state::RunState;
use crate::debug::running::stepper::Mode;
use crate::program::StmtId;
use crate::recording::file::Playback;

/// A loaded program, and how far to run it.
pub struct Instance {
    pub debugged: Rc<DebuggedProgram>,
    pub changes: ChangeTracker,
    pub error_values: ErrorValues,
    pub mode: Mode,
    /// Whether to stop before the first statement; `None`: only if no breakpoint is set.
    pub stop_on_entry: Option<bool>,
    /// Whether to stop before the next statement.
    pub pause: bool,
    /// Whether it is plain code, which cannot stop.
    pub is_plain: bool,
}

/// The debug engine. Lives on the interpreter's thread.
pub struct Engine {
    requests: Receiver<(RequestId, Request)>,
    pub client: Rc<dyn Client>,
    pub interrupt: InterruptHandle,
    pub breakpoints: Rc<RefCell<BreakpointManager>>,
    pub handles: Handles,
    pub state: RunState,
    /// The program, if one is loaded.
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
    /// The variables that have changed at the present stop.
    pub changed: Vec<CompactString>,
    /// The variables at the stop that the client saw last, if the present one was reached through time.
    pub shown_before: Option<VariableSnapshot>,
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
    /// The state of a session of cells, if it is one.
    pub cells: Option<CellSession>,
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
        let breakpoints = BreakpointManager::new(directory, interrupt.clone());
        let watchdog = Watchdog::new(interrupt.clone());
        Engine {
            requests,
            client,
            interrupt,
            breakpoints: Rc::new(RefCell::new(breakpoints)),
            handles: Handles::default(),
            temporaries: Temporaries::default(),
            watches: Watches::default(),
            watch_code: HashMap::default(),
            watchdog,
            state: RunState::Empty,
            program: None,
            launch: None,
            file: None,
            changed: Vec::new(),
            shown_before: None,
            postponed: VecDeque::new(),
            history: None,
            journey_state: None,
            is_intervening: false,
            playback: None,
            notice: None,
            cells: None,
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
            self.breakpoints.borrow_mut().interrupt_by(interrupt.clone()),
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

    /// Answers a request that the engine cannot carry out in this state. (Sessions do not send such requests.)
    pub fn refuse(&self, id: RequestId, request: &Request) {
        let failure = self.state.session_state(self.launch.is_some()).refusal(request);
        let why = "the session carries out this request";
        self.respond(id, Err(failure.unwrap_or_else(|| Failure::new(FailureKind::Internal, why))));
    }
}

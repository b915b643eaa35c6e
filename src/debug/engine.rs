//! The state of the debug engine.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use crate::api::{Event, Failure, FailureKind, Launch, Request, RequestId, Response};
use crate::debug::breakpoints::manager::BreakpointManager;
use crate::debug::client::Connection;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::position::ErrorValues;
use crate::debug::history::state::History;
use crate::debug::history::worker::wire::ParentLink;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::cell_session::CellSession;
use crate::debug::running::state::RunState;
use crate::debug::running::stepper::Mode;
use crate::recording::file::Playback;

/// How far the loaded program is to run.
#[derive(Default)]
pub struct Run {
    pub mode: Mode,
    /// Whether to stop before the first statement; `None`: only if no breakpoint is set.
    pub stop_on_entry: Option<bool>,
    /// Whether to stop before the next statement.
    pub pause: bool,
    /// Whether it is plain code, which cannot stop.
    pub is_plain: bool,
    pub error_values: ErrorValues,
}

/// The debug engine: runs one program. Lives on the interpreter's thread.
pub struct Engine {
    pub inspection: Inspection,
    pub breakpoints: Rc<RefCell<BreakpointManager>>,
    pub run: Run,
    pub state: RunState,
    /// The parameters of the session's program.
    pub launch: Option<Launch>,
    /// The program's main file in the words of the client.
    pub file: Option<String>,
    /// The program's history, if it is kept.
    pub history: Option<History>,
    /// The journey under way, if this engine runs another instance of a program to show its past.
    pub journey_state: Option<JourneyState>,
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
    /// An engine without a program; `directory` is the base of relative paths.
    pub fn new(connection: Connection, directory: PathBuf) -> Engine {
        let breakpoints = BreakpointManager::new(directory, connection.interrupt.clone());
        let breakpoints = Rc::new(RefCell::new(breakpoints));
        Engine {
            inspection: Inspection::new(connection, breakpoints.clone()),
            breakpoints,
            run: Run::default(),
            state: RunState::Empty,
            launch: None,
            file: None,
            history: None,
            journey_state: None,
            playback: None,
            notice: None,
            cells: None,
            parent: None,
        }
    }

    /// The loaded program, if any.
    pub fn debugged(&self) -> Option<Rc<DebuggedProgram>> {
        self.inspection.program.clone()
    }

    /// Sends an event to the client.
    pub fn event(&self, event: Event) {
        self.inspection.connection.event(event);
    }

    /// Sends the client the response to a request.
    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        self.inspection.connection.respond(id, result);
    }

    /// Answers a request that the engine cannot carry out in this state. (Sessions do not send such requests.)
    pub fn refuse(&self, id: RequestId, request: &Request) {
        let failure = self.state.session_state(self.launch.is_some()).refusal(request);
        let why = "the session carries out this request";
        self.respond(id, Err(failure.unwrap_or_else(|| Failure::new(FailureKind::Internal, why))));
    }
}

//! The state of the debug engine.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use crate::api::{
    Breakpoint, ChangeReason, Event, Failure, FailureKind, Inspect, Launch, Moment, Request, RequestId,
    Response,
};
use crate::debug::breakpoints::manager::BreakpointManager;
use crate::debug::client::Connection;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::position::{ErrorValues, Phase};
use crate::debug::history::state::History;
use crate::debug::history::visit::JourneyEnd;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::cell_session::CellSession;
use crate::debug::running::expected_output::ExpectedOutput;
use crate::debug::running::state::RunState;
use crate::debug::running::stepper::Mode;
use crate::recording::Record;
use crate::recording::file::Playback;
use ez_language::modules::SourceLoader;
use ez_runtime::interp::vm::Vm;

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
    /// What the program has received from outside, if its history is kept.
    pub record: Option<Record>,
    /// The history, while no [`TimeMachine`](crate::debug::history::time_machine::TimeMachine) uses it.
    pub history: Option<History>,
    /// The journey under way, if this engine runs an instance of a program to show its past.
    pub journey: Option<JourneyState>,
    /// The state of a recording that is being played.
    pub playback: Option<Playback>,
    /// A reason to stop the program that comes from no request.
    pub notice: Option<String>,
    /// The state of a session of cells, if it is one.
    pub cells: Option<CellSession>,
    /// What programs are expected to write.
    pub expected_output: ExpectedOutput,
    /// Reads files that clients name.
    pub loader: Rc<dyn SourceLoader>,
}

impl Engine {
    /// An engine without a program; `directory` is the base of relative paths.
    pub fn new(connection: Connection, directory: PathBuf, loader: Rc<dyn SourceLoader>) -> Engine {
        let breakpoints = BreakpointManager::new(directory, connection.interrupt.clone());
        let breakpoints = Rc::new(RefCell::new(breakpoints));
        Engine {
            inspection: Inspection::new(connection, breakpoints.clone()),
            breakpoints,
            run: Run::default(),
            state: RunState::Empty,
            launch: None,
            file: None,
            record: None,
            history: None,
            journey: None,
            playback: None,
            notice: None,
            cells: None,
            expected_output: ExpectedOutput::default(),
            loader,
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

    /// Begins the journey for which an instance was made.
    pub fn begin_journey(&mut self, vm: &mut Vm, mut journey: JourneyState) {
        // Nothing is compared in a copy of the process, which shows the past.
        (vm.output, self.expected_output) = (None, ExpectedOutput::default());
        journey.begin(vm, &mut self.inspection);
        self.journey = Some(journey);
    }

    /// The result of a journey, whose run is over; its last step is `step`.
    pub fn finish_journey(&mut self, step: u64) -> JourneyEnd {
        match self.journey.take() {
            Some(journey) => journey.finish(&mut self.inspection, step),
            None => JourneyEnd::Lost("there was no journey".into()),
        }
    }

    /// The point in the history where the program is after this step, if a history is kept.
    pub fn moment(&self, step: u64, phase: Phase) -> Option<Moment> {
        if let Some(journey) = &self.journey {
            return Some(journey.moment(phase));
        }
        let output_length = self.record.as_ref()?.output_size().to(None);
        let (after_return, error_values) = (phase.is_return(), phase.error_value());
        Some(Moment { present: step, is_past: false, output_length, after_return, error_values })
    }

    /// Bytes of output so far, if a history is kept.
    pub fn output_length(&self) -> Option<u64> {
        let past = self.journey.as_ref().map(JourneyState::output_length);
        past.or_else(|| self.record.as_ref().map(|record| record.output_size().to(None)))
    }

    /// Carries out a request about the stopped program; `top` is the innermost frame.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    pub fn inspect(&mut self, vm: &mut Vm, top: &FrameView, request: Inspect) -> Result<Response, Failure> {
        let cells = self.cells.as_mut().map(|session| &mut session.cells);
        self.inspection.inspect(vm, top, cells, request)
    }

    /// From now on, no history is kept.
    pub fn keep_no_history(&mut self) {
        (self.record, self.history) = (None, None);
        let mut breakpoints = self.breakpoints.borrow_mut();
        breakpoints.keeps_history = false;
        breakpoints.settings = None;
    }

    /// Reports breakpoints that have changed as a program was loaded; the flag says that the condition is wrong.
    pub fn tell_placed(&self, changed: Vec<(Breakpoint, bool)>) {
        let (wrong, moved): (Vec<_>, Vec<_>) = changed.into_iter().partition(|(_, is_wrong)| *is_wrong);
        for (breakpoint, _) in wrong {
            self.event(Event::WrongCondition(breakpoint));
        }
        self.tell_changed(moved.into_iter().map(|(breakpoint, _)| breakpoint), ChangeReason::Changed);
    }

    /// Reports breakpoints that have changed without a request.
    pub fn tell_changed(&self, breakpoints: impl IntoIterator<Item = Breakpoint>, reason: ChangeReason) {
        let changes: Vec<_> = breakpoints.into_iter().map(|breakpoint| (breakpoint, reason)).collect();
        if !changes.is_empty() {
            self.event(Event::BreakpointsChanged { changes, by: None });
        }
    }

    /// Answers a request that the engine cannot carry out in this state. (Sessions do not send such requests.)
    pub fn refuse(&self, id: RequestId, request: &Request) {
        let failure = self.state.session_state(self.launch.is_some()).refusal(request);
        let why = "the session carries out this request";
        self.respond(id, Err(failure.unwrap_or_else(|| Failure::new(FailureKind::Internal, why))));
    }
}

//! Sessions of cells: between cells, and the begin and end of each.

use std::rc::Rc;

use crate::api::{
    Cell, CellEnded, CellSettings, CellStarted, Done, Event, Failure, FailureKind, Inspect, Launch, Obstacle,
    RequestId, Response,
};
use crate::debug::breakpoints::line_table::LineTable;
use crate::debug::engine::{Engine, Run};
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::inspect::frames::FrameView;
use crate::debug::load::reserve_temporaries;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::cell_session::{CellSession, Inspected};
use crate::debug::running::loading::machine;
use crate::debug::running::state::RunState;
use ez_language::cells::{Cells, CheckedCell};
use ez_runtime::interp::vm::{ErrorWatch, Vm};
use ez_runtime::interp::{Outcome, compile_attached, compile_plain};
use ez_runtime::value::Host;

impl Engine {
    /// Begins a session of cells.
    pub fn begin_cells(&mut self, launch: &Launch, settings: CellSettings, host: Box<dyn Host>) {
        self.file = None;
        self.inspection.program = None;
        self.cells = Some(CellSession::new(settings, host));
        self.state = RunState::Idle(None);
        self.keep_no_history();
        self.launch = Some(launch.clone());
    }

    /// Forgets what cells have declared.
    pub fn reset_cells(&mut self) {
        self.leave_inspected();
        self.inspection.program = None;
        if let Some(session) = &mut self.cells {
            session.cells = Cells::new();
        }
        self.state = RunState::Idle(None);
    }

    /// Carries out [`SetDebugging`](crate::api::Request::SetDebugging).
    pub fn set_debugging(&mut self, id: RequestId, on: bool) {
        if let Some(session) = &mut self.cells {
            session.is_debugging = on;
        }
        self.respond(id, Ok(Response::Done(Done::DebuggingSet)));
    }

    /// Prepares a cell to run. The response is sent before it runs.
    pub fn start_cell(&mut self, id: RequestId, cell: &Cell) {
        self.leave_inspected();
        let prepared = self.prepare_cell(cell);
        match prepared {
            Ok((vm, started)) => {
                self.respond(id, Ok(Response::CellStarted(started)));
                self.state = RunState::Ready { vm, starts: true };
            }
            Err(failure) => self.respond(id, Err(failure)),
        }
    }

    fn prepare_cell(&mut self, cell: &Cell) -> Result<(Vm, CellStarted), Failure> {
        let why = || Failure::wrong_state("run a cell", Obstacle::NoCells);
        let session = self.cells.as_mut().ok_or_else(why)?;
        let (mut checked, started) = session.check(cell)?;
        let is_plain = !session.is_debugging && !cell.stops_on_entry;
        let mut vm = self.load_cell(&mut checked, is_plain)?;
        if let Some(debugged) = self.debugged() {
            let changed = self.breakpoints.borrow_mut().place_all(&mut vm, debugged);
            self.tell_placed(changed);
        }
        if is_plain {
            // Nobody waits for its stops.
            vm.error_watch = ErrorWatch::default();
        }
        self.run.stop_on_entry = Some(cell.stops_on_entry);
        if let Some(session) = &mut self.cells {
            session.current = Some(checked);
        }
        Ok((vm, started))
    }

    /// An interpreter for a cell, with the values of the variables.
    fn load_cell(&mut self, cell: &mut CheckedCell, is_plain: bool) -> Result<Vm, Failure> {
        let why = || Failure::wrong_state("run a cell", Obstacle::NoCells);
        let own_globals = reserve_temporaries(&mut cell.program);
        let program = cell.program.clone();
        let session = self.cells.as_mut().ok_or_else(why)?;
        let host = session.host.take().ok_or_else(why)?;
        let mut vm = machine(&program, host)?;
        session.cells.enter(cell, &mut vm);
        let compiled = Rc::new(if is_plain { compile_plain(&program) } else { compile_attached(&program) });
        self.inspection.connection.interrupt.attach(compiled.flags.clone());
        vm.sites = compiled.sites.clone();
        self.inspection.watch_code.clear();
        let directory = self.breakpoints.borrow().directory.clone();
        let debugged = DebuggedProgram {
            compiled,
            lines: LineTable::new(&program, &directory),
            own_files: program.sources.len(),
            own_globals,
            observer: None,
            observed_size: Default::default(),
            program,
            symbols: cell.symbols.clone(),
        };
        let limits = self.launch.as_ref().map(|launch| launch.limits).unwrap_or_default();
        self.inspection.program = Some(Rc::new(debugged));
        self.inspection.tracker = ChangeTracker::new(limits);
        self.run = Run { stop_on_entry: Some(false), is_plain, ..Run::default() };
        Ok(vm)
    }

    /// The cell that ran has ended; reports it. `killed`: the request that has ended it.
    pub fn cell_ended(&mut self, mut vm: Vm, outcome: Outcome, killed: Option<RequestId>) {
        let _ = vm.host.flush();
        let Some(session) = &mut self.cells else { return };
        let outcome = session.leave(&mut vm, outcome);
        session.host = Some(vm.host);
        self.state = RunState::Idle(None);
        if let Some(id) = killed {
            self.respond(id, Ok(Response::Done(Done::Killed)));
        }
        self.event(Event::CellEnded(Box::new(CellEnded { outcome })));
    }

    /// Answers a question about the variables between cells.
    pub fn inspect_idle(&mut self, id: RequestId, request: Inspect) {
        let answer = match self.enter_inspected() {
            Ok(mut inspected) => {
                let Inspected { vm, view, .. } = &mut *inspected;
                let view = *view;
                let copies = matches!(request, Inspect::CopyToGlobals(_));
                let answer = self.inspect(vm, &view, request);
                self.state = RunState::Idle(Some(inspected));
                if copies {
                    // The program does not have the new variable.
                    self.leave_inspected();
                }
                answer
            }
            Err(failure) => Err(failure),
        };
        self.respond(id, answer);
    }

    /// Changes breakpoints between cells.
    pub fn prepare_for_breakpoints(&mut self) {
        if let RunState::Idle(_) = self.state
            && let Ok(inspected) = self.enter_inspected()
        {
            self.state = RunState::Idle(Some(inspected));
        }
    }

    fn enter_inspected(&mut self) -> Result<Box<Inspected>, Failure> {
        if let RunState::Idle(inspected) = &mut self.state
            && let Some(inspected) = inspected.take()
        {
            return Ok(inspected);
        }
        let why =
            |what: &str| Failure::new(FailureKind::Internal, format!("between cells, {what} is missing"));
        let session = self.cells.as_mut().ok_or_else(|| why("the session"))?;
        let mut cell = session.cells.idle().map_err(|found| session.failure(&found))?;
        let mut vm = self.load_cell(&mut cell, false)?;
        if let Some(debugged) = self.debugged() {
            // Nothing of it runs: where breakpoints are is reported when the next cell begins.
            drop(self.breakpoints.borrow_mut().place_all(&mut vm, debugged));
        }
        let view = self.frame_of_main(&mut vm).ok_or_else(|| why("a frame"))?;
        Ok(Box::new(Inspected { cell, vm, view }))
    }

    fn frame_of_main(&self, vm: &mut Vm) -> Option<FrameView> {
        let debugged = self.debugged()?;
        let main = debugged.program.main;
        let code = debugged.compiled.codes.get(main.0 as usize)?.get()?;
        let fp = vm.enter_first(&code.layout).ok()?;
        let statements = debugged.program.statements.iter().zip(0..);
        let (info, number) = statements.into_iter().find(|(info, _)| info.func == main)?;
        let stmt = ez_runtime::program::StmtId(number);
        Some(FrameView { fp, func: main, stmt, at: info.at, back_edge: false })
    }

    /// Takes the variables back from the program that was inspected.
    fn leave_inspected(&mut self) {
        self.inspection.temporaries = Default::default();
        self.inspection.handles.clear();
        if let RunState::Idle(inspected) = &mut self.state
            && let Some(inspected) = inspected.take()
            && let Some(session) = &mut self.cells
        {
            let Inspected { cell, mut vm, .. } = *inspected;
            session.cells.leave_idle(&cell, &mut vm);
            session.host = Some(vm.host);
        }
    }
}

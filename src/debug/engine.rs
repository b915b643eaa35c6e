//! The engine: decides where a program stops, and answers while it is stopped.

use std::rc::Rc;

use crossbeam_channel::{Receiver, TryRecvError};

use crate::check::Symbols;
use crate::interp::flags::{BREAKPOINT, CONDITION, INTERRUPT, STEP};
use crate::interp::slots::Fp;
use crate::interp::vm::{Debugger, Pending, Stop, Vm};
use crate::interp::{CompiledProgram, Outcome};
use crate::program::StmtId;
use crate::source::Span;

use super::breakpoints::{Breakpoints, Hit};
use super::changes::ChangeTracker;
use super::control::InterruptHandle;
use super::inspect::{self, FrameView};
use super::line_table::LineTable;
use super::messages::{Ended, Event, Request, Resume, StopReason, Stopped};
use super::stepper::{Mode, StepOrigin};

/// Whoever debugs a program, as its thread sees it. A closure that takes events will do.
pub trait Client {
    /// Is told what happens; must not block for long.
    fn event(&self, event: Event);

    /// Waits until there may be a request, while the program is stopped and there is none; `false` if
    /// the program's thread is to wait for the request itself.
    fn listen(&self) -> bool {
        false
    }
}

impl<F: Fn(Event)> Client for F {
    fn event(&self, event: Event) {
        self(event);
    }
}

/// The debugger of one running program. Lives on its thread.
pub(crate) struct Engine {
    pub(super) requests: Receiver<Request>,
    pub(super) client: Rc<dyn Client>,
    pub(super) control: InterruptHandle,
    pub(super) symbols: Rc<Symbols>,
    pub(super) compiled: Rc<CompiledProgram>,
    pub(super) places: LineTable,
    pub(super) breakpoints: Breakpoints,
    pub(super) mode: Mode,
    pub(super) pause: bool,
    /// Requests that came while an expression was evaluated.
    pub(super) postponed: Vec<Request>,
    watch: ChangeTracker,
}

/// What to do after looking at a request.
enum Next {
    Wait,
    Go(Resume),
    End,
}

impl Engine {
    pub fn new(
        requests: Receiver<Request>,
        client: Rc<dyn Client>,
        control: InterruptHandle,
        symbols: Rc<Symbols>,
        compiled: Rc<CompiledProgram>,
        places: LineTable,
    ) -> Engine {
        Engine {
            requests,
            client,
            control,
            symbols,
            compiled,
            places,
            breakpoints: Breakpoints::default(),
            mode: Mode::Running,
            pause: false,
            postponed: Vec::new(),
            watch: ChangeTracker::default(),
        }
    }

    fn emit(&self, event: Event) {
        self.client.event(event);
    }

    fn standing(&self, vm: &Vm, at: Span) -> StepOrigin {
        StepOrigin { depth: vm.depth(), line: (at.file, vm.program.sources.line(at)) }
    }

    /// Looks at the requests that wait while the program runs.
    fn drain(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.control.clear();
        loop {
            match self.requests.try_recv() {
                Ok(request) => self.running_request(vm, request)?,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(terminate(vm)),
            }
        }
    }

    pub(super) fn running_request(&mut self, vm: &mut Vm, request: Request) -> Result<(), Stop> {
        match request {
            Request::Terminate => return Err(terminate(vm)),
            Request::Pause => {
                self.pause = true;
                self.control.set_bits(STEP);
            }
            Request::SetBreakpoint(spec) => self.set_breakpoint(vm, spec),
            Request::ClearBreakpoint(id) => self.clear_breakpoint(vm, id),
            Request::Start { .. } => {}
            other => self.postponed.push(other),
        }
        Ok(())
    }

    pub(super) fn set_breakpoint(&mut self, vm: &mut Vm, spec: super::messages::BreakpointSpec) {
        let answer = self.add_breakpoint(vm, spec);
        self.emit(Event::BreakpointSet(answer));
    }

    /// Why to stop before a statement, if at all.
    fn reason(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        stmt: StmtId,
        at: Span,
        back_edge: bool,
    ) -> Result<Option<(StopReason, Option<String>)>, Stop> {
        match self.hit(vm, fp, stmt, back_edge)? {
            Some(Hit::Breakpoint(id, text)) => return Ok(Some((StopReason::Breakpoint(id), text))),
            Some(Hit::Interrupted) => {
                return Ok(Some((StopReason::Pause, Some("a condition was interrupted".into()))));
            }
            None if self.pause => return Ok(Some((StopReason::Pause, None))),
            None => {}
        }
        let in_main = || vm.program.statement(stmt).is_some_and(|s| s.func == vm.program.main);
        if self.mode == Mode::ToEntry && in_main() {
            return Ok(Some((StopReason::Entry, None)));
        }
        Ok(self.mode.ends_at(self.standing(vm, at), back_edge).then_some((StopReason::Step, None)))
    }

    /// Stops and answers until it is told to go on.
    fn stop(
        &mut self,
        vm: &mut Vm,
        view: FrameView,
        reason: StopReason,
        text: Option<String>,
    ) -> Result<(), Stop> {
        let _ = vm.host.flush();
        self.pause = false;
        let mut changed = self.watch.changed(vm, &view);
        if reason == StopReason::Entry {
            changed.clear();
        }
        let location = inspect::location(&vm.program, view.at);
        self.emit(Event::Stopped(Stopped { reason, location, text, changed }));
        loop {
            let request = match self.postponed.is_empty() {
                true => self.next_request(),
                false => Some(self.postponed.remove(0)),
            };
            match self.stopped_request(vm, &view, request) {
                Next::Wait => {}
                Next::Go(how) => {
                    self.resume(vm, &view, how);
                    return Ok(());
                }
                Next::End => return Err(terminate(vm)),
            }
        }
    }

    /// The next request; `None` when there will be none.
    fn next_request(&self) -> Option<Request> {
        loop {
            match self.requests.try_recv() {
                Ok(request) => return Some(request),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if self.client.listen() => {}
                Err(TryRecvError::Empty) => return self.requests.recv().ok(),
            }
        }
    }

    fn stopped_request(&mut self, vm: &mut Vm, view: &FrameView, request: Option<Request>) -> Next {
        match request {
            None | Some(Request::Terminate) => return Next::End,
            Some(Request::Resume(how)) => return Next::Go(how),
            Some(Request::Pause | Request::Start { .. }) => {}
            Some(Request::SetBreakpoint(spec)) => self.set_breakpoint(vm, spec),
            Some(Request::ClearBreakpoint(id)) => self.clear_breakpoint(vm, id),
            Some(Request::Variables { frame }) => {
                let answer = match self.frame(vm, view, frame) {
                    Ok(found) => Ok(inspect::variables(vm, &found)),
                    Err(message) => Err(message),
                };
                self.emit(Event::Variables(answer));
            }
            Some(Request::StackTrace) => {
                let (frames, total) = inspect::stack_trace(vm, *view);
                self.emit(Event::StackTrace { frames, total });
            }
            Some(Request::Evaluate { expression, frame }) => {
                let answer = match self.frame(vm, view, frame) {
                    Ok(found) => self.evaluate(vm, view, &found, &expression),
                    Err(message) => Err(message),
                };
                let _ = vm.host.flush();
                if let Pending::Terminated = vm.pending {
                    return Next::End;
                }
                self.emit(Event::Evaluated(answer));
            }
        }
        Next::Wait
    }

    fn frame(&self, vm: &Vm, top: &FrameView, index: usize) -> Result<FrameView, String> {
        let frames = inspect::frames(vm, *top, index.saturating_add(1));
        frames.get(index).copied().ok_or_else(|| format!("there is no frame {index}"))
    }

    fn resume(&mut self, vm: &mut Vm, view: &FrameView, how: Resume) {
        self.mode = Mode::resumed(how, self.standing(vm, view.at));
        if self.mode.asks_everywhere() {
            self.control.set_bits(STEP);
        } else {
            self.control.clear_bits(STEP);
        }
        // The frame's return ends a step, and makes what it showed forgotten.
        vm.watch_return(true);
    }

    /// Ends a condition that a pause meets.
    fn interrupt(&self, vm: &mut Vm) -> Result<(), Stop> {
        if self.pause { Err(terminate(vm)) } else { Ok(()) }
    }

    /// What tells how the program ended, when the engine itself is at work inside the machine.
    pub fn ender(&self) -> Ender {
        Ender { client: self.client.clone() }
    }

    /// Sets breakpoints until the program is to start; `false` if it never is.
    pub fn wait_for_start(&mut self, vm: &mut Vm) -> bool {
        loop {
            match self.next_request() {
                None | Some(Request::Terminate) => return false,
                Some(Request::Start { stop_at_entry }) => {
                    if stop_at_entry {
                        self.mode = Mode::ToEntry;
                        self.control.set_bits(STEP);
                    }
                    return true;
                }
                Some(Request::SetBreakpoint(spec)) => self.set_breakpoint(vm, spec),
                Some(Request::ClearBreakpoint(id)) => self.clear_breakpoint(vm, id),
                Some(other) => self.postponed.push(other),
            }
        }
    }

    fn clear_breakpoint(&mut self, vm: &mut Vm, id: u32) {
        for (stmt, has_any, conditional) in self.breakpoints.remove(id) {
            self.arm(vm, stmt, has_any, conditional);
        }
    }

    /// Sets the flag of a statement as its breakpoints want it.
    pub(super) fn arm(&mut self, vm: &mut Vm, stmt: StmtId, any: bool, conditional: bool) {
        let index = stmt.0 as usize;
        self.control.set_at(index, BREAKPOINT, any && !conditional);
        self.control.set_at(index, CONDITION, any && conditional);
        let condition = if any && conditional { self.breakpoints.condition_of(stmt) } else { None };
        vm.set_condition(index, condition);
    }
}

/// Tells how a program ended.
pub(crate) struct Ender {
    client: Rc<dyn Client>,
}

impl Ender {
    /// Sends the last event.
    pub fn ended(&self, vm: &Vm, outcome: &Outcome) {
        let error = match outcome {
            Outcome::Failed(error) => Some(inspect::problem(&vm.program, error)),
            _ => None,
        };
        let terminated = matches!(outcome, Outcome::Terminated);
        self.client.event(Event::Ended(Ended { status: outcome.status(), error, terminated }));
    }
}

/// Ends the program.
pub(super) fn terminate(vm: &mut Vm) -> Stop {
    vm.pending = Pending::Terminated;
    Stop
}

impl Debugger for Engine {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        if self.control.is_raised() || self.control.has_bit(stmt.0 as usize, INTERRUPT) {
            self.drain(vm)?;
        }
        if vm.evaluating {
            return self.interrupt(vm);
        }
        let Some(info) = vm.program.statement(stmt).filter(|info| info.steppable) else { return Ok(()) };
        let (func, at) = (info.func, info.at);
        let Some((reason, text)) = self.reason(vm, fp, stmt, at, back_edge)? else { return Ok(()) };
        self.stop(vm, FrameView { fp, func, stmt, at, back_edge }, reason, text)
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, site: u32) -> Result<(), Stop> {
        if vm.evaluating {
            return Ok(());
        }
        self.watch.forget_below(vm.depth());
        let Some(call) = vm.sites.get(site as usize).copied() else { return Ok(()) };
        let view = FrameView { fp, func: call.caller, stmt: call.stmt, at: call.span, back_edge: false };
        if self.mode.ends_at_return() {
            return self.stop(vm, view, StopReason::Step, None);
        }
        vm.watch_return(self.watch.has_frames());
        Ok(())
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.drain(vm)?;
        if vm.evaluating {
            return self.interrupt(vm);
        }
        if !self.pause {
            return Ok(());
        }
        let Some((fp, stmt, at)) = vm.native_at else { return Ok(()) };
        let Some(func) = vm.program.statement(stmt).map(|s| s.func) else { return Ok(()) };
        self.stop(vm, FrameView { fp, func, stmt, at, back_edge: false }, StopReason::Pause, None)
    }

    fn main_begins(&mut self, vm: &mut Vm) {
        self.watch.begin_globals(vm);
    }
}

//! What the engine does while the program runs: decides where it stops, and answers requests there.

use std::cell::RefCell;
use std::rc::Rc;

use crossbeam_channel::TryRecvError;

use crate::api::{
    Event, Failure, FailureKind, Inspect, Request, RequestId, Response, Resume, StopReason, Stopped,
};
use crate::interp::flags::STEP;
use crate::interp::slots::Fp;
use crate::interp::vm::{Debugger, Pending, Stop, Vm};
use crate::program::StmtId;
use crate::source::Span;

use super::breakpoints::Condition;
use super::engine::{Engine, Instance};
use super::frames::{self, FrameView};
use super::stepper::{Mode, StepOrigin};
use super::variables::variables;

/// The engine as the running program calls it.
pub(super) struct Hook {
    engine: Rc<RefCell<Engine>>,
}

/// Why the program stops, and what there is to say about it.
type Reason = (StopReason, Option<String>);

/// What to do after a request to a stopped program.
enum Next {
    Wait,
    Go(Resume),
    End,
}

impl Hook {
    pub fn new(engine: Rc<RefCell<Engine>>) -> Hook {
        Hook { engine }
    }
}

/// Ends the program.
fn terminate(vm: &mut Vm) -> Stop {
    vm.pending = Pending::Terminated;
    Stop
}

/// Why a condition did not give a bool.
fn condition_failure(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => format!("condition failed: {}", error.message),
        Pending::Exit(_) => "condition failed: exit() cannot be called in a condition".into(),
        Pending::None | Pending::Big(_) | Pending::Nil | Pending::Terminated => {
            "condition gave no bool".into()
        }
    }
}

impl Engine {
    fn mode(&self) -> Mode {
        self.program.as_ref().map_or(Mode::Running, |program| program.mode)
    }

    fn is_pausing(&self) -> bool {
        self.program.as_ref().is_some_and(|program| program.pause)
    }

    fn set_pausing(&mut self, pause: bool) {
        if let Some(program) = &mut self.program {
            program.pause = pause;
        }
    }

    fn origin(&self, vm: &Vm, at: Span) -> StepOrigin {
        StepOrigin { depth: vm.depth(), line: (at.file, vm.program.sources.line(at)) }
    }

    /// Answers the requests that have come while the program runs.
    fn drain(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.interrupt.clear();
        loop {
            match self.poll_request() {
                Ok((id, request)) => self.running_request(vm, id, request)?,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(terminate(vm)),
            }
        }
    }

    pub(super) fn running_request(
        &mut self,
        vm: &mut Vm,
        id: RequestId,
        request: Request,
    ) -> Result<(), Stop> {
        match request {
            Request::Terminate => {
                self.respond(id, Ok(Response::Terminating));
                return Err(terminate(vm));
            }
            Request::Pause => {
                self.respond(id, Ok(Response::Pausing));
                self.set_pausing(true);
                self.interrupt.set_for_all(STEP, true);
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
            }
            Request::Initialize(_)
            | Request::Start
            | Request::Resume(_)
            | Request::Input { .. }
            | Request::Inspect(_) => self.refuse(id, &request, "program is not stopped"),
        }
        Ok(())
    }

    /// Whether, and why, the program stops before a statement.
    fn reason(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        stmt: StmtId,
        at: Span,
        back_edge: bool,
    ) -> Result<Option<Reason>, Stop> {
        if let Some(reason) = self.hit(vm, fp, stmt, back_edge)? {
            return Ok(Some(reason));
        }
        if self.is_pausing() {
            return Ok(Some((StopReason::Pause, None)));
        }
        let in_main = || vm.program.statement(stmt).is_some_and(|info| info.func == vm.program.main);
        Ok(match self.mode() {
            Mode::ToEntry => in_main().then_some((StopReason::Entry, None)),
            Mode::OutToMain => in_main().then_some((StopReason::Step, None)),
            mode => mode.ends_at(self.origin(vm, at), back_edge).then_some((StopReason::Step, None)),
        })
    }

    /// The breakpoint with the lowest number that is hit here, or the pause that has interrupted a
    /// condition.
    fn hit(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<Option<Reason>, Stop> {
        // The statement may have tested its condition itself, which may have effects: not once more then.
        let mut tested = vm.tested.take();
        let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { return Ok(None) };
        let candidates = self.placing.borrow().breakpoints.candidates(func, stmt, back_edge);
        for (id, condition) in candidates {
            let reason = StopReason::Breakpoint(id);
            let Some(condition) = condition else { return Ok(Some((reason, None))) };
            let result = match tested.take() {
                Some(Pending::None) => Ok(true),
                Some(pending) => Err(pending),
                None => self.test(vm, fp, &condition)?,
            };
            match result {
                Ok(true) => return Ok(Some((reason, None))),
                Ok(false) => {}
                Err(Pending::Terminated) if self.is_pausing() => {
                    return Ok(Some((StopReason::Pause, Some("a condition was interrupted".into()))));
                }
                Err(Pending::Terminated) => return Err(terminate(vm)),
                Err(pending) => return Ok(Some((reason, Some(condition_failure(pending))))),
            }
        }
        Ok(None)
    }

    /// Tests a condition; gives what it left pending if it did not give a bool.
    fn test(&mut self, vm: &mut Vm, fp: Fp, condition: &Condition) -> Result<Result<bool, Pending>, Stop> {
        let (result, interruption) = self.uninterrupted(vm, None, |vm| vm.test_condition(&**condition, fp));
        if interruption.paused {
            self.set_pausing(true);
        }
        while let Some((id, request)) = self.postponed.pop_front() {
            self.running_request(vm, id, request)?;
        }
        Ok(result)
    }

    /// Stops, and answers requests until one makes the program go on.
    fn stop(&mut self, vm: &mut Vm, view: FrameView, (reason, text): Reason) -> Result<(), Stop> {
        let _ = vm.host.flush();
        self.set_pausing(false);
        let mut changed = match &mut self.program {
            Some(program) => program.changes.changed(vm, &mut self.handles, &view),
            None => Vec::new(),
        };
        self.unshare(vm, &view, 0);
        if reason == StopReason::Entry {
            changed.clear();
        }
        let location = frames::location(&vm.program.sources, view.at);
        self.event(Event::Stopped(Box::new(Stopped { reason, location, text, changed })));
        loop {
            let next = match self.next_request() {
                Some((id, request)) => self.stopped_request(vm, &view, id, request),
                None => Next::End,
            };
            match next {
                Next::Wait => {}
                Next::Go(how) => {
                    self.resume(vm, &view, how);
                    return Ok(());
                }
                Next::End => return Err(terminate(vm)),
            }
        }
    }

    fn stopped_request(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, request: Request) -> Next {
        match request {
            Request::Terminate => {
                self.respond(id, Ok(Response::Terminating));
                return Next::End;
            }
            Request::Start => {
                self.respond(id, Ok(Response::Resumed));
                return Next::Go(Resume::Continue);
            }
            Request::Resume(how) => {
                self.respond(id, Ok(Response::Resumed));
                return Next::Go(how);
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
            }
            Request::Inspect(request) => {
                let answer = self.inspect(vm, view, request);
                if let Pending::Terminated = vm.pending {
                    return Next::End;
                }
                self.respond(id, answer);
            }
            Request::Initialize(_) | Request::Pause | Request::Input { .. } => {
                self.refuse(id, &request, "program is stopped");
            }
        }
        Next::Wait
    }

    fn inspect(&mut self, vm: &mut Vm, top: &FrameView, request: Inspect) -> Result<Response, Failure> {
        match request {
            Inspect::Variables { frame, limits } => {
                let view = frame_view(vm, top, frame)?;
                self.unshare(vm, &view, frame);
                Ok(Response::Variables(variables(vm, &mut self.handles, &view, limits)))
            }
            Inspect::Children { handle, start, count, limits } => {
                let found = self.handles.children(handle, start, count, limits);
                let stale = || {
                    let message = format!("reference {} is not valid (any more)", handle.0);
                    Failure::new(FailureKind::NotFound, message)
                };
                found.map(|(children, total)| Response::Children { children, total }).ok_or_else(stale)
            }
            Inspect::StackTrace { most } => Ok(Response::StackTrace {
                frames: frames::stack_trace(vm, *top, most),
                total: frames::frame_count(vm),
            }),
            Inspect::Evaluate { expression, frame, limits } => {
                let view = frame_view(vm, top, frame)?;
                self.unshare(vm, &view, frame);
                let result = self.evaluate(vm, top, &view, &expression, limits);
                // What the evaluation has printed comes before its result.
                let _ = vm.host.flush();
                result.map(Response::Evaluated)
            }
        }
    }

    /// Gives dead locals of the frame with this index what the program sees in them.
    fn unshare(&mut self, vm: &mut Vm, view: &FrameView, index: usize) {
        if let Some(Instance { debugged, changes, .. }) = &mut self.program {
            let locals = debugged.handed_on(view);
            changes.unshare(vm, view.fp, vm.depth().saturating_sub(index as u32), &locals);
        }
    }

    fn resume(&mut self, vm: &mut Vm, view: &FrameView, how: Resume) {
        self.handles.clear();
        let mode = self.mode_after(vm, view, how);
        self.interrupt.set_for_all(STEP, mode.polls_statements());
        if let Some(program) = &mut self.program {
            program.mode = mode;
        }
        // The return of this frame ends a step, and makes the tracker forget the frame.
        vm.watch_return(true);
    }

    fn mode_after(&self, vm: &Vm, view: &FrameView, how: Resume) -> Mode {
        match how {
            Resume::StepOut if view.func == vm.program.init => Mode::OutToMain,
            how => Mode::resumed(how, self.origin(vm, view.at)),
        }
    }

    /// Ends an evaluation that runs when the program is to pause.
    fn interrupt_evaluation(&self, vm: &mut Vm) -> Result<(), Stop> {
        if self.is_pausing() { Err(terminate(vm)) } else { Ok(()) }
    }

    fn before_statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        if self.interrupt.wants_statements() {
            self.drain(vm)?;
        }
        if vm.evaluating {
            return self.interrupt_evaluation(vm);
        }
        let Some(info) = vm.program.statement(stmt).filter(|info| info.steppable) else { return Ok(()) };
        let (func, at) = (info.func, info.at);
        let Some(reason) = self.reason(vm, fp, stmt, at, back_edge)? else { return Ok(()) };
        self.stop(vm, FrameView { fp, func, stmt, at, back_edge }, reason)
    }

    fn after_return(&mut self, vm: &mut Vm, fp: Fp, site: u32) -> Result<(), Stop> {
        if vm.evaluating {
            return Ok(());
        }
        let depth = vm.depth();
        let has_frames = match &mut self.program {
            Some(program) => {
                program.changes.forget_below(depth);
                program.changes.has_frames()
            }
            None => false,
        };
        let Some(call) = vm.sites.get(site as usize).copied() else { return Ok(()) };
        if self.mode().ends_at_return() {
            let view = FrameView { fp, func: call.caller, stmt: call.stmt, at: call.span, back_edge: false };
            return self.stop(vm, view, (StopReason::Step, None));
        }
        vm.watch_return(has_frames);
        Ok(())
    }

    fn during_wait(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.drain(vm)?;
        if vm.evaluating {
            return self.interrupt_evaluation(vm);
        }
        if !self.is_pausing() {
            return Ok(());
        }
        let Some((fp, stmt, at)) = vm.native_at else { return Ok(()) };
        let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { return Ok(()) };
        let view = FrameView { fp, func, stmt, at, back_edge: false };
        self.stop(vm, view, (StopReason::Pause, None))
    }
}

/// The frame with this index.
fn frame_view(vm: &Vm, top: &FrameView, index: usize) -> Result<FrameView, Failure> {
    let found = frames::frames(vm, *top, index.saturating_add(1));
    let missing = || Failure::new(FailureKind::NotFound, format!("there is no frame {index}"));
    found.get(index).copied().ok_or_else(missing)
}

impl Debugger for Hook {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        self.engine.borrow_mut().before_statement(vm, fp, stmt, back_edge)
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, site: u32) -> Result<(), Stop> {
        self.engine.borrow_mut().after_return(vm, fp, site)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.engine.borrow_mut().during_wait(vm)
    }

    fn main_begins(&mut self, vm: &mut Vm) {
        if let Some(program) = &mut self.engine.borrow_mut().program {
            program.changes.main_begins(vm);
        }
    }
}

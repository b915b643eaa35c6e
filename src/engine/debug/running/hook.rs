//! The engine while the program runs: decides where it stops, and handles requests.

use std::cell::RefCell;
use std::rc::Rc;

use crossbeam_channel::TryRecvError;

use crate::api::{ExceptionFilter, Raised, Reader, StopReason};
use crate::debug::engine::Engine;
use crate::debug::history::position::{Happening, Phase, RunPosition};
use crate::debug::history::state::StopPoint;
use crate::debug::history::visit::PositionAction;
use crate::debug::inspect::frames::{self, FrameView};
use crate::debug::running::halt::{Halt, Returned, caller, end_if_cancelled, is_in_main, terminate};
use crate::debug::running::requests::{Next, Situation};
use crate::debug::running::stepper::Mode;
use ez_runtime::interp::RunError;
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Debugger, Pending, Stop, Vm};
use ez_runtime::program::{Program, Stmt, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value, pause_numbers};

/// The interpreter's [`Debugger`] while the program runs.
pub struct Hook {
    engine: Rc<RefCell<Engine>>,
}

impl Hook {
    pub fn new(engine: Rc<RefCell<Engine>>) -> Hook {
        Hook { engine }
    }
}

impl Engine {
    /// Handles the requests that have come while the program runs.
    fn drain(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.inspection.connection.interrupt.clear();
        if let Some(why) = self.inspection.connection.interrupt.take_notice() {
            self.notice = Some(why);
            self.run.pause = true;
            vm.steps.set_all(STEP, true);
        }
        loop {
            match self.inspection.connection.waiting_request() {
                Ok((id, request)) => self.handle_running(vm, id, request)?,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(terminate(vm)),
            }
        }
    }

    /// Whether, and why, to stop before a statement.
    fn reason(&mut self, vm: &mut Vm, view: &FrameView) -> Result<Option<Halt>, Stop> {
        let hit = self.hit(vm, view)?;
        let written = if vm.watches.has_hits() { self.written(vm, view)? } else { None };
        if let Pending::Terminated = vm.pending {
            return Err(Stop);
        }
        let hit = match (written, hit) {
            (Some(mut written), hit) => {
                written.breakpoints.extend(hit.into_iter().flat_map(|hit| hit.breakpoints));
                written.breakpoints.sort_unstable();
                Some(written)
            }
            (None, hit) => hit,
        };
        if let Some(halt) = self.differs(vm, Phase::Statement) {
            let (breakpoints, written) = hit.map(|hit| (hit.breakpoints, hit.written)).unwrap_or_default();
            return Ok(Some(Halt { breakpoints, written, ..halt }));
        }
        let run_to = self.breakpoints.borrow().is_run_to(view.stmt, view.back_edge);
        if run_to {
            let breakpoints = hit.map(|hit| hit.breakpoints).unwrap_or_default();
            return Ok(Some(Halt { breakpoints, ..StopReason::RunTo.into() }));
        }
        if hit.is_some() {
            return Ok(hit);
        }
        if self.run.pause {
            return Ok(Some(StopReason::Pause.into()));
        }
        let mode = self.run.mode;
        Ok(match mode {
            Mode::ToEntry => is_in_main(vm, view.stmt).then_some(StopReason::Entry),
            Mode::OutToMain => is_in_main(vm, view.stmt).then_some(StopReason::Step),
            mode => {
                let called = vm.sites.get(vm.frames.site(view.fp) as usize).map(|site| site.span);
                let ends = called.is_some_and(|call| mode.ends_in_call(call, vm.depth()))
                    || mode.ends_at(self.origin(vm, view.at), view.back_edge);
                ends.then_some(StopReason::Step)
            }
        }
        .map(Halt::from))
    }

    /// Stops, and handles requests until one resumes the program.
    pub fn stop(&mut self, vm: &mut Vm, view: FrameView, halt: Halt) -> Result<(), Stop> {
        // Objects that the debugger creates have no numbers.
        let _numbering = pause_numbers();
        let _ = vm.host.flush();
        self.run.pause = false;
        self.breakpoints.borrow_mut().end_run_to(vm);
        if let Some(history) = &mut self.history {
            let position = RunPosition { step: vm.steps.now(), phase: halt.phase };
            history.note_present(StopPoint { position, depth: vm.depth() });
        }
        let notice = self.notice.take().or_else(|| self.inspection.connection.interrupt.take_notice());
        let halt = Halt { text: halt.text.or(notice), ..halt };
        // Known until the program goes on: of a stop that is told again, after a look into the past, nothing is raised.
        let is_uncaught = |raised: &Raised| raised.filter == ExceptionFilter::Uncaught;
        self.inspection.has_failed = halt.raised.as_ref().is_some_and(is_uncaught);
        self.tell_stop(vm, &view, halt);
        self.inspection.unshare(vm, &view, 0);
        self.inspection.update_watches(vm, &view);
        let next = loop {
            if let Pending::Terminated = vm.pending {
                break Next::End;
            }
            let next = match self.inspection.connection.next_request() {
                Some((id, request)) => self.handle(Situation::Stopped(vm, &view), id, request),
                None => Next::End,
            };
            if !matches!(next, Next::Wait) {
                break next;
            }
        };
        self.with_past(vm, &view, |past| past.leave_past());
        if let Some(journey) = &mut self.journey {
            journey.note_shown(vm, &mut self.inspection, &view);
        }
        self.inspection.temporaries.clear(vm);
        self.inspection.handles.clear();
        self.state.set_stop(None);
        match next {
            Next::Go(mode) => {
                self.go_on(vm, mode);
                self.inspection.connection.wake_for_postponed();
                Ok(())
            }
            Next::Wait | Next::End => Err(terminate(vm)),
        }
    }

    /// Interrupts an evaluation that is under way when the program is to pause.
    fn interrupt_evaluation(&self, vm: &mut Vm) -> Result<(), Stop> {
        if self.run.pause { Err(terminate(vm)) } else { Ok(()) }
    }

    fn before_statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        if self.inspection.connection.interrupt.wants_statements() {
            self.drain(vm)?;
            if let Some(info) = vm.program.statement(stmt) {
                let view = FrameView { fp, func: info.func, stmt, at: info.at, back_edge };
                self.watch_calls_in_progress(vm, &view);
            }
        }
        if vm.evaluating {
            return self.interrupt_evaluation(vm);
        }
        let Some(info) = vm.program.statement(stmt) else { return Ok(()) };
        let (is_steppable, view) =
            (info.steppable, FrameView { fp, func: info.func, stmt, at: info.at, back_edge });
        if let Some(program) = &self.inspection.program {
            program.observe_statement(vm, &view);
        }
        self.make_checkpoint_if_due(vm);
        if let Some(journey) = &mut self.journey {
            journey.place(vm, &mut self.inspection, &view);
        }
        if !is_steppable {
            // The journey may have the first place after this one as its goal, or a return before it.
            let is_travelling = self.journey.is_some();
            let stops_soon = is_travelling || self.expected_output.has_news();
            vm.steps.set_all(STEP, stops_soon || self.run.mode.polls_statements());
            if is_travelling && has_places(&vm.program, stmt) {
                vm.watch_return(true);
            }
            return Ok(());
        }
        let position = RunPosition::place(vm.steps.now());
        if self.journey.is_some() && self.passes(vm, &view, position, None)? {
            return Ok(());
        }
        match self.reason(vm, &view)? {
            Some(halt) => self.stop(vm, view, halt),
            None => Ok(()),
        }
    }

    /// Whether the journey passes a position without asking whether the live program would stop there. It may stop
    /// there itself.
    fn passes(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: RunPosition,
        returned: Option<Returned>,
    ) -> Result<bool, Stop> {
        let Some(journey) = &mut self.journey else { return Ok(false) };
        let action = journey.position(vm, &mut self.inspection, view, position, returned)?;
        end_if_cancelled(vm, &self.inspection)?;
        match action {
            PositionAction::Proceed => Ok(false),
            PositionAction::Pass => Ok(true),
            PositionAction::Arrive(halt) => self.stop(vm, *view, *halt).map(|()| true),
            PositionAction::End => Err(terminate(vm)),
        }
    }

    fn after_return(&mut self, vm: &mut Vm, fp: Fp, site: u32) -> Result<(), Stop> {
        if vm.evaluating {
            return Ok(());
        }
        let (step, depth) = (vm.steps.now(), vm.depth());
        self.inspection.tracker.forget_below(depth);
        self.end_watched_locals(vm, fp);
        if let Some(journey) = &mut self.journey {
            let call = vm.sites.get(site as usize).map(|call| call.span);
            journey.returned(vm, &mut self.inspection, fp, call);
        }
        let has_frames = self.inspection.tracker.has_frames()
            || self.breakpoints.borrow().data.has_locals()
            || self.journey.as_ref().is_some_and(|journey| journey.visit.watches_returns(step));
        let Some(call) = vm.sites.get(site as usize).copied() else { return Ok(()) };
        let is_travelling = self.journey.is_some();
        let differs = self.expected_output.has_news();
        if is_travelling || differs || self.run.mode.ends_at_return(depth) {
            let result = match vm.program.function(call.callee).map(|callee| callee.results.as_slice()) {
                None | Some([]) => None,
                Some([one]) => Some((vm.returned_value(one), one.clone())),
                Some(several) => {
                    let ty = Type::Tuple(several.into());
                    Some((vm.returned_value(&ty), ty))
                }
            };
            let view = caller(fp, &call);
            vm.watch_return(has_frames);
            if is_travelling {
                let position = RunPosition::returned(vm.steps.now(), depth);
                if self.passes(vm, &view, position, Some((call, result.clone())))? {
                    return Ok(());
                }
            }
            if let Some(halt) = self.differs(vm, RunPosition::returned(step, depth).phase) {
                return self.stop(vm, view, Halt { returned: Some((call, result)), ..halt });
            }
            if self.run.mode.ends_at_return(depth) {
                let phase = RunPosition::returned(vm.steps.now(), depth).phase;
                let halt = Halt { phase, returned: Some((call, result)), ..StopReason::Step.into() };
                return self.stop(vm, view, halt);
            }
            return Ok(());
        }
        vm.watch_return(has_frames);
        Ok(())
    }

    /// The program is about to end: because `main` has returned, or at a call that ends it.
    fn before_end(&mut self, vm: &mut Vm, fp: Fp, at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        if vm.evaluating {
            return Ok(());
        }
        if self.journey.is_none() && self.record.is_none() && vm.output.is_none() {
            return Ok(());
        }
        let main = vm.program.main;
        let end = vm.program.function(main).map(|main| main.span.tail(1));
        // The variables are those that were declared where `main` has ended.
        let last = vm.program.function(main).and_then(|main| main.body.stmts.last()).map(|last| last.id);
        let last = vm.returned_at.or(last);
        let Some((stmt, at)) = at.or(last.zip(end)) else { return Ok(()) };
        let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { return Ok(()) };
        let view = FrameView { fp, func, stmt, at, back_edge: false };
        if let Some(journey) = &mut self.journey {
            return Err(journey.cannot_go_on(vm, &mut self.inspection, Some(&view), "ends earlier", true));
        }
        if let Some(halt) = self.differs_at_end(vm) {
            return self.stop(vm, view, halt);
        }
        if self.record.is_none() {
            return Ok(());
        }
        self.stop(vm, view, Halt { phase: Phase::End, ..StopReason::End.into() })
    }

    /// The program reads a line: where it waits if none is there, and would be stopped by a pause.
    fn before_reading(&self, vm: &Vm) {
        let reader = native_view(vm).map(|view| Reader {
            location: frames::location(&vm.program.sources, view.at),
            step: vm.steps.now(),
        });
        self.inspection.connection.client.reads_line(reader);
    }

    fn during_wait(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.drain(vm)?;
        if vm.evaluating {
            return self.interrupt_evaluation(vm);
        }
        let view = native_view(vm);
        if let Some(journey) = &mut self.journey {
            return journey.waits(vm, &mut self.inspection, view.as_ref());
        }
        let Some(view) = view.filter(|_| self.run.pause) else { return Ok(()) };
        self.stop(
            vm,
            view,
            Halt { phase: Phase::within(vm.depth(), Happening::Halt), ..StopReason::Pause.into() },
        )
    }
}

/// The frame of a call of the library or a builtin that is running.
fn native_view(vm: &Vm) -> Option<FrameView> {
    let (fp, stmt, at) = vm.native_at?;
    let func = vm.program.statement(stmt)?.func;
    Some(FrameView { fp, func, stmt, at, back_edge: false })
}

/// Whether a function has a statement before which the program can stop, so that it can stop after its return, too;
/// `stmt` is one of its statements.
fn has_places(program: &Program, stmt: StmtId) -> bool {
    let func = program.statement(stmt).and_then(|info| program.function(info.func));
    let steppable = |stmt: &Stmt| program.statement(stmt.id).is_some_and(|info| info.steppable);
    func.is_some_and(|func| func.body.stmts.iter().any(steppable))
}

impl Debugger for Hook {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        self.engine.borrow_mut().before_statement(vm, fp, stmt, back_edge)
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, site: u32) -> Result<(), Stop> {
        self.engine.borrow_mut().after_return(vm, fp, site)
    }

    fn raised(&mut self, vm: &mut Vm, fp: Fp, error: &RunError) -> Result<(), Stop> {
        let engine = &mut *self.engine.borrow_mut();
        match engine.at_raised(vm, fp, error)? {
            Some((view, halt)) => engine.stop(vm, view, halt),
            None => Ok(()),
        }
    }

    fn error_value(&mut self, vm: &mut Vm, error: &Value) -> Result<(), Stop> {
        let engine = &mut *self.engine.borrow_mut();
        match engine.at_error_value(vm, error)? {
            Some((view, halt)) => engine.stop(vm, view, halt),
            None => Ok(()),
        }
    }

    fn wrote(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId) -> Result<(), Stop> {
        let Some(info) = vm.program.statement(stmt) else { return Ok(()) };
        let view = FrameView { fp, func: info.func, stmt, at: info.at, back_edge: false };
        self.engine.borrow_mut().test_writes(vm, &view)
    }

    fn reads_line(&mut self, vm: &mut Vm) {
        self.engine.borrow().before_reading(vm);
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.engine.borrow_mut().during_wait(vm)
    }

    fn on_memory_check(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        let mut engine = self.engine.borrow_mut();
        if engine.run.is_plain && engine.inspection.connection.interrupt.is_raised() {
            engine.drain(vm)?;
        }
        Ok(())
    }

    fn main_begins(&mut self, vm: &mut Vm) {
        let mut engine = self.engine.borrow_mut();
        engine.inspection.tracker.main_begins(vm);
        if let Some(history) = &mut engine.history {
            history.entry = vm.steps.now() + 1;
        }
        engine.begin_checkpoints(vm);
    }

    fn ends(&mut self, vm: &mut Vm, fp: Fp, at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        self.engine.borrow_mut().before_end(vm, fp, at)
    }
}

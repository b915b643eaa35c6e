//! Carries out requests, whatever the program does when they come.

use crate::api::{
    BreakpointRequest, Done, Failure, Inspect, Investigate, Obstacle, Query, Question, RemoveAllBreakpoints,
    Request, RequestId, Response, Resume, SetDataBreakpoints, WatchRequest,
};
use crate::debug::engine::Engine;
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::running::halt::terminate;
use crate::debug::running::loading::Setup;
use crate::debug::running::state::{EndRequest, RunState};
use crate::debug::running::stepper::{Mode, StepKind, StepOrigin};
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::vm::{Pending, Stop, Vm};
use ez_runtime::interp::watch;
use ez_runtime::source::Span;

/// What the program does when a request comes.
pub enum Situation<'a> {
    /// It does not run; another can be loaded with these parameters.
    Idle(&'a Setup),
    Running(&'a mut Vm),
    /// It is stopped; with the innermost frame.
    Stopped(&'a mut Vm, &'a FrameView),
}

/// What follows after a request was handled.
pub enum Next {
    /// The program does what it did.
    Wait,
    /// It runs on, so far.
    Go(Mode),
    /// It ends, or the engine if there is none.
    End,
}

impl Engine {
    /// Carries out a request, and responds to it.
    pub fn handle(&mut self, now: Situation, id: RequestId, request: Request) -> Next {
        match (request, now) {
            (Request::Terminate, _) => {
                self.respond(id, Ok(Response::Done(Done::Terminating)));
                return Next::End;
            }
            (Request::Restart(restart), Situation::Idle(setup)) => self.restart(setup, id, *restart),
            (Request::Restart(restart), Situation::Running(_) | Situation::Stopped(..)) => {
                self.state.end_for(EndRequest::Restart(id, restart));
                return Next::End;
            }
            (Request::Kill, Situation::Running(_) | Situation::Stopped(..)) => {
                self.state.end_for(EndRequest::Kill(id));
                return Next::End;
            }
            (Request::Detach, now) => return self.detach(now, id),
            (Request::Initialize(launch), Situation::Idle(setup)) => self.initialize(setup, id, *launch),
            (Request::Start(stop_on_entry), Situation::Idle(_)) => self.start(id, stop_on_entry),
            (Request::RunCell(cell), Situation::Idle(_)) if matches!(self.state, RunState::Idle(_)) => {
                self.start_cell(id, &cell);
            }
            (Request::Start(_), Situation::Stopped(vm, view)) => {
                return self.resume(vm, view, id, Resume::Continue);
            }
            (Request::Resume(how), Situation::Stopped(vm, view)) => return self.resume(vm, view, id, how),
            (Request::Pause, Situation::Running(vm)) => self.pause(vm, id),
            (Request::SetDebugging(on), _) => self.set_debugging(id, on),
            (Request::SetExpectedOutput(wanted), _) => self.set_expected_output(id, *wanted),
            (Request::Breakpoint(request), now) => self.breakpoint_request(now, id, request),
            (Request::Watch(request), now) => self.watch_request(now, id, request),
            (Request::Query(query), now) => self.answer_query(now, id, query),
            (Request::Inspect(request), Situation::Stopped(vm, view)) => {
                return self.inspect_stopped(vm, view, id, request);
            }
            (Request::Inspect(request), Situation::Idle(_)) if matches!(self.state, RunState::Idle(_)) => {
                self.inspect_idle(id, request);
            }
            (Request::Investigate(question), Situation::Stopped(vm, view)) => {
                self.investigate(vm, view, id, question);
            }
            (Request::Investigate(question), Situation::Idle(_))
                if matches!(self.state, RunState::Idle(_)) =>
            {
                self.respond(id, Err(Failure::wrong_state(question.verb(), Obstacle::NoHistory)));
            }
            (
                request @ (Request::Session(_)
                | Request::Initialize(_)
                | Request::Start(_)
                | Request::RunCell(_)
                | Request::Resume(_)
                | Request::Pause
                | Request::Kill
                | Request::Inspect(_)
                | Request::Investigate(_)),
                Situation::Idle(_) | Situation::Running(_) | Situation::Stopped(..),
            ) => self.refuse(id, &request),
        }
        Next::Wait
    }

    /// Carries out a request to the running program.
    ///
    /// # Errors
    /// If the program is to end.
    pub fn handle_running(&mut self, vm: &mut Vm, id: RequestId, request: Request) -> Result<(), Stop> {
        match self.handle(Situation::Running(vm), id, request) {
            Next::Wait | Next::Go(_) => Ok(()),
            Next::End => Err(terminate(vm)),
        }
    }

    /// Removes everything that would stop the program.
    fn detach(&mut self, now: Situation, id: RequestId) -> Next {
        let all = BreakpointRequest::RemoveAll(RemoveAllBreakpoints);
        self.expect_nothing();
        let next = match now {
            Situation::Idle(_) => {
                let _ = self.breakpoints.borrow_mut().change(self.state.idle_vm(), all);
                Next::Wait
            }
            Situation::Running(vm) | Situation::Stopped(vm, _) => {
                let _ = self.breakpoints.borrow_mut().change(Some(vm), all);
                vm.output = None;
                self.run.pause = false;
                self.go_on(vm, Mode::Running);
                Next::Go(Mode::Running)
            }
        };
        self.respond(id, Ok(Response::Done(Done::Detached)));
        next
    }

    fn pause(&mut self, vm: &mut Vm, id: RequestId) {
        if self.run.is_plain {
            return self.respond(id, Err(Failure::wrong_state("pause", Obstacle::NotDebugged)));
        }
        self.respond(id, Ok(Response::Done(Done::Pausing)));
        self.run.pause = true;
        vm.steps.set_all(STEP, true);
    }

    fn breakpoint_request(&mut self, now: Situation, id: RequestId, request: BreakpointRequest) {
        let answer = match now {
            Situation::Idle(_) => {
                self.prepare_for_breakpoints();
                self.breakpoints.borrow_mut().change(self.state.idle_vm(), request)
            }
            Situation::Running(vm) => self.breakpoints.borrow_mut().change(Some(vm), request),
            Situation::Stopped(vm, view) if self.is_in_past() => {
                self.with_past(vm, view, |past| past.breakpoint_request(id, request));
                return;
            }
            Situation::Stopped(vm, view) => {
                let answer = match request {
                    BreakpointRequest::SetData(wanted) => {
                        Ok(SetDataBreakpoints::response(self.set_data_breakpoints(vm, view, wanted)))
                    }
                    request => self.breakpoints.borrow_mut().change(Some(vm), request),
                };
                self.watch_calls_in_progress(vm, view);
                answer
            }
        };
        self.respond(id, answer);
    }

    fn watch_request(&mut self, now: Situation, id: RequestId, request: WatchRequest) {
        let stop = match now {
            Situation::Idle(_) | Situation::Running(_) => None,
            Situation::Stopped(vm, view) if self.is_in_past() => {
                self.with_past(vm, view, |past| past.watch_request(id, request));
                return;
            }
            Situation::Stopped(vm, view) => Some((vm, view)),
        };
        let answer = self.inspection.watch_request(stop, request);
        self.respond(id, answer);
    }

    fn answer_query(&mut self, now: Situation, id: RequestId, query: Query) {
        match now {
            Situation::Stopped(vm, view) if self.is_in_past() && query.is_about_stop() => {
                self.with_past(vm, view, |past| past.pass_on(id, Request::Query(query)));
            }
            _ => self.respond(id, self.query(self.state.status(), query)),
        }
    }

    fn inspect_stopped(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, request: Inspect) -> Next {
        if self.is_in_past() {
            self.with_past(vm, view, |past| past.pass_on(id, Request::Inspect(request)));
            return Next::Wait;
        }
        let writes = request.may_change();
        let answer = if self.history.is_some() {
            self.with_past(vm, view, |past| past.inspect_present(request))
        } else {
            Some(self.inspect(vm, view, request))
        };
        if let Pending::Terminated = vm.pending {
            return Next::End;
        }
        answer.into_iter().for_each(|answer| self.respond(id, answer));
        if writes {
            drop(watch::forget_writes(vm));
            self.inspection.update_watches(vm, view);
        }
        Next::Wait
    }

    fn investigate(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, question: Investigate) {
        let refusal = Failure::wrong_state(question.verb(), Obstacle::NoHistory);
        let answer = self.with_past(vm, view, |past| question.answered_by(past));
        self.respond(id, answer.unwrap_or(Err(refusal)));
    }

    fn resume(&mut self, vm: &mut Vm, view: &FrameView, id: RequestId, how: Resume) -> Next {
        let travels = self.is_in_past() || matches!(how, Resume::Travel(_));
        if travels && self.history.is_some() {
            self.with_past(vm, view, |past| past.travel(id, how));
            return Next::Wait;
        }
        match self.mode_after(vm, view, how) {
            Ok(mode) => {
                self.respond(id, Ok(Response::Done(Done::Resumed)));
                Next::Go(mode)
            }
            Err(failure) => {
                self.respond(id, Err(failure));
                Next::Wait
            }
        }
    }

    /// Whether the client is in the past.
    fn is_in_past(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.past.is_some())
    }

    /// Does something with the program's past, if its history is kept; `view` is the innermost frame.
    pub fn with_past<T>(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        work: impl FnOnce(&mut TimeMachine) -> T,
    ) -> Option<T> {
        let mut history = self.history.take()?;
        let result = work(&mut TimeMachine { engine: self, history: &mut history, vm, view });
        self.history = Some(history);
        Some(result)
    }

    /// Lets the program run.
    pub fn go_on(&mut self, vm: &mut Vm, mode: Mode) {
        vm.steps.set_all(STEP, mode.polls_statements());
        if !mode.polls_statements() {
            self.debugged().iter().for_each(|program| program.stop_observing());
        }
        self.run.mode = mode;
        // The return of this frame may end a step, and must make the tracker forget the frame.
        vm.watch_return(true);
    }

    /// How far to run after a request to resume.
    fn mode_after(&mut self, vm: &mut Vm, view: &FrameView, how: Resume) -> Result<Mode, Failure> {
        let step = match how {
            Resume::Continue => return Ok(self.mode_of_continue(vm, view)),
            Resume::Travel(_) => return Err(Failure::wrong_state(how.verb(), Obstacle::NoHistory)),
            Resume::RunTo { file, place } => {
                self.breakpoints.borrow_mut().run_to(vm, &file, place)?;
                return Ok(Mode::Running);
            }
            Resume::StepOut if view.func == vm.program.init => return Ok(Mode::OutToMain),
            Resume::StepIntoTarget(target) => return self.step_into_target(vm, view, target),
            Resume::StepInto => StepKind::Into,
            Resume::StepOver => StepKind::Over,
            Resume::StepOut => StepKind::Out,
        };
        Ok(Mode::Stepping(step, self.origin(vm, view.at)))
    }

    /// A step into a call that a frame has still to make; one of an outer frame goes on until then.
    fn step_into_target(&self, vm: &Vm, top: &FrameView, target: u32) -> Result<Mode, Failure> {
        let (frame, call) = self.inspection.handles.target(target)?;
        let view = frame_view(vm, top, frame)?;
        let origin = self.origin(vm, view.at);
        let depth = origin.depth.saturating_sub(frame as u32);
        Ok(Mode::Stepping(StepKind::IntoCall(call.at), StepOrigin { depth, ..origin }))
    }

    /// Among the initialisers of globals, the stop at the entry that the client has asked for is still to come.
    fn mode_of_continue(&self, vm: &Vm, view: &FrameView) -> Mode {
        if self.run.stop_on_entry == Some(true) && view.func == vm.program.init {
            Mode::ToEntry
        } else {
            Mode::Running
        }
    }

    /// Where a step begins, or could end.
    pub fn origin(&self, vm: &Vm, at: Span) -> StepOrigin {
        StepOrigin { depth: vm.depth(), line: (at.file, vm.program.sources.line(at)) }
    }
}

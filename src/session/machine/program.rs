//! What becomes of the program, and of the commands that wait for it.

use crate::debug::{BreakpointState, Ended, Event, Problem, Request, Stopped};

use super::super::breakpoints::Before;
use super::super::command::{Command, Incoming};
use super::super::event::{Failure, SessionEvent};
use super::{Action, Awaited, Machine, State, Waiting};

impl Machine {
    /// The program has been loaded.
    pub fn loaded(&mut self, warnings: Vec<Problem>) {
        let State::Loading { file, version, tag, terminate } = &mut self.state else { return };
        let (file, version) = (std::mem::take(file), *version);
        let (tag, terminate) = (tag.take(), terminate.take());
        self.state = State::Ready;
        self.emit(tag, SessionEvent::Initialized { file, warnings, version });
        for spec in self.breakpoints.specs() {
            self.awaited.push_back(Awaited::Early { id: spec.id });
            self.ask(Request::SetBreakpoint(spec));
        }
        if let Some(tag) = terminate {
            return self.terminate(tag, false);
        }
        self.go_on();
    }

    /// The program cannot be loaded.
    pub fn not_loaded(&mut self, failures: Vec<Failure>) {
        let State::Loading { tag, .. } = &mut self.state else { return };
        let tag = tag.take();
        for failure in failures {
            self.emit(tag.clone(), SessionEvent::Error(failure));
        }
        self.emit(None, SessionEvent::Terminated);
        self.finish(1, true);
    }

    /// Something that the engine tells.
    pub fn engine(&mut self, event: Event) {
        match event {
            Event::Stopped(stopped) => self.stopped(stopped),
            Event::Ended(ended) => self.program_ended(ended),
            Event::BreakpointSet(answer) => self.breakpoint_answer(answer),
            Event::Variables(answer) => self.answer(|command| match (command, answer) {
                (Command::GetVariables { frame }, Ok(variables)) => {
                    SessionEvent::Variables { frame: *frame, variables }
                }
                (other, answer) => failed(other, answer.err()),
            }),
            Event::StackTrace { frames, total } => {
                self.answer(|_| SessionEvent::StackTrace { frames, total });
            }
            Event::Evaluated(answer) => self.answer(|command| match (command, answer) {
                (Command::Evaluate { expression, .. }, Ok(value)) => {
                    SessionEvent::Evaluated { expression: expression.clone(), value }
                }
                (other, answer) => failed(other, answer.err()),
            }),
        }
    }

    /// The engine has ended, if not as it should.
    pub fn engine_gone(&mut self) {
        let failure = Failure { message: "the interpreter has failed".into(), ..Failure::default() };
        match self.state {
            State::Loading { .. } => self.not_loaded(vec![failure]),
            State::Ready | State::Running { .. } | State::Stopped { .. } | State::Ending { .. } => {
                self.emit(None, SessionEvent::Error(failure));
                self.program_ended(Ended { status: 1, error: None, terminated: false });
            }
            State::NotInitialized | State::Ended | State::Over => {}
        }
    }

    pub(super) fn stopped(&mut self, mut stopped: Stopped) {
        let State::Running { tag, .. } = &mut self.state else { return };
        let tag = tag.take().or(self.pause.take());
        self.pause = None;
        self.state = State::Stopped { asked: None };
        let changed = std::mem::take(&mut stopped.changed);
        self.emit(tag, SessionEvent::Stopped(stopped));
        for variable in changed {
            self.emit(None, SessionEvent::VariableUpdate(variable));
        }
        self.go_on();
    }

    /// The answer to what a stopped program was asked.
    pub(super) fn answer(&mut self, make: impl FnOnce(&Command) -> SessionEvent) {
        let State::Stopped { asked } = &mut self.state else { return };
        if let Some((command, tag)) = asked.take() {
            let event = make(&command);
            self.emit(tag, event);
            self.go_on();
        }
    }

    pub(super) fn breakpoint_answer(&mut self, answer: Result<BreakpointState, String>) {
        match (self.awaited.pop_front(), answer) {
            (Some(Awaited::Set { file, line, id, tag, .. }), Ok(_)) => {
                self.emit(tag, SessionEvent::BreakpointSet { file, line, id });
            }
            (Some(Awaited::Set { id, before, tag, .. }), Err(message)) => {
                self.breakpoints.restore(id, &before);
                self.emit(tag, SessionEvent::Error(Failure::of_command("setBreakpoint", message)));
            }
            (Some(Awaited::Early { id }), Err(message)) => {
                self.breakpoints.restore(id, &Before::Nothing);
                self.emit(None, SessionEvent::Error(Failure::of_command("setBreakpoint", message)));
            }
            (Some(Awaited::Ready(tag, event)), _) => self.emit(tag, event),
            (Some(Awaited::Early { .. }), Ok(_)) | (None, _) => {}
        }
        self.flush_awaited();
        if !matches!(self.state, State::Running { .. }) {
            self.go_on();
        }
    }

    /// Tells what waited for nothing but its turn.
    pub(super) fn flush_awaited(&mut self) {
        while let Some(Awaited::Ready(..)) = self.awaited.front() {
            if let Some(Awaited::Ready(tag, event)) = self.awaited.pop_front() {
                self.emit(tag, event);
            }
        }
    }

    /// What a stopped program was asked is not answered any more.
    pub(super) fn give_up_question(&mut self) {
        if let State::Stopped { asked } = &mut self.state
            && let Some((command, tag)) = asked.take()
        {
            self.waiting.push_front(Waiting { incoming: Incoming { command: Ok(command), tag }, read: 0 });
        }
    }

    pub(super) fn program_ended(&mut self, ended: Ended) {
        self.give_up_question();
        let state = std::mem::replace(&mut self.state, State::Ended);
        if matches!(state, State::Over) {
            self.state = state;
            return;
        }
        self.answer_the_rest();
        let Ended { status, error, terminated } = ended;
        if !terminated {
            let tag = match &state {
                State::Running { tag, .. } => tag.clone().or(self.pause.take()),
                _ => None,
            };
            if let Some(problem) = error {
                self.emit(None, SessionEvent::Error(problem.into()));
            }
            self.emit(tag, SessionEvent::Exited { status });
        }
        if let State::Ending { tag, patient } = state {
            self.refuse_waiting();
            self.emit(tag, SessionEvent::Terminated);
            return self.finish(0, patient);
        }
        self.actions.push(Action::Wake(self.settings.linger));
        self.go_on();
    }

    /// What the engine will not answer any more.
    fn answer_the_rest(&mut self) {
        for awaited in std::mem::take(&mut self.awaited) {
            match awaited {
                Awaited::Set { file, line, id, tag, .. } => {
                    self.emit(tag, SessionEvent::BreakpointSet { file, line, id });
                }
                Awaited::Ready(tag, event) => self.emit(tag, event),
                Awaited::Early { .. } => {}
            }
        }
    }

    /// The program ends before what waits could be carried out: what needs it is refused.
    pub(super) fn refuse_waiting(&mut self) {
        self.answer_the_rest();
        self.state = State::Ended;
        for waiting in std::mem::take(&mut self.waiting) {
            self.carry_out(waiting);
        }
    }
}

fn failed(command: &Command, message: Option<String>) -> SessionEvent {
    let message = message.unwrap_or_else(|| format!("Cannot {}", command.verb()));
    SessionEvent::Error(Failure::of_command(command.name(), message))
}

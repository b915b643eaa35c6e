//! What the commands do.

use std::path::Path;

use crate::debug::{Request, Resume};

use super::super::breakpoints::Base;
use super::super::command::{Command, DecodeError, Incoming, RequestId};
use super::super::event::{Failure, SessionEvent};
use super::{Action, Awaited, Load, Machine, State, TERMINATE_GRACE, Waiting};

impl Machine {
    pub(super) fn carry_out(&mut self, Waiting { incoming: Incoming { command, tag }, read }: Waiting) {
        let command = match command {
            Ok(command) => command,
            Err(DecodeError { message, command }) => {
                let failure = Failure { message, command, ..Failure::default() };
                return self.emit(tag, SessionEvent::Error(failure));
            }
        };
        match command {
            Command::Initialize { .. } => self.initialize(command, tag),
            Command::SetBreakpoint { file, line, condition } => {
                self.set_breakpoint(file, line, condition, tag)
            }
            Command::ClearBreakpoint { file, line } => self.clear_breakpoint(file, line, tag),
            Command::Terminate => self.terminate(tag, false),
            Command::Input { text, eof } => self.input(text, eof),
            Command::Pause => self.pause(tag),
            Command::Start => match self.state {
                State::Ready => self.start(tag, read),
                _ => self.at_stop(command, tag, read),
            },
            Command::StepInto
            | Command::StepOver
            | Command::StepOut
            | Command::Continue
            | Command::GetVariables { .. }
            | Command::GetStackTrace
            | Command::Evaluate { .. } => self.at_stop(command, tag, read),
        }
    }

    pub(super) fn refuse(&mut self, command: &Command, tag: Option<RequestId>) {
        let state = match self.state {
            State::NotInitialized => "not initialized",
            State::Loading { .. } | State::Ready => "program not started",
            State::Running { .. } | State::Stopped { .. } => "program is not stopped",
            State::Ending { .. } | State::Ended | State::Over => "program has ended",
        };
        let message = format!("Cannot {}: {state}", command.verb());
        self.emit(tag, SessionEvent::Error(Failure::of_command(command.name(), message)));
    }

    pub(super) fn initialize(&mut self, command: Command, tag: Option<RequestId>) {
        let name = command.name();
        let fail = |message: String| SessionEvent::Error(Failure::of_command(name, message));
        let Command::Initialize { file, working_dir, version, deny } = command else { return };
        if !matches!(self.state, State::NotInitialized) {
            return self.emit(tag, fail("Cannot initialize: already initialized".into()));
        }
        let base = match &working_dir {
            Some(directory) => Base::new(self.base.absolute(directory)),
            None => self.base.clone(),
        };
        if !base.directory().is_dir() {
            let wrong = working_dir.unwrap_or_default();
            return self.emit(tag, fail(format!("wrong parameter 'workingDir': no such directory: {wrong}")));
        }
        let (path, file) = match (file, &self.settings.file) {
            (Some(file), _) => (base.absolute(&file), file),
            (None, Some(path)) => (path.clone(), path.to_string_lossy().into_owned()),
            (None, None) => return self.emit(tag, fail("missing parameter 'file'".into())),
        };
        self.breakpoints.rebase(&base);
        let directory = base.directory().to_path_buf();
        self.base = base;
        let name = display_name(&path, &file);
        self.state = State::Loading { file, version, tag, terminate: None };
        self.actions.push(Action::Load(Load { path, name, directory, deny }));
    }

    pub(super) fn start(&mut self, tag: Option<RequestId>, read: u64) {
        self.emit(tag.clone(), SessionEvent::Started);
        let stop_at_entry = self.breakpoints.is_empty();
        self.ask(Request::Start { stop_at_entry });
        self.state = State::Running { tag, read };
    }

    /// Carries out what only a stopped program can do.
    pub(super) fn at_stop(&mut self, command: Command, tag: Option<RequestId>, read: u64) {
        let State::Stopped { asked } = &mut self.state else { return self.refuse(&command, tag) };
        let request = match &command {
            Command::StepInto => Request::Resume(Resume::Into),
            Command::StepOver => Request::Resume(Resume::Over),
            Command::StepOut => Request::Resume(Resume::Out),
            Command::GetVariables { frame } => Request::Variables { frame: *frame },
            Command::GetStackTrace => Request::StackTrace,
            Command::Evaluate { expression, frame } => {
                Request::Evaluate { expression: expression.clone(), frame: *frame }
            }
            _ => Request::Resume(Resume::Continue),
        };
        match request {
            Request::Resume(_) => {
                // The request goes first: nobody has to be woken for it.
                self.ask(request);
                self.state = State::Running { tag, read };
            }
            _ => {
                *asked = Some((command, tag));
                self.ask(request);
            }
        }
    }

    pub(super) fn set_breakpoint(
        &mut self,
        file: String,
        line: u32,
        condition: Option<String>,
        tag: Option<RequestId>,
    ) {
        let (spec, before) = self.breakpoints.set(&self.base, &file, line, condition);
        let id = spec.id;
        if self.has_program() {
            self.ask(Request::SetBreakpoint(spec));
            self.awaited.push_back(Awaited::Set { file, line, id, before, tag });
        } else {
            self.emit(tag, SessionEvent::BreakpointSet { file, line, id });
        }
    }

    pub(super) fn clear_breakpoint(&mut self, file: String, line: u32, tag: Option<RequestId>) {
        let id = self.breakpoints.clear(&self.base, &file, line);
        if let Some(id) = id.filter(|_| self.has_program()) {
            self.ask(Request::ClearBreakpoint(id));
        }
        self.awaited.push_back(Awaited::Ready(tag, SessionEvent::BreakpointCleared { file, line }));
        self.flush_awaited();
    }

    /// Whether there is one whose breakpoints can be set.
    fn has_program(&self) -> bool {
        matches!(self.state, State::Ready | State::Running { .. } | State::Stopped { .. })
    }

    pub(super) fn input(&mut self, text: Option<String>, eof: bool) {
        self.actions.push(Action::Input { text, eof });
    }

    pub(super) fn pause(&mut self, tag: Option<RequestId>) {
        match &self.state {
            State::Running { .. } => {
                self.pause = tag;
                self.ask(Request::Pause);
            }
            // It ends the evaluation of an expression, and is nothing to a stopped program.
            State::Stopped { .. } => self.ask(Request::Pause),
            _ => self.refuse(&Command::Pause, tag),
        }
    }

    pub(super) fn terminate(&mut self, tag: Option<RequestId>, patient: bool) {
        match &mut self.state {
            State::Loading { terminate, .. } => {
                *terminate = Some(tag);
                self.actions.push(Action::Wake(TERMINATE_GRACE));
            }
            State::Running { .. } | State::Stopped { .. } => {
                self.give_up_question();
                self.ask(Request::Terminate);
                self.state = State::Ending { tag, patient };
                self.actions.push(Action::Wake(TERMINATE_GRACE));
            }
            State::NotInitialized | State::Ready | State::Ended => self.give_up(tag),
            State::Ending { .. } | State::Over => {}
        }
    }
}

/// How reports name the file: as the client named it.
fn display_name(path: &Path, given: &str) -> String {
    if given.is_empty() { path.to_string_lossy().into_owned() } else { given.to_string() }
}

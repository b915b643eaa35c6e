//! The state machine of a session: which command is carried out when, and what is told. It does
//! nothing by itself: what is to be done comes out as [`Action`]s, so that it is tested without
//! threads.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::debug::{BreakpointState, Ended, Event, Problem, Request, Resume, Stopped};

use super::breakpoints::{Base, Before, Breakpoints};
use super::command::{Command, Incoming, Refusal, Tag};
use super::event::{Failure, SessionEvent};

/// How long a program that is told to end may take before the session ends without it.
const TERMINATE_GRACE: Duration = Duration::from_millis(200);

/// Something to be done.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Tell the client.
    Emit(Option<Tag>, SessionEvent),
    /// Start an engine that loads this file, with the directory as working directory.
    Load { path: PathBuf, name: String, directory: PathBuf },
    /// Let the loaded program run.
    Begin { stop_at_entry: bool },
    /// Send the engine a request, and wake it if the program runs.
    Ask { request: Request, wake: bool },
    /// Text for the program to read, and whether nothing comes after it.
    Input { text: Option<String>, eof: bool },
    /// Call `expire` after this time, instead of any time said before.
    Wake(Duration),
    /// The session is over. `patient`: everything told is to reach the client, however long it takes.
    Finish { status: u8, patient: bool },
    /// The client waits for the end of a session that is over.
    Hurry,
}

/// Where a session stands.
#[derive(Debug)]
enum State {
    NotInitialized,
    /// The program is being read and checked.
    Loading {
        file: String,
        version: Option<u32>,
        tag: Option<Tag>,
        terminate: Option<Option<Tag>>,
    },
    /// Initialized, not started.
    Ready,
    /// `tag`, `read`: of the command that made it run.
    Running {
        tag: Option<Tag>,
        read: u64,
    },
    Stopped {
        asked: Option<(Command, Option<Tag>)>,
    },
    /// Told to end.
    Ending {
        tag: Option<Tag>,
        patient: bool,
    },
    /// The program has ended; what still comes is answered.
    Ended,
    /// The session has ended.
    Over,
}

/// A command that waits for its turn.
#[derive(Debug)]
struct Waiting {
    incoming: Incoming,
    read: u64,
}

/// An answer that waits for the engine, so that answers keep the order of the commands.
#[derive(Debug)]
enum Awaited {
    /// The engine is to say what became of a breakpoint.
    Set { file: String, line: u32, id: u32, before: Before, tag: Option<Tag> },
    /// The same of a breakpoint whose command has been answered already.
    Started { id: u32 },
    /// Nothing but its turn is missing.
    Ready(Option<Tag>, SessionEvent),
}

/// What a session was started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program's file, if the client need not name it.
    pub file: Option<PathBuf>,
    /// Where relative paths start unless the client says so.
    pub directory: PathBuf,
    /// How long commands are answered after the program's end.
    pub linger: Duration,
}

/// The state machine.
#[derive(Debug)]
pub(super) struct Machine {
    settings: Settings,
    state: State,
    base: Base,
    breakpoints: Breakpoints,
    waiting: VecDeque<Waiting>,
    awaited: VecDeque<Awaited>,
    /// Tag of a `pause` that no stop has answered.
    pause: Option<Tag>,
    /// Whether no more commands will come.
    ended: bool,
    actions: Vec<Action>,
}

impl Machine {
    pub fn new(settings: Settings) -> Machine {
        let base = Base::new(settings.directory.clone());
        Machine {
            settings,
            state: State::NotInitialized,
            base,
            breakpoints: Breakpoints::default(),
            waiting: VecDeque::new(),
            awaited: VecDeque::new(),
            pause: None,
            ended: false,
            actions: Vec::new(),
        }
    }

    /// What is to be done now.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// A message of the client. `read`: number of the read that it came in.
    pub fn receive(&mut self, incoming: Incoming, read: u64) {
        if matches!(self.state, State::Over) {
            if incoming.command == Ok(Command::Terminate) {
                self.actions.push(Action::Hurry);
            }
            return;
        }
        match &incoming.command {
            Ok(Command::Terminate) => self.terminate(incoming.tag, false),
            Ok(Command::Input { text, eof }) => self.input(text.clone(), *eof),
            Ok(Command::Pause) if !self.is_busy() || matches!(self.state, State::Stopped { .. }) => {
                self.pause(incoming.tag);
            }
            _ => {
                let first = self.waiting.is_empty();
                let waiting = Waiting { incoming, read };
                if first && self.is_its_turn(&waiting) {
                    self.carry_out(waiting);
                } else {
                    self.waiting.push_back(waiting);
                }
            }
        }
        self.end_if_idle();
    }

    /// The end of commands.
    pub fn commands_end(&mut self) {
        self.ended = true;
        self.input(None, true);
        self.end_if_idle();
    }

    /// The client reads no more: nobody is left to tell anything.
    pub fn output_closed(&mut self) {
        if !matches!(self.state, State::Over) {
            self.ask(Request::Terminate);
            self.finish(0, false);
        }
    }

    /// The program has been loaded.
    pub fn loaded(&mut self, warnings: Vec<Problem>) {
        let State::Loading { file, version, tag, terminate } =
            std::mem::replace(&mut self.state, State::Ready)
        else {
            return;
        };
        self.emit(tag, SessionEvent::Initialized { file, warnings, version });
        if let Some(tag) = terminate {
            return self.terminate(tag, false);
        }
        self.go_on();
    }

    /// The program cannot be loaded.
    pub fn not_loaded(&mut self, failures: Vec<Failure>) {
        let State::Loading { tag, .. } = std::mem::replace(&mut self.state, State::Over) else { return };
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
            State::Running { .. } | State::Stopped { .. } | State::Ending { .. } => {
                self.emit(None, SessionEvent::Error(failure));
                self.program_ended(Ended { status: 1, error: None, terminated: false });
            }
            State::NotInitialized | State::Ready | State::Ended | State::Over => {}
        }
    }

    /// The time said by [`Action::Wake`] has come.
    pub fn expire(&mut self) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Loading { terminate: Some(tag), .. } | State::Ending { tag, .. } => {
                self.refuse_waiting();
                self.emit(tag, SessionEvent::Terminated);
                self.finish(0, false);
            }
            State::Ended => self.finish(0, true),
            other => self.state = other,
        }
    }

    fn emit(&mut self, tag: Option<Tag>, event: SessionEvent) {
        self.actions.push(Action::Emit(tag, event));
    }

    fn ask(&mut self, request: Request) {
        let wake = matches!(self.state, State::Running { .. })
            || matches!(request, Request::Pause | Request::Terminate);
        self.actions.push(Action::Ask { request, wake });
    }

    fn finish(&mut self, status: u8, patient: bool) {
        self.state = State::Over;
        self.waiting.clear();
        self.actions.push(Action::Finish { status, patient });
    }

    /// Whether a command is being carried out whose end the next one has to wait for.
    fn is_busy(&self) -> bool {
        match &self.state {
            State::Loading { .. } | State::Ending { .. } => true,
            State::Stopped { asked } => asked.is_some() || !self.awaited.is_empty(),
            _ => false,
        }
    }

    /// Whether a command that no other stands before is to be carried out now.
    fn is_its_turn(&self, waiting: &Waiting) -> bool {
        if self.is_busy() {
            return false;
        }
        let State::Running { read, .. } = &self.state else { return true };
        let needs_no_stop = matches!(
            waiting.incoming.command,
            Err(_) | Ok(Command::SetBreakpoint { .. } | Command::ClearBreakpoint { .. })
        );
        needs_no_stop && waiting.read != *read
    }

    /// Carries out what waits, as far as it goes.
    fn go_on(&mut self) {
        while self.waiting.front().is_some_and(|next| self.is_its_turn(next)) {
            if let Some(next) = self.waiting.pop_front() {
                self.carry_out(next);
            }
        }
        self.end_if_idle();
    }

    /// Without more commands to come, nothing resumes a stopped program.
    fn end_if_idle(&mut self) {
        if !self.ended || !self.waiting.is_empty() || self.is_busy() {
            return;
        }
        match self.state {
            State::Stopped { .. } => self.terminate(None, true),
            State::NotInitialized | State::Ready | State::Ended => self.finish(0, true),
            State::Loading { .. } | State::Running { .. } | State::Ending { .. } | State::Over => {}
        }
    }

    fn carry_out(&mut self, Waiting { incoming: Incoming { command, tag }, read }: Waiting) {
        let command = match command {
            Ok(command) => command,
            Err(Refusal { message, command }) => {
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

    fn refuse(&mut self, command: &Command, tag: Option<Tag>) {
        let state = match self.state {
            State::NotInitialized => "not initialized",
            State::Loading { .. } | State::Ready => "program not started",
            State::Running { .. } | State::Stopped { .. } => "program is not stopped",
            State::Ending { .. } | State::Ended | State::Over => "program has ended",
        };
        let message = format!("Cannot {}: {state}", command.verb());
        self.emit(tag, SessionEvent::Error(Failure::of_command(command.name(), message)));
    }

    fn initialize(&mut self, command: Command, tag: Option<Tag>) {
        let name = command.name();
        let fail = |message: String| SessionEvent::Error(Failure::of_command(name, message));
        let Command::Initialize { file, working_dir, version } = command else { return };
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
        self.actions.push(Action::Load { path, name, directory });
    }

    fn start(&mut self, tag: Option<Tag>, read: u64) {
        self.emit(tag.clone(), SessionEvent::Started);
        let stop_at_entry = self.breakpoints.is_empty();
        for spec in self.breakpoints.specs() {
            self.awaited.push_back(Awaited::Started { id: spec.id });
            self.ask(Request::SetBreakpoint(spec));
        }
        self.state = State::Running { tag, read };
        self.actions.push(Action::Begin { stop_at_entry });
    }

    /// Carries out what only a stopped program can do.
    fn at_stop(&mut self, command: Command, tag: Option<Tag>, read: u64) {
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

    fn stopped(&mut self, mut stopped: Stopped) {
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
    fn answer(&mut self, make: impl FnOnce(&Command) -> SessionEvent) {
        let State::Stopped { asked } = &mut self.state else { return };
        if let Some((command, tag)) = asked.take() {
            let event = make(&command);
            self.emit(tag, event);
            self.go_on();
        }
    }

    fn set_breakpoint(&mut self, file: String, line: u32, condition: Option<String>, tag: Option<Tag>) {
        let (spec, before) = self.breakpoints.set(&self.base, &file, line, condition);
        let id = spec.id;
        if matches!(self.state, State::Running { .. } | State::Stopped { .. }) {
            self.ask(Request::SetBreakpoint(spec));
            self.awaited.push_back(Awaited::Set { file, line, id, before, tag });
        } else {
            self.emit(tag, SessionEvent::BreakpointSet { file, line, id });
        }
    }

    fn clear_breakpoint(&mut self, file: String, line: u32, tag: Option<Tag>) {
        let id = self.breakpoints.clear(&self.base, &file, line);
        if let Some(id) = id.filter(|_| matches!(self.state, State::Running { .. } | State::Stopped { .. })) {
            self.ask(Request::ClearBreakpoint(id));
        }
        self.awaited.push_back(Awaited::Ready(tag, SessionEvent::BreakpointCleared { file, line }));
        self.flush_awaited();
    }

    fn breakpoint_answer(&mut self, answer: Result<BreakpointState, String>) {
        match (self.awaited.pop_front(), answer) {
            (Some(Awaited::Set { file, line, id, tag, .. }), Ok(_)) => {
                self.emit(tag, SessionEvent::BreakpointSet { file, line, id });
            }
            (Some(Awaited::Set { id, before, tag, .. }), Err(message)) => {
                self.breakpoints.restore(id, &before);
                self.emit(tag, SessionEvent::Error(Failure::of_command("setBreakpoint", message)));
            }
            (Some(Awaited::Started { id }), Err(message)) => {
                self.breakpoints.restore(id, &Before::Nothing);
                self.emit(None, SessionEvent::Error(Failure::of_command("setBreakpoint", message)));
            }
            (Some(Awaited::Ready(tag, event)), _) => self.emit(tag, event),
            (Some(Awaited::Started { .. }), Ok(_)) | (None, _) => {}
        }
        self.flush_awaited();
        if !matches!(self.state, State::Running { .. }) {
            self.go_on();
        }
    }

    /// Tells what waited for nothing but its turn.
    fn flush_awaited(&mut self) {
        while let Some(Awaited::Ready(..)) = self.awaited.front() {
            if let Some(Awaited::Ready(tag, event)) = self.awaited.pop_front() {
                self.emit(tag, event);
            }
        }
    }

    fn input(&mut self, text: Option<String>, eof: bool) {
        self.actions.push(Action::Input { text, eof });
    }

    fn pause(&mut self, tag: Option<Tag>) {
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

    fn terminate(&mut self, tag: Option<Tag>, patient: bool) {
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
            State::NotInitialized | State::Ready | State::Ended => {
                self.emit(tag, SessionEvent::Terminated);
                self.finish(0, false);
            }
            State::Ending { .. } | State::Over => {}
        }
    }

    /// What a stopped program was asked is not answered any more.
    fn give_up_question(&mut self) {
        if let State::Stopped { asked } = &mut self.state
            && let Some((command, tag)) = asked.take()
        {
            self.waiting.push_front(Waiting { incoming: Incoming { command: Ok(command), tag }, read: 0 });
        }
    }

    fn program_ended(&mut self, ended: Ended) {
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
                Awaited::Started { .. } => {}
            }
        }
    }

    /// The program ends before what waits could be carried out.
    fn refuse_waiting(&mut self) {
        for Waiting { incoming: Incoming { command, tag }, .. } in std::mem::take(&mut self.waiting) {
            match command {
                Ok(command) => self.refuse(&command, tag),
                Err(Refusal { message, command }) => {
                    self.emit(tag, SessionEvent::Error(Failure { message, command, ..Failure::default() }));
                }
            }
        }
    }
}

fn failed(command: &Command, message: Option<String>) -> SessionEvent {
    let message = message.unwrap_or_else(|| format!("Cannot {}", command.verb()));
    SessionEvent::Error(Failure::of_command(command.name(), message))
}

/// How reports name the file: as the client named it.
fn display_name(path: &Path, given: &str) -> String {
    if given.is_empty() { path.to_string_lossy().into_owned() } else { given.to_string() }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;

//! The state machine of a session: which command is carried out when, and what is told. It does
//! nothing by itself: what is to be done comes out as [`Action`]s, so that it is tested without
//! threads.

mod commands;
mod program;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use crate::debug::Request;
use crate::host::{Capability, Commands};

use super::breakpoints::{Base, Before, Breakpoints};
use super::command::{Command, Incoming, RequestId};
use super::event::{Failure, SessionEvent};

/// How long a program that is told to end may take before the session ends without it.
pub const TERMINATE_GRACE: Duration = Duration::from_millis(40);

/// Something to be done.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Tell the client.
    Emit(Option<RequestId>, SessionEvent),
    /// Start an engine that loads a program.
    Load(Load),
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

/// The program that an engine is to load.
#[derive(Debug, PartialEq)]
pub(super) struct Load {
    /// Its file.
    pub path: PathBuf,
    /// How the client names the file.
    pub name: String,
    /// Its working directory.
    pub directory: PathBuf,
    /// What it is kept from.
    pub deny: Vec<Capability>,
}

/// Where a session stands.
#[derive(Debug)]
enum State {
    NotInitialized,
    /// The program is being read and checked.
    Loading {
        file: String,
        version: Option<u32>,
        tag: Option<RequestId>,
        terminate: Option<Option<RequestId>>,
    },
    /// Initialized, not started.
    Ready,
    /// `tag`, `read`: of the command that made it run.
    Running {
        tag: Option<RequestId>,
        read: u64,
    },
    Stopped {
        asked: Option<(Command, Option<RequestId>)>,
    },
    /// Told to end.
    Ending {
        tag: Option<RequestId>,
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
    Set { file: String, line: u32, id: u32, before: Before, tag: Option<RequestId> },
    /// The same of a breakpoint whose command was answered before there was a program.
    Early { id: u32 },
    /// Nothing but its turn is missing.
    Ready(Option<RequestId>, SessionEvent),
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
    /// What starts the commands of the program; they end with the session.
    pub commands: Commands,
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
    /// RequestId of a `pause` that no stop has answered.
    pause: Option<RequestId>,
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

    /// Whether the program is stopped, and nothing keeps it from looking at its requests.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped { .. })
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

    /// The time said by [`Action::Wake`] has come.
    pub fn expire(&mut self) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Loading { tag: initialize, terminate: Some(tag), .. } => {
                let message = "Cannot initialize: program has ended";
                self.emit(initialize, SessionEvent::Error(Failure::of_command("initialize", message)));
                self.give_up(tag);
            }
            State::Ending { tag, .. } => self.give_up(tag),
            State::Ended => self.finish(0, true),
            other => self.state = other,
        }
    }

    /// Ends without the engine.
    fn give_up(&mut self, tag: Option<RequestId>) {
        self.refuse_waiting();
        self.emit(tag, SessionEvent::Terminated);
        self.finish(0, false);
    }

    fn emit(&mut self, tag: Option<RequestId>, event: SessionEvent) {
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
            State::Ready => !self.awaited.is_empty(),
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
}

#[cfg(test)]
mod tests;

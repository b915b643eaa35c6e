//! What the engine answers and tells, and its end.

use std::time::Duration;

use crate::api::{Event, Exited, Failure, FailureKind, Request, RequestId, Response};
use crate::debug::Message;

use super::clients::is_attach;
use super::{Action, Machine, Status};

/// What is said when the engine's thread has panicked.
pub(super) const INTERPRETER_FAILED: &str = "the interpreter has failed";

impl Machine {
    /// A message of the engine.
    pub fn engine(&mut self, message: Message, now: Duration) {
        if self.status == Status::Over {
            return;
        }
        match message {
            Message::Response(id, result) => self.engine_response(id, result, now),
            Message::Event(event) => self.engine_event(event),
        }
        self.go_on(now);
    }

    fn engine_response(&mut self, id: RequestId, result: Result<Response, Failure>, now: Duration) {
        let position = self.asked.iter().position(|asked| asked.id == id);
        let Some(asked) = position.and_then(|position| self.asked.remove(position)) else { return };
        if let Request::Attach(_) = asked.request {
            return self.attach_goes_on(id, result, now);
        }
        let failure = result.as_ref().err().map(|failure| failure.kind);
        self.respond(id, result);
        match (&asked.request, failure) {
            (Request::Initialize(_), None) => self.loaded(Status::Ready, now),
            (Request::Restart(_), None) => self.loaded(Status::Running, now),
            (Request::Initialize(_) | Request::Restart(_), Some(kind)) => self.not_loaded(kind),
            // A program that cannot go on as it was told to stays where it is.
            (Request::Resume(_), Some(_)) if self.status == Status::Running => self.status = Status::Stopped,
            _ => {}
        }
    }

    /// A program was loaded.
    pub(super) fn loaded(&mut self, status: Status, now: Duration) {
        self.launched = true;
        if self.status == Status::Loading {
            self.status = status;
            self.begin_busy(now);
        }
    }

    /// A program was not loaded.
    fn not_loaded(&mut self, why: FailureKind) {
        if self.status != Status::Loading {
            return;
        }
        self.status = Status::NotInitialized;
        // A request that was wrong may be made again.
        if why == FailureKind::NoProgram {
            if self.keep_alive {
                self.launched = true;
            } else {
                self.give_up();
            }
        }
    }

    /// There is no program: the session ends.
    fn give_up(&mut self) {
        self.refuse_the_rest("not initialized");
        self.actions.push(Action::Tell(Event::Terminated));
        self.finish(1, true);
    }

    fn engine_event(&mut self, event: Event) {
        let mut exited = false;
        match &event {
            Event::Stopped(_) if self.status != Status::Running => return,
            Event::Stopped(stopped) => {
                self.status = Status::Stopped;
                self.remember_stop(stopped);
            }
            // It was to end anyway: to end the session, or to begin again.
            Event::Exited(_) if matches!(self.status, Status::Ending { .. } | Status::Loading) => {}
            Event::Exited(_) => {
                self.status = Status::Exited;
                exited = true;
            }
            Event::WrongCondition(_)
            | Event::BreakpointChanged { .. }
            | Event::Log(_)
            | Event::WatchChanged(_)
            | Event::Progress(_)
            | Event::InputRequested
            | Event::Failed(_)
            | Event::Terminated => {}
        }
        self.actions.push(Action::Tell(event));
        if exited {
            self.exited();
        }
    }

    /// The engine's thread has ended: as it should, when it was told to, or because it failed.
    pub fn engine_gone(&mut self, now: Duration) {
        self.engine_lives = false;
        match self.status {
            Status::Over => {}
            Status::Ending { patient } => self.end(patient),
            Status::Loading => {
                self.fail_asked();
                self.status = Status::NotInitialized;
                self.give_up();
            }
            Status::NotInitialized | Status::Ready | Status::Running | Status::Stopped | Status::Exited => {
                self.fail_asked();
                self.actions.push(Action::Tell(Event::Failed(INTERPRETER_FAILED.into())));
                if self.status != Status::Exited {
                    self.engine_event(Event::Exited(Box::new(Exited { status: 1, error: None })));
                }
                self.go_on(now);
            }
        }
    }

    /// Answers what the engine was asked: it failed.
    fn fail_asked(&mut self) {
        let failure = || Failure::new(FailureKind::Internal, INTERPRETER_FAILED);
        self.refuse_attach(failure());
        self.asked.retain(|asked| !is_attach(&asked.request));
        for asked in std::mem::take(&mut self.asked) {
            self.respond(asked.id, Err(failure()));
        }
    }

    /// The program has ended because it was told to, or has not ended in time.
    pub(super) fn end(&mut self, patient: bool) {
        self.refuse_the_rest("program has ended");
        self.actions.push(Action::Tell(Event::Terminated));
        self.finish(0, patient);
    }
}

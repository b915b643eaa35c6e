//! Requests whose turn has come.

use std::time::Duration;

use crate::api::{Failure, FailureKind, Needs, Request, RequestId, Response};

use super::clients::is_attach;
use super::{Action, Asked, Incoming, Machine, Status, TERMINATE_GRACE};

impl Machine {
    pub(super) fn carry_out(&mut self, Incoming { id, request }: Incoming, now: Duration) {
        let request = match request {
            Ok(request) => request,
            Err(failure) => return self.respond(id, Err(failure)),
        };
        if let Some(failure) = self.hindrance(&request) {
            return match request {
                // Nothing else reaches the client before the answer to its first request.
                Request::Attach(_) if self.held.is_some() => self.open(Some((id, Err(failure)))),
                _ => self.respond(id, Err(failure)),
            };
        }
        match request {
            Request::Terminate => self.terminate(id, false),
            Request::Attach(attach) => self.attach(id, *attach, now),
            Request::Disconnect => self.disconnect(id),
            Request::Initialize(ref launch) => {
                self.keep_alive = launch.keep_alive;
                self.status = Status::Loading;
                self.begin_busy(now);
                self.ask(id, request);
            }
            Request::Restart(_) => {
                self.actions.push(Action::DiscardInput);
                self.ask(id, request);
                self.status = Status::Loading;
                self.begin_busy(now);
            }
            Request::Start | Request::Resume(_) => {
                // The request goes first: a stopped program is not woken by an interrupt.
                self.ask(id, request);
                self.status = Status::Running;
                self.begin_busy(now);
            }
            Request::Breakpoint(_) | Request::Watch(_) | Request::Query(_) | Request::Inspect(_) => {
                if self.status != Status::Running {
                    self.begin_busy(now);
                }
                self.ask(id, request);
            }
            Request::Pause | Request::Kill => self.ask(id, request),
            Request::Input { text, eof } => {
                // The program may print as soon as it has its input: the answer comes before.
                self.respond(id, Ok(Response::InputTaken));
                self.actions.push(Action::Input { text, eof });
            }
        }
    }

    /// Why a request cannot be carried out in this state, if it cannot.
    fn hindrance(&self, request: &Request) -> Option<Failure> {
        if let Some(failure) = self.hindrance_of_audience(request) {
            return Some(failure);
        }
        let possible = match request.needs() {
            Needs::Nothing => {
                self.engine_lives || matches!(request, Request::Terminate | Request::Disconnect)
            }
            Needs::NoProgram => self.status == Status::NotInitialized,
            Needs::Program => match self.status {
                Status::NotInitialized => self.launched && self.engine_lives,
                _ => self.engine_lives,
            },
            Needs::ReadyOrStopped => matches!(self.status, Status::Ready | Status::Stopped),
            Needs::Stopped => self.status == Status::Stopped,
            Needs::Started => matches!(self.status, Status::Running | Status::Stopped),
            // A pause of a stopped program is carried out only if an evaluation is under way.
            Needs::Running => self.status == Status::Running || self.is_evaluating(),
        };
        if possible {
            return None;
        }
        let state = match self.status {
            Status::NotInitialized => "not initialized",
            _ if request.needs() == Needs::NoProgram => "already initialized",
            Status::Loading | Status::Ready => "program not started",
            Status::Running => "program is not stopped",
            Status::Stopped => "program is stopped",
            Status::Exited | Status::Ending { .. } | Status::Over => "program has ended",
        };
        if matches!(request.needs(), Needs::Nothing | Needs::Program) && !self.engine_lives {
            return Some(Failure::new(FailureKind::Internal, super::engine::INTERPRETER_FAILED));
        }
        Some(Failure::wrong_state(request.verb(), state))
    }

    pub(super) fn is_evaluating(&self) -> bool {
        self.status == Status::Stopped && !self.asked.is_empty()
    }

    pub(super) fn ask(&mut self, id: RequestId, request: Request) {
        // Only what runs, or evaluates, has to be woken.
        let wake = self.status == Status::Running
            || matches!(request, Request::Pause)
            || matches!(request, Request::Restart(_) | Request::Kill) && self.is_evaluating();
        self.asked.push_back(Asked { id, request: request.clone() });
        self.actions.push(Action::Ask { id, request, wake });
    }

    pub(super) fn terminate(&mut self, id: RequestId, patient: bool) {
        self.refuse_attach(Failure::wrong_state("attach", "program has ended"));
        self.asked.retain(|asked| !is_attach(&asked.request));
        self.asked.push_back(Asked { id, request: Request::Terminate });
        self.status = Status::Ending { patient };
        self.actions.push(Action::BeginShutdown);
        self.actions.push(Action::Ask { id, request: Request::Terminate, wake: true });
        self.actions.push(Action::SetTimer(TERMINATE_GRACE));
        if !self.engine_lives {
            self.end(patient);
        }
    }

    /// Refuses what was not carried out, since the session ends.
    pub(super) fn refuse_the_rest(&mut self, state: &str) {
        self.refuse_attach(Failure::wrong_state("attach", state));
        self.asked.retain(|asked| !is_attach(&asked.request));
        for Asked { id, request } in std::mem::take(&mut self.asked) {
            let result = match request {
                Request::Terminate => Ok(Response::Terminating),
                request => Err(Failure::wrong_state(request.verb(), state)),
            };
            self.respond(id, result);
        }
        for Incoming { id, request } in std::mem::take(&mut self.queue) {
            let failure = match request {
                Err(failure) => failure,
                Ok(request) if request.needs() == Needs::NoProgram => {
                    Failure::wrong_state(request.verb(), "already initialized")
                }
                Ok(request) => Failure::wrong_state(request.verb(), state),
            };
            self.respond(id, Err(failure));
        }
    }
}

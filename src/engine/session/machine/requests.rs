//! Carries out a request whose turn has come.

use std::time::Duration;

use crate::api::{
    Company, Dismissal, Done, Failure, FailureKind, Needs, Obstacle, Request, RequestId, Response,
    SessionRequest, SessionState,
};

use super::children::AfterChildren;
use super::clients::is_attach;
use super::{
    Action, ConnectionId, Incoming, Lifetime, Machine, OWN_REQUEST, PendingRequest, Stage, TERMINATE_GRACE,
    is_request_of_guest,
};

impl Machine {
    pub(super) fn carry_out(&mut self, Incoming { id, request }: Incoming, now: Duration) {
        self.note_turn(ConnectionId::of(id));
        let request = match request {
            Ok(request) => request,
            Err(failure) => return self.respond(id, Err(failure)),
        };
        if let Some(failure) = self.refusal(id, &request) {
            return self.refuse(id, &request, failure);
        }
        match request {
            Request::Terminate => self.terminate(id, false),
            Request::Session(SessionRequest::Attach(attach)) if self.is_guest(ConnectionId::of(id)) => {
                self.attach_guest(id, &attach, now);
            }
            Request::Session(SessionRequest::Attach(attach)) => self.attach(id, *attach, now),
            Request::Session(SessionRequest::Disconnect { resume }) => self.disconnect(id, resume, now),
            Request::Detach => self.ask(id, Request::Detach),
            Request::Session(SessionRequest::Share(how)) => self.share(id, how),
            Request::Session(SessionRequest::Unshare) if !self.is_shared() => {
                self.respond(id, Err(Failure::wrong_state("unshare", Obstacle::NotShared)));
            }
            Request::Session(SessionRequest::Unshare) => {
                self.unshare(Dismissal::Unshared);
                self.respond(id, Ok(Response::Done(Done::Unshared)));
            }
            Request::Session(SessionRequest::GetGuests) => {
                self.respond(id, Ok(Response::Guests(self.guests())))
            }
            Request::Session(SessionRequest::GetProcesses) => {
                self.respond(id, Ok(Response::Processes(self.processes())))
            }
            Request::Session(SessionRequest::ReleaseChild(pid)) => self.release_child(id, pid),
            Request::Initialize(ref launch) => {
                self.program.begin(launch);
                self.status = Stage::Loading;
                self.begin_busy(now);
                self.ask(id, request);
            }
            Request::Restart(_) => {
                self.note_restart();
                self.discard_input();
                self.ask(id, request);
                self.status = Stage::Loading;
                self.begin_busy(now);
            }
            Request::Start(_) | Request::Resume(_) | Request::RunCell(_) => {
                if let Request::RunCell(cell) = &request {
                    // The end of input that an earlier cell has met is not that of this one.
                    self.discard_input();
                    self.actions.push(Action::RefuseInput(cell.refuses_input));
                }
                if self.lifetime == Lifetime::Child && matches!(request, Request::Start(_)) {
                    self.actions.push(Action::ReportStart);
                }
                // An interrupt before the request would not wake a program that is stopped.
                self.ask(id, request);
                self.status = Stage::Running;
                self.begin_busy(now);
            }
            Request::Breakpoint(mut request) => {
                if let Some(sharing) = &mut self.sharing {
                    let client = ConnectionId::of(id);
                    sharing.breakpoints.spare(client, &mut request);
                }
                self.look_into(id, Request::Breakpoint(request), now);
            }
            Request::Watch(_)
            | Request::Query(_)
            | Request::SetDebugging(_)
            | Request::SetExpectedOutput(_)
            | Request::Inspect(_)
            | Request::Investigate(_) => self.look_into(id, request, now),
            Request::Pause => self.ask(id, request),
            Request::Kill => self.kill(id),
            Request::Session(SessionRequest::Input { text, eof }) => self.input(id, text, eof),
        }
    }

    /// Refuses a request whose turn has come.
    pub(super) fn refuse(&mut self, id: RequestId, request: &Request, failure: Failure) {
        // The response to its first request must be the first message to the client.
        if is_attach(request) && self.is_joining(ConnectionId::of(id)) {
            self.turn_away(id, failure);
        } else if is_attach(request) && self.is_owner_waiting() && !is_request_of_guest(id) {
            self.open(Some((id, Err(failure))));
        } else {
            self.respond(id, Err(failure));
        }
    }

    /// Asks the engine something that does not resume the program.
    fn look_into(&mut self, id: RequestId, request: Request, now: Duration) {
        if self.status != Stage::Running {
            self.begin_busy(now);
        }
        self.ask(id, request);
    }

    pub(super) fn input(&mut self, id: RequestId, text: Option<String>, eof: bool) {
        // The response has to come first: the program may print something as soon as it has the input.
        self.respond(id, Ok(Response::Done(Done::InputTaken)));
        let client = ConnectionId::of(id);
        let goes_on = self.name(client).map(|name| (client, Company::Resumed(name)));
        self.actions.push(Action::Input { text, eof, goes_on });
        self.ending.input |= eof;
    }

    fn discard_input(&mut self) {
        self.actions.push(Action::DiscardInput);
        self.ending.input = false;
    }

    /// Why a request is not allowed in this state, if it is not.
    fn refusal(&self, id: RequestId, request: &Request) -> Option<Failure> {
        if let Some(failure) = self.refusal_for_client(id, request) {
            return Some(failure);
        }
        // The engine's end explains more than the state in which it has left the session.
        let needs_engine = matches!(request.needs(), Needs::Nothing | Needs::Program)
            && !matches!(
                request,
                Request::Terminate
                    | Request::Session(SessionRequest::Disconnect { .. })
                    | Request::Session(SessionRequest::GetProcesses)
                    | Request::Session(SessionRequest::ReleaseChild(_))
                    | Request::Session(SessionRequest::Unshare | SessionRequest::GetGuests)
            );
        if needs_engine && !self.engine_lives {
            return Some(Failure::new(FailureKind::Internal, super::engine::INTERPRETER_FAILED));
        }
        if let Some(failure) = self.session_state().refusal(request) {
            return Some(failure);
        }
        // The engine would have to end the program before it could say so.
        if let Request::Restart(restart) = request
            && self.program.replays
        {
            return restart.refusal_in_replay();
        }
        None
    }

    fn session_state(&self) -> SessionState {
        match self.status {
            Stage::NotInitialized if self.program.is_named => SessionState::NotLoaded,
            Stage::NotInitialized => SessionState::Empty,
            Stage::Loading => SessionState::Loading,
            Stage::Ready if self.program.has_cells => SessionState::Idle,
            Stage::Ready => SessionState::Ready,
            Stage::Running => SessionState::Running,
            Stage::Stopped if self.is_evaluating() => SessionState::Evaluating,
            Stage::Stopped => SessionState::Stopped,
            Stage::Exited
            | Stage::Failed { .. }
            | Stage::EndingChildren { .. }
            | Stage::Ending { .. }
            | Stage::Over => SessionState::Exited,
        }
    }

    pub(super) fn is_evaluating(&self) -> bool {
        self.status == Stage::Stopped && !self.asked.is_empty()
    }

    pub(super) fn ask(&mut self, id: RequestId, request: Request) {
        // The engine has to be interrupted only if it runs the program or evaluates.
        let wake = self.status == Stage::Running
            || matches!(request, Request::Pause)
            || matches!(request, Request::Restart(_) | Request::Kill) && self.is_evaluating();
        self.asked.push(id, request.clone());
        self.actions.push(Action::Ask { id, request, wake });
    }

    pub(super) fn terminate(&mut self, id: RequestId, patient: bool) {
        self.refuse_attach(Failure::wrong_state("attach", Obstacle::Ended));
        self.asked.retain(|asked| !is_attach(&asked.request));
        if let Stage::EndingChildren { then: AfterChildren::Kill { id: kill, .. } } = self.status {
            self.respond(kill, Err(Failure::wrong_state(Request::Kill.verb(), Obstacle::Ended)));
        }
        self.asked.push(id, Request::Terminate);
        self.actions.push(Action::BeginShutdown);
        self.end_children(AfterChildren::End { patient });
    }

    /// Tells the program to end.
    pub(super) fn end_program(&mut self, patient: bool) {
        let id = self.asked.iter().find(|asked| asked.request == Request::Terminate).map(|asked| asked.id);
        self.status = Stage::Ending { patient };
        let id = id.unwrap_or(OWN_REQUEST);
        self.actions.push(Action::Ask { id, request: Request::Terminate, wake: true });
        self.begin_wait(TERMINATE_GRACE);
        if !self.engine_lives {
            self.end(patient);
        }
    }

    /// Refuses all waiting requests for this reason, because the session ends.
    pub(super) fn refuse_queued(&mut self, why: Obstacle) {
        self.refuse_attach(Failure::wrong_state("attach", why));
        self.asked.retain(|asked| !is_attach(&asked.request));
        for PendingRequest { id, request } in self.asked.take_all() {
            let result = if request == Request::Terminate {
                Ok(Response::Done(Done::Terminating))
            } else {
                Err(Failure::wrong_state(request.verb(), why))
            };
            self.respond(id, result);
        }
        for Incoming { id, request } in self.queue.take_all() {
            let failure = match request {
                Err(failure) => failure,
                Ok(request) if request.needs() == Needs::NoProgram => {
                    Failure::wrong_state(request.verb(), Obstacle::AlreadyInitialized)
                }
                Ok(request) => {
                    let failure = || Failure::wrong_state(request.verb(), why);
                    self.refusal_for_client(id, &request).unwrap_or_else(failure)
                }
            };
            self.respond(id, Err(failure));
        }
    }
}

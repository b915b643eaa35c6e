//! Handles what comes from the engine: responses, events, and its end.

use std::time::Duration;

use crate::api::{
    Done, Event, Exited, Failure, FailureKind, Obstacle, Request, RequestId, Response, WatchAnswer,
};
use crate::debug::Message;

use super::children::AfterChildren;
use super::clients::is_attach;
use super::guests::LOOK;
use super::{Action, ConnectionId, Incoming, Machine, ORDER_GRACE, OWN_REQUEST, Stage};

/// Reported when the engine's thread has panicked.
pub(super) const INTERPRETER_FAILED: &str = "the interpreter has failed";

impl Machine {
    /// Handles a message of the engine.
    pub fn engine(&mut self, message: Message, now: Duration) {
        if self.status == Stage::Over {
            return;
        }
        match message {
            Message::Response(id, result) => self.engine_response(id, result, now),
            Message::Event(event) => self.engine_event(event),
        }
        self.run_on(now);
        self.advance(now);
    }

    fn engine_response(&mut self, id: RequestId, result: Result<Response, Failure>, now: Duration) {
        let Some(asked) = self.asked.answered(id) else { return };
        if id == LOOK {
            return self.found_breakpoints(result);
        }
        if is_attach(&asked.request) {
            return self.continue_attach(id, result, now);
        }
        let failure = result.as_ref().err().map(|failure| failure.kind);
        let watch = match &result {
            Ok(Response::Watch(WatchAnswer::Add(added))) => Some(added.0.clone()),
            Ok(_) | Err(_) => None,
        };
        if let (Request::Restart(_), Err(failure)) = (&asked.request, &result)
            && failure.kind.blames_program()
        {
            self.tell_failed_restart(ConnectionId::of(id), failure);
        }
        self.respond(id, result);
        match (&asked.request, failure) {
            (Request::Initialize(_), None) => self.loaded(Stage::Ready, now),
            (Request::Restart(_), None) if self.program.has_cells => self.loaded(Stage::Ready, now),
            (Request::Pause, _) if id == OWN_REQUEST => self.tell_children_to_end(),
            // It may have stopped before the request came.
            (Request::Detach, None) if self.status == Stage::Stopped => {
                self.status = Stage::Running;
                self.stop = None;
            }
            (Request::Restart(_), None) => self.loaded(Stage::Running, now),
            (Request::RunCell(_), Some(_)) if self.status == Stage::Running => self.status = Stage::Ready,
            (Request::Initialize(_) | Request::Restart(_), Some(kind)) => self.not_loaded(kind, now),
            // If resuming fails, the program stays stopped.
            (Request::Resume(_), Some(_)) if self.status == Stage::Running => self.status = Stage::Stopped,
            _ => {}
        }
        // A question that follows from it has to wake a program that runs now.
        if failure.is_none() {
            self.tell_done(id, &asked.request, watch);
        }
    }

    /// The program has been loaded.
    pub(super) fn loaded(&mut self, status: Stage, now: Duration) {
        self.program.is_named = true;
        if self.status == Stage::Loading {
            self.status = status;
            self.begin_busy(now);
        }
    }

    /// Loading the program has failed.
    fn not_loaded(&mut self, why: FailureKind, now: Duration) {
        if self.status != Stage::Loading {
            return;
        }
        self.status = Stage::NotInitialized;
        // A wrong request can be repeated with better parameters.
        if why.blames_program() {
            if self.program.keep_alive {
                self.program.is_named = true;
            } else {
                self.give_up(now);
            }
        }
    }

    /// There will be no program: ends the session, once the messages that the client has sent already are
    /// answered.
    fn give_up(&mut self, now: Duration) {
        self.refuse_attach(Failure::wrong_state("attach", Obstacle::NotInitialized));
        self.asked.retain(|asked| !is_attach(&asked.request));
        self.status = Stage::Failed { last: now };
        self.begin_wait(ORDER_GRACE);
        // A request to end the session takes what comes after it from the queue.
        while let Some(incoming) = self.queue.remove(0) {
            self.refuse_after_failure(incoming);
        }
    }

    /// Refuses a request because there will be no program.
    pub(super) fn refuse_after_failure(&mut self, Incoming { id, request }: Incoming) {
        match request {
            Err(failure) => self.respond(id, Err(failure)),
            Ok(Request::Terminate) if matches!(self.status, Stage::Failed { .. }) => {
                self.respond(id, Ok(Response::Done(Done::Terminating)));
                self.end_after_failure();
            }
            Ok(request) => {
                let failure = || Failure::wrong_state(request.verb(), Obstacle::NotInitialized);
                let failure = self.refusal_for_client(id, &request).unwrap_or_else(failure);
                self.refuse(id, &request, failure);
            }
        }
    }

    /// Ends the session, whose program could not be loaded.
    pub(super) fn end_after_failure(&mut self) {
        self.refuse_queued(Obstacle::NotInitialized);
        self.actions.push(Action::Tell(Event::Terminated));
        self.finish(1, true);
    }

    fn engine_event(&mut self, mut event: Event) {
        let mut exited = false;
        if let Event::Exited(_) = &event {
            // What a later program does is told.
            self.ending.is_paused_for = false;
        }
        match &mut event {
            Event::Stopped(_) if self.status != Stage::Running || self.ending.is_paused_for => return,
            Event::Stopped(stopped) => {
                self.status = Stage::Stopped;
                self.name_driver(stopped);
                self.remember_stop(stopped);
            }
            Event::CellEnded(_) => {
                if matches!(self.status, Stage::Running | Stage::Stopped) {
                    self.status = Stage::Ready;
                }
            }
            // The expected end of a program that was ended by `Terminate` or `Restart`.
            Event::Exited(_)
                if matches!(
                    self.status,
                    Stage::EndingChildren { then: AfterChildren::End { .. } }
                        | Stage::Ending { .. }
                        | Stage::Loading
                ) => {}
            Event::Exited(_) => {
                if let Stage::EndingChildren { then: AfterChildren::Kill { id, .. } } = self.status {
                    self.respond(id, Err(Failure::wrong_state(Request::Kill.verb(), Obstacle::Ended)));
                }
                self.status = Stage::Exited;
                exited = true;
            }
            Event::BreakpointsChanged { changes, .. } => {
                if let Some(sharing) = &mut self.sharing {
                    for (breakpoint, reason) in changes {
                        sharing.breakpoints.changed(breakpoint, *reason);
                    }
                }
            }
            Event::WrongCondition(_)
            | Event::Company(_)
            | Event::Log(_)
            | Event::WatchChanged(_)
            | Event::Progress(_)
            | Event::InputRequested(_)
            | Event::ChildStarted(_)
            | Event::ChildEnded(_)
            | Event::Failed(_)
            | Event::Terminated => {}
        }
        self.actions.push(Action::Tell(event));
        if exited {
            self.exited();
        }
    }

    /// The engine's thread has ended: because it was told to, or because it failed.
    pub fn engine_gone(&mut self, now: Duration) {
        self.engine_lives = false;
        match self.status {
            Stage::Over | Stage::Failed { .. } => {}
            Stage::EndingChildren { then: AfterChildren::End { patient } } | Stage::Ending { patient } => {
                self.end(patient);
            }
            Stage::Loading => {
                self.fail_asked();
                self.give_up(now);
            }
            Stage::NotInitialized
            | Stage::Ready
            | Stage::Running
            | Stage::Stopped
            | Stage::EndingChildren { then: AfterChildren::Kill { .. } }
            | Stage::Exited => {
                self.fail_asked();
                self.actions.push(Action::Tell(Event::Failed(INTERPRETER_FAILED.into())));
                if self.status != Stage::Exited {
                    self.engine_event(Event::Exited(Box::new(Exited::with_status(1))));
                }
                self.advance(now);
            }
        }
    }

    /// Answers all requests that the engine has not answered with a failure.
    fn fail_asked(&mut self) {
        let failure = || Failure::new(FailureKind::Internal, INTERPRETER_FAILED);
        self.refuse_attach(failure());
        self.asked.retain(|asked| !is_attach(&asked.request));
        for asked in self.asked.take_all() {
            self.respond(asked.id, Err(failure()));
        }
    }

    /// Ends the session, once the program has ended or its time to do so is over.
    pub(super) fn end(&mut self, patient: bool) {
        self.refuse_queued(Obstacle::Ended);
        self.actions.push(Action::Tell(Event::Terminated));
        self.finish(0, patient);
    }
}

//! Messages between the engine of the live program and the worker, and which of them are for the client.

use std::sync::atomic::Ordering;

use crossbeam_channel::RecvError;

use crate::api::{
    Done, Event, Failure, FailureKind, GetThreads, Query, Request, RequestId, Response, Status, Stopped,
};
use crate::debug::client::Message;
use crate::debug::history::messages::WorkerMessage;
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::history::visit::JourneyEnd;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::history::worker::wire::ToWorker;
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::meanwhile::Meanwhile;
use crate::debug::settings::Setting;
use ez_runtime::sync::{Next, next_of, receive};

/// The reason if a worker has ended while the client looked at the past.
const GONE: &str = "the process that ran it has ended";

/// The reason if a journey has found nothing.
pub const NOT_FOUND: &str = "it was not found";

/// The result of a journey, or of resuming an instance of the past.
pub enum Outcome {
    /// The instance has stopped.
    Stopped(Box<Stopped>),
    Ended(JourneyEnd),
    /// The session is to end, or the program to restart.
    Over,
    /// A pause has cancelled it.
    Cancelled,
    /// It was not made: from the present, which is the first position, a step back leads nowhere.
    Beginning,
}

impl Outcome {
    /// Why there is no result, if the journey was made to find one: the end of a message.
    pub fn why_nothing_was_found(&self) -> String {
        match self {
            Outcome::Ended(JourneyEnd::Lost(why)) => format!("the past cannot be shown: {why}"),
            Outcome::Cancelled | Outcome::Over => "it was interrupted".into(),
            Outcome::Ended(_) | Outcome::Stopped(_) | Outcome::Beginning => NOT_FOUND.into(),
        }
    }
}

/// The outcome that the past cannot be reached.
pub fn lost(why: impl Into<String>) -> Outcome {
    Outcome::Ended(JourneyEnd::Lost(why.into()))
}

/// The effect of a request that comes during a journey.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum JourneyEffect {
    GoOn,
    Cancel,
    /// Cancel the journey, and end the program.
    End,
}

impl TimeMachine<'_> {
    fn worker(&self) -> Option<&WorkerLink> {
        self.history.worker.as_ref()
    }

    pub fn ask_worker(&self, id: RequestId, request: Request) {
        if let Some(worker) = self.worker() {
            (worker.send)(ToWorker::Request(id, request));
        }
    }

    fn interrupt_worker(&self) {
        if let Some(worker) = self.worker() {
            (worker.send)(ToWorker::Interrupt);
        }
    }

    /// Makes a request to the worker whose response is not for the client; returns its number.
    pub fn internal_request(&mut self, request: Request) -> RequestId {
        self.history.internal_requests += 1;
        let id = RequestId(RequestId::OF_ENGINE + self.history.internal_requests);
        self.ask_worker(id, request);
        id
    }

    /// Makes a request to the instance of the past, which is stopped, and waits for the response.
    ///
    /// # Errors
    /// The instance's own. If the instance is gone, there is none: that shows at the next use of the worker.
    pub fn ask_instance(&mut self, request: Request) -> Result<(), Failure> {
        let Some(told) = self.worker().map(|worker| worker.messages.clone()) else { return Ok(()) };
        let id = self.internal_request(request);
        loop {
            match receive(&told) {
                Ok(WorkerMessage::Message(Message::Response(answered, result))) if answered == id => {
                    return result.map(drop);
                }
                Ok(WorkerMessage::Message(message)) => self.forward_message(message),
                Ok(WorkerMessage::Ended(..)) | Err(RecvError) => {
                    self.worker_is_gone();
                    return Ok(());
                }
            }
        }
    }

    /// Cancels the present journey.
    fn cancel_journey(&mut self) {
        self.internal_request(Request::Terminate);
        self.interrupt_worker();
    }

    /// The journey has ended. The numbers of handles up to `last_handle` are used; `shown` is what the client
    /// has seen in the past, if it was there.
    fn journey_is_over(&mut self, last_handle: u64, shown: Option<VariableSnapshot>) {
        self.engine.inspection.handles.go_on_after(last_handle);
        self.history.shown = shown.or(self.history.shown.take());
        self.history.past = None;
    }

    /// The worker has failed.
    fn worker_is_gone(&mut self) {
        (self.history.worker, self.history.past) = (None, None);
    }

    /// Ends the instance of the past that the client looks at, if there is one.
    pub fn leave_past(&mut self) {
        if self.history.past.is_some() {
            self.internal_request(Request::Terminate);
            // It ends either because of the request or because it has reached the present.
            self.wait_for_end();
        }
    }

    /// Forwards the worker's messages until the instance stops or the journey ends. A request may cancel it.
    pub fn relay_until_stop(&mut self) -> Outcome {
        let Some(told) = self.worker().map(|worker| worker.messages.clone()) else {
            self.worker_is_gone();
            return lost(GONE);
        };
        let requests = self.engine.inspection.connection.requests.clone();
        let mut cancelled = false;
        let mut effect = self.postponed_on_the_way();
        loop {
            match std::mem::replace(&mut effect, JourneyEffect::GoOn) {
                JourneyEffect::GoOn => {}
                JourneyEffect::Cancel => {
                    cancelled = true;
                    self.cancel_journey();
                }
                JourneyEffect::End => {
                    self.cancel_journey();
                    self.wait_for_end();
                    return Outcome::Over;
                }
            }
            let told = match next_of(&told, &requests, self.history.progress.due()) {
                Next::First(told) => told,
                Next::TimeIsOver => {
                    self.tell_progress();
                    continue;
                }
                Next::Second(request) => {
                    effect = request
                        .map_or(JourneyEffect::End, |(id, request)| self.request_on_the_way(id, request));
                    continue;
                }
            };
            match told {
                Ok(WorkerMessage::Message(Message::Event(Event::Stopped(stopped)))) if !cancelled => {
                    return Outcome::Stopped(stopped);
                }
                // The stop happened before the cancellation, which follows.
                Ok(WorkerMessage::Message(Message::Event(Event::Stopped(_)))) => {}
                Ok(WorkerMessage::Message(message)) => self.forward_message(message),
                Ok(WorkerMessage::Ended(end, last_handle, shown)) => {
                    self.journey_is_over(last_handle, shown);
                    return if cancelled { Outcome::Cancelled } else { Outcome::Ended(end) };
                }
                Err(RecvError) => {
                    self.worker_is_gone();
                    return lost(GONE);
                }
            }
        }
    }

    /// Reports the progress of the journey to the client.
    fn tell_progress(&mut self) {
        let Some(worker) = &self.history.worker else { return };
        if let Some(progress) = self.history.progress.at(worker.step.load(Ordering::Relaxed)) {
            self.engine.event(Event::Progress(progress));
        }
    }

    /// Reports the end of the journey, if progress was reported.
    pub fn end_progress(&mut self) {
        if let Some(progress) = self.history.progress.end() {
            self.engine.event(Event::Progress(progress));
        }
    }

    /// Waits for the end of a journey that was cancelled, or of an instance that is left.
    fn wait_for_end(&mut self) {
        let Some(told) = self.worker().map(|worker| worker.messages.clone()) else {
            return self.worker_is_gone();
        };
        loop {
            match receive(&told) {
                Ok(WorkerMessage::Message(message @ Message::Response(..))) => self.forward_message(message),
                Ok(WorkerMessage::Message(Message::Event(_))) => {}
                Ok(WorkerMessage::Ended(_, last_handle, shown)) => {
                    return self.journey_is_over(last_handle, shown);
                }
                Err(RecvError) => return self.worker_is_gone(),
            }
        }
    }

    /// Handles the requests that have come before the journey.
    fn postponed_on_the_way(&mut self) -> JourneyEffect {
        let mut effect = JourneyEffect::GoOn;
        for (id, request) in std::mem::take(&mut self.engine.inspection.connection.postponed) {
            effect = effect.max(self.request_on_the_way(id, request));
        }
        effect
    }

    fn request_on_the_way(&mut self, id: RequestId, request: Request) -> JourneyEffect {
        match request.into() {
            Meanwhile::Pause => {
                self.engine.respond(id, Ok(Response::Done(Done::Pausing)));
                return JourneyEffect::Cancel;
            }
            Meanwhile::Terminate => {
                self.postpone(id, Request::Terminate);
                return JourneyEffect::End;
            }
            Meanwhile::Interrupt(request) => {
                self.postpone(id, request);
                return JourneyEffect::End;
            }
            Meanwhile::Breakpoint(request) => {
                let answer = self.engine.breakpoints.borrow_mut().change(Some(self.vm), request);
                self.engine.respond(id, answer);
            }
            Meanwhile::Query(query) => {
                self.engine.respond(id, self.engine.query(Status::Running, query));
            }
            Meanwhile::Watch(request) => {
                let answer = self.engine.inspection.watch_request(None, request);
                self.engine.respond(id, answer);
            }
            Meanwhile::Later(request) => {
                self.engine.inspection.connection.postponed.push_back((id, request));
            }
        }
        JourneyEffect::GoOn
    }

    /// Has a request carried out next, when the journey is over.
    fn postpone(&mut self, id: RequestId, request: Request) {
        self.engine.inspection.connection.postponed.push_front((id, request));
    }

    /// Sends the worker, which has stopped, the settings it does not have yet, and waits for everything that
    /// it has to say about its stop.
    pub fn synchronize(&mut self) {
        for setting in self.take_new_settings() {
            self.internal_request(match setting {
                Setting::Breakpoint(_, request) => Request::Breakpoint(request),
                Setting::Watch(request) => Request::Watch(request),
            });
        }
        let last = self.internal_request(Request::Query(Query::Threads(GetThreads)));
        self.forward_until_answered(last);
    }

    /// The settings that the worker does not have yet. They are marked as known.
    pub fn take_new_settings(&mut self) -> Vec<Setting> {
        let breakpoints = self.engine.breakpoints.borrow();
        let settings = breakpoints.settings.as_deref().unwrap_or_default();
        let Some(worker) = self.history.worker.as_mut() else { return Vec::new() };
        let news = settings.get(worker.known..).unwrap_or_default().to_vec();
        worker.known = settings.len();
        news
    }

    /// Answers a request whose worker has ended, unless it was made by the engine itself.
    fn respond_gone(&self, id: RequestId) {
        if id.0 < RequestId::OF_ENGINE {
            let message = format!("the past cannot be shown any more: {GONE}");
            self.engine.respond(id, Err(Failure::new(FailureKind::WrongState, message)));
        }
    }

    /// Forwards the worker's messages until it has answered a request.
    pub fn forward_until_answered(&mut self, id: RequestId) {
        let Some(told) = self.worker().map(|worker| worker.messages.clone()) else {
            return self.respond_gone(id);
        };
        let requests = self.engine.inspection.connection.requests.clone();
        let is_internal = id.0 >= RequestId::OF_ENGINE;
        loop {
            match next_of(&told, &requests, None) {
                Next::First(Ok(WorkerMessage::Message(message))) => {
                    let is_last = matches!(&message, Message::Response(answered, _) if *answered == id);
                    self.forward_message(message);
                    if is_last {
                        return;
                    }
                }
                // The client stays at this point of the past, but cannot see anything there.
                Next::First(Ok(WorkerMessage::Ended(_, last_handle, _))) => {
                    self.engine.inspection.handles.go_on_after(last_handle);
                    self.history.worker = None;
                    return self.respond_gone(id);
                }
                Next::First(Err(RecvError)) => {
                    self.history.worker = None;
                    return self.respond_gone(id);
                }
                // Requests are needed while an evaluation runs. The worker may have ended it before this one comes.
                Next::Second(Ok((id, Request::Pause)))
                    if !self.engine.inspection.connection.will_resume() =>
                {
                    self.internal_request(Request::Pause);
                    self.interrupt_worker();
                    self.engine.respond(id, Ok(Response::Done(Done::Pausing)));
                }
                Next::Second(Ok((
                    id,
                    request @ (Request::Terminate | Request::Restart(_) | Request::Kill | Request::Detach),
                ))) if !is_internal => {
                    self.postpone(id, request);
                    self.cancel_journey();
                    return self.wait_for_end();
                }
                // Handled right afterwards, since the instance is stopped.
                Next::Second(Ok(request)) => self.engine.inspection.connection.postponed.push_back(request),
                Next::Second(Err(RecvError)) => return,
                Next::TimeIsOver => {}
            }
        }
    }

    /// Forwards a message of a worker to the client, unless it answers this machine.
    fn forward_message(&self, message: Message) {
        match message {
            Message::Response(RequestId(RequestId::OF_ENGINE..), _) => {}
            // The client knows only the breakpoints of the live machine.
            Message::Event(Event::BreakpointsChanged { .. } | Event::WrongCondition(_)) => {}
            Message::Response(id, result) => {
                self.engine.respond(id, result.map(|response| self.engine.with_data_breakpoints(response)));
            }
            message @ Message::Event(_) => self.engine.inspection.connection.client.message(message),
        }
    }
}

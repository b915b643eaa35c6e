//! What the engine of the live program asks of the worker, and what of its messages goes on to the client.

use std::sync::atomic::Ordering;

use crossbeam_channel::{Receiver, RecvError, at, never, select};

use crate::api::{
    BreakpointRequest, Event, Failure, FailureKind, Query, Request, RequestId, Response, Status, Stopped,
};
use crate::interp::vm::Vm;

use super::super::client::Message;
use super::super::engine::Engine;
use super::super::shown::Shown;
use super::super::time::history::{JourneyEnd, Setting, Told, WorkerLink};
use super::super::time::wire::ToWorker;

/// Requests to a worker from here on are the live engine's own: nobody else hears of the answers.
pub(super) const INTERNAL: u64 = 1 << 63;

/// What is said when the worker has ended while the client looked at the past.
const GONE: &str = "the process that ran it has ended";

/// What happened to a journey.
pub(super) enum Outcome {
    /// The past stands still.
    Stopped(Box<Stopped>),
    Ended(JourneyEnd),
    /// The session is to end, or the program to begin again.
    Over,
    /// A pause has ended it.
    Cancelled,
}

/// The past cannot be shown.
pub(super) fn lost(why: impl Into<String>) -> Outcome {
    Outcome::Ended(JourneyEnd::Lost(why.into()))
}

/// What a request means for the journey during which it comes.
#[derive(PartialEq, Eq)]
enum Meanwhile {
    GoOn,
    Cancel,
    /// The program ends, too.
    End,
}

impl Engine {
    fn worker(&self) -> Option<&WorkerLink> {
        self.history.as_ref()?.worker.as_ref()
    }

    fn ask_worker(&self, id: RequestId, request: Request) {
        if let Some(worker) = self.worker() {
            (worker.send)(ToWorker::Request(id, request));
        }
    }

    fn interrupt_worker(&self) {
        if let Some(worker) = self.worker() {
            (worker.send)(ToWorker::Interrupt);
        }
    }

    /// Asks the worker for something of which the client hears nothing; gives the number of the request.
    pub(super) fn order(&mut self, request: Request) -> RequestId {
        let number = match &mut self.history {
            Some(history) => {
                history.orders += 1;
                history.orders
            }
            None => 0,
        };
        let id = RequestId(INTERNAL + number);
        self.ask_worker(id, request);
        id
    }

    /// Ends the journey wherever it is.
    fn cut_short(&mut self) {
        self.order(Request::Terminate);
        self.interrupt_worker();
    }

    /// The journey has ended, and has given handles up to this number.
    fn journey_is_over(&mut self, last_handle: u64, shown: Option<Shown>) {
        self.handles.go_on_after(last_handle);
        if let Some(history) = &mut self.history {
            history.shown = shown.or(history.shown.take());
            history.past = None;
        }
    }

    /// The worker has failed.
    fn worker_is_gone(&mut self) {
        if let Some(history) = &mut self.history {
            (history.worker, history.past) = (None, None);
        }
    }

    /// Ends the instance in which the client looks at the past, if there is one.
    pub(in super::super) fn leave(&mut self, vm: &mut Vm) {
        if self.is_in_past() {
            self.order(Request::Terminate);
            // Whether it was told to, or came to the present.
            let _ = self.follow(vm, false);
        }
    }

    /// Passes on what the worker tells, until the past stands still or the journey is over.
    pub(super) fn follow(&mut self, vm: &mut Vm, is_interruptible: bool) -> Outcome {
        let Some(told) = self.worker().map(|worker| worker.told.clone()) else {
            self.worker_is_gone();
            return lost(GONE);
        };
        let requests = self.request_channel();
        let mut cancelled = false;
        loop {
            let due = self.history.as_ref().and_then(|history| history.progress.due());
            let due = due.map_or_else(never, at);
            let told = select! {
                recv(told) -> told => told,
                recv(due) -> _ => {
                    self.tell_progress();
                    continue;
                }
                recv(requests) -> request => {
                    let meanwhile = match request {
                        Ok((id, request)) => self.request_on_the_way(vm, id, request),
                        Err(RecvError) => Meanwhile::End,
                    };
                    if is_interruptible && meanwhile != Meanwhile::GoOn {
                        cancelled = true;
                        self.cut_short();
                        if meanwhile == Meanwhile::End {
                            self.wait_for_end(&told);
                            return Outcome::Over;
                        }
                    }
                    continue;
                }
            };
            match told {
                Ok(Told::Message(Message::Event(Event::Stopped(stopped)))) if !cancelled => {
                    return Outcome::Stopped(stopped);
                }
                // It has arrived before it heard that it is to end, which it does next.
                Ok(Told::Message(Message::Event(Event::Stopped(_)))) => {}
                Ok(Told::Message(message)) => self.pass_on(message),
                Ok(Told::Ended(end, last_handle, shown)) => {
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

    /// Tells the client how far the journey has come.
    fn tell_progress(&mut self) {
        let Some(history) = &mut self.history else { return };
        let Some(worker) = &history.worker else { return };
        let progress = history.progress.at(worker.step.load(Ordering::Relaxed));
        if let Some(progress) = progress {
            self.event(Event::Progress(progress));
        }
    }

    /// Tells the client that the journey is over, if it has heard of it.
    pub(super) fn end_progress(&mut self) {
        if let Some(progress) = self.history.as_mut().and_then(|history| history.progress.end()) {
            self.event(Event::Progress(progress));
        }
    }

    /// Waits until a journey has ended that was cut short.
    fn wait_for_end(&mut self, told: &Receiver<Told>) {
        loop {
            match told.recv() {
                Ok(Told::Message(_)) => {}
                Ok(Told::Ended(_, last_handle, shown)) => return self.journey_is_over(last_handle, shown),
                Err(RecvError) => return self.worker_is_gone(),
            }
        }
    }

    fn request_on_the_way(&mut self, vm: &mut Vm, id: RequestId, request: Request) -> Meanwhile {
        match request {
            Request::Pause => {
                self.respond(id, Ok(Response::Pausing));
                return Meanwhile::Cancel;
            }
            Request::Terminate | Request::Restart(_) | Request::Kill => {
                self.postponed.push_front((id, request));
                return Meanwhile::End;
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
            }
            Request::Query(query) => self.respond(id, self.query(Status::Running, &query)),
            Request::Watch(request) => {
                let answer = self.watch_request(request);
                self.respond(id, answer);
            }
            Request::Initialize(_)
            | Request::Start
            | Request::Resume(_)
            | Request::Attach(_)
            | Request::Disconnect
            | Request::Input { .. }
            | Request::Inspect(_) => self.postponed.push_back((id, request)),
        }
        Meanwhile::GoOn
    }

    /// Tells the worker, which stands still, what was set since it was told last, and waits until it has told
    /// everything that belongs to its stop.
    pub(super) fn synchronize(&mut self) {
        for setting in self.news() {
            self.order(match setting {
                Setting::Breakpoint(_, request) => Request::Breakpoint(request),
                Setting::Watch(request) => Request::Watch(request),
            });
        }
        let last = self.order(Request::Query(Query::Threads));
        self.pass_on_until(last);
    }

    /// What was set since the worker was told last.
    pub(super) fn news(&mut self) -> Vec<Setting> {
        let placing = self.placing.borrow();
        let settings = placing.settings.as_deref().unwrap_or_default();
        let worker = self.history.as_mut().and_then(|history| history.worker.as_mut());
        let Some(worker) = worker else { return Vec::new() };
        let news = settings.get(worker.known..).unwrap_or_default().to_vec();
        worker.known = settings.len();
        news
    }

    /// Answers a request for which there is no worker any more, unless it is the engine's own.
    fn respond_gone(&self, id: RequestId) {
        if id.0 < INTERNAL {
            let message = format!("the past cannot be shown any more: {GONE} (goToPresent leads back)");
            self.respond(id, Err(Failure::new(FailureKind::WrongState, message)));
        }
    }

    /// Passes on what the worker tells, until it has answered a request.
    fn pass_on_until(&mut self, id: RequestId) {
        let Some(told) = self.worker().map(|worker| worker.told.clone()) else {
            return self.respond_gone(id);
        };
        let requests = self.request_channel();
        let is_internal = id.0 >= INTERNAL;
        loop {
            select! {
                recv(told) -> told => match told {
                    Ok(Told::Message(message)) => {
                        let is_last = matches!(&message, Message::Response(answered, _) if *answered == id);
                        self.pass_on(message);
                        if is_last {
                            return;
                        }
                    }
                    Ok(Told::Ended(_, last_handle, shown)) => return self.journey_is_over(last_handle, shown),
                    Err(RecvError) => {
                        // The client is where it was, but sees nothing there any more.
                        self.history.iter_mut().for_each(|history| history.worker = None);
                        return self.respond_gone(id);
                    }
                },
                // An evaluation may take long.
                recv(requests) -> request => match request {
                    Ok((id, Request::Pause)) => {
                        self.ask_worker(id, Request::Pause);
                        self.interrupt_worker();
                    }
                    Ok(request @ (_, Request::Terminate | Request::Restart(_) | Request::Kill)) if !is_internal => {
                        self.postponed.push_front(request);
                        self.cut_short();
                        return self.wait_for_end(&told);
                    }
                    // What is asked meanwhile has its turn at once: the past stands still.
                    Ok(request) => self.postponed.push_back(request),
                    Err(RecvError) => return,
                },
            }
        }
    }

    /// Tells the client what a worker tells, but for answers to this engine.
    fn pass_on(&self, message: Message) {
        match message {
            Message::Response(RequestId(INTERNAL..), _) => {}
            // What became of breakpoints in the second instance is nobody's business.
            Message::Event(Event::BreakpointChanged { .. } | Event::WrongCondition(_)) => {}
            message => self.client.message(message),
        }
    }

    /// Answers a request while the client is in the past, or gives it back if it is one for the present.
    pub(in super::super) fn request_in_past(
        &mut self,
        vm: &mut Vm,
        id: RequestId,
        request: Request,
    ) -> Option<(RequestId, Request)> {
        match request {
            Request::Breakpoint(BreakpointRequest::SetData(_)) => {
                let message = "Cannot set data breakpoints: this is the past (goToPresent leads back)";
                self.respond(id, Err(Failure::new(FailureKind::WrongState, message)));
            }
            Request::Breakpoint(request) => {
                let answer = self.placing.borrow_mut().change(Some(vm), request);
                self.respond(id, answer);
                self.synchronize();
            }
            Request::Watch(request) => {
                // Both have it, but the worker evaluates it, and answers.
                let _ = self.watch_request(request.clone());
                self.news();
                self.ask_worker(id, Request::Watch(request));
                self.pass_on_until(id);
                self.synchronize();
            }
            Request::Inspect(_) | Request::Query(Query::State | Query::Threads) => {
                self.ask_worker(id, request);
                self.pass_on_until(id);
            }
            Request::Query(Query::Source { .. } | Query::Modules)
            | Request::Initialize(_)
            | Request::Start
            | Request::Restart(_)
            | Request::Resume(_)
            | Request::Pause
            | Request::Kill
            | Request::Terminate
            | Request::Attach(_)
            | Request::Disconnect
            | Request::Input { .. } => return Some((id, request)),
        }
        None
    }
}

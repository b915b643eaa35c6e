//! The state machine of a session: which request is carried out when, and what the client is told.
//!
//! It does nothing by itself: what is to be done comes out as [`Action`]s, and time comes in as a number,
//! so that it is tested without threads or clocks.
//!
//! Requests are carried out one after the other, in the order in which they come. What waits behind a
//! program that runs, or an evaluation or a check that takes long, waits for [`ORDER_GRACE`] at most if it
//! can be carried out beside it: then a script keeps its order where the program stops soon, and nobody
//! waits for a program that runs on.

mod clients;
mod engine;
mod requests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::{Event, Failure, FailureKind, Needs, Request, RequestId, Response, Stopped};

use super::connection::ConnectionId;
use clients::Audience;

/// How long a program that is told to end may take before the session ends without it.
pub const TERMINATE_GRACE: Duration = Duration::from_millis(40);

/// How long a request that a running program does not hinder waits for those before it.
pub const ORDER_GRACE: Duration = Duration::from_millis(100);

/// The request by which the session itself ends the program. No front end counts as far.
const OWN_REQUEST: RequestId = RequestId(u64::MAX);

/// How long a session stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as its only client does. Requests are answered for the time of `linger` after the program's end.
    OneClient {
        /// How long that is.
        linger: Duration,
    },
    /// Until a client has been told of the program's end, and the time of `linger` is over. Clients come and
    /// go.
    Clients {
        /// How long that is.
        linger: Duration,
    },
    /// As long as its program, which has streams of its own. Clients come and go.
    Program,
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// The number that its response will carry.
    pub id: RequestId,
    /// What it asks; an `Err` for a message that is not understood, which is its answer when its turn
    /// comes.
    pub request: Result<Request, Failure>,
}

/// Something to be done.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Answer the client.
    Respond(RequestId, Result<Response, Failure>),
    /// Tell the client.
    Tell(Event),
    /// Send the engine a request, and make a running program look at it.
    Ask { id: RequestId, request: Request, wake: bool },
    /// Text for the program to read, and whether nothing comes after it.
    Input { text: Option<String>, eof: bool },
    /// Take away the text that was not read: another program begins.
    DiscardInput,
    /// Call [`Machine::timer`] after this time, and not at any time said before.
    SetTimer(Duration),
    /// The program is told to end: its output need not wait for the client any more.
    BeginShutdown,
    /// The session is over. `patient`: everything that was told is to reach the client, however long that
    /// takes.
    Finish { status: u8, patient: bool },
    /// The client waits for the end of a session that is over.
    Hurry,
    /// A client has come: it gets the answer to its first request, and what was kept for it.
    Open(Option<(RequestId, Result<Response, Failure>)>),
    /// The client goes, or is gone.
    Close,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    NotInitialized,
    /// The program is being read and checked.
    Loading,
    /// The program is loaded, and not started.
    Ready,
    Running,
    Stopped,
    /// The program has ended; what still comes is answered.
    Exited,
    /// The program is told to end. `patient` as in [`Action::Finish`].
    Ending {
        patient: bool,
    },
    Over,
}

/// A request that the engine has not answered yet.
#[derive(Debug)]
struct Asked {
    id: RequestId,
    request: Request,
}

/// The state machine. All times are counted from the same moment.
#[derive(Debug)]
pub(super) struct Machine {
    status: Status,
    lifetime: Lifetime,
    audience: Audience,
    /// Whether a client was told that the program has ended.
    end_is_told: bool,
    /// The present stop, for clients that come later.
    stop: Option<Box<Stopped>>,
    /// Whether the session stays when the program has ended, or could not be loaded.
    keep_alive: bool,
    /// Whether a program was named, so that it can begin again.
    launched: bool,
    /// What waits for its turn.
    queue: VecDeque<Incoming>,
    /// What the engine has been asked and has not answered, in order.
    asked: VecDeque<Asked>,
    /// Since when the program runs, or the engine has been at work on the request before the others.
    busy_since: Duration,
    /// Whether that has taken longer than [`ORDER_GRACE`].
    overdue: bool,
    /// Whether a timer is set for that.
    timing: bool,
    /// Whether the client will send nothing more.
    ended: bool,
    /// Whether the engine can still answer.
    engine_lives: bool,
    /// The answers to what a client has asked behind its first request, while that has none.
    held: Option<Vec<(RequestId, Result<Response, Failure>)>>,
    actions: Vec<Action>,
}

impl Machine {
    pub fn new(lifetime: Lifetime) -> Machine {
        Machine {
            status: Status::NotInitialized,
            lifetime,
            audience: match lifetime {
                Lifetime::OneClient { .. } => Audience::Only,
                Lifetime::Clients { .. } | Lifetime::Program => Audience::Nobody,
            },
            end_is_told: false,
            stop: None,
            keep_alive: false,
            launched: false,
            queue: VecDeque::new(),
            asked: VecDeque::new(),
            busy_since: Duration::ZERO,
            overdue: false,
            timing: false,
            ended: false,
            engine_lives: true,
            held: None,
            actions: Vec::new(),
        }
    }

    /// What is to be done now.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Whether the program is stopped, so that its thread looks at requests as soon as they come.
    pub fn is_stopped(&self) -> bool {
        self.status == Status::Stopped
    }

    /// A message of the client.
    pub fn receive(&mut self, incoming: Incoming, now: Duration) {
        if self.status == Status::Over {
            if incoming.request == Ok(Request::Terminate) {
                self.actions.push(Action::Hurry);
            }
            return;
        }
        if !self.hears(incoming.id) {
            return;
        }
        match incoming.request {
            // Input is for whenever the program reads; for the next one, if another one is to begin.
            Ok(Request::Input { text, eof }) if self.takes_input() && self.find(is_restart).is_none() => {
                // The answer goes first: the program may go on, and print something, at once.
                self.respond(incoming.id, Ok(Response::InputTaken));
                self.actions.push(Action::Input { text, eof });
            }
            request => {
                self.queue.push_back(Incoming { id: incoming.id, request });
                self.go_on(now);
            }
        }
    }

    /// The client does not want the answer to a request any more, see [`super::Session::cancel`].
    pub fn cancel(&mut self, id: RequestId, now: Duration) {
        if let Some(index) = self.queue.iter().position(|incoming| incoming.id == id) {
            self.queue.remove(index);
            self.respond(id, Err(Failure::new(FailureKind::Cancelled, "cancelled")));
            self.go_on(now);
            return;
        }
        let is_this = |asked: &Asked| asked.id == id && matches!(asked.request, Request::Inspect(_));
        if self.status == Status::Stopped && self.asked.iter().any(is_this) {
            self.ask(OWN_REQUEST, Request::Pause);
        }
    }

    /// The client sends nothing more.
    pub fn commands_end(&mut self, now: Duration) {
        self.ended = true;
        self.go_on(now);
    }

    /// The client reads nothing more: nobody is left to tell anything.
    pub fn output_closed(&mut self) {
        if self.status != Status::Over {
            self.finish(0, false);
        }
    }

    /// The time said by [`Action::SetTimer`] has come.
    pub fn timer(&mut self, now: Duration) {
        match self.status {
            Status::Ending { .. } => self.end(false),
            // What the engine is still at work on is a matter of microseconds.
            Status::Exited if self.is_busy() => self.actions.push(Action::SetTimer(TERMINATE_GRACE)),
            Status::Exited if self.keep_alive || !self.end_is_told => {}
            Status::Exited => self.finish(0, true),
            Status::Over => {}
            _ => {
                self.timing = false;
                if self.is_busy() && now >= self.busy_since + ORDER_GRACE {
                    self.overdue = true;
                }
                self.go_on(now);
            }
        }
    }

    fn respond(&mut self, id: RequestId, result: Result<Response, Failure>) {
        if !self.hears(id) || id == OWN_REQUEST {
            return;
        }
        match &mut self.held {
            Some(held) => held.push((id, result)),
            None => self.actions.push(Action::Respond(id, result)),
        }
    }

    /// Whether the program runs, or the engine is at work on a request.
    fn is_busy(&self) -> bool {
        matches!(self.status, Status::Running | Status::Loading) || !self.asked.is_empty()
    }

    /// Something begins that requests have to wait for.
    fn begin_busy(&mut self, now: Duration) {
        self.busy_since = now;
        self.overdue = false;
    }

    /// Carries out what can be carried out now.
    fn go_on(&mut self, now: Duration) {
        while let Some(next) = self.next().and_then(|index| self.queue.remove(index)) {
            self.carry_out(next, now);
        }
        self.set_timer(now);
        self.end_if_idle();
    }

    /// Position in the queue of the request that is to be carried out now, if there is one.
    fn next(&self) -> Option<usize> {
        match self.status {
            Status::Over | Status::Ending { .. } => None,
            Status::Loading => self.overdue.then(|| self.find(ends_session)).flatten(),
            Status::Running => match self.asked.iter().any(|asked| !is_own_run(&asked.request)) {
                true => self.overdue.then(|| self.end_of_run()).flatten(),
                // A pause does not wait, and neither does what it would overtake.
                false => (self.overdue || self.pause_of_this_run().is_some())
                    .then(|| self.find(is_possible_beside_a_run))
                    .flatten(),
            },
            Status::NotInitialized | Status::Ready | Status::Stopped | Status::Exited => {
                if self.asked.is_empty() {
                    return (!self.queue.is_empty()).then_some(0);
                }
                let urgent = || self.pause_of_this_run().or_else(|| self.end_of_run());
                self.overdue.then(urgent).flatten()
            }
        }
    }

    fn find(&self, wanted: impl Fn(&Result<Request, Failure>) -> bool) -> Option<usize> {
        self.queue.iter().position(|incoming| wanted(&incoming.request))
    }

    /// The first request that ends what runs, or that of a client who comes before it: whoever comes hears
    /// first what there is.
    fn end_of_run(&self) -> Option<usize> {
        let end = self.find(ends_run)?;
        let attach = self.find(|request| matches!(request, Ok(Request::Attach(_))));
        Some(attach.map_or(end, |attach| attach.min(end)))
    }

    /// The first pause, unless it belongs to a run that a request before it starts.
    fn pause_of_this_run(&self) -> Option<usize> {
        let starts_run = |request: &Result<Request, Failure>| {
            matches!(request, Ok(Request::Resume(_) | Request::Start | Request::Restart(_)))
        };
        let pause = self.find(|request| *request == Ok(Request::Pause))?;
        self.find(starts_run).is_none_or(|start| pause < start).then_some(pause)
    }

    /// Sees to it that nothing waits for too long that need not.
    fn set_timer(&mut self, now: Duration) {
        // A session that lingers has a timer already, and its engine is never busy for long.
        let lingers = matches!(self.status, Status::Exited | Status::Ending { .. } | Status::Over);
        if lingers || self.timing || self.overdue || !self.is_busy() {
            return;
        }
        if self.find(is_possible_beside_a_run).is_none() {
            return;
        }
        self.timing = true;
        let left = (self.busy_since + ORDER_GRACE).saturating_sub(now);
        self.actions.push(Action::SetTimer(left));
    }

    /// Without more requests to come, nothing resumes a stopped program.
    fn end_if_idle(&mut self) {
        if !self.ended || !self.queue.is_empty() || self.is_busy() {
            return;
        }
        match self.status {
            Status::Stopped => self.terminate(OWN_REQUEST, true),
            Status::NotInitialized | Status::Ready | Status::Exited => self.finish(0, true),
            Status::Loading | Status::Running | Status::Ending { .. } | Status::Over => {}
        }
    }

    fn finish(&mut self, status: u8, patient: bool) {
        self.status = Status::Over;
        self.queue.clear();
        self.asked.clear();
        self.actions.push(Action::Finish { status, patient });
    }
}

/// Whether a request ends the session, or what the client has to do with it.
fn ends_session(request: &Result<Request, Failure>) -> bool {
    matches!(request, Ok(Request::Terminate | Request::Disconnect))
}

fn is_restart(request: &Result<Request, Failure>) -> bool {
    matches!(request, Ok(Request::Restart(_)))
}

/// Whether a request ends what runs, or what the client has to do with it.
fn ends_run(request: &Result<Request, Failure>) -> bool {
    ends_session(request) || is_restart(request) || *request == Ok(Request::Kill)
}

/// Whether a request makes the program run, so that the run itself is what others wait for.
fn is_own_run(request: &Request) -> bool {
    matches!(request, Request::Start | Request::Resume(_) | Request::Pause)
}

/// Whether a message can be answered while the program runs.
fn is_possible_beside_a_run(request: &Result<Request, Failure>) -> bool {
    match request {
        Err(_) => true,
        Ok(request) => match request.needs() {
            Needs::Nothing | Needs::NoProgram | Needs::Program | Needs::Running | Needs::Started => true,
            Needs::ReadyOrStopped | Needs::Stopped => false,
        },
    }
}

#[cfg(test)]
mod tests;

//! The state machine of a session: decides when each request is carried out, and what the client is sent.
//!
//! It has no side effects: what is to be done comes out as [`Action`]s, and the time is a parameter, so that
//! it can be tested without threads and clocks.
//!
//! Requests are carried out one at a time, in the order in which they come. Those that can be answered while
//! the program (or a long evaluation, or the checker) runs wait for it for at most [`ORDER_GRACE`]. So the
//! order of a script's requests is kept if the program stops soon, and no such request waits for long.

mod asked;
mod children;
mod clients;
mod engine;
mod guests;
mod known_breakpoints;
mod queue;
mod requests;
mod turns;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::api::{
    Company, Dismissal, Event, Failure, FailureKind, Launch, Request, RequestId, Response, SessionRequest,
    Share, Stopped,
};

use super::connection::ConnectionId;
use asked::{PendingRequest, PendingRequests};
pub(super) use children::ChildAnswer;
use children::{AfterChildren, Children};
use clients::Clients;
use guests::Sharing;
use queue::{RequestKind, RequestQueue};
use turns::GUEST_GRACE;

/// How long a program may take to end before the session ends without it.
pub const TERMINATE_GRACE: Duration = Duration::from_millis(40);

/// How long a request that can be answered while the program runs waits for the requests before it.
pub const ORDER_GRACE: Duration = Duration::from_millis(100);

/// The number of requests made by the session itself. No front end uses it.
pub(super) const OWN_REQUEST: RequestId = RequestId(RequestId::OF_SESSION);

/// When a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// When its only client is gone, or some time after the program's end.
    OneClient {
        /// How long requests are answered after the program's end.
        linger: Duration,
    },
    /// Some time after a client has been told of the program's end. Clients come and go.
    Clients {
        /// How long requests are answered after that.
        linger: Duration,
    },
    /// When the program has ended, which uses the standard streams of the process. Clients come and go.
    Program,
    /// Like [`Lifetime::Program`]; but the program does not wait for clients, once a first one has gone, or the
    /// session was released.
    Child,
}

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming<Id = RequestId> {
    /// The number for its response.
    pub id: Id,
    /// The request; for a message that is not understood, the failure with which it is answered in its turn.
    pub request: Result<Request, Failure>,
}

/// Something that the session has to do for the machine.
#[derive(Debug, PartialEq)]
#[cfg_attr(test, derive(Clone))]
pub(super) enum Action {
    /// Send the client a response.
    Respond(RequestId, Result<Response, Failure>),
    /// Send all clients an event.
    Tell(Event),
    /// Send the owner an event.
    TellOwner(Event),
    /// Send all guests an event but the one with this connection, if it is a guest's, and the owner if `to_owner`.
    TellOthers { except: ConnectionId, to_owner: bool, event: Event },
    /// Send the engine a request. `wake`: interrupt the program so that it looks at it.
    Ask { id: RequestId, request: Request, wake: bool },
    /// Provide input to the program. `eof`: it is the last. `goes_on`: if the program waits for it, what all clients but the
    /// one with this connection are told.
    Input { text: Option<String>, eof: bool, goes_on: Option<(ConnectionId, Company)> },
    /// Whether reading input is an error, from now on.
    RefuseInput(bool),
    /// Discard input that was not read, since another program starts.
    DiscardInput,
    /// Call [`Machine::timer`] after this time. Replaces an earlier timer.
    SetTimer(Duration),
    /// The program was told to end: its output no longer waits for the client.
    BeginShutdown,
    /// End the session with this exit status. `patient`: wait without limit until the client has received
    /// everything.
    Finish { status: u8, patient: bool },
    /// The client waits for the end of a session that has ended: the opposite of `patient`.
    StopWaiting,
    /// Send a new client the response to its first request, if given, and what was kept for it.
    Open(Option<(RequestId, Result<Response, Failure>)>),
    /// The client disconnects or its connection is lost.
    Close,
    /// Listen for guests, then call [`Machine::shared`].
    Share { id: RequestId, how: Box<Share> },
    /// Send a guest this response, and from now on all events.
    OpenGuest(ConnectionId, Box<(RequestId, Result<Response, Failure>)>),
    /// Send a guest this event, if given, and nothing more.
    CloseGuest(ConnectionId, Option<Event>),
    /// No more guests may connect.
    CloseDoor,
    /// Answer the announcement of the child process with this id.
    AnswerChild(u32, ChildAnswer),
    /// Let the child process with this id run that is held.
    ReleaseChild(u32),
    /// In a child process: tell the session of its parent that the program is started.
    ReportStart,
    /// Tell the child process with this id to end.
    EndChild(u32),
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    NotInitialized,
    /// The program is being read and checked.
    Loading,
    /// The program is loaded but not started.
    Ready,
    Running,
    Stopped,
    /// The program has ended; the session still answers requests.
    Exited,
    /// No program could be loaded: the session ends when nothing more has come for [`ORDER_GRACE`].
    /// `last`: when the last message came.
    Failed {
        last: Duration,
    },
    /// The program or the session is to end: the child processes were told to end first.
    EndingChildren {
        then: AfterChildren,
    },
    /// The program was told to end, and so is the session. `patient` as in [`Action::Finish`].
    Ending {
        patient: bool,
    },
    Over,
}

/// What the session knows of its program.
#[derive(Debug, Default)]
struct Loaded {
    /// Whether the session continues after the program has ended or could not be loaded.
    keep_alive: bool,
    /// Whether it was named, so that `Restart` is possible.
    is_named: bool,
    /// Whether it is a session of cells: while none runs, it is [`Stage::Ready`].
    has_cells: bool,
    /// Whether it is a recorded run.
    replays: bool,
}

impl Loaded {
    /// It is to be loaded.
    fn begin(&mut self, launch: &Launch) {
        self.keep_alive = launch.keep_alive;
        self.has_cells = launch.cells.is_some();
        self.replays = launch.replay.is_some();
    }
}

/// What has ended, and who knows that.
#[derive(Debug, Default)]
struct Ending {
    /// Whether the client sends nothing more.
    commands: bool,
    /// Whether the client has announced the end of the program's input.
    input: bool,
    /// Whether a client has been sent the program's end.
    is_reported: bool,
    /// Whether the program was paused to be killed after its child processes, which no client is told.
    is_paused_for: bool,
}

/// The state machine. All times are relative to the same, arbitrary start.
#[derive(Debug)]
pub(super) struct Machine {
    status: Stage,
    lifetime: Lifetime,
    clients: Clients,
    ending: Ending,
    /// The present stop, for clients that connect later.
    stop: Option<Box<Stopped>>,
    program: Loaded,
    /// Requests that are not carried out yet, in order.
    queue: RequestQueue,
    /// Requests that the engine has not answered yet, in order.
    asked: PendingRequests,
    /// When the program was resumed, or the engine began with the request that others wait for.
    busy_since: Duration,
    /// Whether that is longer ago than [`ORDER_GRACE`].
    overdue: bool,
    /// For when a timer is set, if one is.
    timing: Option<Duration>,
    /// Whether the engine's thread still runs.
    engine_lives: bool,
    children: Children,
    /// Whether a request to share waits for [`Machine::shared`], and all others for it.
    is_opening: bool,
    /// While guests can join.
    sharing: Option<Box<Sharing>>,
    actions: Vec<Action>,
}

impl Machine {
    pub fn new(lifetime: Lifetime) -> Machine {
        Machine {
            status: Stage::NotInitialized,
            lifetime,
            clients: Clients::new(lifetime),
            ending: Ending::default(),
            stop: None,
            program: Loaded::default(),
            queue: RequestQueue::default(),
            asked: PendingRequests::default(),
            busy_since: Duration::ZERO,
            overdue: false,
            timing: None,
            engine_lives: true,
            children: Children::default(),
            is_opening: false,
            sharing: None,
            actions: Vec::new(),
        }
    }

    /// Removes and returns the actions to be carried out, in order.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Whether the program is stopped, so that its thread waits for requests.
    pub fn is_stopped(&self) -> bool {
        self.status == Stage::Stopped
    }

    /// Receives a message from the client.
    pub fn receive(&mut self, incoming: Incoming, now: Duration) {
        if self.status == Stage::Over {
            if incoming.request == Ok(Request::Terminate) {
                self.actions.push(Action::StopWaiting);
            }
            return;
        }
        if !self.concerns_client(incoming.id) {
            return;
        }
        let incoming = self.admit(incoming);
        if let Stage::Failed { last } = &mut self.status {
            *last = now;
            return self.refuse_after_failure(incoming);
        }
        match incoming.request {
            // Input is not queued behind other requests, unless it is meant for the program after a restart.
            Ok(Request::Session(SessionRequest::Input { text, eof }))
                if self.takes_input() && !self.ending.input && !self.queue.has(RequestKind::Restart) =>
            {
                self.input(incoming.id, text, eof);
            }
            // It ends what guests do, for which the owner does not wait.
            Ok(Request::Session(SessionRequest::Unshare))
                if !self.is_opening && !self.queue.has(RequestKind::Share) =>
            {
                self.carry_out(Incoming { id: incoming.id, request: incoming.request }, now);
                self.advance(now);
            }
            // The program may wait for the process.
            Ok(Request::Session(SessionRequest::ReleaseChild(pid))) => self.release_child(incoming.id, pid),
            request => {
                self.queue.push(Incoming { id: incoming.id, request });
                self.advance(now);
            }
        }
    }

    /// The client has cancelled a request, see [`super::Session::cancel`].
    pub fn cancel(&mut self, id: RequestId, now: Duration) {
        // The answer to a request to attach is what lets a client in.
        let is_it = |incoming: &Incoming| incoming.id == id && !RequestKind::Attach.has(incoming);
        let index = self.queue.iter().position(is_it);
        if index.is_some_and(|index| self.queue.remove(index).is_some()) {
            self.respond(id, Err(Failure::new(FailureKind::Cancelled, "cancelled")));
            self.advance(now);
            return;
        }
        let is_this = |asked: &PendingRequest| asked.id == id && matches!(asked.request, Request::Inspect(_));
        if self.status == Stage::Stopped && self.asked.iter().any(is_this) {
            self.ask(OWN_REQUEST, Request::Pause);
        }
    }

    /// The client sends nothing more.
    pub fn commands_end(&mut self, now: Duration) {
        self.ending.commands = true;
        self.release_children();
        self.advance(now);
    }

    /// The client reads nothing more.
    pub fn output_closed(&mut self) {
        if self.status != Stage::Over {
            self.finish(0, false);
        }
    }

    /// The time set by [`Action::SetTimer`] is over.
    pub fn timer(&mut self, now: Duration) {
        self.timing = None;
        match self.status {
            Stage::EndingChildren { then } => self.after_children(then),
            Stage::Ending { .. } => self.end(false),
            // The engine is still busy with a request: for microseconds, as a rule.
            Stage::Exited if self.is_busy() => self.actions.push(Action::SetTimer(TERMINATE_GRACE)),
            Stage::Exited if self.program.keep_alive || !self.ending.is_reported => {}
            Stage::Exited => self.finish(0, true),
            Stage::Failed { last } if now < last + ORDER_GRACE => {
                self.actions.push(Action::SetTimer(last + ORDER_GRACE - now));
            }
            Stage::Failed { .. } => self.end_after_failure(),
            Stage::Over => {}
            Stage::NotInitialized | Stage::Loading | Stage::Ready | Stage::Running | Stage::Stopped => {
                if self.is_busy() && now >= self.busy_since + ORDER_GRACE {
                    self.overdue = true;
                }
                self.advance(now);
            }
        }
    }

    fn respond(&mut self, id: RequestId, result: Result<Response, Failure>) {
        if !self.concerns_client(id) || id.is_of_session() {
            return;
        }
        let Some(result) = self.hold_for_guest(id, result) else { return };
        let result = self.clients.hold(id, result);
        self.actions.extend(result.map(|result| Action::Respond(id, result)));
    }

    /// Whether the program runs, or the engine is busy with a request.
    fn is_busy(&self) -> bool {
        matches!(self.status, Stage::Running | Stage::Loading) || !self.asked.is_empty()
    }

    /// The program or the engine begins with something that other requests wait for.
    fn begin_busy(&mut self, now: Duration) {
        self.busy_since = now;
        self.overdue = false;
    }

    /// Carries out all requests that can be carried out now.
    fn advance(&mut self, now: Duration) {
        if let Some(evaluation) = self.awaited_evaluation().filter(|_| now >= self.busy_since + GUEST_GRACE) {
            self.note_ended(evaluation);
            self.ask(OWN_REQUEST, Request::Pause);
        }
        while let Some(next) = self.next().and_then(|index| self.queue.remove(index)) {
            self.carry_out(next, now);
        }
        self.set_timer(now);
        self.end_if_idle();
    }

    /// Index in the queue of the request to carry out next, if there is one.
    fn next(&self) -> Option<usize> {
        if self.is_opening {
            return None;
        }
        let urgent = || self.pause_of_this_run().or_else(|| self.end_of_run());
        match self.status {
            Stage::Over | Stage::EndingChildren { .. } | Stage::Ending { .. } | Stage::Failed { .. } => None,
            Stage::Loading => self.overdue.then(|| self.queue.find(RequestKind::EndsSession)).flatten(),
            Stage::Running => match self.asked.hold_up() {
                // What the program has been asked may wait for a condition, which a pause interrupts.
                true => self.overdue.then(urgent).flatten(),
                // A pause is carried out at once, and so is everything before it that can be.
                false => (self.overdue || self.pause_of_this_run().is_some())
                    .then(|| self.queue.find(RequestKind::BesideRun))
                    .flatten(),
            },
            Stage::NotInitialized | Stage::Ready | Stage::Stopped | Stage::Exited => {
                if self.asked.is_empty() {
                    return self.next_in_turn();
                }
                self.overdue.then(urgent).flatten()
            }
        }
    }

    /// Index of the first request that ends the program, or of an attach request before it, since a client
    /// has to be told the state first.
    fn end_of_run(&self) -> Option<usize> {
        let end = self.queue.find(RequestKind::EndsRun)?;
        let attach = self.queue.find(RequestKind::Attach);
        Some(attach.map_or(end, |attach| attach.min(end)))
    }

    /// Index of the first pause, unless the same client has a request before it that resumes the program: then it is
    /// meant for that run.
    fn pause_of_this_run(&self) -> Option<usize> {
        if !self.queue.has(RequestKind::Pause) {
            return None;
        }
        let mut of_later_runs = BTreeSet::new();
        for (index, incoming) in self.queue.iter().enumerate() {
            let client = ConnectionId::of(incoming.id);
            if RequestKind::Pause.has(incoming) && !of_later_runs.contains(&client) {
                return Some(index);
            }
            if RequestKind::Runs.has(incoming) {
                of_later_runs.insert(client);
                // There is no other client whose pause could follow.
                if self.queue.has_only(RequestKind::Owners) {
                    return None;
                }
            }
        }
        None
    }

    /// Sets the timer for the end of something. One that was set for waiting requests is set again when it is needed.
    fn begin_wait(&mut self, time: Duration) {
        self.timing = None;
        self.actions.push(Action::SetTimer(time));
    }

    /// Sets a timer if requests are waiting that need not wait for longer than [`ORDER_GRACE`], or for a
    /// guest's evaluation than [`GUEST_GRACE`].
    fn set_timer(&mut self, now: Duration) {
        // A session that is ending has a timer already, and its engine is never busy for long.
        let lingers = matches!(
            self.status,
            Stage::Exited
                | Stage::Failed { .. }
                | Stage::EndingChildren { .. }
                | Stage::Ending { .. }
                | Stage::Over
        );
        if lingers || !self.is_busy() {
            return;
        }
        let is_possible = !self.overdue && self.queue.has(RequestKind::BesideRun);
        let grace = is_possible.then_some(ORDER_GRACE);
        let Some(grace) = grace.or_else(|| self.awaited_evaluation().map(|_| GUEST_GRACE)) else {
            return;
        };
        let due = self.busy_since + grace;
        if self.timing.is_some_and(|earlier| earlier <= due) {
            return;
        }
        self.timing = Some(due);
        self.actions.push(Action::SetTimer(due.saturating_sub(now)));
    }

    /// Ends the session if the program cannot proceed because no more requests will come.
    fn end_if_idle(&mut self) {
        let waits = matches!(self.status, Stage::Running | Stage::Loading)
            || self.is_opening
            || self.queue.has(RequestKind::Owners)
            || self.asked.iter().any(|asked| !is_request_of_guest(asked.id));
        if !self.ending.commands || waits {
            return;
        }
        self.unshare(Dismissal::OwnerLeft);
        if self.is_busy() {
            return;
        }
        match self.status {
            Stage::Stopped => self.terminate(OWN_REQUEST, true),
            Stage::NotInitialized | Stage::Ready | Stage::Exited => self.finish(0, true),
            Stage::Failed { .. } => self.end_after_failure(),
            Stage::Loading
            | Stage::Running
            | Stage::EndingChildren { .. }
            | Stage::Ending { .. }
            | Stage::Over => {}
        }
    }

    fn finish(&mut self, status: u8, patient: bool) {
        self.status = Stage::Over;
        self.queue.take_all();
        self.asked.take_all();
        self.actions.push(Action::Finish { status, patient });
    }
}

/// Whether a request is, or was, that of a guest.
fn is_request_of_guest(id: RequestId) -> bool {
    ConnectionId::of(id).is_of_guest()
}

#[cfg(any(test, fuzzing))]
#[path = "../../../../fuzz/inside/machine.rs"]
pub mod fuzz;
#[cfg(test)]
mod tests;

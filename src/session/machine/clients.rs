//! Clients that come and go, while the session stays.

use std::time::Duration;

use crate::api::{
    Attach, Attached, Failure, FailureKind, Launch, Query, Request, RequestId, Response, State,
    Status as Told, Stopped,
};

use super::{Action, Asked, ConnectionId, Incoming, Lifetime, Machine, OWN_REQUEST, Status};

/// Whom the session talks with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// The client that is there from the beginning to the end.
    Only,
    /// Nobody: clients come later, or have gone.
    Nobody,
    /// The client of a connection. `waits`: its first request is the one for what there is, and is not
    /// carried out yet.
    Client { connection: ConnectionId, waits: bool },
}

/// Whether a request is that of a client who comes.
pub(super) fn is_attach(request: &Request) -> bool {
    matches!(request, Request::Attach(_))
}

impl Machine {
    /// A client has come, see [`super::super::Session::connect`].
    pub fn connect(&mut self, connection: ConnectionId, attaches: bool) {
        self.audience = Audience::Client { connection, waits: attaches };
        self.held = attaches.then(Vec::new);
        if !attaches {
            self.open(None);
        }
    }

    /// Reads a program that no client has asked for, and lets it run if it is to `start`.
    pub fn launch(&mut self, launch: Launch, start: bool, now: Duration) {
        let initialize = Request::Initialize(Box::new(launch));
        for request in std::iter::once(initialize).chain(start.then_some(Request::Start)) {
            self.receive(Incoming { id: OWN_REQUEST, request: Ok(request) }, now);
        }
    }

    /// Ends program and session, though no client has asked for it.
    pub fn terminate_unasked(&mut self, _: Duration) {
        if !matches!(self.status, Status::Over | Status::Ending { .. }) {
            self.terminate(OWN_REQUEST, false);
        }
    }

    /// Whether somebody is told what happens.
    pub fn has_client(&self) -> bool {
        self.audience != Audience::Nobody
    }

    /// Whether there is no program, or it has ended.
    pub fn has_no_program(&self) -> bool {
        matches!(self.status, Status::NotInitialized | Status::Exited | Status::Over)
    }

    /// Whether what has this number concerns the present client, or the session itself.
    pub(super) fn hears(&self, id: RequestId) -> bool {
        match self.audience {
            _ if id == OWN_REQUEST => true,
            Audience::Only => true,
            Audience::Nobody => false,
            Audience::Client { connection, .. } => ConnectionId::of(id) == connection,
        }
    }

    /// Whether the program reads what clients send.
    pub(super) fn takes_input(&self) -> bool {
        self.lifetime != Lifetime::Program
    }

    /// Why a client cannot have something, whatever the state of the program is.
    pub(super) fn hindrance_of_audience(&self, request: &Request) -> Option<Failure> {
        let wrong = |state| Some(Failure::wrong_state(request.verb(), state));
        match (request, self.audience) {
            (Request::Attach(_), Audience::Only | Audience::Client { waits: false, .. }) => {
                wrong("already attached")
            }
            (Request::Disconnect, Audience::Only) => wrong("no other client could come"),
            (Request::Input { .. }, _) if !self.takes_input() => {
                wrong("the program reads from its own terminal")
            }
            _ => None,
        }
    }

    /// The client gets what was kept for it, behind the answer to its first request if that has one.
    pub(super) fn open(&mut self, answer: Option<(RequestId, Result<Response, Failure>)>) {
        self.actions.push(Action::Open(answer));
        let held = self.held.take().unwrap_or_default();
        self.actions.extend(held.into_iter().map(|(id, result)| Action::Respond(id, result)));
        if self.status == Status::Exited {
            self.end_was_told();
        }
    }

    pub(super) fn attach(&mut self, id: RequestId, attach: Attach, now: Duration) {
        if let Audience::Client { waits, .. } = &mut self.audience {
            *waits = false;
        }
        let request = Request::Attach(Box::default());
        let asked = match attach.launch {
            Some(launch) if self.status == Status::NotInitialized => {
                self.keep_alive = launch.keep_alive;
                self.status = Status::Loading;
                Request::Initialize(Box::new(launch))
            }
            _ => Request::Query(Query::State),
        };
        if self.status != Status::Running {
            self.begin_busy(now);
        }
        self.ask_for(id, request, asked);
    }

    /// Asks the engine something so that another request can be answered.
    fn ask_for(&mut self, id: RequestId, request: Request, asked: Request) {
        self.asked.push_back(Asked { id, request });
        let wake = self.status == Status::Running;
        self.actions.push(Action::Ask { id, request: asked, wake });
    }

    /// The engine has answered what it was asked for a client that comes.
    pub(super) fn attach_goes_on(&mut self, id: RequestId, result: Result<Response, Failure>, now: Duration) {
        let answer = match result {
            Ok(Response::Initialized(_)) => {
                self.loaded(Status::Ready, now);
                return self.ask_for(id, Request::Attach(Box::default()), Request::Query(Query::State));
            }
            Ok(Response::State(state)) => Ok(Response::Attached(Box::new(self.attached(*state)))),
            Ok(other) => Ok(other),
            Err(failure) => {
                if self.status == Status::Loading {
                    self.status = Status::NotInitialized;
                }
                Err(match failure.kind {
                    FailureKind::BadRequest => Failure::wrong_state("attach", "not initialized"),
                    _ => failure,
                })
            }
        };
        if self.hears(id) {
            self.open(Some((id, answer)));
        }
    }

    fn attached(&self, state: State) -> Attached {
        let stop = self.stop.clone().filter(|_| state.status == Told::Stopped);
        Attached { state, stop, dropped_output: 0 }
    }

    pub(super) fn remember_stop(&mut self, stopped: &Stopped) {
        if self.audience != Audience::Only {
            self.stop = Some(Box::new(stopped.clone()));
        }
    }

    /// The program has ended: the session ends some time, too, unless it is to stay.
    pub(super) fn exited(&mut self) {
        if self.lifetime == Lifetime::Program || self.audience != Audience::Nobody {
            self.end_was_told();
        }
    }

    fn end_was_told(&mut self) {
        self.end_is_told = true;
        if self.keep_alive {
            return;
        }
        self.actions.push(Action::SetTimer(match self.lifetime {
            Lifetime::OneClient { linger } | Lifetime::Clients { linger } => linger,
            Lifetime::Program => Duration::ZERO,
        }));
    }

    pub(super) fn disconnect(&mut self, id: RequestId) {
        const WHY: &str = "the client disconnects";
        if id != OWN_REQUEST {
            self.refuse_attach(Failure::wrong_state("attach", WHY));
        }
        for Incoming { id, request } in std::mem::take(&mut self.queue) {
            let refused =
                request.and_then(|request| Err::<Response, _>(Failure::wrong_state(request.verb(), WHY)));
            self.respond(id, refused);
        }
        // What the engine is at work on is answered to nobody later.
        let asked = self.asked.iter().filter(|asked| !is_attach(&asked.request));
        let asked: Vec<_> = asked.map(|asked| (asked.id, asked.request.verb())).collect();
        for (asked, verb) in asked.into_iter().filter(|_| id != OWN_REQUEST) {
            self.respond(asked, Err(Failure::wrong_state(verb, WHY)));
        }
        self.respond(id, Ok(Response::Disconnected));
        if self.is_evaluating() {
            self.ask(OWN_REQUEST, Request::Pause);
        }
        self.close();
    }

    /// A client that is not told what there is hears why, before all else. Nothing reaches it before that.
    pub(super) fn refuse_attach(&mut self, failure: Failure) {
        // That of a client before may not have been answered either.
        let is_this = |id: RequestId, request: &Request| is_attach(request) && self.hears(id);
        let asked = self.asked.iter().find(|asked| is_this(asked.id, &asked.request)).map(|asked| asked.id);
        let in_queue =
            |waiting: &Incoming| waiting.request.as_ref().is_ok_and(|request| is_this(waiting.id, request));
        let queued = self.queue.iter().position(in_queue);
        let queued = queued.and_then(|position| self.queue.remove(position)).map(|waiting| waiting.id);
        if let Some(id) = asked.or(queued) {
            self.open(Some((id, Err(failure))));
        }
    }

    fn close(&mut self) {
        self.audience = Audience::Nobody;
        self.held = None;
        self.actions.push(Action::Close);
    }

    /// The client of a connection is gone: what it has asked is carried out, and it is not told of it.
    pub fn client_gone(&mut self, connection: ConnectionId, now: Duration) {
        if !matches!(self.audience, Audience::Client { connection: present, .. } if present == connection) {
            return;
        }
        match self.status {
            Status::Over | Status::Ending { .. } => self.close(),
            _ => self.receive(Incoming { id: OWN_REQUEST, request: Ok(Request::Disconnect) }, now),
        }
    }
}

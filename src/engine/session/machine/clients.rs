//! Clients that connect and disconnect while the session continues.

use std::time::Duration;

use crate::api::{
    Attach, Attached, Dismissal, Done, Failure, FailureKind, GetState, Launch, Obstacle, Query, QueryAnswer,
    Request, RequestId, Response, SessionRequest, State, Status, Stopped,
};

use super::{Action, ConnectionId, Incoming, Lifetime, Machine, OWN_REQUEST, Stage, is_request_of_guest};

/// Who receives the session's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Audience {
    /// The one client of a session that ends with it.
    Only,
    /// No client at present.
    Nobody,
    /// The client of this connection. `waits`: it has announced [`SessionRequest::Attach`] as its first request, and
    /// that is not answered yet.
    Client { connection: ConnectionId, waits: bool },
}

/// The owner, and what becomes of the program without one.
#[derive(Debug)]
pub(super) struct Clients {
    audience: Audience,
    /// See [`Machine::has_lost_client`].
    lost: bool,
    /// Responses to requests of a client after its attach request, until that one has been answered.
    held: Option<Vec<(RequestId, Result<Response, Failure>)>>,
    /// With [`Lifetime::Child`]: whether the program does not wait for clients.
    released: bool,
    /// Whether the program goes on without clients: no stop, not even the one before its end, waits for one.
    let_go: bool,
}

impl Clients {
    pub fn new(lifetime: Lifetime) -> Clients {
        let audience = match lifetime {
            Lifetime::OneClient { .. } => Audience::Only,
            Lifetime::Clients { .. } | Lifetime::Program | Lifetime::Child => Audience::Nobody,
        };
        Clients { audience, lost: false, held: None, released: false, let_go: false }
    }

    /// The program does not wait for clients any more. Returns whether that was so already.
    pub fn release(&mut self) -> bool {
        std::mem::replace(&mut self.released, true)
    }

    /// Whether the program is started, too, if it goes on now because nobody is there and it waits for nobody.
    pub fn lets_run(&self, lifetime: Lifetime) -> Option<bool> {
        let is_child = lifetime == Lifetime::Child && self.released;
        ((is_child || self.let_go) && self.audience == Audience::Nobody).then_some(is_child)
    }

    /// The connection of the owner, if it is connected.
    pub fn owner(&self) -> Option<ConnectionId> {
        match self.audience {
            Audience::Only => Some(ConnectionId::ONLY),
            Audience::Nobody => None,
            Audience::Client { connection, .. } => Some(connection),
        }
    }

    /// A response of the owner, unless it is held back until the owner is let in.
    pub fn hold(
        &mut self,
        id: RequestId,
        result: Result<Response, Failure>,
    ) -> Option<Result<Response, Failure>> {
        match &mut self.held {
            Some(held) if !is_request_of_guest(id) => held.push((id, result)),
            Some(_) | None => return Some(result),
        }
        None
    }
}

/// Whether a request attaches a client.
pub(super) fn is_attach(request: &Request) -> bool {
    matches!(request, Request::Session(SessionRequest::Attach(_)))
}

impl Machine {
    /// A client has connected, see [`crate::session::Session::connect`].
    pub fn connect(&mut self, connection: ConnectionId, attaches: bool) {
        self.clients.audience = Audience::Client { connection, waits: attaches };
        self.clients.lost = false;
        self.clients.let_go = false;
        self.clients.held = attaches.then(Vec::new);
        if !attaches {
            self.open(None);
        }
    }

    /// Loads a program without a client's request and, if `start` is set, starts it.
    pub fn launch(&mut self, launch: Launch, start: bool, now: Duration) {
        // It runs in a terminal, for somebody who may not want to debug it.
        self.clients.let_go = start && self.lifetime == Lifetime::Program;
        let initialize = Request::Initialize(Box::new(launch));
        for request in std::iter::once(initialize).chain(start.then_some(Request::Start(None))) {
            self.request(request, now);
        }
    }

    /// Receives a request that no client has made.
    pub fn request(&mut self, request: Request, now: Duration) {
        self.receive(Incoming { id: OWN_REQUEST, request: Ok(request) }, now);
    }

    /// Ends the program and the session without a client's request.
    pub fn terminate_unasked(&mut self, _: Duration) {
        if !self.is_ending() {
            self.terminate(OWN_REQUEST, false);
        }
    }

    /// Whether a client is connected.
    pub fn has_client(&self) -> bool {
        self.clients.audience != Audience::Nobody
    }

    /// Whether the connection of the last client was lost without a request to disconnect.
    pub fn has_lost_client(&self) -> bool {
        self.clients.lost
    }

    /// Whether there is no program, or it has ended.
    pub fn has_no_program(&self) -> bool {
        matches!(self.status, Stage::NotInitialized | Stage::Exited | Stage::Failed { .. } | Stage::Over)
    }

    /// Whether a response with this number is for a present client, or for the session itself.
    pub(super) fn concerns_client(&self, id: RequestId) -> bool {
        match self.clients.audience {
            _ if id.is_of_session() => true,
            _ if ConnectionId::of(id).is_of_guest() => self.is_guest(ConnectionId::of(id)),
            Audience::Only => true,
            Audience::Nobody => false,
            Audience::Client { connection, .. } => ConnectionId::of(id) == connection,
        }
    }

    /// Whether the program's input comes from clients.
    pub(super) fn takes_input(&self) -> bool {
        !matches!(self.lifetime, Lifetime::Program | Lifetime::Child)
    }

    /// Why this client cannot make this request in any state of the program, if so.
    pub(super) fn refusal_for_client(&self, id: RequestId, request: &Request) -> Option<Failure> {
        let wrong = |why| Some(Failure::wrong_state(request.verb(), why));
        let is_guest = self.is_guest(ConnectionId::of(id));
        match (request, self.clients.audience) {
            (Request::Session(SessionRequest::Attach(_) | SessionRequest::Disconnect { .. }), _)
                if is_guest =>
            {
                None
            }
            (
                Request::Session(SessionRequest::Attach(_)),
                Audience::Only | Audience::Client { waits: false, .. },
            ) => wrong(Obstacle::AlreadyAttached),
            (Request::Session(SessionRequest::Disconnect { .. }), Audience::Only) => {
                wrong(Obstacle::OnlyClient)
            }
            (Request::Session(SessionRequest::Input { .. }), _) if !self.takes_input() => {
                wrong(Obstacle::OwnInput)
            }
            (Request::Session(SessionRequest::Input { text: Some(_), .. }), _) if self.ending.input => {
                wrong(Obstacle::InputEnded)
            }
            _ => None,
        }
    }

    /// Whether the owner is let in by the answer to its request to attach, whose turn has not come.
    pub(super) fn is_owner_waiting(&self) -> bool {
        matches!(self.clients.audience, Audience::Client { waits: true, .. })
    }

    /// Sends the client the response to its first request, if given, and then what was kept for it.
    pub(super) fn open(&mut self, answer: Option<(RequestId, Result<Response, Failure>)>) {
        if let Audience::Client { waits, .. } = &mut self.clients.audience {
            *waits = false;
        }
        self.actions.push(Action::Open(answer));
        let held = self.clients.held.take().unwrap_or_default();
        self.actions.extend(held.into_iter().map(|(id, result)| Action::Respond(id, result)));
        self.tell_children();
        if self.status == Stage::Exited {
            self.on_end_reported();
        }
    }

    pub(super) fn attach(&mut self, id: RequestId, attach: Attach, now: Duration) {
        if let Audience::Client { waits, .. } = &mut self.clients.audience {
            *waits = false;
        }
        let asked = match attach.launch {
            Some(launch) if self.status == Stage::NotInitialized => {
                self.program.begin(&launch);
                self.status = Stage::Loading;
                Request::Initialize(Box::new(launch))
            }
            _ => Request::Query(Query::State(GetState)),
        };
        if self.status != Stage::Running {
            self.begin_busy(now);
        }
        self.ask_for_attach(id, asked);
    }

    /// Sends the engine a request whose response is needed to answer an attach request.
    pub(super) fn ask_for_attach(&mut self, id: RequestId, asked: Request) {
        let request = Request::Session(SessionRequest::Attach(Box::default()));
        self.asked.push(id, request);
        let wake = self.status == Stage::Running;
        self.actions.push(Action::Ask { id, request: asked, wake });
    }

    /// Continues an attach request with the engine's response.
    pub(super) fn continue_attach(
        &mut self,
        id: RequestId,
        result: Result<Response, Failure>,
        now: Duration,
    ) {
        if self.is_guest(ConnectionId::of(id)) {
            return self.continue_joining(id, result);
        }
        let answer = match result {
            Ok(Response::Initialized(_)) => {
                self.loaded(Stage::Ready, now);
                return self.ask_for_attach(id, Request::Query(Query::State(GetState)));
            }
            Ok(Response::Query(QueryAnswer::State(state))) => {
                Ok(Response::Attached(Box::new(self.attached(*state))))
            }
            Ok(other) => Ok(other),
            Err(failure) => {
                if self.status == Stage::Loading {
                    self.status = Stage::NotInitialized;
                }
                Err(match failure.kind {
                    FailureKind::BadRequest => Failure::wrong_state("attach", Obstacle::NotInitialized),
                    _ => failure,
                })
            }
        };
        if self.concerns_client(id) {
            self.open(Some((id, answer)));
        }
    }

    fn attached(&self, state: State) -> Attached {
        let stop = self.stop.clone().filter(|_| state.status == Status::Stopped);
        Attached { state, stop, dropped_output: 0, process: std::process::id(), guest: None }
    }

    pub(super) fn remember_stop(&mut self, stopped: &Stopped) {
        if self.clients.audience != Audience::Only {
            self.stop = Some(Box::new(stopped.clone()));
        }
    }

    /// The program has ended. The session ends later, unless it was told to stay.
    pub(super) fn exited(&mut self) {
        if !self.takes_input() || self.clients.audience != Audience::Nobody {
            self.on_end_reported();
        }
    }

    fn on_end_reported(&mut self) {
        self.ending.is_reported = true;
        if self.program.keep_alive {
            return;
        }
        self.begin_wait(match self.lifetime {
            Lifetime::OneClient { linger } | Lifetime::Clients { linger } => linger,
            Lifetime::Program | Lifetime::Child => Duration::ZERO,
        });
    }

    pub(super) fn disconnect(&mut self, id: RequestId, resume: bool, now: Duration) {
        const WHY: Obstacle = Obstacle::Disconnecting;
        if self.is_guest(ConnectionId::of(id)) {
            return self.leave(ConnectionId::of(id), Some(id), now);
        }
        self.unshare(Dismissal::OwnerLeft);
        if id != OWN_REQUEST {
            self.refuse_attach(Failure::wrong_state("attach", WHY));
        }
        for Incoming { id, request } in self.queue.take_all() {
            let refused =
                request.and_then(|request| Err::<Response, _>(Failure::wrong_state(request.verb(), WHY)));
            self.respond(id, refused);
        }
        // The engine will answer these later, when nobody is left to receive it.
        let asked = self.asked.iter().filter(|asked| !is_attach(&asked.request));
        let asked: Vec<_> = asked.map(|asked| (asked.id, asked.request.verb())).collect();
        for (asked, verb) in asked.into_iter().filter(|_| id != OWN_REQUEST) {
            self.respond(asked, Err(Failure::wrong_state(verb, WHY)));
        }
        self.respond(id, Ok(Response::Done(Done::Disconnected)));
        if self.is_evaluating() {
            self.ask(OWN_REQUEST, Request::Pause);
        }
        if resume {
            self.let_run();
        }
        self.close(now);
    }

    /// Lets the program run as if no client had been there.
    fn let_run(&mut self) {
        self.clients.let_go = true;
        match self.status {
            Stage::NotInitialized | Stage::Loading | Stage::Ready | Stage::Running | Stage::Exited => {}
            Stage::Stopped => {
                self.status = Stage::Running;
                self.stop = None;
            }
            Stage::Failed { .. } | Stage::EndingChildren { .. } | Stage::Ending { .. } | Stage::Over => {
                return;
            }
        }
        if self.engine_lives {
            self.asked.push(OWN_REQUEST, Request::Detach);
            self.actions.push(Action::Ask { id: OWN_REQUEST, request: Request::Detach, wake: true });
        }
    }

    /// Refuses the attach requests that are not answered yet. This has to be the first message to each of these clients.
    pub(super) fn refuse_attach(&mut self, failure: Failure) {
        // That of a client that is there already is refused in its turn.
        let (owner_waits, joining) = (self.clients.held.is_some(), self.joining_guests());
        let waits = |id| match ConnectionId::of(id) {
            guest if guest.is_of_guest() => joining.contains(&guest),
            _ => owner_waits,
        };
        let refused = self.take_attach_requests(waits);
        self.asked.retain(|asked| !(is_request_of_guest(asked.id) && refused.contains(&asked.id)));
        // Of several of one client, the later ones are held back for the first.
        for id in refused.iter().copied().rev() {
            let client = ConnectionId::of(id);
            if refused.iter().find(|other| ConnectionId::of(**other) == client) != Some(&id) {
                self.respond(id, Err(failure.clone()));
            } else if self.is_guest(client) {
                self.turn_away(id, failure.clone());
            } else {
                self.open(Some((id, Err(failure.clone()))));
            }
        }
    }

    /// The attach requests of these clients that are not answered yet. They do not wait in the queue any more.
    pub(super) fn take_attach_requests(&mut self, wanted: impl Fn(RequestId) -> bool) -> Vec<RequestId> {
        let asked = self.asked.iter().map(|asked| (asked.id, &asked.request));
        let queued =
            self.queue.iter().filter_map(|waiting| Some((waiting.id, waiting.request.as_ref().ok()?)));
        // An attach request of an earlier client may be unanswered, too.
        let found = asked
            .chain(queued)
            .filter(|(id, request)| is_attach(request) && self.concerns_client(*id) && wanted(*id));
        let found: Vec<RequestId> = found.map(|(id, _)| id).collect();
        self.queue.take(|waiting| found.contains(&waiting.id));
        found
    }

    fn close(&mut self, now: Duration) {
        self.clients.audience = Audience::Nobody;
        self.clients.held = None;
        self.actions.push(Action::Close);
        self.release_children();
        self.clients.release();
        self.run_on(now);
    }

    /// The connection is lost. `on_disconnect` is carried out: a request to disconnect behind what the client has requested
    /// before, [`Request::Terminate`] at once. There are no responses.
    pub fn client_gone(&mut self, connection: ConnectionId, on_disconnect: Request, now: Duration) {
        if self.is_guest(connection) {
            return self.leave(connection, None, now);
        }
        if !matches!(self.clients.audience, Audience::Client { connection: present, .. } if present == connection)
        {
            return;
        }
        self.clients.lost = true;
        if !self.is_ending() && on_disconnect != Request::Terminate {
            return self.request(on_disconnect, now);
        }
        self.unshare(Dismissal::OwnerLeft);
        self.queue.take_all();
        self.close(now);
        self.terminate_unasked(now);
    }
}

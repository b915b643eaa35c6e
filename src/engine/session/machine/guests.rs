//! A shared session: guests use it together with its owner.
//!
//! Their requests are in the same queue as the owner's and are answered to the one who asked; what happens is told to
//! all. What a role does not allow is refused in its turn, so that nothing below knows of roles.

use std::time::Duration;

use crate::api::{
    Attach, Attached, Company, Dismissal, Done, Event, Exited, Failure, FailureKind, GetState, Guest, KILLED,
    Obstacle, Query, QueryAnswer, Request, RequestId, Response, Role, Share, Shared, State, Stopped, Watch,
};
use crate::session::connection::ConnectionId;
use ez_runtime::visible::visible_char;

use super::clients::is_attach;
use super::known_breakpoints::KnownBreakpoints;
use super::queue::RequestKind;
use super::turns::Turns;
use super::{Action, Incoming, Machine, OWN_REQUEST, Stage};

/// Maximum number of guests.
const MAX_GUESTS: usize = 16;

/// Maximum length of a client's name, in characters.
const MAX_NAME: usize = 40;

/// The owner's name, if it has not said one.
const OWNER: &str = "owner";

/// The number of the requests with which the session finds out which breakpoints there are.
pub(super) const LOOK: RequestId = RequestId(RequestId::OF_SESSION + 1);

/// The state of a shared session.
#[derive(Debug)]
pub(super) struct Sharing {
    door: Shared,
    owner: String,
    guests: Vec<Member>,
    /// Who has resumed or paused the program last.
    driver: Option<ConnectionId>,
    turns: Turns,
    /// Whether the latest restart has ended a program.
    ended_for_restart: bool,
    pub(super) breakpoints: KnownBreakpoints,
}

/// A guest.
#[derive(Debug)]
pub(super) struct Member {
    pub connection: ConnectionId,
    pub guest: Guest,
    /// The number of its latest turn, see [`Turns`].
    pub served: u64,
    /// See [`Attach::shows_breakpoints`].
    shows_breakpoints: bool,
    /// Until its request to attach has been answered: responses that follow it.
    held: Option<Vec<(RequestId, Result<Response, Failure>)>>,
}

impl Machine {
    /// Whether guests can join.
    pub fn is_shared(&self) -> bool {
        self.sharing.is_some()
    }

    /// The connection of the owner, if it is connected.
    pub(super) fn owner(&self) -> Option<ConnectionId> {
        self.clients.owner()
    }

    pub(super) fn member(&self, connection: ConnectionId) -> Option<&Member> {
        self.sharing.as_ref()?.guests.iter().find(|member| member.connection == connection)
    }

    fn member_mut(&mut self, connection: ConnectionId) -> Option<&mut Member> {
        self.sharing.as_mut()?.guests.iter_mut().find(|member| member.connection == connection)
    }

    pub(super) fn is_guest(&self, connection: ConnectionId) -> bool {
        self.member(connection).is_some()
    }

    /// The guests that have joined, in this order.
    pub(super) fn guests(&self) -> Vec<Guest> {
        let members = self.sharing.iter().flat_map(|sharing| &sharing.guests);
        members.filter(|member| member.held.is_none()).map(|member| member.guest.clone()).collect()
    }

    /// The name of a client for the others; `None` for one that has gone, for the session itself, and if the session is
    /// not shared.
    pub(super) fn name(&self, connection: ConnectionId) -> Option<String> {
        let sharing = self.sharing.as_ref()?;
        match self.member(connection) {
            Some(member) => Some(member.guest.name.clone()),
            None => (self.owner() == Some(connection)).then(|| sharing.owner.clone()),
        }
    }

    /// The guests that have connected, and not joined.
    pub(super) fn joining_guests(&self) -> Vec<ConnectionId> {
        let members = self.sharing.iter().flat_map(|sharing| &sharing.guests);
        members.filter(|member| member.held.is_some()).map(|member| member.connection).collect()
    }

    /// Whether it is a guest that has connected, and not joined: the answer to its request to attach is its first message.
    pub(super) fn is_joining(&self, connection: ConnectionId) -> bool {
        self.member(connection).is_some_and(|member| member.held.is_some())
    }

    /// Notes whose turn it was.
    pub(super) fn note_turn(&mut self, client: ConnectionId) {
        let Some(sharing) = &mut self.sharing else { return };
        let member = sharing.guests.iter_mut().find(|member| member.connection == client);
        let turn = sharing.turns.note(member.as_ref().map(|member| member.guest.role));
        member.into_iter().for_each(|member| member.served = turn);
    }

    /// A request of a guest is being ended, since somebody else waits for it.
    pub(super) fn note_ended(&mut self, id: RequestId) {
        if let Some(sharing) = &mut self.sharing {
            sharing.turns.note_ended(id);
        }
    }

    /// Index of the request whose turn it is while the engine waits, that of a guest that joins before all others.
    pub(super) fn next_in_turn(&self) -> Option<usize> {
        let Some(sharing) = &self.sharing else { return (!self.queue.is_empty()).then_some(0) };
        let joining =
            (!self.joining_guests().is_empty()).then(|| self.queue.find(RequestKind::Joins)).flatten();
        let seat = |client| self.member(client).map(|member| (member.guest.role, member.served));
        joining.or_else(|| sharing.turns.next(&self.queue, seat))
    }

    /// See [`Turns::awaited`].
    pub(super) fn awaited_evaluation(&self) -> Option<RequestId> {
        let sharing = self.sharing.as_ref().filter(|_| self.is_evaluating())?;
        let role = |client| self.member(client).map(|member| member.guest.role);
        sharing.turns.awaited(&self.asked, &self.queue, role)
    }

    fn tell_others(&mut self, except: ConnectionId, event: Event) {
        let to_owner = self.owner() != Some(except);
        self.actions.push(Action::TellOthers { except, to_owner, event });
    }

    fn tell_company(&mut self, except: ConnectionId, company: Company) {
        self.tell_others(except, Event::Company(company));
    }

    /// Begins to share the session, or tells again where guests join.
    pub(super) fn share(&mut self, id: RequestId, how: Box<Share>) {
        match &self.sharing {
            Some(sharing) => {
                let door = sharing.door.clone();
                self.respond(id, Ok(Response::Shared(door)));
            }
            None => {
                self.is_opening = true;
                self.actions.push(Action::Share { id, how });
            }
        }
    }

    /// Guests can connect, or why they cannot.
    pub fn shared(
        &mut self,
        id: RequestId,
        name: Option<String>,
        result: Result<Shared, Failure>,
        now: Duration,
    ) {
        if let Ok(door) = &result {
            let owner = name.as_deref().and_then(proper_name).unwrap_or_else(|| OWNER.into());
            let (door, breakpoints) = (door.clone(), KnownBreakpoints::default());
            self.sharing = Some(Box::new(Sharing {
                door,
                owner,
                guests: Vec::new(),
                driver: None,
                turns: Turns::default(),
                ended_for_restart: false,
                breakpoints,
            }));
            self.look_for_breakpoints(None);
        }
        self.respond(id, result.map(Response::Shared));
        self.is_opening = false;
        self.advance(now);
    }

    /// A guest has connected, and will send its request to attach.
    ///
    /// # Errors
    /// Why it cannot join, as a text for it.
    pub fn connect_guest(&mut self, connection: ConnectionId, role: Role) -> Result<(), String> {
        let sharing = self.sharing.as_mut().ok_or_else(|| Dismissal::Unshared.to_string())?;
        if sharing.guests.len() >= MAX_GUESTS {
            return Err(format!("the session has {MAX_GUESTS} guests already"));
        }
        let guest = Guest { name: String::new(), role };
        sharing.guests.push(Member {
            connection,
            guest,
            served: 0,
            shows_breakpoints: false,
            held: Some(Vec::new()),
        });
        Ok(())
    }

    /// A message as it is queued: what the role of a guest does not allow is refused in its turn.
    pub(super) fn admit(&self, incoming: Incoming) -> Incoming {
        let Some(member) = self.member(ConnectionId::of(incoming.id)) else { return incoming };
        let role = member.guest.role;
        let request = incoming.request.and_then(|request| match role.obstacle_to(&request) {
            None => match Role::too_long(&request) {
                Some(failure) => Err(failure),
                None => Ok(role.restrict(request)),
            },
            Some(obstacle) => Err(Failure::wrong_state(request.verb(), obstacle)),
        });
        Incoming { id: incoming.id, request }
    }

    /// Keeps a response to a guest until it has joined. Returns it if it can be sent.
    pub(super) fn hold_for_guest(
        &mut self,
        id: RequestId,
        result: Result<Response, Failure>,
    ) -> Option<Result<Response, Failure>> {
        match self.member_mut(ConnectionId::of(id)).and_then(|member| member.held.as_mut()) {
            Some(held) => {
                held.push((id, result));
                None
            }
            None => Some(result),
        }
    }

    /// A guest wants to join: the engine is asked for the state.
    pub(super) fn attach_guest(&mut self, id: RequestId, attach: &Attach, now: Duration) {
        let connection = ConnectionId::of(id);
        // The name is that of an earlier request, which the engine may not have answered.
        if self.member(connection).is_some_and(|member| !member.guest.name.is_empty()) {
            return self.respond(id, Err(Failure::wrong_state("attach", Obstacle::AlreadyAttached)));
        }
        let name = self.free_name(attach.name.as_deref().and_then(proper_name));
        let shows = attach.shows_breakpoints;
        if let Some(member) = self.member_mut(connection) {
            member.guest.name = name;
            member.shows_breakpoints = shows;
        }
        if self.status != Stage::Running {
            self.begin_busy(now);
        }
        self.ask_for_attach(id, Request::Query(Query::State(GetState)));
    }

    /// A name like this that no other client has.
    fn free_name(&self, wanted: Option<String>) -> String {
        let is_free = |name: &String| {
            self.sharing.as_ref().is_none_or(|sharing| {
                sharing.owner != *name && sharing.guests.iter().all(|member| member.guest.name != *name)
            })
        };
        let (stem, first) = match wanted {
            Some(name) if is_free(&name) => return name,
            Some(name) => (name, 2),
            None => ("guest".to_string(), 1),
        };
        (first..).map(|number| format!("{stem} {number}")).find(is_free).unwrap_or(stem)
    }

    /// The engine has answered the question that a guest's request to attach needs.
    pub(super) fn continue_joining(&mut self, id: RequestId, result: Result<Response, Failure>) {
        let connection = ConnectionId::of(id);
        let Some(member) = self.member(connection) else { return };
        let (guest, shows_breakpoints) = (member.guest.clone(), member.shows_breakpoints);
        match result {
            Ok(Response::Query(QueryAnswer::State(state))) => {
                let attached = attached(*state, guest.clone());
                self.open_guest(id, Ok(Response::Attached(Box::new(attached))));
                self.tell_company(connection, Company::Joined(guest));
                if let Some(sharing) = self.sharing.as_mut().filter(|_| shows_breakpoints) {
                    sharing.breakpoints.told_all(connection);
                }
            }
            Ok(_) => self.turn_away(id, Failure::new(FailureKind::Internal, "the state is not known")),
            Err(failure) => self.turn_away(
                id,
                match failure.kind {
                    FailureKind::BadRequest => Failure::wrong_state("attach", Obstacle::NotInitialized),
                    _ => failure,
                },
            ),
        }
    }

    /// Sends a guest the response to its request to attach, and those that were held.
    fn open_guest(&mut self, id: RequestId, answer: Result<Response, Failure>) {
        let connection = ConnectionId::of(id);
        self.actions.push(Action::OpenGuest(connection, Box::new((id, answer))));
        let held = self.member_mut(connection).and_then(|member| member.held.take()).unwrap_or_default();
        self.actions.extend(held.into_iter().map(|(id, result)| Action::Respond(id, result)));
    }

    /// Refuses a guest that has not joined.
    pub(super) fn turn_away(&mut self, id: RequestId, failure: Failure) {
        let connection = ConnectionId::of(id);
        self.open_guest(id, Err(failure));
        self.refuse_requests_of(connection, Some(id), Obstacle::Disconnecting);
        self.remove_guest(connection, None);
    }

    /// A guest leaves; with its request to do so, or because its connection is lost.
    pub(super) fn leave(&mut self, connection: ConnectionId, request: Option<RequestId>, now: Duration) {
        let Some(member) = self.member(connection) else { return };
        let (guest, had_joined) = (member.guest.clone(), member.held.is_none());
        if self.status == Stage::Over {
            return self.remove_guest(connection, None);
        }
        self.refuse_requests_of(connection, request, Obstacle::Disconnecting);
        if let Some(id) = request {
            self.respond(id, Ok(Response::Done(Done::Disconnected)));
        }
        self.remove_guest(connection, None);
        if had_joined {
            self.tell_company(connection, Company::Left(guest));
        }
        self.advance(now);
    }

    /// Refuses what a guest has requested that goes, but not `except`. What the engine answers later is for nobody.
    fn refuse_requests_of(&mut self, guest: ConnectionId, except: Option<RequestId>, why: Obstacle) {
        let is_its = |id: RequestId| ConnectionId::of(id) == guest && Some(id) != except;
        for id in self.take_attach_requests(is_its) {
            let failure = Failure::wrong_state("attach", why);
            if self.is_joining(guest) {
                self.open_guest(id, Err(failure));
            } else {
                self.respond(id, Err(failure));
            }
        }
        self.asked.retain(|asked| !(is_its(asked.id) && is_attach(&asked.request)));
        let asked = self.asked.iter().filter(|asked| is_its(asked.id) && !is_attach(&asked.request));
        let asked: Vec<_> = asked.map(|asked| (asked.id, asked.request.verb())).collect();
        for (id, verb) in asked {
            self.respond(id, Err(Failure::wrong_state(verb, why)));
        }
        for Incoming { id, request } in self.queue.take(|waiting| is_its(waiting.id)) {
            let failure =
                request.map_or_else(|wrong| wrong, |request| Failure::wrong_state(request.verb(), why));
            self.respond(id, Err(failure));
        }
        // An evaluation that nobody waits for any more.
        if self.is_evaluating() && self.asked.front().is_some_and(|asked| is_its(asked.id)) {
            self.ask(OWN_REQUEST, Request::Pause);
        }
    }

    fn remove_guest(&mut self, connection: ConnectionId, why: Option<Dismissal>) {
        if let Some(sharing) = &mut self.sharing {
            sharing.guests.retain(|member| member.connection != connection);
            sharing.breakpoints.forget_client(connection);
        }
        let last = why.map(|why| Event::Company(Company::Dismissed(why)));
        self.actions.push(Action::CloseGuest(connection, last));
    }

    /// Sends all guests away, and lets no more join.
    pub(super) fn unshare(&mut self, why: Dismissal) {
        let Some(sharing) = &self.sharing else { return };
        let guests: Vec<_> = sharing.guests.iter().map(|member| member.connection).collect();
        for guest in guests {
            self.refuse_requests_of(guest, None, Obstacle::NotShared);
            self.remove_guest(guest, Some(why));
        }
        self.sharing = None;
        self.actions.push(Action::CloseDoor);
    }

    /// Tells the others what a request has done that the engine has carried out. `watch` is the one that it has added.
    pub(super) fn tell_done(&mut self, id: RequestId, request: &Request, watch: Option<Watch>) {
        let connection = ConnectionId::of(id);
        let Some(name) = self.name(connection) else { return };
        match request {
            Request::Start(_) | Request::Resume(_) | Request::RunCell(_) => {
                self.set_driver(connection);
                self.tell_company(connection, Company::Resumed(name));
            }
            Request::Restart(_) => {
                self.set_driver(connection);
                self.tell_company(connection, Company::Restarted(name));
                self.look_for_breakpoints(Some(connection));
            }
            Request::Pause => self.set_driver(connection),
            Request::Inspect(request) if request.may_change() => {
                self.tell_company(connection, Company::Changed(name));
            }
            Request::Breakpoint(request) if request.may_change() => {
                self.look_for_breakpoints(Some(connection));
            }
            Request::Initialize(_) => self.look_for_breakpoints(Some(connection)),
            Request::Query(Query::State(_)) => {
                if let Some(sharing) = &mut self.sharing {
                    sharing.breakpoints.told_all(connection);
                }
            }
            Request::Watch(_) => {
                if let Some(watch) = watch {
                    self.tell_others(connection, Event::WatchChanged(watch));
                }
            }
            Request::Breakpoint(_)
            | Request::Query(_)
            | Request::Inspect(_)
            | Request::Investigate(_)
            | Request::Session(_)
            | Request::SetDebugging(_)
            | Request::SetExpectedOutput(_)
            | Request::Kill
            | Request::Terminate
            | Request::Detach => {}
        }
    }

    /// A restart is asked for.
    pub(super) fn note_restart(&mut self) {
        let ends_one = matches!(self.status, Stage::Running | Stage::Stopped);
        if let Some(sharing) = &mut self.sharing {
            sharing.ended_for_restart = ends_one;
        }
    }

    /// Tells the others that a client has restarted the program, perhaps ended it for that, which could not be loaded.
    pub(super) fn tell_failed_restart(&mut self, connection: ConnectionId, failure: &Failure) {
        let Some(name) = self.name(connection) else { return };
        let why = &failure.message;
        let mut message = format!("{name} has restarted the program, which cannot be loaded: {why}");
        if let Some((problem, at)) =
            failure.problems.iter().find_map(|one| Some((one, one.location.as_ref()?)))
        {
            let file = at.path.file_name().unwrap_or_default().to_string_lossy();
            message.push_str(&format!(": {file}:{}: {}", at.line, problem.message));
        }
        self.tell_others(connection, Event::Failed(message));
        if self.sharing.as_ref().is_some_and(|sharing| sharing.ended_for_restart) {
            self.tell_others(connection, Event::Exited(Box::new(Exited::with_status(KILLED))));
        }
    }

    fn set_driver(&mut self, connection: ConnectionId) {
        if let Some(sharing) = &mut self.sharing {
            sharing.driver = Some(connection);
        }
    }

    /// Adds to a stop who has caused it.
    pub(super) fn name_driver(&self, stopped: &mut Stopped) {
        let driver = self.sharing.as_ref().and_then(|sharing| sharing.driver);
        stopped.by = driver.and_then(|driver| self.name(driver));
    }

    /// Asks the engine which breakpoints there are, after a request of this client.
    fn look_for_breakpoints(&mut self, by: Option<ConnectionId>) {
        if let Some(sharing) = self.sharing.as_mut().filter(|_| self.engine_lives) {
            sharing.breakpoints.looks(by);
            let request = Request::Query(Query::State(GetState));
            self.asked.push(LOOK, request.clone());
            let wake = self.status == Stage::Running;
            self.actions.push(Action::Ask { id: LOOK, request, wake });
        }
    }

    /// The engine has answered that.
    pub(super) fn found_breakpoints(&mut self, result: Result<Response, Failure>) {
        let owner = self.owner();
        let Some(sharing) = &mut self.sharing else { return };
        let by = sharing.breakpoints.looked();
        let Ok(Response::Query(QueryAnswer::State(state))) = result else { return };
        let joined = sharing.guests.iter().filter(|member| member.held.is_none());
        let clients: Vec<_> = joined.map(|member| member.connection).chain(owner).collect();
        let setter = by.or(owner);
        if by.is_none() {
            sharing.breakpoints.begin_with_filters(state.exceptions, owner);
        }
        let changes = sharing.breakpoints.update(state.breakpoints, setter, &clients);
        if let Some(client) = by.filter(|_| !changes.is_empty()) {
            let by = self.name(client);
            self.tell_others(client, Event::BreakpointsChanged { changes, by });
        }
    }
}

/// The response to a guest's request to attach.
fn attached(state: State, guest: Guest) -> Attached {
    // Only what a client that connects late is shown.
    let stop = state.stop.clone().map(|at| Box::new(at.into()));
    Attached { state, stop, dropped_output: 0, process: std::process::id(), guest: Some(guest) }
}

/// A client's name as it is shown: without what would not be seen in it, and of moderate length; `None` if nothing is
/// left.
fn proper_name(name: &str) -> Option<String> {
    let shown: String = name.chars().filter(|c| visible_char(*c) == *c).collect();
    let shown: String = shown.trim().chars().take(MAX_NAME).collect();
    Some(shown.trim_end().to_string()).filter(|name| !name.is_empty())
}

//! Fuzzing of the session's state machine: clients that come and go, an engine that answers, fails or is gone, child
//! processes, and a clock. Three bytes are a step; the first byte of all chooses how long the session lives.
//!
//! Each request is answered once, to the client that has made it, and before that client gets its last message; the
//! engine gets nothing that the client's role does not allow, and what an observer asks changes nothing; what can be
//! answered while the program runs waits for [`ORDER_GRACE`] at most; and the session comes to its end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::{Action, ChildAnswer, ConnectionId, Incoming, Lifetime, Machine, ORDER_GRACE, Stage};
use crate::api::{
    Access, Attach, BreakpointRequest, ChildEnd, ChildProcess, ClearBreakpoint, Done, Entrance, Evaluate,
    Event, Exited, Failure, FailureKind, GetModules, GetStackTrace, GetState, GetWatches, Initialized, Input,
    Inspect, KILLED, Launch, Limits, Location, Obstacle, Purpose, Query, Question, Request, RequestId,
    RequestNumber, Response, Restarted, Resume, Role, SessionRequest, Share, Shared, StackTrace, State,
    Status, StopReason, Stopped,
};
use crate::debug::Message;

/// A step is that many bytes.
const STEP: usize = 3;

/// Most steps of an input.
const STEPS: usize = 400;

/// How many turns a session takes at most to end.
const TURNS: usize = 2000;

/// What the program does, as the engine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    None,
    Loaded,
    Runs,
    Stopped,
    Exited,
}

/// A client that is connected.
struct Client {
    /// `None` of the owner.
    role: Option<Role>,
    /// Whether it has been sent its first message.
    is_open: bool,
    /// The number of its last request.
    sent: u64,
    /// Whether its connection is lost.
    is_lost: bool,
}

struct World {
    machine: Machine,
    now: Duration,
    /// When the timer is due.
    due: Option<Duration>,
    lifetime: Lifetime,
    last_connection: ConnectionId,
    clients: BTreeMap<ConnectionId, Client>,
    owner: Option<ConnectionId>,
    /// The requests that are not answered, with the time at which they came.
    open: BTreeMap<RequestId, (Duration, Request)>,
    asked: VecDeque<(RequestId, Request)>,
    program: Program,
    engine_lives: bool,
    children: BTreeSet<u32>,
    last_child: u32,
    over: bool,
    /// Whether all that happens is written to standard error.
    traces: bool,
}

/// Runs what the bytes describe.
///
/// # Panics
/// If something is not as it is to be.
pub fn target(data: &[u8]) {
    let Some((lifetime, steps)) = data.split_first() else { return };
    let mut world = World::new(*lifetime);
    for step in steps.chunks_exact(STEP).take(STEPS) {
        if let [what, who, choice] = *step {
            world.step(what, who, choice);
        }
        world.look();
    }
    world.end();
}

impl World {
    fn new(choice: u8) -> World {
        let linger = Duration::from_millis(u64::from(choice / 4));
        let lifetime = match choice % 4 {
            0 => Lifetime::OneClient { linger },
            1 => Lifetime::Clients { linger },
            2 => Lifetime::Program,
            _ => Lifetime::Child,
        };
        let mut world = World {
            machine: Machine::new(lifetime),
            now: Duration::ZERO,
            due: None,
            lifetime,
            last_connection: ConnectionId::ONLY,
            clients: BTreeMap::new(),
            owner: None,
            open: BTreeMap::new(),
            asked: VecDeque::new(),
            program: Program::None,
            engine_lives: true,
            children: BTreeSet::new(),
            last_child: 0,
            over: false,
            traces: std::env::var_os("EZ_FUZZ_TRACE").is_some(),
        };
        if matches!(lifetime, Lifetime::OneClient { .. }) {
            world.owner = Some(ConnectionId::ONLY);
            world
                .clients
                .insert(ConnectionId::ONLY, Client { role: None, is_open: true, sent: 0, is_lost: false });
        }
        world
    }

    fn step(&mut self, what: u8, who: u8, choice: u8) {
        if self.over {
            return;
        }
        match what % 16 {
            0..6 => {
                let clients: Vec<ConnectionId> = self.clients.keys().copied().collect();
                if let Some(client) = clients.get(usize::from(who) % clients.len().max(1)) {
                    self.send(*client, request(choice));
                }
            }
            6..9 => self.engine_answers(choice),
            9 => self.program_halts(choice),
            10 => self.pass(Duration::from_millis(u64::from(choice))),
            11 => self.connect_owner(choice),
            12 => self.connect_guest(choice),
            13 => self.lose(who, choice),
            14 => self.child(who, choice),
            _ => self.outside(who, choice),
        }
        self.act();
    }

    fn send(&mut self, client: ConnectionId, request: Result<Request, Failure>) {
        let Some(known) = self.clients.get_mut(&client).filter(|known| !known.is_lost) else { return };
        known.sent += 1;
        let id = client.in_session(RequestNumber::of_low_bits(known.sent));
        self.trace(&(id, &request));
        let kept = request.clone().unwrap_or(Request::Pause);
        self.open.insert(id, (self.now, kept));
        self.machine.receive(Incoming { id, request }, self.now);
        self.act();
    }

    fn trace(&self, what: &dyn std::fmt::Debug) {
        if self.traces {
            eprintln!("{:?} {what:?}", self.machine.status);
        }
    }

    /// Carries out what the machine wants, as a session does.
    fn act(&mut self) {
        loop {
            let actions = self.machine.take_actions();
            if actions.is_empty() {
                return;
            }
            actions.into_iter().for_each(|action| self.action(action));
        }
    }

    fn action(&mut self, action: Action) {
        self.trace(&action);
        let is_told = matches!(
            action,
            Action::Respond(..)
                | Action::Ask { .. }
                | Action::Open(_)
                | Action::OpenGuest(..)
                | Action::Tell(_)
        );
        assert!(!self.over || !is_told, "after the end: {action:?}");
        match action {
            Action::Respond(id, _) => {
                let client = self.clients.get(&ConnectionId::of(id));
                assert!(client.is_some_and(|client| client.is_open), "{id:?} is answered to nobody");
                assert!(self.open.remove(&id).is_some(), "{id:?} is answered twice, or was not asked");
            }
            Action::Ask { id, request, .. } => self.engine_gets(id, request),
            Action::Open(answer) => {
                let owner = self.owner.and_then(|owner| self.clients.get_mut(&owner));
                assert!(
                    owner.is_some_and(|owner| !std::mem::replace(&mut owner.is_open, true)),
                    "{answer:?}"
                );
                if let Some((id, _)) = answer {
                    assert!(self.open.remove(&id).is_some(), "{id:?} is answered twice, or was not asked");
                }
            }
            Action::OpenGuest(guest, answer) => {
                let known = self.clients.get_mut(&guest);
                assert!(known.is_some_and(|it| !std::mem::replace(&mut it.is_open, true)), "{answer:?}");
                assert!(self.open.remove(&answer.0).is_some(), "{answer:?}");
            }
            Action::Close => {
                let owner = self.owner.take();
                assert!(owner.is_some(), "closed twice");
                owner.into_iter().for_each(|owner| self.gone(owner));
            }
            Action::CloseGuest(guest, _) => {
                assert!(self.clients.contains_key(&guest), "{guest:?} is closed twice");
                self.gone(guest);
            }
            Action::Share { id, how } => {
                let refused = how.name.is_none();
                let door = Shared { host: "127.0.0.1".into(), port: 1, tokens: vec![], unlisted: None };
                let failure = || Failure::new(FailureKind::WrongState, "no door");
                self.machine.shared(id, how.name, if refused { Err(failure()) } else { Ok(door) }, self.now);
            }
            Action::SetTimer(time) => self.due = self.now.checked_add(time),
            Action::Finish { .. } => self.over = true,
            Action::AnswerChild(pid, answer) => {
                assert!(pid == self.last_child);
                if answer == ChildAnswer::End {
                    self.children.remove(&pid);
                }
            }
            Action::ReleaseChild(pid) | Action::EndChild(pid) => {
                assert!(self.children.contains(&pid), "{pid} has gone");
            }
            Action::TellOthers { except, to_owner, .. } => {
                assert!(!to_owner || self.owner != Some(except));
            }
            Action::Tell(_)
            | Action::TellOwner(_)
            | Action::Input { .. }
            | Action::RefuseInput(_)
            | Action::DiscardInput
            | Action::BeginShutdown
            | Action::StopWaiting
            | Action::CloseDoor
            | Action::ReportStart => {}
        }
    }

    /// A client gets nothing more: what it has asked is answered by now, unless its connection was lost.
    fn gone(&mut self, client: ConnectionId) {
        if self.clients.remove(&client).is_some_and(|client| client.is_lost) {
            self.open.retain(|id, _| ConnectionId::of(*id) != client);
        }
        let open = self.open.keys().find(|id| ConnectionId::of(**id) == client);
        assert_eq!(open, None, "not answered before {client:?} is closed");
    }

    fn engine_gets(&mut self, id: RequestId, request: Request) {
        let role = self.clients.get(&ConnectionId::of(id)).and_then(|client| client.role);
        let allowed = role.is_none_or(|role| role.obstacle_to(&request).is_none());
        assert!(allowed, "{role:?} asks {request:?}");
        let harmless = role != Some(Role::Observer) || request.access() == Access::Anybody;
        assert!(harmless, "an observer changes nothing: {request:?}");
        if self.engine_lives {
            self.asked.push_back((id, request));
        }
    }

    /// The engine answers its oldest request.
    fn engine_answers(&mut self, choice: u8) {
        let Some((id, request)) = self.asked.pop_front() else { return };
        if request == Request::Terminate {
            self.engine_ends();
            return;
        }
        let before = self.program;
        let result = self.answer(&request, choice >= 200);
        if matches!(request, Request::Restart(_)) && matches!(before, Program::Runs | Program::Stopped) {
            self.tell(Event::Exited(Box::new(Exited::with_status(KILLED))));
        }
        let killed = request == Request::Kill && result.is_ok();
        self.trace(&("engine", id, &result));
        self.machine.engine(Message::Response(id, result), self.now);
        self.act();
        if killed {
            self.tell(Event::Exited(Box::new(Exited::with_status(KILLED))));
        }
    }

    /// The response to a request, and what becomes of the program.
    fn answer(&mut self, request: &Request, fails: bool) -> Result<Response, Failure> {
        let wrong = || Failure::wrong_state(request.verb(), Obstacle::NotInitialized);
        let initialized = || Initialized { file: "a.ez".into(), warnings: vec![] };
        let (needs, then, response) = match request {
            Request::Initialize(_) | Request::Restart(_) if fails => {
                self.program = Program::None;
                return Err(Failure::new(FailureKind::NoProgram, "it has errors"));
            }
            Request::Initialize(_) => {
                (&[Program::None][..], Program::Loaded, Response::Initialized(initialized()))
            }
            Request::Restart(_) => {
                self.program = Program::Runs;
                return Ok(Response::Restarted(Restarted(initialized())));
            }
            Request::Start(_) => {
                (&[Program::Loaded, Program::Stopped][..], Program::Runs, Response::Done(Done::Started))
            }
            Request::Resume(_) => (&[Program::Stopped][..], Program::Runs, Response::Done(Done::Resumed)),
            Request::Kill => {
                (&[Program::Runs, Program::Stopped][..], Program::Exited, Response::Done(Done::Killed))
            }
            Request::Detach => {
                if self.program == Program::Stopped {
                    self.program = Program::Runs;
                }
                return Ok(Response::Done(Done::Detached));
            }
            Request::Pause => return Ok(Response::Done(Done::Pausing)),
            Request::SetExpectedOutput(_) => return Ok(Response::Done(Done::OutputExpected)),
            Request::Query(Query::State(_)) => return Ok(self.state()),
            Request::Query(_) => return Ok(GetModules::response(vec![])),
            Request::Breakpoint(_) => return Ok(ClearBreakpoint::response(())),
            Request::Watch(_) => return Ok(GetWatches::response(vec![])),
            Request::Inspect(Inspect::StackTrace(_)) if !fails => {
                return Ok(GetStackTrace::response(StackTrace { frames: vec![], total: 0 }));
            }
            Request::Inspect(_) | Request::Investigate(_) => {
                return Err(Failure::new(FailureKind::Evaluation, "no value"));
            }
            Request::RunCell(_) | Request::SetDebugging(_) | Request::Terminate | Request::Session(_) => {
                return Err(wrong());
            }
        };
        // A program can always be started and ended.
        let fails = fails && !matches!(request, Request::Kill | Request::Start(_));
        if fails || !needs.contains(&self.program) {
            return Err(wrong());
        }
        self.program = then;
        Ok(response)
    }

    fn state(&self) -> Response {
        let status = match self.program {
            Program::None | Program::Loaded => Status::Ready,
            Program::Runs => Status::Running,
            Program::Stopped => Status::Stopped,
            Program::Exited => Status::Exited,
        };
        GetState::response(Box::new(empty_state(status)))
    }

    fn tell(&mut self, event: Event) {
        self.trace(&event);
        self.machine.engine(Message::Event(event), self.now);
        self.act();
    }

    fn engine_ends(&mut self) {
        if std::mem::take(&mut self.engine_lives) {
            self.trace(&"the engine ends");
            self.asked.clear();
            self.machine.engine_gone(self.now);
            self.act();
        }
    }

    /// A program that runs stops or ends.
    fn program_halts(&mut self, choice: u8) {
        if self.program != Program::Runs || !self.engine_lives {
            return;
        }
        if choice < 200 {
            self.program = Program::Stopped;
            let location = Location { path: "/a.ez".into(), line: 1, column: 1 };
            self.tell(Event::Stopped(Box::new(Stopped::new(StopReason::Step, location))));
        } else {
            self.program = Program::Exited;
            self.tell(Event::Exited(Box::new(Exited::with_status(0))));
        }
    }

    /// Time passes; the timer is called if it is due.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        if self.due.take_if(|due| *due <= self.now).is_some() {
            self.machine.timer(self.now);
        }
        self.act();
    }

    fn connect_owner(&mut self, choice: u8) {
        if matches!(self.lifetime, Lifetime::OneClient { .. }) || self.owner.is_some() {
            return;
        }
        self.last_connection = self.last_connection.next();
        let (owner, attaches) = (self.last_connection, choice.is_multiple_of(2));
        self.owner = Some(owner);
        self.clients.insert(owner, Client { role: None, is_open: false, sent: 0, is_lost: false });
        self.trace(&("connect", owner, attaches));
        self.machine.connect(owner, attaches);
        self.act();
        if attaches {
            let launch = choice.is_multiple_of(4).then(Launch::default);
            self.send(owner, Ok(attach(launch)));
        }
    }

    fn connect_guest(&mut self, choice: u8) {
        self.last_connection = self.last_connection.next();
        let guest = self.last_connection.of_guest();
        let role = if choice.is_multiple_of(2) { Role::Participant } else { Role::Observer };
        if self.machine.connect_guest(guest, role).is_ok() {
            self.clients.insert(guest, Client { role: Some(role), is_open: false, sent: 0, is_lost: false });
            self.send(guest, Ok(attach(None)));
        }
    }

    /// The connection of a client is lost, or it sends or reads nothing more.
    fn lose(&mut self, who: u8, choice: u8) {
        let clients: Vec<ConnectionId> = self.clients.keys().copied().collect();
        let Some(client) = clients.get(usize::from(who) % clients.len().max(1)).copied() else { return };
        if client == ConnectionId::ONLY {
            match choice {
                0..16 => {
                    // Nobody reads the answers.
                    self.clients.values_mut().for_each(|client| client.is_lost = true);
                    self.machine.output_closed();
                }
                16..64 => self.machine.commands_end(self.now),
                _ => {}
            }
            return;
        }
        if let Some(known) = self.clients.get_mut(&client)
            && std::mem::replace(&mut known.is_lost, true)
        {
            return;
        }
        let on_disconnect = match choice % 4 {
            0 => Request::Terminate,
            choice => Request::Session(SessionRequest::Disconnect { resume: choice == 1 }),
        };
        self.trace(&("lost", client, &on_disconnect));
        self.machine.client_gone(client, on_disconnect, self.now);
    }

    fn child(&mut self, who: u8, choice: u8) {
        let known = self.children.iter().nth(usize::from(who) % self.children.len().max(1)).copied();
        match (choice % 4, known) {
            (0, Some(pid)) => self.machine.child_started(pid),
            (1, Some(pid)) => {
                self.children.remove(&pid);
                self.machine.child_ended(ChildEnd { pid, status: Some(0) }, self.now);
            }
            _ => {
                self.last_child += 1;
                self.children.insert(self.last_child);
                let entrance = (choice >= 64).then(|| Entrance { port: 1, token: String::new() });
                let child = ChildProcess {
                    pid: self.last_child,
                    parent: 1,
                    file: "b.ez".into(),
                    args: vec![],
                    directory: "/".into(),
                    entrance,
                    held: false,
                };
                self.machine.child_announced(child, self.now);
            }
        }
    }

    /// What else may happen: a request that no client makes, a cancelled one, the end of the engine or of the parent.
    fn outside(&mut self, who: u8, choice: u8) {
        match choice {
            0..32 => {
                let launched = matches!(self.lifetime, Lifetime::Program | Lifetime::Child);
                if launched && self.program == Program::None && self.asked.is_empty() {
                    self.machine.launch(Launch::default(), choice.is_multiple_of(2), self.now);
                }
            }
            32..64 if self.lifetime == Lifetime::Child => self.machine.release(self.now),
            64..96 if self.lifetime == Lifetime::Child => self.machine.parent_gone(self.now),
            96..220 => {
                let open = self.open.keys().nth(usize::from(who) % self.open.len().max(1)).copied();
                open.into_iter().for_each(|id| self.machine.cancel(id, self.now));
            }
            250.. if who == 0 => self.engine_ends(),
            240..250 if who < 16 => self.machine.terminate_unasked(self.now),
            _ => {}
        }
    }

    /// What can be answered while the program runs has been asked of the engine, if it has waited for long enough.
    fn look(&mut self) {
        self.pass(Duration::ZERO);
        let runs = self.program == Program::Runs && self.machine.status == Stage::Running;
        if self.over || !runs || !self.asked.is_empty() {
            return;
        }
        let waits = self.open.iter().find(|(id, (since, request))| {
            let is_owners = !ConnectionId::of(**id).is_of_guest();
            let is_asked = self.machine.asked.iter().any(|asked| asked.id == **id);
            is_owners && !is_asked && matches!(request, Request::Query(_)) && self.is_due(*since)
        });
        assert!(waits.is_none(), "waits for too long: {waits:?} at {:?} in {:?}", self.now, self.machine);
    }

    fn is_due(&self, since: Duration) -> bool {
        since.max(self.machine.busy_since) + ORDER_GRACE < self.now
    }

    /// The session comes to its end, and all is answered.
    fn end(&mut self) {
        match self.lifetime {
            Lifetime::OneClient { .. } => self.machine.commands_end(self.now),
            Lifetime::Clients { .. } | Lifetime::Program | Lifetime::Child => {
                self.machine.terminate_unasked(self.now);
            }
        }
        for turn in 0..TURNS {
            self.act();
            if self.over {
                break;
            }
            self.engine_answers(0);
            self.program_halts(if turn % 8 == 0 { 255 } else { 0 });
            self.pass(Duration::from_millis(60));
        }
        assert!(self.over, "the session does not end: {:?}", self.machine);
        let lost =
            |id: &RequestId| self.clients.get(&ConnectionId::of(*id)).is_none_or(|client| client.is_lost);
        let open = self.open.iter().find(|(id, _)| !lost(id));
        assert!(open.is_none(), "not answered: {open:?}");
    }
}

fn attach(launch: Option<Launch>) -> Request {
    Request::Session(SessionRequest::Attach(Box::new(Attach { launch, name: None, shows_breakpoints: true })))
}

/// A request that a client may make.
fn request(choice: u8) -> Result<Request, Failure> {
    let requests = [
        Request::Initialize(Box::default()),
        Request::Initialize(Box::new(Launch { keep_alive: true, ..Launch::default() })),
        Request::Start(None),
        Request::Resume(Resume::Continue),
        Request::Resume(Resume::StepInto),
        Request::Pause,
        Request::Kill,
        Request::Restart(Box::default()),
        GetModules.into_request(),
        GetState.into_request(),
        GetStackTrace { start: 0, count: 1 }.into_request(),
        evaluate(),
        Request::Breakpoint(BreakpointRequest::Clear(ClearBreakpoint { file: "a.ez".into(), line: 1 })),
        GetWatches.into_request(),
        Request::Session(SessionRequest::Share(Box::new(Share {
            name: Some("Ann".into()),
            ..Share::default()
        }))),
        Request::Session(SessionRequest::Share(Box::default())),
        Request::Session(SessionRequest::Unshare),
        Request::Session(SessionRequest::GetGuests),
        Request::Session(SessionRequest::GetProcesses),
        Request::Session(SessionRequest::ReleaseChild(1)),
        Request::Session(SessionRequest::ReleaseChild(2)),
        Input { text: Some("x".into()), eof: false }.into_request(),
        Input { text: None, eof: true }.into_request(),
        attach(None),
        Request::Session(SessionRequest::Disconnect { resume: choice >= 128 }),
        Request::Terminate,
    ];
    let nonsense = || Failure::new(FailureKind::BadRequest, "nonsense");
    requests.get(usize::from(choice) % (requests.len() + 1)).cloned().ok_or_else(nonsense)
}

/// The state of a session in which nothing is set.
pub(super) fn empty_state(status: Status) -> State {
    State {
        status,
        file: None,
        stop: None,
        exit_status: None,
        breakpoints: vec![],
        exceptions: vec![],
        watches: vec![],
        keeps_history: false,
        output: None,
    }
}

/// An evaluation.
pub(super) fn evaluate() -> Request {
    Request::Inspect(Inspect::Evaluate(Evaluate {
        expression: "f()".into(),
        frame: 0,
        purpose: Purpose::Plain,
        timeout_ms: None,
        limits: Limits::PREVIEW,
    }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_corpus_holds() {
        crate::replay::replay("machine", super::target);
    }
}

//! Sessions with guests.

use std::collections::BTreeSet;

use super::*;
use crate::api::{
    Attach, ChangeReason, Company, Dismissal, ExceptionBreakpoint, ExceptionFilter, ExceptionSpec, GetState,
    Input, Obstacle, Query, RequestNumber, Role, SetExceptionBreakpoints, Share, Shared, State,
    Status as Told,
};
use crate::session::machine::guests::LOOK;
use crate::session::machine::known_breakpoints::KnownBreakpoints;

/// The connection of the guest with this number, from 1.
pub(super) fn connection(number: u64) -> ConnectionId {
    (0..number).fold(ConnectionId::ONLY, |last, _| last.next()).of_guest()
}

pub(super) fn id(client: ConnectionId, number: u64) -> RequestId {
    client.in_session(RequestNumber::of_low_bits(number))
}

pub(super) fn attach(name: &str) -> Request {
    let name = Some(name.to_string());
    Request::Session(SessionRequest::Attach(Box::new(Attach { launch: None, name, shows_breakpoints: true })))
}

pub(super) fn share() -> Request {
    Request::Session(SessionRequest::Share(Box::new(Share { name: Some("Ann".into()), ..Share::default() })))
}

pub(super) fn leave() -> Request {
    Request::Session(SessionRequest::Disconnect { resume: true })
}

pub(super) fn state(breakpoints: Vec<Breakpoint>) -> Response {
    GetState::response(Box::new(State { breakpoints, ..empty_state(Told::Stopped) }))
}

fn line_breakpoint(number: u32, line: u32) -> Breakpoint {
    Breakpoint {
        id: BreakpointId(number),
        place: BreakpointLocation::Line {
            file: "a.ez".into(),
            path: "/a.ez".into(),
            place: LineSpec::from(line).place,
        },
        options: LineSpec::from(line).options,
        verified: true,
        location: None,
        hits: Some(0),
        message: None,
    }
}

/// Sends a request of a client.
pub(super) fn send(play: &mut Play, client: ConnectionId, number: u64, request: Request) {
    play.machine.receive(Incoming { id: id(client, number), request: Ok(request) }, play.now);
}

/// Lets the engine answer all it was asked; questions about the state with these breakpoints.
fn answer_all(play: &mut Play, breakpoints: &[Breakpoint]) {
    while let Some(PendingRequest { id, request }) = play.machine.asked.front() {
        let is_about_state =
            matches!(request, Request::Query(Query::State(_)) | Request::Session(SessionRequest::Attach(_)));
        let result = if is_about_state { Ok(state(breakpoints.to_vec())) } else { answer(request) };
        play.machine.engine(Message::Response(*id, result), play.now);
    }
}

pub(super) fn door() -> Shared {
    Shared { host: "127.0.0.1".into(), port: 1, tokens: vec![], unlisted: None }
}

/// Shares the session, whose engine knows these breakpoints.
fn open(play: &mut Play, breakpoints: &[Breakpoint]) {
    send(play, ConnectionId::ONLY, 100, share());
    play.machine.shared(id(ConnectionId::ONLY, 100), Some("Ann".into()), Ok(door()), play.now);
    answer_all(play, breakpoints);
    play.told();
}

pub(super) fn join(play: &mut Play, guest: ConnectionId, role: Role, name: &str, breakpoints: &[Breakpoint]) {
    play.machine.connect_guest(guest, role).unwrap();
    send(play, guest, 1, attach(name));
    answer_all(play, breakpoints);
    play.machine.take_actions();
}

pub(super) fn stopped_with_guest(role: Role) -> (Play, ConnectionId) {
    let mut play = Play::stopped();
    open(&mut play, &[]);
    join(&mut play, connection(1), role, "Bob", &[]);
    (play, connection(1))
}

#[test]
fn a_guest_is_answered_and_the_others_are_told() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    join(&mut play, connection(2), Role::Observer, "Bob", &[]);
    let names: Vec<String> = play.machine.guests().into_iter().map(|guest| guest.name).collect();
    assert_eq!(names, ["Bob", "Bob 2"]);
    send(&mut play, bob, 2, INTO);
    answer_all(&mut play, &[]);
    let actions = play.machine.take_actions();
    let resumed = Event::Company(Company::Resumed("Bob".into()));
    assert!(actions.contains(&Action::Respond(id(bob, 2), Ok(Response::Done(Done::Resumed)))), "{actions:?}");
    assert_eq!(actions.last(), Some(&Action::TellOthers { except: bob, to_owner: true, event: resumed }));
    play.tell(stop(StopReason::Step));
    let actions = play.machine.take_actions();
    assert!(
        matches!(actions.as_slice(), [Action::Tell(Event::Stopped(stopped))] if stopped.by.as_deref() == Some("Bob")),
        "{actions:?}"
    );
    let value = Request::Inspect(Inspect::Evaluate(Evaluate {
        expression: "x".into(),
        frame: 0,
        purpose: Purpose::Look,
        timeout_ms: None,
        limits: Limits::PREVIEW,
    }));
    send(&mut play, ConnectionId::ONLY, 101, value);
    answer_all(&mut play, &[]);
    assert_eq!(play.told().len(), 2, "a look is told to nobody");
}

#[test]
fn what_a_role_does_not_allow_is_refused_in_its_turn() {
    let (mut play, eve) = stopped_with_guest(Role::Observer);
    send(&mut play, ConnectionId::ONLY, 101, INTO);
    answer_all(&mut play, &[]);
    play.told();
    let input = Input { text: Some("x".into()), eof: false };
    for (number, request) in
        [CONTINUE, breakpoint(1), input.into_request(), Request::Pause].into_iter().enumerate()
    {
        send(&mut play, eve, 2 + number as u64, request);
    }
    play.pass(100);
    let told = play.told();
    let refused: Vec<_> =
        told.iter().filter(|told| told.ends_with(": an observer changes nothing")).collect();
    assert_eq!(refused.len(), 4, "{told:?}");
    assert!(play.machine.asked.is_empty());
    // An evaluation has no effects, and takes no time of the others.
    play.tell(stop(StopReason::Step));
    send(&mut play, eve, 9, evaluate());
    let asked = play.machine.asked.front().map(|asked| &asked.request);
    let Some(Request::Inspect(Inspect::Evaluate(asked))) = asked else { panic!("{asked:?}") };
    assert_eq!((asked.purpose, asked.timeout_ms), (Purpose::Look, Some(Role::LOOK_TIME)));
}

/// What the machine asks the engine now.
pub(super) fn asked(play: &mut Play) -> Vec<RequestId> {
    let actions = play.machine.take_actions();
    actions
        .iter()
        .filter_map(|action| if let Action::Ask { id, .. } = action { Some(*id) } else { None })
        .collect()
}

#[test]
fn who_was_sent_away_is_nobody() {
    let (mut play, eve) = stopped_with_guest(Role::Observer);
    send(&mut play, ConnectionId::ONLY, 101, Request::Session(SessionRequest::Unshare));
    play.told();
    // Its reader does not know yet.
    for (number, request) in [evaluate(), CONTINUE, Request::Terminate, breakpoint(1)].into_iter().enumerate()
    {
        send(&mut play, eve, 2 + number as u64, request);
    }
    play.pass(100);
    assert_eq!(play.machine.take_actions(), []);
    assert_eq!(play.machine.status, Stage::Stopped);
}

#[test]
fn a_pause_is_not_meant_for_what_another_client_runs_later() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, CONTINUE);
    answer_all(&mut play, &[]);
    send(&mut play, bob, 3, INTO);
    send(&mut play, bob, 4, Request::Pause);
    assert!(!asked(&mut play).contains(&id(bob, 4)), "that is for the run of its step");
    send(&mut play, ConnectionId::ONLY, 101, Request::Pause);
    assert!(asked(&mut play).contains(&id(ConnectionId::ONLY, 101)));
}

#[test]
fn the_owner_waits_for_one_request_of_a_guest() {
    let (mut play, eve) = stopped_with_guest(Role::Observer);
    for number in 2..6 {
        send(&mut play, eve, number, evaluate());
    }
    send(&mut play, ConnectionId::ONLY, 101, evaluate());
    send(&mut play, ConnectionId::ONLY, 102, evaluate());
    let mut order = Vec::new();
    while let Some(asked) = play.machine.asked.front().map(|asked| asked.id) {
        order.push(asked);
        let answer = answer(&play.machine.asked.front().unwrap().request);
        play.machine.engine(Message::Response(asked, answer), play.now);
    }
    let own = |number| id(ConnectionId::ONLY, number);
    assert_eq!(order, [id(eve, 2), own(101), id(eve, 3), own(102), id(eve, 4), id(eve, 5)]);
}

#[test]
fn the_owner_waits_half_a_second_for_an_evaluation_of_a_guest() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, evaluate());
    play.pass(1000);
    assert!(!asked(&mut play).contains(&OWN_REQUEST), "nobody waits for it");
    answer_all(&mut play, &[]);
    send(&mut play, bob, 3, evaluate());
    send(&mut play, ConnectionId::ONLY, 101, CONTINUE);
    // It is for the run that it has asked for.
    send(&mut play, ConnectionId::ONLY, 102, Request::Pause);
    play.pass(100);
    assert_eq!(asked(&mut play), [id(bob, 3)]);
    play.pass(400);
    assert_eq!(asked(&mut play), [OWN_REQUEST]);
    play.pass(500);
    assert_eq!(asked(&mut play), [], "it is ended once");
    // The engine says at once that it ends it, and later what has come of it.
    let pausing = Ok(Response::Done(Done::Pausing));
    play.machine.engine(Message::Response(OWN_REQUEST, pausing), play.now);
    assert_eq!(asked(&mut play), [], "it is ended already");
    answer_all(&mut play, &[]);
    assert_eq!(play.machine.status, Stage::Running);
}

#[test]
fn who_joins_waits_for_nothing_that_has_not_begun() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    for number in 2..5 {
        send(&mut play, bob, number, evaluate());
    }
    let eve = connection(2);
    play.machine.connect_guest(eve, Role::Observer).unwrap();
    send(&mut play, eve, 1, attach("Eve"));
    asked(&mut play);
    let failed = Failure::new(FailureKind::Evaluation, "no value");
    play.machine.engine(Message::Response(id(bob, 2), Err(failed)), play.now);
    assert_eq!(asked(&mut play), [id(eve, 1)]);
}

#[test]
fn unsharing_waits_for_no_guest() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, evaluate());
    send(&mut play, bob, 3, evaluate());
    play.machine.take_actions();
    send(&mut play, ConnectionId::ONLY, 101, Request::Session(SessionRequest::Unshare));
    let actions = play.machine.take_actions();
    let unshared = Action::Respond(id(ConnectionId::ONLY, 101), Ok(Response::Done(Done::Unshared)));
    assert!(actions.contains(&unshared), "{actions:?}");
    assert!(
        actions.contains(&Action::Ask { id: OWN_REQUEST, request: Request::Pause, wake: true }),
        "{actions:?}"
    );
    // But it is not earlier than what it is about.
    send(&mut play, ConnectionId::ONLY, 102, share());
    send(&mut play, ConnectionId::ONLY, 103, Request::Session(SessionRequest::Unshare));
    answer_all(&mut play, &[]);
    assert!(play.machine.take_actions().iter().any(|action| matches!(action, Action::Share { .. })));
}

#[test]
fn the_end_of_the_owners_commands_waits_for_no_guest() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, evaluate());
    send(&mut play, bob, 3, evaluate());
    play.machine.take_actions();
    play.machine.commands_end(play.now);
    let actions = play.machine.take_actions();
    let dismissed = Event::Company(Company::Dismissed(Dismissal::OwnerLeft));
    assert!(actions.contains(&Action::CloseGuest(bob, Some(dismissed))), "{actions:?}");
    answer_all(&mut play, &[]);
    assert!(matches!(play.machine.status, Stage::EndingChildren { .. } | Stage::Ending { .. }));
}

#[test]
fn a_program_that_was_restarted_is_woken_for_the_questions_of_the_session() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, Request::Restart(Box::default()));
    let restarted = answer(&Request::Restart(Box::default()));
    play.machine.take_actions();
    play.machine.engine(Message::Response(id(bob, 2), restarted), play.now);
    let actions = play.machine.take_actions();
    let told = Event::Company(Company::Restarted("Bob".into()));
    assert!(
        actions.contains(&Action::TellOthers { except: bob, to_owner: true, event: told }),
        "{actions:?}"
    );
    let look = Request::Query(Query::State(GetState));
    assert!(actions.contains(&Action::Ask { id: LOOK, request: look, wake: true }), "{actions:?}");
}

#[test]
fn the_others_are_told_of_a_restart_that_fails() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    play.machine.program.keep_alive = true;
    send(&mut play, bob, 2, Request::Restart(Box::default()));
    let failure = Failure::new(FailureKind::NoProgram, "a.ez: no main");
    play.machine.engine(Message::Response(id(bob, 2), Err(failure)), play.now);
    let actions = play.machine.take_actions();
    let told: Vec<&Event> = actions
        .iter()
        .filter_map(|action| match action {
            Action::TellOthers { except, to_owner: true, event } if *except == bob => Some(event),
            _ => None,
        })
        .collect();
    let why = Event::Failed("Bob has restarted the program, which cannot be loaded: a.ez: no main".into());
    assert!(matches!(told[..], [first, Event::Exited(_)] if *first == why), "{told:?}");
    // There is no program any more that could end.
    send(&mut play, bob, 3, Request::Restart(Box::default()));
    let failure = Failure::new(FailureKind::NoProgram, "a.ez: no main");
    play.machine.engine(Message::Response(id(bob, 3), Err(failure)), play.now);
    let actions = play.machine.take_actions();
    assert!(
        actions.iter().any(|action| matches!(action, Action::TellOthers { event: Event::Failed(_), .. }))
    );
    assert!(
        !actions.iter().any(|action| matches!(action, Action::TellOthers { event: Event::Exited(_), .. }))
    );
}

#[test]
fn a_guest_replaces_its_own_exception_filters_and_the_owner_all() {
    let spec = |filter, condition: &str| ExceptionSpec { filter, condition: Some(condition.into()) };
    let uncaught = spec(ExceptionFilter::Uncaught, "owner");
    let conditional = spec(ExceptionFilter::Uncaught, "guest");
    let mut known = KnownBreakpoints::default();
    let (owner, bob, eve) = (ConnectionId::ONLY, connection(1), connection(2));
    let set = ExceptionBreakpoint { spec: uncaught.clone(), message: None };
    known.begin_with_filters(vec![set.clone()], Some(owner));
    // The filters in force after a request for these.
    let mut ask = |client, specs: &[&ExceptionSpec]| {
        let specs = specs.iter().map(|spec| (*spec).clone()).collect();
        let mut request = BreakpointRequest::SetExceptions(SetExceptionBreakpoints::new(specs));
        known.spare(client, &mut request);
        let BreakpointRequest::SetExceptions(set) = request else { panic!() };
        if client == eve {
            known.forget_client(eve);
        }
        [set.specs, set.others].concat()
    };
    assert_eq!(ask(bob, &[]), std::slice::from_ref(&uncaught));
    assert_eq!(ask(bob, &[&conditional]), [conditional.clone(), uncaught.clone()]);
    assert_eq!(ask(bob, &[]), std::slice::from_ref(&uncaught));
    // What somebody has set who has left stays.
    assert_eq!(ask(eve, &[&conditional]), [conditional.clone(), uncaught.clone()]);
    assert_eq!(ask(eve, &[&conditional]), [conditional.clone(), conditional.clone(), uncaught.clone()]);
    assert_eq!(ask(bob, &[&uncaught]), [uncaught.clone(), conditional, uncaught.clone()]);
    assert_eq!(ask(owner, &[]), []);
    // What was there when the session was shared may be known only now.
    known.begin_with_filters(vec![set], Some(owner));
    let mut request = BreakpointRequest::SetExceptions(SetExceptionBreakpoints::new(Vec::new()));
    known.spare(bob, &mut request);
    assert_eq!(request, BreakpointRequest::SetExceptions(SetExceptionBreakpoints::new(Vec::new())));
}

#[test]
fn a_participant_cannot_end_what_is_not_its_own() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    let owners = [
        Request::Terminate,
        Request::Kill,
        Request::Detach,
        initialize(),
        Request::Session(SessionRequest::GetProcesses),
        Request::Session(SessionRequest::ReleaseChild(7)),
        Request::Session(SessionRequest::Unshare),
        share(),
    ];
    let count = owners.len();
    for (number, request) in owners.into_iter().enumerate() {
        send(&mut play, bob, 2 + number as u64, request);
    }
    let told = play.told();
    assert_eq!(told.len(), count, "{told:?}");
    assert!(told.iter().all(|told| told.ends_with(": only the owner of the session can")), "{told:?}");
    // Leaving does not let the program go, although the owner's would.
    send(&mut play, bob, 20, leave());
    let actions = play.machine.take_actions();
    assert!(actions.contains(&Action::CloseGuest(bob, None)), "{actions:?}");
    assert!(!actions.iter().any(|action| matches!(action, Action::Ask { .. } | Action::Close)));
    assert_eq!(play.machine.status, Stage::Stopped);
}

#[test]
fn who_leaves_is_answered_and_what_it_evaluates_ends() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, evaluate());
    send(&mut play, bob, 3, STACK);
    send(&mut play, bob, 4, leave());
    play.pass(100);
    let told = play.told();
    let number = |number| id(bob, number).0;
    assert!(told.contains(&format!("{} Cannot evaluate: the client disconnects", number(2))), "{told:?}");
    assert!(
        told.contains(&format!("{} Cannot get the stack trace: the client disconnects", number(3))),
        "{told:?}"
    );
    assert!(told.contains(&format!("ask {} pause", OWN_REQUEST.0)), "{told:?}");
    answer_all(&mut play, &[]);
    assert!(play.told().is_empty(), "nobody is left to be answered");
    // A connection that is lost has the same effect.
    join(&mut play, connection(2), Role::Participant, "Cid", &[]);
    send(&mut play, connection(2), 2, STACK);
    play.machine.client_gone(connection(2), leave(), play.now);
    assert!(play.machine.guests().is_empty());
}

#[test]
fn guests_go_with_the_owner() {
    let mut play =
        Play { machine: Machine::new(Lifetime::Clients { linger: Duration::ZERO }), ..Play::new() };
    let owner = ConnectionId::ONLY.next();
    play.machine.connect(owner, false);
    send(&mut play, owner, 1, initialize());
    play.answer();
    send(&mut play, owner, 2, share());
    play.machine.shared(id(owner, 2), None, Ok(door()), play.now);
    answer_all(&mut play, &[]);
    join(&mut play, connection(4), Role::Participant, " \n ", &[]);
    assert_eq!(play.machine.guests().first().map(|guest| guest.name.clone()), Some("guest 1".into()));
    send(&mut play, owner, 3, leave());
    let actions = play.machine.take_actions();
    let dismissed = Event::Company(Company::Dismissed(Dismissal::OwnerLeft));
    assert!(actions.contains(&Action::CloseGuest(connection(4), Some(dismissed))), "{actions:?}");
    assert!(actions.contains(&Action::CloseDoor) && !play.machine.is_shared());
    assert!(play.machine.connect_guest(connection(5), Role::Observer).is_err());
}

#[test]
fn no_more_than_the_maximum_of_guests() {
    let mut play = Play::stopped();
    assert!(play.machine.connect_guest(connection(1), Role::Observer).is_err(), "it is not shared");
    open(&mut play, &[]);
    for number in 1..=16 {
        play.machine.connect_guest(connection(number), Role::Observer).unwrap();
    }
    let why = play.machine.connect_guest(connection(17), Role::Observer).unwrap_err();
    assert_eq!(why, "the session has 16 guests already");
}

#[test]
fn who_is_sent_away_is_answered_before() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, ConnectionId::ONLY, 101, evaluate());
    send(&mut play, bob, 2, STACK);
    send(&mut play, ConnectionId::ONLY, 102, Request::Session(SessionRequest::Unshare));
    answer_all(&mut play, &[]);
    let actions = play.machine.take_actions();
    let place = |wanted: &Action| actions.iter().position(|action| action == wanted);
    let refused = Failure::wrong_state(STACK.verb(), Obstacle::NotShared);
    let answered = place(&Action::Respond(id(bob, 2), Err(refused)));
    let dismissed = Event::Company(Company::Dismissed(Dismissal::Unshared));
    let closed = place(&Action::CloseGuest(bob, Some(dismissed)));
    assert!(answered.is_some() && answered < closed, "{actions:?}");
}

#[test]
fn who_is_about_to_join_is_told_why_it_cannot() {
    let why = |failure: &Failure| failure.message.clone();
    let ends =
        [(leave(), "Cannot attach: not shared"), (Request::Terminate, "Cannot attach: program has ended")];
    for (end, expected) in ends {
        let mut play =
            Play { machine: Machine::new(Lifetime::Clients { linger: Duration::ZERO }), ..Play::new() };
        let owner = ConnectionId::ONLY.next();
        play.machine.connect(owner, false);
        send(&mut play, owner, 1, initialize());
        send(&mut play, owner, 2, share());
        answer_all(&mut play, &[]);
        play.machine.shared(id(owner, 2), None, Ok(door()), play.now);
        answer_all(&mut play, &[]);
        play.told();
        let eve = connection(2);
        play.machine.connect_guest(eve, Role::Observer).unwrap();
        send(&mut play, eve, 1, attach("Eve"));
        // The engine does not answer.
        send(&mut play, owner, 3, end);
        play.pass(100);
        let actions = play.machine.take_actions();
        let opened = actions.iter().find_map(|action| match action {
            Action::OpenGuest(guest, answer) if *guest == eve => answer.1.as_ref().err().map(why),
            _ => None,
        });
        assert_eq!(opened.as_deref(), Some(expected), "{actions:?}");
        assert!(!actions.iter().any(|action| matches!(action, Action::Open(_))), "{actions:?}");
    }
}

/// The changes that a client is told of, as texts.
fn changes(actions: Vec<Action>, to: ConnectionId) -> Vec<String> {
    let text = |action| match action {
        Action::TellOthers { except, event: Event::BreakpointsChanged { changes, by }, .. }
            if except != to =>
        {
            let by = by.unwrap_or_default();
            let change = |(breakpoint, reason): (Breakpoint, ChangeReason)| {
                format!("{} {} by {by}", reason.name(), breakpoint.id.0)
            };
            Some(changes.into_iter().map(change).collect::<Vec<_>>())
        }
        _ => None,
    };
    actions.into_iter().filter_map(text).flatten().collect()
}

#[test]
fn the_others_are_told_of_each_change_of_a_breakpoint() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    send(&mut play, bob, 2, breakpoint(3));
    answer_all(&mut play, &[line_breakpoint(1, 3)]);
    let actions = play.machine.take_actions();
    assert_eq!(changes(actions.clone(), ConnectionId::ONLY), ["new 1 by Bob"]);
    assert!(changes(actions, bob).is_empty(), "who asked is answered");
    let mut muted = line_breakpoint(1, 3);
    muted.options.enabled = false;
    muted.hits = Some(7);
    send(&mut play, ConnectionId::ONLY, 101, breakpoint(3));
    answer_all(&mut play, &[muted.clone(), line_breakpoint(2, 9)]);
    assert_eq!(changes(play.machine.take_actions(), bob), ["changed 1 by Ann", "new 2 by Ann"]);
    muted.hits = None;
    send(&mut play, bob, 3, breakpoint(9));
    answer_all(&mut play, &[muted]);
    assert_eq!(changes(play.machine.take_actions(), ConnectionId::ONLY), ["removed 2 by Bob"]);
    // The session's own changes are told to all as they are.
    play.tell(Event::BreakpointsChanged {
        changes: vec![(line_breakpoint(1, 4), ChangeReason::Changed)],
        by: None,
    });
    assert!(matches!(
        play.machine.take_actions().as_slice(),
        [Action::Tell(Event::BreakpointsChanged { .. })]
    ));
}

fn replaces(request: &Request) -> (Vec<u32>, Vec<u32>) {
    let Request::Breakpoint(BreakpointRequest::SetAll(set)) = request else { panic!("{request:?}") };
    let numbers = |ids: &BTreeSet<BreakpointId>| ids.iter().map(|id| id.0).collect();
    (numbers(&set.others.unknown), numbers(&set.others.foreign))
}

#[test]
fn who_replaces_breakpoints_spares_those_that_it_does_not_know() {
    let set_all = || {
        Request::Breakpoint(BreakpointRequest::SetAll(crate::api::SetBreakpoints::new("a.ez", Vec::new())))
    };
    let known = [line_breakpoint(1, 3)];
    let mut play = Play::stopped();
    open(&mut play, &known);
    let (bob, editor) = (connection(1), connection(2));
    join(&mut play, bob, Role::Participant, "Bob", &known);
    // An editor configures itself before it has looked at those that are there.
    play.machine.connect_guest(editor, Role::Participant).unwrap();
    let attach = Attach { launch: None, name: Some("VS".into()), shows_breakpoints: false };
    send(&mut play, editor, 1, Request::Session(SessionRequest::Attach(Box::new(attach))));
    answer_all(&mut play, &known);
    let asked = |play: &mut Play, client, number| {
        send(play, client, number, set_all());
        let found = replaces(&play.machine.asked.front().unwrap().request);
        answer_all(play, &known);
        found
    };
    assert_eq!(asked(&mut play, editor, 2), (vec![1], vec![1]));
    assert_eq!(asked(&mut play, bob, 2), (vec![], vec![1]), "it was shown");
    assert_eq!(asked(&mut play, ConnectionId::ONLY, 101), (vec![], vec![]), "its own");
    send(&mut play, editor, 3, GetState.into_request());
    answer_all(&mut play, &known);
    assert_eq!(asked(&mut play, editor, 4), (vec![], vec![1]), "it has looked");
}

/// What follows a request to share waits until guests can connect, or it is known that they cannot.
#[test]
fn sharing_is_answered_before_what_follows() {
    let sharing = |ends: bool, more: &[Request]| {
        let mut play = Play::new();
        for (number, request) in (1..).zip([share()].iter().chain(more)) {
            send(&mut play, ConnectionId::ONLY, number, request.clone());
        }
        if ends {
            play.machine.commands_end(play.now);
        }
        let asked = play.machine.take_actions();
        assert!(matches!(&asked[..], [Action::Share { .. }]), "{asked:?}");
        play.machine.shared(id(ConnectionId::ONLY, 1), None, Ok(door()), play.now);
        answer_all(&mut play, &[]);
        let actions = play.machine.take_actions();
        let short = |action: &Action| match action {
            Action::Respond(id, result) => Some(format!("{} {}", id.0, result.is_ok())),
            Action::CloseDoor => Some("door".into()),
            Action::Finish { .. } => Some("end".into()),
            _ => None,
        };
        actions.iter().filter_map(short).collect::<Vec<_>>().join(", ")
    };
    let unshare = Request::Session(SessionRequest::Unshare);
    assert_eq!(sharing(true, &[]), "1 true, door, end");
    assert_eq!(sharing(false, &[share()]), "1 true, 2 true");
    assert_eq!(sharing(false, &[unshare]), "1 true, door, 2 true");
}

#[test]
fn who_cancels_its_request_to_attach_is_let_in() {
    let (mut play, _) = stopped_with_guest(Role::Participant);
    send(&mut play, ConnectionId::ONLY, 101, evaluate());
    let eve = connection(2);
    play.machine.connect_guest(eve, Role::Observer).unwrap();
    send(&mut play, eve, 1, attach("Eve"));
    play.machine.cancel(id(eve, 1), play.now);
    answer_all(&mut play, &[]);
    let actions = play.machine.take_actions();
    let is_let_in = |action: &Action| matches!(action, Action::OpenGuest(guest, _) if *guest == eve);
    assert!(actions.iter().any(is_let_in), "{actions:?}");
}

/// A guest that asks to join again, which it has no need to.
#[test]
fn a_second_request_to_attach_is_no_first_message() {
    for fails in [false, true] {
        let (mut play, bob) = stopped_with_guest(Role::Participant);
        send(&mut play, ConnectionId::ONLY, 101, evaluate());
        send(&mut play, bob, 2, attach("Bob"));
        if fails {
            play.machine.engine_gone(play.now);
        } else {
            send(&mut play, ConnectionId::ONLY, 102, Request::Session(SessionRequest::Unshare));
        }
        let actions = play.machine.take_actions();
        let is_answer = |action: &&Action| matches!(action, Action::Respond(of, Err(_)) if *of == id(bob, 2));
        assert_eq!(actions.iter().filter(is_answer).count(), 1, "{actions:?}");
        assert!(!actions.iter().any(|action| matches!(action, Action::OpenGuest(..))), "{actions:?}");
        assert_eq!(play.machine.guests().is_empty(), !fails);
    }
}

#[test]
fn a_guest_is_let_in_once() {
    for ends in [false, true] {
        let mut play = Play::running();
        open(&mut play, &[]);
        let eve = connection(2);
        play.machine.connect_guest(eve, Role::Observer).unwrap();
        send(&mut play, eve, 1, attach("Eve"));
        send(&mut play, eve, 2, attach("Eve"));
        play.pass(120);
        if ends {
            send(&mut play, ConnectionId::ONLY, 101, Request::Terminate);
            play.pass(120);
        } else {
            answer_all(&mut play, &[]);
        }
        let short = |action| match action {
            Action::OpenGuest(_, answer) => Some(format!("open {} {}", answer.0.0 & 0xff, answer.1.is_ok())),
            Action::Respond(of, result) if ConnectionId::of(of) == eve => {
                Some(format!("{} {}", of.0 & 0xff, result.is_ok()))
            }
            _ => None,
        };
        let told: Vec<String> = play.machine.take_actions().into_iter().filter_map(short).collect();
        assert_eq!(told, [format!("open 1 {}", !ends), "2 false".into()]);
    }
}

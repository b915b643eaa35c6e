//! Sessions whose clients come and go.

use super::*;
use crate::api::{
    Attach, GetState, GetThreads, Query, Question, RequestNumber, SessionRequest, Status as Told,
};

const LINGER: Duration = Duration::from_secs(1);

/// The session's number for a request of the client with this connection.
fn id(connection: ConnectionId, number: u64) -> RequestId {
    connection.in_session(RequestNumber::of_low_bits(number))
}

fn first() -> ConnectionId {
    ConnectionId::ONLY.next()
}

fn play(lifetime: Lifetime) -> Play {
    Play { machine: Machine::new(lifetime), now: Duration::ZERO, last: 0 }
}

fn send(play: &mut Play, connection: ConnectionId, number: u64, request: Request) {
    let incoming = Incoming { id: id(connection, number), request: Ok(request) };
    play.machine.receive(incoming, play.now);
}

fn attach() -> Request {
    Request::Session(SessionRequest::Attach(Box::default()))
}

/// Lets the engine answer the query of the state that it was sent for an attaching client.
fn answer_state(play: &mut Play, status: Told) {
    let state = empty_state(status);
    let id = play.machine.asked.front().unwrap().id;
    play.machine.engine(Message::Response(id, Ok(GetState::response(Box::new(state)))), play.now);
}

/// A session whose program runs, and the client that has started it.
fn running(lifetime: Lifetime) -> Play {
    let mut play = play(lifetime);
    play.machine.connect(first(), false);
    send(&mut play, first(), 1, initialize());
    play.answer();
    send(&mut play, first(), 2, Request::Start(None));
    play.answer();
    play.told();
    play
}

#[test]
fn what_waits_for_a_client_follows_the_first_answer() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    send(&mut play, first(), 3, Request::Session(SessionRequest::Disconnect { resume: false }));
    assert!(play.told().iter().all(|told| told.starts_with("timer")), "it waits for its turn");
    play.pass(100);
    let gone = play.told();
    assert_eq!(gone.last().map(String::as_str), Some("Close"));
    assert!(gone.iter().any(|told| told.ends_with("ok Disconnected")), "{gone:?}");
    // Kept for the next client; requests of the old one are ignored.
    play.tell(stop(StopReason::Step));
    send(&mut play, first(), 4, CONTINUE);
    assert_eq!(play.told(), ["stopped Step"]);
    let second = first().next();
    play.machine.connect(second, true);
    assert!(play.told().is_empty());
    send(&mut play, second, 1, attach());
    let asked = play.machine.asked.front().map(|asked| asked.id);
    assert_eq!(asked, Some(id(second, 1)));
    answer_state(&mut play, Told::Stopped);
    let actions = play.machine.take_actions();
    let [
        Action::Ask { request: Request::Query(Query::State(GetState)), .. },
        Action::Open(Some((to, Ok(answer)))),
    ] = actions.as_slice()
    else {
        panic!("{actions:?}")
    };
    assert_eq!(*to, id(second, 1));
    let Response::Attached(attached) = answer else { panic!("{answer:?}") };
    assert_eq!(attached.stop.as_ref().map(|stop| stop.reason), Some(StopReason::Step));
    send(&mut play, second, 2, attach());
    let number = id(second, 2).0;
    assert_eq!(play.told(), [format!("{number} Cannot attach: already attached")]);
}

#[test]
fn a_program_is_let_go_whether_it_is_stopped_or_about_to_stop() {
    let ask = format!("ask {} detach", OWN_REQUEST.0);
    let bye = |number| format!("{} ok Disconnected", id(first(), number).0);
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.tell(stop(StopReason::Entry));
    play.told();
    send(&mut play, first(), 3, Request::Session(SessionRequest::Disconnect { resume: true }));
    assert_eq!(play.told(), [bye(3), ask.clone(), "Close".to_string()]);
    assert_eq!(play.machine.status, Stage::Running);
    let mut play = running(Lifetime::Clients { linger: LINGER });
    send(&mut play, first(), 3, Request::Session(SessionRequest::Disconnect { resume: true }));
    assert_eq!(play.told(), ["timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), [bye(3), ask, "Close".to_string()]);
    // It stops before it hears of that.
    play.tell(stop(StopReason::Entry));
    play.answer_all();
    assert_eq!(play.machine.status, Stage::Running);
}

#[test]
fn what_is_under_way_is_answered_before_a_client_disconnects() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.tell(stop(StopReason::Entry));
    send(&mut play, first(), 3, evaluate());
    send(&mut play, first(), 4, Request::Session(SessionRequest::Disconnect { resume: false }));
    play.told();
    play.pass(100);
    let (evaluation, disconnect) = (id(first(), 3).0, id(first(), 4).0);
    let told = play.told();
    let expected = [
        format!("{evaluation} Cannot evaluate: the client disconnects"),
        format!("{disconnect} ok Disconnected"),
        format!("ask {} pause", OWN_REQUEST.0),
        "Close".to_string(),
    ];
    assert_eq!(told, expected);
    play.answer_all();
    assert!(play.told().is_empty());
}

#[test]
fn a_client_hears_of_an_end_that_comes_before_the_answer_to_its_first_request() {
    for last in [Request::Terminate, Request::Session(SessionRequest::Disconnect { resume: false })] {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        play.machine.client_gone(
            first(),
            Request::Session(SessionRequest::Disconnect { resume: false }),
            play.now,
        );
        play.pass(100);
        let second = first().next();
        play.machine.connect(second, true);
        play.machine.take_actions();
        send(&mut play, second, 1, attach());
        send(&mut play, second, 2, last.clone());
        let mut actions = play.machine.take_actions();
        play.pass(100);
        actions.extend(play.machine.take_actions());
        let is_told = |action: &Action| matches!(action, Action::Respond(..) | Action::Open(_));
        let first = actions.iter().find(|action| is_told(action));
        let Some(Action::Open(Some((to, Err(_))))) = first else { panic!("{actions:?}") };
        assert_eq!(*to, id(second, 1));
        if last == Request::Terminate {
            continue;
        }
        // The next one, whose predecessor's question the engine has not answered.
        let third = second.next();
        play.machine.connect(third, true);
        send(&mut play, third, 1, attach());
        send(&mut play, third, 2, last.clone());
        play.pass(100);
        let actions = play.machine.take_actions();
        let is_opened =
            |action: &Action| matches!(action, Action::Open(Some((to, Err(_)))) if *to == id(third, 1));
        assert!(actions.iter().any(is_opened), "{actions:?}");
    }
}

#[test]
fn nothing_is_answered_before_the_first_request() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.machine.client_gone(
        first(),
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    play.pass(100);
    let second = first().next();
    play.machine.connect(second, true);
    play.told();
    send(&mut play, second, 1, attach());
    // The program ends before the engine has answered the attach request; the pause is handled first.
    play.tell(Event::Exited(Box::new(Exited::with_status(0))));
    send(&mut play, second, 2, Request::Pause);
    play.machine.timer(play.now);
    play.pass(100);
    let told = |play: &mut Play| {
        let actions = play.machine.take_actions().into_iter();
        let told = actions.filter_map(|action| match action {
            Action::Open(Some((to, _))) => Some(("open", to)),
            Action::Respond(to, _) => Some(("answer", to)),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&mut play), []);
    answer_state(&mut play, Told::Exited);
    assert_eq!(told(&mut play), [("open", id(second, 1)), ("answer", id(second, 2))]);
    // An engine that has failed answers nothing any more.
    let third = second.next();
    play.machine.client_gone(
        second,
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    play.machine.connect(third, true);
    send(&mut play, third, 1, attach());
    send(&mut play, third, 2, Request::Query(Query::Threads(GetThreads)));
    play.machine.engine_gone(play.now);
    assert_eq!(told(&mut play), [("open", id(third, 1)), ("answer", id(third, 2))]);
}

#[test]
fn a_client_comes_before_it_ends_the_program() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    // The engine has not answered a request of a client that is gone.
    send(&mut play, first(), 3, Request::Query(Query::Threads(GetThreads)));
    play.pass(100);
    play.machine.client_gone(
        first(),
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    play.pass(100);
    play.told();
    let second = first().next();
    play.machine.connect(second, true);
    send(&mut play, second, 1, attach());
    send(&mut play, second, 2, Request::Kill);
    play.pass(100);
    let actions = play.machine.take_actions();
    let asked = actions.iter().filter_map(|action| match action {
        Action::Ask { id, .. } => Some(*id),
        _ => None,
    });
    assert_eq!(asked.collect::<Vec<_>>(), [id(second, 1), id(second, 2)], "{actions:?}");
}

#[test]
fn answers_for_a_client_that_is_gone_are_for_nobody() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.tell(stop(StopReason::Entry));
    send(&mut play, first(), 3, evaluate());
    play.machine.client_gone(
        first(),
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    play.told();
    play.pass(100);
    // The evaluation is interrupted.
    assert_eq!(play.told(), [format!("ask {} pause", OWN_REQUEST.0), "Close".to_string()]);
    play.answer_all();
    assert!(play.told().is_empty());
    play.machine.client_gone(
        first(),
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    assert!(play.told().is_empty());
}

#[test]
fn an_end_that_nobody_was_told_is_waited_with() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.machine.client_gone(
        first(),
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    play.pass(100);
    play.told();
    play.tell(end(3));
    assert_eq!(play.told(), ["exited 3"]);
    play.pass(10_000);
    assert!(play.told().is_empty());
    let second = first().next();
    play.machine.connect(second, true);
    send(&mut play, second, 1, attach());
    answer_state(&mut play, Told::Exited);
    assert_eq!(play.told().last().map(String::as_str), Some("timer 1000"));
    play.pass(1000);
    assert_eq!(play.told(), ["Finish { status: 0, patient: true }"]);
}

#[test]
fn a_program_with_streams_of_its_own_waits_for_nobody() {
    let mut play = play(Lifetime::Program);
    play.machine.launch(Launch::default(), true, play.now);
    play.answer();
    play.answer();
    assert!(play.told().iter().all(|told| told.starts_with("ask ")), "nobody is answered");
    play.machine.connect(first(), true);
    send(&mut play, first(), 1, attach());
    // The program might stop soon.
    play.pass(100);
    answer_state(&mut play, Told::Running);
    play.told();
    send(
        &mut play,
        first(),
        2,
        Request::Session(SessionRequest::Input { text: Some("x".into()), eof: false }),
    );
    play.pass(100);
    let refused = play.told();
    assert!(refused.iter().any(|told| told.contains("its own terminal")), "{refused:?}");
    play.tell(end(0));
    assert_eq!(play.told(), ["exited 0", "timer 0"]);
}

#[test]
fn a_client_may_bring_the_program_to_a_session_without_one() {
    let mut play = play(Lifetime::Clients { linger: LINGER });
    play.machine.connect(first(), true);
    let request = Request::Session(SessionRequest::Attach(Box::new(Attach {
        launch: Some(Launch::default()),
        ..Attach::default()
    })));
    send(&mut play, first(), 1, request);
    let number = id(first(), 1).0;
    assert_eq!(play.told(), [format!("ask {number} initialize")]);
    let loaded = Response::Initialized(Initialized { file: "a.ez".into(), warnings: vec![] });
    play.machine.engine(Message::Response(id(first(), 1), Ok(loaded)), play.now);
    assert_eq!(play.told(), [format!("ask {number} get the state")]);
    answer_state(&mut play, Told::Ready);
    assert!(matches!(play.machine.take_actions().as_slice(), [Action::Open(Some((_, Ok(_))))]));
    assert_eq!(play.machine.status, Stage::Ready);
}

#[test]
fn the_only_client_neither_attaches_nor_disconnects() {
    let mut play = Play::stopped();
    play.send([attach(), Request::Session(SessionRequest::Disconnect { resume: false })]);
    let expected = ["3 Cannot attach: already attached", "4 Cannot disconnect: no other client could come"];
    assert_eq!(play.told(), expected);
}

#[test]
fn the_program_of_a_client_that_is_lost_ends_if_it_was_launched() {
    let mut play = running(Lifetime::Clients { linger: LINGER });
    play.tell(stop(StopReason::Entry));
    send(&mut play, first(), 3, evaluate());
    play.told();
    play.machine.client_gone(first(), Request::Terminate, play.now);
    let told = play.told();
    assert_eq!(told.first().map(String::as_str), Some("Close"), "{told:?}");
    assert!(told.contains(&format!("ask {} terminate", OWN_REQUEST.0)), "{told:?}");
    assert!(matches!(play.machine.status, Stage::Ending { .. }), "{:?}", play.machine.status);
}

#[test]
fn a_program_that_was_let_go_does_not_stop_before_its_end() {
    let mut play = running(Lifetime::Program);
    play.tell(stop(StopReason::Entry));
    send(&mut play, first(), 3, Request::Session(SessionRequest::Disconnect { resume: true }));
    play.answer_all();
    play.told();
    play.tell(stop(StopReason::End));
    let told = play.told();
    assert!(told.iter().any(|text| text.ends_with(" continue")), "{told:?}");
    // A client that comes decides again.
    play.answer_all();
    play.machine.connect(first().next(), true);
    play.told();
    play.tell(stop(StopReason::End));
    let told = play.told();
    assert!(!told.iter().any(|text| text.ends_with(" continue")), "{told:?}");
}

/// The answer to the first of two requests to attach lets the client in, whatever comes between.
#[test]
fn a_client_is_let_in_once() {
    let answers = |play: &mut Play| {
        let short = |action| match action {
            Action::Open(Some((id, result))) => Some(format!("open {} {}", id.0 & 0xff, result.is_ok())),
            Action::Respond(id, result) => Some(format!("{} {}", id.0 & 0xff, result.is_ok())),
            _ => None,
        };
        play.machine.take_actions().into_iter().filter_map(short).collect::<Vec<_>>().join(", ")
    };
    for ends in [false, true] {
        let mut play = running(Lifetime::Program);
        play.machine.client_gone(
            first(),
            Request::Session(SessionRequest::Disconnect { resume: false }),
            play.now,
        );
        play.pass(120);
        let second = first().next();
        play.machine.connect(second, true);
        play.told();
        send(&mut play, second, 1, attach());
        send(&mut play, second, 2, attach());
        play.pass(120);
        if ends {
            play.machine.terminate_unasked(play.now);
            assert_eq!(answers(&mut play), "open 1 false, 2 false");
        } else {
            answer_state(&mut play, Told::Running);
            assert_eq!(answers(&mut play), "open 1 true, 2 false");
        }
    }
}

#[test]
fn a_client_that_comes_after_the_program_could_not_be_loaded_is_told() {
    let mut play = play(Lifetime::Program);
    play.machine.launch(Launch::default(), false, play.now);
    let failure = Failure::new(FailureKind::NoProgram, "it has errors");
    play.machine.engine(Message::Response(OWN_REQUEST, Err(failure)), play.now);
    play.machine.connect(first(), true);
    play.told();
    send(&mut play, first(), 1, attach());
    let actions = play.machine.take_actions();
    let is_told =
        |action: &Action| matches!(action, Action::Open(Some((of, Err(_)))) if *of == id(first(), 1));
    assert!(actions.iter().any(is_told), "{actions:?}");
}

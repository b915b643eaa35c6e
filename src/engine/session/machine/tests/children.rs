//! Child processes, and sessions of child processes.

use super::*;
use crate::api::{ChildEnd, ChildProcess, Entrance, SessionRequest};

fn child(pid: u32) -> ChildProcess {
    ChildProcess {
        pid,
        parent: 1,
        file: "c.ez".into(),
        args: vec![],
        directory: "/".into(),
        entrance: Some(Entrance { port: 1, token: "t".into() }),
        held: false,
    }
}

impl Play {
    fn announce(&mut self, child: ChildProcess) -> Vec<String> {
        self.machine.child_announced(child, self.now);
        let told = self.told();
        told.into_iter().map(|text| text.split("ChildProcess").next().unwrap_or_default().into()).collect()
    }

    fn ends(&mut self, pid: u32) {
        self.machine.child_ended(ChildEnd { pid, status: Some(0) }, self.now);
    }
}

const FOLLOWED: &str = "AnswerChild(7, Follow { held: true })";

#[test]
fn a_child_is_held_until_it_is_released() {
    let mut play = Play::running();
    assert_eq!(play.announce(child(7)), [FOLLOWED, "ChildStarted("]);
    // It does not wait for the program, which may wait for the process.
    play.send([
        Request::Session(SessionRequest::ReleaseChild(7)),
        Request::Session(SessionRequest::ReleaseChild(7)),
        Request::Session(SessionRequest::ReleaseChild(8)),
    ]);
    let told = play.told();
    let told: Vec<&str> = told.iter().map(String::as_str).filter(|text| !text.starts_with("timer")).collect();
    let unknown = "5 wrong parameter 'pid': no child process has the id 8";
    assert_eq!(told, ["3 ok ChildReleased", "ReleaseChild(7)", "4 ok ChildReleased", unknown]);
    play.ends(7);
    play.ends(7);
    assert_eq!(play.told(), ["ChildEnded(ChildEnd { pid: 7, status: Some(0) })"]);
}

#[test]
fn a_process_that_cannot_wait_is_not_held() {
    let mut play = Play::running();
    let process = ChildProcess { entrance: None, ..child(7) };
    assert_eq!(play.announce(process), ["AnswerChild(7, Run)", "ChildStarted("]);
}

#[test]
fn nobody_is_held_for_a_client_that_has_left_or_says_nothing_more() {
    let mut play = Play::running();
    play.announce(child(7));
    play.machine.commands_end(play.now);
    assert_eq!(play.told()[0], "ReleaseChild(7)");
    assert_eq!(play.announce(child(8))[0], "AnswerChild(8, Follow { held: false })");
}

#[test]
fn the_program_ends_after_its_children() {
    for request in [Request::Terminate, Request::Kill] {
        let mut play = Play::running();
        play.announce(child(7));
        play.announce(child(8));
        let verb = request.verb();
        play.send([request]);
        play.pass(100);
        // First the program pauses, which nobody is told.
        assert!(!play.told().contains(&"EndChild(7)".into()));
        play.answer_all_but_end();
        let told = play.told();
        assert!(told.contains(&"EndChild(7)".into()) && told.contains(&"EndChild(8)".into()), "{told:?}");
        let asks = |told: &[String]| told.iter().any(|text| *text == format!("ask 3 {verb}"));
        assert!(!asks(&told), "{told:?}");
        play.tell(stop(StopReason::Pause));
        assert_eq!(play.announce(child(9)), ["AnswerChild(9, End)"]);
        play.ends(7);
        assert!(!asks(&play.told()));
        play.ends(8);
        let told = play.told();
        assert!(asks(&told), "{told:?}");
    }
}

#[test]
fn the_pause_before_the_end_is_not_told_however_late_it_comes() {
    let mut play = Play::running();
    play.announce(child(7));
    play.send([Request::Kill]);
    play.pass(100);
    play.ends(7);
    play.told();
    play.tell(stop(StopReason::Pause));
    assert!(!play.told().iter().any(|text| text.starts_with("stopped")));
    play.answer_all();
    play.tell(end(KILLED));
    assert!(play.told().contains(&"exited 143".into()));
}

/// The end of the program comes after the request for the next one, whose stops are told.
#[test]
fn what_is_killed_and_restarted_stops_again() {
    let mut play = Play::running();
    play.announce(child(7));
    play.send([Request::Kill, Request::Restart(Box::default())]);
    play.pass(100);
    play.answer_all_but_end();
    play.ends(7);
    // Of the pause, and of the end.
    play.answer();
    play.tell(end(KILLED));
    play.answer_all();
    play.told();
    play.tell(stop(StopReason::Entry));
    assert_eq!(play.told(), ["stopped Entry"]);
}

#[test]
fn children_that_do_not_end_are_not_waited_for() {
    let mut play = Play::running();
    play.announce(child(7));
    play.send([Request::Terminate]);
    play.pass(100);
    assert!(play.told().contains(&"timer 500".into()));
    play.pass(500);
    assert!(play.told().contains(&"ask 3 terminate".into()));
}

#[test]
fn a_program_that_ends_by_itself_needs_no_end() {
    let mut play = Play::running();
    play.announce(child(7));
    play.send([Request::Kill]);
    play.pass(100);
    assert!(play.told().iter().any(|text| text.ends_with("pause")));
    play.tell(end(0));
    let told = play.told();
    assert!(told.contains(&"3 Cannot kill the program: program has ended".into()), "{told:?}");
    assert!(told.contains(&"exited 0".into()), "{told:?}");
}

impl Play {
    /// Lets the engine answer everything but the end of the session.
    fn answer_all_but_end(&mut self) {
        while self.machine.asked.front().is_some_and(|asked| asked.request == Request::Pause) {
            self.answer();
        }
        let pause = |asked: &&PendingRequest| asked.request == Request::Pause;
        loop {
            let Some(id) = self.machine.asked.iter().find(pause).map(|asked| asked.id) else { return };
            self.machine.engine(Message::Response(id, Ok(Response::Done(Done::Pausing))), self.now);
        }
    }
}

/// The session of a child process whose program is loaded.
fn ready() -> Play {
    let mut play = Play { machine: Machine::new(Lifetime::Child), now: Duration::ZERO, last: 0 };
    play.machine.launch(Launch::default(), false, play.now);
    play.answer();
    play.told();
    play
}

#[test]
fn a_child_starts_when_it_is_released_and_never_stops_without_a_client() {
    let mut play = ready();
    play.machine.release(play.now);
    play.machine.release(play.now);
    assert_eq!(play.told().iter().filter(|text| text.ends_with(" start")).count(), 1);
    play.answer();
    play.tell(stop(StopReason::Entry));
    let told = play.told();
    assert!(told.iter().any(|text| text.ends_with(" continue")), "{told:?}");
}

#[test]
fn a_child_that_is_released_while_it_is_loaded_starts_once() {
    let mut play = Play { machine: Machine::new(Lifetime::Child), now: Duration::ZERO, last: 0 };
    play.machine.launch(Launch::default(), false, play.now);
    play.machine.request(breakpoint(1), play.now);
    play.machine.release(play.now);
    play.answer();
    play.answer_all();
    let told = play.told();
    assert_eq!(told.iter().filter(|text| text.ends_with(" start")).count(), 1, "{told:?}");
}

#[test]
fn a_child_that_is_released_starts_whoever_is_there() {
    let mut play = ready();
    play.machine.connect(ConnectionId::ONLY.next(), false);
    play.machine.release(play.now);
    play.machine.parent_gone(play.now);
    let told = play.told();
    assert_eq!(told.iter().filter(|text| text.ends_with(" start")).count(), 1, "{told:?}");
}

#[test]
fn a_client_of_a_child_decides_until_it_goes() {
    let mut play = ready();
    let client = ConnectionId::ONLY.next();
    play.machine.connect(client, false);
    play.machine.parent_gone(play.now);
    assert!(!play.told().iter().any(|text| text.starts_with("ask")), "the client starts it");
    play.machine.client_gone(
        client,
        Request::Session(SessionRequest::Disconnect { resume: false }),
        play.now,
    );
    let told = play.told();
    assert!(told.iter().any(|text| text.ends_with(" start")), "{told:?}");
}

#[test]
fn a_child_that_was_started_is_held_no_longer() {
    let mut child_play = ready();
    child_play.machine.connect(ConnectionId::ONLY.next(), false);
    child_play.told();
    child_play.machine.request(Request::Start(None), child_play.now);
    let told = child_play.told();
    assert_eq!(told.iter().filter(|text| *text == "ReportStart").count(), 1, "{told:?}");
    let mut play = Play::running();
    play.announce(child(7));
    play.announce(child(8));
    play.machine.child_started(7);
    let held: Vec<bool> = play.machine.processes().0.iter().map(|child| child.held).collect();
    assert_eq!(held, [false, true]);
}

/// While the child processes of a program end that is to be killed.
#[test]
fn what_ends_the_session_is_not_lost_while_the_program_is_killed() {
    let mut play =
        Play { machine: Machine::new(Lifetime::Clients { linger: Duration::ZERO }), ..Play::new() };
    let owner = ConnectionId::ONLY.next();
    let id = |number| owner.in_session(crate::api::RequestNumber::of_low_bits(number));
    let send = |play: &mut Play, number, request| {
        play.machine.receive(Incoming { id: id(number), request: Ok(request) }, play.now);
    };
    play.machine.connect(owner, false);
    send(&mut play, 1, initialize());
    play.answer();
    send(&mut play, 2, Request::Start(None));
    play.answer();
    play.announce(child(7));
    send(&mut play, 3, Request::Kill);
    play.pass(100);
    play.machine.client_gone(owner, Request::Terminate, play.now);
    play.ends(7);
    play.told();
    play.machine.engine_gone(play.now);
    assert!(play.told().iter().any(|text| text.starts_with("Finish")));
}

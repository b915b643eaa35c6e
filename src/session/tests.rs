//! Which thread may read when.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::api::{Done, Event, Initialized, Location, Response, Resume, StopReason, Stopped};
use crate::debug::{EngineClient, Message};

fn message(id: u64, request: Request) -> Vec<Incoming> {
    vec![Incoming { id: RequestId(id), request: Ok(request) }]
}

/// A session whose engine does nothing but give its link away, and ends when `end` is closed.
fn session(links: Sender<EngineLink>, end: Receiver<()>) -> Session {
    let session = Session::new(Duration::from_secs(1), Commands::unguarded());
    let engine = move |link| {
        let _ = links.send(link);
        let _ = end.recv();
        KeepAlive::default()
    };
    session.start_engine(Box::new(engine), &new_thread);
    session
}

// invariant 10
#[test]
fn what_was_read_is_there_before_the_program_may_read() {
    let (sender, links) = channel();
    let (_running, end) = channel();
    let session = session(sender, end);
    let link = links.recv().unwrap();
    let requests = link.requests();
    let answer = |response| {
        let (id, _) = requests.recv().unwrap();
        link.message(Message::Response(id, Ok(response)));
    };
    assert!(!session.receive(message(1, Request::Initialize(Box::default())), false, || ()));
    answer(Response::Initialized(Initialized { file: "a.ez".into(), warnings: Vec::new() }));
    assert!(!session.receive(message(2, Request::Start(None)), false, || ()));
    answer(Response::Done(Done::Started));
    let location = Location { path: "/a.ez".into(), line: 1, column: 1 };
    let stopped = Stopped::new(StopReason::Entry, location);
    link.message(Message::Event(Event::Stopped(Box::new(stopped))));
    let mut waiting = 0;
    assert!(
        session.receive(message(3, Request::Resume(Resume::Continue)), false, || waiting = requests.len())
    );
    assert_eq!(waiting, 1);
}

#[test]
fn an_engine_without_a_thread_is_gone() {
    let session = Session::new(Duration::from_secs(1), Commands::unguarded());
    session.start_engine(Box::new(|_| KeepAlive::default()), &|_| false);
    session.receive(message(1, Request::Initialize(Box::default())), false, || ());
    session.receive(message(2, Request::Terminate), false, || ());
    assert_eq!(session.wait(Duration::ZERO, Duration::ZERO), 0);
}

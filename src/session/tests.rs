//! Who may read when.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::debug::{Location, Request, StopReason, Stopped};

fn message(command: Command) -> Vec<Incoming> {
    vec![Incoming { command: Ok(command), tag: None }]
}

/// A session whose engine does nothing but give its port away, and ends when `end` is closed.
fn session(ports: Sender<Port>, end: Receiver<()>) -> Session {
    let (directory, linger) = (std::env::temp_dir(), Duration::from_secs(1));
    let settings = Settings { file: None, directory, linger, commands: Commands::unguarded() };
    let ends = Mutex::new((ports, end));
    let engine = move |task: Task| {
        let (ports, end) = &*lock(&ends);
        let _ = ports.send(task.port);
        // A session whose engine has ended asks it nothing more.
        let _ = end.recv();
        KeepAlive::default()
    };
    Session::new(settings, Box::new(engine), Box::new(new_thread))
}

#[test]
fn what_was_read_is_there_before_the_program_may_read() {
    let (sender, ports) = channel();
    let (_running, end) = channel();
    let session = session(sender, end);
    let initialize =
        Command::Initialize { file: Some("a.ez".into()), working_dir: None, version: None, deny: Vec::new() };
    assert!(!session.receive(message(initialize), 1, || ()));
    let port = ports.recv().unwrap();
    port.loaded(Vec::new());
    assert!(!session.receive(message(Command::Start), 2, || ()));
    assert!(matches!(port.requests().recv(), Ok(Request::Start { .. })));
    let location = Location { path: "/a.ez".into(), line: 1, column: 1 };
    let stopped = Stopped { reason: StopReason::Entry, location, text: None, changed: Vec::new() };
    port.event(Event::Stopped(stopped));
    let requests = port.requests();
    let mut waiting = 0;
    assert!(session.receive(message(Command::Continue), 3, || waiting = requests.len()));
    assert_eq!(waiting, 1);
}

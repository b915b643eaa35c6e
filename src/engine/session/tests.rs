//! Which thread may read when, and sessions with one thread.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::api::{Done, Event, Initialized, Location, Response, Resume, StopReason, Stopped};
use crate::debug::{EngineClient, Message};
use ez_runtime::host::MemoryFiles;
use ez_runtime::value::Stream;

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

/// A client on the interpreter's thread, whose requests come one after the other.
struct Script {
    session: SessionRef,
    requests: Mutex<VecDeque<Request>>,
}

impl InlineTransport for Script {
    fn flush(&self) {}

    fn wait(&self, pending: &dyn Fn() -> bool) -> bool {
        let Some(session) = self.session.upgrade() else { return false };
        session.tick();
        if !pending() {
            let Some(request) = self.requests.lock().pop_front() else { return false };
            session.receive(message(1, request), true, || ());
        }
        true
    }
}

#[test]
fn a_session_with_files_in_memory_needs_no_other_thread() {
    let text = "import @std, @io\nusing std\ndo main() {\n    temp s, e = io.read_file(\"note.txt\")\n    println(s)\n}\n";
    let files = [("/main.ez".to_string(), text.to_string()), ("/note.txt".into(), "a note".into())];
    let session = Session::new(Duration::MAX, Commands::unguarded());
    let requests = [
        Request::Initialize(Box::default()),
        Request::Start(Some(true)),
        Request::Resume(Resume::Continue),
        Request::Terminate,
    ];
    let requests = Mutex::new(VecDeque::from(requests));
    session.set_transport(Box::new(Script { session: session.downgrade(), requests }));
    let body = Arc::new(Mutex::new(None));
    let given = body.clone();
    let engine =
        move |link| run_engine_in_memory(&files, MemoryFiles::default(), Some("/main.ez".into()), link);
    session.start_engine(Box::new(engine), &move |main| given.lock().replace(main).is_none());
    let main: ThreadMain = body.lock().take().unwrap();
    ez_runtime::platform::with_stack(STACK_SIZE, || drop(main())).unwrap();
    assert_eq!(session.tick(), Some(Duration::ZERO));
    assert_eq!(session.exit_status(), Some(0));
    let mut items = VecDeque::new();
    session.outbox().take(&mut items);
    let printed = Item::Output { source: Stream::Stdout.into(), text: "a note\n".into() };
    assert!(items.contains(&printed), "{items:?}");
}

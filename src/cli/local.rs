//! A session inside this process, with the engine on this thread, the front end on another, and the
//! connection between them: requests in, responses and events out, in order. The same for the sessions of child
//! processes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::unbounded;

use crate::api::{Entrance, Failure, FailureKind, Question, Request, RequestId, Response};
use crate::host::{Commands, GuardProgram};
use crate::protocol::native::NativeClient;
use crate::session::{Incoming, Item, Session, Settings, TERMINATE_GRACE, ThreadMain, run_engine};
use crate::sync::Mutex;
use crate::threads;

/// How long output that is not shown yet may delay the end.
const STALL: Duration = Duration::from_secs(1);

/// Runs the engine on this thread, which must have a large stack, and `front_end` on another, whose result is
/// the exit status of the process. Returns a status only if no thread can be created.
pub fn serve(directory: PathBuf, front_end: impl FnOnce(Session) -> u8 + Send + 'static) -> u8 {
    let commands = GuardProgram::this().map_or_else(Commands::unguarded, Commands::guarded);
    let session = Session::new(Duration::ZERO, commands);
    let settings = Settings { file: None, directory, root: None };
    let (mains, engine) = unbounded::<ThreadMain>();
    let main = Box::new(move |link| run_engine(settings, link));
    session.start_engine(main, &move |main| mains.send(main).is_ok());
    let waiting = session.clone();
    let ended = threads::spawn("session", move || {
        waiting.wait(STALL, TERMINATE_GRACE);
    });
    let front_end = ended.and_then(|ended| {
        threads::spawn("front end", move || {
            let status = front_end(session);
            // By then, the program's commands have ended.
            let _ = ended.join();
            std::process::exit(i32::from(super::show::with_lost_output(status)))
        })
    });
    if let Err(error) = front_end {
        eprintln!("Error: {error}");
        return 1;
    }
    while let Ok(main) = engine.recv() {
        // A panic has been reported on standard error, and the session is told that the engine is gone.
        std::mem::forget(catch_unwind(AssertUnwindSafe(main)));
    }
    loop {
        // The front end is about to end the process.
        std::thread::park();
    }
}

/// Sends requests, from any thread.
#[derive(Clone)]
pub struct Sender {
    peer: Peer,
    last: Arc<AtomicU64>,
}

/// The session that gets requests.
#[derive(Clone)]
enum Peer {
    /// In this process.
    Own(Session),
    /// In a child process.
    Child(NativeClient),
}

impl Sender {
    /// For a session to which nobody else sends requests.
    pub fn new(session: Session) -> Sender {
        Sender { peer: Peer::Own(session), last: Arc::default() }
    }

    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        let id = RequestId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        match &self.peer {
            Peer::Own(session) => {
                session.receive(vec![Incoming { id, request: Ok(request) }], false, || ());
            }
            Peer::Child(client) => client.send(id, request),
        }
        id
    }
}

/// What was received from the session of a child process, and not taken yet.
#[derive(Default)]
struct Inbox {
    items: VecDeque<Item>,
    /// Whether nothing more will come.
    is_closed: bool,
}

/// The front end's connection to a session. Clones share the received items.
///
/// Whatever it waits for, it waits at the outbox of the session in this process, where the arrival of something
/// from a child process is noted.
#[derive(Clone)]
pub struct Link {
    sender: Sender,
    /// Items received from the session and not handled yet.
    items: Rc<RefCell<VecDeque<Item>>>,
    /// With a child process: what has come from it, and the link to the session in this process.
    child: Option<(Arc<Mutex<Inbox>>, Rc<Link>)>,
}

impl Link {
    /// The only link of a session in this process.
    pub fn new(sender: Sender) -> Link {
        Link { sender, items: Rc::default(), child: None }
    }

    /// A link to the session of a child process, from a link to the session in this process.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn to_child(&self, entrance: &Entrance) -> io::Result<Link> {
        let inbox = Arc::<Mutex<Inbox>>::default();
        let Peer::Own(session) = &self.sender.peer else { return Err(io::ErrorKind::Unsupported.into()) };
        let (received, outbox) = (inbox.clone(), session.outbox().clone());
        let receive = move |item| {
            let mut inbox = received.lock();
            match item {
                Some(item) => inbox.items.push_back(item),
                None => inbox.is_closed = true,
            }
            drop(inbox);
            outbox.add_reply(NEWS, false);
        };
        let client = NativeClient::attach((Entrance::HOST, entrance.port), &entrance.token, receive)?;
        let sender = Sender { peer: Peer::Child(client), last: Arc::default() };
        Ok(Link { sender, items: Rc::default(), child: Some((inbox, Rc::new(self.clone()))) })
    }

    /// Sends requests to the same session.
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        self.sender.send(request)
    }

    /// Whether there is an item that can be taken without waiting.
    pub fn has_more(&self) -> bool {
        self.take_from_child();
        !self.items.borrow().is_empty()
    }

    /// Whether the session in this process has ended.
    pub fn is_over(&self) -> bool {
        matches!(&self.sender.peer, Peer::Own(session) if session.is_over())
    }

    /// Whether the session of a child process sends nothing more.
    pub fn is_closed(&self) -> bool {
        self.child.as_ref().is_some_and(|(inbox, _)| inbox.lock().is_closed) && !self.has_more()
    }

    /// The next item, if there is one.
    pub fn try_next(&self) -> Option<Item> {
        self.take_from_child();
        self.items.borrow_mut().pop_front()
    }

    /// Waits for the next item; `None` when the session has ended.
    pub fn next(&self) -> Option<Item> {
        loop {
            if let Some(item) = self.try_next() {
                return Some(item);
            }
            self.take_more()?;
        }
    }

    /// The items of the session in this process that can be taken without waiting; they remain to be taken.
    pub fn look_ahead(&self) -> std::cell::Ref<'_, VecDeque<Item>> {
        if let Peer::Own(session) = &self.sender.peer {
            let mut taken = VecDeque::new();
            if session.outbox().take(&mut taken) {
                self.items.borrow_mut().append(&mut taken);
                session.outbox().done();
            }
        }
        self.items.borrow()
    }

    /// Waits until there are items, or something from another process.
    pub fn wait(&self) -> Option<()> {
        if self.has_more() { Some(()) } else { self.take_more() }
    }

    fn take_from_child(&self) {
        if let Some((inbox, _)) = &self.child {
            self.items.borrow_mut().append(&mut inbox.lock().items);
        }
    }

    /// Waits until there are items, here or elsewhere.
    fn take_more(&self) -> Option<()> {
        let session = match (&self.sender.peer, &self.child) {
            (Peer::Own(session), _) => session,
            (Peer::Child(_), Some((_, own))) if !self.is_closed() => return own.take_more(),
            (Peer::Child(_), _) => return None,
        };
        let outbox = session.outbox();
        if !outbox.wait() {
            return None;
        }
        let mut taken = VecDeque::new();
        if outbox.take(&mut taken) {
            self.items.borrow_mut().append(&mut taken);
            outbox.done();
        }
        Some(())
    }

    /// Makes a request and waits for the response; items before it are left for [`Link::next`].
    ///
    /// # Errors
    /// The failure of the request.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<Q::Answer, Failure> {
        let id = self.send(question.into_request());
        self.response(id).and_then(Q::answer_from)
    }

    /// Waits for the response to a request; items before it are left for [`Link::next`].
    ///
    /// # Errors
    /// The failure of the request.
    pub fn response(&self, id: RequestId) -> Result<Response, Failure> {
        loop {
            self.take_from_child();
            let mut items = self.items.borrow_mut();
            let found = items.iter().position(|item| matches!(item, Item::Response(of, _) if *of == id));
            if let Some(Item::Response(_, result)) = found.and_then(|at| items.remove(at)) {
                return result;
            }
            drop(items);
            self.take_more().ok_or_else(session_is_over)?;
        }
    }
}

/// Notes in the outbox that something has come from a child process.
const NEWS: RequestId = RequestId(u64::MAX - 1);

/// The failure of a request that will not be answered any more.
pub fn session_is_over() -> Failure {
    Failure::new(FailureKind::Internal, "the session is over")
}

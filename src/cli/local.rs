//! A session inside this process, with the engine on this thread, the front end on another, and the
//! connection between them: requests in, responses and events out, in order.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::unbounded;

use crate::api::{Failure, FailureKind, Request, RequestId, Response};
use crate::host::{Commands, GuardProgram};
use crate::session::{Incoming, Item, Session, Settings, TERMINATE_GRACE, ThreadMain, run_engine};

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
    let front_end = move || {
        let waiting = session.clone();
        let ended = std::thread::spawn(move || waiting.wait(STALL, TERMINATE_GRACE));
        let status = front_end(session);
        // By then, the program's commands have ended.
        let _ = ended.join();
        std::process::exit(i32::from(super::show::with_lost_output(status)))
    };
    if let Err(error) = std::thread::Builder::new().name("front end".into()).spawn(front_end) {
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
    session: Session,
    last: Arc<AtomicU64>,
}

impl Sender {
    /// For a session to which nobody else sends requests.
    pub fn new(session: Session) -> Sender {
        Sender { session, last: Arc::default() }
    }

    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        let id = RequestId(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        self.session.receive(vec![Incoming { id, request: Ok(request) }], false, || ());
        id
    }
}

/// The front end's connection to a session. Clones share the received items.
#[derive(Clone)]
pub struct Link {
    sender: Sender,
    /// Items received from the session and not handled yet.
    items: Rc<RefCell<VecDeque<Item>>>,
}

impl Link {
    /// The only link of a session.
    pub fn new(sender: Sender) -> Link {
        Link { sender, items: Rc::default() }
    }

    /// Sends a request; returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        self.sender.send(request)
    }

    /// Whether there is an item that can be taken without waiting.
    pub fn has_more(&self) -> bool {
        !self.items.borrow().is_empty()
    }

    /// Waits for the next item; `None` when the session has ended.
    pub fn next(&self) -> Option<Item> {
        loop {
            if let Some(item) = self.items.borrow_mut().pop_front() {
                return Some(item);
            }
            self.take_more()?;
        }
    }

    /// Waits until there are items.
    fn take_more(&self) -> Option<()> {
        let outbox = self.sender.session.outbox();
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
    pub fn request_and_wait(&self, request: Request) -> Result<Response, Failure> {
        let id = self.send(request);
        loop {
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

/// The failure of a request that will not be answered any more.
pub fn session_is_over() -> Failure {
    Failure::new(FailureKind::Internal, "the session is over")
}

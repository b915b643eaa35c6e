//! A session on the calling thread.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::mem::forget;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::transport::Writer;
use crate::protocol::{ClientLink, SharedFrontEnd};
use ez_engine::session::{ConnectionId, InlineTransport, Session, ThreadMain, run_engine_in_memory};
use ez_runtime::host::{Commands, MemoryFiles};
use ez_runtime::page::imports::{self, Read};
use ez_runtime::page::turns;
use ez_runtime::sync::Mutex;

/// Maximum number of bytes per read.
const READ_SIZE: usize = 64 * 1024;

/// The exit status if the engine has ended before the session.
const LOST: u8 = 1;

thread_local! {
    static CLIENT: RefCell<Option<Rc<Client>>> = const { RefCell::new(None) };
    static FILES: RefCell<Option<Files>> = const { RefCell::new(None) };
    /// Whether something was taken from the outbox since this was looked at.
    static HAS_TAKEN: Cell<bool> = const { Cell::new(false) };
}

/// The files of the session.
#[derive(Clone)]
struct Files {
    /// What it began with: paths and texts.
    given: Rc<Vec<(String, String)>>,
    now: MemoryFiles,
}

/// Shows the worker each file that the program has written or changed.
pub fn show_written() {
    let Some(Files { given, now }) = FILES.with(|files| files.borrow().clone()) else { return };
    now.each(|path, data| {
        let is_given = given.iter().any(|(given, text)| given == path && text.as_bytes() == data);
        if !is_given {
            imports::written(path, data);
        }
    });
}

/// Removes a file, if there is one.
pub fn remove(path: &str) {
    if let Some(Files { now, .. }) = FILES.with(|files| files.borrow().clone()) {
        let _ = now.remove(path);
    }
}

/// The client of the session, with whatever else happens while the engine waits.
struct Client {
    session: Session,
    front_end: SharedFrontEnd,
    link: ClientLink,
    writer: Writer,
    buffer: RefCell<Vec<u8>>,
    /// Whether it sends nothing more.
    has_ended: Cell<bool>,
}

impl Client {
    fn flush(&self) {
        if self.writer.flush() {
            HAS_TAKEN.set(true);
        }
    }

    fn present() -> Option<Rc<Client>> {
        CLIENT.with(|client| client.borrow().clone())
    }

    /// Writes what there is for the client, and waits until it has sent something, something is due, or `most` is over.
    /// Does not wait if `pending`, nor if there was something for the client: the engine may have waited until it is taken.
    fn turn(&self, most: Option<Duration>, pending: &dyn Fn() -> bool) {
        let due = self.session.tick();
        self.flush();
        if pending() {
            return;
        }
        let now = HAS_TAKEN.take().then_some(Duration::ZERO);
        let wait = most.into_iter().chain(due).chain(now).min();
        // Up to the next millisecond, so that what is due then is so.
        let wait = wait.map_or(-1.0, |wait| wait.as_micros().div_ceil(1000) as f64);
        let mut buffer = self.buffer.borrow_mut();
        let received = match imports::read(&mut buffer, wait) {
            Read::Bytes(0) => return,
            Read::Bytes(count) => self.front_end.lock().receive(buffer.get(..count).unwrap_or_default()),
            Read::End if self.has_ended.replace(true) => return,
            Read::End => {
                let mut front_end = self.front_end.lock();
                let (last, on_disconnect) = (front_end.end_of_input(), front_end.on_disconnect());
                drop(front_end);
                self.link.deliver_quietly(last);
                self.link.end(on_disconnect);
                Vec::new()
            }
        };
        self.link.deliver_quietly(received);
        self.flush();
    }
}

/// The transport as the engine uses it.
struct Inline;

impl InlineTransport for Inline {
    fn flush(&self) {
        if let Some(client) = Client::present() {
            client.flush();
        }
    }

    /// What follows is written at the next turn at the latest.
    fn flush_soon(&self) {}

    fn wait(&self, pending: &dyn Fn() -> bool) -> bool {
        let Some(client) = Client::present() else { return false };
        client.turn(None, pending);
        true
    }
}

/// The output of the instance.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        imports::write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a session with a program in these files (paths and texts) to its end, for a client with this front end; returns its
/// exit status. `main` is the path of the program, if the client does not name it.
pub fn run(files: Vec<(String, String)>, main: String, front_end: SharedFrontEnd) -> u8 {
    // Requests are answered after the program's end until the client goes.
    let session = Session::new(Duration::MAX, Commands::unguarded());
    let link = ClientLink::new(&session, ConnectionId::ONLY);
    let writer = Writer::new(session.outbox().clone(), Box::new(Output), front_end.clone());
    front_end.lock().begin(link.clone());
    let client = Rc::new(Client {
        session: session.clone(),
        front_end,
        writer: writer.for_client(link.clone()),
        link,
        buffer: RefCell::new(vec![0; READ_SIZE]),
        has_ended: Cell::new(false),
    });
    CLIENT.with(|present| *present.borrow_mut() = Some(client.clone()));
    let waiting = client.clone();
    turns::wait_by(move |most| waiting.turn(most, &|| false));
    session.set_transport(Box::new(Inline));
    let files = Files { given: Rc::new(files), now: MemoryFiles::default() };
    FILES.with(|present| *present.borrow_mut() = Some(files.clone()));
    let (given, now) = (files.given.to_vec(), files.now);
    let engine = move |link| run_engine_in_memory(&given, now, Some(main.into()), link);
    run_here(&session, Box::new(engine));
    client.turn(Some(Duration::ZERO), &|| true);
    session.exit_status().unwrap_or(LOST)
}

/// Starts the engine of a session on the calling thread, and returns when it has ended.
fn run_here(session: &Session, engine: ez_engine::session::EngineMain) {
    let body: Arc<Mutex<Option<ThreadMain>>> = Arc::default();
    let given = body.clone();
    session.start_engine(engine, &move |main| given.lock().replace(main).is_none());
    let main = body.lock().take();
    if let Some(main) = main {
        // The instance is dropped as a whole.
        forget(main());
    }
}

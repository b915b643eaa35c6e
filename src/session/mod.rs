//! A debug session: requests in, responses and events out, and the threads between.
//!
//! Who calls what: the transport's reader thread calls [`Session::receive`], the interpreter's thread
//! (through its [`EngineLink`]) passes on what the engine says, and whoever owns the session sits in
//! [`Session::wait`]. All of them meet in the state machine, behind one lock that is never held while
//! anything blocks. Responses, events and program output leave through the [`Outbox`] in the order in which
//! they happened. Nothing here knows how messages look.

mod connection;
mod host;
mod input;
mod item;
mod kept;
mod link;
mod machine;
mod outbox;
mod runner;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::api::{Launch, Request, RequestId};
use crate::debug::{InterruptHandle, KeepAlive};
use crate::host::Commands;
use crate::interp::STACK_SIZE;

pub use connection::ConnectionId;
pub use item::{Item, PIECE, pieces};
pub use link::EngineLink;
pub use machine::{Incoming, Lifetime, ORDER_GRACE, TERMINATE_GRACE};
pub use outbox::Outbox;
pub use runner::{run_engine, run_engine_on_terminal};

use host::Streams;
use machine::{Action, Machine};

/// What runs on the interpreter's thread from its start to its end.
pub type EngineMain = Box<dyn FnOnce(EngineLink) -> KeepAlive + Send>;

/// What a thread is to do.
pub type ThreadMain = Box<dyn FnOnce() -> KeepAlive + Send>;

/// Starts something on a thread with [`STACK_SIZE`] bytes of stack; `false` if there is no such thread.
pub type Spawn = dyn Fn(ThreadMain) -> bool + Send + Sync;

/// Spawns a new thread.
pub fn new_thread(main: ThreadMain) -> bool {
    let builder = std::thread::Builder::new().name("program".into()).stack_size(STACK_SIZE);
    builder.spawn(|| drop(main())).is_ok()
}

/// What the engine of a session is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program's file, absolute, if the client need not name it.
    pub file: Option<PathBuf>,
    /// Where relative paths start unless the client says so; absolute.
    pub directory: PathBuf,
}

/// What the interpreter's thread does itself instead of waking the thread whose job it is, since waking
/// a thread takes longer than all the rest of a step.
pub trait InlineTransport: Send + Sync {
    /// Writes what is in the outbox. Called after something was told.
    fn flush(&self);

    /// The same after something that another message follows very soon, as a rule: both may be written in one
    /// go, if somebody sees to it that the first one does not wait for long.
    fn flush_soon(&self) {
        self.flush();
    }

    /// Waits for messages of the client and hands them to [`Session::receive`], unless something is
    /// `pending` already. Called while the program is stopped; `false` if another thread reads, or nothing
    /// more comes.
    fn wait(&self, pending: &dyn Fn() -> bool) -> bool;

    /// The session has nothing more to do with the client: the connection is to be closed when what was told
    /// is written, or the client does not take it. Must not block.
    fn close(&self) {}
}

/// How far a session is from its end.
#[derive(Debug, Default)]
struct Progress {
    /// The exit status, once the session is over.
    finished: Option<u8>,
    /// Whether the client gets everything that was told, however long that takes.
    patient: bool,
    /// When [`Machine::timer`] is to be called.
    timer: Option<Instant>,
    engine_lives: bool,
}

struct Shared {
    /// Times are counted from here.
    begin: Instant,
    machine: Mutex<Machine>,
    /// The way to the engine.
    engine: Mutex<Option<Sender<(RequestId, Request)>>>,
    /// The engine's end of it, until the engine is started.
    requests: Mutex<Option<Receiver<(RequestId, Request)>>>,
    streams: Streams,
    commands: Commands,
    transport: Mutex<Option<Arc<dyn InlineTransport>>>,
    /// That of the last client.
    last_connection: Mutex<ConnectionId>,
    progress: Mutex<Progress>,
    changed: Condvar,
    output_closed: AtomicBool,
}

/// A session. Cheap to clone; all clones are the same one.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

/// A session that is not kept by this.
#[derive(Clone)]
pub struct SessionRef {
    shared: Weak<Shared>,
}

impl SessionRef {
    /// The session, if it is still there.
    pub fn upgrade(&self) -> Option<Session> {
        self.shared.upgrade().map(|shared| Session { shared })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// A session with one client, whose engine has not started. `linger`: how long requests are answered after
    /// the program's end. `commands` starts the commands of the program; they end with the session.
    pub fn new(linger: Duration, commands: Commands) -> Session {
        Session::with_lifetime(Lifetime::OneClient { linger }, commands)
    }

    /// A session whose engine has not started, and which ends as `lifetime` says.
    pub fn with_lifetime(lifetime: Lifetime, commands: Commands) -> Session {
        let (sender, requests) = unbounded();
        let streams =
            Streams { outbox: Arc::default(), input: Arc::default(), interrupt: InterruptHandle::new() };
        let shared = Shared {
            begin: Instant::now(),
            machine: Mutex::new(Machine::new(lifetime)),
            engine: Mutex::new(Some(sender)),
            requests: Mutex::new(Some(requests)),
            streams,
            commands,
            transport: Mutex::default(),
            last_connection: Mutex::new(ConnectionId::ONLY),
            progress: Mutex::default(),
            changed: Condvar::new(),
            output_closed: AtomicBool::new(false),
        };
        if !matches!(lifetime, Lifetime::OneClient { .. }) {
            shared.streams.outbox.close_client();
        }
        Session { shared: Arc::new(shared) }
    }

    /// Lets the interpreter's thread read and write by itself. To be called before the engine starts.
    pub fn set_transport(&self, transport: Box<dyn InlineTransport>) {
        *lock(&self.shared.transport) = Some(Arc::from(transport));
    }

    /// A number for the connection of another client.
    pub fn new_connection(&self) -> ConnectionId {
        let mut last = lock(&self.shared.last_connection);
        *last = last.next();
        *last
    }

    /// A client has come, after the one before it was gone. `attaches`: its first request is
    /// [`Request::Attach`], and what was kept follows the answer to that; else it comes at once.
    pub fn connect(&self, connection: ConnectionId, transport: Arc<dyn InlineTransport>, attaches: bool) {
        let mut machine = lock(&self.shared.machine);
        *lock(&self.shared.transport) = Some(transport);
        self.outbox().expect_client();
        machine.connect(connection, attaches);
        self.shared.act(&mut machine, false);
    }

    /// The client of a connection is gone, without having said so.
    pub fn client_gone(&self, connection: ConnectionId) {
        self.shared.with_machine(false, |machine, now| machine.client_gone(connection, now));
    }

    /// The connection of the last client is closed: what was taken for it and not written is kept for the
    /// next one.
    pub fn take_back(&self, taken: VecDeque<Item>) {
        self.outbox().take_back(taken);
    }

    /// Lets the program run as if a client had asked for it, before any has come.
    pub fn launch(&self, launch: Launch, start: bool) {
        self.shared.with_machine(false, |machine, now| machine.launch(launch, start, now));
    }

    /// Ends program and session as if a client had asked for it.
    pub fn terminate(&self) {
        self.shared.with_machine(false, Machine::terminate_unasked);
    }

    /// Whether a client is connected, and has not said that it goes.
    pub fn has_client(&self) -> bool {
        lock(&self.shared.machine).has_client()
    }

    /// Whether there is no program, or it has ended.
    pub fn has_no_program(&self) -> bool {
        lock(&self.shared.machine).has_no_program()
    }

    /// Whether the session is over.
    pub fn is_over(&self) -> bool {
        lock(&self.shared.progress).finished.is_some()
    }

    /// Starts the engine on a thread that `spawn` gives.
    pub fn start_engine(&self, engine: EngineMain, spawn: &Spawn) {
        let Some(requests) = lock(&self.shared.requests).take() else { return };
        lock(&self.shared.progress).engine_lives = true;
        let link = EngineLink::new(&self.shared, requests);
        let gone = link::Gone::new(&self.shared);
        let main = move || {
            let _gone = gone;
            engine(link)
        };
        // If there is no thread, what would have run there is dropped, which says that it is gone.
        spawn(Box::new(main));
    }

    /// The session, as long as something else keeps it.
    pub fn downgrade(&self) -> SessionRef {
        SessionRef { shared: Arc::downgrade(&self.shared) }
    }

    /// The client does not want the answer to a request any more: it fails if it still waits for its turn,
    /// and an evaluation that is under way is ended by a failure, too. What goes on otherwise, or has been
    /// answered, is left alone.
    pub fn cancel(&self, request: RequestId) {
        self.shared.with_machine(false, |machine, now| machine.cancel(request, now));
    }

    /// What is to reach the client.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.shared.streams.outbox
    }

    /// Takes messages of the client. If the program is stopped, so that its thread may read from now on,
    /// `lend` is called when that thread can find the messages among its requests, but before it can tell
    /// anything else. Gives whether. `quiet`: the caller writes what is told meanwhile by itself.
    pub fn receive(&self, messages: Vec<Incoming>, quiet: bool, lend: impl FnOnce()) -> bool {
        let mut machine = lock(&self.shared.machine);
        let now = self.shared.now();
        let stopped = machine.is_stopped();
        for message in messages {
            machine.receive(message, now);
        }
        self.shared.act(&mut machine, quiet);
        if stopped {
            lend();
        }
        stopped
    }

    /// The client sends nothing more.
    pub fn commands_end(&self) {
        self.shared.streams.input.close();
        self.shared.with_machine(false, Machine::commands_end);
    }

    /// The client reads nothing more.
    pub fn output_closed(&self) {
        self.shared.output_closed.store(true, Ordering::SeqCst);
        self.shared.with_machine(false, |machine, _| machine.output_closed());
    }

    /// Waits until the session is over and all is written, and gives the status to end with. When the
    /// client wants the end and takes nothing of what was written, `stall` is how long it may hold the end
    /// up; an engine that does not end within `grace` is left alone.
    pub fn wait(&self, stall: Duration, grace: Duration) -> u8 {
        let shared = &self.shared;
        let status = shared.wait_finished();
        shared.streams.outbox.close();
        shared.streams.outbox.wait_written(stall / 8, |stalled| {
            let patient = lock(&shared.progress).patient;
            !shared.output_closed.load(Ordering::SeqCst) && (patient || stalled < stall)
        });
        shared.release_engine(grace);
        if let Some(transport) = lock(&shared.transport).take() {
            transport.close();
        }
        // The program may be somewhere where it neither ends nor ends what it has started.
        shared.commands.end();
        status
    }
}

impl Shared {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Lets the machine do something, and does what it wants. `quiet`: the caller looks after the writing
    /// itself.
    fn with_machine(&self, quiet: bool, work: impl FnOnce(&mut Machine, Duration)) {
        let mut machine = lock(&self.machine);
        work(&mut machine, self.now());
        self.act(&mut machine, quiet);
    }

    /// Does what the machine wants, in order: the machine's lock is held.
    fn act(&self, machine: &mut Machine, quiet: bool) {
        for action in machine.take_actions() {
            self.carry_out(action, quiet);
        }
    }

    fn carry_out(&self, action: Action, quiet: bool) {
        let Streams { outbox, input, .. } = &self.streams;
        match action {
            Action::Respond(id, result) => outbox.add(Item::Response(id, result), quiet),
            Action::Tell(event) => outbox.add(Item::Event(event), quiet),
            Action::Ask { id, request, wake } => {
                if let Some(engine) = &*lock(&self.engine) {
                    // An engine that has ended needs no request.
                    let _ = engine.send((id, request));
                }
                if wake {
                    self.wake();
                }
            }
            Action::Input { text, eof } => input.add(text.as_deref(), eof),
            Action::DiscardInput => input.discard(),
            Action::SetTimer(time) => {
                lock(&self.progress).timer = Instant::now().checked_add(time);
                self.changed.notify_all();
            }
            Action::BeginShutdown => outbox.begin_shutdown(),
            Action::Finish { status, patient } => {
                let mut progress = lock(&self.progress);
                progress.finished.get_or_insert(status);
                progress.patient = patient;
                self.changed.notify_all();
            }
            Action::Hurry => lock(&self.progress).patient = false,
            Action::Open(answer) => {
                let answer = answer.map(|(id, result)| Item::Response(id, result));
                input.with_wanted(|wanted| outbox.open_client(answer, wanted));
            }
            Action::Close => {
                outbox.close_client();
                if let Some(transport) = lock(&self.transport).take() {
                    transport.close();
                }
            }
        }
    }

    /// Makes a program that runs or waits look at its requests.
    fn wake(&self) {
        self.streams.interrupt.raise();
        self.streams.outbox.nudge();
        self.streams.input.nudge();
    }

    /// Waits until the session is over; gives the exit status. Calls the machine's timer.
    fn wait_finished(&self) -> u8 {
        let mut progress = lock(&self.progress);
        loop {
            if let Some(status) = progress.finished {
                return status;
            }
            let left = progress.timer.map(|at| at.saturating_duration_since(Instant::now()));
            progress = match left {
                None => self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    progress.timer = None;
                    drop(progress);
                    self.with_machine(false, Machine::timer);
                    lock(&self.progress)
                }
                Some(left) => {
                    let waited = self.changed.wait_timeout(progress, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Closes the way to the engine, and gives it some time to end (since it was told to, if it was), so
    /// that it ends what the program has started.
    fn release_engine(&self, grace: Duration) {
        *lock(&self.engine) = None;
        self.wake();
        let until = self.streams.outbox.shutdown_began().unwrap_or_else(Instant::now) + grace;
        let mut progress = lock(&self.progress);
        while progress.engine_lives {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            progress = self.changed.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests;

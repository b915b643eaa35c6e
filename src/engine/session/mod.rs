//! A debug session: connects a client with the engine, and owns the threads between them.
//!
//! The transport's reader thread calls [`Session::receive`]; the interpreter's thread passes on, through its
//! [`EngineLink`], what the engine sends; the owner of the session calls [`Session::wait`]. All of them use
//! the one state machine, behind a lock that is never held while a thread blocks. Responses, events and
//! program output leave through the [`Outbox`] in the order in which they happened. How messages are encoded
//! is not known here.
//!
//! * [`machine`] decides when each request is carried out. It has no threads and no clock, so that it can be tested
//!   as a function; `Shared::carry_out` executes its decisions.
//! * [`outbox`] is the queue of all that is to be sent to the client; [`pace`] measures how fast the client reads,
//!   and so how much the queue may hold before the program waits: a slow client must not have much to read before
//!   the answer to a command. [`host`] adds the program's output to it, and takes the program's input from the
//!   client ([`input`]).
//! * Clients may connect one after the other: [`connection`] tells their requests apart, [`backlog`] keeps messages
//!   while none is connected. A client that disconnects may let the program go: then the engine removes everything
//!   that would stop it (`Request::Detach`).
//! * [`children`] and [`followed`]: EZ programs that the program starts find its session. The machine decides which
//!   of them are held; the session of a child process never waits for a client that may not come.
//! * [`runner`] starts the engine, with the session's streams or those of the process as the program's.
//!
//! # A command
//!
//! What becomes of a `stepInto` that a client of `ez debugserver` sends while the program is stopped:
//!
//! 1. The interpreter's thread waits in `Connection::next_request`, which calls `Client::wait_inline`: while a program
//!    is stopped, that thread itself reads from the client, so that a step needs no other thread
//!    (`protocol/transport/reader.rs`). While it runs, the reader's thread does so.
//! 2. `FrontEnd::receive` splits the bytes into lines and decodes each: a row of the table of commands
//!    (`protocol/ez/commands/running.rs`) gives a [`Request`], and a closure that will write the answer. An invalid
//!    line becomes an [`Incoming`] with an `Err`, which keeps its place in the order of messages.
//! 3. [`Session::receive`] gives it to `Machine::receive`, which queues it. `Machine::next` says which requests are
//!    possible now; `Machine::carry_out` refuses what the state forbids, else pushes `Action::Ask`.
//! 4. The actions are executed in order, under the machine's lock: the request goes into the engine's channel. A
//!    running program is interrupted.
//! 5. `Engine::stop` receives the request; `Engine::mode_after` translates it. The response goes to [`EngineLink`],
//!    through the machine, into the outbox.
//! 6. A response after which the program goes on is not written yet, but with the stop that follows, so that the
//!    client wakes up once; if there is no stop for a moment, the reader's thread sees to it. All other messages
//!    are written by the thread that sends them, unless another one is writing.
//! 7. `Engine::go_on` has the debugger called at each statement, and the program runs.
//!
//! A request to a running program takes the same way, but the reader's thread reads it, and the next statement, or
//! the wait that was interrupted, calls the engine (`Engine::drain`).

mod backlog;
pub mod children;
mod connection;
mod copies;
mod followed;
mod guests;
mod host;
mod input;
mod item;
mod link;
mod machine;
mod outbox;
mod pace;
mod runner;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::api::{self, Failure, FailureKind, Launch, Request, RequestId, Role, Share};
use crate::debug::{InterruptHandle, KeepAlive, PublishedBreakpoints};
use ez_runtime::clock::Instant;
use ez_runtime::host::{Commands, Root};
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::sync::{Condvar, Mutex};
use ez_runtime::threads;

pub use connection::ConnectionId;
pub use guests::Door;
pub use item::{Item, PIECE, pieces};
pub use link::EngineLink;
#[cfg(fuzzing)]
pub use machine::fuzz::target as fuzz_machine;
pub use machine::{Incoming, Lifetime, ORDER_GRACE, TERMINATE_GRACE};
pub use outbox::{Outbox, Outgoing, ToGuest, Waited};
pub use runner::{run_engine, run_engine_in_memory, run_engine_on_terminal};

use children::{AddressBook, ChildSettings, Order};
use guests::Guest;
use host::Streams;
use machine::{Action, Machine, OWN_REQUEST};

/// How long the end of a session may be delayed by guests that do not read.
const GUESTS_GRACE: Duration = Duration::from_millis(100);

/// The body of the interpreter's thread.
pub type EngineMain = Box<dyn FnOnce(EngineLink) -> KeepAlive + Send>;

/// The body of a thread that the session starts.
pub type ThreadMain = Box<dyn FnOnce() -> KeepAlive + Send>;

/// Starts a thread with [`STACK_SIZE`] bytes of stack; returns `false` if that fails.
pub type Spawn = dyn Fn(ThreadMain) -> bool + Send + Sync;

/// A [`Spawn`] that creates a new thread.
pub fn new_thread(main: ThreadMain) -> bool {
    threads::spawn_with_stack("program", STACK_SIZE, || drop(main())).is_ok()
}

/// Parameters of the engine of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program's file, absolute; used if the client names none.
    pub file: Option<PathBuf>,
    /// Absolute working directory, used if the client names none.
    pub directory: PathBuf,
    /// The folder to which files of the program are confined: its sources, and what it reads and writes.
    pub root: Option<Root>,
}

/// Lets the interpreter's thread read and write itself, instead of waking the thread whose job that is:
/// waking a thread takes longer than everything else in a step.
pub trait InlineTransport: Send + Sync {
    /// Writes what is in the outbox. Called after an item was added.
    fn flush(&self);

    /// Like `flush`, for an item that another one usually follows very soon: the transport may wait a moment
    /// and write both at once.
    fn flush_soon(&self) {
        self.flush();
    }

    /// Waits for a message of the client and passes it to [`Session::receive`]; returns at once if `pending`
    /// says that a request is there already. Called while the program is stopped. Returns `false` if another
    /// thread reads, or the client sends nothing more.
    fn wait(&self, pending: &dyn Fn() -> bool) -> bool;

    /// The session needs the connection no more: to be closed once what is in the outbox has been written, or
    /// the client stops reading. Must not block.
    fn close(&self) {}
}

/// How far the end of a session has come.
#[derive(Debug, Default)]
struct Progress {
    /// The exit status, once the session has ended.
    finished: Option<u8>,
    /// Whether to wait without limit until the client has received everything.
    patient: bool,
    /// When [`Machine::timer`] is due.
    timer: Option<Instant>,
    engine_lives: bool,
}

impl Progress {
    /// How long it is until the timer is due, if one is set.
    fn timer_left(&self) -> Option<Duration> {
        self.timer.map(|at| at.saturating_duration_since(Instant::now()))
    }
}

struct Shared {
    me: Weak<Shared>,
    /// Start of the machine's clock.
    begin: Instant,
    machine: Mutex<Machine>,
    /// Sends requests to the engine; `None` once it is to end.
    engine: Mutex<Option<Sender<(RequestId, Request)>>>,
    /// The other end of that channel, until the engine takes it.
    requests: Mutex<Option<Receiver<(RequestId, Request)>>>,
    streams: Streams,
    commands: Commands,
    children: AddressBook,
    /// The line breakpoints of a program that follows its child processes.
    breakpoints: PublishedBreakpoints,
    child_settings: Mutex<ChildSettings>,
    /// In a child process: to be called when the program is started.
    when_started: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    transport: Mutex<Option<Arc<dyn InlineTransport>>>,
    /// Where guests connect, if they can.
    door: Mutex<Option<Arc<dyn Door>>>,
    guests: Mutex<Vec<Arc<Guest>>>,
    /// The latest connection.
    last_connection: Mutex<ConnectionId>,
    progress: Mutex<Progress>,
    changed: Condvar,
    output_closed: AtomicBool,
}

/// A debug session. Clones refer to the same session. All methods may be called on any thread.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

/// A reference that does not keep the session alive.
#[derive(Clone)]
pub struct SessionRef {
    shared: Weak<Shared>,
}

impl SessionRef {
    /// The session, if it still exists.
    pub fn upgrade(&self) -> Option<Session> {
        self.shared.upgrade().map(|shared| Session { shared })
    }
}

impl Session {
    /// A session with one client, whose engine is not started yet. `linger` is how long requests are answered
    /// after the program's end; `commands` starts the operating system commands of the program, which end
    /// with the session.
    pub fn new(linger: Duration, commands: Commands) -> Session {
        Session::with_lifetime(Lifetime::OneClient { linger }, commands)
    }

    /// A session that ends as `lifetime` says, whose engine is not started yet.
    pub fn with_lifetime(lifetime: Lifetime, commands: Commands) -> Session {
        let (sender, requests) = unbounded();
        let streams =
            Streams { outbox: Arc::default(), input: Arc::default(), interrupt: InterruptHandle::new() };
        let is_served_later = !matches!(lifetime, Lifetime::OneClient { .. });
        let shared = Arc::new_cyclic(|this: &Weak<Shared>| Shared {
            me: this.clone(),
            begin: Instant::now(),
            machine: Mutex::new(Machine::new(lifetime)),
            engine: Mutex::new(Some(sender)),
            requests: Mutex::new(Some(requests)),
            streams,
            commands,
            children: AddressBook::new(SessionRef { shared: this.clone() }),
            breakpoints: PublishedBreakpoints::default(),
            child_settings: Mutex::default(),
            when_started: Mutex::default(),
            transport: Mutex::default(),
            door: Mutex::default(),
            guests: Mutex::default(),
            last_connection: Mutex::new(ConnectionId::ONLY),
            progress: Mutex::default(),
            changed: Condvar::new(),
            output_closed: AtomicBool::new(false),
        });
        if is_served_later {
            shared.streams.outbox.close_client();
        }
        Session { shared }
    }

    /// Lets the interpreter's thread read and write for the only client. Call it before the engine is
    /// started.
    pub fn set_transport(&self, transport: Box<dyn InlineTransport>) {
        *self.shared.transport.lock() = Some(Arc::from(transport));
    }

    /// How guests connect, once the owner shares the session. Call it before the engine is started.
    pub fn set_door(&self, door: Arc<dyn Door>) {
        *self.shared.door.lock() = Some(door);
    }

    /// Lets guests join without a request of a client. Returns where they join.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn share(&self, how: &Share) -> Result<api::Shared, Failure> {
        let mut shared = Err(Failure::new(FailureKind::Internal, "the session is over"));
        self.shared.with_machine(false, |machine, _| {
            shared = self.shared.share(machine, OWN_REQUEST, how);
        });
        shared
    }

    /// A queue for what a guest will be sent.
    pub fn outbox_for_guest() -> Arc<Outbox<ToGuest>> {
        Arc::default()
    }

    /// Connects a guest, whose first request is [`SessionRequest::Attach`](crate::api::SessionRequest::Attach).
    ///
    /// # Errors
    /// Why it cannot join, as a text for it.
    pub fn connect_guest(
        &self,
        connection: ConnectionId,
        role: Role,
        outbox: Arc<Outbox<ToGuest>>,
        transport: Arc<dyn InlineTransport>,
    ) -> Result<(), String> {
        let mut machine = self.shared.machine.lock();
        machine.connect_guest(connection, role)?;
        self.shared.guests.lock().push(Arc::new(Guest { connection, outbox, transport }));
        Ok(())
    }

    /// A number for a new client's connection.
    pub fn new_connection(&self) -> ConnectionId {
        let mut last = self.shared.last_connection.lock();
        *last = last.next();
        *last
    }

    /// A number for a new guest's connection.
    pub fn new_guest_connection(&self) -> ConnectionId {
        self.new_connection().of_guest()
    }

    /// Connects a client; the one before it must be gone. `attaches` says that its first request is
    /// [`SessionRequest::Attach`](crate::api::SessionRequest::Attach): then what was kept for it follows the response to that, else it comes at once.
    pub fn connect(&self, connection: ConnectionId, transport: Arc<dyn InlineTransport>, attaches: bool) {
        let mut machine = self.shared.machine.lock();
        *self.shared.transport.lock() = Some(transport);
        self.outbox().expect_client();
        machine.connect(connection, attaches);
        self.shared.act(&mut machine, false);
    }

    /// The client's connection has been lost without a request to disconnect: `on_disconnect` is carried out instead,
    /// [`SessionRequest::Disconnect`](crate::api::SessionRequest::Disconnect) or [`Request::Terminate`].
    pub fn client_gone(&self, connection: ConnectionId, on_disconnect: Request) {
        self.shared.with_machine(false, |machine, now| machine.client_gone(connection, on_disconnect, now));
    }

    /// Loads a program without a request of a client, and starts it if `start` is set.
    pub fn launch(&self, launch: Launch, start: bool) {
        self.shared.with_machine(false, |machine, now| machine.launch(launch, start, now));
    }

    /// Ends the program and the session without a request of a client.
    pub fn terminate(&self) {
        self.shared.with_machine(false, Machine::terminate_unasked);
    }

    /// Makes a request that no client has made; the response is dropped.
    pub fn request(&self, request: Request) {
        self.shared.with_machine(false, |machine, now| machine.request(request, now));
    }

    /// Whether the connection of the last client was lost without a request to disconnect.
    pub fn has_lost_client(&self) -> bool {
        self.shared.machine.lock().has_lost_client()
    }

    /// Whether a client is connected.
    pub fn has_client(&self) -> bool {
        self.shared.machine.lock().has_client()
    }

    /// Whether there is no program, or it has ended.
    pub fn has_no_program(&self) -> bool {
        self.shared.machine.lock().has_no_program()
    }

    /// Whether the session has ended.
    pub fn is_over(&self) -> bool {
        self.shared.progress.lock().finished.is_some()
    }

    /// Starts the engine on a thread created by `spawn`.
    pub fn start_engine(&self, engine: EngineMain, spawn: &Spawn) {
        let Some(requests) = self.shared.requests.lock().take() else { return };
        self.shared.progress.lock().engine_lives = true;
        let link = EngineLink::new(&self.shared, requests);
        let gone = link::EngineGuard::new(&self.shared);
        let main = move || {
            let _gone = gone;
            engine(link)
        };
        // If there is no thread, `main` is dropped, and its link reports that the engine is gone.
        spawn(Box::new(main));
    }

    /// A reference that does not keep the session alive.
    pub fn downgrade(&self) -> SessionRef {
        SessionRef { shared: Arc::downgrade(&self.shared) }
    }

    /// Cancels a request of the client: it fails if it is still waiting, and so does an evaluation that is
    /// under way. All others are carried out as usual.
    pub fn cancel(&self, request: RequestId) {
        self.shared.with_machine(false, |machine, now| machine.cancel(request, now));
    }

    /// The queue of what is to be sent to the client.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.shared.streams.outbox
    }

    /// Receives messages of the client, in order. If the program is stopped and its thread may read from now
    /// on, `lend` is called after the messages were queued for that thread and before it can send anything in
    /// reply; the result is whether that happened. `quiet` says that the caller writes the outbox itself.
    pub fn receive(&self, messages: Vec<Incoming>, quiet: bool, lend: impl FnOnce()) -> bool {
        let mut machine = self.shared.machine.lock();
        let now = self.shared.now();
        let stopped = machine.is_stopped() && !machine.is_shared();
        for message in messages {
            machine.receive(message, now);
        }
        self.shared.act(&mut machine, quiet);
        // It may be shared since.
        let stopped = stopped && !machine.is_shared();
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

    /// For a session whose only thread is the interpreter's: does what is due by now, and returns how long it is until
    /// more is; `None` if nothing is. Zero: what the thread waits for may have happened. The caller writes the outbox.
    pub fn tick(&self) -> Option<Duration> {
        let line = self.outbox().finish_late_line();
        if self.exit_status().is_some() {
            // The engine ends when it next looks.
            *self.shared.engine.lock() = None;
            self.shared.wake();
            return Some(Duration::ZERO);
        }
        let timer = self.shared.progress.lock().timer_left();
        if timer == Some(Duration::ZERO) {
            self.shared.fire_timer(true);
        }
        timer.into_iter().chain(line).min()
    }

    /// The exit status of the session, once it has ended.
    pub fn exit_status(&self) -> Option<u8> {
        self.shared.progress.lock().finished
    }

    /// Waits until the session has ended and everything is written, and returns the exit status of the
    /// process. After a client has asked for the end, `stall` is how long it may leave what is written
    /// unread; `grace` is how long the engine may take to end.
    pub fn wait(&self, stall: Duration, grace: Duration) -> u8 {
        let shared = &self.shared;
        let status = shared.wait_finished();
        shared.streams.outbox.close();
        shared.streams.outbox.wait_written(stall / 8, &|stalled| {
            let patient = shared.progress.lock().patient;
            !shared.output_closed.load(Ordering::SeqCst) && (patient || stalled < stall)
        });
        shared.close_guests();
        shared.release_engine(grace);
        if let Some(transport) = shared.transport.lock().take() {
            transport.close();
        }
        // The engine may be unable to end, and so to end the commands of its program.
        shared.commands.end(true);
        shared.children.close();
        status
    }
}

impl Shared {
    fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Calls `work` with the state machine, then carries out the actions that result. `quiet`: the caller
    /// writes the outbox.
    fn with_machine(&self, quiet: bool, work: impl FnOnce(&mut Machine, Duration)) {
        let mut machine = self.machine.lock();
        work(&mut machine, self.now());
        self.act(&mut machine, quiet);
    }

    /// Carries out the actions of the machine in order. The machine's lock is held.
    fn act(&self, machine: &mut Machine, quiet: bool) {
        let mut actions = VecDeque::from(machine.take_actions());
        while let Some(action) = actions.pop_front() {
            self.carry_out(machine, action, quiet);
            actions.extend(machine.take_actions());
        }
    }

    /// Lets guests connect. Returns where.
    fn share(&self, machine: &mut Machine, id: RequestId, how: &Share) -> Result<api::Shared, Failure> {
        let door = self.door.lock().clone();
        let opened = match (door, self.me.upgrade()) {
            (Some(door), Some(shared)) => door.open(&Session { shared }, how),
            _ => Err(Failure::new(FailureKind::WrongState, "Cannot share: guests cannot connect here")),
        };
        machine.shared(id, how.name.clone(), opened.clone(), self.now());
        opened
    }

    /// The guest with this connection.
    fn guest(&self, connection: ConnectionId) -> Option<Arc<Guest>> {
        self.guests.lock().iter().find(|guest| guest.connection == connection).cloned()
    }

    fn close_door(&self) {
        if let Some(door) = &*self.door.lock() {
            door.close();
        }
    }

    /// Waits a moment for guests to receive the end of the session.
    fn close_guests(&self) {
        self.close_door();
        let guests = std::mem::take(&mut *self.guests.lock());
        let until = Instant::now() + GUESTS_GRACE;
        for guest in guests {
            guest.close(&self.streams.outbox, None);
            guest.outbox.wait_written(GUESTS_GRACE / 8, &|_| Instant::now() < until);
        }
    }

    fn carry_out(&self, machine: &mut Machine, action: Action, quiet: bool) {
        let Streams { outbox, input, .. } = &self.streams;
        match action {
            Action::Respond(id, result) => match self.guest(ConnectionId::of(id)) {
                Some(guest) => guest.respond(id, result),
                None => outbox.respond(id, result, quiet),
            },
            Action::Tell(event) => outbox.tell(event, None, true, quiet),
            Action::TellOwner(event) => outbox.add(Item::Event(event), quiet),
            Action::TellOthers { except, to_owner, event } => {
                outbox.tell(event, Some(except), to_owner, quiet)
            }
            // The machine answers who has asked.
            Action::Share { id, how } => drop(self.share(machine, id, &how)),
            Action::OpenGuest(connection, answer) => {
                if let Some(guest) = self.guest(connection) {
                    input.with_wanted(|wanted| guest.open(outbox, *answer, wanted));
                }
            }
            Action::CloseGuest(connection, last) => {
                if let Some(guest) = self.guest(connection) {
                    self.guests.lock().retain(|guest| guest.connection != connection);
                    guest.close(outbox, last);
                }
            }
            Action::CloseDoor => self.close_door(),
            Action::Ask { id, request, wake } => {
                if let Some(engine) = &*self.engine.lock() {
                    // Fails only if the engine has ended, and then the machine is told of that.
                    let _ = engine.send((id, request));
                }
                if wake {
                    self.wake();
                }
            }
            Action::Input { text, eof, goes_on } => input.add(text.as_deref(), eof, || {
                if let Some((client, company)) = goes_on {
                    let is_guest = self.guest(client).is_some();
                    outbox.tell(api::Event::Company(company), Some(client), is_guest, quiet);
                }
            }),
            Action::RefuseInput(refused) => input.set_refused(refused),
            Action::DiscardInput => input.discard(),
            Action::SetTimer(time) => {
                self.progress.lock().timer = Instant::now().checked_add(time);
                self.changed.notify_all();
            }
            Action::BeginShutdown => outbox.begin_shutdown(),
            Action::Finish { status, patient } => {
                let mut progress = self.progress.lock();
                progress.finished.get_or_insert(status);
                progress.patient = patient;
                self.changed.notify_all();
            }
            Action::StopWaiting => self.progress.lock().patient = false,
            Action::Open(answer) => {
                let answer = answer.map(|(id, result)| Item::Response(id, result));
                input.with_wanted(|wanted| outbox.open_client(answer, wanted));
            }
            Action::Close => {
                outbox.close_client();
                if let Some(transport) = self.transport.lock().take() {
                    transport.close();
                }
            }
            Action::AnswerChild(pid, answer) => self.children.admit(pid, self.order(answer)),
            Action::ReleaseChild(pid) => self.children.send(pid, &Order::Release),
            Action::ReportStart => {
                if let Some(report) = self.when_started.lock().take() {
                    report();
                }
            }
            Action::EndChild(pid) => self.children.send(pid, &Order::End),
        }
    }

    /// Makes a running or waiting program look at its requests.
    fn wake(&self) {
        self.streams.interrupt.raise();
        self.streams.outbox.wake_program();
        self.streams.input.wake_program();
    }

    /// Waits until the session has ended and returns its exit status; meanwhile calls the machine's timer.
    fn wait_finished(&self) -> u8 {
        let mut progress = self.progress.lock();
        loop {
            if let Some(status) = progress.finished {
                return status;
            }
            progress = match progress.timer_left() {
                None => self.changed.wait(progress),
                Some(Duration::ZERO) => {
                    drop(progress);
                    self.fire_timer(false);
                    self.progress.lock()
                }
                Some(left) => self.changed.wait_timeout(progress, left),
            };
        }
    }

    /// Calls the machine's timer, which is due. `quiet`: the caller writes the outbox.
    fn fire_timer(&self, quiet: bool) {
        self.progress.lock().timer = None;
        self.with_machine(quiet, Machine::timer);
    }

    /// Closes the channel to the engine and waits up to `grace`, counted from the beginning of the shutdown
    /// if there was one, so that it can end what the program has started.
    fn release_engine(&self, grace: Duration) {
        *self.engine.lock() = None;
        self.wake();
        let until = self.streams.outbox.shutdown_began().unwrap_or_else(Instant::now) + grace;
        let mut progress = self.progress.lock();
        while progress.engine_lives {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            progress = self.changed.wait_timeout(progress, left);
        }
    }
}

#[cfg(test)]
mod tests;

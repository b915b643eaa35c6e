//! A debug session: typed commands in, typed events out, and the threads between.
//!
//! Who calls what: the front end's reader thread calls [`Session::receive`], the interpreter's thread
//! (through its [`Port`]) tells what the engine says, and whoever owns the session sits in
//! [`Session::wait`]. All of them meet in the state machine, behind one lock that is never held while
//! anything blocks. Events and program output leave through the [`Outbox`] in the order in which they
//! happened. Nothing here knows how messages look.

mod breakpoints;
mod command;
mod event;
mod host;
mod input;
mod machine;
mod outbox;
mod runner;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::debug::{Client, Event, InterruptHandle, KeepAlive, Problem, Request};
use crate::host::{Capability, Commands};
use crate::interp::STACK_SIZE;
use crate::value::Host;

pub use command::{Command, DecodeError, Incoming, RequestId};
pub use event::{Failure, SessionEvent};
pub use machine::{Settings, TERMINATE_GRACE};
pub use outbox::{Item, Outbox, PIECE, pieces};
pub use runner::run_program;

use host::{DebugHost, Streams};
use machine::{Action, Load, Machine};

/// What runs on the interpreter's thread.
pub type Engine = dyn Fn(Task) -> KeepAlive + Send + Sync;

/// What the interpreter's thread is to do from its start to its end.
pub type Job = Box<dyn FnOnce() -> KeepAlive + Send>;

/// Finds a thread with [`STACK_SIZE`] bytes of stack for a job; `false` if there is none.
pub type Spawn = dyn Fn(Job) -> bool + Send + Sync;

/// A new thread for each job.
pub fn new_thread(job: Job) -> bool {
    std::thread::Builder::new().name("program".into()).stack_size(STACK_SIZE).spawn(|| drop(job())).is_ok()
}

/// A program to be loaded and run.
pub struct Task {
    /// Its file, absolute.
    pub path: PathBuf,
    /// How the client names the file.
    pub name: String,
    /// Its working directory, absolute.
    pub directory: PathBuf,
    /// What starts its commands, and ends them with the session.
    pub commands: Commands,
    /// What it is kept from.
    pub deny: Vec<Capability>,
    /// Most bytes of memory it may take; `None` stands for the default.
    pub memory: Option<u64>,
    /// The engine's way to its session.
    pub port: Port,
}

/// What the interpreter's thread does itself instead of waking the thread whose job it is, since waking
/// one takes longer than all the rest of a step.
pub trait Pipes: Send + Sync {
    /// Writes what is in the outbox. Called after something was told.
    fn flush(&self);

    /// Waits for messages of the client and hands them to [`Session::receive`], unless there is something
    /// `pending` already. Called while the program is stopped; `false` if somebody else listens, or
    /// nothing more comes.
    fn listen(&self, session: &Session, pending: &dyn Fn() -> bool) -> bool;
}

/// The engine's side of a session.
pub struct Port {
    session: Weak<Shared>,
    streams: Streams,
    requests: Receiver<Request>,
}

/// How far a session is from its end.
#[derive(Debug, Default)]
struct Progress {
    finished: Option<u8>,
    patient: bool,
    wake_at: Option<Instant>,
    engine_lives: bool,
}

struct Shared {
    machine: Mutex<Machine>,
    /// The way to the engine.
    link: Mutex<Option<Sender<Request>>>,
    streams: Streams,
    commands: Commands,
    engine: Box<Engine>,
    spawn: Box<Spawn>,
    pipes: OnceLock<Box<dyn Pipes>>,
    progress: Mutex<Progress>,
    changed: Condvar,
    output_closed: AtomicBool,
}

/// A session. Cheap to clone; all clones are the same one.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// A session whose programs are run by `engine`, on threads that `spawn` gives.
    pub fn new(settings: Settings, engine: Box<Engine>, spawn: Box<Spawn>) -> Session {
        let streams =
            Streams { outbox: Arc::default(), input: Arc::default(), control: InterruptHandle::new() };
        let commands = settings.commands.clone();
        let shared = Shared {
            machine: Mutex::new(Machine::new(settings)),
            link: Mutex::new(None),
            streams,
            commands,
            engine,
            spawn,
            pipes: OnceLock::new(),
            progress: Mutex::default(),
            changed: Condvar::new(),
            output_closed: AtomicBool::new(false),
        };
        Session { shared: Arc::new(shared) }
    }

    /// What is to reach the client.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.shared.streams.outbox
    }

    /// Lets the interpreter's thread read and write by itself.
    pub fn set_pipes(&self, pipes: Box<dyn Pipes>) {
        let _ = self.shared.pipes.set(pipes);
    }

    /// Messages of the client that came in one read, whose number it is. If the program was stopped, so
    /// that it may read itself from now on, `lend` is called when it can find them among its requests, but
    /// before it can tell anything else; gives whether.
    pub fn receive(&self, messages: Vec<Incoming>, read: u64, lend: impl FnOnce()) -> bool {
        let mut machine = lock(&self.shared.machine);
        let stopped = machine.is_stopped();
        for message in messages {
            machine.receive(message, read);
        }
        self.shared.act(&mut machine, false);
        if stopped {
            lend();
        }
        stopped
    }

    /// The client sends nothing more.
    pub fn commands_end(&self) {
        self.shared.with_machine(false, Machine::commands_end);
    }

    /// The client reads nothing more.
    pub fn output_closed(&self) {
        self.shared.output_closed.store(true, Ordering::SeqCst);
        self.shared.with_machine(false, Machine::output_closed);
    }

    /// Waits until the session is over and all is written, and gives the status to end with. When the
    /// client wants the end and does not read what was written, `stall` is how long it may hold it up;
    /// an engine that does not end within `grace` is left alone.
    pub fn wait(&self, stall: Duration, grace: Duration) -> u8 {
        let shared = &self.shared;
        let status = shared.wait_finished();
        shared.streams.outbox.close();
        shared.streams.outbox.wait_written(stall / 8, |stalled| {
            let patient = lock(&shared.progress).patient;
            !shared.output_closed.load(Ordering::SeqCst) && (patient || stalled < stall)
        });
        shared.release_engine(grace);
        // The program may be somewhere where it neither ends nor ends what it has started.
        shared.commands.end();
        status
    }
}

impl Shared {
    /// Lets the machine do something, and does what it wants. `quiet`: the caller looks after the
    /// writing itself.
    fn with_machine(self: &Arc<Shared>, quiet: bool, work: impl FnOnce(&mut Machine)) {
        let mut machine = lock(&self.machine);
        work(&mut machine);
        self.act(&mut machine, quiet);
    }

    /// Does what the machine wants, which its lock keeps in order.
    fn act(self: &Arc<Shared>, machine: &mut Machine, quiet: bool) {
        for action in machine.take_actions() {
            self.carry_out(action, quiet);
        }
    }

    fn carry_out(self: &Arc<Shared>, action: Action, quiet: bool) {
        let Streams { outbox, input, .. } = &self.streams;
        match action {
            Action::Emit(tag, event) if quiet => outbox.quiet_event(tag, event),
            Action::Emit(tag, event) => outbox.event(tag, event),
            Action::Load(load) => self.load(load),
            Action::Ask { request, wake } => {
                if request == Request::Terminate {
                    outbox.hurry();
                }
                if let Some(link) = &*lock(&self.link) {
                    // A program that has ended needs no request.
                    let _ = link.send(request);
                }
                if wake {
                    self.wake();
                }
            }
            Action::Input { text, eof } => input.add(text.as_deref(), eof),
            Action::Wake(time) => {
                lock(&self.progress).wake_at = Instant::now().checked_add(time);
                self.changed.notify_all();
            }
            Action::Finish { status, patient } => {
                let mut progress = lock(&self.progress);
                progress.finished.get_or_insert(status);
                progress.patient = patient;
                self.changed.notify_all();
            }
            Action::Hurry => lock(&self.progress).patient = false,
        }
    }

    /// Makes a program that runs or waits look at its requests.
    fn wake(&self) {
        self.streams.control.raise();
        self.streams.outbox.nudge();
        self.streams.input.nudge();
    }

    /// Starts the interpreter's thread.
    fn load(self: &Arc<Shared>, load: Load) {
        let Load { path, name, directory, deny } = load;
        let (requests, receiver) = unbounded();
        *lock(&self.link) = Some(requests);
        lock(&self.progress).engine_lives = true;
        let streams = self.streams.clone();
        let port = Port { session: Arc::downgrade(self), streams, requests: receiver };
        let (shared, commands) = (self.clone(), self.commands.clone());
        let run = move || {
            let _gone = Gone(Arc::downgrade(&shared));
            (shared.engine)(Task { path, name, directory, commands, deny, memory: None, port })
        };
        if !(self.spawn)(Box::new(run)) {
            // The machine is locked here: it hears of the failure from another thread.
            let gone = Gone(Arc::downgrade(self));
            std::thread::spawn(move || drop(gone));
        }
    }

    fn wait_finished(self: &Arc<Shared>) -> u8 {
        let mut progress = lock(&self.progress);
        loop {
            if let Some(status) = progress.finished {
                return status;
            }
            let left = progress.wake_at.map(|at| at.saturating_duration_since(Instant::now()));
            progress = match left {
                None => self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    progress.wake_at = None;
                    drop(progress);
                    self.with_machine(false, Machine::expire);
                    lock(&self.progress)
                }
                Some(left) => {
                    let waited = self.changed.wait_timeout(progress, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Ends the engine and gives it some time (since it was told to end, if it was), so that it ends what
    /// it has started.
    fn release_engine(&self, grace: Duration) {
        *lock(&self.link) = None;
        self.wake();
        let until = self.streams.outbox.hurried().unwrap_or_else(Instant::now) + grace;
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

impl Client for Port {
    fn event(&self, event: Event) {
        self.tell(|machine| machine.engine(event));
    }

    fn listen(&self) -> bool {
        let Some(shared) = self.session.upgrade() else { return false };
        let session = Session { shared };
        let pending = || !self.requests.is_empty();
        session.shared.pipes.get().is_some_and(|pipes| pipes.listen(&session, &pending))
    }
}

/// Tells the session that the interpreter's thread has ended, however that happened.
struct Gone(Weak<Shared>);

impl Drop for Gone {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.with_machine(false, Machine::engine_gone);
            lock(&shared.progress).engine_lives = false;
            shared.changed.notify_all();
        }
    }
}

impl Port {
    fn tell(&self, work: impl FnOnce(&mut Machine)) {
        let Some(shared) = self.session.upgrade() else { return };
        let pipes = shared.pipes.get();
        shared.with_machine(pipes.is_some(), work);
        if let Some(pipes) = pipes {
            pipes.flush();
        }
    }

    /// The program is loaded; its warnings.
    pub fn loaded(&self, warnings: Vec<Problem>) {
        self.tell(|machine| machine.loaded(warnings));
    }

    /// The program cannot be loaded: why. The session ends.
    pub fn not_loaded(&self, failures: Vec<Failure>) {
        self.tell(|machine| machine.not_loaded(failures));
    }

    /// What the session asks.
    pub fn requests(&self) -> Receiver<Request> {
        self.requests.clone()
    }

    /// What wakes the program.
    pub fn control(&self) -> InterruptHandle {
        self.streams.control.clone()
    }

    /// A host with the session's streams; all else is done by `inner`.
    pub fn host(&self, inner: Box<dyn Host>) -> Box<dyn Host> {
        Box::new(DebugHost::new(self.streams.clone(), inner))
    }
}

#[cfg(test)]
mod tests;

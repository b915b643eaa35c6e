//! The worker: a thread that runs instances of a program.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};
use foldhash::HashMap;

use crate::api::{BreakpointId, Launch, Request, RequestId};
use crate::debug::client::Connection;
use crate::debug::control::InterruptHandle;
use crate::debug::engine::Engine;
use crate::debug::history::checkpoints::Pace;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::messages::{Aim, Journey, JourneyEnd, Setting, WorkerMessage};
use crate::debug::history::relay::INTERNAL;
use crate::debug::history::search::Search;
use crate::debug::history::state::Origin;
use crate::debug::history::watch_subject::Subject;
use crate::debug::history::worker::instance;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::history::worker::wire::ToWorker;
use crate::debug::history::writes::ChangeQuestion;
use crate::debug::inspect::inspection::Effects;
use crate::debug::running::serve::{HostSetup, Setup};
use crate::interp::STACK_SIZE;
use crate::interp::output_watch::OutputWatch;
use crate::interp::vm::Vm;
use crate::recording::{Record, Replay, ReplayHost};
use crate::threads;
use crate::value::{Host, held_memory, raise_memory_limit, set_memory_limit};

/// Starts a worker for a program.
///
/// # Errors
/// If no thread can be created.
pub(crate) fn start(origin: Origin, record: Record) -> Result<WorkerLink, String> {
    let (orders, ordered) = unbounded();
    let (requests, asked) = unbounded();
    let (tell, told) = unbounded();
    let step = Arc::<AtomicU64>::default();
    let of_worker = step.clone();
    let interrupt = InterruptHandle::new();
    let handle = interrupt.clone();
    let work = move || work(origin, &record, &ordered, asked, tell, (handle, of_worker));
    threads::spawn_with_stack("past", STACK_SIZE, work)
        .map_err(|error| format!("no thread for the past: {error}"))?;
    let link = ThreadLink { orders, requests: Some(requests), interrupt };
    let send = Box::new(move |message| link.send(message));
    Ok(WorkerLink { send, messages: told, step, known: 0, checkpoint: None })
}

/// A journey to make, after applying the settings.
struct Order(Vec<Setting>, Box<Journey>);

/// The channels to a worker's thread. The worker ends when this is dropped.
struct ThreadLink {
    orders: Sender<Order>,
    requests: Option<Sender<(RequestId, Request)>>,
    interrupt: InterruptHandle,
}

impl ThreadLink {
    fn send(&self, message: ToWorker) {
        match message {
            ToWorker::Go(settings, journey) => drop(self.orders.send(Order(settings, journey))),
            ToWorker::Request(id, request) => {
                if let Some(requests) = &self.requests {
                    let _ = requests.send((id, request));
                }
            }
            ToWorker::Interrupt => self.interrupt.raise(),
        }
    }
}

impl Drop for ThreadLink {
    fn drop(&mut self) {
        self.requests = None;
        self.interrupt.raise();
    }
}

fn work(
    origin: Origin,
    record: &Record,
    orders: &Receiver<Order>,
    requests: Receiver<(RequestId, Request)>,
    tell: Sender<WorkerMessage>,
    (interrupt, step): (InterruptHandle, Arc<AtomicU64>),
) {
    let Origin { snapshot, launch, file, directory } = origin;
    // Instances have no history of their own.
    let launch = Launch { history: false, observe: None, children: false, ..launch };
    let replays: Rc<RefCell<Option<Replay>>> = Rc::default();
    let (newest, of_host) = (replays.clone(), record.clone());
    let make_host = move |_: HostSetup| -> Box<dyn Host> {
        let (host, replay) = ReplayHost::in_memory(of_host.clone());
        *newest.borrow_mut() = Some(replay);
        Box::new(host)
    };
    let setup = Setup {
        loader: Box::new((*snapshot).clone()),
        make_host: Box::new(make_host),
        file,
        directory,
        checkpoints: Pace::Never,
    };
    let sender = tell.clone();
    let client = move |message| drop(sender.send(WorkerMessage::Message(message)));
    let connection = Connection::new(requests, Rc::new(client), interrupt);
    let engine = Rc::new(RefCell::new(Engine::new(connection, setup.directory.clone())));
    let subjects = RefCell::default();
    while let Ok(Order(settings, journey)) = orders.recv() {
        engine.borrow_mut().set_all(settings);
        engine.borrow_mut().drop_internal_requests_until(journey.last_internal_request);
        let worker = Worker {
            engine: &engine,
            setup: &setup,
            replays: &replays,
            launch: &launch,
            step: &step,
            subjects: &subjects,
        };
        let end = match journey.aim.clone() {
            Aim::Search(_, question) => worker.search(&journey, &question),
            Aim::Arrive(..)
            | Aim::Note(..)
            | Aim::Hits(..)
            | Aim::Resolve(..)
            | Aim::Changes(_)
            | Aim::Statements(_)
            | Aim::Output(_)
            | Aim::Unfold(_) => worker.go(*journey, None).0,
        };
        let told = engine.borrow_mut().journey_ended(end);
        if tell.send(told).is_err() {
            return;
        }
    }
}

/// What a worker needs to run instances.
struct Worker<'a> {
    engine: &'a Rc<RefCell<Engine>>,
    setup: &'a Setup,
    replays: &'a RefCell<Option<Replay>>,
    launch: &'a Launch,
    step: &'a Arc<AtomicU64>,
    /// Results of earlier searches: what each data breakpoint watches.
    subjects: &'a RefCell<HashMap<BreakpointId, Subject>>,
}

impl Worker<'_> {
    /// Makes a journey. Its search, if any, is returned.
    fn go(&self, journey: Journey, search: Option<Search>) -> (JourneyEnd, Option<Search>) {
        // The memory of the live program does not count towards the limit of the instance.
        set_memory_limit(self.launch.memory_limit);
        raise_memory_limit(held_memory().saturating_add(instance::MORE_MEMORY));
        let vm = self.engine.borrow_mut().instance(self.setup, self.launch);
        let mut vm = match vm {
            Ok(vm) => vm,
            Err(failure) => return (JourneyEnd::Lost(failure.message), None),
        };
        let Some(replay) = self.replays.borrow_mut().take() else {
            return (JourneyEnd::Lost("there is no record".into()), None);
        };
        let step = self.step.clone();
        let tell_step = Box::new(move |now| step.store(now, Ordering::Relaxed));
        let mut journey_state = JourneyState::new(journey, replay, tell_step);
        journey_state.search = search.or(journey_state.search);
        self.engine.borrow_mut().begin_journey(&mut vm, journey_state);
        let step = instance::run(self.engine, vm);
        self.engine.borrow_mut().finish_journey(step)
    }

    /// Searches the whole past for changes of something, in two or more runs.
    fn search(&self, journey: &Journey, question: &ChangeQuestion) -> JourneyEnd {
        let known = question.breakpoint.as_ref().and_then(|it| self.subjects.borrow().get(&it.id).cloned());
        let subject = match known.map_or_else(|| self.meaning(journey, question), Ok) {
            Ok(subject) => subject,
            Err(end) => return end,
        };
        let search = Search::for_changes(question.clone(), subject, 1);
        self.go(journey.clone(), Some(search)).0
    }

    /// Resolves a question's expression for every run.
    fn meaning(&self, journey: &Journey, question: &ChangeQuestion) -> Result<Subject, JourneyEnd> {
        // The expression is resolved where the question was asked.
        let aim = Aim::Search(question.asked_at, question.clone());
        let there = Journey { aim, ..journey.clone() };
        let (end, search) = self.go(there, Some(Search::for_meaning(question.clone())));
        let subject = match search.and_then(|search| search.resolved) {
            Some(Ok(resolved)) => resolved.subject,
            Some(Err(_)) | None => return Err(end),
        };
        if let Some(watch) = &question.breakpoint {
            self.subjects.borrow_mut().insert(watch.id, subject.clone());
        }
        Ok(subject)
    }
}

impl Engine {
    /// Applies settings of breakpoints and watches that were made in the live engine.
    pub fn set_all(&mut self, settings: Vec<Setting>) {
        for setting in settings {
            match setting {
                Setting::Breakpoint(last, request) => {
                    let mut breakpoints = self.breakpoints.borrow_mut();
                    breakpoints.table.set_last(last);
                    let _ = breakpoints.change(None, request);
                }
                Setting::Watch(request) => drop(self.inspection.watch_request(None, request)),
            }
        }
    }

    /// The message at the end of a journey.
    pub fn journey_ended(&mut self, end: JourneyEnd) -> WorkerMessage {
        WorkerMessage::Ended(end, self.inspection.handles.last(), self.inspection.shown_before.take())
    }

    /// The result of a journey whose run is over, and its search, if any.
    pub fn finish_journey(&mut self, step: u64) -> (JourneyEnd, Option<Search>) {
        let Some(mut journey_state) = self.journey_state.take() else {
            return (JourneyEnd::Lost("there was no journey".into()), None);
        };
        self.inspection.shown_before = journey_state.shown.take().or(self.inspection.shown_before.take());
        let search = journey_state.search.take();
        (journey_state.ended(step), search)
    }

    /// Prepares a new instance for a journey.
    pub fn begin_journey(&mut self, vm: &mut Vm, mut journey_state: JourneyState) {
        self.inspection.handles.go_on_after(journey_state.journey.last_handle);
        self.inspection.shown_before = journey_state.journey.shown.take();
        let looks_for_hits = journey_state.looks_for_hits();
        let mut breakpoints = self.breakpoints.borrow_mut();
        // Instances stop before the end of the program, also because of an error.
        breakpoints.keeps_history = true;
        breakpoints.end_run_to(vm);
        breakpoints.unplace_all(vm);
        breakpoints.table.ignore_hit_conditions(looks_for_hits);
        drop(breakpoints);
        // Breakpoints that were there have cleared the flags of their statements.
        if let Some((search, program)) = journey_state.search.as_mut().zip(self.debugged()) {
            search.begin(&program.compiled.flags, &vm.program, vm.steps.now());
        }
        if let Some((search, program)) = journey_state.statements.as_mut().zip(self.debugged()) {
            search.begin(program.compiled.flags.clone());
        }
        if let Aim::Output(search) = &journey_state.journey.aim {
            vm.output_watch =
                Some(OutputWatch::new(journey_state.output_length(), search.offsets.iter().copied()));
        }
        vm.steps.set_goal(journey_state.goal(vm.steps.now()));
        let present = journey_state.present().step;
        self.journey_state = Some(journey_state);
        self.inspection.effects = Effects::Refused { present };
        if looks_for_hits {
            self.arm_breakpoints(vm);
        }
    }

    /// Drops requests that the live engine has made for earlier journeys.
    fn drop_internal_requests_until(&mut self, last: u64) {
        while let Ok((id, request)) = self.inspection.connection.requests.try_recv() {
            if id.0 > INTERNAL + last {
                self.inspection.connection.postponed.push_back((id, request));
                self.inspection.connection.interrupt.raise();
            }
        }
    }
}

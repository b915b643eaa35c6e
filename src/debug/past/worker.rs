//! The worker: a thread that runs a program's past.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::api::{BreakpointId, Launch, Request, RequestId};
use crate::interp::STACK_SIZE;
use crate::interp::vm::Vm;
use crate::recording::{Record, Replay, ReplayHost};
use crate::value::{Host, held_memory, raise_memory_limit, set_memory_limit};

use super::super::control::InterruptHandle;
use super::super::engine::Engine;
use super::super::serve::{HostSetup, Setup};
use super::super::time::checkpoints::Pace;
use super::super::time::history::{Aim, Journey, JourneyEnd, Origin, Question, Setting, Told, WorkerLink};
use super::super::time::search::{Resolved, Search, Subject, Unresolved};
use super::super::time::underway::Underway;
use super::super::time::wire::ToWorker;
use super::following::INTERNAL;
use super::instance;

/// Starts a worker for a program.
///
/// # Errors
/// When there can be no more threads.
pub(crate) fn start(origin: Origin, record: Record) -> Result<WorkerLink, String> {
    let (orders, ordered) = unbounded();
    let (requests, asked) = unbounded();
    let (tell, told) = unbounded();
    let step = Arc::<AtomicU64>::default();
    let of_worker = step.clone();
    let interrupt = InterruptHandle::new();
    let handle = interrupt.clone();
    let thread = std::thread::Builder::new().name("past".into()).stack_size(STACK_SIZE);
    let work = move || work(origin, &record, &ordered, asked, tell, (handle, of_worker));
    thread.spawn(work).map_err(|error| format!("no thread for the past: {error}"))?;
    let way = Way { orders, requests: Some(requests), interrupt };
    let send = Box::new(move |message| way.send(message));
    Ok(WorkerLink { send, told, step, known: 0, is_nested: true })
}

/// What a worker is to do, besides requests.
struct Order(Vec<Setting>, Box<Journey>);

/// The way to a worker. It ends when this is dropped.
struct Way {
    orders: Sender<Order>,
    requests: Option<Sender<(RequestId, Request)>>,
    interrupt: InterruptHandle,
}

impl Way {
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

impl Drop for Way {
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
    tell: Sender<Told>,
    (interrupt, step): (InterruptHandle, Arc<AtomicU64>),
) {
    let Origin { snapshot, launch, file, directory } = origin;
    // What this thread runs has no history of its own.
    let launch = Launch { history: false, ..launch };
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
    let client = move |message| drop(sender.send(Told::Message(message)));
    let engine = Engine::new(requests, Rc::new(client), interrupt, setup.directory.clone());
    let engine = Rc::new(RefCell::new(engine));
    let subjects = RefCell::default();
    while let Ok(Order(settings, journey)) = orders.recv() {
        engine.borrow_mut().set_all(settings);
        engine.borrow_mut().forget_orders_until(journey.last_order);
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
            Aim::Arrive(..) | Aim::Note(..) | Aim::Hits(..) => worker.go(*journey, None).0,
        };
        let told = engine.borrow_mut().journey_ended(end);
        if tell.send(told).is_err() {
            return;
        }
    }
}

/// What a worker runs instances with.
struct Worker<'a> {
    engine: &'a Rc<RefCell<Engine>>,
    setup: &'a Setup,
    replays: &'a RefCell<Option<Replay>>,
    launch: &'a Launch,
    step: &'a Arc<AtomicU64>,
    /// What is known of the breakpoints on writes.
    subjects: &'a RefCell<BTreeMap<BreakpointId, Resolved>>,
}

impl Worker<'_> {
    /// Makes a journey; a search that it was made for is given back.
    fn go(&self, journey: Journey, search: Option<Search>) -> (JourneyEnd, Option<Search>) {
        // What the live program holds does not count for an instance beside it.
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
        let mut underway = Underway::new(journey, replay, tell_step);
        underway.search = search;
        self.engine.borrow_mut().set_out(&mut vm, underway);
        let step = instance::run(self.engine, vm);
        self.engine.borrow_mut().come_home(step)
    }

    /// Looks for changes of something, in two runs or more.
    fn search(&self, journey: &Journey, question: &Question) -> JourneyEnd {
        let known = question.breakpoint.as_ref().and_then(|it| self.subjects.borrow().get(&it.id).cloned());
        let resolved = match known.map_or_else(|| self.meaning(journey, question), Ok) {
            Ok(resolved) => resolved,
            Err(end) => return end,
        };
        let mut search = Search::for_changes(question.clone(), resolved);
        search.collects = question.breakpoint.is_some();
        self.go(journey.clone(), Some(search)).0
    }

    /// What a question means in every run.
    fn meaning(&self, journey: &Journey, question: &Question) -> Result<Resolved, JourneyEnd> {
        // The expression means that where it was asked.
        let aim = Aim::Search(question.asked_at, question.clone());
        let there = Journey { aim, ..journey.clone() };
        let mut last = u64::MAX;
        let mut resolved = loop {
            let (end, search) = self.go(there.clone(), Some(Search::for_meaning(question.clone(), last)));
            match search.and_then(|search| search.outcome) {
                Some(Ok(resolved)) => break resolved,
                Some(Err(Unresolved::Before(number))) if number > 1 => last = number - 1,
                Some(Err(Unresolved::Before(_))) | None => return Err(end),
                Some(Err(Unresolved::Failed(failure))) => {
                    return Err(JourneyEnd::LastChange(Box::new(Err(failure))));
                }
            }
        };
        let Some(watch) = &question.breakpoint else { return Ok(resolved) };
        if matches!(resolved.subject, Subject::Local { .. }) {
            // Elsewhere in time, another call may be at its depth.
            let (_, search) = self.go(there, Some(Search::for_changes(question.clone(), resolved.clone())));
            if let Subject::Local { begin, .. } = &mut resolved.subject {
                *begin = search.and_then(|search| search.begin);
            }
        }
        self.subjects.borrow_mut().insert(watch.id, resolved.clone());
        Ok(resolved)
    }
}

impl Engine {
    /// Changes the tables of breakpoints and watches as the live engine did.
    pub(super) fn set_all(&mut self, settings: Vec<Setting>) {
        for setting in settings {
            match setting {
                Setting::Breakpoint(last, request) => {
                    let mut placing = self.placing.borrow_mut();
                    placing.breakpoints.set_last(last);
                    let _ = placing.change(None, request);
                }
                Setting::Watch(request) => drop(self.watch_request(request)),
            }
        }
    }

    /// What is told when a journey has ended.
    pub(super) fn journey_ended(&mut self, end: JourneyEnd) -> Told {
        Told::Ended(end, self.handles.last(), self.shown_before.take())
    }

    /// How the journey ended, whose run is over; a search that it was made for is given back.
    pub(super) fn come_home(&mut self, step: u64) -> (JourneyEnd, Option<Search>) {
        let Some(mut underway) = self.underway.take() else {
            return (JourneyEnd::Lost("there was no journey".into()), None);
        };
        self.shown_before = underway.shown.take().or(self.shown_before.take());
        let search = underway.search.take();
        (underway.ended(step), search)
    }

    /// Prepares an instance for a journey.
    pub(super) fn set_out(&mut self, vm: &mut Vm, mut underway: Underway) {
        self.handles.go_on_after(underway.journey.last_handle);
        self.shown_before = underway.journey.shown.take();
        if let Some((search, program)) = underway.search.as_mut().zip(self.debugged()) {
            search.begin(&program.compiled.flags, &vm.program);
        }
        vm.steps.set_goal(underway.goal());
        let looks_for_hits = underway.looks_for_hits();
        self.underway = Some(underway);
        let mut placing = self.placing.borrow_mut();
        // An instance ends where the program does, errors included.
        placing.keeps_history = true;
        placing.unplace_all(vm);
        placing.breakpoints.ignore_hit_conditions(looks_for_hits);
        drop(placing);
        if looks_for_hits {
            self.arm_breakpoints(vm);
        }
    }

    /// Drops what the live engine has ordered for journeys that were over by then.
    fn forget_orders_until(&mut self, last: u64) {
        while let Ok((id, request)) = self.poll_request() {
            if id.0 > INTERNAL + last {
                self.postponed.push_back((id, request));
                self.interrupt.raise();
            }
        }
    }
}

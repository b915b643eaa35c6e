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
use crate::debug::history::changes::subject::Subject;
use crate::debug::history::checkpoints::Pace;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::messages::{Journey, WorkerMessage};
use crate::debug::history::state::Origin;
use crate::debug::history::visit::{JourneyEnd, Runs, Visit};
use crate::debug::history::worker::instance;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::history::worker::wire::ToWorker;
use crate::debug::running::loading::{HostSetup, Setup};
use crate::debug::settings::Setting;
use crate::recording::{Record, Replay, ReplayHost};
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::sync::receive;
use ez_runtime::threads;
use ez_runtime::value::{Host, held_memory, raise_memory_limit, set_memory_limit};

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
    let link = ThreadLink::new(orders, requests, interrupt);
    let send = Box::new(move |message| link.send(message));
    Ok(WorkerLink { send, messages: told, step, known: 0, checkpoint: None })
}

/// A journey to make, after applying the settings.
pub(super) struct Order(Vec<Setting>, Box<Journey>);

/// The channels to a worker's thread. The worker ends when this is dropped.
pub(super) struct ThreadLink {
    orders: Sender<Order>,
    requests: Option<Sender<(RequestId, Request)>>,
    interrupt: InterruptHandle,
}

impl ThreadLink {
    pub fn new(
        orders: Sender<Order>,
        requests: Sender<(RequestId, Request)>,
        interrupt: InterruptHandle,
    ) -> ThreadLink {
        ThreadLink { orders, requests: Some(requests), interrupt }
    }

    pub fn send(&self, message: ToWorker) {
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

/// Makes the journeys that are ordered.
pub(super) fn work(
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
        loader: Rc::new((*snapshot).clone()),
        make_host: Box::new(make_host),
        file,
        directory,
        checkpoints: Pace::Never,
    };
    let sender = tell.clone();
    let client = move |message| drop(sender.send(WorkerMessage::Message(message)));
    let connection = Connection::new(requests, Rc::new(client), interrupt);
    let engine =
        Rc::new(RefCell::new(Engine::new(connection, setup.directory.clone(), setup.loader.clone())));
    let subjects = RefCell::default();
    while let Ok(Order(settings, journey)) = receive(orders) {
        engine.borrow_mut().inspection.set_all(settings, journey.last_breakpoint);
        let last = journey.last_internal_request;
        drop_internal_requests_until(&mut engine.borrow_mut().inspection.connection, last);
        let worker = Worker {
            engine: &engine,
            setup: &setup,
            replays: &replays,
            launch: &launch,
            step: &step,
            subjects: &subjects,
        };
        let end = worker.journey(&journey);
        let told = WorkerMessage::ended(&mut engine.borrow_mut().inspection, end);
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
    /// Makes a journey.
    fn journey(&self, journey: &Journey) -> JourneyEnd {
        let run = |visit| self.run(journey.clone(), visit);
        let runs = Runs { run: &run, subjects: self.subjects };
        journey.aim.itinerary().reach(&runs, journey.present)
    }

    /// Runs an instance.
    fn run(&self, journey: Journey, visit: Box<dyn Visit>) -> JourneyEnd {
        // The memory of the live program does not count towards the limit of the instance.
        set_memory_limit(self.launch.memory_limit);
        raise_memory_limit(held_memory().saturating_add(instance::MORE_MEMORY));
        let vm = self.engine.borrow_mut().instance(self.setup, self.launch);
        let mut vm = match vm {
            Ok(vm) => vm,
            Err(failure) => return JourneyEnd::Lost(failure.message),
        };
        let Some(replay) = self.replays.borrow_mut().take() else {
            return JourneyEnd::Lost("there is no record".into());
        };
        let step = self.step.clone();
        let tell_step = Box::new(move |now| step.store(now, Ordering::Relaxed));
        let journey = JourneyState::new(journey, visit, replay, tell_step);
        self.engine.borrow_mut().begin_journey(&mut vm, journey);
        let step = instance::run(self.engine, vm);
        self.engine.borrow_mut().finish_journey(step)
    }
}

/// Drops requests that the live engine has made for earlier journeys, which may have ended before they saw them.
fn drop_internal_requests_until(connection: &mut Connection, last: u64) {
    connection.postponed.extend(connection.requests.try_iter());
    connection.postponed.retain(|(id, _)| id.0 > RequestId::OF_ENGINE + last);
    connection.wake_for_postponed();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_earlier_journeys_are_dropped() {
        let (send, requests) = unbounded();
        let mut connection = Connection::new(requests, Rc::new(|_| {}), InterruptHandle::new());
        let number = |number| RequestId(RequestId::OF_ENGINE + number);
        for id in [number(1), number(2)] {
            send.send((id, Request::Terminate)).unwrap();
        }
        drop_internal_requests_until(&mut connection, 1);
        assert_eq!(connection.postponed, [(number(2), Request::Terminate)]);
        // The journey has ended before it has looked.
        drop_internal_requests_until(&mut connection, 2);
        assert_eq!(connection.postponed, []);
    }
}

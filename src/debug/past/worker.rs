//! The worker: a thread that runs a program's past.

use std::cell::RefCell;
use std::rc::Rc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::api::{Launch, Request, RequestId};
use crate::interp::STACK_SIZE;
use crate::recording::{Record, Replay, ReplayHost};
use crate::value::{Host, set_memory_limit};

use super::super::control::InterruptHandle;
use super::super::engine::Engine;
use super::super::serve::{HostSetup, Setup};
use super::super::time::history::{Journey, JourneyEnd, Order, Origin, Setting, Told, WorkerLink};
use super::super::time::underway::Underway;
use super::instance;

/// Starts a worker for a program.
///
/// # Errors
/// When there can be no more threads.
pub(crate) fn start(origin: Origin, record: Record) -> Result<WorkerLink, String> {
    let (orders, ordered) = unbounded();
    let (requests, asked) = unbounded();
    let (tell, told) = unbounded();
    let interrupt = InterruptHandle::new();
    let handle = interrupt.clone();
    let thread = std::thread::Builder::new().name("past".into()).stack_size(STACK_SIZE);
    let work = move || work(origin, &record, &ordered, asked, tell, handle);
    thread.spawn(work).map_err(|error| format!("no thread for the past: {error}"))?;
    Ok(WorkerLink { orders, requests, told, interrupt })
}

fn work(
    origin: Origin,
    record: &Record,
    orders: &Receiver<Order>,
    requests: Receiver<(RequestId, Request)>,
    tell: Sender<Told>,
    interrupt: InterruptHandle,
) {
    let Origin { snapshot, launch, file, directory } = origin;
    set_memory_limit(launch.memory_limit);
    // What this thread runs has no history of its own.
    let launch = Launch { history: false, ..launch };
    let replays: Rc<RefCell<Option<Replay>>> = Rc::default();
    let (newest, of_host) = (replays.clone(), record.clone());
    let make_host = move |_: HostSetup| -> Box<dyn Host> {
        let (host, replay) = ReplayHost::in_memory(of_host.clone());
        *newest.borrow_mut() = Some(replay);
        Box::new(host)
    };
    let setup =
        Setup { loader: Box::new((*snapshot).clone()), make_host: Box::new(make_host), file, directory };
    let sender = tell.clone();
    let client = move |message| drop(sender.send(Told::Message(message)));
    let engine = Engine::new(requests, Rc::new(client), interrupt, setup.directory.clone());
    let engine = Rc::new(RefCell::new(engine));
    while let Ok(order) = orders.recv() {
        match order {
            Order::Set(settings) => settings.into_iter().for_each(|setting| set(&engine, setting)),
            Order::Go(journey) => {
                let end = go(&engine, &setup, &replays, *journey, &launch);
                let last_handle = engine.borrow().handles.last();
                if tell.send(Told::Ended(end, last_handle)).is_err() {
                    return;
                }
            }
        }
    }
}

fn set(engine: &RefCell<Engine>, setting: Setting) {
    let mut engine = engine.borrow_mut();
    match setting {
        Setting::Breakpoint(last, request) => {
            let mut placing = engine.placing.borrow_mut();
            placing.breakpoints.set_last(last);
            let _ = placing.change(None, request);
        }
        Setting::Watch(request) => drop(engine.watch_request(request)),
    }
}

fn go(
    engine: &Rc<RefCell<Engine>>,
    setup: &Setup,
    replays: &RefCell<Option<Replay>>,
    journey: Journey,
    launch: &Launch,
) -> JourneyEnd {
    let vm = engine.borrow_mut().instance(setup, launch);
    let mut vm = match vm {
        Ok(vm) => vm,
        Err(failure) => return JourneyEnd::Lost(failure.message),
    };
    let Some(replay) = replays.borrow_mut().take() else {
        return JourneyEnd::Lost("there is no record".into());
    };
    {
        let mut engine = engine.borrow_mut();
        engine.handles.go_on_after(journey.last_handle);
        let underway = Underway::new(journey, replay);
        vm.steps.set_goal(underway.goal());
        let looks_for_hits = underway.looks_for_hits();
        engine.underway = Some(underway);
        let mut placing = engine.placing.borrow_mut();
        // An instance ends where the program does, errors included.
        placing.keeps_history = true;
        placing.unplace_all(&mut vm);
        placing.breakpoints.ignore_hit_conditions(looks_for_hits);
        drop(placing);
        if looks_for_hits {
            engine.arm_breakpoints(&mut vm);
        }
    }
    let step = instance::run(engine, vm);
    let underway = engine.borrow_mut().underway.take();
    underway.map_or(JourneyEnd::Lost("there was no journey".into()), |underway| underway.ended(step))
}

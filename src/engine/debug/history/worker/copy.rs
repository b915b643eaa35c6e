//! Checkpoints: made by the program's thread, as copies of the process. A copy waits; for each journey it
//! makes a copy of itself, which continues from the checkpoint as an instance of the past.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem::{forget, replace};
use std::rc::Rc;

use crossbeam_channel::unbounded;

use crate::api::{Request, RequestId};
use crate::debug::client::{Connection, Message};
use crate::debug::control::InterruptHandle;
use crate::debug::engine::Engine;
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::messages::WorkerMessage;
use crate::debug::history::position::RunPosition;
use crate::debug::history::worker::instance::MORE_MEMORY;
use crate::debug::history::worker::wire::{self, FromCopy, OriginalLink, ToCopy, ToWorker};
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::inspect::watchdog::Watchdog;
use crate::debug::running::stepper::Mode;
use crate::recording::{HostCall, Mark, Record, Replay, ReplayHost};
use ez_runtime::clock::Instant;
use ez_runtime::interp::vm::{ErrorWatch, Vm};
use ez_runtime::platform::{Copied, Link, copy_process, end_copy, stand_in};
use ez_runtime::threads;
use ez_runtime::value::raise_memory_limit;

/// What a copy needs from the time when it was made.
struct CopySetup {
    record: Record,
    mark: Mark,
    /// The seed of the program's random numbers.
    seed: u64,
}

impl Engine {
    /// Called when `main` begins: from now on checkpoints are made.
    pub fn begin_checkpoints(&mut self, vm: &mut Vm) {
        if let Some(history) = &mut self.history {
            vm.steps.set_goal(history.checkpoints.begin(vm.steps.now()));
        }
    }

    /// Makes a checkpoint at this place if it is time for one. In the copy, this returns when a journey
    /// begins from here.
    pub fn make_checkpoint_if_due(&mut self, vm: &mut Vm) {
        let step = vm.steps.now();
        let Some(history) = self.history.as_mut().filter(|history| history.checkpoints.is_due(step)) else {
            return;
        };
        let (is_wanted, next) = history.checkpoints.consider(step);
        vm.steps.set_goal(next);
        if !is_wanted || history.lost.is_some() || !history.record.is_whole() {
            return;
        }
        let began = Instant::now();
        let (record, seed) = (history.record.clone(), vm.host.seed());
        let setup = CopySetup { mark: record.mark(), record, seed };
        match copy_process() {
            Ok(Copied::Original(process)) => {
                let known = self.breakpoints.borrow().settings.as_ref().map_or(0, Vec::len);
                history.checkpoints.add(RunPosition::place(step), setup.mark, known, process, began);
            }
            Ok(Copied::Copy(link)) => self.wait_in_copy(vm, link, &setup),
            Err(_) => history.checkpoints.give_up(),
        }
    }

    /// The life of a checkpoint: starts a copy of itself for each journey. Returns only in that copy.
    fn wait_in_copy(&mut self, vm: &mut Vm, mut link: Link, setup: &CopySetup) {
        loop {
            match wire::receive(&mut link) {
                Some(ToCopy::Begin(number, calls)) => match stand_in() {
                    Ok(true) => return self.become_worker(vm, link, setup, calls),
                    Ok(false) | Err(_) => {
                        let _ = wire::send(&mut link, &FromCopy::Over(number));
                    }
                },
                // For a worker that has ended.
                Some(ToCopy::Worker(_)) => {}
                None => end_copy(),
            }
        }
    }

    /// Turns the live engine and program, in a copy of the process, into an instance of the past. What
    /// belongs to other threads of the original process is forgotten, not dropped: only the original may end
    /// it.
    fn become_worker(&mut self, vm: &mut Vm, mut link: Link, setup: &CopySetup, calls: Vec<HostCall>) {
        let Ok(original) = link.try_clone().map(|link| Rc::new(OriginalLink::new(link))) else { end_copy() };
        let (settings, journey) = loop {
            match wire::receive(&mut link) {
                Some(ToCopy::Worker(ToWorker::Go(settings, journey))) => break (settings, journey),
                Some(_) => {}
                None => end_copy(),
            }
        };
        let (requests, asked) = unbounded();
        let interrupt = InterruptHandle::new();
        if let Some(program) = &self.inspection.program {
            interrupt.attach(program.compiled.flags.clone());
        }
        (self.run.mode, self.run.pause) = (Mode::Running, false);
        self.inspection.tracker = ChangeTracker::new(self.inspection.tracker.limits());
        self.inspection.tracker.main_begins(vm);
        interrupt.clear();
        let says = original.clone();
        let client =
            move |message: Message| says.send(&FromCopy::Worker(Box::new(WorkerMessage::Message(message))));
        let connection = Connection::new(asked, Rc::new(client), interrupt.clone());
        forget(self.breakpoints.borrow_mut().interrupt_by(interrupt.clone()));
        forget(replace(&mut self.inspection.connection, connection));
        forget(replace(&mut self.inspection.watchdog, Watchdog::new(interrupt.clone())));
        forget((self.history.take(), self.record.take(), self.playback.take()));
        let replay = replay(vm, setup, calls);
        raise_memory_limit(MORE_MEMORY);
        vm.error_watch = ErrorWatch::default();
        vm.steps.set_all(u8::MAX, false);
        self.forget_stops(vm);
        self.inspection.set_all(settings, journey.last_breakpoint);
        let of_steps = original.clone();
        let tell_step = Box::new(move |step| of_steps.send(&FromCopy::Step(step)));
        let visit = journey.aim.itinerary().visit(journey.present);
        let mut journey = JourneyState::new(*journey, visit, replay, tell_step);
        journey.original = Some(original);
        self.begin_journey(vm, journey);
        let listening = move || listen(link, &requests, &interrupt);
        if threads::spawn("link", listening).is_err() {
            end_copy();
        }
    }

    /// Clears the state that belongs to stops of the live program.
    fn forget_stops(&mut self, vm: &mut Vm) {
        let mut breakpoints = self.breakpoints.borrow_mut();
        breakpoints.settings = None;
        // Another thread of the original may hold its lock.
        forget(breakpoints.publish_to(None));
        breakpoints.end_run_to(vm);
        breakpoints.keep_only_data(vm, &[], &BTreeSet::new());
        drop(breakpoints);
        self.inspection.watches.reset();
        self.inspection.shown_before = None;
        self.notice = None;
    }

    /// Called when the run of an instance is over: in a copy of the process, reports the result and ends the
    /// process.
    pub fn end_in_copy(engine: &RefCell<Engine>, vm: &Vm) {
        let mut engine = engine.borrow_mut();
        let Some(original) = engine.journey.as_mut().and_then(|journey| journey.original.take()) else {
            return;
        };
        let end = engine.finish_journey(vm.steps.now());
        let told = WorkerMessage::ended(&mut engine.inspection, end);
        original.send(&FromCopy::Worker(Box::new(told)));
        end_copy();
    }
}

/// Replaces the program's host by one that answers from the record.
fn replay(vm: &mut Vm, setup: &CopySetup, calls: Vec<HostCall>) -> Replay {
    let CopySetup { record, mark, seed } = setup;
    record.extend(calls);
    let (host, replay) = ReplayHost::in_memory_from(record.clone(), *mark, *seed);
    forget(replace(&mut vm.host, Box::new(host)));
    replay
}

/// Receives the worker's messages, on a thread of its own. Ends the process when the live engine is gone or
/// wants another worker.
fn listen(
    mut link: Link,
    requests: &crossbeam_channel::Sender<(RequestId, Request)>,
    interrupt: &InterruptHandle,
) {
    while let Some(message) = wire::receive_for_worker(&mut link) {
        match message {
            ToWorker::Request(id, request) => drop(requests.send((id, request))),
            ToWorker::Interrupt => interrupt.raise(),
            // A worker makes only one journey.
            ToWorker::Go(..) => {}
        }
    }
    end_copy();
}

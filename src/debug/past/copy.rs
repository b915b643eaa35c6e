//! Checkpoints, as the program's thread makes them, and what a copy of the process does: it waits, and for each
//! journey makes a copy of itself, whose program goes on from there as an instance of the past.

use std::cell::RefCell;
use std::mem::{forget, replace, take};
use std::rc::Rc;
use std::time::Instant;

use crossbeam_channel::unbounded;

use crate::api::{Request, RequestId};
use crate::interp::vm::{ErrorWatch, Vm};
use crate::platform::{Copied, Link, copy_process, end_copy, stand_in};
use crate::recording::{HostCall, Mark, Record, Replay, ReplayHost};
use crate::value::raise_memory_limit;

use super::super::changes::ChangeTracker;
use super::super::client::Message;
use super::super::control::InterruptHandle;
use super::super::engine::Engine;
use super::super::stepper::Mode;
use super::super::time::history::Told;
use super::super::time::position::Position;
use super::super::time::underway::Underway;
use super::super::time::wire::{self, FromCopy, ToCopy, ToWorker, Voice};
use super::super::watchdog::Watchdog;
use super::instance::MORE_MEMORY;

/// What a copy of the process was made with.
struct Departure {
    record: Record,
    mark: Mark,
    /// What the program's random bits follow from.
    seed: u64,
}

impl Engine {
    /// `main` begins: from now on there are checkpoints.
    pub(in super::super) fn begin_checkpoints(&mut self, vm: &mut Vm) {
        if let Some(history) = &mut self.history {
            vm.steps.set_goal(history.checkpoints.begin(vm.steps.now()));
        }
    }

    /// Makes a checkpoint at the place that the program has come to, if it is time. In a copy of the process,
    /// this returns where the copy is to begin a journey.
    pub(in super::super) fn pass_checkpoint(&mut self, vm: &mut Vm) {
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
        let departure = Departure { mark: record.mark(), record, seed };
        match copy_process() {
            Ok(Copied::Original(process)) => {
                let known = self.placing.borrow().settings.as_ref().map_or(0, Vec::len);
                history.checkpoints.add(Position::place(step), departure.mark, known, process, began);
            }
            Ok(Copied::Copy(link)) => self.wait_in_copy(vm, link, &departure),
            Err(_) => history.checkpoints.give_up(),
        }
    }

    /// What a copy does: lets a copy of itself make each journey. Returns in that one.
    fn wait_in_copy(&mut self, vm: &mut Vm, mut link: Link, departure: &Departure) {
        loop {
            match wire::receive(&mut link) {
                Some(ToCopy::Begin(number, calls)) => match stand_in() {
                    Ok(true) => return self.become_worker(vm, link, departure, &calls),
                    Ok(false) | Err(_) => {
                        let _ = wire::send(&mut link, &FromCopy::Over(number));
                    }
                },
                // It came when the worker had ended.
                Some(ToCopy::Worker(_)) => {}
                None => end_copy(),
            }
        }
    }

    /// Makes an instance of the past of the live program and its engine, in a copy of the process. All that
    /// other threads of the original use, or that it alone may end, is put out of reach without being touched.
    fn become_worker(&mut self, vm: &mut Vm, mut link: Link, departure: &Departure, calls: &[String]) {
        let Ok(voice) = link.try_clone().map(|link| Rc::new(Voice::new(link))) else { end_copy() };
        let Some(calls) = wire::read(calls) else { end_copy() };
        let (settings, journey) = loop {
            match wire::receive(&mut link) {
                Some(ToCopy::Worker(ToWorker::Go(settings, journey))) => break (settings, journey),
                Some(_) => {}
                None => end_copy(),
            }
        };
        let (requests, asked) = unbounded();
        let interrupt = InterruptHandle::new();
        if let Some(program) = &mut self.program {
            interrupt.attach(program.debugged.compiled.flags.clone());
            program.mode = Mode::Running;
            program.pause = false;
            let limits = self.launch.as_ref().map(|launch| launch.limits).unwrap_or_default();
            program.changes = ChangeTracker::new(limits);
            program.changes.main_begins(vm);
        }
        interrupt.clear();
        let says = voice.clone();
        let client = move |message: Message| says.say(&FromCopy::Told(Box::new(Told::Message(message))));
        forget(self.attach_to(asked, Rc::new(client), interrupt.clone()));
        forget(replace(&mut self.watchdog, Watchdog::new(interrupt.clone())));
        forget((self.history.take(), self.playback.take(), take(&mut self.postponed)));
        let replay = replay(vm, departure, calls);
        raise_memory_limit(MORE_MEMORY);
        vm.error_watch = ErrorWatch::default();
        vm.steps.set_all(u8::MAX, false);
        self.forget_stops(vm);
        self.set_all(settings);
        let of_steps = voice.clone();
        let tell_step = Box::new(move |step| of_steps.say(&FromCopy::Step(step)));
        self.set_out(vm, Underway::new(*journey, replay, tell_step));
        self.voice = Some(voice);
        let listening = move || listen(link, &requests, &interrupt);
        if std::thread::Builder::new().name("link".into()).spawn(listening).is_err() {
            end_copy();
        }
    }

    /// Puts away what belongs to stops of the live program.
    fn forget_stops(&mut self, vm: &mut Vm) {
        let mut placing = self.placing.borrow_mut();
        placing.settings = None;
        placing.end_run_to(vm);
        placing.keep_only_data(vm, &[]);
        drop(placing);
        self.watches.reset();
        self.shown_before = None;
        self.notice = None;
    }

    /// The run of an instance is over: in a copy of the process, tells how, and ends the copy.
    pub(in super::super) fn end_in_copy(engine: &RefCell<Engine>, vm: &Vm) {
        let mut engine = engine.borrow_mut();
        let Some(voice) = engine.voice.take() else { return };
        let (end, _) = engine.come_home(vm.steps.now());
        let told = engine.journey_ended(end);
        voice.say(&FromCopy::Told(Box::new(told)));
        end_copy();
    }
}

/// Gives the machine a host that answers from the record.
fn replay(vm: &mut Vm, departure: &Departure, calls: Vec<HostCall>) -> Replay {
    let Departure { record, mark, seed } = departure;
    record.extend(calls);
    let (host, replay) = ReplayHost::in_memory_from(record.clone(), *mark, *seed);
    forget(replace(&mut vm.host, Box::new(host)));
    replay
}

/// Passes on what a worker is told, on a thread of its own; ends the copy when the live engine is gone, or
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
            // One worker makes one journey.
            ToWorker::Go(..) => {}
        }
    }
    end_copy();
}

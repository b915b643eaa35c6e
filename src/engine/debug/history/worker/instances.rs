//! A worker where there is only one thread: another instance of this program, with the messages that a copy of the
//! process has. Each instance reads what has come, and writes, at its turns.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{Launch, RequestId};
use crate::debug::InterruptHandle;
use crate::debug::history::messages::WorkerMessage;
use crate::debug::history::state::Origin;
use crate::debug::history::worker::link::WorkerLink;
use crate::debug::history::worker::thread::{Order, ThreadLink, work};
use crate::debug::history::worker::wire::{self, FromCopy, ToWorker};
use crate::recording::{HostCall, Record};
use ez_language::modules::Snapshot;
use ez_runtime::platform::start_instance;
use ez_runtime::sync::{at_each_turn, receive};

/// A message to an instance of the past.
#[derive(Serialize, Deserialize)]
enum ToInstance {
    /// The first: the parts of the [`Origin`].
    Begin(Box<Snapshot>, Box<Launch>, Option<PathBuf>, PathBuf),
    /// Calls that were recorded since the last message.
    Calls(Vec<HostCall>),
    /// A message to the worker.
    Worker(ToWorker),
}

/// Bytes of messages.
#[derive(Default)]
struct Messages {
    bytes: Vec<u8>,
}

impl Messages {
    /// The next message, if it is whole.
    fn next<T: DeserializeOwned>(&mut self) -> Option<T> {
        let length = u32::from_le_bytes(*self.bytes.first_chunk::<4>()?) as usize;
        let end = length.checked_add(4).filter(|end| *end <= self.bytes.len())?;
        let message = wire::receive(&mut self.bytes.get(..end)?);
        self.bytes.drain(..end);
        message
    }
}

fn bytes_of(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Only a message of more than 4 GiB fails.
    let _ = wire::send(&mut bytes, message);
    bytes
}

/// Starts a worker for a program.
///
/// # Errors
/// If there can be no other instance.
pub(crate) fn start(origin: Origin, record: Record) -> Result<WorkerLink, String> {
    let instance = start_instance().map_err(|error| format!("no instance for the past: {error}"))?;
    let instance = Rc::new(instance);
    let Origin { snapshot, launch, file, directory } = origin;
    let begin = ToInstance::Begin(Box::new((*snapshot).clone()), Box::new(launch), file, directory);
    instance.send(&bytes_of(&begin));
    let (tell, told) = unbounded();
    let step = Arc::<AtomicU64>::default();
    let (listened, of_link) = (Rc::downgrade(&instance), step.clone());
    let mut messages = Messages::default();
    at_each_turn(move || {
        let Some(instance) = listened.upgrade() else { return ControlFlow::Break(()) };
        instance.receive(&mut messages.bytes);
        while let Some(message) = messages.next() {
            match message {
                FromCopy::Worker(message) => drop(tell.send(*message)),
                FromCopy::Step(step) => of_link.store(step, Ordering::Relaxed),
                FromCopy::Over(_) => {}
            }
        }
        ControlFlow::Continue(None)
    });
    let sent = RefCell::new(Record::beginning());
    let send = move |message| {
        let calls = record.since(*sent.borrow());
        *sent.borrow_mut() = record.mark();
        if !calls.is_empty() {
            instance.send(&bytes_of(&ToInstance::Calls(calls)));
        }
        instance.send(&bytes_of(&ToInstance::Worker(message)));
    };
    Ok(WorkerLink { send: Box::new(send), messages: told, step, known: 0, checkpoint: None })
}

/// The worker's end of the messages from the live engine.
struct Arrivals {
    messages: Messages,
    origin: Sender<Origin>,
    record: Record,
    worker: ThreadLink,
}

impl Arrivals {
    fn arrive(&mut self, bytes: &[u8]) {
        self.messages.bytes.extend(bytes);
        while let Some(message) = self.messages.next() {
            match message {
                ToInstance::Begin(snapshot, launch, file, directory) => {
                    let origin = Origin { snapshot: Arc::from(snapshot), launch: *launch, file, directory };
                    // Waited for below.
                    let _ = self.origin.send(origin);
                }
                ToInstance::Calls(calls) => self.record.extend(calls),
                ToInstance::Worker(message) => self.worker.send(message),
            }
        }
    }
}

/// Tells the live engine what the worker says.
fn tell_at_turns(told: Receiver<WorkerMessage>, step: Arc<AtomicU64>, write: impl Fn(&[u8]) + 'static) {
    let mut known = 0;
    at_each_turn(move || {
        for message in told.try_iter() {
            write(&bytes_of(&FromCopy::Worker(Box::new(message))));
        }
        let now = step.load(Ordering::Relaxed);
        if now != known {
            known = now;
            write(&bytes_of(&FromCopy::Step(now)));
        }
        ControlFlow::Continue(None)
    });
}

/// Runs the worker in an instance that was started for it. `listen` has to give what comes from the live engine to the
/// function that it gets, at turns; `write` sends bytes to it. Does not return.
pub fn run_instance(write: impl Fn(&[u8]) + 'static, listen: impl FnOnce(Box<dyn FnMut(&[u8])>)) {
    let (origin, begun) = unbounded();
    let (orders, ordered) = unbounded::<Order>();
    let (requests, asked) = unbounded::<(RequestId, _)>();
    let (tell, told) = unbounded();
    let (step, interrupt, record) = (Arc::<AtomicU64>::default(), InterruptHandle::new(), Record::default());
    let worker = ThreadLink::new(orders, requests, interrupt.clone());
    let mut arrivals = Arrivals { messages: Messages::default(), origin, record: record.clone(), worker };
    listen(Box::new(move |bytes| arrivals.arrive(bytes)));
    tell_at_turns(told, step.clone(), write);
    if let Ok(origin) = receive(&begun) {
        work(origin, &record, &ordered, asked, tell, (interrupt, step));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_in_pieces() {
        let all = [bytes_of(&FromCopy::Step(7)), bytes_of(&FromCopy::Over(8)), bytes_of(&FromCopy::Step(9))]
            .concat();
        let (mut messages, mut found) = (Messages::default(), Vec::new());
        for piece in all.chunks(5) {
            messages.bytes.extend(piece);
            while let Some(message) = messages.next() {
                found.push(match message {
                    FromCopy::Step(number) => number,
                    FromCopy::Over(number) => number.into(),
                    FromCopy::Worker(_) => u64::MAX,
                });
            }
        }
        assert_eq!(found, [7, 8, 9]);
        assert!(messages.bytes.is_empty());
    }
}

//! The queue of everything that is to be sent to a client, in order: responses, events, and program output. No thread
//! ever waits to add something, but the program to that of the owner.
//!
//! What differs between an [`owner`] of the session and a [`guest`] is a [`Recipient`]. Who writes to a client, or hands
//! on its requests, sees the queue as [`Outgoing`].

mod guest;
mod owner;
mod unfinished;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::time::Duration;

use crate::api::OutputSource;
use ez_runtime::clock::Instant;
use ez_runtime::sync::{Condvar, Mutex, MutexGuard};

use super::item::Item;
use unfinished::Unfinished;

pub use guest::ToGuest;
pub use owner::ToOwner;

/// What waits for a client.
#[derive(Debug, Default)]
pub struct Queue {
    items: VecDeque<Item>,
    /// Whether output may be appended to the last of `items`.
    open: bool,
    /// Sum of the weights of `items`.
    weight: usize,
    /// Sum of the weights of the items that were taken and are not written.
    taken: usize,
    /// While items are being written: when the writing began or last made progress.
    busy: Option<Instant>,
    /// Until when the writer rests.
    rest: Option<Instant>,
    /// Whether the writer waits for items, and whether its wait ends when an incomplete line is due.
    writer_waits: bool,
    writer_times: bool,
    program_waits: bool,
    /// Whether a thread waits until everything is written.
    end_waits: bool,
    closed: bool,
    /// Whether the client gets nothing more than `items`.
    leaving: bool,
    /// When the program was told to end. From then on it need not wait: it cannot write much more.
    shutdown: Option<Instant>,
}

impl Queue {
    fn push(&mut self, item: Item, weight: usize) {
        self.open = false;
        self.weight += weight;
        self.items.push_back(item);
    }

    /// Adds whole lines or, with `sealed`, a piece of a line to which nothing may be appended.
    fn print(&mut self, source: OutputSource, text: &str, sealed: bool, weight: usize) {
        self.weight += weight;
        let open = std::mem::replace(&mut self.open, !sealed);
        match self.items.back_mut() {
            Some(Item::Output { source: last, text: lines }) if open && *last == source => {
                lines.push_str(text);
            }
            _ => self.items.push_back(Item::Output { source, text: text.to_string() }),
        }
    }

    /// How long the writer still rests.
    fn rest_left(&mut self) -> Option<Duration> {
        let left = self.rest?.saturating_duration_since(Instant::now());
        if left.is_zero() || self.closed {
            self.rest = None;
            return None;
        }
        Some(left)
    }
}

/// To whom a queue is sent. All methods are called with the queue locked.
pub trait Recipient: Debug + Send {
    /// Adds an item to a queue that is not closed.
    fn add(&mut self, queue: &mut Queue, item: Item);

    /// Adds output to a queue that is not closed; parameters as of [`Queue::print`].
    fn print(&mut self, queue: &mut Queue, source: OutputSource, text: &str, sealed: bool);

    /// Notes that this many requests were received.
    fn expect(&mut self, _requests: usize) {}

    /// Notes that all items were taken.
    fn taken(&mut self) {}

    /// Notes that items of this weight have been written. Returns until when the writer rests.
    fn written(&mut self, weight: usize, now: Instant) -> Option<Instant>;

    /// Keeps the items that a client that is gone did not get, if somebody else can.
    fn keep(&mut self, _items: VecDeque<Item>) {}
}

/// A queue with its recipient.
#[derive(Debug, Default)]
struct State<R> {
    queue: Queue,
    unfinished: Option<Unfinished>,
    recipient: R,
}

impl<R: Recipient> State<R> {
    fn push(&mut self, item: Item) {
        if !self.queue.closed {
            self.finish_line();
            self.recipient.add(&mut self.queue, item);
        }
    }

    /// Whether a writer that waits is to be woken, since output was added.
    fn has_news(&self) -> bool {
        self.queue.writer_waits && (!self.queue.items.is_empty() || !self.queue.writer_times)
    }
}

/// What a wait for items has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There are some.
    Items,
    TimeIsOver,
    /// The client gets nothing more.
    Closed,
}

/// The queue of what is to be sent to the client. All methods may be called on any thread.
#[derive(Debug, Default)]
pub struct Outbox<R = ToOwner> {
    state: Mutex<State<R>>,
    filled: Condvar,
    space: Condvar,
    written: Condvar,
}

/// The queue of a client, as it is seen by those who write it and hand on requests of the client.
pub trait Outgoing: Send + Sync {
    /// Adds an item. `quiet`: the caller writes the outbox, so the writer need not be woken.
    fn add(&self, item: Item, quiet: bool);

    /// Notes that this many requests of the client were received.
    fn expect(&self, requests: usize);

    /// Wakes the writer's thread if it waits.
    fn wake_writer(&self);

    /// Waits until there is something to write, including an incomplete line that is due, but at most until this time.
    fn wait_until(&self, deadline: Option<Instant>) -> Waited;

    /// Like [`Outgoing::wait_until`], without limit. Returns `false` when the client will get nothing more.
    fn wait(&self) -> bool {
        self.wait_until(None) == Waited::Items
    }

    /// Moves all items into `items`, which has to be empty; returns `false` if there are none. Otherwise
    /// [`Outgoing::done`] has to be called when they are written.
    fn take(&self, items: &mut VecDeque<Item>) -> bool;

    /// Some of the items that were taken have been written.
    fn progress(&self);

    /// The items that were taken have been written.
    fn done(&self);

    /// The client is gone: what the owner did not get, which is `taken` and then the queue, is kept for the next one. What a
    /// guest did not get is dropped.
    fn take_back(&self, taken: VecDeque<Item>);

    /// Waits until everything is written, as long as `go_on` returns `true`. It is called at least once in
    /// every `pause`, with the time since the present write last made progress (counted from the shutdown at
    /// the earliest). Items that the writer has not begun to write count as no delay: on a busy machine its
    /// thread may not have been scheduled yet.
    fn wait_written(&self, pause: Duration, go_on: &dyn Fn(Duration) -> bool);
}

impl<R: Recipient> Outbox<R> {
    /// Changes the queue, then wakes the writer's thread if it waits; not if it is `quiet`.
    fn change(&self, quiet: bool, work: impl FnOnce(&mut State<R>)) {
        let mut state = self.state.lock();
        work(&mut state);
        if !quiet && state.queue.writer_waits {
            self.filled.notify_one();
        }
    }

    fn release_line(&self, mut state: MutexGuard<State<R>>) {
        if state.unfinished.is_some() {
            state.finish_line();
            if state.queue.writer_waits {
                self.filled.notify_one();
            }
        }
    }

    /// Closes the queue: nothing more is added; what is in it can still be taken.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.finish_line();
        state.queue.closed = true;
        self.filled.notify_all();
        self.space.notify_all();
    }
}

impl<R: Recipient> Outgoing for Outbox<R> {
    fn add(&self, item: Item, quiet: bool) {
        self.change(quiet, |state| state.push(item));
    }

    fn expect(&self, requests: usize) {
        self.state.lock().recipient.expect(requests);
    }

    fn wake_writer(&self) {
        self.change(false, |_| ());
    }

    fn wait_until(&self, deadline: Option<Instant>) -> Waited {
        let mut state = self.state.lock();
        loop {
            if let Some(left) = state.queue.rest_left() {
                state = self.filled.wait_timeout(state, left);
                state.queue.writer_waits = false;
                continue;
            }
            if !state.queue.items.is_empty() {
                return Waited::Items;
            }
            if state.queue.closed || state.queue.leaving {
                return Waited::Closed;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Waited::TimeIsOver;
            }
            let line = state.line_left();
            if line == Some(Duration::ZERO) {
                state.finish_line();
                continue;
            }
            state.queue.writer_waits = true;
            state.queue.writer_times = line.is_some();
            state = match line.into_iter().chain(left).min() {
                Some(left) => self.filled.wait_timeout(state, left),
                None => self.filled.wait(state),
            };
            state.queue.writer_waits = false;
            state.queue.writer_times = false;
        }
    }

    fn take(&self, items: &mut VecDeque<Item>) -> bool {
        let mut state = self.state.lock();
        let State { queue, recipient, .. } = &mut *state;
        if queue.items.is_empty() {
            return false;
        }
        std::mem::swap(&mut queue.items, items);
        queue.open = false;
        queue.taken = std::mem::take(&mut queue.weight);
        recipient.taken();
        queue.busy = Some(Instant::now());
        if std::mem::take(&mut queue.program_waits) {
            self.space.notify_all();
        }
        true
    }

    fn progress(&self) {
        self.state.lock().queue.busy = Some(Instant::now());
    }

    fn done(&self) {
        let mut state = self.state.lock();
        let State { queue, recipient, .. } = &mut *state;
        queue.busy = None;
        queue.rest = recipient.written(std::mem::take(&mut queue.taken), Instant::now());
        if queue.end_waits {
            self.written.notify_all();
        }
    }

    fn take_back(&self, mut taken: VecDeque<Item>) {
        let mut state = self.state.lock();
        let State { queue, recipient, .. } = &mut *state;
        taken.append(&mut queue.items);
        queue.weight = 0;
        queue.busy = None;
        recipient.keep(taken);
        if queue.end_waits {
            self.written.notify_all();
        }
    }

    fn wait_written(&self, pause: Duration, go_on: &dyn Fn(Duration) -> bool) {
        let mut state = self.state.lock();
        state.queue.end_waits = true;
        let begin = state.queue.shutdown.unwrap_or_else(Instant::now);
        while state.queue.busy.is_some() || !state.queue.items.is_empty() {
            let stalled = state.queue.busy.map_or(Duration::ZERO, |since| since.max(begin).elapsed());
            if !go_on(stalled) {
                return;
            }
            state = self.written.wait_timeout(state, pause);
        }
    }
}

#[cfg(test)]
mod tests;

//! The outbox of a session's owner: the program waits while it holds too much. While no client is connected, some of it
//! is kept for the next one (see [`backlog`](crate::session::backlog)), and nobody waits. Guests get a copy of events and
//! output.

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::{Done, Event, Exited, Failure, OutputSource, RequestId, Response};
use ez_runtime::clock::Instant;
use ez_runtime::sync::MutexGuard;

use super::{Outbox, Queue, Recipient, State};
use crate::session::backlog::Backlog;
use crate::session::connection::ConnectionId;
use crate::session::copies::Copies;
use crate::session::item::{Item, output_weight};
use crate::session::pace::Pace;

/// The owner of a session: one client after the other.
#[derive(Debug, Default)]
pub struct ToOwner {
    /// While no client is connected: what is kept for the next one. The items of the queue are then for the last one.
    backlog: Option<Backlog>,
    /// Messages of the front end of a client that is about to connect.
    replies: Vec<Item>,
    /// How much weight there may be before the program has to wait.
    pace: Pace,
    /// The guests, which get events and output, too.
    copies: Copies,
    /// Whether something else than output was added since items were taken, and whether it was among the taken ones.
    has_other: bool,
    took_other: bool,
}

impl ToOwner {
    /// How long its writer rests after output, as long as nothing else comes: a program that prints line after line would
    /// wake it for each.
    const REST: Duration = Duration::from_micros(500);
}

impl Recipient for ToOwner {
    fn add(&mut self, queue: &mut Queue, item: Item) {
        match &mut self.backlog {
            Some(_) if matches!(item, Item::Reply(_)) && !queue.leaving => self.replies.push(item),
            Some(backlog) => backlog.add(item),
            None => {
                self.has_other |= !matches!(item, Item::Output { .. });
                if self.has_other && queue.rest.take().is_some() {
                    // It has to be woken.
                    queue.writer_waits = true;
                }
                let weight = item.weight();
                queue.push(item, weight);
            }
        }
    }

    fn print(&mut self, queue: &mut Queue, source: OutputSource, text: &str, sealed: bool) {
        match &mut self.backlog {
            Some(backlog) => backlog.add(Item::Output { source, text: text.to_string() }),
            None => queue.print(source, text, sealed, output_weight(text)),
        }
    }

    fn taken(&mut self) {
        self.took_other = std::mem::take(&mut self.has_other);
    }

    fn written(&mut self, weight: usize, now: Instant) -> Option<Instant> {
        self.pace.passed(weight, now);
        (!self.took_other && !self.has_other).then_some(now + Self::REST)
    }

    fn keep(&mut self, items: VecDeque<Item>) {
        if let Some(backlog) = &mut self.backlog {
            backlog.add_before(items);
        }
    }
}

impl Outbox {
    /// Adds an event for the guests but the one with this connection, and for the owner if `to_owner`. `quiet` as in
    /// [`Outgoing::add`](super::Outgoing::add).
    pub(in crate::session) fn tell(
        &self,
        event: Event,
        except: Option<ConnectionId>,
        to_owner: bool,
        quiet: bool,
    ) {
        self.change(quiet, |state| {
            state.recipient.copies.tell(&event, except);
            if to_owner {
                state.push(Item::Event(event));
            }
        });
    }

    /// Adds an event.
    pub(in crate::session) fn event(&self, event: Event) {
        self.tell(event, None, true, false);
    }

    /// Does something with the guests.
    pub(in crate::session) fn with_copies<T>(&self, work: impl FnOnce(&mut Copies) -> T) -> T {
        let mut state = self.state.lock();
        // A guest gets whole lines.
        state.finish_line();
        work(&mut state.recipient.copies)
    }

    /// Adds a response of the session. That to a disconnect is the last message of a client, whatever other threads add.
    pub(in crate::session) fn respond(&self, id: RequestId, result: Result<Response, Failure>, quiet: bool) {
        let is_disconnect = matches!(result, Ok(Response::Done(Done::Disconnected)));
        self.change(quiet, |state| {
            state.push(Item::Response(id, result));
            if is_disconnect && !state.queue.closed {
                state.recipient.backlog.get_or_insert_default();
            }
        });
    }

    /// While there is too much in the queue, waits until there is space or `urgent` returns `true`. Called on the
    /// program's thread, before it adds something.
    pub fn wait_for_space(&self, urgent: impl Fn() -> bool) {
        drop(self.with_space(urgent));
    }

    fn with_space(&self, urgent: impl Fn() -> bool) -> MutexGuard<'_, State<ToOwner>> {
        let mut state = self.state.lock();
        let has_to_wait = |State { queue, recipient, .. }: &State<ToOwner>| {
            queue.weight >= recipient.pace.limit()
                && recipient.backlog.is_none()
                && !(queue.closed || queue.shutdown.is_some() || urgent())
        };
        while has_to_wait(&state) {
            if state.queue.rest.take().is_some() {
                self.filled.notify_one();
            }
            state.queue.program_waits = true;
            state = self.space.wait(state);
        }
        state
    }

    /// Adds program output, when there is space for it (see [`Outbox::wait_for_space`]).
    pub(in crate::session) fn write(&self, source: OutputSource, text: &str, urgent: impl Fn() -> bool) {
        let mut state = self.with_space(urgent);
        if state.queue.closed {
            return;
        }
        state.recipient.copies.write(source, text);
        state.write(source, text);
        if state.has_news() {
            self.filled.notify_one();
        }
    }

    /// Releases the incomplete lines that are held back.
    pub(in crate::session) fn finish_line(&self) {
        let mut state = self.state.lock();
        state.recipient.copies.finish_line();
        self.release_line(state);
    }

    /// Releases an incomplete line that was held back for long enough, where no writer waits for that; returns how long
    /// one is still held back, if there is one.
    pub(in crate::session) fn finish_late_line(&self) -> Option<Duration> {
        let mut state = self.state.lock();
        let left = state.line_left()?;
        if left.is_zero() {
            state.finish_line();
            return None;
        }
        Some(left)
    }

    /// Wakes a program that waits for space, so that it evaluates `urgent` again.
    pub(in crate::session) fn wake_program(&self) {
        drop(self.state.lock());
        self.space.notify_all();
    }

    /// The program was told to end: from now on it never waits.
    pub(in crate::session) fn begin_shutdown(&self) {
        let mut state = self.state.lock();
        state.queue.shutdown.get_or_insert_with(Instant::now);
        self.space.notify_all();
    }

    /// When the program was told to end, if it was.
    pub(in crate::session) fn shutdown_began(&self) -> Option<Instant> {
        self.state.lock().queue.shutdown
    }

    /// The client disconnects: it still gets what is in the queue; what is added later is kept for the next
    /// one.
    pub(in crate::session) fn close_client(&self) {
        let mut state = self.state.lock();
        state.finish_line();
        let State { queue, recipient, .. } = &mut *state;
        queue.open = false;
        queue.leaving = true;
        recipient.backlog.get_or_insert_default();
        recipient.replies.clear();
        self.filled.notify_all();
        self.space.notify_all();
    }

    /// A client is about to connect.
    pub(in crate::session) fn expect_client(&self) {
        self.state.lock().queue.leaving = false;
    }

    /// A client has connected: adds the response to its [`SessionRequest::Attach`](crate::api::SessionRequest::Attach), if
    /// that was its first request, then what was kept, the event of a wait for input that is in progress, and
    /// last what its front end has added meanwhile.
    pub(in crate::session) fn open_client(&self, answer: Option<Item>, waits: Option<Event>) {
        let mut state = self.state.lock();
        state.finish_line();
        let State { queue, recipient, .. } = &mut *state;
        let Some(backlog) = recipient.backlog.take() else { return };
        let (items, dropped) = backlog.take();
        let mut ended = None;
        let answer = answer.map(|item| match item {
            Item::Response(id, Ok(Response::Attached(mut attached))) => {
                attached.dropped_output = dropped;
                ended = attached.state.exit_status;
                Item::Response(id, Ok(Response::Attached(attached)))
            }
            item => item,
        });
        queue.items.extend(answer);
        let is_end = |item: &Item| matches!(item, Item::Event(Event::Exited(_)));
        let ended = ended.filter(|_| !items.iter().any(is_end));
        queue.items.extend(items);
        // The program ended while another client was connected, so that its end was not kept.
        let exited = |status| Item::Event(Event::Exited(Box::new(Exited::with_status(status))));
        queue.items.extend(ended.map(exited));
        queue.items.extend(waits.map(Item::Event));
        queue.items.extend(recipient.replies.drain(..));
        recipient.pace = Pace::default();
        queue.weight = queue.items.iter().map(Item::weight).sum();
        queue.open = false;
        self.filled.notify_all();
    }
}

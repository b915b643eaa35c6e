//! The outbox of a guest, for which nobody waits: what limits it, and what is left out where the guest reads too slowly.

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::{Company, Dismissal, Done, Event, Failure, OutputSource, RequestId, Response};
use ez_runtime::clock::Instant;

use super::{Outbox, Queue, Recipient};
use crate::session::item::{Item, output_weight};

/// A guest. The weight of an item for it is its size.
#[derive(Debug, Default)]
pub struct ToGuest {
    /// How many of its requests were received and not answered.
    expected: usize,
    /// Whether it has resumed the program, and waits for the stop.
    runs: bool,
    /// Whether an answer is in the queue, and whether it is a stop that it has waited for.
    has_answer: bool,
    has_own_stop: bool,
    /// The size of what is in the queue and it has not asked for, and of the longest event among that.
    unasked: usize,
    longest: usize,
}

impl ToGuest {
    /// Maximum size in bytes of what waits for a guest that it has not asked for, besides one long event. With more,
    /// output is left out. Its requests are not read while its answers wait.
    pub const QUEUE: usize = 1 << 20;

    /// A guest whose queue is full is sent away if it has read nothing for so long.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// While more bytes than this wait for it, its requests are not read.
    const READING: usize = Self::QUEUE / 8;

    /// While more of its requests than this are not answered, no further ones are read, so that the other clients need
    /// not wait for long.
    const REQUESTS: usize = 4;

    /// How long its writer rests after what it has written, but for answers. Steps of others take microseconds: each
    /// would wake it.
    const REST: Duration = Duration::from_millis(2);

    /// How often that is looked at, at least.
    const LOOK: Duration = Duration::from_millis(50);

    /// Adds an item of this size.
    fn add_sized(&mut self, queue: &mut Queue, item: Item, size: usize) {
        if self.note(&item, size) && queue.rest.take().is_some() {
            // It has to be woken.
            queue.writer_waits = true;
        }
        queue.push(item, size);
        self.limit(queue);
    }

    /// Notes an item of its queue, which has this size. Returns whether it is an answer.
    fn note(&mut self, item: &Item, size: usize) -> bool {
        let is_answer = match item {
            Item::Output { .. } => {
                self.unasked += size;
                false
            }
            Item::Event(event) => {
                self.unasked += size;
                self.longest = self.longest.max(size);
                let ends = matches!(event, Event::Stopped(_) | Event::CellEnded(_) | Event::Exited(_));
                let is_its = ends && std::mem::take(&mut self.runs);
                self.has_own_stop |= is_its;
                is_its
            }
            Item::Response(_, result) => {
                self.expected = self.expected.saturating_sub(1);
                self.runs |= matches!(result, Ok(Response::Done(Done::Resumed | Done::Started)));
                true
            }
            Item::Reply(_) => true,
        };
        self.has_answer |= is_answer;
        is_answer
    }

    /// Whether too much is in the queue that it has not asked for.
    fn is_exceeded(&self) -> bool {
        self.unasked.saturating_sub(self.longest) > Self::QUEUE
    }

    /// Leaves out output for a guest that reads too slowly, and tells it so; one that reads nothing is dismissed, and one
    /// for which too much else comes.
    fn limit(&mut self, queue: &mut Queue) {
        if queue.weight <= Self::QUEUE {
            return;
        }
        let stalled = queue.busy.is_some_and(|since| since.elapsed() >= Self::PATIENCE);
        if !stalled && self.is_exceeded() {
            self.leave_out_output(queue);
        }
        if !stalled && self.is_exceeded() {
            self.leave_out_stops(queue);
        }
        if stalled || self.is_exceeded() {
            let dismissed = Item::Event(Event::Company(Company::Dismissed(Dismissal::TooSlow)));
            queue.items = VecDeque::from([dismissed]);
            queue.weight = 0;
            queue.closed = true;
        }
    }

    /// Replaces the output in the queue by a note.
    fn leave_out_output(&mut self, queue: &mut Queue) {
        let Some(first) = queue.items.iter().position(|item| matches!(item, Item::Output { .. })) else {
            return;
        };
        let (mut left_out, mut size) = (0, 0);
        queue.items.retain(|item| match item {
            Item::Output { text, .. } => {
                left_out += text.len();
                size += output_weight(text);
                false
            }
            Item::Response(..) | Item::Event(_) | Item::Reply(_) => true,
        });
        self.note_left_out(queue, first, &format!("{left_out} bytes of output"), size);
    }

    /// Replaces the stops in the queue that are over by a note, but not if one of them is an answer.
    fn leave_out_stops(&mut self, queue: &mut Queue) {
        let Some(last) = queue.items.iter().rposition(is_stop).filter(|_| !self.has_own_stop) else { return };
        let (mut index, mut count, mut size) = (0, 0, 0);
        queue.items.retain(|item| {
            let is_left_out = index < last && (is_stop(item) || is_resumption(item));
            index += 1;
            count += usize::from(is_left_out && is_stop(item));
            size += if is_left_out { item.size() } else { 0 };
            !is_left_out
        });
        if count > 0 {
            self.note_left_out(queue, 0, &format!("{count} stops"), size);
        }
    }

    /// Says at this place of the queue what is left out, which was of this size.
    fn note_left_out(&mut self, queue: &mut Queue, at: usize, what: &str, size: usize) {
        let note = Item::Event(Event::Log(format!("({what} are left out here: they came too fast)\n")));
        queue.weight = queue.weight.saturating_sub(size) + note.size();
        self.unasked = self.unasked.saturating_sub(size);
        self.note(&note, note.size());
        queue.items.insert(at, note);
        queue.open = false;
    }
}

impl Recipient for ToGuest {
    fn add(&mut self, queue: &mut Queue, item: Item) {
        let size = item.size();
        self.add_sized(queue, item, size);
    }

    fn print(&mut self, queue: &mut Queue, source: OutputSource, text: &str, sealed: bool) {
        let size = output_weight(text);
        self.unasked += size;
        queue.print(source, text, sealed, size);
        self.limit(queue);
    }

    fn expect(&mut self, requests: usize) {
        self.expected += requests;
    }

    fn taken(&mut self) {
        (self.unasked, self.longest) = (0, 0);
        (self.has_answer, self.has_own_stop) = (false, false);
    }

    fn written(&mut self, _: usize, now: Instant) -> Option<Instant> {
        (!self.runs && !self.has_answer).then_some(now + Self::REST)
    }
}

impl Outbox<ToGuest> {
    /// Waits until the guest has read and been answered most of what there was, so that it can ask for more.
    pub fn wait_for_guest(&self) {
        let mut state = self.state.lock();
        while !state.queue.closed
            && (state.queue.weight + state.queue.taken > ToGuest::READING
                || state.recipient.expected > ToGuest::REQUESTS)
        {
            state.queue.end_waits = true;
            state = self.written.wait_timeout(state, ToGuest::LOOK);
        }
    }

    /// Adds a response of the session. That to a disconnect is the last message.
    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        let is_disconnect = matches!(result, Ok(Response::Done(Done::Disconnected)));
        self.change(false, |state| {
            state.push(Item::Response(id, result));
            state.queue.closed |= is_disconnect;
            if state.queue.end_waits {
                self.written.notify_all();
            }
        });
    }

    /// Adds an event of this size.
    pub fn tell(&self, event: Event, size: usize) {
        self.change(false, |state| {
            if !state.queue.closed {
                state.finish_line();
                state.recipient.add_sized(&mut state.queue, Item::Event(event), size);
            }
        });
    }

    /// Adds program output.
    pub fn write(&self, source: OutputSource, text: &str) {
        let mut state = self.state.lock();
        if state.queue.closed {
            return;
        }
        state.write(source, text);
        if state.has_news() {
            self.filled.notify_one();
        }
    }

    /// Releases an incomplete line that is held back.
    pub fn finish_line(&self) {
        self.release_line(self.state.lock());
    }

    /// Whether the guest gets nothing more, because it did not read or has left.
    pub fn is_closed(&self) -> bool {
        self.state.lock().queue.closed
    }
}

fn is_stop(item: &Item) -> bool {
    matches!(item, Item::Event(Event::Stopped(_)))
}

fn is_resumption(item: &Item) -> bool {
    matches!(item, Item::Event(Event::Company(Company::Resumed(_))))
}

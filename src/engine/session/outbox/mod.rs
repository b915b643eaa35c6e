//! The queue of everything that is to be sent to the client, in order: responses, events, and program output.
//! The program waits while it holds too much output; no other thread ever waits to add something. While no
//! client is connected, some of it is kept for the next one (see `backlog`), and nobody waits.

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::{Done, Event, Exited, Failure, OutputSource, RequestId, Response};
use ez_runtime::clock::Instant;
use ez_runtime::sync::{Condvar, Mutex, MutexGuard};

use super::backlog::Backlog;
use super::connection::ConnectionId;
use super::copies::Copies;
use super::guest_limit::GuestLimit;
use super::item::{Item, PIECE, output_weight, piece_end};
use super::pace::Pace;

/// How long an incomplete line is held back in case its end follows.
const UNFINISHED: Duration = Duration::from_millis(50);

/// The beginning of an output line that is held back.
#[derive(Debug)]
struct Unfinished {
    source: OutputSource,
    text: String,
    since: Instant,
}

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    /// While no client is connected: what is kept for the next one. `items` are then for the last one.
    backlog: Option<Backlog>,
    /// Whether the client of `items` gets nothing more.
    leaving: bool,
    /// Messages of the front end of a client that is about to connect.
    replies: Vec<Item>,
    /// Whether output may be appended to the last of `items`.
    open: bool,
    unfinished: Option<Unfinished>,
    /// Sum of the weights of `items`.
    weight: usize,
    /// Sum of the weights of the items that were taken and are not written.
    taken: usize,
    /// How much weight there may be before the program has to wait.
    pace: Pace,
    /// While items are being written: when the writing began or last made progress.
    busy: Option<Instant>,
    /// Whether the writer waits for items, and whether its wait ends when `unfinished` is due.
    writer_waits: bool,
    writer_times: bool,
    program_waits: bool,
    /// Whether a thread waits until everything is written.
    end_waits: bool,
    closed: bool,
    /// When the program was told to end. From then on it need not wait: it cannot write much more.
    shutdown: Option<Instant>,
    /// The guests, which get events and output, too. Only in the owner's.
    copies: Copies,
    /// What a guest may have in its outbox. Only in that of a guest.
    guest: Option<GuestLimit>,
    /// Until when its writer rests.
    rest: Option<Instant>,
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
pub struct Outbox {
    queue: Mutex<Queue>,
    filled: Condvar,
    space: Condvar,
    written: Condvar,
}

impl Queue {
    fn push(&mut self, item: Item) {
        let size = if self.guest.is_some() { item.size() } else { 0 };
        self.push_sized(item, size);
    }

    /// Adds an item; `size` is its size, of a guest.
    fn push_sized(&mut self, item: Item, size: usize) {
        if self.closed {
            return;
        }
        self.finish_line();
        if let Some(backlog) = &mut self.backlog {
            return match item {
                Item::Reply(_) if !self.leaving => self.replies.push(item),
                item => backlog.add(item),
            };
        }
        self.open = false;
        self.weight += match &mut self.guest {
            Some(guest) => {
                if guest.add(&item, size) && self.rest.take().is_some() {
                    // It has to be woken.
                    self.writer_waits = true;
                }
                size
            }
            None => item.weight(),
        };
        self.items.push_back(item);
        self.check_guest();
    }

    /// Leaves out output for a guest that reads too slowly, and tells it so; one that reads nothing is dismissed, and one
    /// for which too much else comes.
    fn check_guest(&mut self) {
        if self.guest.is_none() || self.weight <= GuestLimit::QUEUE {
            return;
        }
        let stalled = self.busy.is_some_and(|since| since.elapsed() >= GuestLimit::PATIENCE);
        if !stalled && self.is_exceeded() {
            self.leave_out_output();
        }
        if !stalled && self.is_exceeded() {
            self.leave_out_stops();
        }
        if stalled || self.is_exceeded() {
            self.items = VecDeque::from([GuestLimit::dismissed()]);
            self.weight = 0;
            self.unfinished = None;
            self.closed = true;
        }
    }

    fn is_exceeded(&self) -> bool {
        self.guest.as_ref().is_some_and(GuestLimit::is_exceeded)
    }

    /// Replaces the output in the queue by a note.
    fn leave_out_output(&mut self) {
        let Some(first) = self.items.iter().position(|item| matches!(item, Item::Output { .. })) else {
            return;
        };
        let (mut left_out, mut size) = (0, 0);
        self.items.retain(|item| match item {
            Item::Output { text, .. } => {
                left_out += text.len();
                size += output_weight(text);
                false
            }
            Item::Response(..) | Item::Event(_) | Item::Reply(_) => true,
        });
        self.note_left_out(first, &format!("{left_out} bytes of output"), size);
    }

    /// Replaces the stops in the queue that are over by a note.
    fn leave_out_stops(&mut self) {
        let Some(guest) = &self.guest else { return };
        let (count, size) = guest.leave_out_stops(&mut self.items);
        if count > 0 {
            self.note_left_out(0, &format!("{count} stops"), size);
        }
    }

    /// Tells a guest at this place of its queue what is left out, which was of this size.
    fn note_left_out(&mut self, at: usize, what: &str, size: usize) {
        let note = GuestLimit::left_out(what);
        self.weight = self.weight.saturating_sub(size) + note.size();
        if let Some(guest) = &mut self.guest {
            guest.remove(size);
            guest.add(&note, note.size());
        }
        self.items.insert(at, note);
        self.open = false;
    }

    /// Adds whole lines or, with `sealed`, a piece of a line to which nothing may be appended.
    fn push_output(&mut self, source: OutputSource, text: &str, sealed: bool) {
        if text.is_empty() || self.closed {
            return;
        }
        if let Some(backlog) = &mut self.backlog {
            return backlog.add(Item::Output { source, text: text.to_string() });
        }
        let size = output_weight(text);
        self.weight += size;
        if let Some(guest) = &mut self.guest {
            guest.add_output(size);
        }
        let open = std::mem::replace(&mut self.open, !sealed);
        match self.items.back_mut() {
            Some(Item::Output { source: last, text: lines }) if open && *last == source => {
                lines.push_str(text);
            }
            _ => self.items.push_back(Item::Output { source, text: text.to_string() }),
        }
        self.check_guest();
    }

    /// Adds the incomplete line.
    fn finish_line(&mut self) {
        if let Some(Unfinished { source, text, .. }) = self.unfinished.take() {
            self.push_output(source, &text, true);
        }
    }

    /// Adds program output.
    fn write(&mut self, source: OutputSource, text: &str) {
        if self.unfinished.as_ref().is_some_and(|line| line.source != source) {
            self.finish_line();
        }
        let (lines, rest) = text.split_at(text.rfind('\n').map_or(0, |at| at + 1));
        if !lines.is_empty() {
            match self.unfinished.take() {
                Some(Unfinished { text: mut begun, .. }) => {
                    begun.push_str(lines);
                    self.push_output(source, &begun, false);
                }
                None => self.push_output(source, lines, false),
            }
        }
        if !rest.is_empty() {
            self.write_unfinished(source, rest);
        }
    }

    fn write_unfinished(&mut self, source: OutputSource, text: &str) {
        let begun = || Unfinished { source, text: String::new(), since: Instant::now() };
        let mut line = self.unfinished.take().unwrap_or_else(begun);
        line.text.push_str(text);
        if line.text.len() >= PIECE {
            let mut rest = line.text.as_str();
            while rest.len() >= PIECE {
                let (piece, tail) = rest.split_at(piece_end(rest));
                self.push_output(source, piece, true);
                rest = tail;
            }
            line = Unfinished { source, text: rest.to_string(), since: Instant::now() };
        }
        if !line.text.is_empty() {
            self.unfinished = Some(line);
        }
    }

    /// How long the writer of a guest still rests.
    fn rest_left(&mut self) -> Option<Duration> {
        let left = self.rest?.saturating_duration_since(Instant::now());
        if left.is_zero() || self.closed {
            self.rest = None;
            return None;
        }
        Some(left)
    }

    /// How long the incomplete line is still held back.
    fn line_left(&self) -> Option<Duration> {
        self.unfinished.as_ref().map(|line| UNFINISHED.saturating_sub(line.since.elapsed()))
    }
}

impl Outbox {
    /// Adds an item. `quiet`: the caller writes the outbox, so the writer need not be woken.
    pub fn add(&self, item: Item, quiet: bool) {
        let mut queue = self.queue.lock();
        queue.push(item);
        if !quiet && queue.writer_waits {
            self.filled.notify_one();
        }
    }

    /// Adds an event to the owner's outbox for the guests but the one with this connection, and for the owner if
    /// `to_owner`.
    pub(super) fn tell(&self, event: Event, except: Option<ConnectionId>, to_owner: bool, quiet: bool) {
        let mut queue = self.queue.lock();
        queue.copies.tell(&event, except);
        if to_owner {
            queue.push(Item::Event(event));
        }
        if !quiet && queue.writer_waits {
            self.filled.notify_one();
        }
    }

    /// Does something with the guests, in the owner's outbox.
    pub(super) fn with_copies<T>(&self, work: impl FnOnce(&mut Copies) -> T) -> T {
        let mut queue = self.queue.lock();
        // A guest gets whole lines.
        queue.finish_line();
        work(&mut queue.copies)
    }

    /// The queue of a guest.
    pub(super) fn for_guest() -> Outbox {
        let queue = Queue { guest: Some(GuestLimit::default()), ..Queue::default() };
        Outbox { queue: Mutex::new(queue), ..Outbox::default() }
    }

    /// Notes that this many requests of the guest were received.
    pub fn expect(&self, requests: usize) {
        if let Some(guest) = &mut self.queue.lock().guest {
            guest.expect(requests);
        }
    }

    /// Waits until the guest has read and been answered most of what there was, so that it can ask for more.
    pub fn wait_for_guest(&self) {
        let mut queue = self.queue.lock();
        while !queue.closed
            && (queue.weight + queue.taken > GuestLimit::READING
                || queue.guest.as_ref().is_some_and(GuestLimit::is_busy))
        {
            queue.end_waits = true;
            queue = self.written.wait_timeout(queue, GuestLimit::LOOK);
        }
    }

    /// Adds a response of the session. That to a disconnect is the last message of a client, whatever other threads add.
    pub(super) fn respond(&self, id: RequestId, result: Result<Response, Failure>, quiet: bool) {
        let is_disconnect = matches!(result, Ok(Response::Done(Done::Disconnected)));
        let mut queue = self.queue.lock();
        queue.push(Item::Response(id, result));
        if is_disconnect && queue.guest.is_some() {
            queue.closed = true;
        } else if is_disconnect && !queue.closed {
            queue.backlog.get_or_insert_default();
        }
        if !quiet && queue.writer_waits {
            self.filled.notify_one();
        }
        if queue.guest.is_some() && queue.end_waits {
            self.written.notify_all();
        }
    }

    /// Adds the position of a message that the front end creates itself. `quiet` as in `add`.
    pub fn add_reply(&self, id: RequestId, quiet: bool) {
        self.add(Item::Reply(id), quiet);
    }

    /// Adds an event.
    pub(super) fn event(&self, event: Event) {
        self.tell(event, None, true, false);
    }

    /// Wakes the writer's thread if it waits.
    pub fn wake_writer(&self) {
        if self.queue.lock().writer_waits {
            self.filled.notify_one();
        }
    }

    /// While there is too much in the queue, waits until there is space or `urgent` returns `true`. Called on the
    /// program's thread, before it adds something.
    pub fn wait_for_space(&self, urgent: impl Fn() -> bool) {
        drop(self.with_space(urgent));
    }

    fn with_space(&self, urgent: impl Fn() -> bool) -> MutexGuard<'_, Queue> {
        let mut queue = self.queue.lock();
        let goes_on =
            |queue: &Queue| queue.backlog.is_some() || queue.closed || queue.shutdown.is_some() || urgent();
        while queue.weight >= queue.pace.limit() && !goes_on(&queue) {
            queue.program_waits = true;
            queue = self.space.wait(queue);
        }
        queue
    }

    /// Adds an event of this size for the guest.
    pub(super) fn copy_event(&self, event: Event, size: usize) {
        let mut queue = self.queue.lock();
        queue.push_sized(Item::Event(event), size);
        if queue.writer_waits {
            self.filled.notify_one();
        }
    }

    /// Adds program output for the guest.
    pub(super) fn copy_output(&self, source: OutputSource, text: &str) {
        let mut queue = self.queue.lock();
        if queue.closed {
            return;
        }
        queue.write(source, text);
        if queue.writer_waits && (!queue.items.is_empty() || !queue.writer_times) {
            self.filled.notify_one();
        }
    }

    /// Whether the guest was dismissed because it did not read.
    pub(super) fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }

    /// Adds program output, when there is space for it (see [`Outbox::wait_for_space`]).
    pub(super) fn write(&self, source: OutputSource, text: &str, urgent: impl Fn() -> bool) {
        let mut queue = self.with_space(urgent);
        if queue.closed {
            return;
        }
        queue.copies.write(source, text);
        queue.write(source, text);
        let news = !queue.items.is_empty() || !queue.writer_times;
        if news && queue.writer_waits {
            self.filled.notify_one();
        }
    }

    /// Releases an incomplete line that is held back.
    pub(super) fn finish_line(&self) {
        let mut queue = self.queue.lock();
        queue.copies.finish_line();
        if queue.unfinished.is_some() {
            queue.finish_line();
            if queue.writer_waits {
                self.filled.notify_one();
            }
        }
    }

    /// Releases an incomplete line that was held back for long enough, where no writer waits for that; returns how long
    /// one is still held back, if there is one.
    pub(super) fn finish_late_line(&self) -> Option<Duration> {
        let mut queue = self.queue.lock();
        let left = queue.line_left()?;
        if left.is_zero() {
            queue.finish_line();
            return None;
        }
        Some(left)
    }

    /// Wakes a program that waits for space, so that it evaluates `urgent` again.
    pub(super) fn wake_program(&self) {
        drop(self.queue.lock());
        self.space.notify_all();
    }

    /// The program was told to end: from now on it never waits.
    pub(super) fn begin_shutdown(&self) {
        let mut queue = self.queue.lock();
        queue.shutdown.get_or_insert_with(Instant::now);
        self.space.notify_all();
    }

    /// When the program was told to end, if it was.
    pub(super) fn shutdown_began(&self) -> Option<Instant> {
        self.queue.lock().shutdown
    }

    /// Closes the queue: nothing more is added; what is in it can still be taken.
    pub fn close(&self) {
        let mut queue = self.queue.lock();
        queue.finish_line();
        queue.closed = true;
        self.filled.notify_all();
        self.space.notify_all();
    }

    /// The client disconnects: it still gets what is in the queue; what is added later is kept for the next
    /// one.
    pub(super) fn close_client(&self) {
        let mut queue = self.queue.lock();
        queue.finish_line();
        queue.open = false;
        queue.backlog.get_or_insert_default();
        queue.leaving = true;
        queue.replies.clear();
        self.filled.notify_all();
        self.space.notify_all();
    }

    /// A client is about to connect.
    pub(super) fn expect_client(&self) {
        self.queue.lock().leaving = false;
    }

    /// A client has connected: adds the response to its [`SessionRequest::Attach`](crate::api::SessionRequest::Attach), if
    /// that was its first request, then what was kept, the event of a wait for input that is in progress, and
    /// last what its front end has added meanwhile.
    pub(super) fn open_client(&self, answer: Option<Item>, waits: Option<Event>) {
        let mut queue = self.queue.lock();
        queue.finish_line();
        let Some(backlog) = queue.backlog.take() else { return };
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
        let replies = std::mem::take(&mut queue.replies);
        queue.items.extend(replies);
        queue.pace = Pace::default();
        queue.weight = queue.items.iter().map(Item::weight).sum();
        queue.open = false;
        self.filled.notify_all();
    }

    /// The client is gone: what it did not get, which is `taken` and then the queue, is kept for the next one. What a
    /// guest did not get is dropped.
    pub fn take_back(&self, mut taken: VecDeque<Item>) {
        let mut queue = self.queue.lock();
        taken.append(&mut queue.items);
        queue.weight = 0;
        queue.busy = None;
        if let Some(backlog) = &mut queue.backlog {
            backlog.add_before(taken);
        }
        if queue.end_waits {
            self.written.notify_all();
        }
    }

    /// Waits until there is something to write, including an incomplete line that is due. Returns `false`
    /// when the client will get nothing more.
    pub fn wait(&self) -> bool {
        self.wait_until(None) == Waited::Items
    }

    /// Like [`Outbox::wait`], but at most until this time.
    pub fn wait_until(&self, deadline: Option<Instant>) -> Waited {
        let mut queue = self.queue.lock();
        loop {
            if let Some(left) = queue.rest_left() {
                queue = self.filled.wait_timeout(queue, left);
                queue.writer_waits = false;
                continue;
            }
            if !queue.items.is_empty() {
                return Waited::Items;
            }
            if queue.closed || queue.leaving {
                return Waited::Closed;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Waited::TimeIsOver;
            }
            let line = queue.line_left();
            if line == Some(Duration::ZERO) {
                queue.finish_line();
                continue;
            }
            queue.writer_waits = true;
            queue.writer_times = line.is_some();
            queue = match line.into_iter().chain(left).min() {
                Some(left) => self.filled.wait_timeout(queue, left),
                None => self.filled.wait(queue),
            };
            queue.writer_waits = false;
            queue.writer_times = false;
        }
    }

    /// Moves all items into `items`, which has to be empty; returns `false` if there are none. Otherwise
    /// [`Outbox::done`] has to be called when they are written.
    pub fn take(&self, items: &mut VecDeque<Item>) -> bool {
        let mut queue = self.queue.lock();
        if queue.items.is_empty() {
            return false;
        }
        std::mem::swap(&mut queue.items, items);
        queue.open = false;
        queue.taken = std::mem::take(&mut queue.weight);
        if let Some(guest) = &mut queue.guest {
            guest.clear();
        }
        queue.busy = Some(Instant::now());
        if std::mem::take(&mut queue.program_waits) {
            self.space.notify_all();
        }
        true
    }

    /// Some of the items that were taken have been written.
    pub fn progress(&self) {
        self.queue.lock().busy = Some(Instant::now());
    }

    /// The items that were taken have been written.
    pub fn done(&self) {
        let mut queue = self.queue.lock();
        queue.busy = None;
        let taken = std::mem::take(&mut queue.taken);
        let now = Instant::now();
        queue.pace.passed(taken, now);
        queue.rest = queue.guest.as_ref().and_then(|guest| guest.rest(now));
        if queue.end_waits {
            self.written.notify_all();
        }
    }

    /// Waits until everything is written, as long as `go_on` returns `true`. It is called at least once in
    /// every `pause`, with the time since the present write last made progress (counted from the shutdown at
    /// the earliest). Items that the writer has not begun to write count as no delay: on a busy machine its
    /// thread may not have been scheduled yet.
    pub fn wait_written(&self, pause: Duration, go_on: impl Fn(Duration) -> bool) {
        let mut queue = self.queue.lock();
        queue.end_waits = true;
        let begin = queue.shutdown.unwrap_or_else(Instant::now);
        while queue.busy.is_some() || !queue.items.is_empty() {
            let stalled = queue.busy.map_or(Duration::ZERO, |since| since.max(begin).elapsed());
            if !go_on(stalled) {
                return;
            }
            queue = self.written.wait_timeout(queue, pause);
        }
    }
}

#[cfg(test)]
mod tests;

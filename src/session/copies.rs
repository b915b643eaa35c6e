//! What the owner of a session is sent, also for its guests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::api::{Company, Dismissal, Event};
use crate::value::Stream;

use super::connection::ConnectionId;
use super::item::{Item, event_size};

/// What limits the queue of a guest.
#[derive(Debug, Default)]
pub(super) struct GuestLimit {
    /// How many of its requests were received and not answered.
    pub expected: usize,
    /// Whether it has resumed the program, and waits for the stop.
    pub runs: bool,
    /// Whether a stop that it has waited for is in the queue.
    has_own_stop: bool,
    /// The size of what is in the queue and it has not asked for, and of the longest event among that.
    unasked: usize,
    longest: usize,
}

impl GuestLimit {
    /// Maximum size in bytes of what waits for a guest that it has not asked for, besides one long event. With more,
    /// output is left out. Its requests are not read while its answers wait.
    pub const QUEUE: usize = 1 << 20;

    /// A guest whose queue is full is sent away if it has read nothing for so long.
    pub const PATIENCE: Duration = Duration::from_secs(2);

    /// While more bytes than this wait for it, its requests are not read.
    pub const READING: usize = Self::QUEUE / 8;

    /// While more of its requests than this are not answered, no further ones are read, so that the other clients need
    /// not wait for long.
    pub const REQUESTS: usize = 4;

    /// How long its writer rests after what it has written, but for answers. Steps of others take microseconds: each
    /// would wake it.
    pub const REST: Duration = Duration::from_millis(2);

    /// How often that is looked at, at least.
    pub const LOOK: Duration = Duration::from_millis(50);

    /// Notes an item of its queue.
    pub fn add(&mut self, item: &Item, size: usize) {
        match item {
            Item::Output { .. } => self.add_output(size),
            Item::Event(_) => {
                self.unasked += size;
                self.longest = self.longest.max(size);
            }
            Item::Response(..) => self.expected = self.expected.saturating_sub(1),
            Item::Reply(_) => {}
        }
    }

    /// Notes output of this size in its queue.
    pub fn add_output(&mut self, size: usize) {
        self.unasked += size;
    }

    /// Notes that so much output was taken from its queue.
    pub fn remove(&mut self, output: usize) {
        self.unasked = self.unasked.saturating_sub(output);
    }

    /// Whether this event is the stop, or the end, that it waits for.
    pub fn ends_run(&mut self, event: &Event) -> bool {
        let ends = matches!(event, Event::Stopped(_) | Event::CellEnded(_) | Event::Exited(_));
        let is_its = ends && std::mem::take(&mut self.runs);
        self.has_own_stop |= is_its;
        is_its
    }

    /// Leaves out stops that are over, but not if one of them is an answer; returns how many, and their size.
    pub fn leave_out_stops(&self, items: &mut VecDeque<Item>) -> (usize, usize) {
        if self.has_own_stop {
            return (0, 0);
        }
        let last = items.iter().rposition(is_stop);
        let (mut index, mut count, mut size) = (0, 0, 0);
        items.retain(|item| {
            let is_over = last.is_some_and(|last| index < last);
            index += 1;
            let is_left_out = is_over && (is_stop(item) || is_resumption(item));
            count += usize::from(is_left_out && is_stop(item));
            size += if is_left_out { item.size() } else { 0 };
            !is_left_out
        });
        (count, size)
    }

    /// Notes that its queue is empty.
    pub fn clear(&mut self) {
        (self.unasked, self.longest, self.has_own_stop) = (0, 0, false);
    }

    /// Whether too much is in the queue that it has not asked for.
    pub fn is_exceeded(&self) -> bool {
        self.unasked - self.longest > Self::QUEUE
    }

    /// What a guest is told in place of so much that is left out.
    pub fn left_out(what: &str) -> Item {
        Item::Event(Event::Log(format!("({what} are left out here: they came too fast)\n")))
    }

    /// The last message to a guest that does not read.
    pub fn dismissed() -> Item {
        Item::Event(Event::Company(Company::Dismissed(Dismissal::TooSlow)))
    }
}

fn is_stop(item: &Item) -> bool {
    matches!(item, Item::Event(Event::Stopped(_)))
}

fn is_resumption(item: &Item) -> bool {
    matches!(item, Item::Event(Event::Company(Company::Resumed(_))))
}

/// Who gets a copy: a guest. Nothing here may block.
pub(super) trait Copied: std::fmt::Debug + Send + Sync {
    /// Its connection.
    fn connection(&self) -> ConnectionId;

    /// Sends it an event; with its size in bytes as an item of a queue.
    fn tell(&self, event: Event, size: usize);

    /// Sends it what the program has written.
    fn write(&self, stream: Stream, text: &str);

    /// Sends it the line that is not complete.
    fn finish_line(&self);

    /// Whether it was dismissed because it did not read.
    fn is_dismissed(&self) -> bool;
}

/// The guests that get a copy of what the owner is sent.
#[derive(Debug, Default)]
pub(super) struct Copies(Vec<Arc<dyn Copied>>);

impl Copies {
    pub fn add(&mut self, guest: Arc<dyn Copied>) {
        self.0.push(guest);
    }

    pub fn remove(&mut self, connection: ConnectionId) {
        self.0.retain(|guest| guest.connection() != connection);
    }

    /// Sends the guests an event, but not the one with this connection.
    pub fn tell(&mut self, event: &Event, except: Option<ConnectionId>) {
        if self.0.is_empty() {
            return;
        }
        let size = event_size(event);
        for guest in self.0.iter().filter(|guest| Some(guest.connection()) != except) {
            guest.tell(event.clone(), size);
        }
        self.0.retain(|guest| !guest.is_dismissed());
    }

    /// Sends the guests what the program has written.
    pub fn write(&mut self, stream: Stream, text: &str) {
        self.0.iter().for_each(|guest| guest.write(stream, text));
        self.0.retain(|guest| !guest.is_dismissed());
    }

    /// Sends the guests the line that is not complete.
    pub fn finish_line(&mut self) {
        self.0.iter().for_each(|guest| guest.finish_line());
    }
}

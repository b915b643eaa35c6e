//! What limits the queue of a guest: how much may wait for it, and what is left out where it reads too slowly.

use std::collections::VecDeque;
use std::time::Duration;

use crate::api::{Company, Dismissal, Done, Event, Response};
use ez_runtime::clock::Instant;

use super::item::Item;

/// What limits the queue of a guest.
#[derive(Debug, Default)]
pub(super) struct GuestLimit {
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
    const REQUESTS: usize = 4;

    /// How long its writer rests after what it has written, but for answers. Steps of others take microseconds: each
    /// would wake it.
    const REST: Duration = Duration::from_millis(2);

    /// How often that is looked at, at least.
    pub const LOOK: Duration = Duration::from_millis(50);

    /// So many of its requests were received.
    pub fn expect(&mut self, requests: usize) {
        self.expected += requests;
    }

    /// Whether no further requests are to be read until some are answered.
    pub fn is_busy(&self) -> bool {
        self.expected > Self::REQUESTS
    }

    /// Notes an item of its queue, which has this size. Returns whether it is an answer.
    pub fn add(&mut self, item: &Item, size: usize) -> bool {
        let is_answer = match item {
            Item::Output { .. } => {
                self.add_output(size);
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

    /// Notes output of this size in its queue.
    pub fn add_output(&mut self, size: usize) {
        self.unasked += size;
    }

    /// Notes that something of this size was left out.
    pub fn remove(&mut self, size: usize) {
        self.unasked = self.unasked.saturating_sub(size);
    }

    /// Until when its writer rests that has written something now.
    pub fn rest(&self, now: Instant) -> Option<Instant> {
        (!self.runs && !self.has_answer).then_some(now + Self::REST)
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
        (self.unasked, self.longest) = (0, 0);
        (self.has_answer, self.has_own_stop) = (false, false);
    }

    /// Whether too much is in the queue that it has not asked for.
    pub fn is_exceeded(&self) -> bool {
        self.unasked.saturating_sub(self.longest) > Self::QUEUE
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

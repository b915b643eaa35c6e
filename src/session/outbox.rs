//! What is to reach the client, in the order in which it happened: events, and program output, which
//! may be a great deal. The program waits when too much of it is under way; nobody else ever waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::value::Stream;

use super::command::RequestId;
use super::event::SessionEvent;

/// How many bytes of output may wait before the program does.
const LIMIT: usize = 1 << 20;

/// How long a piece of an output line may be.
pub const PIECE: usize = 4000;

/// Something that waits to be told.
#[derive(Debug, PartialEq)]
pub enum Item {
    /// An event, with the tag of the command that it answers.
    Event(Option<RequestId>, SessionEvent),
    /// Program output.
    Output {
        /// Where the program wrote it.
        stream: Stream,
        /// Whole lines, except perhaps the last one.
        text: String,
    },
}

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    /// Whether more lines may be added to the output at the end of `items`.
    open: bool,
    bytes: usize,
    /// Since when somebody is writing what was taken, or has written something of it.
    busy: Option<Instant>,
    writer_waits: bool,
    program_waits: bool,
    /// Whether somebody waits until all is written.
    end_waits: bool,
    closed: bool,
    /// When the program was told to end: what it still writes is little, and has not to wait.
    hurried: Option<Instant>,
}

/// The queue.
#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    filled: Condvar,
    space: Condvar,
    written: Condvar,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event.
    pub(crate) fn event(&self, tag: Option<RequestId>, event: SessionEvent) {
        self.quiet_event(tag, event);
        self.call_writer();
    }

    /// Adds an event that the caller is going to write itself, if the writer does not anyway.
    pub(super) fn quiet_event(&self, tag: Option<RequestId>, event: SessionEvent) {
        let mut queue = self.lock();
        if !queue.closed {
            queue.open = false;
            queue.items.push_back(Item::Event(tag, event));
        }
    }

    /// Wakes the writer if it waits.
    pub fn call_writer(&self) {
        if self.lock().writer_waits {
            self.filled.notify_one();
        }
    }

    /// Adds whole lines of output (or, if `sealed`, an unfinished one that is not to be added to).
    /// Waits while there is too much, until `urgent` says that the program has something else to do.
    pub(crate) fn output(&self, stream: Stream, text: &str, sealed: bool, urgent: impl Fn() -> bool) {
        if text.is_empty() {
            return;
        }
        let mut queue = self.lock();
        while queue.bytes >= LIMIT && !queue.closed && queue.hurried.is_none() && !urgent() {
            queue.program_waits = true;
            queue = self.space.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if queue.closed {
            return;
        }
        queue.bytes += text.len();
        let open = queue.open;
        queue.open = !sealed;
        match queue.items.back_mut() {
            Some(Item::Output { stream: last, text: lines }) if open && *last == stream => {
                lines.push_str(text)
            }
            _ => queue.items.push_back(Item::Output { stream, text: text.to_string() }),
        }
        if queue.writer_waits {
            self.filled.notify_one();
        }
    }

    /// Makes a program that waits for space look whether something is urgent.
    pub(super) fn nudge(&self) {
        drop(self.lock());
        self.space.notify_all();
    }

    /// The program is told to end: it never waits any more.
    pub(super) fn hurry(&self) {
        let mut queue = self.lock();
        queue.hurried.get_or_insert_with(Instant::now);
        self.space.notify_all();
    }

    /// When the program was told to end, if it was.
    pub(super) fn hurried(&self) -> Option<Instant> {
        self.lock().hurried
    }

    /// Adds nothing more; what is there can still be taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.space.notify_all();
    }

    /// Waits until there is something; `false` when nothing will come any more.
    pub fn wait(&self) -> bool {
        let mut queue = self.lock();
        while queue.items.is_empty() && !queue.closed {
            queue.writer_waits = true;
            queue = self.filled.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.writer_waits = false;
        }
        !queue.items.is_empty()
    }

    /// Takes all there is; `false` when that is nothing. Whoever takes has to call [`Outbox::done`].
    pub fn take(&self, items: &mut VecDeque<Item>) -> bool {
        let mut queue = self.lock();
        if queue.items.is_empty() {
            return false;
        }
        std::mem::swap(&mut queue.items, items);
        queue.open = false;
        queue.bytes = 0;
        queue.busy = Some(Instant::now());
        if std::mem::take(&mut queue.program_waits) {
            self.space.notify_all();
        }
        true
    }

    /// Something of what was taken has been written.
    pub fn progress(&self) {
        self.lock().busy = Some(Instant::now());
    }

    /// What was taken has been written.
    pub fn done(&self) {
        let mut queue = self.lock();
        queue.busy = None;
        if queue.end_waits {
            self.written.notify_all();
        }
    }

    /// Waits until all is written, as long as `go_on` (asked about every `pause`) allows; it learns how
    /// long a write has been under way, at most since the program was told to end. What nobody has begun
    /// to write yet does not stall: on a busy machine the writer may just not have had its turn.
    pub fn wait_written(&self, pause: Duration, go_on: impl Fn(Duration) -> bool) {
        let mut queue = self.lock();
        queue.end_waits = true;
        let begin = queue.hurried.unwrap_or_else(Instant::now);
        while queue.busy.is_some() || !queue.items.is_empty() {
            let stalled = queue.busy.map_or(Duration::ZERO, |since| since.max(begin).elapsed());
            if !go_on(stalled) {
                return;
            }
            let waited = self.written.wait_timeout(queue, pause);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Splits output into what single events hold: lines, and pieces of long ones. No character is split.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (piece, tail) = rest.split_at_checked(piece_end(rest)).unwrap_or((rest, ""));
            rest = tail;
            Some(piece)
        })
    })
}

/// Where the first piece of a line ends.
pub(super) fn piece_end(line: &str) -> usize {
    if line.len() <= PIECE {
        return line.len();
    }
    (0..=PIECE).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(outbox: &Outbox) -> Vec<String> {
        let mut items = VecDeque::new();
        outbox.take(&mut items);
        outbox.done();
        let text = |item| match item {
            Item::Output { stream, text } => format!("{stream:?} {text}"),
            Item::Event(_, event) => format!("{event:?}"),
        };
        items.into_iter().map(text).collect()
    }

    #[test]
    fn keeps_order_and_joins_lines() {
        let outbox = Outbox::default();
        outbox.output(Stream::Stdout, "a\n", false, || false);
        outbox.output(Stream::Stdout, "b\n", false, || false);
        outbox.output(Stream::Stdout, "c", true, || false);
        outbox.output(Stream::Stdout, "d\n", false, || false);
        outbox.output(Stream::Stderr, "e\n", false, || false);
        outbox.event(None, SessionEvent::Started);
        outbox.output(Stream::Stderr, "f\n", false, || false);
        let expected = ["Stdout a\nb\nc", "Stdout d\n", "Stderr e\n", "Started", "Stderr f\n"];
        assert_eq!(texts(&outbox), expected);
        assert!(texts(&outbox).is_empty());
    }

    #[test]
    fn a_full_queue_lets_urgent_programs_go() {
        let outbox = Outbox::default();
        let big = "x".repeat(LIMIT);
        outbox.output(Stream::Stdout, &big, false, || false);
        outbox.output(Stream::Stdout, "y", false, || true);
        assert_eq!(texts(&outbox).concat().len(), "Stdout ".len() + LIMIT + 1);
        outbox.close();
        outbox.event(None, SessionEvent::Started);
        assert!(texts(&outbox).is_empty());
    }

    #[test]
    fn only_a_write_under_way_stalls() {
        let outbox = Outbox::default();
        outbox.event(None, SessionEvent::Terminated);
        outbox.hurry();
        let pause = Duration::from_millis(1);
        let asked = std::cell::Cell::new(0);
        let mut items = VecDeque::new();
        outbox.wait_written(pause, |stalled| {
            assert_eq!(stalled, Duration::ZERO);
            asked.set(asked.get() + 1);
            asked.get() < 5
        });
        outbox.take(&mut items);
        outbox.wait_written(pause, |stalled| stalled < 5 * pause);
        outbox.done();
        outbox.wait_written(pause, |_| panic!("all is written"));
    }

    #[test]
    fn pieces_are_lines_and_short() {
        let split: Vec<&str> = pieces("a\n\nb").collect();
        assert_eq!(split, ["a\n", "\n", "b"]);
        let long = format!("{}é{}\n", "x".repeat(PIECE - 1), "y".repeat(PIECE));
        let lengths: Vec<usize> = pieces(&long).map(str::len).collect();
        assert_eq!(lengths, [PIECE - 1, PIECE, 3]);
        assert_eq!(pieces(&long).collect::<String>(), long);
        assert_eq!(pieces("").count(), 0);
    }
}

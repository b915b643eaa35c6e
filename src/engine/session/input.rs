//! Standard input of the debugged program: a queue of lines that the client has sent.

use std::collections::VecDeque;

use crate::api::{Event, Reader};
use ez_runtime::sync::{Condvar, Mutex};

#[derive(Debug, Default)]
struct InputState {
    lines: VecDeque<Vec<u8>>,
    /// Whether the client has announced the end of the input.
    ended: bool,
    /// Whether no client can send anything any more.
    closed: bool,
    /// Whether the program waits for a line and the client has been told.
    wanted: bool,
    /// The call that reads the next line, if it is known.
    reader: Option<Reader>,
    /// Whether the client gives no input, so that reading it is an error.
    refused: bool,
}

/// InputState received from the client and not yet read by the program. Shared by the thread that receives
/// requests and the interpreter's.
#[derive(Debug, Default)]
pub(super) struct Input {
    lines: Mutex<InputState>,
    changed: Condvar,
}

/// The result of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line with its line end.
    Text(Vec<u8>),
    /// Interrupted: the interpreter's thread has a request to look at.
    Urgent,
    /// End of input.
    End,
    /// The client gives no input.
    Refused,
}

impl Input {
    /// Appends lines; a missing line end is added to the last one, unless `eof` says that the input ends
    /// there. `goes_on` is called before a program goes on that waits for them.
    pub fn add(&self, text: Option<&str>, eof: bool, goes_on: impl FnOnce()) {
        let mut lines = self.lines.lock();
        if std::mem::take(&mut lines.wanted) {
            goes_on();
        }
        if let Some(text) = text.filter(|_| !lines.ended) {
            // A last line without end, followed by the end of input, stays as it is.
            let unfinished = eof && !text.ends_with('\n');
            let text = text.strip_suffix('\n').unwrap_or(text);
            lines.lines.extend(text.split('\n').map(|line| format!("{line}\n").into_bytes()));
            if unfinished && let Some(mut last) = lines.lines.pop_back() {
                last.pop();
                lines.lines.extend(Some(last).filter(|last| !last.is_empty()));
            }
        }
        lines.ended |= eof;
        self.changed.notify_all();
    }

    /// Discards what has not been read, and the end of input: called before another program starts.
    pub fn discard(&self) {
        let mut lines = self.lines.lock();
        lines.lines.clear();
        lines.ended = false;
        lines.wanted = false;
        lines.reader = None;
    }

    /// From now on, whether the client gives no input.
    pub fn set_refused(&self, refused: bool) {
        self.lines.lock().refused = refused;
    }

    /// No more input can come. A program that asks for a line still announces that first, so that the events
    /// do not depend on timing; then it reads the end of input.
    pub fn close(&self) {
        self.lines.lock().closed = true;
        self.changed.notify_all();
    }

    /// Sets the call that reads the next line.
    pub fn set_reader(&self, reader: Option<Reader>) {
        self.lines.lock().reader = reader;
    }

    /// Calls `work` with the event that the program waits for a line, if it does and the client has been told; that
    /// stays so during the call.
    pub fn with_wanted(&self, work: impl FnOnce(Option<Event>)) {
        let lines = self.lines.lock();
        work(lines.wanted.then(|| Event::InputRequested(lines.reader.clone())));
    }

    /// The program has stopped or ended: if it waits for a line again, the client is told again.
    pub fn wait_ends(&self) {
        self.lines.lock().wanted = false;
    }

    /// Wakes a waiting program, so that it evaluates `urgent` again.
    pub fn wake_program(&self) {
        drop(self.lines.lock());
        self.changed.notify_all();
    }

    /// Waits for a line, until `urgent` returns `true`. Calls `announce` first, with the event for the client, if no
    /// line is there, unless the client has been told of this wait already.
    pub fn wait(&self, urgent: impl Fn() -> bool, announce: impl FnOnce(Event)) -> Line {
        let mut announce = Some(announce);
        let mut lines = self.lines.lock();
        loop {
            if lines.refused {
                return Line::Refused;
            }
            if let Some(line) = lines.lines.pop_front() {
                lines.wanted = false;
                return Line::Text(line);
            }
            if lines.ended {
                lines.wanted = false;
                return Line::End;
            }
            if urgent() {
                return Line::Urgent;
            }
            if let Some(announce) = announce.take().filter(|_| !lines.wanted) {
                lines.wanted = true;
                announce(Event::InputRequested(lines.reader.clone()));
            }
            if lines.closed {
                lines.wanted = false;
                return Line::End;
            }
            lines = self.changed.wait(lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_end() {
        let input = Input::default();
        assert_eq!(input.wait(|| true, |_| ()), Line::Urgent);
        input.add(Some("a\nb"), false, || ());
        input.add(Some(""), false, || ());
        input.add(Some("c\nd"), true, || ());
        input.add(Some("late"), false, || ());
        for line in ["a\n", "b\n", "\n", "c\n", "d"] {
            assert_eq!(input.wait(|| true, |_| panic!("nothing to wait for")), Line::Text(line.into()));
        }
        assert_eq!(input.wait(|| true, |_| ()), Line::End);
        let input = Input::default();
        input.add(Some(""), true, || ());
        assert_eq!(input.wait(|| true, |_| ()), Line::End);
        let input = Input::default();
        input.set_refused(true);
        input.add(Some("a"), false, || ());
        assert_eq!(input.wait(|| false, |_| panic!("nobody to ask")), Line::Refused);
        input.set_refused(false);
        assert_eq!(input.wait(|| false, |_| ()), Line::Text(b"a\n".to_vec()));
        let input = Input::default();
        input.close();
        let announced = std::cell::Cell::new(false);
        assert_eq!(input.wait(|| false, |_| announced.set(true)), Line::End);
        assert!(announced.get());
    }
}

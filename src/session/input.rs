//! What the debugged program reads: lines that the client sends.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<Vec<u8>>,
    /// Whether the client has said that nothing more comes.
    ended: bool,
    /// Whether the client can send nothing more.
    closed: bool,
    /// Whether the program waits for a line, and has said so.
    wanted: bool,
}

/// What came from the client and was not read yet.
#[derive(Debug, Default)]
pub(super) struct Input {
    lines: Mutex<Lines>,
    changed: Condvar,
}

/// How waiting for a line went.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line with its end.
    Text(Vec<u8>),
    /// Something else is urgent.
    Urgent,
    /// There will be none.
    End,
}

impl Input {
    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the lines of a text; a missing last line end is added. `eof`: nothing comes after it.
    pub fn add(&self, text: Option<&str>, eof: bool) {
        let mut lines = self.lock();
        if let Some(text) = text.filter(|_| !lines.ended) {
            // What ends with the input is taken to the letter.
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

    /// Takes away what was not read, and forgets that nothing more comes: another program begins.
    pub fn discard(&self) {
        let mut lines = self.lock();
        lines.lines.clear();
        lines.ended = false;
        lines.wanted = false;
    }

    /// The client can send nothing more: a program that asks for input is still told to the client, so
    /// that what the client sees does not depend on who was first, and then meets the end of input.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Calls `work` with whether the program waits for a line and has said so, which does not change meanwhile.
    pub fn with_wanted(&self, work: impl FnOnce(bool)) {
        let lines = self.lock();
        work(lines.wanted);
    }

    /// Makes a program that waits look whether something is urgent.
    pub fn nudge(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Waits for a line; `announce` is called before, if there is none yet.
    pub fn wait(&self, urgent: impl Fn() -> bool, announce: impl FnOnce()) -> Line {
        let mut announce = Some(announce);
        let mut lines = self.lock();
        loop {
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
            if let Some(announce) = announce.take() {
                lines.wanted = true;
                announce();
            }
            if lines.closed {
                lines.wanted = false;
                return Line::End;
            }
            lines = self.changed.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_end() {
        let input = Input::default();
        assert_eq!(input.wait(|| true, || ()), Line::Urgent);
        input.add(Some("a\nb"), false);
        input.add(Some(""), false);
        input.add(Some("c\nd"), true);
        input.add(Some("late"), false);
        for line in ["a\n", "b\n", "\n", "c\n", "d"] {
            assert_eq!(input.wait(|| true, || panic!("nothing to wait for")), Line::Text(line.into()));
        }
        assert_eq!(input.wait(|| true, || ()), Line::End);
        let input = Input::default();
        input.add(Some(""), true);
        assert_eq!(input.wait(|| true, || ()), Line::End);
        let input = Input::default();
        input.close();
        let announced = std::cell::Cell::new(false);
        assert_eq!(input.wait(|| false, || announced.set(true)), Line::End);
        assert!(announced.get());
    }
}

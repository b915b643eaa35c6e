//! Output lines that are not complete: held back for a moment, in case their end follows.

use std::time::Duration;

use crate::api::OutputSource;
use ez_runtime::clock::Instant;

use super::{Recipient, State};
use crate::session::item::{PIECE, piece_end};

/// How long an incomplete line is held back.
const UNFINISHED: Duration = Duration::from_millis(50);

/// The beginning of an output line that is held back.
#[derive(Debug)]
pub(super) struct Unfinished {
    source: OutputSource,
    text: String,
    since: Instant,
}

impl<R: Recipient> State<R> {
    fn print(&mut self, source: OutputSource, text: &str, sealed: bool) {
        if !text.is_empty() && !self.queue.closed {
            self.recipient.print(&mut self.queue, source, text, sealed);
        }
    }

    /// Adds the incomplete line.
    pub fn finish_line(&mut self) {
        if let Some(Unfinished { source, text, .. }) = self.unfinished.take() {
            self.print(source, &text, true);
        }
    }

    /// Adds program output.
    pub fn write(&mut self, source: OutputSource, text: &str) {
        if self.unfinished.as_ref().is_some_and(|line| line.source != source) {
            self.finish_line();
        }
        let (lines, rest) = text.split_at(text.rfind('\n').map_or(0, |at| at + 1));
        if !lines.is_empty() {
            match self.unfinished.take() {
                Some(Unfinished { text: mut begun, .. }) => {
                    begun.push_str(lines);
                    self.print(source, &begun, false);
                }
                None => self.print(source, lines, false),
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
                self.print(source, piece, true);
                rest = tail;
            }
            line = Unfinished { source, text: rest.to_string(), since: Instant::now() };
        }
        if !line.text.is_empty() {
            self.unfinished = Some(line);
        }
    }

    /// How long the incomplete line is still held back.
    pub fn line_left(&self) -> Option<Duration> {
        self.unfinished.as_ref().map(|line| UNFINISHED.saturating_sub(line.since.elapsed()))
    }
}

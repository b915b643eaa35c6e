//! What looks at the output of a program: finds out where it prints certain bytes, or compares it with what is expected.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::expected_output::Comparison;
use crate::source::Span;
use crate::value::Stream;

/// What looks at the output of a program. When it has found what it looks for, the debugger is called at the next place.
#[derive(Debug)]
pub enum OutputObserver {
    /// In an instance of the past.
    Watch(OutputWatch),
    /// In the live program. Looks at what the program itself writes to standard output.
    Comparison(Rc<RefCell<Comparison<Printed>>>),
}

/// What has printed a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The step of the last place before it.
    pub after: u64,
    /// Number of calls in progress, `main` not counted, where the statement is.
    pub depth: u32,
    /// The statement.
    pub at: Span,
    /// Whether an evaluation of the debugger has printed it.
    pub by_evaluation: bool,
}

/// Looks for what prints certain bytes.
#[derive(Debug)]
pub struct OutputWatch {
    /// The stream that is looked at, without what evaluations write; `None`: everything is.
    stream: Option<Stream>,
    /// Bytes written so far.
    written: u64,
    /// The numbers of the bytes that were not printed yet, in ascending order.
    wanted: VecDeque<u64>,
    /// What has printed the others, in the same order.
    found: Vec<Printed>,
}

impl OutputWatch {
    /// `written` bytes that count were written before; `wanted` are the numbers of bytes from 0, in ascending order.
    pub fn new(stream: Option<Stream>, written: u64, wanted: impl IntoIterator<Item = u64>) -> OutputWatch {
        OutputWatch { stream, written, wanted: wanted.into_iter().collect(), found: Vec::new() }
    }

    /// Whether all bytes were printed.
    pub fn is_done(&self) -> bool {
        self.wanted.is_empty()
    }

    /// So many bytes have been written to a stream, by this.
    pub fn note(&mut self, stream: Stream, bytes: usize, printed: Printed) {
        if self.stream.is_some_and(|wanted| wanted != stream || printed.by_evaluation) {
            return;
        }
        self.written += bytes as u64;
        while self.wanted.front().is_some_and(|next| *next < self.written) {
            self.wanted.pop_front();
            self.found.push(printed);
        }
    }

    /// Called after an evaluation of the debugger, for which places are not counted, at the place with this
    /// number.
    pub fn place_evaluations(&mut self, step: u64) {
        let of_evaluation = |printed: &&mut Printed| printed.by_evaluation && printed.after == 0;
        self.found.iter_mut().filter(of_evaluation).for_each(|printed| printed.after = step);
    }

    /// What has printed the first of the bytes.
    pub fn into_found(self) -> Vec<Printed> {
        self.found
    }
}

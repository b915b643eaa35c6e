//! Finds out where a program prints certain bytes of its output.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::source::Span;

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
    /// Bytes written so far.
    written: u64,
    /// The numbers of the bytes that were not printed yet, in ascending order.
    wanted: VecDeque<u64>,
    /// What has printed the others, in the same order.
    found: Vec<Printed>,
}

impl OutputWatch {
    /// `written` bytes were written before; `wanted` are the numbers of bytes from 0, in ascending order.
    pub fn new(written: u64, wanted: impl IntoIterator<Item = u64>) -> OutputWatch {
        OutputWatch { written, wanted: wanted.into_iter().collect(), found: Vec::new() }
    }

    /// Whether all bytes were printed.
    pub fn is_done(&self) -> bool {
        self.wanted.is_empty()
    }

    /// So many bytes have been written, by this.
    pub fn note(&mut self, bytes: usize, printed: Printed) {
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

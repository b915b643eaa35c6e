//! The text that is expected.

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use super::difference::{Difference, Excerpt};
use super::mode::{Mode, is_blank};
use crate::text::start_of;

/// A text that is expected, and what of it counts. Clones share the text.
#[derive(Clone, Debug)]
pub struct Expectation {
    text: Arc<String>,
    mode: Mode,
}

impl Expectation {
    pub fn new(text: impl Into<Arc<String>>, mode: Mode) -> Expectation {
        Expectation { text: text.into(), mode }
    }
}

/// The text, while it is compared.
#[derive(Debug)]
pub(super) struct Expected {
    text: Arc<String>,
    mode: Mode,
    /// Where what counts ends.
    end: usize,
    /// The blanks that were looked at last: where they begin and end, and whether a line end follows.
    blanks: (usize, usize, bool),
}

impl Expected {
    pub fn new(expectation: &Expectation) -> Expected {
        let Expectation { text, mode } = expectation.clone();
        let end = match mode {
            Mode::Lines => end_of_lines(&text),
            Mode::Exact => text.len(),
        };
        Expected { text, mode, end, blanks: (0, 0, false) }
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What is expected from `at` on.
    fn rest(&self, at: usize) -> &[u8] {
        self.text.as_bytes().get(at..self.end).unwrap_or_default()
    }

    /// Whether all of `text`, which comes at `at`, is expected and counts whatever follows it.
    #[inline]
    pub fn begins(&self, at: usize, text: &str) -> bool {
        text.as_bytes().last().is_some_and(|last| self.counts(*last))
            && self.rest(at).starts_with(text.as_bytes())
    }

    /// How many bytes of `text`, which comes at `at`, can be passed over at once, since they are expected and count
    /// whatever follows them.
    pub fn same_start(&self, at: usize, text: &str) -> usize {
        let same = start_of(text, common_start(self.rest(at), text.as_bytes())).as_bytes();
        same.iter().rposition(|byte| self.counts(*byte)).map_or(0, |last| last + 1)
    }

    /// Whether a byte counts whatever follows it.
    fn counts(&self, byte: u8) -> bool {
        self.mode == Mode::Exact || !matches!(byte, b' ' | b'\t' | b'\r')
    }

    /// Whether nothing is expected from `at` on.
    pub fn is_end(&self, at: usize) -> bool {
        at >= self.end
    }

    /// Whether a line end is before `at`.
    pub fn ends_line(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|last| self.text.as_bytes().get(last)) == Some(&b'\n')
    }

    /// Whether this character is expected at `at`. Blanks at the end of a line are not.
    pub fn has_char(&mut self, at: usize, c: char) -> bool {
        let is_here = |rest: &[u8]| rest.starts_with(c.encode_utf8(&mut [0; 4]).as_bytes());
        is_here(self.rest(at)) && (self.mode == Mode::Exact || self.line_end(at).is_none())
    }

    /// The length of the line end at `at`, with the blanks before it; `None` if there is none. Only lines have ends.
    pub fn line_end(&mut self, at: usize) -> Option<usize> {
        if self.mode == Mode::Exact {
            return None;
        }
        let (begin, end, ends_line) = self.blanks;
        if !(begin..end).contains(&at) {
            let rest = self.rest(at);
            let blanks = rest.iter().position(|byte| !is_blank(char::from(*byte))).unwrap_or(rest.len());
            let is_end = rest.get(blanks..).is_some_and(|rest| line_end_length(rest) > 0);
            if blanks == 0 {
                return is_end.then(|| line_end_length(rest));
            }
            self.blanks = (at, at + blanks, is_end);
            return self.line_end(at);
        }
        ends_line.then(|| end - at + line_end_length(self.rest(end)))
    }

    /// Number of line ends before `at`.
    pub fn lines_before(&self, at: usize) -> u64 {
        memchr_iter(b'\n', self.text.as_bytes().get(..at).unwrap_or_default()).count() as u64
    }

    /// A difference where `at` bytes of the text have come. `open`: how many line ends have come after the end of the
    /// text, and how many blanks after the last of them, with these as far as they are kept. `rest` is what comes then,
    /// as far as it is known.
    pub fn difference<W>(&self, at: usize, open: Option<(u64, u64, &str)>, rest: &str) -> Difference<W> {
        let (before, after) = self.text.split_at_checked(at).unwrap_or_default();
        let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
        let mut prefix = before.get(line_start..).unwrap_or_default();
        let (mut wanted, mut lines, mut hidden) = (self.line_of(after), 0, 0);
        if let Some((ends, blanks, kept)) = open {
            (wanted, lines) = ("", ends);
            prefix = if kept.len() as u64 == blanks { kept } else { "" };
            hidden = blanks - prefix.len() as u64;
        }
        let expected = if open.is_some() || self.is_end(at) { None } else { self.first(after) };
        let end = memchr(b'\n', rest.as_bytes());
        let come = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let mut excerpt = Excerpt::new(prefix, hidden, wanted, come);
        if end.is_some() {
            excerpt.ends(self.mode);
        }
        if open.is_some() {
            excerpt.expected.clear();
        }
        Difference {
            offset: 0,
            line: self.lines_before(at) + lines + 1,
            expected,
            actual: None,
            excerpt,
            is_unfinished: end.is_none(),
            within: None,
            by: None,
            before: None,
        }
    }

    /// The first character, where a line end is one character.
    fn first(&self, text: &str) -> Option<char> {
        let is_line_end = self.mode == Mode::Lines && starts_with_line_end(text);
        if is_line_end { Some('\n') } else { text.chars().next() }
    }

    /// The rest of the expected line with which a text begins, as far as it counts.
    fn line_of<'a>(&self, text: &'a str) -> &'a str {
        let end = memchr(b'\n', text.as_bytes());
        let line = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        match self.mode {
            Mode::Exact => line,
            Mode::Lines => {
                let is_line_end = |_: &&str| end.is_some();
                line.strip_suffix('\r').filter(is_line_end).unwrap_or(line).trim_end_matches(is_blank)
            }
        }
    }
}

/// How many bytes two texts have in common at their start.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    /// Pieces of this size are compared at once.
    const PIECE: usize = 64;
    let pieces = a.chunks_exact(PIECE).zip(b.chunks_exact(PIECE));
    let start = PIECE * pieces.take_while(|(a, b)| a == b).count();
    let rest = a.iter().skip(start).zip(b.iter().skip(start));
    start + rest.take_while(|(a, b)| a == b).count()
}

fn line_end_length(text: &[u8]) -> usize {
    match text {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

/// Whether a line ends where a text begins; blanks before the end do not count.
fn starts_with_line_end(text: &str) -> bool {
    line_end_length(text.trim_start_matches(is_blank).as_bytes()) > 0
}

/// Where a text ends without blanks and line ends at its end.
fn end_of_lines(text: &str) -> usize {
    let mut rest = text;
    loop {
        let next = rest.trim_end_matches(is_blank);
        let next = next.strip_suffix('\n').map_or(next, |line| line.strip_suffix('\r').unwrap_or(line));
        if next.len() == rest.len() {
            return rest.len();
        }
        rest = next;
    }
}

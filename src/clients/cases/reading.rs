//! The output of a program, compared with what is expected while it comes. A part of it is kept.

use std::sync::Arc;

use super::tokens::{self, WordDifference};
use ez_engine::api::Difference;
use ez_runtime::interp::expected_output::{self, Comparison, Excerpt, Expectation};
use ez_runtime::text::start_of;

/// What counts when output is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Blanks at ends of lines and line ends at the end of the output do not count.
    Lines,
    /// Every byte counts.
    Exact,
    /// Only words count; with an error, numbers may differ by that much, absolutely or relatively.
    Tokens(Option<f64>),
}

impl Mode {
    /// As it is in the engine; `None`: it does not know this one.
    pub fn in_engine(self) -> Option<expected_output::Mode> {
        match self {
            Mode::Lines => Some(expected_output::Mode::Lines),
            Mode::Exact => Some(expected_output::Mode::Exact),
            Mode::Tokens(_) => None,
        }
    }
}

/// The output of a program so far.
pub struct Reading {
    expected: Option<Arc<String>>,
    mode: Mode,
    /// Not for words, which are compared at the end.
    comparison: Option<Comparison<()>>,
    /// The beginning of a character.
    begun: Vec<u8>,
    /// The first bytes that have come.
    kept: String,
    /// How many bytes are kept at most.
    room: usize,
    bytes: u64,
    difference: Option<Difference>,
}

impl Reading {
    /// Nothing has come yet; `expected`: `None` means anything. At most `room` bytes are kept.
    pub fn new(expected: Option<Arc<String>>, mode: Mode, room: usize) -> Reading {
        let comparison = expected
            .as_ref()
            .zip(mode.in_engine())
            .map(|(expected, mode)| Comparison::new(&Expectation::new(expected.clone(), mode)));
        Reading {
            expected,
            mode,
            comparison,
            begun: Vec::new(),
            kept: String::new(),
            room,
            bytes: 0,
            difference: None,
        }
    }

    /// These bytes have come.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(text) => return self.take(text),
                Err(error) => error,
            };
            let (valid, other) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
            self.take(std::str::from_utf8(valid).unwrap_or_default());
            let Some(length) = error.error_len() else {
                self.begun = other.to_vec();
                return;
            };
            self.take("\u{fffd}");
            rest = other.get(length..).unwrap_or_default();
        }
    }

    fn take(&mut self, text: &str) {
        if let Some(comparison) = &mut self.comparison {
            comparison.write(text, ());
        }
        let room = self.room.saturating_sub(self.kept.len());
        if self.bytes == self.kept.len() as u64 {
            self.kept.push_str(start_of(text, room));
        }
        self.bytes += text.len() as u64;
    }

    /// Nothing more will come.
    pub fn end(&mut self) {
        if !self.begun.is_empty() {
            self.begun.clear();
            self.take("\u{fffd}");
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.end();
        }
        self.difference = match (&self.comparison, &self.expected, self.mode) {
            (Some(comparison), ..) => comparison.difference().map(told),
            (None, Some(expected), Mode::Tokens(error)) => tokens::difference(expected, &self.kept, error)
                .filter(|found| self.text().is_some() || found.ends_in(&self.kept))
                .map(|found| in_words(expected, &self.kept, found)),
            (None, ..) => None,
        };
    }

    /// The first difference, once the output has ended.
    pub fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// Number of lines that have come as they are expected; `None` if lines are not compared.
    pub fn matched_lines(&self) -> Option<u64> {
        self.comparison.as_ref().map(Comparison::matched_lines)
    }

    /// The beginning of what has come.
    pub fn beginning(&self) -> &str {
        &self.kept
    }

    /// All that has come; `None` if not all of it is kept.
    pub fn text(&self) -> Option<&str> {
        (self.bytes == self.kept.len() as u64).then_some(self.kept.as_str())
    }
}

/// A difference in the form of the API.
fn told(found: &expected_output::Difference<()>) -> Difference {
    let Excerpt { column, left_out, expected, expected_more, actual, actual_more } = found.excerpt.clone();
    Difference {
        offset: found.offset,
        line: found.line,
        column,
        expected: found.expected,
        actual: found.actual,
        expected_line: expected,
        actual_line: actual,
        left_out,
        expected_more,
        actual_more,
        is_unfinished: false,
        written: None,
        within: None,
        before: None,
    }
}

/// A difference between words, whose lines are these words.
fn in_words(expected: &str, actual: &str, found: WordDifference) -> Difference {
    let word = |text: &str, at: Option<usize>| {
        let rest = at.and_then(|at| text.get(at..)).unwrap_or_default();
        rest.split_ascii_whitespace().next().unwrap_or_default().to_string()
    };
    let [wanted, come] = [word(expected, found.expected), word(actual, found.actual)];
    let offset = found.actual.unwrap_or(actual.len());
    let before = actual.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let left_out = before.get(start..).unwrap_or_default().chars().count() as u64;
    Difference {
        offset: offset as u64,
        line: before.matches('\n').count() as u64 + 1,
        column: left_out + 1,
        expected: wanted.chars().next(),
        actual: come.chars().next(),
        expected_line: wanted,
        actual_line: come,
        left_out,
        expected_more: 0,
        actual_more: 0,
        is_unfinished: false,
        written: None,
        within: None,
        before: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(expected: &str, pieces: &[&[u8]], mode: Mode, room: usize) -> Reading {
        let mut reading = Reading::new(Some(Arc::new(expected.into())), mode, room);
        pieces.iter().for_each(|piece| reading.add(piece));
        reading.end();
        reading
    }

    #[test]
    fn characters_come_in_pieces() {
        let text = "é€😀\n".as_bytes();
        for size in 1..text.len() {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let reading = read("é€😀\n", &pieces, Mode::Exact, 100);
            assert_eq!((reading.difference(), reading.text()), (None, Some("é€😀\n")), "{size}");
        }
        let reading = read("", &[b"a\xffb\xe2", b"\x82"], Mode::Exact, 100);
        assert_eq!(reading.text(), Some("a\u{fffd}b\u{fffd}"));
        assert_eq!(reading.difference().map(|found| found.offset), Some(0));
    }

    #[test]
    fn a_part_is_kept_and_all_is_compared() {
        let mut reading = Reading::new(Some(Arc::new("x".repeat(100))), Mode::Lines, 10);
        (0..100).for_each(|_| reading.add(b"x"));
        reading.end();
        assert_eq!((reading.difference(), reading.text(), reading.kept.len()), (None, None, 10));
    }

    #[test]
    fn a_line_is_shown_to_its_end() {
        let reading = read("a b c\n", &[b"a x", b" y z \nmore"], Mode::Lines, 100);
        assert_eq!(reading.difference().map(|found| found.actual_line.as_str()), Some("a x y z"));
    }

    #[test]
    fn words_have_places() {
        let reading = read("a\nb 7.5\n", &[b"a\n", b"b  7.0\n"], Mode::Tokens(None), 100);
        let found = reading.difference().unwrap();
        assert_eq!((found.offset, found.line, found.column), (5, 2, 4));
        assert_eq!((found.expected_line.as_str(), found.actual_line.as_str()), ("7.5", "7.0"));
        let found =
            |text: &[u8]| read("a b", &[text], Mode::Tokens(None), 5).difference().map(|it| it.column);
        assert_eq!(found(b"a c d e f g"), Some(3));
        assert_eq!(found(b"a bcdefg"), None, "no more of this word is known");
        assert!(read("7.5", &[b"7.4999999"], Mode::Tokens(Some(1e-6)), 100).difference().is_none());
    }
}

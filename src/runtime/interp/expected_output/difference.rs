//! The first difference between two texts, and what is shown of it.

use super::mode::{Mode, is_blank};

/// The first difference between what was written and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<W> {
    /// Number of bytes that were written before it.
    pub offset: u64,
    /// Its line in what was written, from 1.
    pub line: u64,
    /// What is expected there; `None`: nothing more.
    pub expected: Option<char>,
    /// What was written there; `None`: nothing more.
    pub actual: Option<char>,
    pub excerpt: Excerpt,
    /// Whether the line has been written only so far.
    pub is_unfinished: bool,
    /// Number of bytes of the same write before it; `None` if nothing was written there.
    pub within: Option<u64>,
    /// What has written it; `None` if nothing has.
    pub by: Option<W>,
    /// What has made the write before that one.
    pub before: Option<W>,
}

/// The two lines with a difference, cut around it. Before it they are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The column of the difference in the lines, in characters, from 1.
    pub column: u64,
    /// How many characters of both lines are left out at their beginning.
    pub left_out: u64,
    pub expected: String,
    /// How many characters of the expected line are left out at its end.
    pub expected_more: u64,
    pub actual: String,
    /// How many characters of the written line are left out at its end.
    pub actual_more: u64,
}

impl<W> Difference<W> {
    /// This was written behind it.
    pub(super) fn goes_on(&mut self, text: &str, mode: Mode) {
        if !self.is_unfinished {
            return;
        }
        let (line, is_end) = text.split_once('\n').map_or((text, false), |(line, _)| (line, true));
        self.is_unfinished = !is_end;
        self.excerpt.add(line);
        if is_end {
            self.excerpt.ends(mode);
        }
    }
}

/// Maximum number of characters shown before a difference, and of those from it on.
const SHOWN: usize = 300;

impl Excerpt {
    /// The lines that begin alike, after `hidden` more characters, and go on differently.
    pub(super) fn new(alike: &str, hidden: u64, expected: &str, actual: &str) -> Excerpt {
        let length = alike.chars().count();
        let skipped = length.saturating_sub(SHOWN);
        let begin = alike.char_indices().nth(skipped).map_or(alike.len(), |(begin, _)| begin);
        let begin = alike.get(begin..).unwrap_or_default();
        let (expected, expected_more) = cut(expected, SHOWN);
        let (actual, actual_more) = cut(actual, SHOWN);
        Excerpt {
            column: length as u64 + hidden + 1,
            left_out: skipped as u64 + hidden,
            expected: format!("{begin}{expected}"),
            expected_more,
            actual: format!("{begin}{actual}"),
            actual_more,
        }
    }

    /// The written line has ended. What does not count at its end is not shown, unless it was left out.
    pub(super) fn ends(&mut self, mode: Mode) {
        if mode == Mode::Lines && self.actual_more == 0 {
            let begin =
                self.actual.char_indices().nth(self.alike()).map_or(self.actual.len(), |(begin, _)| begin);
            let rest = self.actual.get(begin..).unwrap_or_default();
            let length = rest.strip_suffix('\r').unwrap_or(rest).trim_end_matches(is_blank).len();
            self.actual.truncate(begin + length);
        }
    }

    /// Adds to the written line.
    fn add(&mut self, text: &str) {
        let end = self.alike() + SHOWN;
        let room = if self.actual_more > 0 { 0 } else { end.saturating_sub(self.actual.chars().count()) };
        let (shown, more) = cut(text, room);
        self.actual.push_str(shown);
        self.actual_more += more;
    }

    /// How many characters are shown before the difference.
    fn alike(&self) -> usize {
        (self.column - 1 - self.left_out) as usize
    }
}

/// The first characters of a text, and how many follow them.
fn cut(text: &str, most: usize) -> (&str, u64) {
    match text.char_indices().nth(most) {
        Some((end, _)) => {
            let (shown, more) = text.split_at_checked(end).unwrap_or((text, ""));
            (shown, more.chars().count() as u64)
        }
        None => (text, 0),
    }
}

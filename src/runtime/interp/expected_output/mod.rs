//! Compares what a program writes with a text that is expected, while it writes.
//!
//! The first difference is reported as soon as it is certain. In mode [`Lines`](Mode::Lines) a blank is so only when
//! something follows it in its line, and a line end at the end only when something follows it at all: until then they
//! are *open*. Neither text is kept a second time, however long its lines are.

mod difference;
mod expectation;
mod mode;
#[cfg(test)]
mod tests;

pub use difference::{Difference, Excerpt};
pub use expectation::Expectation;
use expectation::Expected;
pub use mode::Mode;
use mode::is_blank;

/// The comparison of what is written with what is expected. `W` says what has made a write.
#[derive(Debug)]
pub struct Comparison<W> {
    expected: Expected,
    /// Bytes of the expected text that have come.
    at: usize,
    /// Bytes that have come.
    come: u64,
    open: Open<W>,
    /// The last write, and the one before it.
    last: Option<Write<W>>,
    before: Option<Write<W>>,
    difference: Option<Difference<W>>,
    is_news: bool,
}

/// A write.
#[derive(Clone, Copy, Debug)]
struct Write<W> {
    by: W,
    /// Bytes that had come before.
    start: u64,
}

/// Where something has come.
#[derive(Clone, Copy, Debug)]
struct Arrived<W> {
    /// Bytes that had come before.
    offset: u64,
    /// Its write, and the one before that.
    write: Option<Write<W>>,
    before: Option<Write<W>>,
}

/// What has come and does not count if nothing follows.
#[derive(Debug)]
struct Open<W> {
    /// Line ends after the end of the expected text.
    lines: u64,
    /// Blanks after the last line end, or after the last character that counts.
    blanks: u64,
    /// How many of them are expected.
    matched: usize,
    /// The first one that is not.
    wrong: Option<Arrived<W>>,
    /// The blanks from that one on, as far as they are kept.
    kept: String,
    /// A `\r` that belongs to a line end if `\n` follows.
    carriage_return: Option<Arrived<W>>,
}

/// How many open blanks are kept to be shown.
const KEPT: usize = 1000;

impl<W> Default for Open<W> {
    fn default() -> Open<W> {
        Open { lines: 0, blanks: 0, matched: 0, wrong: None, kept: String::new(), carriage_return: None }
    }
}

impl<W: Copy> Comparison<W> {
    /// Nothing has come yet.
    pub fn new(expectation: &Expectation) -> Comparison<W> {
        Comparison {
            expected: Expected::new(expectation),
            at: 0,
            come: 0,
            open: Open::default(),
            last: None,
            before: None,
            difference: None,
            is_news: false,
        }
    }

    /// This was written. Returns whether that has made the first difference.
    pub fn write(&mut self, text: &str, by: W) -> bool {
        if let Some(difference) = &mut self.difference {
            difference.goes_on(text, self.expected.mode());
            return false;
        }
        if text.is_empty() {
            return false;
        }
        self.before = self.last.replace(Write { by, start: self.come });
        // Most writes are as they are expected.
        if self.open.is_empty() && self.expected.begins(self.at, text) {
            self.at += text.len();
            self.come += text.len() as u64;
            return false;
        }
        self.compare(text)
    }

    /// What was written last, which has come to here. Returns whether that has made the first difference.
    #[inline(never)]
    fn compare(&mut self, text: &str) -> bool {
        let mut rest = text;
        loop {
            let same = if self.open.is_empty() { self.expected.same_start(self.at, rest) } else { 0 };
            self.at += same;
            self.come += same as u64;
            if same == rest.len() {
                return false;
            }
            rest = rest.get(same..).unwrap_or_default();
            let Some(c) = rest.chars().next() else { return false };
            if self.take(c, rest) {
                return true;
            }
            self.come += c.len_utf8() as u64;
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }

    /// Nothing more will be written. Returns whether that has made the first difference.
    pub fn end(&mut self) -> bool {
        if let Some(difference) = &mut self.difference {
            difference.goes_on("\n", self.expected.mode());
            return false;
        }
        if let Some(arrived) = self.open.carriage_return.take()
            && self.counts('\r', arrived, ["\r", ""])
        {
            return true;
        }
        if self.expected.is_end(self.at) {
            return false;
        }
        self.open = Open::default();
        // The line end that is missing would not count at the end: what is missing is the line after it.
        self.at += self.expected.line_end(self.at).unwrap_or(0);
        self.differs(None, "", None)
    }

    /// The first difference, if there is one so far.
    pub fn difference(&self) -> Option<&Difference<W>> {
        self.difference.as_ref()
    }

    /// The first difference, if this has not returned it yet.
    pub fn take_news(&mut self) -> Option<&Difference<W>> {
        let is_news = std::mem::take(&mut self.is_news);
        self.difference.as_ref().filter(|_| is_news)
    }

    /// Whether [`Comparison::take_news`] would return something.
    pub fn has_news(&self) -> bool {
        self.is_news
    }

    /// Number of lines that have come as they are expected.
    pub fn matched_lines(&self) -> u64 {
        if let Some(difference) = &self.difference {
            return difference.line - 1;
        }
        let is_whole = self.at > 0 && self.expected.is_end(self.at) && !self.expected.ends_line(self.at);
        self.expected.lines_before(self.at) + u64::from(is_whole)
    }

    /// A character has come, at the beginning of `rest`. Returns whether that has made the first difference.
    fn take(&mut self, c: char, rest: &str) -> bool {
        let arrived = Arrived { offset: self.come, write: self.last, before: self.before };
        if self.expected.mode() == Mode::Exact {
            return self.counts(c, arrived, ["", rest]);
        }
        if let Some(before) = self.open.carriage_return.take()
            && c != '\n'
            && self.counts('\r', before, ["\r", rest])
        {
            return true;
        }
        match c {
            '\r' => self.open.carriage_return = Some(arrived),
            '\n' => return self.ends_line(arrived, rest),
            c if is_blank(c) => self.leaves_open(c, arrived),
            c => return self.counts(c, arrived, ["", rest]),
        }
        false
    }

    /// A blank has come.
    fn leaves_open(&mut self, c: char, arrived: Arrived<W>) {
        let open = &mut self.open;
        open.blanks += 1;
        if open.lines == 0 && open.wrong.is_none() {
            if self.expected.has_char(self.at + open.matched, c) {
                open.matched += 1;
                return;
            }
            open.wrong = Some(arrived);
        }
        if open.kept.len() < KEPT {
            open.kept.push(c);
        }
    }

    /// A line end has come.
    fn ends_line(&mut self, arrived: Arrived<W>, rest: &str) -> bool {
        let lines = self.open.lines;
        self.open = Open::default();
        if self.expected.is_end(self.at) {
            self.open.lines = lines + 1;
        } else if let Some(length) = self.expected.line_end(self.at) {
            self.at += length;
        } else {
            return self.differs(Some(arrived), rest, Some('\n'));
        }
        false
    }

    /// A character has come that counts whatever follows it, at the beginning of both texts together.
    fn counts(&mut self, c: char, arrived: Arrived<W>, rest: [&str; 2]) -> bool {
        if self.open.lines > 0 {
            return self.differs(Some(arrived), &rest.concat(), Some(c));
        }
        self.at += self.open.matched;
        if let Some(wrong) = self.open.wrong.take() {
            let Open { kept, blanks, matched, .. } = std::mem::take(&mut self.open);
            let forgotten = blanks - (matched + kept.len()) as u64;
            let first = kept.chars().next();
            let differs = self.differs(Some(wrong), &(kept + &rest.concat()), first);
            self.difference.iter_mut().for_each(|found| found.excerpt.actual_more += forgotten);
            return differs;
        }
        self.open = Open::default();
        if self.expected.has_char(self.at, c) {
            self.at += c.len_utf8();
            return false;
        }
        self.differs(Some(arrived), &rest.concat(), Some(c))
    }

    /// The first difference: this character has come there, at the beginning of `rest`; `None`: nothing has.
    fn differs(&mut self, arrived: Option<Arrived<W>>, rest: &str, actual: Option<char>) -> bool {
        let open = std::mem::take(&mut self.open);
        let before = (open.lines > 0).then_some((open.lines, open.blanks, open.kept.as_str()));
        let by = |write: Write<W>| write.by;
        let (offset, write, last) = match arrived {
            Some(Arrived { offset, write, before }) => (offset, write, before),
            None => (self.come, None, self.last),
        };
        self.difference = Some(Difference {
            offset,
            actual,
            within: write.map(|write| offset.saturating_sub(write.start)),
            by: write.map(by),
            before: last.map(by),
            ..self.expected.difference(self.at, before, rest)
        });
        self.is_news = true;
        true
    }
}

impl<W> Open<W> {
    fn is_empty(&self) -> bool {
        self.lines == 0 && self.blanks == 0 && self.carriage_return.is_none()
    }
}

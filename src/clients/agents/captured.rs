//! The output of a program, of which only beginning and end are kept.

use std::collections::VecDeque;

use serde::Serialize;

use super::answer::MAX_CHARS;
use ez_runtime::text::start_of;

/// How many bytes of the beginning and of the end are kept for an answer of [`MAX_CHARS`]; of longer ones, more.
const HEAD: usize = 1500;
const TAIL: usize = 800;

/// Maximum number of places of a text that is looked for in the output.
const MAX_FOUND: usize = 100_000;

/// The output of a program: beginning and end of both streams, in the order in which they were written.
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Most bytes of these two.
    room: (usize, usize),
    bytes: u64,
    search: Option<Search>,
}

impl Default for Captured {
    fn default() -> Captured {
        Captured { head: Vec::new(), tail: VecDeque::new(), room: (HEAD, TAIL), bytes: 0, search: None }
    }
}

/// Output as a part of a result.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The text; of long output beginning and end.
    pub text: String,
    /// How many bytes were written.
    pub bytes: u64,
    /// How many of them are not in the text.
    pub cut_bytes: u64,
}

/// A text that is looked for, and the numbers of the bytes at which it begins.
struct Search {
    text: Vec<u8>,
    /// The last bytes of the output, fewer than the text has.
    recent: Vec<u8>,
    found: Vec<u64>,
}

impl Captured {
    /// Keeps as much of the output that follows as belongs into an answer of `chars` characters.
    pub fn make_room(&mut self, chars: usize) {
        let chars = chars.max(MAX_CHARS);
        self.room = (HEAD * chars / MAX_CHARS, TAIL * chars / MAX_CHARS);
    }

    /// Looks for a text in the output that follows.
    pub fn look_for(&mut self, text: &str) {
        self.search = Some(Search { text: text.into(), recent: Vec::new(), found: Vec::new() });
    }

    /// The numbers of the bytes at which the text begins.
    pub fn found(&self) -> &[u64] {
        self.search.as_ref().map_or(&[], |search| &search.found)
    }

    /// Adds what the program has written.
    pub fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if let Some(search) = &mut self.search {
            search.add(bytes, self.bytes);
        }
        self.bytes += bytes.len() as u64;
        let (most, tail) = self.room;
        let room = most.saturating_sub(self.head.len());
        // From the first byte that does not fit, all others belong to the end.
        let room = if self.tail.is_empty() { start_of(text, room).len() } else { 0 };
        let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(head);
        self.tail.extend(rest.iter().skip(rest.len().saturating_sub(tail)));
        let excess = self.tail.len().saturating_sub(tail);
        self.tail.drain(..excess);
    }

    /// Forgets the output so far, and returns it.
    pub fn take(&mut self) -> Captured {
        let room = self.room;
        std::mem::replace(self, Captured { room, ..Captured::default() })
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes are not in [`Captured::text`].
    fn cut(&self) -> u64 {
        self.bytes - (self.head.len() + self.kept_tail().len()) as u64
    }

    fn kept_tail(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        // A character whose beginning is cut is cut as a whole.
        let start = tail.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
        String::from_utf8_lossy(tail.get(start..).unwrap_or_default()).into_owned()
    }

    /// The output. If it was too long, a line in the middle says how many bytes were cut.
    pub fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head).into_owned();
        match self.cut() {
            0 => head + &self.kept_tail(),
            cut => {
                let line_end = if head.ends_with('\n') { "" } else { "\n" };
                format!("{head}{line_end}… {cut} bytes cut …\n{}", self.kept_tail())
            }
        }
    }

    /// The output as a part of a result.
    pub fn output(&self) -> Output {
        Output { text: self.text(), bytes: self.bytes, cut_bytes: self.cut() }
    }
}

impl Search {
    fn add(&mut self, bytes: &[u8], before: u64) {
        let start = before - self.recent.len() as u64;
        self.recent.extend_from_slice(bytes);
        for at in memchr::memmem::find_iter(&self.recent, &self.text) {
            if self.found.len() < MAX_FOUND {
                self.found.push(start + at as u64);
            }
        }
        let done = self.recent.len().saturating_sub(self.text.len().saturating_sub(1));
        self.recent.drain(..done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pieces: &[&str]) -> Captured {
        let mut captured = Captured::default();
        pieces.iter().for_each(|piece| captured.add(piece));
        captured
    }

    #[test]
    fn short_output_is_whole() {
        assert_eq!(captured(&[]).output(), Output::default());
        let short = Output { text: "a\né".into(), bytes: 4, cut_bytes: 0 };
        assert_eq!(captured(&["a\n", "é"]).output(), short);
        let long = "é".repeat((HEAD + TAIL) / 2 - 1);
        assert_eq!(captured(&[&long]).text(), long);
    }

    #[test]
    fn long_output_keeps_its_ends() {
        let all: Vec<String> = (0..100_000).map(|line| format!("line {line} é\n")).collect();
        let pieces: Vec<&str> = all.iter().map(String::as_str).collect();
        let whole = pieces.concat();
        for captured in [captured(&pieces), captured(&[&whole])] {
            let text = captured.text();
            assert!(text.starts_with("line 0 é\n") && text.ends_with("line 99999 é\n"));
            assert!(text.len() < HEAD + TAIL + 100, "{text}");
            let kept: usize =
                text.split("…").step_by(2).map(|part| part.trim_start_matches('\n').len()).sum();
            // A line end is added if the beginning ends within a line.
            assert!((captured.bytes() - captured.cut()).abs_diff(kept as u64) <= 1);
        }
    }

    #[test]
    fn a_longer_answer_has_more_of_the_output() {
        let mut captured = Captured::default();
        captured.make_room(10 * MAX_CHARS);
        let text = "x".repeat(10 * (HEAD + TAIL));
        captured.add(&text);
        assert_eq!(captured.take().text(), text);
        captured.add(&text);
        captured.add("y");
        assert_eq!(captured.output().cut_bytes, 1);
        captured.take();
        captured.make_room(100);
        captured.add(&text);
        assert_eq!(captured.output().cut_bytes, (text.len() - HEAD - TAIL) as u64);
    }

    #[test]
    fn texts_are_found_across_pieces() {
        let mut captured = Captured::default();
        captured.look_for("aba");
        for piece in ["xab", "a", "", "b", "aaba"] {
            captured.add(piece);
        }
        // Of texts that overlap, the first counts within a piece; both do across pieces.
        assert_eq!(captured.found(), [1, 3, 6]);
    }
}

//! The end of the program's output, for showing which steps have printed it.

use std::collections::VecDeque;

use ez_runtime::text::start_of;
use ez_runtime::value::Stream;

/// Maximum number of lines kept, and of bytes of a line.
const MAX_LINES: usize = 1000;
const MAX_LINE: usize = 1000;

/// A line of output, or a part of one that the other stream has interrupted.
#[derive(Debug)]
struct PrintedLine {
    /// The number of its first byte, from 0, of both streams.
    offset: u64,
    stream: Stream,
    text: String,
    is_ended: bool,
}

/// The last lines that the program has printed.
#[derive(Debug, Default)]
pub struct PrintedLines {
    /// Bytes printed so far to both streams.
    length: u64,
    lines: VecDeque<PrintedLine>,
}

impl PrintedLines {
    /// The lines of a program that has printed this many bytes already.
    pub fn begin_at(length: u64) -> PrintedLines {
        PrintedLines { length, lines: VecDeque::new() }
    }

    /// Adds output of the program.
    pub fn add(&mut self, stream: Stream, text: &str) {
        for piece in text.split_inclusive('\n') {
            let offset = self.length;
            self.length += piece.len() as u64;
            let is_ended = piece.ends_with('\n');
            let piece = piece.strip_suffix('\n').unwrap_or(piece);
            match self.lines.back_mut() {
                Some(line) if !line.is_ended && line.stream == stream => {
                    line.is_ended = is_ended;
                    if line.text.len() < MAX_LINE {
                        line.text.push_str(piece);
                    }
                }
                _ => {
                    self.lines.push_back(PrintedLine { offset, stream, text: piece.into(), is_ended });
                    if self.lines.len() > MAX_LINES {
                        self.lines.pop_front();
                    }
                }
            }
        }
    }

    /// The last lines, at most `count`, of the first `length` bytes of output: the number of the first byte of
    /// each, and its text, of which what comes later is left out.
    pub fn last(&self, count: usize, length: u64) -> Vec<(u64, String)> {
        let printed = self.lines.iter().filter(|line| line.offset < length);
        let text = |line: &PrintedLine| {
            let most = usize::try_from(length - line.offset).unwrap_or(usize::MAX).min(MAX_LINE);
            start_of(&line.text, most).to_string()
        };
        let mut last: Vec<(u64, String)> =
            printed.rev().take(count).map(|line| (line.offset, text(line))).collect();
        last.reverse();
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_known_by_their_first_bytes() {
        let mut printed = PrintedLines::default();
        for (stream, text) in [
            (Stream::Stdout, "one\ntw"),
            (Stream::Stdout, "o\n\nth"),
            (Stream::Stderr, "oops\n"),
            (Stream::Stdout, "ée"),
        ] {
            printed.add(stream, text);
        }
        let all = [(0, "one"), (4, "two"), (8, ""), (9, "th"), (11, "oops"), (16, "ée")];
        let all = all.map(|(offset, text)| (offset, text.to_string()));
        assert_eq!(printed.last(10, 19), all);
        assert_eq!(printed.last(2, 11), all[2..4]);
        assert_eq!(printed.last(1, 17), [(16, String::new())], "not half a character");
        assert_eq!(printed.last(1, 5), [(4, "t".to_string())]);
        assert_eq!(printed.last(10, 0), []);
        printed.add(Stream::Stdout, &"x\n".repeat(5000));
        assert_eq!(printed.last(usize::MAX, u64::MAX).len(), MAX_LINES);
    }
}

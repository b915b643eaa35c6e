//! Splits a stream of bytes into lines.

/// Maximum length of a line in bytes.
pub const LIMIT: usize = 8 << 20;

/// A line without its line end.
pub type Line = Result<Vec<u8>, TooLong>;

/// A line longer than [`LIMIT`] bytes. Its contents are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// An incremental line splitter. Blank lines are dropped, and so is a byte order mark at the beginning, which
/// some shells write into pipes.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of an incomplete line.
    partial: Vec<u8>,
    /// Whether that line is too long, so that the rest of it is dropped.
    too_long: bool,
    /// Whether a byte has been received.
    begun: bool,
}

impl Lines {
    /// Consumes bytes and returns the lines that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut found = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(line) if self.partial.is_empty() && !self.too_long && line.len() <= LIMIT => {
                    found.extend(self.line(line).map(Ok));
                }
                Some(line) => {
                    self.keep(line);
                    found.extend(self.end());
                }
                None => self.keep(piece),
            }
        }
        found
    }

    /// The last line, if the stream ends without a line end.
    pub fn end(&mut self) -> Option<Line> {
        if std::mem::take(&mut self.too_long) {
            return Some(Err(TooLong));
        }
        let line = std::mem::take(&mut self.partial);
        self.line(&line).map(Ok)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.too_long || self.partial.len() + bytes.len() > LIMIT {
            self.too_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn line(&mut self, mut line: &[u8]) -> Option<Vec<u8>> {
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| line.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_come_in_any_pieces() {
        let text = "\u{feff}one\r\n\n  \r\ntwo\nthree";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut found: Vec<Line> = text.as_bytes().chunks(size).flat_map(|c| lines.feed(c)).collect();
            assert_eq!(found.len(), 2);
            found.extend(lines.end());
            assert_eq!(found, [Ok(b"one".to_vec()), Ok(b"two".to_vec()), Ok(b"three".to_vec())]);
            assert_eq!(lines.end(), None);
        }
    }

    #[test]
    fn a_line_too_long_is_refused_and_the_next_is_not() {
        let mut lines = Lines::default();
        let part = vec![b' '; LIMIT / 2 + 1];
        for _ in 0..3 {
            assert!(lines.feed(&part).is_empty());
        }
        let found = lines.feed(b"x\nnext\n");
        assert_eq!(found, [Err(TooLong), Ok(b"next".to_vec())]);
        // The same if it comes as a whole.
        let whole = [&b"x".repeat(LIMIT + 1)[..], b"\nnext\n"].concat();
        assert_eq!(Lines::default().feed(&whole), [Err(TooLong), Ok(b"next".to_vec())]);
        assert_eq!(Lines::default().feed(&whole[1..]).len(), 2);
        assert!(Lines::default().feed(&whole[1..]).iter().all(Result::is_ok));
    }

    proptest! {
        // invariant 8
        #[test]
        fn lines_do_not_depend_on_pieces(text in "[ab\r\n ]{0,60}", size in 1..50usize) {
            let mut lines = Lines::default();
            let mut found: Vec<Line> = text.as_bytes().chunks(size).flat_map(|c| lines.feed(c)).collect();
            found.extend(lines.end());
            let expected: Vec<Line> = text
                .split('\n')
                .map(|line| line.trim_ascii().as_bytes().to_vec())
                .filter(|line| !line.is_empty())
                .map(Ok)
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}

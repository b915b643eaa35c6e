//! Bytes to lines to commands.

use crate::protocol::Decoder;
use crate::session::{DecodeError, Incoming};

use super::decode::decode;

/// How long a line may be.
pub const LIMIT: usize = 8 << 20;

/// Finds lines in what is read.
#[derive(Debug, Default)]
pub struct LineDecoder {
    /// Beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Whether that line is too long: the rest of it is dropped.
    too_long: bool,
    /// Whether the first line has come.
    begun: bool,
}

impl LineDecoder {
    fn keep(&mut self, bytes: &[u8]) {
        if self.too_long || self.partial.len() + bytes.len() > LIMIT {
            self.too_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn complete(&mut self) -> Option<Incoming> {
        if std::mem::take(&mut self.too_long) {
            let message = format!("line too long (limit: {LIMIT} bytes)");
            return Some(Incoming { command: Err(DecodeError { message, command: None }), tag: None });
        }
        let line = std::mem::take(&mut self.partial);
        self.line(&line)
    }

    fn line(&mut self, mut line: &[u8]) -> Option<Incoming> {
        if !std::mem::replace(&mut self.begun, true) {
            // Some shells put a byte order mark before what they pipe.
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        let line = line.trim_ascii();
        (!line.is_empty()).then(|| decode(line))
    }
}

impl Decoder for LineDecoder {
    fn feed(&mut self, bytes: &[u8]) -> Vec<Incoming> {
        let mut found = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(line) if self.partial.is_empty() && !self.too_long => found.extend(self.line(line)),
                Some(line) => {
                    self.keep(line);
                    found.extend(self.complete());
                }
                None => self.keep(piece),
            }
        }
        found
    }

    fn end(&mut self) -> Vec<Incoming> {
        self.complete().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session::Command;

    const PAUSE: &str = r#"{"type":"command","command":"pause"}"#;

    fn pauses(found: &[Incoming]) -> usize {
        found.iter().filter(|i| i.command == Ok(Command::Pause)).count()
    }

    #[test]
    fn lines_come_in_any_pieces() {
        let text = format!("\u{feff}{PAUSE}\r\n\n  \r\n{PAUSE}\n{PAUSE}");
        for size in 1..text.len() {
            let mut decoder = LineDecoder::default();
            let mut found: Vec<Incoming> =
                text.as_bytes().chunks(size).flat_map(|c| decoder.feed(c)).collect();
            assert_eq!(pauses(&found), 2);
            found.extend(decoder.end());
            assert_eq!((pauses(&found), found.len()), (3, 3));
            assert!(decoder.end().is_empty());
        }
    }

    #[test]
    fn a_line_too_long_is_refused_and_the_next_is_not() {
        let mut decoder = LineDecoder::default();
        let part = vec![b' '; LIMIT / 2 + 1];
        assert!(decoder.feed(&part).is_empty());
        assert!(decoder.feed(&part).is_empty());
        assert!(decoder.feed(&part).is_empty());
        let found = decoder.feed(format!("{PAUSE}\n{PAUSE}\n").as_bytes());
        let refusal = found[0].command.clone().unwrap_err();
        assert_eq!(refusal.message, "line too long (limit: 8388608 bytes)");
        assert_eq!(pauses(&found), 1);
    }

    proptest! {
        #[test]
        fn whatever_comes_is_a_command_or_an_error(
            lines in prop::collection::vec("[^\n]{0,40}|[{\\[]?\"(type|command|params)\":[^\n]{0,20}[}\\]]?", 0..9),
            size in 1..50usize,
        ) {
            let text = lines.join("\n");
            let mut decoder = LineDecoder::default();
            let mut found = 0;
            for chunk in text.as_bytes().chunks(size) {
                found += decoder.feed(chunk).len();
            }
            found += decoder.end().len();
            let wanted = text.lines().filter(|line| !line.trim_ascii().is_empty()).count();
            prop_assert!(found <= wanted + 1, "{found} of {wanted}");
        }

        #[test]
        fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut decoder = LineDecoder::default();
            decoder.feed(&bytes);
            decoder.end();
        }
    }
}

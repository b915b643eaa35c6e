//! Splits a stream of bytes into messages: header lines up to an empty line, then as many bytes as
//! `Content-Length` says.

/// Maximum size of a message in bytes, where the reader does not say another one.
const LIMIT: u64 = 8 * 1024 * 1024;

/// A message that is too long is skipped; but a length above this one is taken for an error, so that it
/// does not make the adapter ignore all that follows.
const NOISE: u64 = 256 * 1024 * 1024;

/// How many bytes of a header line are kept.
const LINE_LIMIT: usize = 4096;

const LENGTH: &[u8] = b"content-length:";

/// An item found in the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The body of a message.
    Message(Vec<u8>),
    /// Bytes that are not a valid message, with a description of the error.
    Wrong(String),
}

/// What the next byte belongs to.
#[derive(Debug)]
enum State {
    /// The header: the last bytes of its incomplete line, `Content-Length` if it has been seen, and whether something has
    /// that is no header.
    Headers { line: Vec<u8>, length: Option<u64>, has_noise: bool },
    /// The body: what has been received, and its total length.
    Body { bytes: Vec<u8>, length: usize },
    /// A body that is too long: how many bytes of it are still to be skipped.
    Skip(u64),
}

/// An incremental parser: accepts pieces of any size.
#[derive(Debug)]
pub struct Framing {
    state: State,
    limit: u64,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing::with_limit(LIMIT)
    }
}

impl State {
    fn headers() -> State {
        State::Headers { line: Vec::new(), length: None, has_noise: false }
    }
}

impl Framing {
    /// Takes messages of at most this many bytes. Memory is used for what has come, not for what is announced.
    pub fn with_limit(limit: u64) -> Framing {
        Framing { state: State::headers(), limit }
    }

    /// Consumes bytes and returns the items that they complete.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            bytes = self.step(bytes, &mut found);
        }
        found
    }

    /// Consumes bytes up to the end of the present header line or body; returns the rest.
    fn step<'a>(&mut self, bytes: &'a [u8], found: &mut Vec<Frame>) -> &'a [u8] {
        match &mut self.state {
            State::Headers { line, length, has_noise } => {
                let end = memchr::memchr(b'\n', bytes);
                let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                line.extend_from_slice(part);
                let Some(rest) = rest.get(1..).filter(|_| end.is_some()) else {
                    let excess = line.len().saturating_sub(LINE_LIMIT);
                    line.drain(..excess);
                    return rest;
                };
                let whole = std::mem::take(line);
                let text = whole.trim_ascii();
                *has_noise |= is_noise(text);
                if !text.is_empty() {
                    match header(text) {
                        Some(Ok(said)) => *length = Some(said),
                        Some(Err(why)) => found.push(Frame::Wrong(why)),
                        None => {}
                    }
                    return rest;
                }
                if std::mem::take(has_noise) {
                    found.push(Frame::Wrong("what came before this is no message".into()));
                }
                if let Some(length) = length.take() {
                    self.begin(length, found);
                }
                rest
            }
            State::Body { bytes: body, length } => {
                let (part, rest) = bytes.split_at(bytes.len().min(*length - body.len()));
                body.extend_from_slice(part);
                if body.len() == *length {
                    found.push(Frame::Message(std::mem::take(body)));
                    self.state = State::headers();
                }
                rest
            }
            State::Skip(left) => {
                let skipped = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= skipped as u64;
                if *left == 0 {
                    self.state = State::headers();
                }
                bytes.get(skipped..).unwrap_or_default()
            }
        }
    }

    /// The header is complete.
    fn begin(&mut self, length: u64, found: &mut Vec<Frame>) {
        match usize::try_from(length) {
            Ok(0) => found.push(Frame::Message(Vec::new())),
            Ok(length) if length as u64 <= self.limit => {
                self.state = State::Body { bytes: Vec::new(), length };
            }
            _ => {
                found.push(Frame::Wrong(format!(
                    "message too long: {length} bytes (limit: {} bytes)",
                    self.limit
                )));
                if length <= NOISE {
                    self.state = State::Skip(length);
                }
            }
        }
    }
}

/// Whether a line is no header: something may have been lost.
fn is_noise(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    !line.is_empty()
        && (name.len() == line.len() || !name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-'))
}

/// The value of a `Content-Length` line; `None` for other lines. Bytes before the name are ignored: they can
/// be the rest of a message that was not understood.
fn header(line: &[u8]) -> Option<Result<u64, String>> {
    let at = line.windows(LENGTH.len()).rposition(|part| part.eq_ignore_ascii_case(LENGTH))?;
    let value = line.get(at + LENGTH.len()..).unwrap_or_default().trim_ascii();
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let wrong = || format!("wrong Content-Length: {}", String::from_utf8_lossy(value));
    Some(match digits {
        Some(text) if !text.is_empty() => Ok(text.parse().unwrap_or(u64::MAX)),
        _ => Err(wrong()),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    fn read(text: &str) -> Vec<Frame> {
        Framing::default().feed(text.as_bytes())
    }

    fn message(text: &str) -> Frame {
        Frame::Message(text.into())
    }

    #[test]
    fn headers_may_be_many_and_of_any_case() {
        let text = format!("Content-Type: x\r\ncontent-length:  2 \n\n{{}}{}", framed("[1]"));
        assert_eq!(read(&text), [message("{}"), message("[1]")]);
        assert_eq!(read(&framed("")), [message("")]);
    }

    #[test]
    fn messages_are_found_behind_noise() {
        let good = framed("{}");
        for noise in ["garbage", "garbage\r\n\r\n", "{\"a\":1}", "\n\n\n", "a: b\r\n\r\n", "\u{0}\u{1}é"] {
            assert_eq!(read(&format!("{noise}{good}")).last(), Some(&message("{}")), "{noise:?}");
        }
        for length in ["", "-1", "x", "1e3", "99999999999", "99999999999999999999999999999"] {
            let read = read(&format!("Content-Length: {length}\r\n\r\n{good}"));
            assert!(matches!(read.as_slice(), [Frame::Wrong(_), Frame::Message(_)]), "{length}: {read:?}");
        }
        let long = "x".repeat(LIMIT as usize + 1);
        let text = format!("{}{good}", framed(&long));
        assert_eq!(read(&text).last(), Some(&message("{}")));
        assert_eq!(read(&text).len(), 2);
        assert_eq!(Framing::with_limit(1 << 30).feed(text.as_bytes()).len(), 2);
    }

    #[test]
    fn noise_is_told() {
        let good = framed("{}");
        for noise in ["garbage\r\n", "{\"a\":1}\r\n\r\n", "{\"a\":1}", "Content-Length 3\r\n\r\n"] {
            let read = read(&format!("{noise}{good}"));
            assert!(matches!(read.as_slice(), [Frame::Wrong(_), Frame::Message(_)]), "{noise:?}: {read:?}");
        }
        for header in ["\r\n\r\n", "Content-Type: a\r\n"] {
            assert_eq!(read(&format!("{header}{good}")), [message("{}")]);
        }
    }

    proptest! {
        #[test]
        fn messages_do_not_depend_on_pieces(
            bodies in proptest::collection::vec("[a-z{}\"\r\né]{0,20}", 0..5),
            noise in "[a-zC:\r\n]{0,10}",
            sizes in proptest::collection::vec(1..20usize, 1..20),
        ) {
            let text: String = bodies.iter().map(|body| framed(body) + if body.len() % 2 == 0 { "" } else { &noise }).collect();
            let whole = read(&text);
            let mut framing = Framing::default();
            let (mut rest, mut found, mut sizes) = (text.as_bytes(), Vec::new(), sizes.into_iter().cycle());
            while !rest.is_empty() {
                let (part, tail) = rest.split_at(rest.len().min(sizes.next().unwrap()));
                found.extend(framing.feed(part));
                rest = tail;
            }
            prop_assert_eq!(found, whole);
        }
    }
}

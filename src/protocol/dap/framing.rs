//! Messages in a stream of bytes: headers that end with a blank line, then as many bytes as
//! `Content-Length` says.

/// How long a message may be, in bytes.
const LIMIT: u64 = 8 * 1024 * 1024;

/// Messages that are longer than [`LIMIT`] are passed over; what claims to be longer than this is taken for
/// noise instead, so that a length that is wrong does not swallow all that follows.
const NOISE: u64 = 256 * 1024 * 1024;

/// How many bytes of a header line are looked at.
const LINE_LIMIT: usize = 4096;

const LENGTH: &[u8] = b"content-length:";

/// What was found in the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// Something that is no message: what is wrong with it.
    Wrong(String),
}

/// What is being read.
#[derive(Debug)]
enum State {
    /// Headers. Of a line that has not ended yet, the last bytes; what the headers so far say of the
    /// length.
    Headers { line: Vec<u8>, length: Option<u64> },
    /// A message, and how many bytes it has in all.
    Body { bytes: Vec<u8>, length: usize },
    /// A message that is too long, and how many bytes of it are still to come.
    Skip(u64),
}

/// Finds messages in bytes that come in pieces of any size.
#[derive(Debug)]
pub struct Framing {
    state: State,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { state: State::headers() }
    }
}

impl State {
    fn headers() -> State {
        State::Headers { line: Vec::new(), length: None }
    }
}

impl Framing {
    /// What the next bytes complete.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            bytes = self.step(bytes, &mut found);
        }
        found
    }

    /// Takes bytes up to the next end of something; gives the rest.
    fn step<'a>(&mut self, bytes: &'a [u8], found: &mut Vec<Frame>) -> &'a [u8] {
        match &mut self.state {
            State::Headers { line, length } => {
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
                if !text.is_empty() {
                    match header(text) {
                        Some(Ok(said)) => *length = Some(said),
                        Some(Err(why)) => found.push(Frame::Wrong(why)),
                        None => {}
                    }
                } else if let Some(length) = length.take() {
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

    /// The headers have ended.
    fn begin(&mut self, length: u64, found: &mut Vec<Frame>) {
        match usize::try_from(length) {
            Ok(0) => found.push(Frame::Message(Vec::new())),
            Ok(length) if length as u64 <= LIMIT => {
                self.state = State::Body { bytes: Vec::new(), length };
            }
            _ => {
                found.push(Frame::Wrong(format!("message too long: {length} bytes (limit: {LIMIT} bytes)")));
                if length <= NOISE {
                    self.state = State::Skip(length);
                }
            }
        }
    }
}

/// What a line says of the length: `None` for a line that is about something else. What stands before the
/// header is the rest of something that was not understood.
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

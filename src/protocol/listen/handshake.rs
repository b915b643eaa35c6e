//! The first message of a client on a socket: detects the protocol and checks the token.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

use ez_engine::api::{Failure, FailureKind};

use crate::protocol::dap::{self, HandshakeResult};
use crate::protocol::detect::{detecting, first_line};
use crate::protocol::json::parse_bytes;
use crate::protocol::{Messages, Received, SharedFrontEnd, ez, native, rpc};
use ez_runtime::clock::Instant;

use super::Envelope;
use super::gate::{Admission, Refused, TokenGate};
use super::hub::Purpose;
use super::newcomers::Registration;
use super::refusal::refuse;

/// How long a client may take to show the token.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long requests that configure a session wait for `launch` or `attach` before they are refused: a client
/// may send them first, but if it waits for their responses, it has to learn that it waits in vain.
const CONFIGURING: Duration = Duration::from_secs(1);

/// Maximum size of what comes before the token, in bytes: the first command, or, of an editor, what it configures before
/// `launch` or `attach`, which is kept decoded until then.
const FIRST: usize = 1 << 20;
const CONFIGURATION: usize = 128 << 10;

/// Error for a client that takes too long.
const TOO_LATE: &str = "the first command must arrive within ten seconds";

/// A client that has been admitted.
pub struct Admitted {
    pub front_end: SharedFrontEnd,
    /// What its front end has decoded so far.
    pub received: Vec<Received>,
    /// Whether its first request is [`SessionRequest::Attach`](ez_engine::api::SessionRequest::Attach).
    pub attaches: bool,
    pub purpose: Purpose,
    /// What its token says.
    pub admission: Admission,
}

/// Reads from a client before its admission, with a time limit.
struct Waiting<'a> {
    stream: &'a TcpStream,
    registration: &'a Registration,
    until: Instant,
    buffer: Vec<u8>,
}

impl Waiting<'_> {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// The next bytes: `None` at the end of the stream, empty when the client's time or `limit` is over.
    fn read(&mut self, limit: Duration) -> Option<&[u8]> {
        let left = self.left().min(limit);
        if left.is_zero() {
            return Some(&[]);
        }
        self.stream.set_read_timeout(Some(left)).ok()?;
        let mut stream = self.stream;
        loop {
            match stream.read(&mut self.buffer) {
                Ok(0) => return None,
                Ok(count) => return self.buffer.get(..count),
                Err(error) => match error.kind() {
                    std::io::ErrorKind::Interrupted => {}
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => return Some(&[]),
                    _ => return None,
                },
            }
        }
    }

    /// Keeps back the answer to a client that is refused. Returns whether it is still connected: there may have come so
    /// many others that it was closed.
    fn keep_back(&mut self, pause: Duration) -> bool {
        self.registration.refuse();
        self.until = Instant::now() + pause;
        while !self.left().is_zero() {
            if self.read(pause).is_none() {
                return false;
            }
        }
        true
    }
}

/// The failure with which a client that is not admitted is answered.
fn bad(why: &str) -> Failure {
    Failure::new(FailureKind::BadRequest, why)
}

/// Reads until the client has shown the token. Returns `None` if it was refused.
pub fn open(
    stream: &TcpStream,
    fixed: Option<Envelope>,
    gate: &TokenGate,
    registration: &Registration,
) -> Option<Admitted> {
    // A client that does not read its responses is not waited for any longer.
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let mut waiting =
        Waiting { stream, registration, until: Instant::now() + PATIENCE, buffer: vec![0; 16 * 1024] };
    let mut begun = Vec::new();
    let envelope = loop {
        if let Some(guessed) = guess(&begun) {
            break fixed.unwrap_or(guessed);
        }
        match waiting.read(PATIENCE)? {
            [] => break fixed.unwrap_or(Envelope::Ez),
            bytes => begun.extend_from_slice(bytes),
        }
    };
    let is_json = begun.trim_ascii_start().starts_with(b"{");
    match envelope {
        // An `ez` comes in whatever the protocol of others is.
        Envelope::Dap if is_json => open_lines(waiting, begun, fixed, gate),
        Envelope::Dap => open_dap(waiting, &begun, gate),
        Envelope::Ez | Envelope::JsonRpc => open_lines(waiting, begun, fixed, gate),
    }
}

/// Guesses the protocol by the first bytes: a header line, or JSON.
fn guess(begun: &[u8]) -> Option<Envelope> {
    let first = begun.trim_ascii_start().first()?;
    Some(if first.eq_ignore_ascii_case(&b'c') { Envelope::Dap } else { Envelope::Ez })
}

fn open_lines(
    mut waiting: Waiting,
    mut begun: Vec<u8>,
    fixed: Option<Envelope>,
    gate: &TokenGate,
) -> Option<Admitted> {
    let mut front_end = match fixed {
        Some(Envelope::JsonRpc) => rpc::front_end(),
        Some(Envelope::Ez) => ez::front_end(),
        Some(Envelope::Dap) | None => detecting(),
    };
    let line = loop {
        if let Some(line) = first_line(&begun, false) {
            break line.to_vec();
        }
        match waiting.read(PATIENCE)? {
            [] => {
                // Makes an error response possible: completes a line that was begun, or stands for one.
                let missing: &[u8] = if begun.trim_ascii().is_empty() { b"{}\n" } else { b"\n" };
                let received = front_end.lock().receive(missing);
                refuse(waiting.stream, &front_end, &received, bad(TOO_LATE));
                return None;
            }
            bytes => begun.extend_from_slice(bytes),
        }
        if begun.len() > FIRST {
            // Makes an error response possible.
            let received = front_end.lock().receive(b"{}\n");
            let why = format!("the first command must not be longer than {FIRST} bytes");
            refuse(waiting.stream, &front_end, &received, bad(&why));
            return None;
        }
    };
    let first = first_command(&line);
    let is_native = first.as_ref().is_some_and(|first| native::version(first).is_some());
    if fixed == Some(Envelope::Dap) && !is_native {
        return open_dap(waiting, &begun, gate);
    }
    let token = first.as_ref().and_then(|command| command.get("params")?.get("token")?.as_str());
    let admission = match gate.admit(token) {
        Ok(admission) => admission,
        Err(Refused { why, pause }) => {
            if waiting.keep_back(pause) {
                let received = front_end.lock().receive(&line);
                refuse(waiting.stream, &front_end, &received, bad(why));
            }
            return None;
        }
    };
    if is_native {
        front_end = native::front_end();
    }
    let name = first.as_ref().and_then(|command| command.get("command").or(command.get("method"))?.as_str());
    let attaches = name == Some("attach");
    let purpose = match name {
        Some("attach") => Purpose::Attach,
        Some("initialize") => Purpose::Launch,
        _ => Purpose::Other,
    };
    let received = front_end.lock().receive(&begun);
    // If the first command is wrong, it is answered, and what was kept is sent at once.
    let attaches =
        attaches && matches!(received.first(), Some(Received::Message(first)) if first.request.is_ok());
    Some(Admitted { front_end, received, attaches, purpose, admission })
}

/// The first command in a line.
fn first_command(line: &[u8]) -> Option<Value> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    match parse_bytes(line).ok()? {
        Value::Array(commands) => commands.into_iter().next(),
        command => Some(command),
    }
}

/// Sends a client its last messages. One that does not read them is not waited for.
fn send_last(mut stream: &TcpStream, out: &Messages) {
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = stream.write_all(out.bytes());
    let _ = stream.shutdown(Shutdown::Both);
}

fn open_dap(mut waiting: Waiting, begun: &[u8], gate: &TokenGate) -> Option<Admitted> {
    let mut opening = dap::Handshake::default();
    let mut out = Messages::default();
    let mut size = begun.len();
    let mut step = opening.feed(begun, &mut out);
    loop {
        if size > CONFIGURATION && !matches!(step, HandshakeResult::Token { .. }) {
            step = HandshakeResult::Wrong(format!(
                "more than {CONFIGURATION} bytes came before the token: send 'launch' or 'attach' first"
            ));
        }
        let mut stream = waiting.stream;
        stream.write_all(out.bytes()).ok()?;
        out.clear();
        match step {
            HandshakeResult::More => {}
            HandshakeResult::Token { token, attaches } => {
                let admission = match gate.admit(token.as_deref()) {
                    Ok(admission) => admission,
                    Err(Refused { why, pause }) => {
                        if waiting.keep_back(pause) {
                            opening.deny(why, &mut out);
                            send_last(stream, &out);
                        }
                        return None;
                    }
                };
                let (front_end, received) = opening.request();
                let purpose = if attaches { Purpose::Attach } else { Purpose::Launch };
                let attaches = attaches && matches!(received.first(), Some(Received::Message(_)));
                return Some(Admitted { front_end, received, attaches, purpose, admission });
            }
            HandshakeResult::Left => {
                let _ = stream.shutdown(Shutdown::Both);
                return None;
            }
            HandshakeResult::Wrong(why) => {
                opening.refuse(&why, &mut out);
                send_last(stream, &out);
                return None;
            }
        }
        let limit = if opening.holds() { CONFIGURING } else { PATIENCE };
        let is_last = waiting.left() <= limit;
        step = match waiting.read(limit)? {
            [] if is_last => HandshakeResult::Wrong(TOO_LATE.into()),
            [] => {
                opening.refuse_held(&mut out);
                HandshakeResult::More
            }
            bytes => {
                size += bytes.len();
                opening.feed(bytes, &mut out)
            }
        };
    }
}

//! The debug API as it is, for `ez debug` as a client of a child process: both are the same program.
//!
//! The first line is an `attach` command of the EZ debug protocol with the parameter `native`, the version of the
//! program; all other lines, in both directions, are binary messages in Base64.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::api::{Attach, Event, Failure, FailureKind, Request, RequestId, Response};
use crate::session::{Incoming, Item};
use crate::sync::Mutex;
use crate::threads;
use crate::value::Stream;

use super::lines::Lines;
use super::{FrontEnd, Messages, Received, SharedFrontEnd};

/// The version of the messages, which is that of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A message to the client.
#[derive(Serialize, Deserialize)]
enum ToClient {
    Response(RequestId, Box<Result<Response, Failure>>),
    Event(Box<Event>),
    Output(Stream, String),
}

/// A request, with its number.
#[derive(Serialize, Deserialize)]
struct Asked(RequestId, Request);

/// A front end for a client that has the same version.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(NativeFrontEnd::default()))
}

#[derive(Default)]
struct NativeFrontEnd {
    lines: Lines,
    /// Whether the first line has come.
    is_open: bool,
}

impl FrontEnd for NativeFrontEnd {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        let lines = self.lines.feed(bytes);
        lines.into_iter().filter_map(|line| self.message(&line.ok()?)).collect()
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        Vec::new()
    }

    fn response(&mut self, id: RequestId, result: &Result<Response, Failure>, out: &mut Messages) {
        add(out, &ToClient::Response(id, Box::new(result.clone())));
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        add(out, &ToClient::Event(Box::new(event.clone())));
    }

    fn output(&mut self, stream: Stream, text: &str, out: &mut Messages) {
        add(out, &ToClient::Output(stream, text.to_string()));
    }
}

impl NativeFrontEnd {
    fn message(&mut self, line: &[u8]) -> Option<Received> {
        if !std::mem::replace(&mut self.is_open, true) {
            let request = Ok(Request::Attach(Box::<Attach>::default()));
            return Some(Received::Message(Incoming { id: ATTACH, request }));
        }
        let Asked(id, request) = decoded(line)?;
        Some(Received::Message(Incoming { id, request: Ok(request) }))
    }
}

/// The number of the first request.
const ATTACH: RequestId = RequestId(0);

fn encoded(message: &impl Serialize) -> Option<Vec<u8>> {
    // With the function that messages of workers are written with: another one would compile all encoding once more.
    let mut line = STANDARD_NO_PAD.encode(postcard::to_extend(message, Vec::new()).ok()?).into_bytes();
    line.push(b'\n');
    Some(line)
}

fn decoded<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    postcard::from_bytes(&STANDARD_NO_PAD.decode(line.trim_ascii()).ok()?).ok()
}

fn add(out: &mut Messages, message: &ToClient) {
    if let Some(line) = encoded(message) {
        out.add(|bytes| bytes.extend_from_slice(&line));
    }
}

/// The client's side of a connection.
#[derive(Clone)]
pub struct NativeClient(Arc<TcpStream>);

impl NativeClient {
    /// Attaches to the session at `host` and `port`. `receive` gets what the session sends, on a thread of its
    /// own, and `None` when the connection has ended.
    ///
    /// # Errors
    /// If the session cannot be reached.
    pub fn attach(
        (host, port): (&str, u16),
        token: &str,
        mut receive: impl FnMut(Option<Item>) + Send + 'static,
    ) -> std::io::Result<NativeClient> {
        let stream = TcpStream::connect((host, port))?;
        let _ = stream.set_nodelay(true);
        let first =
            json!({"type": "command", "command": "attach", "params": {"token": token, "native": VERSION}});
        (&stream).write_all(format!("{first}\n").as_bytes())?;
        let mut lines = BufReader::new(stream.try_clone()?);
        let read = move || {
            while let Some(item) = next_item(&mut lines) {
                receive(Some(item));
            }
            receive(None);
        };
        threads::spawn("child", read)?;
        Ok(NativeClient(Arc::new(stream)))
    }

    /// Sends a request; its number is more than 0.
    pub fn send(&self, id: RequestId, request: Request) {
        if let Some(line) = encoded(&Asked(id, request)) {
            // The end of the connection is noticed by its reader.
            let _ = (&*self.0).write_all(&line);
        }
    }
}

/// The next item that the session sends; `None` at the end.
fn next_item(lines: &mut BufReader<impl Read>) -> Option<Item> {
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line).ok()?;
    Some(match decoded(&line)? {
        ToClient::Response(id, result) => Item::Response(id, *result),
        ToClient::Event(event) => Item::Event(*event),
        ToClient::Output(stream, text) => Item::Output { stream, text },
    })
}

/// Why a client is refused that has another version, if it has.
pub fn refusal(version: &str) -> Option<Failure> {
    let why = || format!("wrong parameter 'native': this is ez {VERSION}");
    (version != VERSION).then(|| Failure::new(FailureKind::BadRequest, why()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_lines_and_nothing_else_is_one() {
        let mut front_end = NativeFrontEnd::default();
        let first = front_end.receive(b"{\"type\":\"command\"}\n");
        let attach = Request::Attach(Box::default());
        assert_eq!(first, [Received::Message(Incoming { id: ATTACH, request: Ok(attach) })]);
        let request = Asked(RequestId(7), Request::Pause);
        let mut line = encoded(&request).unwrap();
        line.extend_from_slice(b"nonsense\n\n");
        let (one, two) = line.split_at(3);
        assert!(front_end.receive(one).is_empty());
        let expected = Incoming { id: RequestId(7), request: Ok(Request::Pause) };
        assert_eq!(front_end.receive(two), [Received::Message(expected)]);
        let mut out = Messages::default();
        front_end.event(&Event::Log("a\n".into()), &mut out);
        front_end.output(Stream::Stderr, "b", &mut out);
        let mut lines = BufReader::new(out.bytes());
        assert_eq!(next_item(&mut lines), Some(Item::Event(Event::Log("a\n".into()))));
        let output = Item::Output { stream: Stream::Stderr, text: "b".into() };
        assert_eq!(next_item(&mut lines), Some(output));
        assert_eq!(next_item(&mut lines), None);
        assert!(refusal(VERSION).is_none() && refusal("0").is_some());
    }
}

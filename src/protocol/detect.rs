//! Detects the protocol of a client by its first line.

use std::sync::Arc;

use serde_json::Value;

use ez_engine::api::{Event, Failure, OutputSource, RequestNumber, Response};
use ez_runtime::sync::Mutex;

use super::ez::EzFrontEnd;
use super::json::parse_bytes;
use super::lines::LIMIT;
use super::native::{self, NativeFrontEnd};
use super::rpc::RpcFrontEnd;
use super::{FrontEnd, Messages, Received, SharedFrontEnd};

/// A front end for JSON-RPC 2.0 if the client's first line is such a message, for the debug API as it is if the client
/// is an `ez` that says so, else for the EZ debug protocol.
pub fn detecting() -> SharedFrontEnd {
    Arc::new(Mutex::new(Detecting::default()))
}

#[derive(Default)]
struct Detecting {
    /// The bytes received before the decision.
    before: Vec<u8>,
    front_end: Option<Box<dyn FrontEnd>>,
}

impl Detecting {
    /// The front end in use. If none has been chosen yet, that of the EZ debug protocol is.
    fn decided(&mut self) -> &mut dyn FrontEnd {
        &mut **self.front_end.get_or_insert_with(|| Box::new(EzFrontEnd::default()))
    }

    /// Chooses a front end if the first line is complete, and returns what that makes of the bytes so far.
    fn decide(&mut self, ended: bool) -> Vec<Received> {
        let Some(line) = first_line(&self.before, ended) else { return Vec::new() };
        self.front_end = front_end_for(line);
        let all = std::mem::take(&mut self.before);
        self.decided().receive(&all)
    }
}

/// The first line that is not blank, once it is complete or too long; `ended`: no more bytes will come.
pub(super) fn first_line(bytes: &[u8], ended: bool) -> Option<&[u8]> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    (line.ends_with(b"\n") || ended || line.len() > LIMIT).then_some(line)
}

/// The front end for a client whose first line this is: if it is a JSON-RPC message or batch, or that of an `ez`; `None`
/// for any other.
fn front_end_for(line: &[u8]) -> Option<Box<dyn FrontEnd>> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let is_message = |value: &Value| value.get("jsonrpc").is_some();
    match parse_bytes(line).ok()? {
        value if native::version(&value).is_some() => Some(Box::new(NativeFrontEnd::default())),
        Value::Array(all) if all.iter().any(is_message) => Some(Box::new(RpcFrontEnd::default())),
        value if is_message(&value) => Some(Box::new(RpcFrontEnd::default())),
        _ => None,
    }
}

impl FrontEnd for Detecting {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        if let Some(front_end) = &mut self.front_end {
            return front_end.receive(bytes);
        }
        self.before.extend_from_slice(bytes);
        self.decide(false)
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        let mut received = match self.front_end {
            Some(_) => Vec::new(),
            None => self.decide(true),
        };
        received.extend(self.decided().end_of_input());
        received
    }

    fn follow_up(&mut self) -> Vec<Received> {
        self.front_end.as_mut().map(|front_end| front_end.follow_up()).unwrap_or_default()
    }

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        self.decided().response(id, result, out);
    }

    fn reply(&mut self, id: RequestNumber, out: &mut Messages) {
        self.decided().reply(id, out);
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        self.decided().event(event, out);
    }

    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages) {
        self.decided().output(source, text, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_decides() {
        let others = [
            "{\"params\":{\"native\":\"1\"}}",
            "{\"jsonrpc\":\"2.0\"}",
            "\u{feff}{\"jsonrpc\":1}",
            "[1,{\"jsonrpc\":\"2.0\"}]",
        ];
        for line in others {
            assert!(front_end_for(line.as_bytes()).is_some(), "{line}");
        }
        for line in ["{}", "[]", "jsonrpc", "{\"jsonrpc\":", "\"jsonrpc\""] {
            assert!(front_end_for(line.as_bytes()).is_none(), "{line}");
        }
        assert_eq!(first_line(b"\n \r\n", false), None);
        assert_eq!(first_line(b"\n{", false), None);
        assert_eq!(first_line(b"\n{", true), Some(b"{".as_slice()));
        assert_eq!(first_line(b"\n{}\nx", false), Some(b"{}\n".as_slice()));
    }
}

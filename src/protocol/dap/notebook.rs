//! The debugger of a notebook: the adapter's messages as JSON values, for clients that carry them in messages of another
//! protocol.
//!
//! Several front ends may use it at once, each with numbers (`seq`) of its own. So each request comes with a token that is
//! not used again, and its response is returned with that token and the number of the request.

use std::collections::HashMap;

use serde_json::Value;

use crate::protocol::{ClientLink, FrontEnd, Messages, Received};
use ez_engine::api::{Event, Failure, RequestNumber, Response};

use super::DapFrontEnd;
use super::cells::{CellConventions, CellState};
use super::decode::{no_number, whole};
use crate::protocol::framing::{Frame, Framing};

/// A message for the front ends.
#[derive(Debug, PartialEq)]
pub enum DebugMessage {
    /// The response to the request with this token.
    Response(u64, Value),
    /// An event, for all front ends.
    Event(Value),
}

/// The debugger of a notebook. Its methods must not be called on two threads at once.
pub struct NotebookDebugger {
    front_end: DapFrontEnd,
    /// The numbers of the requests that are not answered yet, by token.
    numbers: HashMap<u64, Value>,
    framing: Framing,
}

impl NotebookDebugger {
    /// For a session of cells.
    pub fn new(conventions: CellConventions) -> NotebookDebugger {
        let cells = Some(CellState::new(conventions));
        let front_end = DapFrontEnd { cells, listens: true, ..DapFrontEnd::default() };
        NotebookDebugger { front_end, numbers: HashMap::new(), framing: Framing::default() }
    }

    /// The session begins.
    pub fn begin(&mut self, link: ClientLink) {
        self.front_end.begin(link);
    }

    /// A front end makes a request; returns what is asked of the session, or the response.
    ///
    /// # Errors
    /// The response to a message that is not a valid request.
    pub fn request(&mut self, token: u64, mut message: Value) -> Result<Vec<Received>, Value> {
        let number = message.get("seq").cloned();
        let refused = |number: Value, why: &str| {
            let command = message.get("command").and_then(Value::as_str).unwrap_or_default();
            Err(serde_json::json!({
                "seq": 0, "type": "response", "request_seq": number, "success": false,
                "command": command, "message": why,
            }))
        };
        let number = match number {
            // It may have been rounded when it was read.
            Some(number) if whole(Some(&number)).is_none() => {
                return refused(Value::Null, &no_number("request", "seq", Some(&number)));
            }
            number => number.unwrap_or_default(),
        };
        let is_request = message.get("type").is_none_or(|kind| kind == "request");
        if !is_request || !message.get("command").is_some_and(Value::is_string) {
            return refused(number, "invalid request: it is not an object with a 'command'");
        }
        if let Value::Object(fields) = &mut message {
            fields.insert("seq".into(), token.into());
            fields.insert("type".into(), "request".into());
        }
        self.numbers.insert(token, number);
        let mut work = Vec::new();
        for file in std::mem::take(&mut self.front_end.unread) {
            self.front_end.read_file(file, &mut work);
        }
        self.front_end.message(message.to_string().as_bytes(), &mut work);
        Ok(work)
    }

    /// A cell is about to run.
    pub fn cell_starts(&mut self) {
        self.front_end.cell_starts();
    }

    /// The session has answered a request.
    pub fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>) -> Vec<DebugMessage> {
        self.written(|front_end, out| front_end.response(id, result, out))
    }

    /// A message that the debugger answers itself is due; see [`Received::Reply`].
    pub fn reply(&mut self, id: RequestNumber) -> Vec<DebugMessage> {
        self.written(|front_end, out| front_end.reply(id, out))
    }

    /// The session has sent an event.
    pub fn event(&mut self, event: &Event) -> Vec<DebugMessage> {
        self.written(|front_end, out| front_end.event(event, out))
    }

    /// Requests that the debugger makes on its own, after its messages were sent.
    pub fn follow_up(&mut self) -> Vec<Received> {
        self.front_end.follow_up()
    }

    fn written(&mut self, write: impl FnOnce(&mut DapFrontEnd, &mut Messages)) -> Vec<DebugMessage> {
        let mut out = Messages::default();
        write(&mut self.front_end, &mut out);
        let frames = self.framing.feed(out.bytes());
        let messages = frames.into_iter().filter_map(|frame| match frame {
            Frame::Message(bytes) => serde_json::from_slice(&bytes).ok(),
            Frame::Wrong(_) => None,
        });
        let messages: Vec<Value> = messages.collect();
        messages.into_iter().filter_map(|message| self.addressed(message)).collect()
    }

    /// With the receiver of a message; `None` for what notebooks are told in other ways.
    fn addressed(&mut self, mut message: Value) -> Option<DebugMessage> {
        if message.get("type").and_then(Value::as_str) == Some("response") {
            let token = message.get("request_seq")?.as_u64()?;
            let number = self.numbers.remove(&token)?;
            if let Value::Object(fields) = &mut message {
                fields.insert("request_seq".into(), number);
            }
            return Some(DebugMessage::Response(token, message));
        }
        let is_output = message.get("event").and_then(Value::as_str) == Some("output");
        let is_log = message.pointer("/body/category").and_then(Value::as_str) == Some("console");
        let waits = self.front_end.waits_for_input;
        (!is_output || is_log && !waits).then_some(DebugMessage::Event(message))
    }
}

//! Responses and events as bytes.

use serde::Serialize;
use serde_json::Value;

use crate::protocol::Messages;
use crate::protocol::json::{write_json, write_string};

use super::decode::From;

/// A response.
#[derive(Serialize)]
struct Response<'a, T: Serialize> {
    seq: u64,
    #[serde(rename = "type")]
    kind: &'static str,
    request_seq: i64,
    success: bool,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<T>,
}

/// An event.
#[derive(Serialize)]
struct Event<T: Serialize> {
    seq: u64,
    #[serde(rename = "type")]
    kind: &'static str,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<T>,
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// One of the words of the protocol, for clients that know them.
    pub word: Option<&'static str>,
    /// What is wrong, for the user.
    pub text: String,
    /// Whether the client should show it in any case.
    pub show: bool,
}

impl std::convert::From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal { word: None, text, show: false }
    }
}

impl std::convert::From<&str> for Refusal {
    fn from(text: &str) -> Refusal {
        text.to_string().into()
    }
}

/// Numbers the messages and frames them.
#[derive(Default)]
pub struct Numbering {
    last: u64,
    /// The message that is being made: its length stands before it.
    body: Vec<u8>,
}

impl Numbering {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Adds what is in `body`.
    fn add(&mut self, out: &mut Messages) {
        out.add(|bytes| {
            bytes.extend_from_slice(b"Content-Length: ");
            bytes.extend_from_slice(itoa::Buffer::new().format(self.body.len()).as_bytes());
            bytes.extend_from_slice(b"\r\n\r\n");
            bytes.extend_from_slice(&self.body);
        });
        self.body.clear();
        // A long message need not be kept in mind.
        self.body.shrink_to(64 * 1024);
    }

    /// Adds an event.
    pub fn event(&mut self, out: &mut Messages, event: &'static str, body: impl Serialize) {
        let message = Event { seq: self.next(), kind: "event", event, body: Some(body) };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds an event that says nothing more.
    pub fn bare_event(&mut self, out: &mut Messages, event: &'static str) {
        let message = Event::<()> { seq: self.next(), kind: "event", event, body: None };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds the answer to a request that was carried out.
    pub fn success(&mut self, out: &mut Messages, from: &From, body: Option<impl Serialize>) {
        let message = Response {
            seq: self.next(),
            kind: "response",
            request_seq: from.seq,
            success: true,
            command: &from.command,
            message: None,
            body,
        };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds the answer to a request that was not carried out.
    pub fn failure(&mut self, out: &mut Messages, from: &From, why: &Refusal) {
        let error = serde_json::json!({"id": 1, "format": why.text, "showUser": why.show});
        let message = Response {
            seq: self.next(),
            kind: "response",
            request_seq: from.seq,
            success: false,
            command: &from.command,
            message: Some(why.word.unwrap_or(&why.text)),
            body: Some(serde_json::json!({ "error": error })),
        };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds an answer.
    pub fn answer(&mut self, out: &mut Messages, from: &From, result: Result<Option<Value>, Refusal>) {
        match result {
            Ok(body) => self.success(out, from, body),
            Err(why) => self.failure(out, from, &why),
        }
    }

    /// Adds a message that lacks nothing but its number.
    pub fn message(&mut self, out: &mut Messages, mut message: Value) {
        let seq = self.next();
        if let Value::Object(message) = &mut message {
            message.insert("seq".into(), seq.into());
        }
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds what a program has printed. There may be a great deal of that.
    pub fn output(&mut self, out: &mut Messages, category: &'static str, text: &str) {
        let seq = self.next();
        self.body.extend_from_slice(b"{\"seq\":");
        self.body.extend_from_slice(itoa::Buffer::new().format(seq).as_bytes());
        self.body.extend_from_slice(b",\"type\":\"event\",\"event\":\"output\",\"body\":{\"category\":\"");
        self.body.extend_from_slice(category.as_bytes());
        self.body.extend_from_slice(b"\",\"output\":");
        write_string(&mut self.body, text);
        self.body.extend_from_slice(b"}}");
        self.add(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_bytes() {
        let (mut numbering, mut out) = (Numbering::default(), Messages::default());
        numbering.output(&mut out, "stdout", "é\"\n");
        numbering.bare_event(&mut out, "initialized");
        let text = std::str::from_utf8(out.bytes()).unwrap();
        let first =
            r#"{"seq":1,"type":"event","event":"output","body":{"category":"stdout","output":"é\"\n"}}"#;
        let second = r#"{"seq":2,"type":"event","event":"initialized"}"#;
        let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        assert_eq!(text, framed(first) + &framed(second));
    }
}

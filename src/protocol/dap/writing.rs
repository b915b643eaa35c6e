//! Encodes responses and events.

use serde::Serialize;
use serde_json::Value;

use crate::protocol::Messages;
use crate::protocol::json::write_string;
use ez_engine::api::write_json;

use super::decode::RequestHeader;

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

#[derive(Serialize)]
struct Event<T: Serialize> {
    seq: u64,
    #[serde(rename = "type")]
    kind: &'static str,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<T>,
}

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The `message` of the response: one of the words that the protocol defines.
    pub word: Option<&'static str>,
    /// The error text for the user.
    pub text: String,
    /// Whether output has told it: the editor need not show it, too.
    pub is_told: bool,
}

/// Requests that a person makes with a key or a button, so that nothing else says why nothing happens. The answers to
/// others are shown where they were asked for, or concern the editor only; our own requests are made by extensions, which
/// say it themselves.
const OF_PERSONS: [&str; 13] = [
    "launch",
    "attach",
    "restart",
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "restartFrame",
    "pause",
    "terminate",
    "setExpression",
];

impl std::convert::From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal { word: None, text, is_told: false }
    }
}

impl std::convert::From<&str> for Refusal {
    fn from(text: &str) -> Refusal {
        text.to_string().into()
    }
}

/// Encodes messages, with header and `seq`.
#[derive(Default)]
pub struct MessageWriter {
    last: u64,
    /// Buffer for the message being encoded, whose length comes first.
    body: Vec<u8>,
}

impl MessageWriter {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Adds the message in `body` to `out`.
    fn add(&mut self, out: &mut Messages) {
        out.add(|bytes| {
            bytes.extend_from_slice(b"Content-Length: ");
            bytes.extend_from_slice(itoa::Buffer::new().format(self.body.len()).as_bytes());
            bytes.extend_from_slice(b"\r\n\r\n");
            bytes.extend_from_slice(&self.body);
        });
        self.body.clear();
        // Free the memory of an unusually long message.
        self.body.shrink_to(64 * 1024);
    }

    /// Adds an event.
    pub fn event(&mut self, out: &mut Messages, event: &'static str, body: impl Serialize) {
        let message = Event { seq: self.next(), kind: "event", event, body: Some(body) };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds an event without body.
    pub fn bare_event(&mut self, out: &mut Messages, event: &'static str) {
        let message = Event::<()> { seq: self.next(), kind: "event", event, body: None };
        write_json(&mut self.body, &message);
        self.add(out);
    }

    /// Adds a successful response.
    pub fn success(&mut self, out: &mut Messages, from: &RequestHeader, body: Option<impl Serialize>) {
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

    /// Adds an error response.
    pub fn failure(&mut self, out: &mut Messages, from: &RequestHeader, why: &Refusal) {
        // What has a word of the protocol is no surprise: the request was cancelled, or came while the program ran.
        let shows = why.word.is_none() && !why.is_told && OF_PERSONS.contains(&from.command.as_str());
        // What editors show in a notification may have text of the program, which must not become a link there.
        let shown = if shows { why.text.replace("](", "]\u{200b}(") } else { why.text.clone() };
        let error = serde_json::json!({"id": 1, "format": shown, "showUser": shows});
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

    /// Adds a response, successful or not.
    pub fn answer(
        &mut self,
        out: &mut Messages,
        from: &RequestHeader,
        result: Result<Option<Value>, Refusal>,
    ) {
        match result {
            Ok(body) => self.success(out, from, body),
            Err(why) => self.failure(out, from, &why),
        }
    }

    /// Adds a message that is complete but for its `seq`; returns that.
    pub fn message(&mut self, out: &mut Messages, mut message: Value) -> i64 {
        let seq = self.next();
        if let Value::Object(message) = &mut message {
            message.insert("seq".into(), seq.into());
        }
        write_json(&mut self.body, &message);
        self.add(out);
        seq as i64
    }

    /// Adds an `output` event. Optimised, since programs may print a great deal.
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
        let (mut numbering, mut out) = (MessageWriter::default(), Messages::default());
        numbering.output(&mut out, "stdout", "é\"\n");
        numbering.bare_event(&mut out, "initialized");
        let text = std::str::from_utf8(out.bytes()).unwrap();
        let first =
            r#"{"seq":1,"type":"event","event":"output","body":{"category":"stdout","output":"é\"\n"}}"#;
        let second = r#"{"seq":2,"type":"event","event":"initialized"}"#;
        let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        assert_eq!(text, framed(first) + &framed(second));
    }

    #[test]
    fn what_is_shown_in_notifications_has_no_links() {
        let (mut numbering, mut out) = (MessageWriter::default(), Messages::default());
        let from = RequestHeader { seq: 1, command: "launch".into() };
        let why = Refusal::from("key [Click](command:quit) not found");
        numbering.failure(&mut out, &from, &why);
        let text = String::from_utf8(out.bytes().to_vec()).unwrap();
        assert!(text.contains("\"format\":\"key [Click]\u{200b}(command:quit) not found\""), "{text}");
    }
}

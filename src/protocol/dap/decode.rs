//! Decodes the messages of a client.

use serde_json::{Map, Value};

use crate::protocol::json::{cut, parse};
use crate::protocol::params::{ECHO_LIMIT, MAX_COUNTED, kind};

/// What a response repeats of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHeader {
    /// The request's `seq`.
    pub seq: i64,
    /// The request's `command`, cut to a limited length.
    pub command: String,
}

/// A decoded message.
#[derive(Debug, PartialEq)]
pub enum Message {
    /// A request with its arguments.
    Request(RequestHeader, Map<String, Value>),
    /// A request that is malformed, with a description of the error.
    WrongRequest(RequestHeader, String),
    /// The response to a request of the adapter: its `request_seq`, and the body or the error.
    Response(i64, Result<Value, String>),
    /// Not a valid message, with a description of the error.
    Wrong(String),
}

pub fn decode(bytes: &[u8]) -> Message {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            return Message::Wrong(format!("invalid JSON: not UTF-8 at byte {}", error.valid_up_to() + 1));
        }
    };
    let mut message = match parse(text) {
        Ok(Value::Object(message)) => message,
        Ok(other) => {
            return Message::Wrong(format!("invalid message: expected an object, got {}", kind(&other)));
        }
        Err(error) => return Message::Wrong(format!("invalid JSON: {error}")),
    };
    match message.get("type").and_then(Value::as_str) {
        Some("response") => return response(message),
        Some("request") | None => {}
        Some(other) => return Message::Wrong(format!("unknown message type: {}", cut(other, ECHO_LIMIT))),
    }
    let command = message.get("command").and_then(Value::as_str).map(|name| cut(name, ECHO_LIMIT));
    let Some(seq) = whole(message.get("seq")) else {
        return Message::Wrong(no_number("message", "seq", message.get("seq")));
    };
    let Some(command) = command else {
        let from = RequestHeader { seq, command: String::new() };
        return Message::WrongRequest(from, "invalid request: it has no 'command'".into());
    };
    let from = RequestHeader { seq, command };
    if !message.contains_key("type") {
        return Message::WrongRequest(from, "invalid request: it has no 'type'".into());
    }
    match message.remove("arguments") {
        None | Some(Value::Null) => Message::Request(from, Map::new()),
        Some(Value::Object(arguments)) => Message::Request(from, arguments),
        Some(other) => {
            let why = format!("wrong type of 'arguments': expected an object, got {}", kind(&other));
            Message::WrongRequest(from, why)
        }
    }
}

fn response(mut message: Map<String, Value>) -> Message {
    let Some(to) = whole(message.get("request_seq")) else {
        return Message::Wrong(no_number("response", "request_seq", message.get("request_seq")));
    };
    let text = message.get("message").and_then(Value::as_str).unwrap_or("no reason is given").to_string();
    let result = match message.get("success") {
        Some(Value::Bool(true)) => Ok(message.remove("body").unwrap_or_default()),
        _ => Err(text),
    };
    Message::Response(to, result)
}

/// An integer, also if written with a fraction of 0; none that was rounded when it was read.
pub(super) fn whole(value: Option<&Value>) -> Option<i64> {
    let value = value?;
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|number| number.abs() <= MAX_COUNTED as f64)?;
        let whole = number as i64;
        #[allow(clippy::float_cmp)] // It is exactly that number, or it is not.
        (whole as f64 == number).then_some(whole)
    })
}

/// Why a message is none that has no number of this name.
pub(super) fn no_number(what: &str, name: &str, value: Option<&Value>) -> String {
    match value {
        None => format!("invalid {what}: it has no '{name}'"),
        Some(_) => format!("invalid {what}: '{name}' is no whole number of 64 bits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match decode(text.as_bytes()) {
            Message::Request(from, arguments) => format!("{} {} {}", from.seq, from.command, arguments.len()),
            Message::WrongRequest(from, why) => format!("{} {why}", from.seq),
            Message::Response(to, result) => format!("to {to}: {result:?}"),
            Message::Wrong(why) => why,
        }
    }

    #[test]
    fn arguments_may_be_missing() {
        for arguments in ["", ",\"arguments\":null", ",\"arguments\":{}"] {
            let text = format!(r#"{{"seq":3.0,"type":"request","command":"next"{arguments}}}"#);
            assert_eq!(told(&text), "3 next 0");
        }
    }

    #[test]
    fn a_number_is_repeated_as_it_is_or_refused() {
        let with = |seq: &str| told(&format!(r#"{{"seq":{seq},"type":"request","command":"next"}}"#));
        for seq in ["-9223372036854775808", "9223372036854775807", "9007199254740993"] {
            assert_eq!(with(seq), format!("{seq} next 0"));
        }
        for seq in [
            "9223372036854775808",
            "-9223372036854775809",
            "1180591620717411303424",
            "9007199254740993.0",
            "1.5",
            "\"1\"",
            "null",
        ] {
            assert_eq!(with(seq), "invalid message: 'seq' is no whole number of 64 bits", "{seq}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("[]", "invalid message: expected an object, got an array"),
            ("{", "invalid JSON: EOF while parsing an object at line 1 column 1"),
            (r#"{"type":"request","command":"next"}"#, "invalid message: it has no 'seq'"),
            (r#"{"seq":1,"type":"request"}"#, "1 invalid request: it has no 'command'"),
            (r#"{"seq":1,"command":"next"}"#, "1 invalid request: it has no 'type'"),
            (r#"{"seq":1,"type":"event","event":"x"}"#, "unknown message type: event"),
            (
                r#"{"seq":1,"type":"request","command":"next","arguments":[]}"#,
                "1 wrong type of 'arguments': expected an object, got an array",
            ),
            (r#"{"type":"response"}"#, "invalid response: it has no 'request_seq'"),
            (r#"{"type":"response","request_seq":4}"#, "to 4: Err(\"no reason is given\")"),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text), expected);
        }
        assert_eq!(decode(b"\xff"), Message::Wrong("invalid JSON: not UTF-8 at byte 1".into()));
    }
}

//! Decodes a line with JSON-RPC requests.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::protocol::ez::{Ask, Context, command, is_command};
use crate::protocol::json::{cut, invalid, parse, repeatable};
use crate::protocol::params::{ECHO_LIMIT, Params, kind};

/// The version of the EZ debug protocol whose commands are the methods.
pub const VERSION: u32 = 2;

/// The method that OpenRPC adds to every service.
const DISCOVER: &str = "rpc.discover";

/// An error response.
#[derive(Debug, PartialEq, Eq)]
pub struct RpcError {
    /// The error code of JSON-RPC.
    pub code: i32,
    /// What is wrong.
    pub message: String,
}

/// A request or notification.
pub struct Call {
    /// The request's `id`, exactly as the client wrote it; `None` for a notification.
    pub id: Option<Box<RawValue>>,
    /// The `method`, if there is one.
    pub name: Option<String>,
    /// What is asked, or why that is not valid.
    pub ask: Result<Asked, RpcError>,
}

/// What a request asks.
pub enum Asked {
    /// A command of the session.
    Command(Ask),
    /// The description of all methods, which no session is needed for.
    Description,
}

/// A decoded line: a request, or a batch.
pub enum Message {
    Single(Call),
    Batch(Vec<Call>),
}

pub const PARSE_ERROR: i32 = -32700;
pub const INVALID_REQUEST: i32 = -32600;
pub const METHOD_NOT_FOUND: i32 = -32601;
pub const INVALID_PARAMS: i32 = -32602;

/// A message as serialized. A member that occurs twice is an error.
#[derive(Deserialize)]
struct Wire {
    jsonrpc: Option<Value>,
    method: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    params: Option<Value>,
}

/// The `id` of a message in which something else is wrong.
#[derive(Deserialize)]
struct Identified {
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
}

/// Deserializes a member that may be `null`, so that `None` means that it is missing.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// The `id` of a response to a message whose own is unknown.
fn null() -> Option<Box<RawValue>> {
    RawValue::from_string("null".into()).ok()
}

fn wrong(code: i32, message: String) -> Call {
    Call { id: null(), name: None, ask: Err(RpcError { code, message }) }
}

pub fn decode(line: &[u8]) -> Message {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let why = format!("invalid JSON: not UTF-8 at byte {}", error.valid_up_to() + 1);
            return Message::Single(wrong(PARSE_ERROR, why));
        }
    };
    match serde_json::from_slice::<Box<RawValue>>(text.as_bytes()) {
        Err(error) => Message::Single(wrong(PARSE_ERROR, invalid(&error))),
        Ok(value) if value.get().starts_with('[') => {
            match serde_json::from_slice::<Vec<Box<RawValue>>>(value.get().as_bytes()) {
                Ok(all) if !all.is_empty() => Message::Batch(all.iter().map(|one| call(one)).collect()),
                _ => Message::Single(wrong(INVALID_REQUEST, "invalid request: an empty batch".into())),
            }
        }
        Ok(value) => Message::Single(call(&value)),
    }
}

fn call(value: &RawValue) -> Call {
    // Serde would take an array for the members in their order.
    if !value.get().starts_with('{') {
        let why = match parse(value.get()) {
            Ok(other) => format!("expected an object, got {}", kind(&other)),
            Err(error) => error.to_string(),
        };
        return wrong(INVALID_REQUEST, format!("invalid request: {why}"));
    }
    let (id, wire) = match parse(value.get()) {
        Ok(Wire { jsonrpc, method, id, params }) => (id, Ok((jsonrpc, method, params))),
        Err(error) => match parse(value.get()) {
            Ok(Identified { id }) => (id, Err(error)),
            Err(_) => return wrong(INVALID_REQUEST, format!("invalid request: {error}")),
        },
    };
    let id = id.map(repeatable);
    let id_is_right = id.as_ref().is_none_or(|id| {
        id.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) || id.get() == "null"
    });
    if !id_is_right {
        return wrong(INVALID_REQUEST, "invalid request: 'id' must be a string or a number".into());
    }
    if id.as_ref().is_some_and(|id| id.get().len() > ECHO_LIMIT) {
        return wrong(INVALID_REQUEST, "invalid request: 'id' is too long".into());
    }
    let invalid = |why: &str| Call {
        id: id.clone().or_else(null),
        name: None,
        ask: Err(RpcError { code: INVALID_REQUEST, message: format!("invalid request: {why}") }),
    };
    let (jsonrpc, method, params) = match wire {
        Ok(members) => members,
        Err(error) => return invalid(&error.to_string()),
    };
    if jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
        return invalid("'jsonrpc' must be \"2.0\"");
    }
    let Some(Value::String(method)) = &method else { return invalid("'method' must be a string") };
    let none = Map::new();
    let ask = match &params {
        None | Some(Value::Null) => asked(method, &Params::new(&none)),
        Some(Value::Object(params)) => asked(method, &Params::new(params)),
        Some(other) => {
            let message = format!("invalid params: expected an object, got {}", kind(other));
            Err(RpcError { code: INVALID_PARAMS, message })
        }
    };
    Call { id, name: Some(cut(method, ECHO_LIMIT)), ask }
}

fn asked(method: &str, params: &Params) -> Result<Asked, RpcError> {
    if method == DISCOVER {
        return Ok(Asked::Description);
    }
    let ask = command(method, params, Context { version: VERSION, negotiates: false });
    ask.map(Asked::Command).map_err(|message| {
        let code = if is_command(method, VERSION) { INVALID_PARAMS } else { METHOD_NOT_FOUND };
        RpcError { code, message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let show = |call: &Call| {
            let id = call.id.as_ref().map_or("-", |id| id.get());
            match &call.ask {
                Ok(_) => format!("{id} {}", call.name.as_deref().unwrap_or("-")),
                Err(wrong) => format!("{id} {} {}", wrong.code, wrong.message),
            }
        };
        match decode(text.as_bytes()) {
            Message::Single(call) => show(&call),
            Message::Batch(all) => format!("[{}]", all.iter().map(show).collect::<Vec<_>>().join("; ")),
        }
    }

    #[test]
    fn requests_notifications_and_batches() {
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":"a","method":"start"}"#), "\"a\" start");
        assert_eq!(told(r#"{"jsonrpc":"2.0","method":"stepInto","params":{}}"#), "- stepInto");
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":null,"method":"start","params":null}"#), "null start");
        assert_eq!(
            told(r#"[{"jsonrpc":"2.0","id":1,"method":"start"},1]"#),
            "[1 start; null -32600 invalid request: expected an object, got a number]"
        );
    }

    #[test]
    fn what_is_wrong_has_a_code() {
        let cases = [
            ("{", "null -32700 invalid JSON: EOF while parsing an object at column 1"),
            ("[]", "null -32600 invalid request: an empty batch"),
            ("7", "null -32600 invalid request: expected an object, got a number"),
            ("[[\"2.0\",\"start\",5,{}]]", "[null -32600 invalid request: expected an object, got an array]"),
            (
                r#"{"jsonrpc":"2.0","method":"start","params":1,"params":{},"id":5}"#,
                "5 -32600 invalid request: duplicate field `params` at line 1 column 53",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"start","id":5,"id":6}"#,
                "null -32600 invalid request: duplicate field `id` at line 1 column 45",
            ),
            (r#"{"jsonrpc":"2.0","method":"fly","id":"\ud83d"}"#, "\"\\ufffd\" -32601 unknown command: fly"),
            (
                r#"{"jsonrpc":"2.0","method":"fly","id":"\udc00","params":1,"params":1}"#,
                "\"\\ufffd\" -32600 invalid request: duplicate field `params` at line 1 column 65",
            ),
            (r#"{"id":4,"method":"start"}"#, "4 -32600 invalid request: 'jsonrpc' must be \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":4}"#, "4 -32600 invalid request: 'method' must be a string"),
            (
                r#"{"jsonrpc":"2.0","id":[],"method":"start"}"#,
                "null -32600 invalid request: 'id' must be a string or a number",
            ),
            (
                &format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"start"}}"#, "x".repeat(ECHO_LIMIT)),
                "null -32600 invalid request: 'id' is too long",
            ),
            (r#"{"jsonrpc":"2.0","id":4,"method":"fly"}"#, "4 -32601 unknown command: fly"),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"start","params":[]}"#,
                "4 -32602 invalid params: expected an object, got an array",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"evaluate","params":{}}"#,
                "4 -32602 missing parameter 'expression'",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":1}}"#,
                "4 -32602 wrong parameter 'protocolVersion': must be at least 2: JSON-RPC has version 2 only",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"attach","params":{"protocolVersion":"2"}}"#,
                "4 -32602 wrong type of parameter 'protocolVersion': expected a whole number, got a string",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text), expected);
        }
    }
}

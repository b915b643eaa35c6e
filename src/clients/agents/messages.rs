//! Messages of the client: JSON-RPC 2.0, as the Model Context Protocol restricts it.

use serde_json::{Map, Value};

use crate::protocol::json::{cut, parse_bytes};
use crate::protocol::params::{ECHO_LIMIT, is_id, kind};

pub const PARSE_ERROR: i32 = -32700;
pub const INVALID_REQUEST: i32 = -32600;
pub const METHOD_NOT_FOUND: i32 = -32601;
pub const INVALID_PARAMS: i32 = -32602;

#[derive(Debug, PartialEq)]
pub enum Message {
    /// A request, to be answered.
    Request {
        /// A string or a whole number.
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    /// A notification, or a response: nothing answers it.
    Notification { method: String, params: Map<String, Value> },
    /// Something else; to be answered by an error.
    Wrong { id: Value, code: i32, message: String },
}

#[derive(Debug, PartialEq)]
pub enum Line {
    Single(Message),
    /// A batch, which is answered as a whole.
    Batch(Vec<Message>),
}

pub fn decode(line: &[u8]) -> Line {
    match parse_bytes::<Value>(line) {
        Err(error) => Line::Single(wrong(PARSE_ERROR, format!("invalid JSON: {error}"))),
        Ok(Value::Array(all)) if !all.is_empty() => Line::Batch(all.into_iter().map(message).collect()),
        Ok(value) => Line::Single(message(value)),
    }
}

/// A message that is not valid.
pub fn wrong(code: i32, message: String) -> Message {
    Message::Wrong { id: Value::Null, code, message }
}

fn message(value: Value) -> Message {
    let Value::Object(mut members) = value else {
        return wrong(INVALID_REQUEST, format!("invalid request: expected an object, got {}", kind(&value)));
    };
    let id = match members.remove("id") {
        Some(id) if is_id(&id) && id.as_str().is_none_or(|id| id.len() <= ECHO_LIMIT) => Some(id),
        None => None,
        Some(_) => {
            return wrong(
                INVALID_REQUEST,
                "invalid request: 'id' must be a short string or a whole number of 64 bits".into(),
            );
        }
    };
    let invalid = |code: i32, why: &str| Message::Wrong {
        id: id.clone().unwrap_or_default(),
        code,
        message: why.to_string(),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(INVALID_REQUEST, "invalid request: 'jsonrpc' must be \"2.0\"");
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => cut(&method, ECHO_LIMIT),
        // A response: this server asks nothing.
        None if members.contains_key("result") || members.contains_key("error") => String::new(),
        _ => return invalid(INVALID_REQUEST, "invalid request: 'method' must be a string"),
    };
    let params = match members.remove("params") {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => Map::new(),
        Some(other) => {
            let why = format!("invalid params: expected an object, got {}", kind(&other));
            return invalid(INVALID_PARAMS, &why);
        }
    };
    match id {
        Some(id) if !method.is_empty() => Message::Request { id, method, params },
        _ => Message::Notification { method, params },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let show = |message: &Message| match message {
            Message::Request { id, method, params } => format!("{id} {method} {}", params.len()),
            Message::Notification { method, .. } => format!("- {method}"),
            Message::Wrong { id, code, message } => format!("{id} {code} {message}"),
        };
        match decode(text.as_bytes()) {
            Line::Single(message) => show(&message),
            Line::Batch(all) => format!("{:?}", all.iter().map(show).collect::<Vec<_>>()),
        }
    }

    #[test]
    fn messages_are_decoded() {
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "1 ping 0");
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":"a","method":"x","params":{"y":1}}"#), "\"a\" x 1");
        assert_eq!(told(r#"{"jsonrpc":"2.0","method":"x","params":null}"#), "- x");
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "- ");
        assert!(told("{").starts_with("null -32700 invalid JSON"));
        assert!(told("[]").contains("-32600") && told("1").contains("expected an object, got a number"));
        assert!(told(r#"{"id":1,"method":"x"}"#).starts_with("1 -32600"));
        assert!(told(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#).contains("'id' must be"));
        assert!(told(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#).contains("'id' must be"));
        let large = r#"{"jsonrpc":"2.0","id":1180591620717411303424,"method":"x"}"#;
        assert!(told(large).contains("'id' must be a short string or a whole number of 64 bits"));
        assert!(told(r#"{"jsonrpc":"2.0","id":1,"method":2}"#).starts_with("1 -32600"));
        assert_eq!(
            told(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#),
            "1 -32602 invalid params: expected an object, got an array"
        );
        let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"x"},2,{"jsonrpc":"2.0","method":"y"}]"#;
        assert!(told(batch).starts_with("[\"1 x 0\", \"null -32600") && told(batch).ends_with("\"- y\"]"));
    }
}

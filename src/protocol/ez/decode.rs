//! Decodes a line of a client.

use std::fmt::Formatter;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::protocol::json::{cut, invalid, parse, repeatable};
use crate::protocol::params::{ECHO_LIMIT, Params, kind, wrong_type};

use super::commands::{Ask, Context, command, parameters_among};

/// The contents of a line.
pub struct Decoded {
    /// The command's `id`, for the answer, exactly as the client wrote it.
    pub id: Option<Box<RawValue>>,
    /// The command's name if there is one, cut to a limited length.
    pub name: Option<String>,
    /// What the command asks, or why the line is not understood.
    pub ask: Result<Ask, String>,
}

/// A command, for those who have typed something else.
const EXAMPLE: &str = r#"{"type":"command","command":"initialize","params":{"file":"hello.ez"},"id":1}"#;

/// Decodes a line; `version` is the protocol version in use.
pub fn decode(line: &[u8], version: u32) -> Decoded {
    let refuse = |message: String| Decoded { id: None, name: None, ask: Err(message) };
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return refuse(format!("invalid JSON: not UTF-8 at byte {}", error.valid_up_to() + 1)),
    };
    let mut message: Message = match parse(text) {
        Ok(message) => message,
        Err(_) => {
            return refuse(match parse(text) {
                Ok(other) => format!("invalid message: expected an object, got {}", kind(&other)),
                Err(error) if text.starts_with(['{', '[', '"']) => invalid(&error),
                // A word, typed by hand.
                Err(_) => format!("invalid JSON: a command is an object, such as {EXAMPLE}"),
            });
        }
    };
    let name = message.command.as_ref().and_then(Value::as_str).map(|name| cut(name, ECHO_LIMIT));
    let id = message.id.take().map(repeatable);
    match checked_id(id.as_deref()) {
        Ok(()) => {
            let ask = message.ask(Context { version, negotiates: true });
            let ask = ask.map_err(|why| with_misplaced(why, text, name.as_deref(), version));
            Decoded { id: id.filter(|id| id.get() != "null"), name, ask }
        }
        Err(why) => Decoded { id: None, name, ask: Err(why) },
    }
}

/// Why a command is refused; also, if its parameters stand beside `params`, that they belong into it.
fn with_misplaced(why: String, text: &str, name: Option<&str>, version: u32) -> String {
    let (Some(name), Ok(Value::Object(members))) = (name, parse(text)) else { return why };
    let others = members.keys().map(String::as_str).filter(|name| !["type", "command", "id"].contains(name));
    let misplaced = parameters_among(name, version, others);
    match misplaced.as_slice() {
        [] => why,
        [one] => format!("{why}; '{one}' belongs into 'params'"),
        all => format!("{why}; '{}' belong into 'params'", all.join("', '")),
    }
}

/// The members of a message. If a member occurs twice, the last one counts.
#[derive(Default)]
struct Message {
    kind: Option<Value>,
    command: Option<Value>,
    id: Option<Box<RawValue>>,
    params: Option<Value>,
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Message, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// The name of a member.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Name {
    Type,
    Command,
    Id,
    Params,
    #[serde(other)]
    Other,
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Message;

    fn expecting(&self, formatter: &mut Formatter) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Message, A::Error> {
        let mut message = Message::default();
        while let Some(name) = members.next_key()? {
            match name {
                Name::Type => message.kind = Some(members.next_value()?),
                Name::Command => message.command = Some(members.next_value()?),
                Name::Id => message.id = Some(members.next_value()?),
                Name::Params => message.params = Some(members.next_value()?),
                Name::Other => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(message)
    }
}

/// Checks that an `id` is a string, a number or `null`, and not too long.
fn checked_id(id: Option<&RawValue>) -> Result<(), String> {
    let Some(id) = id.map(RawValue::get) else { return Ok(()) };
    if id.len() > ECHO_LIMIT {
        return Err("parameter 'id' is too long".into());
    }
    match serde_json::from_slice(id.as_bytes()) {
        Ok(Value::Null | Value::String(_) | Value::Number(_)) => Ok(()),
        Ok(other) => Err(wrong_type("id", "a string or a number", &other)),
        // A number too large for 64 bits is a valid `id`, too.
        Err(_) => Ok(()),
    }
}

impl Message {
    fn ask(&self, context: Context) -> Result<Ask, String> {
        match &self.kind {
            Some(Value::String(kind)) if kind == "command" => {}
            Some(Value::String(kind)) => {
                return Err(format!("unknown message type: {}", cut(kind, ECHO_LIMIT)));
            }
            Some(other) => return Err(wrong_type("type", "a string", other)),
            None => return Err("missing parameter 'type'".into()),
        }
        let name = match &self.command {
            Some(Value::String(name)) => name,
            Some(other) => return Err(wrong_type("command", "a string", other)),
            None => return Err("missing parameter 'command'".into()),
        };
        let none = Map::new();
        let params = match &self.params {
            None | Some(Value::Null) => Params::new(&none),
            Some(Value::Object(params)) => Params::new(params),
            Some(other) => return Err(wrong_type("params", "an object", other)),
        };
        command(name, &params, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ez::commands::WHOLE;
    use ez_engine::api::{
        BreakpointRequest, GetVariables, Inspect, LineSpec, Request, SessionRequest, SetBreakpoint,
    };
    use ez_runtime::host::Capability;

    fn refused(line: &str) -> (String, Option<String>) {
        let decoded = decode(line.as_bytes(), 1);
        (decoded.ask.err().unwrap(), decoded.name)
    }

    fn command_line(rest: &str) -> Decoded {
        decode(format!(r#"{{"type":"command","command":{rest}}}"#).as_bytes(), 1)
    }

    fn request(rest: &str) -> Request {
        command_line(rest).ask.ok().unwrap().request
    }

    #[test]
    fn commands() {
        let spec = LineSpec::from(3);
        let set = r#""setBreakpoint","params":{"file":"a.ez","line":3,"more":1},"id":7"#;
        assert_eq!(
            request(set),
            Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint { file: "a.ez".into(), spec }))
        );
        let variables = request(r#""getVariables","params":null"#);
        assert_eq!(
            variables,
            Request::Inspect(Inspect::Variables(GetVariables { frame: 0, scope: None, limits: WHOLE }))
        );
        for deny in [r#"["net","env"]"#, r#""net,env""#] {
            let line = format!(r#""initialize","params":{{"deny":{deny},"protocolVersion":3}}"#);
            let ask = command_line(&line).ask.ok().unwrap();
            let Request::Initialize(launch) = ask.request else { panic!("{:?}", ask.request) };
            assert_eq!((launch.deny, ask.version), (vec![Capability::Net, Capability::Env], Some(3)));
        }
        let eof = request(r#""input","params":{"eof":true,"text":null}"#);
        assert_eq!(eof, Request::Session(SessionRequest::Input { text: None, eof: true }));
    }

    #[test]
    fn ids_are_kept_as_they_are_written() {
        for id in ["7", "\"x\\\"y\"", "1e2", "100000000000000000000000001", "-0.50", "1e999"] {
            let decoded = command_line(&format!("\"start\",\"id\": {id} "));
            assert_eq!(decoded.id.unwrap().get(), id);
        }
        assert!(command_line("\"start\",\"id\":null").id.is_none());
        // Half of a character is replaced, wherever others are.
        for rest in ["", r#","params":{"file":"\udc00"}"#] {
            let decoded = command_line(&format!(r#""start","id":"a\ud83d\\ud83d"{rest}"#));
            assert_eq!(decoded.id.unwrap().get(), r#""a\ufffd\\ud83d""#);
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        assert!(refused("{\"type\":").0.starts_with("invalid JSON: EOF while parsing"));
        assert!(refused("nonsense").0.starts_with("invalid JSON: "));
        for typed in ["initialize", "start now", "3 + 4"] {
            let why = refused(typed).0;
            assert!(why.contains("a command is an object, such as {\"type\":\"command\""), "{why}");
        }
        let half = r#"{"type":"command","command":"st\ud83dart"}"#;
        assert_eq!(refused(half).0, "unknown command: st\u{fffd}art; did you mean 'start'?");
        assert_eq!(refused("[1]").0, "invalid message: expected an object, got an array");
        assert_eq!(refused("{}").0, "missing parameter 'type'");
        assert_eq!(
            refused(r#"{"type":3}"#).0,
            "wrong type of parameter 'type': expected a string, got a number"
        );
        assert_eq!(refused(r#"{"type":"x"}"#).0, "unknown message type: x");
        assert_eq!(refused(r#"{"type":"command"}"#).0, "missing parameter 'command'");
        let beside = r#"{"type":"command","command":"setBreakpoint","id":1,"file":"prog.ez","line":3}"#;
        assert_eq!(refused(beside).0, "missing parameter 'file'; 'file', 'line' belong into 'params'");
        let (message, name) = refused(r#"{"type":"command","command":"fly"}"#);
        assert_eq!((message.as_str(), name.as_deref()), ("unknown command: fly", Some("fly")));
        let bytes = decode(b"{\"type\":\"\xff\"}", 1).ask.err().unwrap();
        assert_eq!(bytes, "invalid JSON: not UTF-8 at byte 10");
        let deep = "[".repeat(100_000);
        assert!(refused(&deep).0.starts_with("invalid JSON: recursion limit"));
    }

    #[test]
    fn errors_name_parameters() {
        let cases = [
            (r#""setBreakpoint""#, "missing parameter 'file'"),
            (r#""setBreakpoint","params":{"file":"a"}"#, "missing parameter 'line'"),
            (
                r#""setBreakpoint","params":{"file":"a","line":0}"#,
                "wrong parameter 'line': must be at least 1",
            ),
            (
                r#""clearBreakpoint","params":{"file":"a","line":"3"}"#,
                "wrong type of parameter 'line': expected a whole number, got a string",
            ),
            (
                r#""getVariables","params":{"frameIndex":1.5}"#,
                "wrong type of parameter 'frameIndex': expected a whole number, got a number with a fraction",
            ),
            (
                r#""getVariables","params":{"frameIndex":-1}"#,
                "wrong parameter 'frameIndex': must be at least 0",
            ),
            (r#""start","params":[]"#, "wrong type of parameter 'params': expected an object, got an array"),
            (
                r#""start","id":[1]"#,
                "wrong type of parameter 'id': expected a string or a number, got an array",
            ),
            (r#""input""#, "missing parameter 'text' or 'eof'"),
            (
                r#""initialize","params":{"deny":["net","disk"]}"#,
                "wrong parameter 'deny': 'disk' is not one of net, fs, exec, env",
            ),
            (
                r#""initialize","params":{"deny":["net",1]}"#,
                "wrong type of parameter 'deny': expected a list of strings, got one with a number",
            ),
            (
                r#""initialize","params":{"deny":true}"#,
                "wrong type of parameter 'deny': expected a list of strings, got a bool",
            ),
            (r#""initialize","params":{"file":""}"#, "wrong parameter 'file': empty path"),
            (
                r#""initialize","params":{"memoryLimit":"much"}"#,
                "wrong parameter 'memoryLimit': expected a size such as 512M or 2G",
            ),
            (
                r#""initialize","params":{"memoryLimit":0}"#,
                "wrong parameter 'memoryLimit': expected a size such as 512M or 2G, or a number of bytes",
            ),
        ];
        for (rest, message) in cases {
            assert_eq!(command_line(rest).ask.err().unwrap(), message);
        }
    }
}

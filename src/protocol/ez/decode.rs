//! A line to a command.

use std::fmt::Formatter;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::host::Capability;
use crate::session::{Command, DecodeError, Incoming, RequestId};

use super::shorten::cut;

/// How long names and paths in a message may be.
const NAME_LIMIT: usize = 4096;

/// How much of a client's text is repeated in an error.
const ECHO_LIMIT: usize = 200;

/// What a line asks.
pub fn decode(line: &[u8]) -> Incoming {
    let refuse =
        |message: String| Incoming { command: Err(DecodeError { message, command: None }), tag: None };
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return refuse(format!("invalid JSON: not UTF-8 at byte {}", error.valid_up_to() + 1)),
    };
    let message: Message = match serde_json::from_str(text) {
        Ok(message) => message,
        Err(_) => {
            return refuse(match serde_json::from_str(text) {
                Ok(other) => format!("invalid message: expected an object, got {}", kind(&other)),
                Err(error) => format!("invalid JSON: {error}"),
            });
        }
    };
    let refusal = |text: String| {
        let name = message.command.as_ref().and_then(Value::as_str);
        DecodeError { message: text, command: name.map(|name| cut(name, ECHO_LIMIT)) }
    };
    match message.tag() {
        Ok(tag) => Incoming { command: message.command().map_err(refusal), tag },
        Err(text) => Incoming { command: Err(refusal(text)), tag: None },
    }
}

/// What a message may hold. Of a member that comes twice the last one counts.
#[derive(Default)]
struct Message {
    kind: Option<Value>,
    command: Option<Value>,
    id: Option<Value>,
    params: Option<Value>,
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Message, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Name of a member.
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
            let member = match name {
                Name::Type => &mut message.kind,
                Name::Command => &mut message.command,
                Name::Id => &mut message.id,
                Name::Params => &mut message.params,
                Name::Other => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *member = Some(members.next_value()?);
        }
        Ok(message)
    }
}

impl Message {
    /// The `id` of a command.
    fn tag(&self) -> Result<Option<RequestId>, String> {
        match &self.id {
            None | Some(Value::Null) => Ok(None),
            Some(id @ (Value::String(_) | Value::Number(_))) => {
                let text = id.to_string();
                if text.len() > ECHO_LIMIT {
                    return Err("parameter 'id' is too long".into());
                }
                Ok(Some(RequestId(text.into())))
            }
            Some(other) => Err(wrong_type("id", "a string or a number", other)),
        }
    }

    fn command(&self) -> Result<Command, String> {
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
            None | Some(Value::Null) => Params(&none),
            Some(Value::Object(params)) => Params(params),
            Some(other) => return Err(wrong_type("params", "an object", other)),
        };
        named(name, params)
    }
}

fn named(name: &str, params: Params) -> Result<Command, String> {
    Ok(match name {
        "initialize" => Command::Initialize {
            file: params.path("file")?,
            working_dir: params.path("workingDir")?,
            version: params.number("protocolVersion", 1, u32::MAX)?,
            deny: params.parts("deny")?,
        },
        "start" => Command::Start,
        "stepInto" => Command::StepInto,
        "stepOver" => Command::StepOver,
        "stepOut" => Command::StepOut,
        "continue" => Command::Continue,
        "setBreakpoint" => Command::SetBreakpoint {
            file: required("file", params.path("file")?)?,
            line: required("line", params.number("line", 1, u32::MAX)?)?,
            condition: params.text("condition")?.map(str::to_string),
        },
        "clearBreakpoint" => Command::ClearBreakpoint {
            file: required("file", params.path("file")?)?,
            line: required("line", params.number("line", 1, u32::MAX)?)?,
        },
        "getVariables" => Command::GetVariables { frame: params.frame()? },
        "getStackTrace" => Command::GetStackTrace,
        "evaluate" => Command::Evaluate {
            expression: required("expression", params.text("expression")?)?.to_string(),
            frame: params.frame()?,
        },
        "input" => {
            let (text, eof) = (params.text("text")?.map(str::to_string), params.flag("eof")?);
            let nothing = text.is_none() && !eof;
            if nothing {
                return Err("missing parameter 'text'".into());
            }
            Command::Input { text, eof }
        }
        "pause" => Command::Pause,
        "terminate" => Command::Terminate,
        unknown => return Err(format!("unknown command: {}", cut(unknown, ECHO_LIMIT))),
    })
}

/// Parameters of a command. `null` counts as missing.
struct Params<'a>(&'a Map<String, Value>);

impl<'a> Params<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a string", other)),
        }
    }

    fn path(&self, name: &str) -> Result<Option<String>, String> {
        match self.text(name)? {
            Some("") => Err(format!("wrong parameter '{name}': empty path")),
            Some(path) if path.len() > NAME_LIMIT => Err(format!("wrong parameter '{name}': path too long")),
            Some(path) if path.contains('\0') => Err(format!("wrong parameter '{name}': null byte in path")),
            path => Ok(path.map(str::to_string)),
        }
    }

    /// Parts of the world, as a list or as the command line takes them.
    fn parts(&self, name: &str) -> Result<Vec<Capability>, String> {
        let words: Vec<&str> = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(words)) => words.split(',').collect(),
            Some(Value::Array(words)) => {
                let word = |word: &'a Value| word.as_str().ok_or_else(|| wrong_part(name, word));
                words.iter().map(word).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(wrong_type(name, "a list of strings", other)),
        };
        let part = |word: &str| {
            let word = cut(word, ECHO_LIMIT);
            word.parse().map_err(|wrong| format!("wrong parameter '{name}': {wrong}"))
        };
        words.into_iter().map(part).collect()
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong_type(name, "true or false", other)),
        }
    }

    fn number(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = match value {
            Value::Number(number) => number.as_f64().filter(|n| libm::trunc(*n) == *n),
            _ => None,
        };
        match whole {
            None => Err(wrong_type(name, "a whole number", value)),
            Some(number) if number < f64::from(least) => {
                Err(format!("wrong parameter '{name}': must be at least {least}"))
            }
            Some(number) if number > f64::from(most) => {
                Err(format!("wrong parameter '{name}': must be at most {most}"))
            }
            Some(number) => Ok(Some(number as u32)),
        }
    }

    fn frame(&self) -> Result<usize, String> {
        Ok(self.number("frameIndex", 0, u32::MAX)?.unwrap_or(0) as usize)
    }
}

fn required<T>(name: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| format!("missing parameter '{name}'"))
}

fn wrong_type(name: &str, wanted: &str, got: &Value) -> String {
    format!("wrong type of parameter '{name}': expected {wanted}, got {}", kind(got))
}

fn wrong_part(name: &str, got: &Value) -> String {
    format!("wrong type of parameter '{name}': expected a list of strings, got one with {}", kind(got))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (String, Option<String>) {
        let refusal = decode(line.as_bytes()).command.unwrap_err();
        (refusal.message, refusal.command)
    }

    fn command_line(rest: &str) -> Incoming {
        decode(format!(r#"{{"type":"command","command":{rest}}}"#).as_bytes())
    }

    #[test]
    fn commands() {
        let set = command_line(r#""setBreakpoint","params":{"file":"a.ez","line":3,"more":1},"id":7"#);
        let command = Command::SetBreakpoint { file: "a.ez".into(), line: 3, condition: None };
        assert_eq!(set, Incoming { command: Ok(command), tag: Some(RequestId("7".into())) });
        let variables = command_line(r#""getVariables","params":null,"id":"x\"y""#);
        assert_eq!(variables.command, Ok(Command::GetVariables { frame: 0 }));
        assert_eq!(variables.tag, Some(RequestId(r#""x\"y""#.into())));
        let (file, working_dir, version) = (None, None, None);
        let initialize =
            Command::Initialize { file, working_dir, version, deny: vec![Capability::Net, Capability::Env] };
        for deny in [r#"["net","env"]"#, r#""net,env""#] {
            let line = format!(r#""initialize","params":{{"deny":{deny}}}"#);
            assert_eq!(command_line(&line).command.as_ref(), Ok(&initialize));
        }
        let eof = command_line(r#""input","params":{"eof":true,"text":null}"#);
        assert_eq!(eof.command, Ok(Command::Input { text: None, eof: true }));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        assert!(refused("{\"type\":").0.starts_with("invalid JSON: EOF while parsing"));
        assert!(refused("nonsense").0.starts_with("invalid JSON: "));
        assert_eq!(refused("[1]").0, "invalid message: expected an object, got an array");
        assert_eq!(refused("{}").0, "missing parameter 'type'");
        assert_eq!(
            refused(r#"{"type":3}"#).0,
            "wrong type of parameter 'type': expected a string, got a number"
        );
        assert_eq!(refused(r#"{"type":"x"}"#).0, "unknown message type: x");
        assert_eq!(refused(r#"{"type":"command"}"#).0, "missing parameter 'command'");
        let (message, name) = refused(r#"{"type":"command","command":"fly"}"#);
        assert_eq!((message.as_str(), name.as_deref()), ("unknown command: fly", Some("fly")));
        let bytes = decode(b"{\"type\":\"\xff\"}").command.unwrap_err();
        assert_eq!(bytes.message, "invalid JSON: not UTF-8 at byte 10");
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
            (r#""input""#, "missing parameter 'text'"),
            (
                r#""initialize","params":{"deny":["net","disk"]}"#,
                "wrong parameter 'deny': 'disk' is none of net, fs, exec, env",
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
        ];
        for (rest, message) in cases {
            assert_eq!(command_line(rest).command.unwrap_err().message, message);
        }
    }
}

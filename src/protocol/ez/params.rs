//! Parameters of commands: taken out of JSON, with errors that name what is wrong.

use serde_json::{Map, Value};

use crate::host::Capability;
use crate::library::elementary;
use crate::protocol::json::cut;
use crate::value::{EXPECTED_SIZE, parse_size};

/// How many bytes a path in a message may have.
const PATH_LIMIT: usize = 4096;

/// How much of a client's text is repeated in an error.
pub const ECHO_LIMIT: usize = 200;

/// Parameters of a command. One that is `null` counts as missing.
pub struct Params<'a>(pub &'a Map<String, Value>);

impl<'a> Params<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A string.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(name, "a string", other)),
        }
    }

    /// A path, not empty.
    pub fn path(&self, name: &str) -> Result<Option<String>, String> {
        match self.text(name)? {
            Some("") => Err(format!("wrong parameter '{name}': empty path")),
            Some(path) if path.len() > PATH_LIMIT => Err(format!("wrong parameter '{name}': path too long")),
            Some(path) if path.contains('\0') => Err(format!("wrong parameter '{name}': null byte in path")),
            path => Ok(path.map(str::to_string)),
        }
    }

    /// Capabilities, as a list or as the command line takes them.
    pub fn capabilities(&self, name: &str) -> Result<Vec<Capability>, String> {
        let words: Vec<&str> = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(words)) => words.split(',').collect(),
            Some(Value::Array(words)) => {
                let word = |word: &'a Value| word.as_str().ok_or_else(|| wrong_item(name, word));
                words.iter().map(word).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(wrong_type(name, "a list of strings", other)),
        };
        let capability = |word: &str| {
            let word = cut(word, ECHO_LIMIT);
            word.parse().map_err(|wrong| format!("wrong parameter '{name}': {wrong}"))
        };
        words.into_iter().map(capability).collect()
    }

    /// `true` or `false`; `false` if it is missing.
    pub fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(wrong_type(name, "true or false", other)),
        }
    }

    /// A whole number, also one that is written as `3.0` or `3e0`.
    pub fn number(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let whole = match value {
            Value::Number(number) => number.as_f64().filter(|n| elementary::trunc(*n) == *n),
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

    /// A number of bytes, or a text such as `512M`.
    pub fn size(&self, name: &str) -> Result<Option<u64>, String> {
        let wrong = |why: String| format!("wrong parameter '{name}': {why}");
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => parse_size(text).map(Some).map_err(wrong),
            Some(Value::Number(number)) => match number.as_u64() {
                Some(bytes) if bytes > 0 => Ok(Some(bytes)),
                _ => Err(wrong(format!("{EXPECTED_SIZE}, or a number of bytes"))),
            },
            Some(other) => Err(wrong_type(name, "a number of bytes, or a size such as 512M", other)),
        }
    }

    /// A line, from 1.
    pub fn line(&self) -> Result<u32, String> {
        required("line", self.number("line", 1, u32::MAX)?)
    }

    /// The index of a frame; 0 if it is missing.
    pub fn frame(&self) -> Result<usize, String> {
        Ok(self.number("frameIndex", 0, u32::MAX)?.unwrap_or(0) as usize)
    }
}

/// A parameter that must not be missing.
pub fn required<T>(name: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| format!("missing parameter '{name}'"))
}

/// That a value has the wrong type.
pub fn wrong_type(name: &str, wanted: &str, got: &Value) -> String {
    format!("wrong type of parameter '{name}': expected {wanted}, got {}", kind(got))
}

fn wrong_item(name: &str, got: &Value) -> String {
    format!("wrong type of parameter '{name}': expected a list of strings, got one with {}", kind(got))
}

/// What kind of JSON a value is.
pub fn kind(value: &Value) -> &'static str {
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

//! Access to the parameters of a command, with errors that name the parameter.

use serde_json::{Map, Value};

use ez_engine::api::EnvironmentChanges;
use ez_runtime::host::Capability;
use ez_runtime::library::elementary;
use ez_runtime::value::{EXPECTED_SIZE, parse_size};

use super::json::cut;

/// Maximum length of a path in bytes.
pub const PATH_LIMIT: usize = 4096;

/// The largest integer that every client can represent exactly (a JSON number may be a double): 2^53 - 1.
pub const MAX_COUNTED: u64 = (1 << 53) - 1;

/// Maximum length of a client's text repeated in an error, in bytes.
pub const ECHO_LIMIT: usize = 200;

/// Whether a value can be repeated exactly as a client has written it, as the id of a request is: larger numbers, and those
/// with a fraction, are rounded when they are read.
pub fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64() || value.is_u64()
}

/// The parameters of a command, or an object in them. A parameter that is `null` counts as missing.
pub struct Params<'a> {
    map: &'a Map<String, Value>,
    /// Prefix of parameter names in errors, such as `breakpoints[2].`.
    prefix: String,
    /// Those that may be read; `None`: all.
    declared: Option<Declarations>,
}

/// Parameters, or members of one.
pub type Declarations = &'static [&'static dyn Declared];

/// A parameter that is declared (`protocol/parameter.rs`).
pub trait Declared {
    fn name(&self) -> &'static str;

    /// What is written about it.
    #[cfg(test)]
    fn describe(&self) -> super::ez::description::Described;
}

impl<'a> Params<'a> {
    /// The parameters of a command.
    pub fn new(map: &'a Map<String, Value>) -> Params<'a> {
        Params { map, prefix: String::new(), declared: None }
    }

    /// These parameters, of which only those that are declared are read.
    pub fn declaring(&self, declared: Declarations) -> Params<'a> {
        Params { declared: Some(declared), ..self.undeclared() }
    }

    /// These parameters, of which all can be read, so that they can be refused where they are given.
    pub fn undeclared(&self) -> Params<'a> {
        Params { map: self.map, prefix: self.prefix.clone(), declared: None }
    }

    /// A parameter as it was written; `None` if it is missing or `null`.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.assert_declared(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn assert_declared(&self, name: &str) {
        let is_declared = |all: Declarations| all.iter().any(|one| one.name() == name);
        debug_assert!(self.declared.is_none_or(is_declared), "'{name}' is read, but not declared");
    }

    /// All parameters, as they were written.
    pub fn all(&self) -> &'a Map<String, Value> {
        self.map
    }

    /// Whether there is a parameter of this name, even if it is `null`.
    pub fn has(&self, name: &str) -> bool {
        self.assert_declared(name);
        self.map.contains_key(name)
    }

    /// The error for a value of another type.
    pub fn wrong_type(&self, name: &str, wanted: &str, got: &Value) -> String {
        wrong_type(&format!("{}{name}", self.prefix), wanted, got)
    }

    fn wrong_item(&self, name: &str, got: &Value) -> String {
        let (prefix, got) = (&self.prefix, kind(got));
        format!("wrong type of parameter '{prefix}{name}': expected a list of strings, got one with {got}")
    }

    /// The error for a value of the right type that is refused.
    pub fn wrong(&self, name: &str, why: impl std::fmt::Display) -> String {
        format!("wrong parameter '{}{name}': {why}", self.prefix)
    }

    /// The value of a required parameter.
    pub fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, String> {
        value.ok_or_else(|| self.missing(name))
    }

    /// The error for a required parameter that is missing.
    pub fn missing(&self, name: &str) -> String {
        format!("missing parameter '{}{name}'", self.prefix)
    }

    /// An optional string.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(name, "a string", other)),
        }
    }

    /// An optional path, not empty.
    pub fn path(&self, name: &str) -> Result<Option<String>, String> {
        match self.text(name)? {
            Some("") => Err(self.wrong(name, "empty path")),
            Some(path) if path.len() > PATH_LIMIT => Err(self.wrong(name, "path too long")),
            Some(path) if path.contains('\0') => Err(self.wrong(name, "null byte in path")),
            path => Ok(path.map(str::to_string)),
        }
    }

    /// Capabilities: a list, or a text as on the command line.
    pub fn capabilities(&self, name: &str) -> Result<Vec<Capability>, String> {
        let words: Vec<&str> = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(words)) => words.split(',').collect(),
            Some(Value::Array(words)) => {
                let word = |word: &'a Value| word.as_str().ok_or_else(|| self.wrong_item(name, word));
                words.iter().map(word).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(self.wrong_type(name, "a list of strings", other)),
        };
        let capability = |word: &str| {
            let word = cut(word, ECHO_LIMIT);
            word.parse().map_err(|wrong| self.wrong(name, wrong))
        };
        words.into_iter().map(capability).collect()
    }

    /// An optional bool.
    pub fn choice(&self, name: &str) -> Result<Option<bool>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong_type(name, "true or false", other)),
        }
    }

    /// A bool; `false` if missing.
    pub fn flag(&self, name: &str) -> Result<bool, String> {
        Ok(self.choice(name)?.unwrap_or(false))
    }

    pub fn required_text(&self, name: &str) -> Result<String, String> {
        self.required(name, self.text(name)?).map(str::to_string)
    }

    pub fn required_path(&self, name: &str) -> Result<String, String> {
        self.required(name, self.path(name)?)
    }

    /// An optional string that has to be one of `words`.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        self.text(name)?.map(|word| self.meaning(name, word, words)).transpose()
    }

    /// An optional list of strings, each of which has to be one of `words`.
    pub fn words<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<Vec<T>>, String> {
        let Some(given) = self.texts(name)? else { return Ok(None) };
        given.iter().map(|word| self.meaning(name, word, words)).collect::<Result<Vec<T>, String>>().map(Some)
    }

    fn meaning<T: Copy>(&self, name: &str, word: &str, words: &[(&str, T)]) -> Result<T, String> {
        let found = words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
        let word = cut(word, ECHO_LIMIT);
        found.ok_or_else(|| self.wrong(name, format_args!("'{word}' is none of {}", Words(words))))
    }

    /// An optional list of strings.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let Value::Array(items) = value else {
            return Err(self.wrong_type(name, "a list of strings", value));
        };
        let text =
            |item: &Value| item.as_str().map(str::to_string).ok_or_else(|| self.wrong_item(name, item));
        items.iter().map(text).collect::<Result<Vec<String>, String>>().map(Some)
    }

    /// An optional object whose members are strings, or `null` for variables to remove. Its keys must be possible
    /// names of environment variables.
    pub fn changes(&self, name: &str) -> Result<Option<EnvironmentChanges>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let Value::Object(items) = value else { return Err(self.wrong_type(name, "an object", value)) };
        let change = |(key, item): (&String, &Value)| match item {
            Value::Null => Ok((key.clone(), None)),
            Value::String(text) => Ok((key.clone(), Some(text.clone()))),
            other => Err(self.wrong_type(&format!("{name}.{key}"), "a string or null", other)),
        };
        for (key, item) in items {
            if key.is_empty() || key.contains(['=', '\0']) {
                let shown = cut(key, ECHO_LIMIT);
                return Err(self.wrong(name, format_args!("{shown:?} cannot be the name of a variable")));
            }
            if item.as_str().is_some_and(|text| text.contains('\0')) {
                return Err(self.wrong(&format!("{name}.{key}"), "null byte in a value"));
            }
        }
        items.iter().map(change).collect::<Result<Vec<_>, String>>().map(Some)
    }

    fn inner<'b>(&self, map: &'b Map<String, Value>, name: &str) -> Params<'b> {
        Params { prefix: format!("{}{name}.", self.prefix), ..Params::new(map) }
    }

    /// An optional list of objects, each converted by `make`.
    pub fn objects<T>(
        &self,
        name: &str,
        make: impl Fn(&Params) -> Result<T, String>,
    ) -> Result<Option<Vec<T>>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let Value::Array(items) = value else {
            return Err(self.wrong_type(name, "a list of objects", value));
        };
        let item = |(index, item): (usize, &Value)| match item {
            Value::Object(map) => make(&self.inner(map, &format!("{name}[{index}]"))),
            other => Err(self.wrong_type(&format!("{name}[{index}]"), "an object", other)),
        };
        items.iter().enumerate().map(item).collect::<Result<Vec<T>, String>>().map(Some)
    }

    /// An optional object.
    pub fn object<T>(
        &self,
        name: &str,
        make: impl FnOnce(&Params) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(map)) => make(&self.inner(map, name)).map(Some),
            Some(other) => Err(self.wrong_type(name, "an object", other)),
        }
    }

    /// An optional integer between `least` and `most`; `3.0` and `3e0` are accepted, too.
    pub fn number(&self, name: &str, least: u32, most: u32) -> Result<Option<u32>, String> {
        let number = self.whole(name, f64::from(least), f64::from(most))?;
        Ok(number.map(|number| number as u32))
    }

    /// An optional integer between `least` and `MAX_COUNTED`.
    pub fn count(&self, name: &str, least: u32) -> Result<Option<u64>, String> {
        let number = self.whole(name, f64::from(least), MAX_COUNTED as f64)?;
        Ok(number.map(|number| number as u64))
    }

    fn whole(&self, name: &str, least: f64, most: f64) -> Result<Option<f64>, String> {
        self.get(name).map(|value| self.whole_of(name, value, least, most)).transpose()
    }

    fn whole_of(&self, name: &str, value: &Value, least: f64, most: f64) -> Result<f64, String> {
        let whole = match value {
            Value::Number(number) => number.as_f64().filter(|n| elementary::trunc(*n) == *n),
            _ => None,
        };
        match whole {
            None => Err(self.wrong_type(name, "a whole number", value)),
            Some(number) if number < least => Err(self.wrong(name, format_args!("must be at least {least}"))),
            Some(number) if number > most => Err(self.wrong(name, format_args!("must be at most {most}"))),
            Some(number) => Ok(number),
        }
    }

    /// A list of integers.
    pub fn numbers(&self, name: &str, least: u32) -> Result<Vec<u32>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let Value::Array(items) = value else {
            return Err(self.wrong_type(name, "a list of whole numbers", value));
        };
        let number = |(index, item): (usize, &Value)| {
            let name = format!("{name}[{index}]");
            let number =
                (!item.is_null()).then(|| self.whole_of(&name, item, f64::from(least), f64::from(u32::MAX)));
            Ok(self.required(&name, number.transpose()?)? as u32)
        };
        items.iter().enumerate().map(number).collect()
    }

    /// An optional size in bytes: a number, or a text such as `512M`.
    pub fn size(&self, name: &str) -> Result<Option<u64>, String> {
        let wrong = |why: String| self.wrong(name, why);
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => parse_size(text).map(Some).map_err(wrong),
            Some(Value::Number(number)) => match number.as_u64() {
                Some(bytes) if bytes > 0 => Ok(Some(bytes)),
                _ => Err(wrong(format!("{EXPECTED_SIZE}, or a number of bytes"))),
            },
            Some(other) => Err(self.wrong_type(name, "a number of bytes, or a size such as 512M", other)),
        }
    }
}

/// Shows the words that a parameter can be.
struct Words<'a, T>(&'a [(&'a str, T)]);

impl<T> std::fmt::Display for Words<'_, T> {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        for (index, (word, _)) in self.0.iter().enumerate() {
            write!(out, "{}{word}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The error text for a value of the wrong type.
pub fn wrong_type(name: &str, wanted: &str, got: &Value) -> String {
    format!("wrong type of parameter '{name}': expected {wanted}, got {}", kind(got))
}

/// The JSON type of a value, in words.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_in_lists_of_objects_name_the_place() {
        let map = json!({"all": [{}, {"names": ["a", 1], "deny": {}, "numbers": [1, 0, null]}]});
        let map = map.as_object().unwrap();
        let wrong =
            |read: &dyn Fn(&Params) -> Result<(), String>| Params::new(map).objects("all", read).unwrap_err();
        assert_eq!(
            wrong(&|item| item.texts("names").map(drop)),
            "wrong type of parameter 'all[1].names': expected a list of strings, got one with a number"
        );
        assert_eq!(
            wrong(&|item| item.capabilities("names").map(drop)),
            "wrong type of parameter 'all[1].names': expected a list of strings, got one with a number"
        );
        assert_eq!(
            wrong(&|item| item.capabilities("deny").map(drop)),
            "wrong type of parameter 'all[1].deny': expected a list of strings, got an object"
        );
        assert_eq!(
            wrong(&|item| item.numbers("numbers", 1).map(drop)),
            "wrong parameter 'all[1].numbers[1]': must be at least 1"
        );
        assert_eq!(
            wrong(&|item| item.numbers("numbers", 0).map(drop)),
            "missing parameter 'all[1].numbers[2]'"
        );
    }
}

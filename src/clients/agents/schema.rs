//! JSON schemas of the tools' arguments and results.

use serde_json::{Map, Value, json};

/// A property of an object: its name, its schema, and whether it is required.
pub type Property = (&'static str, Value, bool);

/// An object with these properties and no others.
pub fn object(properties: impl IntoIterator<Item = Property>) -> Value {
    object_of(properties.into_iter().collect())
}

fn object_of(properties: Vec<Property>) -> Value {
    let mut members = Map::new();
    let mut required = Vec::new();
    for (name, schema, is_required) in properties {
        members.insert(name.into(), schema);
        if is_required {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
}

/// An object of any properties.
pub fn any_object(description: &str) -> Value {
    json!({"type": "object", "description": description})
}

/// A string.
pub fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// One of some words.
pub fn word(words: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": words, "description": description})
}

/// A whole number of at least `least`.
pub fn whole(least: u64, description: &str) -> Value {
    json!({"type": "integer", "minimum": least, "description": description})
}

/// Any whole number.
pub fn integer(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}

/// A bool.
pub fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// A list.
pub fn list(items: &Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "description": description})
}

/// A list of strings.
pub fn texts(description: &str) -> Value {
    list(&json!({"type": "string"}), description)
}

/// A place in a program, with the text of its line.
fn place() -> Vec<Property> {
    vec![
        ("file", text("The file, relative to the root"), true),
        ("line", whole(1, "The line, from 1"), true),
        ("source", text("The text of the line"), true),
    ]
}

/// The properties of a place and others.
pub fn at_place(more: impl IntoIterator<Item = Property>) -> Value {
    object(place().into_iter().chain(more))
}

/// A report of the checker, or a run-time error.
pub fn report() -> Value {
    at_place([
        ("severity", word(&["error", "warning"], "How bad it is"), true),
        ("code", text("The code, such as E3001"), true),
        ("message", text("What is wrong"), true),
        ("column", whole(1, "The column in characters, from 1"), true),
        ("help", text("What to do about it"), false),
    ])
}

/// A variable, or an expression with its value.
pub fn variable() -> Value {
    object([
        ("name", text("The variable or expression"), true),
        ("value", text("Its value as EZ writes it"), false),
        ("type", text("Its type"), false),
        ("error", text("Why it has no value"), false),
    ])
}

/// A frame of the stack.
pub fn frame() -> Value {
    at_place([
        ("function", text("The function"), true),
        ("variables", list(&variable(), "Its parameters, locals and globals"), false),
    ])
}

/// The output of a program.
pub fn output() -> Value {
    object([
        ("text", text("Standard output and standard error; the middle of long output is cut"), true),
        ("bytes", whole(0, "How many bytes were written"), true),
        ("cutBytes", whole(0, "How many of them are not in the text"), true),
    ])
}

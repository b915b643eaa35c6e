//! Events and what they consist of, as JSON Schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A text that is one of several words, which several events have.
macro_rules! words {
    ($name:ident, $about:literal, $($word:literal),+) => {
        #[doc = $about]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"description": $about, "type": "string", "enum": [$($word),+]})
            }
        }
    };
}

words!(
    StopReason,
    "Why the program stopped.",
    "entry",
    "step",
    "breakpoint",
    "pause",
    "function breakpoint",
    "data breakpoint",
    "exception",
    "runTo",
    "restart",
    "present",
    "end",
    "output"
);
words!(Status, "What the session is doing.", "notInitialized", "ready", "running", "stopped", "exited");
words!(
    Cause,
    "What has given a variable or a part its value.",
    "written",
    "client",
    "declared",
    "passed",
    "created"
);

/// An event of the protocol.
#[derive(Clone, Copy)]
pub struct Event {
    /// The name.
    pub name: &'static str,
    /// The first version of the protocol that has it.
    pub since: u32,
    /// What it says.
    pub about: &'static str,
    /// Whether it also comes without a command.
    pub is_unasked: bool,
    /// The schema of its data.
    pub data: fn(&mut SchemaGenerator) -> Schema,
    /// The reference to the schema of the value that the data is, with more members or without.
    pub base: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// The member that is divided if the answer does not fit into one event.
    pub divided: Option<&'static str>,
}

/// An event whose data is a `T`.
pub const fn event<T: JsonSchema>(name: &'static str, since: u32, about: &'static str) -> Event {
    Event { name, since, about, is_unasked: false, data: T::json_schema, base: None, divided: None }
}

impl Event {
    /// This event, if it also comes without a command.
    pub const fn unasked(self) -> Event {
        Event { is_unasked: true, ..self }
    }

    /// This event, if the data is a `T`, with more members or without.
    pub const fn is<T: JsonSchema>(self) -> Event {
        Event { base: Some(SchemaGenerator::subschema_for::<T>), ..self }
    }

    /// This event, if this list or text is divided when the answer does not fit into one event.
    pub const fn divided(self, member: &'static str) -> Event {
        Event { divided: Some(member), ..self }
    }
}

/// Marks the members of a struct as additions of version 2.
pub fn since_2(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).unwrap();
    for property in properties.values_mut() {
        // A bare `true` is the schema of anything.
        property.as_object_mut().unwrap().insert("x-since".into(), json!(2));
    }
}

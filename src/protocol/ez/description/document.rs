//! Makes the document, and compares it with `openrpc.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::parameters::content;
use super::types::{Event, event};
use crate::protocol::ez::capabilities::capabilities;
use crate::protocol::ez::commands::{self, Command};
use crate::protocol::ez::{VERSION, wire};
use crate::protocol::listen::Listening;

const LISTENING: Event =
    event::<Listening>("listening", 2, "Where a server is reached that serves a socket.").unasked();

fn events() -> impl Iterator<Item = Event> {
    let of_commands = commands::EVENTS.iter().copied().flatten().copied();
    wire::EVENTS.iter().copied().chain(of_commands).chain([LISTENING])
}

/// The reference to the schema of an event's data.
fn data_of(event: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{event}")})
}

/// The result of a method: the event that answers it, and its data.
fn result(answers: &[&str]) -> Value {
    let answer = |event: &&str| {
        json!({"allOf": [
            {"type": "object", "properties": {"event": {"const": event}}, "required": ["event"]},
            data_of(event),
        ]})
    };
    let answers: Vec<Value> = answers.iter().map(answer).collect();
    let schema = match answers.as_slice() {
        [one] => one.clone(),
        _ => json!({"oneOf": answers}),
    };
    json!({"name": "answer", "schema": schema})
}

fn method(command: &Command) -> Value {
    let signature = command.signature;
    let mut method = json!({
        "name": command.name,
        "summary": signature.about,
        "paramStructure": "by-name",
        "params": signature.parameters.iter().map(content).collect::<Vec<_>>(),
        "result": result(signature.answers),
        "x-since": command.since,
        "x-answers": signature.answers,
    });
    if let Some(first) = signature.first {
        method["x-first"] = json!(first);
    }
    if let Some(capability) = signature.capability {
        method["x-capability"] = json!(capability);
    }
    method
}

/// What a derived schema needs to be one of an event: no member is `null`, and a description beside a reference counts.
fn adapt(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // Beside a reference, nothing else counts.
            if members.len() > 1
                && let Some(reference) = members.shift_remove("$ref")
            {
                members.insert("allOf".into(), json!([{"$ref": reference}]));
            }
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    members["type"] = one.clone();
                }
            }
            if let Some(Value::Array(options)) = members.get_mut("anyOf") {
                options.retain(|one| *one != json!({"type": "null"}));
                if let [one] = options.as_slice() {
                    let one = one.clone();
                    members.shift_remove("anyOf");
                    members.insert("allOf".into(), json!([one]));
                }
            }
            // How a number is stored here is of no use to clients.
            if members.get("type").is_some_and(|kind| kind == "integer") {
                members.shift_remove("format");
            }
            members.values_mut().for_each(adapt);
        }
        Value::Array(items) => items.iter_mut().for_each(adapt),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn document() -> Value {
    let mut generator: SchemaGenerator = SchemaSettings::draft07()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .for_serialize()
        .into_generator();
    let mut schemas = Map::new();
    let mut described = Map::new();
    for Event { name, since, about, is_unasked, data } in events() {
        let mut schema = serde_json::to_value(data(&mut generator)).unwrap();
        schema["description"] = json!(about);
        schema["x-since"] = json!(since);
        schemas.insert(name.into(), schema);
        described
            .insert(name.into(), json!({"x-since": since, "x-unasked": is_unasked, "data": data_of(name)}));
    }
    schemas.extend(generator.take_definitions(true));
    let mut schemas = Value::Object(schemas);
    adapt(&mut schemas);
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "EZ debug protocol",
            "version": VERSION.to_string(),
            "description": "Commands and events of `ez debugserver`. SPEC.md says what they mean and in which order they come.",
            "x-serverVersion": env!("CARGO_PKG_VERSION"),
        },
        "methods": commands::all().map(method).collect::<Vec<_>>(),
        "x-events": described,
        "components": {"schemas": schemas},
    })
}

#[test]
fn the_description_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocol/ez/description/openrpc.json");
    let mut made = Vec::new();
    let indented = serde_json::ser::PrettyFormatter::with_indent(b" ");
    document().serialize(&mut serde_json::Serializer::with_formatter(&mut made, indented)).unwrap();
    let made = format!("{}\n", String::from_utf8(made).unwrap());
    if std::env::var_os("UPDATE_SPEC").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    assert!(known == made, "openrpc.json is stale: UPDATE_SPEC=1 cargo test --lib description");
}

#[test]
fn commands_name_events_and_capabilities_that_exist() {
    let names: BTreeSet<&str> = events().map(|event| event.name).collect();
    assert_eq!(names.len(), events().count(), "an event is described twice");
    let known = serde_json::to_value(capabilities(VERSION)).unwrap();
    let mut answers = BTreeMap::new();
    for command in commands::all() {
        let signature = command.signature;
        assert!(!signature.answers.is_empty(), "{} has no answer", command.name);
        for name in signature.answers.iter().chain(signature.first.iter()) {
            assert!(names.contains(name), "{}: there is no event {name}", command.name);
            answers.insert(*name, command.name);
        }
        if let Some(capability) = signature.capability {
            assert_eq!(known[capability], true, "{}", command.name);
        }
    }
    for event in events().filter(|event| !event.is_unasked) {
        assert!(answers.contains_key(event.name), "no command is answered by {}", event.name);
    }
}

/// The members of all objects that have no description.
fn undescribed(schema: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            if property.get("description").is_none() && property.get("const").is_none() {
                found.push(format!("{at}.{name}"));
            }
        }
    }
}

#[test]
fn everything_is_described() {
    let document = document();
    let mut found = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        if schema.get("description").is_none() {
            found.push(name.clone());
        }
        undescribed(schema, name, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

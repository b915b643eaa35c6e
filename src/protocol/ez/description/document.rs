//! Makes the document, and compares it with `openrpc.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::parameters::{contents, least};
use super::types::{Event, event};
use crate::protocol::ez::capabilities::capabilities;
use crate::protocol::ez::commands::{self, Command};
use crate::protocol::ez::{VERSION, wire};
use crate::protocol::listen::Listening;
use ez_engine::api::{Needs, Request};

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

/// The states of the session (`status` of the event `state`) in which a command is possible.
fn states(command: &Command, request: &Request) -> &'static [&'static str] {
    const ALL: &[&str] = &["notInitialized", "ready", "running", "stopped", "exited"];
    match request.needs() {
        Needs::Nothing if command.needs_program => &ALL[1..],
        Needs::Nothing => ALL,
        Needs::NoProgram => &["notInitialized"],
        // Also if it could not be loaded.
        Needs::Program => &ALL[1..],
        Needs::ReadyOrStopped => &["ready", "stopped"],
        Needs::Stopped | Needs::Inspectable => &["stopped"],
        Needs::Started => &["running", "stopped"],
        Needs::Running => &["running"],
        Needs::Idle => panic!("{}: a session of this protocol has no cells", command.name),
    }
}

fn method(command: &Command) -> Value {
    let mut method = json!({
        "name": command.name,
        "summary": command.about,
        "paramStructure": "by-name",
        "params": contents(command.parameters),
        "result": result(command.answers),
        "x-since": command.since,
        "x-states": states(command, &least(command)),
        "x-answers": command.answers,
    });
    if command.client > 1 {
        method["x-client"] = json!(command.client);
    }
    if let Some(first) = command.first {
        method["x-first"] = json!(first);
    }
    if let Some(capability) = command.capability {
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
    for Event { name, since, about, is_unasked, data, base, divided } in events() {
        let mut schema = serde_json::to_value(data(&mut generator)).unwrap();
        schema["description"] = json!(about);
        schema["x-since"] = json!(since);
        schemas.insert(name.into(), schema);
        let mut event = json!({"x-since": since, "x-unasked": is_unasked, "data": data_of(name)});
        if let Some(base) = base {
            event["x-is"] = base(&mut generator).get("$ref").unwrap().clone();
        }
        if let Some(member) = divided {
            event["x-divided"] = json!(member);
        }
        described.insert(name.into(), event);
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
    if std::env::var_os("EZ_MAKE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    assert!(known == made, "openrpc.json is stale: run .ci/make");
}

#[test]
fn commands_name_events_and_capabilities_that_exist() {
    let names: BTreeSet<&str> = events().map(|event| event.name).collect();
    assert_eq!(names.len(), events().count(), "an event is described twice");
    let known = serde_json::to_value(capabilities(VERSION)).unwrap();
    let told = properties(&document(), "#/components/schemas/Capabilities");
    let mut answers = BTreeMap::new();
    for command in commands::all() {
        assert!(!command.answers.is_empty(), "{} has no answer", command.name);
        for name in command.answers.iter().chain(command.first.iter()) {
            assert!(names.contains(name), "{}: there is no event {name}", command.name);
            answers.insert(*name, command.name);
        }
        if let Some(capability) = command.capability {
            assert_eq!(known[capability], true, "{}", command.name);
            let about = told[capability]["description"].as_str().unwrap();
            let is_told = about.contains(&format!("`{}`", command.name)) || capability == "history";
            assert!(is_told, "{capability}: {about} says nothing of {}", command.name);
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

/// The members of a schema of the document.
fn properties(document: &Value, reference: &str) -> Map<String, Value> {
    let schema = document.pointer(reference.trim_start_matches('#')).unwrap();
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

#[test]
fn what_an_event_is_has_the_same_members() {
    let document = document();
    for (name, event) in document["x-events"].as_object().unwrap() {
        let Some(base) = event.get("x-is").and_then(Value::as_str) else { continue };
        let data = document.pointer(event["data"]["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
        let required = &document.pointer(base.trim_start_matches('#')).unwrap()["required"];
        for (member, schema) in properties(&document, base) {
            match data["properties"].get(&member) {
                Some(own) => assert_eq!(
                    (&own["type"], &own["$ref"]),
                    (&schema["type"], &schema["$ref"]),
                    "{name}.{member}"
                ),
                None => {
                    assert!(!required.as_array().unwrap().contains(&json!(member)), "{name} has no {member}")
                }
            }
        }
    }
}

#[test]
fn answers_in_several_parts_say_what_is_divided() {
    let document = document();
    for (name, event) in document["x-events"].as_object().unwrap() {
        let members = properties(&document, event["data"]["$ref"].as_str().unwrap());
        let is_divided = members.get("part").is_some_and(|part| part["type"] == "integer");
        assert_eq!(is_divided, event.get("x-divided").is_some(), "{name}");
        if let Some(divided) = event.get("x-divided").and_then(Value::as_str) {
            let lists: Vec<&str> = members
                .iter()
                .filter(|(_, member)| member["type"] == "array")
                .map(|(name, _)| &**name)
                .collect();
            let text = members[divided]["type"] == "string";
            assert!(lists == [divided] || text && lists.is_empty(), "{name}: {divided}, {lists:?}");
        }
    }
}

#[test]
fn capabilities_tell_of_something_that_exists() {
    let document = document();
    let capabilities = properties(&document, "#/components/schemas/Capabilities");
    let text = document.to_string();
    for (name, capability) in capabilities {
        let about = capability["description"].as_str().unwrap();
        for word in about.split('`').skip(1).step_by(2) {
            assert!(text.contains(&format!("\"{word}\"")), "{name}: {word}");
        }
    }
}

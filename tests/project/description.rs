//! The description of the protocol (`ez debugserver --describe`): it is an OpenRPC document, and what recorded
//! sessions contain is what it describes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::spec::{document, recorded, sessions};

/// What OpenRPC allows in an object, besides members whose names begin with `x-`; the first ones are required.
const OPENRPC: [&str; 3] = ["openrpc", "info", "methods"];
const METHOD: [&str; 3] = ["name", "params", "result"];
const CONTENT: [&str; 2] = ["name", "schema"];

fn members<'a>(object: &'a Value, required: &[&str], optional: &[&str], at: &str) -> &'a Map<String, Value> {
    let object = object.as_object().unwrap_or_else(|| panic!("{at} is no object"));
    for name in required {
        assert!(object.contains_key(*name), "{at} has no {name}");
    }
    for name in object.keys() {
        let known = required.contains(&name.as_str()) || optional.contains(&name.as_str());
        assert!(known || name.starts_with("x-"), "{at} has {name}");
    }
    object
}

fn content(content: &Value, document: &Value, at: &str) {
    let content = members(content, &CONTENT, &["summary", "description", "required", "deprecated"], at);
    assert!(content["name"].is_string(), "{at}");
    assert!(content.get("required").is_none_or(Value::is_boolean), "{at}");
    schema(&content["schema"], document, at);
}

/// Checks that a schema has only keywords that [`wrong`] knows, and that what it refers to exists.
fn schema(schema: &Value, document: &Value, at: &str) {
    for (keyword, value) in members(schema, &[], &KEYWORDS, at) {
        match (keyword.as_str(), value) {
            ("$ref", Value::String(name)) => {
                assert!(document.pointer(name.trim_start_matches('#')).is_some(), "{at}: there is no {name}");
            }
            ("properties", Value::Object(all)) => {
                all.iter().for_each(|(name, inner)| self::schema(inner, document, &format!("{at}.{name}")));
            }
            ("items" | "additionalProperties", inner) => self::schema(inner, document, at),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => {
                assert!(!all.is_empty(), "{at}");
                all.iter().for_each(|inner| self::schema(inner, document, at));
            }
            ("type", Value::String(_)) | ("type" | "enum" | "required", Value::Array(_)) => {}
            (
                "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems",
                Value::Number(_),
            ) => {}
            ("const" | "default", _) | ("description", Value::String(_)) => {}
            (keyword, value) if keyword.starts_with("x-") => assert!(!value.is_null(), "{at}"),
            (keyword, value) => panic!("{at}: {keyword} is {value}"),
        }
    }
}

const KEYWORDS: [&str; 20] = [
    "$ref",
    "properties",
    "items",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "type",
    "enum",
    "required",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "const",
    "default",
    "description",
    "title",
];

#[test]
fn it_is_an_openrpc_document() {
    let document = document();
    members(&document, &OPENRPC, &["servers", "components", "externalDocs"], "the document");
    let version: Vec<u32> =
        document["openrpc"].as_str().unwrap().split('.').map(|number| number.parse().unwrap()).collect();
    assert!(version.len() == 3 && version[0] == 1, "{version:?}");
    let info = members(&document["info"], &["title", "version"], &["description", "license"], "info");
    assert!(info.values().all(Value::is_string));
    let mut names = BTreeSet::new();
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        members(method, &METHOD, &["summary", "description", "paramStructure", "errors", "tags"], name);
        assert!(names.insert(name), "{name} occurs twice");
        assert_eq!(method["paramStructure"], "by-name");
        let mut parameters = BTreeSet::new();
        for parameter in method["params"].as_array().unwrap() {
            content(parameter, &document, &format!("{name} {}", parameter["name"]));
            assert!(parameters.insert(parameter["name"].as_str().unwrap()), "{name}: {parameter}");
        }
        content(&method["result"], &document, name);
    }
    assert!(names.len() > 45, "{names:?}");
    let components = members(&document["components"], &["schemas"], &[], "components");
    for (name, inner) in components["schemas"].as_object().unwrap() {
        schema(inner, &document, name);
    }
    for (name, event) in document["x-events"].as_object().unwrap() {
        members(event, &["data"], &[], name);
        assert_eq!(event["data"]["$ref"], format!("#/components/schemas/{name}"));
    }
}

/// What is wrong with a value, as the schema says. Members that are not described are wrong, and those that version
/// 1 lacks are not required where there is none of them.
fn wrong(value: &Value, schema: &Value, document: &Value, at: &str) -> Option<String> {
    let schema = schema.as_object().unwrap();
    if let Some(Value::String(name)) = schema.get("$ref") {
        return wrong(value, document.pointer(name.trim_start_matches('#')).unwrap(), document, at);
    }
    if let Some(Value::Array(all)) = schema.get("allOf") {
        return all.iter().find_map(|inner| wrong(value, inner, document, at));
    }
    let is_type = match schema.get("type").and_then(Value::as_str) {
        None => true,
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(other) => panic!("{at}: {other}"),
    };
    if !is_type {
        return Some(format!("{at} is {value}"));
    }
    let allowed = schema.get("const").is_none_or(|only| only == value)
        && schema.get("enum").is_none_or(|words| words.as_array().unwrap().contains(value))
        && schema.get("minimum").is_none_or(|least| value.as_i64() >= least.as_i64());
    if !allowed {
        return Some(format!("{at} is {value}"));
    }
    match value {
        Value::Array(items) => {
            let item = schema.get("items").unwrap();
            items
                .iter()
                .enumerate()
                .find_map(|(n, value)| wrong(value, item, document, &format!("{at}[{n}]")))
        }
        Value::Object(object) => wrong_member(object, schema, document, at),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn wrong_member(
    object: &Map<String, Value>,
    schema: &Map<String, Value>,
    document: &Value,
    at: &str,
) -> Option<String> {
    let none = Map::new();
    let properties = schema.get("properties").map_or(&none, |all| all.as_object().unwrap());
    let is_new = |name: &str| properties.get(name).is_some_and(|member| member.get("x-since").is_some());
    let has_new = object.keys().any(|name| is_new(name));
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.map(|name| name.as_str().unwrap()) {
        if !object.contains_key(name) && (has_new || !is_new(name)) {
            return Some(format!("{at} has no {name}"));
        }
    }
    object.iter().find_map(|(name, value)| match properties.get(name) {
        Some(member) => wrong(value, member, document, &format!("{at}.{name}")),
        None => Some(format!("{at}.{name} is not described")),
    })
}

/// The events of recorded sessions with their data. Snapshots cut long lines: those are left out.
fn recorded_events() -> Vec<(String, Value)> {
    let lines = recorded("< ");
    let events = lines.iter().filter_map(|line| {
        let event: Value = serde_json::from_str(line).ok()?;
        let is_event = event["type"] == "event" && event.get("data").is_some();
        is_event.then(|| (event["event"].as_str().unwrap().to_string(), event["data"].clone()))
    });
    events.collect()
}

#[test]
fn recorded_events_are_as_described() {
    let document = document();
    let mut names = BTreeSet::new();
    let events = recorded_events();
    assert!(events.len() > 1000, "{}", events.len());
    for (name, data) in &events {
        let described = &document["x-events"][name.as_str()];
        assert!(described.is_object(), "{name} is not described");
        assert_eq!(wrong(data, &described["data"], &document, name), None, "{data}");
        names.insert(name.as_str());
    }
    // Where a server is reached, and how far a journey has come, differs in each session; snapshots cut long lists.
    let unrecorded = ["listening", "progress", "warnings"];
    let never: Vec<&String> = document["x-events"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| !names.contains(name.as_str()) && !unrecorded.contains(&name.as_str()))
        .collect();
    assert!(never.is_empty(), "no recorded session has {never:?}");
}

/// A recorded event with an `id` is one of those that the description names for the command with this `id`.
#[test]
fn recorded_answers_are_those_that_are_described() {
    let document = document();
    let methods = document["methods"].as_array().unwrap().iter();
    let answers: BTreeMap<&str, Vec<&Value>> = methods
        .map(|method| {
            let named = method["x-answers"].as_array().unwrap().iter().chain(method.get("x-first"));
            (method["name"].as_str().unwrap(), named.collect())
        })
        .collect();
    let mut count = 0;
    for session in sessions() {
        let mut asked: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in session.lines() {
            let message =
                line.get(2..).and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or_default();
            if message["id"].is_null() {
                continue;
            }
            let id = message["id"].to_string();
            if let Some(command) = message["command"].as_str() {
                asked.entry(id).or_default().push(command.into());
            } else if let (false, Some(commands)) = (message["event"] == "error", asked.get(&id)) {
                // An `id` can be used several times.
                let is_described = |command: &String| {
                    answers.get(command.as_str()).is_some_and(|known| known.contains(&&message["event"]))
                };
                assert!(
                    message["event"].is_null() || commands.iter().any(is_described),
                    "{commands:?}: {line}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn wrong_events_are_noticed() {
    let document = document();
    let (_, stopped) = recorded_events()
        .into_iter()
        .find(|(name, data)| name == "stopped" && data["step"].is_u64())
        .unwrap();
    let found = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut data = stopped.as_object().unwrap().clone();
        change(&mut data);
        wrong(&Value::Object(data), &document["x-events"]["stopped"]["data"], &document, "stopped")
    };
    assert_eq!(found(&|_| {}), None);
    for (name, value) in [
        ("reason", "tired".into()),
        ("threadId", 0.into()),
        ("threadId", "1".into()),
        ("description", Value::Null),
        ("more", 1.into()),
        ("location", Value::Object(Map::new())),
        ("breakpointIds", vec!["1"].into()),
    ] {
        assert!(found(&|data| drop(data.insert(name.into(), value.clone()))).is_some(), "{name}: {value}");
    }
    for name in ["reason", "location", "step"] {
        assert!(found(&|data| drop(data.remove(name))).is_some(), "{name}");
    }
}

//! The tables of SPEC.md, which are made from the description of the protocol. A table stands between two comments, of
//! which the first says what is in it:
//!
//! ```text
//! <!-- commands: start pause -->       <!-- events: stopped -->       <!-- values: Location -->
//! <!-- capabilities -->                <!-- index -->
//! ```
//!
//! `.ci/make` writes them anew.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::spec::{document, project, read};

const END: &str = "<!-- end -->";

/// The largest number of parameters that are not limited otherwise, and that of steps.
const UNLIMITED: [u64; 2] = [u32::MAX as u64, (1 << 53) - 1];

/// The description, and what is said where.
struct Tables {
    document: Value,
    /// The headings of the sections, with the names in the tables of each, by their kinds.
    sections: Vec<(String, BTreeMap<&'static str, Vec<String>>)>,
}

/// A comment that begins a table: its kind and the names in it.
fn table(line: &str) -> Option<(&'static str, Vec<String>)> {
    let said = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, names) = said.split_once(": ").unwrap_or((said, ""));
    let kinds = ["commands", "events", "values", "capabilities", "index"];
    let kind = kinds.into_iter().find(|known| *known == kind)?;
    Some((kind, names.split_whitespace().map(str::to_string).collect()))
}

fn words(words: &[Value]) -> String {
    let shown: Vec<String> =
        words.iter().map(|word| word.as_str().map_or(word.to_string(), |word| format!("`{word}`"))).collect();
    either(&shown)
}

fn either(shown: &[String]) -> String {
    match shown {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => shown.concat(),
    }
}

/// What a schema allows, in words.
fn type_text(schema: &Value) -> String {
    if let Some(reference) = reference(schema) {
        return reference.to_string();
    }
    if let Some(Value::Array(all)) = schema.get("enum") {
        return words(all);
    }
    if let Some(Value::Array(all)) = schema.get("oneOf") {
        return either(&all.iter().map(type_text).collect::<Vec<_>>());
    }
    match schema["type"].as_str() {
        Some("integer") => whole(schema),
        Some("string") if schema.get("minLength").is_some() => "path".into(),
        Some("boolean") => "bool".into(),
        Some("array") => format!("[{}]", type_text(&schema["items"])),
        Some("object") => match schema.get("additionalProperties") {
            Some(item) => format!("object of {}", type_text(item)),
            None => format!("{{{}}}", members(schema, &[], None)),
        },
        Some(other) => other.into(),
        // A text or `null`.
        None => either(
            &schema["type"]
                .as_array()
                .unwrap()
                .iter()
                .map(|kind| kind.as_str().unwrap().into())
                .collect::<Vec<_>>(),
        ),
    }
}

fn whole(schema: &Value) -> String {
    let most = schema["maximum"].as_u64().filter(|most| !UNLIMITED.contains(most));
    match (schema["minimum"].as_u64(), most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("int ≥ {least}"),
        (None, _) => "int".into(),
    }
}

fn reference(schema: &Value) -> Option<&str> {
    let inner = schema.get("allOf").map_or(schema, |all| &all[0]);
    inner.get("$ref")?.as_str()?.rsplit('/').next()
}

fn since(described: &Value) -> &'static str {
    if described.get("x-since").is_some_and(|since| *since == 2) { "²" } else { "" }
}

/// A member with its type; `or`: what can stand for it.
fn member(name: &str, is_required: bool, described: &Value, schema: &Value) -> String {
    let or = described.get("x-unless").and_then(Value::as_array);
    let or = or.map(|others| format!(" (or {})", words(others))).unwrap_or_default();
    let optional = if is_required || !or.is_empty() { "" } else { "?" };
    format!("`{name}`{optional}{}{or}: {}", since(described), type_text(schema))
}

/// The members of an object, without some; `divided`: the one that is divided.
fn members(schema: &Value, without: &[&str], divided: Option<&str>) -> String {
    let none = Map::new();
    let properties = schema.get("properties").map_or(&none, |all| all.as_object().unwrap());
    let is_required = |name: &str| {
        schema.get("required").is_some_and(|all| all.as_array().unwrap().iter().any(|one| one == name))
    };
    let shown =
        properties.iter().filter(|(name, _)| !without.contains(&name.as_str())).map(|(name, inner)| {
            let text = member(name, is_required(name), inner, inner);
            if divided == Some(name.as_str()) { text.replacen("`:", "`⁺:", 1) } else { text }
        });
    shown.collect::<Vec<_>>().join("; ")
}

impl Tables {
    fn new(spec: &str) -> Tables {
        let mut sections: Vec<(String, BTreeMap<&'static str, Vec<String>>)> = Vec::new();
        for line in spec.lines() {
            if line.starts_with("## ") || line.starts_with("### ") {
                sections.push((line.trim_start_matches('#').trim().into(), BTreeMap::new()));
            } else if let (Some((kind, names)), Some((_, tables))) = (table(line), sections.last_mut()) {
                tables.entry(kind).or_default().extend(names);
            }
        }
        Tables { document: document(), sections }
    }

    fn method(&self, name: &str) -> &Value {
        let methods = self.document["methods"].as_array().unwrap();
        methods
            .iter()
            .find(|method| method["name"] == name)
            .unwrap_or_else(|| panic!("there is no command {name}"))
    }

    fn schema(&self, name: &str) -> &Value {
        let found = self.document["components"]["schemas"].get(name);
        found.unwrap_or_else(|| panic!("there is no {name}"))
    }

    fn command(&self, name: &str) -> String {
        let method = self.method(name);
        let parameters = method["params"].as_array().unwrap().iter();
        let parameters = parameters
            .map(|one| member(one["name"].as_str().unwrap(), one["required"] == true, one, &one["schema"]));
        let first =
            method.get("x-first").map(|first| format!("{}, then ", words(std::slice::from_ref(first))));
        let answers = words(method["x-answers"].as_array().unwrap());
        let parameters = parameters.collect::<Vec<_>>().join("; ");
        let states = states(method["x-states"].as_array().unwrap());
        format!(
            "| `{name}`{} | {parameters} | {}{answers} | {states} |",
            since(method),
            first.unwrap_or_default()
        )
    }

    fn event(&self, name: &str) -> String {
        let event = &self.document["x-events"][name];
        assert!(event.is_object(), "there is no event {name}");
        let base = event.get("x-is").and_then(|base| base.as_str()?.rsplit('/').next());
        let known: Vec<&str> = base
            .map(|base| {
                self.schema(base)["properties"].as_object().unwrap().keys().map(String::as_str).collect()
            })
            .unwrap_or_default();
        let divided = event.get("x-divided").and_then(Value::as_str);
        let parts: &[&str] = if divided.is_some() { &["part", "parts"] } else { &[] };
        let own = members(self.schema(name), &[&known, parts].concat(), divided);
        let data = match base {
            Some(base) if own.is_empty() => base.to_string(),
            Some(base) => format!("{base}; {own}"),
            None if own.is_empty() => "none".into(),
            None => own,
        };
        let unasked = if event["x-unasked"] == true { "*" } else { "" };
        format!("| `{name}`{}{} | {data} |", if unasked.is_empty() { "" } else { "\\*" }, since(event))
    }

    fn capabilities(&self) -> Vec<String> {
        let all = self.schema("Capabilities")["properties"].as_object().unwrap();
        let row = |(name, one): (&String, &Value)| {
            format!("| `{name}`{} | {} |", since(one), one["description"].as_str().unwrap())
        };
        all.iter().map(row).collect()
    }

    fn index(&self) -> Vec<String> {
        let list = |names: Option<&Vec<String>>, link: &str| {
            let shown = names.into_iter().flatten().map(|name| format!("`{name}`{link}"));
            shown.collect::<Vec<_>>().join(", ")
        };
        let rows = self.sections.iter().filter(|(_, tables)| {
            ["commands", "events", "values"].iter().any(|kind| tables.contains_key(kind))
        });
        rows.map(|(heading, tables)| {
            let [commands, events, values] =
                ["commands", "events", "values"].map(|kind| list(tables.get(kind), ""));
            format!("| [{heading}](#{}) | {commands} | {events} | {values} |", anchor(heading))
        })
        .collect()
    }

    fn rows(&self, kind: &str, names: &[String]) -> String {
        let (head, rows): (&str, Vec<String>) = match kind {
            "commands" => (
                "| command | parameters | answer | possible |\n|---|---|---|---|",
                names.iter().map(|name| self.command(name)).collect(),
            ),
            "events" => ("| event | data |\n|---|---|", names.iter().map(|name| self.event(name)).collect()),
            "values" => {
                let row = |name: &String| {
                    let schema = self.schema(name);
                    let words = schema.get("enum").map(|all| words(all.as_array().unwrap()));
                    format!("| {name} | {} |", words.unwrap_or_else(|| members(schema, &[], None)))
                };
                ("| value | members |\n|---|---|", names.iter().map(row).collect())
            }
            "capabilities" => ("| capability | tells of |\n|---|---|", self.capabilities()),
            _ => ("| section | commands | events | values |\n|---|---|---|---|", self.index()),
        };
        format!("{head}\n{}\n", rows.join("\n"))
    }
}

/// In which states a command is possible, in words.
fn states(states: &[Value]) -> String {
    match states.len() {
        5 => "always".into(),
        4 => "with a program".into(),
        _ => words(states).replace('`', "").replace("notInitialized", "without a program"),
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>();
    kept.replace(' ', "-")
}

/// The text with its tables made anew.
fn made(spec: &str) -> String {
    let tables = Tables::new(spec);
    let mut made = String::new();
    let mut lines = spec.lines();
    while let Some(line) = lines.next() {
        made += &format!("{line}\n");
        if let Some((kind, names)) = table(line) {
            made += &format!("{}\n{END}\n", tables.rows(kind, &names));
            assert!(lines.any(|line| line == END), "{line} has no end");
        }
    }
    made
}

#[test]
fn they_are_those_of_the_description() {
    let spec = read("SPEC.md");
    let made = made(&spec);
    if std::env::var_os("EZ_MAKE").is_some() {
        std::fs::write(project("SPEC.md"), &made).unwrap();
    }
    assert!(read("SPEC.md") == made, "the tables are stale: run .ci/make");
}

#[test]
fn everything_is_in_one_table() {
    let tables = Tables::new(&read("SPEC.md"));
    let listed = |kind: &str| {
        let mut names: Vec<&String> =
            tables.sections.iter().flat_map(|(_, tables)| tables.get(kind).into_iter().flatten()).collect();
        names.sort();
        names.into_iter().cloned().collect::<Vec<_>>()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let methods = tables.document["methods"].as_array().unwrap().iter();
    let commands = methods.map(|method| method["name"].as_str().unwrap().to_string()).collect();
    assert_eq!(listed("commands"), sorted(commands));
    let events = tables.document["x-events"].as_object().unwrap();
    assert_eq!(listed("events"), sorted(events.keys().cloned().collect()));
    let schemas = tables.document["components"]["schemas"].as_object().unwrap().keys();
    let values =
        schemas.filter(|name| !events.contains_key(*name) && *name != "Capabilities").cloned().collect();
    assert_eq!(listed("values"), sorted(values));
}

//! What the server can do beyond the base protocol.

use serde::{Serialize, Serializer};

use super::commands;

/// The capabilities of version 1.
const VERSION_1: &[&str] = &["conditionalBreakpoints", "pause", "input", "stackTraceTotal", "deny"];

/// The capabilities that version 2 added. Those of later commands follow: they are in the rows of the commands.
const VERSION_2: &[&str] = &[
    "arguments",
    "environment",
    "stopOnEntry",
    "keepAlive",
    "source",
    "restart",
    "kill",
    "state",
    "memoryLimit",
    "hitConditions",
    "logPoints",
    "functionBreakpoints",
    "exceptionBreakpoints",
    "dataBreakpoints",
    "breakpointLocations",
    "runTo",
    "stepTargets",
    "returnValues",
    "children",
    "setVariable",
    "evaluateContexts",
    "completions",
    "watches",
    "history",
    "replay",
    "radix",
];

/// Names of capabilities; serialized as an object of `true`s.
pub struct Capabilities(Vec<&'static str>);

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|name| (name, true)))
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Capabilities {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Capabilities".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let told = |name: &str| {
            let since = if VERSION_1.contains(&name) { 1 } else { 2 };
            (name.to_string(), serde_json::json!({"const": true, "x-since": since}))
        };
        let properties: serde_json::Map<_, _> = capabilities(2).0.into_iter().map(told).collect();
        schemars::json_schema!({
            "description": "What the server can do, each with `true`.",
            "type": "object",
            "properties": properties,
        })
    }
}

/// The capabilities of the server in this version of the protocol, in the order of the protocol.
pub fn capabilities(version: u32) -> Capabilities {
    let mut names = VERSION_1.to_vec();
    if version >= 2 {
        names.extend(VERSION_2);
        names.extend(commands::capabilities());
    }
    Capabilities(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_those_of_the_specification() {
        let spec = include_str!("../../../SPEC.md");
        let (_, list) = spec.split_once("The capabilities are those of version 1 and ").unwrap();
        let described: Vec<&str> = list.lines().next().unwrap().split('`').skip(1).step_by(2).collect();
        assert_eq!(capabilities(2).0, [VERSION_1, &described].concat());
    }
}

//! What the server can do beyond the base protocol.

use serde::{Serialize, Serializer};

use super::commands;

/// A capability, and what it tells of.
type Capability = (&'static str, &'static str);

/// The capabilities of version 1.
const VERSION_1: &[Capability] = &[
    ("conditionalBreakpoints", "`condition` of breakpoints"),
    ("pause", "`pause`"),
    ("input", "`input`"),
    ("stackTraceTotal", "`total` of `stackTrace`"),
    ("deny", "`deny` of `initialize`"),
];

/// The capabilities that version 2 added. Those of later commands follow: they are in the rows of the commands.
const VERSION_2: &[Capability] = &[
    ("arguments", "`args` of `initialize` and `restart`"),
    ("environment", "`env` of `initialize` and `restart`"),
    ("stopOnEntry", "`stopOnEntry` of `initialize`"),
    ("keepAlive", "`keepAlive` of `initialize`"),
    ("source", "`source` of `initialize`"),
    ("restart", "`restart`"),
    ("kill", "`kill`"),
    ("state", "`getState`"),
    ("memoryLimit", "`memoryLimit` of `initialize`"),
    ("hitConditions", "`hitCondition` of breakpoints"),
    ("logPoints", "`logMessage` of breakpoints"),
    ("functionBreakpoints", "`setFunctionBreakpoints`"),
    ("exceptionBreakpoints", "`setExceptionBreakpoints`"),
    ("dataBreakpoints", "`setDataBreakpoints`"),
    ("breakpointLocations", "`breakpointLocations`"),
    ("runTo", "`runTo`"),
    ("stepTargets", "`getStepTargets`, and `targetId` of `stepInto`"),
    ("returnValues", "`returnValue` of `stopped`"),
    ("children", "`getChildren`, and `reference` of values"),
    ("setVariable", "`setVariable`"),
    ("evaluateContexts", "`context`, `format` and `timeoutMs` of `evaluate`"),
    ("completions", "`completions`"),
    ("watches", "`addWatch`, `removeWatch` and `getWatches`"),
    ("history", "`history` of `initialize`, and the commands that go back"),
    ("replay", "`replay` of `initialize`"),
    ("radix", "`radix`, wherever an answer has values"),
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
        let listed = |(name, about): &Capability, since| (*name, about.to_string(), since);
        let first = VERSION_1.iter().map(|one| listed(one, 1));
        let second = VERSION_2.iter().map(|one| listed(one, 2));
        let later = commands::all().filter_map(|command| Some((command.capability?, of_command(command), 2)));
        let told = |(name, about, since): (&str, String, u32)| {
            let schema = serde_json::json!({"description": about, "const": true, "x-since": since});
            (name.to_string(), schema)
        };
        let properties: serde_json::Map<_, _> = first.chain(second).chain(later).map(told).collect();
        schemars::json_schema!({
            "description": "What the server can do, each with `true`.",
            "type": "object",
            "properties": properties,
            "additionalProperties": {"const": true},
        })
    }
}

/// What a capability tells of that is named by a command.
#[cfg(test)]
fn of_command(command: &commands::Command) -> String {
    let others = commands::all().filter(|other| other.signature.capability == command.capability);
    let names: Vec<String> = others.map(|command| format!("`{}`", command.name)).collect();
    names.join(", ")
}

/// The capabilities of the server in this version of the protocol, in the order of the protocol.
pub fn capabilities(version: u32) -> Capabilities {
    let name = |(name, _): &Capability| *name;
    let mut names: Vec<_> = VERSION_1.iter().map(name).collect();
    if version >= 2 {
        names.extend(VERSION_2.iter().map(name));
        names.extend(commands::capabilities());
    }
    Capabilities(names)
}

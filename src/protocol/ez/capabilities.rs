//! What the server can do beyond the base protocol.

use serde::{Serialize, Serializer};

/// All capabilities in the order of the protocol: the name, the first version that has it, and what it tells of.
const ALL: &[(&str, u32, &str)] = &[
    ("conditionalBreakpoints", 1, "`condition` of breakpoints"),
    ("pause", 1, "`pause`"),
    ("input", 1, "`input`"),
    ("stackTraceTotal", 1, "`total` of `stackTrace`"),
    ("deny", 1, "`deny` of `initialize`"),
    ("arguments", 2, "`args` of `initialize` and `restart`"),
    ("environment", 2, "`env` of `initialize` and `restart`"),
    ("stopOnEntry", 2, "`stopOnEntry` of `initialize`"),
    ("keepAlive", 2, "`keepAlive` of `initialize`"),
    ("source", 2, "`source` of `initialize`"),
    ("restart", 2, "`restart`"),
    ("kill", 2, "`kill`"),
    ("state", 2, "`getState`"),
    ("memoryLimit", 2, "`memoryLimit` of `initialize`"),
    ("hitConditions", 2, "`hitCondition` of breakpoints"),
    ("logPoints", 2, "`logMessage` of breakpoints"),
    ("functionBreakpoints", 2, "`setFunctionBreakpoints`"),
    ("exceptionBreakpoints", 2, "`setExceptionBreakpoints`"),
    ("dataBreakpoints", 2, "`setDataBreakpoints`"),
    ("breakpointLocations", 2, "`breakpointLocations`"),
    ("runTo", 2, "`runTo`"),
    ("stepTargets", 2, "`getStepTargets`, and `targetId` of `stepInto`"),
    ("returnValues", 2, "`returnValue` of `stopped`"),
    ("children", 2, "`getChildren`, and `reference` of values"),
    ("setVariable", 2, "`setVariable`"),
    ("evaluateContexts", 2, "`context`, `format` and `timeoutMs` of `evaluate`"),
    ("completions", 2, "`completions`"),
    ("watches", 2, "`addWatch`, `removeWatch` and `getWatches`"),
    ("history", 2, "`history` of `initialize`, and the commands that go back"),
    ("replay", 2, "`replay` of `initialize`"),
    ("radix", 2, "`radix`, wherever an answer has values"),
    ("unfold", 2, "`unfold`"),
    ("changes", 2, "`changes`"),
    ("outputStep", 2, "`outputStep`"),
    ("processes", 2, "`getProcesses`, `releaseChild`"),
    ("expectedOutput", 2, "`setExpectedOutput`"),
    ("sharing", 2, "`share`, `unshare`, `getGuests`"),
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
        let told = |(name, since, about): &(&str, u32, &str)| {
            let schema = serde_json::json!({"description": about, "const": true, "x-since": since});
            (name.to_string(), schema)
        };
        let properties: serde_json::Map<_, _> = ALL.iter().map(told).collect();
        schemars::json_schema!({
            "description": "What the server can do, each with `true`.",
            "type": "object",
            "properties": properties,
            "additionalProperties": {"const": true},
        })
    }
}

/// The capabilities of the server in this version of the protocol.
pub fn capabilities(version: u32) -> Capabilities {
    let name = |(name, since, _): &(&'static str, u32, &str)| (*since <= version.max(1)).then_some(*name);
    Capabilities(ALL.iter().filter_map(name).collect())
}

//! What the adapter says that it can do.

use serde_json::{Value, json};

/// What is supported over a socket only: on standard streams no client could come later to a program that goes on.
pub const SUPPORTED_BY_LISTENERS: [&str; 2] = ["supportTerminateDebuggee", "supportSuspendDebuggee"];

/// The adapter's capabilities.
pub fn capabilities(listens: bool) -> Value {
    let filter = |name: &str, label: &str, description: &str, default: bool| {
        json!({
            "filter": name,
            "label": label,
            "description": description,
            "default": default,
            "supportsCondition": true,
            "conditionDescription": "A bool expression that may use the variable error: error.code == \"E5001\"",
        })
    };
    let mut capabilities = json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": [
            filter("uncaught", "Run-time errors", "Stops where a run-time error happens, before it ends the program", true),
            filter("errorValue", "Error values", "Stops where an Error value that is not nil is created", false),
        ],
        "supportsSetVariable": true,
        "supportsRestartRequest": true,
        "supportsStepInTargetsRequest": true,
        "supportsCompletionsRequest": true,
        "completionTriggerCharacters": ["."],
        "supportsModulesRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLoadedSourcesRequest": true,
        "supportsLogPoints": true,
        "supportsSetExpression": true,
        "supportsStepBack": true,
        "supportsRestartFrame": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsCancelRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsClipboardContext": true,
        "supportsValueFormattingOptions": true,
        "supportsExceptionFilterOptions": true,
    });
    if let (true, Value::Object(capabilities)) = (listens, &mut capabilities) {
        for name in SUPPORTED_BY_LISTENERS {
            capabilities.insert(name.into(), true.into());
        }
    }
    capabilities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::dap::REQUESTS;

    /// The requests of the protocol for which there is no capability.
    const ALWAYS: &[&str] = &[
        "initialize",
        "launch",
        "attach",
        "disconnect",
        "threads",
        "pause",
        "continue",
        "next",
        "stepIn",
        "stepOut",
        "setBreakpoints",
        "setExceptionBreakpoints",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "source",
    ];

    fn names() -> impl Iterator<Item = &'static str> {
        REQUESTS.iter().copied().flatten().map(|(name, _)| *name)
    }

    /// The capability of a request is named after it, with few exceptions.
    fn is_announced(name: &str) -> bool {
        let capabilities = capabilities(true);
        let subject = match name {
            "reverseContinue" => "stepBack",
            "dataBreakpointInfo" => "dataBreakpoints",
            _ => name,
        };
        let subject =
            subject.strip_prefix("set").filter(|rest| rest.ends_with("Breakpoints")).unwrap_or(subject);
        let (first, rest) = subject.split_at(1);
        let flag = format!("supports{}{rest}", first.to_uppercase());
        [format!("{flag}Request"), flag].iter().any(|flag| capabilities.get(flag) == Some(&true.into()))
    }

    #[test]
    fn requests_are_announced() {
        let described = include_str!("../../../docs/editors.md");
        assert!(names().count() > 40);
        for name in names() {
            assert!(
                ALWAYS.contains(&name) || is_announced(name) || described.contains(&format!("`{name}`")),
                "{name} has no capability, and docs/editors.md does not describe it"
            );
        }
    }

    #[test]
    fn announced_requests_are_there() {
        let Value::Object(capabilities) = capabilities(true) else { panic!("no object") };
        let requests =
            capabilities.keys().filter_map(|flag| flag.strip_prefix("supports")?.strip_suffix("Request"));
        let requests: Vec<&str> = requests.collect();
        assert!(requests.len() > 8, "{requests:?}");
        for request in requests {
            assert!(names().any(|name| name.eq_ignore_ascii_case(request)), "there is no request {request}");
        }
    }
}

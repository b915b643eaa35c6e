//! What the adapter says that it can do.

use serde_json::{Value, json};

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
    // On standard streams no client could connect later to a program that goes on.
    if let (true, Value::Object(capabilities)) = (listens, &mut capabilities) {
        capabilities.insert("supportTerminateDebuggee".into(), true.into());
    }
    capabilities
}

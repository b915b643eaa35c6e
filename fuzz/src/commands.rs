//! Messages that clients may send: those of our own protocol are made from its description, those of the Debug Adapter
//! Protocol from a table.

use std::sync::LazyLock;

use ez_debugger::protocol::ez::description::DOCUMENT;
use serde_json::{Value, json};

use crate::mutate::Random;
use crate::words::VALUES;

/// Values that mean something, by the name of the parameter.
#[rustfmt::skip]
const KNOWN: &[(&str, &[&str])] = &[
    ("file", &["/p/main.ez", "main.ez", "/p/a.ez"]),
    ("expression", &["x", "x + 1", "x[0]", "f(1)", "x = 5", "p.a", "len(x)", "x[0] = 3", "temp y int = 1", "println(x)", "1 / 0"]),
    ("condition", &["x > 1", "true", "x ==", "f(x) == 1", "y"]),
    ("hitCondition", &["2", ">= 2", "% 2", "0", "x"]),
    ("logMessage", &["x is {x}", "{", "{x + }", "{f(x)}", "plain"]),
    ("name", &["x", "p", "xs", "m", "main", "f", "i", "[0]"]),
    ("value", &["1", "x + 1", "nil", "{1, 2}", "\"a\"", "f(2)"]),
    ("text", &["x.", "x", "abc\n", "pri", "", "p."]),
    ("notation", &["brackets", "braces", "ez"]),
];

/// Numbers below this one are tried.
const NUMBERS: usize = 13;

/// A command, and its parameters with the values to choose from.
type Command = (String, Vec<(String, Vec<Value>)>);

/// The commands of the description.
static EZ: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(DOCUMENT).expect("JSON");
    let methods = document["methods"].as_array().expect("methods");
    methods.iter().map(|method| command(method, &document)).collect()
});

fn command(method: &Value, document: &Value) -> Command {
    let params = method["params"].as_array().into_iter().flatten();
    let values = |param: &Value| {
        let name = param["name"].as_str().unwrap_or_default();
        let known = KNOWN.iter().filter(|(known, _)| *known == name).flat_map(|(_, values)| *values);
        let mut found: Vec<Value> = known.map(|value| json!(value)).collect();
        of_schema(&param["schema"], document, &mut found, 0);
        (name.to_string(), found)
    };
    (method["name"].as_str().unwrap_or_default().to_string(), params.map(values).collect())
}

/// Adds values that a schema allows.
fn of_schema(schema: &Value, document: &Value, found: &mut Vec<Value>, depth: usize) {
    if depth > 4 {
        return;
    }
    found.extend(schema["enum"].as_array().into_iter().flatten().cloned());
    found.extend(schema.get("const").cloned());
    if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
        of_schema(&document["components"]["schemas"][name], document, found, depth + 1);
    }
    for part in ["allOf", "oneOf", "anyOf"] {
        let all = schema[part].as_array().into_iter().flatten();
        all.for_each(|one| of_schema(one, document, found, depth + 1));
    }
    match schema["type"].as_str() {
        Some("boolean") => found.extend([json!(true), json!(false)]),
        Some("integer") => found.extend((0..NUMBERS).map(|number| json!(number))),
        Some("array") => {
            let mut items = Vec::new();
            of_schema(&schema["items"], document, &mut items, depth + 1);
            found.push(json!([]));
            found.extend(items.into_iter().map(|item| json!([item])));
        }
        Some("object") => {
            let mut object = serde_json::Map::new();
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                let known = KNOWN.iter().find(|(known, _)| known == name).map(|(_, values)| json!(values[0]));
                let mut values: Vec<Value> = known.into_iter().collect();
                of_schema(schema, document, &mut values, depth + 1);
                object.extend(values.into_iter().next_back().map(|value| (name.clone(), value)));
            }
            found.push(Value::Object(object));
        }
        _ => {}
    }
}

fn params(command: &Command, random: &mut Random) -> Value {
    let mut found = serde_json::Map::new();
    for (name, values) in &command.1 {
        if random.below(5) < 3 {
            let value = if values.is_empty() || random.one_in(10) {
                serde_json::from_str(random.pick(VALUES)).unwrap_or_default()
            } else {
                values[random.below(values.len())].clone()
            };
            found.insert(name.clone(), value);
        }
    }
    Value::Object(found)
}

/// Commands that are sent more often.
const OFTEN: [&str; 6] = ["initialize", "start", "stepInto", "stepOver", "continue", "evaluate"];

fn chosen(random: &mut Random) -> &'static Command {
    let name = random.pick(&OFTEN);
    let often = EZ.iter().find(|(known, _)| *known == name).filter(|_| random.one_in(3));
    often.unwrap_or_else(|| &EZ[random.below(EZ.len())])
}

/// A command of the line protocol.
pub fn ez(random: &mut Random) -> String {
    let command = chosen(random);
    let mut message = json!({"type": "command", "command": command.0, "params": params(command, random)});
    if !random.one_in(4) {
        message["id"] = json!(1000 + random.below(1_000_000));
    }
    message.to_string()
}

/// The same of one of several clients, whose number precedes it.
pub fn of_a_client(random: &mut Random) -> String {
    format!("{}{}", random.below(4), ez(random))
}

/// A message of JSON-RPC.
pub fn rpc(random: &mut Random) -> String {
    let command = chosen(random);
    let mut message = json!({"jsonrpc": "2.0", "method": command.0, "params": params(command, random)});
    if !random.one_in(4) {
        message["id"] = json!(1000 + random.below(1_000_000));
    }
    message.to_string()
}

/// Requests of the Debug Adapter Protocol, each with arguments to choose from.
#[rustfmt::skip]
const DAP: &[(&str, &[&str])] = &[
    ("initialize", &[r#"{"adapterID":"ez","linesStartAt1":true,"columnsStartAt1":true,"supportsVariableType":true,"supportsProgressReporting":true,"supportsInvalidatedEvent":true,"supportsMemoryEvent":true}"#, r#"{"adapterID":"ez","linesStartAt1":false}"#, "{}"]),
    ("launch", &[r#"{"program":"/p/main.ez","stopOnEntry":true}"#, r#"{"program":"/p/main.ez"}"#, r#"{"program":"/p/main.ez","stopOnEntry":true,"history":true}"#, r#"{"program":"/p/main.ez","noDebug":true}"#, r#"{"program":"/p/none.ez"}"#, r#"{"program":"/p/main.ez","args":["a"],"env":{"A":"b"},"stopOnEntry":true}"#]),
    ("configurationDone", &["{}"]),
    ("disconnect", &[r#"{"terminateDebuggee":true}"#, r#"{"terminateDebuggee":false}"#, r#"{"restart":true}"#]),
    ("terminate", &["{}"]),
    ("restart", &["{}", r#"{"arguments":{"stopOnEntry":true}}"#]),
    ("cancel", &[r#"{"requestId":1}"#, r#"{"requestId":1002}"#, r#"{"progressId":"1"}"#]),
    ("setBreakpoints", &[r#"{"source":{"path":"/p/main.ez"},"breakpoints":[{"line":3},{"line":5}]}"#, r#"{"source":{"path":"/p/main.ez"},"breakpoints":[{"line":4,"condition":"x > 1","hitCondition":"2"}]}"#, r#"{"source":{"path":"main.ez"},"breakpoints":[{"line":4,"logMessage":"x is {x}","column":5}]}"#, r#"{"source":{"name":"x"},"breakpoints":[]}"#]),
    ("setFunctionBreakpoints", &[r#"{"breakpoints":[{"name":"f"}]}"#, r#"{"breakpoints":[{"name":"f","condition":"x > 1"}]}"#]),
    ("setDataBreakpoints", &[r#"{"breakpoints":[{"dataId":"x","accessType":"write"}]}"#, r#"{"breakpoints":[]}"#]),
    ("setExceptionBreakpoints", &[r#"{"filters":["uncaught"]}"#, r#"{"filters":["errorValue"]}"#, r#"{"filters":[],"filterOptions":[{"filterId":"uncaught","condition":"x"}]}"#]),
    ("dataBreakpointInfo", &[r#"{"name":"x","variablesReference":1}"#, r#"{"name":"x","frameId":1}"#, r#"{"name":"[0]","variablesReference":2}"#]),
    ("breakpointLocations", &[r#"{"source":{"path":"/p/main.ez"},"line":1,"endLine":9}"#]),
    ("continue", &[r#"{"threadId":1}"#]),
    ("next", &[r#"{"threadId":1}"#, r#"{"threadId":1,"granularity":"line"}"#]),
    ("stepIn", &[r#"{"threadId":1}"#, r#"{"threadId":1,"targetId":1}"#]),
    ("stepOut", &[r#"{"threadId":1}"#]),
    ("stepBack", &[r#"{"threadId":1}"#]),
    ("reverseContinue", &[r#"{"threadId":1}"#]),
    ("pause", &[r#"{"threadId":1}"#]),
    ("restartFrame", &[r#"{"frameId":1}"#]),
    ("goto", &[r#"{"threadId":1,"targetId":1}"#]),
    ("gotoTargets", &[r#"{"source":{"path":"/p/main.ez"},"line":4}"#]),
    ("stackTrace", &[r#"{"threadId":1}"#, r#"{"threadId":1,"startFrame":1,"levels":1}"#, r#"{"threadId":1,"format":{"parameters":true,"parameterValues":true,"line":true,"hex":true}}"#]),
    ("scopes", &[r#"{"frameId":1}"#, r#"{"frameId":2}"#]),
    ("variables", &[r#"{"variablesReference":1}"#, r#"{"variablesReference":2,"start":0,"count":1}"#, r#"{"variablesReference":3,"filter":"indexed","format":{"hex":true}}"#]),
    ("setVariable", &[r#"{"variablesReference":1,"name":"x","value":"5"}"#, r#"{"variablesReference":2,"name":"[0]","value":"x"}"#]),
    ("setExpression", &[r#"{"expression":"x[0]","value":"3","frameId":1}"#, r#"{"expression":"x","value":"x + 1","frameId":1}"#]),
    ("evaluate", &[r#"{"expression":"x","frameId":1,"context":"hover"}"#, r#"{"expression":"f(x)","frameId":1,"context":"watch"}"#, r#"{"expression":"x = 2","context":"repl"}"#, r#"{"expression":"println(x)","frameId":1,"context":"repl"}"#, r#"{"expression":"/help","context":"repl"}"#]),
    ("completions", &[r#"{"text":"x.","column":3,"frameId":1}"#, r#"{"text":"pri","column":2}"#]),
    ("stepInTargets", &[r#"{"frameId":1}"#]),
    ("source", &[r#"{"sourceReference":1}"#, r#"{"source":{"path":"/p/main.ez"},"sourceReference":0}"#]),
    ("loadedSources", &["{}"]),
    ("modules", &["{}", r#"{"startModule":1,"moduleCount":1}"#]),
    ("threads", &["{}"]),
    ("exceptionInfo", &[r#"{"threadId":1}"#]),
    ("unfold", &[r#"{"frameId":1}"#]),
    ("lastChange", &[r#"{"name":"x","frameId":1}"#]),
    ("changes", &[r#"{"name":"x","frameId":1}"#]),
    ("goToStep", &[r#"{"step":3}"#]),
    ("goToPresent", &["{}"]),
    ("input", &[r#"{"text":"a\n"}"#]),
];

/// A request of the Debug Adapter Protocol, or something that has no name there.
pub fn dap(random: &mut Random) -> String {
    let (name, arguments) = random.pick(DAP);
    let arguments: Value = serde_json::from_str(random.pick(arguments)).unwrap_or_default();
    let seq = 1000 + random.below(1_000_000);
    json!({"seq": seq, "type": "request", "command": name, "arguments": arguments}).to_string()
}

/// Lines of recordings.
#[rustfmt::skip]
const CALLS: &[&str] = &[
    r#"{"Write":{"stream":"Stdout","text":"a\n","failed":null}}"#, r#"{"Wrote":{"bytes":2,"hash":1}}"#,
    r#"{"WriteFailed":"no"}"#, r#"{"Line":{"Ok":"abc\n"}}"#, r#"{"Line":{"Ok":null}}"#, r#"{"Line":{"Err":"no"}}"#,
    r#"{"Sleep":{"secs":1,"nanos":0}}"#, r#"{"Now":[1,2]}"#, r#"{"Now":[9223372036854775807,4294967295]}"#,
    r#"{"Now":[-9223372036854775808,0]}"#, r#"{"Seed":1}"#, r#"{"Ended":{"Status":0}}"#, r#"{"Ended":{"Signal":9}}"#,
    r#"{"Ended":{"Status":-1}}"#,
];

/// A line of a recording.
pub fn call(random: &mut Random) -> String {
    random.pick(CALLS).to_string()
}

//! The debugger of a kernel, as notebooks use it.

use serde_json::{Value, json};

use super::client::{Client, Kernel, To, joined};

const FUNCTION: &str = "do area(width int, height int) -> int {\n    temp size int = width * height\n    size += 1\n    return size\n}";
const CALL: &str = "temp result int = area(3, 4)\nprintln(result)";

impl Client {
    /// The response to a request of the debugger.
    fn debug(&mut self, command: &str, arguments: Value) -> Value {
        let request = json!({"type": "request", "seq": 7, "command": command, "arguments": arguments});
        let response = self.ask(To::Control, "debug_request", request);
        assert_eq!((&response["type"], &response["request_seq"]), (&json!("response"), &json!(7)));
        assert_eq!(response["command"], command);
        response
    }

    /// The body of the response to a request that succeeds.
    fn body(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.debug(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    /// Why a request fails.
    fn why_not(&mut self, command: &str, arguments: Value) -> String {
        let response = self.debug(command, arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().unwrap().to_string()
    }

    /// The body of the next event of the debugger with that name.
    fn debug_event(&mut self, name: &str) -> Value {
        loop {
            let message = self.told();
            if message["type"] == "debug_event" && message["content"]["event"] == name {
                return message["content"]["body"].clone();
            }
        }
    }

    /// Switches the debugger on; gives the path of a cell.
    fn attach(&mut self, code: &str) -> String {
        self.body("initialize", json!({"clientID": "test", "adapterID": "ez"}));
        assert_eq!(self.body("debugInfo", json!({}))["isStarted"], true);
        self.body("attach", json!({}));
        self.path(code)
    }

    fn path(&mut self, code: &str) -> String {
        self.body("dumpCell", json!({"code": code}))["sourcePath"].as_str().unwrap().to_string()
    }

    /// Sets breakpoints; gives those of the response.
    fn set(&mut self, path: &str, breakpoints: Value) -> Value {
        let arguments = json!({"source": {"path": path}, "breakpoints": breakpoints});
        self.body("setBreakpoints", arguments)["breakpoints"].clone()
    }

    /// Begins a cell.
    fn begin(&mut self, code: &str) -> String {
        self.send(To::Shell, "execute_request", json!({"code": code}))
    }

    /// Waits for a stop; gives the reason.
    fn stopped(&mut self) -> String {
        self.debug_event("stopped")["reason"].as_str().unwrap().to_string()
    }

    /// Lets the program go on; a page goes by the event that tells it.
    fn resume(&mut self, command: &str) {
        self.body(command, json!({"threadId": 1}));
        assert_eq!(self.debug_event("continued")["threadId"], 1);
    }

    /// Waits until a cell has ended; gives what it has printed since, and the status of the reply.
    fn end(&mut self, id: &str) -> (String, String) {
        let mut told = Vec::new();
        loop {
            let message = self.told();
            if message["parent"] != json!(id) {
                continue;
            }
            if message["content"]["execution_state"] == "idle" {
                break;
            }
            told.push((message["type"].as_str().unwrap().to_string(), message["content"].clone()));
        }
        let reply = self.next(To::Shell);
        assert_eq!(reply["parent"], json!(id));
        (joined(&told), reply["content"]["status"].as_str().unwrap().to_string())
    }

    /// The innermost frame: its name, line and number.
    fn top(&mut self) -> (String, u64, Value) {
        let frame = self.body("stackTrace", json!({"threadId": 1}))["stackFrames"][0].clone();
        (frame["name"].as_str().unwrap().to_string(), frame["line"].as_u64().unwrap(), frame["id"].clone())
    }

    /// The variables of the innermost scope: names with values.
    fn locals(&mut self) -> Vec<(String, String)> {
        let frame = self.top().2;
        let scopes = self.body("scopes", json!({"frameId": frame}))["scopes"].clone();
        let reference = scopes[0]["variablesReference"].clone();
        named(&self.body("variables", json!({"variablesReference": reference}))["variables"])
    }
}

/// Names and values of variables.
fn named(variables: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    variables.as_array().unwrap().iter().map(|one| (text(&one["name"]), text(&one["value"]))).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.into(), value.into())
}

#[test]
fn a_breakpoint_in_a_cell_stops_it() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let info = client.body("debugInfo", json!({}));
    assert_eq!(
        (&info["isStarted"], &info["hashMethod"], &info["hashSeed"]),
        (&json!(false), &json!("Murmur2"), &json!(3_339_675_911_u32))
    );
    let path = client.attach(FUNCTION);
    let prefix = info["tmpFilePrefix"].as_str().unwrap();
    assert!(path.starts_with(prefix) && path.ends_with(".ez"), "{path}");
    // Before the cell has run.
    assert_eq!(client.set(&path, json!([{"line": 2}]))[0]["verified"], true);
    client.body("configurationDone", json!({}));
    assert_eq!(client.printed(FUNCTION), "");
    let id = client.begin(CALL);
    assert_eq!(client.stopped(), "breakpoint");
    let (name, line, _) = client.top();
    assert_eq!((name.as_str(), line), ("area", 2));
    assert_eq!(client.locals(), [pair("width", "3"), pair("height", "4")]);
    assert_eq!(client.body("source", json!({"source": {"path": path}}))["content"], FUNCTION);
    client.resume("next");
    assert_eq!(client.stopped(), "step");
    assert_eq!(client.top().1, 3);
    let rich = client.body("richInspectVariables", json!({"variableName": "size"}));
    assert_eq!(rich["data"]["text/plain"], "12");
    assert!(client.why_not("variables", json!({"variablesReference": 999_999})).len() > 5);
    let frame = client.top().2;
    let copy = json!({"srcVariableName": "size", "dstVariableName": "kept", "srcFrameId": frame});
    client.body("copyToGlobals", copy);
    let changed =
        client.body("evaluate", json!({"expression": "width * 2", "frameId": frame, "context": "watch"}));
    assert_eq!(changed["result"], "6");
    client.resume("continue");
    assert_eq!(client.end(&id), ("13\n".into(), "ok".into()));
    assert_eq!(client.printed("println(kept)"), "12\n");
    let variables = named(&client.body("inspectVariables", json!({}))["variables"]);
    assert!(
        variables.contains(&pair("result", "13")) && variables.contains(&pair("kept", "12")),
        "{variables:?}"
    );
    // After it has run, in the cell that calls.
    let path = client.path(CALL);
    assert_eq!(client.set(&path, json!([{"line": 2}]))[0]["verified"], true);
    let id = client.begin(CALL);
    client.stopped();
    client.resume("continue");
    client.stopped();
    assert_eq!(client.top().1, 2);
    client.resume("continue");
    assert_eq!(client.end(&id).0, "13\n");
    client.shut_down(kernel);
}

#[test]
fn variables_can_be_asked_for_while_a_cell_runs() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("temp x int = 5");
    let path = client.attach("loop { temp q int = 1 }");
    assert!(path.contains("ipykernel_"), "{path}");
    let id = client.begin("loop { temp q int = 1 }");
    while client.told()["content"]["execution_state"] != "busy" {}
    assert_eq!(client.body("inspectVariables", json!({}))["variables"], json!([]));
    client.ask(To::Control, "interrupt_request", json!({}));
    assert_eq!(client.end(&id).1, "error");
    assert_eq!(named(&client.body("inspectVariables", json!({}))["variables"]), [pair("x", "5")]);
    client.shut_down(kernel);
}

#[test]
fn late_front_ends_see_the_stop_and_go_on() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let path = client.attach(FUNCTION);
    client.set(&path, json!([{"line": 3}]));
    client.run(FUNCTION);
    let id = client.begin(CALL);
    client.stopped();
    let mut late = kernel.client();
    let info = late.body("debugInfo", json!({}));
    assert_eq!((&info["isStarted"], &info["stoppedThreads"]), (&json!(true), &json!([1])));
    assert_eq!(info["breakpoints"], json!([{"source": path, "breakpoints": [{"line": 3}]}]));
    assert_eq!(late.top().1, 3);
    // Completion and inspection know what the stop shows, though a cell runs.
    let found = late.ask(To::Shell, "complete_request", json!({"code": "wid", "cursor_pos": 3}));
    assert_eq!(found["matches"], json!(["width"]));
    let found = late.ask(To::Shell, "inspect_request", json!({"code": "size", "cursor_pos": 1}));
    assert_eq!(found["data"]["text/plain"], "12");
    late.resume("continue");
    assert_eq!(client.end(&id), ("13\n".into(), "ok".into()));
    client.shut_down(kernel);
}

#[test]
fn cells_that_are_stopped_can_be_left() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let path = client.attach(FUNCTION);
    client.set(&path, json!([{"line": 2}]));
    client.run(FUNCTION);
    // By an interrupt.
    let id = client.begin(CALL);
    client.stopped();
    client.ask(To::Control, "interrupt_request", json!({}));
    assert_eq!(client.end(&id), (String::new(), "error".into()));
    // By the end of the debugger: the cell goes on.
    let id = client.begin(CALL);
    client.stopped();
    client.body("disconnect", json!({}));
    assert_eq!(client.end(&id), ("13\n".into(), "ok".into()));
    assert_eq!(client.printed(CALL), "13\n");
    // The debugger can be switched on again.
    client.attach(FUNCTION);
    client.set(&path, json!([{"line": 4}]));
    client.begin(CALL);
    client.stopped();
    assert_eq!(client.top().1, 4);
    // By the end of the kernel.
    let reply = client.ask(To::Control, "shutdown_request", json!({"restart": false}));
    assert_eq!(reply["status"], "ok");
    assert_eq!(kernel.ended(), (Some(0), String::new()));
}

#[test]
fn conditions_logs_and_errors_stop_cells() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let code = "temp sum int = 0\nfor i in range(0, 10) {\n    sum += i\n}\nprintln(sum)";
    let path = client.attach(code);
    client.set(&path, json!([{"line": 3, "condition": "i == 7"}, {"line": 5, "logMessage": "sum is {sum}"}]));
    let id = client.begin(code);
    assert_eq!(client.stopped(), "breakpoint");
    assert!(client.locals().iter().any(|variable| *variable == pair("i", "7")));
    client.resume("continue");
    assert_eq!(client.end(&id).0, "sum is 45\n45\n");
    client.set(&path, json!([]));
    client.body("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    let id = client.begin("temp none int = 0\nprintln(1 / none)");
    assert_eq!(client.stopped(), "exception");
    client.resume("continue");
    assert_eq!(client.end(&id).1, "error");
    client.shut_down(kernel);
}

#[test]
fn wrong_requests_of_the_debugger_are_refused() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    assert!(client.why_not("stackTrace", json!({"threadId": 1})).len() > 5);
    assert!(client.why_not("frobnicate", json!({})).contains("frobnicate"));
    assert!(client.why_not("dumpCell", json!({})).contains("code"));
    let reply = client.ask(To::Control, "debug_request", json!({"seq": 1}));
    assert_eq!((&reply["success"], &reply["request_seq"]), (&json!(false), &json!(1)));
    for seq in [json!(1e30), json!("1"), json!(u64::MAX)] {
        let asked = json!({"type": "request", "seq": seq, "command": "debugInfo"});
        let reply = client.ask(To::Control, "debug_request", asked);
        assert_eq!((&reply["success"], &reply["request_seq"]), (&json!(false), &json!(null)));
        assert_eq!(reply["message"], "invalid request: 'seq' is no whole number of 64 bits");
    }
    let reply = client.ask(To::Control, "debug_request", json!(5));
    assert_eq!(reply["success"], false);
    assert_eq!(client.printed("println(1)"), "1\n");
    client.shut_down(kernel);
}

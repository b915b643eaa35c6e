//! Sessions of JSON-RPC 2.0, and the client that the guide for agents shows.

use serde_json::{Value, json};
use support::scenario::depends_on_the_machine;
use support::{Server, testdata, without_directory, without_version};

/// A client, and all that was said.
struct Client {
    server: Server,
    last: u64,
    log: String,
}

impl Client {
    fn start(arguments: &[&str]) -> Client {
        Client { server: Server::start(&testdata("transcripts"), arguments), last: 0, log: String::new() }
    }

    fn send(&mut self, line: &str) {
        self.log += &format!("> {line}\n");
        self.server.send(&format!("{line}\n"));
    }

    /// Takes messages up to the first one for which this holds.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.server.line().unwrap_or_else(|| panic!("nothing more after:\n{}", self.log));
            let message: Value = serde_json::from_str(&line).unwrap();
            let all = message.as_array().cloned().unwrap_or_else(|| vec![message.clone()]);
            assert!(all.iter().all(|message| message["jsonrpc"] == "2.0"), "{line}");
            self.note(&message, &line);
            if wanted(&message) {
                return message;
            }
        }
    }

    fn note(&mut self, message: &Value, line: &str) {
        if !message["method"].as_str().is_some_and(depends_on_the_machine) {
            self.log += &format!("< {line}\n");
        }
    }

    /// Calls a method and waits for its answer.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        self.wait(|message| message["id"] == id)
    }

    fn end(mut self) -> String {
        self.server.close();
        while let Some(line) = self.server.line() {
            let message = serde_json::from_str(&line).unwrap();
            self.note(&message, &line);
        }
        without_version(&without_directory(&self.log, &testdata("transcripts")))
    }
}

#[test]
fn a_session() {
    let mut client = Client::start(&[]);
    client.call("initialize", json!({"file": "v2_program.ez", "keepAlive": true}));
    client.call("setBreakpoints", json!({"file": "v2_program.ez", "breakpoints": [{"line": 43}]}));
    client.call("start", json!({}));
    client.call("getVariables", json!({"scope": "local"}));
    client.call("evaluate", json!({"expression": "p.x + 1"}));
    assert_eq!(client.call("evaluate", json!({"expression": "p.z"}))["error"]["code"], -32003);
    assert_eq!(client.call("start", json!(null))["result"]["event"], "exited");
    assert_eq!(client.call("stepInto", json!({}))["error"]["code"], -32001);
    client.call("terminate", json!({}));
    insta::assert_snapshot!("rpc_a_session", client.end());
}

#[test]
fn the_description_is_a_result() {
    let mut client = Client::start(&[]);
    for before_the_program_is_loaded in [true, false] {
        let answer = client.call("rpc.discover", json!({}));
        let printed = support::ez().args(["debugserver", "--describe"]).output().unwrap();
        assert_eq!(answer["result"], serde_json::from_slice::<Value>(&printed.stdout).unwrap());
        if before_the_program_is_loaded {
            client.call("initialize", json!({"file": "v2_program.ez"}));
        }
    }
    // Without an `id` there is nothing to answer.
    client.send(r#"{"jsonrpc":"2.0","method":"rpc.discover"}"#);
    assert_eq!(client.call("getThreads", json!({}))["result"]["event"], "threads");
    let text = client.end();
    assert_eq!(text.matches(r#""openrpc""#).count(), 2);
}

/// Also when everything else is refused: the program cannot be read, and the session ends soon.
#[test]
fn the_description_is_told_in_any_state() {
    let mut client = Client::start(&[]);
    // In one write, so that nothing has ended when the last is read.
    client.send(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"file\":\"nowhere.ez\"}}\n\
         {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"getThreads\"}\n\
         {\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\"}\n\
         [{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"rpc.discover\"},{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"rpc.discover\"}]",
    );
    let batch = client.wait(Value::is_array);
    assert!(
        batch.as_array().unwrap().iter().all(|answer| answer["result"]["openrpc"].is_string()),
        "{batch}"
    );
    let rest = client.end();
    assert_eq!(rest.matches("\"openrpc\"").count(), 2);
    for (id, code) in [(1, -32002), (2, -32001)] {
        assert!(rest.contains(&format!("\"id\":{id},\"error\":{{\"code\":{code},")), "{rest}");
    }
    assert!(!rest.contains("\"method\":\"error\""), "{rest}");
}

#[test]
fn versions_that_there_are_not_are_refused() {
    let mut client = Client::start(&[]);
    let told = client.call("initialize", json!({"file": "v2_program.ez", "protocolVersion": 1}));
    let why = "wrong parameter 'protocolVersion': must be at least 2: JSON-RPC has version 2 only";
    assert_eq!((&told["error"]["code"], &told["error"]["message"]), (&json!(-32602), &json!(why)));
    // What a client knows beyond that is not used.
    let told = client.call("initialize", json!({"file": "v2_program.ez", "protocolVersion": 3}));
    assert_eq!(told["result"]["protocolVersion"], 2);
    client.end();
}

/// A value that a schema allows.
fn example(schema: &Value) -> Value {
    let members = |schema: &Value| {
        let first =
            schema.pointer("/anyOf/0/required").into_iter().flat_map(|names| names.as_array().unwrap());
        let required = schema.get("required").into_iter().flat_map(|names| names.as_array().unwrap());
        let names = required.chain(first).map(|name| name.as_str().unwrap());
        names
            .map(|name| (name.to_string(), example(&schema["properties"][name])))
            .collect::<serde_json::Map<_, _>>()
    };
    match schema["type"].as_str().unwrap_or("string") {
        "string" => json!("x"),
        "integer" => schema["minimum"].clone(),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" => members(schema).into(),
        other => panic!("{other}"),
    }
}

/// The commands that the session refuses because of its state, and those that it should refuse.
fn refused(client: &mut Client, state: &str) -> [Vec<String>; 2] {
    let description = client.call("rpc.discover", json!({}))["result"].take();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    // These change the state, or are about connections.
    let others = ["initialize", "attach", "disconnect", "terminate", "kill", "restart", "input"];
    for method in description["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        let is_run = method["x-answers"].as_array().unwrap().contains(&json!("stopped"));
        let possible = method["x-states"].as_array().unwrap().contains(&json!(state));
        if others.contains(&name) || is_run && possible {
            continue;
        }
        let needed = method["params"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["required"] == true || one.get("x-unless").is_some());
        let params: serde_json::Map<_, _> =
            needed.map(|one| (one["name"].as_str().unwrap().to_string(), example(&one["schema"]))).collect();
        let answer = client.call(name, params.into());
        assert_ne!(answer["error"]["code"], -32602, "{answer}");
        if answer["error"]["code"] == -32001 {
            found.push(name.to_string());
        }
        if !possible {
            expected.push(name.to_string());
        }
    }
    [found, expected]
}

#[test]
fn commands_are_possible_in_the_states_that_are_described() {
    let mut client = Client::start(&[]);
    let check = |client: &mut Client, state: &str| {
        let [found, expected] = refused(client, state);
        assert_eq!(found, expected, "{state}");
    };
    check(&mut client, "notInitialized");
    let launch = json!({"file": "v2_history.ez", "history": true, "keepAlive": true});
    client.call("initialize", launch);
    check(&mut client, "ready");
    client.call("start", json!({}));
    // At the entry there is nothing yet that was computed.
    assert_eq!(client.call("stepOver", json!({}))["result"]["event"], "stopped");
    check(&mut client, "stopped");
    client.call("kill", json!({}));
    client.wait(|message| message["method"] == "exited");
    check(&mut client, "exited");
    client.end();
}

#[test]
fn the_description_belongs_to_json_rpc() {
    let mut server = Server::start(&testdata("transcripts"), &["--protocol", "ez"]);
    let (event, data) = server.ask("rpc.discover", json!({}));
    assert_eq!((event.as_str(), &data["message"]), ("error", &json!("unknown command: rpc.discover")));
}

#[test]
fn breakpoints_as_agents_write_them() {
    let mut client = Client::start(&[]);
    client.call("setFunctionBreakpoints", json!({"breakpoints": [{"name": "bump"}]}));
    client.call("initialize", json!({"file": "v2_program.ez"}));
    client.wait(|message| message["method"] == "breakpointChanged");
    client.call("setFunctionBreakpoints", json!({"breakpoints": []}));
    // As text, since the order of the members is theirs.
    client.last += 1;
    client.send(
        r#"{"jsonrpc":"2.0","id":4,"method":"setBreakpoints","params":{"source":{"path":"v2_program.ez"},"breakpoints":[{"line":37},{"line":40,"column":9,"condition":"i == 2","enabled":true},{"line":41,"logMessage":"i is {i}","enabled":false},{"line":43,"condition":"nothing"}]}}"#,
    );
    let set = client.wait(|message| message["id"] == 4)["result"]["breakpoints"].take();
    let verified: Vec<&Value> = set.as_array().unwrap().iter().map(|set| &set["verified"]).collect();
    assert_eq!(verified, [true, true, true, false]);
    let id = set[1]["id"].clone();
    assert_eq!(client.call("disableBreakpoint", json!({"id": id}))["result"]["reason"], "changed");
    client.call("enableBreakpoint", json!({ "id": id }));
    assert_eq!(client.call("start", json!({}))["result"]["breakpointId"], set[0]["id"]);
    assert_eq!(client.call("continue", json!({}))["result"]["breakpointId"], id);
    client.call("setDataBreakpoints", json!({"breakpoints": [{"name": "items"}]}));
    client.call("setBreakpoint", json!({"source": {"path": "v2_program.ez"}, "line": 47}));
    client.call("getBreakpoints", json!({"source": {"path": "v2_program.ez"}}));
    client.call("clearBreakpoint", json!({"source": {"path": "v2_program.ez"}, "line": 47}));
    client.call("breakpointLocations", json!({"source": {"path": "v2_program.ez"}, "line": 40}));
    client.call("runTo", json!({"source": {"path": "v2_program.ez"}, "line": 43}));
    for (params, why) in [
        (json!({"breakpoints": []}), "missing parameter 'file'"),
        (json!({"source": {}, "breakpoints": []}), "missing parameter 'source.path'"),
        (
            json!({"source": "a.ez", "breakpoints": []}),
            "wrong type of parameter 'source': expected an object, got a string",
        ),
        (
            json!({"file": "a.ez", "source": {"path": "b.ez"}, "breakpoints": []}),
            "wrong parameter 'source': 'file' names another file",
        ),
    ] {
        assert_eq!(client.call("setBreakpoints", params)["error"]["message"], why);
    }
    assert_eq!(client.call("continue", json!({}))["result"]["event"], "exited");
    client.call("terminate", json!({}));
    insta::assert_snapshot!("rpc_breakpoints_as_agents_write_them", client.end());
}

#[test]
fn halves_of_characters_are_read() {
    for arguments in [&["--protocol", "jsonrpc"][..], &[]] {
        let mut client = Client::start(arguments);
        client.send(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"file":"v2_program.ez","args":["\ud83d"]}}"#,
        );
        assert_eq!(client.wait(|message| message["id"] == 1)["result"]["event"], "initialized");
        client.last = 1;
        client.call("start", json!({}));
        client.send(
            r#"[{"jsonrpc":"2.0","id":"\udc00","method":"evaluate","params":{"expression":"\"\udc00\""}}]"#,
        );
        let batch = client.wait(Value::is_array);
        assert_eq!(batch[0]["result"]["result"], "\"\u{fffd}\"");
        client.end();
    }
}

#[test]
fn wrong_messages() {
    let mut client = Client::start(&[]);
    client.send(r#"{"jsonrpc":"2.0","id":"first","method":"getThreads"}"#);
    client.wait(|message| message["id"] == "first");
    for line in ["{", "[]", "7", "{\"type\":\"command\",\"command\":\"start\"}", "[1,{}]"] {
        client.send(line);
        client.wait(|message| message["id"].is_null());
    }
    assert_eq!(client.call("fly", json!({}))["error"]["code"], -32601);
    assert_eq!(client.call("evaluate", json!({}))["error"]["code"], -32602);
    assert_eq!(client.call("initialize", json!({"file": "check_errors.ez"}))["error"]["code"], -32002);
    insta::assert_snapshot!("rpc_wrong_messages", client.end());
}

#[test]
fn batches_and_notifications() {
    let mut client = Client::start(&["--protocol", "jsonrpc"]);
    client.send(
        r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"file":"v2_talk.ez"}},{"jsonrpc":"2.0","method":"addWatch","params":{"expression":"name"}},{"jsonrpc":"2.0","id":2,"method":"fly"},{"jsonrpc":"2.0","id":"a","method":"getThreads"}]"#,
    );
    let batch = client.wait(Value::is_array);
    assert_eq!(batch.as_array().map(Vec::len), Some(3));
    client.send(r#"[{"jsonrpc":"2.0","method":"start"}]"#);
    client.wait(|message| message["method"] == "stopped");
    client.last = 10;
    client.send(r#"{"jsonrpc":"2.0","method":"start"}"#);
    client.wait(|message| message["method"] == "inputRequested");
    client.call("input", json!({"text": "Ann"}));
    client.wait(|message| message["method"] == "exited");
    insta::assert_snapshot!("rpc_batches_and_notifications", client.end());
}

#[test]
fn going_back() {
    let mut client = Client::start(&[]);
    let launch = json!({"file": "v2_history.ez", "history": true, "stopOnEntry": false});
    client.call("initialize", launch);
    client
        .call("setBreakpoints", json!({"file": "v2_history.ez", "breakpoints": [{"line": 8}, {"line": 16}]}));
    client.call("start", json!({}));
    client.call("stepBack", json!({}));
    client.call("stepBackOver", json!({}));
    client.call("goToPresent", json!({}));
    for _ in 0..4 {
        client.call("continue", json!({}));
    }
    client.call("lastChange", json!({"expression": "total"}));
    client.call("reverseContinue", json!({}));
    client.call("restartFrame", json!({}));
    assert_eq!(client.call("restartFrame", json!({"frameIndex": 7}))["error"]["code"], -32004);
    assert_eq!(client.call("evaluate", json!({"expression": "n = 5"}))["error"]["code"], -32003);
    client.call("goToStep", json!({"step": 8}));
    // Steps are numbers of which JavaScript, too, has every digit.
    let wrong = client.call("goToStep", json!({"step": 9_007_199_254_740_992_u64}));
    assert_eq!(wrong["error"]["code"], -32602);
    let present = client.call("goToStep", json!({"step": 9_007_199_254_740_991_u64}));
    assert_eq!(present["result"]["reason"], "present");
    client.call("terminate", json!({}));
    insta::assert_snapshot!("rpc_going_back", client.end());
}

#[test]
fn long_journeys_tell_their_progress() {
    let mut client = Client::start(&[]);
    let text =
        "do main() {\n    temp n int = 0\n    for i in range(0, 20000000) {\n        n += 1\n    }\n}\n";
    let source = json!({"text": text, "name": "long"});
    client.call("initialize", json!({"source": source, "history": true, "stopOnEntry": false}));
    let end = client.call("start", json!({}));
    assert_eq!(end["result"]["reason"], "end");
    // It is hit nowhere, so all of the past is looked through.
    client.call("setBreakpoint", json!({"file": "long", "line": 4, "condition": "n < 0"}));
    client.send(r#"{"jsonrpc":"2.0","id":"far","method":"reverseContinue"}"#);
    let progress = client.wait(|message| message["method"] == "progress");
    assert!(progress["id"].is_null() && progress["params"]["done"] == false, "{progress}");
    client.send(r#"{"jsonrpc":"2.0","method":"pause"}"#);
    client.wait(|message| message["method"] == "progress" && message["params"]["done"] == true);
    let stopped = client.wait(|message| message["id"] == "far");
    assert_eq!(stopped["result"]["text"], "the journey was interrupted");
    assert_eq!(stopped["result"]["past"], false);
    client.call("terminate", json!({}));
}

#[test]
fn long_answers_are_whole() {
    let mut client = Client::start(&[]);
    client.call("initialize", json!({"file": "big.ez"}));
    let text = std::fs::read_to_string(testdata("transcripts").join("big.ez")).unwrap();
    let source = client.call("getSource", json!({"file": "big.ez"}));
    assert_eq!(source["result"]["text"], text);
    client.call("start", json!({}));
    let long = client.call("evaluate", json!({"expression": "\"${range(0, 3)}\"", "format": "full"}));
    assert_eq!(long["result"]["part"], Value::Null);
    client.end();
}

#[test]
fn a_client_that_speaks_the_debug_protocol_is_served_as_before() {
    let mut server = Server::start(&testdata("transcripts"), &[]);
    server.send("\n{\"type\":\"command\",\"command\":\"getThreads\",\"id\":1}\n");
    server.wait_for("threads");
    server.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getThreads\"}\n");
    assert_eq!(server.wait_for("error")["message"], "missing parameter 'type'");
}

#[test]
fn ids_come_back_as_they_were_written() {
    let mut client = Client::start(&["--protocol", "jsonrpc"]);
    let ids = ["1e2", "100000000000000000000000001", "-0.50", "1.0", r#""a\u00e9""#, "\"\u{2028}\"", "null"];
    for id in ids {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"getThreads"}}"#));
        let line = client.server.line().expect("an answer");
        let escaped = id.replace('\u{2028}', "\\u2028");
        assert!(line.contains(&format!(r#""id":{escaped},"#)), "{id}: {line}");
    }
    client.send(&format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"getThreads"}}"#, "x".repeat(200)));
    let answer = client.wait(|message| message["id"].is_null());
    assert_eq!(answer["error"]["message"], "invalid request: 'id' is too long");
    client.end();
}

#[test]
fn what_is_too_long_is_refused_and_the_next_line_is_read() {
    let mut client = Client::start(&[]);
    client.call("initialize", json!({"file": "v2_program.ez"}));
    let long_id = "i".repeat(300);
    client.send(&json!({"jsonrpc": "2.0", "id": long_id, "method": "getState"}).to_string());
    let told = client.wait(|message| message.get("error").is_some());
    assert_eq!(
        (&told["id"], &told["error"]["message"]),
        (&Value::Null, &json!("invalid request: 'id' is too long"))
    );
    client.server.send(&format!("{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"{}\"}}\n", "m".repeat(8 << 20)));
    let told = client.wait(|message| message.get("error").is_some());
    assert_eq!(
        (&told["id"], &told["error"]["message"]),
        (&Value::Null, &json!("line too long (limit: 8388608 bytes)"))
    );
    assert_eq!(client.call("getState", json!({}))["result"]["status"], "ready");
    client.end();
}

//! Journeys through time that take long: the client sees how far they have come, and can end them.

use serde_json::{Value, json};
use support::Server;
use tempfile::TempDir;

/// Enough rounds that running through them takes far longer than it takes until progress is told.
const ROUNDS: u32 = 20_000_000;

/// A program that is loaded.
fn server(program: &str) -> (TempDir, Server) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), program).unwrap();
    let mut server = Server::start(directory.path(), &["a.ez"]);
    server.command("initialize", json!({"protocolVersion": 2, "history": true, "stopOnEntry": false}));
    server.wait_for("initialized");
    (directory, server)
}

/// A program at its end, of which there is a long past.
fn at_the_end() -> (TempDir, Server, u64) {
    let program = format!(
        "do main() {{\n    temp first int = 1\n    temp n int = 0\n    for i in range(0, {ROUNDS}) {{\n        \
         n += 1\n    }}\n}}\n"
    );
    let (place, mut server) = server(&program);
    server.command("start", json!({}));
    let stopped = server.wait_for("stopped");
    assert_eq!(stopped["reason"], "end");
    (place, server, stopped["step"].as_u64().unwrap())
}

/// Waits until a journey has told how far it has come, and pauses it; gives what ends it.
fn pause_on_the_way(server: &mut Server, answer: &str) -> Value {
    let begun = server.wait_for("progress");
    assert_eq!(begun["done"], false);
    assert!(begun["percentage"].as_u64().unwrap() < 100, "{begun}");
    server.command("pause", json!({}));
    let mut last = begun;
    loop {
        let event = server.event().expect("an event");
        let data = event["data"].clone();
        match event["event"].as_str().unwrap() {
            "progress" => {
                assert!(data["percentage"].as_u64() >= last["percentage"].as_u64(), "{data} after {last}");
                last = data;
            }
            name if name == answer => {
                assert_eq!(last["done"], true, "the end of the progress comes first");
                return data;
            }
            "paused" => {}
            name => panic!("{name}: {data}"),
        }
    }
}

#[test]
fn a_long_journey_tells_its_progress_and_can_be_ended() {
    let (_place, mut server, end) = at_the_end();
    // It is hit nowhere, so all of the past is looked through.
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 5, "condition": "n < 0"}));
    server.wait_for("breakpointSet");
    server.command("reverseContinue", json!({}));
    let stopped = pause_on_the_way(&mut server, "stopped");
    assert_eq!((&stopped["reason"], &stopped["step"]), (&json!("present"), &json!(end)));
    assert_eq!(stopped["text"], "the journey was interrupted");
    // The next one is not disturbed by that.
    server.command("goToStep", json!({"step": 4}));
    assert_eq!(server.wait_for("stopped")["step"], 4);
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("progress")["title"], "Going forward");
    assert_eq!(server.wait_for("stopped")["reason"], "present");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
    server.wait();
}

#[test]
fn steps_back_lead_over_and_out_of_calls_of_any_length() {
    let program = "do long(n int) -> int {\n    temp sum int = 0\n    for i in range(0, n) {\n        \
                   sum += i\n    }\n    return sum\n}\ndo main() {\n    temp first int = 1\n    \
                   temp n int = long(300000)\n    first = n\n}\n";
    let (_place, mut server) = server(program);
    server.command("setBreakpoints", json!({"file": "a.ez", "breakpoints": [{"line": 6}, {"line": 11}]}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 6);
    let mut go = |command: &str, params: Value| {
        server.command(command, params);
        let stopped = server.wait_for("stopped");
        (stopped["location"]["line"].as_u64().unwrap(), stopped["reason"].as_str().unwrap().to_string())
    };
    let step = |line| (line, "step".to_string());
    assert_eq!(go("continue", json!({})), (11, "breakpoint".into()));
    assert_eq!(go("stepBackOver", json!({})), step(10));
    assert_eq!(go("continue", json!({})), (6, "breakpoint".into()));
    assert_eq!(go("restartFrame", json!({})), (2, "restart".into()));
    assert_eq!(go("stepBack", json!({})), step(10));
    assert_eq!(go("continue", json!({})), (6, "breakpoint".into()));
    assert_eq!(go("stepBackOut", json!({})), step(10));
    assert_eq!(go("continue", json!({})), (6, "breakpoint".into()));
    assert_eq!(go("restartFrame", json!({"frameIndex": 1})), (9, "restart".into()));
}

#[test]
fn a_long_search_can_be_ended() {
    let (_place, mut server, end) = at_the_end();
    server.command("lastChange", json!({"expression": "first"}));
    let error = pause_on_the_way(&mut server, "error");
    assert_eq!(error["message"], "Cannot tell the last change: it was interrupted");
    server.command("lastChange", json!({"expression": "n"}));
    let change = server.wait_for("lastChange");
    assert_eq!((&change["value"], &change["location"]["line"]), (&json!(ROUNDS.to_string()), &json!(5)));
    assert!(change["step"].as_u64().unwrap() < end);
    server.command("kill", json!({}));
    assert_eq!(server.wait_for("exited")["exitCode"], 143);
    server.wait();
}

#[test]
fn what_was_written_long_ago_is_listed_once() {
    // More steps than are watched first, and too few for a checkpoint.
    let program = "temp once int = 7\ndo work(n int) -> int {\n    temp sum int = 0\n    sum = 1\n    \
                   for i in range(0, n) {\n        temp _ = i\n    }\n    sum = 2\n    return sum\n}\n\
                   do main() {\n    once = 8\n    temp first int = work(20000)\n    first = work(20000)\n}\n";
    let (_place, mut server) = server(program);
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 9, "hitCondition": "== 2"}));
    server.wait_for("breakpointSet");
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 9);
    server.command("lastChange", json!({"expression": "once"}));
    let change = server.wait_for("lastChange");
    assert_eq!((&change["cause"], &change["oldValue"]), (&json!("written"), &json!("7")), "{change}");
    for (name, values) in [("once", vec!["8", "7"]), ("sum", vec!["2", "1", "0"])] {
        for count in [1, 2, 20] {
            let (mut found, mut before) = (Vec::new(), Value::Null);
            loop {
                let mut params = json!({"expression": name, "count": count});
                if !before.is_null() {
                    params["before"] = before;
                }
                server.command("changes", params);
                let page = server.wait_for("changes");
                let rows = page["changes"].as_array().unwrap().iter();
                found.extend(rows.map(|row| row["newValue"].as_str().unwrap().to_string()));
                before = page["next"].clone();
                if before.is_null() {
                    break;
                }
            }
            assert_eq!(found, values, "{name} by {count}");
        }
    }
}

#[test]
fn a_question_in_the_past_leaves_the_client_where_it_is() {
    let (_place, mut server, end) = at_the_end();
    for step in [end / 2, end - 1000] {
        server.command("goToStep", json!({ "step": step }));
        let there = server.wait_for("stopped");
        for (question, params) in [
            ("lastChange", json!({"expression": "n"})),
            ("changes", json!({"expression": "n", "count": 2})),
            ("unfold", json!({})),
        ] {
            server.command(question, params);
            server.wait_for(if question == "unfold" { "unfolded" } else { question });
            server.command("getVariables", json!({}));
            server.wait_for("variables");
        }
        server.command("stepInto", json!({}));
        let next = server.wait_for("stopped");
        assert_eq!((&next["past"], &next["reason"]), (&json!(true), &json!("step")), "{next} after {there}");
    }
}

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
         n += 1\n    }}\n    if n < 0 {{ first = 2 }}\n}}\n"
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
fn a_journey_whose_program_is_killed_is_answered_by_the_end() {
    let (_place, mut server, _) = at_the_end();
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 5, "condition": "n < 0"}));
    server.wait_for("breakpointSet");
    server.send("{\"type\":\"command\",\"command\":\"reverseContinue\",\"id\":\"far\"}\n");
    server.wait_for("progress");
    server.command("kill", json!({}));
    server.wait_for("killed");
    let ended = server.event().expect("an event");
    assert_eq!((&ended["event"], &ended["id"]), (&json!("exited"), &json!("far")), "{ended}");
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

/// What `changes` and `lastChange` tell at the first `println` of a program that calls `slow`, which takes so many steps
/// for each round.
fn told_after(declared: &str, body: &str, names: &[&str], rounds: u32) -> Vec<String> {
    let slow =
        "do slow(n int) -> int {\n    for i in range(0, n) {\n        temp _ = i\n    }\n    return 7\n}\n";
    let rest = format!("{declared}do main() {{\n{body}}}\n").replace("slow()", &format!("slow({rounds})"));
    let program = format!("import @std\nusing std\n{slow}{rest}");
    let line = 1 + program.lines().position(|line| line.contains("println")).unwrap();
    let (_place, mut server) = server(&program);
    server.command("setBreakpoint", json!({"file": "a.ez", "line": line}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["reason"], "breakpoint", "{program}");
    let mut told = Vec::new();
    for name in names {
        for count in [1, 2, 20] {
            server.command("changes", json!({"expression": name, "count": count}));
            for row in server.wait_for("changes")["changes"].as_array().unwrap() {
                let Value::Object(row) = row else { panic!("{row}") };
                let values = ["cause", "oldValue", "newValue"].map(|key| row.get(key));
                told.push(format!("{name} {count}: {values:?} in {}", row["location"]["line"]));
            }
        }
        server.command("lastChange", json!({"expression": name}));
        told.push(server.wait_for("lastChange")["description"].to_string());
    }
    told
}

#[test]
fn what_a_long_call_has_given_is_told_as_of_a_short_one() {
    let pair = "const Pair struct {\n    x int\n    y int\n}\n";
    let function =
        "do f() -> int {\n    temp a int = 3\n    temp r int = slow()\n    println(r)\n    return r\n}\n";
    let two = "do two(n int) -> (int, int) {\n    return n, 9\n}\n";
    for (declared, body, names) in [
        ("", "    temp r int = slow()\n    println(r)\n", &["r"] as &[_]),
        ("", "    temp q int = 5\n    temp r int = slow()\n    println(r)\n", &["q", "r"]),
        ("", "    temp q int = 5\n    temp zero int = slow() - 7\n    println(zero)\n", &["zero"]),
        ("", "    temp r int = slow()\n    println(r)\n    r += 1\n", &["r"]),
        ("", "    temp r int = slow()\n    r += slow()\n    println(r)\n", &["r"]),
        ("", "    temp r int = slow()\n    temp q = ref(r)\n    println(q)\n", &["r"]),
        (function, "    temp z int = f()\n", &["a", "r"]),
        (pair, "    temp p Pair = Pair{x: slow(), y: 2}\n    println(p)\n", &["p", "p.x", "p.y"]),
        ("", "    temp a [int] = {1, slow()}\n    a[0] = slow()\n    println(a)\n", &["a[0]", "a[1]", "a"]),
        (two, "    temp a, b = two(slow())\n    println(a, b)\n", &["a", "b"]),
        (
            "",
            "    for i in range(0, 3) {\n        temp t int = slow()\n        println(t)\n        t += 1\n    }\n",
            &["t"],
        ),
    ] {
        assert_eq!(told_after(declared, body, names, 70_000), told_after(declared, body, names, 3), "{body}");
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

/// A program at its last statement, which has written to `c` and to `l[0]` so many times, with a data breakpoint on
/// either of them.
fn after_many_writes(rounds: u32, part: bool, options: &Value) -> (TempDir, Server) {
    let program = format!(
        "do main() {{\n    temp c int = 0\n    temp l [int] = {{0, 0}}\n    for i in range(0, {rounds}) {{\n        \
         c += 1\n        l[0] = c\n    }}\n    c = -1\n}}\n"
    );
    let (place, mut server) = server(&program);
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 8}));
    server.wait_for("breakpointSet");
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 8);
    server.command("setBreakpoints", json!({"file": "a.ez", "breakpoints": []}));
    server.wait_for("breakpoints");
    let mut breakpoint = json!({"name": "c"});
    if part {
        server.command("evaluate", json!({"expression": "l"}));
        let list = server.wait_for("evaluateResult");
        breakpoint = json!({"name": "[0]", "reference": list["reference"]});
    }
    breakpoint.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    server.command("setDataBreakpoints", json!({"breakpoints": [breakpoint]}));
    let set = server.wait_for("dataBreakpoints");
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    (place, server)
}

/// The reason of the stop that a command leads to, the value that was written, and the number of hits.
fn write_after(server: &mut Server, command: &str, params: Value) -> (String, i64, Option<u64>) {
    server.command(command, params);
    let stopped = server.wait_for("stopped");
    let value = stopped["newValue"].as_str().map_or(-1, |text| text.parse().unwrap());
    (stopped["reason"].as_str().unwrap().into(), value, stopped["hits"].as_u64())
}

#[test]
fn writes_are_counted_however_many_there_are() {
    const ROUNDS: u32 = 80_000;
    for part in [false, true] {
        let written = |value: i64| ("data breakpoint".to_string(), value, Some(value.unsigned_abs()));
        let (_place, mut server) = after_many_writes(ROUNDS, part, &json!({}));
        assert_eq!(write_after(&mut server, "reverseContinue", json!({})), written(80_000));
        assert_eq!(write_after(&mut server, "reverseContinue", json!({})), written(79_999));
        for value in [499, 70_000] {
            write_after(&mut server, "goToStep", json!({"step": value * 3 + 2}));
            server.command("evaluate", json!({"expression": if part { "l[0]" } else { "c" }}));
            let here: i64 = server.wait_for("evaluateResult")["result"].as_str().unwrap().parse().unwrap();
            assert_eq!(write_after(&mut server, "continue", json!({})), written(here + 1));
            assert_eq!(write_after(&mut server, "continue", json!({})), written(here + 2));
            assert_eq!(write_after(&mut server, "reverseContinue", json!({})), written(here + 1));
        }
        for (hits, stops) in [
            ("== 5", vec![5]),
            ("<= 3", vec![3, 2, 1]),
            ("% 40000", vec![80_000, 40_000]),
            ("> 79999", vec![80_000]),
        ] {
            let (_place, mut server) = after_many_writes(ROUNDS, part, &json!({"hitCondition": hits}));
            for value in &stops {
                assert_eq!(write_after(&mut server, "reverseContinue", json!({})), written(*value), "{hits}");
            }
            let first = write_after(&mut server, "reverseContinue", json!({}));
            assert_eq!(first.0, "entry", "{hits}");
            for value in stops.iter().rev() {
                assert_eq!(write_after(&mut server, "continue", json!({})), written(*value), "{hits}");
            }
            assert_eq!(write_after(&mut server, "continue", json!({})).0, "present", "{hits}");
        }
        for (condition, value) in [("c == 7", 7), ("c < 50000", 49_999)] {
            let (_place, mut server) = after_many_writes(ROUNDS, part, &json!({"condition": condition}));
            let (reason, found, _) = write_after(&mut server, "reverseContinue", json!({}));
            assert_eq!((reason.as_str(), found), ("data breakpoint", value), "{condition}");
        }
    }
}

#[test]
fn writes_long_ago_are_found_from_any_checkpoint() {
    // The past has several checkpoints, and each kind of variable is written in each part of it.
    let program = "temp g int = 0\nconst P struct {\n    x int\n}\ndo busy(n int) -> int {\n    temp s int = 0\n    \
                   for i in range(0, n) {\n        s += i\n    }\n    return s\n}\ndo work(depth int) {\n    \
                   temp own int = 1\n    temp p P = P{x: 1}\n    if depth > 0 {\n        work(depth - 1)\n    }\n    \
                   for k in range(2, 6) {\n        own = busy(200000) * 0 + k\n        p.x = k\n        \
                   g = busy(100000) * 0 + 100 * depth + 10 * k\n        temp _ = busy(100000) + g++\n    }\n    \
                   own = -1\n}\ndo main() {\n    work(1)\n}\n";
    let (_place, mut server) = server(program);
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 24, "hitCondition": "== 2"}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 24);
    server.command("setBreakpoints", json!({"file": "a.ez", "breakpoints": []}));
    server.command("evaluate", json!({"expression": "p"}));
    let object = server.wait_for("evaluateResult")["reference"].clone();
    let own: Vec<i64> = (1..6).collect();
    let global =
        [0, 100].iter().flat_map(|depth| (2..6).flat_map(move |k| [depth + 10 * k, depth + 10 * k + 1]));
    let global: Vec<i64> = global.collect();
    for (watched, values) in [
        (json!({"name": "own"}), &own),
        (json!({"name": "x", "reference": object}), &own[1..].to_vec()),
        (json!({"name": "g"}), &global),
    ] {
        server.command("goToPresent", json!({}));
        server.wait_for("stopped");
        server.command("setDataBreakpoints", json!({"breakpoints": [watched]}));
        let set = server.wait_for("dataBreakpoints");
        assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
        let mut go = |command: &str| {
            let (reason, value, hits) = write_after(&mut server, command, json!({}));
            (reason == "data breakpoint").then_some((value, hits))
        };
        let mut back: Vec<_> = std::iter::from_fn(|| go("reverseContinue")).collect();
        back.reverse();
        assert_eq!(back.iter().map(|write| write.0).collect::<Vec<i64>>(), *values, "{watched}");
        let forward: Vec<_> = std::iter::from_fn(|| go("continue")).collect();
        assert_eq!(forward.iter().map(|write| write.0).collect::<Vec<i64>>(), *values, "{watched}");
        for (number, (_, hits)) in back.iter().chain(&forward).enumerate() {
            let number = (number % values.len()) as u64 + 1;
            assert!(hits.is_none_or(|hits| hits == number), "{watched}: {hits:?} is hit {number}");
        }
    }
}

/// Conditions are evaluated anew where time goes back; one that does not end must not keep the client waiting.
#[test]
fn conditions_without_an_end_are_given_up_on_the_way() {
    let program = "do endless(n int) -> bool {\n    temp k int = n\n    as_long_as k != -1 { k = 1 }\n    \
                   return true\n}\ndo work(n int) {\n    temp _ = n\n}\ndo main() {\n    temp n int = 0\n    \
                   for i in range(0, 5) {\n        n += 1\n        work(n)\n    }\n    n = 7\n}\n";
    let endless = "endless(0)";
    let kinds = [
        ("setBreakpoint", json!({"file": "a.ez", "line": 12, "condition": endless})),
        ("setFunctionBreakpoints", json!({"breakpoints": [{"name": "work", "condition": endless}]})),
        ("setDataBreakpoints", json!({"breakpoints": [{"name": "n", "condition": endless}]})),
    ];
    for (command, params) in kinds {
        for end in ["pause", "kill"] {
            let (_place, mut server) = server(program);
            server.command("setBreakpoint", json!({"file": "a.ez", "line": 15}));
            server.command("start", json!({}));
            let present = server.wait_for("stopped")["step"].clone();
            server.command(command, params.clone());
            server.command("reverseContinue", json!({}));
            server.wait_for("progress");
            server.command(end, json!({}));
            if end == "pause" {
                let stopped = server.wait_for("stopped");
                assert_eq!(
                    (&stopped["reason"], &stopped["step"]),
                    (&json!("present"), &present),
                    "{command}"
                );
                assert_eq!(stopped["text"], "the journey was interrupted", "{command}");
                server.command("kill", json!({}));
            }
            assert_eq!(server.wait_for("exited")["exitCode"], 143, "{command}");
            server.wait();
        }
    }
}

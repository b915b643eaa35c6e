//! Single requests: their answers, and in which order they come.

use std::path::Path;

use serde_json::{Value, json};
use support::dap::Dap;
use support::ez;
use support::socket::Listening;

use crate::attach::client;

const PROGRAM: &str = "import @std
using std

temp level int = 1

do endless() -> int {
    temp n int = 0
    loop {
        n += 1
    }
    return n
}

do add(a, b int) -> int {
    return a + b
}

do main() {
    temp list [int] = {1, 2}
    temp keys map[int:string] = {7: \"seven\"}
    println(add(1, 2), list, keys)
}
";

/// Four characters outside of the Basic Multilingual Plane stand before the second and third statement of line 5,
/// which begin in columns 32 and 47.
const WIDE: &str = "import @std
using std

do main() {
    temp a string = \"😀😀😀😀\" temp b int = 1 temp c int = 2
    println(a, b, c)
}
";

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.ez"), PROGRAM).unwrap();
    std::fs::write(directory.path().join("wide.ez"), WIDE).unwrap();
    directory
}

fn stopped(directory: &Path, line: u32) -> Dap {
    let mut dap = Dap::launched(directory, json!({"program": "p.ez"}));
    let source = json!({"path": directory.join("p.ez")});
    dap.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": line}]}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().2, i64::from(line));
    dap
}

fn columns(body: &Value) -> Vec<u64> {
    body["breakpoints"].as_array().unwrap().iter().map(|at| at["column"].as_u64().unwrap()).collect()
}

#[test]
fn columns_are_those_of_the_editor_from_the_first_request_on() {
    let directory = directory();
    let file = directory.path().join("wide.ez");
    let mut files = vec![file.clone()];
    #[cfg(unix)]
    {
        let link = directory.path().join("link.ez");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        files.push(link);
    }
    let mut dap = Dap::launched(directory.path(), json!({"program": "wide.ez"}));
    for path in &files {
        for (asked, got) in [(5, 5), (31, 5), (32, 32), (46, 32), (47, 47)] {
            let place = json!({"source": {"path": path}, "breakpoints": [{"line": 5, "column": asked}]});
            assert_eq!(columns(&dap.request("setBreakpoints", place)), [got], "{asked} in {path:?}");
        }
        let line = json!({"source": {"path": path}, "line": 5});
        assert_eq!(columns(&dap.request("breakpointLocations", line)), [5, 32, 47]);
    }
    dap.disconnect();
    // Before there is a program.
    let mut dap = Dap::start(directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    let place = json!({"source": {"path": file}, "breakpoints": [{"line": 5, "column": 32}]});
    assert_eq!(columns(&dap.request("setBreakpoints", place)), [32]);
    dap.request("launch", json!({"program": "wide.ez"}));
    assert_eq!(dap.event("breakpoint")["breakpoint"]["column"], 32);
    dap.request("configurationDone", Value::Null);
    dap.stop();
    let frames = dap.request("stackTrace", json!({"threadId": 1}));
    assert_eq!(frames["stackFrames"][0]["column"], 32);
    dap.disconnect();
}

#[test]
fn what_has_no_data_id_has_a_reason() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    let locals = dap.scopes()["Locals"];
    let variables = dap.request("variables", json!({"variablesReference": locals}));
    let reference = |name: &str| {
        let all = variables["variables"].as_array().unwrap();
        all.iter().find(|variable| variable["name"] == name).unwrap()["variablesReference"].as_i64().unwrap()
    };
    let (list, keys) = (reference("list"), reference("keys"));
    let cases = [
        (json!({"variablesReference": locals, "name": "nosuch"}), false),
        (json!({"variablesReference": locals, "name": "list"}), true),
        (json!({"variablesReference": list, "name": "[1]"}), true),
        (json!({"variablesReference": list, "name": "[2]"}), false),
        (json!({"variablesReference": list, "name": "nosuch"}), false),
        (json!({"variablesReference": keys, "name": "[7]"}), true),
        (json!({"variablesReference": keys, "name": "[0]"}), false),
        (json!({"name": "list[0]"}), true),
        (json!({"name": "list[9]"}), false),
        (json!({"name": "level"}), true),
        (json!({"name": "nosuch"}), false),
    ];
    for (arguments, is_there) in cases {
        let info = dap.request("dataBreakpointInfo", arguments.clone());
        assert_eq!(info["dataId"].is_string(), is_there, "{arguments} {info}");
        assert_eq!(info["description"].as_str().unwrap().contains("there is no"), !is_there, "{info}");
    }
    dap.disconnect();
}

#[test]
fn numbers_that_never_were_given_are_not_stale() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    for (request, name) in [("variables", "variablesReference"), ("scopes", "frameId")] {
        let refused = dap.refused(request, json!({name: 0}));
        assert_eq!(refused, format!("{name}: the number 0 was never given"));
    }
    dap.disconnect();
}

#[test]
fn editors_watches_do_not_hold_up_a_step() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    for context in ["watch", "hover"] {
        let refused = dap.refused("evaluate", json!({"expression": "endless()", "context": context}));
        assert!(refused.contains("500 ms") || refused.contains("0.5 s"), "{refused}");
    }
    dap.request("next", json!({"threadId": 1}));
    dap.disconnect();
}

#[test]
fn modules_have_ids_of_their_own() {
    let directory = directory();
    for folder in ["a", "b"] {
        std::fs::create_dir(directory.path().join(folder)).unwrap();
        let text = "module part\ndo up() -> int {\n    return 1\n}\n";
        std::fs::write(directory.path().join(folder).join("part.ez"), text).unwrap();
    }
    let other = "module other\nimport \"./b/part\"\ndo go() -> int {\n    return part.up()\n}\n";
    std::fs::write(directory.path().join("other.ez"), other).unwrap();
    let main = "import @std\nimport \"./a/part\"\nimport \"./other\"\nusing std\n\
                do main() {\n    println(part.up(), other.go())\n}\n";
    std::fs::write(directory.path().join("m.ez"), main).unwrap();
    let mut dap = Dap::launched(directory.path(), json!({"program": "m.ez", "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    dap.stop();
    let modules = dap.request("modules", json!({}))["modules"].take();
    let modules = modules.as_array().unwrap();
    let named = modules.iter().filter(|module| module["name"] == "part").count();
    assert_eq!(named, 2, "{modules:?}");
    let mut ids: Vec<String> = modules.iter().map(|module| module["id"].to_string()).collect();
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0].take();
    assert!(ids.contains(&frame["moduleId"].to_string()), "{frame}");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), modules.len());
    dap.disconnect();
}

#[test]
fn what_a_restart_cannot_change_is_refused() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    let launched = json!({"program": "p.ez"});
    for (name, value) in [("stopOnEntry", json!(true)), ("cwd", json!("/")), ("history", json!(true))] {
        let mut arguments = launched.clone();
        arguments[name] = value;
        let refused = dap.refused("restart", json!({"arguments": arguments}));
        assert_eq!(refused, format!("'{name}' cannot change at a restart: launch the program anew"));
    }
    let same = json!({"program": "p.ez", "args": ["x"], "stopOnEntry": false, "console": "internalConsole",
        "subProcess": true, "deny": [], "cwd": null});
    dap.request("restart", json!({"arguments": same}));
    dap.stop();
    dap.disconnect();
}

#[test]
fn breakpoints_that_loading_changes_are_told_before_the_program_starts() {
    let directory = directory();
    for _ in 0..20 {
        let mut dap = Dap::start(directory.path());
        dap.request("initialize", json!({"adapterID": "ez"}));
        dap.request("setFunctionBreakpoints", json!({"breakpoints": [{"name": "add"}]}));
        dap.request("launch", json!({"program": "p.ez", "stopOnEntry": true}));
        let done = dap.send("configurationDone", Value::Null);
        let answered = dap.answer(done)["seq"].as_i64().unwrap();
        let mut told = Vec::new();
        while told.last().is_none_or(|(name, _)| name != "stopped") {
            let event = dap.any_event();
            told.push((event["event"].as_str().unwrap().to_string(), event["seq"].as_i64().unwrap()));
        }
        let at = |name: &str| told.iter().find(|(known, _)| known == name).unwrap().1;
        assert!(at("breakpoint") < answered && answered < at("thread"), "{told:?} {answered}");
        dap.disconnect();
    }
}

#[test]
fn halves_of_characters_are_answered() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    let sent = dap.send_text("evaluate", r#"{"expression":"\"a\ud83d\""}"#);
    assert_eq!(dap.answer(sent)["body"]["result"], "\"a\u{fffd}\"");
    let sent = dap.send_text("completions", r#"{"text":"\udc00 le","column":5,"frameId":null}"#);
    assert_eq!(dap.answer(sent)["success"], true);
    dap.disconnect();
}

#[test]
fn everything_is_answered_before_a_client_leaves() {
    let directory = directory();
    let file = directory.path().join("p.ez");
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let breakpoints = || ("setBreakpoints", json!({"source": {"path": file}, "breakpoints": [{"line": 21}]}));
    let mut dap = client(&server, directory.path());
    let sent = dap.send_together(&[breakpoints(), ("disconnect", Value::Null)]);
    let answers: Vec<Value> = sent.into_iter().map(|seq| dap.answer(seq)).collect();
    assert_eq!(answers[0]["message"], "'launch' or 'attach' must come first");
    assert_eq!(answers[1]["success"], true);
    let mut dap = client(&server, directory.path());
    let sent = dap.send_together(&[breakpoints(), ("attach", json!({"token": "wrong"}))]);
    for seq in sent {
        assert_eq!(dap.answer(seq)["message"], "wrong parameter 'token'");
    }
}

#[test]
fn an_attach_without_debugging_is_answered_first() {
    let directory = directory();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token, "noDebug": true}));
    let source = json!({"path": directory.path().join("p.ez")});
    let set = dap.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 21}]}));
    assert_eq!(set["breakpoints"][0]["verified"], false);
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.event("exited")["exitCode"], 0);
    dap.leave(true);
}

#[test]
fn a_program_that_waits_for_its_debugger_stops_where_that_wants() {
    let directory = directory();
    let source = json!({"path": directory.path().join("p.ez")});
    let cases = [
        (None, false, None),
        (Some(false), false, None),
        (Some(true), false, Some("entry")),
        (None, true, Some("breakpoint")),
        (Some(true), true, Some("entry")),
    ];
    for (stops, has_breakpoint, expected) in cases {
        let server = Listening::run(directory.path(), &["--wait", "p.ez"]);
        let mut dap = client(&server, directory.path());
        dap.request("attach", json!({"token": server.token, "stopOnEntry": stops}));
        if has_breakpoint {
            dap.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 21}]}));
        }
        dap.request("configurationDone", Value::Null);
        match expected {
            Some(reason) => {
                assert_eq!(dap.stop().0, reason, "{stops:?}");
                dap.leave(false);
            }
            None => assert_eq!(dap.event("exited")["exitCode"], 0, "{stops:?}"),
        }
        // It goes on as if nobody had been there.
        assert_eq!(server.end().0.code(), Some(0));
    }
}

#[test]
fn frames_are_named_as_the_client_wants() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 15);
    let mut names = |format: Value| {
        let frames =
            dap.request("stackTrace", json!({"threadId": 1, "format": format}))["stackFrames"].take();
        let names =
            frames.as_array().unwrap().iter().map(|frame| frame["name"].as_str().unwrap().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(Value::Null), ["add", "main"]);
    assert_eq!(names(json!({"parameters": true})), ["add(a, b)", "main()"]);
    let values = json!({"parameters": true, "parameterNames": true, "parameterValues": true, "line": true});
    assert_eq!(names(values), ["add(a: 1, b: 2) line 15", "main() line 21"]);
    let types = json!({"parameters": true, "parameterNames": true, "parameterTypes": true});
    assert_eq!(names(types), ["add(a int, b int)", "main()"]);
    let hexadecimal = json!({"parameters": true, "parameterValues": true, "hex": true});
    assert_eq!(names(hexadecimal)[0], "add(0x1, 0x2)");
    dap.disconnect();
}

#[test]
fn no_names_are_offered_in_texts() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    for (text, offers) in [("lis", true), ("\"lis", false), ("// lis", false), ("\"${lis", true)] {
        let body = dap.request("completions", json!({"text": text, "column": text.len() + 1}));
        assert_eq!(!body["targets"].as_array().unwrap().is_empty(), offers, "{text}");
    }
    dap.disconnect();
}

#[test]
fn conditions_of_filters_are_checked_when_they_are_set() {
    let directory = directory();
    let mut dap = stopped(directory.path(), 21);
    for (condition, is_right) in [("error.code ==", false), ("1", false), ("error.code == \"x\"", true)] {
        let options = json!([{"filterId": "errorValue", "condition": condition}]);
        let set = dap.request("setExceptionBreakpoints", json!({"filters": [], "filterOptions": options}));
        let set = &set["breakpoints"][0];
        assert_eq!(set["verified"], is_right, "{condition} {set}");
        assert_eq!(set["message"].is_string(), !is_right, "{condition} {set}");
    }
    dap.disconnect();
}

const PARTS: &str = "import @std
using std

const Point struct {
    v int
}

do twice(a int) -> int {
    return a * 2
}

do total(list [Point]) -> int {
    return list[0].v + list[1].v
}

do main() {
    temp list [Point] = {Point{v: 1}, Point{v: 2}}
    println(twice(1))
    println(twice(total(list)))
}
";

/// A session that is stopped in this line of [`PARTS`].
fn in_parts(directory: &Path, line: u32) -> Dap {
    std::fs::write(directory.join("p.ez"), PARTS).unwrap();
    stopped(directory, line)
}

#[test]
fn who_asks_again_gets_the_same_numbers() {
    let directory = directory();
    let mut dap = in_parts(directory.path(), 18);
    let numbers = |dap: &mut Dap| {
        let mut found = Vec::new();
        let mut wanted = vec![dap.scopes()["Locals"]];
        while let Some(number) = wanted.pop() {
            found.push(number);
            let parts = dap.request("variables", json!({"variablesReference": number}))["variables"].take();
            let parts = parts.as_array().unwrap().iter().map(|part| part["variablesReference"].as_i64());
            wanted.extend(parts.flatten().filter(|number| *number > 0));
        }
        let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
        let targets = dap.request("stepInTargets", json!({"frameId": frame}))["targets"].take();
        (found, targets)
    };
    let first = numbers(&mut dap);
    assert_eq!(first.0.len(), 4, "the scope, the array and its elements");
    assert_eq!(numbers(&mut dap), first);
    dap.request("next", json!({"threadId": 1}));
    dap.stop();
    let next = numbers(&mut dap);
    assert!(next.0.iter().all(|number| !first.0.contains(number)), "{next:?} {first:?}");
    let (target, old) = (&next.1[1], &first.1[0]["id"]);
    let why = dap.refused("stepIn", json!({"threadId": 1, "targetId": old}));
    assert_eq!(why, format!("there is no step target {old} at this stop"));
    assert_eq!(target["label"], "twice(total(list))");
    dap.request("stepIn", json!({"threadId": 1, "targetId": target["id"]}));
    assert_eq!(dap.stop().1, "twice");
    dap.disconnect();
}

#[test]
fn parts_of_one_name_are_told_apart() {
    let directory = directory();
    let mut dap = in_parts(directory.path(), 18);
    for part in ["list[0].v", "list[1].v", "list[1]"] {
        let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
        let info = dap.request("dataBreakpointInfo", json!({"name": part, "frameId": frame}));
        assert_eq!(info["description"], part);
    }
    dap.disconnect();
    let mut dap = in_parts(directory.path(), 13);
    let format = json!({"parameters": true, "parameterNames": true, "parameterTypes": true});
    let frames = dap.request("stackTrace", json!({"threadId": 1, "format": format}));
    assert_eq!(frames["stackFrames"][0]["name"], "total(list [Point])");
    dap.disconnect();
}

#[test]
fn of_two_breakpoints_at_one_place_the_first_is_set() {
    let directory = directory();
    let mut dap = in_parts(directory.path(), 17);
    let wanted = json!([{"line": 18}, {"line": 18, "logMessage": "{nothing}"}, {"line": 19}]);
    let source = json!({"path": directory.path().join("p.ez")});
    let set = dap.request("setBreakpoints", json!({"source": source, "breakpoints": wanted}));
    let verified: Vec<&Value> =
        set["breakpoints"].as_array().unwrap().iter().map(|breakpoint| &breakpoint["verified"]).collect();
    assert_eq!(verified, [true, false, true]);
    assert!(set["breakpoints"][1]["message"].as_str().unwrap().contains("another breakpoint"), "{set}");
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.stop().2, 18);
    let names = json!({"breakpoints": [{"name": "twice"}, {"name": "twice", "condition": "a > 1"}]});
    let set = dap.request("setFunctionBreakpoints", names);
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]),
        (&json!(true), &json!(false))
    );
    dap.disconnect();
}

#[test]
fn a_function_of_a_module_is_offered_for_its_bare_name() {
    let directory = directory();
    std::fs::write(
        directory.path().join("libm.ez"),
        "module libm\n\ndo helper() -> int {\n    return 1\n}\n",
    )
    .unwrap();
    let program = "import @std\nimport \"./libm\"\n\ndo main() {\n    std.println(libm.helper())\n}\n";
    std::fs::write(directory.path().join("uses.ez"), program).unwrap();
    let mut dap = Dap::launched(directory.path(), json!({"program": "uses.ez", "stopOnEntry": true}));
    let set = dap.request("setFunctionBreakpoints", json!({"breakpoints": [{"name": "helper"}]}));
    assert_eq!(set["breakpoints"][0]["message"], "there is no function helper: did you mean 'libm.helper'?");
    dap.disconnect();
}

#[test]
fn what_a_launch_in_a_terminal_cannot_have_is_refused_in_its_words() {
    let directory = directory();
    let server = crate::attach::adapter(directory.path());
    let mut dap = Dap::over(&server.stream(), directory.path());
    dap.request("initialize", json!({"adapterID": "ez", "supportsRunInTerminalRequest": true}));
    let launch = |more: Value| {
        let mut launch = json!({"token": server.token, "console": "integratedTerminal"});
        launch.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        launch
    };
    let why = dap.refused("launch", launch(json!({"program": "p.ez"})));
    assert_eq!(why, "over a socket no program can be started in a terminal: leave 'console' out");
    dap.leave(true);
    let mut dap = Dap::start(directory.path());
    dap.request("initialize", json!({"adapterID": "ez", "supportsRunInTerminalRequest": true}));
    let mut confined = ez();
    confined.args(["dap", "--root", "."]);
    let mut confined = Dap::run(confined, directory.path());
    confined.request("initialize", json!({"adapterID": "ez", "supportsRunInTerminalRequest": true}));
    let why = confined.refused("launch", launch(json!({"program": "p.ez"})));
    assert_eq!(why, "a program in a terminal would reach files outside of --root: leave 'console' out");
    let why = confined.refused("attach", json!({"port": 4711}));
    assert_eq!(why, "a program that runs already may reach files outside of --root: 'launch' it");
    confined.disconnect();
    let why = dap.refused("launch", launch(json!({"replay": "r.ezrun"})));
    assert_eq!(why, "a recording needs no terminal: leave 'console' out");
    for console in ["integratedTerminal", "internalConsole"] {
        let nowhere = json!({"program": "p.ez", "cwd": "/nonexistent", "console": console});
        assert_eq!(
            dap.refused("launch", nowhere),
            "there is no directory /nonexistent for the program to run in"
        );
    }
    dap.disconnect();
}

#[test]
fn a_recording_is_shown_in_its_own_text() {
    let directory = directory();
    let run = support::ez()
        .args(["run", "--record", "r.ezrun", "p.ez"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let stop = |dap: &mut Dap| {
        dap.request("configurationDone", Value::Null);
        dap.event("stopped");
        dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["source"].take()
    };
    let replay = json!({"replay": "r.ezrun", "stopOnEntry": true});
    let mut dap = Dap::launched(directory.path(), replay.clone());
    assert_eq!(stop(&mut dap)["sourceReference"], Value::Null);
    assert!(!dap.disconnect().contains("is not what was recorded"));
    for text in [Some(PARTS), None] {
        let file = directory.path().join("p.ez");
        match text {
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        let mut dap = Dap::launched(directory.path(), replay.clone());
        let source = stop(&mut dap);
        assert_eq!(source["sourceReference"], 1);
        let shown = dap.request("source", json!({"sourceReference": 1, "source": {"sourceReference": 1}}));
        assert_eq!(shown["content"], PROGRAM);
        assert!(dap.disconnect().contains("p.ez is not what was recorded: its recorded text is shown."));
    }
}

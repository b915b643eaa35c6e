//! Sessions of `ez dap`, as snapshots.

use serde_json::{Value, json};
use support::dap::Dap;
use support::testdata;

/// A session about one of the programs of the transcripts, which is launched.
fn launched(program: &str, more: Value) -> Dap {
    let directory = testdata("transcripts");
    let mut launch = json!({"program": path(program)});
    launch.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    Dap::launched(&directory, launch)
}

fn path(program: &str) -> String {
    testdata("transcripts").join(program).display().to_string()
}

fn source(program: &str) -> Value {
    json!({"path": path(program)})
}

fn lines(program: &str, lines: &[u32]) -> Value {
    let breakpoints: Vec<Value> = lines.iter().map(|line| json!({"line": line})).collect();
    json!({"source": source(program), "breakpoints": breakpoints})
}

/// One that is stopped at a line.
fn stopped_at(program: &str, line: u32) -> Dap {
    let mut dap = launched(program, json!({}));
    dap.request("setBreakpoints", lines(program, &[line]));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().2, i64::from(line));
    dap
}

/// The same with a history.
fn with_history(program: &str, line: u32) -> Dap {
    let mut dap = launched(program, json!({"history": true}));
    dap.request("setBreakpoints", lines(program, &[line]));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().2, i64::from(line));
    dap
}

fn snapshot(name: &str, dap: Dap) {
    insta::assert_snapshot!(name, dap.disconnect());
}

#[test]
fn a_session() {
    let mut dap = launched("simple_stepping.ez", json!({"stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    dap.event("stopped");
    for step in ["next", "stepIn", "stepOut", "continue"] {
        if dap.response(step, json!({"threadId": 1}))["success"] == true && step != "continue" {
            dap.stop();
        }
    }
    dap.event("terminated");
    assert_eq!(dap.refused("next", json!({"threadId": 1})), "the program has ended");
    assert_eq!(dap.refused("restart", Value::Null), "the program has ended");
    snapshot("a_session", dap);
}

#[test]
fn breakpoints() {
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    // Before there is a program, they are pending.
    let program = "v2_program.ez";
    dap.request("setBreakpoints", lines(program, &[36, 41]));
    dap.request(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "bump"}, {"name": "std.println"}]}),
    );
    let exceptions = json!({
        "filters": ["errorValue", "nothing"],
        "filterOptions": [{"filterId": "uncaught", "condition": "error.code == \"E5002\""}],
    });
    dap.request("setExceptionBreakpoints", exceptions);
    dap.request("launch", json!({ "program": path(program) }));
    (0..4).for_each(|_| drop(dap.event("breakpoint")));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().2, 36);
    // One that is asked for again keeps its number; empty texts mean nothing.
    let more = json!({"source": source(program), "breakpoints": [
        {"line": 36, "condition": "", "hitCondition": "", "logMessage": ""},
        {"line": 40, "condition": "i == 2"},
        {"line": 41, "logMessage": "i is {i}"},
        {"line": 41, "column": 9, "hitCondition": "> 100"},
        {"line": 37, "condition": "nothing"},
        {"line": 1000},
    ]});
    dap.request("setBreakpoints", more);
    for (reason, line) in [("breakpoint", 40), ("function breakpoint", 23), ("exception", 29)] {
        dap.request("continue", json!({"threadId": 1}));
        let (told, _, at) = dap.stop();
        assert_eq!((told.as_str(), at), (reason, line));
    }
    dap.request("exceptionInfo", json!({"threadId": 1}));
    dap.request("breakpointLocations", json!({"source": source(program), "line": 38, "endLine": 43}));
    dap.request("breakpointLocations", json!({"source": source(program), "line": 43, "column": 6}));
    dap.request("setBreakpoints", json!({"source": source(program), "lines": [47]}));
    dap.request("setBreakpoints", json!({"source": source(program)}));
    snapshot("breakpoints", dap);
}

#[test]
fn run_time_errors() {
    let mut dap = launched("v2_errors.ez", json!({}));
    dap.request("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().0, "exception");
    dap.request("exceptionInfo", json!({"threadId": 1}));
    dap.request("evaluate", json!({"expression": "error.code"}));
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.event("exited")["exitCode"], 1);
    dap.event("terminated");
    snapshot("run_time_errors", dap);
}

#[test]
fn data_breakpoints() {
    let mut dap = stopped_at("v2_writes.ez", 23);
    let scopes = dap.scopes();
    let locals = dap.request("variables", json!({"variablesReference": scopes["Locals"]}));
    let p = locals["variables"].as_array().unwrap().iter().find(|v| v["name"] == "p").unwrap();
    let p = p["variablesReference"].as_i64().unwrap();
    let info =
        |dap: &mut Dap, arguments: Value| dap.request("dataBreakpointInfo", arguments)["dataId"].take();
    let sum = info(&mut dap, json!({"variablesReference": scopes["Locals"], "name": "sum"}));
    let x = info(&mut dap, json!({"variablesReference": p, "name": "x"}));
    let level = info(&mut dap, json!({"name": "level"}));
    let part = info(&mut dap, json!({"name": "items[1]"}));
    let unset = info(&mut dap, json!({"name": "ages"}));
    assert!(info(&mut dap, json!({"name": "nothing"})).is_null());
    assert!(info(&mut dap, json!({"name": "sum.x"})).is_null());
    let set = |dap: &mut Dap, ids: &[&Value]| {
        let all: Vec<Value> = ids.iter().map(|id| json!({"dataId": id, "accessType": "write"})).collect();
        dap.request("setDataBreakpoints", json!({ "breakpoints": all }));
    };
    set(&mut dap, &[&sum, &x]);
    dap.request("setBreakpoints", lines("v2_writes.ez", &[]));
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.stop().0, "data breakpoint");
    // At another stop, those that are set stay; globals are found again, and others are not.
    set(&mut dap, &[&x, &level, &unset, &json!("99")]);
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.stop().1, "grow");
    set(&mut dap, &[&part, &json!("x")]);
    let read = json!({"breakpoints": [{"dataId": level, "accessType": "read"}]});
    dap.request("setDataBreakpoints", read);
    dap.request("continue", json!({"threadId": 1}));
    dap.event("terminated");
    snapshot("data_breakpoints", dap);
}

#[test]
fn looking_around() {
    let mut dap = stopped_at("v2_program.ez", 45);
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let scopes = dap.scopes();
    dap.request("variables", json!({"variablesReference": scopes["Globals"]}));
    let locals = dap.request("variables", json!({"variablesReference": scopes["Locals"]}));
    let reference = |name: &str| {
        let all = locals["variables"].as_array().unwrap();
        all.iter().find(|v| v["name"] == name).unwrap()["variablesReference"].as_i64().unwrap()
    };
    dap.request("variables", json!({"variablesReference": reference("p")}));
    let page = json!({"variablesReference": reference("items"), "filter": "indexed", "start": 1, "count": 1});
    dap.request("variables", page);
    dap.request("variables", json!({"variablesReference": reference("items"), "filter": "named"}));
    dap.request("variables", json!({"variablesReference": reference("ages"), "filter": "named"}));
    for context in ["hover", "watch", "repl", "clipboard", "variables"] {
        dap.request("evaluate", json!({"expression": "p.x + 1", "frameId": frame, "context": context}));
    }
    let effect = json!({"expression": "bump(1)", "frameId": frame, "context": "hover"});
    assert!(dap.refused("evaluate", effect).contains("bump"));
    dap.request(
        "evaluate",
        json!({"expression": "temp twice = total * 2", "frameId": frame, "context": "repl"}),
    );
    dap.request("evaluate", json!({"expression": "twice", "frameId": frame, "context": "repl"}));
    dap.refused("evaluate", json!({"expression": "p.", "frameId": frame, "context": "repl"}));
    dap.request("completions", json!({"text": "p.", "column": 3, "frameId": frame}));
    dap.request("completions", json!({"text": "x\n\"😀\" + ag", "line": 2, "column": 10, "frameId": frame}));
    dap.request("setVariable", json!({"variablesReference": reference("p"), "name": "x", "value": "2 + 3"}));
    let wrong = json!({"variablesReference": scopes["Locals"], "name": "total", "value": "\"text\""});
    dap.refused("setVariable", wrong);
    dap.request("setExpression", json!({"expression": "items[1]", "value": "77", "frameId": frame}));
    dap.refused("setExpression", json!({"expression": "p.q", "value": "77", "frameId": frame}));
    dap.refused("setExpression", json!({"expression": "1", "value": "2", "frameId": frame}));
    dap.request("modules", json!({"startModule": 0, "moduleCount": 1}));
    dap.request("loadedSources", Value::Null);
    assert!(
        dap.request("source", json!({"source": source("v2_program.ez"), "sourceReference": 0}))["content"]
            .as_str()
            .unwrap()
            .starts_with("import @std")
    );
    dap.refused("source", json!({"source": {"path": "/nothing.ez"}, "sourceReference": 0}));
    snapshot("looking_around", dap);
}

#[test]
fn integers_are_shown_in_hexadecimal() {
    let mut dap = stopped_at("v2_program.ez", 45);
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let scopes = dap.scopes();
    let hex = json!({"hex": true});
    let locals =
        dap.request("variables", json!({"variablesReference": scopes["Locals"], "format": hex}))["variables"]
            .take();
    let of = |name: &str| locals.as_array().unwrap().iter().find(|v| v["name"] == name).unwrap().clone();
    assert_eq!(of("items")["value"], "{0xa, 0x14, 0x1e}");
    let items = json!({"variablesReference": of("items")["variablesReference"], "format": hex});
    assert_eq!(dap.request("variables", items)["variables"][2]["value"], "0x1e");
    for (format, result) in [
        (json!({"hex": true}), "{0xff, -0x1}"),
        (json!({"hex": false}), "{255, -1}"),
        (json!({}), "{255, -1}"),
    ] {
        let request =
            json!({"expression": "{255, -1}", "frameId": frame, "context": "repl", "format": format});
        assert_eq!(dap.request("evaluate", request)["result"], result);
    }
    let set = json!({"expression": "items[1]", "value": "77", "frameId": frame, "format": hex});
    assert_eq!(dap.request("setExpression", set)["value"], "0x4d");
    let set = json!({"variablesReference": of("items")["variablesReference"], "name": "[0]", "value": "0x10", "format": hex});
    assert_eq!(dap.request("setVariable", set)["value"], "0x10");
    let wrong = json!({"expression": "1", "frameId": frame, "format": {"hex": 1}});
    assert!(dap.refused("evaluate", wrong).contains("format.hex"));
    let wrong = json!({"expression": "1", "frameId": frame, "format": "hex"});
    assert!(dap.refused("evaluate", wrong).contains("format"));
}

#[test]
fn statements_are_unfolded() {
    let mut dap = stopped_at("v2_program.ez", 45);
    let refused = dap.refused("unfold", json!({}));
    assert!(refused.contains("no history is kept: launch the program with"), "{refused}");
    let mut dap = with_history("v2_unfold.ez", 23);
    let last = dap.request("unfold", json!({}));
    assert_eq!(last["line"], 20);
    assert_eq!(last["prefix"], "if ");
    let lines: Vec<&str> =
        last["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(
        lines,
        [
            "total > 20 && p.x != 2",
            "26 > 20 && p.x != 2",
            "true && p.x != 2",
            "true && 2 != 2",
            "true && false",
            "false"
        ]
    );
    let part = &last["parts"][last["lines"][1]["part"].as_u64().unwrap() as usize];
    assert_eq!(
        (&part["text"], &part["kind"], &part["value"]),
        (&json!("total"), &json!("variable"), &json!("26"))
    );
    assert_eq!((&part["line"], &part["column"], &part["endColumn"]), (&json!(20), &json!(8), &json!(13)));
    let next = dap.request("unfold", json!({"next": true, "format": {"hex": true}}));
    assert_eq!(next["parts"].as_array().unwrap().last().unwrap()["newValue"], "0x1c");
    let call = dap.request("unfold", json!({"step": 3}));
    assert_eq!((&call["parts"][4]["stepIn"], &call["parts"][4]["stepOut"]), (&json!(4), &json!(5)));
    assert!(dap.refused("unfold", json!({"step": 1000})).contains("there is no step 1000"));
    assert!(dap.refused("unfold", json!({"step": 3, "next": true})).contains("'next'"));
}

#[test]
fn the_past_is_asked_about_writes_and_output() {
    let mut dap = stopped_at("v2_program.ez", 45);
    for (request, arguments) in
        [("changes", json!({"expression": "level"})), ("outputStep", json!({"offset": 0}))]
    {
        let refused = dap.refused(request, arguments);
        assert!(refused.contains("no history is kept: launch the program with"), "{refused}");
    }
    let mut dap = with_history("v2_changes.ez", 45);
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let page =
        |before: Option<u64>| json!({"expression": "calls", "count": 3, "before": before, "frameId": frame});
    let first = dap.request("changes", page(None));
    let newest = &first["changes"][0];
    assert_eq!((&newest["cause"], &newest["line"]), (&json!("written"), &json!(16)), "{first}");
    assert_eq!((&newest["oldValue"], &newest["newValue"]), (&json!("9"), &json!("10")), "{first}");
    assert!(newest["source"]["path"].as_str().unwrap().ends_with("v2_changes.ez"), "{first}");
    let (mut causes, mut before) = (Vec::new(), first["next"].as_u64());
    while let Some(next) = before {
        let page = dap.request("changes", page(Some(next)));
        let all = page["changes"].as_array().unwrap().iter();
        causes.extend(all.map(|change| change["cause"].as_str().unwrap().to_string()));
        before = page["next"].as_u64();
    }
    assert_eq!(causes.iter().filter(|cause| *cause == "written").count(), 7, "{causes:?}");
    assert_eq!(causes.last().unwrap(), "declared", "{causes:?}");
    let hex = dap.request("changes", json!({"expression": "total", "count": 1, "format": {"hex": true}}));
    assert_eq!(hex["changes"][0]["newValue"], "0x82");
    assert!(dap.refused("changes", json!({"expression": "1 + 1"})).contains("is not a variable"));
    assert!(dap.refused("changes", json!({})).contains("'expression'"));
    assert!(dap.refused("outputStep", json!({"offset": 5})).contains("has not printed anything"));

    let mut dap = with_history("v2_output_step.ez", 14);
    let inner = dap.request("outputStep", json!({"offset": 28}));
    assert_eq!((&inner["line"], &inner["step"]), (&json!(5), &json!(6)), "{inner}");
    let outer = dap.request("outputStep", json!({"offset": 30}));
    assert_eq!((&outer["line"], &outer["step"]), (&json!(12), &json!(3)), "{outer}");
    assert!(dap.refused("outputStep", json!({"offset": 36})).contains("there is no byte 36"));
}

#[test]
fn an_output_that_is_not_expected_is_shown_as_an_exception() {
    let expected = json!({"text": "start\nn is 1"});
    let mut dap = launched("v2_expected.ez", json!({"history": true, "expectedOutput": expected}));
    dap.request("configurationDone", json!({}));
    let stop = dap.event("stopped");
    let lines = "expected: n is 1\nprinted:  n is 0";
    assert_eq!((&stop["reason"], &stop["text"]), (&json!("exception"), &json!(lines)), "{stop}");
    let info = dap.request("exceptionInfo", json!({"threadId": 1}));
    assert_eq!((&info["exceptionId"], &info["breakMode"]), (&json!("output"), &json!("always")), "{info}");
    assert_eq!(info["description"], format!("Line 2 of the output is not as it is expected\n{lines}"));
    assert!(dap.refused("setExpectedOutput", json!({"text": "a", "file": "b"})).contains("'file'"));
    dap.request("setExpectedOutput", json!({"text": null}));
}

#[test]
fn a_program_whose_expected_output_cannot_be_read_is_not_launched() {
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    let launch = json!({"program": path("v2_expected.ez"), "expectedOutput": "none.out"});
    // As editors do, which wait for no answer.
    let seqs = dap.send_together(&[("launch", launch), ("configurationDone", Value::Null)]);
    let answers: Vec<Value> = seqs.into_iter().map(|seq| dap.answer(seq)).collect();
    let message = answers[0]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("the expected output cannot be read: none.out: "), "{answers:?}");
    let transcript = dap.disconnect();
    assert!(!transcript.contains("n is"), "{transcript}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    for root in [&[][..], &["--root", "."]] {
        let mut command = support::ez();
        command.arg("dap").args(root);
        let mut dap = Dap::run(command, folder.path());
        dap.request("initialize", json!({"adapterID": "ez"}));
        let why = dap.refused("launch", json!({"replay": "pipe"}));
        assert!(why.contains("not a regular file"), "{why}");
        dap.disconnect();
    }
}

#[test]
fn a_file_that_is_expected_is_read_again_at_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("expected.out");
    std::fs::write(&file, "other").unwrap();
    let more = json!({"stopOnEntry": true, "expectedOutput": file.display().to_string()});
    let mut dap = launched("v2_expected.ez", more);
    dap.request("configurationDone", json!({}));
    for (text, wanted) in [(None, "expected: other"), (Some("start\nn is 1"), "expected: n is 1")] {
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
            dap.request("restart", json!({}));
        }
        dap.event("stopped");
        dap.request("continue", json!({"threadId": 1}));
        let stop = dap.event("stopped");
        assert!(stop["text"].as_str().is_some_and(|text| text.starts_with(wanted)), "{stop}");
    }
    std::fs::remove_file(&file).unwrap();
    assert!(dap.refused("restart", json!({})).starts_with("the expected output cannot be read: "));
    dap.event("terminated");
}

#[test]
fn what_a_program_reads_is_given_again_at_a_restart() {
    let mut dap = launched("v2_talk.ez", json!({"input": "Ann\n"}));
    let source = json!({"path": path("v2_talk.ez")});
    dap.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 7}]}));
    dap.request("configurationDone", json!({}));
    for restart in [json!({}), json!({"arguments": {"input": "Bob\n"}})] {
        dap.event("stopped");
        dap.request("restart", restart);
    }
    dap.event("stopped");
    let frames = dap.request("stackTrace", json!({"threadId": 1}));
    let frame = &frames["stackFrames"][0]["id"];
    let name = dap.request("evaluate", json!({"expression": "name", "frameId": frame}));
    assert_eq!(name["result"], "\"Bob\"");
}

#[test]
fn what_a_program_reads_is_given_at_its_launch() {
    let mut dap = launched("v2_talk.ez", json!({"input": "Ann\n"}));
    dap.request("configurationDone", json!({}));
    let mut printed = String::new();
    while !printed.contains("done") {
        let output = dap.event("output");
        printed.push_str(output["output"].as_str().unwrap());
    }
    assert!(printed.contains("Hello, Ann!"), "{printed}");
    dap.event("terminated");
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    assert!(dap.refused("launch", json!({"program": path("v2_talk.ez"), "input": 7})).contains("'input'"));
}

#[test]
fn steps_into_calls_and_return_values() {
    let mut dap = stopped_at("v2_program.ez", 43);
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let targets = dap.request("stepInTargets", json!({ "frameId": frame }));
    let bump = &targets["targets"][1]["id"];
    assert_eq!(
        dap.refused("stepIn", json!({"threadId": 1, "targetId": 99})),
        "there is no step target 99 at this stop"
    );
    dap.request("stepIn", json!({"threadId": 1, "targetId": bump}));
    assert_eq!(dap.stop().1, "bump");
    // Arguments are among the locals: an editor shows the variables of the first scope only.
    assert_eq!(dap.scopes().into_keys().collect::<Vec<_>>(), ["Globals", "Locals"]);
    dap.request("stepOut", json!({"threadId": 1}));
    assert_eq!(dap.stop().1, "main");
    let returned = dap.scopes()["Return value"];
    dap.request("variables", json!({ "variablesReference": returned }));
    let changed = json!({"variablesReference": returned, "name": "bump", "value": "1"});
    dap.refused("setVariable", changed);
    let info = json!({"variablesReference": returned, "name": "bump"});
    assert!(dap.request("dataBreakpointInfo", info)["dataId"].is_null());
    dap.request("next", json!({"threadId": 1}));
    dap.event("stopped");
    let stale = dap.refused("variables", json!({ "variablesReference": returned }));
    assert!(stale.contains("no longer valid"), "{stale}");
    assert!(dap.refused("scopes", json!({ "frameId": frame })).contains("no longer valid"));
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let other = dap.refused("variables", json!({ "variablesReference": frame }));
    assert_eq!(other, format!("{frame} is a frameId, no variablesReference"));
    assert!(dap.refused("scopes", json!({"frameId": 4711})).contains("was never given"));
    snapshot("steps_into_calls_and_return_values", dap);
}

#[test]
fn input() {
    let mut dap = launched("v2_talk.ez", json!({}));
    dap.request("configurationDone", Value::Null);
    let asks = |dap: &mut Dap| {
        while dap.event("output")["category"] != "console" {}
    };
    asks(&mut dap);
    assert_eq!(
        dap.refused("evaluate", json!({"expression": "1", "context": "hover"})),
        "the program waits for input"
    );
    dap.request("pause", json!({"threadId": 1}));
    assert_eq!(dap.stop().0, "pause");
    dap.request("evaluate", json!({"expression": "1 + 1", "context": "repl"}));
    dap.request("continue", json!({"threadId": 1}));
    asks(&mut dap);
    dap.request("evaluate", json!({"expression": "Ann", "context": "repl"}));
    assert_eq!(dap.event("exited")["exitCode"], 0);
    snapshot("input", dap);
}

#[test]
fn the_end_of_input() {
    let mut dap = launched("input_eof.ez", json!({}));
    dap.request("configurationDone", Value::Null);
    while dap.event("output")["category"] != "console" {}
    dap.request("evaluate", json!({"expression": "\u{4}", "context": "repl"}));
    dap.event("terminated");
    snapshot("the_end_of_input", dap);
}

#[test]
fn restart() {
    let mut dap =
        launched("v2_arguments.ez", json!({"args": ["one"], "env": {"EZ_NAME": "Ann"}, "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    dap.stop();
    dap.request("restart", json!({"arguments": {"program": path("v2_arguments.ez"), "args": ["two"], "env": {"EZ_NAME": "Bob"}}}));
    dap.stop();
    dap.refused("restart", json!({"arguments": {"program": "other.ez"}}));
    dap.request("continue", json!({"threadId": 1}));
    while dap.event("output")["category"] != "console" {}
    dap.request("evaluate", json!({"expression": "x", "context": "repl"}));
    dap.event("terminated");
    snapshot("restart", dap);
}

#[test]
fn a_stop_before_a_restart_is_not_of_the_new_run() {
    let mut dap = launched("v2_talk.ez", json!({}));
    dap.request("configurationDone", Value::Null);
    while dap.event("output")["category"] != "console" {}
    // The restart waits for the stop, since that comes soon.
    let sent = dap.send_together(&[("pause", json!({"threadId": 1})), ("restart", json!({}))]);
    for seq in sent {
        assert_eq!(dap.answer(seq)["success"], true);
    }
    while dap.event("output")["category"] != "console" {}
    assert_eq!(dap.refused("next", json!({"threadId": 1})), "the program waits for input");
    let transcript = dap.disconnect();
    assert!(!transcript.contains("< stopped"), "{transcript}");
}

#[test]
fn terminate_and_cancel() {
    let mut dap = launched("v2_loop.ez", json!({"stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    // The pause is in `main`, not among the initialisers.
    dap.event("stopped");
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.response("stackTrace", json!({"threadId": 1}))["message"], "notStopped");
    dap.request("pause", json!({"threadId": 1}));
    dap.event("stopped");
    let endless = dap.send("evaluate", json!({"expression": "main()", "context": "repl"}));
    let waiting = dap.send("evaluate", json!({"expression": "main()", "context": "repl"}));
    dap.request("cancel", json!({ "requestId": waiting }));
    assert_eq!(dap.answer(waiting)["message"], "cancelled");
    dap.request("cancel", json!({ "requestId": endless }));
    assert_eq!(dap.answer(endless)["message"], "cancelled");
    dap.request("cancel", json!({"requestId": 1}));
    dap.request("cancel", json!({"progressId": "x"}));
    dap.request("terminate", Value::Null);
    assert_eq!(dap.event("exited")["exitCode"], 143);
    dap.event("terminated");
    dap.request("terminate", Value::Null);
    dap.request("threads", Value::Null);
    // What the pause met depends on chance, so that there is no snapshot.
    dap.disconnect();
}

#[test]
fn programs_that_are_wrong() {
    let mut dap = Dap::start(&testdata("transcripts"));
    assert!(dap.refused("threads", Value::Null).contains("initialize"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.refused("initialize", json!({}));
    dap.refused("launch", json!({}));
    dap.refused("launch", json!({"program": path("v2_loop.ez"), "console": "integratedTerminal"}));
    dap.refused("launch", json!({"program": path("v2_loop.ez"), "args": "x"}));
    dap.refused("launch", json!({"program": path("v2_loop.ez"), "deny": ["everything"]}));
    dap.refused("launch", json!({"program": path("v2_loop.ez"), "cwd": "/nowhere"}));
    dap.refused("launch", json!({"program": path("check_errors.ez")}));
    dap.refused("launch", json!({"program": path("nothing.ez")}));
    dap.request("configurationDone", Value::Null);
    dap.refused("restart", Value::Null);
    dap.refused("terminate", Value::Null);
    dap.request("launch", json!({"program": path("exit_status.ez")}));
    dap.event("terminated");
    snapshot("programs_that_are_wrong", dap);
}

#[test]
fn without_debugging() {
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.request("setBreakpoints", lines("simple_stepping.ez", &[1, 2, 3, 4, 5, 6, 7, 8]));
    dap.request(
        "launch",
        json!({"program": path("simple_stepping.ez"), "noDebug": true, "stopOnEntry": true}),
    );
    dap.event("process");
    dap.request("setBreakpoints", lines("simple_stepping.ez", &[1, 2]));
    dap.request("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    dap.refused("pause", json!({"threadId": 1}));
    dap.request("configurationDone", Value::Null);
    dap.event("terminated");
    snapshot("without_debugging", dap);
}

/// A session that never stops has no use for its past: the program ends.
#[test]
fn without_debugging_the_history_is_not_kept() {
    for program in ["simple_stepping.ez", "v2_errors.ez"] {
        let mut dap = launched(program, json!({"noDebug": true, "history": true}));
        dap.request("configurationDone", Value::Null);
        let exited = dap.event("exited");
        assert_eq!(exited["exitCode"], i32::from(program == "v2_errors.ez"));
        dap.event("terminated");
        let transcript = dap.transcript();
        assert!(!transcript.contains("\"stopped\""), "{transcript}");
    }
}

/// What refuses what a person has asked for with a button is shown; what is said where it was asked for is not shown
/// again.
#[test]
fn refusals_are_shown_to_the_person() {
    let wrong = [
        json!({"cwd": "/nonexistent"}),
        json!({"args": "a b"}),
        json!({"env": {"A": 1}}),
        json!({"memoryLimit": "lots"}),
        json!({"console": "foo"}),
        json!({"deny": ["bla"]}),
        json!({"stopOnEntry": "yes"}),
        json!({"program": "/nonexistent.ez"}),
    ];
    for attributes in wrong {
        let mut dap = Dap::start(&testdata("transcripts"));
        dap.request("initialize", json!({"adapterID": "ez"}));
        let mut launch = json!({"program": path("simple_stepping.ez")});
        launch.as_object_mut().unwrap().extend(attributes.as_object().unwrap().clone());
        assert!(
            dap.response("launch", launch)["body"]["error"]["showUser"].as_bool().unwrap(),
            "{attributes}"
        );
    }
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    for attributes in [json!({}), json!({"port": 1}), json!({"port": 1, "token": "wrong"})] {
        assert!(
            dap.response("attach", attributes.clone())["body"]["error"]["showUser"].as_bool().unwrap(),
            "{attributes}"
        );
    }
    let mut dap = stopped_at("v2_program.ez", 45);
    for (request, arguments, shown) in [
        ("stepBack", json!({"threadId": 1}), true),
        ("setExpression", json!({"expression": "p.q", "value": "1"}), true),
        ("evaluate", json!({"expression": "p.q", "context": "watch"}), false),
        ("evaluate", json!({"expression": "p.q", "context": "hover"}), false),
        ("completions", json!({"text": "p", "column": -1}), false),
    ] {
        assert_eq!(dap.response(request, arguments)["body"]["error"]["showUser"], shown, "{request}");
    }
    dap.request("continue", json!({"threadId": 1}));
}

/// What is assigned to is an expression of its own, and the answer is what the engine says.
#[test]
fn set_expression_joins_no_texts() {
    let mut dap = stopped_at("v2_program.ez", 45);
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let mut set = |expression: &str, value: &str| {
        let arguments = json!({"expression": expression, "value": value, "frameId": frame});
        let response = dap.response("setExpression", arguments);
        let text = |text: &Value| text.as_str().unwrap().to_string();
        match response["success"].as_bool().unwrap() {
            true => Ok(text(&response["body"]["value"])),
            false => Err(text(&response["message"])),
        }
    };
    assert_eq!(set("total // the sum", "7"), Ok("7".into()));
    assert_eq!(set(" /* first */ items[0] ", "1 + 1 // two"), Ok("2".into()));
    assert_eq!(set("p.x", ""), Err("expected an expression, found the end".into()));
    assert_eq!(set("p.x", "total = 4"), Err("the value must be an expression".into()));
    assert_eq!(set("p.x", "nobody = 4"), Err("undefined variable 'nobody'".into()));
    assert_eq!(set("p.x = 1", "4"), Err("only an expression can be assigned to".into()));
    assert_eq!(set("", "4"), Err("expected an expression, found the end".into()));
    assert_eq!(
        set("items[bump(1)]", "4"),
        Err("the expression to which is assigned must not change anything".into())
    );
    for constant in ["(total)", "5", "{1}", "nil", "-total", "area(p, 2)"] {
        let refused = set(constant, "6").unwrap_err();
        assert!(refused.contains("assign") && !refused.contains("unexpected"), "{constant}: {refused}");
    }
    let value = |dap: &mut Dap, expression: &str| {
        dap.request("evaluate", json!({"expression": expression, "frameId": frame}))["result"].take()
    };
    assert_eq!(value(&mut dap, "total"), "7");
}

#[test]
fn clients_that_count_from_0_and_name_files_by_uris() {
    let mut dap = Dap::start(&testdata("transcripts"));
    let client =
        json!({"adapterID": "ez", "linesStartAt1": false, "columnsStartAt1": false, "pathFormat": "uri"});
    dap.request("initialize", client);
    // As clients write it: of drives the colon is escaped.
    let file = path("several_on_a_line.ez").replace('\\', "/").replace(':', "%3A");
    let uri = format!("file:///{}", file.trim_start_matches('/'));
    dap.request("launch", json!({"program": uri, "stopOnEntry": true}));
    let set = json!({"source": {"path": uri}, "breakpoints": [{"line": 2, "column": 11}]});
    let set = dap.request("setBreakpoints", set);
    let at = &set["breakpoints"][0];
    assert_eq!((&at["line"], &at["column"], &at["verified"]), (&json!(2), &json!(11), &json!(true)));
    dap.request("breakpointLocations", json!({"source": {"path": uri}, "line": 2}));
    dap.request("configurationDone", Value::Null);
    dap.event("stopped");
    let frames = dap.request("stackTrace", json!({"threadId": 1}));
    assert_eq!(frames["stackFrames"][0]["line"], 1);
    assert_eq!(frames["stackFrames"][0]["column"], 4);
    assert_eq!(frames["stackFrames"][0]["source"]["path"].as_str(), Some(uri.as_str()));
    let completed = dap.request("completions", json!({"text": "le", "column": 2}));
    assert_eq!(completed["targets"][0]["start"], 0);
    dap.disconnect();
}

#[test]
fn a_client_without_configuration_done() {
    let mut dap = launched("simple_stepping.ez", json!({}));
    dap.request("setBreakpoints", lines("simple_stepping.ez", &[5]));
    dap.request("setFunctionBreakpoints", json!({"breakpoints": []}));
    dap.request("setExceptionBreakpoints", json!({"filters": []}));
    assert_eq!(dap.stop().0, "breakpoint");
    dap.request("configurationDone", Value::Null);
    dap.disconnect();
}

#[test]
fn messages_that_are_wrong() {
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", Value::Null);
    dap.raw(b"garbage\r\n\r\nContent-Length: nonsense\r\n\r\n");
    dap.raw(b"Content-Length: 99999999999999999999\r\n\r\n");
    dap.raw(b"Content-Length: 2\r\n\r\n\xff\xff");
    dap.raw(b"Content-Length: 1\r\n\r\n{");
    for message in [json!([]), json!({"type": "request"}), json!({"seq": 1, "type": "event", "event": "x"})] {
        dap.message(&message);
    }
    dap.message(&json!({"seq": 1, "type": "response", "request_seq": 5, "success": true, "command": "x"}));
    for arguments in [json!([]), json!("x"), json!(1)] {
        dap.refused("launch", arguments);
    }
    assert_eq!(dap.refused("fly", Value::Null), "unknown request: fly");
    assert_eq!(dap.refused("goto", json!({"threadId": 1})), "unknown request: goto");
    assert_eq!(dap.refused("next", json!({"threadId": 2})), "there is no thread 2");
    assert_eq!(dap.refused("next", Value::Null), "no program is launched");
    dap.request("threads", json!({}));
    snapshot("messages_that_are_wrong", dap);
}

#[test]
fn requests_in_the_wrong_state() {
    let mut dap = launched("v2_loop.ez", json!({}));
    let thread = || json!({"threadId": 1});
    assert_eq!(
        dap.refused("launch", json!({"program": path("v2_loop.ez")})),
        "a program is launched already"
    );
    assert_eq!(dap.refused("next", thread()), "the program is not started");
    assert_eq!(dap.refused("stackTrace", thread()), "the program is not started");
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.refused("next", thread()), "the program is running");
    assert_eq!(dap.refused("attach", json!({})), "a program is launched already");
    dap.request("pause", thread());
    dap.stop();
    let no_history = "no history is kept: launch the program with \"history\": true";
    assert_eq!(dap.refused("stepBack", thread()), no_history);
    assert_eq!(dap.refused("reverseContinue", thread()), no_history);
    dap.disconnect();
}

#[test]
fn a_client_that_vanishes() {
    let mut dap = launched("v2_loop.ez", json!({}));
    dap.request("configurationDone", Value::Null);
    dap.event("thread");
    let (_, status) = dap.end();
    assert!(status.success());
}

#[test]
fn columns_are_counted_in_utf_16() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("wide.ez").display().to_string();
    let text = "import @std\nusing std\ndo main() {\n    print(\"😀😀\") println(\"b\")\n}\n";
    std::fs::write(&file, text).unwrap();
    let mut dap = Dap::launched(directory.path(), json!({"program": file}));
    let source = json!({"path": file});
    // The program is loaded when this is answered.
    dap.request("modules", Value::Null);
    let set = json!({"source": source, "breakpoints": [{"line": 4, "column": 19}]});
    let set = dap.request("setBreakpoints", set)["breakpoints"][0].take();
    assert_eq!(set["column"], 19);
    let all = dap.request("breakpointLocations", json!({"source": source, "line": 4}));
    assert_eq!(all["breakpoints"][1]["column"], 19);
    dap.request("configurationDone", Value::Null);
    dap.event("stopped");
    let frames = dap.request("stackTrace", json!({"threadId": 1}));
    // Without an end: an editor would select the statement, and what is typed would take its place.
    assert_eq!(
        (&frames["stackFrames"][0]["column"], &frames["stackFrames"][0]["endColumn"]),
        (&json!(19), &Value::Null)
    );
    dap.disconnect();
}

//! Random requests to `ez dap`, valid and invalid. The client of the tests checks each message: each request
//! is answered once, messages are numbered, and nothing comes behind `terminated`.

use fastrand::Rng;
use serde_json::{Value, json};
use support::dap::Dap;
use support::testdata;

const PROGRAMS: [&str; 4] = ["v2_program.ez", "v2_writes.ez", "v2_talk.ez", "v2_loop.ez"];

fn any_value(random: &mut Rng) -> Value {
    match random.u8(0..8) {
        0 => Value::Null,
        1 => json!(random.i32(-3..40)),
        2 => json!("x"),
        3 => json!([1, "a", null]),
        4 => json!({"path": "x.ez", "name": 3}),
        5 => json!(true),
        6 => json!(1.5),
        _ => json!(1e300),
    }
}

/// A request with arguments that may be right, or wrong in one place.
fn request(random: &mut Rng, program: &str) -> (&'static str, Value) {
    let number = random.i32(0..30);
    let source = json!({ "path": program });
    let requests = [
        ("initialize", json!({"adapterID": "ez"})),
        ("launch", json!({ "program": program })),
        ("configurationDone", json!({})),
        (
            "setBreakpoints",
            json!({"source": source, "breakpoints": [{"line": number, "condition": "1 == 1"}]}),
        ),
        (
            "setBreakpoints",
            json!({"source": source, "breakpoints": [{"line": number, "hitCondition": "> 2"}]}),
        ),
        ("setFunctionBreakpoints", json!({"breakpoints": [{"name": "bump"}, {"name": "nothing"}]})),
        ("setExceptionBreakpoints", json!({"filters": ["uncaught", "errorValue"]})),
        ("setDataBreakpoints", json!({"breakpoints": [{"dataId": number.to_string()}]})),
        ("dataBreakpointInfo", json!({"variablesReference": number, "name": "x"})),
        ("dataBreakpointInfo", json!({"name": "p.x", "frameId": number})),
        ("breakpointLocations", json!({"source": source, "line": number})),
        ("next", json!({"threadId": 1})),
        ("stepIn", json!({"threadId": 1})),
        ("stepIn", json!({"threadId": 1, "targetId": number})),
        ("stepOut", json!({"threadId": 1})),
        ("continue", json!({"threadId": 1})),
        ("pause", json!({"threadId": 1})),
        ("threads", Value::Null),
        ("stackTrace", json!({"threadId": 1})),
        ("scopes", json!({ "frameId": number })),
        ("variables", json!({"variablesReference": number, "start": 1, "count": 2})),
        ("setVariable", json!({"variablesReference": number, "name": "x", "value": "1"})),
        ("setExpression", json!({"expression": "level", "value": "2"})),
        ("evaluate", json!({"expression": "1 + 1", "context": "repl"})),
        ("evaluate", json!({"expression": "main()", "context": "repl"})),
        ("evaluate", json!({"expression": "p", "context": "hover"})),
        ("completions", json!({"text": "p.", "column": 3})),
        ("exceptionInfo", json!({"threadId": 1})),
        ("stepBack", json!({"threadId": 1})),
        ("reverseContinue", json!({"threadId": 1})),
        ("restartFrame", json!({ "frameId": number })),
        ("goToStep", json!({ "step": number })),
        ("goToPresent", Value::Null),
        ("lastChange", json!({"expression": "level"})),
        ("changes", json!({"expression": "level", "count": 2})),
        ("changes", json!({"expression": "level", "before": number})),
        ("outputStep", json!({ "offset": number })),
        ("setExpectedOutput", json!({ "text": "1" })),
        ("unfold", json!({})),
        ("unfold", json!({"next": true, "format": {"hex": true}})),
        ("stepInTargets", json!({ "frameId": number })),
        ("source", json!({"source": source, "sourceReference": 0})),
        ("loadedSources", json!({})),
        ("modules", json!({})),
        ("cancel", json!({ "requestId": number })),
        ("restart", json!({})),
        ("terminate", json!({})),
        ("fly", json!({})),
    ];
    let (name, mut arguments) = requests[random.usize(0..requests.len())].clone();
    if random.u8(0..5) == 0
        && let Some(map) = arguments.as_object_mut()
        && let Some(key) = random.choice(map.keys().cloned().collect::<Vec<_>>())
    {
        match random.bool() {
            true => drop(map.remove(&key)),
            false => drop(map.insert(key, any_value(random))),
        }
    }
    (name, arguments)
}

fn play(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let directory = testdata("transcripts");
    let program = directory.join(random.choice(PROGRAMS).unwrap()).display().to_string();
    let mut dap = Dap::start(&directory);
    if random.u8(0..10) > 0 {
        dap.send("initialize", json!({"adapterID": "ez"}));
        dap.send(
            "launch",
            json!({"program": program, "stopOnEntry": random.bool(), "history": random.bool()}),
        );
        dap.send("configurationDone", Value::Null);
    }
    for _ in 0..random.usize(0..40) {
        let (name, arguments) = request(&mut random, &program);
        let seq = dap.send(name, arguments);
        match random.u8(0..12) {
            0..8 => drop(dap.answer(seq)),
            8 => dap.raw(b"garbage\r\n"),
            9 => dap.raw(b"Content-Length: 3\r\n\r\n{\"}"),
            _ => {}
        }
    }
    // Some clients say goodbye, and some do not.
    if random.bool() {
        dap.send("disconnect", Value::Null);
    }
    let (transcript, status) = dap.end();
    assert!(status.success(), "seed {seed}: {status}\n{transcript}");
}

#[test]
fn sessions_keep_the_rules() {
    for seed in 0..60 {
        play(seed);
    }
}

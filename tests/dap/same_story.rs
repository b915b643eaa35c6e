//! The same session in the EZ debug protocol and in the Debug Adapter Protocol: both tell the same.

use serde_json::{Value, json};
use support::dap::Dap;
use support::{Server, testdata};

/// What both protocols can ask for.
#[derive(Clone, Copy)]
enum Step {
    Into,
    Over,
    Out,
    Continue,
    Restart,
}

use Step::{Continue, Into, Out, Over, Restart};

/// A session: the program, its breakpoints, and how it goes on.
struct Story {
    program: &'static str,
    breakpoints: Value,
    functions: Value,
    errors: Value,
    steps: Vec<Step>,
}

/// What is told: stops with their reasons, places and variables; output; the end.
type Told = Vec<String>;

fn in_ez(story: &Story) -> Told {
    let mut server = Server::start(&testdata("transcripts"), &[]);
    let mut told = Vec::new();
    let initialize =
        json!({"file": story.program, "protocolVersion": 2, "stopOnEntry": story.breakpoints == json!([])});
    server.command("initialize", initialize);
    server.command("setBreakpoints", json!({"file": story.program, "breakpoints": story.breakpoints}));
    server.command("setFunctionBreakpoints", json!({"breakpoints": story.functions}));
    server.command("setExceptionBreakpoints", json!({"filters": story.errors}));
    for name in ["start"].into_iter().chain(story.steps.iter().map(|step| match step {
        Into => "stepInto",
        Over => "stepOver",
        Out => "stepOut",
        Continue => "continue",
        Restart => "restart",
    })) {
        server.command(name, json!({}));
        loop {
            let Some(event) = server.event() else { return told };
            let data = &event["data"];
            match event["event"].as_str().unwrap() {
                "output" => told.push(format!("{}: {}", data["category"], data["text"])),
                "stopped" => {
                    told.push(format!("{} {}", data["reason"], data["description"]));
                    break;
                }
                "exited" => {
                    told.push(format!("exit {}", data["exitCode"]));
                    return told;
                }
                _ => {}
            }
        }
        server.command("getStackTrace", json!({}));
        for frame in server.wait_for("stackTrace")["frames"].as_array().unwrap() {
            told.push(format!("{} {}:{}", frame["function"], frame["line"], frame["column"]));
        }
        server.command("getVariables", json!({}));
        for variable in server.wait_for("variables")["variables"].as_array().unwrap() {
            told.push(format!("{} = {} {}", variable["name"], variable["value"], variable["declaredType"]));
        }
    }
    told
}

fn in_dap(story: &Story) -> Told {
    let path = testdata("transcripts").join(story.program).display().to_string();
    let launch = json!({"program": path, "stopOnEntry": story.breakpoints == json!([])});
    let mut dap = Dap::launched(&testdata("transcripts"), launch);
    dap.request("setBreakpoints", json!({"source": {"path": path}, "breakpoints": story.breakpoints}));
    dap.request("setFunctionBreakpoints", json!({"breakpoints": story.functions}));
    dap.request("setExceptionBreakpoints", json!({"filters": story.errors}));
    let mut told = Vec::new();
    let names = story.steps.iter().map(|step| match step {
        Into => "stepIn",
        Over => "next",
        Out => "stepOut",
        Continue => "continue",
        Restart => "restart",
    });
    for name in ["configurationDone"].into_iter().chain(names) {
        dap.request(name, json!({"threadId": 1}));
        loop {
            let event = dap.any_event();
            let body = &event["body"];
            match event["event"].as_str().unwrap() {
                // Warnings and errors of the program have a place.
                "output" if body.get("source").is_none() => {
                    told.push(format!("{}: {}", body["category"], body["output"]));
                }
                "stopped" => {
                    told.push(format!("{} {}", body["reason"], body["description"]));
                    break;
                }
                "exited" => {
                    told.push(format!("exit {}", body["exitCode"]));
                    dap.disconnect();
                    return told;
                }
                _ => {}
            }
        }
        let frames = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"].take();
        for frame in frames.as_array().unwrap() {
            told.push(format!("{} {}:{}", frame["name"], frame["line"], frame["column"]));
        }
        let scopes = dap.request("scopes", json!({"frameId": frames[0]["id"]}))["scopes"].take();
        for scope in scopes.as_array().unwrap().iter().filter(|scope| scope["name"] != "Return value") {
            let reference = &scope["variablesReference"];
            let all = dap.request("variables", json!({ "variablesReference": reference }));
            for variable in all["variables"].as_array().unwrap() {
                told.push(format!("{} = {} {}", variable["name"], variable["value"], variable["type"]));
            }
        }
    }
    dap.disconnect();
    told
}

fn story(program: &'static str, breakpoints: Value, steps: &[Step]) -> Story {
    let (functions, errors) = (json!([]), json!([]));
    Story { program, breakpoints, functions, errors, steps: steps.to_vec() }
}

fn check(story: &Story) {
    let told = in_ez(story);
    assert!(told.len() > 3, "{told:?}");
    pretty(&told, &in_dap(story));
}

fn pretty(ez: &Told, dap: &Told) {
    // Arrays are written `[1, 2]` in the one, and `{1, 2}` in the other.
    let same = |told: &Told| told.join("\n").replace('[', "{").replace(']', "}");
    assert_eq!(same(ez), same(dap));
}

#[test]
fn steps() {
    check(&story("simple_stepping.ez", json!([]), &[Into, Into, Over, Over, Continue]));
    check(&story(
        "nested_calls.ez",
        json!([]),
        &[Into, Into, Into, Out, Over, Into, Into, Out, Out, Continue],
    ));
    check(&story(
        "v2_program.ez",
        json!([]),
        &[Over, Over, Over, Over, Over, Over, Over, Over, Into, Into, Out],
    ));
    check(&story("recursion.ez", json!([]), &[Into, Into, Into, Into, Into, Into, Into, Out, Out, Continue]));
}

#[test]
fn breakpoints() {
    let several = json!([
        {"line": 23, "condition": "by == 5"},
        {"line": 40, "hitCondition": ">= 2"},
        {"line": 41, "logMessage": "{i}: {names}"},
        {"line": 1},
    ]);
    check(&story(
        "v2_program.ez",
        several.clone(),
        &[Continue, Continue, Restart, Continue, Continue, Continue],
    ));
    check(&Story {
        functions: json!([{"name": "area", "condition": "scale == 2"}, {"name": "divide"}]),
        errors: json!(["errorValue"]),
        ..story("v2_program.ez", several, &[Continue, Continue, Into, Continue, Continue, Continue, Continue])
    });
}

#[test]
fn errors() {
    for errors in [json!([]), json!(["uncaught"]), json!(["uncaught", "errorValue"])] {
        let steps = [Continue, Continue, Continue, Continue];
        check(&Story { errors, ..story("v2_errors.ez", json!([]), &steps) });
    }
}

//! EZ programs that a debugged program starts: an editor is asked to start a session for each of them, over an
//! adapter of its own.

use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};
use support::WORKER;
use support::dap::Dap;
use support::socket::{Listening, Says};
use tempfile::TempDir;

use crate::attach::run;

/// A directory with `worker.ez`, and `boss.ez`, which runs it.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("worker.ez"), WORKER).unwrap();
    let boss = format!(
        "import @std, @os\nusing std\ndo main() {{\n    temp text, problem = os.exec_output(`{} worker.ez 7`)\n    \
         println(\"got ${{text}}\")\n}}\n",
        support::ez_path().display()
    );
    std::fs::write(directory.path().join("boss.ez"), boss).unwrap();
    directory
}

/// A client that starts sessions, on an adapter of its own, and has launched `boss.ez`.
fn launched(directory: &Path, launch: Value) -> Dap {
    let mut dap = Dap::start(directory);
    introduce(&mut dap);
    begin(&mut dap, launch);
    dap
}

fn introduce(dap: &mut Dap) {
    let client = json!({"adapterID": "ez", "supportsStartDebuggingRequest": true,
        "supportsRunInTerminalRequest": true});
    dap.request("initialize", client);
    dap.event("initialized");
}

fn begin(dap: &mut Dap, mut launch: Value) {
    launch["program"] = "boss.ez".into();
    dap.request("launch", launch);
    dap.request("configurationDone", Value::Null);
}

/// Answers `startDebugging`, and gives its configuration.
fn configuration(dap: &mut Dap, success: bool) -> Value {
    let asked = dap.asked();
    assert_eq!(
        (&asked["command"], &asked["arguments"]["request"]),
        (&json!("startDebugging"), &json!("attach"))
    );
    dap.answer_asked(&asked, success);
    let configuration = asked["arguments"]["configuration"].clone();
    let expected = json!({"type": "ez", "request": "attach", "host": "127.0.0.1"});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(configuration[name], *value, "{configuration}");
    }
    configuration
}

/// The session that an editor starts for a child process: another adapter, with its breakpoints in the child.
fn session(directory: &Path, configuration: &Value, line: u32) -> Dap {
    let mut dap = Dap::start(directory);
    introduce(&mut dap);
    dap.request("attach", configuration.clone());
    let file = directory.join("worker.ez");
    let breakpoints = json!({"source": {"path": file}, "breakpoints": [{"line": line}]});
    assert_eq!(dap.request("setBreakpoints", breakpoints)["breakpoints"][0]["verified"], true);
    dap.request("configurationDone", Value::Null);
    dap
}

/// The output of a kind until the program has ended.
fn output(dap: &mut Dap, category: &str) -> String {
    let mut text = String::new();
    loop {
        let event = dap.any_event();
        match event["event"].as_str().unwrap() {
            "output" if event["body"]["category"] == category => {
                text += event["body"]["output"].as_str().unwrap();
            }
            "terminated" => return text,
            _ => {}
        }
    }
}

/// The scenario: launch, attach to the child, stop in it, and both end.
#[test]
fn a_session_is_started_for_a_child() {
    let directory = directory();
    let mut dap = launched(directory.path(), json!({}));
    let wanted = configuration(&mut dap, true);
    assert!(wanted["name"].as_str().unwrap().starts_with("worker.ez ("), "{wanted}");
    let mut child = session(directory.path(), &wanted, 8);
    assert_eq!(child.stop(), ("breakpoint".into(), "main".into(), 8));
    child.request("continue", json!({"threadId": 1}));
    child.event("terminated");
    assert_eq!(output(&mut dap, "stdout"), "got worker 7 3\n");
    dap.disconnect();
}

/// The scenario: the editor leaves, the child runs on, and a session is started for it when the editor is back.
#[test]
fn children_run_on_and_are_found_again() {
    let directory = directory();
    let waits = "import @std, @io\nusing std\ndo main() {\n    as_long_as !io.exists(\"go\") {\n        \
                 sleep_milliseconds(1)\n    }\n    println(\"went\")\n}\n";
    std::fs::write(directory.path().join("worker.ez"), waits).unwrap();
    let server = Listening::start(directory.path(), &["dap", "--listen", "127.0.0.1:0"], Says::Stdout);
    let mut dap = Dap::over(&server.stream(), directory.path());
    introduce(&mut dap);
    begin(&mut dap, json!({"token": server.token}));
    let first = configuration(&mut dap, true);
    dap.leave(false);
    let mut dap = Dap::over(&server.stream(), directory.path());
    introduce(&mut dap);
    dap.request("attach", json!({"token": server.token}));
    dap.request("configurationDone", Value::Null);
    let again = configuration(&mut dap, true);
    assert_eq!(again, first);
    let mut child = session(directory.path(), &again, 5);
    assert_eq!(child.stop().0, "breakpoint");
    std::fs::write(directory.path().join("go"), "").unwrap();
    // The editor leaves its session: the child goes on, and does not stop any more.
    child.disconnect();
    assert_eq!(output(&mut dap, "stdout"), "got went\n");
    dap.leave(true);
}

#[test]
fn a_session_ends_with_that_of_its_parent() {
    let directory = directory();
    for way in ["terminate", "disconnect"] {
        let mut dap = launched(directory.path(), json!({}));
        let wanted = configuration(&mut dap, true);
        let mut child = session(directory.path(), &wanted, 8);
        assert_eq!(child.stop().0, "breakpoint");
        if way == "terminate" {
            dap.request("terminate", Value::Null);
            dap.event("terminated");
        }
        dap.disconnect();
        child.event("terminated");
    }
}

#[test]
fn without_a_session_children_run_unobserved() {
    let directory = directory();
    // The client cannot start one, does not want one, or fails.
    let mut dap = Dap::launched(directory.path(), json!({"program": "boss.ez"}));
    dap.request("configurationDone", Value::Null);
    let said = output(&mut dap, "console");
    assert!(said.ends_with("runs without a debugger: the client cannot start a session for it.\n"), "{said}");
    for unwanted in [json!({"subProcess": false}), json!({"noDebug": true})] {
        let mut dap = launched(directory.path(), unwanted);
        assert_eq!(output(&mut dap, "stdout"), "got worker 7 3\n");
        assert_eq!(dap.disconnect().matches("startDebugging").count(), 0);
    }
    let mut dap = launched(directory.path(), json!({}));
    configuration(&mut dap, false);
    let said = output(&mut dap, "console");
    assert!(said.starts_with("No session was started for the process "), "{said}");
}

/// An adapter that has started `boss.ez` in a terminal of the editor, and that process.
fn in_terminal(directory: &Path) -> (Dap, Child) {
    let mut dap = Dap::start(directory);
    introduce(&mut dap);
    let launch = json!({"program": "boss.ez", "console": "integratedTerminal", "cwd": directory});
    let seq = dap.send("launch", launch);
    let asked = dap.asked();
    let program = run(&asked);
    dap.answer_asked(&asked, true);
    assert_eq!(dap.answer(seq)["success"], true);
    dap.request("configurationDone", Value::Null);
    (dap, program)
}

/// The program is in another process, whose adapter asks through the editor's own.
#[test]
fn children_of_a_program_in_a_terminal() {
    let directory = directory();
    let (mut dap, mut program) = in_terminal(directory.path());
    let wanted = configuration(&mut dap, true);
    let mut child = session(directory.path(), &wanted, 8);
    assert_eq!(child.stop().0, "breakpoint");
    child.request("continue", json!({"threadId": 1}));
    child.event("terminated");
    dap.event("terminated");
    assert!(support::wait(&mut program).success());
}

/// A failure in a terminal is passed on to the adapter that has asked.
#[test]
fn a_child_of_a_program_in_a_terminal_is_released() {
    let directory = directory();
    let (mut dap, mut program) = in_terminal(directory.path());
    configuration(&mut dap, false);
    dap.event("terminated");
    assert!(support::wait(&mut program).success());
}

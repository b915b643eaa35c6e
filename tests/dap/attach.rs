//! Editors that attach to programs: over a socket, through an adapter on standard input and output, and to a
//! program in a terminal of their own.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::dap::Dap;
use support::socket::{Listening, Says};

const PROGRAM: &str = "import @std
using std

do double(n int) -> int {
    return n * 2
}

do main() {
    println(\"begin\")
    temp x int = double(1)
    temp y int = double(x)
    println(y)
}
";

const LOOP: &str = "import @std
using std
do main() {
    temp n int = 0
    as_long_as n < 1000000000 {
        n += 1
    }
    println(n)
}
";

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.ez"), PROGRAM).unwrap();
    std::fs::write(directory.path().join("loop.ez"), LOOP).unwrap();
    std::fs::write(directory.path().join("wrong.ez"), "do main() {\n    x\n").unwrap();
    directory
}

pub fn adapter(directory: &Path) -> Listening {
    Listening::start(directory, &["dap", "--listen", "127.0.0.1:0"], Says::Stdout)
}

/// A client of a server that listens, which has said who it is.
pub fn client(server: &Listening, directory: &Path) -> Dap {
    let mut dap = Dap::over(&server.stream(), directory);
    let capabilities = dap.request("initialize", json!({"adapterID": "ez"}));
    assert_eq!(capabilities["supportTerminateDebuggee"], true);
    dap.event("initialized");
    dap
}

/// An adapter on standard input and output, which has answered `initialize`.
pub fn on_pipes(directory: &Path) -> Dap {
    let mut dap = Dap::start(directory);
    dap.request("initialize", json!({"adapterID": "ez", "supportsRunInTerminalRequest": true}));
    dap.event("initialized");
    dap
}

fn breakpoint(dap: &mut Dap, directory: &Path, line: u32) -> Value {
    let file = directory.join("p.ez");
    let arguments = json!({"source": {"path": file}, "breakpoints": [{"line": line}]});
    dap.request("setBreakpoints", arguments)["breakpoints"][0].take()
}

#[test]
fn sessions_one_after_the_other() {
    let directory = directory();
    let server = adapter(directory.path());
    for _ in 0..3 {
        let mut dap = client(&server, directory.path());
        dap.request("launch", json!({"program": "p.ez", "token": server.token}));
        let set = breakpoint(&mut dap, directory.path(), 11);
        assert_eq!(set["verified"], true);
        dap.request("configurationDone", Value::Null);
        assert_eq!(dap.stop(), ("breakpoint".into(), "main".into(), 11));
        dap.request("continue", json!({"threadId": 1}));
        dap.event("terminated");
        dap.leave(true);
    }
}

#[test]
fn a_program_is_left_and_found_again() {
    let directory = directory();
    let server = adapter(directory.path());
    let mut dap = client(&server, directory.path());
    dap.request("launch", json!({"program": "p.ez", "token": server.token, "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().0, "entry");
    dap.suspend();
    // What was left on purpose is not ended for the sake of another program.
    let mut dap = client(&server, directory.path());
    let refused = dap.refused("launch", json!({"program": "loop.ez", "token": server.token}));
    assert_eq!(refused, "a program is there already: attach to it, and end it");
    drop(dap);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    assert_eq!(dap.event("process")["startMethod"], "attach");
    assert_eq!(dap.stop().0, "entry");
    dap.request("configurationDone", Value::Null);
    dap.request("next", json!({"threadId": 1}));
    assert_eq!(dap.stop(), ("step".into(), "main".into(), 10));
    dap.leave(true);
    let mut dap = client(&server, directory.path());
    assert_eq!(dap.refused("attach", json!({"token": server.token})), "there is no program: launch one");
}

#[test]
fn a_client_that_vanishes_makes_room_for_another_one() {
    let directory = directory();
    let server = adapter(directory.path());
    for _ in 0..3 {
        let stream = server.stream();
        let mut dap = Dap::over(&stream, directory.path());
        dap.request("initialize", json!({"adapterID": "ez"}));
        dap.request("launch", json!({"program": "loop.ez", "token": server.token}));
        dap.request("configurationDone", Value::Null);
        let _ = stream.shutdown(Shutdown::Both);
    }
}

#[test]
fn nobody_without_the_token_comes_in() {
    let directory = directory();
    let server = adapter(directory.path());
    for token in [Value::Null, json!("x"), json!(7)] {
        for request in ["launch", "attach"] {
            let mut dap = client(&server, directory.path());
            // What comes before the token is kept, and not carried out.
            dap.send("setBreakpoints", json!({"source": {"path": "p.ez"}, "breakpoints": [{"line": 1}]}));
            let refused = dap.refused(request, json!({"program": "p.ez", "token": token}));
            assert!(refused.contains("'token'"), "{refused}");
        }
    }
}

#[test]
fn requests_before_the_program_are_carried_out_with_it() {
    let directory = directory();
    let server = adapter(directory.path());
    let mut dap = client(&server, directory.path());
    let source = json!({"path": directory.path().join("p.ez")});
    let set = dap.send("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 5}]}));
    dap.send("configurationDone", Value::Null);
    dap.request("launch", json!({"program": "p.ez", "token": server.token}));
    assert_eq!(dap.answer(set)["success"], true);
    assert_eq!(dap.stop(), ("breakpoint".into(), "double".into(), 5));
    dap.leave(true);
}

#[test]
fn an_adapter_on_pipes_connects_on() {
    let directory = directory();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut lines = server.client();
    lines.start(json!({"protocolVersion": 2}));
    lines.disconnect();
    let mut dap = on_pipes(directory.path());
    // Set before anybody knows where the program is: the numbers stay.
    let set = breakpoint(&mut dap, directory.path(), 5);
    assert_eq!(set["verified"], false);
    dap.request("attach", json!({"port": server.port, "token": server.token}));
    // Which of the two comes first is open.
    let (mut changed, mut stopped) = (Value::Null, Value::Null);
    while changed.is_null() || stopped.is_null() {
        let mut event = dap.any_event();
        match event["event"].as_str() {
            Some("breakpoint") => changed = event["body"].take(),
            Some("stopped") => stopped = event["body"].take(),
            _ => {}
        }
    }
    assert_eq!(
        (&changed["breakpoint"]["id"], &changed["breakpoint"]["verified"]),
        (&set["id"], &json!(true))
    );
    assert_eq!(stopped["reason"], "entry");
    dap.request("configurationDone", Value::Null);
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.event("output")["output"], "begin\n");
    let stopped = dap.event("stopped");
    assert_eq!((&stopped["reason"], &stopped["hitBreakpointIds"][0]), (&json!("breakpoint"), &set["id"]));
    dap.suspend();
    let (mut lines, state) = server.attached();
    assert_eq!(state["status"], "stopped");
    lines.command("terminate", json!({}));
    lines.wait_for("terminated");
}

/// An adapter that listens for editors lets other adapters in as well, and nobody who speaks another protocol.
#[test]
fn an_adapter_on_pipes_connects_to_one_that_listens() {
    let directory = directory();
    let server = adapter(directory.path());
    let mut stream = server.stream();
    let attach = json!({"type": "command", "command": "attach", "params": {"token": server.token}});
    stream.write_all(format!("{attach}\n").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    assert!(!told.contains("attached"), "{told}");
    let mut dap = on_pipes(directory.path());
    let refused = dap.refused("attach", json!({"port": server.port, "token": server.token}));
    assert_eq!(refused, "there is no program: launch one");
    let mut first = client(&server, directory.path());
    first.request("launch", json!({"program": "p.ez", "token": server.token, "stopOnEntry": true}));
    first.request("configurationDone", Value::Null);
    assert_eq!(first.stop().0, "entry");
    first.suspend();
    dap.request("attach", json!({"port": server.port, "token": server.token}));
    assert_eq!(dap.stop().0, "entry");
    let set = breakpoint(&mut dap, directory.path(), 11);
    assert_eq!(set["verified"], true);
    dap.request("configurationDone", Value::Null);
    dap.request("continue", json!({"threadId": 1}));
    let stopped = dap.event("stopped");
    assert_eq!((&stopped["reason"], &stopped["hitBreakpointIds"][0]), (&json!("breakpoint"), &set["id"]));
    dap.leave(true);
}

#[test]
fn a_server_that_was_started_with_a_program_needs_no_launch() {
    let directory = directory();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut dap = on_pipes(directory.path());
    dap.request("attach", json!({"port": server.port, "token": server.token, "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().0, "entry");
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.event("exited")["exitCode"], 0);
    dap.event("terminated");
    assert!(dap.disconnect().contains("4\\n"));
    assert!(server.end().0.success());
}

#[test]
fn an_adapter_that_cannot_connect_says_why() {
    let directory = directory();
    let mut dap = on_pipes(directory.path());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = dap.refused("attach", json!({"port": free, "token": "x"}));
    assert!(refused.starts_with("cannot connect to 127.0.0.1:"), "{refused}");
    assert_eq!(dap.refused("attach", json!({})), "missing parameter 'port'");
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let refused = dap.refused("attach", json!({"port": server.port, "token": "x"}));
    assert_eq!(refused, "wrong parameter 'token'");
    dap.request("attach", json!({"port": server.port, "token": server.token}));
    drop(server);
    dap.event("terminated");
    assert!(dap.refused("next", json!({"threadId": 1})).contains("ended"));
    dap.disconnect();
}

/// A process that accepts connections and says nothing.
#[test]
fn a_client_can_leave_a_session_that_does_not_answer() {
    let directory = directory();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut dap = on_pipes(directory.path());
    let attach = json!({"port": silent.local_addr().unwrap().port(), "token": "x"});
    let attached = dap.send("attach", attach);
    let (mut stream, _) = silent.accept().unwrap();
    let mut hello = [0; 64];
    stream.read_exact(&mut hello).unwrap();
    let left = dap.send("disconnect", json!({}));
    assert_eq!(dap.answer(attached)["body"]["error"]["format"], "the client disconnects");
    assert_eq!(dap.answer(left)["success"], true);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
}

/// Carries out `runInTerminal` as an editor does.
pub fn run(request: &Value) -> std::process::Child {
    assert_eq!(request["command"], "runInTerminal");
    let arguments = &request["arguments"];
    let line: Vec<&str> =
        arguments["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).current_dir(arguments["cwd"].as_str().unwrap());
    for (name, value) in arguments["env"].as_object().into_iter().flatten() {
        match value.as_str() {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_program_runs_in_a_terminal_of_the_client() {
    let directory = directory();
    let mut dap = on_pipes(directory.path());
    let launch = json!({"program": "p.ez", "cwd": directory.path(), "console": "integratedTerminal",
        "args": ["one"], "env": {"EZ_TEST": "x", "HOME": null}});
    let launched = dap.send("launch", launch);
    let request = dap.asked();
    assert_eq!(request["arguments"]["kind"], "integrated");
    assert_eq!(request["arguments"]["env"], json!({"EZ_TEST": "x", "HOME": null}));
    let program = run(&request);
    dap.answer_asked(&request, true);
    assert_eq!(dap.answer(launched)["success"], true);
    let set = breakpoint(&mut dap, directory.path(), 11);
    assert_eq!(set["verified"], true);
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop(), ("breakpoint".into(), "main".into(), 11));
    dap.request("continue", json!({"threadId": 1}));
    assert_eq!(dap.event("exited")["exitCode"], 0);
    dap.event("terminated");
    let told = dap.disconnect();
    assert!(!told.contains("begin"), "the terminal has the output:\n{told}");
    let done = program.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "begin\n4\n");
    assert_eq!(String::from_utf8(done.stderr).unwrap(), "");
}

/// A restart does what `launch` did, wherever the program runs.
#[test]
fn a_restart_in_a_terminal_stops_where_the_launch_did() {
    let directory = directory();
    for (attributes, wanted) in [
        (json!({"stopOnEntry": true}), "entry"),
        (json!({"stopOnEntry": false}), "breakpoint"),
        (json!({}), "breakpoint"),
    ] {
        let mut dap = on_pipes(directory.path());
        let mut launch = json!({"program": "p.ez", "cwd": directory.path(), "console": "integratedTerminal"});
        launch.as_object_mut().unwrap().extend(attributes.as_object().unwrap().clone());
        let launched = dap.send("launch", launch);
        let request = dap.asked();
        let program = run(&request);
        dap.answer_asked(&request, true);
        assert_eq!(dap.answer(launched)["success"], true);
        breakpoint(&mut dap, directory.path(), 11);
        dap.request("configurationDone", Value::Null);
        assert_eq!(dap.stop().0, wanted, "{attributes}");
        dap.request("restart", json!({}));
        assert_eq!(dap.stop().0, wanted, "{attributes}, after a restart");
        dap.disconnect();
        drop(program);
    }
}

/// A terminal starts the program by its path, at which there may be a newer one, or none.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_runs_the_program_that_has_replaced_the_adapters() {
    let directory = directory();
    let ez = support::copied_ez(directory.path());
    let mut dap = Dap::of(Command::new(&ez), directory.path());
    dap.request("initialize", json!({"adapterID": "ez", "supportsRunInTerminalRequest": true}));
    dap.event("initialized");
    let launch = json!({"program": "p.ez", "cwd": directory.path(), "console": "integratedTerminal"});
    std::fs::remove_file(&ez).unwrap();
    let refused = dap.refused("launch", launch.clone());
    assert!(refused.contains("Install ez again"), "{refused}");
    support::copied_ez(directory.path());
    let launched = dap.send("launch", launch);
    let request = dap.asked();
    assert_eq!(request["arguments"]["args"][0], json!(ez));
    let program = run(&request);
    dap.answer_asked(&request, true);
    assert_eq!(dap.answer(launched)["success"], true);
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.event("exited")["exitCode"], 0);
    dap.event("terminated");
    dap.disconnect();
    assert!(program.wait_with_output().unwrap().status.success());
}

#[test]
fn a_program_in_a_terminal_that_goes_wrong() {
    let directory = directory();
    let launch =
        |program: &str| json!({"program": program, "cwd": directory.path(), "console": "integratedTerminal"});
    let mut dap = on_pipes(directory.path());
    let launched = dap.send("launch", launch("p.ez"));
    let request = dap.asked();
    dap.answer_asked(&request, false);
    let answer = dap.answer(launched);
    let why = answer["body"]["error"]["format"].as_str().unwrap();
    assert_eq!(why, "the client has not started the program: no terminal");
    let launched = dap.send("launch", launch("wrong.ez"));
    let request = dap.asked();
    let program = run(&request);
    dap.answer_asked(&request, true);
    assert_eq!(dap.answer(launched)["body"]["error"]["format"], "the program has errors");
    assert_eq!(program.wait_with_output().unwrap().status.code(), Some(1));
    // A client that gives up while it waits.
    dap.send("launch", launch("p.ez"));
    dap.asked();
    dap.disconnect();
    let mut dap = Dap::start(directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    assert!(dap.refused("launch", launch("p.ez")).starts_with("the client cannot run programs"));
    dap.disconnect();
}

#[test]
fn going_back() {
    let directory = directory();
    let mut dap =
        Dap::launched(directory.path(), json!({"program": "p.ez", "history": true, "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().2, 9);
    let go = |dap: &mut Dap, command: &str, arguments: Value| {
        dap.request(command, arguments);
        let (reason, _, line) = dap.stop();
        (reason, line)
    };
    let thread = json!({"threadId": 1});
    go(&mut dap, "next", thread.clone());
    go(&mut dap, "next", thread.clone());
    assert_eq!(go(&mut dap, "next", thread.clone()), ("step".into(), 12));
    assert_eq!(go(&mut dap, "stepBack", thread.clone()).1, 11);
    assert_eq!(go(&mut dap, "stepBackInto", thread.clone()).1, 10);
    assert_eq!(go(&mut dap, "goToPresent", Value::Null), ("present".into(), 12));
    breakpoint(&mut dap, directory.path(), 5);
    assert_eq!(go(&mut dap, "reverseContinue", thread.clone()), ("breakpoint".into(), 5));
    assert_eq!(go(&mut dap, "stepBackOut", thread.clone()).1, 11);
    assert_eq!(go(&mut dap, "goToStep", json!({"step": 1})), ("step".into(), 9));
    dap.request("continue", thread.clone());
    let frames = {
        assert_eq!(dap.stop().2, 5);
        dap.request("stackTrace", thread.clone())["stackFrames"].take()
    };
    assert_eq!(go(&mut dap, "restartFrame", json!({"frameId": frames[1]["id"]})), ("restart".into(), 9));
    let stale = dap.refused("restartFrame", json!({"frameId": frames[1]["id"]}));
    assert!(stale.contains("no longer valid"), "{stale}");
    dap.refused("restartFrame", json!({}));
    dap.disconnect();
    let mut dap = Dap::launched(directory.path(), json!({"program": "p.ez", "stopOnEntry": true}));
    let withdrawn = json!({"supportsStepBack": false, "supportsRestartFrame": false});
    assert_eq!(dap.event("capabilities")["capabilities"], withdrawn);
    dap.request("configurationDone", Value::Null);
    dap.stop();
    assert!(dap.refused("stepBack", thread).contains("\"history\": true"));
    dap.disconnect();
}

#[test]
fn columns_of_step_targets_are_those_of_the_editor() {
    let directory = directory();
    let text = "import @std\nusing std\ndo f(s string) -> int {\n    return len(s)\n}\ndo main() {\n    println(\"😀😀${f(\"a\")}\" , f(\"b\"))\n}\n";
    let text = text.replace("\"😀😀${f(\"a\")}\" , f(\"b\")", "\"😀😀\", f(\"b\")");
    std::fs::write(directory.path().join("wide.ez"), &text).unwrap();
    let mut dap = Dap::launched(directory.path(), json!({"program": "wide.ez", "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    dap.event("stopped");
    let frame = dap.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
    let targets = dap.request("stepInTargets", json!({"frameId": frame}));
    let line = text.lines().nth(6).unwrap();
    let column = line.split("f(\"b\")").next().unwrap().encode_utf16().count() + 1;
    assert_eq!(targets["targets"][0]["column"], column as u64);
    assert_eq!(targets["targets"][0]["endColumn"], column as u64 + 6);
    dap.disconnect();
}

#[test]
fn what_follows_attach_in_the_same_packet_is_answered() {
    let directory = directory();
    let file = directory.path().join("p.ez");
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut dap = Dap::over(&server.stream(), directory.path());
    let requests = [
        ("initialize", json!({"adapterID": "ez"})),
        ("attach", json!({"token": server.token})),
        ("setBreakpoints", json!({"source": {"path": file}, "breakpoints": [{"line": 5}]})),
        ("configurationDone", Value::Null),
        ("threads", Value::Null),
    ];
    let answers = dap.send_together(&requests);
    for ((command, _), seq) in requests.iter().zip(answers) {
        assert_eq!(dap.answer(seq)["success"], true, "{command}");
    }
    assert_eq!(dap.stop().0, "breakpoint");
    dap.leave(true);
    assert!(server.end().0.success());
}

#[test]
fn requests_before_attach_are_refused_unless_they_configure() {
    let directory = directory();
    let file = directory.path().join("p.ez");
    let breakpoints = json!({"source": {"path": file}, "breakpoints": [{"line": 5}]});
    let early = "'launch' or 'attach' must come first";
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut dap = client(&server, directory.path());
    for command in ["threads", "stackTrace", "evaluate", "cancel", "nonsense"] {
        assert_eq!(dap.refused(command, json!({})), early, "{command}");
    }
    // Without `attach` after it, nobody could carry it out.
    assert_eq!(dap.refused("setBreakpoints", breakpoints.clone()), early);
    let requests = [
        ("setBreakpoints", breakpoints),
        ("configurationDone", Value::Null),
        ("attach", json!({"token": server.token})),
    ];
    for seq in dap.send_together(&requests) {
        let answer = dap.answer(seq);
        assert_eq!(answer["success"], true, "{answer}");
    }
    assert_eq!(dap.stop().0, "breakpoint");
    dap.leave(false);
    client(&server, directory.path()).leave(false);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    dap.leave(true);
    assert!(server.end().0.success());
}

/// Sends requests in one packet, after `initialize`; gives their answers.
fn together(dap: &mut Dap, requests: &[(&str, Value)]) -> Vec<Value> {
    let initialize = ("initialize", json!({"adapterID": "ez"}));
    let all: Vec<_> = std::iter::once(initialize).chain(requests.to_vec()).collect();
    let sent = dap.send_together(&all);
    sent.into_iter().skip(1).map(|seq| dap.answer(seq)).collect()
}

/// Whether the first of these answers came before the others.
fn first_is_first(answers: &[Value]) -> bool {
    let places = answers.iter().map(|answer| answer["seq"].as_i64());
    places.min().flatten() == answers[0]["seq"].as_i64()
}

#[test]
fn what_follows_attach_in_the_same_packet_sees_the_program() {
    let directory = directory();
    let file = directory.path().join("p.ez");
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token, "stopOnEntry": true}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop().0, "entry");
    dap.suspend();
    let mut dap = Dap::over(&server.stream(), directory.path());
    let requests = [
        ("attach", json!({"token": server.token})),
        ("setBreakpoints", json!({"source": {"path": file}, "breakpoints": [{"line": 5}]})),
        ("configurationDone", Value::Null),
        ("threads", Value::Null),
        ("stackTrace", json!({"threadId": 1})),
        ("next", json!({"threadId": 1})),
        ("disconnect", json!({"suspendDebuggee": true})),
    ];
    let answers = together(&mut dap, &requests);
    assert!(first_is_first(&answers), "{answers:?}");
    assert!(answers.iter().all(|answer| answer["success"] == true), "{answers:?}");
    assert_eq!(answers[3]["body"]["threads"], json!([{"id": 1, "name": "main"}]));
    assert_eq!(answers[4]["body"]["stackFrames"][0]["name"], "main");
    drop(dap);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    assert_eq!(dap.stop(), ("step".into(), "main".into(), 10));
    dap.leave(true);
    assert!(server.end().0.success());
}

#[test]
fn what_follows_an_attach_that_fails_is_answered() {
    let directory = directory();
    let server = Listening::debugserver(directory.path(), &["wrong.ez"]);
    let mut dap = Dap::over(&server.stream(), directory.path());
    let requests = [
        ("attach", json!({"token": server.token})),
        ("threads", Value::Null),
        ("stackTrace", json!({"threadId": 1})),
        ("disconnect", json!({"terminateDebuggee": true})),
    ];
    let answers = together(&mut dap, &requests);
    assert!(first_is_first(&answers), "{answers:?}");
    let succeeded: Vec<bool> = answers.iter().map(|answer| answer["success"] == true).collect();
    assert_eq!(succeeded, [false, true, false, true], "{answers:?}");
    assert_eq!(answers[1]["body"]["threads"], json!([]));
    assert_eq!(answers[2]["message"], "no program is launched");
    server.end();
}

#[test]
fn what_follows_launch_in_the_same_packet_sees_the_program() {
    let directory = directory();
    let mut dap = Dap::start(directory.path());
    let requests = [
        ("launch", json!({"program": "p.ez", "stopOnEntry": true})),
        ("threads", Value::Null),
        ("stackTrace", json!({"threadId": 1})),
        ("configurationDone", Value::Null),
        ("threads", Value::Null),
    ];
    let answers = together(&mut dap, &requests);
    assert_eq!(answers[1]["body"]["threads"], json!([{"id": 1, "name": "main"}]));
    assert_eq!(answers[2]["message"], "the program is not started");
    assert_eq!(answers[4]["body"]["threads"], json!([{"id": 1, "name": "main"}]));
    assert_eq!(dap.stop().0, "entry");
    dap.disconnect();
}

//! Clients that come and go, over sockets: the server keeps the session, and lets in nobody without the token.

use std::io::{Read, Write};
use std::path::Path;

use serde_json::{Value, json};
use support::HANG;
use support::socket::{Client, Listening};

/// A program that counts up to `last`, and prints each number.
fn counter(last: u64) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "import @std\nusing std\ndo main() {{\n    temp n int = 0\n    as_long_as n < {last} {{\n        n += 1\n        println(n)\n    }}\n}}\n"
    );
    std::fs::write(directory.path().join("count.ez"), text).unwrap();
    directory
}

/// What the numbers up to `last` look like.
fn counted(last: u64) -> String {
    (1..=last).map(|n| format!("{n}\n")).collect()
}

/// Output until something else comes; gives that, too.
fn output(client: &mut Client) -> (String, Value) {
    let mut text = String::new();
    loop {
        let event = client.event().unwrap();
        if event["event"] != "output" {
            return (text, event);
        }
        text += event["data"]["text"].as_str().unwrap();
    }
}

/// A directory with a program of some statements, `stops.ez`.
fn stops() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std\nusing std\ndo main() {\n    temp x int = 1\n    temp y int = x + 1\n    x = y * 2\n    println(x)\n}\n";
    std::fs::write(directory.path().join("stops.ez"), text).unwrap();
    directory
}

#[test]
fn a_stopped_program_stays_as_it_is() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2}));
    client.command("setBreakpoint", json!({"file": "stops.ez", "line": 7}));
    client.wait_for("breakpointSet");
    let mut told = client.disconnect();
    let (mut client, state) = server.attached();
    assert_eq!((&state["status"], &state["reason"]), (&json!("stopped"), &json!("entry")));
    assert_eq!(state["breakpoints"][0]["line"], 7);
    assert_eq!(state["protocolVersion"], 2);
    assert!(state.get("droppedOutput").is_none());
    client.command("stepInto", json!({}));
    client.wait_for("stopped");
    client.command("terminate", json!({}));
    client.wait_for("terminated");
    told += &client.transcript();
    let told = support::without_directory(&told, directory.path()).replace(&server.token, "TOKEN");
    let told = support::without_version(&told);
    insta::assert_snapshot!(told);
    assert!(server.end().0.success());
}

/// A program is detached from while it is stopped, while a step or a breakpoint is still to stop it, while something
/// is evaluated, and in the past.
#[test]
fn a_program_that_is_let_go_runs_as_if_nobody_had_been_there() {
    let leave = |client: &mut Client| {
        client.command("disconnect", json!({"resume": true}));
        client.wait_for("disconnected");
    };
    type Prepare = fn(&mut Client);
    let prepare: [(&str, Prepare); 5] = [
        ("stopped", |_| {}),
        ("running", |client| {
            client.command("runTo", json!({"file": "count.ez", "line": 9}));
            client.wait_for("inputRequested");
        }),
        ("pausing", |client| {
            client.command("stepOver", json!({}));
            client.wait_for("stopped");
            client.command("setDataBreakpoints", json!({"breakpoints": [{"name": "n"}]}));
            client.wait_for("dataBreakpoints");
            client.command("pause", json!({}));
        }),
        ("evaluating", |client| client.command("evaluate", json!({"expression": "spin()"}))),
        ("past", |client| {
            client.command("stepOver", json!({}));
            client.wait_for("stopped");
            client.command("stepBack", json!({}));
            client.wait_for("stopped");
        }),
    ];
    for (what, prepare) in prepare {
        let directory = tempfile::tempdir().unwrap();
        let text = "import @std\nusing std\ndo spin() {\n    loop { temp x int = 1 }\n}\ndo main() {\n    temp n int = 0\n    temp line string = input()\n    n += 1\n    println(line, n)\n    temp _ = input()\n    n += 1\n    println(n)\n}\n";
        std::fs::write(directory.path().join("count.ez"), text).unwrap();
        let server = Listening::debugserver(directory.path(), &["count.ez"]);
        let mut client = server.client();
        client.start(json!({"protocolVersion": 2, "history": what == "past"}));
        client.command("setBreakpoint", json!({"file": "count.ez", "line": 10}));
        client.wait_for("breakpointSet");
        client.command("setFunctionBreakpoints", json!({"breakpoints": [{"name": "main"}]}));
        client.wait_for("functionBreakpoints");
        client.command("setExceptionBreakpoints", json!({"filters": ["uncaught", "errorValue"]}));
        client.wait_for("exceptionBreakpoints");
        // The program that runs already is not compared.
        client.command("setExpectedOutput", json!({"text": "something else"}));
        client.wait_for("outputExpected");
        if what == "stopped" {
            client.command("restart", json!({}));
            client.wait_for("stopped");
        }
        prepare(&mut client);
        leave(&mut client);
        // It waits for the first line of input, and then for the second.
        let (mut client, state) = server.attached();
        assert_eq!(state["status"], "running", "{what}: {state}");
        assert_eq!(state["breakpoints"], json!([]), "{what}");
        client.wait_for("inputRequested");
        client.command("input", json!({"text": "x"}));
        client.wait_for("inputRequested");
        leave(&mut client);
        let (mut client, state) = server.attached();
        assert_eq!(state["status"], "running", "{what}: {state}");
        client.wait_for("inputRequested");
        client.command("input", json!({"text": "y"}));
        let ended = if what == "past" { "stopped" } else { "exited" };
        client.wait_for(ended);
        client.command("terminate", json!({}));
        client.wait_for("terminated");
        assert!(server.end().0.success());
    }
}

#[test]
fn a_lost_connection_is_a_client_that_disconnects() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2}));
    client.vanish();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "stopped");
    client.command("getVariables", json!({}));
    client.wait_for("variables");
    // In the middle of a line.
    client.raw("{\"type\":\"comm");
    client.vanish();
    let (client, state) = server.attached();
    assert_eq!(state["status"], "stopped");
    client.disconnect();
}

/// A program that counts up to `first`, waits for a line of input, and counts on up to `last`.
fn counter_that_waits(first: u64, last: u64) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let count = |last| format!("    as_long_as n < {last} {{\n        n += 1\n        println(n)\n    }}\n");
    let (before, after) = (count(first), count(last));
    let text = format!(
        "import @std\nusing std\ndo main() {{\n    temp n int = 0\n{before}    temp line string = input()\n{after}}}\n"
    );
    std::fs::write(directory.path().join("count.ez"), text).unwrap();
    directory
}

// invariant 24
#[test]
fn output_is_kept_and_counted() {
    let (half, last) = (1_000, 300_000);
    let directory = counter_that_waits(half, last);
    let server = Listening::debugserver(directory.path(), &["count.ez"]);
    let mut client = server.client();
    client.first("initialize", json!({"protocolVersion": 2, "stopOnEntry": false}));
    client.command("start", json!({}));
    let mut first = String::new();
    loop {
        let event = client.event().unwrap();
        match event["event"].as_str().unwrap() {
            "output" => first += event["data"]["text"].as_str().unwrap(),
            "inputRequested" => break,
            _ => {}
        }
    }
    assert_eq!(first, counted(half));
    // The program prints the second half while this client leaves.
    client.command("input", json!({"text": "go"}));
    client.command("disconnect", json!({}));
    let mut ended = false;
    loop {
        let event = client.event().unwrap();
        match event["event"].as_str().unwrap() {
            "output" => first += event["data"]["text"].as_str().unwrap(),
            "exited" => ended = true,
            "disconnected" => break,
            _ => {}
        }
    }
    // A slow machine may let the program end before its client has left: then all was printed to it.
    let all = counted(last);
    assert!(all.starts_with(&first));
    let (mut second, mut dropped) = (String::new(), 0);
    while !ended {
        let (mut client, state) = server.attached();
        dropped += state["droppedOutput"].as_u64().unwrap_or(0);
        let running = state["status"] == "running";
        if running {
            client.command("disconnect", json!({}));
        }
        let (text, event) = output(&mut client);
        second += &text;
        ended = event["event"] == "exited";
        if ended {
            assert_eq!(event["data"]["exitCode"], 0);
            assert!(all.ends_with(text.as_str()));
            assert!(running || text.len() <= 1 << 20, "{} bytes were kept", text.len());
            let rest = client.until_closed();
            assert!(rest.iter().all(|event| event["event"] == "disconnected"), "{rest:?}");
        } else {
            assert_eq!(event["event"], "disconnected");
        }
    }
    assert_eq!((first.len() + second.len()) as u64 + dropped, all.len() as u64);
    assert!(server.end().0.success());
}

#[test]
fn a_second_client_is_refused_and_disturbs_nobody() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({}));
    let mut second = server.client();
    second.first("attach", json!({}));
    let told = second.until_closed();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["data"]["message"], "another client is connected");
    assert_eq!(told[0]["id"], "attach");
    client.command("getStackTrace", json!({}));
    client.wait_for("stackTrace");
    client.command("attach", json!({}));
    assert_eq!(client.wait_for("error")["message"], "Cannot attach: already attached");
    client.disconnect();
}

// invariant 24
#[test]
fn nobody_without_the_token_comes_in() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let wrong = [
        "{\"type\":\"command\",\"command\":\"initialize\",\"id\":1}\n".to_string(),
        format!(
            "{}\n",
            json!({"type": "command", "command": "terminate", "params": {"token": server.token.to_uppercase() + "x"}})
        ),
        format!("{}\n", json!({"type": "command", "command": "attach", "token": server.token})),
        "garbage\n".into(),
        "\u{0}\u{1}\n".into(),
        "[]\n".into(),
    ];
    for text in wrong {
        let mut client = server.client();
        client.raw(&text);
        client.command("attach", json!({"token": server.token}));
        let told = client.until_closed();
        assert_eq!(told.len(), 1, "{text}: {told:?}");
        assert_eq!(told[0]["event"], "error", "{text}");
        assert!(told[0]["data"]["message"].as_str().unwrap().contains("token"), "{text}: {told:?}");
    }
    for method in ["start", "rpc.discover"] {
        let mut rpc = server.client();
        rpc.raw(&format!("{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"{method}\"}}\n"));
        let told = rpc.until_closed();
        assert_eq!((told.len(), &told[0]["id"], &told[0]["error"]["code"]), (1, &json!(4), &json!(-32602)));
    }
    let (_, state) = server.attached();
    assert_eq!(state["status"], "notInitialized");
}

#[test]
fn guessed_tokens_delay_nobody_else() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let guess = || {
        let mut client = server.client();
        client.command("attach", json!({"token": "guess"}));
        assert_eq!(client.until_closed().len(), 1);
    };
    (0..10).for_each(|_| guess());
    // Those who know the token do not wait for those who guess.
    let mut guessing: Vec<Client> = (0..16).map(|_| server.client()).collect();
    guessing.iter_mut().for_each(|client| client.command("attach", json!({"token": "guess"})));
    server.attached().0.disconnect();
    assert_eq!(guessing.remove(0).until_closed().len(), 1);
}

#[test]
fn connections_without_a_token_do_not_close_the_door() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut silent: Vec<_> = (0..100).map(|_| server.stream()).collect();
    // The oldest are closed.
    assert_eq!(silent[0].read(&mut [0]).unwrap(), 0);
    let (client, state) = server.attached();
    assert_eq!(state["status"], "notInitialized");
    client.disconnect();
}

#[test]
fn data_breakpoints_are_part_of_the_state_in_the_past() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2, "history": true}));
    client.command("runTo", json!({"file": "stops.ez", "line": 6}));
    client.wait_for("stopped");
    client.command("setDataBreakpoints", json!({"breakpoints": [{"name": "x", "condition": "x > 2"}]}));
    let mut set = client.wait_for("dataBreakpoints")["breakpoints"].take();
    // In the past, their hits are not counted.
    set[0].as_object_mut().unwrap().remove("hits");
    client.command("setBreakpoint", json!({"file": "stops.ez", "line": 7}));
    client.wait_for("breakpointSet");
    client.command("stepBack", json!({}));
    assert_eq!(client.wait_for("stopped")["past"], true);
    client.command("getState", json!({}));
    let state = client.wait_for("state");
    assert_eq!((&state["past"], &state["dataBreakpoints"]), (&json!(true), &set));
    assert_eq!(state["breakpoints"][0]["line"], 7);
    client.disconnect();
    let (mut client, state) = server.attached();
    assert_eq!((&state["past"], &state["dataBreakpoints"]), (&json!(true), &set));
    client.command("terminate", json!({}));
    client.wait_for("terminated");
    assert!(server.end().0.success());
}

#[test]
fn what_is_refused_does_not_change_the_version() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2, "history": true}));
    client.command("stepInto", json!({}));
    client.wait_for("stopped");
    for (command, params) in
        [("attach", json!({})), ("initialize", json!({})), ("initialize", json!({"workingDir": "/no"}))]
    {
        client.command(command, params);
        client.wait_for("error");
        client.command("getState", json!({}));
        assert_eq!(client.wait_for("state")["present"], 2, "{command}");
        client.command("stepBack", json!({}));
        assert_eq!(client.wait_for("stopped")["past"], true, "{command}");
        client.command("goToPresent", json!({}));
        client.wait_for("stopped");
    }
    client.disconnect();
}

// invariant 24
#[test]
fn a_client_that_never_reads_holds_up_nothing_but_its_program() {
    let directory = counter(1_000_000_000);
    let server = Listening::debugserver(directory.path(), &["count.ez"]);
    let mut stream = server.stream();
    let initialize = json!({"type": "command", "command": "initialize", "params": {
        "token": server.token, "protocolVersion": 2, "stopOnEntry": false}});
    let start = json!({"type": "command", "command": "start"});
    stream.write_all(format!("{initialize}\n{start}\n").as_bytes()).unwrap();
    // It is connected as soon as it is told something, and others hear so.
    assert_eq!(stream.peek(&mut [0]).unwrap(), 1);
    let mut other = server.client();
    other.first("attach", json!({}));
    assert_eq!(other.wait_for("error")["message"], "another client is connected");
    // It wants to go, and takes nothing of what it is told.
    let disconnect = json!({"type": "command", "command": "disconnect"});
    stream.write_all(format!("{disconnect}\n").as_bytes()).unwrap();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "running", "{state}");
    client.command("pause", json!({}));
    client.wait_for("stopped");
    client.command("terminate", json!({}));
    client.wait_for("terminated");
    drop(stream);
}

#[test]
fn clients_of_json_rpc_attach_too() {
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2}));
    client.disconnect();
    let call = |client: &mut Client, method: &str, params: Value| {
        client.raw(&format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        ));
        loop {
            let mut message = client.event().unwrap();
            if message["id"] == method {
                return message["result"].take();
            }
        }
    };
    let mut client = server.client();
    let state = call(&mut client, "attach", json!({"token": server.token}));
    assert_eq!((&state["event"], &state["status"]), (&json!("attached"), &json!("stopped")));
    assert_eq!(call(&mut client, "stepOver", json!({}))["event"], "stopped");
    assert_eq!(call(&mut client, "disconnect", json!({}))["event"], "disconnected");
    assert!(client.event().is_none());
}

#[test]
fn what_a_program_waits_for_is_told_to_whoever_comes() {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std, @io\nusing std, io\ndo main() {\n    temp name, _ = input()\n    println(\"Hello ${name}\")\n}\n";
    let text = text
        .replace("import @std, @io\nusing std, io\n", "import @std\nusing std\n")
        .replace("temp name, _ = input()", "temp name string = input()");
    std::fs::write(directory.path().join("ask.ez"), text).unwrap();
    let server = Listening::debugserver(directory.path(), &["ask.ez"]);
    let mut client = server.client();
    client.first("initialize", json!({"protocolVersion": 2, "stopOnEntry": false}));
    client.command("start", json!({}));
    client.wait_for("inputRequested");
    client.disconnect();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "running");
    client.wait_for("inputRequested");
    client.command("input", json!({"text": "Ann"}));
    assert_eq!(client.wait_for("output")["text"], "Hello Ann\n");
    client.wait_for("exited");
}

#[test]
fn an_evaluation_ends_with_its_client() {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std\nusing std\ndo forever() -> int {\n    temp n int = 0\n    as_long_as true {\n        n += 1\n    }\n    return n\n}\ndo main() {\n    println(\"here\")\n    println(forever())\n}\n";
    std::fs::write(directory.path().join("p.ez"), text).unwrap();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2}));
    client.command("evaluate", json!({"expression": "forever()", "timeoutMs": 600_000}));
    client.vanish();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "stopped");
    client.command("evaluate", json!({"expression": "1 + 1"}));
    assert_eq!(client.wait_for("evaluateResult")["result"], "2");
    client.disconnect();
}

#[test]
fn a_program_has_its_own_streams_and_a_debugger_may_come() {
    let directory = counter(3);
    let server = Listening::run(directory.path(), &["--wait", "count.ez"]);
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "ready");
    client.command("setBreakpoint", json!({"file": "count.ez", "line": 7, "condition": "n == 2"}));
    client.wait_for("breakpointSet");
    client.command("start", json!({}));
    assert_eq!(client.wait_for("stopped")["reason"], "breakpoint");
    client.command("input", json!({"text": "x"}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("its own terminal"));
    client.disconnect();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "stopped");
    client.command("continue", json!({}));
    assert_eq!(client.wait_for("exited")["exitCode"], 0);
    let (status, stdout, stderr) = server.end();
    assert!(status.success());
    assert_eq!((stdout.as_str(), stderr.as_str()), ("1\n2\n3\n", ""));
}

#[test]
fn a_program_to_which_nobody_comes_does_what_it_always_does() {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std, @os\nusing std\ndo half(n int) -> int {\n    return 10 / n\n}\ndo main() {\n    println(\"${os.args()}\")\n    temp line string = input()\n    println(\"got ${line}\")\n    println(half(0))\n}\n";
    std::fs::write(directory.path().join("p.ez"), text).unwrap();
    let mut server = Listening::run(directory.path(), &["p.ez", "--", "one", "two"]);
    server.input("a line\n");
    let (status, stdout, stderr) = server.end();
    let mut plain = support::ez();
    plain.args(["run", "p.ez", "--", "one", "two"]).current_dir(directory.path());
    plain.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut plain = plain.stderr(std::process::Stdio::piped()).spawn().unwrap();
    plain.stdin.take().unwrap().write_all(b"a line\n").unwrap();
    let expected = plain.wait_with_output().unwrap();
    assert_eq!(stdout, String::from_utf8(expected.stdout).unwrap());
    assert_eq!(stderr, String::from_utf8(expected.stderr).unwrap());
    assert_eq!(status.code(), expected.status.code());
    assert!(stderr.contains("E5001") || stderr.contains("division"), "{stderr}");
}

#[test]
fn warnings_come_after_the_announcement() {
    let directory = tempfile::tempdir().unwrap();
    let text = "import @std, @math\nusing std\ndo main() {\n    eprintln(\"own\")\n}\n";
    std::fs::write(directory.path().join("p.ez"), text).unwrap();
    // Fails if the first line is not the announcement.
    let (status, _, stderr) = Listening::run(directory.path(), &["p.ez"]).end();
    assert!(status.success());
    assert!(stderr.starts_with("warning") && stderr.ends_with("\nown\n"), "{stderr}");
}

#[test]
fn a_debugger_may_end_a_program() {
    let directory = counter(1_000_000_000);
    let server = Listening::run(directory.path(), &["count.ez"]);
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "running");
    client.command("disconnect", json!({"terminate": true}));
    client.wait_for("terminated");
    assert_eq!(server.end().0.code(), Some(143));
}

#[test]
fn tokens_are_written_to_files_of_the_owner() {
    let directory = counter(1);
    let server = Listening::debugserver(directory.path(), &["--token-file", "token", "count.ez"]);
    let path = directory.path().join("token");
    assert_eq!(std::fs::read_to_string(&path).unwrap().trim(), server.token);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let mut refused = support::ez();
    refused.args(["debugserver", "--listen", "127.0.0.1:0", "--token-file", "no/token", "count.ez"]);
    let refused = refused.current_dir(directory.path()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("Error: no/token: "));
    // A slip that would cost the program.
    let text = std::fs::read(directory.path().join("count.ez")).unwrap();
    let mut refused = support::ez();
    refused.args(["debugserver", "--listen", "127.0.0.1:0", "--token-file", "count.ez"]);
    let refused = refused.current_dir(directory.path()).output().unwrap();
    assert_eq!((refused.status.code(), refused.stdout.is_empty()), (Some(1), true));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(said, "Error: count.ez: that is the name of a program\n");
    assert_eq!(std::fs::read(directory.path().join("count.ez")).unwrap(), text);
}

/// Clients that do anything, in any order: whoever comes after them is served.
// invariant 24
#[test]
fn any_client_may_fail() {
    let count: u64 = std::env::var("EZ_COUNT").map_or(10, |count| count.parse().unwrap());
    let seed: u64 = std::env::var("EZ_SEED").map_or(1, |seed| seed.parse().unwrap());
    for seed in seed..seed + count {
        fails(seed);
    }
}

fn fails(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let directory = counter(1_000_000_000);
    let mut server = Listening::debugserver(directory.path(), &["count.ez"]);
    let mut client = server.client();
    client.start(json!({"protocolVersion": 2}));
    client.disconnect();
    for _ in 0..random.usize(1..8) {
        misbehave(&server, &mut random);
    }
    let (mut client, state) = server.attached();
    assert!(["running", "stopped"].contains(&state["status"].as_str().unwrap()), "seed {seed}: {state}");
    if state["status"] == "running" {
        client.command("pause", json!({}));
        client.wait_for("stopped");
    }
    client.command("getVariables", json!({}));
    client.wait_for("variables");
    assert!(server.is_alive());
    client.command("terminate", json!({}));
    client.wait_for("terminated");
    assert!(server.end().0.success(), "seed {seed}");
}

fn misbehave(server: &Listening, random: &mut fastrand::Rng) {
    let command = |name: &str, token: bool| {
        let params = if token { json!({"token": server.token}) } else { json!({}) };
        format!("{}\n", json!({"type": "command", "command": name, "params": params}))
    };
    let names = ["continue", "pause", "stepInto", "getVariables", "getState", "evaluate", "setBreakpoint"];
    let mut text = match random.u8(0..6) {
        0 => command("attach", false),
        1 => "x".repeat(random.usize(1..100_000)),
        2 => "Content-Length: 5\r\n\r\n{}{}{Content-Length: 99999999\r\n\r\n".into(),
        _ => command("attach", true),
    };
    for _ in 0..random.usize(0..5) {
        text += &command(names[random.usize(0..names.len())], false);
    }
    if random.bool() {
        text.truncate(random.usize(0..=text.len()));
    }
    let mut stream = server.stream();
    let _ = stream.write_all(text.as_bytes());
    match random.u8(0..3) {
        // Gone without having read anything.
        0 => {}
        1 => {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            stream.set_read_timeout(Some(HANG)).unwrap();
            let mut buffer = [0; 4096];
            while stream.read(&mut buffer).is_ok_and(|count| count > 0) && random.u8(0..50) > 0 {}
        }
        _ => {
            let _ = stream.write_all(command("disconnect", false).as_bytes());
        }
    }
}

#[test]
fn arguments_that_are_wrong() {
    let fails = |arguments: &[&str], status: i32| {
        let done = support::ez().args(arguments).current_dir(Path::new("/")).output().unwrap();
        assert_eq!(done.status.code(), Some(status), "{arguments:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    let run = |arguments: &[&str]| fails(arguments, 2);
    let refused = run(&["debugserver", "--listen", "0.0.0.0:0"]);
    assert_eq!(
        refused,
        "Error: 0.0.0.0:0 would accept connections from other computers; use --allow-remote to permit that\n"
    );
    assert!(run(&["dap", "--listen", "nowhere"]).starts_with("Error: no address to listen at: nowhere: "));
    assert!(run(&["run", "--wait", "x.ez"]).contains("--wait is of no use without --debug-listen"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert!(fails(&["dap", "--listen", &address], 1).starts_with("Error: "));
}

/// An `ez` of another version is a client that understands JSON only, and asks for what this one does not know.
#[test]
fn a_client_of_another_version_is_understood() {
    use std::io::{BufRead, BufReader};
    let directory = stops();
    let server = Listening::debugserver(directory.path(), &["stops.ez"]);
    let hello = |token: &str| {
        let message = json!({"Ask": [1, {"Session": {"Attach": {"new": [1], "launch": {"new": 2}}}}]});
        let params = json!({"native": "0.0.1", "token": token, "message": message});
        format!("{}\n", json!({"type": "command", "command": "attach", "params": params}))
    };
    let mut stream = server.stream();
    stream.write_all(hello("wrong").as_bytes()).unwrap();
    let mut refusal = String::new();
    stream.read_to_string(&mut refusal).unwrap();
    let refusal: Value = serde_json::from_str(&refusal).unwrap();
    assert_eq!(refusal["Response"][1]["Err"]["message"], "wrong parameter 'token'");
    let mut stream = server.stream();
    stream.write_all(hello(&server.token).as_bytes()).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut next = |pointer: &str| loop {
        let message: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if let Some(found) = message.pointer(pointer) {
            return found.clone();
        }
    };
    let file = next("/Response/1/Ok/Attached/state/file");
    assert!(file.as_str().unwrap().ends_with("stops.ez"), "{file}");
    stream.write_all(b"{\"Ask\":[2,{\"Start\":true}]}\n").unwrap();
    assert_eq!(next("/Event/Stopped/reason"), "Entry");
    stream.write_all(b"{\"Ask\":[3,{\"Fly\":null}]}\n{\"Ask\":[4,{\"Resume\":\"StepInto\"}]}\n").unwrap();
    let unknown = next("/Response/1/Err/message");
    let unknown = unknown.as_str().unwrap();
    assert!(unknown.starts_with("the debugger is ez 0.0.1 and the program runs in ez "), "{unknown}");
    assert!(unknown.ends_with(": use the same version for both"), "{unknown}");
    assert_eq!(next("/Event/Stopped/location/line"), 5);
    stream.write_all(b"{\"Ask\":[5,\"Terminate\"]}\n").unwrap();
    assert_eq!(next("/Event"), "Terminated");
    assert!(server.end().0.success());
}

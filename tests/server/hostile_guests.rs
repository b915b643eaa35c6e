//! Clients that are no `ez`, but speak to one as if they were, or come in numbers: whatever they send, a guest does what
//! its role allows, and the owner's process stays as it is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::{Value, json};
use support::{Server, ez, with_input};

use super::together::Door;

const PROGRAM: &str = "import @std, @os, @arrays
using std

do pure() -> int {
    temp n int = 0
    loop {
        n += 1
    }
    return n
}

do main() {
    temp x int = 1
    temp list [int] = {}
    for i in range(0, 200000) {
        arrays.append(list, i)
    }
    println(x, len(list))
    println(x)
}
";

/// A program that is stopped, and shared.
fn shared(directory: &Path) -> (Server, Door) {
    std::fs::write(directory.join("a.ez"), PROGRAM).unwrap();
    let mut command = ez();
    command.args(["debugserver", "a.ez"]).current_dir(directory).env("XDG_RUNTIME_DIR", directory);
    let mut server = Server::run(&mut command);
    server.ask("initialize", json!({"protocolVersion": 2, "history": true}));
    server.ask("setBreakpoint", json!({"file": "a.ez", "line": 18}));
    server.command("start", json!({}));
    server.wait_for("stopped");
    let shared = server.ask("share", json!({})).1;
    let door = Door::new(&shared);
    (server, door)
}

/// A client of the protocol between two `ez`.
struct Native {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Native {
    fn join(door: &Door, role: &str) -> Native {
        let mut stream = door.stream();
        let attach = json!({"launch": null, "name": role, "shows_breakpoints": true});
        let message = json!({"Ask": [1, {"Session": {"Attach": attach}}]});
        let params = json!({"token": door.tokens[role], "native": env!("CARGO_PKG_VERSION"), "farewell": null,
            "message": message});
        let hello = json!({"type": "command", "command": "attach", "params": params});
        writeln!(stream, "{hello}").unwrap();
        let mut client = Native { lines: BufReader::new(stream.try_clone().unwrap()), stream };
        assert!(client.next()["Response"][1]["Ok"]["Attached"].is_object());
        client
    }

    fn send(&mut self, message: &str) {
        writeln!(self.stream, "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The response to the request with this number.
    fn response(&mut self, number: u64) -> Value {
        loop {
            let message = self.next();
            if message["Response"][0] == number {
                return message["Response"][1].clone();
            }
        }
    }
}

/// The handle in the description of a value.
fn handle(value: &Value) -> &Value {
    match value {
        Value::Object(fields) => {
            let own = fields.get("handle").filter(|handle| handle.is_number());
            own.or_else(|| fields.values().map(handle).find(|found| !found.is_null())).unwrap_or(&Value::Null)
        }
        _ => &Value::Null,
    }
}

/// Numbers at the edges of every part of the number of a request within a session.
fn numbers() -> Vec<u64> {
    let mut numbers: Vec<u64> =
        (38..64).flat_map(|bit| [1 << bit, (1 << bit) | 5, ((1_u64 << bit) - 1) << 1 | 1]).collect();
    // Those of other connections of this session, and of the session itself.
    numbers.extend((0..8).flat_map(|of| [of << 40 | 2, (1 << 21 | of) << 40 | 2]));
    numbers.extend([(1 << 62) + 1, (1 << 62) + 2, 1 << 63, u64::MAX]);
    numbers
}

#[test]
fn an_observer_is_nobody_else_whatever_number_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let (mut owner, door) = shared(directory.path());
    let mut participant = door.guest("participant", "Bob");
    let mut eve = Native::join(&door, "observer");
    let limits = json!({"parts": 10, "bytes": 100});
    let evaluate = |expression: &str| {
        json!({"Inspect": {"Evaluate": {"expression": expression, "frame": 0, "purpose": "Plain", "timeout_ms": null,
            "limits": limits}}})
    };
    let requests = [
        json!("Kill"),
        json!("Terminate"),
        json!("Detach"),
        json!({"Resume": "StepInto"}),
        json!({"Session": "Unshare"}),
        evaluate("os.exec(\"touch pwned\")"),
        evaluate("x = 2"),
    ];
    let mut answered = 0;
    for number in numbers() {
        for request in &requests {
            eve.send(&json!({"Ask": [number, request]}).to_string());
            answered += 1;
        }
        eve.send(&json!({"Cancel": number}).to_string());
        answered += usize::from(number >= 1 << 40);
    }
    // A request like any other, behind all of them.
    eve.send(&json!({"Ask": [7, evaluate("x")]}).to_string());
    loop {
        let message = eve.next();
        match (&message["Response"], &message["type"]) {
            (Value::Array(response), _) if response[0] == 7 => {
                assert_eq!(response[1]["Ok"]["Inspect"]["Evaluate"]["value"]["Int"], 1, "{message}");
                break;
            }
            (Value::Array(response), _) => {
                assert!(response[1]["Err"].is_object(), "{message}");
                answered -= 1;
            }
            (_, Value::String(_)) => {
                assert_eq!(message["event"], "error", "{message}");
                answered -= 1;
            }
            _ => assert!(message["Event"].is_object(), "{message}"),
        }
    }
    assert_eq!(answered, 0, "each is answered once");
    // Nothing has happened, and nobody was told of anything.
    participant.command("evaluate", json!({"expression": "x"}));
    assert_eq!(participant.wait_for("evaluateResult")["result"], "1");
    let (event, told) = owner.ask("evaluate", json!({"expression": "x"}));
    assert_eq!((event.as_str(), &told["result"]), ("evaluateResult", &json!("1")));
    assert!(!directory.path().join("pwned").exists());
    owner.command("stepOver", json!({}));
    assert_eq!(owner.wait_for("stopped")["by"], "owner");
}

/// The edges as ids of requests, and as numbers of what there is in the session, in the protocols whose front ends number
/// requests themselves: each is answered once, to the observer, and nothing has an effect.
#[test]
fn no_number_of_an_observer_has_an_effect_in_any_protocol() {
    let directory = tempfile::tempdir().unwrap();
    let (mut owner, door) = shared(directory.path());
    owner.ask("setBreakpoint", json!({"file": "a.ez", "line": 17}));
    owner.ask("addWatch", json!({"expression": "x"}));
    let before = owner.ask("getState", json!({})).1;
    let token = &door.tokens["observer"];
    let mut numbers = numbers();
    numbers.extend([0, 1, 2, u64::from(u32::MAX), i64::MAX as u64]);
    let commands = |number: u64| {
        [
            ("kill", json!({})),
            ("setVariable", json!({"name": "x", "value": "2", "frameIndex": number})),
            ("setVariable", json!({"name": "[0]", "value": "2", "reference": number})),
            ("removeBreakpoint", json!({"id": number})),
            ("removeWatch", json!({"id": number})),
            ("stepInto", json!({"targetId": number})),
            ("goToStep", json!({"step": number})),
            ("getChildren", json!({"reference": number})),
            ("releaseChild", json!({"pid": number})),
        ]
    };
    for rpc in [false, true] {
        let stream = door.stream();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let send = |id: &Value, name: &str, params: &Value| {
            let message = match rpc {
                true => json!({"jsonrpc": "2.0", "id": id, "method": name, "params": params}),
                false => json!({"type": "command", "command": name, "params": params, "id": id}),
            };
            writeln!(&stream, "{message}").unwrap();
        };
        let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
        send(&json!("first"), "attach", &json!({"token": token, "name": "Eve", "protocolVersion": 2}));
        while next()["id"] != "first" {}
        for number in &numbers {
            for (name, params) in commands(*number) {
                send(&json!(number), name, &params);
                let answer = next();
                assert_eq!(answer["id"], *number, "{name} {params}: {answer}");
                let failed = answer["event"] == "error" || answer["error"].is_object();
                assert!(failed || name == "getChildren", "{name} {params}: {answer}");
            }
        }
    }
    let mut dap = support::dap::Dap::over(&door.stream(), directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.request("attach", json!({"token": token, "name": "Eve"}));
    dap.request("configurationDone", Value::Null);
    for number in &numbers {
        for (name, arguments) in [
            ("cancel", json!({"requestId": number})),
            ("setVariable", json!({"variablesReference": number, "name": "x", "value": "2"})),
            ("setExpression", json!({"frameId": number, "expression": "x", "value": "2"})),
            ("stepIn", json!({"threadId": number, "targetId": number})),
            ("goToStep", json!({"step": number})),
            ("restartFrame", json!({"frameId": number})),
            ("removeBreakpoint", json!({"id": number})),
        ] {
            let answer = dap.response(name, arguments.clone());
            assert!(answer["success"] == false || name == "cancel", "{name} {arguments}: {answer}");
        }
    }
    drop(dap);
    assert_eq!(owner.ask("getState", json!({})).1, before);
    assert_eq!(owner.ask("evaluate", json!({"expression": "x"})).1["result"], "1");
}

#[test]
fn what_an_observer_asks_is_limited_in_time_and_size() {
    let directory = tempfile::tempdir().unwrap();
    let (mut owner, door) = shared(directory.path());
    let mut eve = Native::join(&door, "observer");
    let begin = std::time::Instant::now();
    eve.send(&json!({"Ask": [2, {"Inspect": {"Rich": {"expression": "pure()", "frame": 0}}}]}).to_string());
    assert!(eve.response(2)["Err"].is_object());
    // Five seconds without the limit; a test does not assert how long half a second takes.
    assert!(begin.elapsed() < std::time::Duration::from_secs(5));
    let copy = json!({"Inspect": {"CopyToGlobals": {"expression": "x", "frame": 0, "name": "y"}}});
    eve.send(&json!({"Ask": [3, copy]}).to_string());
    let refused = eve.response(3);
    assert!(
        refused["Err"]["message"].as_str().unwrap().ends_with("an observer changes nothing"),
        "{refused}"
    );
    // Reading a text takes time before anything is evaluated.
    for (number, inspect) in [
        (
            10,
            json!({"Evaluate": {"expression": "x".repeat(1_000_000), "frame": 0, "purpose": "Look", "timeout_ms": null,
            "limits": {"parts": 1, "bytes": 1}}}),
        ),
        (11, json!({"Rich": {"expression": "zz ".repeat(300_000), "frame": 0}})),
    ] {
        eve.send(&json!({"Ask": [number, {"Inspect": inspect}]}).to_string());
        let refused = eve.response(number)["Err"]["message"].to_string();
        assert!(refused.contains("at most 16384 bytes are evaluated"), "{refused}");
    }
    let limits = json!({"parts": u64::MAX, "bytes": u64::MAX});
    let variables = json!({"Inspect": {"Variables": {"frame": 0, "scope": null, "limits": limits}}});
    eve.send(&json!({"Ask": [4, variables]}).to_string());
    let variables = eve.response(4)["Ok"]["Inspect"]["Variables"].clone();
    let list = variables.as_array().unwrap().iter().find(|variable| variable["name"] == "list").unwrap();
    assert!(list.to_string().len() < 1 << 20, "{}", list.to_string().len());
    let children = json!({"handle": handle(list), "start": 0, "count": u64::MAX, "limits": limits});
    eve.send(&json!({"Ask": [5, {"Inspect": {"Children": children}}]}).to_string());
    let answer = eve.response(5);
    let children = &answer["Ok"]["Inspect"]["Children"]["children"];
    assert_eq!(children.as_array().map(Vec::len), Some(10_000), "of 200,000: {:.200}", answer.to_string());
    owner.ask("getThreads", json!({}));
}

/// Many connections with a wrong token at once: no more threads and descriptors than for a few.
#[cfg(target_os = "linux")]
#[test]
fn who_is_refused_takes_nothing_from_the_owner() {
    let directory = tempfile::tempdir().unwrap();
    let (mut owner, door) = shared(directory.path());
    let process = owner.process().id();
    let count = |what: &str| std::fs::read_dir(format!("/proc/{process}/{what}")).unwrap().count();
    let mut kept = Vec::new();
    let mut most = (0, 0);
    for number in 0..600 {
        let mut stream = door.stream();
        stream
            .write_all(b"{\"type\":\"command\",\"command\":\"attach\",\"params\":{\"token\":\"x\"}}\n")
            .unwrap();
        kept.push(stream);
        if number % 50 == 0 {
            most = (most.0.max(count("task")), most.1.max(count("fd")));
        }
    }
    most = (most.0.max(count("task")), most.1.max(count("fd")));
    assert!(most.0 < 100 && most.1 < 200, "{most:?} threads and descriptors");
    // Whoever has the token comes in meanwhile, and the last ones are told that theirs is wrong.
    door.guest("observer", "Eve");
    let mut told = String::new();
    let _ = kept.last_mut().unwrap().read_to_string(&mut told);
    assert!(told.contains("wrong parameter 'token'"), "{told}");
    owner.ask("getThreads", json!({}));
}

/// Little is kept of what comes before the token, and that is said.
#[test]
fn who_has_shown_no_token_cannot_send_much() {
    let directory = tempfile::tempdir().unwrap();
    let (mut owner, door) = shared(directory.path());
    let frame = |message: Value| format!("Content-Length: {}\r\n\r\n{message}", message.to_string().len());
    let lines: Vec<Value> = (1..100_000).map(|line| json!({"line": line})).collect();
    let initialize =
        json!({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "ez"}});
    let breakpoints = json!({"source": {"path": "a.ez"}, "breakpoints": lines});
    let set = json!({"seq": 2, "type": "request", "command": "setBreakpoints", "arguments": breakpoints});
    let long = json!({"type": "command", "command": "attach", "params": {"token": "x".repeat(2 << 20)}});
    for (sent, said) in [
        (frame(initialize) + &frame(set), "bytes came before the token: send 'launch' or 'attach' first"),
        (format!("{long}\n"), "the first command must not be longer than"),
    ] {
        let mut stream = door.stream();
        // It is closed before all was sent.
        let _ = stream.write_all(sent.as_bytes());
        let mut told = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            told.extend_from_slice(&buffer[..count]);
        }
        let told = String::from_utf8_lossy(&told).into_owned();
        // A connection that is closed while something is on its way may lose what was said.
        assert!(told.contains(said) || !told.contains("attached"), "{told}");
    }
    owner.ask("getThreads", json!({}));
}

/// Somebody else listens, or the owner's process is stopped.
#[test]
fn who_joins_does_not_wait_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let silent = std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        // Something that is no message either, byte by byte.
        while stream.write_all(b"[").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    });
    let mut command = ez();
    command.args(["debug", "--join", &address, "--token", "t"]);
    let output = with_input(&mut command, "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing was answered within ten seconds"), "{said}");
    silent.join().unwrap();
}

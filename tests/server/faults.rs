//! Clients that vanish, do not read, or want the end at a bad moment: no process outlives its client.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Server, ez, testdata};

/// Programs that never end by themselves, each in another way. All say `ready` first.
const ENDLESS: &[(&str, &str)] = &[
    ("loop", "loop {}"),
    ("counting", "temp n int = 0\n    as_long_as true { n += 1 }"),
    ("sleep", "sleep_seconds(100000)"),
    ("input", "temp line string = input()\n    println(line)"),
    ("printing", "loop { println(\"and again\") }"),
    ("long_lines", "loop { print(\"and again, without a line end \") }"),
    ("command", COMMAND),
];

#[cfg(not(windows))]
const COMMAND: &str = "os.exec(\"sleep 100000\")";
#[cfg(windows)]
const COMMAND: &str = "os.exec(\"ping -n 100000 127.0.0.1\")";

struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    file: PathBuf,
}

impl Running {
    /// A server whose program has said that it is ready, and runs on.
    fn start(test: &str, name: &str, body: &str) -> Running {
        let file = std::env::temp_dir().join(format!("ez-fault-{}-{test}-{name}.ez", std::process::id()));
        let text = format!(
            "import @std\nimport @os, @io\nusing std\n\ndo main() {{\n    println(\"ready\")\n    {body}\n}}\n"
        );
        std::fs::write(&file, text).unwrap();
        let mut command = ez();
        command.args(["debugserver", "--linger", "1000"]).arg(&file);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(BufReader::new);
        let mut running = Running { child, stdin, stdout, file };
        running.send("initialize", json!({}));
        running.send("start", json!({}));
        running.wait_for("stopped");
        running.send("continue", json!({}));
        running.wait_for("output");
        running
    }

    fn send(&mut self, command: &str, params: Value) {
        let line = json!({"type": "command", "command": command, "params": params});
        let _ = self.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes());
    }

    /// Waits for an event, and gives all that came until then.
    fn wait_for(&mut self, event: &str) -> Vec<Value> {
        let mut events = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            let count = self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
            assert!(count > 0, "no {event} among {events:?}");
            let value: Value = serde_json::from_str(&line).unwrap();
            let found = value["event"] == event;
            events.push(value);
            if found {
                return events;
            }
        }
    }

    /// Waits for the process to end.
    fn ends(mut self) -> Option<i32> {
        support::wait(&mut self.child).code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.file);
    }
}

// invariant 15
#[test]
fn a_client_that_dies() {
    for (name, body) in ENDLESS {
        let mut running = Running::start("dies", name, body);
        running.stdin = None;
        running.stdout = None;
        assert_eq!(running.ends(), Some(0), "{name}");
    }
}

#[test]
fn a_client_that_closes_what_it_reads() {
    for (name, body) in ENDLESS {
        let mut running = Running::start("closes", name, body);
        running.stdout = None;
        assert_eq!(running.ends(), Some(0), "{name}");
    }
}

#[test]
fn a_client_that_dies_before_the_start() {
    let mut command = ez();
    command.arg("debugserver").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(support::wait(&mut child).code(), Some(0));
}

#[test]
fn terminate_is_always_served() {
    for (name, body) in ENDLESS {
        let mut running = Running::start("terminate", name, body);
        running.send("getVariables", json!({}));
        running.send("terminate", json!({}));
        let events = running.wait_for("terminated");
        let refused =
            events.iter().any(|e| e["data"]["message"] == "Cannot get variables: program has ended");
        assert!(refused, "{name}");
        assert_eq!(running.ends(), Some(0), "{name}");
    }
}

// invariant 15
#[test]
fn terminate_is_served_when_nobody_reads() {
    for (name, body) in ENDLESS {
        let mut running = Running::start("full", name, body);
        // More events than the pipe takes, so that the server is stuck in writing.
        for _ in 0..2000 {
            running.send("fly", json!({}));
        }
        running.send("terminate", json!({}));
        assert_eq!(running.ends(), Some(0), "{name}");
    }
}

/// What was told before the end arrives whole, however slowly it is read.
#[test]
fn output_survives_terminate_when_it_is_read_slowly() {
    let mark = std::env::temp_dir().join(format!("ez-fault-{}-printed", std::process::id()));
    let _ = std::fs::remove_file(&mark);
    let body = format!(
        "for i in range(0, 880) {{ println(i) }}\n    temp done, e = io.write_file(\"{}\", \"\")\n    \
         sleep_seconds(100000)",
        mark.display().to_string().replace('\\', "/")
    );
    let mut running = Running::start("slow", "slow", &body);
    // More than the pipe takes, but no more than the program may be ahead of its client.
    support::wait_until(|| mark.exists());
    running.send("terminate", json!({}));
    let mut printed = Vec::new();
    for round in 0.. {
        // A client that has other things to do, but takes something within each second.
        if round % 150 == 0 {
            std::thread::sleep(Duration::from_millis(300));
        }
        let mut line = String::new();
        assert!(running.stdout.as_mut().unwrap().read_line(&mut line).unwrap() > 0, "ends after {printed:?}");
        let event: Value = serde_json::from_str(&line).unwrap();
        match event["event"].as_str() {
            Some("output") => printed.push(event["data"]["text"].as_str().unwrap().to_string()),
            Some("terminated") => break,
            _ => {}
        }
    }
    let wanted: Vec<String> = (0..880).map(|i| format!("{i}\n")).collect();
    assert!(printed == wanted, "{} lines", printed.len());
    assert_eq!(running.ends(), Some(0));
    let _ = std::fs::remove_file(&mark);
}

// invariant 15
#[test]
fn pause_is_served_when_nobody_reads() {
    let (name, body) = ENDLESS[4];
    let mut running = Running::start("pause", name, body);
    for _ in 0..2000 {
        running.send("fly", json!({}));
    }
    running.send("pause", json!({}));
    running.wait_for("stopped");
    running.send("getStackTrace", json!({}));
    running.wait_for("stackTrace");
    running.send("continue", json!({}));
    running.send("terminate", json!({}));
    running.wait_for("terminated");
    assert_eq!(running.ends(), Some(0));
}

#[test]
fn the_end_of_commands_lets_a_program_run_on_until_nobody_reads() {
    let (name, body) = ENDLESS[4];
    let mut running = Running::start("eof", name, body);
    running.stdin = None;
    for _ in 0..1000 {
        running.wait_for("output");
    }
    running.stdout = None;
    assert_eq!(running.ends(), Some(0));
}

#[test]
fn a_plain_run_ends_quietly_when_nobody_reads() {
    let file = std::env::temp_dir().join(format!("ez-fault-{}-plain.ez", std::process::id()));
    std::fs::write(&file, "import @std\nusing std\n\ndo main() {\n    loop { println(\"again\") }\n}\n")
        .unwrap();
    let mut child = ez().arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let status = support::wait(&mut child);
    let errors = support::read_all(child.stderr.take().unwrap());
    std::fs::remove_file(&file).unwrap();
    assert_eq!((status.code(), line.as_str(), errors.as_str()), (Some(0), "again\n", ""));
}

#[test]
fn start_up_failures() {
    let output = ez().args(["debugserver", "/no/such/file.ez"]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(errors, "Error reading file: /no/such/file.ez: no such file or directory\n");
    let output = ez().args(["debugserver", "/"]).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("Error reading file: /: "));
    assert_eq!(output.status.code(), Some(1));
}

/// However many commands follow one whose program has errors, each is answered.
#[test]
fn many_commands_after_a_program_with_errors_are_answered() {
    const COUNT: usize = 20_000;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), "do main() {\n    x\n").unwrap();
    let mut server = Server::start(directory.path(), &["a.ez"]);
    let command = |name: &str| json!({"type": "command", "command": name, "id": name}).to_string() + "\n";
    server.send(&(command("initialize") + &command("getVariables").repeat(COUNT)));
    let (mut answered, mut ended) = (0, false);
    while let Some(event) = server.event() {
        assert!(!ended, "{event}");
        match event["event"].as_str() {
            Some("error") => answered += usize::from(event["id"] == "getVariables"),
            other => ended = other == Some("terminated"),
        }
    }
    assert_eq!((answered, ended), (COUNT, true));
    assert_eq!(server.wait().code(), Some(1));
}

#[test]
fn what_is_too_long_is_refused_and_the_next_line_is_read() {
    let mut server = Server::start(&testdata("transcripts"), &["v2_program.ez"]);
    server.command("initialize", json!({}));
    server.wait_for("initialized");
    let command =
        |id: &str| format!("{{\"type\":\"command\",\"command\":\"getBreakpoints\",\"id\":\"{id}\"}}\n");
    server.send(&command(&"i".repeat(300)));
    assert_eq!(server.wait_for("error")["message"], "parameter 'id' is too long");
    server.send(&command(&"i".repeat(8 << 20)));
    assert_eq!(server.wait_for("error")["message"], "line too long (limit: 8388608 bytes)");
    server.command("start", json!({}));
    server.wait_for("stopped");
    server.command("terminate", json!({}));
    server.wait_for("terminated");
}

//! A client like the IDE's: it reads whatever one read returns, splits it at line ends without keeping
//! a rest, and steps through whole programs.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use support::{HANG, Server, ez, testdata};

/// How much such a client reads at once: what a pipe takes in one piece is never torn.
const CHUNK: usize = 64 * 1024;

struct Client {
    child: Child,
    /// What the session showed, as the IDE would.
    shown: String,
    /// What the program wrote.
    output: String,
    over: bool,
}

impl Client {
    fn start(file: &Path) -> Client {
        let directory = file.parent().unwrap();
        let mut command = ez();
        command.arg("debugserver").arg(file).current_dir(directory);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut client =
            Client { child: child.unwrap(), shown: String::new(), output: String::new(), over: false };
        client.send("initialize", json!({"file": file, "workingDir": directory}));
        client
    }

    fn send(&mut self, command: &str, params: Value) {
        let line = json!({"type": "command", "command": command, "params": params});
        let _ = self.child.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes());
    }

    /// Reads until the session is over; `step` is what the user's step button sends.
    fn walk(mut self, step: &str, most: usize) -> (String, String) {
        let mut stdout = self.child.stdout.take().unwrap();
        let mut buffer = vec![0; CHUNK];
        let mut stops = 0;
        while !self.over {
            let count = stdout.read(&mut buffer).unwrap();
            assert!(count > 0, "the server ended without a word:\n{}", self.shown);
            let chunk = String::from_utf8_lossy(&buffer[..count]).into_owned();
            for line in chunk.trim().split('\n') {
                let event = serde_json::from_str(line);
                let event: Value =
                    event.unwrap_or_else(|e| panic!("invalid JSON from debugger: {e}: {line}"));
                assert_eq!(event["type"], "event");
                self.react(&event, step, &mut stops);
            }
            assert!(stops <= most, "more than {most} stops:\n{}", self.shown);
        }
        drop(self.child.stdin.take());
        support::wait(&mut self.child);
        let errors = support::read_all(self.child.stderr.take().unwrap());
        assert_eq!(errors, "", "standard error is for start-up failures");
        (std::mem::take(&mut self.shown), std::mem::take(&mut self.output))
    }

    fn react(&mut self, event: &Value, step: &str, stops: &mut usize) {
        let data = &event["data"];
        match event["event"].as_str().unwrap() {
            "initialized" => self.send("start", json!({})),
            "stopped" => {
                *stops += 1;
                let place = &data["location"];
                let file = Path::new(place["file"].as_str().unwrap()).file_name().unwrap();
                let (line, reason) = (&place["line"], data["reason"].as_str().unwrap());
                let _ = writeln!(self.shown, "{reason} {}:{line}", file.to_string_lossy());
                self.send("getVariables", json!({"frameIndex": 0}));
            }
            "variables" => {
                let list = data["variables"].as_array().unwrap().iter();
                let all: Vec<String> = list.map(|v| format!("{}={}", v["name"], v["value"])).collect();
                let _ = writeln!(self.shown, "  {}", all.join(" "));
                self.send(step, json!({}));
            }
            "output" => {
                let text = data["text"].as_str().unwrap();
                let _ = writeln!(self.shown, "output {text:?}");
                if data["category"] == "stdout" {
                    self.output.push_str(text);
                }
            }
            "error" => {
                let _ = writeln!(self.shown, "error: {}", data["message"].as_str().unwrap());
            }
            "exited" => {
                let _ = writeln!(self.shown, "exited {}", data["exitCode"]);
                self.over = true;
            }
            "terminated" => self.over = true,
            "inputRequested" => self.send("input", json!({"text": "7"})),
            _ => {}
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn walk(file: &Path, step: &str) -> (String, String) {
    // A client that hangs is ended from outside.
    let client = Client::start(file);
    let id = client.child.id();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if waiting.recv_timeout(HANG) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let _ = std::process::Command::new("kill").arg(id.to_string()).status();
        }
    });
    let walked = client.walk(step, 100_000);
    drop(done);
    guard.join().unwrap();
    walked
}

/// The programs of `examples/`, from the first statement to the last.
fn examples() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let main = path.join("main.ez");
        if path.extension().is_some_and(|e| e == "ez") {
            files.push(path);
        } else if main.exists() {
            files.push(main);
        }
    }
    files.sort();
    assert!(files.len() >= 10);
    files
}

#[test]
fn examples_behave_the_same_when_they_are_stepped_through() {
    for file in examples() {
        let mut plain = ez();
        plain.arg(&file).current_dir(file.parent().unwrap());
        let mut child =
            plain.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all("7\n".repeat(20).as_bytes());
        let expected = support::read_all(child.stdout.take().unwrap());
        assert_eq!(support::wait(&mut child).code(), Some(0), "{}", file.display());
        for step in ["stepInto", "stepOver", "continue"] {
            let (shown, output) = walk(&file, step);
            assert_eq!(output, expected, "{} with {step}", file.display());
            assert!(shown.ends_with("exited 0\n"), "{shown}");
        }
    }
}

#[test]
fn a_whole_walk() {
    let (shown, _) = walk(&testdata("transcripts").join("simple_stepping.ez"), "stepInto");
    insta::assert_snapshot!(shown);
}

#[test]
fn big_variables_come_in_one_piece() {
    let (shown, _) = walk(&testdata("transcripts/big.ez"), "stepInto");
    assert!(shown.ends_with("exited 0\n"), "{shown}");
    let widest = shown.lines().map(str::len).max().unwrap();
    assert!((20_000..32_000).contains(&widest), "{widest}");
}

/// The file is edited, so that a condition names a variable that there is no more, and then the mistake is undone.
#[test]
fn a_restart_tells_which_breakpoints_have_become_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let text = format!(
            "import @std\nusing std\ndo main() {{\n    temp {name} int = 2\n    println({name})\n}}\n"
        );
        std::fs::write(directory.path().join("edited.ez"), text).unwrap();
    };
    write("x");
    let mut server = Server::start(directory.path(), &["edited.ez"]);
    server.command("initialize", json!({"protocolVersion": 2, "stopOnEntry": false, "keepAlive": true}));
    server.command("setBreakpoint", json!({"file": "edited.ez", "line": 5, "condition": "x > 1"}));
    server.command("start", json!({}));
    server.wait_for("stopped");
    write("y");
    server.command("restart", json!({}));
    assert_eq!(server.wait_for("error")["breakpointId"], 1);
    let changed = server.wait_for("breakpointChanged");
    assert_eq!(changed["reason"], "changed");
    assert_eq!(
        (&changed["breakpoint"]["id"], &changed["breakpoint"]["verified"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(changed["breakpoint"]["message"], "undefined variable 'x'");
    server.wait_for("exited");
    write("x");
    server.command("restart", json!({}));
    assert_eq!(server.wait_for("breakpointChanged")["breakpoint"]["verified"], true);
    server.wait_for("stopped");
    server.command("terminate", json!({}));
    server.wait_for("terminated");
}

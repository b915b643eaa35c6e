//! What the tests of whole sessions share: a debug server in a process of its own, clients of it, terminals,
//! and the programs that they run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // For tests only.

pub mod corpus;
pub mod dap;
pub mod debugger;
pub mod mcp;
pub mod scenario;
pub mod signals;
pub mod socket;
pub mod source;
pub mod trace;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A program for others to start: prints its argument, and the sum of three numbers.
pub const WORKER: &str = "import @std, @os
using std
do main() {
    temp total int = 0
    for i in range(0, 3) {
        total += i
    }
    println(\"worker ${os.args()[2]} ${total}\")
}
";

/// A test that waits longer than this hangs.
pub const HANG: Duration = Duration::from_secs(60);

/// The path of the `ez` binary: Cargo names it to the tests that it runs; older versions only put it two
/// folders above the test's own program.
pub fn ez_path() -> PathBuf {
    if let Some(path) = std::env::var_os("CARGO_BIN_EXE_ez") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join(format!("ez{}", std::env::consts::EXE_SUFFIX))
}

/// The `ez` binary, as a command.
pub fn ez() -> Command {
    signals::stop_ignoring();
    Command::new(ez_path())
}

/// A copy of the `ez` binary in a folder, which can be replaced while it runs.
pub fn copied_ez(folder: &Path) -> PathBuf {
    let path = folder.join("ez");
    // A process of its own writes it: a program that is open for writing anywhere, also in a process that another test is
    // just starting, cannot be run.
    assert!(Command::new("cp").arg(ez_path()).arg(&path).status().unwrap().success());
    path
}

/// A file or folder of the project; the project's own folder for `""`.
pub fn project(path: &str) -> PathBuf {
    let support = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::path::absolute(support.ancestors().nth(2).unwrap().join(path)).unwrap()
}

/// The folder for files of tests that are looked at afterwards, in Cargo's folder for what it builds.
pub fn scratch() -> PathBuf {
    let directory = ez_path().parent().and_then(Path::parent).unwrap().join("tmp");
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// A directory of `testdata`.
pub fn testdata(name: &str) -> PathBuf {
    project("testdata").join(name)
}

/// JSON with paths as they are from a directory on, written with `/` on every system.
pub fn without_directory(text: &str, directory: &Path) -> String {
    let directory = std::path::absolute(directory.join("")).unwrap().display().to_string();
    // In JSON, and in a string that stands there in a string.
    let written = ["\\\\", "\\\\\\\\"];
    written.iter().fold(text.replace(&directory.replace('\\', "/"), ""), |text, separator| {
        let directory = directory.replace('\\', separator);
        let mut parts = text.split(&directory);
        let first = parts.next().unwrap_or_default().to_string();
        parts.fold(first, |text, part| {
            let (path, rest) = part.split_at(part.find('"').unwrap_or(part.len()));
            text + &path.replace(separator, "/") + rest
        })
    })
}

/// JSON without the version of the program, which has the same number as this crate.
pub fn without_version(text: &str) -> String {
    let version = |number: &str| format!("\"version\":\"{number}\"");
    text.replace(&version(env!("CARGO_PKG_VERSION")), &version("VERSION"))
}

/// A debug server and the lines that it writes.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// All lines so far, for the message of a test that fails.
    seen: Vec<String>,
}

impl Server {
    /// Starts `ez debugserver` with these arguments in a directory.
    pub fn start(directory: &Path, arguments: &[&str]) -> Server {
        Server::run(ez().arg("debugserver").args(arguments).current_dir(directory))
    }

    /// Starts a command that becomes a debug server.
    pub fn run(command: &mut Command) -> Server {
        signals::stop_ignoring();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Server { child, stdin, lines, seen: Vec::new() }
    }

    /// Sends bytes in one write.
    pub fn send(&mut self, text: &str) {
        // A server that has ended needs no more commands.
        let _ = self.stdin.as_mut().unwrap().write_all(text.as_bytes());
    }

    /// Sends a command.
    pub fn command(&mut self, name: &str, params: Value) {
        let line = serde_json::json!({"type": "command", "command": name, "params": params});
        self.send(&format!("{line}\n"));
    }

    /// Sends a command with an id, and gives its answer: the event's name and its data. Other events are skipped.
    pub fn ask(&mut self, name: &str, params: Value) -> (String, Value) {
        let line = serde_json::json!({"type": "command", "command": name, "params": params, "id": "asked"});
        self.send(&format!("{line}\n"));
        while let Some(mut event) = self.event() {
            if event["id"] == "asked" && event["event"] != "started" {
                return (event["event"].as_str().unwrap_or_default().into(), event["data"].take());
            }
        }
        panic!("no answer to '{name}' among:\n{}", self.seen.join("\n"));
    }

    /// Closes the server's input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The next line; `None` at the end.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(HANG) {
            Ok(line) => {
                self.seen.push(line.clone());
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                panic!("nothing comes any more after:\n{}", self.seen.join("\n"));
            }
        }
    }

    /// The next event; `None` at the end.
    pub fn event(&mut self) -> Option<Value> {
        self.line().map(|line| event_of(&line))
    }

    /// The events that have come and that nobody has read.
    pub fn arrived(&mut self) -> Vec<Value> {
        let lines: Vec<String> = self.lines.try_iter().collect();
        self.seen.extend(lines.iter().cloned());
        lines.iter().map(|line| event_of(line)).collect()
    }

    /// Waits for an event of this name and gives its data.
    pub fn wait_for(&mut self, name: &str) -> Value {
        while let Some(mut event) = self.event() {
            if event["event"] == name {
                return event["data"].take();
            }
        }
        panic!("no '{name}' among:\n{}", self.seen.join("\n"));
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// Reads nothing more: the client's end of the server's output is closed.
    pub fn process(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn event_of(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))
}

/// Waits for a process to end.
pub fn wait(child: &mut Child) -> ExitStatus {
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if since.elapsed() > HANG {
            let _ = child.kill();
            panic!("the process does not end");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// All that a pipe gives.
pub fn read_all(mut pipe: impl Read) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).unwrap();
    text
}

/// Runs a command to its end, and gives its status and all that it has written. One that takes longer than the
/// limit is killed, and the test fails.
pub fn output_within(command: &mut Command, limit: Duration) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = read_in_background(child.stdout.take().unwrap());
    let stderr = read_in_background(child.stderr.take().unwrap());
    let deadline = Instant::now() + limit;
    let mut all = |pipe: Receiver<Vec<u8>>| {
        pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())).unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("{command:?} takes longer than {limit:?}")
        })
    };
    let (stdout, stderr) = (all(stdout), all(stderr));
    Output { status: child.wait().unwrap(), stdout, stderr }
}

/// Runs a command with a text as its standard input, to its end.
pub fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that reads nothing may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn read_in_background(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, all) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    all
}

/// Whether a process is there and no zombie.
pub fn lives(process: &str) -> bool {
    let status = Path::new("/proc").join(process.trim()).join("stat");
    let status = std::fs::read_to_string(status).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Waits for what nothing tells of, with a limit.
#[track_caller]
pub fn wait_until(mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < HANG, "waited for nothing");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Waits for processes that are not children of this one to end.
#[track_caller]
pub fn wait_for_end(processes: &[String]) {
    wait_until(|| !processes.iter().any(|process| lives(process)));
}

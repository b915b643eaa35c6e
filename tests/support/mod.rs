//! What tests of whole sessions share: a debug server in a process of its own.

#![allow(dead_code)] // Every test program uses a part of it.

pub mod dap;
pub mod scenario;
pub mod signals;
pub mod socket;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A test that waits longer than this hangs.
pub const HANG: Duration = Duration::from_secs(60);

/// The `ez` binary.
pub fn ez() -> Command {
    signals::stop_ignoring();
    Command::new(env!("CARGO_BIN_EXE_ez"))
}

/// A directory of `testdata`.
pub fn testdata(name: &str) -> PathBuf {
    std::path::absolute(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)).unwrap()
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
        self.line().map(|line| serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}")))
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

/// Whether a process is there and no zombie.
pub fn lives(process: &str) -> bool {
    let status = Path::new("/proc").join(process.trim()).join("stat");
    let status = std::fs::read_to_string(status).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Waits for processes that are not children of this one to end.
pub fn wait_for_end(processes: &[String]) {
    let since = Instant::now();
    while processes.iter().any(|process| lives(process)) {
        assert!(since.elapsed() < HANG, "{processes:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

//! Two debug sessions in one process: each has its own working directory and its own commands.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;
use std::time::Duration;

use ez_debugger::protocol::{
    self,
    transport::{Connection, serve},
};
use ez_engine::session::{Settings, new_thread, run_engine};
use ez_runtime::host::{Commands, GuardProgram};
use serde_json::{Value, json};

/// Writes a file, runs a command that tells its number and its directory through a pipe, and waits for
/// it.
const PROGRAM: &str = r#"import @std, @io, @os
using std

do main() {
    temp here, e0 = os.cwd()
    temp written, e1 = io.write_file("note", "from ${here}")
    temp moved, e2 = os.chdir("below")
    temp made, e3 = io.write_file("deep", "x")
    temp a, e4 = os.exec(`sleep 100000 & echo $$ $! $PWD > ../pipe; wait`)
    println("command over")
}
"#;

struct Client {
    directory: PathBuf,
    stream: UnixStream,
    events: BufReader<UnixStream>,
    server: Option<JoinHandle<u8>>,
}

impl Client {
    fn start(name: &str, commands: Commands) -> Client {
        let directory = std::env::temp_dir().join(format!("ez-two-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("below")).unwrap();
        fs::write(directory.join("a.ez"), PROGRAM).unwrap();
        assert!(Command::new("mkfifo").arg(directory.join("pipe")).status().unwrap().success());
        let (stream, theirs) = UnixStream::pair().unwrap();
        stream.set_read_timeout(Some(support::HANG)).unwrap();
        let (reader, writer) = (theirs.try_clone().unwrap(), theirs);
        let server = std::thread::spawn(move || {
            let connection = Connection { reader: Box::new(reader), writer: Box::new(writer), watched: None };
            let settings = Settings { file: None, directory: "/".into(), root: None };
            let (linger, front_end) = (Duration::from_secs(1), protocol::ez::front_end());
            let engine = Box::new(move |link| run_engine(settings, link));
            serve(connection, front_end, linger, commands, engine, &new_thread, Box::new(|_| Ok(()))).unwrap()
        });
        let events = BufReader::new(stream.try_clone().unwrap());
        Client { directory, stream, events, server: Some(server) }
    }

    fn send(&mut self, command: &str, params: Value) {
        let line = json!({"type": "command", "command": command, "params": params});
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn wait_for(&mut self, event: &str) -> Value {
        let mut line = String::new();
        while self.events.read_line(&mut line).unwrap() > 0 {
            let mut value: Value = serde_json::from_str(&line).unwrap();
            if value["event"] == event {
                return value["data"].take();
            }
            line.clear();
        }
        panic!("no {event}");
    }

    /// Runs the program until its command runs; gives the numbers of its processes and its directory.
    fn run(&mut self) -> (Vec<String>, String) {
        let directory = self.directory.to_str().unwrap().to_string();
        self.send("initialize", json!({"file": "a.ez", "workingDir": directory}));
        self.wait_for("initialized");
        self.send("start", json!({}));
        self.wait_for("stopped");
        self.send("continue", json!({}));
        let told = fs::read_to_string(self.directory.join("pipe")).unwrap();
        let (numbers, place) = told.trim().rsplit_once(' ').unwrap();
        (numbers.split(' ').map(str::to_string).collect(), place.into())
    }

    fn terminate(&mut self) {
        self.send("terminate", json!({}));
        self.wait_for("terminated");
        assert_eq!(self.server.take().unwrap().join().unwrap(), 0);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn sessions_are_apart(commands: impl Fn() -> Commands, kind: &str) {
    let before = std::env::current_dir().unwrap();
    let mut clients = ["a", "b"].map(|name| Client::start(&format!("{kind}-{name}"), commands()));
    let running: Vec<Vec<String>> = clients
        .iter_mut()
        .map(|client| {
            let (processes, place) = client.run();
            let directory = fs::canonicalize(&client.directory).unwrap();
            assert_eq!(Path::new(&place), directory.join("below"));
            assert!(directory.join("below/deep").exists());
            let note = fs::read_to_string(directory.join("note")).unwrap();
            assert_eq!(note, format!("from {}", directory.display()));
            processes
        })
        .collect();
    assert_eq!(std::env::current_dir().unwrap(), before);
    assert!(running.iter().flatten().all(|process| support::lives(process)), "{running:?}");
    let [first, second] = &mut clients;
    first.terminate();
    support::wait_for_end(&running[0]);
    assert!(running[1].iter().all(|process| support::lives(process)), "{running:?}");
    // The other session goes on: its command can be ended from outside.
    Command::new("kill").args(&running[1]).status().unwrap();
    assert_eq!(second.wait_for("output")["text"], "command over\n");
    second.wait_for("exited");
    second.terminate();
}

// invariant 17
#[test]
fn with_a_guard_each() {
    let program = GuardProgram::new(env!("CARGO_BIN_EXE_ez").into());
    sessions_are_apart(|| Commands::guarded(program.clone()), "guarded");
}

// invariant 17
#[test]
fn without_guards() {
    sessions_are_apart(Commands::unguarded, "unguarded");
}

//! Whatever a debugged program has started ends with the server, however the server ends.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use support::Server;
use tempfile::TempDir;

/// Commands of a program, each of which leaves processes behind in another way; all tell their numbers
/// through the pipe.
const COMMANDS: &[(&str, &str)] = &[
    ("foreground", "echo $$ > pipe; sleep 100000; true"),
    ("children", "sleep 100000 & sleep 100000 & echo $$ $(jobs -p) > pipe; wait"),
    ("background", "sleep 100000 & echo $! > pipe"),
    ("session", "setsid sh -c 'echo $$ > pipe; exec sleep 100000' & true"),
    ("orphan", "(setsid sh -c 'sleep 100000 & echo $! > pipe; exit') & true"),
    ("stubborn", "trap '' TERM INT HUP QUIT; echo $$ > pipe; while true; do sleep 1; done"),
];

struct Directory(TempDir);

impl Directory {
    fn new() -> Directory {
        let directory = tempfile::tempdir().unwrap();
        assert!(Command::new("mkfifo").arg(directory.path().join("pipe")).status().unwrap().success());
        Directory(directory)
    }

    /// A server whose program has run a command, or runs it, and the processes that the command has told.
    fn running(&self, call: &str, command: &str) -> (Server, Vec<String>) {
        let program = format!(
            "import @std, @os\nusing std\n\ndo main() {{\n    temp a, b = os.{call}(`{command}`)\n    \
             temp line = input()\n}}\n"
        );
        fs::write(self.0.path().join("a.ez"), program).unwrap();
        let mut server = Server::start(self.0.path(), &["a.ez"]);
        server.command("initialize", json!({}));
        server.wait_for("initialized");
        server.command("start", json!({}));
        server.wait_for("stopped");
        server.command("continue", json!({}));
        let told = fs::read_to_string(self.0.path().join("pipe")).unwrap();
        let processes: Vec<String> = told.split_whitespace().map(str::to_string).collect();
        assert!(!processes.is_empty() && processes.iter().all(|process| support::lives(process)), "{told}");
        (server, processes)
    }
}

fn nothing_survives(end: impl Fn(&mut Server)) {
    for (_, command) in COMMANDS {
        let place = Directory::new();
        let (mut server, processes) = place.running("exec", command);
        end(&mut server);
        server.wait();
        support::wait_for_end(&processes);
    }
}

fn signal(server: &mut Server, signal: &str) {
    let number = server.process().id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &number]).status().unwrap().success());
}

// invariant 16
#[test]
fn terminate() {
    nothing_survives(|server| {
        server.command("terminate", json!({}));
        server.wait_for("terminated");
    });
}

/// How long a server waits for the end of commands at most.
const PATIENCE: Duration = Duration::from_secs(1);

/// At an orderly end, everything is gone before the server is, unless that takes too long.
#[test]
fn terminate_waits_for_the_end_of_commands() {
    for (name, command) in COMMANDS {
        let place = Directory::new();
        let (mut server, processes) = place.running("exec", command);
        let since = Instant::now();
        server.command("terminate", json!({}));
        server.wait_for("terminated");
        server.wait();
        let is_gone = !processes.iter().any(|process| support::lives(process));
        assert!(is_gone || since.elapsed() >= PATIENCE, "{name}");
        support::wait_for_end(&processes);
    }
}

// invariant 16
#[test]
fn end_of_input_and_a_signal() {
    nothing_survives(|server| {
        server.close();
        signal(server, "TERM");
    });
}

#[test]
fn sigterm() {
    nothing_survives(|server| signal(server, "TERM"));
}

#[test]
fn sigint() {
    nothing_survives(|server| signal(server, "INT"));
}

#[test]
fn sighup() {
    nothing_survives(|server| signal(server, "HUP"));
}

#[test]
fn sigquit() {
    nothing_survives(|server| signal(server, "QUIT"));
}

// invariant 16
#[test]
fn sigkill() {
    nothing_survives(|server| signal(server, "KILL"));
}

#[test]
fn a_captured_command() {
    let place = Directory::new();
    let (mut server, processes) = place.running("exec_output", "sleep 100000 & echo $$ $! > pipe; wait");
    signal(&mut server, "KILL");
    server.wait();
    support::wait_for_end(&processes);
}

/// The children of a process that are guards.
fn guards_of(process: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let arguments = |child: &String| fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
    let children = lists.flat_map(|list| list.split_whitespace().map(str::to_string).collect::<Vec<_>>());
    children.filter(|child| arguments(child).trim_end_matches('\0').ends_with("__guard")).collect()
}

/// The guard itself heeds none of the signals that end the server.
#[test]
fn a_signal_for_server_and_guard() {
    for name in ["TERM", "INT", "HUP", "QUIT"] {
        let place = Directory::new();
        let (mut server, processes) =
            place.running("exec", "setsid sh -c 'echo $$ > pipe; sleep 100000' & true");
        let number = server.process().id();
        // The system may leave out children while others end.
        let mut guards = Vec::new();
        support::wait_until(|| {
            guards = guards_of(number);
            !guards.is_empty()
        });
        assert!(Command::new("kill").args(["-s", name]).args(&guards).status().unwrap().success());
        assert!(processes.iter().all(|process| support::lives(process)));
        signal(&mut server, name);
        server.wait();
        support::wait_for_end(&processes);
        support::wait_for_end(&guards);
    }
}

/// What a command does and gives is the same with and without a guard.
#[test]
fn commands_behave_as_in_a_plain_run() {
    let place = Directory::new();
    let program = r#"import @std, @os
using std

do show(command string) {
    temp status, e1 = os.exec(command)
    temp output, e2 = os.exec_output(command)
    println("${command}: ${status} ${e1} ${output} ${e2}")
}

do main() {
    temp set, e = os.set_env("COLOUR", "green")
    show(`true`)
    show(`exit 3`)
    show(`kill -9 $$`)
    show(`kill -TERM $$`)
    show(`kill -34 $$`)
    show(`echo out; echo err >&2; exit 1`)
    show(`echo $COLOUR; pwd`)
    show(`cat; echo end of input`)
    show(`trap 'echo caught; exit 4' TERM; kill -TERM $$`)
    show(`yes | head -1`)
    for i in range(0, 50) { show("echo ${i}") }
    temp long = ""
    for i in range(0, 10000) { long = long + "0123456789" }
    temp length, e5 = os.exec_output("printf %s " + long + " | wc -c")
    println(length)
    temp large, e6 = os.exec_output("echo " + long + long)
    println(e6)
    show("echo 'a\x00b'")
    temp moved, e3 = os.chdir("/")
    show("pwd")
    temp a, e4 = os.exec(`sleep 0.01 & exit 5`)
    println("${a} ${e4}")
}
"#;
    fs::write(place.0.path().join("a.ez"), program).unwrap();
    let plain = support::ez().arg("a.ez").current_dir(&place.0).output().unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let mut server = Server::start(place.0.path(), &["a.ez"]);
    server.command("initialize", json!({}));
    server.command("start", json!({}));
    server.command("continue", json!({}));
    let mut text = String::new();
    while let Some(event) = server.event() {
        match event["event"].as_str() {
            Some("output") => text += event["data"]["text"].as_str().unwrap(),
            Some("exited") => break,
            _ => {}
        }
    }
    let plain = String::from_utf8(plain.stdout).unwrap();
    let (lines, plain): (Vec<&str>, Vec<&str>) = (text.lines().collect(), plain.lines().collect());
    assert_eq!(lines.len(), plain.len());
    for (line, plain) in lines.iter().zip(&plain) {
        assert_eq!(line, plain);
    }
}

/// A parent may have ignored the signal for ended children, which is inherited.
#[test]
fn commands_end_for_a_server_whose_parent_ignores_children() {
    let directory = tempfile::tempdir().unwrap();
    let program = "import @std, @os\nusing std\ndo main() {\n    println(os.exec(\"exit 3\"))\n    println(os.exec_output(\"echo hi\"))\n}\n";
    fs::write(directory.path().join("a.ez"), program).unwrap();
    let ignoring = |arguments: &str| {
        let mut command = Command::new("sh");
        let text = format!("trap '' CHLD; exec \"$0\" {arguments}");
        command.args(["-c", &text]).arg(support::ez_path()).current_dir(directory.path());
        command
    };
    let plain = support::output_within(&mut ignoring("a.ez"), support::HANG);
    assert_eq!(
        String::from_utf8_lossy(&plain.stdout),
        "3, {message: \"command exited with code 3\", code: \"E7031\"}\n\"hi\", nil\n"
    );
    let mut server = Server::run(&mut ignoring("debugserver a.ez"));
    server.command("initialize", json!({"stopOnEntry": false}));
    server.command("start", json!({}));
    assert_eq!(
        server.wait_for("output")["text"],
        "3, {message: \"command exited with code 3\", code: \"E7031\"}\n"
    );
    assert_eq!(server.wait_for("output")["text"], "\"hi\", nil\n");
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

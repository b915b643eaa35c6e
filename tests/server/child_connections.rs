//! The connections between a session and its child processes: who is let in, and that nothing is held or left,
//! whoever goes first.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Server, ez};
use tempfile::TempDir;

use crate::children::{SOON, VARIABLE, attached, boss, directory};

/// Address and secrets of a session, as its commands see them.
struct Contact {
    address: String,
    key: String,
}

/// A server whose program has told its contact, and runs on.
fn told() -> (TempDir, Server, Contact) {
    let show = if cfg!(windows) { "set" } else { "env" };
    let directory = tempfile::tempdir().unwrap();
    let program = format!(
        "import @std, @os\nusing std\ndo main() {{\n    temp text, problem = os.exec_output(\"{show}\")\n    \
         println(text)\n    temp line = input()\n}}\n"
    );
    std::fs::write(directory.path().join("boss.ez"), program).unwrap();
    let mut server = boss(directory.path());
    let contact = loop {
        let text = server.wait_for("output")["text"].take();
        if let Some(value) = text.as_str().unwrap().trim_end().strip_prefix(&format!("{VARIABLE}=")) {
            let parts: Vec<&str> = value.split('/').collect();
            assert!(parts.len() == 3 && parts[0].starts_with("127.0.0.1:"), "{value}");
            break Contact { address: parts[0].into(), key: parts[1].into() };
        }
    };
    (directory, server, contact)
}

/// Announces a process that there may not be; gives the order.
fn announce(contact: &Contact, pid: u32) -> Option<(BufReader<TcpStream>, String)> {
    let mut stream = TcpStream::connect(&contact.address).unwrap();
    stream.set_read_timeout(Some(support::HANG)).unwrap();
    let _ = stream.write_all(format!("{}\n", contact.key).as_bytes());
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    if lines.read_line(&mut line).unwrap_or(0) == 0 {
        return None;
    }
    let process = json!({"pid": pid, "parent": 1, "file": "x.ez", "args": [], "directory": "/",
        "entrance": {"port": 1, "token": "t"}, "held": false});
    let _ = stream.write_all(format!("{}\n", json!({"version": 2, "process": process})).as_bytes());
    line.clear();
    (lines.read_line(&mut line).unwrap_or(0) > 0).then_some((lines, line))
}

// invariant 28
#[test]
fn the_socket_takes_the_key_only_and_a_process_once() {
    let (_directory, mut server, contact) = told();
    let wrong = Contact { address: contact.address.clone(), key: contact.key.replace(char::is_numeric, "x") };
    assert!(announce(&wrong, 1).is_none());
    let short = Contact { address: contact.address.clone(), key: String::new() };
    assert!(announce(&short, 1).is_none());
    let (line, order) = announce(&contact, 4711).unwrap();
    assert!(order.contains("Follow"), "{order}");
    assert_eq!(server.wait_for("childStarted")["pid"], 4711);
    assert!(announce(&contact, 4711).is_none(), "a process announces itself once");
    assert!(announce(&contact, 4712).is_some());
    assert_eq!(server.wait_for("childStarted")["pid"], 4712);
    drop(line);
    // Nothing but what was announced was told.
    let ended = server.wait_for("childEnded");
    assert_eq!(ended.get("exitCode"), None);
    server.command("terminate", json!({}));
    server.wait_for("terminated");
    assert!(TcpStream::connect(&contact.address).is_err() || server.wait().success());
    assert!(TcpStream::connect(&contact.address).is_err(), "the socket is closed");
}

/// Runs `worker.ez` as the child of whoever listens; gives its output and how long it took.
fn run_child(directory: &Path, contact: &str) -> (String, Duration) {
    let since = Instant::now();
    let output =
        ez().args(["worker.ez", "1"]).current_dir(directory).env(VARIABLE, contact).output().unwrap();
    assert!(output.status.success());
    (String::from_utf8(output.stdout).unwrap(), since.elapsed())
}

// invariant 28
#[test]
fn a_program_whose_parent_does_not_answer_runs_as_if_nothing_had_been() {
    let directory = directory("true");
    let secret = "0".repeat(64);
    for wrong in ["", "x", "127.0.0.1:1", "127.0.0.1:1/a/b", &format!("127.0.0.1:1/{secret}/{secret}")] {
        assert_eq!(run_child(directory.path(), wrong).0, "worker 1 3\n");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let contact = format!("{}/{secret}/{secret}", listener.local_addr().unwrap());
    // Nobody accepts the connection.
    let (text, time) = run_child(directory.path(), &contact);
    assert_eq!(text, "worker 1 3\n");
    assert!(time >= SOON && time < support::HANG, "{time:?}");
    drop(listener);
}

/// A process that has got the address of a session that has ended learns nothing but its key.
// invariant 28
#[test]
fn a_wrong_answer_is_told_no_token() {
    let directory = directory("true");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (key, answer) = ("1".repeat(64), "2".repeat(64));
    let contact = format!("{}/{key}/{answer}", listener.local_addr().unwrap());
    let impostor = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(format!("{}\n\"Run\"\n", "3".repeat(64)).as_bytes()).unwrap();
        let mut all = String::new();
        let _ = stream.read_to_string(&mut all);
        all
    });
    assert_eq!(run_child(directory.path(), &contact).0, "worker 1 3\n");
    assert_eq!(impostor.join().unwrap(), format!("{key}\n"));
}

/// Starts `worker.ez` as a child that this test holds; gives the process and the connection.
fn held(directory: &Path) -> (std::process::Child, TcpStream, Value) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (key, answer) = ("1".repeat(64), "2".repeat(64));
    let contact = format!("{}/{key}/{answer}", listener.local_addr().unwrap());
    let mut command = ez();
    command.args(["worker.ez", "1"]).current_dir(directory).env(VARIABLE, contact).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, format!("{key}\n"));
    stream.write_all(format!("{answer}\n").as_bytes()).unwrap();
    line.clear();
    lines.read_line(&mut line).unwrap();
    let mut announced: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(announced["process"]["pid"], child.id());
    let settings = json!({"stop_on_entry": true, "history": false});
    let order = json!({"Follow": {"held": true, "breakpoints": [], "settings": settings}});
    stream.write_all(format!("{order}\n").as_bytes()).unwrap();
    let entrance = &mut announced["process"]["entrance"];
    entrance["host"] = "127.0.0.1".into();
    (child, stream, entrance.take())
}

/// Whatever becomes of the parent, on any system.
// invariant 28
#[test]
fn a_child_that_outlives_its_parent_is_not_held() {
    let directory = directory("true");
    let (child, stream, _) = held(directory.path());
    drop(stream);
    let since = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "worker 1 3\n");
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    // One that is stopped runs on when its client has gone.
    let (child, stream, entrance) = held(directory.path());
    let (mut client, _) = attached(&entrance);
    client.command("start", json!({}));
    client.wait_for("stopped");
    drop(stream);
    client.vanish();
    let since = Instant::now();
    assert_eq!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(), "worker 1 3\n");
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
}

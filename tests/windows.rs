//! What has to be seen to on Windows: processes that end together, names of files, line ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.
#![cfg(windows)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::json;
use support::{Server, ez};

/// Shorter than the time after which a request to a web server fails by itself.
const PATIENCE: Duration = Duration::from_secs(20);

struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Place {
        let directory = std::env::temp_dir().join(format!("ez-windows-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        Place(directory)
    }

    /// A server whose program runs a command, and the connection that a process of that command holds.
    fn running(&self) -> (Child, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let asks = format!("import @http\ndo main() {{\n    temp reply, e = http.get(\"{url}\")\n}}\n");
        fs::write(self.0.join("asks.ez"), asks).unwrap();
        // The outer shell is not the one that asks.
        let command = format!("cmd /c \"{}\" run asks.ez", env!("CARGO_BIN_EXE_ez"));
        let runs = format!("import @os\ndo main() {{\n    temp status, e = os.exec(`{command}`)\n}}\n");
        fs::write(self.0.join("runs.ez"), runs).unwrap();
        let mut server = ez();
        server.args(["debugserver", "runs.ez"]).current_dir(&self.0);
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        for command in ["initialize", "start", "continue"] {
            say(&mut server, command);
        }
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        (server, stream)
    }
}

fn say(server: &mut Child, command: &str) {
    let line = format!("{}\n", json!({"type": "command", "command": command}));
    server.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether the process at the other end ends, rather than being waited for too long.
fn ends(mut stream: TcpStream) -> bool {
    let mut request = Vec::new();
    match stream.read_to_end(&mut request) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn commands_end_with_a_server_that_is_killed() {
    let place = Place::new("killed");
    let (mut server, stream) = place.running();
    server.kill().unwrap();
    support::wait(&mut server);
    assert!(ends(stream));
}

#[test]
fn commands_and_server_end_with_the_client() {
    let place = Place::new("closed");
    let (mut server, stream) = place.running();
    drop((server.stdin.take(), server.stdout.take()));
    assert!(ends(stream));
    support::wait(&mut server);
}

#[test]
fn commands_end_with_the_program() {
    let place = Place::new("terminated");
    let (mut server, stream) = place.running();
    say(&mut server, "terminate");
    assert!(ends(stream));
    assert!(support::wait(&mut server).success());
}

#[test]
fn long_paths_names_in_any_script_and_line_ends() {
    let place = Place::new("names");
    let mut deep = place.0.clone();
    while deep.as_os_str().len() < 400 {
        deep.push("größer-学校-".repeat(4));
    }
    fs::create_dir_all(&deep).unwrap();
    let file = deep.join("über.ez");
    let text = "import @std, @io, @os\nusing std\n\ndo main() {\n    temp path = os.args()[2] + \"/ä.txt\"\n    \
                println(io.write_file(path, \"ö\\n\"))\n    println(io.read_file(path))\n}\n";
    fs::write(&file, text.replace('\n', "\r\n")).unwrap();
    let output = ez().arg("run").arg(&file).arg(&deep).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "true, nil\n\"ö\\n\", nil\n", "{errors}");
    assert_eq!(fs::read_to_string(deep.join("ä.txt")).unwrap(), "ö\n");
    let report = text.replace("os.args()[2]", "missing").replace('\n', "\r\n");
    fs::write(&file, report).unwrap();
    let output = ez().arg("check").arg(&file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("über.ez:5:"), "{errors}");
}

#[test]
fn a_file_is_one_however_it_is_written() {
    let place = Place::new("one");
    fs::write(place.0.join("Main.ez"), "do main() {\n    temp a = 1\n    a = 2\n    a = 3\n}\n").unwrap();
    let main = place.0.join("Main.ez").to_string_lossy().into_owned();
    let mut server = Server::start(&place.0, &[&main]);
    server.command("initialize", json!({}));
    server.wait_for("initialized");
    server.command("setBreakpoint", json!({"file": main.replace('\\', "/"), "line": 3}));
    server.command("setBreakpoint", json!({"file": main.to_lowercase(), "line": 4}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 3);
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 4);
    server.command("terminate", json!({}));
    assert!(server.wait().success());
}

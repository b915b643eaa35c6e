//! Clients that read slowly, or not at all, while a program prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::socket::Listening;
use support::{ez, wait};
use tempfile::TempDir;

/// More than the server keeps for a client, in messages; the pipe has room for about 800 of them.
const FEW: usize = 3000;

/// A server of which nothing has been read, and a program that prints numbered lines in it.
struct Unread {
    place: TempDir,
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Unread {
    /// Starts `ez` with these arguments, and the program of `place`.
    fn start(arguments: &[&str], body: &str) -> Unread {
        let place = place(body);
        let mut command = ez();
        command.args(arguments).current_dir(place.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Unread { place, child, stdin, stdout }
    }

    fn send(&mut self, message: &Value) {
        self.stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn send_framed(&mut self, message: &Value) {
        let text = message.to_string();
        self.stdin.write_all(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).unwrap();
    }

    fn printed(&self) -> usize {
        printed(self.place.path())
    }

    /// The number of lines before the first that has `text`.
    fn lines_before(&mut self, text: &str) -> usize {
        let mut line = String::new();
        for count in 0.. {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no {text}");
            if line.contains(text) {
                return count;
            }
        }
        unreachable!()
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with a program that notes every 50 lines how many it has printed. `body` is in its loop.
fn place(body: &str) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let program = format!(
        "import @std, @io\nusing std\n\ndo main() {{\n    temp n int = 0\n    loop {{\n        n += 1\n        {body}\n        if n % 50 == 0 {{\n            temp done, e = io.write_file(\"count\", \"${{n}}.\")\n        }}\n    }}\n}}\n"
    );
    std::fs::write(place.path().join("p.ez"), program).unwrap();
    place
}

/// Waits until the program in a folder prints no more, and returns how many lines it has printed at least.
fn printed(place: &Path) -> usize {
    let start = Instant::now();
    let (mut last, mut since) = (None, Instant::now());
    loop {
        let now = count(place);
        if now != last || now.is_none() {
            (last, since) = (now, Instant::now());
        }
        // However long this is, it cannot make the test fail: the program may only print more later.
        if let (Some(count), true) = (last, since.elapsed() > Duration::from_millis(300)) {
            return count;
        }
        assert!(last < Some(100_000), "the program does not wait for its client");
        assert!(start.elapsed() < Duration::from_secs(60), "the program does not run");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What the program has noted; `None` if it has not yet, or is just writing.
fn count(place: &Path) -> Option<usize> {
    std::fs::read_to_string(place.join("count")).ok()?.strip_suffix('.')?.parse().ok()
}

fn command(name: &str, params: Value) -> Value {
    json!({"type": "command", "command": name, "params": params, "id": name})
}

fn debugserver(body: &str) -> Unread {
    let mut server = Unread::start(&["debugserver"], body);
    let initialize = json!({"file": "p.ez", "protocolVersion": 2, "stopOnEntry": false});
    server.send(&command("initialize", initialize));
    server
}

// invariant 15
#[test]
fn answers_are_not_far_behind() {
    let mut server = debugserver("println(n)");
    server.send(&command("start", json!({})));
    assert!(server.printed() < FEW);
    server.send(&command("getState", json!({})));
    assert!(server.lines_before(r#""id":"getState""#) < FEW);
    server.send(&command("pause", json!({})));
    assert!(server.lines_before(r#""reason":"pause""#) < FEW);
}

#[test]
fn answers_are_not_far_behind_in_json_rpc() {
    let mut server = Unread::start(&["debugserver", "--protocol", "jsonrpc"], "println(n)");
    let call =
        |name: &str, params: Value| json!({"jsonrpc": "2.0", "id": name, "method": name, "params": params});
    let initialize = json!({"file": "p.ez", "protocolVersion": 2, "stopOnEntry": false});
    server.send(&call("initialize", initialize));
    server.send(&call("start", json!({})));
    assert!(server.printed() < FEW);
    server.send(&call("getState", json!({})));
    assert!(server.lines_before(r#""id":"getState""#) < FEW);
}

#[test]
fn answers_are_not_far_behind_in_an_editor() {
    let mut server = Unread::start(&["dap"], "println(n)");
    let request = |seq: u32, name: &str, arguments: Value| json!({"seq": seq, "type": "request", "command": name, "arguments": arguments});
    let program = server.place.path().join("p.ez");
    let cwd = server.place.path().to_path_buf();
    server.send_framed(&request(1, "initialize", json!({"adapterID": "ez"})));
    server.send_framed(&request(2, "launch", json!({"program": program, "cwd": cwd, "stopOnEntry": false})));
    server.send_framed(&request(3, "configurationDone", json!({})));
    assert!(server.printed() < FEW);
    server.send_framed(&request(4, "pause", json!({"threadId": 1})));
    // Each message has two lines before its own.
    assert!(server.lines_before(r#""request_seq":4"#) < 3 * FEW);
}

/// On a socket there are the buffers of both sides, too.
#[test]
fn answers_are_not_far_behind_on_a_socket() {
    let place = place("println(n)");
    let server = Listening::debugserver(place.path(), &[]);
    let mut stream = server.stream();
    let mut send = |name: &str, mut params: Value| {
        params["token"] = server.token.clone().into();
        stream.write_all(format!("{}\n", command(name, params)).as_bytes()).unwrap();
    };
    send("initialize", json!({"file": "p.ez", "protocolVersion": 2, "stopOnEntry": false}));
    send("start", json!({}));
    let few = printed(place.path());
    assert!(few < 4 * FEW, "{few}");
}

/// Log points write as much as a program can print.
#[test]
fn log_points_wait_too() {
    let mut server = debugserver("n += 0");
    server.send(&command("setBreakpoint", json!({"file": "p.ez", "line": 8, "logMessage": "{n}"})));
    server.send(&command("start", json!({})));
    assert!(server.printed() < FEW);
    server.send(&command("getState", json!({})));
    assert!(server.lines_before(r#""id":"getState""#) < FEW);
}

/// Both at once: the writer's thread has output, the program's adds log messages.
// invariant 15
#[test]
fn log_points_of_a_program_that_prints_wait_too() {
    let mut server = debugserver("if n < 2000 { println(n) }");
    server.send(&command("setBreakpoint", json!({"file": "p.ez", "line": 7, "logMessage": "{n}"})));
    server.send(&command("start", json!({})));
    assert!(server.printed() < FEW);
}

#[test]
fn nothing_is_lost_and_everything_precedes_the_stop() {
    let mut server = debugserver("println(n)");
    server.send(&command("start", json!({})));
    server.printed();
    server.send(&command("pause", json!({})));
    let mut line = String::new();
    let mut last = 0;
    loop {
        line.clear();
        assert!(server.stdout.read_line(&mut line).unwrap() > 0);
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["event"] == "output" {
            last += 1;
            assert_eq!(event["data"]["text"], format!("{last}\n"));
        } else if event["event"] == "stopped" {
            break;
        }
    }
    server.send(&command("evaluate", json!({"expression": "n"})));
    server.lines_before("evaluateResult\",\"data\":{\"expression\":\"n\"");
    assert!(count(server.place.path()).unwrap() <= last);
}

#[test]
fn a_client_that_reads_nothing_ends_its_program() {
    let mut server = debugserver("println(n)");
    server.send(&command("start", json!({})));
    server.printed();
    server.send(&command("terminate", json!({})));
    assert_eq!(wait(&mut server.child).code(), Some(0));
    let mut rest = Vec::new();
    server.stdout.read_to_end(&mut rest).unwrap();
    assert!(rest.len() < 1 << 20);
}

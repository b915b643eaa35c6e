//! Programs that wait, or compute for long, in a library call: `pause` shows the call, `terminate` ends it, and what it had
//! started is gone.

use std::net::TcpListener;
#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use support::Server;
use tempfile::TempDir;

/// Far more than an end takes on a busy machine, far less than what the programs wait for.
const SOON: Duration = Duration::from_secs(10);

/// A directory of a test, with a pipe that nobody writes to.
struct Directory(TempDir);

impl Directory {
    fn new() -> Directory {
        let directory = tempfile::tempdir().unwrap();
        #[cfg(unix)] // Where such pipes are files.
        assert!(Command::new("mkfifo").arg(directory.path().join("pipe")).status().unwrap().success());
        Directory(directory)
    }

    /// A server whose program has said that it waits from now on in the last line of `body`.
    fn waiting(&self, body: &str) -> (Server, usize) {
        let mut lines =
            vec!["import @std, @io, @os, @http, @server, @time, @math", "using std", "", "do main() {"];
        let (before, call) = body.rsplit_once('\n').unwrap_or(("", body));
        lines.extend(before.lines());
        lines.push("    println(\"waits\")");
        lines.push(call);
        let line = lines.len();
        lines.extend(["    println(\"has waited\")", "}", ""]);
        std::fs::write(self.0.path().join("a.ez"), lines.join("\n")).unwrap();
        let mut server = Server::start(self.0.path(), &["a.ez"]);
        server.command("initialize", json!({}));
        server.wait_for("initialized");
        server.command("start", json!({}));
        server.wait_for("stopped");
        server.command("continue", json!({}));
        assert_eq!(server.wait_for("output")["text"], "waits\n");
        (server, line)
    }
}

/// The program is paused in the call, goes on waiting, and is ended there.
fn pause_and_terminate(body: &str) {
    let place = Directory::new();
    let (mut server, line) = place.waiting(body);
    for _ in 0..2 {
        let start = Instant::now();
        server.command("pause", json!({}));
        let stopped = server.wait_for("stopped");
        assert_eq!(
            (&stopped["reason"], &stopped["location"]["line"]),
            (&json!("pause"), &json!(line)),
            "{body}"
        );
        assert!(start.elapsed() < SOON, "{body}: {:?}", start.elapsed());
        server.command("getVariables", json!({}));
        server.wait_for("variables");
        server.command("continue", json!({}));
    }
    let start = Instant::now();
    server.command("terminate", json!({}));
    server.wait_for("terminated");
    assert_eq!(server.wait().code(), Some(0));
    assert!(start.elapsed() < SOON, "{body}: {:?}", start.elapsed());
}

// invariant 14
#[test]
fn sleep() {
    pause_and_terminate("    time.sleep(100000)");
}

// invariant 14
#[test]
fn a_long_computation() {
    pause_and_terminate("    temp huge = math.pow(3, 1000000000)");
}

/// Conditions and log messages that take too long stop the program, and say so.
#[test]
fn conditions_and_log_messages_that_do_not_end() {
    let place = Directory::new();
    let program = "import @std, @time\nusing std\ndo ever() -> bool {\n    temp n int = 0\n    loop { n = 1 - n }\n    return true\n}\ndo main() {\n    temp n int = 0\n    n = 1\n    println(n)\n}\n";
    std::fs::write(place.0.path().join("p.ez"), program).unwrap();
    let mut server = Server::start(place.0.path(), &["p.ez"]);
    server.command("initialize", json!({"protocolVersion": 2, "stopOnEntry": false}));
    server.command("setBreakpoint", json!({"file": "p.ez", "line": 10, "condition": "ever()"}));
    server
        .command("setBreakpoint", json!({"file": "p.ez", "line": 11, "logMessage": "{time.sleep(100000)}"}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["text"], "condition took longer than 5 s");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("output")["text"], "<interrupted>\n");
    assert_eq!(server.wait_for("stopped")["text"], "log message took longer than 5 s");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

/// What is computed for an evaluation is not waited for when that is given up.
// invariant 14
#[test]
fn an_evaluation_that_computes_for_long() {
    let place = Directory::new();
    let (mut server, _) = place.waiting("    time.sleep(100000)");
    server.command("pause", json!({}));
    server.wait_for("stopped");
    let start = Instant::now();
    server.command("evaluate", json!({"expression": "math.pow(3, 1000000000)"}));
    server.command("pause", json!({}));
    assert_eq!(server.wait_for("error")["message"], "evaluation was interrupted");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    server.command("terminate", json!({}));
    server.wait_for("terminated");
}

// invariant 14
#[test]
fn input() {
    pause_and_terminate("    temp line = input()");
}

#[test]
#[cfg(unix)]
fn a_pipe_that_nobody_opens() {
    pause_and_terminate("    temp h, e = io.open(\"pipe\")");
    pause_and_terminate("    temp h, e = io.open(\"pipe\", io.WRITE_ONLY)");
}

#[test]
#[cfg(unix)]
fn a_pipe_that_nobody_writes_to() {
    let body = "    temp h, e = io.open(\"pipe\", io.READ_WRITE)\n    temp text, e2 = io.read_string(h, 10)";
    pause_and_terminate(body);
    pause_and_terminate(&body.replace("read_string(h, 10)", "read_all(h)"));
}

#[test]
#[cfg(unix)]
fn a_pipe_that_nobody_reads() {
    let body = "    temp h, e = io.open(\"pipe\", io.READ_WRITE)\n    temp all = \"x\"\n    \
                for i in range(0, 20) { all = all + all }\n    temp n, e2 = io.write(h, all)";
    pause_and_terminate(body);
}

#[test]
#[cfg(unix)]
fn whole_files_that_are_pipes() {
    for call in [
        "io.read_file(\"pipe\")",
        "io.write_file(\"pipe\", \"x\")",
        "io.append_file(\"pipe\", \"x\")",
        "io.copy(\"pipe\", \"there\")",
    ] {
        pause_and_terminate(&format!("    temp a, b = {call}"));
    }
}

#[test]
fn a_web_server_that_never_answers() {
    // Connections are taken by the system; nobody ever says a word.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    pause_and_terminate(&format!("    temp r, e = http.get(\"http://127.0.0.1:{port}/\")"));
}

#[test]
fn a_server_that_nobody_asks() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    pause_and_terminate(&format!("    temp e = server.listen({port}, server.router())"));
}

#[test]
#[cfg(target_os = "linux")]
fn commands_and_their_children() {
    for call in ["exec", "exec_output"] {
        let command =
            "sleep 100000 & echo $! > child; sleep 100000 & echo $! > other; echo ready > pipe; wait";
        pause_and_terminate(&format!("    temp a, b = os.{call}(`sleep 100000`)"));
        let place = Directory::new();
        let (mut server, _) = place.waiting(&format!("    temp a, b = os.{call}(`{command}`)"));
        assert_eq!(std::fs::read_to_string(place.0.path().join("pipe")).unwrap(), "ready\n");
        let pids = ["child", "other"].map(|name| std::fs::read_to_string(place.0.path().join(name)).unwrap());
        assert!(pids.iter().all(|pid| support::lives(pid)));
        server.command("terminate", json!({}));
        server.wait_for("terminated");
        assert_eq!(server.wait().code(), Some(0));
        support::wait_for_end(&pids);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_has_hardly_begun() {
    for _ in 0..10 {
        let place = Directory::new();
        let (mut server, _) = place.waiting("    temp a, b = os.exec(`echo $$ > pid; exec sleep 100000`)");
        server.command("terminate", json!({}));
        server.wait_for("terminated");
        assert_eq!(server.wait().code(), Some(0));
        // It may have been ended before it wrote its number.
        let pid = std::fs::read_to_string(place.0.path().join("pid")).unwrap_or_default();
        if !pid.trim().is_empty() {
            support::wait_for_end(&[pid]);
        }
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_gives_what_is_written_to_it() {
    let place = Directory::new();
    let (mut server, _) = place.waiting("    println(io.read_file(\"pipe\"))");
    server.command("pause", json!({}));
    server.wait_for("stopped");
    server.command("continue", json!({}));
    std::fs::write(place.0.path().join("pipe"), "from outside").unwrap();
    assert_eq!(server.wait_for("output")["text"], "\"from outside\", nil\n");
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

#[test]
fn input_is_requested_again_when_a_stop_in_the_wait_is_over() {
    let place = Directory::new();
    let (mut server, _) = place.waiting("    println(input())");
    for _ in 0..2 {
        server.wait_for("inputRequested");
        server.command("pause", json!({}));
        assert_eq!(server.wait_for("stopped")["reason"], "pause");
        server.command("continue", json!({}));
    }
    server.wait_for("inputRequested");
    // An answer to something else does not announce it again.
    server.command("setBreakpoint", json!({"file": "a.ez", "line": 1}));
    server.wait_for("breakpointSet");
    server.command("input", json!({"text": "b"}));
    let mut told = Vec::new();
    while let Some(event) = server.event() {
        told.push(event["event"].as_str().unwrap().to_string());
        if event["event"] == "exited" {
            break;
        }
    }
    assert!(!told.contains(&"inputRequested".to_string()), "{told:?}");
}

#[test]
fn the_stop_at_the_entry_comes_after_those_in_initialisers() {
    let place = Directory::new();
    let text = "temp a int = 1\ntemp b int = a + 1\n\ndo main() {\n    a = b\n}\n";
    std::fs::write(place.0.path().join("b.ez"), text).unwrap();
    let mut server = Server::start(place.0.path(), &["b.ez"]);
    server.ask("initialize", json!({"protocolVersion": 2, "stopOnEntry": true}));
    for line in [1, 2] {
        server.ask("setBreakpoint", json!({"file": "b.ez", "line": line}));
    }
    let stop = |(_, data): (String, serde_json::Value)| {
        (data["reason"].as_str().unwrap().to_string(), data["location"]["line"].as_u64().unwrap())
    };
    assert_eq!(stop(server.ask("start", json!({}))), ("breakpoint".into(), 1));
    assert_eq!(stop(server.ask("continue", json!({}))), ("breakpoint".into(), 2));
    assert_eq!(stop(server.ask("continue", json!({}))), ("entry".into(), 5));
    assert_eq!(server.ask("continue", json!({})).0, "exited");
}

/// A file that is imported through a link, too, is two modules: a breakpoint stops in both.
#[cfg(unix)]
#[test]
fn a_breakpoint_stops_in_all_modules_that_were_made_of_its_file() {
    let place = Directory::new();
    let directory = place.0.path();
    std::fs::create_dir(directory.join("real")).unwrap();
    std::os::unix::fs::symlink("real", directory.join("alias")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("real/cnt.ez", "module cnt\n\ntemp n int = 0\n\ndo up() -> int {\n    n += 1\n    return n\n}\n");
    write("other.ez", "module other\n\nimport \"./alias/cnt\"\n\ndo go() -> int {\n    return cnt.up()\n}\n");
    write(
        "m.ez",
        "import @std, \"./real/cnt\", \"./other\"\nusing std\n\ndo main() {\n    println(cnt.up())\n    println(other.go())\n    println(cnt.up())\n}\n",
    );
    for (command, params) in [
        ("setBreakpoint", json!({"file": "real/cnt.ez", "line": 6})),
        ("setBreakpoint", json!({"file": "alias/cnt.ez", "line": 6})),
        ("setFunctionBreakpoints", json!({"breakpoints": [{"name": "cnt.up"}]})),
    ] {
        let mut server = Server::start(directory, &["m.ez"]);
        server.ask("initialize", json!({"protocolVersion": 2, "stopOnEntry": false}));
        server.ask(command, params);
        let (mut files, mut next) = (Vec::new(), server.ask("start", json!({})));
        while next.0 == "stopped" {
            let file = next.1["location"]["file"].as_str().unwrap().to_string();
            files.push(file.strip_prefix(directory.to_str().unwrap()).unwrap().to_string());
            next = server.ask("continue", json!({}));
        }
        assert_eq!(files, ["/real/cnt.ez", "/alias/cnt.ez", "/real/cnt.ez"]);
    }
}

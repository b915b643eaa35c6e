//! EZ programs that a debugged program starts: they announce themselves, are held, attached to and released, and
//! end.

use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use support::socket::{Client, Listening};
use support::{Server, WORKER};
use tempfile::TempDir;

/// The environment variable by which child processes find the session.
pub const VARIABLE: &str = "EZ_DEBUG_PARENT";

/// How long nothing may be held or left after somebody has gone.
pub const SOON: Duration = Duration::from_secs(2);

/// A directory with `worker.ez` and `boss.ez`, which runs a command and prints what that has printed. `EZ` in the
/// command is the path of `ez`.
pub fn directory(command: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("worker.ez"), WORKER).unwrap();
    let command = command.replace("EZ ", &format!("{} ", support::ez_path().display()));
    let boss = format!(
        "import @std, @os\nusing std\ndo main() {{\n    println(\"begin\")\n    temp text, problem = \
         os.exec_output(`{command}`)\n    println(\"got ${{text}}\")\n}}\n"
    );
    std::fs::write(directory.path().join("boss.ez"), boss).unwrap();
    directory
}

/// A server that runs `boss.ez`, which is followed.
pub fn boss(directory: &Path) -> Server {
    let mut server = Server::start(directory, &["boss.ez"]);
    begin(&mut server, json!({"protocolVersion": 2, "children": true, "stopOnEntry": false}));
    server
}

fn begin(server: &mut Server, launch: Value) {
    server.command("initialize", launch);
    server.wait_for("initialized");
    server.command("start", json!({}));
}

/// A client of a child process, which has attached.
pub fn attached(child: &Value) -> (Client, Value) {
    let host = child["host"].as_str().unwrap();
    let stream = TcpStream::connect((host, child["port"].as_u64().unwrap() as u16)).unwrap();
    let mut client = Client::new(stream, child["token"].as_str().unwrap());
    client.first("attach", json!({"protocolVersion": 2}));
    let state = client.wait_for("attached");
    (client, state)
}

/// The output of a server's program until it ends, and the other events before that, by name.
fn rest(server: &mut Server) -> (String, Vec<Value>) {
    let (mut text, mut events) = (String::new(), Vec::new());
    while let Some(event) = server.event() {
        match event["event"].as_str().unwrap() {
            "output" => text += event["data"]["text"].as_str().unwrap(),
            "exited" => return (text, events),
            _ => events.push(event),
        }
    }
    panic!("no end after {text}");
}

/// What the clients of a server and of a child have said and heard, without what differs from run to run.
fn transcript(server: &Listening, directory: &Path, child: &Value, told: &[(&str, String)]) -> String {
    let told: String = told.iter().map(|(who, told)| format!("# {who}\n{told}")).collect();
    let told = support::without_version(&support::without_directory(&told, directory));
    let boring = [
        (format!("\"pid\":{}", child["pid"]), "\"pid\":4711".to_string()),
        (format!("\"parent\":{}", child["parent"]), "\"parent\":4710".to_string()),
        (format!("\"port\":{}", child["port"]), "\"port\":41234".to_string()),
        (child["token"].as_str().unwrap().to_string(), "TOKEN".to_string()),
        (server.token.clone(), "TOKEN".to_string()),
        (directory.display().to_string().replace('\\', "/"), "/home/ann".to_string()),
    ];
    boring.iter().fold(told, |told, (from, to)| told.replace(from, to))
}

/// The scenario: launch, attach to the child, stop in it at a breakpoint that was set in the parent, and both
/// end.
#[test]
fn a_child_is_attached_to_and_both_end() {
    let directory = directory("EZ worker.ez 7");
    let server = Listening::debugserver(directory.path(), &["boss.ez"]);
    let mut parent = server.client();
    parent.first("initialize", json!({"protocolVersion": 2, "children": true, "stopOnEntry": false}));
    parent.wait_for("initialized");
    parent.command("setBreakpoint", json!({"file": "worker.ez", "line": 6}));
    parent.wait_for("breakpointSet");
    // Not one of the child's files.
    parent.command("setBreakpoint", json!({"file": "boss.ez", "line": 4}));
    parent.wait_for("breakpointSet");
    parent.command("start", json!({}));
    parent.wait_for("stopped");
    parent.command("continue", json!({}));
    let child = parent.wait_for("childStarted");
    parent.command("getProcesses", json!({}));
    assert_eq!(parent.wait_for("processes")["processes"], json!([child]));
    let (mut client, state) = attached(&child);
    assert_eq!((&state["status"], state["breakpoints"].as_array().unwrap().len()), (&json!("ready"), 1));
    client.command("start", json!({}));
    assert_eq!(client.wait_for("stopped")["location"]["line"], 6);
    client.command("clearBreakpoint", json!({"file": "worker.ez", "line": 6}));
    client.wait_for("breakpointCleared");
    client.command("continue", json!({}));
    assert_eq!(client.wait_for("exited")["exitCode"], 0);
    // Its end is told before the parent's program goes on.
    assert_eq!(parent.wait_for("childEnded"), json!({"pid": child["pid"], "exitCode": 0}));
    assert_eq!(parent.wait_for("output")["text"], "got worker 7 3\n");
    parent.wait_for("exited");
    parent.command("getProcesses", json!({}));
    assert_eq!(parent.wait_for("processes")["processes"], json!([]));
    let told = [("the parent's client", parent.transcript()), ("the child's client", client.transcript())];
    insta::assert_snapshot!(transcript(&server, directory.path(), &child, &told));
}

/// What a client can ask and change at every stop of a child, and the answers.
fn questions() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("getVariables", json!({}), "variables"),
        ("getStackTrace", json!({}), "stackTrace"),
        ("getStepTargets", json!({}), "stepTargets"),
        ("evaluate", json!({"expression": "1 + 1", "context": "watch"}), "evaluateResult"),
        ("evaluate", json!({"expression": "log += 0"}), "evaluateResult"),
        ("setVariable", json!({"name": "log", "value": "log + 0"}), "variableSet"),
        ("completions", json!({"text": "lo", "column": 3}), "completions"),
        ("setDataBreakpoints", json!({"breakpoints": [{"name": "log"}]}), "dataBreakpoints"),
        ("setDataBreakpoints", json!({"breakpoints": []}), "dataBreakpoints"),
        ("setBreakpoint", json!({"file": "worker.ez", "line": 5, "condition": "n == 77"}), "breakpointSet"),
        ("clearBreakpoint", json!({"file": "worker.ez", "line": 5}), "breakpointCleared"),
        ("getState", json!({}), "state"),
    ]
}

/// Each stop of a child answers what a stop elsewhere does: in initialisers, default values, after returns, at back
/// edges, in ensured calls; and the child does the same whether it is asked or not.
#[test]
fn every_stop_of_a_child_answers_everything() {
    const PROGRAM: &str = "import @std\nusing std\ntemp log int = 0\ntemp start int = 3\ndo first(n int) -> int {\n    log += 1\n    \
        return n * 2\n}\ndo twice(n int, m int = first(4) + first(5)) -> int {\n    ensure bye(n)\n    \
        return n + m\n}\ndo bye(n int) {\n    log += n\n}\ndo main() {\n    temp a int = twice(1)\n    \
        for i in range(0, 2) {\n        a += first(i)\n    }\n    println(\"a ${a} log ${log + start}\")\n}\n";
    let run = |asks: bool| {
        let directory = directory("EZ worker.ez");
        std::fs::write(directory.path().join("worker.ez"), PROGRAM).unwrap();
        let mut parent = boss(directory.path());
        let child = parent.wait_for("childStarted");
        let (mut client, _) = attached(&child);
        client.command("setBreakpoint", json!({"file": "worker.ez", "line": 4}));
        client.wait_for("breakpointSet");
        client.command("start", json!({}));
        let mut stops = Vec::new();
        loop {
            let event = client.event().unwrap();
            match event["event"].as_str().unwrap() {
                "stopped" => {
                    let data = &event["data"];
                    stops.push((data["step"].clone(), data["location"]["line"].clone()));
                    for (command, params, answer) in questions().into_iter().filter(|_| asks) {
                        client.command(command, params.clone());
                        // The `id` of a command is its name.
                        let told = std::iter::from_fn(|| client.event()).find(|event| event["id"] == command);
                        let told = told.expect("an answer");
                        assert_eq!(told["event"], answer, "{command} {params} at {stops:?}: {told}");
                    }
                    client.command("stepInto", json!({}));
                }
                "exited" => break,
                _ => {}
            }
        }
        let (told, _) = rest(&mut parent);
        parent.command("terminate", json!({}));
        (told, stops)
    };
    let plain = run(false);
    assert!(plain.1.len() > 20 && plain.0.contains("got a "), "{plain:?}");
    assert_eq!(run(true), plain);
}

/// The scenario: the client leaves, the child runs on, and the next client is told of it.
#[test]
fn disconnecting_lets_children_run_and_they_are_found_again() {
    let directory = directory("EZ waits.ez");
    let waits = "import @std, @io\nusing std\ndo main() {\n    println(\"waits\")\n    as_long_as !io.exists(\"go\") {\n        \
                 sleep_milliseconds(1)\n    }\n    println(\"went\")\n}\n";
    std::fs::write(directory.path().join("waits.ez"), waits).unwrap();
    let server = Listening::debugserver(directory.path(), &["boss.ez"]);
    let mut client = server.client();
    client.first("initialize", json!({"protocolVersion": 2, "children": true, "stopOnEntry": false}));
    client.command("start", json!({}));
    let child = client.wait_for("childStarted");
    assert_eq!(child["held"], true);
    client.disconnect();
    let (mut client, state) = server.attached();
    assert_eq!(state["status"], "running");
    let again = client.wait_for("childStarted");
    assert_eq!((&again["pid"], &again["held"]), (&child["pid"], &json!(false)));
    // It can be attached to as long as it lives.
    let (mut of_child, mut state) = attached(&again);
    // It may not have noticed yet that it is released.
    while state["status"] == "ready" {
        of_child.command("getState", json!({}));
        state = of_child.wait_for("state");
    }
    assert_eq!(state["status"], "running");
    of_child.command("pause", json!({}));
    of_child.wait_for("stopped");
    // Nobody is left that could let it go on, so it goes on by itself.
    of_child.disconnect();
    std::fs::write(directory.path().join("go"), "").unwrap();
    assert_eq!(client.wait_for("childEnded")["exitCode"], 0);
    assert_eq!(client.wait_for("output")["text"], "got waits\n");
    client.command("terminate", json!({}));
    client.wait_for("terminated");
}

#[test]
fn a_released_child_does_not_stop() {
    let directory = directory("EZ worker.ez 1");
    let server = Listening::debugserver(directory.path(), &["boss.ez"]);
    let mut client = server.client();
    client.first("initialize", json!({"protocolVersion": 2, "children": true, "stopOnEntry": false}));
    client.command("setBreakpoint", json!({"file": "worker.ez", "line": 6}));
    client.command("start", json!({}));
    let child = client.wait_for("childStarted");
    for wrong in [json!({}), json!({"pid": "x"}), json!({"pid": 1})] {
        client.command("releaseChild", wrong);
        client.wait_for("error");
    }
    let pid = &child["pid"];
    client.command("releaseChild", json!({ "pid": pid }));
    assert_eq!(client.wait_for("childReleased"), json!({ "pid": pid }));
    assert_eq!(client.wait_for("childEnded"), json!({"pid": pid, "exitCode": 0}));
    assert_eq!(client.wait_for("output")["text"], "got worker 1 3\n");
    client.wait_for("exited");
    let told = [("the client", client.transcript())];
    insta::assert_snapshot!(transcript(&server, directory.path(), &child, &told));
}

/// Releases each child, and gives them in the order of their starts, with the output of the program.
fn all_released(directory: &Path) -> (Vec<Value>, String) {
    let mut server = boss(directory);
    let (mut text, mut children, mut ended) = (String::new(), Vec::new(), 0);
    loop {
        let event = server.event().unwrap();
        match event["event"].as_str().unwrap() {
            "childStarted" => {
                server.command("releaseChild", json!({"pid": event["data"]["pid"]}));
                children.push(event["data"].clone());
            }
            "childEnded" => ended += 1,
            "output" => text += event["data"]["text"].as_str().unwrap(),
            "exited" => break,
            _ => {}
        }
    }
    assert_eq!(ended, children.len());
    (children, text)
}

#[test]
fn the_program_does_not_see_the_variable_and_its_commands_have_it() {
    let look = format!(
        "import @std, @os\nusing std\ndo main() {{\n    temp value, problem = os.get_env(\"{VARIABLE}\")\n    \
         println(\"seen '${{value}}' ${{os.env()}}\")\n}}\n"
    );
    let directory = directory("EZ look.ez");
    std::fs::write(directory.path().join("look.ez"), look).unwrap();
    let (children, text) = all_released(directory.path());
    assert_eq!(children.len(), 1);
    assert!(text.contains("seen ''") && !text.contains(VARIABLE), "{text}");
}

#[cfg(unix)]
#[test]
fn children_of_other_programs_are_children() {
    let makefile = "all: one two\none two:\n\t@EZ worker.ez $@\n";
    let python = "import subprocess; subprocess.run([\"EZ\", \"worker.ez\", \"py\"])";
    let ways = [
        ("sh -c 'EZ worker.ez sh; true'", vec!["sh"]),
        ("(EZ worker.ez sub &); wait; EZ worker.ez top", vec!["sub", "top"]),
        ("echo a b | xargs -n 1 EZ worker.ez", vec!["a", "b"]),
        ("make -f makefile all", vec!["one", "two"]),
        ("python3 start.py", vec!["py"]),
    ];
    let path = support::ez_path().display().to_string();
    for (command, expected) in ways {
        let tool = command.split(' ').next().unwrap();
        if ["make", "python3"].contains(&tool)
            && std::process::Command::new(tool).arg("--version").output().is_err()
        {
            continue;
        }
        let directory = directory(command);
        std::fs::write(directory.path().join("makefile"), makefile.replace("EZ", &path)).unwrap();
        std::fs::write(directory.path().join("start.py"), python.replace("EZ", &path)).unwrap();
        let (children, text) = all_released(directory.path());
        let mut arguments: Vec<&str> =
            children.iter().map(|child| child["args"][0].as_str().unwrap()).collect();
        arguments.sort_unstable();
        assert_eq!(arguments, expected, "{command}: {text}");
        assert!(text.contains(&format!("worker {} 3", expected[0])), "{command}: {text}");
    }
}

#[test]
fn grandchildren_announce_themselves_to_the_same_session() {
    let directory = directory("EZ middle.ez");
    let boss = std::fs::read_to_string(directory.path().join("boss.ez")).unwrap();
    std::fs::write(directory.path().join("middle.ez"), boss.replace("middle.ez", "worker.ez 5")).unwrap();
    let (children, text) = all_released(directory.path());
    let files: Vec<&str> = children.iter().map(|child| child["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["middle.ez", "worker.ez"]);
    assert!(text.contains("got worker 5 3"), "{text}");
}

#[cfg(unix)]
#[test]
fn ten_children_at_once() {
    let directory = directory("for i in 0 1 2 3 4 5 6 7 8 9; do EZ worker.ez $i & done; wait");
    let mut server = boss(directory.path());
    // All of them are held at the same time.
    let children: Vec<Value> = (0..10).map(|_| server.wait_for("childStarted")).collect();
    for child in children {
        let (mut client, _) = attached(&child);
        client.command("start", json!({}));
        client.wait_for("exited");
    }
    let (text, _) = rest(&mut server);
    for i in 0..10 {
        assert!(text.contains(&format!("worker {i} 3")), "{text}");
    }
}

/// The events after `command` is sent, by name, up to the last one.
fn names_after(server: &mut Server, command: &str, last: &str) -> Vec<String> {
    server.command(command, json!({}));
    let mut names = Vec::new();
    while names.last().is_none_or(|name| name != last) {
        names.push(server.event().unwrap()["event"].as_str().unwrap().to_string());
    }
    names
}

#[test]
fn the_end_of_the_session_is_told_after_that_of_its_children() {
    let directory = directory("EZ worker.ez 1");
    let mut server = boss(directory.path());
    let child = server.wait_for("childStarted");
    let (mut client, _) = attached(&child);
    assert_eq!(names_after(&mut server, "terminate", "terminated"), ["childEnded", "terminated"]);
    client.wait_for("terminated");
    assert!(server.wait().success());
}

#[test]
fn a_program_is_killed_after_its_children() {
    let directory = directory("EZ worker.ez 1");
    let mut server = boss(directory.path());
    server.wait_for("childStarted");
    assert_eq!(names_after(&mut server, "kill", "exited"), ["childEnded", "killed", "exited"]);
}

#[test]
fn the_end_of_the_commands_releases_children() {
    let directory = directory("EZ worker.ez 1");
    let mut server = boss(directory.path());
    server.wait_for("childStarted");
    server.close();
    assert_eq!(rest(&mut server).0, "got worker 1 3\n");
}

#[test]
fn clients_that_do_not_know_children_are_not_held_up() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    begin(&mut server, json!({"children": true, "stopOnEntry": false}));
    let (text, events) = rest(&mut server);
    assert_eq!(text, "begin\ngot worker 1 3\n");
    assert!(events.iter().all(|event| event["event"] == "started"), "{events:?}");
}

#[test]
fn without_the_parameter_nothing_is_followed() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    begin(&mut server, json!({"protocolVersion": 2, "stopOnEntry": false}));
    let (text, events) = rest(&mut server);
    assert_eq!(text, "begin\ngot worker 1 3\n");
    assert!(events.iter().all(|event| event["event"] == "started"), "{events:?}");
}

/// What is denied stays denied: the program can start nothing.
#[test]
fn a_program_that_is_denied_something_has_no_children() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    let launch = json!({"protocolVersion": 2, "children": true, "stopOnEntry": false, "deny": "net"});
    begin(&mut server, launch);
    let (text, events) = rest(&mut server);
    assert_eq!(text, "begin\ngot \n");
    assert!(events.iter().all(|event| event["event"] == "started"), "{events:?}");
}

/// A child that is started with `--deny` is denied that in its session, too.
#[test]
fn what_a_child_is_denied_stays_denied() {
    let directory = directory("EZ run --deny fs denied.ez");
    let denied = "import @std, @io\nusing std\ndo main() {\n    temp text, problem = io.read_file(\"worker.ez\")\n    \
                  println(problem.message)\n}\n";
    std::fs::write(directory.path().join("denied.ez"), denied).unwrap();
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    begin(&mut server, json!({"protocolVersion": 2, "children": true, "stopOnEntry": true}));
    server.wait_for("stopped");
    server.command("continue", json!({}));
    let (mut client, _) = attached(&server.wait_for("childStarted"));
    client.command("start", json!({}));
    // As its parent does.
    assert_eq!(client.wait_for("stopped")["reason"], "entry");
    client.command("evaluate", json!({"expression": "io.exists(\"worker.ez\")"}));
    assert_eq!(client.wait_for("evaluateResult")["result"], "false");
    client.command("continue", json!({}));
    client.wait_for("exited");
    let (text, _) = rest(&mut server);
    assert!(text.contains("the program is denied fs"), "{text}");
}

#[test]
fn a_debug_server_that_is_a_child_keeps_its_client() {
    let commands = ["initialize\",\"params\":{\"stopOnEntry\":false}", "start\""];
    let lines: String = commands
        .iter()
        .map(|command| format!("{{\"type\":\"command\",\"command\":\"{command}}}\n"))
        .collect();
    let directory = directory("EZ debugserver worker.ez < lines");
    std::fs::write(directory.path().join("lines"), lines).unwrap();
    let mut server = boss(directory.path());
    let child = server.wait_for("childStarted");
    assert_eq!((&child["held"], child.get("port")), (&json!(false), None));
    assert_eq!(server.wait_for("childEnded")["exitCode"], 0);
    rest(&mut server);
}

#[test]
fn a_program_that_is_restarted_is_followed_again() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    let launch = json!({"protocolVersion": 2, "children": true, "stopOnEntry": false, "keepAlive": true});
    begin(&mut server, launch);
    let first = server.wait_for("childStarted");
    server.command("restart", json!({}));
    assert_eq!(server.wait_for("childEnded")["pid"], first["pid"]);
    let second = server.wait_for("childStarted");
    server.command("releaseChild", json!({"pid": second["pid"]}));
    assert_eq!(rest(&mut server).0, "got worker 1 3\n");
}

/// Going back in time and forward again starts nothing.
#[test]
fn in_the_past_nothing_is_started_again() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    server.command("setBreakpoint", json!({"file": "boss.ez", "line": 6}));
    begin(&mut server, json!({"protocolVersion": 2, "children": true, "history": true}));
    let child = server.wait_for("childStarted");
    // The child keeps its history, too.
    let (client, state) = attached(&child);
    assert_eq!(state["history"], true);
    client.disconnect();
    server.wait_for("stopped");
    server.command("stepBack", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 5);
    server.command("stepOver", json!({}));
    let mut started = 0;
    loop {
        let event = server.event().unwrap();
        started += usize::from(event["event"] == "childStarted");
        if event["event"] == "stopped" {
            break;
        }
    }
    assert_eq!(started, 0);
    server.command("terminate", json!({}));
    server.wait_for("terminated");
}

/// JSON-RPC has the same events.
#[test]
fn the_same_in_json_rpc() {
    let directory = directory("EZ worker.ez 1");
    let mut server = Server::start(directory.path(), &["boss.ez"]);
    let call = |method: &str, params: Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
    };
    server.send(&call("initialize", json!({"children": true, "stopOnEntry": false})));
    server.send(&call("start", json!({})));
    let until = |server: &mut Server, what: &str| loop {
        let message = server.event().unwrap();
        if message["method"] == what || message["id"] == what {
            return message;
        }
    };
    let child = until(&mut server, "childStarted")["params"].take();
    assert_eq!(child["held"], true);
    server.send(&call("releaseChild", json!({"pid": child["pid"]})));
    assert_eq!(until(&mut server, "releaseChild")["result"]["event"], "childReleased");
    assert_eq!(until(&mut server, "childEnded")["params"]["exitCode"], 0);
    assert_eq!(until(&mut server, "start")["result"]["event"], "exited");
}

#[cfg(target_os = "linux")]
mod killed {
    use std::time::Instant;

    use super::*;

    fn kill(pid: &Value) {
        let kill = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
        assert!(kill.unwrap().success());
    }

    #[test]
    fn a_child_that_is_killed() {
        let directory = directory("EZ worker.ez 1; true");
        let mut server = boss(directory.path());
        let child = server.wait_for("childStarted");
        let (mut client, _) = attached(&child);
        kill(&child["pid"]);
        // Its parent may notice it earlier.
        let (mut told, mut exited) = (false, false);
        while !(told && exited) {
            let event = server.event().unwrap();
            exited |= event["event"] == "exited";
            if event["event"] == "childEnded" {
                assert_eq!(event["data"], json!({"pid": child["pid"]}));
                told = true;
            }
        }
        assert!(client.until_closed().is_empty());
    }

    // invariant 28
    #[test]
    fn a_parent_that_is_killed() {
        for way in ["EZ worker.ez 1", "setsid EZ worker.ez 1 & wait", "(EZ worker.ez 1 &); sleep 1000"] {
            let directory = directory(way);
            let mut server = boss(directory.path());
            let child = server.wait_for("childStarted");
            let client = attached(&child).0;
            let since = Instant::now();
            kill(&json!(server.process().id()));
            support::wait_for_end(&[child["pid"].to_string()]);
            assert!(since.elapsed() < SOON, "{way}: {:?}", since.elapsed());
            drop(client);
        }
    }
}

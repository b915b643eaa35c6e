//! Sessions that are shared from their beginning, and `debug_join` of `ez mcp`.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use support::mcp::{McpClient, mismatch, text_of};
use support::socket::Client;
use support::{Server, ez, testdata};

/// An owner of a shared session, and what standard error says of it.
struct Owner {
    server: Server,
    shared: Value,
}

impl Owner {
    /// `list`: where shared sessions are listed.
    fn start(list: &Path, arguments: &[&str]) -> Owner {
        let mut command = ez();
        command.arg("debugserver").args(arguments).current_dir(testdata("agents"));
        command.env("XDG_RUNTIME_DIR", list).stderr(Stdio::piped());
        let mut server = Server::run(&mut command);
        let mut first = String::new();
        let errors = server.process().stderr.take().unwrap();
        BufReader::new(errors).read_line(&mut first).unwrap();
        let mut event: Value = serde_json::from_str(&first).unwrap();
        assert_eq!(event["event"], "shared", "{first}");
        Owner { server, shared: event["data"].take() }
    }

    /// Stopped in line 26 of a program.
    fn stopped(list: &Path) -> Owner {
        let mut owner = Owner::start(list, &["--share"]);
        owner.server.ask("initialize", json!({"file": "bill.ez", "protocolVersion": 2, "history": true}));
        let breakpoints = json!([{"line": 26}]);
        owner.server.ask("setBreakpoints", json!({"file": "bill.ez", "breakpoints": breakpoints}));
        owner.server.command("start", json!({}));
        owner.server.wait_for("stopped");
        owner
    }

    fn address(&self) -> String {
        format!("{}:{}", self.shared["host"].as_str().unwrap(), self.shared["port"])
    }

    fn token(&self, role: &str) -> &str {
        self.shared["tokens"][role].as_str().unwrap()
    }

    fn client(&self, role: &str) -> Client {
        Client::new(TcpStream::connect(self.address()).unwrap(), self.token(role))
    }
}

fn list() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_session_is_shared_from_its_beginning() {
    let list = list();
    let mut owner = Owner::start(list.path(), &["--share", "127.0.0.1:0", "bill.ez"]);
    // Nothing on standard output but what the client has asked for.
    let (event, _) = owner.server.ask("initialize", json!({"protocolVersion": 2}));
    assert_eq!(event, "initialized");
    let mut bob = owner.client("participant");
    bob.first("attach", json!({"name": "Bob", "protocolVersion": 2}));
    assert_eq!(bob.wait_for("attached")["status"], "ready");
    assert_eq!(owner.server.wait_for("guestJoined"), json!({"name": "Bob", "role": "participant"}));
    let again = owner.server.ask("share", json!({})).1;
    assert_eq!(again, owner.shared);
    owner.server.ask("unshare", json!({}));
    bob.until_closed();
}

#[test]
fn a_session_on_a_socket_is_shared_from_its_beginning() {
    let list = list();
    let mut owner = Owner::start(list.path(), &["bill.ez", "--listen", "127.0.0.1:0", "--share"]);
    let listening = owner.server.wait_for("listening");
    let port = listening["port"].as_u64().unwrap() as u16;
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut first = Client::new(stream, listening["token"].as_str().unwrap());
    first.start(json!({"protocolVersion": 2}));
    let mut eve = owner.client("observer");
    eve.first("attach", json!({"name": "Eve", "protocolVersion": 2}));
    assert_eq!(eve.wait_for("attached")["status"], "stopped");
    assert_eq!(first.wait_for("guestJoined"), json!({"name": "Eve", "role": "observer"}));
}

#[test]
fn a_session_that_cannot_be_shared_does_not_begin() {
    let wrong = |arguments: &[&str]| {
        let mut command = ez();
        command.arg("debugserver").args(arguments);
        let output = support::with_input(&mut command, "");
        assert!(output.stdout.is_empty());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, text) = wrong(&["--share", "0.0.0.0:0"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("use --allow-remote to permit that"), "{text}");
    let (status, text) = wrong(&["--share", "bill.ez"]);
    assert_eq!(status, Some(2));
    assert!(text.contains("bill.ez: expected HOST:PORT"), "{text}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (status, text) = wrong(&["--share", &address]);
    assert_eq!(status, Some(1));
    assert!(text.starts_with(&format!("Error: Cannot share: {address}: ")), "{text}");
}

/// A client of `ez mcp` with a root that has nothing to do with the program.
fn agent(list: &Path, root: &Path) -> McpClient {
    let mut command = ez();
    command.arg("mcp").arg("--root").arg(root).env("XDG_RUNTIME_DIR", list).env_remove("EZ_TOKEN");
    let mut client = McpClient::of(&mut command);
    client.initialize("2025-11-25");
    client
}

fn checked(client: &mut McpClient, tool: &str, arguments: Value) -> Value {
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let described = tools.as_array().unwrap().iter().find(|described| described["name"] == tool).unwrap();
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(mismatch(&result["structuredContent"], &described["outputSchema"]), None, "{result}");
    result
}

/// Ports and directories are others each time.
fn stable(text: &str) -> String {
    let folder = testdata("agents").display().to_string().replace('\\', "/");
    text.replace(&format!("{folder}/"), "")
}

#[test]
fn an_agent_takes_part_in_a_persons_session() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let mut owner = Owner::stopped(list.path());
    let mut agent = agent(list.path(), root.path());
    let mut log = String::new();
    let mut say = |agent: &mut McpClient, tool: &str, arguments: Value| {
        let result = checked(agent, tool, arguments.clone());
        log.push_str(&format!("> {tool} {arguments}\n{}\n\n", stable(&text_of(&result))));
        result["structuredContent"].clone()
    };
    let joined = say(&mut agent, "debug_join", json!({}));
    assert_eq!(joined["name"], "test");
    assert_eq!(joined["stop"]["line"], 26);
    assert_eq!(owner.server.wait_for("guestJoined"), json!({"name": "test", "role": "participant"}));

    let command =
        |command: &str, params: Value| json!({"session": "s1", "command": command, "params": params});
    let set = json!({"file": "bill.ez", "line": 11, "condition": "item.count == 1"});
    say(&mut agent, "debug_do", command("setBreakpoint", set));
    let told = owner.server.wait_for("breakpointChanged");
    assert_eq!((&told["reason"], &told["by"]), (&json!("new"), &json!("test")), "{told}");
    assert_eq!(told["breakpoint"]["condition"], "item.count == 1");
    let id = told["breakpoint"]["id"].clone();

    // What replaces the agent's breakpoints leaves those of the owner.
    let replaced = json!({"file": "bill.ez", "breakpoints": [{"line": 11}]});
    say(&mut agent, "debug_do", command("setBreakpoints", replaced));
    let all = owner.server.ask("getBreakpoints", json!({})).1;
    let lines: Vec<&Value> = all["breakpoints"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
    assert_eq!(lines, [26, 11]);

    owner.server.ask("disableBreakpoint", json!({"id": id}));
    owner.server.command("stepOver", json!({}));
    owner.server.wait_for("stopped");
    let ask = json!({"variables": true, "expressions": ["len(items)"]});
    let found = say(&mut agent, "investigate", json!({"session": "s1", "ask": ask}));
    let others = found["others"].as_array().unwrap();
    assert!(others.iter().any(|other| other == "owner let the program go on."), "{others:?}");
    say(&mut agent, "debug_do", command("continue", json!({})));
    owner.server.wait_for("stopped");

    for (arguments, why) in [
        (command("terminate", json!({})), "debug_stop leaves it"),
        (command("kill", json!({})), "only the owner of the session can"),
        (command("share", json!({})), "only the owner of the session can"),
        (command("initialize", json!({})), "the program is the one of the session"),
    ] {
        let text = agent.failure("debug_do", arguments);
        assert!(text.contains(why), "{text}");
    }
    for (arguments, why) in [
        (json!({"session": "s1", "file": "bill.ez"}), "'file' is for a run of its own"),
        (json!({"session": "s1", "ask": {"origin": "total"}}), "move through the history"),
        (json!({"session": "s1", "ask": {"unfold": 26}}), "move through the history"),
        (json!({"session": "s2"}), "there is no session s2; there are s1"),
    ] {
        let text = agent.failure("investigate", arguments);
        assert!(text.contains(why), "{text}");
    }

    say(&mut agent, "debug_stop", json!({"session": "s1"}));
    assert_eq!(owner.server.wait_for("guestLeft")["name"], "test");
    assert_eq!(owner.server.ask("getState", json!({})).1["status"], "stopped");
    insta::assert_snapshot!(log);
}

#[test]
fn an_agent_that_is_sent_away_is_told() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let mut owner = Owner::stopped(list.path());
    let mut agent = agent(list.path(), root.path());
    let join = json!({"address": owner.address(), "token": owner.token("observer"), "name": "Cleo"});
    assert_eq!(checked(&mut agent, "debug_join", join)["structuredContent"]["role"], "observer");
    owner.server.wait_for("guestJoined");
    let next = json!({"session": "s1", "command": "stepOver"});
    assert!(agent.failure("debug_do", next.clone()).contains("an observer changes nothing"));
    owner.server.ask("unshare", json!({}));
    let text = agent.failure("debug_do", next);
    assert_eq!(text, "the joined session s1 is over: the session is not shared any more");
    assert!(agent.failure("debug_join", json!({})).starts_with("you share no session on this computer"));
    // Even the name of another computer is not looked up.
    for address in ["pc.example:4711", "192.0.2.1:4711"] {
        let text = agent.failure("debug_join", json!({"address": address, "token": "x"}));
        assert_eq!(text, format!("{address} is on another computer, which needs ez mcp --allow-net"));
    }
    let wrong = json!({"address": owner.address(), "token": "x"});
    assert!(agent.failure("debug_join", wrong).starts_with("cannot join "));
}

/// The lines of all breakpoints.
fn lines(owner: &mut Owner) -> Vec<u64> {
    let all = owner.server.ask("getBreakpoints", json!({})).1;
    all["breakpoints"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect()
}

#[test]
fn an_agent_replaces_no_breakpoint_before_an_answer_has_told_of_it() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let mut owner = Owner::stopped(list.path());
    let mut watcher = owner.client("observer");
    watcher.first("attach", json!({"name": "Watcher", "protocolVersion": 2}));
    watcher.wait_for("attached");
    let mut agent = agent(list.path(), root.path());
    checked(&mut agent, "debug_join", json!({"name": "Cleo"}));
    owner.server.ask("setBreakpoint", json!({"file": "bill.ez", "line": 11}));
    // By then the session has told the agent's connection, too.
    watcher.wait_for("breakpointChanged");

    let params = json!({"file": "bill.ez", "breakpoints": []});
    let none = json!({"session": "s1", "command": "setBreakpoints", "params": params});
    let answer = checked(&mut agent, "debug_do", none.clone())["structuredContent"].clone();
    assert!(answer["others"].to_string().contains("owner set breakpoint 2 at bill.ez:11."), "{answer}");
    assert_eq!(lines(&mut owner), [26, 11]);
    checked(&mut agent, "debug_do", none.clone());
    assert_eq!(lines(&mut owner), [26], "what the answer before has told of is replaced");

    // The state tells of all.
    checked(&mut agent, "debug_do", json!({"session": "s1", "command": "getState"}));
    checked(&mut agent, "debug_do", none);
    assert!(lines(&mut owner).is_empty());
}

#[test]
fn an_agent_that_has_too_many_sessions_is_refused_before_it_joins() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let mut owner = Owner::stopped(list.path());
    let mut agent = agent(list.path(), root.path());
    for number in 1..=8 {
        checked(&mut agent, "debug_join", json!({}));
        owner.server.wait_for("guestJoined");
        assert!(
            number < 8 || agent.failure("debug_join", json!({})).starts_with("there are 8 sessions already")
        );
    }
    // The next who comes is another one.
    owner.client("observer").first("attach", json!({"name": "Watcher"}));
    assert_eq!(owner.server.wait_for("guestJoined")["name"], "Watcher");
}

/// A session whose program never ends, and an agent of this role in it.
fn endless(list: &Path, root: &Path, role: &str) -> (Owner, McpClient) {
    let text = "import @std\nusing std\ndo main() {\n    temp n int = 0\n    loop {\n        n++\n    }\n}\n";
    std::fs::write(root.join("loop.ez"), text).unwrap();
    let mut owner = Owner::start(list, &["--share"]);
    owner.server.ask("initialize", json!({"file": root.join("loop.ez"), "protocolVersion": 2}));
    owner.server.command("start", json!({}));
    owner.server.wait_for("stopped");
    let mut agent = agent(list, root);
    let token = owner.token(role);
    checked(&mut agent, "debug_join", json!({"address": owner.address(), "token": token}));
    owner.server.wait_for("guestJoined");
    (owner, agent)
}

#[test]
fn an_agent_pauses_no_run_of_others() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let command = |command: &str, params: Value| json!({"session": "s1", "command": command, "params": params, "timeLimit": 0.3});
    for role in ["participant", "observer"] {
        let (mut owner, mut agent) = endless(list.path(), root.path(), role);
        owner.server.command("continue", json!({}));
        owner.server.ask("getState", json!({}));
        let late = json!({"expression": "n = -1000"});
        for (name, params) in [("getVariables", json!({})), ("evaluate", late)] {
            let text = agent.failure("debug_do", command(name, params));
            assert!(text.contains("the program runs: owner has let it go on"), "{text}");
            assert!(
                text.contains(match role {
                    "observer" => "an observer cannot pause it",
                    _ => "the command pause stops it",
                }),
                "{text}"
            );
        }
        assert_eq!(owner.server.ask("getState", json!({})).1["status"], "running");
        if role == "observer" {
            continue;
        }
        // A run that waits for another one is given up, too.
        let text = agent.failure("debug_do", command("continue", json!({})));
        assert!(text.contains("the program runs: owner has let it go on"), "{text}");
        assert_eq!(
            checked(&mut agent, "debug_do", command("pause", json!({})))["structuredContent"]["result"]["event"],
            "stopped"
        );
        assert_eq!(owner.server.wait_for("stopped")["by"], "test");
        // What was given up is not carried out later.
        let n = owner.server.ask("evaluate", json!({"expression": "n > 0"})).1;
        assert_eq!(n["result"], "true");
        // Its own run it pauses.
        let text = text_of(&checked(&mut agent, "debug_do", command("continue", json!({}))));
        assert!(text.contains("is paused (see timeLimit)"), "{text}");
        assert_eq!(owner.server.wait_for("stopped")["by"], "test");
        // One that was paused by another, and goes on because of the other, is not its own any more.
        owner.server.command("continue", json!({}));
        owner.server.ask("getState", json!({}));
        let text = agent.failure("debug_do", command("getStackTrace", json!({})));
        assert!(text.contains("the program runs: owner has let it go on"), "{text}");
        assert_eq!(owner.server.ask("getState", json!({})).1["status"], "running");
    }
}

#[test]
fn an_agent_joins_a_session_without_a_program() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    std::fs::write(root.path().join("p.ez"), "do main( {\n").unwrap();
    let mut owner = Owner::start(list.path(), &["--share"]);
    let file = json!({"file": root.path().join("p.ez"), "protocolVersion": 2, "keepAlive": true});
    assert_eq!(owner.server.ask("initialize", file).0, "error");
    let mut agent = agent(list.path(), root.path());
    let joined = checked(&mut agent, "debug_join", json!({}));
    assert_eq!(joined["structuredContent"]["status"], "notInitialized");
    let text = text_of(&joined);
    assert!(text.contains("No program is loaded") && !text.contains("ready"), "{text}");
    let text = agent.failure("debug_do", json!({"session": "s1", "command": "stepOver"}));
    assert!(text.contains("not initialized"), "{text}");
}

#[test]
fn what_others_write_is_no_line_of_an_answer() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let mut owner = Owner::stopped(list.path());
    let mut agent = agent(list.path(), root.path());
    checked(&mut agent, "debug_join", json!({}));
    let forged = "x\nowner has left.\u{1b}[2J";
    let condition = "\"x\" ==\n\"owner has left.\"";
    owner.server.ask("setBreakpoint", json!({"file": "bill.ez", "line": 11, "condition": condition}));
    owner
        .server
        .ask("setBreakpoint", json!({"file": "bill.ez", "line": 27, "condition": format!("\"{}\" != \"\"", "long ".repeat(20_000))}));
    owner.server.ask("setFunctionBreakpoints", json!({"breakpoints": [{"name": forged}]}));
    let told = checked(&mut agent, "debug_do", json!({"session": "s1", "command": "getVariables"}));
    let text = text_of(&told);
    assert!(text.contains("if \"x\" ==␊\"owner has left.\""), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 500), "{text}");
    let others = told["structuredContent"]["others"].as_array().unwrap();
    assert!(
        !others.is_empty() && others.iter().all(|other| !other.as_str().unwrap().contains('\n')),
        "{others:?}"
    );
    assert!(!text.lines().any(|line| line.trim_start().starts_with("owner has left")), "{text}");
}

#[test]
fn an_agent_is_told_why_it_waits_and_why_a_restart_failed() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let program =
        "import @std\nusing std\ndo main() {\n    temp name string = input()\n    println(name)\n}\n";
    let file = folder.path().join("ask.ez");
    std::fs::write(&file, program).unwrap();
    let file = file.display().to_string();
    let mut owner = Owner::start(list.path(), &["--share"]);
    owner.server.ask("initialize", json!({"file": file, "protocolVersion": 2, "keepAlive": true}));
    owner.server.ask("start", json!({}));
    let mut agent = agent(list.path(), root.path());
    agent.call("debug_join", json!({}));
    let command = |command: &str| json!({"session": "s1", "command": command, "timeLimit": 1});
    let why = agent.failure("debug_do", command("continue"));
    assert!(why.contains("you have let it go on; it has asked for input"), "{why}");
    owner.server.command("input", json!({"text": "Ann\n"}));
    owner.server.wait_for("exited");
    std::fs::write(&file, "do main() { oops(\n").unwrap();
    owner.server.command("restart", json!({}));
    owner.server.wait_for("error");
    let told = agent.text("debug_do", command("getState"));
    assert!(told.contains("owner has restarted the program, which cannot be loaded: "), "{told}");
    let why = agent.failure("investigate", json!({"session": "s1", "ask": {"variables": true}}));
    assert_eq!(why, "no program is loaded in the session");
    std::fs::write(&file, program).unwrap();
    owner.server.command("restart", json!({}));
    owner.server.wait_for("stopped");
    let told = agent.text("debug_do", command("getState"));
    assert!(told.contains("owner restarted the program, whose text was read again."), "{told}");
}

#[test]
fn the_owner_is_answered_whatever_a_guest_evaluates() {
    let (list, root) = (list(), tempfile::tempdir().unwrap());
    let text = "import @std, @time\nusing std\ndo forever() -> int {\n    temp n int = 0\n    loop {\n        n++\n    }\n    return n\n}\n\
                do main() {\n    time.sleep_ms(0)\n    println(forever())\n}\n";
    std::fs::write(root.path().join("waits.ez"), text).unwrap();
    let mut owner = Owner::start(list.path(), &["--share"]);
    owner.server.ask("initialize", json!({"file": root.path().join("waits.ez"), "protocolVersion": 2}));
    owner.server.command("start", json!({}));
    owner.server.wait_for("stopped");
    for (name, role) in [("Bob", "participant"), ("Eve", "observer")] {
        let mut guest = owner.client(role);
        guest.first("attach", json!({"protocolVersion": 2, "name": name}));
        guest.wait_for("attached");
        for expression in ["forever()", "time.sleep_ms(3000)", "forever()"] {
            guest.command("evaluate", json!({"expression": expression}));
            // Some of them come before the evaluation has begun.
            for _ in 0..100 {
                assert_eq!(owner.server.ask("getState", json!({})).0, "state");
            }
            let failed = guest.wait_for("error");
            assert_eq!(failed["command"], "evaluate", "{failed}");
        }
        assert_eq!(owner.server.ask("evaluate", json!({"expression": "1 + 1"})).1["result"], "2");
    }
}

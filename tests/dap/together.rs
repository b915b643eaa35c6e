//! Editors in a session that several clients use: as its owner, and as guests.

use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};
use support::dap::Dap;
use support::socket::{Client, Listening};

use crate::attach::adapter;

const PROGRAM: &str = "import @std
using std

do main() {
    temp x int = 1
    temp y int = x + 1
    x = y * 2
    println(x)
}
";

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.ez"), PROGRAM).unwrap();
    directory
}

/// Where guests connect, and their tokens.
fn connect(shared: &Value) -> TcpStream {
    let address = (shared["host"].as_str().unwrap(), shared["port"].as_u64().unwrap() as u16);
    TcpStream::connect(address).unwrap()
}

fn line_guest(shared: &Value, role: &str, name: &str) -> Client {
    let mut guest = Client::new(connect(shared), shared["tokens"][role].as_str().unwrap());
    guest.first("attach", json!({"protocolVersion": 2, "name": name}));
    guest.wait_for("attached");
    guest
}

/// An editor that has joined.
fn editor(shared: &Value, role: &str, directory: &Path, arguments: Value) -> Dap {
    let mut dap = Dap::over(&connect(shared), directory);
    dap.request("initialize", json!({"adapterID": "ez", "supportsInvalidatedEvent": true}));
    dap.event("initialized");
    let mut attach = json!({"token": shared["tokens"][role], "name": "editor"});
    for (name, value) in arguments.as_object().unwrap() {
        attach[name] = value.clone();
    }
    dap.request("attach", attach);
    dap
}

fn set_breakpoints(dap: &mut Dap, directory: &Path, breakpoints: Value) -> Value {
    let source = json!({"path": directory.join("p.ez")});
    dap.request("setBreakpoints", json!({"source": source, "breakpoints": breakpoints}))["breakpoints"].take()
}

/// A server of the line protocol whose program is stopped at its first statement, with a breakpoint that has a condition.
fn owner(directory: &Path) -> (Listening, Client, Value) {
    let server = Listening::debugserver(directory, &["p.ez"]);
    let mut owner = server.client();
    owner.first("initialize", json!({"protocolVersion": 2, "stopOnEntry": true}));
    owner.wait_for("initialized");
    owner.command("setBreakpoint", json!({"file": "p.ez", "line": 7, "condition": "y == 2"}));
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    owner.command("share", json!({"name": "Ann"}));
    let shared = owner.wait_for("shared");
    (server, owner, shared)
}

#[test]
fn an_editor_looks_on() {
    let directory = directory();
    let (server, mut owner, shared) = owner(directory.path());
    let mut dap = editor(&shared, "observer", directory.path(), json!({}));
    assert_eq!(dap.stop().0, "entry");
    let refused = set_breakpoints(&mut dap, directory.path(), json!([{"line": 6}]));
    assert_eq!(refused[0]["message"], "an observer sets no breakpoints");
    dap.request("configurationDone", Value::Null);
    // It is shown what is set.
    let told = dap.event("breakpoint");
    assert_eq!((&told["reason"], &told["breakpoint"]["line"]), (&json!("new"), &json!(7)));
    assert_eq!(dap.refused("next", json!({"threadId": 1})), "Cannot step: an observer changes nothing");
    assert_eq!(dap.refused("pause", json!({"threadId": 1})), "Cannot pause: an observer changes nothing");
    owner.command("continue", json!({}));
    dap.event("continued");
    assert_eq!(dap.stop().0, "breakpoint");
    let scopes = dap.scopes();
    let variables = dap.request("variables", json!({"variablesReference": scopes["Locals"]}));
    assert_eq!(variables["variables"][0]["name"], "x");
    owner.command("evaluate", json!({"expression": "x = 40"}));
    assert_eq!(dap.event("invalidated"), json!({"areas": ["variables"]}));
    owner.command("removeBreakpoint", json!({"id": 1}));
    assert_eq!(dap.event("breakpoint")["reason"], "removed");
    // Even a client that wants to end it only leaves.
    dap.request("disconnect", json!({"terminateDebuggee": true}));
    assert_eq!(owner.wait_for("guestLeft"), json!({"name": "editor", "role": "observer"}));
    owner.command("getState", json!({}));
    assert_eq!(owner.wait_for("state")["status"], "stopped");
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

#[test]
fn an_editor_that_joins_deletes_nothing_that_it_does_not_show() {
    let directory = directory();
    let (server, mut owner, shared) = owner(directory.path());
    let mut dap = editor(&shared, "participant", directory.path(), json!({"guestEvents": true}));
    assert_eq!(dap.stop().0, "entry");
    // Its own, before it knows of others.
    set_breakpoints(&mut dap, directory.path(), json!([{"line": 6}]));
    let told = owner.wait_for("breakpointChanged");
    assert_eq!(
        (&told["reason"], &told["by"], &told["breakpoint"]["line"]),
        (&json!("new"), &json!("editor"), &json!(6))
    );
    dap.request("configurationDone", Value::Null);
    // Its extension is told of all options.
    let told = dap.event("guestBreakpoint");
    assert_eq!((&told["reason"], &told["condition"]), (&json!("new"), &json!("y == 2")));
    // It sends the one that it was told of without the condition, which stays.
    let set = set_breakpoints(&mut dap, directory.path(), json!([{"line": 6}, {"line": 7}]));
    assert_eq!((&set[1]["id"], &set[1]["verified"]), (&json!(1), &json!(true)));
    owner.command("getBreakpoints", json!({}));
    let all = owner.wait_for("breakpoints");
    assert_eq!(all["breakpoints"][0]["condition"], "y == 2");
    // Its user disables it: then it is left out. Removing it is another request.
    set_breakpoints(&mut dap, directory.path(), json!([{"line": 6}]));
    let told = owner.wait_for("breakpointChanged");
    assert_eq!((&told["reason"], &told["breakpoint"]["enabled"]), (&json!("changed"), &json!(false)));
    set_breakpoints(&mut dap, directory.path(), json!([{"line": 6}, {"line": 7}]));
    assert_eq!(owner.wait_for("breakpointChanged")["breakpoint"]["enabled"], true);
    dap.request("removeBreakpoint", json!({"breakpointId": 1}));
    let told = owner.wait_for("breakpointChanged");
    assert_eq!((&told["reason"], &told["breakpoint"]["id"]), (&json!("removed"), &json!(1)));
    dap.request("next", json!({"threadId": 1}));
    assert_eq!(owner.wait_for("continued"), json!({"by": "editor"}));
    assert_eq!(owner.wait_for("stopped")["by"], "editor");
    assert_eq!(dap.stop().0, "breakpoint");
    owner.command("unshare", json!({}));
    dap.event("terminated");
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

#[test]
fn an_adapter_on_pipes_joins() {
    let directory = directory();
    let (server, mut owner, shared) = owner(directory.path());
    let mut dap = Dap::start(directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.event("initialized");
    let token = &shared["tokens"]["participant"];
    dap.request("attach", json!({"port": shared["port"], "token": token, "name": "Bob"}));
    assert_eq!(dap.stop().0, "entry");
    dap.request("configurationDone", Value::Null);
    assert_eq!(owner.wait_for("guestJoined")["name"], "Bob");
    dap.request("next", json!({"threadId": 1}));
    assert_eq!(owner.wait_for("stopped")["by"], "Bob");
    assert_eq!(dap.stop().0, "step");
    dap.leave(false);
    assert_eq!(owner.wait_for("guestLeft")["name"], "Bob");
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

/// The session of an editor, on pipes and over a socket, in which an agent sets breakpoints.
#[test]
fn an_agent_sets_breakpoints_in_an_editors_session() {
    let directory = directory();
    let listening = adapter(directory.path());
    let pipes = || Dap::start(directory.path());
    let socket = || Dap::over(&listening.stream(), directory.path());
    let openers: [(&dyn Fn() -> Dap, bool); 2] = [(&pipes, true), (&socket, false)];
    for (open, events) in openers {
        let mut dap = open();
        dap.request("initialize", json!({"adapterID": "ez"}));
        dap.event("initialized");
        let launch =
            json!({"program": "p.ez", "stopOnEntry": true, "token": listening.token, "guestEvents": events});
        dap.request("launch", launch);
        dap.request("configurationDone", Value::Null);
        assert_eq!(dap.stop().0, "entry");
        let shared = dap.request("share", json!({"roles": ["participant"], "name": "Ann"}));
        let mut agent = line_guest(&shared, "participant", "claude");
        match events {
            true => assert_eq!(dap.event("guestJoined"), json!({"name": "claude", "role": "participant"})),
            false => {
                assert_eq!(dap.event("output")["output"], "claude has joined the session (participant).\n")
            }
        }
        assert_eq!(
            dap.request("guests", json!({}))["guests"],
            json!([{"name": "claude", "role": "participant"}])
        );
        agent.command("setBreakpoint", json!({"file": "p.ez", "line": 7, "condition": "y == 2"}));
        let told = dap.event(if events { "guestBreakpoint" } else { "breakpoint" });
        assert_eq!((&told["reason"], &told["breakpoint"]["line"]), (&json!("new"), &json!(7)));
        // The person removes it with a click.
        let own = json!([{"line": 8}]);
        if events {
            dap.request("removeBreakpoint", json!({"breakpointId": told["breakpoint"]["id"]}));
        }
        set_breakpoints(&mut dap, directory.path(), own);
        let changed = [agent.wait_for("breakpointChanged"), agent.wait_for("breakpointChanged")];
        let changed = changed.map(|told| (told["reason"].clone(), told["by"].clone()));
        assert_eq!(changed, [(json!("removed"), json!("Ann")), (json!("new"), json!("Ann"))]);
        agent.command("continue", json!({}));
        dap.event("continued");
        assert_eq!(dap.stop().0, "breakpoint");
        dap.request("unshare", json!({}));
        assert_eq!(agent.until_closed().last().unwrap()["event"], "dismissed");
        assert_eq!(dap.refused("unshare", json!({})), "Cannot unshare: not shared");
        dap.leave(true);
    }
}

#[test]
fn an_adapter_whose_client_is_sent_away_says_why() {
    let directory = directory();
    for _ in 0..5 {
        let (server, mut owner, shared) = owner(directory.path());
        let mut dap = Dap::start(directory.path());
        dap.request("initialize", json!({"adapterID": "ez"}));
        dap.event("initialized");
        let token = &shared["tokens"]["participant"];
        dap.request("attach", json!({"port": shared["port"], "token": token, "name": "Bob"}));
        dap.stop();
        owner.wait_for("guestJoined");
        owner.command("unshare", json!({}));
        assert_eq!(dap.event("output")["output"], "the session is not shared any more\n");
        dap.event("terminated");
        let said = dap.disconnect();
        assert_eq!(said.matches("< terminated\n").count(), 1, "{said}");
        owner.command("terminate", json!({}));
        owner.wait_for("terminated");
        assert!(server.end().0.success());
    }
}

/// `terminate` is the owner's: that of a guest ends its part only.
#[test]
fn an_editor_that_terminates_leaves() {
    let directory = directory();
    let (server, mut owner, shared) = owner(directory.path());
    let pipes = || {
        let mut dap = Dap::start(directory.path());
        dap.request("initialize", json!({"adapterID": "ez"}));
        dap.event("initialized");
        let token = &shared["tokens"]["participant"];
        dap.request("attach", json!({"port": shared["port"], "token": token, "name": "editor"}));
        dap
    };
    let socket = || editor(&shared, "observer", directory.path(), json!({}));
    let openers: [&dyn Fn() -> Dap; 2] = [&pipes, &socket];
    for open in openers {
        let mut dap = open();
        assert_eq!(dap.stop().0, "entry");
        dap.request("configurationDone", Value::Null);
        owner.wait_for("guestJoined");
        dap.request("terminate", Value::Null);
        dap.event("terminated");
        assert_eq!(owner.wait_for("guestLeft")["name"], "editor");
        owner.command("getState", json!({}));
        assert_eq!(owner.wait_for("state")["status"], "stopped");
    }
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

#[test]
fn an_editor_that_has_joined_stays_when_the_program_ends() {
    let directory = directory();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut owner = server.client();
    owner.first("initialize", json!({"protocolVersion": 2, "stopOnEntry": true, "keepAlive": true}));
    owner.wait_for("initialized");
    owner.command("start", json!({}));
    owner.command("share", json!({}));
    let shared = owner.wait_for("shared");
    let mut dap = editor(&shared, "participant", directory.path(), json!({}));
    assert_eq!(dap.stop().0, "entry");
    dap.request("configurationDone", Value::Null);
    owner.command("continue", json!({}));
    assert_eq!(dap.event("exited")["exitCode"], 0);
    assert_eq!(dap.refused("next", json!({"threadId": 1})), "the program has ended");
    owner.command("restart", json!({}));
    dap.event("continued");
    assert_eq!(dap.stop().0, "entry");
    dap.request("next", json!({"threadId": 1}));
    assert_eq!(dap.stop().0, "step");
    // A restart that fails.
    std::fs::write(directory.path().join("p.ez"), "do main( {\n").unwrap();
    owner.command("restart", json!({}));
    dap.event("exited");
    // One can join even then, and start it again.
    let mut late = editor(&shared, "participant", directory.path(), json!({}));
    late.request("configurationDone", Value::Null);
    assert_eq!(late.refused("next", json!({"threadId": 1})), "the program has ended");
    let why = late.refused("restart", json!({}));
    assert!(why.contains("expected parameter name"), "{why}");
    std::fs::write(directory.path().join("p.ez"), PROGRAM).unwrap();
    late.request("restart", json!({}));
    assert_eq!(late.stop().0, "entry");
    assert_eq!(dap.stop().0, "entry");
    // And after the end.
    owner.command("continue", json!({}));
    late.event("exited");
    let mut last = editor(&shared, "observer", directory.path(), json!({}));
    last.event("exited");
    for mut dap in [dap, late, last] {
        dap.request("disconnect", json!({}));
        owner.wait_for("guestLeft");
    }
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

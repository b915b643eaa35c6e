//! Sessions that several clients use: scenarios as snapshots, and guests that misbehave.
//!
//! `testdata/together/NAME.txt` is a scenario with several clients. The owner of the session has the name `owner`:
//!
//! ```text
//! # a comment
//! owner > share name=Ann     a client sends a command, and waits until it is answered
//! Bob joins as observer      a guest connects, and attaches
//! Bob ! pause                sends, and waits for nothing
//! Bob < stopped              waits for an event
//! Bob leaves                 disconnects
//! Bob vanishes               closes its connection
//! ```
//!
//! Commands are those of `tests/support/src/scenario.rs`. What a client is told is read when it waits, and at the end.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};
use support::scenario::{Command, Dialect, Ez, command, depends_on_the_machine};
use support::socket::{Client, Listening};
use support::{testdata, without_directory, without_version};

/// The address and the tokens of a shared session.
pub struct Door {
    host: String,
    port: u16,
    pub tokens: BTreeMap<String, String>,
}

impl Door {
    pub fn new(shared: &Value) -> Door {
        Door {
            host: shared["host"].as_str().unwrap().into(),
            port: shared["port"].as_u64().unwrap() as u16,
            tokens: serde_json::from_value(shared["tokens"].clone()).unwrap(),
        }
    }

    pub fn stream(&self) -> TcpStream {
        TcpStream::connect((self.host.as_str(), self.port)).unwrap()
    }

    /// A guest that has said nothing yet.
    pub fn client(&self, role: &str) -> Client {
        Client::new(self.stream(), &self.tokens[role])
    }

    /// An observer that asks to join, and reads nothing.
    fn silent(&self, name: &str) -> TcpStream {
        let mut stream = self.stream();
        let params = json!({"token": self.tokens["observer"], "name": name, "protocolVersion": 2});
        let line = json!({"type": "command", "command": "attach", "params": params});
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        stream
    }

    /// A guest that has joined.
    pub fn guest(&self, role: &str, name: &str) -> Client {
        let mut guest = self.client(role);
        guest.first("attach", json!({"protocolVersion": 2, "name": name}));
        guest.wait_for("attached");
        guest
    }
}

/// A client of a scenario, and how many commands it has sent.
struct Player {
    client: Client,
    sent: u64,
}

/// A scenario that is being played.
struct Play<'a> {
    directory: &'a Path,
    players: BTreeMap<String, Player>,
    door: Option<Door>,
    told: String,
}

impl Play<'_> {
    /// Reads what a client is told, until `is_last` says so.
    fn read(&mut self, name: &str, is_last: impl Fn(&Value) -> bool) {
        let player = self.players.get_mut(name).unwrap();
        while let Some(line) = player.client.line() {
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"].as_str().is_some_and(depends_on_the_machine) {
                continue;
            }
            self.told += &format!("{name} < {line}\n");
            if event["event"] == "shared" {
                self.door = Some(Door::new(&event["data"]));
            }
            if is_last(&event) {
                return;
            }
        }
    }

    /// Sends a command; returns its `id`.
    fn send(&mut self, name: &str, mut command: Command) -> u64 {
        let player = self.players.get_mut(name).unwrap();
        player.sent += 1;
        if let Some(own) = command.id.replace(player.sent.into()) {
            command.params.insert("id".into(), own);
        }
        let line = Ez.command(&command);
        self.told += &format!("{name} > {line}\n");
        player.client.raw(&format!("{line}\n"));
        player.sent
    }

    fn ask(&mut self, name: &str, command: Command) {
        let id = self.send(name, command);
        let more_comes =
            |event: &Value| ["started", "restarted", "paused"].iter().any(|name| event["event"] == *name);
        self.read(name, |event| event["id"] == id && !more_comes(event));
    }

    fn command(&self, text: &str) -> Command {
        command(text, self.directory, "sums.ez")
    }

    fn line(&mut self, line: &str) {
        let (name, rest) = line.split_once(' ').unwrap();
        match rest.split_once(' ').unwrap_or((rest, "")) {
            (">", text) => {
                let mut command = self.command(text);
                if command.name == "initialize" {
                    command.params.insert("protocolVersion".into(), 2.into());
                }
                self.ask(name, command);
            }
            ("!", text) => {
                let command = self.command(text);
                self.send(name, command);
            }
            ("<", event) => self.read(name, |told| told["event"] == event),
            ("joins", role) => {
                let role = role.strip_prefix("as ").unwrap();
                let door =
                    self.door.as_ref().unwrap_or_else(|| panic!("the session is not shared:\n{}", self.told));
                let (client, token) = (door.client(role), door.tokens[role].clone());
                self.players.insert(name.into(), Player { client, sent: 0 });
                let mut attach = self.command("attach");
                attach.params.insert("token".into(), token.into());
                attach.params.insert("protocolVersion".into(), 2.into());
                attach.params.insert("name".into(), name.into());
                self.ask(name, attach);
            }
            ("leaves", "") => {
                let leave = self.command("disconnect");
                self.ask(name, leave);
                self.read(name, |_| false);
                self.players.remove(name);
            }
            ("vanishes", "") => self.players.remove(name).unwrap().client.vanish(),
            _ => panic!("no step of a scenario: {line}"),
        }
    }
}

/// Plays a scenario; gives all that was said.
fn play(name: &str) -> String {
    let directory = testdata("together");
    let text = std::fs::read_to_string(directory.join(format!("{name}.txt"))).unwrap();
    let server = Listening::debugserver(&directory, &[]);
    let owner = Player { client: server.client(), sent: 0 };
    let players = BTreeMap::from([("owner".to_string(), owner)]);
    let mut play = Play { directory: &directory, players, door: None, told: String::new() };
    let mut is_first = true;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if std::mem::take(&mut is_first) {
            let line = format!("{line} token={}", server.token);
            play.line(&line);
        } else {
            play.line(line);
        }
    }
    let names: Vec<String> = play.players.keys().cloned().collect();
    for name in names {
        play.read(&name, |_| false);
    }
    let mut told = without_version(&without_directory(&play.told, &directory));
    let tokens = play.door.iter().flat_map(|door| door.tokens.values()).chain([&server.token]);
    for token in tokens {
        told = told.replace(token, "TOKEN");
    }
    let port = play.door.map_or(0, |door| door.port);
    told.replace(&format!(r#""port":{port},"#), r#""port":41234,"#)
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(#[test] fn $name() { insta::assert_snapshot!(stringify!($name), play(stringify!($name))); })*

        #[test]
        fn every_scenario_is_played() {
            let names = [$(stringify!($name)),*];
            for entry in std::fs::read_dir(testdata("together")).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap().to_string();
                assert!(path.extension().is_none_or(|end| end != "txt") || names.contains(&&*name), "{name}");
            }
        }
    };
}

scenarios! {
    breakpoints
    in_the_past
    looking_on
    restarting
    taking_turns
}

/// A server with a session that is shared, and its owner, before the program starts.
pub fn shared(directory: &Path, file: &str) -> (Listening, Client, Door) {
    let server = Listening::debugserver(directory, &[file]);
    let mut owner = server.client();
    owner.first("initialize", json!({"protocolVersion": 2, "keepAlive": true, "stopOnEntry": true}));
    owner.wait_for("initialized");
    owner.command("share", json!({}));
    let door = Door::new(&owner.wait_for("shared"));
    (server, owner, door)
}

pub fn directory_with(text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), text).unwrap();
    directory
}

const PRINTS: &str = "import @std\nusing std\ndo main() {\n    temp line string = \".\"\n    for i in range(0, 10) {\n        line += line\n    }\n    as_long_as true {\n        println(line)\n    }\n}\n";

/// Reads what a client is told and forgets it, until `is_last` says so of a line that is no output.
fn read_away(stream: &TcpStream, mut is_last: impl FnMut(&str) -> bool) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if !line.contains(r#""stdout""#) && is_last(&line) {
            return;
        }
    }
}

#[test]
fn guests_that_do_not_read_are_sent_away_and_hold_nobody_up() {
    let directory = directory_with(PRINTS);
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    let reads = door.silent("reads");
    let never_reads = door.silent("never reads");
    let mut stalls = door.silent("stalls");
    stalls.write_all(b"{\"type\":\"command\",\"comm").unwrap();
    let mut floods = door.silent("floods");
    let flood = std::thread::spawn(move || {
        let line = "{\"type\":\"command\",\"command\":\"getState\"}\n".repeat(100);
        while floods.write_all(line.as_bytes()).is_ok() {}
    });
    for _ in 0..4 {
        owner.wait_for("guestJoined");
    }
    let reading = std::thread::spawn(move || {
        let mut last = String::new();
        read_away(&reads, |line| {
            last = line.to_string();
            false
        });
        last
    });
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    let mut owner = owner.into_stream();
    owner.write_all(b"{\"type\":\"command\",\"command\":\"continue\"}\n").unwrap();
    let mut left = 0;
    read_away(&owner, |line| {
        left += usize::from(line.contains("guestLeft"));
        left == 3
    });
    assert_eq!(left, 3);
    owner.write_all(b"{\"type\":\"command\",\"command\":\"terminate\"}\n").unwrap();
    read_away(&owner, |line| line.contains("terminated"));
    // Who reads, however slowly, stays to the end.
    assert!(reading.join().unwrap().contains("terminated"));
    drop((never_reads, stalls));
    flood.join().unwrap();
    assert!(server.end().0.success());
}

#[test]
fn who_floods_and_reads_is_only_answered_more_slowly() {
    let directory = directory_with(PRINTS);
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    let mut busy = door.guest("observer", "busy");
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    const COUNT: usize = 3000;
    let line = "{\"type\":\"command\",\"command\":\"getVariables\",\"id\":1}\n";
    busy.raw(&line.repeat(COUNT));
    for _ in 0..20 {
        owner.command("stepInto", json!({}));
        owner.wait_for("stopped");
    }
    let answers = std::iter::from_fn(|| busy.event()).filter(|event| event["event"] == "variables");
    assert_eq!(answers.take(COUNT).count(), COUNT);
    owner.command("terminate", json!({}));
    assert!(busy.until_closed().iter().any(|event| event["event"] == "terminated"));
    assert!(server.end().0.success());
}

#[test]
fn only_who_has_a_token_joins_and_attaches_first() {
    let directory = directory_with(PRINTS);
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    let refused = |stream: TcpStream, token: &str, command: &str| {
        let mut client = Client::new(stream, token);
        client.first(command, json!({"protocolVersion": 2}));
        let told = client.until_closed();
        assert_eq!(told.len(), 1, "{told:?}");
        told[0]["data"]["message"].as_str().unwrap().to_string()
    };
    assert_eq!(refused(door.stream(), "x", "attach"), "wrong parameter 'token'");
    // The owner's token is for the owner's door.
    assert_eq!(refused(door.stream(), &server.token, "attach"), "wrong parameter 'token'");
    let participant = &door.tokens["participant"];
    assert_eq!(refused(server.stream(), participant, "attach"), "wrong parameter 'token'");
    for command in ["initialize", "getState", "nonsense"] {
        let why = refused(door.stream(), participant, command);
        assert_eq!(why, "the first command of a guest must be 'attach'");
    }
    let guests: Vec<Client> = (0..16).map(|_| door.guest("observer", "")).collect();
    assert_eq!(refused(door.stream(), participant, "attach"), "the session has 16 guests already");
    owner.command("unshare", json!({}));
    owner.wait_for("unshared");
    for mut guest in guests {
        let told = guest.until_closed();
        assert_eq!(told.last().unwrap()["event"], "dismissed", "{told:?}");
    }
    // Nothing listens any more, as soon as the listener's thread has looked.
    while TcpStream::connect((door.host.as_str(), door.port)).is_ok() {}
    owner.command("share", json!({"listen": "0.0.0.0:0"}));
    let error = owner.wait_for("error");
    assert!(
        error["message"].as_str().unwrap().starts_with("wrong parameter 'listen': 0.0.0.0:0 would accept")
    );
    owner.command("share", json!({"listen": "nonsense"}));
    owner.wait_for("error");
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
}

#[test]
fn a_guest_gets_long_answers() {
    let program = format!(
        "import @std, @strings\nusing std\n/* {} */\ndo main() {{\n    temp s string = strings.repeat(\"x\", 1000000)\n    println(len(s))\n}}\n",
        "long ".repeat(400_000)
    );
    let directory = directory_with(&program);
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    owner.command("stepOver", json!({}));
    owner.wait_for("stopped");
    let mut guest = door.guest("observer", "reads");
    let evaluate =
        json!({"type": "command", "command": "evaluate", "params": {"expression": "s", "format": "full"}});
    guest.raw(&format!("{evaluate}\n").repeat(4));
    guest.command("getSource", json!({"file": "a.ez"}));
    let mut sources = 0;
    while sources < program.len() {
        sources += guest.wait_for("source")["text"].as_str().unwrap().len();
    }
    owner.command("terminate", json!({}));
    assert!(guest.until_closed().iter().any(|event| event["event"] == "terminated"));
    assert!(server.end().0.success());
}

/// How many threads a process has.
#[cfg(target_os = "linux")]
fn threads_of(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/task")).unwrap().count()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_of_guests_that_were_sent_away() {
    let directory = directory_with(PRINTS);
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    let before = threads_of(server.process());
    let silent: Vec<TcpStream> = (0..8)
        .map(|_| {
            let guest = door.silent("silent");
            owner.wait_for("guestJoined");
            guest
        })
        .collect();
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    let mut owner = owner.into_stream();
    owner.write_all(b"{\"type\":\"command\",\"command\":\"continue\"}\n").unwrap();
    let mut left = 0;
    read_away(&owner, |line| {
        left += usize::from(line.contains("guestLeft"));
        left == 8
    });
    owner.write_all(b"{\"type\":\"command\",\"command\":\"pause\"}\n").unwrap();
    read_away(&owner, |line| line.contains("stopped"));
    // The threads of their connections end a little later.
    while threads_of(server.process()) > before {
        owner.write_all(b"{\"type\":\"command\",\"command\":\"getGuests\"}\n").unwrap();
        read_away(&owner, |line| line.contains(r#""guests":[]"#));
    }
    drop(silent);
    owner.write_all(b"{\"type\":\"command\",\"command\":\"terminate\"}\n").unwrap();
    read_away(&owner, |line| line.contains("terminated"));
    assert!(server.end().0.success());
}

/// Whatever command an observer sends, in whatever protocol, the state of the session stays as it is.
#[test]
fn an_observer_changes_nothing_with_any_command() {
    let directory = directory_with(
        "import @std\nusing std\ndo main() {\n    temp x int = 1\n    temp y int = x + 1\n    x = y * 2\n    println(x)\n}\n",
    );
    let (server, mut owner, door) = shared(directory.path(), "a.ez");
    owner.command("setBreakpoint", json!({"file": "a.ez", "line": 7}));
    owner.wait_for("breakpointSet");
    owner.command("addWatch", json!({"expression": "x"}));
    owner.command("start", json!({}));
    owner.wait_for("stopped");
    owner.command("stepInto", json!({}));
    owner.wait_for("stopped");
    let state = |owner: &mut Client| {
        owner.command("getState", json!({}));
        let state = owner.wait_for("state");
        owner.command("getVariables", json!({}));
        (state, owner.wait_for("variables"))
    };
    let before = state(&mut owner);
    let described =
        String::from_utf8(support::ez().args(["debugserver", "--describe"]).output().unwrap().stdout);
    let described: Value = serde_json::from_str(&described.unwrap()).unwrap();
    let params = json!({
        "file": "a.ez", "line": 6, "expression": "x", "name": "x", "value": "7", "id": 1, "text": "a\n",
        "breakpoints": [{"line": 6, "name": "x", "frameIndex": 0}], "filters": ["uncaught"], "condition": "true",
        "frameIndex": 0, "step": 1, "offset": 0, "reference": 1, "column": 1, "pid": 1, "resume": true,
    });
    let names: Vec<&str> = described["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["name"].as_str().unwrap())
        .collect();
    assert!(names.len() > 50);
    for jsonrpc in [false, true] {
        for name in &names {
            let mut guest = door.client("observer");
            let say = |guest: &mut Client, id: u64, name: &str, params: &Value| {
                let line = match jsonrpc {
                    false => json!({"type": "command", "command": name, "params": params, "id": id}),
                    true => json!({"jsonrpc": "2.0", "method": name, "params": params, "id": id}),
                };
                guest.raw(&format!("{line}\n"));
            };
            let attach = json!({"protocolVersion": 2, "token": door.tokens["observer"]});
            say(&mut guest, 1, "attach", &attach);
            say(&mut guest, 2, name, &params);
            let answered = std::iter::from_fn(|| guest.event()).any(|event| event["id"] == 2);
            assert!(answered, "{name} is not answered");
            guest.vanish();
        }
        assert_eq!(state(&mut owner), before);
    }
    owner.command("terminate", json!({}));
    owner.wait_for("terminated");
    assert!(server.end().0.success());
}

/// A session that is being shared, and listed in the folder `run` of the directory.
#[cfg(unix)]
fn shared_in_list() -> (tempfile::TempDir, support::Server) {
    let directory = directory_with(PRINTS);
    let run = directory.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let mut command = support::ez();
    command.args(["debugserver", "a.ez"]).current_dir(directory.path()).env("XDG_RUNTIME_DIR", &run);
    let mut server = support::Server::run(&mut command);
    server.ask("initialize", json!({"protocolVersion": 2}));
    server.command("share", json!({}));
    (directory, server)
}

#[cfg(unix)]
#[test]
fn the_list_of_shared_sessions_is_private_and_true() {
    use std::os::unix::fs::PermissionsExt;
    let (directory, mut server) = shared_in_list();
    let run = directory.path().join("run");
    let port = server.wait_for("shared")["port"].clone();
    let list = run.join("ez");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&list), 0o700);
    let entries = || std::fs::read_dir(&list).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let [entry] = entries().try_into().unwrap();
    assert_eq!(mode(&entry), 0o600);
    let text: Value = serde_json::from_str(&std::fs::read_to_string(&entry).unwrap()).unwrap();
    assert_eq!(text["port"], port);
    server.command("unshare", json!({}));
    server.wait_for("unshared");
    assert!(entries().is_empty());
    server.command("share", json!({}));
    server.wait_for("shared");
    server.command("terminate", json!({}));
    assert!(server.wait().success());
    assert!(entries().is_empty(), "the end of the session takes it from the list");
}

/// A list in a place where others can write is only believed as far as it is this user's.
#[cfg(unix)]
#[test]
fn the_list_of_somebody_else_is_not_ones_own() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let (directory, mut server) = shared_in_list();
    let run = directory.path().join("run");
    server.wait_for("shared");
    let list = run.join("ez");
    let entry = std::fs::read_dir(&list).unwrap().next().unwrap().unwrap().path();
    let join = || {
        let mut command = support::ez();
        command.args(["debug", "--join"]).current_dir(directory.path()).env("XDG_RUNTIME_DIR", &run);
        let output = support::with_input(&mut command, "quit\n");
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    assert!(join().contains("Joined the session"), "{}", join());
    set_mode(&entry, 0o644);
    assert!(join().contains("you share no session"), "{}", join());
    set_mode(&entry, 0o600);
    set_mode(&list, 0o755);
    assert!(join().contains("others can read it"), "{}", join());
    set_mode(&list, 0o700);
    // Only the superuser can give something away.
    if chown(&entry, Some(65534), None).is_ok() {
        assert!(join().contains("you share no session"), "{}", join());
        chown(&list, Some(65534), None).unwrap();
        assert!(join().contains("it belongs to another user"), "{}", join());
    }
    drop(server);
}

#[test]
fn a_guest_whose_first_command_is_wrong_is_told_why() {
    let directory = directory_with(PRINTS);
    let (_server, _owner, door) = shared(directory.path(), "a.ez");
    let token = &door.tokens["participant"];
    let says = |line: Value| {
        let mut stream = door.stream();
        writeln!(stream, "{line}").unwrap();
        let mut lines = BufReader::new(stream).lines();
        let line = lines.next().unwrap().unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(event["id"], 1, "{line}");
        assert!(lines.next().is_none(), "the connection is closed");
        event
            .pointer("/data/message")
            .or_else(|| event.pointer("/error/message"))
            .unwrap()
            .as_str()
            .unwrap()
            .to_string()
    };
    for (name, value, wrong) in [
        ("name", json!(5), "'name'"),
        ("protocolVersion", json!("2"), "'protocolVersion'"),
        ("notation", json!("foo"), "'notation'"),
        ("name", json!(["x"]), "'name'"),
    ] {
        let mut params = json!({"token": token, "protocolVersion": 2});
        params[name] = value;
        for line in [
            json!({"type": "command", "command": "attach", "params": params, "id": 1}),
            json!({"jsonrpc": "2.0", "method": "attach", "params": params, "id": 1}),
        ] {
            let why = says(line);
            assert!(why.contains(wrong) && !why.contains("first command"), "{why}");
        }
    }
    let params = json!({"token": token});
    for line in [
        json!({"type": "command", "command": "getState", "params": params, "id": 1}),
        json!({"jsonrpc": "2.0", "method": "getState", "params": params, "id": 1}),
    ] {
        assert_eq!(says(line), "the first command of a guest must be 'attach'");
    }
}

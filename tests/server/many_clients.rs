//! A session with up to sixteen guests of all protocols at once, which send at random, leave, are killed, stall and
//! are cut in the middle of a message: whatever the others do, each request is answered once, to the one who has sent it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use support::mcp::McpClient;
use support::socket::Listening;
use support::{HANG, Server, ez};

/// How many commands a test sends. More, with `EZ_COMMANDS`, take longer.
const COMMANDS: usize = 3_000;
/// How many requests a client has that are not answered.
const WINDOW: usize = 4;
/// The owner sends a command each time that guests have sent so many.
const OWNERS_TURN: usize = 4;

const PROGRAM: &str = "import @std
using std

do work(n int) -> int {
    temp parts [int] = {n, n + 1, n + 2}
    temp sum int = 0
    for_each part in parts {
        sum += part * 2
    }
    return sum % 97
}

do main() {
    temp round int = 0
    temp last int = 0
    loop {
        last = work(round)
        round += 1
        // Else it would run far ahead where a pause comes late, and its past would be long.
        if round % 5 == 0 {
            sleep_milliseconds(1)
        }
        if round % 100 == 0 {
            println(\"round ${round}: ${last}\")
        }
    }
}
";

/// How a client writes its messages.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Envelope {
    Line,
    Rpc,
    Dap,
}

/// A client on a connection, whose answers are counted.
struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    envelope: Envelope,
    last: u64,
    open: Arc<Mutex<BTreeMap<u64, String>>>,
    /// The watches of the session that guests have added, and not removed.
    watches: Arc<Mutex<Vec<u64>>>,
    /// The last events of the session.
    told: Vec<(String, Value)>,
    /// Of a client that only looks: the events of which all are told.
    story: Option<Vec<Told>>,
}

/// An event that all who only look are told: its name, and a hash of what it contains.
#[derive(Debug, PartialEq)]
struct Told(String, u64);

impl Told {
    fn new(name: &str, data: &Value) -> Option<Told> {
        let is_of_all = !["guestJoined", "guestLeft", "variableUpdate", "output"].contains(&name);
        is_of_all.then(|| {
            let mut hasher = DefaultHasher::new();
            data.to_string().hash(&mut hasher);
            Told(name.into(), hasher.finish())
        })
    }
}

impl Client {
    fn new(stream: TcpStream, envelope: Envelope) -> Client {
        stream.set_read_timeout(Some(HANG)).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Client {
            stream,
            reader,
            envelope,
            last: 0,
            open: Arc::default(),
            watches: Arc::default(),
            told: Vec::new(),
            story: None,
        }
    }

    /// Another one on the same connection, which only sends; this one only reads from now on.
    fn sender(&self) -> Client {
        let client = Client::new(self.stream.try_clone().unwrap(), self.envelope);
        Client { last: self.last, open: self.open.clone(), ..client }
    }

    fn packed(&self, id: u64, name: &str, params: &Value) -> String {
        match self.envelope {
            Envelope::Line => {
                format!("{}\n", json!({"type": "command", "command": name, "params": params, "id": id}))
            }
            Envelope::Rpc => {
                format!("{}\n", json!({"jsonrpc": "2.0", "method": name, "params": params, "id": id}))
            }
            Envelope::Dap => {
                let text =
                    json!({"seq": id, "type": "request", "command": name, "arguments": params}).to_string();
                format!("Content-Length: {}\r\n\r\n{text}", text.len())
            }
        }
    }

    fn send(&mut self, name: &str, params: &Value) -> u64 {
        self.last += 1;
        let packed = self.packed(self.last, name, params);
        self.open.lock().unwrap().insert(self.last, packed.clone());
        // Who has been sent away is told so by the next read.
        let _ = self.stream.write_all(packed.as_bytes());
        self.last
    }

    /// Sends the first part of a message.
    fn send_half(&mut self, name: &str, params: &Value) {
        let packed = self.packed(self.last + 1, name, params);
        let _ = self.stream.write_all(&packed.as_bytes()[..packed.len() / 2]);
    }

    /// The next message, of which an answer must be to a request that is open; `None` at the end.
    fn read(&mut self) -> Option<Value> {
        let message = match self.envelope {
            Envelope::Line | Envelope::Rpc => {
                let mut line = String::new();
                let count = self.reader.read_line(&mut line);
                let count = count.unwrap_or_else(|error| self.hangs(&error));
                if count == 0 {
                    return None;
                }
                serde_json::from_str(&line).unwrap()
            }
            Envelope::Dap => self.read_framed()?,
        };
        if let Some(id) = self.answers(&message) {
            let request = self.open.lock().unwrap().remove(&id);
            assert!(request.is_some(), "an answer to no open request: {message}");
            let answer = if self.envelope == Envelope::Rpc { &message["result"] } else { &message["data"] };
            if message["event"] == "watchAdded" || answer["event"] == "watchAdded" {
                self.watches.lock().unwrap().push(answer["id"].as_u64().unwrap());
            }
        } else if let Some(name) = message["event"].as_str().or(message["method"].as_str()) {
            let data = [&message["data"], &message["params"], &message["body"]];
            let data = data.into_iter().find(|data| !data.is_null()).cloned().unwrap_or_default();
            if let Some(story) = &mut self.story {
                story.extend(Told::new(name, &data));
            }
            if self.told.len() == 5 {
                self.told.remove(0);
            }
            self.told.push((name.into(), data));
        }
        Some(message)
    }

    fn read_framed(&mut self) -> Option<Value> {
        let mut header = String::new();
        let count = self.reader.read_line(&mut header);
        if count.unwrap_or_else(|error| self.hangs(&error)) == 0 {
            return None;
        }
        let length = header.trim_end().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.reader.read_line(&mut String::new()).unwrap();
        self.reader.read_exact(&mut body).unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }

    fn hangs(&self, error: &std::io::Error) -> ! {
        let last: Vec<_> = self.told.iter().rev().take(5).collect();
        panic!("{error}; open: {:?}; last told: {last:?}", self.open)
    }

    /// The request that a message is the answer to.
    fn answers(&self, message: &Value) -> Option<u64> {
        let has_more = |event: &str| event == "started" || event == "restarted";
        match self.envelope {
            Envelope::Line if message["event"].as_str().is_some_and(has_more) => None,
            Envelope::Line => message["id"].as_u64(),
            Envelope::Rpc => message["id"].as_u64(),
            Envelope::Dap => message["request_seq"].as_u64(),
        }
    }

    /// Sends a request, and waits for its answer.
    fn ask(&mut self, name: &str, params: &Value) -> Value {
        let id = self.send(name, params);
        loop {
            let message = self.read().unwrap_or_else(|| panic!("{name} {params} is not answered"));
            if self.answers(&message) == Some(id) {
                return message;
            }
        }
    }

    /// Reads until there is room for another request.
    fn make_room(&mut self, window: usize) {
        while self.open.lock().unwrap().len() >= window {
            let message = self.read();
            assert!(message.is_some(), "closed before the answer to {:?}", self.open);
        }
    }

    /// Reads until the connection is closed; nothing is left without an answer.
    fn end(mut self) -> Option<Vec<Told>> {
        while self.read().is_some() {}
        assert!(self.open.lock().unwrap().is_empty(), "not answered: {:?}", self.open);
        self.story
    }
}

/// A shared session.
struct Session<'a> {
    directory: &'a Path,
    host: String,
    port: u16,
    tokens: Value,
    /// How many commands each guest sends.
    commands: usize,
    /// How many commands guests have sent.
    sent: AtomicUsize,
    /// Guests that have not sent all that they send.
    left: AtomicUsize,
    /// Sends as the owner.
    owner: Mutex<(Client, Dice)>,
    /// Connections that nobody reads any more.
    stalled: Mutex<Vec<Client>>,
    /// As in [`Client`].
    watches: Arc<Mutex<Vec<u64>>>,
}

/// A guest that sends, until this is dropped, even by a panic.
struct Sends<'a>(&'a Session<'a>);

impl Sends<'_> {
    /// It sends another command.
    fn one(&self) {
        if self.0.sent.fetch_add(1, Ordering::Relaxed).is_multiple_of(OWNERS_TURN) {
            let (owner, dice) = &mut *self.0.owner.lock().unwrap();
            // Only what waits for no run.
            let (name, params) = dice.draw(&one_of(&["pause", "getState", "getBreakpoints", "getGuests"]));
            owner.send(name, &params);
        }
    }
}

impl Drop for Sends<'_> {
    fn drop(&mut self) {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 1
            && let Ok(mut owner) = self.0.owner.lock()
        {
            owner.0.send("terminate", &json!({}));
        }
    }
}

impl Session<'_> {
    fn join(&self, envelope: Envelope, role: &str, name: &str) -> Client {
        // One that has just gone may not be missed yet.
        std::iter::repeat_with(|| self.try_to_join(envelope, role, name)).find_map(|client| client).unwrap()
    }

    /// Joins; `None` if there are too many.
    fn try_to_join(&self, envelope: Envelope, role: &str, name: &str) -> Option<Client> {
        let mut client = Client::new(TcpStream::connect((self.host.as_str(), self.port)).unwrap(), envelope);
        client.watches = self.watches.clone();
        if envelope == Envelope::Dap {
            client.ask("initialize", &json!({"adapterID": "ez"}));
        }
        let attach = json!({"protocolVersion": 2, "token": self.tokens[role], "name": name});
        let answer = client.ask("attach", &attach);
        if !answer["error"].is_null() || answer["event"] == "error" || answer["success"] == false {
            assert!(answer.to_string().contains("the session has 16 guests already"), "{answer}");
            return None;
        }
        if envelope == Envelope::Dap {
            assert_eq!(client.ask("configurationDone", &Value::Null)["success"], true);
        }
        Some(client)
    }

    /// A guest that sends commands at random, and does not always behave; then it waits for the end.
    fn plays(&self, seed: u8, envelope: Envelope, role: &str) {
        let sends = Sends(self);
        let mut dice = Dice::new(seed);
        let commands = if envelope == Envelope::Dap { requests() } else { commands() };
        let mut client = self.join(envelope, role, &format!("guest {seed}"));
        for _ in 0..self.commands {
            sends.one();
            let (name, params) = dice.draw(&commands);
            match dice.draw(&(0..500)) {
                0 => {
                    client.send(name, &params);
                    let _ = client.stream.shutdown(Shutdown::Both);
                }
                1 => {
                    client.send_half(name, &params);
                    let _ = client.stream.shutdown(Shutdown::Both);
                }
                2 if self.stalled.lock().unwrap().len() < 3 => {
                    client.send_half(name, &params);
                    let stalled =
                        std::mem::replace(&mut client, self.join(envelope, role, &format!("guest {seed}")));
                    self.stalled.lock().unwrap().push(stalled);
                    continue;
                }
                3 => {
                    client.ask("disconnect", &json!({}));
                }
                _ => {
                    client.make_room(WINDOW);
                    // So that there are only some: each is computed at each stop.
                    let too_many =
                        |watches: &mut Vec<u64>| if watches.len() < 10 { None } else { watches.pop() };
                    let watch = (name == "addWatch").then(|| too_many(&mut self.watches.lock().unwrap()));
                    match watch.flatten() {
                        Some(id) => client.send("removeWatch", &json!({"id": id})),
                        None => client.send(name, &params),
                    };
                    continue;
                }
            }
            client = self.join(envelope, role, &format!("guest {seed}"));
        }
        // What has not come to the session when it ends is not answered.
        client.make_room(1);
        drop(sends);
        client.end();
    }

    /// A guest that only looks: gives what it was told.
    fn looks_on(&self, mut client: Client) -> Vec<Told> {
        client.story = Some(Vec::new());
        client.end().unwrap()
    }

    /// An agent, whose server is killed now and then.
    fn is_an_agents(&self, seed: u8) {
        let sends = Sends(self);
        let mut dice = Dice::new(seed);
        let commands = commands();
        let start = || {
            let mut agent = McpClient::start(self.directory);
            let address = format!("{}:{}", self.host, self.port);
            let join = json!({"address": address, "token": self.tokens["participant"], "name": "agent"});
            while agent.call("debug_join", join.clone())["isError"] == true {}
            agent
        };
        let mut agent = start();
        for _ in 0..self.commands {
            sends.one();
            let (name, params) = dice.draw(&commands);
            // A watch of which only the agent knows would be computed at each stop for ever.
            if name == "addWatch" {
                continue;
            }
            if dice.draw(&(0..300)) == 0 {
                agent.begin_call("debug_do", json!({"session": "s1", "command": name, "params": params}));
                agent.server().process().kill().unwrap();
                agent = start();
            }
            let call = json!({"session": "s1", "command": name, "params": params});
            agent.call("debug_do", call);
        }
        drop(sends);
        agent.call("debug_stop", json!({"session": "s1"}));
    }

    /// A person at a terminal.
    fn is_a_terminals(&self, seed: u8) {
        let sends = Sends(self);
        let mut dice = Dice::new(seed);
        let mut command = ez();
        let address = format!("{}:{}", self.host, self.port);
        command.args(["debug", "--join", &address, "--name", "terminal"]).current_dir(self.directory);
        command.env("EZ_TOKEN", self.tokens["participant"].as_str().unwrap());
        let mut terminal = Server::run(&mut command);
        let lines = select(vec![
            "next",
            "step",
            "out",
            "back",
            "print sum",
            "print round",
            "where",
            "locals",
            "list",
            "breakpoints",
            "x",
        ]);
        for _ in 0..self.commands {
            sends.one();
            terminal.send(&format!("{}\n", dice.draw(&lines)));
        }
        drop(sends);
        terminal.close();
        while terminal.line().is_some() {}
        assert!(terminal.wait().code().is_some());
    }
}

/// Random values, which are the same for the same seed.
struct Dice(TestRunner);

impl Dice {
    fn new(seed: u8) -> Dice {
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        Dice(TestRunner::new_with_rng(Default::default(), rng))
    }

    fn draw<S: Strategy>(&mut self, strategy: &S) -> S::Value {
        strategy.new_tree(&mut self.0).unwrap().current()
    }
}

type Commands = BoxedStrategy<(&'static str, Value)>;

fn one(name: &'static str, params: Value) -> Commands {
    Just((name, params)).boxed()
}

fn one_of(names: &'static [&'static str]) -> Commands {
    select(names).prop_map(|name| (name, json!({}))).boxed()
}

/// Commands of the line protocol and JSON-RPC.
fn commands() -> Commands {
    let line = || 1..24u32;
    let id = || 1..20u32;
    prop_oneof![
        20 => one_of(&["stepInto", "stepOver", "stepOut", "stepBack", "stepBackOver", "goToPresent"]),
        4 => one_of(&["continue", "reverseContinue", "pause", "pause"]),
        10 => one_of(&["getState", "getVariables", "getStackTrace", "getBreakpoints", "getWatches", "unfold"]),
        10 => select(vec!["round", "sum + 1", "parts", "sum = 3", "nothing", "work(4)"])
            .prop_map(|text| ("evaluate", json!({"expression": text}))),
        5 => line().prop_map(|line| ("setBreakpoint", json!({"file": "p.ez", "line": line, "condition": "sum == 2"}))),
        5 => (line(), line()).prop_map(|(a, b)| {
            ("setBreakpoints", json!({"file": "p.ez", "breakpoints": [{"line": a}, {"line": b, "hitCondition": "7"}]}))
        }),
        5 => (id(), select(vec!["removeBreakpoint", "disableBreakpoint", "enableBreakpoint", "removeWatch"]))
            .prop_map(|(id, name)| (name, json!({"id": id}))),
        2 => one("addWatch", json!({"expression": "last"})),
        2 => one("setVariable", json!({"name": "round", "value": "5"})),
        2 => one("changes", json!({"expression": "round"})),
        2 => one("getChildren", json!({"reference": 1})),
        2 => one_of(&["terminate", "share", "nonsense", "input"]),
        1 => one("getGuests", json!({})),
        1 => one("restart", json!({})),
    ]
    .boxed()
}

/// Requests of editors.
fn requests() -> Commands {
    let thread = |name| one(name, json!({"threadId": 1}));
    prop_oneof![
        10 => prop_oneof![thread("next"), thread("stepIn"), thread("stepOut"), thread("stepBack")],
        2 => prop_oneof![thread("continue"), thread("reverseContinue"), thread("pause"), thread("pause")],
        5 => prop_oneof![thread("stackTrace"), one("threads", Value::Null), one("scopes", json!({"frameId": 1}))],
        3 => (1..9u32).prop_map(|reference| ("variables", json!({"variablesReference": reference}))),
        3 => select(vec!["round", "sum", "nothing"]).prop_map(|text| ("evaluate", json!({"expression": text}))),
        3 => (1..24u32).prop_map(|line| {
            ("setBreakpoints", json!({"source": {"path": "p.ez"}, "breakpoints": [{"line": line}]}))
        }),
        1 => one_of(&["guests", "share", "nonsense", "terminate_"]),
    ]
    .boxed()
}

/// Plays a session with these guests; the owner and two that only look are there besides.
fn play(guests: &[(Envelope, &str)], has_others: bool) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.ez"), PROGRAM).unwrap();
    let server = Listening::debugserver(directory.path(), &["p.ez"]);
    let mut owner = Client::new(server.stream(), Envelope::Line);
    let launch = json!({"protocolVersion": 2, "history": true, "keepAlive": true, "token": server.token});
    owner.ask("initialize", &launch);
    owner.ask("start", &json!({}));
    let shared = owner.ask("share", &json!({"name": "Ann"}))["data"].clone();
    let everyone = guests.len() + if has_others { 2 } else { 0 };
    let commands = std::env::var("EZ_COMMANDS").map_or(COMMANDS, |text| text.parse().unwrap());
    let session = Session {
        directory: directory.path(),
        host: shared["host"].as_str().unwrap().into(),
        port: shared["port"].as_u64().unwrap() as u16,
        tokens: shared["tokens"].clone(),
        commands: commands / everyone,
        sent: AtomicUsize::new(0),
        left: AtomicUsize::new(everyone),
        owner: Mutex::new((owner.sender(), Dice::new(0))),
        stalled: Mutex::default(),
        watches: Arc::default(),
    };
    let session = &session;
    std::thread::scope(|scope| {
        let watchers = [Envelope::Line, Envelope::Rpc].map(|envelope| {
            let watcher = session.join(envelope, "observer", "watcher");
            scope.spawn(move || session.looks_on(watcher))
        });
        for (seed, &(envelope, role)) in (1..).zip(guests) {
            scope.spawn(move || session.plays(seed, envelope, role));
        }
        if has_others {
            scope.spawn(|| session.is_an_agents(100));
            scope.spawn(|| session.is_a_terminals(101));
        }
        while let Some(message) = owner.read() {
            // A run that all others wait for does not end by itself, and prints.
            let mut sender = session.owner.lock().unwrap();
            let pauses = || owner.open.lock().unwrap().values().any(|sent| sent.contains(r#""pause""#));
            if message["event"] == "output" && session.left.load(Ordering::Relaxed) > 0 && !pauses() {
                sender.0.send("pause", &json!({}));
            }
        }
        owner.end();
        let [one, other] = watchers.map(|watcher| watcher.join().unwrap());
        assert!(one.len() > commands / 20, "{} events", one.len());
        for (a, b) in one.iter().zip(&other) {
            assert_eq!(a, b);
        }
        assert_eq!(one.len(), other.len());
    });
    assert!(server.end().0.success());
}

#[test]
fn one_guest() {
    play(&[(Envelope::Line, "participant")], false);
}

#[test]
fn guests_of_each_protocol() {
    use Envelope::*;
    play(&[(Line, "participant"), (Rpc, "participant"), (Dap, "participant"), (Dap, "observer")], true);
}

#[test]
fn as_many_guests_as_there_may_be() {
    use Envelope::*;
    let participants = [Line, Rpc, Dap, Line, Rpc, Dap].map(|envelope| (envelope, "participant"));
    let observers = [Line, Rpc, Dap].map(|envelope| (envelope, "observer"));
    play(&[&participants[..], &observers].concat(), true);
}

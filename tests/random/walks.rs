//! Walks through the past of random programs: whatever the mixture of commands, each leads to a position of the
//! trace that steps forward have shown, `stepBack` and `stepInto` to the one before and after, and what fails
//! fails in the past as it does in the present, and changes nothing.
//!
//! For a long run, `EZ_SEED` is the first seed and `EZ_COUNT` the number of programs.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Value, json};
use support::Server;

use crate::generator::Program;
use crate::runs::declarations;
use crate::walk_questions;

/// Programs of a short run, the longest trace, and moves through each program.
const COUNT: u64 = 12;
const LONGEST: usize = 60;
const MOVES: usize = 40;

/// What identifies a position in a trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub step: u64,
    column: u64,
    error_values: u64,
    pub frames: u64,
    pub line: u64,
    /// Whether it is the end of the program or a run-time error: the last position.
    is_last: bool,
}

/// What the client is shown at a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub place: Place,
    variables: Value,
    pub output: u64,
    /// What the statement carried out last has computed.
    unfolded: (String, Value),
}

pub struct Session {
    server: Server,
    pub random: Rng,
    pub log: String,
    /// The steps at which the program stopped in the present, before a statement.
    statements: Vec<u64>,
    /// The text of the program.
    text: String,
}

impl Session {
    fn start(program: &Program, directory: &std::path::Path, random: Rng) -> Session {
        for (name, text) in &program.files {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut server = Server::start(directory, &["main.ez"]);
        server.command("initialize", json!({"protocolVersion": 2, "history": true, "stopOnEntry": true}));
        server.wait_for("initialized");
        let text = program.files.iter().map(|(_, text)| text.as_str()).collect();
        Session { server, random, log: String::new(), statements: Vec::new(), text }
    }

    /// The answer to a command: the event's name and its data.
    pub fn ask(&mut self, command: &str, params: Value) -> (String, Value) {
        self.server.send(&format!(
            "{}\n",
            json!({"type": "command", "command": command, "params": params, "id": "x"})
        ));
        loop {
            let event = self.server.event().unwrap_or_else(|| panic!("the server has ended\n{}", self.log));
            if event["event"] == "inputRequested" {
                self.server.command("input", json!({"text": "12"}));
            }
            if event["id"] == "x" && event["event"] != "started" {
                let name = event["event"].as_str().unwrap().to_string();
                self.log += &format!("{command} {params} -> {name} {}\n", brief(&event["data"]));
                return (name, event["data"].clone());
            }
        }
    }

    /// The answer to a command that leads to a stop; `None` if the program has ended.
    fn go(&mut self, command: &str, params: Value) -> Option<Place> {
        self.go_and_tell(command, params).map(|(place, _)| place)
    }

    /// The same, and whether it is the present.
    fn go_and_tell(&mut self, command: &str, params: Value) -> Option<(Place, bool)> {
        let (name, data) = self.ask(command, params);
        assert!(name == "stopped" || name == "exited", "{name} {data}\n{}", self.log);
        let is_statement = data["description"].as_str().is_some_and(|text| text.starts_with("St"));
        if data["past"] == false && is_statement {
            self.statements.push(data["step"].as_u64().unwrap());
        }
        (name == "stopped").then(|| (place(&data), data["past"] == false))
    }

    /// What is shown at the present stop.
    fn shown(&mut self, place: Place) -> Shown {
        let (_, mut variables) = self.ask("getVariables", json!({"frameIndex": 0}));
        without_references(&mut variables);
        let (_, state) = self.ask("getState", json!({}));
        let mut unfolded = self.ask("unfold", json!({}));
        without_references(&mut unfolded.1);
        let (_, mut later) = self.ask("getVariables", json!({"frameIndex": 0}));
        without_references(&mut later);
        assert_eq!(later, variables, "{}", self.log);
        assert_eq!(self.ask("getState", json!({})).1, state, "{}", self.log);
        self.check_unfolded(&unfolded, &variables);
        Shown { place, variables, output: state["outputLength"].as_u64().unwrap(), unfolded }
    }

    pub fn is_declared_once(&self, name: &str) -> bool {
        declarations(&self.text, name) == 1
    }

    /// What a statement has written to variables is what these have now; parts belong to later ones, and the
    /// value of an expression is that of the variable to which it was assigned.
    fn check_unfolded(&self, (name, data): &(String, Value), variables: &Value) {
        if name == "error" {
            let message = data["message"].as_str().unwrap();
            assert!(
                message.contains("nothing has been computed in this call yet"),
                "{message}\n{}",
                self.log
            );
            return;
        }
        assert_eq!(name, "unfolded", "{data}\n{}", self.log);
        let parts = data["parts"].as_array().unwrap();
        let is_later = |(index, part): (usize, &Value)| {
            part["parent"].as_u64().is_none_or(|parent| parent > index as u64 || data["truncated"] == true)
        };
        assert!(parts.iter().enumerate().all(is_later), "{data}\n{}", self.log);
        let writes = parts.iter().filter(|part| part["kind"] == "write");
        for write in writes.filter(|_| data["incomplete"].is_null()) {
            let mut all = variables["variables"].as_array().unwrap().iter();
            let now = all.find(|variable| variable["name"] == write["target"]);
            let (Some(now), Some(new)) = (now, write["newValue"].as_str()) else { continue };
            // The one that is visible now may be another one of the same name.
            if !self.is_declared_once(write["target"].as_str().unwrap()) {
                continue;
            }
            let is_cut = new.contains('…') || now["value"].as_str().unwrap().contains('…');
            assert!(is_cut || now["value"] == new, "{write} {now}\n{}", self.log);
        }
    }
}

fn brief(data: &Value) -> String {
    let data = data.to_string();
    data.chars().take(300).collect()
}

/// Removes what is another number at each stop.
fn without_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("reference");
            members.remove("changed");
            // Objects that the debugger has made, such as copies of variables that are not read any more.
            if members.get("objectId").and_then(Value::as_u64).is_some_and(|id| id > 1 << 40) {
                members.remove("objectId");
            }
            members.values_mut().for_each(without_references);
        }
        Value::Array(items) => items.iter_mut().for_each(without_references),
        _ => {}
    }
}

fn place(data: &Value) -> Place {
    let is_present = data["past"] == false;
    let ends = matches!(data["reason"].as_str(), Some("end" | "exception")) && data["errorValues"].is_null();
    Place {
        step: data["step"].as_u64().unwrap(),
        column: data["location"]["column"].as_u64().unwrap(),
        error_values: data["errorValues"].as_u64().unwrap_or(0),
        frames: data["frameCount"].as_u64().unwrap(),
        line: data["location"]["line"].as_u64().unwrap(),
        is_last: is_present && ends,
    }
}

/// Commands that fail in every stopped program.
fn refusals() -> Vec<(&'static str, Value)> {
    vec![
        ("stepInto", json!({"targetId": 99})),
        ("runTo", json!({"file": "/nosuch.ez", "line": 3})),
        ("runTo", json!({"file": "main.ez", "line": 99999})),
        ("restartFrame", json!({"frameIndex": 99999})),
        ("getVariables", json!({"frameIndex": 99999})),
        ("evaluate", json!({"expression": "no_such_variable + 1"})),
        ("evaluate", json!({"expression": "1 +"})),
        ("getChildren", json!({"reference": 999_999_999})),
        ("lastChange", json!({"expression": "no_such_variable"})),
        ("lastChange", json!({"expression": "1 + 1"})),
        ("changes", json!({"expression": "1 + 1"})),
        ("changes", json!({"expression": "no_such_variable", "count": 3})),
        ("getStepTargets", json!({"frameIndex": 99999})),
        ("removeWatch", json!({"id": 99999})),
        ("setBreakpoint", json!({"file": "main.ez", "line": 1, "hitCondition": "often"})),
        ("initialize", json!({})),
        ("attach", json!({})),
        ("fly", json!({})),
        ("goToStep", json!({"step": 0})),
    ]
}

/// Makes moves through the past of a program that is stopped at the last position of `trace`; each of them is
/// checked.
fn walk(session: &mut Session, trace: &[Shown], failures: &BTreeMap<String, String>) {
    let last = trace.len() - 1;
    let mut at = last;
    for _ in 0..MOVES {
        // What `stopped` says of the stop that the program has come to may differ from what it said then.
        let index = |place: &Place, is_present: bool| {
            let is_it =
                |shown: &Shown| shown.place == Place { is_last: shown.place.is_last, ..place.clone() };
            let mut all = (0..trace.len()).filter(|index| is_it(&trace[*index]));
            if is_present { all.next_back() } else { all.next() }
        };
        let (low, command, params) = match session.random.usize(0..14) {
            // Before the first statement of `main` are the initialisers of globals.
            0..=2 if at > 0 => (Some(at - 1), "stepBack", json!({})),
            3 | 4 if at < last => (Some(at + 1), "stepInto", json!({})),
            5 if at > 0 => (None, "stepBackOver", json!({})),
            6 if at > 0 => (None, "stepBackOut", json!({})),
            7 if at < last => (None, "stepOver", json!({})),
            8 if at < last => (None, "stepOut", json!({})),
            9 => (Some(0), "reverseContinue", json!({})),
            10 => {
                // Not to statements on the same line, which steps do not stop at.
                let step = session.statements[session.random.usize(..session.statements.len())];
                let goal = trace.iter().position(|shown| shown.place.step >= step).unwrap_or(last);
                (Some(goal), "goToStep", json!({"step": step}))
            }
            11 => (Some(last), "goToPresent", json!({})),
            12 => {
                let frame = session.random.u64(0..trace[at].place.frames);
                (None, "restartFrame", json!({"frameIndex": frame}))
            }
            _ => {
                let all = refusals();
                let (command, params) = all[session.random.usize(..all.len())].clone();
                let before = session.ask("getState", json!({}));
                let (name, data) = session.ask(command, params.clone());
                assert_eq!(name, "error", "{data}\n{}", session.log);
                let key = format!("{command} {params}");
                let message = data["message"].as_str().unwrap();
                assert_eq!(Some(message), failures.get(&key).map(String::as_str), "{key}\n{}", session.log);
                assert_eq!(session.ask("getState", json!({})), before, "{key}\n{}", session.log);
                continue;
            }
        };
        let (place, is_present) =
            session.go_and_tell(command, params).unwrap_or_else(|| panic!("it has ended\n{}", session.log));
        let now = index(&place, is_present).unwrap_or_else(|| {
            // A call in a statement that begins in the line of the one before it, as in `if a { f() }`.
            let before = trace.iter().rposition(|shown| shown.place.step < place.step).unwrap_or(0);
            let at = &trace[before].place;
            let is_in_line = low.is_none() && (at.line, at.frames) == (place.line, place.frames);
            assert!(is_in_line, "{command} leads to {place:?}\n{}\n{trace:#?}", session.log);
            session.go("goToStep", json!({"step": at.step}));
            trace.iter().position(|shown| shown.place.step == at.step).unwrap_or(0)
        });
        assert_eq!(is_present, now == last, "{}", session.log);
        if let Some(goal) = low {
            assert_eq!(now, goal, "{command} from {at}\n{}\n{trace:#?}", session.log);
        }
        let is_right = match command {
            "stepOver" | "stepOut" => now > at,
            "stepBackOver" | "stepBackOut" | "restartFrame" => now <= at,
            _ => true,
        };
        assert!(is_right, "{command} leads from {at} to {now}\n{}", session.log);
        at = now;
        let shown = session.shown(trace[at].place.clone());
        assert_eq!(shown, trace[at], "{}", session.log);
        if session.random.u8(0..8) == 0 {
            walk_questions::check(session, trace, at);
        }
    }
    session.go("goToPresent", json!({}));
}

fn play(seed: u64) {
    let program = Program::from_seed(seed);
    let directory = tempfile::tempdir().unwrap();
    let mut session = Session::start(&program, directory.path(), Rng::with_seed(seed));
    let Some(first) = session.go("start", json!({})) else { return };
    let mut failures = BTreeMap::new();
    for (command, params) in refusals() {
        let (name, data) = session.ask(command, params.clone());
        assert_eq!(name, "error", "{command} {params}: {data}");
        failures.insert(format!("{command} {params}"), data["message"].as_str().unwrap().to_string());
    }
    // Errors that Error values are created for are positions, too, but not of steps.
    let mut trace = vec![session.shown(first.clone())];
    if first.is_last {
        return;
    }
    while trace.len() < LONGEST {
        let is_time = session.random.u8(0..20) == 0 && trace.len() > 3;
        if is_time {
            walk(&mut session, &trace, &failures);
        }
        let Some(next) = session.go("stepInto", json!({})) else { return };
        let is_last = next.is_last;
        let shown = session.shown(next);
        assert!(!trace.iter().any(|before| before.place == shown.place), "twice: {shown:?}\n{}", session.log);
        trace.push(shown);
        if is_last {
            break;
        }
    }
    walk(&mut session, &trace, &failures);
}

#[test]
fn every_way_through_the_past_meets_the_positions_of_the_trace() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = (number("EZ_SEED").unwrap_or(1), number("EZ_COUNT").unwrap_or(COUNT));
    for seed in first..first + count {
        let result = std::panic::catch_unwind(|| play(seed));
        if let Err(panic) = result {
            eprintln!(
                "EZ_SEED={seed} EZ_COUNT=1 repeats it; the program:\n{}",
                Program::from_seed(seed).listing()
            );
            std::panic::resume_unwind(panic);
        }
    }
}

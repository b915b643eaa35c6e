//! Whatever the kind of stop, everything does there what it does elsewhere: questions are answered, and changes of
//! the client are repeated at their place when the program is run again.

use serde_json::{Value, json};
use support::Server;
use tempfile::TempDir;

/// The first stop is in an initialiser of a global. Calls return within statements, in default values and in
/// tail position; `Error` values are created within an expression; a run-time error is followed by ensured calls.
const PROGRAM: &str = "import @std, @io
using std

temp log int = 0
temp zero int = 0
temp start int = 3

do first(n int) -> int {
    log += 1
    return n * 2
}

do nothing() {
    temp none int
}

do twice(n int, m int = first(4) + first(5)) -> int {
    temp r int = n + m
    return r
}

do tail(n int) -> int {
    if n == 0 { return zero }
    return tail(n - 1)
}

do bye(n int) {
    log += n
    println(\"bye ${log} ${zero}\")
}

do fails(n int) -> int {
    ensure bye(n)
    return n / zero
}

do main() {
    temp a int = twice(1)
    for i in range(0, 2) {
        a += first(i)
    }
    nothing()
    temp _, _ = io.read_file(\"nosuch \" + string(first(a)))
    a += tail(2) + first(a)
    a = len(input()) + log + first(len(input()) + log)
    println(\"a ${a} log ${log} zero ${zero}\")
";

/// A stop, and what the client sees there.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    step: u64,
    line: u64,
    frames: u64,
    variables: Value,
    output: u64,
    stack: Value,
}

/// What leads to a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A step, which also leads here in the past.
    Step,
    /// The creation of an `Error` value: it is on the way forward only.
    ErrorValue,
    /// The end, or a run-time error.
    End,
    Wait,
}

struct Session {
    _directory: TempDir,
    server: Server,
    /// All stops so far, with what was shown before the client changed anything there.
    stops: Vec<(Kind, Shown)>,
    /// Number of the stop at which to change something, from 0.
    changed_at: Option<usize>,
    /// Whether to try all commands at each stop.
    tries_all: bool,
}

fn without_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["reference", "changed", "objectId"] {
                members.remove(name);
            }
            members.values_mut().for_each(without_references);
        }
        Value::Array(items) => items.iter_mut().for_each(without_references),
        _ => {}
    }
}

impl Session {
    fn start(program: &str, changed_at: Option<usize>) -> Session {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.ez"), program).unwrap();
        let server = Server::start(directory.path(), &["a.ez"]);
        let mut session =
            Session { _directory: directory, server, stops: Vec::new(), changed_at, tries_all: false };
        session.ask("initialize", json!({"protocolVersion": 2, "history": true, "stopOnEntry": false}));
        session.ask("setBreakpoint", json!({"file": "a.ez", "line": 6}));
        session.ask("setExceptionBreakpoints", json!({"filters": ["errorValue", "uncaught"]}));
        session
    }

    fn send(&mut self, command: &str, params: Value) {
        let message = json!({"type": "command", "command": command, "params": params, "id": "x"});
        self.server.send(&format!("{message}\n"));
    }

    /// The answer to a command: the event's name and its data.
    fn ask(&mut self, command: &str, params: Value) -> (String, Value) {
        self.send(command, params);
        self.answer()
    }

    fn answer(&mut self) -> (String, Value) {
        loop {
            let mut event = self.server.event().expect("an event");
            if event["id"] == "x" && event["event"] != "started" {
                return (event["event"].as_str().unwrap().into(), event["data"].take());
            }
            if event["event"] == "inputRequested" {
                self.waits();
            }
        }
    }

    /// Steps; gives the stop, or `None` at the end of the program.
    fn go(&mut self, command: &str) -> Option<Value> {
        let (name, data) = self.ask(command, json!({}));
        assert!(name == "stopped" || name == "exited", "{command}: {name} {data}");
        (name == "stopped").then_some(data)
    }

    /// The program waits for input: the client may stop it, and change something.
    fn waits(&mut self) {
        let is_wanted = self.changed_at == Some(self.stops.len());
        let mut shown = None;
        if self.tries_all {
            self.server.command("pause", json!({}));
            assert_eq!(self.answer().0, "stopped");
            self.try_all();
            self.send("stepInto", json!({}));
            self.server.wait_for("inputRequested");
        } else if is_wanted {
            self.server.command("pause", json!({}));
            let (name, data) = self.answer();
            assert_eq!((&*name, &data["reason"]), ("stopped", &json!("pause")), "{data}");
            shown = Some(self.shown(&data));
            self.change();
        }
        let none =
            Shown { step: 0, line: 0, frames: 0, variables: Value::Null, output: 0, stack: Value::Null };
        self.stops.push((Kind::Wait, shown.unwrap_or(none)));
        if is_wanted {
            self.send("stepInto", json!({}));
            self.server.wait_for("inputRequested");
        }
        self.server.command("input", json!({"text": "12"}));
    }

    fn shown(&mut self, stop: &Value) -> Shown {
        let (name, mut variables) = self.ask("getVariables", json!({}));
        assert_eq!(name, "variables", "{variables}");
        without_references(&mut variables);
        let stack = self.ask("getStackTrace", json!({})).1;
        let state = self.ask("getState", json!({})).1;
        let number = |data: &Value, name: &str| data[name].as_u64().unwrap();
        Shown {
            step: number(stop, "step"),
            line: number(&stop["location"], "line"),
            frames: number(stop, "frameCount"),
            variables,
            output: number(&state, "outputLength"),
            stack,
        }
    }

    /// Changes a variable in three ways, and prints something.
    fn change(&mut self) {
        let answers = [
            self.ask("evaluate", json!({"expression": "log += 1000"})),
            self.ask("setVariable", json!({"name": "log", "value": "log + 20000"})),
            self.ask("evaluate", json!({"expression": "first(0)"})),
            self.ask("evaluate", json!({"expression": "println(\"client\")"})),
        ];
        let names = answers.each_ref().map(|answer| answer.0.as_str());
        assert_eq!(
            names,
            ["evaluateResult", "variableSet", "evaluateResult", "evaluateResult"],
            "{answers:?}"
        );
    }

    /// Every command that leaves the program where it is gives its answer, or the refusal that is documented, and changes
    /// nothing.
    fn try_all(&mut self) {
        let before = self.ask("getState", json!({}));
        let at = &before.1;
        let (is_past, has_output) = (at["past"] == true, at["outputLength"].as_u64() > Some(0));
        let filters = json!({"filters": ["errorValue", "uncaught"]});
        let refusals = ["nothing has been computed in this call yet", "no statement comes next"];
        for (command, params, answer) in [
            ("getVariables", json!({}), "variables"),
            ("getStackTrace", json!({}), "stackTrace"),
            ("getThreads", json!({}), "threads"),
            ("getSource", json!({"file": "a.ez"}), "source"),
            ("getProcesses", json!({}), "processes"),
            (
                "evaluate",
                json!({"expression": "log + first(0)", "context": "repl"}),
                if is_past { "error" } else { "evaluateResult" },
            ),
            ("evaluate", json!({"expression": "log + 1", "context": "watch"}), "evaluateResult"),
            (
                "setVariable",
                json!({"name": "log", "value": "log"}),
                if is_past { "error" } else { "variableSet" },
            ),
            ("completions", json!({"text": "lo", "column": 3}), "completions"),
            ("getStepTargets", json!({}), "stepTargets"),
            ("getWatches", json!({}), "watches"),
            ("setBreakpoint", json!({"file": "a.ez", "line": 9, "condition": "n == 77"}), "breakpointSet"),
            ("getBreakpoints", json!({}), "breakpoints"),
            ("breakpointLocations", json!({"file": "a.ez", "line": 1, "endLine": 99}), "breakpointLocations"),
            ("clearBreakpoint", json!({"file": "a.ez", "line": 9}), "breakpointCleared"),
            ("setBreakpoints", json!({"file": "a.ez", "breakpoints": []}), "breakpoints"),
            ("setFunctionBreakpoints", json!({"breakpoints": [{"name": "bye"}]}), "functionBreakpoints"),
            ("setFunctionBreakpoints", json!({"breakpoints": []}), "functionBreakpoints"),
            ("setExceptionBreakpoints", filters, "exceptionBreakpoints"),
            (
                "setDataBreakpoints",
                json!({"breakpoints": [{"name": "log"}]}),
                if is_past { "error" } else { "dataBreakpoints" },
            ),
            (
                "setDataBreakpoints",
                json!({"breakpoints": []}),
                if is_past { "error" } else { "dataBreakpoints" },
            ),
            ("lastChange", json!({"expression": "log"}), "lastChange"),
            ("changes", json!({"expression": "log", "count": 3}), "changes"),
            ("outputStep", json!({"offset": 0}), if has_output { "outputStep" } else { "error" }),
            ("unfold", json!({}), "unfolded"),
            ("unfold", json!({"next": true}), "unfolded"),
            ("runTo", json!({"file": "a.ez", "line": 999}), "error"),
            ("restartFrame", json!({"frameIndex": 99}), "error"),
        ] {
            let (name, data) = self.ask(command, params.clone());
            let message = data["message"].as_str().unwrap_or_default();
            let is_refused = match command {
                "unfold" => refusals.iter().any(|refusal| message.contains(refusal)),
                // In the past, later output may be asked for.
                "outputStep" => is_past && name == "outputStep",
                _ => false,
            };
            assert!(name == answer || is_refused, "{command} {params} at {at}: {name} {data}");
        }
        let id = self.ask("addWatch", json!({"expression": "log"})).1["id"].clone();
        assert_eq!(self.ask("removeWatch", json!({"id": id})).0, "watchRemoved");
        let mut after = self.ask("getState", json!({}));
        let mut before = before;
        // Those of the first breakpoint are gone, and evaluations may have counted.
        for state in [&mut before.1, &mut after.1] {
            state["breakpoints"] = Value::Null;
        }
        assert_eq!(after, before);
    }

    /// The next stop on the way forward; the client changes something if it is the one for that.
    fn stopped(&mut self, stop: &Value) {
        let kind = match stop["reason"].as_str() {
            Some("exception") if stop["code"] != "E5001" => Kind::ErrorValue,
            Some("end" | "exception") => Kind::End,
            _ => Kind::Step,
        };
        if self.changed_at == Some(self.stops.len()) {
            self.change();
        }
        if self.tries_all {
            self.try_all();
        }
        let shown = self.shown(stop);
        self.stops.push((kind, shown));
    }

    /// Goes through the program until it has stopped so often, or to its end.
    fn go_through(&mut self, stops: usize) {
        let mut stop = self.go("start");
        while let Some(data) = stop {
            self.stopped(&data);
            if self.stops.len() >= stops {
                return;
            }
            stop = self.go("stepInto");
        }
    }

    /// From the last stop back to the first, and forward again.
    fn go_back_and_forth(&mut self) {
        let what =
            format!("changed at {:?} ({:?})", self.changed_at, self.changed_at.map(|at| &self.stops[at]));
        let stops: Vec<Shown> =
            self.stops.iter().filter(|stop| stop.0 == Kind::Step).map(|stop| stop.1.clone()).collect();
        let is_position = self.stops.last().is_some_and(|stop| stop.0 == Kind::Step);
        let before = stops.len() - usize::from(is_position);
        for index in (0..before).rev() {
            let stop = self.go("stepBack").unwrap();
            assert_eq!((&stop["text"], &stop["past"]), (&Value::Null, &json!(true)), "{what}: {stop}");
            assert_eq!(self.shown(&stop), stops[index], "back, {what}: {stop}");
            if self.tries_all {
                self.try_all();
            }
        }
        let refused = self.ask("evaluate", json!({"expression": "log = 1"}));
        assert_eq!(refused.0, "error");
        let is_on_the_way = |stop: &&(Kind, Shown)| matches!(stop.0, Kind::Step | Kind::ErrorValue);
        let way: Vec<Shown> = self.stops.iter().filter(is_on_the_way).map(|stop| stop.1.clone()).collect();
        for (index, shown) in way.iter().enumerate().skip(1).take(way.len().saturating_sub(2)) {
            let stop = self.go("stepInto").unwrap();
            assert_eq!(self.shown(&stop), *shown, "forward at {index}, {what}: {stop}");
        }
        let stop = self.go("goToPresent").unwrap();
        assert_eq!(Some(&self.shown(&stop)), self.stops.last().map(|stop| &stop.1), "present, {what}");
    }

    /// What the list of changes says about the changes of the client.
    fn check_changes(&mut self, at: usize) {
        let (name, list) = self.ask("changes", json!({"expression": "log", "count": 1000}));
        assert_eq!(name, "changes", "{list}");
        let all = list["changes"].as_array().unwrap();
        let step = self.stops[at].1.step;
        let by_client: Vec<&Value> = all.iter().filter(|change| change["cause"] == "client").collect();
        assert_eq!(by_client.len(), 3, "changed at {at} (step {step}): {list:#}");
        assert!(
            by_client.iter().all(|change| change["step"] == step),
            "changed at {at} (step {step}): {list:#}"
        );
        for pair in all.windows(2) {
            assert_eq!(pair[0]["oldValue"], pair[1]["newValue"], "{list:#}");
        }
    }
}

/// Changes something at each stop of a program in turn.
fn check(program: &str) {
    let mut plain = Session::start(program, None);
    plain.go_through(usize::MAX);
    let count = plain.stops.len();
    for at in 0..count {
        let mut session = Session::start(program, Some(at));
        session.go_through(count);
        assert_eq!(session.stops.len(), count, "changed at {at}");
        session.go_back_and_forth();
        session.check_changes(at);
    }
}

#[test]
fn what_the_client_changes_at_any_stop_is_repeated_there() {
    check(&format!("{PROGRAM}}}\n"));
}

#[test]
fn the_same_in_a_program_that_ends_with_an_error() {
    check(&format!("{PROGRAM}    println(fails(3))\n}}\n"));
}

/// The calls for questions leave traces in the program: `log` counts them.
#[test]
fn every_command_does_at_any_stop_what_it_does_elsewhere() {
    for end in ["}\n", "    println(fails(3))\n}\n"] {
        let mut session = Session::start(&format!("{PROGRAM}{end}"), None);
        session.tries_all = true;
        session.go_through(48);
        session.go_back_and_forth();
    }
}

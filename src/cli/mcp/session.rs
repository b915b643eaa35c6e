//! A program that was loaded into a debug server: how it is run, and what answers say about it.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answer::{Text, counted, short};
use super::arguments::Program;
use super::call::Call;
use super::debuggee::{Debuggee, Failure};
use super::sources::Sources;
use crate::interp::vm::OUT_OF_MEMORY_HELP;
use crate::platform::{slashed, text_of};
use crate::protocol::json::cut;
use crate::visible::{indented, visible_text};

/// How long loading a program may take.
const LOADING: Duration = Duration::from_secs(60);

/// How long the questions about a stopped program may take.
const QUESTIONS: Duration = Duration::from_secs(30);

/// Maximum number of frames, of frames with variables, and of variables of a frame in an answer.
const MAX_FRAMES: usize = 20;
const MAX_WITH_VARIABLES: usize = 4;
const MAX_VARIABLES: usize = 30;

/// Maximum length of the value of a variable in a stack, in bytes.
const MAX_VALUE: usize = 400;

/// A loaded program.
pub struct Session {
    /// The debug server.
    pub debuggee: Debuggee,
    /// The source lines of the program.
    pub sources: Sources,
    /// Questions are not answered after that.
    deadline: Instant,
    /// The program's whole input.
    input: String,
}

/// Why a program was not loaded.
pub enum NotLoaded {
    /// It has errors: the reports.
    Wrong(Vec<Value>),
    /// Any other reason.
    Failed(String),
}

impl From<String> for NotLoaded {
    fn from(reason: String) -> NotLoaded {
        NotLoaded::Failed(reason)
    }
}

/// How a run has ended, or where it has stopped.
pub enum Stop {
    /// The event `stopped`.
    Stopped(Map<String, Value>),
    /// The exit status of a program that has ended.
    Exited(i64),
    /// The time is over. The event `stopped`, if the program could be stopped.
    TimeIsOver(Option<Map<String, Value>>),
}

/// What the debug server says about a breakpoint.
pub enum Set {
    /// It is where it was wanted.
    There,
    /// It has moved: from where to where.
    Moved(String),
    /// It is not set, for this reason.
    Not(String),
}

impl Set {
    /// From an item of the answer.
    pub fn new(set: &Value) -> Set {
        let message = set.get("message").and_then(Value::as_str);
        match (set.get("verified").and_then(Value::as_bool), message) {
            (Some(true), Some(moved)) => Set::Moved(moved.into()),
            (Some(true), None) => Set::There,
            (_, why) => Set::Not(why.unwrap_or("there is no statement").into()),
        }
    }
}

impl Session {
    /// Starts a debug server and loads a program. `options` are further parameters of `initialize`.
    ///
    /// # Errors
    /// If the program has errors, or there is none.
    pub fn load(call: &Call, program: &Program, options: Value) -> Result<Session, NotLoaded> {
        let root = &call.shared.root;
        let arguments = ["debugserver", "--protocol", "jsonrpc", "--root", &text_of(root.path().as_os_str())];
        let arguments = arguments.map(String::from);
        let process = call.shared.processes.start(&arguments, root.path())?;
        let mut debuggee = Debuggee::new(process)?;
        debuggee.ends_with(call);
        let mut params = program.initialize(root);
        if let Value::Object(options) = options {
            params.extend(options);
        }
        let mut sources = Sources::new(root, program.source.as_deref());
        let loaded = debuggee.ask(call, Instant::now() + LOADING, "initialize", params.into());
        let deadline = Instant::now() + program.time + QUESTIONS;
        match loaded {
            Ok(_) => {
                let mut session = Session { debuggee, sources, deadline, input: program.input.clone() };
                session.give_input()?;
                Ok(session)
            }
            Err(Failure::Refused(refusal)) => {
                let mut last = refusal.data;
                if !last.contains_key("location") {
                    let folder = format!("{}/", slashed(root.path()));
                    return Err(NotLoaded::Failed(refusal.message.replace(&folder, "")));
                }
                last.insert("message".into(), refusal.message.into());
                let events = debuggee.events.drain(..).filter(|event| event.name == "error");
                let reports = events.map(|event| event.data).chain([last]);
                Err(NotLoaded::Wrong(reports.map(|data| report(&data, &mut sources)).collect()))
            }
            Err(other) => Err(NotLoaded::Failed(other.text())),
        }
    }

    /// Gives the program its whole input, which it may read at any time.
    fn give_input(&mut self) -> Result<(), String> {
        let input = json!({"text": self.input, "eof": true});
        self.debuggee.send("input", input).map(|_| ()).map_err(|failure| failure.text())
    }

    /// Asks the debug server.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&mut self, call: &Call, method: &str, params: Value) -> Result<Map<String, Value>, String> {
        self.debuggee.ask(call, self.deadline, method, params).map_err(|failure| failure.text())
    }

    /// Sets breakpoints of a file, each with a `line`. Returns what there is to say about each: why it is not set, or
    /// that it has moved.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn set_breakpoints(
        &mut self,
        call: &Call,
        file: &Value,
        breakpoints: &[Value],
    ) -> Result<Vec<Set>, String> {
        let answer = self.ask(call, "setBreakpoints", json!({"file": file, "breakpoints": breakpoints}))?;
        Ok(list(&answer, "breakpoints").iter().map(Set::new).collect())
    }

    /// Lets questions take their time from now on.
    pub fn renew(&mut self, time: Duration) {
        self.deadline = Instant::now() + time + QUESTIONS;
    }

    /// Lets the program run, with a request such as `start`, until it stops, ends, or has run for `time`.
    ///
    /// # Errors
    /// If the request is refused, or the process ends.
    pub fn run(&mut self, call: &Call, time: Duration, method: &str, params: Value) -> Result<Stop, String> {
        let deadline = Instant::now() + time;
        let number = self.debuggee.send(method, params).map_err(|failure| failure.text())?;
        if method == "restart" {
            self.give_input()?;
        }
        match self.debuggee.answer(call, deadline, number) {
            Ok(data) => Ok(stop(data)),
            Err(Failure::TimeIsOver) => {
                let paused = self.debuggee.pause(call, number).map_err(|failure| failure.text())?;
                Ok(match paused.map(stop) {
                    Some(Stop::Stopped(data))
                        if data.get("reason").is_some_and(|reason| reason != "pause") =>
                    {
                        Stop::Stopped(data)
                    }
                    Some(Stop::Exited(status)) => Stop::Exited(status),
                    Some(Stop::Stopped(data)) => Stop::TimeIsOver(Some(data)),
                    Some(Stop::TimeIsOver(_)) | None => Stop::TimeIsOver(None),
                })
            }
            Err(other) => Err(other.text()),
        }
    }

    /// The stack of a stopped program, the innermost frame first; `true` includes the variables of the
    /// innermost frames.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn frames(&mut self, call: &Call, with_variables: bool) -> Result<Vec<Value>, String> {
        let stack = self.ask(call, "getStackTrace", json!({"count": MAX_FRAMES}))?;
        let mut frames = Vec::new();
        for (index, frame) in list(&stack, "frames").iter().enumerate() {
            let Some(frame) = frame.as_object() else { continue };
            let mut found = place(frame, &mut self.sources);
            found.insert("function".into(), frame.get("function").cloned().unwrap_or_default());
            if with_variables && index < MAX_WITH_VARIABLES {
                found.insert("variables".into(), self.variables(call, index)?.into());
            }
            frames.push(found.into());
        }
        Ok(frames)
    }

    fn variables(&mut self, call: &Call, frame: usize) -> Result<Vec<Value>, String> {
        let variables = self.ask(call, "getVariables", json!({"frameIndex": frame}))?;
        Ok(list(&variables, "variables").iter().take(MAX_VARIABLES).map(variable).collect())
    }

    /// The run-time errors that the program has reported at its end.
    pub fn errors(&mut self) -> Vec<Value> {
        let sources = &mut self.sources;
        let errors = self.debuggee.events.iter().filter(|event| event.name == "error");
        errors
            .filter(|event| event.data.contains_key("location"))
            .map(|event| report(&event.data, sources))
            .collect()
    }

    /// Whether there are such errors.
    pub fn has_errors(&self) -> bool {
        let errors = self.debuggee.events.iter().filter(|event| event.name == "error");
        errors.into_iter().any(|event| event.data.contains_key("location"))
    }

    /// The value of an expression in the innermost frame, without effects.
    pub fn value(&mut self, call: &Call, expression: &str) -> Value {
        let asked = json!({"expression": expression, "context": "watch", "timeoutMs": 2000});
        match self.ask(call, "evaluate", asked) {
            Ok(result) => {
                json!({"name": expression, "value": text(&result, "result"), "type": text(&result, "type")})
            }
            Err(error) => json!({"name": expression, "error": error}),
        }
    }
}

fn stop(data: Map<String, Value>) -> Stop {
    match data.get("exitCode").and_then(Value::as_i64) {
        Some(status) => Stop::Exited(status),
        None => Stop::Stopped(data),
    }
}

/// A member of an object that is a string; empty if there is none.
pub fn text<'a>(data: &'a Map<String, Value>, name: &str) -> &'a str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A member of an object that is a whole number; 0 if there is none.
pub fn number(data: &Map<String, Value>, name: &str) -> u64 {
    data.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// A member of an object that is a list; empty if there is none.
pub fn list<'a>(data: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    data.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `file`, `line` and `source` of a location or frame.
pub fn place(location: &Map<String, Value>, sources: &mut Sources) -> Map<String, Value> {
    let (file, line) = (text(location, "file"), number(location, "line"));
    let mut place = Map::new();
    place.insert("file".into(), sources.name(file).into());
    place.insert("line".into(), line.max(1).into());
    place.insert("source".into(), sources.line(file, line).into());
    place
}

/// `file`, `line` and `source` of the `location` in an event.
pub fn location(data: &Map<String, Value>, sources: &mut Sources) -> Map<String, Value> {
    let none = Map::new();
    place(data.get("location").and_then(Value::as_object).unwrap_or(&none), sources)
}

/// A report: the data of an event `error`, or an object of `ez check --message-format json`.
pub fn report(data: &Map<String, Value>, sources: &mut Sources) -> Value {
    let at = data.get("location").and_then(Value::as_object).unwrap_or(data);
    let mut report = Map::new();
    let severity = if text(data, "severity") == "warning" { "warning" } else { "error" };
    report.insert("severity".into(), severity.into());
    report.insert("code".into(), text(data, "code").into());
    report.insert("message".into(), text(data, "message").into());
    report.extend(place(at, sources));
    report.insert("column".into(), number(at, "column").max(1).into());
    let help = match text(data, "help") {
        OUT_OF_MEMORY_HELP => "a larger limit can be set with the argument memory",
        help => help,
    };
    if !help.is_empty() {
        report.insert("help".into(), help.into());
    }
    report.into()
}

/// Writes reports.
pub fn write_reports(reports: &[Value], out: &mut Text) {
    for report in reports.iter().filter_map(Value::as_object) {
        out.gap();
        let at = format!("{}:{}:{}", text(report, "file"), number(report, "line"), number(report, "column"));
        let (severity, code, message) =
            (text(report, "severity"), text(report, "code"), text(report, "message"));
        out.line(format_args!("{severity}[{code}] {at}: {}", indented(message)));
        write_source(report, "", out);
        if !text(report, "help").is_empty() {
            out.line(format_args!("  help: {}", indented(text(report, "help")).replace('\n', "\n    ")));
        }
    }
}

/// Writes the source line of a place: `   7 | sum += i`.
pub fn write_source(place: &Map<String, Value>, indent: &str, out: &mut Text) {
    if !text(place, "source").is_empty() {
        out.line(format_args!(
            "{indent}{:>4} | {}",
            number(place, "line"),
            visible_text(text(place, "source"))
        ));
    }
}

/// A variable of an answer, from one of SPEC.md.
fn variable(variable: &Value) -> Value {
    let member = |name: &str| variable.get(name).and_then(Value::as_str).unwrap_or_default();
    json!({"name": member("name"), "value": cut(member("value"), MAX_VALUE), "type": member("type")})
}

/// A variable or expression on one line: `sum = 6`.
pub fn one_line(variable: &Value) -> String {
    let Some(variable) = variable.as_object() else { return String::new() };
    let name = text(variable, "name");
    match variable.get("error").and_then(Value::as_str) {
        Some(error) => format!("{name}: {}", short(error)),
        None => format!("{name} = {}", short(text(variable, "value"))),
    }
}

/// Writes a stack with its variables.
pub fn write_frames(frames: &[Value], out: &mut Text) {
    for frame in frames.iter().filter_map(Value::as_object) {
        let at = format!("{}:{}", text(frame, "file"), number(frame, "line"));
        out.line(format_args!("in {} at {at}", text(frame, "function")));
        write_source(frame, "", out);
        let variables = list(frame, "variables");
        let lines: Vec<String> = variables.iter().map(one_line).collect();
        let together = lines.join(", ");
        match together.chars().count() {
            0 => {}
            1..=100 => out.line(format_args!("       {together}")),
            _ => lines.iter().for_each(|line| out.line(format_args!("       {line}"))),
        }
    }
}

/// Writes the output of a program, and says if there was none.
pub fn write_output(output: &Value, out: &mut Text) {
    let Some(output) = output.as_object() else { return };
    let printed = text(output, "text");
    out.gap();
    match printed.is_empty() {
        true => out.line("It printed nothing."),
        false => {
            out.line(format_args!("It printed {}:", counted(number(output, "bytes") as usize, "byte")));
            out.indented("", printed);
        }
    }
}

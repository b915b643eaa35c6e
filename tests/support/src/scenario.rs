//! Scenarios: what a client does, in lines.
//!
//! ```text
//! # a comment
//! server --linger 0        arguments of the server; first line, if any
//! version 2                commands get an `id`, and `initialize` asks for this version of the protocol
//! > stepInto               sends a command and waits until it is answered
//! >> stepInto              is sent together with the next `>`
//! ! pause                  sends and waits for nothing
//! raw {"type":…            sends a line as it stands, and waits for the error that it gives
//! < stopped                waits for an event
//! eof                      closes the server's input
//! ```
//!
//! Parameters are `name=value`, where a value that is no JSON is a string, and `line=@mark` (or
//! `line=@file.ez:mark`) is the line that ends in the comment `//@ mark`. The string `$name` stands for the
//! `reference` that was told last of what has that name (a variable, an expression, a function that returned).

use std::path::Path;

use serde_json::{Map, Value};

use super::{Server, without_directory, without_version};

/// One thing that a client does.
#[derive(Debug)]
pub enum Step {
    /// Sends commands in one write; waits for so many answers.
    Send { commands: Vec<Command>, answers: usize },
    /// Sends a line as it stands.
    Raw(String),
    /// Waits for an event.
    Wait(String),
    /// Ends the input.
    Eof,
}

/// A command of a client.
#[derive(Clone, Debug)]
pub struct Command {
    pub name: String,
    pub params: Map<String, Value>,
    pub id: Option<Value>,
}

impl Command {
    /// The command with the references that its names stand for.
    fn referring(&self, happened: &[Happened]) -> Command {
        let mut command = self.clone();
        command.params.values_mut().for_each(|value| refer(value, happened));
        command
    }
}

/// Replaces `$name` by the reference that was told last of what has that name.
fn refer(value: &mut Value, happened: &[Happened]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, happened)),
        Value::Object(map) => map.values_mut().for_each(|item| refer(item, happened)),
        Value::String(text) => {
            if let Some(name) = text.strip_prefix('$') {
                let told = happened.iter().rev().filter_map(|what| match what {
                    Happened::Told(line) => serde_json::from_str(line).ok(),
                    Happened::Sent(_) => None,
                });
                let found = told.filter_map(|event: Value| reference(&event, name)).next();
                *value = found.unwrap_or_else(|| panic!("nothing with a reference was told of {name}"));
            }
        }
        _ => {}
    }
}

/// The reference of what has a name, anywhere in an event.
fn reference(event: &Value, name: &str) -> Option<Value> {
    match event {
        Value::Array(items) => items.iter().find_map(|item| reference(item, name)),
        Value::Object(map) => {
            let is_name =
                ["name", "expression", "function"].iter().any(|key| map.get(*key) == Some(&name.into()));
            let own = map.get("reference").filter(|_| is_name).cloned();
            own.or_else(|| map.values().find_map(|item| reference(item, name)))
        }
        _ => None,
    }
}

/// How a front end writes commands, and how it names events.
pub trait Dialect {
    /// The command as it is sent.
    fn command(&self, command: &Command) -> String;
    /// Name of the event on a line, and whether it is the answer to a command.
    fn event(&self, line: &str) -> (String, bool);
}

/// The lines of SPEC.md.
pub struct Ez;

impl Dialect for Ez {
    fn command(&self, command: &Command) -> String {
        let mut line = Map::new();
        line.insert("type".into(), "command".into());
        line.insert("command".into(), command.name.as_str().into());
        if !command.params.is_empty() {
            line.insert("params".into(), command.params.clone().into());
        }
        if let Some(id) = &command.id {
            line.insert("id".into(), id.clone());
        }
        Value::Object(line).to_string()
    }

    fn event(&self, line: &str) -> (String, bool) {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let name = event["event"].as_str().unwrap().to_string();
        let answers = [
            "initialized",
            "stopped",
            "exited",
            "variables",
            "stackTrace",
            "evaluateResult",
            "breakpointSet",
            "breakpointCleared",
            "terminated",
        ];
        // That a breakpoint was wrong when the program was loaded answers nothing.
        let data = &event["data"];
        let late = data.get("breakpointId").is_some() && event.get("id").is_none();
        let failed = name == "error" && data.get("command").is_some() && !late;
        // What lets the program run is answered by the stop.
        let more_comes = ["started", "restarted", "paused"].contains(&name.as_str());
        let numbered = event.get("id").is_some() && !more_comes;
        let answer = failed || numbered || answers.contains(&name.as_str());
        (name, answer)
    }
}

/// A scenario that was read.
pub struct Scenario {
    pub arguments: Vec<String>,
    pub steps: Vec<Step>,
}

/// Reads a scenario about programs in a directory; `program` is the one whose marks need no file.
pub fn parse(text: &str, directory: &Path, program: &str) -> Scenario {
    let mut scenario = Scenario { arguments: Vec::new(), steps: Vec::new() };
    let mut together = Vec::new();
    let mut numbering: Option<Numbering> = None;
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut command = || {
            let command = command(rest, directory, program);
            match &mut numbering {
                Some(numbering) => numbering.number(command),
                None => command,
            }
        };
        let step = match what {
            "server" => {
                scenario.arguments = rest.split_whitespace().map(str::to_string).collect();
                continue;
            }
            "version" => {
                numbering = Some(Numbering { version: rest.parse().unwrap(), last: 0 });
                continue;
            }
            ">>" => {
                together.push(command());
                continue;
            }
            ">" => {
                let mut commands = std::mem::take(&mut together);
                commands.push(command());
                let answers = commands.len();
                Step::Send { commands, answers }
            }
            "!" => {
                let mut commands = std::mem::take(&mut together);
                commands.push(command());
                Step::Send { commands, answers: 0 }
            }
            "raw" => Step::Raw(rest.to_string()),
            "<" => Step::Wait(rest.to_string()),
            "eof" => Step::Eof,
            other => panic!("no step of a scenario: {other}"),
        };
        scenario.steps.push(step);
    }
    scenario
}

/// The commands of a client that numbers them and asks for a version of the protocol. What a scenario calls
/// `id` is a parameter here.
struct Numbering {
    version: u32,
    last: u32,
}

impl Numbering {
    fn number(&mut self, mut command: Command) -> Command {
        self.last += 1;
        if let Some(id) = command.id.replace(self.last.into()) {
            command.params.insert("id".into(), id);
        }
        if command.name == "initialize" {
            command.params.insert("protocolVersion".into(), self.version.into());
        }
        command
    }
}

/// Reads a command and its parameters; marks are as in [`parse`].
pub fn command(text: &str, directory: &Path, program: &str) -> Command {
    let words = words(text);
    let mut params = Map::new();
    let mut id = None;
    for word in words.iter().skip(1) {
        let (key, value) = word.split_once('=').unwrap_or_else(|| panic!("no parameter: {word}"));
        let value = match value.strip_prefix('@') {
            Some(mark) => Value::from(line_of(mark, directory, program)),
            None => serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)),
        };
        match key {
            "id" => id = Some(value),
            _ => drop(params.insert(key.to_string(), value)),
        }
    }
    Command { name: words[0].clone(), params, id }
}

/// Words between blanks; what is in double quotes is no blank, and a quote after a backslash is no quote.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        match c {
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn line_of(mark: &str, directory: &Path, program: &str) -> usize {
    let (file, mark) = mark.split_once(':').unwrap_or((program, mark));
    let text = std::fs::read_to_string(directory.join(file)).unwrap();
    let comment = format!("//@ {mark}");
    let found = text.lines().position(|line| line.trim_end().ends_with(&comment));
    found.unwrap_or_else(|| panic!("{file} has no mark '{mark}'")) + 1
}

/// What happened in a session.
enum Happened {
    Sent(String),
    Told(String),
}

/// Plays a scenario; gives the whole session as text, with files named without their directory.
pub fn play(scenario: &Scenario, directory: &Path, dialect: &dyn Dialect) -> String {
    let arguments: Vec<&str> = scenario.arguments.iter().map(String::as_str).collect();
    let mut server = Server::start(directory, &arguments);
    let mut happened = Vec::new();
    for step in &scenario.steps {
        match step {
            Step::Send { commands, answers } => {
                let lines: Vec<String> =
                    commands.iter().map(|c| dialect.command(&c.referring(&happened))).collect();
                server.send(&(lines.join("\n") + "\n"));
                happened.extend(lines.into_iter().map(Happened::Sent));
                for _ in 0..*answers {
                    let answered = await_event(&mut server, dialect, &mut happened, |_, answer| answer);
                    assert!(answered, "the server has ended:\n{}", text(&happened, directory));
                }
            }
            Step::Raw(line) => {
                server.send(&format!("{line}\n"));
                happened.push(Happened::Sent(line.clone()));
                await_event(&mut server, dialect, &mut happened, |name, _| name == "error");
            }
            Step::Wait(event) => {
                let came = await_event(&mut server, dialect, &mut happened, |name, _| name == event);
                assert!(came, "no {event} in:\n{}", text(&happened, directory));
            }
            Step::Eof => {
                server.close();
                happened.push(Happened::Sent("end of input".into()));
            }
        }
    }
    server.close();
    await_event(&mut server, dialect, &mut happened, |_, _| false);
    let status = server.wait().code();
    let status = status.map_or("a signal".to_string(), |code| code.to_string());
    format!("{}ends with {status}\n", text(&happened, directory))
}

/// Whether an event is left out of transcripts: whether a journey is long enough for `progress` depends on the machine.
pub fn depends_on_the_machine(event: &str) -> bool {
    event.starts_with("progress")
}

/// Takes events until one is wanted; false if there are no more.
fn await_event(
    server: &mut Server,
    dialect: &dyn Dialect,
    happened: &mut Vec<Happened>,
    wanted: impl Fn(&str, bool) -> bool,
) -> bool {
    while let Some(line) = server.line() {
        let (name, answer) = dialect.event(&line);
        if depends_on_the_machine(&name) {
            continue;
        }
        happened.push(Happened::Told(line));
        if wanted(&name, answer) {
            return true;
        }
    }
    false
}

/// The session as text. What a stop tells right after itself stands before the next command, however
/// fast that was.
fn text(happened: &[Happened], directory: &Path) -> String {
    let mut ordered: Vec<&Happened> = Vec::new();
    let mut later: Vec<&Happened> = Vec::new();
    for what in happened {
        match what {
            Happened::Sent(_) => later.push(what),
            Happened::Told(line) if is_update(line) => ordered.push(what),
            Happened::Told(_) => {
                ordered.append(&mut later);
                ordered.push(what);
            }
        }
    }
    ordered.append(&mut later);
    let mut text = String::new();
    for what in ordered {
        let line = match what {
            Happened::Sent(line) => format!("> {line}\n"),
            Happened::Told(line) => format!("< {line}\n{}", source(line, directory)),
        };
        text.push_str(&without_version(&without_directory(&line, directory)));
    }
    text
}

/// Whether an event belongs to the stop before it.
fn is_update(line: &str) -> bool {
    ["variableUpdate", "watchUpdate"].iter().any(|name| line.contains(&format!("\"event\":\"{name}\"")))
}

/// The source line of a stop, so that transcripts can be read by themselves.
fn source(line: &str, directory: &Path) -> String {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let location = &event["data"]["location"];
    let (Some(file), Some(at)) = (location["file"].as_str(), location["line"].as_u64()) else {
        return String::new();
    };
    let text = std::fs::read_to_string(directory.join(file)).unwrap_or_default();
    let found = text.lines().nth(at as usize - 1).unwrap_or("");
    format!("  {at:>4} | {}\n", found.trim_end())
}

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
//! `line=@file.ez:mark`) is the line that ends in the comment `//@ mark`.

use std::path::Path;

use serde_json::{Map, Value};

use super::Server;

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
#[derive(Debug)]
pub struct Command {
    pub name: String,
    pub params: Map<String, Value>,
    pub id: Option<Value>,
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
        let failed = name == "error" && event["data"].get("command").is_some();
        // What lets the program run is answered by the stop.
        let numbered = event.get("id").is_some() && !["started", "restarted"].contains(&name.as_str());
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
    let mut version = None;
    let mut last = 0;
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut command = || {
            let mut command = command(rest, directory, program);
            if let Some(version) = version {
                last += 1;
                command.id.get_or_insert_with(|| last.into());
                if command.name == "initialize" {
                    command.params.insert("protocolVersion".into(), version);
                }
            }
            command
        };
        let step = match what {
            "server" => {
                scenario.arguments = rest.split_whitespace().map(str::to_string).collect();
                continue;
            }
            "version" => {
                version = Some(Value::from(rest.parse::<u32>().unwrap()));
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

fn command(text: &str, directory: &Path, program: &str) -> Command {
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

/// Words between blanks; what is in double quotes is no blank.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
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
                let lines: Vec<String> = commands.iter().map(|c| dialect.command(c)).collect();
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

/// Takes events until one is wanted; false if there are no more.
fn await_event(
    server: &mut Server,
    dialect: &dyn Dialect,
    happened: &mut Vec<Happened>,
    wanted: impl Fn(&str, bool) -> bool,
) -> bool {
    while let Some(line) = server.line() {
        let (name, answer) = dialect.event(&line);
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
    let prefix = format!("{}/", directory.display());
    let mut text = String::new();
    for what in ordered {
        let line = match what {
            Happened::Sent(line) => format!("> {line}\n"),
            Happened::Told(line) => format!("< {line}\n{}", source(line, directory)),
        };
        text.push_str(&line.replace(&prefix, ""));
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

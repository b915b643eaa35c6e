//! The sessions of `testdata/transcripts`, as far as commands of `ez debug` can say them: the program stops
//! at the same places and ends in the same way.

use std::path::Path;

use serde_json::{Map, Value};

use support::debugger::play;
use support::scenario::{Command, Ez, Step, parse, play as play_lines};
use support::testdata;

/// Transcripts that stop in the initialisers of globals, before the first statement of `main`, where
/// `ez debug` begins to read commands.
const BEFORE_MAIN: [&str; 3] = ["breakpoint_before_initialize", "globals_stepping", "v2_undeclared_globals"];

/// A session as commands of `ez debug`.
struct Said {
    file: String,
    arguments: Vec<String>,
    commands: Vec<String>,
    /// Whether the program stands at its first statement before the first stop that the client has seen.
    entry: bool,
}

fn text<'a>(params: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    params.get(name)?.as_str()
}

/// Whether a command has no parameters but these.
fn only(command: &Command, known: &[&str]) -> bool {
    command.params.keys().all(|key| known.contains(&key.as_str()))
}

/// The commands of `ez debug` that do the same; `None` if there are none.
fn said(command: &Command) -> Option<Vec<String>> {
    let params = &command.params;
    let number = |name: &str| params.get(name).and_then(Value::as_u64);
    let frame = || number("frameIndex").unwrap_or(0);
    let clauses = || {
        let clause = |word: &str, name: &str| text(params, name).map(|text| format!(" {word} {text}"));
        let all = [clause("if", "condition"), clause("hit", "hitCondition"), clause("log", "logMessage")];
        all.into_iter().flatten().collect::<String>()
    };
    let options = ["condition", "hitCondition", "logMessage", "file", "line"];
    Some(match command.name.as_str() {
        "stepInto" if only(command, &[]) => vec!["step".into()],
        "stepOver" => vec!["next".into()],
        "stepOut" => vec!["out".into()],
        "continue" => vec!["continue".into()],
        "runTo" if only(command, &["file", "line"]) => {
            vec![format!("until {}:{}", text(params, "file")?, number("line")?)]
        }
        "setBreakpoint" if only(command, &options) => {
            vec![format!("break {}:{}{}", text(params, "file")?, number("line")?, clauses())]
        }
        "removeBreakpoint" => vec![format!("delete {}", number("id")?)],
        "enableBreakpoint" => vec![format!("enable {}", number("id")?)],
        "disableBreakpoint" => vec![format!("disable {}", number("id")?)],
        "setVariable" if !params.contains_key("reference") => {
            let set = format!("set {} = {}", text(params, "name")?, text(params, "value")?);
            vec![format!("frame {}", frame()), set]
        }
        "evaluate" if only(command, &["expression", "frameIndex"]) => {
            let print = format!("print {}", text(params, "expression")?);
            vec![format!("frame {}", frame()), print]
        }
        "getVariables" => vec![format!("vars {}", frame())],
        "getStackTrace" => vec!["backtrace".into()],
        "getState" | "getModules" | "getSource" | "getThreads" | "getBreakpoints" => vec!["info".into()],
        "getStepTargets" => vec!["into".into()],
        "addWatch" => vec![format!("display {}", text(params, "expression")?)],
        "getWatches" => vec!["display".into()],
        "input" if params.get("eof").is_none() => {
            let lines = text(params, "text")?;
            lines
                .strip_suffix('\n')
                .unwrap_or(lines)
                .split('\n')
                .map(|line| format!("input {line}"))
                .collect()
        }
        _ => return None,
    })
}

fn session(steps: &[Step]) -> Option<Said> {
    let mut said_so_far: Option<Said> = None;
    let mut before = Vec::new();
    let mut started = false;
    for step in steps {
        let Step::Send { commands, answers } = step else { return None };
        if *answers == 0 {
            return None;
        }
        for command in commands {
            match (command.name.as_str(), &mut said_so_far) {
                ("initialize", None) => {
                    let known = ["file", "protocolVersion", "args"];
                    if !only(command, &known) {
                        return None;
                    }
                    let arguments = command.params.get("args").and_then(Value::as_array);
                    let words =
                        arguments.into_iter().flatten().map(|word| word.as_str().unwrap().to_string());
                    let file = text(&command.params, "file")?.to_string();
                    let (arguments, commands) = (words.collect(), Vec::new());
                    said_so_far = Some(Said { file, arguments, commands, entry: false });
                }
                ("start", Some(all)) if !started => {
                    started = true;
                    // With breakpoints the program runs to the first.
                    all.entry = !before.is_empty();
                    all.commands.append(&mut before);
                    if all.entry {
                        all.commands.push("continue".into());
                    }
                }
                ("terminate", Some(all)) => {
                    all.commands.push("quit".into());
                    return said_so_far;
                }
                (_, Some(all)) if started => all.commands.extend(said(command)?),
                ("setBreakpoint", _) => before.extend(said(command)?),
                _ => return None,
            }
        }
    }
    said_so_far.filter(|_| started)
}

/// The stops of a session in the line protocol, and its status.
fn stops_of_lines(played: &str, directory: &Path) -> (Vec<String>, String) {
    let mut stops = Vec::new();
    let mut status = "none".to_string();
    for line in played.lines().filter_map(|line| line.strip_prefix("< ")) {
        let event: Value = serde_json::from_str(line).unwrap();
        let data = &event["data"];
        match event["event"].as_str().unwrap() {
            "stopped" => {
                let file = data["location"]["file"].as_str().unwrap();
                let file = Path::new(file).strip_prefix(directory).unwrap_or(Path::new(file));
                stops.push(format!("{}:{}", file.display(), data["location"]["line"]).replace('\\', "/"));
            }
            "exited" => status = data["exitCode"].to_string(),
            _ => {}
        }
    }
    (stops, status)
}

/// The stops that `ez debug` has shown, and its status.
fn stops_of_commands(out: &str) -> (Vec<String>, String) {
    let mut stops = Vec::new();
    let mut before = "";
    let mut status = "none".to_string();
    for line in out.lines() {
        // What is shown of a frame that is looked at is no stop.
        if let Some(rest) = line.strip_prefix("→ ").filter(|_| !before.starts_with("Frame ")) {
            let place = rest.split(" in ").next().unwrap();
            stops.push(place.strip_prefix("./").unwrap_or(place).replace('\\', "/"));
        }
        if let Some((_, rest)) = line.split_once("The program has ended with status ") {
            status = rest.trim_end_matches('.').split(',').next().unwrap().to_string();
        }
        before = line;
    }
    (stops, status)
}

#[test]
fn transcripts_stop_at_the_same_places() {
    let directory = testdata("transcripts");
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".txt").map(str::to_string))
        .filter(|name| !BEFORE_MAIN.contains(&name.as_str()))
        .collect();
    names.sort();
    let (mut compared, mut different) = (Vec::new(), Vec::new());
    for name in names {
        let scenario = std::fs::read_to_string(directory.join(format!("{name}.txt"))).unwrap();
        let scenario = parse(&scenario, &directory, &format!("{name}.ez"));
        let Some(said) = session(&scenario.steps).filter(|_| scenario.arguments.is_empty()) else { continue };
        let (wanted, status) = stops_of_lines(&play_lines(&scenario, &directory, &Ez), &directory);
        let mut arguments = vec![said.file.as_str()];
        arguments.extend(said.arguments.iter().map(String::as_str));
        let played = play(&directory, &arguments, &(said.commands.join("\n") + "\n"));
        let (mut stops, ended) = stops_of_commands(&played.out);
        if said.entry {
            stops.remove(0);
        }
        // Errors stop the program in `ez debug`, and what follows the last command need not.
        if played.out.contains("Run-time error") {
            stops.pop();
        }
        if stops != wanted || status != "none" && ended != status {
            let commands = said.commands.join("\n");
            let both = format!("{stops:?} {ended}, not {wanted:?} {status}");
            different.push(format!("{name}: {both}\n{commands}\n\n{}{}", played.out, played.errors));
        }
        compared.push(name);
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(compared.len() >= 40, "only {} transcripts can be said: {compared:?}", compared.len());
}

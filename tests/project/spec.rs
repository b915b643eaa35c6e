//! SPEC.md says what the server does: its example events are lines of the recorded sessions, which have each command
//! that it describes, and what the code writes is described. (That its example commands can be decoded is tested
//! beside the commands.)

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::source::rust_files;

/// A file of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

pub fn read(path: &str) -> String {
    fs::read_to_string(project(path)).unwrap()
}

/// The description of the protocol.
pub fn document() -> Value {
    serde_json::from_str(&read("src/protocol/ez/description/openrpc.json")).unwrap()
}

/// The texts of all recorded sessions.
pub fn sessions() -> Vec<String> {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    let snapshots = folders.filter_map(|folder| fs::read_dir(folder.unwrap().path().join("snapshots")).ok());
    let files = snapshots.flatten().map(|entry| entry.unwrap().path());
    let sessions = files.filter(|path| path.extension().is_some_and(|extension| extension == "snap"));
    sessions.map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// The lines of all recorded sessions that the server (`< `) or a client (`> `) has sent; in a session of several, the
/// name of the client comes before that.
pub fn recorded(by: &str) -> BTreeSet<String> {
    let sessions = sessions();
    let lines = sessions.iter().flat_map(|text| text.lines());
    let of_several = |line: &'_ str| {
        let (name, rest) = line.split_once(' ')?;
        name.chars().all(char::is_alphanumeric).then(|| rest.strip_prefix(by).map(str::to_string))?
    };
    lines.filter_map(|line| line.strip_prefix(by).map(str::to_string).or_else(|| of_several(line))).collect()
}

/// The events that the source names where it adds them.
fn written() -> BTreeSet<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocol/ez");
    let sources = rust_files(&directory).into_iter().map(|path| fs::read_to_string(path).unwrap());
    let names = sources.flat_map(|source| {
        let calls = source.split(".add(").skip(1);
        let names = calls
            .filter_map(|rest| Some(rest.trim_start().strip_prefix('"')?.split('"').next()?.to_string()));
        names.collect::<Vec<_>>()
    });
    names.collect()
}

/// The name of an event or a command.
fn name(line: &str, kind: &str) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    message[kind].as_str().map(str::to_string)
}

#[test]
fn every_command_is_in_a_recorded_session() {
    let sent: BTreeSet<String> = recorded("> ").iter().filter_map(|line| name(line, "command")).collect();
    for method in document()["methods"].as_array().unwrap() {
        let command = method["name"].as_str().unwrap();
        assert!(sent.contains(command), "no recorded session has the command {command}");
    }
}

#[test]
fn example_events_have_happened() {
    let spec = read("SPEC.md");
    let recorded = recorded("< ");
    let examples =
        spec.lines().filter(|line| line.starts_with("{\"type\":\"event\"") && !line.contains("NAME"));
    let examples: Vec<&str> = examples.collect();
    assert!(examples.len() > 25, "{}", examples.len());
    for example in examples {
        assert!(recorded.contains(example), "no session has the event {example}");
    }
}

#[test]
fn example_breakpoints_of_json_rpc_have_been_set() {
    let spec = read("SPEC.md");
    let (sent, received) = (recorded("> "), recorded("< "));
    let examples: Vec<&str> =
        spec.lines().filter(|line| line.starts_with("{\"jsonrpc\"") && line.contains("reakpoint")).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        assert!(sent.contains(example) || received.contains(example), "no session has {example}");
    }
}

/// The other way round, recorded sessions are compared with the description.
#[test]
fn every_event_is_described() {
    let document = document();
    let names = written();
    assert!(names.len() > 30, "{names:?}");
    for name in &names {
        assert!(document["x-events"][name.as_str()].is_object(), "the event {name} is not described");
    }
}

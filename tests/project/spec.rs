//! SPEC.md says what the server does: its example events are lines of the recorded sessions, its tables and
//! the code name the same events, and a recorded session has each command. (That its example commands can be
//! decoded, and that it has the commands of the code, is tested beside the commands.)

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use support::source::rust_files;

pub fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The lines of all recorded sessions that the server (`< `) or the client (`> `) has sent.
pub fn recorded(by: &str) -> BTreeSet<String> {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    let snapshots = folders.filter_map(|folder| fs::read_dir(folder.unwrap().path().join("snapshots")).ok());
    let files = snapshots.flatten().map(|entry| entry.unwrap().path());
    let sessions = files.filter(|path| path.extension().is_some_and(|extension| extension == "snap"));
    let lines = sessions.flat_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().filter_map(|line| line.strip_prefix(by).map(str::to_string)).collect::<Vec<_>>()
    });
    lines.collect()
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

/// The commands in the tables of SPEC.md: rows of four columns with a command in the first.
fn commands(spec: &str) -> BTreeSet<&str> {
    let rows = spec.lines().filter(|line| line.starts_with("| `") && line.split('|').count() == 6);
    let first = rows.filter_map(|row| row.split('|').nth(1));
    first.flat_map(|cell| cell.split('`').filter(|name| !name.trim().is_empty())).collect()
}

#[test]
fn every_command_is_in_a_recorded_session() {
    let spec = read("SPEC.md");
    let sent: BTreeSet<String> = recorded("> ").iter().filter_map(|line| name(line, "command")).collect();
    let described = commands(&spec);
    assert!(described.len() > 35, "{described:?}");
    for command in described {
        assert!(sent.contains(command), "no recorded session has the command {command}");
    }
}

#[test]
fn example_events_have_happened() {
    let spec = read("SPEC.md");
    let recorded = recorded("< ");
    let section = spec.split("## 9. Version 2").nth(1).unwrap();
    let examples: Vec<&str> =
        section.lines().filter(|line| line.starts_with("{\"type\":\"event\"")).collect();
    assert!(examples.len() > 25, "{}", examples.len());
    for example in examples {
        assert!(recorded.contains(example), "no session has the event {example}");
    }
}

#[test]
fn example_breakpoints_of_json_rpc_have_been_set() {
    let spec = read("SPEC.md");
    let (sent, received) = (recorded("> "), recorded("< "));
    let section = spec.split("## 10. JSON-RPC").nth(1).unwrap().split("## 11.").next().unwrap();
    let examples: Vec<&str> =
        section.lines().filter(|line| line.starts_with('{') && line.contains("reakpoint")).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        assert!(sent.contains(example) || received.contains(example), "no session has {example}");
    }
}

#[test]
fn every_event_is_described() {
    let spec = read("SPEC.md");
    let mut names: BTreeSet<String> = recorded("< ").iter().filter_map(|line| name(line, "event")).collect();
    assert!(names.len() > 30, "{names:?}");
    names.append(&mut written());
    for name in &names {
        assert!(spec.contains(&format!("`{name}`")), "SPEC.md does not describe the event {name}");
    }
    // The other way round: the events of the first table, and the answers of the later ones.
    let table = spec.split("## 3. Events").nth(1).unwrap().split("## 4.").next().unwrap();
    let described = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for name in described {
        assert!(names.contains(name), "there is no event {name}");
    }
}

#[test]
fn the_list_of_events_is_complete() {
    let spec = read("SPEC.md");
    let section = spec.split("## 11. All events").nth(1).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| answers") || line.starts_with("| unasked"));
    let listed: BTreeSet<String> =
        rows.flat_map(|row| row.split('`').skip(1).step_by(2)).map(str::to_string).collect();
    let mut names = written();
    names.extend(recorded("< ").iter().filter_map(|line| name(line, "event")));
    names.insert("error".into());
    names.insert("output".into());
    names.remove("listening");
    let missing: Vec<&String> = names.iter().filter(|name| !listed.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let unknown: Vec<&String> =
        listed.iter().filter(|name| !names.contains(*name) && *name != "listening").collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

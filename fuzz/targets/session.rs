//! A program, and commands to a session with it, each in a line: of the line protocol, or of JSON-RPC.
//!
//! What the session writes are whole lines of JSON of limited size; each command is answered once; and the session ends.

use std::collections::HashMap;

use ez_debugger::protocol::{SharedFrontEnd, ez, rpc};
use serde_json::Value;

use super::serving::{asked, piece, reaches_outside, written};
use super::texts::PART;

/// The most that a line has, in bytes.
const LONGEST: usize = 32 << 10;

/// The longest `id` that is one.
const LONGEST_ID: usize = 150;

pub fn of_lines(data: &[u8]) {
    let last = r#"{"type":"command","command":"terminate","id":"the last"}"#;
    let Some((lines, events)) = events(data, ez::front_end(), last) else { return };
    let mut answers: HashMap<String, usize> = HashMap::new();
    for event in &events {
        assert!(!has_null(event), "null in {event}");
        // These have the number of a run, too.
        let is_run = matches!(event["event"].as_str(), Some("started" | "restarted"));
        if let Some(id) = event.get("id").filter(|_| !is_run) {
            *answers.entry(id.to_string()).or_default() += 1;
        }
    }
    for (id, line) in asked(&lines, "id", "command").into_iter().flatten() {
        if !is_id(&id) {
            continue;
        }
        let count = answers.get(&id.to_string()).copied().unwrap_or(0);
        // In version 1, each error of a program is an event.
        let may_be_more = line.contains("initialize") || line.contains("restart");
        // Nor has `input` an answer there.
        let may_be_none = line.contains("input");
        let is_right = count == 1 || count > 1 && may_be_more || count == 0 && may_be_none;
        assert!(is_right, "answered {count} times: {line}\n{events:#?}");
    }
}

pub fn of_rpc(data: &[u8]) {
    let last = r#"{"jsonrpc":"2.0","method":"terminate","id":"the last"}"#;
    let Some((lines, messages)) = events(data, rpc::front_end(), last) else { return };
    let mut answers: HashMap<String, usize> = HashMap::new();
    for message in messages.iter().flat_map(|it| it.as_array().cloned().unwrap_or_else(|| vec![it.clone()])) {
        let has = |name: &str| message.get(name).is_some();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        assert!(has("method") || has("id") && has("result") != has("error"), "no message: {message}");
        if !has("method") {
            *answers.entry(message["id"].to_string()).or_default() += 1;
        }
    }
    for (id, line) in asked(&lines, "id", "method").into_iter().flatten() {
        let is_request = line.contains("\"jsonrpc\":\"2.0\"") && line.contains("\"method\":\"");
        if is_id(&id) && is_request {
            let count = answers.get(&id.to_string()).copied().unwrap_or(0);
            assert_eq!(count, 1, "answered {count} times: {line}\n{messages:#?}");
        }
    }
}

fn is_id(id: &Value) -> bool {
    matches!(id, Value::Number(_) | Value::String(_)) && id.to_string().len() <= LONGEST_ID
}

/// The lines of an input, and what a session writes that gets them and a last one; `None` if it is no such input.
fn events(data: &[u8], front_end: SharedFrontEnd, last: &str) -> Option<(String, Vec<Value>)> {
    let text = String::from_utf8_lossy(data);
    let (program, lines) = text.split_once(PART)?;
    if reaches_outside(lines) {
        return None;
    }
    let sent = format!("{lines}\n{last}\n");
    let written = written(program, front_end, sent.as_bytes(), piece(data));
    let written = String::from_utf8(written).expect("UTF-8");
    assert!(written.is_empty() || written.ends_with('\n'), "the last line is not whole");
    let read = |line: &str| {
        assert!(line.len() < LONGEST, "{} bytes: {line:.300}", line.len());
        serde_json::from_str(line).unwrap_or_else(|why| panic!("no JSON: {why}: {line}"))
    };
    Some((lines.to_string(), written.lines().map(read).collect()))
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

//! A program, and requests of the Debug Adapter Protocol to a session with it, each in a line; a line that begins with
//! `!` is sent as it is.
//!
//! What the session writes are whole messages, numbered from 1; each request is answered once; and the session ends.

use std::collections::HashMap;

use ez_debugger::protocol::dap;
use serde_json::Value;

use super::serving::{PIECE, asked, piece, reaches_outside, written, written_after};
use super::texts::PART;

pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some((program, lines)) = text.split_once(PART) else { return };
    // To attach is to connect to another process.
    if reaches_outside(lines) || lines.contains("\"attach\"") {
        return;
    }
    let last =
        r#"{"seq":999999999,"type":"request","command":"disconnect","arguments":{"terminateDebuggee":true}}"#;
    let framed = |line: &str| match line.strip_prefix('!') {
        Some(raw) => raw.replace("\\r\\n", "\r\n"),
        None => format!("Content-Length: {}\r\n\r\n{line}", line.len()),
    };
    let sent = lines.split('\n').chain([last]).map(framed);
    // Most requests need a program that has stopped, and are refused until it has.
    let written = if piece(data) != PIECE || data.len().is_multiple_of(4) {
        let sent: String = sent.collect();
        written(program, dap::front_end(false), sent.as_bytes(), piece(data))
    } else {
        let whole =
            |message: String| message.into_bytes().chunks(PIECE).map(<[u8]>::to_vec).collect::<Vec<_>>();
        written_after(program, dap::front_end(false), sent.flat_map(whole).collect(), true)
    };
    let messages = messages(&written);

    let mut answers: HashMap<i64, usize> = HashMap::new();
    for (number, message) in messages.iter().enumerate() {
        assert_eq!(message["seq"], number + 1, "{message}");
        if message["type"] == "response" {
            *answers.entry(message["request_seq"].as_i64().expect("a number")).or_default() += 1;
        }
    }
    if lines.contains('!') {
        return;
    }
    for (seq, line) in asked(lines, "seq", "command").into_iter().flatten() {
        let is_request = line.contains("\"type\":\"request\"") && line.contains("\"command\":\"");
        let Some(seq) = seq.as_i64().filter(|seq| is_request && (1..1 << 31).contains(seq)) else { continue };
        let count = answers.get(&seq).copied().unwrap_or(0);
        assert_eq!(count, 1, "answered {count} times: {line}\n{messages:#?}");
    }
}

fn messages(mut rest: &[u8]) -> Vec<Value> {
    const END: &[u8] = b"\r\n\r\n";
    let mut found = Vec::new();
    while !rest.is_empty() {
        let at = rest.windows(END.len()).position(|it| it == END).expect("a header");
        let header = std::str::from_utf8(&rest[..at]).expect("UTF-8");
        let length = header.strip_prefix("Content-Length: ").and_then(|it| it.parse().ok());
        let body = at + END.len()..at + END.len() + length.unwrap_or(usize::MAX / 2);
        rest = match (rest.get(body.clone()), rest.get(body.end..)) {
            (Some(body), Some(after)) => {
                found.push(serde_json::from_slice(body).expect("JSON"));
                after
            }
            _ => panic!("the last message is not whole, or its header is wrong: {header}"),
        };
    }
    found
}

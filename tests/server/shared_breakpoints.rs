//! Many breakpoints of a shared session: each client is told of all of them, and none is lost.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::socket::Client;

use crate::together::{directory_with, shared};

/// A program in which this many lines, from line 2 on, can have a breakpoint.
fn long_program(lines: usize) -> String {
    format!("do main() {{\n    temp x int = 0\n{}}}\n", "    x += 1\n".repeat(lines - 1))
}

/// `setBreakpoints` for these lines.
fn breakpoints(lines: impl Iterator<Item = u64>) -> Value {
    let all = lines.map(|line| json!({"line": line, "condition": "1 > 2"}));
    json!({"file": "a.ez", "breakpoints": all.collect::<Vec<_>>()})
}

/// The lines with a breakpoint that a client is told of by the next events, until there are so many.
fn told(client: &mut Client, count: usize) -> BTreeSet<u64> {
    let mut lines = BTreeSet::new();
    while lines.len() < count {
        let changed = client.wait_for("breakpointChanged");
        assert_eq!(changed["reason"], "new");
        assert!(lines.insert(changed["breakpoint"]["line"].as_u64().unwrap()), "{changed}");
    }
    lines
}

fn lines_of(list: &Value) -> BTreeSet<u64> {
    list.as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect()
}

/// All breakpoints that there are.
fn all(client: &mut Client) -> BTreeSet<u64> {
    client.command("getBreakpoints", json!({}));
    let mut lines = BTreeSet::new();
    loop {
        let page = client.wait_for("breakpoints");
        lines.extend(lines_of(&page["breakpoints"]));
        if page["part"] == page["parts"] {
            return lines;
        }
    }
}

#[test]
fn who_joins_is_told_of_the_breakpoints_for_which_the_first_event_has_no_room() {
    let directory = directory_with(&long_program(500));
    let (_server, mut owner, door) = shared(directory.path(), "a.ez");
    owner.command("setBreakpoints", breakpoints(2..502));
    assert_eq!(all(&mut owner).len(), 500);
    let mut guest = door.client("participant");
    guest.first("attach", json!({"protocolVersion": 2, "name": "Bob"}));
    let attached = guest.wait_for("attached");
    assert_eq!(attached["truncated"], true);
    let mut known = lines_of(&attached["breakpoints"]);
    known.extend(told(&mut guest, 500 - known.len()));
    assert_eq!(known, (2..502).collect());
    // Whoever sets all that it knows but one removes this one.
    guest.command("setBreakpoints", breakpoints(3..502));
    assert_eq!(all(&mut guest), (3..502).collect());
}

#[test]
fn a_guest_that_reads_is_told_of_as_many_breakpoints_as_a_command_sets() {
    let lines = 30_000;
    let directory = directory_with(&long_program(lines));
    let (_server, mut owner, door) = shared(directory.path(), "a.ez");
    let mut guest = door.guest("participant", "Bob");
    owner.command("setBreakpoints", breakpoints(2..lines as u64 + 2));
    assert_eq!(told(&mut guest, lines).len(), lines);
    assert_eq!(all(&mut guest).len(), lines);
}

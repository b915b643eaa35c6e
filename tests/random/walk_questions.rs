//! Questions to the past of random programs: what was written to a variable, and what has printed the output, are
//! the same however they are asked, and agree with what was seen on the way.

use serde_json::{Value, json};

use crate::walks::{Session, Shown};

/// Variables and bytes of the output that are asked about at a stop.
const ASKED: usize = 3;

/// Asks about the position `trace[at]`, where the session is; `trace` has the positions from the first one on.
pub fn check(session: &mut Session, trace: &[Shown], at: usize) {
    let (_, shown) = session.ask("getVariables", json!({"frameIndex": 0}));
    for variable in shown["variables"].as_array().unwrap() {
        let name = variable["name"].as_str().unwrap();
        // The one that is visible may be another one of the same name.
        if session.is_declared_once(name) && session.random.u8(0..4) == 0 {
            check_changes(session, name, variable);
        }
    }
    check_parts(session);
    let length = trace[at].output;
    for _ in 0..ASKED.min(length as usize) {
        let offset = session.random.u64(0..length);
        check_printed(session, &trace[..=at], offset);
    }
}

/// What the expressions of the next statement compute is what the same texts evaluate to before it, if nothing is
/// called in between.
fn check_parts(session: &mut Session) {
    let (event, unfolded) = session.ask("unfold", json!({"next": true}));
    let parts = unfolded["parts"].as_array().filter(|_| event == "unfolded");
    let is_call = |part: &Value| part["kind"] == "call";
    let Some(parts) = parts.filter(|parts| !parts.iter().any(is_call)) else { return };
    // The cases of a `when` are compared, not computed.
    if unfolded["prefix"].as_str().is_some_and(|prefix| prefix.starts_with("when")) {
        return;
    }
    let kinds = ["variable", "element", "field", "operator"];
    for part in parts.iter().filter(|part| kinds.contains(&part["kind"].as_str().unwrap())) {
        let Some(value) = part["value"].as_str().filter(|value| !value.contains('…')) else { continue };
        let question = json!({"expression": part["text"], "context": "watch"});
        let (event, result) = session.ask("evaluate", question);
        if event == "evaluateResult" {
            assert_eq!(result["result"], value, "{part}\n{}", session.log);
        }
    }
}

fn check_changes(session: &mut Session, name: &str, variable: &Value) {
    let (event, all) = session.ask("changes", json!({"expression": name, "count": 1000}));
    let log = session.log.clone();
    if event == "error" {
        // It has no value yet, or is a constant.
        let last = session.ask("lastChange", json!({"expression": name}));
        assert_eq!(last.0, "error", "{all}\n{log}");
        return;
    }
    assert!(all["next"].is_null(), "{all}\n{log}");
    let rows = all["changes"].as_array().unwrap();
    let (_, last) = session.ask("lastChange", json!({"expression": name}));
    let first = rows.first().unwrap_or_else(|| panic!("nothing has written {name}\n{log}"));
    for member in ["step", "cause", "location", "oldValue"] {
        // Values in lists are shorter.
        let is_cut = first[member].as_str().is_some_and(|text| text.contains('…'));
        assert!(is_cut || first[member] == last[member], "{first} {last}\n{log}");
    }
    let is_plain = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        !text.contains(['[', '{', '…'])
    };
    if is_plain(&variable["value"]) && !first["newValue"].is_null() {
        assert_eq!(first["newValue"], variable["value"], "{first}\n{log}");
    }
    for pair in rows.windows(2) {
        let (new, old) = (&pair[0]["oldValue"], &pair[1]["newValue"]);
        if is_plain(new) && is_plain(old) && !old.is_null() {
            assert_eq!(new, old, "{all}\n{log}");
        }
        assert_eq!(pair[0]["cause"], "written", "{all}\n{log}");
    }
    let (mut pages, mut before) = (Vec::new(), Value::Null);
    for count in [1, 2, 3].into_iter().cycle() {
        let mut params = json!({"expression": name, "count": count});
        if !before.is_null() {
            params["before"] = before;
        }
        let (_, page) = session.ask("changes", params);
        pages.extend(page["changes"].as_array().unwrap().iter().cloned());
        before = page["next"].clone();
        if before.is_null() {
            break;
        }
    }
    assert_eq!(&pages, rows, "{log}");
}

fn check_printed(session: &mut Session, trace: &[Shown], offset: u64) {
    let (event, found) = session.ask("outputStep", json!({"offset": offset}));
    let log = session.log.clone();
    assert_eq!((event.as_str(), found["offset"].as_u64()), ("outputStep", Some(offset)), "{found}\n{log}");
    let step = found["step"].as_u64().unwrap();
    // Something may have been printed before `main`.
    let Some(before) = trace.iter().rposition(|shown| shown.output <= offset) else { return };
    let at = &trace[before].place;
    // Steps do not stop at statements of the same line.
    let is_before = |next: &Shown| step <= next.place.step;
    assert!(trace.get(before + 1).is_none_or(is_before), "{found} {at:?}\n{log}");
    let printed_there = trace.get(before + 1).is_none_or(|next| next.place.frames == at.frames);
    if step == at.step && printed_there {
        assert_eq!(found["location"]["line"], at.line, "{found} {at:?}\n{log}");
    }
}

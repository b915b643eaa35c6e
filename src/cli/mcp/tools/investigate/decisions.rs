//! Which conditions let a statement run.

use serde_json::{Map, Value, json};

use super::parts::Computation;
use crate::cli::mcp::call::Call;
use crate::cli::mcp::session::{Session, location, number, text};

/// Maximum number of positions that are looked at for all statements together.
const MAX_POSITIONS: u32 = 200;

/// What let a statement run.
pub enum Decision {
    /// It is in no `if`, `when` or loop with a condition.
    Always,
    /// How the heads around it have decided, in order.
    Because(Vec<String>),
    /// That was not found.
    Unknown,
}

/// How the heads around some statements have decided: for each, its step and the places, line and column, of the heads.
/// The program is stopped somewhere else afterwards.
pub fn decide(call: &Call, session: &mut Session, statements: &[(u64, Vec<(u64, u64)>)]) -> Vec<Decision> {
    let mut room = MAX_POSITIONS;
    let one = |(step, heads): &(u64, Vec<(u64, u64)>)| {
        if heads.is_empty() {
            return Decision::Always;
        }
        match decisions(call, session, *step, heads, &mut room) {
            Ok(found) if !found.is_empty() => Decision::Because(found),
            Ok(_) | Err(_) => Decision::Unknown,
        }
    };
    statements.iter().map(one).collect()
}

/// Goes back from a statement, within its call, to the heads.
fn decisions(
    call: &Call,
    session: &mut Session,
    step: u64,
    heads: &[(u64, u64)],
    room: &mut u32,
) -> Result<Vec<String>, String> {
    let mut here = session.ask(call, "goToStep", json!({"step": step}))?;
    let depth = number(&here, "frameCount");
    let mut found = Vec::new();
    while *room > 0 {
        *room -= 1;
        let before = session.ask(call, "stepBackOver", json!({}))?;
        let has_left = number(&before, "frameCount") < depth;
        if has_left || (place(&before), number(&before, "step")) == (place(&here), number(&here, "step")) {
            break;
        }
        here = before;
        if heads.contains(&place(&here)) {
            let head = session.ask(call, "unfold", json!({"step": number(&here, "step")}))?;
            let line = location(&here, &mut session.sources);
            found.extend(Computation::new(head).decision(text(&line, "source")));
        } else if !found.is_empty() {
            break;
        }
        if heads.first() == Some(&place(&here)) {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// The line and column of a stop.
fn place(stop: &Map<String, Value>) -> (u64, u64) {
    let at = stop.get("location").and_then(Value::as_object);
    at.map(|at| (number(at, "line"), number(at, "column"))).unwrap_or_default()
}

//! Which conditions let a statement run.

use crate::clients::agents::call::Call;
use crate::clients::agents::session::ProgramSession;
use crate::clients::agents::shown::SourceLine;
use crate::clients::computation::Computation;
use ez_engine::api::{Position, Stopped, Travel, UnfoldTarget};

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

/// How the heads around some statements have decided: for each, its step and the places of the heads.
/// The program is stopped somewhere else afterwards.
pub fn decide(
    call: &Call,
    session: &mut ProgramSession,
    statements: &[(u64, Vec<Position>)],
) -> Vec<Decision> {
    let mut room = MAX_POSITIONS;
    let one = |(step, heads): &(u64, Vec<Position>)| {
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
    session: &mut ProgramSession,
    step: u64,
    heads: &[Position],
    room: &mut u32,
) -> Result<Vec<String>, String> {
    let mut here = session.travel(call, Travel::GoToStep(step))?;
    let depth = here.frame_count;
    let mut found = Vec::new();
    while *room > 0 {
        *room -= 1;
        let before = session.travel(call, Travel::StepBackOver)?;
        let has_left = before.frame_count < depth;
        if has_left || (position(&before), before.step) == (position(&here), here.step) {
            break;
        }
        here = before;
        if heads.contains(&position(&here)) {
            let head = session.unfold(call, UnfoldTarget::Step(here.step))?;
            let line = SourceLine::new(&here.location, &mut session.sources).source;
            found.extend(Computation::new(*head).decision(&line));
        } else if !found.is_empty() {
            break;
        }
        if heads.first() == Some(&position(&here)) {
            break;
        }
    }
    found.reverse();
    Ok(found)
}

/// Where a stop is, in its file.
fn position(stop: &Stopped) -> Position {
    Position { line: stop.location.line, column: stop.location.column }
}

//! Why a statement was executed: the conditions around it.

use super::{Explaining, short};
use crate::clients::computation::Computation;
use crate::clients::past::Past;
use ez_engine::api::{Condition, GetStackTrace, Location, StatementKind, Travel, Unfolded};

/// How many calls outwards conditions are looked for.
const MAX_CALLS: usize = 3;

/// How many of the conditions of an `if` are shown.
const MAX_CONDITIONS: usize = 2;

impl<P: Past> Explaining<'_, P> {
    /// Shows the conditions that have let a statement run, and where their values came from: those of the innermost `if`,
    /// `when` or loop around it or, if there is none, around the call of its function. `looks_back`: if there is none around
    /// it, what came before it in its function may be the reason.
    pub(super) fn decisions(
        &mut self,
        indent: usize,
        statement: &Computation,
        looks_back: bool,
    ) -> Result<(), String> {
        let mut step = statement.step();
        let mut conditions = statement.unfolded().conditions.clone();
        if conditions.is_empty() && looks_back && self.passed_by(indent, statement)? {
            return Ok(());
        }
        for _ in 0..MAX_CALLS {
            if !conditions.is_empty() {
                break;
            }
            let here = self.past.travel(Travel::GoToStep(step))?;
            if here.frame_count < 2 {
                return Ok(());
            }
            let call = self.past.ask(GetStackTrace { start: 1, count: 1 })?.frames.pop();
            let caller = self.past.travel(Travel::StepBackOut)?;
            if caller.frame_count >= here.frame_count {
                return Ok(());
            }
            let caller = self.statement(caller.step)?;
            // A call that was registered by `ensure` is in another statement.
            if !call.is_some_and(|call| is_in(&call.location, &caller)) {
                return Ok(());
            }
            (step, conditions) = (caller.step(), caller.unfolded().conditions.clone());
        }
        let mut last = None;
        for Condition { step, .. } in conditions.iter().rev().take(MAX_CONDITIONS) {
            let Some(step) = step else { continue };
            let head = self.computed_at(*step)?;
            if let Some(inner) = self.head(indent, &head, "because of") {
                last = Some((inner, head));
            }
        }
        // Those of an `if` usually read the same.
        last.map_or(Ok(()), |(inner, head)| self.reads_of(inner, &head))
    }

    /// Shows the condition that was computed last in the same call before a statement in no block, which has ended a loop or
    /// passed by an `if`; `false` if there is none.
    fn passed_by(&mut self, indent: usize, statement: &Computation) -> Result<bool, String> {
        let here = self.past.travel(Travel::GoToStep(statement.step()))?;
        let before = self.past.travel(Travel::StepBackOver)?;
        if before.step >= here.step || before.frame_count != here.frame_count {
            return Ok(false);
        }
        let mut head = self.statement(before.step)?;
        let inside = head.unfolded().conditions.last().and_then(|condition| condition.step);
        match (decided(&head).is_some(), inside) {
            // The block is in the same line, and what came last in it is not known.
            (true, _) if head.result() == Some("true") => return Ok(false),
            (false, Some(step)) => head = self.computed_at(step)?,
            (true, _) | (false, None) => {}
        }
        match self.head(indent, &head, "after") {
            Some(inner) => self.reads_of(inner, &head).map(|()| true),
            None => Ok(false),
        }
    }

    /// Adds a line about the head of an `if`, `when` or loop: what it has decided, as [`Explaining::add`] does.
    pub(super) fn head(&mut self, indent: usize, head: &Computation, why: &str) -> Option<usize> {
        let decided = decided(head)?;
        self.add(indent, head, |at, text| format!("{why} {at}: {text}{decided}"))
    }
}

/// What the head of an `if`, `when` or loop has computed, to be put behind it; `None` if the statement is no such head.
pub(super) fn decided(head: &Computation) -> Option<String> {
    match head.unfolded().statement {
        StatementKind::If | StatementKind::AsLongAs => Some(match (head.with_values(), head.result()) {
            (Some(computed), Some(result)) => format!(" → {} → {result}", short(computed)),
            (None, Some(result)) => format!(" → {result}"),
            (_, None) => String::new(),
        }),
        StatementKind::When => Some(match (head.result().unwrap_or_default(), head.case()) {
            (value, Some(case)) => format!(" → {}: is {}", short(value), short(&case)),
            (value, None) => format!(" → {}: no case", short(value)),
        }),
        StatementKind::For | StatementKind::ForEach => {
            Some(head.with_values().map_or_else(String::new, |computed| format!(" → {}", short(computed))))
        }
        StatementKind::Declaration
        | StatementKind::Assignment
        | StatementKind::Update
        | StatementKind::Expression
        | StatementKind::Return
        | StatementKind::Other => None,
    }
}

/// Whether a place is in a statement.
fn is_in(location: &Location, statement: &Computation) -> bool {
    let Unfolded { location: begin, end, .. } = statement.unfolded();
    let place = (location.line, location.column);
    location.path == begin.path && (begin.line, begin.column) <= place && place < (end.line, end.column)
}

//! Finds the steps of statements of which it is known that something happened while they were in progress: after
//! which place, and how many calls were in progress where the statement is.
//!
//! A statement without calls is the one at that place. Else the place may belong to a call that the statement has
//! made; then a run visits the statement wherever it is carried out, up to that place. If the statement began
//! before the checkpoint from which the run starts, the frame of the call shows after which place it began, and
//! another run goes further back.

use crate::debug::history::relay::{Outcome, lost};
use crate::debug::history::statements::aim::{FindStatements, StatementFound, StatementQuery};
use crate::debug::history::time_machine::TimeMachine;
use crate::debug::running::step_targets::{calls, is_ensure};
use ez_runtime::program::Program;
use ez_runtime::source::Span;

/// Maximum number of runs.
const RUNS: usize = 256;

/// Something that a statement has done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed {
    /// The last place before it.
    pub after: u64,
    /// Number of calls in progress, `main` not counted, where the statement is; `None` if it is not known which
    /// statement it was, only that it was the one at that place.
    pub depth: Option<u32>,
    /// Where it happened.
    pub at: Span,
}

/// A statement that was found: its step, and where it is.
pub(crate) type StatementStep = (u64, Span);

impl TimeMachine<'_> {
    /// The steps of the statements that have done something, in the same order.
    ///
    /// # Errors
    /// The outcome of a run that has not found them.
    pub fn statement_steps(&mut self, deeds: &[Deed]) -> Result<Vec<StatementStep>, Outcome> {
        let mut steps: Vec<StatementStep> = deeds.iter().map(|deed| (deed.after.max(1), deed.at)).collect();
        let mut open: Vec<(StatementQuery, usize)> = Vec::new();
        for (deed, index) in deeds.iter().zip(0..) {
            let query = query(&self.vm.program, deed);
            open.extend(query.filter(|query| query.after > 0).map(|query| (query, index)));
        }
        for _ in 0..RUNS {
            if open.is_empty() {
                break;
            }
            open.sort_unstable();
            let found = self.find(FindStatements(open.iter().map(|(query, _)| *query).collect()))?;
            if found.len() != open.len() {
                return Err(lost("a place was not found again"));
            }
            for ((query, index), found) in open.iter_mut().zip(found) {
                let (step, before) = match found {
                    StatementFound::At(step, at) => ((step, at), 0),
                    StatementFound::Before(place, at) => ((query.after, at), place),
                };
                steps.get_mut(*index).into_iter().for_each(|known| *known = step);
                query.after = before;
            }
            open.retain(|(query, _)| query.after > 0);
        }
        Ok(steps)
    }
}

/// Whether what happened there is what an `ensure` does when its function ends. No place comes before that: its step is
/// that of the last place in the function.
pub(crate) fn made_at_end(program: &Program, at: Span) -> bool {
    let stmt = program.statement_around(at);
    let info = stmt.and_then(|stmt| Some((program.statement(stmt)?.func, stmt)));
    info.is_some_and(|(func, stmt)| is_ensure(program, func, stmt))
}

/// The step of the statement that has done something; `None` if it has to be looked for.
pub(crate) fn step_if_known(program: &Program, deed: &Deed) -> Option<u64> {
    query(program, deed).is_none().then(|| deed.after.max(1))
}

/// What to look for; `None` if the statement is the one at its place.
fn query(program: &Program, deed: &Deed) -> Option<StatementQuery> {
    let Deed { after, depth, at } = *deed;
    if depth.is_none() {
        return Some(StatementQuery { after, depth: None, stmt: None });
    }
    if made_at_end(program, at) {
        return Some(StatementQuery { after, depth, stmt: None });
    }
    let stmt = program.statement_around(at);
    let func = stmt.and_then(|stmt| program.statement(stmt)).map(|info| info.func);
    let has_calls = func.zip(stmt).is_none_or(|(func, stmt)| !calls(program, func, stmt).is_empty());
    has_calls.then_some(StatementQuery { after, depth, stmt })
}

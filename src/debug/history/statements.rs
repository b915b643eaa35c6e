//! Finds the steps of statements of which it is known that something happened while they were in progress: after
//! which place, and how many calls were in progress where the statement is.
//!
//! A statement without calls is the one at that place. Else the place may belong to a call that the statement has
//! made; then a run visits the statement wherever it is carried out, up to that place. If the statement began
//! before the checkpoint from which the run starts, the frame of the call shows after which place it began, and
//! another run goes further back.

use crate::debug::engine::Engine;
use crate::debug::history::messages::{Aim, JourneyEnd, StatementFound, StatementQuery};
use crate::debug::history::relay::{Outcome, lost};
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::running::step_targets::calls;
use crate::interp::slots::Fp;
use crate::interp::vm::Vm;
use crate::program::{Program, StmtId};
use crate::source::Span;

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

impl Engine {
    /// The steps of the statements that have done something, in the same order.
    ///
    /// # Errors
    /// The outcome of a run that has not found them.
    pub fn statement_steps(&mut self, vm: &mut Vm, deeds: &[Deed]) -> Result<Vec<StatementStep>, Outcome> {
        let mut steps: Vec<StatementStep> = deeds.iter().map(|deed| (deed.after.max(1), deed.at)).collect();
        let mut open: Vec<(StatementQuery, usize)> = Vec::new();
        for (deed, index) in deeds.iter().zip(0..) {
            let query = query(&vm.program, deed);
            open.extend(query.filter(|query| query.after > 0).map(|query| (query, index)));
        }
        for _ in 0..RUNS {
            if open.is_empty() {
                break;
            }
            open.sort_unstable();
            let aim = Aim::Statements(open.iter().map(|(query, _)| *query).collect());
            let found = match self.go(vm, aim) {
                Outcome::Ended(JourneyEnd::Statements(found)) if found.len() == open.len() => found,
                Outcome::Ended(JourneyEnd::Statements(_)) => return Err(lost("a place was not found again")),
                other => return Err(other),
            };
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

    /// Called in an instance at each place that its flags or its goal select: answers the queries about this
    /// place.
    pub fn find_statements(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) {
        let (step, depth) = (vm.steps.now(), vm.depth());
        let Some(journey_state) = &mut self.journey_state else { return };
        let Some(search) = &mut journey_state.statements else { return };
        search.visit(stmt, depth, step);
        if search.next().is_none_or(|next| next.after > step) {
            return;
        }
        let Some(info) = vm.program.statement(stmt) else { return };
        let (at, view) = (info.at, FrameView { fp, func: info.func, stmt, at: info.at, back_edge });
        while let Some(query) = search.next().filter(|next| next.after <= step) {
            let call = query.depth.and_then(|of| depth.checked_sub(of.saturating_add(1)));
            let call = call.and_then(|index| frame_view(vm, &view, index as usize).ok());
            search.found.push(match (search.begun(query), call) {
                (Some(begun), _) => StatementFound::At(begun, at),
                (None, Some(call)) => StatementFound::Before(vm.frames.step_before(call.fp), at),
                (None, None) => StatementFound::At(step, at),
            });
        }
        vm.steps.set_goal(journey_state.goal(vm.steps.now()));
    }
}

/// What to look for; `None` if the statement is the one at its place.
fn query(program: &Program, deed: &Deed) -> Option<StatementQuery> {
    let Deed { after, depth, at } = *deed;
    if depth.is_none() {
        return Some(StatementQuery { after, depth: None, stmt: None });
    }
    let stmt = program.statement_around(at);
    let func = stmt.and_then(|stmt| program.statement(stmt)).map(|info| info.func);
    let has_calls = func.zip(stmt).is_none_or(|(func, stmt)| !calls(program, func, stmt).is_empty());
    has_calls.then_some(StatementQuery { after, depth, stmt })
}

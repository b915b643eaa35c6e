//! To find statements that were in progress.

use std::sync::Arc;

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::{FrameView, frame_view};
use crate::debug::inspect::inspection::Inspection;
use crate::recording::Replay;
use ez_runtime::interp::flags::{BREAKPOINT, StatementFlags};
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::StmtId;
use ez_runtime::source::Span;

/// To find statements that were in progress, in order of the places after which they were.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FindStatements(pub Vec<StatementQuery>);

/// A statement that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct StatementQuery {
    /// The last place before something that it did.
    pub after: u64,
    /// Number of calls in progress, `main` not counted, where it is; `None` if it is the one at that place.
    pub depth: Option<u32>,
    /// Which it is, if that is known.
    pub stmt: Option<StmtId>,
}

/// What is known about a statement at the place after which it did something, with the statement at that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StatementFound {
    /// Its step.
    At(u64, Span),
    /// A call that it had made was in progress; that began after the place with this number.
    Before(u64, Span),
}

impl Itinerary for FindStatements {
    fn start(&self) -> Option<RunPosition> {
        self.0.first().map(|first| RunPosition::place(first.after))
    }

    fn last_step(&self) -> u64 {
        self.0.last().map_or(0, |last| last.after)
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        let queries = self.0.clone();
        Box::new(StatementSearch { queries, found: Vec::new(), visited: HashMap::default(), flags: None })
    }
}

impl Finds for FindStatements {
    /// What was found about the first of the statements.
    type Found = Vec<StatementFound>;
}

/// The search for statements in one run.
struct StatementSearch {
    queries: Vec<StatementQuery>,
    /// What was found about the first of them.
    found: Vec<StatementFound>,
    /// The step at which each statement was carried out last, with the number of calls in progress that was asked for.
    visited: HashMap<(StmtId, u32), u64>,
    /// The flags of the statements, while they are set.
    flags: Option<Arc<StatementFlags>>,
}

impl Visit for StatementSearch {
    fn goal(&self) -> u64 {
        self.next().map_or(0, |next| next.after)
    }

    /// Sets the flags of the statements, so that the engine is called there.
    fn begin(&mut self, _: &mut Vm, inspection: &mut Inspection, _: &Replay) {
        self.flags = inspection.program.as_ref().map(|program| program.compiled.flags.clone());
        self.set_flags(true);
    }

    /// Answers the queries about this place.
    fn place(&mut self, vm: &mut Vm, _: &mut Inspection, view: &FrameView) -> bool {
        let (step, depth, known) = (vm.steps.now(), vm.depth(), self.found.len());
        self.visited.insert((view.stmt, depth), step);
        while let Some(query) = self.next().filter(|next| next.after <= step) {
            let call = query.depth.and_then(|of| depth.checked_sub(of.saturating_add(1)));
            let call = call.and_then(|index| frame_view(vm, view, index as usize).ok());
            self.found.push(match (self.begun(query), call) {
                (Some(begun), _) => StatementFound::At(begun, view.at),
                (None, Some(call)) => StatementFound::Before(vm.frames.step_before(call.fp), view.at),
                (None, None) => StatementFound::At(step, view.at),
            });
        }
        self.found.len() > known
    }

    fn visit(&mut self, _: &mut Here) -> PositionAction {
        if self.next().is_none() { PositionAction::End } else { PositionAction::Pass }
    }

    fn end(&mut self, _: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        Some(JourneyEnd::found(&self.found))
    }
}

impl StatementSearch {
    fn set_flags(&self, on: bool) {
        for stmt in self.queries.iter().filter_map(|query| query.stmt) {
            self.flags.iter().for_each(|flags| flags.set_own(stmt.0 as usize, BREAKPOINT, on));
        }
    }

    /// The next query; `None` if all were answered.
    fn next(&self) -> Option<StatementQuery> {
        self.queries.get(self.found.len()).copied()
    }

    /// The step at which the statement of a query began, if this run has visited it.
    fn begun(&self, query: StatementQuery) -> Option<u64> {
        self.visited.get(&(query.stmt?, query.depth?)).copied()
    }
}

impl Drop for StatementSearch {
    fn drop(&mut self) {
        // Later journeys use the same compiled code.
        self.set_flags(false);
    }
}

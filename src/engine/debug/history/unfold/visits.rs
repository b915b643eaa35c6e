//! To find when statements of a call were carried out last.

use std::sync::Arc;

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use crate::recording::Replay;
use ez_runtime::interp::flags::{BREAKPOINT, StatementFlags};
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::StmtId;

/// To find the steps at which statements were carried out last before a step, in frames of one depth.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FindVisits {
    pub statements: Vec<StmtId>,
    /// Number of calls in progress where they are.
    pub depth: u32,
    /// From where to look.
    pub start: RunPosition,
    pub before: u64,
}

impl Itinerary for FindVisits {
    fn start(&self) -> Option<RunPosition> {
        Some(self.start)
    }

    fn last_step(&self) -> u64 {
        self.before
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(VisitSearch { aim: self.clone(), found: HashMap::default(), flags: None })
    }
}

impl Finds for FindVisits {
    /// The steps of those that were carried out.
    type Found = Vec<(StmtId, u64)>;
}

struct VisitSearch {
    aim: FindVisits,
    found: HashMap<StmtId, u64>,
    /// The flags of the statements, while they are set.
    flags: Option<Arc<StatementFlags>>,
}

impl Visit for VisitSearch {
    fn goal(&self) -> u64 {
        self.aim.before
    }

    fn begin(&mut self, _: &mut Vm, inspection: &mut Inspection, _: &Replay) {
        self.flags = inspection.program.as_ref().map(|program| program.compiled.flags.clone());
        self.set_flags(true);
    }

    fn place(&mut self, vm: &mut Vm, _: &mut Inspection, view: &FrameView) -> bool {
        let FindVisits { statements, depth, before, .. } = &self.aim;
        let step = vm.steps.now();
        if step < *before && vm.depth() == *depth && statements.contains(&view.stmt) {
            self.found.insert(view.stmt, step);
        }
        false
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        if here.position.step >= self.aim.before { PositionAction::End } else { PositionAction::Pass }
    }

    fn end(&mut self, _: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        let found: Vec<(StmtId, u64)> = self.found.iter().map(|(stmt, step)| (*stmt, *step)).collect();
        Some(JourneyEnd::found(&found))
    }
}

impl VisitSearch {
    fn set_flags(&self, on: bool) {
        for stmt in &self.aim.statements {
            self.flags.iter().for_each(|flags| flags.set_own(stmt.0 as usize, BREAKPOINT, on));
        }
    }
}

impl Drop for VisitSearch {
    fn drop(&mut self) {
        // Later journeys use the same compiled code.
        self.set_flags(false);
    }
}

//! The search for the steps of statements in one run.

use std::sync::Arc;

use foldhash::HashMap;

use crate::debug::history::messages::{StatementFound, StatementQuery};
use crate::interp::flags::{BREAKPOINT, StatementFlags};
use crate::program::StmtId;

/// The search for statements in one run.
pub(crate) struct StatementSearch {
    queries: Vec<StatementQuery>,
    /// What was found about the first of them.
    pub found: Vec<StatementFound>,
    /// The step at which each statement was carried out last, with so many calls in progress.
    visited: HashMap<(StmtId, u32), u64>,
    /// The flags of the statements, while they are set.
    flags: Option<Arc<StatementFlags>>,
}

impl StatementSearch {
    /// The queries must be in order.
    pub fn new(queries: &[StatementQuery]) -> StatementSearch {
        let queries = queries.to_vec();
        StatementSearch { queries, found: Vec::new(), visited: HashMap::default(), flags: None }
    }

    /// Sets the flags of the statements, so that the engine is called there.
    pub fn begin(&mut self, flags: Arc<StatementFlags>) {
        self.flags = Some(flags);
        self.set_flags(true);
    }

    fn set_flags(&self, on: bool) {
        for stmt in self.queries.iter().filter_map(|query| query.stmt) {
            self.flags.iter().for_each(|flags| flags.set_own(stmt.0 as usize, BREAKPOINT, on));
        }
    }

    /// The next query; `None` if all were answered.
    pub fn next(&self) -> Option<StatementQuery> {
        self.queries.get(self.found.len()).copied()
    }

    /// A statement is about to be carried out.
    pub fn visit(&mut self, stmt: StmtId, depth: u32, step: u64) {
        self.visited.insert((stmt, depth), step);
    }

    /// The step at which the statement of a query began, if this run has visited it.
    pub fn begun(&self, query: StatementQuery) -> Option<u64> {
        self.visited.get(&(query.stmt?, query.depth?)).copied()
    }
}

impl Drop for StatementSearch {
    fn drop(&mut self) {
        // Later journeys use the same compiled code.
        self.set_flags(false);
    }
}

//! Questions about writes in the past, and the writes that hit data breakpoints.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::api::{BreakpointId, GetChanges, Written};
use crate::debug::breakpoints::hit_condition::HitCondition;
use crate::debug::history::changes::subject::PortableSubject;
use crate::debug::history::position::RunPosition;

/// A search for changes of a variable or part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ChangeQuestion {
    pub query: GetChanges,
    /// The position at which to resolve the expression.
    pub asked_at: RunPosition,
    /// The data breakpoint that is to stop the program; `None`: the latest changes are wanted, as many as the
    /// query says.
    pub breakpoint: Option<DataWatch>,
}

impl ChangeQuestion {
    /// The position at which a search for what it asks about may end.
    pub fn until(&self, subject: &PortableSubject) -> RunPosition {
        let before = self.query.before.map_or(self.asked_at, |step| RunPosition::place(step.max(1)));
        match subject {
            // Another variable in the same slot may have begun since.
            PortableSubject::Local(_, _, _, None) => self.asked_at,
            PortableSubject::Local(_, _, _, Some(_))
            | PortableSubject::Global(_)
            | PortableSubject::Part(..) => self.asked_at.min(before),
        }
    }
}

/// A data breakpoint to search for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DataWatch {
    pub id: BreakpointId,
    pub description: CompactString,
    pub condition: Option<String>,
    pub hit_condition: Option<HitCondition>,
    pub wanted: WantedWrite,
}

/// Which of the writes that stop the program is wanted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum WantedWrite {
    /// The first that is noticed after a position.
    After(RunPosition),
    /// The first that is noticed at a position, or after it.
    From(RunPosition),
    Last,
}

/// The question for a write that stops the program.
#[derive(Clone, Debug)]
pub(crate) struct WriteQuestion {
    pub change: ChangeQuestion,
    /// What the breakpoint watches; `None` if that cannot be named in another process.
    pub subject: Option<PortableSubject>,
}

impl WriteQuestion {
    /// The breakpoint.
    pub fn id(&self) -> Option<BreakpointId> {
        self.change.breakpoint.as_ref().map(|watch| watch.id)
    }

    /// Whether the run has to begin at the program's beginning.
    pub fn needs_whole_past(&self) -> bool {
        let watch = self.change.breakpoint.as_ref();
        self.subject.is_none() || watch.is_some_and(|watch| watch.hit_condition.is_some())
    }
}

/// A write that stops the program, as it is to be reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Write {
    /// Where it is noticed.
    pub position: RunPosition,
    pub breakpoint: BreakpointId,
    /// Number of hits of the breakpoint since the program's beginning, if that is known.
    pub hits: Option<u32>,
    /// Why the breakpoint's condition has failed.
    pub failed: Option<String>,
    pub written: Written,
    pub sentence: String,
}

/// What a run has found about a data breakpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WriteFindings {
    pub write: Option<Write>,
    /// Whether there can be no write before the run.
    pub is_whole: bool,
    /// Whether what is watched existed, but was not found: writes may be missing.
    pub is_blind: bool,
}

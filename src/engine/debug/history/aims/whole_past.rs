//! To find changes of something that cannot be named in another process.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::search::{Search, SearchFound};
use crate::debug::history::watch_subject::Subject;
use crate::debug::history::writes::ChangeQuestion;

use super::visit::{Finds, Itinerary, JourneyEnd, Runs, Visit};

/// To find the last changes of something, or a write to it that hits a data breakpoint, from the program's beginning
/// on, for what an expression refers to that cannot be named in another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SearchWholePast {
    pub until: RunPosition,
    pub question: ChangeQuestion,
}

impl Itinerary for SearchWholePast {
    fn start(&self) -> Option<RunPosition> {
        None
    }

    fn last_step(&self) -> u64 {
        self.until.step
    }

    /// The first of the two runs, if only one is possible.
    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Search::for_meaning(self.question.clone()))
    }

    fn reach(&self, runs: &Runs, _: RunPosition) -> JourneyEnd {
        let SearchWholePast { until, question } = self.clone();
        match self.subject(runs) {
            Ok(subject) => (runs.run)(Box::new(Search::for_changes(question, subject, 1, until))),
            Err(end) => end,
        }
    }
}

impl Finds for SearchWholePast {
    type Found = SearchFound;
}

impl SearchWholePast {
    /// What the expression refers to in every run of this process; else the end of the run that was to tell.
    fn subject(&self, runs: &Runs) -> Result<Subject, JourneyEnd> {
        let id = self.question.breakpoint.as_ref().map(|watch| watch.id);
        if let Some(known) = id.and_then(|id| runs.subjects.borrow().get(&id).cloned()) {
            return Ok(known);
        }
        let search = Search::for_meaning(self.question.clone());
        let resolved = search.resolved.clone();
        let end = (runs.run)(Box::new(search));
        let Some(Ok(resolved)) = resolved.get() else { return Err(end) };
        if let Some(id) = id {
            runs.subjects.borrow_mut().insert(id, resolved.subject.clone());
        }
        Ok(resolved.subject.clone())
    }
}

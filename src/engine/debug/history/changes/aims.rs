//! What journeys look for that are to find changes: first what an expression refers to, then its changes.

use serde::{Deserialize, Serialize};

use crate::debug::history::changes::search::{Search, SearchFound};
use crate::debug::history::changes::subject::{PortableSubject, Subject};
use crate::debug::history::changes::writes::ChangeQuestion;
use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Finds, Itinerary, JourneyEnd, Runs, Visit};

/// To resolve the expression of a question where it was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Resolve(pub ChangeQuestion);

impl Itinerary for Resolve {
    fn start(&self) -> Option<RunPosition> {
        Some(self.0.asked_at)
    }

    fn last_step(&self) -> u64 {
        self.0.asked_at.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Search::for_meaning(self.0.clone()))
    }
}

impl Finds for Resolve {
    type Found = SearchFound;
}

/// To find the last changes of something, or a write to it that hits a data breakpoint, in a part of the past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FindChanges {
    /// The run begins at the last checkpoint that is not after this position.
    pub start: RunPosition,
    /// The step from which on to watch.
    pub from: u64,
    pub until: RunPosition,
    pub question: ChangeQuestion,
    pub subject: PortableSubject,
}

impl Itinerary for FindChanges {
    fn start(&self) -> Option<RunPosition> {
        Some(self.start)
    }

    fn last_step(&self) -> u64 {
        self.until.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        let FindChanges { from, until, question, subject, .. } = self.clone();
        Box::new(Search::for_changes(question, subject.into(), from, until))
    }
}

impl Finds for FindChanges {
    type Found = SearchFound;
}

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

//! To find changes of a variable or part that can be named in every process.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::search::{Search, SearchFound};
use crate::debug::history::watch_subject::PortableSubject;
use crate::debug::history::writes::ChangeQuestion;

use super::visit::{Finds, Itinerary, Visit};

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

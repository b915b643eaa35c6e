//! To resolve an expression.

use serde::{Deserialize, Serialize};

use crate::debug::history::position::RunPosition;
use crate::debug::history::search::{Search, SearchFound};
use crate::debug::history::writes::ChangeQuestion;

use super::visit::{Finds, Itinerary, Visit};

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

//! The state of a search for a write that hits a data breakpoint, in one run: counts the writes, and keeps the one
//! that is wanted.

use crate::api::Written;
use crate::debug::history::changes::writes::{DataWatch, WantedWrite};
use crate::debug::history::position::RunPosition;
use ez_runtime::interp::watch::WatchHit;

/// The state of such a search in one run. A program may write any number of times: only one write is kept.
#[derive(Debug, Default)]
pub(crate) struct WriteSearch {
    /// Number of writes that have hit the breakpoint.
    pub hits: u32,
    /// Whether the run has watched since what is watched exists.
    pub is_whole: bool,
    /// The wanted write, so far.
    pub found: Option<Kept>,
}

/// A write that is kept until the end of the run.
#[derive(Debug)]
pub(crate) struct Kept {
    pub position: RunPosition,
    /// Number of hits up to it.
    pub hits: u32,
    /// Why the breakpoint's condition has failed.
    pub failed: Option<String>,
    pub text: Text,
}

/// How a write is to be reported.
#[derive(Debug)]
pub(crate) enum Text {
    /// Nothing can change its values, so they are described at the end.
    Later(WatchHit),
    Known(Box<Written>, String),
}

impl WriteSearch {
    /// Whether a write is kept.
    pub fn has_found(&self) -> bool {
        self.found.is_some()
    }

    /// Counts writes that are noticed at a position; `writes` says of each whether the breakpoint's condition has failed: then
    /// it is no hit, but stops the program. Returns the index of the first of them that stops it, if it is wanted more than
    /// the one that is kept.
    pub fn count(
        &mut self,
        watch: &DataWatch,
        position: RunPosition,
        writes: impl IntoIterator<Item = bool>,
    ) -> Option<usize> {
        let is_wanted = match watch.wanted {
            WantedWrite::After(after) => position > after && self.found.is_none(),
            WantedWrite::From(from) => position >= from && self.found.is_none(),
            WantedWrite::Last => true,
        };
        let mut first = None;
        for (index, has_failed) in writes.into_iter().enumerate() {
            self.hits = self.hits.saturating_add(u32::from(!has_failed));
            if has_failed || watch.hit_condition.is_none_or(|condition| condition.holds(self.hits)) {
                first.get_or_insert(index);
            }
        }
        first.filter(|_| is_wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::BreakpointId;
    use crate::debug::breakpoints::hit_condition::HitCondition;

    /// The steps of the writes that are wanted, one after the other, of one write at each step up to the last, and
    /// of two at steps that divide by ten.
    fn wanted(condition: Option<&str>, wanted: WantedWrite, last: u64) -> (Vec<u64>, u32) {
        let hit_condition = condition.map(|text| HitCondition::parse(text).expect("a condition"));
        let (id, description) = (BreakpointId(1), "c".into());
        let watch = DataWatch { id, description, condition: None, hit_condition, wanted };
        let mut search = WriteSearch::default();
        let mut steps = Vec::new();
        for step in 1..=last {
            let writes = if step % 10 == 0 { 2 } else { 1 };
            if search.count(&watch, RunPosition::place(step), vec![false; writes]).is_some() {
                steps.push(step);
            }
        }
        (steps, search.hits)
    }

    #[test]
    fn any_number_of_writes_is_counted() {
        let last = |condition, steps| {
            let (found, hits) = wanted(condition, WantedWrite::Last, steps);
            (found.last().copied(), hits)
        };
        assert_eq!(last(None, 1_000_000), (Some(1_000_000), 1_100_000));
        assert_eq!(last(Some("== 5"), 1_000_000), (Some(5), 1_100_000));
        assert_eq!(last(Some("<= 3"), 1_000_000), (Some(3), 1_100_000));
        assert_eq!(last(Some("% 500000"), 1_000_000), (Some(909_091), 1_100_000));
        assert_eq!(last(Some("> 2000000"), 1_000_000), (None, 1_100_000));
    }

    #[test]
    fn a_condition_that_fails_stops_and_is_no_hit() {
        let (id, description) = (BreakpointId(1), "c".into());
        let hit_condition = HitCondition::parse("== 2").ok();
        let watch = DataWatch { id, description, condition: None, hit_condition, wanted: WantedWrite::Last };
        let mut search = WriteSearch::default();
        let stops =
            [[false, true], [false, false]].map(|writes| search.count(&watch, RunPosition::place(1), writes));
        assert_eq!((stops, search.hits), ([Some(1), Some(0)], 3));
    }

    #[test]
    fn each_of_several_writes_at_a_place_is_a_hit() {
        for number in ["== 10", "== 11"] {
            assert_eq!(wanted(Some(number), WantedWrite::Last, 30).0, [10], "{number}");
        }
        assert_eq!(wanted(Some("== 12"), WantedWrite::Last, 30).0, [11]);
    }

    #[test]
    fn the_first_write_is_after_the_position_or_at_it() {
        let first = |condition, which| wanted(condition, which, 30).0.first().copied();
        let here = RunPosition::place(7);
        assert_eq!(first(None, WantedWrite::After(here)), Some(8));
        assert_eq!(first(None, WantedWrite::From(here)), Some(7));
        assert_eq!(first(Some("% 4"), WantedWrite::After(here)), Some(8));
        assert_eq!(first(Some("== 3"), WantedWrite::After(here)), None);
        let returned = RunPosition::returned(7, 1);
        assert_eq!(first(None, WantedWrite::From(returned)), Some(8));
    }
}

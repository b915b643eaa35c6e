//! Hits of breakpoints in the past: which of them stop the program, and how many there were.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::api::BreakpointId;
use crate::debug::history::position::RunPosition;

/// Maximum number of hits in a list; then the earliest are dropped.
const MAX_HITS: usize = 1 << 20;

/// Breakpoints that are hit at a position, regardless of their hit conditions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hit {
    pub position: RunPosition,
    /// Empty where the program stops at an `Error` value.
    pub breakpoints: Vec<BreakpointId>,
}

/// Number of hits of breakpoints since the program's beginning. Breakpoints whose number is not known are missing.
pub(crate) type Counts = HashMap<BreakpointId, u32>;

/// The hits that a journey has found between two positions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// The hits from the first position on, before the second.
    pub list: Vec<Hit>,
    /// Whether the earliest hits are missing in the list.
    pub is_cut: bool,
    /// Number of hits after the first position, up to and including the second.
    pub counts: Counts,
    /// The breakpoints hit at the second position.
    pub at_end: Vec<BreakpointId>,
}

impl Tally {
    /// Adds a hit between these positions, or at one of them.
    pub fn add(&mut self, hit: Hit, from: RunPosition, until: RunPosition) {
        if hit.position > from {
            for id in &hit.breakpoints {
                *self.counts.entry(*id).or_default() += 1;
            }
        }
        if hit.position >= until {
            self.at_end = hit.breakpoints;
            return;
        }
        if self.list.len() == MAX_HITS {
            self.list.drain(..MAX_HITS / 2);
            self.is_cut = true;
        }
        self.list.push(hit);
    }
}

/// Sorts hits by position, and joins those of the same position.
pub(crate) fn merged(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| hit.position);
    let mut merged: Vec<Hit> = Vec::new();
    for hit in hits {
        match merged.last_mut().filter(|last| last.position == hit.position) {
            Some(last) => last.breakpoints.extend(hit.breakpoints),
            None => merged.push(hit),
        }
    }
    merged.iter_mut().for_each(|hit| hit.breakpoints.sort_unstable());
    merged
}

/// Takes hits back from the counts.
pub(crate) fn uncount(counts: &mut Counts, hit: &[BreakpointId]) {
    for id in hit {
        if let Some(count) = counts.get_mut(id) {
            *count = count.saturating_sub(1);
        }
    }
}

/// A position at which breakpoints stop the program, and these.
pub(crate) type StopThere = (RunPosition, Vec<BreakpointId>);

/// The last hit that stops the program. `counts` are those after all of the hits, and become those at the
/// position found, or before all of them. `stops`: whether a breakpoint stops the program at its hit with this
/// number.
pub(crate) fn last_hit(
    hits: &[Hit],
    counts: &mut Counts,
    stops: impl Fn(BreakpointId, u32) -> bool,
) -> Option<StopThere> {
    for hit in hits.iter().rev() {
        if let Some(found) = stopping(hit, counts, &stops) {
            return Some(found);
        }
        uncount(counts, &hit.breakpoints);
    }
    None
}

fn stopping(hit: &Hit, counts: &Counts, stops: impl Fn(BreakpointId, u32) -> bool) -> Option<StopThere> {
    let stops = |id: &BreakpointId| counts.get(id).is_none_or(|count| stops(*id, *count));
    let stopping: Vec<BreakpointId> = hit.breakpoints.iter().copied().filter(stops).collect();
    (!stopping.is_empty() || hit.breakpoints.is_empty()).then_some((hit.position, stopping))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(step: u64, id: u32) -> Hit {
        Hit { position: RunPosition::place(step), breakpoints: vec![BreakpointId(id)] }
    }

    fn at(step: u64, id: u32) -> Option<StopThere> {
        Some((RunPosition::place(step), vec![BreakpointId(id)]))
    }

    #[test]
    fn hits_at_one_position_are_one() {
        let merged = merged(vec![hit(1, 3), hit(5, 3), hit(1, 2)]);
        let shown: Vec<_> = merged.iter().map(|hit| (hit.position.step, hit.breakpoints.len())).collect();
        assert_eq!(shown, [(1, 2), (5, 1)]);
        assert_eq!(merged[0].breakpoints, [BreakpointId(2), BreakpointId(3)]);
    }

    #[test]
    fn hits_are_counted_backwards() {
        let hits = [hit(1, 1), hit(2, 1), hit(3, 1), hit(4, 1)];
        let mut counts = Counts::from_iter([(BreakpointId(1), 4)]);
        assert_eq!(last_hit(&hits, &mut counts, |_, count| count == 2), at(2, 1));
        assert_eq!(counts, Counts::from_iter([(BreakpointId(1), 2)]));
        let mut counts = Counts::from_iter([(BreakpointId(1), 9)]);
        assert_eq!(last_hit(&hits, &mut counts, |_, count| count == 2), None);
        assert_eq!(counts, Counts::from_iter([(BreakpointId(1), 5)]));
    }

    #[test]
    fn a_tally_is_of_the_positions_after_the_first_and_up_to_the_second() {
        let (from, until) = (RunPosition::place(2), RunPosition::place(4));
        let mut tally = Tally::default();
        [hit(2, 1), hit(3, 1), hit(4, 1)].into_iter().for_each(|hit| tally.add(hit, from, until));
        assert_eq!(tally.counts, Counts::from_iter([(BreakpointId(1), 2)]));
        assert_eq!((tally.list.len(), tally.at_end), (2, vec![BreakpointId(1)]));
        assert!(!tally.is_cut);
    }
}

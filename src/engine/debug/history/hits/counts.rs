//! Hits of breakpoints in the past: which of them stop the program, and how many there were.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::api::BreakpointId;
use crate::debug::history::position::RunPosition;

/// Maximum number of hits in a list; then the earliest are dropped.
const MAX_HITS: usize = 1 << 20;

/// A position where breakpoints are hit, or the program stops at an `Error` value: then there are no breakpoints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hit {
    pub position: RunPosition,
    /// Those that are hit, regardless of their hit conditions.
    pub breakpoints: Vec<BreakpointId>,
    /// Those whose conditions have failed, which is no hit, but stops the program.
    pub failed: Vec<BreakpointId>,
    /// Why the condition of the first of them, or that of the error, has failed.
    pub text: Option<String>,
}

impl Hit {
    /// A position where nothing is hit.
    pub fn none(position: RunPosition) -> Hit {
        Hit { position, breakpoints: Vec::new(), failed: Vec::new(), text: None }
    }

    /// Whether there are no breakpoints.
    pub fn is_empty(&self) -> bool {
        self.breakpoints.is_empty() && self.failed.is_empty()
    }
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
            Some(last) => {
                last.breakpoints.extend(hit.breakpoints);
                last.failed.extend(hit.failed);
                last.text = last.text.take().or(hit.text);
            }
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

/// A position at which breakpoints stop the program.
#[derive(Debug, PartialEq)]
pub(crate) struct StopThere {
    pub position: RunPosition,
    /// Those that stop it, in order. Empty for a stop at an `Error` value.
    pub breakpoints: Vec<BreakpointId>,
    /// Why the condition of the first of them, or that of the error, has failed.
    pub text: Option<String>,
}

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
    let mut breakpoints: Vec<BreakpointId> = hit.breakpoints.iter().copied().filter(stops).collect();
    breakpoints.extend(&hit.failed);
    breakpoints.sort_unstable();
    let text = hit.text.clone().filter(|_| breakpoints.first() == hit.failed.first());
    let is_stop = !breakpoints.is_empty() || hit.is_empty();
    is_stop.then_some(StopThere { position: hit.position, breakpoints, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(step: u64, id: u32) -> Hit {
        Hit { breakpoints: vec![BreakpointId(id)], ..Hit::none(RunPosition::place(step)) }
    }

    fn at(step: u64, id: u32) -> Option<StopThere> {
        let breakpoints = vec![BreakpointId(id)];
        Some(StopThere { position: RunPosition::place(step), breakpoints, text: None })
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
    fn a_condition_that_fails_stops_and_is_no_hit() {
        let failed = vec![BreakpointId(1)];
        let failing = Hit { failed, text: Some("why".into()), ..hit(2, 2) };
        let mut counts = Counts::from_iter([(BreakpointId(1), 1), (BreakpointId(2), 7)]);
        let found = last_hit(&[hit(1, 1), failing], &mut counts, |_, count| count == 7).expect("a stop");
        assert_eq!(found.breakpoints, [BreakpointId(1), BreakpointId(2)]);
        assert_eq!(found.text.as_deref(), Some("why"));
        let mut tally = Tally::default();
        let (from, until) = (RunPosition::place(1), RunPosition::place(3));
        tally.add(Hit { failed: vec![BreakpointId(1)], ..Hit::none(until) }, from, until);
        assert!(tally.counts.is_empty() && tally.at_end.is_empty());
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

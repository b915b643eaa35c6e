//! Breakpoints in the past: the hits before and after a position, and how many there have been since the program's
//! beginning.

use crate::api::{BreakpointId, StopReason};
use crate::debug::engine::Engine;
use crate::debug::history::counts::{self, Counts, StopThere, Tally};
use crate::debug::history::messages::{Aim, Arrival, JourneyEnd};
use crate::debug::history::position::RunPosition;
use crate::debug::history::relay::Outcome;
use crate::debug::history::state::Counted;
use crate::debug::history::writes::Write;
use crate::interp::vm::Vm;

/// Maximum number of steps that are run again to count hits on which no hit condition depends.
const COUNTED: u64 = 1 << 18;

impl Engine {
    /// The last breakpoint hit before a position, and the stop to report for it.
    pub fn hit_before(
        &mut self,
        vm: &mut Vm,
        now: RunPosition,
    ) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        let writes = self.writes_until(vm, now)?;
        let lines = self.counts_through(vm, now)?;
        let mut counts = lines.clone();
        for write in writes.iter().filter(|write| write.hit.position < now) {
            write.hit.breakpoints.iter().for_each(|id| *counts.entry(*id).or_default() += 1);
        }
        let mut until = now;
        loop {
            let from = self.history.as_ref().and_then(|history| history.checkpoints.last_before(until));
            let from = from.unwrap_or(RunPosition::place(0));
            let tally = self.tally(vm, from, until)?;
            let first = tally.list.first().map(|hit| hit.position).filter(|_| tally.is_cut).unwrap_or(from);
            if until == now {
                counts::uncount(&mut counts, &tally.at_end);
            }
            let written = writes.iter().map(|write| &write.hit);
            let mut list = tally.list;
            list.extend(written.filter(|hit| (first..until).contains(&hit.position)).cloned());
            match counts::last_hit(&counts::merged(list), &mut counts, |id, count| {
                self.stops_at_hit(id, count)
            }) {
                Some(found) => {
                    let lines = counts.iter().filter(|(id, _)| lines.contains_key(id));
                    self.remember_counts(found.0, lines.map(|(id, count)| (*id, *count)).collect());
                    return Ok(Some(self.arrival(found, counts, &writes)));
                }
                None if first.step == 0 => return Ok(None),
                None => until = first,
            }
        }
    }

    /// The hits between two positions.
    fn tally(&mut self, vm: &mut Vm, from: RunPosition, until: RunPosition) -> Result<Tally, Outcome> {
        match self.go(vm, Aim::Hits(from, until)) {
            Outcome::Ended(JourneyEnd::Hits(tally)) => Ok(*tally),
            other => Err(other),
        }
    }

    /// Completes the stop at a position by the numbers of hits up to it.
    pub fn with_counts(
        &mut self,
        vm: &mut Vm,
        position: RunPosition,
        mut arrival: Arrival,
    ) -> Result<Arrival, Outcome> {
        let counts = self.counts_through(vm, position)?;
        arrival.counts.extend(counts);
        Ok(arrival)
    }

    /// The numbers of hits of line and function breakpoints from the program's beginning up to a position, that
    /// included. Empty if nothing depends on them and counting takes long.
    fn counts_through(&mut self, vm: &mut Vm, position: RunPosition) -> Result<Counts, Outcome> {
        let settings = self.settings_made();
        let (live, none, decides) = {
            let breakpoints = self.breakpoints.borrow();
            let breakpoints = &breakpoints.table;
            let none: Counts = breakpoints.stopping().map(|(id, _)| (id, 0)).collect();
            let decides = breakpoints.stopping().any(|(_, entry)| entry.hit_condition.is_some());
            (breakpoints.counts(), none, decides)
        };
        let Some(history) = self.history.as_ref().filter(|_| !none.is_empty()) else {
            return Ok(Counts::default());
        };
        let present = live.map(|counts| (history.present.position, counts));
        let last = history.counted.as_ref().filter(|counted| counted.settings == settings);
        let last = last.map(|counted| (counted.through, counted.counts.clone()));
        let distance = |known: &(RunPosition, Counts)| known.0.step.abs_diff(position.step);
        let known = [Some((RunPosition::place(0), none)), present, last].into_iter().flatten();
        let Some(nearest) = known.min_by_key(distance) else { return Ok(Counts::default()) };
        if !decides && distance(&nearest) > COUNTED {
            return Ok(Counts::default());
        }
        let (at, mut counts) = nearest;
        if at == position {
            return Ok(counts);
        }
        let between = self.tally(vm, at.min(position), at.max(position))?.counts;
        for (id, count) in &mut counts {
            let more = between.get(id).copied().unwrap_or(0);
            *count = if at < position { count.saturating_add(more) } else { count.saturating_sub(more) };
        }
        self.remember_counts(position, counts.clone());
        Ok(counts)
    }

    /// Records numbers of hits, as a base for those at other positions.
    fn remember_counts(&mut self, through: RunPosition, counts: Counts) {
        let settings = self.settings_made();
        if let Some(history) = self.history.as_mut().filter(|_| !counts.is_empty()) {
            history.counted = Some(Counted { through, counts, settings });
        }
    }

    /// Number of changes of breakpoints and watches so far.
    fn settings_made(&self) -> usize {
        self.breakpoints.borrow().settings.as_ref().map_or(0, Vec::len)
    }

    /// Whether a breakpoint stops the program at its hit with this number.
    fn stops_at_hit(&self, id: BreakpointId, count: u32) -> bool {
        let breakpoints = self.breakpoints.borrow();
        let condition = match breakpoints.table.get(id) {
            Some(entry) => entry.hit_condition,
            None => breakpoints.data.hit_condition(id),
        };
        condition.is_none_or(|condition| condition.holds(count))
    }

    /// The stop to report at a position where these breakpoints are hit.
    fn arrival(
        &self,
        (position, breakpoints): StopThere,
        counts: Counts,
        writes: &[Write],
    ) -> (RunPosition, Arrival) {
        let is_told = |write: &&Write| {
            write.hit.position == position && write.hit.breakpoints.iter().any(|id| breakpoints.contains(id))
        };
        let write = writes.iter().find(is_told);
        let known = self.breakpoints.borrow();
        let reason = match (write.and_then(|write| write.hit.breakpoints.first()), breakpoints.first()) {
            (Some(id), _) => StopReason::DataBreakpoint(*id),
            (None, Some(id)) if known.table.is_at_function(*id) => StopReason::FunctionBreakpoint(*id),
            (None, Some(id)) => StopReason::Breakpoint(*id),
            (None, None) => StopReason::Exception,
        };
        let written = write.map(|write| (write.written.clone(), write.sentence.clone()));
        (position, Arrival { reason, breakpoints, written, counts })
    }

    /// The writes to what data breakpoints watch, from the beginning up to a position; ordered per
    /// breakpoint.
    pub fn writes_until(&mut self, vm: &mut Vm, until: RunPosition) -> Result<Vec<Write>, Outcome> {
        let questions = self.breakpoints.borrow().data.questions();
        let mut found = Vec::new();
        for question in questions {
            match self.go_until(vm, Aim::Search(until, question), until) {
                Outcome::Ended(JourneyEnd::Writes(writes)) => found.extend(writes),
                // What is watched cannot be identified in the past: it hits nothing.
                Outcome::Ended(JourneyEnd::Resolved(_)) => {}
                other => return Err(other),
            }
        }
        Ok(found)
    }

    /// The first write between two positions (exclusive) that stops the program, and the stop to report for
    /// it.
    pub fn write_between(
        &mut self,
        vm: &mut Vm,
        from: RunPosition,
        until: RunPosition,
    ) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        let writes = self.with_other_worker(|engine| engine.writes_until(vm, until))?;
        let hits = counts::merged(writes.iter().map(|write| write.hit.clone()).collect());
        let mut counts = Counts::default();
        let first = counts::first_hit(&hits, from, &mut counts, |id, count| self.stops_at_hit(id, count));
        Ok(first.map(|found| self.arrival(found, counts, &writes)))
    }
}

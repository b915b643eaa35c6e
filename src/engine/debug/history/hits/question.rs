//! Breakpoints in the past: the hits before and after a position, and how many there have been since the program's
//! beginning.

use std::cmp::Ordering;

use crate::api::{BreakpointId, ExceptionFilter, StopReason};
use crate::debug::history::arrive::Arrival;
use crate::debug::history::changes::aims::{FindChanges, SearchWholePast};
use crate::debug::history::changes::search::SearchFound;
use crate::debug::history::changes::writes::{WantedWrite, Write, WriteFindings, WriteQuestion};
use crate::debug::history::hits::aim::RecordHits;
use crate::debug::history::hits::counts::{self, Counts, Hit, StopThere, Tally};
use crate::debug::history::position::RunPosition;
use crate::debug::history::relay::{Outcome, lost};
use crate::debug::history::state::Counted;
use crate::debug::history::time_machine::TimeMachine;

/// Maximum number of steps that are run again to count hits on which no hit condition depends.
const COUNTED: u64 = 1 << 18;

impl TimeMachine<'_> {
    /// The last stop before a position, for a breakpoint or the output, and what to report for it.
    pub fn hit_before(&mut self, now: RunPosition) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        let differed = self.difference_between(RunPosition::BEGINNING, now);
        let earliest = differed.as_ref().map(|(position, _)| *position);
        let hit = self.breakpoint_before(now, earliest)?;
        Ok(first_met(differed, hit, Ordering::Greater))
    }

    /// The stop for a difference of the output, if it is between two positions (exclusive).
    fn difference_between(&self, from: RunPosition, until: RunPosition) -> Option<(RunPosition, Arrival)> {
        let (difference, position) = self.engine.expected_output.difference_stop()?;
        let difference = Some(Box::new(difference.clone()));
        let is_between = from < position && position < until;
        is_between.then(|| (position, Arrival { difference, ..Arrival::step(StopReason::Output) }))
    }

    /// The first stop between two positions (exclusive) for which instances do not look: for a write, or the output.
    pub fn unseen_stop_between(
        &mut self,
        (from, until): (RunPosition, RunPosition),
        has_writes: bool,
    ) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        let write = if has_writes { self.write_between(from, until)? } else { None };
        Ok(first_met(self.difference_between(from, until), write, Ordering::Less))
    }

    /// The last breakpoint hit before a position, and the stop to report for it. It is looked for in one window of
    /// the past after the other, from checkpoint to checkpoint, as far as to the position `earliest`.
    fn breakpoint_before(
        &mut self,
        now: RunPosition,
        earliest: Option<RunPosition>,
    ) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        let mut counts = self.counts_through(now)?;
        let can_stop_elsewhere = self.can_stop_elsewhere();
        let mut open = self.engine.breakpoints.borrow().data.questions(WantedWrite::Last);
        let mut writes = Vec::new();
        let mut until = now;
        loop {
            let (checkpoint, from) = if open.is_empty() && !can_stop_elsewhere {
                (RunPosition::BEGINNING, RunPosition::BEGINNING)
            } else {
                self.window_before(until)
            };
            self.last_writes(checkpoint, until, &mut open, &mut writes)?;
            let tally = if can_stop_elsewhere { self.tally(from, until)? } else { Tally::default() };
            let first = tally.list.first().map(|hit| hit.position).filter(|_| tally.is_cut).unwrap_or(from);
            if until == now {
                counts::uncount(&mut counts, &tally.at_end);
            }
            let written = writes.iter().filter(|write: &&Write| (first..until).contains(&write.position));
            let mut list = tally.list;
            list.extend(
                written.map(|write| Hit { breakpoints: vec![write.breakpoint], ..Hit::none(write.position) }),
            );
            match counts::last_hit(&counts::merged(list), &mut counts, |id, count| {
                self.stops_at_hit(id, count)
            }) {
                Some(found) => {
                    self.remember_counts(found.position, counts.clone());
                    return self.arrival(found, counts, writes).map(Some);
                }
                None if first.step == 0 || earliest.is_some_and(|earliest| first <= earliest) => {
                    return Ok(None);
                }
                None => until = first,
            }
        }
    }

    /// The window of the past before a position in which to look for hits: the checkpoint where runs begin, and the
    /// first position of the window. A write before the checkpoint can be noticed there, so the window begins after
    /// it.
    fn window_before(&self, until: RunPosition) -> (RunPosition, RunPosition) {
        let latest = RunPosition::place(until.step.saturating_sub(1));
        match self.history.checkpoints.last_before(latest) {
            Some(checkpoint) => (checkpoint, after(checkpoint.step)),
            None => (RunPosition::BEGINNING, RunPosition::BEGINNING),
        }
    }

    /// Whether other breakpoints than those on writes can stop the program.
    fn can_stop_elsewhere(&self) -> bool {
        let breakpoints = self.engine.breakpoints.borrow();
        let at_errors = !breakpoints.exceptions.of(ExceptionFilter::ErrorValue).is_empty();
        at_errors || breakpoints.table.stopping().next().is_some()
    }

    /// The hits between two positions.
    fn tally(&mut self, from: RunPosition, until: RunPosition) -> Result<Tally, Outcome> {
        self.find(RecordHits { from, until })
    }

    /// Completes the stop at a position by the numbers of hits up to it.
    pub fn with_counts(&mut self, position: RunPosition, mut arrival: Arrival) -> Result<Arrival, Outcome> {
        let counts = self.counts_through(position)?;
        arrival.counts.extend(counts);
        Ok(arrival)
    }

    /// The numbers of hits of line and function breakpoints from the program's beginning up to a position, that
    /// included. Empty if nothing depends on them and counting takes long.
    fn counts_through(&mut self, position: RunPosition) -> Result<Counts, Outcome> {
        let settings = self.settings_made();
        let (live, none, decides) = {
            let breakpoints = self.engine.breakpoints.borrow();
            let breakpoints = &breakpoints.table;
            let none: Counts = breakpoints.stopping().map(|(id, _)| (id, 0)).collect();
            let decides = breakpoints.stopping().any(|(_, entry)| entry.hit_condition.is_some());
            (breakpoints.counts(), none, decides)
        };
        if none.is_empty() {
            return Ok(Counts::default());
        }
        let present = live.map(|counts| (self.history.present.position, counts));
        let last = self.history.counted.as_ref().filter(|counted| counted.settings == settings);
        let last = last.map(|counted| (counted.through, counted.counts.clone()));
        let distance = |known: &(RunPosition, Counts)| known.0.step.abs_diff(position.step);
        let known = [Some((RunPosition::BEGINNING, none)), present, last].into_iter().flatten();
        let Some(nearest) = known.min_by_key(distance) else { return Ok(Counts::default()) };
        if !decides && distance(&nearest) > COUNTED {
            return Ok(Counts::default());
        }
        let (at, mut counts) = nearest;
        if at == position {
            return Ok(counts);
        }
        let between = self.tally(at.min(position), at.max(position))?.counts;
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
        if !counts.is_empty() {
            self.history.counted = Some(Counted { through, counts, settings });
        }
    }

    /// Number of changes of breakpoints and watches so far.
    fn settings_made(&self) -> usize {
        self.engine.breakpoints.borrow().settings.as_ref().map_or(0, Vec::len)
    }

    /// Whether a line or function breakpoint stops the program at its hit with this number.
    fn stops_at_hit(&self, id: BreakpointId, count: u32) -> bool {
        let breakpoints = self.engine.breakpoints.borrow();
        let condition = breakpoints.table.get(id).and_then(|entry| entry.hit_condition);
        condition.is_none_or(|condition| condition.holds(count))
    }

    /// The stop to report at a position where these breakpoints are hit. `writes` are those found.
    fn arrival(
        &mut self,
        StopThere { position, breakpoints, text }: StopThere,
        mut counts: Counts,
        mut writes: Vec<Write>,
    ) -> Result<(RunPosition, Arrival), Outcome> {
        writes.retain(|write| write.position == position && breakpoints.contains(&write.breakpoint));
        let write = writes.into_iter().min_by_key(|write| write.breakpoint);
        let reason = match (&write, breakpoints.first()) {
            (Some(write), _) => StopReason::DataBreakpoint(write.breakpoint),
            (None, Some(id)) if self.engine.breakpoints.borrow().table.is_at_function(*id) => {
                StopReason::FunctionBreakpoint(*id)
            }
            (None, Some(id)) => StopReason::Breakpoint(*id),
            (None, None) => StopReason::Exception,
        };
        if let Some(write) = &write {
            let hits = self.hits_of(write)?;
            counts.extend(hits.map(|hits| (write.breakpoint, hits)));
        }
        let text = match &write {
            Some(write) => write.failed.clone(),
            None => text,
        };
        let written = write.map(|write| (write.written, write.sentence));
        Ok((position, Arrival { reason, breakpoints, text, written, counts, difference: None }))
    }

    /// Number of hits of the breakpoint that a write hits, if it is known or counting does not take long.
    fn hits_of(&mut self, write: &Write) -> Result<Option<u32>, Outcome> {
        let Write { position, breakpoint, hits, .. } = write;
        if hits.is_some() || position.step > COUNTED {
            return Ok(*hits);
        }
        let questions = self.engine.breakpoints.borrow().data.questions(WantedWrite::From(*position));
        let is_its_own = |question: &WriteQuestion| question.id() == Some(*breakpoint);
        let Some(question) = questions.into_iter().find(is_its_own) else { return Ok(None) };
        let found = self.write(&question, RunPosition::BEGINNING, after(position.step))?;
        Ok(found.and_then(|found| found.write).and_then(|write| write.hits))
    }

    /// Looks for the last writes before a position that stop the program, in runs from a checkpoint on. Questions
    /// that this answers are removed, and the writes added.
    fn last_writes(
        &mut self,
        checkpoint: RunPosition,
        until: RunPosition,
        open: &mut Vec<WriteQuestion>,
        writes: &mut Vec<Write>,
    ) -> Result<(), Outcome> {
        for question in std::mem::take(open) {
            let Some(found) = self.write(&question, checkpoint, until)? else { continue };
            match found.write {
                Some(write) => writes.push(write),
                None if !found.is_whole => open.push(question),
                None => {}
            }
        }
        Ok(())
    }

    /// Looks for the write that is wanted before a position, in a run from a checkpoint on, or from the beginning if
    /// that is needed. `None`: what is watched cannot be identified in the past, so that it hits nothing.
    fn write(
        &mut self,
        question: &WriteQuestion,
        checkpoint: RunPosition,
        until: RunPosition,
    ) -> Result<Option<WriteFindings>, Outcome> {
        let start = if question.needs_whole_past() { RunPosition::BEGINNING } else { checkpoint };
        let change = question.change.clone();
        let found = match question.subject.clone() {
            Some(subject) => {
                let aim = FindChanges { start, from: start.step, until, question: change, subject };
                self.find_until(aim, until)?
            }
            None => self.find_until(SearchWholePast { until, question: change }, until)?,
        };
        match found {
            SearchFound::Write(found) if found.is_blind && start > RunPosition::BEGINNING => {
                self.write(question, RunPosition::BEGINNING, until)
            }
            SearchFound::Write(found) => Ok(Some(found)),
            SearchFound::Meaning(_) => Ok(None),
            SearchFound::Changes(_) => Err(lost("a search has found something else")),
        }
    }

    /// The first write between two positions (exclusive) that stops the program, and the stop to report for
    /// it.
    fn write_between(
        &mut self,
        from: RunPosition,
        until: RunPosition,
    ) -> Result<Option<(RunPosition, Arrival)>, Outcome> {
        self.with_other_worker(|machine| {
            let questions = machine.engine.breakpoints.borrow().data.questions(WantedWrite::After(from));
            let (mut writes, mut end): (Vec<Write>, _) = (Vec::new(), until);
            for question in questions {
                let found = machine.write(&question, from, end)?.and_then(|found| found.write);
                // A write to something else matters up to there.
                end = found.as_ref().map_or(end, |write| end.min(after(write.position.step)));
                writes.extend(found);
            }
            let Some(first) = writes.iter().map(|write| write.position).min() else { return Ok(None) };
            let there = writes.iter().filter(|write| write.position == first);
            let breakpoints = there.map(|write| write.breakpoint).collect();
            let stop = StopThere { position: first, breakpoints, text: None };
            machine.arrival(stop, Counts::default(), writes).map(Some)
        })
    }
}

/// The stop that is met first, for a difference of the output or something else; `order`: how its position compares with
/// that of the other one. Where both are the same, it is for the difference, and tells of the other.
fn first_met(
    differed: Option<(RunPosition, Arrival)>,
    other: Option<(RunPosition, Arrival)>,
    order: Ordering,
) -> Option<(RunPosition, Arrival)> {
    match (differed, other) {
        (Some(differed), Some(other)) if differed.0 == other.0 => {
            let Arrival { breakpoints, written, counts, .. } = other.1;
            Some((differed.0, Arrival { breakpoints, written, counts, ..differed.1 }))
        }
        (Some(differed), Some(other)) if differed.0.cmp(&other.0) == order => Some(differed),
        (differed, None) => differed,
        (_, other) => other,
    }
}

/// The first position after a step.
fn after(step: u64) -> RunPosition {
    RunPosition::place(step.saturating_add(1))
}

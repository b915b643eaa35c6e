//! A run of a search for a write that hits a data breakpoint: counts the writes, and keeps the one that is wanted.

use crate::api::{Purpose, Written};
use crate::debug::engine::Engine;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::search::Search;
use crate::debug::history::writes::{DataWatch, WantedWrite, Write, WriteFindings};
use crate::debug::inspect::evaluate::{FrameContext, TIME_LIMIT};
use crate::debug::inspect::frames::FrameView;
use crate::interp::vm::Vm;
use crate::interp::watch::WatchHit;
use crate::value::{Heap, Value};

/// The state of such a search in one run. A program may write any number of times: only one write is kept.
#[derive(Debug, Default)]
pub(crate) struct WriteSearch {
    /// Number of writes that have hit the breakpoint.
    hits: u32,
    /// Whether the run has watched since what is watched exists.
    pub is_whole: bool,
    /// Whether what is watched existed where the run began to watch, but was not found.
    pub is_blind: bool,
    /// The wanted write, so far.
    found: Option<Kept>,
}

/// A write that is kept until the end of the run.
#[derive(Debug)]
struct Kept {
    position: RunPosition,
    hits: u32,
    text: Text,
}

/// How a write is to be reported.
#[derive(Debug)]
enum Text {
    /// Nothing can change its values, so they are described at the end.
    Later(WatchHit),
    Known(Box<Written>, String),
}

impl WriteSearch {
    /// Counts writes that have hit the breakpoint and are noticed at a position. Returns the index of the first of
    /// them that stops the program, if it is wanted more than the one that is kept.
    fn count(&mut self, watch: &DataWatch, position: RunPosition, writes: usize) -> Option<usize> {
        let before = self.hits;
        self.hits = before.saturating_add(u32::try_from(writes).unwrap_or(u32::MAX));
        let is_wanted = match watch.wanted {
            WantedWrite::After(after) => position > after && self.found.is_none(),
            WantedWrite::From(from) => position >= from && self.found.is_none(),
            WantedWrite::Last => true,
        };
        let number = |index: usize| before.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
        let stops = |index: &usize| {
            watch.hit_condition.is_none_or(|condition| condition.holds(number(*index).saturating_add(1)))
        };
        (0..writes).find(stops).filter(|_| is_wanted)
    }
}

impl Search {
    /// Whether a data breakpoint is searched for.
    pub fn collects(&self) -> bool {
        self.writes.is_some()
    }

    /// Whether nothing that comes later matters.
    pub fn is_over(&self) -> bool {
        let is_first = self.question.breakpoint.as_ref().is_some_and(|watch| match watch.wanted {
            WantedWrite::After(_) | WantedWrite::From(_) => true,
            WantedWrite::Last => false,
        });
        is_first && self.writes.as_ref().is_some_and(|writes| writes.found.is_some())
    }
}

impl Engine {
    /// Called in a run of a search at each position where the program can stop: counts the writes that hit the data
    /// breakpoint.
    pub fn collect_writes(&mut self, vm: &mut Vm, view: &FrameView, position: RunPosition) {
        // Writes stop the program at places only: which returns are visited depends on the run.
        if position.phase != Phase::Statement || !vm.watches.has_hits() {
            return;
        }
        let Some(search) = self.search().filter(|search| search.collects()) else { return };
        let condition = search.question.breakpoint.as_ref().and_then(|watch| watch.condition.clone());
        let mut hits = vm.watches.take_hits();
        if let Some(condition) = condition {
            hits.retain(|_| self.write_counts(vm, view, &condition));
        }
        let Some(Search { writes: Some(writes), question, .. }) = self.search() else { return };
        let Some(watch) = &question.breakpoint else { return };
        let stopping = writes.count(watch, position, hits.len());
        let Some(hit) = stopping.and_then(|index| hits.into_iter().nth(index)) else { return };
        let (hits, description) = (writes.hits, watch.description.clone());
        let may_change = [&hit.old, &hit.new].into_iter().any(|value| value.as_ref().is_some_and(can_change));
        let text = match may_change {
            true => self.text_of_write(vm, &description, hit),
            false => Text::Later(hit),
        };
        if let Some(writes) = self.search().and_then(|search| search.writes.as_mut()) {
            writes.found = Some(Kept { position, hits, text });
        }
    }

    /// Whether a write counts as a hit: if the condition is true or cannot be evaluated.
    fn write_counts(&mut self, vm: &mut Vm, view: &FrameView, condition: &str) -> bool {
        let context = FrameContext { top: view, view, frame: 0 };
        let value = self.value_of(vm, context, condition, Purpose::Look, TIME_LIMIT);
        !matches!(value.map(|(value, _)| value.follow()), Ok(Value::Bool(false)))
    }

    fn text_of_write(&mut self, vm: &Vm, description: &str, hit: WatchHit) -> Text {
        let (written, sentence) = self.told_write(vm, description, hit);
        let (old, new) = (written.old.without_handle(), written.new.without_handle());
        self.handles.clear();
        Text::Known(Box::new(Written { old, new, ..written }), sentence)
    }

    /// What the search for a data breakpoint has found.
    pub fn write_findings(&mut self, vm: &Vm) -> Option<WriteFindings> {
        let search = self.search()?;
        let is_whole = search.is_whole;
        let WriteSearch { found, is_whole: since_it_exists, is_blind, .. } = search.writes.take()?;
        let watch = search.question.breakpoint.clone()?;
        let is_whole = is_whole || since_it_exists;
        let write = found.and_then(|Kept { position, hits, text }| {
            let text = match text {
                Text::Later(hit) => self.text_of_write(vm, &watch.description, hit),
                text @ Text::Known(..) => text,
            };
            let Text::Known(written, sentence) = text else { return None };
            let hits = Some(hits).filter(|_| is_whole);
            Some(Write { position, breakpoint: watch.id, hits, written: *written, sentence })
        });
        Some(WriteFindings { write, is_whole, is_blind })
    }
}

/// Whether a value may have another content later.
fn can_change(value: &Value) -> bool {
    let value = value.follow();
    matches!(value.as_ref().map(|object| &**object), Some(Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)))
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
            if search.count(&watch, RunPosition::place(step), writes).is_some() {
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

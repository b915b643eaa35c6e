//! Follows a data breakpoint in a run of the past, for a [`WriteSearch`].

use crate::api::{Described, Purpose, Written};
use crate::debug::engine::Engine;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::search::Search;
use crate::debug::history::tracking::can_change;
use crate::debug::history::write_search::{Kept, Text, WriteSearch};
use crate::debug::history::writes::{Write, WriteFindings};
use crate::debug::inspect::evaluate::{FrameContext, TIME_LIMIT};
use crate::debug::inspect::frames::FrameView;
use crate::interp::vm::Vm;
use crate::interp::watch::WatchHit;
use crate::value::Value;

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
        let is_declaring = std::mem::take(&mut search.is_declaring);
        let declaring = search.statements.declaring.filter(|_| is_declaring);
        let declared_at = declaring.and_then(|stmt| vm.program.statement(stmt)).map(|info| info.at);
        let mut hits = vm.watches.take_hits();
        // What the slot of a variable contains before its declaration is no value of it.
        if let Some(first) = hits.first_mut().filter(|hit| Some(hit.at) == declared_at) {
            first.old = None;
        }
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
        let value = self.inspection.value_of(vm, context, condition, Purpose::Look, TIME_LIMIT);
        !matches!(value.map(|(value, _)| value.follow()), Ok(Value::Bool(false)))
    }

    fn text_of_write(&mut self, vm: &Vm, description: &str, hit: WatchHit) -> Text {
        let (written, sentence) = self.told_write(vm, description, hit);
        let (old, new) = (written.old.map(Described::without_handle), written.new.without_handle());
        self.inspection.handles.clear();
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

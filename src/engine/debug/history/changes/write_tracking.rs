//! Follows a data breakpoint in a run of the past, for a [`WriteSearch`].

use crate::api::{Described, Purpose, Written};
use crate::debug::history::changes::search::Search;
use crate::debug::history::changes::tracking::can_change;
use crate::debug::history::changes::write_search::{Kept, Text, WriteSearch};
use crate::debug::history::changes::writes::{Write, WriteFindings};
use crate::debug::history::position::Phase;
use crate::debug::history::visit::Here;
use crate::debug::inspect::evaluate::FrameContext;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::handles::Handles;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::inspect::written::{told_write, writing_frame};
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::WatchHit;

impl Search {
    /// Called at each position where the program can stop: counts the writes that hit the data breakpoint.
    pub fn collect_writes(&mut self, here: &mut Here) {
        let position = here.position;
        // Writes stop the program at places only: which returns are visited depends on the run.
        if position.phase != Phase::Statement || !here.vm.watches.has_hits() {
            return;
        }
        let (Some(writes), Some(watch)) = (&mut self.writes, &self.question.breakpoint) else { return };
        let is_declaring = std::mem::take(&mut self.is_declaring);
        let declaring = self.statements.declaring.filter(|_| is_declaring);
        let declared_at = declaring.and_then(|stmt| here.vm.program.statement(stmt)).map(|info| info.at);
        let mut hits = here.vm.watches.take_hits();
        // What the slot of a variable contains before its declaration is no value of it.
        if let Some(first) = hits.first_mut().filter(|hit| Some(hit.at) == declared_at) {
            first.old = None;
        }
        if let Some(condition) = &watch.condition {
            hits.retain_mut(|hit| stops(here.vm, here.inspection, (here.view, hit), condition));
        }
        let failed = hits.iter().map(|hit| matches!(hit.tested, Some(Err(_))));
        let stopping = writes.count(watch, position, failed);
        let Some(mut hit) = stopping.and_then(|index| hits.into_iter().nth(index)) else { return };
        let failed = hit.tested.take().and_then(Result::err);
        let may_change = [&hit.old, &hit.new].into_iter().any(|value| value.as_ref().is_some_and(can_change));
        let text = if may_change {
            text_of_write(&mut here.inspection.handles, here.vm, &watch.description, hit)
        } else {
            Text::Later(hit)
        };
        writes.found = Some(Kept { position, hits: writes.hits, failed, text });
    }

    /// The condition of the data breakpoint, which is computed in the frame that writes.
    pub fn condition(&self) -> Option<&str> {
        self.question.breakpoint.as_ref()?.condition.as_deref()
    }

    /// Drops writes by a statement that has just run in the frame `view` that do not hit the data breakpoint.
    pub fn test_writes(&self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        let Some(condition) = self.condition() else { return };
        let mut hits = vm.watches.take_hits();
        hits.retain_mut(|hit| stops(vm, inspection, (view, hit), condition));
        vm.watches.put_back(hits);
    }

    /// What the search for a data breakpoint has found.
    pub fn write_findings(&mut self, vm: &Vm, handles: &mut Handles) -> Option<WriteFindings> {
        let WriteSearch { found, is_whole: since_it_exists, .. } = self.writes.take()?;
        let watch = self.question.breakpoint.as_ref()?;
        let is_whole = self.is_whole || since_it_exists;
        let write = found.and_then(|Kept { position, hits, failed, text }| {
            let text = match text {
                Text::Later(hit) => text_of_write(handles, vm, &watch.description, hit),
                text @ Text::Known(..) => text,
            };
            let Text::Known(written, sentence) = text else { return None };
            let hits = Some(hits).filter(|_| is_whole);
            Some(Write { position, breakpoint: watch.id, hits, failed, written: *written, sentence })
        });
        Some(WriteFindings { write, is_whole, is_blind: self.is_blind })
    }
}

/// Whether a write may stop the program: if the condition is true or fails, which is noted. It is tested once.
fn stops(
    vm: &mut Vm,
    inspection: &mut Inspection,
    (view, hit): (&FrameView, &mut WatchHit),
    condition: &str,
) -> bool {
    if hit.tested.is_none() {
        let (frame, of_frame) = writing_frame(vm, view, hit);
        let context = FrameContext { top: view, view: &of_frame, frame };
        hit.tested = match inspection.test_text(vm, context, condition, Purpose::Look) {
            Ok(false) => None,
            result => Some(result.map(|_| ())),
        };
    }
    hit.tested.is_some()
}

fn text_of_write(handles: &mut Handles, vm: &Vm, description: &str, hit: WatchHit) -> Text {
    let (written, sentence) = told_write(handles, vm, description, hit);
    let (old, new) = (written.old.map(Described::without_handle), written.new.without_handle());
    handles.clear();
    Text::Known(Box::new(Written { old, new, ..written }), sentence)
}

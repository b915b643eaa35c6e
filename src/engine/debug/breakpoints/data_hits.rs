//! Writes to what data breakpoints watch: their conditions, and the stops.

use crate::api::{BreakpointId, StopReason, Written};
use crate::debug::breakpoints::conditions::{INTERRUPTED, Verdict};
use crate::debug::engine::Engine;
use crate::debug::inspect::evaluate::FrameContext;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::written::{told_write, writing_frame};
use crate::debug::running::halt::{Halt, end_if_cancelled};
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::vm::{Stop, Vm};
use ez_runtime::interp::watch::WatchHit;

impl Engine {
    /// Computes the conditions for the writes of a statement that has run, in its frame, which the next one may not be in.
    pub fn test_writes(&mut self, vm: &mut Vm, view: &FrameView) -> Result<(), Stop> {
        if let Some(journey) = &mut self.journey {
            journey.wrote(vm, &mut self.inspection, view);
            return end_if_cancelled(vm, &self.inspection);
        }
        let mut kept = Vec::new();
        for mut hit in vm.watches.take_hits() {
            if hit.tested.is_none() {
                hit.tested = match self.verdict_of_write(vm, view, &hit)? {
                    Verdict::Pass => continue,
                    Verdict::Hit => Some(Ok(())),
                    Verdict::Failed(why) => Some(Err(why)),
                    Verdict::Paused => {
                        self.notice = Some(INTERRUPTED.into());
                        vm.steps.set_all(STEP, true);
                        continue;
                    }
                };
            }
            kept.push(hit);
        }
        vm.watches.put_back(kept);
        Ok(())
    }

    /// The stop for the writes noticed since the last statement, if any of them stops the program.
    pub fn written(&mut self, vm: &mut Vm, view: &FrameView) -> Result<Option<Halt>, Stop> {
        let mut halt: Option<Halt> = None;
        let mut hits = vm.watches.take_hits();
        hits.sort_by_key(|hit| hit.watch);
        for mut hit in hits {
            let id = BreakpointId(hit.watch as u32);
            let verdict = match hit.tested.take() {
                Some(Ok(())) => Verdict::Hit,
                Some(Err(why)) => Verdict::Failed(why),
                None => self.verdict_of_write(vm, view, &hit)?,
            };
            let text = match verdict {
                Verdict::Pass => continue,
                Verdict::Hit => None,
                Verdict::Failed(why) => Some(why),
                Verdict::Paused => {
                    return Ok(Some(Halt { text: Some(INTERRUPTED.into()), ..StopReason::Pause.into() }));
                }
            };
            if text.is_none() && !self.counts_write(id) {
                continue;
            }
            if halt.is_none() {
                let (written, sentence) = self.described_write(vm, id, hit).unzip();
                halt = Some(Halt { text, written, sentence, ..StopReason::DataBreakpoint(id).into() });
            }
            // A statement may write twice.
            if let Some(halt) = halt.as_mut().filter(|halt| !halt.breakpoints.contains(&id)) {
                halt.breakpoints.push(id);
            }
        }
        Ok(halt)
    }

    fn verdict_of_write(&mut self, vm: &mut Vm, view: &FrameView, hit: &WatchHit) -> Result<Verdict, Stop> {
        let id = BreakpointId(hit.watch as u32);
        let entry =
            self.breakpoints.borrow_mut().data.get_mut(id).map(|entry| entry.options.condition.clone());
        match entry {
            None => Ok(Verdict::Pass),
            Some(None) => Ok(Verdict::Hit),
            Some(Some(condition)) => {
                let (frame, of_frame) = writing_frame(vm, view, hit);
                let context = FrameContext { top: view, view: &of_frame, frame };
                self.condition_verdict(vm, context, &condition)
            }
        }
    }

    /// Counts a write that hits a breakpoint. Whether it stops the program, as its hit condition says.
    fn counts_write(&mut self, id: BreakpointId) -> bool {
        let mut breakpoints = self.breakpoints.borrow_mut();
        let Some(entry) = breakpoints.data.get_mut(id) else { return false };
        entry.hits = entry.hits.saturating_add(1);
        entry.hit_condition.is_none_or(|wanted| wanted.holds(entry.hits))
    }

    /// A write in the form of the API, and as a sentence.
    fn described_write(&mut self, vm: &Vm, id: BreakpointId, hit: WatchHit) -> Option<(Written, String)> {
        let description = self.breakpoints.borrow_mut().data.get_mut(id)?.description.clone();
        Some(told_write(&mut self.inspection.handles, vm, &description, hit))
    }
}

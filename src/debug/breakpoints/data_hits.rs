//! Data breakpoints while the program is stopped, and stops at writes.

use crate::api::{
    Breakpoint, BreakpointId, ChangeReason, Container, Failure, FailureKind, Purpose, SetDataBreakpoints,
    StopReason, Written,
};
use crate::debug::breakpoints::data::{Meaning, Target, Watched};
use crate::debug::breakpoints::hits::{INTERRUPTED, Verdict};
use crate::debug::engine::Engine;
use crate::debug::history::subject::lasting_subject;
use crate::debug::inspect::frames::{FrameView, frame_view, frames, visible_locals};
use crate::debug::inspect::handles::{Origin, part_expression, part_key, stale};
use crate::debug::inspect::written::told_write;
use crate::debug::running::halt::Halt;
use crate::interp::flags::STEP;
use crate::interp::slots::Fp;
use crate::interp::vm::{Stop, Vm};
use crate::interp::watch::{self, WatchHit, WatchId, WatchedVariable};
use crate::program::{GlobalId, LocalId};
use crate::value::PartKey;

impl Engine {
    /// Replaces all data breakpoints while the program is stopped.
    pub fn set_data_breakpoints(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        wanted: SetDataBreakpoints,
    ) -> Vec<Breakpoint> {
        let find = |vm: &mut Vm, container: Container, name: &str| self.to_watch(vm, top, container, name);
        self.breakpoints.borrow_mut().set_data(Some(vm), wanted, Some((top.stmt, &find)))
    }

    /// To be called after data breakpoints may have been set or enabled. The statements in progress have checked before
    /// whether they write to something watched; `view` is the innermost frame.
    pub fn watch_calls_in_progress(&self, vm: &mut Vm, view: &FrameView) {
        let armed = self.breakpoints.borrow_mut().data.take_armed();
        if armed.is_empty() {
            return;
        }
        let depth = vm.depth();
        let frames = frames(vm, *view, usize::MAX).into_iter().zip(0..);
        let frames: Vec<_> =
            frames.map(|(frame, index)| (frame.fp, frame.stmt, depth.saturating_sub(index))).collect();
        for id in armed {
            watch::watch_callers(vm, id.0.into(), frames.iter().copied());
        }
    }

    /// What a data breakpoint on the variable or part with this name watches.
    fn to_watch(
        &self,
        vm: &mut Vm,
        top: &FrameView,
        container: Container,
        name: &str,
    ) -> Result<Watched, Failure> {
        let (target, description, expression) = match container {
            Container::Frame(frame) => {
                let view = frame_view(vm, top, frame)?;
                let missing = || format!("there is no variable {name} in frame {frame}");
                let variable = variable(vm, &view, name);
                let variable = variable.ok_or_else(|| Failure::new(FailureKind::NotFound, missing()))?;
                (Target::Variable(variable), format!("variable {name}"), Some((name.to_string(), frame)))
            }
            Container::Value(handle) => {
                let held = self.inspection.handles.get(handle).ok_or_else(|| stale(handle))?;
                let missing = || format!("reference {} has no part {name}", handle.0);
                let key = part_key(&held.object, name);
                let key = key.ok_or_else(|| Failure::new(FailureKind::NotFound, missing()))?;
                let description = part_description(&key, name, held.origin.name.as_deref());
                let Origin { frame, name: whole } = &held.origin;
                let expression = whole.as_ref().and_then(|whole| part_expression(whole, &held.object, name));
                let expression = expression.map(|expression| (expression.into_string(), *frame));
                (Target::Part(held.object.clone(), key), description, expression)
            }
        };
        let meaning = expression.zip(self.history.as_ref()).map(|((expression, frame), history)| {
            let position = history.present.position;
            let depth = vm.depth().saturating_sub(frame as u32);
            let subject = lasting_subject(vm, target.clone(), &expression, depth);
            Meaning { expression, frame, position, subject }
        });
        Ok(Watched { target, description, meaning })
    }

    /// Computes the conditions for the writes of a statement that has run, in its frame, which the next one may not be in.
    pub fn judge_writes(&mut self, vm: &mut Vm, view: &FrameView) -> Result<(), Stop> {
        if let Some(journey) = &mut self.journey {
            journey.wrote(vm, &mut self.inspection, view);
            return Ok(());
        }
        let mut hits = vm.watches.take_hits();
        let mut index = 0;
        while let Some(hit) = hits.get_mut(index) {
            let verdict = match hit.judged {
                Some(_) => Verdict::Hit,
                None => self.verdict_of_write(vm, view, hit.watch)?,
            };
            match verdict {
                Verdict::Hit => _ = hit.judged.get_or_insert(Ok(())),
                Verdict::Failed(why) => hit.judged = Some(Err(why)),
                Verdict::Pass => {
                    hits.remove(index);
                    continue;
                }
                Verdict::Paused => {
                    self.notice = Some(INTERRUPTED.into());
                    vm.steps.set_all(STEP, true);
                    hits.remove(index);
                    continue;
                }
            }
            index += 1;
        }
        vm.watches.put_back(hits);
        Ok(())
    }

    /// The stop for the writes noticed since the last statement, if any of them stops the program.
    pub fn written(&mut self, vm: &mut Vm, view: &FrameView) -> Result<Option<Halt>, Stop> {
        let mut halt: Option<Halt> = None;
        let mut hits = vm.watches.take_hits();
        hits.sort_by_key(|hit| hit.watch);
        for mut hit in hits {
            let id = BreakpointId(hit.watch as u32);
            let verdict = match hit.judged.take() {
                Some(Ok(())) => Verdict::Hit,
                Some(Err(why)) => Verdict::Failed(why),
                None => self.verdict_of_write(vm, view, hit.watch)?,
            };
            let text = match verdict {
                Verdict::Pass => continue,
                Verdict::Hit => None,
                Verdict::Failed(why) => Some(why),
                Verdict::Paused => {
                    return Ok(Some(Halt { text: Some(INTERRUPTED.into()), ..StopReason::Pause.into() }));
                }
            };
            if !self.counts_write(id, text.is_some()) {
                continue;
            }
            if halt.is_none() {
                let (written, sentence) = self.described_write(vm, id, hit).unzip();
                halt = Some(Halt { text, written, sentence, ..StopReason::DataBreakpoint(id).into() });
            }
            if let Some(halt) = &mut halt {
                halt.breakpoints.push(id);
            }
        }
        Ok(halt)
    }

    fn verdict_of_write(&mut self, vm: &mut Vm, view: &FrameView, watch: WatchId) -> Result<Verdict, Stop> {
        let id = BreakpointId(watch as u32);
        let entry =
            self.breakpoints.borrow_mut().data.get_mut(id).map(|entry| entry.options.condition.clone());
        match entry {
            None => Ok(Verdict::Pass),
            Some(None) => Ok(Verdict::Hit),
            Some(Some(condition)) => self.condition_verdict(vm, view, &condition),
        }
    }

    /// Counts a write that hits a breakpoint. Whether it stops the program: if its condition `fails`, and as its hit
    /// condition says.
    fn counts_write(&mut self, id: BreakpointId, fails: bool) -> bool {
        let mut breakpoints = self.breakpoints.borrow_mut();
        let Some(entry) = breakpoints.data.get_mut(id) else { return false };
        entry.hits = entry.hits.saturating_add(1);
        fails || entry.hit_condition.is_none_or(|wanted| wanted.holds(entry.hits))
    }

    /// Whether conditions compiled at a stop may have side effects.
    pub fn purpose_of_conditions(&self) -> Purpose {
        // In another run of the program with other breakpoints, the effects would be missing.
        if self.record.is_some() { Purpose::Look } else { Purpose::Plain }
    }

    /// A write in the form of the API, and as a sentence.
    fn described_write(&mut self, vm: &Vm, id: BreakpointId, hit: WatchHit) -> Option<(Written, String)> {
        let description = self.breakpoints.borrow_mut().data.get_mut(id)?.description.clone();
        Some(told_write(&mut self.inspection.handles, vm, &description, hit))
    }

    /// Called when calls have returned to the frame `caller`: reports the breakpoints on locals that no
    /// longer exist.
    pub fn end_watched_locals(&mut self, vm: &mut Vm, caller: Fp) {
        if !self.breakpoints.borrow().data.has_locals() {
            return;
        }
        let gone = self.breakpoints.borrow_mut().data.end_frames(vm, caller);
        self.tell_changed(gone, ChangeReason::Removed);
    }
}

/// The variable that a name refers to in a frame.
fn variable(vm: &Vm, view: &FrameView, name: &str) -> Option<WatchedVariable> {
    let program = &vm.program;
    let function = program.function(view.func)?;
    let is_named = |id: &LocalId| function.local(*id).is_some_and(|local| *local.name == *name);
    if let Some(local) = visible_locals(program, view).into_iter().rev().find(is_named) {
        return Some(WatchedVariable::Local { fp: view.fp, func: view.func, local });
    }
    let globals = program.globals.iter().enumerate();
    let mut found = globals.filter(|(_, global)| global.file == view.at.file && *global.name == *name);
    let id = GlobalId(found.next()?.0 as u32);
    vm.is_bound(id).then_some(WatchedVariable::Global(id))
}

fn part_description(key: &PartKey, name: &str, whole: Option<&str>) -> String {
    let kind = match key {
        PartKey::Element(_) => "element",
        PartKey::Entry(_) => "entry",
        PartKey::Field(_) => "field",
        PartKey::Variable => "variable",
    };
    match whole {
        Some(whole) => format!("{kind} {name} of {whole}"),
        None => format!("{kind} {name}"),
    }
}

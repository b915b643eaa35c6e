//! Data breakpoints while the program is stopped: what they watch, and until when.

use crate::api::{Breakpoint, ChangeReason, Container, Failure, FailureKind, SetDataBreakpoints};
use crate::debug::breakpoints::data::{Meaning, WatchTarget, Watched};
use crate::debug::engine::Engine;
use crate::debug::history::changes::resolve::lasting_subject;
use crate::debug::inspect::frames::{FrameView, frame_view, frames, visible_locals};
use crate::debug::inspect::handles::{Origin, part_expression, part_key, stale};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::{self, WatchedVariable};
use ez_runtime::program::{GlobalId, LocalId};
use ez_runtime::value::PartKey;

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
                (WatchTarget::Variable(variable), format!("variable {name}"), Some((name.to_string(), frame)))
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
                (WatchTarget::Part(held.object.clone(), key), description, expression)
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

//! A run of a search for changes: watches a variable or part from some step on.

use crate::api::{ChangeCause, Described, Limits};
use crate::debug::history::changes::resolve::resolved;
use crate::debug::history::changes::search::{Event, Findings, Found, Maker, Search, SearchFound, ValueThen};
use crate::debug::history::changes::subject::Subject;
use crate::debug::history::visit::{Here, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::{FrameView, frame_view, frames};
use crate::debug::inspect::handles::Origin;
use crate::debug::inspect::inspection::Inspection;
use crate::recording::Replay;
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::{self, WatchId, WatchedVariable};
use ez_runtime::program::{FuncId, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::{
    CreationObserver, Heap, PartChange, PartKey, Ref, Repr, Type, Value, last_number, object_number, part_of,
    reachable_object,
};

/// The id of the only watch.
const WATCH: WatchId = 0;

impl Visit for Search {
    fn goal(&self) -> u64 {
        self.from.map_or(self.until.step, |from| from.min(self.until.step))
    }

    fn begin(&mut self, vm: &mut Vm, inspection: &mut Inspection, _: &Replay) {
        // Breakpoints that were there have cleared the flags of their statements.
        if let Some(program) = &inspection.program {
            self.set_up(&program.compiled.flags, &vm.program, vm.steps.now());
        }
        watch::report_writes(vm, self.condition().is_some());
    }

    fn place(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) -> bool {
        self.note_changes(vm, inspection);
        if self.from.take_if(|from| vm.steps.now() >= *from).is_some() {
            self.begin_to_watch(vm, inspection, view);
        }
        match self.subject.clone() {
            Some(Subject::Local { func, local, depth, begin }) if depth == vm.depth() => {
                let variable = WatchedVariable::Local { fp: view.fp, func, local };
                self.at_place_of_local(vm, inspection, view, variable, begin);
            }
            Some(Subject::Global(_)) if self.from.is_none() => {
                let here = Event { step: vm.steps.now(), depth: None, at: view.at };
                self.declares(view.stmt, view.back_edge, here);
            }
            Some(Subject::Part { key, declared, .. }) => {
                if let Some(object) = self.observer.as_ref().and_then(|observer| observer.take()) {
                    self.observer = None;
                    self.object_exists(vm, inspection, view, (&object, key, declared));
                    inspection.connection.interrupt.poll_statements(false);
                    watch::look_everywhere(vm, false);
                }
            }
            Some(Subject::Local { .. } | Subject::Global(_)) | None => {}
        }
        false
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        let (position, until) = (here.position, self.until);
        if position >= until {
            self.arrives(here.vm, here.inspection, here.view);
            return PositionAction::End;
        }
        if position.phase.error_value() > 0 {
            return PositionAction::Pass;
        }
        self.collect_writes(here);
        if self.is_over() {
            self.arrives(here.vm, here.inspection, here.view);
            return PositionAction::End;
        }
        // The end may be after a return.
        let is_near = position.step >= until.step;
        if is_near {
            here.vm.watch_return(true);
        }
        here.vm.steps.set_all(STEP, is_near);
        PositionAction::Pass
    }

    fn wrote(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        self.test_writes(vm, inspection, view);
    }

    fn returned(&mut self, vm: &mut Vm, inspection: &mut Inspection, caller: Fp, call: Option<Span>) {
        if let Some(call) = call {
            self.returned_to(vm.steps.now(), vm.depth(), call);
        }
        self.note_changes(vm, inspection);
        watch::frames_ended(vm, caller);
    }

    /// The end of a frame ends the watch, or the caller's statement may create the object.
    fn watches_returns(&self, step: u64) -> bool {
        match self.subject {
            Some(Subject::Local { .. }) => self.from.is_none(),
            Some(Subject::Part { .. }) => self.maker.is_some_and(|maker| maker.step == step),
            Some(Subject::Global(_)) | None => false,
        }
    }

    fn watches_changes(&self) -> bool {
        true
    }

    fn repeated(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        changes: Vec<PartChange>,
    ) {
        if self.collects() {
            return;
        }
        for change in changes {
            let event = Event { step: vm.steps.now(), depth: None, at: view.at };
            self.note_change(inspection, ChangeCause::Client, event, (change.old, change.new));
        }
    }

    fn reaches_present(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: Option<&FrameView>) {
        if let Some(view) = view {
            self.arrives(vm, inspection, view);
        }
    }

    fn end(&mut self, _: u64, _: &mut Option<String>) -> Option<JourneyEnd> {
        self.found.as_ref().map(JourneyEnd::found)
    }
}

impl Search {
    /// A place in a call at the depth of the local; it is of the call that is meant if that began after `begin`.
    fn at_place_of_local(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        variable: WatchedVariable,
        begin: Option<u64>,
    ) {
        if self.from.is_some() && !self.collects() {
            // It is too early: a call that is in progress when the watch begins is found then.
            return;
        }
        let (step, depth, fp) = (vm.steps.now(), vm.depth(), view.fp);
        let is_the_one = begin.is_none_or(|begin| begin == vm.frames.step_before(fp));
        let call = called_from(vm, fp).unwrap_or(view.at);
        let mut first_value = None;
        if is_the_one && self.begins_call(view.stmt, view.back_edge, (step, depth), call) {
            watch::unwatch(vm, WATCH);
            watch::watch_variable(vm, WATCH, variable, view.stmt);
            vm.watch_return(true);
            first_value = watch::value_in_slot(vm, WATCH);
            self.watches_since_it_exists();
        }
        // In another call, or before the watch begins, it says nothing about later changes.
        if self.from.is_none() || self.begin.is_some() {
            self.declares(view.stmt, view.back_edge, Event { step, depth: None, at: view.at });
        }
        self.note_first_value(inspection, first_value);
    }

    /// The object that is waited for exists: the statement before this place has created it.
    fn object_exists(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        (object, key, declared): (&Ref, PartKey, Option<(StmtId, u32)>),
    ) {
        let before = vm.steps.now().saturating_sub(1);
        let declared = declared.and_then(|(stmt, depth)| Some((vm.program.statement(stmt)?, depth)));
        let maker = self.maker.filter(|maker| maker.step == before);
        let passed = maker.zip(called_from(vm, view.fp)).filter(|(maker, _)| {
            let is_box = matches!(key, PartKey::Variable);
            is_box && maker.depth < vm.depth() && is_parameter(vm, (view.fp, view.func), object)
        });
        let (cause, depth, at) = match (passed, declared, maker) {
            (Some((maker, call)), ..) => (ChangeCause::Passed, Some(maker.depth), call),
            (None, Some((stmt, depth)), _) => (ChangeCause::Declared, Some(depth), stmt.at),
            (None, None, Some(maker)) => (ChangeCause::Created, Some(maker.depth), maker.at),
            (None, None, None) => (ChangeCause::Created, None, view.at),
        };
        self.begins(cause, Event { step: before, depth, at });
        self.watches_since_it_exists();
        let first_value = part_of(object, &key);
        watch::watch_part(vm, WATCH, object, key);
        self.note_first_value(inspection, first_value);
    }

    /// Records the value that a variable or part began with: later the same array, map or struct may have another
    /// content.
    fn note_first_value(&mut self, inspection: &mut Inspection, value: Option<Value>) {
        let Some(value) = value else { return };
        let value = value_then(inspection, &value, self.limits());
        if let Some(origin) = &mut self.origin {
            origin.new.get_or_insert(value);
        }
    }

    /// How much of each value is described.
    fn limits(&self) -> Limits {
        self.question.query.limits
    }

    /// Begins to watch what exists already; `view` is the innermost frame.
    fn begin_to_watch(&mut self, vm: &mut Vm, inspection: &Inspection, view: &FrameView) {
        match self.subject.clone() {
            // The call has begun in this run, and is being watched.
            Some(Subject::Local { begin: Some(_), .. }) if self.begin.is_some() => {}
            Some(Subject::Local { func, local, depth, begin }) => {
                let Some(outwards) = vm.depth().checked_sub(depth) else { return };
                let Ok(frame) = frame_view(vm, view, outwards as usize) else { return };
                let is_the_one = begin.is_none_or(|begin| begin == vm.frames.step_before(frame.fp));
                if frame.func == func && is_the_one {
                    // The call may have begun in this run.
                    watch::unwatch(vm, WATCH);
                    let variable = WatchedVariable::Local { fp: frame.fp, func, local };
                    watch::watch_variable(vm, WATCH, variable, view.stmt);
                    vm.watch_return_of(depth);
                    if outwards > 0
                        && let Some(at) = vm.program.statement(frame.stmt).map(|info| info.at)
                    {
                        // It may be executing the declaration, which has made the calls that are in progress.
                        let event = Event { step: vm.steps.now(), depth: Some(depth), at };
                        self.declares(frame.stmt, false, event);
                    }
                }
            }
            Some(Subject::Global(global)) => {
                watch::watch_variable(vm, WATCH, WatchedVariable::Global(global), view.stmt);
            }
            Some(Subject::Part { number, key, .. }) if number <= last_number() => {
                match reachable_object(roots(vm, view), number) {
                    Some(object) => drop(watch::watch_part(vm, WATCH, &object, key)),
                    None => self.is_blind = true,
                }
            }
            Some(Subject::Part { number, .. }) => {
                watch::look_everywhere(vm, true);
                let interrupt = inspection.connection.interrupt.clone();
                let observer =
                    CreationObserver::new(number, Box::new(move || interrupt.poll_statements(true)));
                self.observer = Some(observer);
                self.maker = Some(Maker { step: vm.steps.now(), depth: vm.depth(), at: view.at });
                vm.watch_return(true);
            }
            None => {}
        }
        let depth = vm.depth();
        let callers = frames(vm, *view, usize::MAX).into_iter().enumerate().skip(1).rev();
        let callers =
            callers.map(|(index, frame)| (frame.fp, frame.stmt, depth.saturating_sub(index as u32)));
        watch::watch_callers(vm, WATCH, callers);
    }

    /// Records the changes that the watch has noticed.
    fn note_changes(&mut self, vm: &mut Vm, inspection: &mut Inspection) {
        if self.collects() {
            return;
        }
        for hit in vm.watches.take_hits() {
            let event = Event { step: hit.step, depth: Some(hit.depth), at: hit.at };
            self.note_change(inspection, ChangeCause::Written, event, (hit.old, hit.new));
        }
    }

    fn note_change(
        &mut self,
        inspection: &mut Inspection,
        cause: ChangeCause,
        event: Event,
        (old, new): (Option<Value>, Option<Value>),
    ) {
        let limits = self.limits();
        let mut then = |value: Option<Value>| value.map(|value| value_then(inspection, &value, limits));
        let (old, new) = (then(old), then(new));
        self.changed(Found { cause, event, old, new });
    }

    /// Whether the declaration of the variable is being executed; `view` is the innermost frame.
    fn is_being_declared(&self, vm: &Vm, view: &FrameView) -> bool {
        let Some(Subject::Local { func, depth, .. }) = &self.subject else { return false };
        let Some(outwards) = vm.depth().checked_sub(*depth) else { return false };
        frame_view(vm, view, outwards as usize).is_ok_and(|frame| {
            frame.func == *func && self.statements.declaring == Some(frame.stmt) && !frame.back_edge
        })
    }

    /// What was found; `view` is the innermost frame.
    fn findings(&mut self, vm: &Vm, inspection: &mut Inspection, view: &FrameView) -> Findings {
        let limits = self.limits();
        let is_declaring = self.is_being_declared(vm, view);
        if is_declaring {
            // What is in its slot is no value of it.
            self.origin.iter_mut().for_each(|origin| origin.new = None);
        }
        let (origin, recent) = (self.origin.take(), std::mem::take(&mut self.recent));
        let mut text = |value| match value {
            ValueThen::Described(value) => value,
            ValueThen::Fixed(value) => described(inspection, &value, limits),
        };
        let first_old = self.first_old.take().map(|old| old.map(&mut text));
        let mut described = |found: Found<ValueThen>| {
            let (old, new) = (found.old.map(&mut text), found.new.map(&mut text));
            Found { cause: found.cause, event: found.event, old, new }
        };
        let changes = recent.into_iter().rev().map(&mut described).collect();
        let origin = origin.map(described);
        let (is_whole, is_blind) = (self.is_whole, self.is_blind);
        Findings { changes, origin, first_old, is_whole, is_blind, is_declaring }
    }

    /// The run has reached its end; `view` is the innermost frame.
    fn arrives(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        if self.asks_for_meaning() {
            let found = resolved(inspection, vm, view, &self.question.query);
            let elsewhere = found.clone().map(|it| (it.subject.portable(), it.value));
            let _ = self.resolved.set(found);
            self.found = Some(SearchFound::Meaning(elsewhere));
        } else if self.collects() {
            let found = self.write_findings(vm, &mut inspection.handles);
            self.found = found.map(SearchFound::Write).or(self.found.take());
        } else {
            // Changes made by the last statement.
            self.note_changes(vm, inspection);
            self.found = Some(SearchFound::Changes(self.findings(vm, inspection, view)));
        }
        watch::unwatch(vm, WATCH);
    }
}

/// A value as it is now; it is described later if nothing can change it.
fn value_then(inspection: &mut Inspection, value: &Value, limits: Limits) -> ValueThen {
    let value = value.follow();
    if can_change(&value) {
        ValueThen::Described(described(inspection, &value, limits))
    } else {
        ValueThen::Fixed(value)
    }
}

fn described(inspection: &mut Inspection, value: &Value, limits: Limits) -> Described {
    let origin = Origin { frame: 0, name: None };
    inspection.handles.describe(value, &Type::Any, limits, origin).without_handle()
}

/// Whether a parameter of a call is this box.
fn is_parameter(vm: &Vm, (fp, func): (Fp, FuncId), boxed: &Ref) -> bool {
    let Some(function) = vm.program.function(func) else { return false };
    function.params.iter().any(|param| {
        // Slots of other parameters may hold no references.
        let is_boxed = function.local(param.local).is_some_and(|local| local.boxed);
        let own = is_boxed.then(|| vm.frames.get_ref(fp, Slot::new(param.local.0))).flatten();
        own.is_some_and(|own| object_number(&own) == object_number(boxed))
    })
}

/// The call that created a frame.
fn called_from(vm: &Vm, fp: Fp) -> Option<Span> {
    vm.sites.get(vm.frames.site(fp) as usize).map(|site| site.span)
}

/// Whether a value may have another content later.
pub(crate) fn can_change(value: &Value) -> bool {
    let value = value.follow();
    matches!(value.as_ref().map(|object| &**object), Some(Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)))
}

impl Search {
    /// Whether a place is the first of a call that is being watched. If so, the search starts again from
    /// here: only the latest such call counts. `call` is what has called the function.
    fn begins_call(&mut self, stmt: StmtId, back_edge: bool, (step, depth): (u64, u32), call: Span) -> bool {
        let begins = !back_edge && self.statements.first == Some(stmt);
        if begins {
            let called = Some(depth.saturating_sub(1));
            let called = Event { step: step.saturating_sub(1), depth: called, at: call };
            self.begins(ChangeCause::Passed, called);
            self.begin = Some(step);
        }
        begins
    }

    /// Records the variable's declaration, if this is it.
    fn declares(&mut self, stmt: StmtId, back_edge: bool, here: Event) {
        if self.statements.declaring == Some(stmt) {
            if !back_edge {
                self.begins(ChangeCause::Declared, here);
            }
            self.is_declaring = !back_edge;
        }
    }

    /// The run watches from the first moment at which there is something to watch.
    fn watches_since_it_exists(&mut self) {
        self.writes.iter_mut().for_each(|writes| writes.is_whole = true);
    }

    fn changed(&mut self, found: Found<ValueThen>) {
        // A declaration overwrites what another variable has left in the slot.
        let is_declaring = std::mem::take(&mut self.is_declaring);
        match &mut self.origin {
            Some(origin)
                if is_declaring
                    && origin.event.at == found.event.at
                    && found.cause != ChangeCause::Client =>
            {
                origin.new = found.new;
            }
            _ => self.add(found),
        }
    }
}

/// The objects that a stopped program holds directly; `top` is the innermost frame.
fn roots(vm: &Vm, top: &FrameView) -> Vec<Ref> {
    let program = &vm.program;
    let mut roots = Vec::new();
    for (index, global) in program.globals.iter().enumerate() {
        if global.boxed || global.ty.repr() == Repr::Ref {
            roots.extend(vm.frames.get_ref(vm.globals, Slot::new(index as u32)));
        }
    }
    for frame in frames(vm, *top, usize::MAX) {
        let Some(function) = program.function(frame.func) else { continue };
        for (index, local) in function.locals.iter().enumerate() {
            if local.boxed || local.ty.repr() == Repr::Ref {
                roots.extend(vm.frames.get_ref(frame.fp, Slot::new(index as u32)));
            }
        }
    }
    roots
}

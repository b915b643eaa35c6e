//! A run of a search for changes: watches a variable or part from some step on.

use crate::api::{ChangeCause, Described, Limits};
use crate::debug::engine::Engine;
use crate::debug::history::messages::JourneyEnd;
use crate::debug::history::search::{Event, Findings, Found, Maker, Search, ValueThen};
use crate::debug::history::watch_subject::Subject;
use crate::debug::inspect::frames::{FrameView, frame_view, frames};
use crate::debug::inspect::handles::Origin;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::Vm;
use crate::interp::watch::{self, WatchId, WatchedVariable};
use crate::program::{FuncId, StmtId};
use crate::source::Span;
use crate::value::{
    CreationObserver, Heap, PartChange, PartKey, Ref, Repr, Type, Value, last_number, object_number, part_of,
    reachable_object,
};

/// The id of the only watch.
const WATCH: WatchId = 0;

impl Engine {
    /// Called in a run of a search at each place that its flags or its goal select.
    pub fn search_at(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) {
        let Some(info) = vm.program.statement(stmt) else { return };
        let (func, at) = (info.func, info.at);
        let (step, depth) = (vm.steps.now(), vm.depth());
        self.note_changes(vm);
        let Some(search) = self.search() else { return };
        if search.from.take_if(|from| step >= *from).is_some() {
            self.begin_to_watch(vm, FrameView { fp, func, stmt, at, back_edge });
        }
        let Some(search) = self.search() else { return };
        let here = Event { step, depth: None, at };
        let called = called_from(vm, fp);
        let (mut has_found, mut first_value) = (false, None);
        match search.subject.clone() {
            Some(Subject::Local { func, local, depth: wanted, begin }) if wanted == depth => {
                let variable = WatchedVariable::Local { fp, func, local };
                let is_the_one = begin.is_none_or(|begin| begin == vm.frames.step_before(fp));
                if is_the_one && search.begins_call(stmt, back_edge, (step, depth), called.unwrap_or(at)) {
                    watch::unwatch(vm, WATCH);
                    watch::watch_variable(vm, WATCH, variable, stmt);
                    vm.watch_return(true);
                    first_value = watch::value_in_slot(vm, WATCH);
                    search.watches_since_it_exists();
                }
                // In another call, or before the watch begins, it says nothing about later changes.
                if search.from.is_none() || search.begin.is_some() {
                    search.declares(stmt, back_edge, here);
                }
            }
            Some(Subject::Global(_)) if search.from.is_none() => search.declares(stmt, back_edge, here),
            Some(Subject::Part { key, declared, .. }) => {
                if let Some(object) = search.observer.as_ref().and_then(|observer| observer.take()) {
                    search.observer = None;
                    has_found = true;
                    // The statement before this place has created it.
                    let declared =
                        declared.and_then(|(stmt, depth)| Some((vm.program.statement(stmt)?, depth)));
                    let before = step.saturating_sub(1);
                    let maker = search.maker.filter(|maker| maker.step == before);
                    let passed = maker.zip(called).filter(|(maker, _)| {
                        let is_box = matches!(key, PartKey::Variable);
                        is_box && maker.depth < vm.depth() && is_parameter(vm, (fp, func), &object)
                    });
                    let (cause, depth, at) = match (passed, declared, maker) {
                        (Some((maker, call)), ..) => (ChangeCause::Passed, Some(maker.depth), call),
                        (None, Some((stmt, depth)), _) => (ChangeCause::Declared, Some(depth), stmt.at),
                        (None, None, Some(maker)) => (ChangeCause::Created, Some(maker.depth), maker.at),
                        (None, None, None) => (ChangeCause::Created, None, at),
                    };
                    search.begins(cause, Event { step: before, depth, at });
                    search.watches_since_it_exists();
                    first_value = part_of(&object, &key);
                    watch::watch_part(vm, WATCH, &object, key);
                }
            }
            Some(Subject::Local { .. } | Subject::Global(_)) | None => {}
        }
        if has_found {
            self.inspection.connection.interrupt.poll_statements(false);
        }
        if let Some(value) = first_value {
            self.note_first_value(&value);
        }
    }

    /// Records the value that a variable or part began with: later the same array, map or struct may have another
    /// content.
    fn note_first_value(&mut self, value: &Value) {
        let Some(limits) = self.search().map(|search| search.question.query.limits) else { return };
        let value = self.value_then(value, limits);
        if let Some(origin) = self.search().and_then(|search| search.origin.as_mut()) {
            origin.new.get_or_insert(value);
        }
    }

    /// Begins to watch what exists already; `view` is the innermost frame.
    fn begin_to_watch(&mut self, vm: &mut Vm, view: FrameView) {
        let Some(search) = self.search() else { return };
        match search.subject.clone() {
            // The call has begun in this run, and is being watched.
            Some(Subject::Local { begin: Some(_), .. }) if search.begin.is_some() => {}
            Some(Subject::Local { func, local, depth, begin }) => {
                let Some(outwards) = vm.depth().checked_sub(depth) else { return };
                let Ok(frame) = frame_view(vm, &view, outwards as usize) else { return };
                let is_the_one = begin.is_none_or(|begin| begin == vm.frames.step_before(frame.fp));
                if frame.func == func && is_the_one {
                    // The call may have begun in this run.
                    watch::unwatch(vm, WATCH);
                    let variable = WatchedVariable::Local { fp: frame.fp, func, local };
                    watch::watch_variable(vm, WATCH, variable, view.stmt);
                    vm.watch_return_of(depth);
                }
            }
            Some(Subject::Global(global)) => {
                watch::watch_variable(vm, WATCH, WatchedVariable::Global(global), view.stmt);
            }
            Some(Subject::Part { number, key, .. }) if number <= last_number() => {
                match reachable_object(roots(vm, &view), number) {
                    Some(object) => drop(watch::watch_part(vm, WATCH, &object, key)),
                    None => search.misses_writes(),
                }
            }
            Some(Subject::Part { number, .. }) => {
                let interrupt = self.inspection.connection.interrupt.clone();
                let observer =
                    CreationObserver::new(number, Box::new(move || interrupt.poll_statements(true)));
                let maker = Maker { step: vm.steps.now(), depth: vm.depth(), at: view.at };
                if let Some(search) = self.search() {
                    search.observer = Some(observer);
                    search.maker = Some(maker);
                }
                vm.watch_return(true);
            }
            None => {}
        }
        let depth = vm.depth();
        let callers = frames(vm, view, usize::MAX).into_iter().enumerate().skip(1).rev();
        let callers =
            callers.map(|(index, frame)| (frame.fp, frame.stmt, depth.saturating_sub(index as u32)));
        watch::watch_callers(vm, WATCH, callers);
    }

    /// Called when a call has returned to the frame `caller`; `call` is where it was made.
    pub fn search_returned(&mut self, vm: &mut Vm, caller: Fp, call: Option<Span>) {
        let (step, depth) = (vm.steps.now(), vm.depth());
        if let Some(search) = self.search() {
            if let Some(call) = call {
                search.returned_to(step, depth, call);
            }
            self.note_changes(vm);
            watch::frames_ended(vm, caller);
        }
    }

    /// Records the changes that the watch has noticed.
    fn note_changes(&mut self, vm: &mut Vm) {
        let Some(search) = self.search().filter(|search| !search.collects()) else { return };
        let limits = search.question.query.limits;
        for hit in vm.watches.take_hits() {
            let event = Event { step: hit.step, depth: Some(hit.depth), at: hit.at };
            self.note_change(ChangeCause::Written, event, (hit.old, hit.new), limits);
        }
    }

    fn note_change(
        &mut self,
        cause: ChangeCause,
        event: Event,
        (old, new): (Option<Value>, Option<Value>),
        limits: Limits,
    ) {
        let mut then = |value: Option<Value>| value.map(|value| self.value_then(&value, limits));
        let (old, new) = (then(old), then(new));
        if let Some(search) = self.search() {
            search.changed(Found { cause, event, old, new });
        }
    }

    /// The client has changed something at this stop; `view` is the innermost frame.
    pub fn search_changed_by_client(&mut self, vm: &mut Vm, view: &FrameView, changes: Vec<PartChange>) {
        let Some(search) = self.search().filter(|search| !search.collects()) else { return };
        let limits = search.question.query.limits;
        for change in changes {
            let event = Event { step: vm.steps.now(), depth: None, at: view.at };
            self.note_change(ChangeCause::Client, event, (change.old, change.new), limits);
        }
    }

    /// A value as it is now; it is described later if nothing can change it.
    fn value_then(&mut self, value: &Value, limits: Limits) -> ValueThen {
        let value = value.follow();
        match can_change(&value) {
            true => ValueThen::Described(self.described(&value, limits)),
            false => ValueThen::Fixed(value),
        }
    }

    fn described(&mut self, value: &Value, limits: Limits) -> Described {
        let origin = Origin { frame: 0, name: None };
        self.inspection.handles.describe(value, &Type::Any, limits, origin).without_handle()
    }

    /// What the search under way has found.
    fn findings(&mut self) -> Option<Findings> {
        let search = self.search()?;
        let (limits, is_whole) = (search.question.query.limits, search.is_whole);
        let (origin, recent) = (search.origin.take(), std::mem::take(&mut search.recent));
        let first_old = search.first_old.take();
        let mut text = |value| match value {
            ValueThen::Described(value) => value,
            ValueThen::Fixed(value) => self.described(&value, limits),
        };
        let first_old = first_old.map(|old| old.map(&mut text));
        let mut described = |found: Found<ValueThen>| {
            let (old, new) = (found.old.map(&mut text), found.new.map(&mut text));
            Found { cause: found.cause, event: found.event, old, new }
        };
        let changes = recent.into_iter().rev().map(&mut described).collect();
        Some(Findings { changes, origin: origin.map(described), first_old, is_whole })
    }

    /// A run of a search has reached the position of the question.
    pub fn search_arrives(&mut self, vm: &mut Vm, view: &FrameView) {
        match self.search().map(|search| search.asks_for_meaning()) {
            Some(true) => {
                self.find_meaning(vm, view);
                let resolved = self.search().and_then(|search| search.resolved.clone());
                if let (Some(resolved), Some(journey_state)) = (resolved, &mut self.journey_state) {
                    let resolved = resolved.map(|it| (it.subject.portable(), it.value));
                    journey_state.end = Some(JourneyEnd::Resolved(Box::new(resolved)));
                }
            }
            Some(false) if self.search().is_some_and(|search| search.collects()) => {
                if let (Some(found), Some(journey_state)) = (self.write_findings(vm), &mut self.journey_state)
                {
                    journey_state.end = Some(JourneyEnd::Write(Box::new(found)));
                }
            }
            Some(false) => {
                // Changes made by the last statement.
                self.note_changes(vm);
                if let (Some(findings), Some(journey_state)) = (self.findings(), &mut self.journey_state) {
                    journey_state.end = Some(JourneyEnd::Changes(Box::new(findings)));
                }
            }
            None => {}
        }
        watch::unwatch(vm, WATCH);
    }
}

/// Whether a parameter of a call is this box.
fn is_parameter(vm: &Vm, (fp, func): (Fp, FuncId), boxed: &Ref) -> bool {
    let Some(function) = vm.program.function(func) else { return false };
    function.params.iter().any(|param| {
        let is_boxed = function.local(param.local).is_some_and(|local| local.boxed);
        let own = vm.frames.get_ref(fp, Slot::new(param.local.0)).filter(|_| is_boxed);
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

    /// The run may miss writes for a data breakpoint.
    fn misses_writes(&mut self) {
        self.writes.iter_mut().for_each(|writes| writes.is_blind = true);
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

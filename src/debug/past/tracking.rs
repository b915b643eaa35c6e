//! The second run of a search for the last change: watches a variable or part from its creation on.

use crate::api::{ChangeCause, Described, Failure, FailureKind, LastChange, Limits, Purpose, Written};
use crate::interp::slots::Fp;
use crate::interp::vm::Vm;
use crate::interp::watch::{self, WatchId, WatchedVariable};
use crate::program::StmtId;
use crate::source::Span;
use crate::value::{Type, Value};

use super::super::engine::Engine;
use super::super::evaluate::{Place, TIME_LIMIT};
use super::super::frames::{FrameView, location};
use super::super::handles::Origin;
use super::super::time::history::{DataWatch, JourneyEnd, Write};
use super::super::time::plan::Hit;
use super::super::time::position::Position;
use super::super::time::search::{Event, Resolved, Search, Subject};

/// Maximum number of writes recorded; then the earliest are dropped.
const MAX_WRITES: usize = 1 << 16;

/// The id of the only watch.
const WATCH: WatchId = 0;

impl Engine {
    /// Called in a run of a search at each place that its flags or its goal select.
    pub(in super::super) fn search_at(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) {
        let Some(info) = vm.program.statement(stmt) else { return };
        let here = Event { step: vm.steps.now(), at: info.at };
        self.note_changes(vm);
        let Some(search) = self.search() else { return };
        let called = called_from(vm, fp);
        match search.subject.clone() {
            None => search.mark(here.step),
            Some(Subject::Local { func, local, depth, begin }) if depth == vm.depth() => {
                let variable = WatchedVariable::Local { fp, func, local };
                let is_the_one = begin.is_none_or(|begin| begin == here.step);
                if is_the_one && search.begins_call(stmt, back_edge, here, called) {
                    watch::unwatch(vm, WATCH);
                    watch::watch_variable(vm, WATCH, variable, stmt);
                    vm.watch_return(true);
                }
                search.declares(stmt, back_edge, here);
            }
            Some(Subject::Local { .. }) => {}
            Some(Subject::Global(global)) => {
                if search.next < u64::MAX {
                    search.next = u64::MAX;
                    watch::watch_variable(vm, WATCH, WatchedVariable::Global(global), stmt);
                }
                search.declares(stmt, back_edge, here);
            }
            Some(Subject::Part { key, .. }) => {
                if let Some(object) = search.observer.as_ref().and_then(|observer| observer.take()) {
                    let created =
                        search.previous.unwrap_or(Event { step: here.step.saturating_sub(1), ..here });
                    search.origin = Some((ChangeCause::Created, created));
                    search.next = u64::MAX;
                    watch::watch_part(vm, WATCH, &object, key);
                }
                search.previous = Some(here);
            }
        }
    }

    /// Whether every place is to be checked, since the object is about to be created.
    pub(super) fn search_polls(&mut self, step: u64) -> bool {
        let waits =
            |search: &mut Search| matches!(search.subject, Some(Subject::Part { .. })) && search.next <= step;
        self.search().is_some_and(waits)
    }

    /// Called when a call has returned to the frame `caller`.
    pub(in super::super) fn search_returned(&mut self, vm: &mut Vm, caller: Fp) {
        if self.search().is_some() {
            self.note_changes(vm);
            watch::frames_ended(vm, caller);
        }
    }

    /// Records the changes that the watch has noticed.
    fn note_changes(&mut self, vm: &mut Vm) {
        let Some(search) = self.search().filter(|search| !search.collects()) else { return };
        let limits = search.question.query.limits;
        for hit in vm.watches.take_hits() {
            let old = hit.old.map(|old| self.described(&old, limits));
            if let Some(search) = self.search() {
                search.changed(Event { step: hit.step, at: hit.at }, old);
            }
        }
    }

    /// Called in a run of a search at a place where the program can stop: records the writes that hit a data
    /// breakpoint.
    pub(super) fn collect_writes(&mut self, vm: &mut Vm, view: &FrameView, position: Position) {
        let Some(search) = self.search().filter(|search| search.collects()) else { return };
        let Some(DataWatch { id, description, condition }) = search.question.breakpoint.clone() else {
            return;
        };
        for hit in vm.watches.take_hits() {
            if !condition.as_ref().is_none_or(|condition| self.write_counts(vm, view, condition)) {
                continue;
            }
            let (written, sentence) = self.told_write(vm, &description, hit);
            let (old, new) = (written.old.without_handle(), written.new.without_handle());
            let write = Write {
                hit: Hit { position, breakpoints: vec![id] },
                written: Written { old, new, ..written },
                sentence,
            };
            self.search().into_iter().for_each(|search| search.write(write.clone()));
        }
        self.handles.clear();
    }

    /// Whether a write counts as a hit: if the condition is true or cannot be evaluated.
    fn write_counts(&mut self, vm: &mut Vm, view: &FrameView, condition: &str) -> bool {
        let place = Place { top: view, view, frame: 0 };
        self.search_pauses(true);
        let value = self.value_of(vm, place, condition, Purpose::Look, TIME_LIMIT);
        self.search_pauses(false);
        !matches!(value.map(|(value, _)| value.follow()), Ok(Value::Bool(false)))
    }

    /// Suspends or resumes the counting of created objects, while the debugger evaluates.
    fn search_pauses(&mut self, pauses: bool) {
        if let Some(observer) = self.search().and_then(|search| search.observer.as_ref()) {
            if pauses { observer.stop() } else { observer.go_on() }
        }
    }

    fn described(&mut self, value: &Value, limits: Limits) -> Described {
        let origin = Origin { frame: 0, name: None };
        self.handles.describe(&value.follow(), &Type::Any, limits, origin).without_handle()
    }

    /// A run of a search has reached the position of the question.
    pub(in super::super) fn search_arrives(&mut self, vm: &mut Vm, view: &FrameView) {
        match self.search().map(|search| search.asks_for_meaning()) {
            Some(true) => self.find_meaning(vm, view),
            Some(false) if self.search().is_some_and(|search| search.collects()) => {
                let writes = self.search().map(|search| std::mem::take(&mut search.writes));
                if let (Some(writes), Some(journey_state)) = (writes, &mut self.journey_state) {
                    journey_state.end = Some(JourneyEnd::Writes(writes));
                }
            }
            Some(false) => {
                // Changes made by the last statement.
                self.note_changes(vm);
                let answer = self.search().map(|search| search.answer(vm));
                if let (Some(answer), Some(journey_state)) = (answer, &mut self.journey_state) {
                    journey_state.end = Some(JourneyEnd::LastChange(Box::new(answer)));
                }
            }
            None => {}
        }
        watch::unwatch(vm, WATCH);
    }
}

/// The call that created a frame.
fn called_from(vm: &Vm, fp: Fp) -> Option<Span> {
    vm.sites.get(vm.frames.site(fp) as usize).map(|site| site.span)
}

impl Search {
    /// Whether a place is the first of a call that is being watched. If so, the search starts again from
    /// here: only the latest such call counts.
    fn begins_call(&mut self, stmt: StmtId, back_edge: bool, here: Event, call: Option<Span>) -> bool {
        let begins = !back_edge && self.statements.first == Some(stmt);
        if begins {
            let called = Event { step: here.step.saturating_sub(1), at: call.unwrap_or(here.at) };
            (self.origin, self.last) = (Some((ChangeCause::Passed, called)), None);
            self.begin = Some(here.step);
        }
        begins
    }

    /// Records the variable's declaration, if this is it.
    fn declares(&mut self, stmt: StmtId, back_edge: bool, here: Event) {
        if self.statements.declaring == Some(stmt) {
            if !back_edge {
                (self.origin, self.last) = (Some((ChangeCause::Declared, here)), None);
            }
            self.is_declaring = !back_edge;
        }
    }

    /// Whether all writes are recorded, for a data breakpoint.
    fn collects(&self) -> bool {
        self.collects && self.subject.is_some()
    }

    fn write(&mut self, write: Write) {
        if self.writes.len() == MAX_WRITES {
            self.writes.drain(..MAX_WRITES / 2);
        }
        self.writes.push(write);
    }

    fn changed(&mut self, event: Event, old: Option<Described>) {
        // A declaration overwrites what another variable has left in the slot.
        let is_declaration = std::mem::take(&mut self.is_declaring)
            && self.origin.is_some_and(|(_, origin)| origin.at == event.at);
        if !is_declaration {
            self.last = Some((event, old));
        }
    }

    fn answer(&mut self, vm: &Vm) -> Result<LastChange, Failure> {
        let unknown = || Failure::new(FailureKind::NotFound, "the last change was not found");
        let Some(Ok(Resolved { value, .. })) = self.outcome.take() else { return Err(unknown()) };
        let (cause, event, old) = match (self.last.take(), self.origin) {
            (Some((event, old)), _) => (ChangeCause::Written, event, old),
            (None, Some((cause, event))) => (cause, event, None),
            (None, None) => {
                let declared = self.statements.declaring.and_then(|stmt| vm.program.statement(stmt));
                let at = declared.ok_or_else(unknown)?.at;
                (ChangeCause::Declared, Event { step: 1, at }, None)
            }
        };
        let (expression, location) =
            (self.question.query.expression.trim(), location(&vm.program.sources, event.at));
        let line = location.line;
        let description = match cause {
            ChangeCause::Written => format!("{expression} was changed in line {line}"),
            ChangeCause::Declared => {
                format!("{expression} has not changed since its declaration in line {line}")
            }
            ChangeCause::Passed => format!("{expression} has not changed since the call in line {line}"),
            ChangeCause::Created => {
                format!("{expression} has not changed since it was created in line {line}")
            }
        };
        let expression = expression.into();
        Ok(LastChange { expression, cause, step: event.step, location, description, old, new: value })
    }
}

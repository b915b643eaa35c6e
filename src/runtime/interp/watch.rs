//! Watches of variables and parts of objects: the interpreter records each write with the old and the new
//! value, and calls the debugger before the next statement.
//!
//! How a write is noticed depends on what is written:
//!
//! * Arrays, maps, structs and boxed variables report their changes themselves
//!   ([`ObjectCell::change`](crate::value::ObjectCell::change)).
//! * Variables in slots: the statements that may assign them are known, and are marked by flags (`ASSIGNS`,
//!   [`WRITES`]); after these, the slots are compared.
//!
//! So code that does not write to anything watched does not run slower. What expressions of the debugger
//! write is not recorded.

use std::sync::Arc;

use crate::program::StmtId;
use crate::source::Span;
use crate::value::{Heap, PartChange, PartKey, Ref, Reference, Value, is_same, shown_as};

use super::flags::{ASSIGNS, EVERY_HEAD, StatementFlags, WRITERS, WRITES, WRITTEN};
use super::slots::{Fp, Slot};
use super::vm::{Stop, Vm};
pub use super::watch_table::{
    BITS, Declared, WatchHit, WatchId, WatchedVariable, creation, declaration, is_written_once, writes_parts,
};
use super::watch_table::{SlotWatch, part_writers, writers};

/// Maximum number of changes by evaluations that are kept until [`forget_writes`].
const MAX_EVALUATED: usize = 1 << 12;

/// Watches a variable. Call it while the program is stopped before `stmt`; for a local, [`Vm::watch_return`]
/// must be set for its frame (see [`frames_ended`]).
pub fn watch_variable(vm: &mut Vm, number: WatchId, variable: WatchedVariable, stmt: StmtId) {
    let program = vm.program.clone();
    let (fp, slot, ty, boxed) = match variable {
        WatchedVariable::Local { fp, func, local } => {
            let info = program.function(func).and_then(|function| function.local(local));
            let Some(info) = info else { return };
            (fp, Slot::new(local.0), info.ty.clone(), info.boxed)
        }
        WatchedVariable::Global(id) => {
            let Some(info) = program.globals.get(id.0 as usize) else { return };
            (vm.globals, Slot::new(id.0), info.ty.clone(), info.boxed)
        }
    };
    if boxed {
        // If the slot holds a reference to another variable, that one is watched.
        if let Some((object, key)) = vm.frames.get_ref(fp, slot).as_ref().and_then(referred) {
            watch_part(vm, number, &object, key);
        }
        return;
    }
    let last = vm.slot_value(fp, slot, &ty);
    let writers = writers(&program, variable);
    if writers.iter().any(|(writer, _)| *writer == stmt) {
        // The statement has checked its flag already.
        vm.watches.writer = Some((stmt, vm.depth()));
        vm.steps.set_all(WRITTEN, true);
    }
    vm.watches.slots.push(SlotWatch { number, variable, fp, slot, ty, last, writers });
    vm.watches.set_writers(true);
}

/// Completes [`watch_variable`] where calls are in progress: `callers` are the frames that have made them, with
/// the statement that did it and their depth. Such a statement has checked its flag before, so the
/// variables are compared at each place until the last one that may assign them is over.
pub fn watch_callers(vm: &mut Vm, number: WatchId, callers: impl IntoIterator<Item = (Fp, StmtId, u32)>) {
    let Some(watch) = vm.watches.slots.iter().find(|watch| watch.number == number) else { return };
    let may_assign = |(frame, stmt, _): &(Fp, StmtId, u32)| {
        let is_seen = match watch.variable {
            WatchedVariable::Local { fp, .. } => fp == *frame,
            WatchedVariable::Global(_) => true,
        };
        is_seen && watch.writers.iter().any(|(writer, _)| writer == stmt)
    };
    let found = callers.into_iter().filter(may_assign).map(|(_, stmt, depth)| (stmt, depth));
    let found: Vec<(StmtId, u32)> = found.collect();
    let known = &mut vm.watches.outer_writers;
    known.extend(found);
    known.sort_unstable_by_key(|(_, depth)| *depth);
    known.dedup();
    if !known.is_empty() {
        vm.steps.set_all(WRITTEN, true);
    }
}

/// The value at the last comparison of a watched variable, if that is in a slot.
pub fn value_in_slot(vm: &Vm, number: WatchId) -> Option<Value> {
    vm.watches.slots.iter().find(|watch| watch.number == number).map(|watch| watch.last.clone())
}

/// The object and the part that a reference leads to.
pub fn referred(reference: &Ref) -> Option<(Ref, PartKey)> {
    let Heap::Reference(inner) = &**reference else { return None };
    if let Some(Value::Ref(next)) = inner.read()
        && matches!(&*next, Heap::Reference(_))
    {
        return referred(&next);
    }
    Some(match inner {
        Reference::Variable(_) => (reference.clone(), PartKey::Variable),
        Reference::Element { array, index } => {
            (array.clone(), PartKey::Element(usize::try_from(*index).unwrap_or(usize::MAX)))
        }
        Reference::Entry { map, key } => (map.clone(), PartKey::Entry(key.clone())),
        Reference::Field { object, field } => (object.clone(), PartKey::Field(*field)),
    })
}

/// Watches a part of an object; returns `false` if the object's parts cannot change. If the part holds a
/// reference, what that leads to is watched.
pub fn watch_part(vm: &mut Vm, number: WatchId, object: &Heap, key: PartKey) -> bool {
    vm.watches.flags.set_careful(WRITERS, true);
    let can_change = vm.mutator.watch(object, key, number);
    report_part_writes(vm);
    can_change
}

/// Makes each statement look whether it has to call the debugger, or no longer: for what may happen within any
/// statement, so that it is told at the very next place.
pub fn look_everywhere(vm: &Vm, on: bool) {
    vm.watches.flags.set_careful(EVERY_HEAD, on);
}

/// Ends a watch.
pub fn unwatch(vm: &mut Vm, number: WatchId) {
    vm.mutator.unwatch(number);
    if !vm.mutator.is_watching() {
        vm.watches.flags.set_careful(WRITERS, false);
    }
    report_part_writes(vm);
    vm.watches.hits.retain(|hit| hit.watch != number);
    retain_slots(vm, |watch| watch.number != number);
    if vm.watches.slots.is_empty() {
        vm.watches.outer_writers.clear();
    }
}

/// Ends the watches of locals whose frames have returned, and returns their numbers; `caller` is the frame
/// returned to. Call it from [`Debugger::returned`](super::vm::Debugger::returned) while a local is watched:
/// slots of ended frames must not be read.
pub fn frames_ended(vm: &mut Vm, caller: Fp) -> Vec<WatchId> {
    let is_above = |watch: &SlotWatch| match watch.variable {
        WatchedVariable::Local { fp, .. } => fp.distance(caller) > 0,
        WatchedVariable::Global(_) => false,
    };
    let ended: Vec<WatchId> = vm.watches.slots.iter().filter(|w| is_above(w)).map(|w| w.number).collect();
    if !ended.is_empty() {
        retain_slots(vm, |watch| !is_above(watch));
    }
    ended
}

fn retain_slots(vm: &mut Vm, keep: impl Fn(&SlotWatch) -> bool) {
    vm.watches.set_writers(false);
    vm.watches.slots.retain(keep);
    vm.watches.set_writers(true);
}

/// Takes the present values of watched slots as the old ones: called after the debugger has changed
/// variables. Returns what it has changed.
pub fn forget_writes(vm: &mut Vm) -> Vec<PartChange> {
    let mut changes = std::mem::take(&mut vm.watches.evaluated);
    changes.extend(vm.mutator.take_changes());
    let mut slots = std::mem::take(&mut vm.watches.slots);
    for watch in &mut slots {
        let now = vm.slot_value(watch.fp, watch.slot, &watch.ty);
        changes.push(changed(watch, now));
    }
    vm.watches.slots = slots;
    changes.retain(|change| !change.is_void());
    changes
}

/// Records the changes of watched parts made by the code at `at`.
#[cold]
#[inline(never)]
pub fn locate_changes(vm: &mut Vm, at: Span) {
    let changes = vm.mutator.take_changes();
    if vm.evaluating {
        let room = MAX_EVALUATED.saturating_sub(vm.watches.evaluated.len());
        vm.watches.evaluated.extend(changes.into_iter().take(room));
        return;
    }
    let before = vm.watches.hits.len();
    for change in changes {
        vm.watches.note(change, at, (vm.steps.now(), vm.depth()), before);
    }
    vm.watches.hits.retain(|hit| {
        let (old, new) = (hit.old.clone(), hit.new.clone());
        !PartChange { watch: hit.watch, old, new }.is_void()
    });
    if vm.watches.has_hits() {
        vm.steps.set_all(WRITTEN, true);
    }
}

/// Compares watched slots at a place with some of [`BITS`]; returns whether there are hits to report.
#[cold]
pub fn at_place(vm: &mut Vm, stmt: StmtId, bits: u8) -> bool {
    if vm.evaluating {
        return false;
    }
    if bits & WRITTEN != 0 {
        // The write was before this place.
        compare_slots(vm, vm.steps.now().saturating_sub(1), None);
    }
    let depth = vm.depth();
    if bits & WRITES != 0 {
        vm.watches.writer = Some((stmt, depth));
    } else if vm.watches.writer.is_some_and(|(_, writer)| depth <= writer) {
        vm.watches.writer = None;
    }
    vm.watches.outer_writers.retain(|(_, outer)| depth > *outer);
    vm.steps.set_all(WRITTEN, vm.watches.has_writer());
    vm.watches.has_hits()
}

/// Sets whether the debugger is told of writes right after the statement that has made them, as far as that is certain
/// ([`Debugger::wrote`](super::vm::Debugger::wrote)); and not only before the next one, which may be in another frame.
pub fn report_writes(vm: &mut Vm, on: bool) {
    vm.watches.reports = on;
    report_part_writes(vm);
}

/// Like [`report_writes`], for parts, while any is watched: variables in slots are compared after the statements that
/// assign them anyway.
fn report_part_writes(vm: &mut Vm) {
    let on = vm.watches.reports && vm.mutator.is_watching();
    if on != vm.watches.reported.is_empty() {
        return;
    }
    let reported = if on { part_writers(&vm.program) } else { Default::default() };
    let before = std::mem::replace(&mut vm.watches.reported, reported);
    let set = |statement: &StmtId| vm.watches.flags.set_own(statement.0 as usize, ASSIGNS, on);
    before.iter().chain(&vm.watches.reported).for_each(set);
    // Some statements may assign a watched variable, too.
    vm.watches.set_writers(true);
}

/// The program begins to run, with these flags of its statements.
pub fn begin_run(vm: &mut Vm, flags: Arc<StatementFlags>) {
    vm.watches.flags = flags;
    vm.watches.reported.clear();
    report_part_writes(vm);
}

/// Compares watched slots after a statement with `ASSIGNS` in the frame `fp`. `fails`: it ends the program.
#[cold]
pub fn after_statement(vm: &mut Vm, fp: Fp, stmt: StmtId, fails: bool) -> Result<(), Stop> {
    if vm.evaluating {
        return Ok(());
    }
    compare_slots(vm, vm.steps.now(), Some((stmt, vm.depth())));
    if !vm.watches.has_hits() {
        return Ok(());
    }
    vm.steps.set_all(WRITTEN, true);
    if vm.watches.reports && !fails { vm.tell_wrote(fp, stmt) } else { Ok(()) }
}

/// Records the watched slots that have changed; with the step of the last place before the change, and the statement
/// that made it and its depth, if that is certain.
fn compare_slots(vm: &mut Vm, step: u64, known: Option<(StmtId, u32)>) {
    // Reading a slot may use `pending`, which may hold an error of the statement.
    let pending = std::mem::take(&mut vm.pending);
    let mut slots = std::mem::take(&mut vm.watches.slots);
    let here = vm.depth();
    for watch in &mut slots {
        let now = vm.slot_value(watch.fp, watch.slot, &watch.ty);
        if !is_same(&watch.last, &now) {
            let PartChange { watch: number, old, new } = changed(watch, now);
            let writer = known.or_else(|| vm.watches.writer_of(watch, here));
            let info = writer.and_then(|(stmt, _)| vm.program.statement(stmt));
            let (at, depth) =
                (info.map_or(vm.nowhere(), |info| info.at), writer.map_or(here, |(_, depth)| depth));
            vm.watches.hits.push(WatchHit { watch: number, old, new, at, step, depth, tested: None });
        }
    }
    vm.watches.slots = slots;
    vm.pending = pending;
}

/// A watched slot has this value now: remembers that, and returns the change.
fn changed(watch: &mut SlotWatch, now: Value) -> PartChange {
    let old = std::mem::replace(&mut watch.last, now.clone());
    let [old, new] = [old, now].map(|value| Some(shown_as(&watch.ty, value)));
    PartChange { watch: watch.number, old, new }
}

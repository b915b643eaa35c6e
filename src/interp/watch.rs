//! Watches of variables and of parts of objects: the machine notices a write with the old and the new value,
//! and asks the debugger before the next statement.
//!
//! What is written where decides how it is noticed:
//!
//! * Arrays, maps, structs and boxed variables by themselves, whoever writes them
//!   ([`ObjectCell::change`](crate::value::ObjectCell::change)).
//! * Variables in slots by the statements that assign them, which are known beforehand: their flag says so
//!   ([`ASSIGNS`], [`WRITES`]), and slots are compared when they have run.
//!
//! So a watch costs nothing where nothing that it is about is written, and nothing at all while there is
//! none. What expressions of the debugger write is not noticed.

use std::sync::Arc;

use crate::program::visit::{Use, Visitor, blocks, walk_parts};
use crate::program::{ExprKind, FuncId, GlobalId, LocalId, Place, PlaceKind, Stmt, StmtId, StmtKind, Target};
use crate::source::Span;
use crate::value::{Heap, PartChange, PartKey, Place as HeapPlace, Type, Value, is_same};

use super::flags::{ASSIGNS, StatementFlags, WRITES, WRITTEN};
use super::slots::{Fp, Slot};
use super::vm::Vm;

/// The bits of a statement's flag that are about watches.
pub(crate) const BITS: u8 = ASSIGNS | WRITES | WRITTEN;

/// The number of a watch, given by whoever sets it.
pub(crate) type WatchId = u64;

/// A variable of a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchedVariable {
    /// A local of a frame.
    Local {
        /// The frame.
        fp: Fp,
        /// Its function.
        func: FuncId,
        /// The local.
        local: LocalId,
    },
    /// A global.
    Global(GlobalId),
}

/// A write to something that is watched, which has changed it.
#[derive(Clone, Debug)]
pub(crate) struct WatchHit {
    /// The number of the watch.
    pub watch: WatchId,
    /// What was there; `None` for an element or entry that did not exist.
    pub old: Option<Value>,
    /// What is there now; `None` for an element or entry that does not exist any more.
    pub new: Option<Value>,
    /// The assignment, or the statement that made it.
    pub at: Span,
}

/// A watched variable whose value is in its slot.
#[derive(Debug)]
struct SlotWatch {
    number: WatchId,
    variable: WatchedVariable,
    fp: Fp,
    slot: Slot,
    ty: Type,
    /// What it held when it was looked at last.
    last: Value,
    /// The statements that may assign it, with the bit that each gets.
    writers: Vec<(StmtId, u8)>,
}

/// The watches of a running program, and what they have noticed.
#[derive(Default)]
pub(crate) struct Watches {
    slots: Vec<SlotWatch>,
    /// The last statement with [`WRITES`] that has begun, and how many calls were in progress.
    writer: Option<(StmtId, u32)>,
    hits: Vec<WatchHit>,
    /// The flags of the statements of the program that runs.
    pub(super) flags: Arc<StatementFlags>,
}

impl Watches {
    /// Whether there are hits to be told.
    pub fn has_hits(&self) -> bool {
        !self.hits.is_empty()
    }

    /// The writes that were noticed since, in order.
    pub fn take_hits(&mut self) -> Vec<WatchHit> {
        std::mem::take(&mut self.hits)
    }

    fn set_writers(&self, on: bool) {
        for (statement, bit) in self.slots.iter().flat_map(|watch| &watch.writers) {
            self.flags.set_own(statement.0 as usize, *bit, on);
        }
    }

    /// Notes a change. Several in one statement that touch one watch are one.
    fn note(&mut self, change: PartChange, at: Span, of_one_statement: usize) {
        let earlier = self.hits.iter_mut().skip(of_one_statement).find(|hit| hit.watch == change.watch);
        match earlier {
            Some(hit) => hit.new = change.new,
            None => {
                let PartChange { watch, old, new } = change;
                self.hits.push(WatchHit { watch, old, new, at });
            }
        }
    }
}

/// Watches a variable. To be called while the program is stopped before the statement `stmt`; for a local,
/// with [`Vm::watch_return`] set for its frame (see [`frames_ended`]).
pub(crate) fn watch_variable(vm: &mut Vm, number: WatchId, variable: WatchedVariable, stmt: StmtId) {
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
        // The slot may refer to a variable elsewhere, which is the one that is meant.
        if let Some(place) = vm.frames.get_ref(fp, slot) {
            watch_place(vm, number, &place);
        }
        return;
    }
    let last = vm.slot_value(fp, slot, &ty);
    let writers = writers(vm, variable);
    if writers.iter().any(|(writer, _)| *writer == stmt) {
        // It has asked already.
        vm.watches.writer = Some((stmt, vm.depth()));
        vm.watches.flags.set_all(WRITTEN, true);
    }
    vm.watches.slots.push(SlotWatch { number, variable, fp, slot, ty, last, writers });
    vm.watches.set_writers(true);
}

/// Watches what a reference leads to.
fn watch_place(vm: &mut Vm, number: WatchId, place: &Heap) {
    let Heap::Place(inner) = place else { return };
    if let Some(Value::Ref(next)) = inner.read()
        && matches!(&*next, Heap::Place(_))
    {
        return watch_place(vm, number, &next);
    }
    match inner {
        HeapPlace::Variable(_) => watch_part(vm, number, place, PartKey::Variable),
        HeapPlace::Element { array, index } => {
            watch_part(vm, number, array, PartKey::Element(usize::try_from(*index).unwrap_or(usize::MAX)))
        }
        HeapPlace::Entry { map, key } => watch_part(vm, number, map, PartKey::Entry(key.clone())),
        HeapPlace::Field { object, field } => watch_part(vm, number, object, PartKey::Field(*field)),
    };
}

/// Watches a part of an object; `false` if the object has no parts that can change. A part that is itself a
/// reference is the place that it refers to.
pub(crate) fn watch_part(vm: &mut Vm, number: WatchId, object: &Heap, key: PartKey) -> bool {
    vm.mutator.watch(object, key, number)
}

/// Ends a watch.
pub(crate) fn unwatch(vm: &mut Vm, number: WatchId) {
    vm.mutator.unwatch(number);
    vm.watches.hits.retain(|hit| hit.watch != number);
    retain_slots(vm, |watch| watch.number != number);
}

/// Calls have returned to the frame `caller`: ends the watches of locals of frames above it, and gives their
/// numbers. To be called from [`Debugger::returned`](super::vm::Debugger::returned) as long as a local is
/// watched: a slot is not to be looked at when its frame has ended.
pub(crate) fn frames_ended(vm: &mut Vm, caller: Fp) -> Vec<WatchId> {
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

/// Takes what watched slots hold for what they held: after the debugger has changed variables.
pub(crate) fn forget_writes(vm: &mut Vm) {
    let mut slots = std::mem::take(&mut vm.watches.slots);
    for watch in &mut slots {
        watch.last = vm.slot_value(watch.fp, watch.slot, &watch.ty);
    }
    vm.watches.slots = slots;
    drop(vm.mutator.take_changes());
}

/// Notes the changes of watched parts that the code at `at` has made.
#[cold]
#[inline(never)]
pub(crate) fn locate_changes(vm: &mut Vm, at: Span) {
    let changes = vm.mutator.take_changes();
    if vm.evaluating {
        return;
    }
    let before = vm.watches.hits.len();
    for change in changes {
        vm.watches.note(change, at, before);
    }
    vm.watches.hits.retain(|hit| {
        let (old, new) = (hit.old.clone(), hit.new.clone());
        !PartChange { watch: hit.watch, old, new }.is_void()
    });
    if vm.watches.has_hits() {
        vm.watches.flags.set_all(WRITTEN, true);
    }
}

/// Looks at watched slots at a place with some of [`BITS`]; whether there are hits to be told.
#[cold]
pub(crate) fn at_place(vm: &mut Vm, stmt: StmtId, bits: u8) -> bool {
    if vm.evaluating {
        return false;
    }
    if bits & WRITTEN != 0 {
        compare_slots(vm);
    }
    let depth = vm.depth();
    if bits & WRITES != 0 {
        vm.watches.writer = Some((stmt, depth));
    } else if vm.watches.writer.is_some_and(|(_, writer)| depth <= writer) {
        vm.watches.writer = None;
    }
    vm.watches.flags.set_all(WRITTEN, vm.watches.writer.is_some());
    vm.watches.has_hits()
}

/// Looks at watched slots when a statement with [`ASSIGNS`] has run.
#[cold]
pub(crate) fn after_assignment(vm: &mut Vm, stmt: StmtId) {
    if vm.evaluating {
        return;
    }
    let earlier = vm.watches.writer.replace((stmt, 0));
    compare_slots(vm);
    vm.watches.writer = earlier;
    if vm.watches.has_hits() {
        vm.watches.flags.set_all(WRITTEN, true);
    }
}

fn compare_slots(vm: &mut Vm) {
    let mut slots = std::mem::take(&mut vm.watches.slots);
    let writer = vm.watches.writer.and_then(|(stmt, _)| vm.program.statement(stmt)).map(|info| info.at);
    for watch in &mut slots {
        let now = vm.slot_value(watch.fp, watch.slot, &watch.ty);
        if !is_same(&watch.last, &now) {
            let old = std::mem::replace(&mut watch.last, now.clone());
            let at = writer.unwrap_or(vm.nowhere());
            vm.watches.hits.push(WatchHit { watch: watch.number, old: Some(old), new: Some(now), at });
        }
    }
    vm.watches.slots = slots;
}

/// The statements that may assign a variable.
fn writers(vm: &Vm, variable: WatchedVariable) -> Vec<(StmtId, u8)> {
    let mut found = Vec::new();
    match variable {
        WatchedVariable::Local { func, .. } => {
            if let Some(function) = vm.program.function(func) {
                collect_writers(&function.body.stmts, variable, &mut found);
            }
        }
        WatchedVariable::Global(_) => {
            for function in &vm.program.functions {
                collect_writers(&function.body.stmts, variable, &mut found);
            }
        }
    }
    found
}

fn collect_writers(stmts: &[Stmt], variable: WatchedVariable, found: &mut Vec<(StmtId, u8)>) {
    for stmt in stmts {
        let mut own = Assigns { variable, found: declares(stmt, variable) };
        walk_parts(stmt, &mut own);
        if own.found {
            found.push((stmt.id, if is_simple(stmt) { ASSIGNS } else { WRITES }));
            // The later conditions of an `if` are statements of their own.
            if let StmtKind::If { arms, .. } = &stmt.kind {
                found.extend(arms.iter().map(|arm| (arm.id, WRITES)));
            }
        }
        for block in blocks(stmt) {
            collect_writers(&block.stmts, variable, found);
        }
    }
}

/// Whether the statement, all calls included, has run when its code has.
fn is_simple(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Declare { .. }
        | StmtKind::DeclareGlobal { .. }
        | StmtKind::Assign { .. }
        | StmtKind::OpAssign { .. }
        | StmtKind::Unpack { .. } => true,
        // A call alone is run by the body of the function.
        StmtKind::Expr { expr, .. } => !matches!(expr.kind, ExprKind::Call { .. }),
        _ => false,
    }
}

/// Whether the statement gives the variable a value by declaring it, or as the variable of a loop.
fn declares(stmt: &Stmt, variable: WatchedVariable) -> bool {
    let is_local = |id: LocalId| matches!(variable, WatchedVariable::Local { local, .. } if local == id);
    let is_global = |id: GlobalId| variable == WatchedVariable::Global(id);
    match &stmt.kind {
        StmtKind::Declare { local, .. } | StmtKind::DeclareRef { local, .. } => is_local(*local),
        StmtKind::DeclareGlobal { global, .. } => is_global(*global),
        StmtKind::For { var, .. } => is_local(*var),
        StmtKind::ForEach { index, var, .. } => is_local(*var) || index.is_some_and(is_local),
        StmtKind::Unpack { targets, .. } => targets.iter().any(|target| match target {
            Target::Declare(local) => is_local(*local),
            Target::DeclareGlobal(global) => is_global(*global),
            Target::Skip | Target::Assign(_) => false,
        }),
        _ => false,
    }
}

/// Looks for assignments of a variable as a whole.
struct Assigns {
    variable: WatchedVariable,
    found: bool,
}

impl Visitor for Assigns {
    fn place(&mut self, place: &Place, how: Use) {
        self.found |= how == Use::Stored
            && match (&place.kind, self.variable) {
                (PlaceKind::Local(id), WatchedVariable::Local { local, .. }) => *id == local,
                (PlaceKind::Global(id), WatchedVariable::Global(global)) => *id == global,
                _ => false,
            };
    }
}

#[cfg(test)]
mod tests;

//! What variables showed at the last stop, to tell what is new or has changed since.

use std::rc::Rc;

use foldhash::HashMap;

use crate::interp::slots::{self, Fp};
use crate::interp::vm::{SEE_WIDE, Vm};
use crate::program::{Global, Local, LocalId, LocalKind, StmtId};
use crate::value::{Heap, Ref, Repr, Type, Value};

use super::inspect::{self, FrameView};
use super::messages::Variable;

/// What a variable showed at a stop: enough to tell whether it shows something else now. Numbers and
/// strings are told by what their slots hold; only what can change in place is compared as text.
#[derive(Debug)]
enum Seen {
    /// A scalar slot.
    Bits(u64),
    /// A string (kept, so that no other can take its place).
    Text(Ref),
    /// Anything else.
    Shown(Variable),
}

/// What a frame showed at its last stop.
struct Snapshot {
    depth: u32,
    /// What was visible: what goes out of sight is new when it comes back.
    visible: Rc<[LocalId]>,
    /// By number of the local.
    values: Vec<Option<Seen>>,
}

/// Where a variable is kept.
struct Slot<'a> {
    fp: Fp,
    number: u32,
    boxed: bool,
    name: &'a str,
    ty: &'a Type,
}

/// Knows what was shown.
#[derive(Default)]
pub(crate) struct ChangeTracker {
    snapshots: Vec<Snapshot>,
    /// What is visible at a place, looked up once; equal lists are the same list.
    visible: HashMap<(StmtId, bool), Rc<[LocalId]>>,
    lists: HashMap<Vec<LocalId>, Rc<[LocalId]>>,
    /// By number of the global, from the beginning of `main` on.
    globals: Option<Vec<Option<Seen>>>,
}

impl ChangeTracker {
    /// Whether any frame has shown something that its return makes forgotten.
    pub fn has_frames(&self) -> bool {
        !self.snapshots.is_empty()
    }

    /// Forgets frames that have returned: those deeper than `depth`.
    pub fn forget_below(&mut self, depth: u32) {
        self.snapshots.retain(|s| s.depth <= depth);
    }

    /// Globals are told from now on, when they change.
    pub fn begin_globals(&mut self, vm: &mut Vm) {
        self.globals = Some(Vec::new());
        self.changed_globals(vm, |_| false, &mut Vec::new());
    }

    /// What is new or has changed since the last stop in this frame, and the globals since the last
    /// stop anywhere. A global whose name means another variable in this frame is told later.
    pub fn changed(&mut self, vm: &mut Vm, view: &FrameView) -> Vec<Variable> {
        let depth = vm.depth();
        self.forget_below(depth);
        let visible = self.visible(vm, view);
        if self.snapshots.last().is_none_or(|s| s.depth < depth) {
            self.snapshots.push(Snapshot { depth, visible: visible.clone(), values: Vec::new() });
        }
        let mut changed = Vec::new();
        let program = vm.program.clone();
        let locals = program.function(view.func).map_or(&[][..], |f| &f.locals);
        if let Some(snapshot) = self.snapshots.last_mut() {
            snapshot.show(&visible);
            for id in visible.iter() {
                let (Some(local), Some(seen)) =
                    (locals.get(id.0 as usize), snapshot.values.get_mut(id.0 as usize))
                else {
                    continue;
                };
                let Local { name, ty, boxed, .. } = local;
                let slot = Slot { fp: view.fp, number: id.0, boxed: *boxed, name, ty };
                changed.extend(slot.update(vm, seen, || true));
            }
        }
        let is_local =
            |name: &str| visible.iter().any(|id| locals.get(id.0 as usize).is_some_and(|l| *l.name == *name));
        let file = view.at.file;
        let is_own = |name: &str| program.globals.iter().any(|g| g.file == file && *g.name == *name);
        let hidden = |global: &Global| is_local(&global.name) || global.file != file && is_own(&global.name);
        self.changed_globals(vm, hidden, &mut changed);
        changed
    }

    /// Tells those that have changed and are not `hidden`.
    fn changed_globals(
        &mut self,
        vm: &mut Vm,
        hidden: impl Fn(&Global) -> bool,
        changed: &mut Vec<Variable>,
    ) {
        let Some(seen) = &mut self.globals else { return };
        let program = vm.program.clone();
        seen.resize_with(program.globals.len(), || None);
        for (number, (global, seen)) in program.globals.iter().zip(seen).enumerate() {
            if !global.constant {
                let (name, ty) = (&*global.name, &global.ty);
                let slot = Slot { fp: vm.globals, number: number as u32, boxed: global.boxed, name, ty };
                changed.extend(slot.update(vm, seen, || !hidden(global)));
            }
        }
    }

    /// The locals to be shown at a place.
    fn visible(&mut self, vm: &Vm, view: &FrameView) -> Rc<[LocalId]> {
        let (visible, lists) = (&mut self.visible, &mut self.lists);
        let found = visible.entry((view.stmt, view.back_edge)).or_insert_with(|| {
            let mut list = inspect::visible_locals(&vm.program, view);
            let function = vm.program.function(view.func);
            list.retain(|id| function.and_then(|f| f.local(*id)).is_some_and(is_shown));
            lists.entry(list).or_insert_with_key(|list| list.as_slice().into()).clone()
        });
        found.clone()
    }
}

/// Whether the client is told of a local.
pub(crate) fn is_shown(local: &Local) -> bool {
    &*local.name != "_" && local.kind != LocalKind::Hidden
}

impl Snapshot {
    /// Other locals are visible now.
    fn show(&mut self, visible: &Rc<[LocalId]>) {
        if !Rc::ptr_eq(&self.visible, visible) {
            for id in self.visible.iter().filter(|id| visible.binary_search(id).is_err()) {
                if let Some(seen) = self.values.get_mut(id.0 as usize) {
                    *seen = None;
                }
            }
            self.visible = visible.clone();
        }
        let count = visible.last().map_or(0, |last| last.0 as usize + 1);
        if self.values.len() < count {
            self.values.resize_with(count, || None);
        }
    }
}

impl Slot<'_> {
    /// The variable, if it is new or has changed since it was `seen`, and is `wanted`.
    fn update(
        &self,
        vm: &mut Vm,
        seen: &mut Option<Seen>,
        wanted: impl FnOnce() -> bool,
    ) -> Option<Variable> {
        let (now, variable) = self.changed(vm, seen.as_ref())?;
        if !wanted() {
            return None;
        }
        *seen = Some(now);
        Some(variable)
    }

    fn changed(&self, vm: &mut Vm, seen: Option<&Seen>) -> Option<(Seen, Variable)> {
        let scalar = !self.boxed && self.ty.repr() != Repr::Ref;
        let bits = scalar.then(|| vm.frames.get(self.fp, slots::Slot::new(self.number)));
        // A slot that says "look elsewhere" may have another number there.
        if let Some(bits) = bits.filter(|bits| *bits != SEE_WIDE as u64) {
            if matches!(seen, Some(Seen::Bits(before)) if *before == bits) {
                return None;
            }
            return Some((Seen::Bits(bits), self.variable(&self.value(vm))));
        }
        let value = self.value(vm);
        if let Value::Ref(r) = &value
            && let Heap::Str(text) = &**r
        {
            if matches!(seen, Some(Seen::Text(before)) if is_text(before, r, text.as_str())) {
                return None;
            }
            return Some((Seen::Text(r.clone()), self.variable(&value)));
        }
        let now = self.variable(&value);
        if matches!(seen, Some(Seen::Shown(before)) if *before == now) {
            return None;
        }
        Some((Seen::Shown(now.clone()), now))
    }

    fn value(&self, vm: &mut Vm) -> Value {
        inspect::slot_value(vm, self.fp, self.number, self.boxed, self.ty)
    }

    fn variable(&self, value: &Value) -> Variable {
        inspect::variable(self.name, value, self.ty)
    }
}

/// Whether a string seen `before` reads as `now` does, which is `text`.
fn is_text(before: &Ref, now: &Ref, text: &str) -> bool {
    Rc::ptr_eq(before, now) || matches!(&**before, Heap::Str(before) if before.as_str() == text)
}

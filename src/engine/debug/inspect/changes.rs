//! Finds the variables that are new or have changed since the last stop.

use std::cell::LazyCell;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};
use num_bigint::BigInt;

use crate::api::{Limits, Value as Shown, Variable};
use crate::debug::inspect::describe::describe;
use crate::debug::inspect::frames::{FrameView, visible_locals};
use crate::debug::inspect::handles::Handles;
use crate::debug::inspect::temporaries::is_temporary;
use crate::debug::inspect::variables::{global_variable, is_shown, local_variable, slot_value};
use ez_runtime::interp::slots::{self, Fp};
use ez_runtime::interp::store;
use ez_runtime::interp::vm::{SEE_WIDE, Vm};
use ez_runtime::program::{Global, GlobalId, LocalId, StmtId};
use ez_runtime::value::{Heap, Ref, Repr, Type, Value, address_of, fingerprint, is_unchanged, track};

/// Maximum number of values in a fingerprint. A larger value counts as changed whenever something was stored
/// into it, even an equal value.
const FINGERPRINTED: usize = 4096;

/// The value of a variable at a stop, as far as it is needed to notice a change.
#[derive(Debug)]
enum Seen {
    /// The content of a scalar slot.
    Bits(u64),
    /// A big integer (`Some`) or nil in a scalar slot.
    Wide(Option<BigInt>),
    /// A string. The reference keeps its memory from being reused for another one.
    Text(Ref),
    /// An array, map, struct or tuple. No reference is kept.
    Object {
        /// The object's address.
        address: usize,
        /// Number of the latest stop at which everything reachable from it was found unchanged.
        stop: u32,
        /// The fingerprint of its contents; `None` if it is too large.
        fingerprint: Option<u64>,
    },
    /// Any other value, as a description.
    Shown(Shown),
}

impl Seen {
    fn fingerprint(&self) -> Option<u64> {
        match self {
            Seen::Object { fingerprint, .. } => *fingerprint,
            Seen::Bits(_) | Seen::Wide(_) | Seen::Text(_) | Seen::Shown(_) => None,
        }
    }
}

/// The locals of a frame at the last stop in it.
struct FrameSnapshot {
    /// Depth of the frame: number of calls in progress, its own included.
    depth: u32,
    /// The locals that were in scope. One that leaves its scope and enters it again is new.
    visible: Rc<[LocalId]>,
    /// The values, by number of the local.
    values: Vec<Option<Seen>>,
}

/// Stores the values of variables at stops, and finds what has changed since.
pub(crate) struct ChangeTracker {
    /// How much of a changed variable to describe.
    limits: Limits,
    /// The frames in which the program has stopped, outermost first.
    frames: Vec<FrameSnapshot>,
    /// Cache of the locals in scope, by statement and whether it is reached by a loop's back edge. Equal
    /// lists are the same `Rc`.
    visible: HashMap<(StmtId, bool), Rc<[LocalId]>>,
    lists: HashMap<Vec<LocalId>, Rc<[LocalId]>>,
    /// The globals, by number.
    globals: Vec<Option<Seen>>,
    /// Whether `main` has begun. Before that, a global is new when its declaration has run.
    in_main: bool,
    /// Whether the program has stopped before.
    stopped: bool,
    /// Number of the present stop.
    stop: u32,
}

/// A slot of a variable.
struct Slot<'a> {
    fp: Fp,
    number: u32,
    /// Whether the slot holds a reference to a boxed variable.
    boxed: bool,
    ty: &'a Type,
}

impl ChangeTracker {
    /// A tracker for a program that has not stopped yet.
    pub fn new(limits: Limits) -> ChangeTracker {
        ChangeTracker {
            limits,
            frames: Vec::new(),
            visible: HashMap::default(),
            lists: HashMap::default(),
            globals: Vec::new(),
            in_main: false,
            stopped: false,
            stop: 0,
        }
    }

    /// How much of a changed variable to describe.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether any frame is stored.
    pub fn has_frames(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Drops the frames that have returned: those deeper than `depth`.
    pub fn forget_below(&mut self, depth: u32) {
        self.frames.retain(|frame| frame.depth <= depth);
    }

    /// Called when `main` begins: from now on only changed globals are reported, not new ones. If the program
    /// has stopped before, the first stop in `main` still reports what the initialisers have set since.
    pub fn main_begins(&mut self, vm: &mut Vm) {
        self.in_main = true;
        if self.stopped {
            return;
        }
        self.stop = vm.mutator.begin_stop();
        let program = vm.program.clone();
        self.globals.resize_with(program.globals.len(), || None);
        for (number, (global, seen)) in program.globals.iter().zip(&mut self.globals).enumerate() {
            let slot = Slot::of_global(vm, number, global);
            if let Some((now, _)) = slot.changed(vm, seen.as_mut(), self.stop, self.limits) {
                *seen = Some(now);
            }
        }
    }

    /// The locals that are new or have changed since the last stop in this frame, in order of declaration,
    /// then the globals that have changed since the last stop in any frame. A global that is shadowed in this
    /// frame is reported at the first stop where it is visible.
    pub fn changed(&mut self, vm: &mut Vm, handles: &mut Handles, view: &FrameView) -> Vec<Variable> {
        self.stopped = true;
        self.stop = vm.mutator.begin_stop();
        let visible = self.visible(vm, view);
        let mut changed = Vec::new();
        self.changed_locals(vm, handles, view, &visible, &mut changed);
        let program = vm.program.clone();
        let locals = program.function(view.func).map_or(&[][..], |f| &f.locals);
        let file = view.at.file;
        // Seldom needed, and then often for many globals.
        let local_names = LazyCell::new(|| -> HashSet<&str> {
            visible.iter().filter_map(|id| Some(&*locals.get(id.0 as usize)?.name)).collect()
        });
        let own_names = LazyCell::new(|| -> HashSet<&str> {
            program.globals.iter().filter(|global| global.file == file).map(|global| &*global.name).collect()
        });
        let hidden = |global: &Global| {
            local_names.contains(&*global.name) || global.file != file && own_names.contains(&*global.name)
        };
        self.changed_globals(vm, handles, hidden, &mut changed);
        changed
    }

    /// Copies the objects that dead locals of a frame share with live values (see [`store::unshare`]), so
    /// that the client sees the values these locals had. Call it before they are shown or used in an
    /// expression. It does not count as a change. `depth` is the frame's.
    pub fn unshare(&mut self, vm: &mut Vm, fp: Fp, depth: u32, locals: &[slots::Slot]) {
        let stop = self.stop;
        let mut frame = self.frames.iter_mut().find(|frame| frame.depth == depth);
        for local in locals {
            let before = vm.frames.get_ref(fp, *local);
            let values = frame.as_deref_mut().map(|frame| &mut frame.values);
            let seen = values.and_then(|values| values.get_mut(local.number() as usize)?.as_mut());
            let seen = seen.filter(|seen| match (seen, &before) {
                (Seen::Object { address, stop, .. }, Some(object)) => {
                    is_unchanged(object, *address, *stop, &vm.mutator)
                }
                _ => false,
            });
            drop(before);
            store::unshare(vm, fp, *local);
            if let (Some(seen), Some(object)) = (seen, vm.frames.reference(fp, *local)) {
                track(object, &vm.mutator);
                if let Seen::Object { address, stop: since, .. } = seen {
                    (*address, *since) = (address_of(object), stop);
                }
            }
        }
    }

    fn changed_locals(
        &mut self,
        vm: &mut Vm,
        handles: &mut Handles,
        view: &FrameView,
        visible: &Rc<[LocalId]>,
        changed: &mut Vec<Variable>,
    ) {
        let (depth, stop, limits) = (vm.depth(), self.stop, self.limits);
        self.forget_below(depth);
        if self.frames.last().is_none_or(|frame| frame.depth < depth) {
            self.frames.push(FrameSnapshot { depth, visible: visible.clone(), values: Vec::new() });
        }
        let program = vm.program.clone();
        let Some(function) = program.function(view.func) else { return };
        let Some(frame) = self.frames.last_mut() else { return };
        frame.enter_scope(visible);
        for id in visible.iter() {
            let Some(local) = function.local(*id) else { continue };
            let Some(seen) = frame.values.get_mut(id.0 as usize) else { continue };
            let slot = Slot { fp: view.fp, number: id.0, boxed: local.boxed, ty: &local.ty };
            let new = seen.is_none();
            if let Some((now, value)) = slot.changed(vm, seen.as_mut(), stop, limits) {
                *seen = Some(now);
                changed.push(Variable { new, ..local_variable(handles, local, &value, 0, limits) });
            }
        }
    }

    fn changed_globals(
        &mut self,
        vm: &mut Vm,
        handles: &mut Handles,
        hidden: impl Fn(&Global) -> bool,
        changed: &mut Vec<Variable>,
    ) {
        let program = vm.program.clone();
        self.globals.resize_with(program.globals.len(), || None);
        for (number, (global, seen)) in program.globals.iter().zip(&mut self.globals).enumerate() {
            let settled = self.in_main && global.constant && seen.is_some();
            if settled || is_temporary(global) || !vm.is_bound(GlobalId(number as u32)) {
                continue;
            }
            let slot = Slot::of_global(vm, number, global);
            let new = seen.is_none();
            if let Some((now, value)) = slot.changed(vm, seen.as_mut(), self.stop, self.limits)
                && !hidden(global)
            {
                *seen = Some(now);
                let shown = global_variable(handles, global, &value, 0, self.limits);
                changed.push(Variable { new, ..shown });
            }
        }
    }

    /// The locals of this frame that are visible to clients.
    fn visible(&mut self, vm: &Vm, view: &FrameView) -> Rc<[LocalId]> {
        let (visible, lists) = (&mut self.visible, &mut self.lists);
        let found = visible.entry((view.stmt, view.back_edge)).or_insert_with(|| {
            let mut list = visible_locals(&vm.program, view);
            let function = vm.program.function(view.func);
            list.retain(|id| function.and_then(|f| f.local(*id)).is_some_and(is_shown));
            lists.entry(list).or_insert_with_key(|list| list.as_slice().into()).clone()
        });
        found.clone()
    }
}

impl FrameSnapshot {
    /// Drops the values of locals that have left their scope.
    fn enter_scope(&mut self, visible: &Rc<[LocalId]>) {
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

impl<'a> Slot<'a> {
    fn of_global(vm: &Vm, number: usize, global: &'a Global) -> Slot<'a> {
        Slot { fp: vm.globals, number: number as u32, boxed: global.boxed, ty: &global.ty }
    }

    /// The new value to store for the variable, if it differs from the stored one. Objects need not be
    /// searched again for changes made before `stop`.
    fn changed(
        &self,
        vm: &mut Vm,
        seen: Option<&mut Seen>,
        stop: u32,
        limits: Limits,
    ) -> Option<(Seen, Value)> {
        if !self.boxed && self.ty.repr() != Repr::Ref {
            let now = self.changed_scalar(vm, seen.as_deref())?;
            return Some((now, self.value(vm)));
        }
        let value = self.value(vm);
        let object = match &value {
            Value::Ref(object) => object,
            _ => return changed_shown(value, seen.as_deref(), limits),
        };
        match &**object {
            Heap::Str(text) => {
                let same = matches!(seen, Some(Seen::Text(before)) if is_text(before, object, text.as_str()));
                (!same).then(|| (Seen::Text(object.clone()), value.clone()))
            }
            Heap::Array(_) | Heap::Map(_) | Heap::Struct(_) => {
                let now = changed_object(vm, object, seen, stop)?;
                Some((now, value.clone()))
            }
            _ => changed_shown(value, seen.as_deref(), limits),
        }
    }

    fn changed_scalar(&self, vm: &Vm, seen: Option<&Seen>) -> Option<Seen> {
        let bits = vm.frames.get(self.fp, slots::Slot::new(self.number));
        if bits != SEE_WIDE as u64 {
            let same = matches!(seen, Some(Seen::Bits(before)) if *before == bits);
            return (!same).then_some(Seen::Bits(bits));
        }
        let big = vm.wide.get(&self.fp.key(slots::Slot::new(self.number))).and_then(Option::as_ref);
        let same = matches!(seen, Some(Seen::Wide(before)) if before.as_ref() == big);
        (!same).then(|| Seen::Wide(big.cloned()))
    }

    fn value(&self, vm: &mut Vm) -> Value {
        slot_value(vm, self.fp, self.number, self.boxed, self.ty)
    }
}

/// The new value to store for an array, map or struct, if it differs from the stored one.
fn changed_object(vm: &Vm, object: &Ref, mut seen: Option<&mut Seen>, stop: u32) -> Option<Seen> {
    if let Some(Seen::Object { address, stop: since, .. }) = &mut seen
        && is_unchanged(object, *address, *since, &vm.mutator)
    {
        *since = stop;
        return None;
    }
    track(object, &vm.mutator);
    let fingerprint = fingerprint(object, FINGERPRINTED);
    let now = Seen::Object { address: address_of(object), stop, fingerprint };
    match seen {
        // An equal value was stored.
        Some(seen) if fingerprint.is_some() && seen.fingerprint() == fingerprint => {
            *seen = now;
            None
        }
        _ => Some(now),
    }
}

/// The new value to store for a value compared by its description, if it differs.
fn changed_shown(value: Value, seen: Option<&Seen>, limits: Limits) -> Option<(Seen, Value)> {
    let now = describe(&value, &Type::Any, limits);
    let same = matches!(seen, Some(Seen::Shown(before)) if *before == now);
    (!same).then_some((Seen::Shown(now), value))
}

/// Whether two strings have equal text; `text` is that of `now`.
fn is_text(before: &Ref, now: &Ref, text: &str) -> bool {
    Rc::ptr_eq(before, now) || matches!(&**before, Heap::Str(before) if before.as_str() == text)
}

//! Which variables are new or have changed since the last stop.

use std::rc::Rc;

use foldhash::HashMap;
use num_bigint::BigInt;

use crate::api::{Limits, Value as Shown, Variable};
use crate::interp::slots::{self, Fp};
use crate::interp::store;
use crate::interp::vm::{SEE_WIDE, Vm};
use crate::program::{Global, GlobalId, LocalId, StmtId};
use crate::value::{Heap, Ref, Repr, Type, Value, address_of, fingerprint, is_unchanged, track};

use super::describe::describe;
use super::frames::{FrameView, visible_locals};
use super::handles::Handles;
use super::temporaries::is_temporary;
use super::variables::{global_variable, is_global_of, is_shown, local_variable, slot_value};

/// How much of a value makes its fingerprint. A larger one counts as changed when something was stored into
/// it, even if that was there already.
const FINGERPRINTED: usize = 4096;

/// What a variable held at a stop: enough to tell whether it holds something else now.
#[derive(Debug)]
enum Seen {
    /// The content of a scalar slot.
    Bits(u64),
    /// A big integer, or nil, in a scalar slot.
    Wide(Option<BigInt>),
    /// A string; kept, so that its memory is not used for another one.
    Text(Ref),
    /// An array, map, struct or tuple, of which no reference is kept.
    Object {
        /// What tells the object from others.
        address: usize,
        /// The number of the stop at which all that it reaches was last found as it was.
        stop: u32,
        /// The value's fingerprint; `None` for a large value.
        fingerprint: Option<u64>,
    },
    /// Anything else, as it was described.
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

/// What the locals of one frame held at the last stop in it.
struct FrameSnapshot {
    /// How many calls are in progress up to the frame.
    depth: u32,
    /// The locals that were in scope. One that goes out of scope is new when it comes back.
    visible: Rc<[LocalId]>,
    /// By number of the local.
    values: Vec<Option<Seen>>,
}

/// Remembers what variables held at stops, to tell what has changed since.
pub(crate) struct ChangeTracker {
    /// How much of a changed variable is described.
    limits: Limits,
    /// Of the frames in which the program has stopped, the outermost first.
    frames: Vec<FrameSnapshot>,
    /// The locals in scope before a statement (or at a loop's back edge); equal lists are the same list.
    visible: HashMap<(StmtId, bool), Rc<[LocalId]>>,
    lists: HashMap<Vec<LocalId>, Rc<[LocalId]>>,
    /// By number of the global.
    globals: Vec<Option<Seen>>,
    /// Whether `main` has begun. Before that, a global is new when its declaration has run.
    in_main: bool,
    /// Whether the program has stopped.
    stopped: bool,
    /// The number of the present stop.
    stop: u32,
}

/// A slot that holds a variable.
struct Slot<'a> {
    fp: Fp,
    number: u32,
    /// Whether it holds a reference to the variable.
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

    /// How much of a changed variable is described.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether there is anything to forget when a frame returns.
    pub fn has_frames(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Forgets the frames that have returned: those with more than `depth` calls in progress.
    pub fn forget_below(&mut self, depth: u32) {
        self.frames.retain(|frame| frame.depth <= depth);
    }

    /// `main` begins: of the globals, only changes are told from now on. A client that has followed the
    /// initialisers is told at the next stop what is left of them.
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

    /// The locals that are new or have changed since the last stop in this frame, in order of
    /// declaration, then the globals that have since the last stop anywhere. A global whose name means
    /// another variable in this frame is told at the first stop where it does not.
    pub fn changed(&mut self, vm: &mut Vm, handles: &mut Handles, view: &FrameView) -> Vec<Variable> {
        self.stopped = true;
        self.stop = vm.mutator.begin_stop();
        let visible = self.visible(vm, view);
        let mut changed = Vec::new();
        self.changed_locals(vm, handles, view, &visible, &mut changed);
        let program = vm.program.clone();
        let locals = program.function(view.func).map_or(&[][..], |f| &f.locals);
        let is_local = |name: &str| {
            visible.iter().any(|id| locals.get(id.0 as usize).is_some_and(|local| *local.name == *name))
        };
        let file = view.at.file;
        let hidden = |global: &Global| {
            is_local(&global.name)
                || global.file != file && is_global_of(&program.globals, file, &global.name)
        };
        self.changed_globals(vm, handles, hidden, &mut changed);
        changed
    }

    /// Gives dead locals of a frame what the program sees in them (see [`store::unshare`]); to be called
    /// before they are shown or expressions are evaluated there. That is no change of theirs. `depth`: how
    /// many calls are in progress up to the frame.
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

    /// The locals that clients are told of in this frame.
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
    /// Forgets the locals that are no longer in scope, and makes room for those that are.
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

    /// What the variable holds, if that is not what was seen. An object that was found as it was need not be
    /// looked through again for what happened before this `stop`.
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

/// What to remember of an array, map or struct, if it is not what was seen.
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
        // Something was stored that was there already.
        Some(seen) if fingerprint.is_some() && seen.fingerprint() == fingerprint => {
            *seen = now;
            None
        }
        _ => Some(now),
    }
}

/// A value that is told from others by what it looks like, if that is not what was seen.
fn changed_shown(value: Value, seen: Option<&Seen>, limits: Limits) -> Option<(Seen, Value)> {
    let now = describe(&value, limits);
    let same = matches!(seen, Some(Seen::Shown(before)) if *before == now);
    (!same).then_some((Seen::Shown(now), value))
}

/// Whether a string seen `before` reads as `now` does, whose text is `text`.
fn is_text(before: &Ref, now: &Ref, text: &str) -> bool {
    Rc::ptr_eq(before, now) || matches!(&**before, Heap::Str(before) if before.as_str() == text)
}

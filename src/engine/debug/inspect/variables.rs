//! The variables of a frame.

use compact_str::CompactString;
use foldhash::HashSet;

use crate::api::{Limits, Scope, Variable};
use crate::debug::inspect::frames::{FrameView, visible_locals};
use crate::debug::inspect::handles::{Handles, Origin};
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::{Global, GlobalId, Local, LocalKind};
use ez_runtime::value::{Type, Value};

/// The variables of a frame: its parameters and locals, then those globals of its file that have been
/// declared and are not shadowed. `frame` is the frame's index; `scope` selects.
pub(crate) fn variables(
    vm: &mut Vm,
    handles: &mut Handles,
    view: &FrameView,
    frame: usize,
    scope: Option<Scope>,
    limits: Limits,
) -> Vec<Variable> {
    let program = vm.program.clone();
    let mut found: Vec<Variable> = Vec::new();
    let mut hiding: HashSet<&str> = HashSet::default();
    let wanted = |of: Scope| scope.is_none_or(|wanted| wanted == of);
    if let Some(function) = program.function(view.func) {
        for id in visible_locals(&program, view) {
            let Some(local) = function.local(id).filter(|local| is_shown(local)) else { continue };
            hiding.insert(&local.name);
            if wanted(local_scope(local)) {
                let value = slot_value(vm, view.fp, id.0, local.boxed, &local.ty);
                found.push(local_variable(handles, local, &value, frame, limits));
            }
        }
    }
    for (index, global) in program.globals.iter().enumerate() {
        let id = GlobalId(index as u32);
        let shown = (global.file == view.at.file || program.declared_by_main.is_some())
            && !global.name.is_empty()
            && vm.is_bound(id)
            && !hiding.contains(&*global.name);
        if shown && wanted(Scope::Global) {
            let value = vm.global_value(id);
            found.push(global_variable(handles, global, &value, frame, limits));
        }
    }
    found
}

fn local_scope(local: &Local) -> Scope {
    if local.kind == LocalKind::Parameter { Scope::Parameter } else { Scope::Local }
}

/// A local of the frame with this index in the form of the API.
pub(crate) fn local_variable(
    handles: &mut Handles,
    local: &Local,
    value: &Value,
    frame: usize,
    limits: Limits,
) -> Variable {
    let declared = Declared {
        name: &local.name,
        ty: &local.ty,
        scope: local_scope(local),
        constant: !local.is_settable(),
    };
    declared.variable(handles, value, frame, limits)
}

/// A global in the form of the API; `frame` is the index of the frame for which it is described.
pub(crate) fn global_variable(
    handles: &mut Handles,
    global: &Global,
    value: &Value,
    frame: usize,
    limits: Limits,
) -> Variable {
    let declared =
        Declared { name: &global.name, ty: &global.ty, scope: Scope::Global, constant: global.constant };
    declared.variable(handles, value, frame, limits)
}

/// What the declaration of a variable says.
struct Declared<'a> {
    name: &'a str,
    ty: &'a Type,
    scope: Scope,
    constant: bool,
}

impl Declared<'_> {
    fn variable(self, handles: &mut Handles, value: &Value, frame: usize, limits: Limits) -> Variable {
        let name = CompactString::from(self.name);
        let evaluate_name = Some(name.clone());
        let origin = Origin { frame, name: evaluate_name.clone() };
        let held = handles.describe(value, self.ty, limits, origin);
        Variable {
            name,
            scope: self.scope,
            mutable: !self.constant,
            held,
            evaluate_name,
            changed: false,
            new: false,
        }
    }
}

/// The value of a variable, given its slot; `boxed`: the slot has a reference to it.
pub(crate) fn slot_value(vm: &mut Vm, fp: Fp, slot: u32, boxed: bool, ty: &Type) -> Value {
    if boxed {
        return vm.frames.get_ref(fp, Slot::new(slot)).map_or(Value::Nil, |r| Value::Ref(r).follow());
    }
    vm.slot_value(fp, Slot::new(slot), ty).follow()
}

/// Whether a local is visible to clients.
pub(crate) fn is_shown(local: &Local) -> bool {
    &*local.name != "_" && local.kind != LocalKind::Hidden
}

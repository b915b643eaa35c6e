//! The variables of a frame.

use crate::api::{Limits, Scope, Variable};
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::Vm;
use crate::program::{Global, GlobalId, Local, LocalKind};
use crate::source::FileId;
use crate::value::{Type, Value};

use super::frames::{FrameView, visible_locals};
use super::handles::Handles;

/// The variables of a frame: its parameters and locals, then the globals of its file whose declarations
/// have run and whose names mean nothing else in the frame.
pub(crate) fn variables(
    vm: &mut Vm,
    handles: &mut Handles,
    view: &FrameView,
    limits: Limits,
) -> Vec<Variable> {
    let program = vm.program.clone();
    let mut found: Vec<Variable> = Vec::new();
    if let Some(function) = program.function(view.func) {
        for id in visible_locals(&program, view) {
            if let Some(local) = function.local(id).filter(|local| is_shown(local)) {
                let value = slot_value(vm, view.fp, id.0, local.boxed, &local.ty);
                found.push(local_variable(handles, local, &value, limits));
            }
        }
    }
    let locals = found.len();
    for (index, global) in program.globals.iter().enumerate() {
        let id = GlobalId(index as u32);
        let hidden = || found.iter().take(locals).any(|local| *local.name == *global.name);
        if global.file == view.at.file && vm.is_bound(id) && !hidden() {
            let value = vm.global_value(id);
            found.push(global_variable(handles, global, &value, limits));
        }
    }
    found
}

/// A local as data.
pub(crate) fn local_variable(
    handles: &mut Handles,
    local: &Local,
    value: &Value,
    limits: Limits,
) -> Variable {
    Variable {
        name: (&*local.name).into(),
        scope: if local.kind == LocalKind::Parameter { Scope::Parameter } else { Scope::Local },
        mutable: !local.constant,
        held: handles.describe(value, &local.ty, limits),
    }
}

/// A global as data.
pub(crate) fn global_variable(
    handles: &mut Handles,
    global: &Global,
    value: &Value,
    limits: Limits,
) -> Variable {
    Variable {
        name: (&*global.name).into(),
        scope: Scope::Global,
        mutable: !global.constant,
        held: handles.describe(value, &global.ty, limits),
    }
}

/// The value in a slot, or the value that what is there refers to.
pub(crate) fn slot_value(vm: &mut Vm, fp: Fp, slot: u32, boxed: bool, ty: &Type) -> Value {
    if boxed {
        return vm.frames.get_ref(fp, Slot::new(slot)).map_or(Value::Nil, |r| Value::Ref(r).follow());
    }
    vm.slot_value(fp, Slot::new(slot), ty).follow()
}

/// Whether clients are told of a local at all.
pub(crate) fn is_shown(local: &Local) -> bool {
    &*local.name != "_" && local.kind != LocalKind::Hidden
}

/// Whether a global's name means a global of `file`, the one that code there sees.
pub(crate) fn is_global_of(globals: &[Global], file: FileId, name: &str) -> bool {
    globals.iter().any(|global| global.file == file && *global.name == *name)
}

//! The values of variables between cells.

use std::rc::Rc;

use crate::check::DeclaredGlobal;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::{Global, GlobalId};
use ez_runtime::source::Span;
use ez_runtime::value::{Ref, Type, Value, deep_copy};

use super::{Cells, CheckedCell};

/// The value of a variable between cells.
pub(super) enum Kept {
    Value(Value),
    /// The box of a variable to which references may exist.
    Box(Ref),
}

impl Cells {
    /// Puts the values of variables into the program of a cell that is about to run, or to be inspected. They have to be
    /// taken out by [`Cells::leave`] or [`Cells::leave_idle`].
    pub fn enter(&mut self, cell: &CheckedCell, vm: &mut Vm) {
        let own = cell.program.declared_by_main.unwrap_or(0);
        for (index, id) in cell.inherited.iter().zip(own..) {
            let Some(kept) = self.values.get_mut(*index) else { continue };
            match std::mem::replace(kept, Kept::Value(Value::Nil)) {
                Kept::Value(value) => vm.preset_global_value(GlobalId(id), value),
                Kept::Box(variable) => vm.preset_global(GlobalId(id), variable),
            }
        }
    }

    /// Takes the values of the variables of earlier cells out of a program.
    fn take_back(&mut self, cell: &CheckedCell, vm: &mut Vm) {
        let own = cell.program.declared_by_main.unwrap_or(0);
        for (index, id) in cell.inherited.iter().zip(own..) {
            let Some(kept) = taken(vm, GlobalId(id)) else { continue };
            if let Some(global) = self.declared.globals.get_mut(*index) {
                global.boxed = matches!(kept, Kept::Box(_));
            }
            if let Some(value) = self.values.get_mut(*index) {
                *value = kept;
            }
        }
    }

    /// Takes the values of variables out of a program that was only inspected.
    pub fn leave_idle(&mut self, cell: &CheckedCell, vm: &mut Vm) {
        self.take_back(cell, vm);
        self.add_kept();
    }

    /// Adds a variable with a copy of a value, for the cells to come; one that has the name already is replaced.
    ///
    /// # Errors
    /// If the name cannot be that of a variable, or the value cannot be copied.
    pub fn keep(&mut self, name: &str, ty: Type, value: &Value) -> Result<(), String> {
        if !self.is_free(name) {
            return Err(format!("a variable cannot have the name '{name}'"));
        }
        let value = deep_copy(value)
            .map_err(|_| "the value cannot be copied: it is nested too deeply".to_string())?;
        let name: Rc<str> = name.into();
        let global = DeclaredGlobal { name, ty, constant: false, boxed: false, span: self.idle_span() };
        self.added.push((global, Kept::Value(value)));
        Ok(())
    }

    fn add_kept(&mut self) {
        for (global, kept) in std::mem::take(&mut self.added) {
            self.forget(&global.name);
            self.declared.globals.push(global);
            self.values.push(kept);
        }
    }

    fn idle_span(&self) -> Span {
        Span::new(self.idle.id, 0, 0)
    }

    /// Takes the values of variables out of the program of a cell, which has ended in whatever way, and keeps what the cell
    /// has declared. A variable whose declaration has not run is not declared; an earlier one of its name remains.
    /// Returns the value of the last statement, if it was wanted and has run.
    pub fn leave(&mut self, cell: CheckedCell, vm: &mut Vm) -> Option<Value> {
        self.take_back(&cell, vm);
        let own = cell.program.declared_by_main.unwrap_or(0);
        let mut is_whole = true;
        for (id, global) in (0..own).zip(&cell.program.globals) {
            let Some(kept) = taken(vm, GlobalId(id)) else {
                is_whole = false;
                continue;
            };
            self.forget(&global.name);
            let Global { name, ty, constant, span, .. } = global.clone();
            let boxed = matches!(kept, Kept::Box(_));
            self.declared.globals.push(DeclaredGlobal { name, ty, constant, boxed, span });
            self.values.push(kept);
        }
        self.add_kept();
        let result = cell.result.filter(|id| vm.is_bound(*id));
        let before =
            (!is_whole).then(|| (self.header.clone(), self.units.clone(), self.declared.types.clone()));
        self.keep_names(cell);
        // Functions may use a variable that was not declared, or is still the earlier one, of another type.
        if let Some(before) = before
            && self.idle().is_err()
        {
            (self.header, self.units, self.declared.types) = before;
        }
        let result = result?;
        Some(vm.global_value(result).follow())
    }

    fn forget(&mut self, name: &str) {
        if let Some(old) = self.declared.globals.iter().position(|global| &*global.name == name) {
            self.declared.globals.remove(old);
            self.values.remove(old);
        }
    }
}

/// The value of a global, or its box; `None` if it is not declared.
fn taken(vm: &mut Vm, id: GlobalId) -> Option<Kept> {
    if !vm.is_bound(id) {
        return None;
    }
    if vm.program.globals.get(id.0 as usize)?.boxed {
        vm.global_box(id).map(Kept::Box)
    } else {
        Some(Kept::Value(vm.global_value(id)))
    }
}

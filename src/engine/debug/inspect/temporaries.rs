//! Variables of the debugger: temporary ones that a client declares at a stop, and names for values that have
//! none in the program. They use globals that are reserved for this.

use std::rc::Rc;

use crate::api::Failure;
use crate::debug::program::wrong;
use ez_language::check::ExtraVariable;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::{Global, GlobalId};
use ez_runtime::source::FileId;
use ez_runtime::value::{Heap, ObjectCell, Reference, Type, Value, Variable, pause_numbers};

/// Maximum number at one stop.
pub const MAX: u32 = 64;

/// The file of the reserved globals, so that no code of the program sees them.
pub const NO_FILE: FileId = FileId(u32::MAX);

/// Whether a global is one of the reserved.
pub fn is_temporary(global: &Global) -> bool {
    global.file == NO_FILE
}

/// The debugger's variables at the present stop.
#[derive(Default)]
pub struct Temporaries {
    extras: Vec<ExtraVariable>,
}

impl Temporaries {
    /// All of them, for checking an expression.
    pub fn all(&self) -> &[ExtraVariable] {
        &self.extras
    }

    /// Adds a variable; `first` is the first of the reserved globals.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(
        &mut self,
        vm: &mut Vm,
        first: u32,
        name: Rc<str>,
        ty: Type,
        constant: bool,
        value: Value,
    ) -> Result<(), Failure> {
        let _numbering = pause_numbers();
        let position = self.extras.len() as u32;
        if position >= MAX {
            return Err(wrong(format!("there are {MAX} temporary variables already")));
        }
        let global = GlobalId(first + position);
        let constant_name = constant.then(|| name.clone());
        let variable = Variable { ty: Rc::new(ty.clone()), value, constant: constant_name };
        let variable = Heap::Reference(Reference::Variable(ObjectCell::new(variable)));
        vm.preset_global(global, Rc::new(variable));
        self.extras.push(ExtraVariable { name, ty, constant, global });
        Ok(())
    }

    /// Removes the variable added last.
    pub fn pop(&mut self, vm: &mut Vm) {
        if let Some(extra) = self.extras.pop() {
            vm.release_global(extra.global);
        }
    }

    /// Removes all: the program resumes.
    pub fn clear(&mut self, vm: &mut Vm) {
        while !self.extras.is_empty() {
            self.pop(vm);
        }
    }
}

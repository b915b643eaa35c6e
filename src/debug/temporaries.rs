//! Variables of the debugger's: temporaries that a client declares at a stop, and values that have no
//! name in the program. They are kept in globals that the program does not use.

use std::rc::Rc;

use crate::api::Failure;
use crate::check::ExtraVariable;
use crate::interp::vm::Vm;
use crate::program::{Global, GlobalId};
use crate::source::FileId;
use crate::value::{Heap, ObjectCell, Place, Type, Value, Variable};

use super::program::wrong;

/// How many there can be at one stop.
pub(super) const MOST: u32 = 64;

/// The file of the globals in which they are kept: none.
pub(super) const NO_FILE: FileId = FileId(u32::MAX);

/// Whether a global is kept for a variable of the debugger's.
pub(super) fn is_temporary(global: &Global) -> bool {
    global.file == NO_FILE
}

/// The variables of the present stop.
#[derive(Default)]
pub(super) struct Temporaries {
    extras: Vec<ExtraVariable>,
}

impl Temporaries {
    /// All of them, for the check of an expression.
    pub fn all(&self) -> &[ExtraVariable] {
        &self.extras
    }

    /// Adds a variable. `first` is the first global that the program does not use.
    ///
    /// # Errors
    /// When there are too many.
    pub fn add(
        &mut self,
        vm: &mut Vm,
        first: u32,
        name: Rc<str>,
        ty: Type,
        constant: bool,
        value: Value,
    ) -> Result<(), Failure> {
        let position = self.extras.len() as u32;
        if position >= MOST {
            return Err(wrong(format!("there are {MOST} temporary variables already")));
        }
        let global = GlobalId(first + position);
        let constant_name = constant.then(|| name.clone());
        let variable = Variable { ty: Rc::new(ty.clone()), value, constant: constant_name };
        let place = Heap::Place(Place::Variable(ObjectCell::new(variable)));
        vm.preset_global(global, Rc::new(place));
        self.extras.push(ExtraVariable { name, ty, constant, global });
        Ok(())
    }

    /// Takes the last one away again.
    pub fn pop(&mut self, vm: &mut Vm) {
        if let Some(extra) = self.extras.pop() {
            vm.release_global(extra.global);
        }
    }

    /// The program goes on: all are gone.
    pub fn clear(&mut self, vm: &mut Vm) {
        while !self.extras.is_empty() {
            self.pop(vm);
        }
    }
}

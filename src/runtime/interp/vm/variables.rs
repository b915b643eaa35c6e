//! Reading and writing variables in slots, and globals.

use std::rc::Rc;

use num_bigint::BigInt;

use super::{Pending, Stop, Vm, Wide};
use crate::interp::boxing;
use crate::interp::closures::Word;
use crate::interp::slots::{Fp, Slot};
use crate::interp::targets::new_variable;
use crate::program::GlobalId;
use crate::value::{Ref, Repr, Type, Value};

/// The content of a scalar slot whose value is in [`Vm::wide`].
pub const SEE_WIDE: i64 = i64::MIN;

/// The content of a bool slot that represents nil.
pub const NIL_BOOL: u64 = 2;

impl Vm {
    /// The integer in a slot.
    #[inline(always)]
    pub fn int(&mut self, fp: Fp, slot: Slot) -> Result<i64, Wide> {
        let value = self.frames.get(fp, slot) as i64;
        if value == SEE_WIDE {
            return self.int_wide(fp, slot).take(self);
        }
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn int_wide(&mut self, fp: Fp, slot: Slot) -> Word<i64> {
        Word::of(self, |vm| {
            match vm.wide.get(&fp.key(slot)) {
                Some(Some(big)) => match i64::try_from(big) {
                    Ok(small) => return Ok(small),
                    Err(_) => vm.pending = Pending::Big(big.clone()),
                },
                _ => vm.pending = Pending::Nil,
            }
            Err(Wide)
        })
    }

    /// Stores an integer into a slot.
    #[inline(always)]
    pub fn set_int(&mut self, fp: Fp, slot: Slot, value: i64) {
        self.frames.set(fp, slot, value as u64);
        if value == SEE_WIDE {
            self.set_lowest(fp, slot);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_lowest(&mut self, fp: Fp, slot: Slot) {
        self.wide.insert(fp.key(slot), Some(BigInt::from(i64::MIN)));
    }

    /// Stores the pending value (a big integer or nil) into an integer slot; an error stays pending.
    #[cold]
    #[inline(never)]
    pub fn set_pending(&mut self, fp: Fp, slot: Slot) -> Result<(), Stop> {
        let value = self.take_value()?;
        self.frames.set(fp, slot, SEE_WIDE as u64);
        self.wide.insert(fp.key(slot), value.as_bigint());
        Ok(())
    }

    /// The bool in a slot.
    #[inline(always)]
    pub fn bool(&mut self, fp: Fp, slot: Slot) -> Result<bool, Wide> {
        match self.frames.get(fp, slot) {
            NIL_BOOL => {
                self.pending = Pending::Nil;
                Err(Wide)
            }
            other => Ok(other != 0),
        }
    }

    /// The value of an integer register of static type `ty`, which may be pending.
    ///
    /// # Errors
    /// If what is pending is an error.
    pub fn int_value(&mut self, ty: &Type, register: Result<i64, Wide>) -> Result<Value, Stop> {
        match register {
            Ok(raw) => Ok(boxing::int_value(ty, raw)),
            Err(Wide) => Ok(boxing::wide_value(ty, self.take_value()?)),
        }
    }

    /// The value of a variable of static type `ty` in a slot.
    pub fn slot_value(&mut self, fp: Fp, slot: Slot, ty: &Type) -> Value {
        match ty.repr() {
            Repr::Int => {
                let register = self.int(fp, slot);
                self.int_value(ty, register).unwrap_or_default()
            }
            Repr::Float => boxing::float_value(ty, f64::from_bits(self.frames.get(fp, slot))),
            Repr::Bool => match self.frames.get(fp, slot) {
                NIL_BOOL => Value::Nil,
                raw => boxing::bool_value(ty, raw != 0),
            },
            Repr::Ref => boxing::ref_value(self.frames.get_ref(fp, slot)),
        }
    }

    /// Stores a value into the slot of a variable of static type `ty`, which it has to fit.
    pub fn set_slot_value(&mut self, fp: Fp, slot: Slot, ty: &Type, value: Value) {
        match ty.repr() {
            Repr::Int => match boxing::value_int(&value) {
                Some(raw) => self.set_int(fp, slot, raw),
                None => {
                    self.frames.set(fp, slot, SEE_WIDE as u64);
                    self.wide.insert(fp.key(slot), value.plain().as_bigint());
                }
            },
            Repr::Float => self.frames.set(fp, slot, boxing::value_float(&value).to_bits()),
            Repr::Bool => {
                self.frames.set(fp, slot, boxing::value_bool(&value).map_or(NIL_BOOL, u64::from));
            }
            Repr::Ref => drop(self.frames.replace_ref(fp, slot, boxing::value_ref(value))),
        }
    }

    /// The value of a global.
    pub fn global_value(&mut self, id: GlobalId) -> Value {
        let program = self.program.clone();
        match program.globals.get(id.0 as usize) {
            Some(global) if global.boxed => {
                boxing::ref_value(self.frames.get_ref(self.globals, Slot::new(id.0))).follow()
            }
            Some(global) => self.slot_value(self.globals, Slot::new(id.0), &global.ty),
            None => Value::Nil,
        }
    }

    /// Records that a global's declaration has run.
    pub fn bind(&mut self, global: GlobalId) {
        if let Some(bound) = self.bound.get_mut(global.0 as usize) {
            *bound = true;
        }
    }

    /// Records that a global has no value any more.
    pub fn unbind(&mut self, global: GlobalId) {
        if let Some(bound) = self.bound.get_mut(global.0 as usize) {
            *bound = false;
        }
    }

    /// Whether a global's declaration has run.
    pub fn is_bound(&self, id: GlobalId) -> bool {
        self.bound.get(id.0 as usize).copied().unwrap_or(true)
    }

    /// What an expression of the debugger says of a global whose declaration has not run.
    pub fn not_declared(&self, id: GlobalId) -> String {
        let name = self.program.globals.get(id.0 as usize).map_or("it", |global| &*global.name);
        format!("{name} is not declared yet")
    }

    /// The box of a boxed global; `None` before its declaration has run.
    pub fn global_box(&self, id: GlobalId) -> Option<Ref> {
        self.is_bound(id).then(|| self.frames.get_ref(self.globals, Slot::new(id.0))).flatten()
    }

    /// Gives a boxed global the box that it had in another program; its declaration counts as run.
    pub fn preset_global(&mut self, id: GlobalId, variable: Ref) {
        drop(self.frames.replace_ref(self.globals, Slot::new(id.0), Some(variable)));
        self.bind(id);
    }

    /// Gives a global the value that it had in another program; its declaration counts as run.
    pub fn preset_global_value(&mut self, id: GlobalId, value: Value) {
        let program = self.program.clone();
        let Some(global) = program.globals.get(id.0 as usize) else { return };
        if global.boxed {
            let constant = global.constant.then(|| global.name.clone());
            self.preset_global(id, new_variable(Rc::new(global.ty.clone()), value, constant));
        } else {
            self.set_slot_value(self.globals, Slot::new(id.0), &global.ty, value);
            self.bind(id);
        }
    }

    /// Drops a global's value, as if its declaration had not run.
    pub fn release_global(&mut self, id: GlobalId) {
        drop(self.frames.replace_ref(self.globals, Slot::new(id.0), None));
        self.unbind(id);
    }
}

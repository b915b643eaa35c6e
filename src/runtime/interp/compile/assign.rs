//! Assignments. Each frequent form has a fast path; the general one is used for all others.

use crate::program::{Expr, GlobalId, Target, TargetKind};
use crate::source::Span;
use crate::value::{Heap, Repr, Type, replace_object};

use crate::interp::boxing::ref_value;
use crate::interp::closures::{BoolFn, FloatFn, IntFn, RefFn, StmtFn, Word};
use crate::interp::operand::{BoolOperand, IntOperand};
use crate::interp::slots::Slot;
use crate::interp::vm::{Stop, is_nil_float};

use super::scalar_targets::{Boxed, Element, Field, GlobalSlot, ScalarTarget};
use super::stmts::statement;
use super::stores::Store;
use super::{Compiler, is_pure};

impl Compiler<'_> {
    pub fn assign(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        match &target.kind {
            TargetKind::Local(local) if !self.is_boxed(*local) && !self.fragment => {
                self.set_slot(Slot::new(local.0), &target.ty, value)
            }
            TargetKind::Index { base, index, constant: None } if self.may_repeat(&[base, index]) => {
                if self.is_element(base, index) {
                    self.assign_element(target, (base, index), value, at)
                } else if matches!(base.ty, Type::Map(..)) {
                    self.assign_entry(target, base, index, value, at)
                } else {
                    self.assign_general(target, value, at)
                }
            }
            _ => self.assign_variable_or_field(target, value, at),
        }
    }

    fn assign_general(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        let ty = target.ty.clone();
        let value = self.value(value);
        let lvalue = self.lvalue(target, at);
        statement(move |vm, fp| {
            let value = value.run(vm, fp)?;
            let lvalue = lvalue.run(vm, fp)?;
            Ok(lvalue.write(vm, &ty, value, at)?)
        })
    }

    /// Whether the parts of a target may be evaluated a second time, by the slow path of a store.
    pub(super) fn may_repeat(&self, parts: &[&Expr]) -> bool {
        !self.is_observing() && parts.iter().all(|e| is_pure(e))
    }

    /// Whether `base[index]` is an element of an array at an index in a register.
    pub(super) fn is_element(&self, base: &Expr, index: &Expr) -> bool {
        matches!(base.ty, Type::Array(..)) && index.ty.repr() == Repr::Int
    }

    /// A global that is in a slot.
    pub(super) fn global_slot(&self, target: &Target) -> Option<GlobalSlot> {
        let TargetKind::Global(id) = target.kind else { return None };
        (self.may_change(id) && !self.global_boxed(id)).then(|| GlobalSlot(Slot::new(id.0)))
    }

    /// A boxed local or global.
    pub(super) fn boxed_variable(&self, target: &Target) -> Option<Boxed> {
        let (number, is_global) = if let TargetKind::Local(id) = target.kind
            && self.is_boxed(id)
            && !self.fragment
        {
            (id.0, false)
        } else if let TargetKind::Global(id) = target.kind
            && self.may_change(id)
            && self.global_boxed(id)
        {
            (id.0, true)
        } else {
            return None;
        };
        Some(Boxed { slot: Slot::new(number), ty: target.ty.clone(), is_global })
    }

    fn may_change(&self, global: GlobalId) -> bool {
        let info = self.program.globals.get(global.0 as usize);
        !self.fragment && info.is_some_and(|global| !global.constant)
    }

    /// `array[index] = value` where the fast path needs no conversion; array and index have no side effects.
    fn assign_element(
        &mut self,
        target: &Target,
        (base, index): (&Expr, &Expr),
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let (store, index_type) = (Store::new(target, value, at), index.ty.clone());
        match (target.ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) => {
                if let (Some(base), Some(index)) = (self.local_object(base), self.local_int(index)) {
                    let scalar = Element { base, index, index_type };
                    return element_operand!(self, value, value => set_int(store, value, scalar));
                }
                let value = self.int(value);
                element_operands!(self, (base, index), (base, index) => {
                    set_int(store, value, Element { base, index, index_type })
                })
            }
            (Repr::Float, Repr::Float) => {
                let value = self.float(value);
                element_operands!(self, (base, index), (base, index) => {
                    set_float(store, value, Element { base, index, index_type })
                })
            }
            (Repr::Bool, Repr::Bool) => {
                bool_operand!(self, value, value => element_operands!(self, (base, index), (base, index) => {
                    set_bool(store, value, Element { base, index, index_type })
                }))
            }
            (Repr::Ref, Repr::Ref) if matches!(target.ty, Type::Struct(_) | Type::Str) => {
                let value = self.reference(value);
                element_operands!(self, (base, index), (base, index) => {
                    set_object(store, value, Element { base, index, index_type })
                })
            }
            _ => self.assign_general(target, value, at),
        }
    }

    fn assign_variable_or_field(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        let store = Store::new(target, value, at);
        match (target.ty.repr(), value.ty.repr()) {
            // Outside of slots these are objects.
            _ if matches!(target.ty, Type::Enum(_)) && self.global_slot(target).is_none() => {
                return self.assign_object(target, value, at);
            }
            (Repr::Int, Repr::Int) => variable_or_field!(self, target, scalar => {
                return set_int(store, self.computed(value), scalar);
            }),
            (Repr::Float, Repr::Float) => variable_or_field!(self, target, scalar => {
                return set_float(store, self.float(value), scalar);
            }),
            (Repr::Bool, Repr::Bool) => variable_or_field!(self, target, scalar => {
                return set_bool(store, self.boolean(value), scalar);
            }),
            (Repr::Ref, Repr::Ref) => {
                if let Some(scalar) = self.global_slot(target).filter(|_| !target.ty.is_any()) {
                    return set_global(store, self.reference(value), scalar);
                }
                return self.assign_object(target, value, at);
            }
            _ => {}
        }
        self.assign_general(target, value, at)
    }

    /// `scalar = value` for a string, a struct, or a value of an enum, in a field or a boxed variable.
    fn assign_object(&mut self, target: &Target, value: &Expr, at: Span) -> StmtFn {
        let store = Store::new(target, value, at);
        if let TargetKind::Field { base, field } = &target.kind
            && self.may_repeat(&[base])
        {
            let (value, field) = (self.reference(value), *field);
            return object_operand!(self, base, base => set_object(store, value, Field { base, field }));
        }
        if let Some(scalar) = self.boxed_variable(target) {
            return set_object(store, self.reference(value), scalar);
        }
        self.assign_general(target, value, at)
    }
}

/// `scalar = value` for an integer.
fn set_int(store: Store, value: impl IntOperand, scalar: impl ScalarTarget) -> StmtFn {
    statement(move |vm, fp| {
        let v = value.get(vm, fp);
        if let Ok(v) = v
            && let Some(_) = scalar.update(vm, fp, |_: i64| Some(v))?
        {
            return Ok(());
        }
        let v = Word::new(vm, v);
        store.write_register::<IntFn>(&scalar, vm, fp, v)
    })
}

/// `scalar = value` for a float.
fn set_float(store: Store, value: FloatFn, scalar: impl ScalarTarget) -> StmtFn {
    statement(move |vm, fp| {
        let v = value.get(vm, fp)?;
        if !is_nil_float(v)
            && let Some(_) = scalar.update(vm, fp, |_: f64| Some(v))?
        {
            return Ok(());
        }
        let v = Word::new(vm, Ok::<f64, Stop>(v));
        store.write_register::<FloatFn>(&scalar, vm, fp, v)
    })
}

/// `scalar = value` for a bool.
fn set_bool(store: Store, value: impl BoolOperand, scalar: impl ScalarTarget) -> StmtFn {
    statement(move |vm, fp| {
        let v = value.get(vm, fp);
        if let Ok(v) = v
            && let Some(_) = scalar.update(vm, fp, |_: bool| Some(v))?
        {
            return Ok(());
        }
        let v = Word::new(vm, v);
        store.write_register::<BoolFn>(&scalar, vm, fp, v)
    })
}

/// `global = value` for an object.
fn set_global(store: Store, value: RefFn, scalar: GlobalSlot) -> StmtFn {
    statement(move |vm, fp| {
        let v = value.get(vm, fp)?;
        // If there is a reference, the value is stored where that leads.
        if let Some(Heap::Reference(_)) = vm.frames.object(vm.globals, scalar.0) {
            return store.write(&scalar, vm, fp, ref_value(v));
        }
        drop(vm.frames.replace_ref(vm.globals, scalar.0, v));
        Ok(())
    })
}

/// `scalar = value` for a string, a struct, or a value of an enum.
fn set_object(store: Store, value: RefFn, scalar: impl ScalarTarget) -> StmtFn {
    statement(move |vm, fp| {
        let mut v = value.get(vm, fp)?;
        match scalar.change_value(vm, fp, |place, ty| replace_object(place, &mut v, ty))? {
            Some(old) => drop(old),
            None => store.write(&scalar, vm, fp, ref_value(v))?,
        }
        Ok(())
    })
}

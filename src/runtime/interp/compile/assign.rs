//! Assignments. Each frequent form has a fast path; the general one is used for all others.

use crate::program::{Expr, GlobalId, Target, TargetKind};
use crate::source::Span;
use crate::value::{Heap, Ref, Repr, Type};

use crate::interp::boxing::ref_value;
use crate::interp::closures::{IntFn, StmtFn, Word};
use crate::interp::operand::AnyRef;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Exit, Vm};

use super::natives::{RegisterOperand, Unboxing};
use super::registers::Register;
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
        let (repr, other) = (target.ty.repr(), value.ty.repr());
        if repr == Repr::Int
            && other == Repr::Int
            && let (Some(base), Some(index)) = (self.local_object(base), self.local_int(index))
        {
            let scalar = Element { base, index, index_type };
            return element_operand!(self, value, value => set_scalar::<IntFn>(store, value, scalar));
        }
        match (repr, other) {
            (repr, other) if repr == other && repr != Repr::Ref => with_register!(target.ty, C => {
                let value = C::compile(self, value);
                element_operands!(self, (base, index), (base, index) => {
                    set_scalar::<C>(store, value, Element { base, index, index_type })
                })
            }),
            (Repr::Ref, Repr::Ref) if matches!(target.ty, Type::Struct(_) | Type::Str) => {
                let value = self.any_ref(value);
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
            (Repr::Ref, Repr::Ref) => {
                if let Some(scalar) = self.global_slot(target).filter(|_| !target.ty.is_any()) {
                    return set_global(store, self.any_ref(value), scalar);
                }
                return self.assign_object(target, value, at);
            }
            (repr, other) if repr == other => with_register!(target.ty, C => {
                variable_or_field!(self, target, scalar => {
                    let value = C::compile(self, value);
                    return set_scalar::<C>(store, value, scalar);
                });
            }),
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
            let (value, field) = (self.any_ref(value), *field);
            return object_operand!(self, base, base => set_object(store, value, Field { base, field }));
        }
        if let Some(scalar) = self.boxed_variable(target) {
            return set_object(store, self.any_ref(value), scalar);
        }
        self.assign_general(target, value, at)
    }
}

/// `scalar = value`. Closures that try what takes no call save no registers: they call nothing but, at their end, a function
/// for all cases.
struct Assignment<T, V> {
    scalar: T,
    value: V,
    store: Store,
}

/// `scalar = value` for a register.
pub(super) fn set_scalar<C: Unboxing>(
    store: Store,
    value: impl RegisterOperand<C>,
    scalar: impl ScalarTarget,
) -> StmtFn
where
    C::Value: Register,
{
    let assignment = Assignment { scalar, value, store };
    if !assignment.scalar.is_quick() || assignment.value.is_computed() {
        return statement(move |vm, fp| assignment.set::<C>(vm, fp));
    }
    statement(move |vm, fp| {
        if let Some(v) = assignment.value.at_hand(vm, fp)
            && !v.is_nil()
            && let Some(()) = assignment.scalar.set::<true, _>(vm, fp, v)?
        {
            return Ok(());
        }
        assignment.set_apart::<C>(vm, fp)
    })
}

impl<T: ScalarTarget, V> Assignment<T, V> {
    #[inline(never)]
    fn set_apart<C: Unboxing>(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit>
    where
        V: RegisterOperand<C>,
        C::Value: Register,
    {
        self.set::<C>(vm, fp)
    }

    #[inline(always)]
    fn set<C: Unboxing>(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit>
    where
        V: RegisterOperand<C>,
        C::Value: Register,
    {
        let v = self.value.register(vm, fp);
        if let Ok(v) = v
            && !v.is_nil()
            && let Some(()) = self.scalar.set::<false, _>(vm, fp, v)?
        {
            return Ok(());
        }
        let v = Word::new(vm, v);
        self.store.write_register::<C>(&self.scalar, vm, fp, v)
    }
}

/// `global = value` for an object.
fn set_global(store: Store, value: AnyRef, scalar: GlobalSlot) -> StmtFn {
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
pub(super) fn set_object(store: Store, value: AnyRef, scalar: impl ScalarTarget) -> StmtFn {
    let assignment = Assignment { scalar, value, store };
    if !assignment.scalar.is_quick() || matches!(assignment.value, AnyRef::Computed(_)) {
        return statement(move |vm, fp| {
            let object = assignment.value.get(vm, fp)?;
            assignment.set_object(vm, fp, object)
        });
    }
    statement(move |vm, fp| {
        let mut object = assignment.value.at_hand(&vm.frames, fp);
        match assignment.scalar.exchange::<true>(vm, fp, &mut object)? {
            Some(()) => Ok(()),
            None => assignment.set_object(vm, fp, object),
        }
    })
}

impl<T: ScalarTarget> Assignment<T, AnyRef> {
    #[inline(never)]
    fn set_object(&self, vm: &mut Vm, fp: Fp, object: Option<Ref>) -> Result<(), Exit> {
        let mut object = object;
        match self.scalar.exchange::<false>(vm, fp, &mut object)? {
            Some(()) => Ok(()),
            None => self.store.write(&self.scalar, vm, fp, ref_value(object)),
        }
    }
}

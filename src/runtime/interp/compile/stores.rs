//! What the quick closures of assignments leave to others: conversions, big integers, nil, what is watched, and errors.

use crate::interp::closures::Word;
use crate::interp::lvalues::{op_lvalue, step_lvalue};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};
use crate::program::{ArithOp, Expr, Target};
use crate::source::Span;
use crate::value::{Type, Value};

use super::natives::Unboxing;
use super::scalar_targets::ScalarTarget;

/// A store to a scalar, which is located once more.
pub(super) struct Store {
    /// The type of the scalar.
    pub ty: Type,
    /// The type of the value.
    pub value_type: Type,
    pub at: Span,
}

impl Store {
    /// The store of a value to a target.
    pub fn new(target: &Target, value: &Expr, at: Span) -> Store {
        Store { ty: target.ty.clone(), value_type: value.ty.clone(), at }
    }

    /// Stores a register, or what is pending.
    #[cold]
    #[inline(never)]
    pub fn write_register<C: Unboxing>(
        &self,
        scalar: &impl ScalarTarget,
        vm: &mut Vm,
        fp: Fp,
        register: Word<C::Value>,
    ) -> Result<(), Exit> {
        let register = register.take(vm);
        let value = C::value(vm, &self.value_type, register)?;
        self.write(scalar, vm, fp, value)
    }

    /// Stores a value.
    #[cold]
    #[inline(never)]
    pub fn write(&self, scalar: &impl ScalarTarget, vm: &mut Vm, fp: Fp, value: Value) -> Result<(), Exit> {
        Ok(scalar.lvalue(vm, fp, self.at)?.write(vm, &self.ty, value, self.at)?)
    }

    /// `scalar op= y` with a register, or what is pending.
    #[cold]
    #[inline(never)]
    pub fn change_register<C: Unboxing>(
        &self,
        scalar: &impl ScalarTarget,
        vm: &mut Vm,
        fp: Fp,
        op: ArithOp,
        register: Word<C::Value>,
    ) -> Result<(), Exit> {
        let register = register.take(vm);
        let y = C::value(vm, &self.value_type, register)?;
        self.change(scalar, vm, fp, op, &y)
    }

    /// `scalar op= y`.
    #[cold]
    #[inline(never)]
    pub fn change(
        &self,
        scalar: &impl ScalarTarget,
        vm: &mut Vm,
        fp: Fp,
        op: ArithOp,
        y: &Value,
    ) -> Result<(), Exit> {
        let lvalue = scalar.lvalue(vm, fp, self.at)?;
        op_lvalue(vm, fp, &lvalue, (&self.ty, &self.value_type), op, y, self.at)
    }

    /// `scalar++` and `scalar--`; the result is the old value.
    #[cold]
    #[inline(never)]
    pub fn step(&self, scalar: &impl ScalarTarget, vm: &mut Vm, fp: Fp, delta: i64) -> Word<i64> {
        Word::of(vm, |vm| -> Result<i64, Wide> {
            let lvalue = scalar.lvalue(vm, fp, self.at)?;
            step_lvalue(vm, &lvalue, &self.ty, delta, self.at)
        })
    }
}

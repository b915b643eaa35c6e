//! Comparisons of numbers. The operator is a value, not a type: one closure for all six.

use crate::program::CompareOp;
use crate::source::Span;
use crate::value::Value;

use super::arith::compare_values;
use super::operand::{BoolOperand, IntOperand};
use super::slots::Fp;
use super::vm::{Vm, Wide};

/// For which orders of two numbers an operator holds. Bit 0: the first is less; bit 1: equal; bit 2: greater.
#[derive(Clone, Copy)]
pub struct Holds(u8);

/// Comparison of two integers.
pub struct CompareInts<A, B> {
    left: A,
    right: B,
    holds: Holds,
    op: CompareOp,
    at: Span,
}

impl Holds {
    pub fn of(op: CompareOp) -> Holds {
        Holds(match op {
            CompareOp::Lt => 0b001,
            CompareOp::Eq => 0b010,
            CompareOp::Le => 0b011,
            CompareOp::Gt => 0b100,
            CompareOp::Ne => 0b101,
            CompareOp::Ge => 0b110,
        })
    }

    /// Whether the operator holds for two numbers, neither of which is NaN.
    #[inline(always)]
    pub fn test<T: PartialOrd>(self, x: T, y: T) -> bool {
        let order = u8::from(x >= y) + u8::from(x > y);
        self.0 >> order & 1 != 0
    }
}

impl<A: IntOperand, B: IntOperand> CompareInts<A, B> {
    pub fn new(op: CompareOp, left: A, right: B, at: Span) -> CompareInts<A, B> {
        CompareInts { left, right, holds: Holds::of(op), op, at }
    }

    #[inline(always)]
    fn compare(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let x = match self.left.get(vm, fp) {
            Ok(x) => x,
            Err(Wide) => return self.left_wide(vm, fp),
        };
        match self.right.get(vm, fp) {
            Ok(y) => Ok(self.holds.test(x, y)),
            Err(Wide) => self.right_wide(vm, x),
        }
    }

    /// For operands that are not at hand. By reference, so that the comparison is not copied where it is tested.
    #[cold]
    #[inline(never)]
    fn compare_apart(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        self.compare(vm, fp)
    }

    #[cold]
    #[inline(never)]
    fn left_wide(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let x = vm.take_value()?;
        let y = match self.right.get(vm, fp) {
            Ok(y) => Value::Int(y),
            Err(Wide) => vm.take_value()?,
        };
        Ok(compare_values(vm, self.op, &x, &y, self.at)?)
    }

    #[cold]
    #[inline(never)]
    fn right_wide(&self, vm: &mut Vm, x: i64) -> Result<bool, Wide> {
        let y = vm.take_value()?;
        Ok(compare_values(vm, self.op, &Value::Int(x), &y, self.at)?)
    }
}

impl<A: IntOperand, B: IntOperand> BoolOperand for CompareInts<A, B> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        if !(A::AT_HAND && B::AT_HAND) {
            return self.compare(vm, fp);
        }
        if let Some(x) = self.left.at_hand(&vm.frames, &vm.mutator, fp)
            && let Some(y) = self.right.at_hand(&vm.frames, &vm.mutator, fp)
        {
            return Ok(self.holds.test(x, y));
        }
        self.compare_apart(vm, fp)
    }
}

//! A sum, difference or product of two floats in locals: an operand that takes no native call.

use std::marker::PhantomData;

use crate::source::Span;

use super::arith::{Arithmetic, float_op};
use super::operand::FloatOperand;
use super::slots::{Fp, Slot};
use super::vm::{Stop, Vm};

/// An operation on two locals with float slots.
pub struct FloatPair<O> {
    left: Slot,
    right: Slot,
    at: Span,
    op: PhantomData<O>,
}

impl<O> FloatPair<O> {
    pub fn new(left: Slot, right: Slot, at: Span) -> FloatPair<O> {
        FloatPair { left, right, at, op: PhantomData }
    }
}

impl<O: Arithmetic> FloatOperand for FloatPair<O> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        let [x, y] = [self.left, self.right].map(|slot| f64::from_bits(vm.frames.get(fp, slot)));
        float_op::<O>(vm, x, y, &self.at)
    }
}

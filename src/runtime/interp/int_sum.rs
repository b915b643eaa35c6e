//! Sums, differences and products of integers in locals and constants, like `row - c + n - 1`: operands that take no
//! native call.

use crate::program::ArithOp;
use crate::source::Span;
use crate::value::{Mutator, Value};

use super::arith::{Arithmetic, Bound, Mul, int_slow};
use super::closures::Word;
use super::operand::{QuickInt, Simple};
use super::slots::{Fp, Frames, Slot};
use super::vm::{SEE_WIDE, Vm, Wide};

/// A number that is added to, or subtracted from, the sum of those before it.
pub struct SumStep {
    pub right: Simple,
    pub minus: bool,
    pub at: Span,
}

/// A constant, or `first + right - right ...`, from left to right.
///
/// It is computed in another order: integers have any size, so that the sum is the same. `A` holds the locals: those of an
/// array are added without a loop.
pub struct SimpleSum<A = Vec<Addend>> {
    /// All constants.
    constant: i64,
    addends: A,
    /// What the program says.
    steps: Box<(Simple, Vec<SumStep>)>,
}

/// A local that is added, or subtracted.
pub struct Addend {
    slot: Slot,
    /// -1 if it is subtracted, else 0.
    sign: i32,
}

impl SimpleSum {
    /// `None` if the constants are too large.
    pub fn new(first: Simple, steps: Vec<SumStep>) -> Option<SimpleSum> {
        let mut constant = 0i64;
        let mut addends = Vec::new();
        for (number, minus) in [(first, false)].into_iter().chain(steps.iter().map(|s| (s.right, s.minus))) {
            match number {
                Simple::Constant(k) if minus => constant = constant.checked_sub(k)?,
                Simple::Constant(k) => constant = constant.checked_add(k)?,
                Simple::Local(slot) => addends.push(Addend { slot, sign: -i32::from(minus) }),
            }
        }
        Some(SimpleSum { constant, addends, steps: Box::new((first, steps)) })
    }

    /// Whether it has more than two numbers.
    pub fn is_long(&self) -> bool {
        self.steps.1.len() > 1
    }

    /// This sum, if it has this many locals.
    pub fn of_locals<const N: usize>(self) -> Option<SimpleSum<[Addend; N]>> {
        let SimpleSum { constant, addends, steps } = self;
        Some(SimpleSum { constant, addends: addends.try_into().ok()?, steps })
    }
}

impl<A: AsRef<[Addend]> + 'static> QuickInt for SimpleSum<A> {
    #[inline(always)]
    fn quick(&self, frames: &Frames, _: &Mutator, fp: Fp) -> Option<i64> {
        let mut sum = self.constant;
        for addend in self.addends.as_ref() {
            let x = frames.get(fp, addend.slot) as i64;
            if x == SEE_WIDE {
                return None;
            }
            let sign = i64::from(addend.sign);
            sum = sum.checked_add((x ^ sign) - sign)?;
        }
        Some(sum)
    }

    #[cold]
    #[inline(never)]
    fn general(&self, vm: &mut Vm, fp: Fp) -> Word<i64> {
        let (first, steps) = &*self.steps;
        Word::of(vm, |vm| -> Result<i64, Wide> {
            let mut sum = first.value(vm, fp)?;
            for step in steps {
                let op = if step.minus { ArithOp::Sub } else { ArithOp::Add };
                let right = step.right.value(vm, fp)?;
                sum = match int_slow(vm, Some(fp), op, &sum, &right, Bound::Int, step.at) {
                    Ok(sum) => Value::Int(sum),
                    Err(Wide) => vm.take_value()?,
                };
            }
            match sum {
                Value::Int(sum) => Ok(sum),
                sum => Err(vm.set_pending_value(&sum)),
            }
        })
    }
}

/// The product of a local and a constant or local.
pub struct SimpleProduct {
    pub left: Slot,
    pub right: Simple,
    pub at: Span,
}

impl QuickInt for SimpleProduct {
    #[inline(always)]
    fn quick(&self, frames: &Frames, _: &Mutator, fp: Fp) -> Option<i64> {
        Mul::ints(Simple::Local(self.left).small(frames, fp)?, self.right.small(frames, fp)?)
    }

    #[cold]
    #[inline(never)]
    fn general(&self, vm: &mut Vm, fp: Fp) -> Word<i64> {
        Word::of(vm, |vm| -> Result<i64, Wide> {
            let left = Simple::Local(self.left).value(vm, fp)?;
            let right = self.right.value(vm, fp)?;
            int_slow(vm, Some(fp), ArithOp::Mul, &left, &right, Bound::Int, self.at)
        })
    }
}

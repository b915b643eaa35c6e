//! Bounds of ranges, and what is in them.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Heap, Range, Type, Value, inspect};

use super::dynamic::contains;
use super::operand::{AnyInt, BoolOperand, IntOperand};
use super::slots::Fp;
use super::vm::{Stop, Vm, Wide};

/// What a number of a range is.
#[derive(Clone, Copy)]
pub enum Bound {
    Start,
    End,
    Step,
}

/// A range of these numbers. The step must not be 0, and must lead from start to end.
pub fn range(vm: &mut Vm, [start, end, step]: [&Value; 3], at: Span) -> Result<Range, Stop> {
    let start = integer(vm, start, Bound::Start, at)?;
    let end = integer(vm, end, Bound::End, at)?;
    let step = integer(vm, step, Bound::Step, at)?;
    check_any(vm, [&start, &end, &step], at)?;
    Ok(Range::new(start, end, step))
}

/// Checks the numbers of a range.
#[inline]
pub fn check(vm: &mut Vm, start: i64, end: i64, step: i64, at: Span) -> Result<(), Stop> {
    if (step > 0 && start <= end) || (step < 0 && start >= end) {
        return Ok(());
    }
    check_any(vm, [&Value::Int(start), &Value::Int(end), &Value::Int(step)], at)
}

/// Checks the numbers of a range, which are integers of any size.
#[cold]
pub fn check_any(vm: &mut Vm, numbers: [&Value; 3], at: Span) -> Result<(), Stop> {
    let [start, end, step] = numbers.map(|number| number.as_bigint().unwrap_or_default());
    let zero = BigInt::zero();
    if step == zero {
        return vm.fail(Code::E9003, "range step cannot be zero", at);
    }
    let (leads, sign, kind) =
        if step > zero { (start <= end, "<=", "positive") } else { (start >= end, ">=", "negative") };
    if leads {
        return Ok(());
    }
    let message = format!("invalid range: start ({start}) must be {sign} end ({end}) for {kind} step");
    let help = (step == BigInt::from(1))
        .then(|| format!("to count down use a negative step: range({start}, {end}, -1)"));
    vm.fail_with_help(Code::E9005, message, help, at)
}

/// A number of a range as an integer value; enum values and bytes count as their numbers.
pub fn integer(vm: &mut Vm, value: &Value, which: Bound, at: Span) -> Result<Value, Stop> {
    let number = match value.plain() {
        Value::Byte(b) => Value::Int(i64::from(b)),
        other => other,
    };
    if number.as_bigint().is_some() {
        return Ok(number);
    }
    let (what, code) = match which {
        Bound::Start => ("start", Code::E5013),
        Bound::End => ("end", Code::E5014),
        Bound::Step => ("step", Code::E5019),
    };
    let shown = if matches!(number, Value::Nil) { inspect(&number) } else { number.typeof_name() };
    vm.fail(code, format!("range {what} must be integer, got {shown}"), at)
}

/// `item in range(start, end, step)` on integers.
pub struct InRange {
    /// Item, start, end and step.
    pub numbers: [AnyInt; 4],
    /// Whether it asks for the opposite.
    pub negated: bool,
    pub at: Span,
    pub range_at: Span,
}

impl BoolOperand for InRange {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let mut small = [0; 4];
        for i in 0..4 {
            let (Some(number), Some(place)) = (self.numbers.get(i), small.get_mut(i)) else { continue };
            match number.get(vm, fp) {
                Ok(x) => *place = x,
                Err(Wide) => return self.get_wide(vm, fp, small, i),
            }
        }
        let [item, start, end, step] = small;
        check(vm, start, end, step, self.range_at)?;
        let is_inside = if step > 0 { start <= item && item < end } else { end < item && item <= start };
        let is_hit = step == 1 || (i128::from(item) - i128::from(start)) % i128::from(step) == 0;
        Ok((is_inside && is_hit) != self.negated)
    }
}

impl InRange {
    /// For numbers of which one is large or nil: that with this number, which is pending; those before it are known.
    #[cold]
    #[inline(never)]
    fn get_wide(&self, vm: &mut Vm, fp: Fp, small: [i64; 4], first: usize) -> Result<bool, Wide> {
        let mut values = small.map(Value::Int);
        for (i, (number, place)) in self.numbers.iter().zip(&mut values).enumerate().skip(first) {
            let register = if i == first { Err(Wide) } else { number.get(vm, fp) };
            *place = vm.int_value(&Type::INT, register)?;
        }
        let [item, start, end, step] = &values;
        let range = Value::from(Heap::Range(range(vm, [start, end, step], self.range_at)?));
        Ok(contains(vm, item, &range, self.at)? != self.negated)
    }
}

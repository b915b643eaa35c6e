//! Bounds of ranges.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Range, Value, inspect};

use super::vm::{Stop, Vm};

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

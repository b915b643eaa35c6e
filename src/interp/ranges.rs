//! Bounds of ranges.

use num_traits::Signed;

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Value, inspect};

use super::vm::{Stop, Vm};

/// Start, end and step of a range. The step must not be 0, and must lead from start to end.
pub(crate) fn bounds(
    vm: &mut Vm,
    start: &Value,
    end: &Value,
    step: &Value,
    at: Span,
) -> Result<(i64, i64, i64), Stop> {
    let start = bound(vm, start, "start", Code::E5013, at)?;
    let end = bound(vm, end, "end", Code::E5014, at)?;
    let step = bound(vm, step, "step", Code::E5019, at)?;
    check(vm, start, end, step, at)?;
    Ok((start, end, step))
}

/// Checks the numbers of a range.
#[inline]
pub(crate) fn check(vm: &mut Vm, start: i64, end: i64, step: i64, at: Span) -> Result<(), Stop> {
    if (step > 0 && start <= end) || (step < 0 && start >= end) {
        return Ok(());
    }
    bad_range(vm, start, end, step, at)
}

#[cold]
fn bad_range(vm: &mut Vm, start: i64, end: i64, step: i64, at: Span) -> Result<(), Stop> {
    if step == 0 {
        return vm.fail(Code::E9003, "range step cannot be zero", at);
    }
    let (sign, kind) = if step > 0 { ("<=", "positive") } else { (">=", "negative") };
    vm.fail(
        Code::E9005,
        format!("invalid range: start ({start}) must be {sign} end ({end}) for {kind} step"),
        at,
    )
}

fn bound(vm: &mut Vm, value: &Value, what: &str, code: Code, at: Span) -> Result<i64, Stop> {
    match super::arith::plain(value) {
        Value::Int(i) => Ok(i),
        Value::Byte(b) => Ok(i64::from(b)),
        other => match other.as_bigint() {
            // No loop can count that far: a bound is replaced by the nearest 64-bit number.
            Some(big) if big.is_negative() => Ok(i64::MIN),
            Some(_) => Ok(i64::MAX),
            None => {
                let shown = if matches!(other, Value::Nil) { inspect(&other) } else { other.typeof_name() };
                vm.fail(code, format!("range {what} must be integer, got {shown}"), at)
            }
        },
    }
}

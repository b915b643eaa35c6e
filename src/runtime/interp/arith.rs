//! Arithmetic and comparison: operators as types for the fast paths, and the slow paths with big
//! integers, bounds, nil and errors.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::diagnostics::Code;
use crate::library::offload_detached;
use crate::program::{ArithOp, CompareOp};
use crate::source::Span;
use crate::value::{
    Heap, IntKind, Limits, Misfit, Type, Value, append_str, compare_numbers, fit_integer, float_text_bare,
    identical, memory, number_as_float,
};

use super::closures::Word;
use super::slots::Fp;
use super::vm::{Pending, SEE_WIDE, Stop, Vm, Wide, is_nil_float};

/// An arithmetic operator as a type, so that each node is compiled for its operator.
pub trait Arithmetic: 'static {
    const OP: ArithOp;
    /// The result, if it fits into 64 bits.
    fn ints(x: i64, y: i64) -> Option<i64>;
    fn floats(x: f64, y: f64) -> f64;
}

macro_rules! arith_ops {
    ($($name:ident $ints:expr, $floats:expr;)*) => { $(
        pub struct $name;
        impl Arithmetic for $name {
            const OP: ArithOp = ArithOp::$name;
            #[inline(always)]
            fn ints(x: i64, y: i64) -> Option<i64> { $ints(x, y) }
            #[inline(always)]
            fn floats(x: f64, y: f64) -> f64 { $floats(x, y) }
        }
    )* };
}

/// The product, if it fits 64 bits. Where registers have 32, finding that out is a call, unless the factors are small.
#[inline(always)]
fn product(x: i64, y: i64) -> Option<i64> {
    let is_small = |factor: i64| i64::from(factor as i32) == factor;
    if usize::BITS < 64 && is_small(x) && is_small(y) {
        return Some(x.wrapping_mul(y));
    }
    x.checked_mul(y)
}

/// Whether both are in 0 to 2³² - 1, which are divided faster where registers have 32 bits. (Elsewhere the compiler makes
/// this test.)
#[inline(always)]
fn divide_small(x: i64, y: i64) -> bool {
    usize::BITS < 64 && (x | y) >> 32 == 0
}

#[inline(always)]
fn quotient(x: i64, y: i64) -> Option<i64> {
    if divide_small(x, y) { (x as u32).checked_div(y as u32).map(i64::from) } else { x.checked_div(y) }
}

#[inline(always)]
fn remainder(x: i64, y: i64) -> Option<i64> {
    if divide_small(x, y) { (x as u32).checked_rem(y as u32).map(i64::from) } else { x.checked_rem(y) }
}

arith_ops! {
    Add i64::checked_add, |x: f64, y: f64| x + y;
    Sub i64::checked_sub, |x: f64, y: f64| x - y;
    Mul product, |x: f64, y: f64| x * y;
    Div quotient, |x: f64, y: f64| x / y;
    Mod remainder, |x: f64, y: f64| x % y;
}

/// The range of an integer result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Any size.
    Int,
    /// 0 to 255.
    Byte,
    /// One of the other kinds.
    Sized(IntKind),
}

impl Bound {
    /// The bound of a static type with an integer register.
    pub fn of(ty: &Type) -> Bound {
        match ty {
            Type::Byte => Bound::Byte,
            Type::Int(IntKind::Int) => Bound::Int,
            Type::Int(kind) => Bound::Sized(*kind),
            _ => Bound::Int,
        }
    }

    /// The 64-bit numbers in it.
    pub fn limits(self) -> Limits {
        match self {
            Bound::Int => Limits::of(IntKind::Int),
            Bound::Byte => Limits::of(IntKind::U8),
            Bound::Sized(kind) => Limits::of(kind),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Bound::Int => "int",
            Bound::Byte => "byte",
            Bound::Sized(kind) => kind.name(),
        }
    }
}

/// Those of the limits that a slot can hold: all but [`SEE_WIDE`].
pub fn in_slot(limits: Limits) -> Limits {
    limits.and(Limits::new(SEE_WIDE + 1, i64::MAX))
}

fn overflow_code(op: ArithOp) -> Code {
    match op {
        ArithOp::Add => Code::E5005,
        ArithOp::Sub => Code::E5006Overflow,
        ArithOp::Mul | ArithOp::Div | ArithOp::Mod => Code::E5007Overflow,
    }
}

/// The slow path of `x op y` on integers or nil: big integers, division by zero, bounds. `fp` is the
/// frame, where the program can be paused during a long operation.
#[cold]
#[inline(never)]
pub fn int_slow(
    vm: &mut Vm,
    fp: Option<Fp>,
    op: ArithOp,
    x: &Value,
    y: &Value,
    bound: Bound,
    at: Span,
) -> Result<i64, Wide> {
    let (Some(a), Some(b)) = (x.as_bigint(), y.as_bigint()) else {
        let _ = vm.nil_operand::<()>(op.as_str(), at);
        return Err(Wide);
    };
    if b.is_zero()
        && let Some((code, message)) = op.zero_divisor()
    {
        return vm.fail_wide(code, message, at);
    }
    let (a, b, result) = match op {
        ArithOp::Add | ArithOp::Sub => {
            let result = compute(op, &a, &b);
            (a, b, result)
        }
        ArithOp::Mul | ArithOp::Div | ArithOp::Mod => multiply_or_divide(vm, fp, op, a, b, at)?,
    };
    if let Err(message) = check_bound(op, &a, &b, &result, bound) {
        let code = if message.1 { Code::E3020 } else { overflow_code(op) };
        return vm.fail_wide(code, message.0, at);
    }
    finish_int(vm, result)
}

fn compute(op: ArithOp, a: &BigInt, b: &BigInt) -> BigInt {
    match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => a * b,
        ArithOp::Div => a / b,
        ArithOp::Mod => a % b,
    }
}

/// Multiplies or divides large integers, on another thread.
fn multiply_or_divide(
    vm: &mut Vm,
    fp: Option<Fp>,
    op: ArithOp,
    a: BigInt,
    b: BigInt,
    at: Span,
) -> Result<(BigInt, BigInt, BigInt), Stop> {
    let (words, more) = (a.bits() / 64, b.bits() / 64);
    // The result, and as much again twice for temporary values.
    if !memory::has_room((words + more).saturating_mul(3 * 8)) {
        memory::deny();
        vm.check_memory(at)?;
    }
    vm.native_at = fp.and_then(|fp| vm.program.statement_around(at).map(|stmt| (fp, stmt, at)));
    let work = move || {
        let result = compute(op, &a, &b);
        (a, b, result)
    };
    match offload_detached(vm, words.saturating_mul(more), work) {
        Ok(done) => Ok(done),
        Err(fail) => vm.set_pending_failure(fail, at),
    }
}

fn check_bound(
    op: ArithOp,
    a: &BigInt,
    b: &BigInt,
    result: &BigInt,
    bound: Bound,
) -> Result<(), (String, bool)> {
    let sign = op.as_str();
    match bound {
        Bound::Int => Ok(()),
        Bound::Byte if result.is_negative() => {
            Err((format!("byte underflow: {a} {sign} {b} exceeds byte range (0-255)"), false))
        }
        Bound::Byte if *result > BigInt::from(255) => {
            Err((format!("byte overflow: {a} {sign} {b} exceeds byte range (0-255)"), false))
        }
        Bound::Byte => Ok(()),
        Bound::Sized(IntKind::Uint) if result.is_negative() => {
            Err((format!("negative result {result} of {a} {sign} {b} for unsigned type 'uint'"), true))
        }
        Bound::Sized(kind) => match fit_integer(kind, result) {
            Ok(()) => Ok(()),
            Err(Misfit::Negative | Misfit::OutOfRange) => {
                Err((format!("integer overflow: {a} {sign} {b} exceeds {} range", kind.name()), false))
            }
        },
    }
}

/// Converts a big result to a register if it fits, else makes it pending.
pub fn finish_int(vm: &mut Vm, result: BigInt) -> Result<i64, Wide> {
    match i64::try_from(&result) {
        Ok(small) => Ok(small),
        Err(_) => {
            vm.pending = Pending::Big(result);
            Err(Wide)
        }
    }
}

/// The slow path of `-x` on integers.
#[cold]
#[inline(never)]
pub fn neg_slow(vm: &mut Vm, x: &Value, bound: Bound, at: Span) -> Result<i64, Wide> {
    let Some(a) = x.as_bigint() else {
        let _ = vm.nil_operand::<()>("-", at);
        return Err(Wide);
    };
    let result = -&a;
    match bound {
        Bound::Sized(IntKind::Uint) if result.is_negative() => {
            let message = format!("negative result {result} of -{a} for unsigned type 'uint'");
            vm.fail_wide(Code::E3020, message, at)
        }
        Bound::Sized(kind) if fit_integer(kind, &result).is_err() => {
            let message = format!("integer overflow: negating {a} exceeds {} range", bound.name());
            vm.fail_wide(Code::E5005, message, at)
        }
        Bound::Int | Bound::Byte | Bound::Sized(_) => finish_int(vm, result),
    }
}

/// `x op y` on floats, checked.
#[inline(always)]
pub fn float_op<O: Arithmetic>(vm: &mut Vm, x: f64, y: f64, at: &Span) -> Result<f64, Stop> {
    match quick_float_op::<O>(x, y) {
        Some(result) => Ok(result),
        None => float_slow(vm, O::OP, x, y, at).take(vm),
    }
}

/// `x op y` on floats, if the result is finite.
#[inline(always)]
pub fn quick_float_op<O: Arithmetic>(x: f64, y: f64) -> Option<f64> {
    if matches!(O::OP, ArithOp::Div) && y == 0.0 {
        return None;
    }
    Some(O::floats(x, y)).filter(|result| result.is_finite())
}

#[cold]
#[inline(never)]
fn float_slow(vm: &mut Vm, op: ArithOp, x: f64, y: f64, at: &Span) -> Word<f64> {
    Word::of(vm, |vm| {
        if is_nil_float(x) || is_nil_float(y) {
            return vm.nil_operand(op.as_str(), *at);
        }
        if y == 0.0
            && let Some((code, message)) = op.zero_divisor()
        {
            return vm.fail(code, message, *at);
        }
        let result = match op {
            ArithOp::Add => x + y,
            ArithOp::Sub => x - y,
            ArithOp::Mul => x * y,
            ArithOp::Div => x / y,
            ArithOp::Mod => x % y,
        };
        if result.is_nan() {
            // A NaN with another bit pattern than that of nil.
            return Ok(f64::NAN);
        }
        let message = format!(
            "float overflow: {} {} {} exceeds float range",
            float_text_bare(x),
            op.as_str(),
            float_text_bare(y)
        );
        vm.fail(overflow_code(op), message, *at)
    })
}

/// Comparison of any two values (`==` and `!=` of anything; the others of numbers and chars).
pub fn compare_values(vm: &mut Vm, op: CompareOp, x: &Value, y: &Value, at: Span) -> Result<bool, Stop> {
    let holds: fn(Ordering) -> bool = match op {
        CompareOp::Eq => return Ok(identical(x, y)),
        CompareOp::Ne => return Ok(!identical(x, y)),
        CompareOp::Lt => Ordering::is_lt,
        CompareOp::Le => Ordering::is_le,
        CompareOp::Gt => Ordering::is_gt,
        CompareOp::Ge => Ordering::is_ge,
    };
    let (x, y) = (x.plain(), y.plain());
    if matches!(x, Value::Nil) || matches!(y, Value::Nil) {
        return vm.nil_operand(op.as_str(), at);
    }
    let order = match (&x, &y) {
        (Value::Char(a), Value::Char(b)) => Some(a.cmp(b)),
        (Value::Char(a), b) => compare_numbers(&Value::Int(i64::from(*a as u32)), b),
        (a, Value::Char(b)) => compare_numbers(a, &Value::Int(i64::from(*b as u32))),
        _ => compare_numbers(&x, &y),
    };
    let numeric = |v: &Value| matches!(v, Value::Char(_)) || number_as_float(v).is_some();
    if order.is_none() && !(numeric(&x) && numeric(&y)) {
        let message =
            format!("operator '{}' not supported: {} and {}", op.as_str(), x.typeof_name(), y.typeof_name());
        return vm.fail(Code::E3014, message, at);
    }
    Ok(order.is_some_and(holds))
}

/// The integer that a value of a whole-number type is; anything else unchanged.
pub fn widened(value: &Value) -> Value {
    match value.plain() {
        Value::Byte(b) => Value::Int(i64::from(b)),
        other => other,
    }
}

/// Arithmetic on values whose types are known at run time only.
pub fn arith_values(vm: &mut Vm, op: ArithOp, x: &Value, y: &Value, at: Span) -> Result<Value, Stop> {
    let (x, y) = (x.plain(), y.plain());
    if matches!(x, Value::Nil) || matches!(y, Value::Nil) {
        return vm.nil_operand(op.as_str(), at);
    }
    if let (Value::Ref(a), Some(b), ArithOp::Add) = (&x, y.as_str(), op)
        && let Heap::Str(_) = &**a
    {
        return Ok(Value::Ref(append_str(a.clone(), b)));
    }
    match (&x, &y) {
        (Value::Byte(a), Value::Byte(b)) => {
            let (a, b) = (Value::Int(i64::from(*a)), Value::Int(i64::from(*b)));
            let result = small_int(vm, op, &a, &b, Bound::Byte, at)?;
            return Ok(super::boxing::value_int(&result).map_or(Value::Nil, |raw| Value::Byte(raw as u8)));
        }
        (Value::Float(_), _) | (_, Value::Float(_)) => {
            if let (Some(a), Some(b)) = (number_as_float(&x), number_as_float(&y)) {
                return dispatch_float(vm, op, a, b, at).map(Value::Float);
            }
        }
        _ => {
            let (a, b) = (widened(&x), widened(&y));
            if a.as_bigint().is_some() && b.as_bigint().is_some() {
                return small_int(vm, op, &a, &b, Bound::Int, at);
            }
        }
    }
    let message =
        format!("operator '{}' not supported: {} and {}", op.as_str(), x.typeof_name(), y.typeof_name());
    vm.fail(Code::E3014, message, at)
}

fn small_int(vm: &mut Vm, op: ArithOp, a: &Value, b: &Value, bound: Bound, at: Span) -> Result<Value, Stop> {
    match int_slow(vm, None, op, a, b, bound, at) {
        Ok(small) => Ok(Value::Int(small)),
        Err(Wide) => vm.take_value(),
    }
}

/// `x op y` on floats, for an operator known at run time only.
pub fn dispatch_float(vm: &mut Vm, op: ArithOp, x: f64, y: f64, at: Span) -> Result<f64, Stop> {
    match float_if_finite(op, x, y) {
        Some(result) => Ok(result),
        None => float_slow(vm, op, x, y, &at).take(vm),
    }
}

/// `x op y` on 64-bit integers, for an operator known at run time only.
#[inline(always)]
pub fn dispatch_int(op: ArithOp, x: i64, y: i64) -> Option<i64> {
    match op {
        ArithOp::Add => Add::ints(x, y),
        ArithOp::Sub => Sub::ints(x, y),
        ArithOp::Mul => Mul::ints(x, y),
        ArithOp::Div => Div::ints(x, y),
        ArithOp::Mod => Mod::ints(x, y),
    }
}

/// `x op y` on floats, for an operator known at run time only, if the result is finite.
#[inline(always)]
pub fn float_if_finite(op: ArithOp, x: f64, y: f64) -> Option<f64> {
    match op {
        ArithOp::Add => quick_float_op::<Add>(x, y),
        ArithOp::Sub => quick_float_op::<Sub>(x, y),
        ArithOp::Mul => quick_float_op::<Mul>(x, y),
        ArithOp::Div => quick_float_op::<Div>(x, y),
        ArithOp::Mod => quick_float_op::<Mod>(x, y),
    }
}

/// `x + delta` for `++` and `--`.
#[cold]
#[inline(never)]
pub fn step(vm: &mut Vm, x: &Value, delta: i64, bound: Bound, at: Span) -> Result<Value, Wide> {
    let sign = if delta > 0 { "++" } else { "--" };
    let Some(a) = x.plain().as_bigint() else {
        if matches!(x, Value::Nil) {
            let _ = vm.nil_operand::<()>(sign, at);
            return Err(Wide);
        }
        let message = format!("postfix operator {sign} requires integer operand, got {}", x.typeof_name());
        return vm.fail_wide(Code::E5023, message, at);
    };
    let result = &a + delta;
    if let Bound::Sized(kind) = bound
        && fit_integer(kind, &result).is_err()
    {
        let code = match (kind, delta > 0) {
            (IntKind::Uint, _) => Code::E3020,
            (_, true) => Code::E5008Overflow,
            (_, false) => Code::E5009Overflow,
        };
        return vm.fail_wide(code, format!("integer overflow: {a}{sign} exceeds {} range", kind.name()), at);
    }
    Ok(Value::integer(result))
}

//! `@math`: mathematical functions and constants.

mod arithmetic;
mod integers;
mod real;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::diagnostics::Code;
use crate::value::{Heap, Value};

use super::row::{constant, function};
use super::{Call, Fail, Module, elementary};

/// A number argument.
pub(super) enum Number {
    /// An integer of 64 bits.
    Small(i64),
    /// A larger one.
    Big(BigInt),
    Float(f64),
}

impl Number {
    /// The nearest float.
    pub(super) fn float(&self) -> f64 {
        match self {
            Number::Small(i) => *i as f64,
            Number::Big(b) => {
                let limit = if b.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
                b.to_f64().unwrap_or(limit)
            }
            Number::Float(x) => *x,
        }
    }

    fn value(self) -> Value {
        match self {
            Number::Small(i) => Value::Int(i),
            Number::Big(b) => Value::integer(b),
            Number::Float(x) => Value::Float(x),
        }
    }
}

/// The number argument at `index`.
fn number(call: &Call, index: usize) -> Result<Number, Fail> {
    match call.args.get(index) {
        Some(Value::Int(i)) => return Ok(Number::Small(*i)),
        Some(Value::Float(x)) => return Ok(Number::Float(*x)),
        Some(Value::Ref(r)) => {
            if let Heap::Big(b) = &**r {
                return Ok(Number::Big(b.clone()));
            }
        }
        _ => {}
    }
    call.fail(Code::E7005, format!("expected number, got {}", call.arg(index).typeof_name()))
}

/// The number argument at `index`, as a float.
fn float(call: &Call, index: usize) -> Result<f64, Fail> {
    number(call, index).map(|n| n.float())
}

pub static MODULE: Module = Module {
    name: "math",
    doc: "Numbers: arithmetic, rounding, powers, trigonometry.",
    reserved_names: &["pi", "e", "phi", "sqrt2", "ln2", "ln10"],
    outside: false,
    rows: &[
        function!("add" "(a num, b num) -> num", "a + b.";
            "math.add(2, 3)" => "5"; arithmetic::add, unknown),
        function!("sub" "(a num, b num) -> num", "a - b.";
            "math.sub(2, 3)" => "-1"; arithmetic::sub, unknown),
        function!("mul" "(a num, b num) -> num", "a * b.";
            "math.mul(2, 3)" => "6"; arithmetic::mul, unknown),
        function!("div" "(a num, b num) -> float", "a / b, always a float.";
            "math.div(7, 2)" => "3.5"; arithmetic::div, unknown),
        function!("mod" "(a num, b num) -> num",
            "The remainder of a divided by b; never negative for integers.";
            "math.mod(-7, 3)" => "2"; arithmetic::modulo, unknown),
        function!("abs" "(x num) -> num", "x without its sign.";
            "math.abs(-3)" => "3"; arithmetic::abs),
        function!("neg" "(x num) -> num", "x with the opposite sign.";
            "math.neg(3)" => "-3"; arithmetic::neg, unknown),
        function!("sign" "(x num) -> int", "-1 for negative numbers, 1 for positive numbers, 0 for zero.";
            "math.sign(-2.5)" => "-1"; arithmetic::sign, unknown),
        function!("min" "(x num, y num, more num...) -> num", "The smallest of the numbers.";
            "math.min(3, 1, 2)" => "1"; arithmetic::min),
        function!("max" "(x num, y num, more num...) -> num", "The largest of the numbers.";
            "math.max(3, 1, 2)" => "3"; arithmetic::max),
        function!("clamp" "(x num, low num, high num) -> num", "x, but at least low and at most high.";
            "math.clamp(15, 0, 10)" => "10"; arithmetic::clamp, unknown),
        function!("floor" "(x num) -> int", "The largest integer that is at most x.";
            "math.floor(2.7)" => "2"; arithmetic::floor, float_too),
        function!("ceil" "(x num) -> int", "The smallest integer that is at least x.";
            "math.ceil(2.1)" => "3"; arithmetic::ceil, float_too),
        function!("round" "(x num) -> int", "The nearest integer; halves are rounded away from zero.";
            "math.round(2.5)" => "3"; arithmetic::round, float_too),
        function!("trunc" "(x num) -> int", "The integer part.";
            "math.trunc(-2.9)" => "-2"; arithmetic::trunc, unknown),
        function!("pow" "(base num, exponent num) -> any",
            "base to the power of exponent; an integer if both are integers and the exponent is not negative.";
            "math.pow(2, 10), math.pow(2.0, 0.5)" => "1024 1.4142135623730951"; real::pow),
        function!("sqrt" "(x num) -> float", "The square root.";
            "math.sqrt(16)" => "4.0"; real::sqrt),
        function!("cbrt" "(x num) -> float", "The cube root.";
            "math.cbrt(27)" => "3.0"; real::cbrt, unknown),
        function!("hypot" "(a num, b num) -> float", "sqrt(a * a + b * b).";
            "math.hypot(3, 4)" => "5.0"; |call| real::two(call, elementary::hypot), unknown),
        function!("exp" "(x num) -> float", "e to the power of x.";
            "math.exp(0)" => "1.0";
            |call| {
            real::one(call, elementary::exp)
        }),
        function!("exp2" "(x num) -> float", "2 to the power of x.";
            "math.exp2(3)" => "8.0";
            |call| {
            real::one(call, elementary::exp2)
        }, unknown),
        function!("log" "(x num) -> float", "The natural logarithm.";
            "math.log(1)" => "0.0";
            |call| {
            real::logarithm(call, elementary::log)
        }),
        function!("log2" "(x num) -> float", "The logarithm to base 2.";
            "math.log2(8)" => "3.0";
            |call| {
            real::logarithm(call, elementary::log2)
        }),
        function!("log10" "(x num) -> float", "The logarithm to base 10.";
            "math.log10(100)" => "2.0"; |call| { real::logarithm(call, elementary::log10) }),
        function!("log_base" "(x num, base num) -> float", "The logarithm to any base.";
            "math.log_base(9, 3)" => "2.0"; real::log_base, unknown, unchecked),
        function!("sin" "(x num) -> float", "Sine of an angle in radians.";
            "math.sin(0)" => "0.0";
            |call| {
            real::one(call, elementary::sin)
        }),
        function!("cos" "(x num) -> float", "Cosine of an angle in radians.";
            "math.cos(0)" => "1.0"; |call| { real::one(call, elementary::cos) }),
        function!("tan" "(x num) -> float", "Tangent of an angle in radians.";
            "math.tan(0)" => "0.0"; |call| { real::one(call, elementary::tan) }),
        function!("asin" "(x num) -> float", "Arc sine, in radians.";
            "math.asin(0)" => "0.0";
            |call| {
            real::arc(call, elementary::asin)
        }),
        function!("acos" "(x num) -> float", "Arc cosine, in radians.";
            "math.acos(1)" => "0.0";
            |call| {
            real::arc(call, elementary::acos)
        }),
        function!("atan" "(x num) -> float", "Arc tangent, in radians.";
            "math.atan(0)" => "0.0";
            |call| {
            real::one(call, elementary::atan)
        }),
        function!("atan2" "(y num, x num) -> float", "Angle of the point (x, y), in radians.";
            "math.atan2(0, 1)" => "0.0"; |call| real::two(call, elementary::atan2), unknown),
        function!("sinh" "(x num) -> float", "Hyperbolic sine.";
            "math.sinh(0)" => "0.0";
            |call| {
            real::one(call, elementary::sinh)
        }, unknown),
        function!("cosh" "(x num) -> float", "Hyperbolic cosine.";
            "math.cosh(0)" => "1.0";
            |call| {
            real::one(call, elementary::cosh)
        }, unknown),
        function!("tanh" "(x num) -> float", "Hyperbolic tangent.";
            "math.tanh(0)" => "0.0";
            |call| {
            real::one(call, elementary::tanh)
        }, unknown),
        function!("deg_to_rad" "(degrees num) -> float", "Degrees as radians.";
            "math.deg_to_rad(180)" => "3.141592653589793";
            |call| real::one(call, |x| x * std::f64::consts::PI / 180.0), unknown),
        function!("rad_to_deg" "(radians num) -> float", "Radians as degrees.";
            "math.rad_to_deg(math.PI)" => "180.0";
            |call| real::one(call, |x| x * 180.0 / std::f64::consts::PI), unknown),
        function!("sum" "(x num, more num...) -> num", "The sum of the numbers.";
            "math.sum(1, 2, 3)" => "6"; arithmetic::sum, unknown),
        function!("avg" "(x num, more num...) -> float", "The average of the numbers.";
            "math.avg(1, 2)" => "1.5"; arithmetic::avg),
        function!("factorial" "(n int) -> int", "1 * 2 * … * n, exactly.";
            "math.factorial(5)" => "120"; integers::factorial),
        function!("gcd" "(a int, b int) -> int", "The greatest common divisor.";
            "math.gcd(12, 18)" => "6"; integers::gcd, unknown),
        function!("lcm" "(a int, b int) -> int", "The least common multiple.";
            "math.lcm(4, 6)" => "12"; integers::lcm, unknown),
        function!("is_prime" "(n int) -> bool", "Whether n is a prime number.";
            "math.is_prime(97)" => "true"; integers::is_prime, unknown),
        function!("is_even" "(n int) -> bool", "Whether n is even.";
            "math.is_even(4)" => "true"; integers::is_even, unknown),
        function!("is_odd" "(n int) -> bool", "Whether n is odd.";
            "math.is_odd(4)" => "false"; integers::is_odd, unknown),
        function!("lerp" "(a num, b num, t num) -> float", "The number between a (t is 0) and b (t is 1).";
            "math.lerp(0, 10, 0.5)" => "5.0"; real::lerp, unknown),
        function!("map_range" "(x num, in_low num, in_high num, out_low num, out_high num) -> float",
            "The number that is between out_low and out_high as x is between in_low and in_high.";
            "math.map_range(5, 0, 10, 0, 100)" => "50.0"; real::map_range, unknown),
        function!("distance" "(x1 num, y1 num, x2 num, y2 num) -> float", "The distance between two points.";
            "math.distance(0, 0, 3, 4)" => "5.0"; real::distance, unknown),
        function!("is_inf" "(x num) -> bool", "Whether x is infinite.";
            "math.is_inf(math.INF)" => "true";
            |call| { real::test(call, f64::is_infinite) }, unknown, unchecked),
        function!("is_nan" "(x num) -> bool", "Whether x is not a number (NaN).";
            "math.is_nan(1.5)" => "false"; |call| { real::test(call, f64::is_nan) }, unknown, unchecked),
        function!("is_finite" "(x num) -> bool", "Whether x is neither infinite nor NaN.";
            "math.is_finite(1.5)" => "true"; |call| { real::test(call, f64::is_finite) }, unknown, unchecked),
        function!("random" "(low int?, high int?) -> any",
            "A random float below 1; with one argument a random integer below it; with two a random integer from low up to, not including, high.";
            "math.random(5, 6)" => "5"; integers::random),
        function!("random_float" "(low num?, high num?) -> float",
            "A random float between low (0) and high (1).";
            "math.random_float()" => ""; real::random_float, varying),
        constant!(
            "math",
            "PI",
            "Circumference of a circle of diameter 1.",
            "3.141592653589793",
            std::f64::consts::PI
        )
        .unknown(),
        constant!("math", "E", "Base of the natural logarithm.", "2.718281828459045", std::f64::consts::E)
            .unknown(),
        constant!("math", "PHI", "The golden ratio.", "1.618033988749895", 1.618_033_988_749_895).unknown(),
        constant!("math", "SQRT2", "The square root of 2.", "1.4142135623730951", std::f64::consts::SQRT_2)
            .unknown(),
        constant!("math", "LN2", "The natural logarithm of 2.", "0.6931471805599453", std::f64::consts::LN_2)
            .unknown(),
        constant!(
            "math",
            "LN10",
            "The natural logarithm of 10.",
            "2.302585092994046",
            std::f64::consts::LN_10
        )
        .unknown(),
        constant!("math", "TAU", "2 * PI.", "6.283185307179586", std::f64::consts::TAU).unknown(),
        constant!("math", "INF", "Infinity.", "+Inf.0", f64::INFINITY).unknown(),
        constant!("math", "NEG_INF", "Negative infinity.", "-Inf.0", f64::NEG_INFINITY).unknown(),
        constant!(
            "math",
            "EPSILON",
            "Distance from 1.0 to the next float.",
            "2.220446049250313e-16",
            f64::EPSILON
        )
        .unknown(),
        constant!("math", "MAX_FLOAT", "The largest finite float.", "1.7976931348623157e+308", f64::MAX)
            .unknown(),
        constant!("math", "MIN_FLOAT", "The smallest positive float.", "5e-324", 5e-324).unknown(),
    ],
};

//! Functions on floats.

use num_bigint::BigInt;

use crate::diagnostics::Code;
use crate::library::args::unit_float;
use crate::library::{Call, Fail, elementary};
use crate::value::{Value, normalize};

use super::{Number, float, number};

pub fn one(call: &Call, f: fn(f64) -> f64) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Float(f(float(call, 0)?)))
}

pub fn two(call: &Call, f: fn(f64, f64) -> f64) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    Ok(Value::Float(f(float(call, 0)?, float(call, 1)?)))
}

pub fn test(call: &Call, f: fn(f64) -> bool) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Bool(match number(call, 0)? {
        Number::Float(x) => f(x),
        _ => f(0.0),
    }))
}

pub fn logarithm(call: &Call, f: fn(f64) -> f64) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let x = float(call, 0)?;
    if x <= 0.0 {
        return call.wrong(Code::E8002, "requires positive number");
    }
    Ok(Value::Float(f(x)))
}

pub fn log_base(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(value, base)")?;
    let (x, base) = (float(call, 0)?, float(call, 1)?);
    if x <= 0.0 {
        return call.wrong(Code::E8002, "requires positive value");
    }
    if base <= 0.0 || base == 1.0 {
        return call.wrong(Code::E8002, "requires positive base != 1");
    }
    Ok(Value::Float(elementary::log(x) / elementary::log(base)))
}

pub fn arc(call: &Call, f: fn(f64) -> f64) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let x = float(call, 0)?;
    if !(-1.0..=1.0).contains(&x) && !x.is_nan() {
        return call.wrong(Code::E8003, "requires value between -1 and 1");
    }
    Ok(Value::Float(f(x)))
}

pub fn sqrt(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let x = float(call, 0)?;
    if x < 0.0 {
        return call.wrong(Code::E8001, "cannot take negative number");
    }
    Ok(Value::Float(x.sqrt()))
}

pub fn cbrt(call: &mut Call) -> Result<Value, Fail> {
    one(call, elementary::cbrt)
}

/// Largest exact power in bits.
const MAX_BITS: u64 = 1 << 31;

pub fn pow(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let (base, exponent) = (number(call, 0)?, number(call, 1)?);
    let whole = match &base {
        Number::Small(b) => Some(BigInt::from(*b)),
        Number::Big(b) => Some(b.clone()),
        Number::Float(_) => None,
    };
    let steps = match &exponent {
        Number::Small(e) if *e >= 0 => Some(*e as u64),
        // Only powers of 0, 1 and -1 are possible, which depend on the parity of the exponent.
        Number::Big(e) if e.sign() == num_bigint::Sign::Plus => Some(u64::MAX - u64::from(!e.bit(0))),
        _ => None,
    };
    if let (Some(base), Some(steps)) = (whole, steps) {
        let bits = base.bits().saturating_mul(steps);
        return match call.offload_detached(bits, move || exact_power(&base, steps))? {
            Some(result) => Ok(normalize(result)),
            None => call.wrong(Code::E7010, "overflow or invalid result"),
        };
    }
    let result = elementary::pow(base.float(), exponent.float());
    if result.is_nan() || result.is_infinite() {
        return call.wrong(Code::E7010, "overflow or invalid result");
    }
    Ok(Value::Float(result))
}

/// The exact power; `None` if it is too large.
fn exact_power(base: &BigInt, exponent: u64) -> Option<BigInt> {
    let magnitude = base.magnitude();
    if magnitude.bits() <= 1 {
        let odd_negative = base.sign() == num_bigint::Sign::Minus && exponent % 2 == 1;
        return Some(match (magnitude.bits(), exponent) {
            (0, 1..) => BigInt::ZERO,
            _ if odd_negative => BigInt::from(-1),
            _ => BigInt::from(1),
        });
    }
    let bits = (magnitude.bits() - 1).saturating_mul(exponent);
    if bits > MAX_BITS {
        return None;
    }
    Some(base.pow(u32::try_from(exponent).ok()?))
}

fn floats<const N: usize>(call: &Call, names: &str) -> Result<[f64; N], Fail> {
    call.exactly(N, names)?;
    let mut all = [0.0; N];
    for (i, slot) in all.iter_mut().enumerate() {
        *slot = float(call, i)?;
    }
    Ok(all)
}

pub fn lerp(call: &mut Call) -> Result<Value, Fail> {
    let [a, b, t] = floats(call, "(a, b, t)")?;
    Ok(Value::Float(a + t * (b - a)))
}

pub fn map_range(call: &mut Call) -> Result<Value, Fail> {
    let [x, in_low, in_high, low, high] = floats(call, "(value, in_min, in_max, out_min, out_max)")?;
    if in_low == in_high {
        return call.wrong(Code::E8007, "requires in_min != in_max (division by zero)");
    }
    Ok(Value::Float((x - in_low) * (high - low) / (in_high - in_low) + low))
}

pub fn distance(call: &mut Call) -> Result<Value, Fail> {
    let [x1, y1, x2, y2] = floats(call, "(x1, y1, x2, y2)")?;
    let (dx, dy) = (x2 - x1, y2 - y1);
    Ok(Value::Float((dx * dx + dy * dy).sqrt()))
}

pub fn random_float(call: &mut Call) -> Result<Value, Fail> {
    let text = "takes 0 or 2 arguments";
    call.count(0..=2, text)?;
    if call.args.is_empty() {
        return Ok(Value::Float(unit_float(call.runtime)));
    }
    call.count(2..=2, text)?;
    let (low, high) = (float(call, 0)?, float(call, 1)?);
    Ok(Value::Float(low + unit_float(call.runtime) * (high - low)))
}

//! Functions on integers and floats alike.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, Zero};

use crate::diagnostics::Code;
use crate::library::{Call, Fail, elementary};
use crate::value::{Value, float_text, normalize};

use super::{Number, float, number};

/// All number arguments: integers if all are, else floats.
enum Numbers {
    Ints(Vec<BigInt>),
    Floats(Vec<f64>),
}

fn numbers(call: &Call) -> Result<Numbers, Fail> {
    let all: Vec<Number> = (0..call.args.len()).map(|i| number(call, i)).collect::<Result<_, _>>()?;
    if all.iter().any(|n| matches!(n, Number::Float(_))) {
        return Ok(Numbers::Floats(all.iter().map(Number::float).collect()));
    }
    let ints = all.into_iter().map(|n| match n {
        Number::Small(i) => BigInt::from(i),
        Number::Big(b) => b,
        Number::Float(_) => BigInt::ZERO,
    });
    Ok(Numbers::Ints(ints.collect()))
}

/// Steps of computation for multiplying or dividing the numbers.
pub fn steps(a: &BigInt, b: &BigInt) -> u64 {
    (a.bits() / 64).saturating_mul(b.bits() / 64)
}

fn binary(
    call: &mut Call,
    small: fn(i64, i64) -> Option<i64>,
    big: fn(&BigInt, &BigInt) -> BigInt,
    float: fn(f64, f64) -> f64,
) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    if let [Value::Int(a), Value::Int(b)] = call.args
        && let Some(result) = small(*a, *b)
    {
        return Ok(Value::Int(result));
    }
    Ok(match numbers(call)? {
        Numbers::Ints(v) => match <[BigInt; 2]>::try_from(v) {
            Ok([a, b]) => normalize(call.offload_detached(steps(&a, &b), move || big(&a, &b))?),
            Err(_) => Value::Nil,
        },
        Numbers::Floats(v) => match v.as_slice() {
            [a, b] => Value::Float(float(*a, *b)),
            _ => Value::Nil,
        },
    })
}

pub fn add(call: &mut Call) -> Result<Value, Fail> {
    binary(call, i64::checked_add, |a, b| a + b, |a, b| a + b)
}

pub fn sub(call: &mut Call) -> Result<Value, Fail> {
    binary(call, i64::checked_sub, |a, b| a - b, |a, b| a - b)
}

pub fn mul(call: &mut Call) -> Result<Value, Fail> {
    binary(call, i64::checked_mul, |a, b| a * b, |a, b| a * b)
}

pub fn div(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let (a, b) = (float(call, 0)?, float(call, 1)?);
    if b == 0.0 {
        return call.fail(Code::E5001, "division by zero");
    }
    Ok(Value::Float(a / b))
}

pub fn modulo(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let _ = number(call, 0)?;
    if float(call, 1)? == 0.0 {
        return call.fail(Code::E5002, "modulo by zero");
    }
    binary(
        call,
        i64::checked_rem_euclid,
        |a, b| a.mod_floor(&b.abs()),
        // The result has the sign of the dividend.
        elementary::fmod,
    )
}

pub fn abs(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(match number(call, 0)? {
        Number::Small(i) => i.checked_abs().map_or_else(|| normalize(BigInt::from(i).abs()), Value::Int),
        Number::Big(b) => normalize(b.abs()),
        Number::Float(x) => Value::Float(x.abs()),
    })
}

pub fn neg(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(match number(call, 0)? {
        Number::Small(i) => i.checked_neg().map_or_else(|| normalize(-BigInt::from(i)), Value::Int),
        Number::Big(b) => normalize(-b),
        Number::Float(x) => Value::Float(-x),
    })
}

pub fn sign(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Int(match number(call, 0)? {
        Number::Small(i) => i.signum(),
        Number::Big(b) => {
            if b.is_negative() {
                -1
            } else {
                1
            }
        }
        Number::Float(x) if x > 0.0 => 1,
        Number::Float(x) if x < 0.0 => -1,
        Number::Float(_) => 0,
    }))
}

fn extreme(
    call: &Call,
    int: fn(&BigInt, &BigInt) -> bool,
    float: fn(f64, f64) -> bool,
) -> Result<Value, Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    Ok(match numbers(call)? {
        Numbers::Ints(all) => {
            let best = all.into_iter().reduce(|best, x| if int(&x, &best) { x } else { best });
            best.map_or(Value::Nil, normalize)
        }
        Numbers::Floats(all) => {
            let best = all.into_iter().reduce(|best, x| if float(x, best) { x } else { best });
            best.map_or(Value::Nil, Value::Float)
        }
    })
}

pub fn min(call: &mut Call) -> Result<Value, Fail> {
    if let [Value::Int(a), Value::Int(b)] = call.args {
        return Ok(Value::Int(*a.min(b)));
    }
    extreme(call, |a, b| a < b, |a, b| a < b)
}

pub fn max(call: &mut Call) -> Result<Value, Fail> {
    if let [Value::Int(a), Value::Int(b)] = call.args {
        return Ok(Value::Int(*a.max(b)));
    }
    extreme(call, |a, b| a > b, |a, b| a > b)
}

pub fn clamp(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(value, min, max)")?;
    Ok(match numbers(call)? {
        Numbers::Ints(all) => match all.as_slice() {
            [x, low, high] => normalize(x.max(low).min(high).clone()),
            _ => Value::Nil,
        },
        Numbers::Floats(all) => match *all.as_slice() {
            [x, low, high] if x.is_nan() || low.is_nan() || high.is_nan() => Value::Float(x + low + high),
            [x, low, high] => Value::Float(x.min(high).max(low)),
            _ => Value::Nil,
        },
    })
}

/// Rounds the only argument to an integer; E7033 for floats beyond 64 bits.
fn rounded(call: &Call, rounding: fn(f64) -> f64) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let x = match number(call, 0)? {
        Number::Float(x) => x,
        integer => return Ok(integer.value()),
    };
    let whole = rounding(x);
    if whole.is_nan() || whole.is_infinite() {
        let what = if whole.is_nan() { "NaN" } else { "Inf" };
        return call.fail(Code::E7033, format!("cannot convert {what} to int"));
    }
    // 2^63 is exact as a float, and so is -2^63, which fits.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if !(-LIMIT..LIMIT).contains(&whole) {
        let text = float_text(x);
        let text = text.strip_suffix(".0").unwrap_or(&text);
        return call.fail(Code::E7033, format!("float-to-int overflow: {text} exceeds int64 range"));
    }
    Ok(Value::Int(whole as i64))
}

pub fn floor(call: &mut Call) -> Result<Value, Fail> {
    rounded(call, elementary::floor)
}

pub fn ceil(call: &mut Call) -> Result<Value, Fail> {
    rounded(call, elementary::ceil)
}

pub fn round(call: &mut Call) -> Result<Value, Fail> {
    rounded(call, elementary::round)
}

pub fn trunc(call: &mut Call) -> Result<Value, Fail> {
    rounded(call, elementary::trunc)
}

pub fn sum(call: &mut Call) -> Result<Value, Fail> {
    Ok(match numbers(call)? {
        Numbers::Ints(all) => normalize(all.into_iter().sum()),
        Numbers::Floats(all) => Value::Float(all.into_iter().fold(0.0, |a, b| a + b)),
    })
}

pub fn avg(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=usize::MAX, "requires at least 1 argument")?;
    let mut sum = 0.0;
    for i in 0..call.args.len() {
        sum += float(call, i)?;
    }
    Ok(Value::Float(sum / call.args.len() as f64))
}

/// The integer argument at `index`; a float is truncated.
pub fn truncated(call: &Call, index: usize) -> Result<BigInt, Fail> {
    Ok(match number(call, index)? {
        Number::Small(i) => BigInt::from(i),
        Number::Big(b) => b,
        Number::Float(x) => BigInt::from_f64(elementary::trunc(x)).unwrap_or_else(BigInt::zero),
    })
}

//! Functions on integers.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::diagnostics::Code;
use crate::library::args::{below, saturated, unit_float};
use crate::library::{Call, Fail};
use crate::value::{Value, normalize};

use super::arithmetic::{steps, truncated};
use super::{Number, number};

pub fn factorial(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let n = truncated(call, 0)?;
    if n.is_negative() {
        return call.wrong(Code::E8004, "requires non-negative integer");
    }
    // The result of a larger number would not fit into memory.
    match n.to_u32().filter(|n| *n <= 1_000_000) {
        Some(n) => Ok(normalize(call.offload_detached(u64::from(n) * 64, move || product(1, n.max(1)))?)),
        None => call.wrong(Code::E7010, "result is too large"),
    }
}

/// Product of all integers from `low` to `high`, by halves, so that factors are of similar size.
fn product(low: u32, high: u32) -> BigInt {
    if high - low < 16 {
        return (low..=high).fold(BigInt::one(), |a, b| a * b);
    }
    let middle = low + (high - low) / 2;
    product(low, middle) * product(middle + 1, high)
}

pub fn gcd(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    if let [Value::Int(a), Value::Int(b)] = call.args {
        let gcd = a.unsigned_abs().gcd(&b.unsigned_abs());
        return Ok(normalize(BigInt::from(gcd)));
    }
    let (a, b) = (truncated(call, 0)?, truncated(call, 1)?);
    let gcd = call.offload_detached(steps(&a, &b), move || a.gcd(&b))?;
    Ok(normalize(gcd))
}

pub fn lcm(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let (a, b) = (truncated(call, 0)?, truncated(call, 1)?);
    if a.is_zero() || b.is_zero() {
        return Ok(Value::Int(0));
    }
    let lcm = call.offload_detached(steps(&a, &b), move || a.lcm(&b).abs())?;
    Ok(normalize(lcm))
}

pub fn is_even(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Bool(truncated(call, 0)?.is_even()))
}

pub fn is_odd(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    Ok(Value::Bool(truncated(call, 0)?.is_odd()))
}

pub fn is_prime(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let n = truncated(call, 0)?;
    Ok(Value::Bool(match n.to_u64() {
        Some(n) => small_prime(n),
        None if n.is_negative() => false,
        // A modular power for each witness takes a product for each bit.
        None => {
            let steps = steps(&n, &n).saturating_mul(n.bits());
            call.offload_detached(steps, move || big_prime(&n))?
        }
    }))
}

/// Bases of the Miller-Rabin test, which decide every number below 3.3 · 10^24; beyond that no composite
/// number is known that passes them.
const WITNESSES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

fn small_prime(n: u64) -> bool {
    if n < 2 {
        return false;
    }
    for p in WITNESSES {
        if n.is_multiple_of(p) {
            return n == p;
        }
    }
    if n < 37 * 37 {
        return true;
    }
    let (odd, shift) = ((n - 1) >> (n - 1).trailing_zeros(), (n - 1).trailing_zeros());
    let times = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) % u128::from(n)) as u64;
    WITNESSES.iter().all(|base| {
        let (mut x, mut square, mut left) = (1, *base, odd);
        while left > 0 {
            if left & 1 == 1 {
                x = times(x, square);
            }
            square = times(square, square);
            left >>= 1;
        }
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..shift).any(|_| {
            x = times(x, x);
            x == n - 1
        })
    })
}

fn big_prime(n: &BigInt) -> bool {
    let n: BigUint = n.magnitude().clone();
    if WITNESSES.iter().any(|p| (&n % p).is_zero()) {
        return false;
    }
    let last = &n - 1u32;
    let shift = last.trailing_zeros().unwrap_or(0);
    let odd = &last >> shift;
    WITNESSES.iter().all(|base| {
        let mut x = BigUint::from(*base).modpow(&odd, &n);
        if x.is_one() || x == last {
            return true;
        }
        (1..shift).any(|_| {
            x = (&x * &x) % &n;
            x == last
        })
    })
}

pub fn random(call: &mut Call) -> Result<Value, Fail> {
    call.count(0..=2, "takes 0, 1, or 2 arguments")?;
    if call.args.is_empty() {
        return Ok(Value::Float(unit_float(call.runtime)));
    }
    let bounds: Vec<Value> = (0..call.args.len())
        .map(|i| match number(call, i)? {
            Number::Float(x) if x.is_nan() => Ok(Value::Int(0)),
            Number::Float(x) => Ok(Value::Int(x as i64)),
            other => Ok(other.value()),
        })
        .collect::<Result<_, _>>()?;
    let bounds: Vec<i64> = bounds.iter().filter_map(saturated).collect();
    match *bounds.as_slice() {
        [max] if max > 0 => Ok(Value::Int(below(call.runtime, max as u64) as i64)),
        [_] => call.wrong(Code::E8006, "max must be positive"),
        [low, high] if high > low => {
            let offset = below(call.runtime, high.wrapping_sub(low) as u64);
            Ok(Value::Int(low.wrapping_add(offset as i64)))
        }
        _ => call.wrong(Code::E8006, "max must be greater than min"),
    }
}

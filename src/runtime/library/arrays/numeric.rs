//! Sums, products and averages.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::diagnostics::Code;
use crate::library::{Call, Fail};
use crate::value::{Elems, ScalarKind, Type, Value, normalize, number_as_float};

use super::AN_ARRAY;

/// A reduction of numbers: sum or product.
struct Joining {
    /// The neutral element.
    start: i64,
    /// Reduces 64-bit numbers as far as fixed-size arithmetic can.
    small: fn(&[i64]) -> Vec<BigInt>,
    big: fn(BigInt, BigInt) -> BigInt,
    float: fn(f64, f64) -> f64,
}

const ADDING: Joining = Joining {
    start: 0,
    // 2^64 numbers of 64 bits do not overflow.
    small: |all| vec![BigInt::from(all.iter().map(|x| i128::from(*x)).sum::<i128>())],
    big: |a, b| a + b,
    float: |a, b| a + b,
};

const MULTIPLYING: Joining =
    Joining { start: 1, small: small_products, big: |a, b| a * b, float: |a, b| a * b };

/// Products of runs of neighbours that fit in 64 bits.
fn small_products(all: &[i64]) -> Vec<BigInt> {
    let (mut product, mut products) = (1i64, Vec::new());
    for factor in all {
        match product.checked_mul(*factor) {
            Some(both) => product = both,
            None => products.push(BigInt::from(std::mem::replace(&mut product, *factor))),
        }
    }
    products.push(BigInt::from(product));
    products
}

/// A reduced array; for integers the numbers that are left to be reduced.
enum Joined {
    Ints(Vec<BigInt>),
    Float(f64),
}

fn joined(data: &Elems, joining: &Joining) -> Option<Joined> {
    let numeric = |v: &Value| matches!(v, Value::Int(_) | Value::Float(_)) || v.as_bigint().is_some();
    let start = joining.start as f64;
    match data {
        Elems::Floats(v) => return Some(Joined::Float(v.iter().copied().fold(start, joining.float))),
        Elems::Ints(v) | Elems::Scalars(ScalarKind::Sized, v) => {
            return Some(Joined::Ints((joining.small)(v)));
        }
        Elems::Singles(_) => {}
        data if data.iter().all(|v| numeric(&v)) => {}
        _ => return None,
    }
    if data.iter().any(|v| matches!(v, Value::Float(_))) {
        let numbers = data.iter().map(|v| match v {
            Value::Float(x) => x,
            other => other.as_bigint().and_then(|b| b.to_f64()).unwrap_or(0.0),
        });
        return Some(Joined::Float(numbers.fold(start, joining.float)));
    }
    Some(Joined::Ints(data.iter().filter_map(|v| v.as_bigint()).collect()))
}

/// Reduces neighbours first, so that both operands are of similar size.
fn join(mut all: Vec<BigInt>, both: fn(BigInt, BigInt) -> BigInt) -> Option<BigInt> {
    while all.len() > 1 {
        let mut rest = all.into_iter();
        let mut pairs = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(first) = rest.next() {
            pairs.push(match rest.next() {
                Some(second) => both(first, second),
                None => first,
            });
        }
        all = pairs;
    }
    all.pop()
}

/// Reduces the only argument; `none` for an empty array.
fn total(
    call: &mut Call,
    joining: &'static Joining,
    none: impl FnOnce(&Call, &Type) -> Result<Value, Fail>,
) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    if array.data.is_empty() {
        return none(call, &array.elem);
    }
    let found = joined(&array.data, joining);
    drop(array);
    match found {
        Some(Joined::Ints(all)) => {
            let steps = all.iter().map(BigInt::bits).sum::<u64>();
            let number = call.offload_detached(steps, move || join(all, joining.big))?;
            Ok(number.map_or(Value::Nil, normalize))
        }
        Some(Joined::Float(x)) => Ok(Value::Float(x)),
        None => call.wrong(Code::E9002, "requires numeric array"),
    }
}

/// Reduces the only argument; the neutral element for an empty array.
fn fold(call: &mut Call, joining: &'static Joining) -> Result<Value, Fail> {
    total(call, joining, |call, elem| {
        let as_float = matches!(call.result, Type::Float(_)) || matches!(elem, Type::Float(_));
        Ok(if as_float { Value::Float(joining.start as f64) } else { Value::Int(joining.start) })
    })
}

pub fn sum(call: &mut Call) -> Result<Value, Fail> {
    fold(call, &ADDING)
}

pub fn product(call: &mut Call) -> Result<Value, Fail> {
    fold(call, &MULTIPLYING)
}

pub fn avg(call: &mut Call) -> Result<Value, Fail> {
    let sum = total(call, &ADDING, |call, _| call.wrong(Code::E9001Empty, "requires non-empty array"))?;
    let count = call.array(0, AN_ARRAY)?.borrow().data.len() as f64;
    Ok(Value::Float(number_as_float(&sum).unwrap_or(f64::INFINITY) / count))
}

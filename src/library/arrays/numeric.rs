//! Sums and the like.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::diagnostics::Code;
use crate::library::{Call, Fail};
use crate::value::{Elems, ScalarKind, Type, Value, normalize};

use super::AN_ARRAY;

/// The numbers of an array.
enum Numbers {
    Ints(BigInt),
    Float(f64),
}

fn total(
    data: &Elems,
    start: i64,
    int: impl Fn(&mut BigInt, BigInt),
    float: impl Fn(f64, f64) -> f64,
) -> Option<Numbers> {
    let numeric = |v: &Value| matches!(v, Value::Int(_) | Value::Float(_)) || v.as_bigint().is_some();
    match data {
        Elems::Floats(v) => return Some(Numbers::Float(v.iter().fold(start as f64, |a, b| float(a, *b)))),
        Elems::Ints(_) | Elems::Singles(_) | Elems::Scalars(_, ScalarKind::Sized(_)) => {}
        data if data.iter().all(|v| numeric(&v)) => {}
        _ => return None,
    }
    if data.iter().any(|v| matches!(v, Value::Float(_))) {
        let numbers = data.iter().map(|v| match v {
            Value::Float(x) => x,
            other => other.as_bigint().and_then(|b| b.to_f64()).unwrap_or(0.0),
        });
        return Some(Numbers::Float(numbers.fold(start as f64, float)));
    }
    let mut sum = BigInt::from(start);
    data.iter().filter_map(|v| v.as_bigint()).for_each(|x| int(&mut sum, x));
    Some(Numbers::Ints(sum))
}

fn fold(
    call: &mut Call,
    start: i64,
    int: fn(&mut BigInt, BigInt),
    float: fn(f64, f64) -> f64,
) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    if array.data.is_empty() {
        let as_float = matches!(call.result, Type::Float(_)) || matches!(*array.elem, Type::Float(_));
        return Ok(if as_float { Value::Float(start as f64) } else { Value::Int(start) });
    }
    match total(&array.data, start, int, float) {
        Some(Numbers::Ints(number)) => Ok(normalize(number)),
        Some(Numbers::Float(x)) => Ok(Value::Float(x)),
        None => call.wrong(Code::E9002, "requires numeric array"),
    }
}

pub fn sum(call: &mut Call) -> Result<Value, Fail> {
    if let [only] = call.args
        && let Some(array) = only.as_array()
        && let Elems::Ints(v) | Elems::Scalars(v, ScalarKind::Sized(_)) = &array.borrow().data
        && !v.is_empty()
    {
        let sum: i128 = v.iter().map(|x| i128::from(*x)).sum();
        return Ok(i64::try_from(sum).map_or_else(|_| normalize(BigInt::from(sum)), Value::Int));
    }
    fold(call, 0, |sum, x| *sum += x, |sum, x| sum + x)
}

pub fn product(call: &mut Call) -> Result<Value, Fail> {
    fold(call, 1, |product, x| *product *= x, |product, x| product * x)
}

pub fn avg(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, AN_ARRAY)?.borrow();
    let count = array.data.len() as f64;
    if array.data.is_empty() {
        return call.wrong(Code::E9001, "requires non-empty array");
    }
    match total(&array.data, 0, |sum, x| *sum += x, |sum, x| sum + x) {
        Some(Numbers::Ints(sum)) => Ok(Value::Float(sum.to_f64().unwrap_or(f64::INFINITY) / count)),
        Some(Numbers::Float(x)) => Ok(Value::Float(x / count)),
        None => call.wrong(Code::E9002, "requires numeric array"),
    }
}

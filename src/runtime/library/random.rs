//! `@random`: random numbers and choices.

use crate::diagnostics::Code;
use crate::value::{Elems, Value};

use super::args::{PART, TOO_LARGE, below, unit_float};
use super::arrays::{map_elems, same_kind, shuffle_elems};
use super::row::function;
use super::{Call, Fail, Module};

pub static MODULE: Module = Module {
    name: "random",
    doc: "Random numbers, choices and orders.",
    reserved_names: &[],
    outside: false,
    rows: &[
        function!("float" "(low num?, high num?) -> float",
            "A random float from low (0.0) up to, not including, high (1.0).";
            "random.float() < 1.0" => "true"; float),
        function!("int" "(low num, high num?) -> int",
            "A random integer below a maximum, or from low up to, not including, high.";
            "random.int(1), random.int(5, 6)" => "0 5"; int),
        function!("bool" "() -> bool", "True or false.";
        "typeof(random.bool())" => "bool";
        |call| {
            call.none()?;
            Ok(Value::Bool(below(call.runtime, 2) == 1))
        }),
        function!("byte" "() -> byte", "A random byte.";
        "typeof(random.byte())" => "byte";
        |call| {
            call.none()?;
            Ok(Value::Byte(below(call.runtime, 256) as u8))
        }),
        function!("char" "(low any?, high any?) -> char",
            "A random printable ASCII character, or one from low to high, both included.";
            { "println(random.char('a', 'z'))" => "" }; char, varying),
        function!("choice" "(a [T]) -> T", "A random element.";
            "random.choice({7})" => "7"; choice),
        function!("shuffle" "(a [T]) -> [T]", "A new array of the elements in random order.";
            "len(random.shuffle({1, 2, 3}))" => "3"; shuffle),
        function!("sample" "(a [T], count int) -> [T]",
            "A new array of elements from different random positions.";
            "len(random.sample({1, 2, 3}, 2))" => "2"; sample),
    ],
};

const GREATER: &str = "max must be greater than min";

/// A bound of a range; integers beyond 64 bits as floats.
enum Bound {
    Int(i64),
    Float(f64),
}

impl Bound {
    fn float(&self) -> f64 {
        match self {
            Bound::Int(i) => *i as f64,
            Bound::Float(x) => *x,
        }
    }
}

fn number(call: &Call, index: usize) -> Result<Bound, Fail> {
    match call.args.get(index) {
        Some(Value::Int(i)) => Ok(Bound::Int(*i)),
        Some(Value::Float(x)) => Ok(Bound::Float(*x)),
        Some(other) => match other.as_bigint() {
            Some(big) => Ok(Bound::Float(num_traits::ToPrimitive::to_f64(&big).unwrap_or(f64::INFINITY))),
            None => call.fail(Code::E7005, "expected number argument"),
        },
        None => call.fail(Code::E7005, "expected number argument"),
    }
}

fn float(call: &mut Call) -> Result<Value, Fail> {
    if call.args.is_empty() {
        return Ok(Value::Float(unit_float(call.runtime)));
    }
    call.count(2..=2, "takes 0 or 2 arguments")?;
    let (low, high) = (number(call, 0)?.float(), number(call, 1)?.float());
    if high <= low {
        return call.wrong(Code::E8006, GREATER);
    }
    Ok(Value::Float(low + unit_float(call.runtime) * (high - low)))
}

/// The integer part, if it fits in 64 bits.
fn whole(x: f64) -> Option<i64> {
    let x = libm::trunc(x);
    (-9.2e18..9.2e18).contains(&x).then_some(x as i64)
}

fn int(call: &mut Call) -> Result<Value, Fail> {
    call.count(1..=2, "takes 1 or 2 arguments")?;
    let first = number(call, 0)?;
    if call.args.len() == 1 {
        let limit = match first {
            Bound::Int(i) => Some(i),
            Bound::Float(x) => whole(x),
        };
        return match limit.filter(|limit| *limit > 0) {
            Some(limit) => Ok(Value::Int(below(call.runtime, limit as u64) as i64)),
            None => call.wrong(Code::E8006, "max must be positive"),
        };
    }
    let (low, span) = match (first, number(call, 1)?) {
        (Bound::Int(low), Bound::Int(high)) if high > low => (Some(low), Some(high.wrapping_sub(low) as u64)),
        (low, high) => {
            let (low, high) = (low.float(), high.float());
            let span = whole(high - low).filter(|span| *span > 0);
            (whole(low), span.and_then(|span| u64::try_from(span).ok()))
        }
    };
    match (low, span) {
        (Some(low), Some(span)) => Ok(Value::Int(low.wrapping_add(below(call.runtime, span) as i64))),
        _ => call.wrong(Code::E8006, GREATER),
    }
}

fn char(call: &mut Call) -> Result<Value, Fail> {
    if call.args.is_empty() {
        return Ok(Value::Char((32 + below(call.runtime, 95) as u8) as char));
    }
    call.count(2..=2, "takes 0 or 2 arguments")?;
    let mut codes = [0i64; 2];
    for (slot, value) in codes.iter_mut().zip(call.args) {
        *slot = match value {
            Value::Char(c) => i64::from(*c as u32),
            Value::Int(i) => *i,
            _ => return call.wrong(Code::E7003, "requires char or integer arguments"),
        };
    }
    let [low, high] = codes.map(|c| c.clamp(0, 0x10_FFFF));
    if high <= low {
        return call.wrong(Code::E8006, GREATER);
    }
    let code = low as u64 + below(call.runtime, (high - low) as u64 + 1);
    let found = u32::try_from(code).ok().and_then(char::from_u32);
    Ok(Value::Char(found.unwrap_or('\u{FFFD}')))
}

fn choice(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, "requires an array argument")?;
    let length = array.borrow().data.len();
    if length == 0 {
        return call.wrong(Code::E9007, "cannot select from empty array");
    }
    let at = below(call.runtime, length as u64) as usize;
    Ok(array.borrow().data.get(at).unwrap_or_default())
}

fn shuffle(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, "requires an array argument")?;
    call.room(array.borrow().data.len() as u64, PART, TOO_LARGE)?;
    let mut data = array.borrow().data.clone();
    shuffle_elems(&mut data, call.runtime)?;
    Ok(same_kind(&array.borrow(), data))
}

fn sample(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let array = call.array(0, "requires an array as first argument")?;
    let count = call.index(1, "requires an integer as second argument")?;
    let Ok(count) = usize::try_from(count) else {
        return call.wrong(Code::E10001, "count cannot be negative");
    };
    let size = array.borrow().data.len();
    if count > size {
        return call.wrong(Code::E9008, "count exceeds array length");
    }
    call.room(size as u64, size_of::<i64>() as u64 + PART, TOO_LARGE)?;
    let mut places = Elems::Ints((0..size as i64).collect());
    shuffle_elems(&mut places, call.runtime)?;
    let array = array.borrow();
    let Elems::Ints(places) = places else { return Ok(Value::Nil) };
    let chosen = places.iter().take(count).filter_map(|i| usize::try_from(*i).ok());
    Ok(same_kind(&array, map_elems!(&array.data, v => chosen.filter_map(|i| v.get(i).cloned()).collect())))
}

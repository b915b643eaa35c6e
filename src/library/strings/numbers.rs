//! Parsing numbers and booleans.

use num_bigint::BigInt;

use crate::diagnostics::Code;
use crate::library::{Call, Fail};
use crate::value::{Value, parse_float};

use super::only;

fn unparsed<T>(call: &Call, text: &str, what: &str) -> Result<T, Fail> {
    call.wrong(Code::E7014, &format!("cannot parse \"{text}\" as {what}"))
}

pub fn to_int(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    let text = s.trim();
    if let Ok(small) = text.parse::<i64>() {
        return Ok(Value::Int(small));
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return unparsed(call, s, "integer");
    }
    let number = text.strip_prefix('+').unwrap_or(text);
    // Quadratic in the number of 64-bit digits, which are 19 decimal digits each.
    let steps = (number.len() as u64 / 19).pow(2);
    let number = number.to_string();
    match call.offload_detached(steps, move || number.parse::<BigInt>())? {
        Ok(number) => Ok(Value::integer(number)),
        Err(_) => unparsed(call, s, "integer"),
    }
}

pub fn to_float(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    match parse_float(s.trim()) {
        Some(x) => Ok(Value::Float(x)),
        None => unparsed(call, s, "float"),
    }
}

pub fn to_bool(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    match s.trim().to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(Value::Bool(true)),
        "false" | "0" | "no" | "off" => Ok(Value::Bool(false)),
        _ => unparsed(call, s, "boolean"),
    }
}

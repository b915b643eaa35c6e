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
    // Some nanoseconds for each digit.
    let (steps, number) = (number.len() as u64 * 64, number.to_string());
    Ok(Value::integer(call.offload_detached(steps, move || decimal(&number))?))
}

/// Number of digits from which on a number is parsed in two halves.
const HALVED: usize = 1 << 12;

/// The number that a text of ASCII digits stands for, which may have a minus sign.
fn decimal(text: &str) -> BigInt {
    match text.strip_prefix('-') {
        Some(digits) => -decimal(digits),
        None => {
            // The powers of ten for halves of all sizes, smallest first.
            let mut powers = vec![BigInt::from(10).pow(HALVED as u32)];
            while let Some(last) = powers.last().filter(|_| HALVED << powers.len() < text.len()) {
                powers.push(last * last);
            }
            digits(text, &powers)
        }
    }
}

/// Like [`decimal`], without a sign. Multiplying halves takes less than quadratic time, unlike parsing.
fn digits(text: &str, powers: &[BigInt]) -> BigInt {
    let Some((power, smaller)) = powers.split_last() else { return text.parse().unwrap_or_default() };
    match text.len().checked_sub(HALVED << smaller.len()).and_then(|at| text.split_at_checked(at)) {
        Some((high, low)) => digits(high, smaller) * power + digits(low, smaller),
        None => digits(text, smaller),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_parsed_in_halves() {
        for length in [1, HALVED - 1, HALVED, HALVED + 1, 2 * HALVED, 5 * HALVED + 17, 9 * HALVED] {
            let text: String = "9070001234".chars().cycle().take(length).collect();
            let wanted: BigInt = text.parse().expect("digits");
            assert_eq!(decimal(&text), wanted, "{length} digits");
            assert_eq!(decimal(&format!("-{text}")), -wanted);
        }
    }
}

//! Floats from text, and `f32` as text.

use super::heap::Value;
use super::types::{FloatKind, Type};

/// A value of type `ty` as its text has to show it. An `f32` is kept as a wider float, whose digits are more than the
/// `f32` has: it becomes the float with the shortest digits that give the same `f32`.
pub fn shown_as(ty: &Type, value: Value) -> Value {
    match value {
        Value::Float(x) if *ty == Type::Float(FloatKind::F32) => {
            Value::Float(format!("{:e}", x as f32).parse().unwrap_or(x))
        }
        other => other,
    }
}

/// Parses a float: decimal, or hexadecimal with a binary exponent; single underscores between digits; `inf`,
/// `infinity`, `nan`. `None` if the text is not a float, or the number is too large.
pub fn parse_float(text: &str) -> Option<f64> {
    let (negative, body) = match text.strip_prefix(['+', '-']) {
        Some(body) => (text.starts_with('-'), body),
        None => (false, text),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    match body.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" if body.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    let plain = without_underscores(body)?;
    let value = match plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits)?,
        // Only digits are left: Rust's parser accepts words, too.
        None if plain.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) => plain.parse().ok()?,
        None => return None,
    };
    if f64::is_infinite(value) { None } else { Some(sign * value) }
}

/// Removes underscores; `None` if one is not between two digits.
fn without_underscores(text: &str) -> Option<String> {
    if !text.contains('_') {
        return Some(text.to_string());
    }
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let digit = |b: Option<&u8>| {
        b.is_some_and(|b| if hexadecimal { b.is_ascii_hexdigit() } else { b.is_ascii_digit() })
    };
    let bytes = text.as_bytes();
    let fits = bytes.iter().enumerate().filter(|(_, b)| **b == b'_').all(|(i, _)| {
        digit(i.checked_sub(1).and_then(|before| bytes.get(before))) && digit(bytes.get(i + 1))
    });
    fits.then(|| text.replace('_', ""))
}

fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i64 = match exponent.strip_prefix('+') {
        Some(digits) if digits.starts_with('-') => return None,
        Some(digits) => digits.parse().ok()?,
        None => exponent.parse().ok()?,
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    exponent = exponent.checked_sub(4 * i64::try_from(fraction.len()).ok()?)?;
    let mut bits: u128 = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u128::from(digit.to_digit(16)?);
        if bits >> 120 == 0 {
            bits = (bits << 4) | digit;
        } else {
            // Beyond the precision of a float: only whether all of these are 0 matters for rounding.
            bits |= u128::from(digit != 0);
            exponent += 4;
        }
    }
    let exponent = i32::try_from(exponent.clamp(-5000, 5000)).ok()?;
    Some(scaled(bits, exponent))
}

/// `bits · 2^exponent`, rounded once.
fn scaled(bits: u128, exponent: i32) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let width = 128 - bits.leading_zeros() as i32;
    // Exponent of the last bit that the result can represent.
    let last = (exponent + width - 53).max(-1074);
    let drop = last - exponent;
    let kept = if drop <= 0 {
        bits as f64
    } else if drop > 127 {
        0.0
    } else {
        let (high, rest, half) = (bits >> drop, bits & ((1 << drop) - 1), 1u128 << (drop - 1));
        let up = rest > half || (rest == half && high & 1 == 1);
        (high + u128::from(up)) as f64
    };
    let mut result = kept;
    let mut left = if drop <= 0 { exponent } else { last };
    // Powers outside the range of a float are applied in steps without rounding.
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        result *= 2f64.powi(step);
        left -= step;
        if result == 0.0 || result.is_infinite() {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_parsed() {
        for (text, wanted) in [
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1e5", Some(1e5)),
            ("0x1p4", Some(16.0)),
            ("0x1.8p-1", Some(0.75)),
            ("0x1p-1074", Some(5e-324)),
            ("0x1p-1076", Some(0.0)),
            ("1_000.5", Some(1000.5)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("1e400", None),
            ("0x1p2000", None),
            ("1__0", None),
            ("_1", None),
            ("0x10", None),
            ("", None),
            (".", None),
            ("+nan", None),
            ("1e", None),
        ] {
            assert_eq!(parse_float(text), wanted, "{text}");
        }
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
    }

    #[test]
    fn an_f32_has_its_own_digits() {
        let single = Type::Float(FloatKind::F32);
        for (x, digits) in
            [(0.1f32, 0.1f64), (3.3, 3.3), (1e30, 1e30), (16777216.0, 16777216.0), (-0.5, -0.5)]
        {
            assert!(
                matches!(shown_as(&single, Value::Float(f64::from(x))), Value::Float(y) if y == digits),
                "{x}"
            );
        }
        let wide = f64::from(0.1f32);
        assert!(matches!(shown_as(&Type::FLOAT, Value::Float(wide)), Value::Float(y) if y == wide));
        assert!(matches!(shown_as(&single, Value::Float(f64::NAN)), Value::Float(y) if y.is_nan()));
        assert!(matches!(shown_as(&single, Value::Float(f64::INFINITY)), Value::Float(f64::INFINITY)));
        assert!(matches!(shown_as(&single, Value::Nil), Value::Nil));
    }
}

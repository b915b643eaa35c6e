//! The conversions `int(x)`, `string(x)`, `u8(x)`… and `cast`
//! (docs/language/expressions.md#conversions).

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

use crate::diagnostics::Code;
use crate::library::{ROUNDS, poll_interrupt, write_display};
use crate::source::Span;
use crate::value::{
    FloatKind, Heap, IntKind, Type, Value, bounds_text, display, fit_integer, float_text_bare, inspect,
    parse_float, shown_as,
};

use super::vm::{NativeCallSite, Pending, Stop, Vm};

type Outcome = Result<Value, (Code, String)>;

/// `to(value)`; `from` is the value's static type.
pub fn convert(vm: &mut Vm, value: &Value, from: &Type, to: &Type, at: Span) -> Result<Value, Stop> {
    let value = value.follow();
    let outcome = match to {
        Type::Int(IntKind::Int) => to_int(&value),
        Type::Int(kind) => to_sized(&value, *kind),
        Type::Float(FloatKind::Float) => to_float(&value),
        Type::Float(kind) => to_sized_float(&value, *kind),
        Type::Str => Ok(to_string(&value, from)),
        Type::Char => to_char(&value),
        Type::Byte => to_byte(&value),
        other => Err((Code::E3001, format!("unknown cast target type: {other}"))),
    };
    outcome.or_else(|(code, message)| vm.fail(code, message, at))
}

/// `cast(array, [T])`, element by element into a new array.
pub fn convert_array(vm: &mut Vm, value: &Value, to: &Type, at: Span) -> Result<Value, Stop> {
    let value = value.follow();
    let elem = to.elem().cloned().unwrap_or(Type::Any);
    let Some(array) = value.as_array() else {
        let message = format!("cast to array type requires array value, got {}", value.typeof_name());
        return vm.fail(Code::E3001, message, at);
    };
    let items: Vec<Value> = array.borrow().data.iter().collect();
    let mut converted = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        if i % ROUNDS as usize == ROUNDS as usize - 1
            && let Err(fail) = poll_interrupt(vm)
        {
            return vm.set_pending_failure(fail, at);
        }
        match convert(vm, item, &Type::Any, &elem, at) {
            Ok(value) => converted.push(value),
            Err(Stop) => {
                if let Pending::Error(error) = &mut vm.pending {
                    error.message = format!("cast failed at index {i}: {}", error.message);
                }
                return Err(Stop);
            }
        }
    }
    Ok(Value::array(&elem, converted))
}

/// The text of a value as `print` writes it. The program can be paused while a long one is written.
pub fn display_text(vm: &mut Vm, value: &Value, site: NativeCallSite) -> Result<String, Stop> {
    let (_, _, at) = site;
    vm.native_at = Some(site);
    let mut text = String::new();
    match write_display(vm, &mut text, value) {
        Ok(()) => Ok(text),
        Err(fail) => vm.set_pending_failure(fail, at),
    }
}

fn to_string(value: &Value, from: &Type) -> Value {
    if value.as_str().is_some() {
        return value.clone();
    }
    Value::str(display(&shown_as(from, value.plain())))
}

fn is_enum(value: &Value) -> bool {
    matches!(value, Value::Ref(r) if matches!(&**r, Heap::Enum(_)))
}

/// The error for an enum whose underlying value cannot become a number.
fn no_number(inner: &Value, target: &str) -> (Code, String) {
    let shown = inspect(inner);
    (Code::E7005, format!("cannot convert enum value {shown} to {target}: underlying value is not numeric"))
}

fn to_int(value: &Value) -> Outcome {
    if is_enum(value) {
        let inner = value.plain();
        return match (&inner, inner.as_str().and_then(parse_decimal)) {
            (Value::Float(_), _) => to_int(&inner),
            (_, Some(number)) => Ok(Value::integer(number)),
            (_, None) if inner.as_bigint().is_some() => Ok(inner),
            (_, None) => Err(no_number(&inner, "int")),
        };
    }
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Float(x) => float_to_int(*x),
        Value::Char(c) => Ok(Value::Int(i64::from(*c as u32))),
        Value::Byte(b) => Ok(Value::Int(i64::from(*b))),
        _ if value.as_bigint().is_some() => Ok(value.clone()),
        _ => match value.as_str() {
            Some(text) => text_to_int(text),
            None if value.as_array().is_some() => Err((Code::E7014, array_hint("int", "integers"))),
            None => Err((Code::E7014, format!("cannot convert {} to int", value.typeof_name()))),
        },
    }
}

fn float_to_int(x: f64) -> Outcome {
    if x.is_nan() {
        return Err((Code::E7033, "cannot convert NaN to int".into()));
    }
    if x.is_infinite() {
        return Err((Code::E7033, "cannot convert Inf to int".into()));
    }
    let whole = libm::trunc(x);
    // 2^63 is exact as a float, and is the first that does not fit.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole) {
        return Ok(Value::Int(whole as i64));
    }
    Err((Code::E7033, format!("float-to-int overflow: {} exceeds int64 range", float_text_bare(x))))
}

fn text_to_int(text: &str) -> Outcome {
    match parse_decimal(text) {
        Some(number) if number.to_i64().is_some() => Ok(Value::integer(number)),
        Some(_) => Err((
            Code::E7033,
            format!(
                "integer overflow: {} exceeds int64 range (-9223372036854775808 to 9223372036854775807)",
                quoted(text)
            ),
        )),
        None => Err((
            Code::E7014,
            format!(
                "cannot convert {} to int: invalid integer format\n\nThe string must contain only digits (0-9), optionally with:\n  - A leading + or - sign\n  - Underscores for readability (e.g., \"100_000\")\n\nExamples of valid integers:\n  \"42\", \"-123\", \"1_000_000\"",
                quoted(text)
            ),
        )),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    crate::value::inspect_string(&mut out, text);
    out
}

/// Parses an optional sign and decimal digits; underscores are ignored.
fn parse_decimal(text: &str) -> Option<BigInt> {
    let bare: String = text.chars().filter(|c| *c != '_').collect();
    let digits = bare.strip_prefix(['+', '-']).unwrap_or(&bare);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    bare.parse().ok()
}

fn array_hint(target: &str, plural: &str) -> String {
    format!(
        "cannot convert ARRAY to {target}\n\nArrays cannot be directly converted to {plural}.\nHint: If you want the array length, use len() instead:\n    len(myArray)  // returns the number of elements"
    )
}

fn to_float(value: &Value) -> Outcome {
    if is_enum(value) {
        let inner = value.plain();
        return match inner.as_str().and_then(float_of) {
            Some(x) => Ok(Value::Float(x)),
            None if matches!(inner, Value::Float(_)) || inner.as_bigint().is_some() => to_float(&inner),
            None => Err(no_number(&inner, "float")),
        };
    }
    match value {
        Value::Float(_) => Ok(value.clone()),
        Value::Int(i) => Ok(Value::Float(*i as f64)),
        _ => {
            if let Some(big) = value.as_bigint() {
                return Ok(Value::Float(big.to_f64().unwrap_or(f64::NAN)));
            }
            if let Some(text) = value.as_str() {
                return match float_of(text) {
                    Some(x) => Ok(Value::Float(x)),
                    None => Err((
                        Code::E7014,
                        format!(
                            "cannot convert {} to float: invalid float format\n\nThe string must be a valid floating-point number with:\n  - Optional leading + or - sign\n  - Digits with optional decimal point\n  - Underscores for readability (e.g., \"3.14_159\")\n  - Optional scientific notation (e.g., \"1.5e10\")\n\nExamples of valid floats:\n  \"3.14\", \"-2.5\", \"1_000.50\", \"1.5e10\"",
                            quoted(text)
                        ),
                    )),
                };
            }
            if value.as_array().is_some() {
                return Err((Code::E7014, array_hint("float", "floating-point numbers")));
            }
            Err((Code::E7014, format!("cannot convert {} to float", value.typeof_name())))
        }
    }
}

/// Parses a float; underscores are ignored.
fn float_of(text: &str) -> Option<f64> {
    parse_float(&text.replace('_', ""))
}

fn to_char(value: &Value) -> Outcome {
    let code_point = |number: Option<BigInt>, shown: String| match number
        .and_then(|n| n.to_u32())
        .filter(|n| *n <= 0x10_FFFF)
    {
        Some(n) => Ok(Value::Char(char::from_u32(n).unwrap_or('\u{FFFD}'))),
        None => Err((
            Code::E7014,
            format!(
                "cannot convert {shown} to char: value must be a valid Unicode code point (0 to 0x10FFFF)"
            ),
        )),
    };
    match value {
        Value::Char(_) => Ok(value.clone()),
        Value::Byte(b) => Ok(Value::Char(char::from(*b))),
        Value::Float(x) => code_point(BigInt::from_f64(libm::trunc(*x)), inspect(value)),
        _ => {
            if let Some(number) = value.as_bigint() {
                return code_point(Some(number), inspect(value));
            }
            if let Some(text) = value.as_str() {
                let mut chars = text.chars();
                return match (chars.next(), chars.next()) {
                    (Some(c), None) => Ok(Value::Char(c)),
                    _ => Err((
                        Code::E7014,
                        format!(
                            "cannot convert {} to char: string must be exactly one character",
                            quoted(text)
                        ),
                    )),
                };
            }
            Err((Code::E7014, format!("cannot convert {} to char", value.typeof_name())))
        }
    }
}

fn to_byte(value: &Value) -> Outcome {
    let range = "value must be between 0 and 255";
    let number = match value {
        Value::Byte(_) => return Ok(value.clone()),
        Value::Char(c) => {
            return u8::try_from(*c as u32)
                .map(Value::Byte)
                .map_err(|_| (Code::E7014, format!("cannot convert char '{c}' to byte: {range}")));
        }
        Value::Float(x) => BigInt::from_f64(libm::trunc(*x)),
        _ => match value.as_str() {
            Some(text) => match parse_decimal(text) {
                Some(number) => Some(number),
                None => {
                    let message = format!("cannot convert {} to byte: invalid integer format", quoted(text));
                    return Err((Code::E7014, message));
                }
            },
            None => match value.as_bigint() {
                Some(number) => Some(number),
                None => return Err((Code::E7014, format!("cannot convert {} to byte", value.typeof_name()))),
            },
        },
    };
    match number.and_then(|n| n.to_u8()) {
        Some(b) => Ok(Value::Byte(b)),
        None => Err((Code::E7014, format!("cannot convert {} to byte: {range}", inspect(value)))),
    }
}

fn kind_word(value: &Value) -> String {
    match value {
        Value::Nil => "NIL".into(),
        Value::Bool(_) => "BOOLEAN".into(),
        Value::Ref(r) => match &**r {
            Heap::Enum(_) => "ENUM_VALUE".into(),
            Heap::Array(_) => "ARRAY".into(),
            Heap::Map(_) => "MAP".into(),
            Heap::Struct(_) => "STRUCT".into(),
            Heap::Range(_) => "RANGE".into(),
            _ => value.typeof_name(),
        },
        _ => value.typeof_name(),
    }
}

fn to_sized(value: &Value, kind: IntKind) -> Outcome {
    let name = kind.name();
    let number = match value {
        Value::Float(x) if x.is_nan() => return Err((Code::E7033, format!("cannot convert NaN to {name}"))),
        Value::Float(x) if x.is_infinite() => {
            return Err((Code::E7033, format!("cannot convert Inf to {name}")));
        }
        Value::Float(x) => BigInt::from_f64(libm::trunc(*x)).unwrap_or_default(),
        Value::Byte(b) => BigInt::from(*b),
        Value::Char(c) => BigInt::from(*c as u32),
        _ => match (value.as_bigint(), value.as_str()) {
            (Some(number), _) => number,
            (None, Some(text)) => match parse_decimal(text) {
                Some(number) => number,
                None => {
                    let message =
                        format!("cannot convert {} to {name}: invalid integer format", quoted(text));
                    return Err((Code::E7014, message));
                }
            },
            (None, None) => {
                return Err((Code::E7014, format!("cannot convert {} to {name}", kind_word(value))));
            }
        },
    };
    if fit_integer(kind, &number).is_ok() {
        return Ok(Value::integer(number));
    }
    let bounds = match kind {
        IntKind::I8
        | IntKind::I16
        | IntKind::I32
        | IntKind::U8
        | IntKind::U16
        | IntKind::U32
        | IntKind::U64 => {
            format!(" ({})", bounds_text(kind))
        }
        _ => String::new(),
    };
    Err((Code::E3022, format!("value {number} out of {name} range{bounds}")))
}

fn to_sized_float(value: &Value, kind: FloatKind) -> Outcome {
    let x = match value {
        Value::Byte(b) => f64::from(*b),
        Value::Char(c) => f64::from(*c as u32),
        Value::Float(x) => *x,
        _ => match (value.as_bigint(), value.as_str()) {
            (Some(number), _) => number.to_f64().unwrap_or(f64::NAN),
            (None, Some(text)) => match float_of(text) {
                Some(x) => x,
                None => {
                    let message =
                        format!("cannot convert {} to {}: invalid float format", quoted(text), kind.name());
                    return Err((Code::E7014, message));
                }
            },
            (None, None) => {
                return Err((Code::E7014, format!("cannot convert {} to {}", kind_word(value), kind.name())));
            }
        },
    };
    Ok(Value::Float(if kind == FloatKind::F32 { f64::from(x as f32) } else { x }))
}

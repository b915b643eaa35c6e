//! The functions; a function's name tells the type and the byte order.

use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};

use crate::diagnostics::Code;
use crate::library::args::{bad, byte_array, good};
use crate::library::{Call, Fail};
use crate::value::{Elems, IntKind, Type, Value, bounds_text, fit_integer, normalize};

/// The encoding that a function's name tells: type, number of bytes, byte order.
struct NumberFormat {
    ty: Type,
    size: usize,
    little: bool,
}

fn form(call: &Call) -> NumberFormat {
    let type_name = call.name.split('_').nth(1).unwrap_or_default();
    let bits = type_name.get(1..).and_then(|bits| bits.parse::<usize>().ok()).unwrap_or(8);
    let ty = Type::primitive(type_name).unwrap_or(Type::INT);
    NumberFormat { ty, size: bits / 8, little: call.name.contains("little") }
}

impl NumberFormat {
    /// The bytes in this byte order; `bytes` has the lowest first.
    fn ordered(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if !self.little {
            bytes.reverse();
        }
        bytes
    }
}

pub fn encode(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let number = match call.args.first() {
        Some(Value::Byte(b)) => Some(BigInt::from(*b)),
        Some(Value::Float(x)) => BigInt::from_f64(libm::trunc(*x)),
        Some(other) => other.as_bigint(),
        None => None,
    };
    let Some(number) = number else { return call.wrong(Code::E7004, "requires an integer argument") };
    let form = form(call);
    let kind = if let Type::Int(kind) = form.ty { kind } else { IntKind::Int };
    if fit_integer(kind, &number).is_err() {
        let ty = &form.ty;
        let text = match form.size {
            1 => format!("value {number} out of {ty} range ({})", bounds_text(kind)),
            2..=8 => format!("value {number} out of {ty} range"),
            _ => format!("value out of {ty} range"),
        };
        return bad(Value::Nil, Code::E3022, &text);
    }
    let mut bytes = number.to_signed_bytes_le();
    bytes.resize(form.size, if number.sign() == Sign::Minus { 255 } else { 0 });
    good(byte_array(form.ordered(bytes)))
}

pub fn encode_float(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let number = match call.args.first() {
        Some(Value::Float(x)) => Some(*x),
        Some(other) => other.as_bigint().and_then(|b| b.to_f64()),
        None => None,
    };
    let Some(x) = number else {
        return call.wrong(Code::E7004, "requires a float or integer argument");
    };
    let form = form(call);
    let bytes = if form.size == 4 { (x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() };
    good(byte_array(form.ordered(bytes)))
}

/// The bytes of the argument, or code and message of the `Error` to return.
fn bytes(call: &Call, size: usize) -> Result<Vec<u8>, (Code, String)> {
    let name = call.qualified();
    let Some(array) = call.args.first().and_then(Value::as_array) else {
        return Err((Code::E7002, format!("{name}() requires a byte array argument")));
    };
    let array = array.borrow();
    let length = array.data.len();
    if length != size {
        return Err((Code::E7010, format!("{name}() requires exactly {size} bytes, got {length}")));
    }
    if let Elems::Bytes(bytes) = &array.data {
        return Ok(bytes.clone());
    }
    let found = array.data.iter().enumerate().map(|(i, value)| match (&value, value.as_bigint()) {
        (Value::Byte(b), _) => Ok(*b),
        (_, Some(number)) => u8::try_from(&number)
            .map_err(|_| (Code::E3022, format!("{name}() byte at index {i} out of range (0-255)"))),
        _ => Err((Code::E7002, format!("{name}() requires a byte array"))),
    });
    found.collect()
}

pub fn decode(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let form = form(call);
    let bytes = match bytes(call, form.size) {
        Ok(bytes) => form.ordered(bytes),
        Err((code, text)) => return bad(Value::Nil, code, &text),
    };
    let number = match form.ty {
        Type::Float(_) => {
            let single = <[u8; 4]>::try_from(bytes.as_slice()).map(|b| f64::from(f32::from_le_bytes(b)));
            let double = <[u8; 8]>::try_from(bytes.as_slice()).map(f64::from_le_bytes);
            Value::Float(single.or(double).unwrap_or(0.0))
        }
        Type::Int(kind) if kind.signed() => normalize(BigInt::from_signed_bytes_le(&bytes)),
        _ => normalize(BigInt::from_bytes_le(Sign::Plus, &bytes)),
    };
    good(number)
}

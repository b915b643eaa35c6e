//! Conversions between bytes and strings, hexadecimal, Base64 and integers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::diagnostics::Code;
use crate::library::args::{bad, byte_array, good};
use crate::library::encoding::{decode_base64, decode_hex};
use crate::library::{Call, Fail};
use crate::text::text_from;
use crate::value::{Elems, Type, Value};

use super::{AN_ARGUMENT, bytes};

const A_STRING: &str = "requires a string argument";

pub fn from_array(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(array)")?;
    let array = call.array(0, "requires an array argument")?.borrow();
    let mut found = Vec::with_capacity(array.data.len());
    for (i, value) in array.data.iter().enumerate() {
        if let Value::Byte(b) = value {
            found.push(b);
            continue;
        }
        match (&value, value.as_bigint()) {
            (Value::Int(b @ 0..=255), _) => found.push(*b as u8),
            (_, Some(number)) => match u8::try_from(&number) {
                Ok(b) => found.push(b),
                Err(_) => {
                    let text = format!("element {i} value {number} out of range (0-255)");
                    return call.wrong(Code::E3022, &text);
                }
            },
            _ => return call.wrong(Code::E7004, &format!("element {i} must be an integer")),
        }
    }
    Ok(byte_array(found))
}

pub fn from_string(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(string)")?;
    Ok(byte_array(call.text(0, A_STRING)?.as_bytes().to_vec()))
}

pub fn from_hex(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(hex string)")?;
    match decode_hex(call.text(0, A_STRING)?) {
        Ok(bytes) => good(byte_array(bytes)),
        Err(reason) => {
            bad(Value::Nil, Code::E7014, &format!("bytes.from_hex() invalid hex string: {reason}"))
        }
    }
}

pub fn from_base64(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(base64 string)")?;
    match decode_base64(call.text(0, A_STRING)?) {
        Ok(bytes) => good(byte_array(bytes)),
        Err(reason) => {
            bad(Value::Nil, Code::E7014, &format!("bytes.from_base64() invalid base64 string: {reason}"))
        }
    }
}

/// The bytes of the only argument as text, by `show`; `growth`: bytes of text for each byte.
fn shown(call: &mut Call, growth: u64, show: fn(Vec<u8>) -> String) -> Result<Value, Fail> {
    call.exactly(1, "(bytes)")?;
    let bytes = bytes(call, 0)?;
    call.room(bytes.len() as u64, growth, "size too large")?;
    Ok(Value::str(call.offload(bytes.len() as u64 * 4, || show(bytes))?))
}

pub fn to_string(call: &mut Call) -> Result<Value, Fail> {
    shown(call, 3, text_from)
}

pub fn to_array(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "(bytes)")?;
    let array = call.array(0, AN_ARGUMENT)?.borrow();
    call.room(array.data.len() as u64, size_of::<i64>() as u64, "size too large")?;
    if let Elems::Bytes(bytes) = &array.data {
        let numbers = bytes.iter().map(|b| i64::from(*b)).collect();
        return Ok(Value::array_of(&Type::INT, Elems::Ints(numbers)));
    }
    let mut numbers = Elems::for_type(&Type::INT);
    for value in array.data.iter() {
        match (&value, value.as_bigint()) {
            (Value::Byte(b), _) => numbers.push(Value::Int(i64::from(*b))),
            (_, Some(_)) => numbers.push(value),
            _ => return call.wrong(Code::E7002, "requires a byte array"),
        }
    }
    Ok(Value::array_of(&Type::INT, numbers))
}

pub fn to_hex(call: &mut Call) -> Result<Value, Fail> {
    shown(call, 2, hex::encode)
}

pub fn to_hex_upper(call: &mut Call) -> Result<Value, Fail> {
    shown(call, 2, hex::encode_upper)
}

pub fn to_base64(call: &mut Call) -> Result<Value, Fail> {
    shown(call, 2, |bytes| STANDARD.encode(bytes))
}

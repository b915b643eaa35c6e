//! Decoding JSON to values of declared types. A value that does not fit becomes the type's zero value.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::FromPrimitive;

use crate::value::{
    Array, Elems, Heap, IntKind, OrderedMap, StructDef, Type, Value, convert, fit_integer, float_text,
    member_equal, normalize,
};

use super::encode::keys;
use super::reader::{JsonReader, Kind, NumberLiteral, Syntax, Watch, check, nested};

/// Decodes a JSON object (or null) as a struct.
///
/// # Errors
/// The syntax error; any text if `watch` ended the reading.
pub fn decode(text: &str, def: &Rc<StructDef>, watch: Watch) -> Result<Value, Syntax> {
    let mut reader = JsonReader::new(text, watch);
    let value = match reader.kind()? {
        Kind::Object => structure(&mut reader, def)?,
        Kind::Null => {
            reader.word("null")?;
            Value::structure(def, def.fields().iter().map(|field| zero(&field.ty)))
        }
        _ => {
            let kind = match check(text)? {
                Kind::Array => "array",
                Kind::String => "string",
                Kind::Number => "number",
                _ => "bool",
            };
            return Err(format!("expected an object, got {kind}"));
        }
    };
    reader.end()?;
    Ok(value)
}

/// Decodes JSON without an expected type.
///
/// # Errors
/// The syntax error; any text if `watch` ended the reading.
pub fn dynamic(text: &str, watch: Watch) -> Result<Value, Syntax> {
    let mut reader = JsonReader::new(text, watch);
    let value = value(&mut reader, &Type::Any)?;
    reader.end()?;
    Ok(value)
}

fn zero(ty: &Type) -> Value {
    match ty {
        Type::Int(_) => Value::Int(0),
        Type::Float(_) => Value::Float(0.0),
        Type::Str => Value::str(""),
        Type::Bool => Value::Bool(false),
        Type::Char => Value::Char('\0'),
        Type::Byte => Value::Byte(0),
        _ => Value::Nil,
    }
}

fn value(reader: &mut JsonReader, ty: &Type) -> Result<Value, Syntax> {
    reader.made()?;
    Ok(match reader.kind()? {
        Kind::Object => nested(|| match ty {
            Type::Struct(def) => structure(reader, def),
            Type::Map(key, val) if matches!(**key, Type::Str | Type::Any) => map(reader, key, val),
            Type::Any => map(reader, &Type::Str, &Type::Any),
            _ => unfit(reader, ty),
        })?,
        Kind::Array => nested(|| match ty {
            Type::Array(elem, _) => array(reader, elem),
            Type::Any => array(reader, &Type::Any),
            _ => unfit(reader, ty),
        })?,
        Kind::String => from_string(&reader.string()?, ty),
        Kind::Number => from_number(&reader.number()?, ty),
        Kind::True => {
            reader.word("true")?;
            from_bool(true, ty)
        }
        Kind::False => {
            reader.word("false")?;
            from_bool(false, ty)
        }
        Kind::Null => {
            reader.word("null")?;
            zero(ty)
        }
    })
}

fn unfit(reader: &mut JsonReader, ty: &Type) -> Result<Value, Syntax> {
    reader.skip()?;
    Ok(zero(ty))
}

fn structure(reader: &mut JsonReader, def: &Rc<StructDef>) -> Result<Value, Syntax> {
    // The only field of type `any` is the code of an `Error`, whose default is the empty string.
    let start = |ty: &Type| if ty.is_any() { Value::str("") } else { zero(ty) };
    let mut fields: Vec<Value> = def.fields().iter().map(|field| start(&field.ty)).collect();
    let keys = keys(def);
    reader.object(|reader, key| {
        let place = keys.binary_search_by(|(known, _)| (*known).cmp(&key)).ok().and_then(|i| keys.get(i));
        let Some((_, place)) = place else { return reader.skip() };
        match (fields.get_mut(place.index), def.fields().get(place.index)) {
            (Some(slot), Some(field)) => *slot = value(reader, &field.ty)?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(Value::structure(def, fields))
}

fn map(reader: &mut JsonReader, key: &Type, val: &Type) -> Result<Value, Syntax> {
    let mut pairs: Vec<(String, Value)> = Vec::new();
    reader.object(|reader, key| {
        let value = value(reader, val)?;
        pairs.push((key.into_owned(), value));
        Ok(())
    })?;
    // Stable, so that of two members with one key the last one stays.
    #[allow(clippy::disallowed_methods, reason = "texts are ordered totally")]
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    let entries: OrderedMap = pairs.into_iter().map(|(k, v)| (Value::str(k), v)).collect();
    Ok(Value::map(key, val, entries))
}

fn array(reader: &mut JsonReader, elem: &Type) -> Result<Value, Syntax> {
    let mut data = Elems::for_type(elem);
    reader.array(|reader| {
        data.push(value(reader, elem)?);
        Ok(())
    })?;
    Ok(Value::from(Heap::Array(Array::from_elems(elem, data).into())))
}

/// An enum value, if there is a member with this underlying value.
fn member(value: &Value, ty: &Type) -> Option<Value> {
    let Type::Enum(def) = ty else { return None };
    let value = convert(&def.base_type(), value.clone()).ok()?;
    let known = def.members().iter().any(|(_, v)| member_equal(v, &value));
    if known { convert(ty, value).ok() } else { None }
}

fn from_bool(b: bool, ty: &Type) -> Value {
    match ty {
        Type::Bool | Type::Any => Value::Bool(b),
        Type::Str => Value::str(if b { "true" } else { "false" }),
        _ => member(&Value::Bool(b), ty).unwrap_or_else(|| zero(ty)),
    }
}

fn integer(number: BigInt, kind: Option<IntKind>) -> Value {
    match kind {
        Some(kind) if fit_integer(kind, &number).is_err() => Value::Int(0),
        Some(_) => normalize(number),
        None => u8::try_from(&number).map_or(Value::Byte(0), Value::Byte),
    }
}

fn from_string(text: &str, ty: &Type) -> Value {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = || -> Option<BigInt> {
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| text.strip_prefix('+').unwrap_or(text).parse().ok()).flatten()
    };
    let mut chars = text.chars();
    match ty {
        Type::Str | Type::Any => Value::str(text),
        Type::Int(kind) => number().map_or(Value::Int(0), |n| integer(n, Some(*kind))),
        Type::Byte => number().map_or(Value::Byte(0), |n| integer(n, None)),
        Type::Char => match (chars.next(), chars.next()) {
            (Some(c), None) => Value::Char(c),
            _ => Value::Char('\0'),
        },
        _ => member(&Value::str(text), ty).unwrap_or_else(|| zero(ty)),
    }
}

/// The integer part of a number; `None` if it is beyond the floats.
fn whole(number: &NumberLiteral) -> Option<BigInt> {
    if number.integer {
        return number.text.parse().ok();
    }
    BigInt::from_f64(libm::trunc(number.text.parse::<f64>().ok()?))
}

fn from_number(number: &NumberLiteral, ty: &Type) -> Value {
    let float = || number.text.parse::<f64>().ok().filter(|x| x.is_finite()).unwrap_or(0.0);
    match ty {
        Type::Int(IntKind::Int) if number.integer => match number.text.parse::<i64>() {
            Ok(small) => Value::Int(small),
            Err(_) => whole(number).map_or(Value::Int(0), normalize),
        },
        Type::Int(kind) => whole(number).map_or(Value::Int(0), |n| integer(n, Some(*kind))),
        Type::Byte => whole(number).map_or(Value::Byte(0), |n| integer(n, None)),
        Type::Float(_) => convert(ty, Value::Float(float())).unwrap_or(Value::Float(0.0)),
        Type::Str => Value::str(number_text(number, float())),
        Type::Any => dynamic_number(number, float()),
        _ => member(&dynamic_number(number, float()), ty).unwrap_or_else(|| zero(ty)),
    }
}

fn dynamic_number(number: &NumberLiteral, x: f64) -> Value {
    if number.integer || libm::trunc(x) == x {
        return whole(number).map_or(Value::Float(x), normalize);
    }
    Value::Float(x)
}

fn number_text(number: &NumberLiteral, x: f64) -> String {
    if number.integer && number.text.parse::<i64>().is_ok() {
        return number.text.to_string();
    }
    if libm::trunc(x) == x && x.abs() < 9.2e18 {
        return format!("{}", x as i64);
    }
    let text = float_text(x);
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

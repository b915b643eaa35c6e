//! Conversion of values when they are stored in a variable, element or field of a declared type.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::array::Array;
use super::heap::{Heap, Value};
use super::inspect::inspect;
use super::integer::{Misfit, bounds_text, covers, fit_integer, fit_small};
use super::map::OrderedMap;
use super::types::{FloatKind, IntKind, Type, told_apart};
use super::{CopyError, EnumValue, Key};

/// Why a value does not fit a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFailure {
    /// A negative number into an unsigned type (E3020).
    Negative,
    /// An integer outside of the type's range (E3036).
    OutOfRange,
    /// An integer outside of 0 to 255 into a byte (E3025, E3026).
    Byte,
    /// A value of another type (E3001).
    WrongKind,
    /// The value cannot be copied (E5018).
    Copy(CopyError),
}

impl StoreFailure {
    /// The error message for `value`, which does not fit `ty`.
    pub fn message(self, ty: &Type, value: &Value) -> String {
        match (self, ty) {
            (StoreFailure::Negative, Type::Int(kind)) => format!(
                "cannot assign negative value {} to unsigned type '{ty}' (valid range: {})",
                inspect(value),
                bounds_text(*kind)
            ),
            (StoreFailure::OutOfRange, Type::Int(kind)) => format!(
                "value {} out of range for type '{ty}' (valid range: {})",
                inspect(value),
                bounds_text(*kind)
            ),
            (StoreFailure::Byte, _) => {
                format!("byte array element must be between 0 and 255: {}", inspect(value))
            }
            (StoreFailure::Copy(error), _) => error.to_string(),
            _ => mismatch_text(ty, value),
        }
    }
}

/// The message for a value of another type than `ty`.
pub fn mismatch_text(ty: &Type, value: &Value) -> String {
    let (wanted, got) = apart(ty, value);
    format!("type mismatch: cannot assign {got} to {wanted}")
}

/// A type and that of a value that does not fit it, as messages name them: with the modules of structs and enums of
/// the same name.
pub fn apart(ty: &Type, value: &Value) -> (String, String) {
    let own = match value {
        Value::Ref(r) => match &**r {
            Heap::Struct(s) => Some(Type::Struct(s.def.clone())),
            Heap::Enum(e) => Some(Type::Enum(e.def.clone())),
            _ => None,
        },
        Value::Nil | Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Char(_) | Value::Byte(_) => {
            None
        }
    };
    match own {
        Some(own) => told_apart(ty, &own),
        None => (ty.to_string(), value.typeof_name()),
    }
}

impl From<CopyError> for StoreFailure {
    fn from(error: CopyError) -> StoreFailure {
        StoreFailure::Copy(error)
    }
}

impl From<Misfit> for StoreFailure {
    fn from(misfit: Misfit) -> StoreFailure {
        match misfit {
            Misfit::Negative => StoreFailure::Negative,
            Misfit::OutOfRange => StoreFailure::OutOfRange,
        }
    }
}

/// Converts `value` for a variable of type `ty`. Nil fits every type, and every value fits `any`; integers
/// are checked against the range of the type, and converted to floats or bytes where these are declared; enum
/// values and values of their base type are converted to each other. Containers are used themselves if their
/// parts can only be values of the declared types; others (`[int]` for `[u8]`, unknown element types) are copied
/// with the declared types.
///
/// # Errors
/// If the value does not fit.
pub fn convert(ty: &Type, value: Value) -> Result<Value, StoreFailure> {
    match (ty, &value) {
        (Type::Any, _) | (_, Value::Nil) => return Ok(value),
        (Type::Int(kind), Value::Int(i)) => return Ok(fit_small(*kind, *i).map(|()| value)?),
        (Type::Float(FloatKind::F32), Value::Float(x)) => return Ok(Value::Float(round_single(*x))),
        (Type::Float(_), Value::Float(_))
        | (Type::Byte, Value::Byte(_))
        | (Type::Char, Value::Char(_))
        | (Type::Bool, Value::Bool(_)) => return Ok(value),
        _ => {}
    }
    if let Value::Ref(r) = &value {
        match &**r {
            Heap::Reference(_) => return Ok(value),
            Heap::Scalar(inner) => return convert(ty, inner.clone()),
            Heap::Str(_) if matches!(ty, Type::Str) => return Ok(value),
            Heap::Enum(e) => {
                return match ty {
                    Type::Enum(def) if std::rc::Rc::ptr_eq(def, &e.def) => Ok(value),
                    Type::Enum(_) => Err(StoreFailure::WrongKind),
                    _ => convert(ty, e.value.clone()),
                };
            }
            _ => {}
        }
    }
    match ty {
        Type::Int(kind) => to_integer(*kind, value),
        Type::Float(kind) => to_float(*kind, &value),
        Type::Byte => to_byte(&value),
        Type::Enum(def) => {
            let value = convert(&def.base_type(), value)?;
            Ok(Value::from(Heap::Enum(EnumValue { def: def.clone(), value })))
        }
        _ => to_object(ty, value),
    }
}

fn to_integer(kind: IntKind, value: Value) -> Result<Value, StoreFailure> {
    if let Value::Byte(b) = value {
        fit_small(kind, i64::from(b))?;
        return Ok(Value::Int(i64::from(b)));
    }
    let Some(number) = value.as_bigint() else { return Err(StoreFailure::WrongKind) };
    fit_integer(kind, &number)?;
    Ok(value)
}

fn to_float(kind: FloatKind, value: &Value) -> Result<Value, StoreFailure> {
    let number: Option<BigInt> = value.as_bigint();
    let x = number.and_then(|n| n.to_f64()).ok_or(StoreFailure::WrongKind)?;
    Ok(Value::Float(if kind == FloatKind::F32 { round_single(x) } else { x }))
}

fn to_byte(value: &Value) -> Result<Value, StoreFailure> {
    let number = value.as_bigint().ok_or(StoreFailure::WrongKind)?;
    match number.to_u8() {
        Some(b) if !number.is_negative() => Ok(Value::Byte(b)),
        _ => Err(StoreFailure::Byte),
    }
}

/// Rounds to an `f32`.
pub fn round_single(x: f64) -> f64 {
    f64::from(x as f32)
}

fn to_object(ty: &Type, value: Value) -> Result<Value, StoreFailure> {
    let Value::Ref(r) = &value else { return Err(StoreFailure::WrongKind) };
    let fits = match (ty, &**r) {
        (Type::Array(elem, _), Heap::Array(a)) => {
            let own = a.borrow().elem.clone();
            if !view_fits(elem, &own) {
                return copy_as(ty, &value);
            }
            true
        }
        (Type::Map(key, val), Heap::Map(m)) => {
            let (own_key, own_value) = {
                let m = m.borrow();
                (m.key.clone(), m.value.clone())
            };
            if !view_fits(key, &own_key) || !view_fits(val, &own_value) {
                return copy_as(ty, &value);
            }
            true
        }
        (Type::Struct(def), Heap::Struct(s)) => std::rc::Rc::ptr_eq(def, &s.def),
        (Type::Handle(kind), Heap::Handle(h)) => *kind == h.kind,
        (Type::Range, Heap::Range(_)) | (Type::Tuple(_), Heap::Tuple(_)) => true,
        _ => false,
    };
    if fits { Ok(value) } else { Err(StoreFailure::WrongKind) }
}

/// Whether values of type `own` can be used as values of type `seen` without a conversion, and containers of
/// them without a copy. Stores are checked against `own`, so only reading has to be correct: every value of
/// `own` has to be one of `seen`.
pub fn view_fits(seen: &Type, own: &Type) -> bool {
    match (seen, own) {
        (Type::Any, _) => true,
        (Type::Int(seen), Type::Int(own)) => covers(*seen, *own),
        (Type::Float(FloatKind::F32), Type::Float(own)) => *own == FloatKind::F32,
        (Type::Float(_), Type::Float(_)) => true,
        (Type::Array(a, _), Type::Array(b, _)) => view_fits(a, b),
        (Type::Map(a, b), Type::Map(c, d)) => view_fits(a, c) && view_fits(b, d),
        (Type::Struct(a), Type::Struct(b)) => std::rc::Rc::ptr_eq(a, b),
        _ => seen == own,
    }
}

/// A deep copy of `value` whose arrays and maps have the element types of `ty`, as the declaration `x ty =
/// value` needs it.
///
/// # Errors
/// If a part does not fit.
pub fn copy_as(ty: &Type, value: &Value) -> Result<Value, StoreFailure> {
    match ty {
        Type::Array(elem, _) => {
            let Some(array) = value.as_array() else { return copy_scalar(ty, value) };
            let array = array.borrow();
            let mut made = Array::from_values(elem, []);
            for item in array.data.iter() {
                made.data.push(copy_as(elem, &item)?);
            }
            Ok(Value::from(Heap::Array(made.into())))
        }
        Type::Map(key, val) => {
            let Some(map) = value.as_map() else { return copy_scalar(ty, value) };
            let map = map.borrow();
            let mut entries = OrderedMap::new();
            for (k, v) in map.entries.iter() {
                let k = convert(key, k.clone())?;
                if !Key::hashable(&k) {
                    return Err(StoreFailure::WrongKind);
                }
                entries.insert(k, copy_as(val, v)?);
            }
            Ok(Value::map(key, val, entries))
        }
        _ => copy_scalar(ty, value),
    }
}

fn copy_scalar(ty: &Type, value: &Value) -> Result<Value, StoreFailure> {
    if matches!((ty, value), (Type::Array(..) | Type::Map(..), v) if !matches!(v, Value::Nil)) {
        return Err(StoreFailure::WrongKind);
    }
    let value = match ty {
        // What a reference leads to may later hold what does not fit.
        Type::Int(_) | Type::Byte | Type::Float(_) | Type::Enum(_) => convert(ty, value.follow())?,
        _ => convert(ty, value.clone())?,
    };
    Ok(super::deep_copy(&value)?)
}

/// The innermost part of `value` that does not fit the corresponding part of `ty`, with that type; if no part
/// can be named, `value` and `ty` themselves.
pub fn misfitting_part(ty: &Type, value: &Value) -> (Type, Value) {
    let wrong = |ty: &Type, part: &Value| convert(ty, part.follow()).is_err();
    let found = match ty {
        Type::Array(elem, _) => value.as_array().and_then(|array| {
            let part = array.borrow().data.iter().find(|part| wrong(elem, part));
            part.map(|part| (elem, part))
        }),
        Type::Map(key, val) => value.as_map().and_then(|map| {
            let map = map.borrow();
            let parts = map.entries.iter().flat_map(|(k, v)| [(key, k), (val, v)]);
            parts.into_iter().find(|(ty, part)| wrong(ty, part)).map(|(ty, part)| (ty, part.clone()))
        }),
        _ => None,
    };
    match found {
        Some((ty, part)) => misfitting_part(ty, &part.follow()),
        None => (ty.clone(), value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::display;

    fn text(ty: &Type, value: Value) -> Result<String, StoreFailure> {
        convert(ty, value).map(|v| display(&v))
    }

    #[test]
    fn scalars() {
        let u8_type = Type::Int(IntKind::U8);
        assert_eq!(text(&u8_type, Value::Int(255)), Ok("255".into()));
        assert_eq!(text(&u8_type, Value::Int(256)), Err(StoreFailure::OutOfRange));
        assert_eq!(text(&u8_type, Value::Int(-1)), Err(StoreFailure::Negative));
        assert_eq!(text(&Type::Byte, Value::Int(256)), Err(StoreFailure::Byte));
        assert_eq!(text(&Type::FLOAT, Value::Int(3)), Ok("3.0".into()));
        assert_eq!(text(&Type::INT, Value::Float(3.0)), Err(StoreFailure::WrongKind));
        assert_eq!(text(&Type::Str, Value::Nil), Ok("nil".into()));
        assert_eq!(
            StoreFailure::OutOfRange.message(&u8_type, &Value::Int(300)),
            "value 300 out of range for type 'u8' (valid range: 0 to 255)"
        );
    }

    #[test]
    fn arrays_of_unknown_parts_are_made_to_fit() {
        let loose = Value::array(&Type::Any, [Value::Int(1), Value::Int(2)]);
        let bytes = convert(&Type::array(Type::Byte), loose.clone()).expect("fits");
        assert_eq!(bytes.typeof_name(), "[byte]");
        assert_eq!(text(&Type::array(Type::Str), loose), Err(StoreFailure::WrongKind));
        let ints = Value::array(&Type::Int(IntKind::U8), [Value::Int(1)]);
        let seen = convert(&Type::array(Type::INT), ints.clone()).expect("fits");
        assert!(crate::value::identical(&ints, &seen), "a wider view is the same object");
    }
}

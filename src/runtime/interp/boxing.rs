//! Conversion between the contents of registers or slots and self-describing values.

use crate::value::{EnumBase, EnumValue, Heap, Ref, Type, Value};

/// The bit pattern that represents nil in a float register.
pub const NIL_FLOAT: u64 = 0x7ff8_6e69_6c00_0001;

/// Whether a float represents nil.
#[inline]
pub fn is_nil_float(x: f64) -> bool {
    x.to_bits() == NIL_FLOAT
}

/// The value of an integer register of this static type.
#[inline(always)]
pub fn int_value(ty: &Type, raw: i64) -> Value {
    if let Type::Int(_) = ty { Value::Int(raw) } else { value_of_int(ty, raw) }
}

#[inline(never)]
fn value_of_int(ty: &Type, raw: i64) -> Value {
    match ty {
        Type::Char => Value::Char(char_of(raw)),
        // A `&` parameter of type byte may be another name for an integer variable.
        Type::Byte => u8::try_from(raw).map_or(Value::Int(raw), Value::Byte),
        Type::Enum(def) => {
            let value = match def.base() {
                EnumBase::Char => Value::Char(char_of(raw)),
                _ => Value::Int(raw),
            };
            Value::from(Heap::Enum(EnumValue { def: def.clone(), value }))
        }
        _ => Value::Int(raw),
    }
}

/// The value of a variable of this static type whose value fits no register: a big integer or nil.
pub fn wide_value(ty: &Type, value: Value) -> Value {
    match (ty, &value) {
        (Type::Enum(def), Value::Ref(_)) => Value::from(Heap::Enum(EnumValue { def: def.clone(), value })),
        _ => value,
    }
}

fn char_of(raw: i64) -> char {
    u32::try_from(raw).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}')
}

/// The value of a float register of this static type.
#[inline]
pub fn float_value(ty: &Type, raw: f64) -> Value {
    match ty {
        _ if is_nil_float(raw) => Value::Nil,
        Type::Enum(def) => Value::from(Heap::Enum(EnumValue { def: def.clone(), value: Value::Float(raw) })),
        _ => Value::Float(raw),
    }
}

/// The value of a bool register of this static type.
#[inline]
pub fn bool_value(ty: &Type, raw: bool) -> Value {
    match ty {
        Type::Enum(def) => Value::from(Heap::Enum(EnumValue { def: def.clone(), value: Value::Bool(raw) })),
        _ => Value::Bool(raw),
    }
}

/// The value of a reference register; boxed scalars are unboxed.
#[inline]
pub fn ref_value(raw: Option<Ref>) -> Value {
    match raw {
        None => Value::Nil,
        Some(r) => match &*r {
            Heap::Scalar(inner) => inner.clone(),
            _ => Value::Ref(r),
        },
    }
}

/// The reference register of a value; scalars are boxed.
#[inline]
pub fn value_ref(value: Value) -> Option<Ref> {
    match value {
        Value::Nil => None,
        Value::Ref(r) => Some(r),
        scalar => Some(Ref::new(Heap::Scalar(scalar))),
    }
}

/// The integer register of a value; `None` for big integers, nil, and values that are not integers.
#[inline]
pub fn value_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Char(c) => Some(i64::from(*c as u32)),
        Value::Byte(b) => Some(i64::from(*b)),
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Ref(r) => match &**r {
            Heap::Enum(e) => value_int(&e.value),
            Heap::Reference(_) | Heap::Scalar(_) => value_int(&value.follow()),
            _ => None,
        },
        _ => None,
    }
}

/// The float register of a value; nil has a bit pattern of its own.
#[inline]
pub fn value_float(value: &Value) -> f64 {
    match value {
        Value::Float(x) => *x,
        Value::Int(i) => *i as f64,
        Value::Ref(r) => match &**r {
            Heap::Enum(e) => value_float(&e.value),
            Heap::Reference(_) | Heap::Scalar(_) => value_float(&value.follow()),
            _ => f64::from_bits(NIL_FLOAT),
        },
        _ => f64::from_bits(NIL_FLOAT),
    }
}

/// The bool register of a value; `None` for nil and values that are not bools.
#[inline]
pub fn value_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::Ref(r) => match &**r {
            Heap::Enum(e) => value_bool(&e.value),
            Heap::Reference(_) | Heap::Scalar(_) => value_bool(&value.follow()),
            _ => None,
        },
        _ => None,
    }
}

/// A reference register with references to variables followed.
#[inline(always)]
pub fn follow_ref(r: Option<Ref>) -> Option<Ref> {
    match &r {
        Some(heap) if matches!(&**heap, Heap::Reference(_)) => follow_slow(r),
        _ => r,
    }
}

#[cold]
#[inline(never)]
fn follow_slow(r: Option<Ref>) -> Option<Ref> {
    value_ref(r.map_or(Value::Nil, |r| Value::Ref(r).follow()))
}

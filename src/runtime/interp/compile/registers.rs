//! Scalars as the contents of slots, and what registers hold as the contents of objects.

use crate::interp::access;
use crate::interp::boxing::{NIL_FLOAT, is_nil_float};
use crate::interp::operand::element_object;
use crate::interp::vm::{NIL_BOOL, SEE_WIDE};
use crate::value::{Heap, Mutator, Ref, Scalar, Value};

/// What a register holds, as the content of an object.
pub trait Content: Sized {
    /// What a value is in a register; `None` if that is of another kind, or only refers to it.
    fn of_value(value: &Value) -> Option<Self>;
    /// What is at an index of an array.
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<Self>;
}

/// A scalar as the content of a slot.
pub trait Register: Scalar + Content {
    /// The scalar in a slot; `None` for what the content only stands for.
    fn of_slot(content: u64) -> Option<Self>;
    /// The content of a slot with this scalar, if it is one of itself.
    fn slot(self) -> Option<u64>;

    /// Whether it stands for nil.
    #[inline(always)]
    fn is_nil(self) -> bool {
        false
    }
}

impl Register for i64 {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<i64> {
        (content as i64 != SEE_WIDE).then_some(content as i64)
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        (self != SEE_WIDE).then_some(self as u64)
    }
}

impl Content for i64 {
    #[inline(always)]
    fn of_value(value: &Value) -> Option<i64> {
        match value {
            Value::Int(x) => Some(*x),
            Value::Byte(x) => Some(i64::from(*x)),
            Value::Char(c) => Some(i64::from(u32::from(*c))),
            Value::Nil | Value::Float(_) | Value::Bool(_) | Value::Ref(_) => None,
        }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<i64> {
        access::quick_int_element(array, index, mutator)
    }
}

impl Register for f64 {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<f64> {
        (content != NIL_FLOAT).then_some(f64::from_bits(content))
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        Some(self.to_bits())
    }

    #[inline(always)]
    fn is_nil(self) -> bool {
        is_nil_float(self)
    }
}

impl Content for f64 {
    #[inline(always)]
    fn of_value(value: &Value) -> Option<f64> {
        if let Value::Float(x) = value { Some(*x) } else { None }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<f64> {
        let double = access::quick_float_element(array, index, mutator);
        double.or_else(|| access::quick_single_element(array, index, mutator))
    }
}

impl Register for bool {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<bool> {
        (content != NIL_BOOL).then_some(content != 0)
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        Some(u64::from(self))
    }
}

impl Content for bool {
    #[inline(always)]
    fn of_value(value: &Value) -> Option<bool> {
        if let Value::Bool(x) = value { Some(*x) } else { None }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<bool> {
        access::quick_bool_element(array, index, mutator)
    }
}

/// An object, or nil.
impl Content for Option<Ref> {
    #[inline(always)]
    fn of_value(value: &Value) -> Option<Option<Ref>> {
        match value {
            Value::Ref(r) if !matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => Some(Some(r.clone())),
            _ => None,
        }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<Option<Ref>> {
        element_object(array, index, mutator).map(|r| Some(r.clone()))
    }
}

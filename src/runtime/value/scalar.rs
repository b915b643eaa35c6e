//! Scalars in objects, changed in place.

use super::array::{Array, Elems, ScalarKind};
use super::heap::Value;
use super::integer::Limits;
use super::store::round_single;
use super::types::{FloatKind, IntKind, Type};

/// What a register holds: an integer (also that of a byte, a char, or an enum over int), a float, or a bool.
///
/// The methods replace a scalar by what `compute` makes of it, and return the old one. They return `None`, and have done
/// nothing, if there is no such scalar, or `compute` has no result, or one that does not fit.
pub trait Scalar: Copy + 'static {
    /// Changes an element of an array.
    fn change_element(
        array: &mut Array,
        index: usize,
        compute: impl FnOnce(Self) -> Option<Self>,
    ) -> Option<Self>;

    /// Changes a value; `ty`: what it has to fit, unless `compute` sees to that.
    fn change_value(
        value: &mut Value,
        ty: Option<&Type>,
        compute: impl FnOnce(Self) -> Option<Self>,
    ) -> Option<Self>;

    /// The scalar as a value of this type; `None` if the type does not have it.
    fn value(self, ty: &Type) -> Option<Value>;
}

/// Replaces what is in a place.
#[inline(always)]
fn change<T: Copy>(place: &mut T, compute: impl FnOnce(T) -> Option<T>) -> Option<T> {
    let new = compute(*place)?;
    Some(std::mem::replace(place, new))
}

/// Whether an integer fits a type that has integers.
#[inline(always)]
fn fits(ty: &Type, number: i64) -> bool {
    match ty {
        Type::Int(IntKind::Int) => true,
        Type::Int(kind) => Limits::of(*kind).have(number),
        _ => false,
    }
}

impl Scalar for i64 {
    #[inline(always)]
    fn change_element(
        array: &mut Array,
        index: usize,
        compute: impl FnOnce(i64) -> Option<i64>,
    ) -> Option<i64> {
        match &mut array.data {
            Elems::Ints(all) | Elems::Scalars(ScalarKind::Char, all) => change(all.get_mut(index)?, compute),
            Elems::Scalars(ScalarKind::Sized, all) => {
                let place = all.get_mut(index)?;
                let new = compute(*place)?;
                fits(&array.elem, new).then(|| std::mem::replace(place, new))
            }
            Elems::Enums(enums) => change(enums.0.get_mut(index)?, compute),
            Elems::Bytes(all) => change_byte(all.get_mut(index)?, compute),
            Elems::Values(all) => i64::change_value(all.get_mut(index)?, Some(&array.elem), compute),
            Elems::Floats(_) | Elems::Singles(_) | Elems::Bools(_) | Elems::Queue(_) => None,
        }
    }

    #[inline(always)]
    fn change_value(
        value: &mut Value,
        ty: Option<&Type>,
        compute: impl FnOnce(i64) -> Option<i64>,
    ) -> Option<i64> {
        match value {
            Value::Int(x) => {
                let new = compute(*x)?;
                if let Some(ty) = ty
                    && !fits(ty, new)
                {
                    return None;
                }
                Some(std::mem::replace(x, new))
            }
            Value::Byte(x) if ty.is_none_or(|ty| matches!(ty, Type::Byte)) => change_byte(x, compute),
            Value::Char(c) if ty.is_none_or(|ty| matches!(ty, Type::Char)) => {
                let old = i64::from(u32::from(*c));
                *c = char::from_u32(u32::try_from(compute(old)?).ok()?)?;
                Some(old)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn value(self, ty: &Type) -> Option<Value> {
        match ty {
            Type::Int(_) => fits(ty, self).then_some(Value::Int(self)),
            Type::Byte => u8::try_from(self).ok().map(Value::Byte),
            Type::Char => u32::try_from(self).ok().and_then(char::from_u32).map(Value::Char),
            _ => None,
        }
    }
}

#[inline(always)]
fn change_byte(place: &mut u8, compute: impl FnOnce(i64) -> Option<i64>) -> Option<i64> {
    let old = i64::from(*place);
    *place = u8::try_from(compute(old)?).ok()?;
    Some(old)
}

impl Scalar for f64 {
    #[inline(always)]
    fn change_element(
        array: &mut Array,
        index: usize,
        compute: impl FnOnce(f64) -> Option<f64>,
    ) -> Option<f64> {
        match &mut array.data {
            Elems::Floats(all) => change(all.get_mut(index)?, compute),
            Elems::Singles(all) => {
                change(all.get_mut(index)?, |old| Some(compute(f64::from(old))? as f32)).map(f64::from)
            }
            Elems::Values(all) => f64::change_value(all.get_mut(index)?, Some(&array.elem), compute),
            _ => None,
        }
    }

    #[inline(always)]
    fn change_value(
        value: &mut Value,
        ty: Option<&Type>,
        compute: impl FnOnce(f64) -> Option<f64>,
    ) -> Option<f64> {
        let Value::Float(x) = value else { return None };
        match ty {
            None | Some(Type::Float(FloatKind::Float | FloatKind::F64)) => change(x, compute),
            Some(Type::Float(FloatKind::F32)) => change(x, |old| compute(old).map(round_single)),
            Some(_) => None,
        }
    }

    #[inline(always)]
    fn value(self, ty: &Type) -> Option<Value> {
        match ty {
            Type::Float(FloatKind::Float | FloatKind::F64) => Some(Value::Float(self)),
            Type::Float(FloatKind::F32) => Some(Value::Float(round_single(self))),
            _ => None,
        }
    }
}

impl Scalar for bool {
    #[inline(always)]
    fn change_element(
        array: &mut Array,
        index: usize,
        compute: impl FnOnce(bool) -> Option<bool>,
    ) -> Option<bool> {
        match &mut array.data {
            Elems::Bools(all) => change(all.get_mut(index)?, compute),
            _ => None,
        }
    }

    #[inline(always)]
    fn change_value(
        value: &mut Value,
        ty: Option<&Type>,
        compute: impl FnOnce(bool) -> Option<bool>,
    ) -> Option<bool> {
        match value {
            Value::Bool(x) if ty.is_none_or(|ty| matches!(ty, Type::Bool)) => change(x, compute),
            _ => None,
        }
    }

    #[inline(always)]
    fn value(self, ty: &Type) -> Option<Value> {
        matches!(ty, Type::Bool).then_some(Value::Bool(self))
    }
}

//! Functions of the library on registers.

use crate::library::elementary;
use crate::program::{Expr, Native};
use crate::value::Type;

/// What a function of the library computes in registers: `None` where anything is unusual.
#[derive(Clone, Copy)]
pub(super) enum Quick {
    Int(fn(i64) -> Option<i64>),
    Ints(fn(i64, i64) -> Option<i64>),
    TestOfInt(fn(i64) -> Option<bool>),
    IntOfFloat(fn(f64) -> Option<i64>),
    Float(fn(f64) -> Option<f64>),
    Floats(fn(f64, f64) -> Option<f64>),
}

/// The function on registers that a call is, for the types of its arguments.
pub(super) fn quick(native: &Native) -> Option<Quick> {
    let are_ints = native.args.iter().all(|arg| matches!(arg.ty, Type::Int(_)));
    let is_number = |arg: &Expr| matches!(arg.ty, Type::Int(_) | Type::Float(_));
    let has_float = native.args.iter().any(|arg| matches!(arg.ty, Type::Float(_)));
    if native.module != "math" || !native.args.iter().all(is_number) {
        return None;
    }
    let of_ints = match (native.row.name, native.args.len()) {
        ("abs", 1) => Some(Quick::Int(i64::checked_abs)),
        ("sign", 1) => Some(Quick::Int(|x| Some(x.signum()))),
        ("min", 2) => Some(Quick::Ints(|x, y| Some(x.min(y)))),
        ("max", 2) => Some(Quick::Ints(|x, y| Some(x.max(y)))),
        ("is_even", 1) => Some(Quick::TestOfInt(|x| Some(x % 2 == 0))),
        ("is_odd", 1) => Some(Quick::TestOfInt(|x| Some(x % 2 != 0))),
        _ => None,
    };
    let of_floats = match (native.row.name, native.args.len()) {
        ("abs", 1) => Some(Quick::Float(|x| Some(x.abs()))),
        ("min", 2) => Some(Quick::Floats(|x, y| Some(if y < x { y } else { x }))),
        ("max", 2) => Some(Quick::Floats(|x, y| Some(if y > x { y } else { x }))),
        ("pow", 2) => {
            Some(Quick::Floats(|x, y| Some(elementary::pow(x, y)).filter(|power| power.is_finite())))
        }
        ("floor", 1) => Some(Quick::IntOfFloat(|x| whole(elementary::floor(x)))),
        ("ceil", 1) => Some(Quick::IntOfFloat(|x| whole(elementary::ceil(x)))),
        ("round", 1) => Some(Quick::IntOfFloat(|x| whole(elementary::round(x)))),
        ("trunc", 1) => Some(Quick::IntOfFloat(|x| whole(elementary::trunc(x)))),
        _ => None,
    };
    let of_numbers = match (native.row.name, native.args.len()) {
        ("sqrt", 1) => Some(Quick::Float(|x| (x >= 0.0 || x.is_nan()).then(|| x.sqrt()))),
        ("sin", 1) => Some(Quick::Float(|x| Some(elementary::sin(x)))),
        ("cos", 1) => Some(Quick::Float(|x| Some(elementary::cos(x)))),
        _ => None,
    };
    of_ints.filter(|_| are_ints).or(of_floats.filter(|_| has_float)).or(of_numbers)
}

/// A float that is an integer of 64 bits.
fn whole(x: f64) -> Option<i64> {
    // The bounds are safely inside the range: 2^63 itself does not fit.
    (x > -9.2e18 && x < 9.2e18).then_some(x as i64)
}

//! Values for the tests of several files.

use super::{Type, Value};

/// An array without elements.
pub(super) fn empty() -> Value {
    Value::array(&Type::Any, [])
}

/// A value inside this many arrays, each the only element of the one around it.
pub(super) fn nested(depth: usize, innermost: Value) -> Value {
    (0..depth).fold(innermost, |inner, _| Value::array(&Type::Any, [inner]))
}

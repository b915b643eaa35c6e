//! Range checks of literals before running (docs/language/types.md#what-fits-where).

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::syntax::ast::{Expr, ExprKind, UnaryOp};
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{ArithOp, Operator};
use ez_runtime::source::Span;
use ez_runtime::value::{IntKind, Misfit, Type, bounds_text, fit_integer};

use super::checker::Checker;

/// Whether there is a `-` before an expression, and the expression without it.
fn unsigned(e: &Expr) -> (bool, &Expr) {
    if let ExprKind::Unary(UnaryOp::Neg, inner) = &e.kind { (true, inner) } else { (false, e) }
}

/// The number of an integer literal, or of `-` before one.
pub fn literal(e: &Expr) -> Option<BigInt> {
    let (negative, e) = unsigned(e);
    let number = if let ExprKind::Int(i) = &e.kind {
        BigInt::from(*i)
    } else if let ExprKind::BigInt(i) = &e.kind {
        (**i).clone()
    } else {
        return None;
    };
    Some(if negative { -number } else { number })
}

/// The number of a float literal, or of `-` before one.
pub fn float_literal(e: &Expr) -> Option<f64> {
    let (negative, e) = unsigned(e);
    let ExprKind::Float(x) = e.kind else { return None };
    Some(if negative { -x } else { x })
}

/// The value of a literal, or of an operation on two literals in wrapping 64-bit arithmetic.
fn folded(e: &Expr) -> Option<BigInt> {
    let ExprKind::Binary(op, left, right) = &e.kind else { return literal(e) };
    let (a, b) = (wrap(&literal(left)?), wrap(&literal(right)?));
    let Operator::Arith(op) = Operator::from(*op) else { return None };
    let result = match op {
        ArithOp::Add => a.wrapping_add(b),
        ArithOp::Sub => a.wrapping_sub(b),
        ArithOp::Mul => a.wrapping_mul(b),
        ArithOp::Div if !b.is_zero() => a.wrapping_div(b),
        ArithOp::Div | ArithOp::Mod => return None,
    };
    Some(BigInt::from(result))
}

fn wrap(number: &BigInt) -> i64 {
    let low: BigInt = number & BigInt::from(u64::MAX);
    low.to_u64().map_or(0, |bits| bits as i64)
}

impl Checker<'_> {
    /// Checks the value of a declaration: E3025, E3026, E3036. Gives whether one was reported.
    pub fn declared_range(&mut self, ty: &Type, value: &Expr, name: Span) -> bool {
        match ty {
            Type::Byte => {
                let Some(number) = literal(value) else { return false };
                let bad = number.to_u8().is_none();
                if bad {
                    let message = format!("byte value {number} out of range: must be between 0 and 255");
                    self.report(Code::E3025, name, message);
                }
                bad
            }
            Type::Array(elem, _) if **elem == Type::Byte => self.byte_elements(value),
            Type::Int(kind) if small(*kind) => {
                let Some(number) = folded(value) else { return false };
                let bad = fit_integer(*kind, &number).is_err();
                if bad {
                    let range = bounds_text(*kind);
                    let message = format!(
                        "value {number} out of range for type {kind} (valid range: {range})",
                        kind = kind.name()
                    );
                    self.report(Code::E3036, name, message);
                }
                bad
            }
            _ => false,
        }
    }

    fn byte_elements(&mut self, value: &Expr) -> bool {
        let ExprKind::Array(items) = &value.kind else { return false };
        let mut bad = false;
        for (i, item) in items.iter().enumerate() {
            if let Some(number) = literal(item).filter(|n| n.to_u8().is_none()) {
                let message = format!(
                    "byte array element [{i}] value {number} out of range: must be between 0 and 255"
                );
                self.report(Code::E3026, item.at, message);
                bad = true;
            }
        }
        bad
    }

    /// Checks a literal in a `return` (E3020, E3036).
    pub fn returned_range(&mut self, ty: &Type, value: &Expr) {
        let (Type::Int(kind), Some(number)) = (ty, literal(value)) else { return };
        match fit_integer(*kind, &number) {
            Err(Misfit::Negative) => {
                let message = format!("cannot use negative value {number} in context expecting {ty}");
                self.report(Code::E3020, value.at, message);
            }
            Err(Misfit::OutOfRange) if *kind != IntKind::I256 && *kind != IntKind::U256 => {
                self.report(Code::E3036, value.at, format!("value {number} out of range for type {ty}"));
            }
            _ => {}
        }
    }

    /// Checks the literals of an array in a `return` up to the first error.
    pub fn returned_elements(&mut self, elem: &Type, items: &[Expr]) -> bool {
        let Type::Int(kind) = elem else { return false };
        for item in items {
            let Some(number) = literal(item) else { continue };
            match fit_integer(*kind, &number) {
                Err(Misfit::Negative) => {
                    let message = format!("cannot use negative value {number} in array of type [{elem}]");
                    self.report(Code::E3020, item.at, message);
                    return true;
                }
                Err(Misfit::OutOfRange) => {
                    let message = format!("value {number} out of range for array element type {elem}");
                    self.report(Code::E3036, item.at, message);
                    return true;
                }
                Ok(()) => {}
            }
        }
        false
    }
}

fn small(kind: IntKind) -> bool {
    kind.bits().is_some_and(|bits| bits <= 64)
}

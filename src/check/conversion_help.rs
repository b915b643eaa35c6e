//! Help for a value of the wrong type: how to convert it to the expected type.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind};
use crate::value::{Type, builtin, float_text};

use super::checker::Checker;
use super::ranges::float_literal;

impl Checker<'_> {
    /// Help for the expression `written` of type `got` where `want` is expected; `None` if there is no
    /// conversion.
    pub fn conversion_help(&self, want: &Type, got: &Type, written: &Expr) -> Option<String> {
        let text = || self.short_text(written);
        let help = match (want, got) {
            (Type::Float(_), Type::Int(_) | Type::Byte) => match number(written) {
                Some(literal) => format!("write {literal}.0"),
                None => match self.division(written) {
                    Some(division) => format!("dividing two integers drops the fraction; write {division}"),
                    None => format!("write float({})", text()?),
                },
            },
            (Type::Int(_) | Type::Byte, Type::Float(_)) => match whole_float(written) {
                Some(whole) => format!("write {whole}"),
                None => format!("int({}) drops the digits after the decimal point", text()?),
            },
            (Type::Int(_), Type::Str) => match literal_string(written) {
                Some(s) if s.parse::<i64>().is_ok() => format!("write {s} without quotes"),
                Some(_) => return None,
                None => format!("write cast({}, int)", text()?),
            },
            (Type::Float(_), Type::Str) => match literal_string(written) {
                Some(s) => format!("write {} without quotes", float_text(s.parse::<f64>().ok()?)),
                None => format!("write cast({}, float)", text()?),
            },
            (Type::Str, Type::Char) => {
                if let ExprKind::Char(c) = written.kind {
                    format!("text is written between double quotes: \"{}\"", c.escape_debug())
                } else {
                    format!("write string({})", text()?)
                }
            }
            (Type::Str, Type::Int(_) | Type::Float(_) | Type::Byte | Type::Bool) => {
                format!("write string({})", text()?)
            }
            (Type::Char, Type::Str) => {
                format!("use single quotes for char literals: '{}'", literal_string(written)?)
            }
            (_, Type::Tuple(results)) => return self.unpack_help(results, "value", written),
            (Type::Bool, Type::Int(_) | Type::Float(_) | Type::Byte) => format!("write {} != 0", text()?),
            (Type::Array(elem, _), Type::Array(other, _)) => match (&**elem, &**other, &written.kind) {
                (Type::Float(_), Type::Int(_), ExprKind::Array(items)) => {
                    let literal = items.iter().find_map(number)?;
                    format!("write the elements with a point, as in {literal}.0")
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(help)
    }

    /// How a division of integers is written as one of floats.
    fn division(&self, e: &Expr) -> Option<String> {
        let ExprKind::Binary(BinaryOp::Div, left, right) = &e.kind else { return None };
        let divisor = self.short_text(right)?;
        Some(match number(left) {
            Some(literal) => format!("{literal}.0 / {divisor}"),
            None => format!("float({}) / {divisor}", self.short_text(left)?),
        })
    }

    /// For a call with several results that is stored in one variable.
    pub fn unpack_help(&self, results: &[Type], variable: &str, call: &Expr) -> Option<String> {
        let call = self.short_text(call)?;
        let rest = results.iter().enumerate().skip(1).map(|(index, ty)| other_result(index, ty));
        let names: Vec<String> = std::iter::once(variable.to_string()).chain(rest).collect();
        Some(format!("write a variable for each value: temp {} = {call}", names.join(", ")))
    }

    /// The source text of an expression, if it is short and in one line.
    pub fn short_text(&self, e: &Expr) -> Option<String> {
        let file = self.sources.get(e.span.file)?;
        let text = file.slice(e.span);
        (!text.is_empty() && text.len() <= 40 && !text.contains('\n')).then(|| text.to_string())
    }
}

/// A name for a result of a call that has no variable yet.
pub(super) fn other_result(index: usize, ty: &Type) -> String {
    if *ty == builtin::error_type() {
        return "problem".into();
    }
    ["a", "b", "c", "d"].get(index).map_or_else(|| format!("value{index}"), |name| (*name).into())
}

/// The text of a string literal.
pub(super) fn literal_string(e: &Expr) -> Option<&str> {
    if let ExprKind::Str(text) = &e.kind { Some(text) } else { None }
}

/// An integer literal, with its sign.
fn number(e: &Expr) -> Option<String> {
    super::ranges::literal(e).map(|n| n.to_string())
}

/// A float literal without a fraction, as an integer.
fn whole_float(e: &Expr) -> Option<String> {
    let x = float_literal(e)?;
    (libm::trunc(x) == x && x.abs() < 1e15).then(|| format!("{x:.0}"))
}

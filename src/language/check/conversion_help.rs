//! Help for a value of the wrong type: how to convert it to the expected type.

use crate::syntax::ast::{BinaryOp, Expr, ExprKind};
use ez_runtime::diagnostics::{Edit, Fix, Help};
use ez_runtime::value::{Type, builtin, float_text};

use super::checker::Checker;
use super::ranges::float_literal;

impl Checker<'_> {
    /// Help for the expression `written` of type `got` where `want` is expected; `None` if there is no
    /// conversion.
    pub fn conversion_help(&self, want: &Type, got: &Type, written: &Expr) -> Option<Help> {
        let text = || self.short_text(written);
        let write = |text: String| Help::from(format!("write {text}")).fix(Fix::guess(written.span, text));
        let unquoted = |text: String| {
            Help::from(format!("write {text} without quotes")).fix(Fix::guess(written.span, text))
        };
        Some(match (want, got) {
            (Type::Float(_), Type::Int(_) | Type::Byte) => match number(written) {
                Some(literal) => {
                    let text = format!("{literal}.0");
                    Help::from(format!("write {text}")).fix(Fix::certain(written.span, text))
                }
                None => match self.division(written) {
                    Some(division) => {
                        let help = format!("dividing two integers drops the fraction; write {division}");
                        Help::from(help).fix(Fix::guess(written.span, division))
                    }
                    None => write(format!("float({})", text()?)),
                },
            },
            (Type::Int(_) | Type::Byte, Type::Float(_)) => match whole_float(written) {
                Some(whole) => write(whole),
                None => {
                    let whole = format!("int({})", text()?);
                    Help::from(format!("{whole} drops the digits after the decimal point"))
                        .fix(Fix::guess(written.span, whole))
                }
            },
            (Type::Int(_), Type::Str) => match literal_string(written) {
                Some(s) if s.parse::<i64>().is_ok() => unquoted(s.into()),
                Some(_) => return None,
                None => write(format!("cast({}, int)", text()?)),
            },
            (Type::Float(_), Type::Str) => match literal_string(written) {
                Some(s) => unquoted(float_text(s.parse::<f64>().ok()?)),
                None => write(format!("cast({}, float)", text()?)),
            },
            (Type::Str, Type::Char) => {
                if let ExprKind::Char(c) = written.kind {
                    let text = format!("\"{}\"", c.escape_debug());
                    let help = Help::from(format!("text is written between double quotes: {text}"));
                    // Escapes that Rust writes are not all known in EZ.
                    if c.is_ascii_alphanumeric() { help.fix(Fix::certain(written.span, text)) } else { help }
                } else {
                    write(format!("string({})", text()?))
                }
            }
            (Type::Str, Type::Int(_) | Type::Float(_) | Type::Byte | Type::Bool) => {
                write(format!("string({})", text()?))
            }
            (Type::Char, Type::Str) => {
                let literal = literal_string(written)?;
                let text = format!("'{literal}'");
                let is_letter = literal.len() == 1 && literal.chars().all(|c| c.is_ascii_alphanumeric());
                let help = Help::from(format!("use single quotes for char literals: {text}"));
                if is_letter { help.fix(Fix::certain(written.span, text)) } else { help }
            }
            (_, Type::Tuple(results)) => return self.unpack_help(results, "value", written).map(Help::from),
            (Type::Bool, Type::Int(_) | Type::Float(_) | Type::Byte) => write(format!("{} != 0", text()?)),
            (Type::Array(elem, _), Type::Array(other, _)) => match (&**elem, &**other, &written.kind) {
                (Type::Float(_), Type::Int(_), ExprKind::Array(items)) => {
                    let literal = items.iter().find_map(number)?;
                    let fix = items.iter().filter_map(|item| Some((item.span, number(item)?)));
                    let fix = fix.map(|(span, text)| Edit { span, text: format!("{text}.0") }).collect();
                    Help::from(format!("write the elements with a point, as in {literal}.0"))
                        .fix(Fix { edits: fix, certain: true })
                }
                _ => return None,
            },
            _ => return None,
        })
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

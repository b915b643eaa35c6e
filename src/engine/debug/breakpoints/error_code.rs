//! What conditions of exception filters say of an error's code, whose type the checker does not know.

use crate::api::ExceptionFilter;
use ez_runtime::program::visit::{Visitor, walk_expr};
use ez_runtime::program::{Expr, ExprKind, GlobalId};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, builtin};

/// The code of the error that `error` stands for in the condition of a filter.
#[derive(Clone, Copy)]
pub struct ErrorCode {
    /// The variable `error`.
    pub error: GlobalId,
    pub filter: ExceptionFilter,
}

impl ErrorCode {
    /// What in a condition makes sense for no error: where it is, and why. `None` if there is nothing.
    pub fn wrong(self, condition: &Expr) -> Option<(Span, &'static str)> {
        if self.is_code(condition) {
            return Some((condition.at, "condition must be bool, got the code of an error"));
        }
        if self.filter != ExceptionFilter::Uncaught {
            return None;
        }
        let mut search = Search { code: self, found: None };
        walk_expr(condition, &mut search);
        Some((search.found?, "the code of a run-time error is text, such as \"E5001\": compare it with text"))
    }

    /// Whether an expression is `error.code`.
    fn is_code(self, e: &Expr) -> bool {
        let ExprKind::Field(whole, field) = &e.kind else { return false };
        let code = builtin::builtins().error.field_index("code");
        matches!(whole.kind, ExprKind::Global(id) if id == self.error) && code == Some(*field as usize)
    }
}

/// Looks for a comparison of the code with what is no text.
struct Search {
    code: ErrorCode,
    found: Option<Span>,
}

impl Visitor for Search {
    fn computed(&mut self, e: &Expr) {
        let ExprKind::Compare(_, left, right) = &e.kind else { return };
        let is_other = |one: &Expr, other: &Expr| {
            self.code.is_code(one) && !matches!(other.ty, Type::Str | Type::Any | Type::Nil)
        };
        if is_other(left, right) || is_other(right, left) {
            self.found.get_or_insert(e.at);
        }
    }
}

//! Statements that end the program with a run-time error whenever they are reached: `ez check` warns of them.

use std::rc::Rc;

use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::program::visit::{Visitor, walk};
use crate::program::{Expr, ExprKind, Program, Raise, Stmt, StmtKind, Target};
use crate::source::Span;
use crate::value::Type;

/// A warning for each statement or expression of a checked program that can only fail, in the order of places; with
/// the code, message and help of the error.
pub fn certain_failures(program: &Program) -> Vec<Diagnostic> {
    let mut found = Failures::default();
    for function in program.functions.iter() {
        let parameters = if function.id == program.main { function.params.len() } else { 0 };
        found.unset = function.locals.iter().take(parameters).map(|local| local.name.clone()).collect();
        walk(&function.body.stmts, &mut found);
    }
    let mut found = found.found;
    found.sort_by_key(|warning| warning.span.map(|span| (span.file, span.start)));
    found.dedup();
    found
}

#[derive(Default)]
struct Failures {
    found: Vec<Diagnostic>,
    /// The parameters of `main`, which have no values.
    unset: Vec<Rc<str>>,
}

impl Failures {
    fn add(&mut self, code: Code, at: Span, message: &str, help: Option<String>) {
        let message = format!("fails when it runs: {message}");
        self.found.push(Diagnostic::new(code, at, message).maybe_help(help).with_severity(Severity::Warning));
    }

    fn raise(&mut self, raise: &Raise) {
        let unset = self.unset.iter().any(|name| raise.message.contains(&format!("'{name}'")));
        let arguments =
            || "main() is called without arguments; those of the program are os.args()".to_string();
        let help = raise.help.clone().or_else(|| (raise.code == Code::E4001 && unset).then(arguments));
        self.add(raise.code, raise.at, &raise.message, help);
    }

    /// A wrong number of variables for the results of a call.
    fn unpacked(&mut self, targets: &[Target], value: &Expr, at: Span) {
        let Type::Tuple(results) = &value.ty else { return };
        let (wanted, given) = (targets.len(), results.len());
        if wanted != given {
            let message = format!(
                "the call gives {given} values, for {wanted} variable{}",
                if wanted == 1 { "" } else { "s" }
            );
            let names = ["a", "b", "c"]
                .get(..given)
                .map_or_else(|| "a, b, ...".to_string(), |names| names.join(", "));
            self.add(
                Code::E5012,
                at,
                &message,
                Some(format!("write a variable for each: temp {names} = ...")),
            );
        }
    }
}

impl Visitor for Failures {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Raise(raise) => self.raise(raise),
            StmtKind::Unpack { targets, value, at } => self.unpacked(targets, value, *at),
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Raise(raise) = &expr.kind {
            self.raise(raise);
        }
    }
}

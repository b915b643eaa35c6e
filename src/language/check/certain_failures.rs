//! Statements that end the program with a run-time error whenever they are reached: `ez check` warns of them.

use std::rc::Rc;

use ez_runtime::diagnostics::{Code, Diagnostic, Help, Severity, constant_help};
use ez_runtime::program::visit::{Visitor, walk};
use ez_runtime::program::{
    Discard, Expr, ExprKind, Function, GlobalId, Local, LocalId, Program, Raise, Stmt, StmtKind, Target,
    TargetKind, UnpackTarget,
};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::conversion_help::other_result;

/// A warning for each statement or expression of a checked program that can only fail, in the order of places; with
/// the code, message and help of the error.
pub fn certain_failures(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for function in program.functions.iter() {
        let parameters = if function.id == program.main { function.params.len() } else { 0 };
        let unset = function.locals.iter().take(parameters).map(|local| local.name.clone()).collect();
        let mut failures = Failures { program, function, unset, found };
        walk(&function.body.stmts, &mut failures);
        found = failures.found;
    }
    found.sort_by_key(|warning| warning.span.map(|span| (span.file, span.start)));
    found.dedup();
    found
}

struct Failures<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The parameters of `main`, which have no values.
    unset: Vec<Rc<str>>,
    found: Vec<Diagnostic>,
}

impl Failures<'_> {
    fn add(&mut self, code: Code, at: Span, message: &str, help: Option<Help>) {
        let message = format!("fails when it runs: {message}");
        self.found.push(Diagnostic::new(code, at, message).maybe_help(help).with_severity(Severity::Warning));
    }

    fn raise(&mut self, raise: &Raise) {
        let file = self.program.sources.get(raise.at.file);
        let unset = file.is_some_and(|file| self.unset.iter().any(|name| **name == *file.slice(raise.at)));
        let arguments =
            || Help::from("main() is called without arguments; those of the program are os.args()");
        let help = raise.help.clone().or_else(|| (raise.code == Code::E4001 && unset).then(arguments));
        self.add(raise.code, raise.at, &raise.message, help);
    }

    /// A wrong number of variables for the results of a call.
    fn unpacked(&mut self, stmt: &Stmt, targets: &[UnpackTarget], value: &Expr, at: Span) {
        let single = [value.ty.clone()];
        let results: &[Type] = match &value.ty {
            Type::Tuple(results) => results,
            Type::Any | Type::Failed | Type::Void => return,
            _ => &single,
        };
        let (wanted, given) = (targets.len(), results.len());
        if wanted == given {
            return;
        }
        let counted =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let message =
            format!("the call has {}, for {}", counted(given, "value"), counted(wanted, "variable"));
        let help = self.value_text(stmt).map(|call| {
            let names: Vec<String> = results
                .iter()
                .enumerate()
                .map(|(index, ty)| match targets.get(index) {
                    Some(target) => self.target_name(target),
                    None => other_result(index, ty),
                })
                .collect();
            let declared = targets.iter().any(|target| matches!(target, UnpackTarget::Declare(_)));
            let several = if given == 1 { "" } else { "a variable for each value: " };
            let temp = if declared { "temp " } else { "" };
            format!("write {several}{temp}{} = {call}", names.join(", ")).into()
        });
        self.add(Code::E5012, at, &message, help);
    }

    /// The text after the `=` of a statement.
    fn value_text(&self, stmt: &Stmt) -> Option<String> {
        let span = self.program.statements.get(stmt.id.0 as usize)?.span;
        let text = self.program.sources.get(span.file)?.slice(span).to_string();
        let (_, value) = text.split_once('=')?;
        let value = value.trim();
        (value.len() <= 40 && !value.contains('\n')).then(|| value.to_string())
    }

    fn target_name(&self, target: &UnpackTarget) -> String {
        let local = |id: &LocalId| self.function.locals.get(id.0 as usize).map(|local: &Local| &local.name);
        let global = |id: &GlobalId| self.program.globals.get(id.0 as usize).map(|found| &found.name);
        let name = match target {
            UnpackTarget::Skip => None,
            UnpackTarget::Declare(id) => local(id),
            UnpackTarget::DeclareGlobal(id) => global(id),
            UnpackTarget::Assign(target) => match &target.kind {
                TargetKind::Local(id) => local(id),
                TargetKind::Global(id) => global(id),
                TargetKind::Index { .. }
                | TargetKind::Char { .. }
                | TargetKind::Field { .. }
                | TargetKind::FieldNamed { .. } => None,
            },
        };
        name.map_or_else(|| "_".into(), |name| name.to_string())
    }

    /// A result that is neither stored nor nil.
    fn unused(&mut self, value: &Expr, discard: Discard) {
        let never_nil = matches!(
            value.ty,
            Type::Int(_) | Type::Float(_) | Type::Bool | Type::Char | Type::Byte | Type::Str
        );
        match &value.ty {
            Type::Tuple(results) => {
                let blanks = vec!["_"; results.len()].join(", ");
                let message =
                    format!("return values from function not used (use `temp {blanks} = func()` to discard)");
                self.add(Code::E5011, value.at, &message, None);
            }
            _ if discard == Discard::Used && never_nil => {
                let message = "return value from function not used (use `temp _ = func()` to discard)";
                self.add(Code::E5011, value.at, message, None);
            }
            _ => {}
        }
    }

    /// A constant of a file that is changed.
    fn stored(&mut self, target: &Target, at: Span) {
        let constant = |id: &GlobalId| {
            self.program.globals.get(id.0 as usize).filter(|found| found.constant).map(|found| &found.name)
        };
        let assigned =
            |name: &str| format!("cannot assign to immutable variable '{name}' (declared as const)");
        let (code, message, name) = match &target.kind {
            TargetKind::Global(id) => match constant(id) {
                Some(name) => (Code::E5013, assigned(name), name),
                None => return,
            },
            TargetKind::Index { constant: Some(name), .. } => {
                (Code::E5006, format!("cannot modify immutable variable '{name}' (declared as const)"), name)
            }
            TargetKind::Char { base, .. } => return self.stored(base, at),
            TargetKind::Local(_)
            | TargetKind::Index { constant: None, .. }
            | TargetKind::Field { .. }
            | TargetKind::FieldNamed { .. } => return,
        };
        self.add(code, at, &message, Some(constant_help(name).into()));
    }
}

impl Visitor for Failures<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Raise(raise) => self.raise(raise),
            StmtKind::Unpack { targets, value, at } => self.unpacked(stmt, targets, value, *at),
            StmtKind::Expr { expr, discard } => self.unused(expr, *discard),
            StmtKind::Assign { target, at, .. } | StmtKind::OpAssign { target, at, .. } => {
                self.stored(target, *at);
            }
            StmtKind::ForEach { iterable, .. } if iterable.ty == Type::Range => {
                let message = format!("for_each requires array or string, got {}", Type::Range);
                let help = "counting is written 'for': for i in range(0, n) { ... }".to_string();
                self.add(Code::E3017, stmt.at, &message, Some(help.into()));
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Raise(raise) = &expr.kind {
            self.raise(raise);
        } else if let ExprKind::Postfix(target, _) = &expr.kind {
            self.stored(target, expr.at);
        }
    }
}

//! Assignments.

use crate::syntax::ast::{self, BinaryOp, Name};
use ez_runtime::diagnostics::{Code, Diagnostic, Help};
use ez_runtime::program::{
    ArithOp, Expr, Operator, Raise, Stmt, StmtId, StmtKind, StoreKind, Target, TargetKind, UnpackTarget,
};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, told_apart};

use super::checker::Checker;
use super::names::Candidate;
use super::operators::unknown_operator;
use super::target_expr::root_name;
use super::types::assignable;

impl Checker<'_> {
    pub fn assignment(&mut self, span: Span, assign: &ast::Assign) -> Stmt {
        let id = self.new_stmt(span, true);
        let at = self.stmt_at(id, span);
        let kind = self.assign_kind(id, assign);
        Stmt { id, at, kind }
    }

    fn assign_kind(&mut self, id: StmtId, assign: &ast::Assign) -> StmtKind {
        let written = &assign.target;
        if let Some(raise) = self.check_root(written) {
            self.expr(&assign.value, None);
            return raise;
        }
        let reported = self.diags.len();
        let found = self.target(written, false);
        self.drop_nil_warnings(reported);
        let Some(target) = found else {
            self.check_mutable(written);
            self.expr(&assign.value, None);
            return StmtKind::Raise(raise_unassignable(written));
        };
        self.check_mutable(written);
        let value = self.expr(&assign.value, Some(&target.ty));
        self.frame.current = Some(id);
        if matches!(value.ty, Type::Tuple(_))
            && matches!(value.kind, ez_runtime::program::ExprKind::Call { .. })
        {
            return StmtKind::Unpack { targets: vec![UnpackTarget::Assign(target)], value, at: assign.at };
        }
        let failed_declarations =
            matches!(target.kind, TargetKind::Local(id) if self.frame.failed_declarations.contains(&id));
        let number = self.number_in(&target).filter(|_| assign.op.is_none());
        let misfit = match &number {
            Some(_) => is_no_number(&value.ty),
            None => !self.fits(&target.ty, &value),
        };
        if !failed_declarations && misfit {
            let expected = number.as_ref().unwrap_or(&target.ty);
            let (wanted, got) = told_apart(expected, &value.ty);
            let message = format!("type mismatch: cannot assign {got} to {wanted}");
            let help = self.conversion_help(expected, &value.ty, &assign.value);
            self.report_help(Code::E3001, written.at, message, help);
        }
        if let ast::ExprKind::Name(name) = &written.kind
            && assign.op.is_none()
        {
            self.note_non_nil(name, &assign.value);
        }
        match assign.op {
            // `s[i] op= c` assigns `c`, whatever the operator.
            Some(op) if !matches!(target.kind, TargetKind::Char { .. }) => {
                compound(target, op, value, assign.at)
            }
            _ => {
                let value = self.keep(value, &target.ty, store_kind(&target), assign.at, false);
                StmtKind::Assign { target, value, at: assign.at }
            }
        }
    }

    /// The type with which a variable was declared that holds some number.
    fn number_in(&self, target: &Target) -> Option<Type> {
        let TargetKind::Local(id) = &target.kind else { return None };
        self.frame.facts.numbers.get(id).cloned()
    }

    /// Reports E4001 unless the variable at the root of the target exists.
    fn check_root(&mut self, target: &ast::Expr) -> Option<StmtKind> {
        let name = root_name(target)?;
        let is_target = matches!(target.kind, ast::ExprKind::Name(_));
        if self.frame.lookup(name).is_some() {
            return None;
        }
        if let Some(id) = self.module().and_then(|m| m.globals.get(name))
            && self.syms.global(*id).is_some_and(|g| g.ty.get().is_some())
        {
            return None;
        }
        let offered = self.candidates(name).iter().any(|(_, offer)| matches!(offer, Candidate::Global(_)));
        if offered && !is_target {
            return None;
        }
        let message = format!("undefined variable '{name}'");
        if offered {
            return Some(StmtKind::Raise(Raise { code: Code::E4001, message, help: None, at: target.at }));
        }
        if self.frame.undeclared.insert(name.clone()) {
            let help = self.target_help(name, is_target);
            let module = self.file_sym().and_then(|file| file.module_named(name)).map(|_| &**name);
            self.report_unknown((Code::E4001, module), target.at, message.clone(), help);
        }
        let raise = Raise { code: Code::E4001, message, help: None, at: target.at };
        Some(StmtKind::Raise(raise))
    }

    /// Drops W2009 and W2010 reported since `from`: the target of an assignment is not read.
    fn drop_nil_warnings(&mut self, from: usize) {
        let kept = |d: &Diagnostic| !matches!(d.code, Code::W2009 | Code::W2010);
        let since = self.diags.split_off(from.min(self.diags.len()));
        self.diags.extend(since.into_iter().filter(kept));
    }

    /// `a, b = f()`; wrong names, types and counts are run-time errors.
    pub fn multi_assignment(&mut self, span: Span, names: &[Name], value: &ast::Expr) -> Stmt {
        let id = self.new_stmt(span, true);
        let at = names.first().map_or(span, |n| n.span);
        let value = self.expr(value, None);
        if value.ty == Type::Void {
            self.report_void_stored(&value, at);
        }
        let mut targets = Vec::new();
        for name in names {
            let kind = ast::ExprKind::Name(name.text.clone());
            let e = ast::Expr { span: name.span, at: name.span, kind };
            if self.immutable_root(&e).is_some() {
                let message =
                    format!("cannot assign to immutable variable '{}' (declared as const)", name.text);
                let help = self.immutable_help(&name.text).map(Help::from);
                return self.failing(id, Raise { code: Code::E5013, message, help, at });
            }
            match self.target(&e, true) {
                Some(target) => targets.push(UnpackTarget::Assign(target)),
                None => {
                    let message = format!("undefined variable '{}'", name.text);
                    return self.failing(id, Raise { code: Code::E4001, message, help: None, at });
                }
            }
        }
        Stmt { id, at, kind: StmtKind::Unpack { targets, value, at } }
    }
}

/// The kind of store, which decides the messages of its errors.
fn store_kind(target: &Target) -> StoreKind {
    match &target.kind {
        TargetKind::Local(_) | TargetKind::Global(_) => StoreKind::Assign,
        TargetKind::Index { base, .. } if matches!(base.ty, Type::Map(..)) => StoreKind::Entry,
        TargetKind::Index { .. } | TargetKind::Char { .. } => StoreKind::Element,
        TargetKind::Field { base, field } => match &base.ty {
            Type::Struct(def) => StoreKind::Field(
                def.fields().get(*field as usize).map_or_else(|| "".into(), |f| f.name.clone()),
            ),
            _ => StoreKind::Assign,
        },
        TargetKind::FieldNamed { name, .. } => StoreKind::Field(name.clone()),
    }
}

/// `target op= value`. An operator that the types do not have is a run-time error.
fn compound(target: Target, op: BinaryOp, value: Expr, at: Span) -> StmtKind {
    let (a, b) = (&target.ty, &value.ty);
    let has_float = matches!(a, Type::Float(_)) || matches!(b, Type::Float(_));
    let fits = |op: ArithOp| {
        a.is_any()
            || b.is_any()
            || (a.is_numeric() && b.is_numeric() && (op.takes_floats() || !has_float))
            || (op == ArithOp::Add && *a == Type::Str && assignable(a, b))
    };
    if let Operator::Arith(op) = Operator::from(op)
        && fits(op)
    {
        return StmtKind::OpAssign { target, op, value, at };
    }
    let message = unknown_operator(op, a, b);
    StmtKind::Raise(Raise { code: Code::E3014, message, help: None, at })
}

/// Whether a value of this type cannot be a number. What is no value at all is reported elsewhere.
fn is_no_number(ty: &Type) -> bool {
    !ty.is_numeric() && !ty.is_any() && !matches!(ty, Type::Void | Type::Tuple(_))
}

fn raise_unassignable(target: &ast::Expr) -> Raise {
    let message = "cannot assign to this expression".to_string();
    Raise { code: Code::E4001, message, help: None, at: target.at }
}

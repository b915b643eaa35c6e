//! Loops.

use crate::syntax::ast::{self, Name, TypeExpr};
use ez_runtime::diagnostics::{Code, Fix, Help};
use ez_runtime::program::{Block, Expr, ExprKind, LocalKind, Raise, Stmt, StmtId, StmtKind, StoreKind};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::scopes::Binding;
use super::target_expr::root_name;

impl Checker<'_> {
    /// Opens the scope of a loop whose header is statement `id`.
    fn enter_loop(&mut self, id: StmtId, vars: &[&Name]) {
        for var in vars {
            if self.frame.loops.iter().flatten().any(|outer| *outer == var.text) {
                let message = format!("loop variable '{}' shadows outer loop variable", var.text);
                self.report(Code::E4016, var.span, message);
            }
        }
        self.frame.loops.push(vars.iter().map(|v| v.text.clone()).collect());
        let scope = self.frame.open();
        if let Some(info) = self.stmt_info(id) {
            info.loop_scope = Some(scope);
        }
    }

    /// The body of a loop, in the scope that is open; closes it.
    fn loop_body(&mut self, body: &ast::Block, first: Vec<Stmt>) -> Block {
        let scope = self.frame.scope();
        let mut stmts = first;
        stmts.extend(self.stmts(&body.stmts));
        self.frame.close();
        self.frame.loops.pop();
        Block { scope, span: body.span, stmts }
    }

    pub fn for_loop(
        &mut self,
        keyword: Span,
        var: &Name,
        ty: Option<&TypeExpr>,
        iterable: &ast::Expr,
        body: &ast::Block,
    ) -> Stmt {
        let id = self.new_stmt(self.head(keyword, body.span), true);
        let (bounds, over) = if let ast::ExprKind::Range(args) = &iterable.kind {
            (Some(self.range_parts(args, iterable.at)), Type::Range)
        } else {
            (None, self.expr(iterable, None).ty)
        };
        let ty = ty.map_or(Type::INT, |ty| self.loop_type(ty));
        self.enter_loop(id, &[var]);
        let mut first = Vec::new();
        let local = if matches!(ty, Type::Int(_)) {
            self.frame.declare(var, ty, LocalKind::Loop, true)
        } else {
            // The counter is an `int`; a variable with a written type is converted from it each turn.
            let counter = self.frame.add_local(var, Type::INT, LocalKind::Hidden, true);
            let value = Expr { ty: Type::INT, at: var.span, kind: ExprKind::Local(counter) };
            let value = self.store(value, &ty, StoreKind::Loop, var.span);
            let inner = self.new_stmt(var.span, false);
            let local = self.frame.declare(var, ty, LocalKind::Loop, true);
            first.push(Stmt { id: inner, at: var.span, kind: StmtKind::Declare { local, value } });
            counter
        };
        let body = self.loop_body(body, first);
        let kind = match bounds {
            Some((start, end, step)) => StmtKind::For { var: local, start, end, step, body },
            None => {
                let message = "for loop requires range() expression".into();
                let (name, over_text) = (&var.text, self.short_text(iterable));
                let over_text = over_text.as_deref().unwrap_or("...");
                let help = match over {
                    Type::Array(..) | Type::Str | Type::Map(..) => Help::from(format!(
                        "to go through elements write 'for_each': for_each {name} in {over_text} {{ ... }}"
                    ))
                    .perhaps("for_each"),
                    _ => Help::from(format!("to count write: for {name} in range(0, {over_text}) {{ ... }}"))
                        .fix(Fix::guess(iterable.span, format!("range(0, {over_text})"))),
                };
                let help = Some(help);
                StmtKind::Raise(Raise { code: Code::E5011, message, help, at: keyword })
            }
        };
        Stmt { id, at: keyword, kind }
    }

    fn loop_type(&mut self, written: &TypeExpr) -> Type {
        let (ty, missing) = self.resolve_type(written);
        if let Some(missing) = missing {
            let message = format!("undefined type '{}'", missing.name);
            let help = self.type_help(&missing.name);
            self.report_unknown((Code::E3008, missing.module.as_deref()), missing.at, message, help);
        }
        ty
    }

    pub fn for_each(
        &mut self,
        keyword: Span,
        index: Option<&Name>,
        var: &Name,
        iterable: &ast::Expr,
        body: &ast::Block,
    ) -> Stmt {
        let id = self.new_stmt(self.head(keyword, body.span), true);
        let iterable_value = if let Some(name) = iterable.name().filter(|name| self.is_only_builtin(name)) {
            self.undefined(name, iterable.at);
            self.error_expr(iterable.at)
        } else if let ast::ExprKind::Array(items) = &iterable.kind {
            // No other place sees the array.
            self.mixed_array(items, iterable.at)
        } else {
            self.expr(iterable, None)
        };
        let ty = match &iterable_value.ty {
            Type::Array(elem, _) => (**elem).clone(),
            Type::Str => Type::Char,
            any @ (Type::Any | Type::Failed) => any.clone(),
            Type::Range => Type::INT,
            other => {
                let message = format!("for_each requires array or string, got {other}");
                let help = match other {
                    Type::Map(..) => Some("the keys of a map are an array: for_each key in maps.keys(m)"),
                    other if other.is_integer() => Some("to count write: for i in range(0, n) { ... }"),
                    _ => None,
                };
                self.report_help(Code::E3017, iterable.at, message, help);
                Type::Failed
            }
        };
        let names: Vec<&Name> = index.into_iter().chain([var]).collect();
        let mutable = self.is_mutable_collection(iterable);
        self.enter_loop(id, &names);
        let index = index.map(|name| self.frame.declare(name, Type::INT, LocalKind::Loop, true));
        let var = self.frame.declare(var, ty, LocalKind::Loop, !mutable);
        let body = self.loop_body(body, Vec::new());
        let kind = StmtKind::ForEach { index, var, iterable: iterable_value, body };
        Stmt { id, at: keyword, kind }
    }

    /// Whether the element variable is mutable: the root of the collection is a mutable variable.
    fn is_mutable_collection(&self, iterable: &ast::Expr) -> bool {
        let Some(root) = root_name(iterable) else { return false };
        match self.frame.lookup(root) {
            Some(Binding::Local(id)) => self.frame.local(id).is_some_and(|l| !l.constant),
            Some(Binding::Unbound) => false,
            Some(Binding::Extra(index)) => self.frame.extras.get(index).is_some_and(|e| !e.constant),
            None => {
                let id = self.module().and_then(|m| m.globals.get(root));
                id.and_then(|id| self.syms.global(*id)).is_some_and(|g| !g.constant)
            }
        }
    }

    pub fn while_loop(&mut self, keyword: Span, cond: &ast::Expr, body: &ast::Block) -> Stmt {
        let id = self.new_stmt(self.head(keyword, body.span), true);
        let cond = self.condition(cond, "while");
        self.enter_loop(id, &[]);
        let body = self.loop_body(body, Vec::new());
        Stmt { id, at: keyword, kind: StmtKind::While { cond, body } }
    }

    pub fn endless_loop(&mut self, keyword: Span, body: &ast::Block) -> Stmt {
        let id = self.new_stmt(self.head(keyword, body.span), true);
        self.enter_loop(id, &[]);
        let body = self.loop_body(body, Vec::new());
        Stmt { id, at: keyword, kind: StmtKind::Loop { body } }
    }
}

//! Statements other than declarations, assignments, loops and `when`.

use std::rc::Rc;

use crate::syntax::ast::{self, BinaryOp};
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{Arm, Block, Discard, Expr, ExprKind, Raise, Stmt, StmtId, StmtKind};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::{Checker, has_failed};
use super::frame::PendingEnsure;
use super::members::path_of;
use super::symbols::{LocalUsing, ModuleRef, UsingModule};

impl Checker<'_> {
    /// A block in a new scope; `non_nil`: paths that are not nil in it.
    pub fn block(&mut self, block: &ast::Block, non_nil: &[String]) -> Block {
        let scope = self.frame.open();
        self.frame.names.add_non_nil(non_nil.iter().cloned());
        let stmts = self.stmts(&block.stmts);
        self.frame.close();
        Block { scope, span: block.span, stmts }
    }

    /// Statements in the current scope. After an unknown word of another language (`while`, `let`) the
    /// statements on its line are the rest of a construct that EZ does not have, and are not checked.
    pub fn stmts(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        let mut lowered = Vec::new();
        let mut foreign: Option<Span> = None;
        for (index, stmt) in stmts.iter().enumerate() {
            if foreign.is_some_and(|word| self.same_line(word, stmt.span)) {
                self.declare_unchecked(stmt);
                continue;
            }
            let next = stmts.get(index + 1);
            foreign = next.and_then(|next| self.foreign_declaration(stmt, next));
            if foreign.is_none() {
                let before = lowered.len();
                self.stmt(stmt, &mut lowered);
                let failed = lowered.iter().skip(before).any(|stmt| self.stmt_failed(stmt));
                foreign = self.foreign_word(stmt, next).filter(|_| failed);
            }
        }
        lowered
    }

    /// Whether an error in the expression that a statement consists of, or in a declaration, has been reported.
    fn stmt_failed(&self, stmt: &Stmt) -> bool {
        if let StmtKind::Declare { local, value } = &stmt.kind {
            return has_failed(value) || self.frame.failed_declarations.contains(local);
        }
        matches!(
            &stmt.kind,
            StmtKind::Expr { expr: value, .. } | StmtKind::DeclareGlobal { value, .. } if has_failed(value)
        )
    }

    pub fn stmt(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) {
        match &s.kind {
            ast::StmtKind::Var(decl) if self.is_cell_level() => out.push(self.global_declaration(s, decl)),
            ast::StmtKind::Var(decl) => out.push(self.local_declaration(s, decl)),
            ast::StmtKind::Struct(decl) => self.type_inside(&decl.name, "struct"),
            ast::StmtKind::Enum(decl) => self.type_inside(&decl.name, "enum"),
            ast::StmtKind::Func(_) => {}
            ast::StmtKind::Assign(assign) => out.push(self.assignment(s.span, assign)),
            ast::StmtKind::MultiAssign { names, value } => {
                out.push(self.multi_assignment(s.span, names, value))
            }
            ast::StmtKind::Expr(e) => out.push(self.expr_stmt(s.span, e)),
            ast::StmtKind::Return { keyword, values } => {
                let id = self.new_stmt(s.span, true);
                let values = self.returned(*keyword, values);
                out.push(Stmt { id, at: *keyword, kind: StmtKind::Return(values) });
            }
            ast::StmtKind::Ensure { keyword, call } => out.push(self.ensure(s.span, *keyword, call)),
            ast::StmtKind::If { branches, otherwise } => out.push(self.if_stmt(branches, otherwise.as_ref())),
            ast::StmtKind::When(when) => out.push(self.when(s, when)),
            ast::StmtKind::For { keyword, var, ty, iterable, body } => {
                out.push(self.for_loop(*keyword, var, ty.as_ref(), iterable, body));
            }
            ast::StmtKind::ForEach { keyword, index, var, iterable, body } => {
                out.push(self.for_each(*keyword, index.as_ref(), var, iterable, body));
            }
            ast::StmtKind::While { keyword, cond, body } => out.push(self.while_loop(*keyword, cond, body)),
            ast::StmtKind::Loop { keyword, body } => out.push(self.endless_loop(*keyword, body)),
            ast::StmtKind::Break => out.push(self.jump(s.span, StmtKind::Break, (Code::E5009, "break"))),
            ast::StmtKind::Continue => {
                out.push(self.jump(s.span, StmtKind::Continue, (Code::E5010, "continue")));
            }
            ast::StmtKind::Using(using) => self.local_using(using, out),
        }
    }

    /// E2053
    fn type_inside(&mut self, name: &ast::Name, what: &str) {
        let message =
            format!("{what} '{}' cannot be declared inside a function; move it to file level", name.text);
        self.report(Code::E2053, name.span, message);
    }

    pub fn expr_stmt(&mut self, span: Span, e: &ast::Expr) -> Stmt {
        let id = self.new_stmt(span, true);
        let expr = self.expr(e, None);
        let plain = matches!(&e.kind, ast::ExprKind::Call { callee, .. }
            if callee.name().is_some());
        let used = plain && matches!(expr.kind, ExprKind::Call { .. }) && expr.ty != Type::Void;
        let discard = if used { Discard::Used } else { Discard::Fine };
        Stmt { id, at: self.stmt_at(id, span), kind: StmtKind::Expr { expr, discard } }
    }

    /// First token of a statement.
    pub fn stmt_at(&mut self, id: StmtId, span: Span) -> Span {
        self.stmt_info(id).map_or(span, |info| info.at)
    }

    /// A statement that raises an error.
    pub fn failing(&mut self, id: StmtId, raise: Raise) -> Stmt {
        Stmt { id, at: self.stmt_at(id, raise.at), kind: StmtKind::Raise(raise) }
    }

    /// The header of a statement with a block: from its keyword up to the `{`.
    pub fn head(&self, keyword: Span, body: Span) -> Span {
        let head = Span { end: body.start.max(keyword.end), ..keyword };
        let Some(file) = self.sources.get(keyword.file) else { return head };
        let text = file.slice(head).trim_end();
        Span { end: head.start + text.len() as u32, ..head }
    }

    /// `break` or `continue`, with the code for one outside of loops.
    fn jump(&mut self, span: Span, kind: StmtKind, (outside, word): (Code, &str)) -> Stmt {
        let id = self.new_stmt(span, true);
        if self.frame.loops.is_empty() {
            self.report(outside, span, format!("{word} statement outside loop"));
        }
        Stmt { id, at: span, kind }
    }

    fn ensure(&mut self, span: Span, keyword: Span, call: &ast::Expr) -> Stmt {
        let id = self.new_stmt(span, true);
        self.frame.has_ensure = true;
        let place = self.frame.names.place();
        self.frame.ensures.push(PendingEnsure { id, call: call.clone(), place });
        Stmt { id, at: keyword, kind: StmtKind::Ensure { call: self.error_expr(call.at) } }
    }

    /// `using` in a block. A module that is not imported is an error when the statement runs.
    fn local_using(&mut self, using: &ast::Using, out: &mut Vec<Stmt>) {
        for name in &using.names {
            let import = self.file_sym().and_then(|f| f.usable(&name.text));
            let Some(import) = import else {
                let id = self.new_stmt(using.keyword.to(name.span), false);
                let message = format!("cannot use '{}': module not imported", name.text);
                let raise = Raise { code: Code::E6004, message, help: None, at: using.keyword };
                out.push(self.failing(id, raise));
                // The statements after it never run, but their names are still checked.
                if let Some(module) = ez_runtime::library::module(&name.text) {
                    self.use_here(UsingModule {
                        alias: name.text.clone(),
                        module: ModuleRef::Library(module),
                    });
                }
                continue;
            };
            import.used.set(true);
            self.refers_to_module(name.span, import);
            self.use_here(UsingModule { alias: name.text.clone(), module: import.module.clone() });
        }
    }

    fn use_here(&mut self, used: UsingModule) {
        if let Some(func) = self.syms.func(self.frame.func) {
            let (scope, from) = (self.frame.scope(), self.next_stmt());
            func.usings.borrow_mut().push(LocalUsing { scope, from, module: used.clone() });
        }
        self.frame.names.use_module(used);
    }

    /// Condition of `if`, `or` and `as_long_as`.
    pub fn condition(&mut self, e: &ast::Expr, what: &str) -> Expr {
        let value = self.expr(e, None);
        if value.ty != Type::Bool && !value.ty.is_any() {
            let help = self.truth_help(&value.ty, e);
            let message = format!("{what} condition must be bool, got {}", value.ty);
            self.report_help(Code::E3001, e.at, message, help);
            return Expr { ty: Type::Bool, ..value };
        }
        self.as_bool(value)
    }

    fn if_stmt(&mut self, branches: &[ast::Branch], otherwise: Option<&ast::Block>) -> Stmt {
        let mut arms = Vec::new();
        for branch in branches {
            let id = self.new_stmt(self.head(branch.keyword, branch.body.span), true);
            let cond = self.condition(&branch.cond, "if");
            let non_nil = nil_test(&branch.cond, BinaryOp::Ne);
            let body = self.block(&branch.body, non_nil.as_slice());
            arms.push(Arm { id, at: branch.keyword, cond, body });
        }
        let absent = match branches {
            [only] => nil_test(&only.cond, BinaryOp::Eq),
            _ => None,
        };
        let otherwise = otherwise.map(|block| self.block(block, absent.as_slice()));
        let (id, at) = arms.first().map_or((StmtId(0), None), |arm| (arm.id, Some(arm.at)));
        let at = at.unwrap_or_else(|| self.frame_span());
        Stmt { id, at, kind: StmtKind::If { arms, otherwise } }
    }

    fn frame_span(&self) -> Span {
        Span::new(self.file_sym().map_or(ez_runtime::source::FileId(0), |f| f.id), 0, 0)
    }

    /// Records the paths below `name` that its new value makes non-nil (a struct literal sets them).
    pub fn note_non_nil(&mut self, name: &Rc<str>, value: &ast::Expr) {
        let mut paths = Vec::new();
        literal_paths(name, value, &mut paths);
        self.frame.names.add_non_nil(paths);
    }
}

/// The path in a condition `path == nil` or `path != nil`, for the operator `wanted`.
fn nil_test(cond: &ast::Expr, wanted: BinaryOp) -> Option<String> {
    let ast::ExprKind::Binary(op, left, right) = &cond.kind else { return None };
    if *op != wanted {
        return None;
    }
    match (&left.kind, &right.kind) {
        (_, ast::ExprKind::Nil) => path_of(left),
        (ast::ExprKind::Nil, _) => path_of(right),
        _ => None,
    }
}

fn literal_paths(path: &str, value: &ast::Expr, out: &mut Vec<String>) {
    let ast::ExprKind::Struct { fields, .. } = &value.kind else { return };
    for (field, value) in fields {
        if matches!(value.kind, ast::ExprKind::Nil) {
            continue;
        }
        let inner = format!("{path}.{}", field.text);
        literal_paths(&inner, value, out);
        out.push(inner);
    }
}

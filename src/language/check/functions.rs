//! Signatures and bodies of functions.

use std::collections::HashMap;
use std::rc::Rc;

use crate::syntax::ast::{self, FuncDecl, Name, TypeExpr};
use ez_runtime::diagnostics::Code;
use ez_runtime::program::visit::blocks_mut;
use ez_runtime::program::{
    Block, Expr, ExprKind, FuncId, Function, LocalKind, Param, Stmt, StmtId, StmtKind,
};
use ez_runtime::value::Type;

use super::checker::Checker;
use super::flow::{always_returns, any_stmt, has_return};
use super::frame::{Frame, PendingEnsure};
use super::scopes::Binding;
use super::suggest::nearest;
use super::symbols::{FuncSym, FuncType};
use super::types::mentions;

impl Checker<'_> {
    /// Resolves and checks the types of a function.
    pub fn signature(&mut self, id: FuncId) {
        let Some(sym) = self.syms.func(id) else { return };
        let decl = sym.decl.clone();
        let mut types = FuncType::default();
        for param in &decl.params {
            self.parameter_name(id, &param.name, "parameter");
            types.params.push(self.parameter_type(&param.name, &param.ty));
        }
        for result in &decl.results {
            types.results.push(self.result_type(&decl, &result.ty));
        }
        for result in &decl.results {
            if let Some(name) = &result.name {
                self.parameter_name(id, name, "return parameter");
            }
        }
        let _ = sym.signature.set(types);
    }

    /// E2033: a parameter has the name of a type, or of a function declared above.
    fn parameter_name(&mut self, id: FuncId, name: &Name, what: &str) {
        if name.is_blank() {
            return;
        }
        let text = &name.text;
        let own = self.module().is_some_and(|m| m.types.contains_key(text));
        let internal = matches!(&**text, "void" | "nil" | "any" | "Error") || Type::primitive(text).is_some();
        let above = self.module().and_then(|m| m.funcs.get(text)).is_some_and(|f| {
            let same_file = self.syms.func(*f).map(|s| s.file) == self.syms.func(id).map(|s| s.file);
            same_file && f.0 < id.0
        });
        let kind = match (own || internal, above) {
            (true, _) => "type",
            (false, true) => "function",
            _ => return,
        };
        let message = format!("'{text}' is a {kind} name and cannot be used as a {what} name");
        self.report(Code::E2033, name.span, message);
    }

    fn parameter_type(&mut self, name: &Name, written: &TypeExpr) -> Type {
        let (ty, missing) = self.resolve_type(written);
        let text = &name.text;
        if let Some(missing) = missing {
            let message = format!("undefined type '{}' for parameter '{text}'", missing.name);
            let help = self.type_help(&missing.name);
            self.report_unknown((Code::E3010, missing.module.as_deref()), missing.at, message, help);
        } else if mentions(&ty, &Type::is_any) {
            let message = format!("'any' type cannot be used as parameter type for '{text}'");
            self.report(Code::E3034, name.span, message);
        } else if ty == Type::Void {
            let message = format!("'void' type cannot be used as parameter type for '{text}'");
            self.report(Code::E3038, name.span, message);
            return Type::Any;
        }
        ty
    }

    fn result_type(&mut self, decl: &FuncDecl, written: &TypeExpr) -> Type {
        let (ty, missing) = self.resolve_type(written);
        let (name, at) = (&decl.name.text, decl.name.span);
        if let Some(missing) = missing {
            let message = format!("undefined return type '{}' in function '{name}'", missing.name);
            let help = self.type_help(&missing.name);
            self.report_unknown((Code::E3011, missing.module.as_deref()), missing.at, message, help);
        } else if mentions(&ty, &Type::is_any) {
            let message = format!("'any' type cannot be used as return type in function '{name}'");
            self.report(Code::E3034, at, message);
        } else if ty == Type::Void {
            let message = format!(
                "'void' cannot be used as return type in function '{name}'; omit return type for void functions"
            );
            self.report(Code::E3038, at, message);
            return Type::Any;
        }
        ty
    }

    /// Checks and lowers a body.
    pub fn function(&mut self, id: FuncId, name: Rc<str>, is_main: bool) -> Option<Function> {
        let sym = self.syms.func(id)?;
        let decl = sym.decl.clone();
        self.frame = Frame::new(id);
        self.frame.suppress = sym.attrs.suppress.iter().map(|n| n.text.clone()).collect();
        self.frame.results = sym.results().to_vec();
        self.frame.result_names = decl.results.iter().filter_map(|r| r.name.clone()).collect();
        if !decl.results.is_empty() {
            self.check_paths(&decl);
        }
        let params = self.parameters(sym, is_main);
        let mut stmts = self.named_result_stmts(sym);
        stmts.extend(self.stmts(&decl.body.stmts));
        self.finish_ensures(&mut stmts);
        let frame = std::mem::replace(&mut self.frame, Frame::new(id));
        sym.facts.replace(frame.facts);
        let body = Block { scope: ez_runtime::program::ScopeId(0), span: decl.body.span, stmts };
        let file = self.file_sym()?.id;
        let (locals, scopes, has_ensure) = (frame.locals, frame.scopes, frame.has_ensure);
        let results = frame.results;
        Some(Function { id, name, file, params, results, locals, scopes, body, span: sym.span, has_ensure })
    }

    /// E3024, E3035
    fn check_paths(&mut self, decl: &FuncDecl) {
        let name = &decl.name.text;
        let is_misspelled = |e: &ast::Expr| e.name().is_some_and(|word| nearest(word, ["return"]).is_some());
        let misspelled = |kind: &ast::StmtKind| matches!(kind, ast::StmtKind::Expr(e) if is_misspelled(e));
        if any_stmt(&decl.body, &misspelled) {
            // Reported where it is.
        } else if !has_return(&decl.body) {
            let message = format!("Function '{name}' declares return type(s) but has no return statement");
            let help = "its result is given with 'return value' before its last '}'".to_string();
            self.report_help(Code::E3024, decl.name.span, message, Some(help));
        } else if !always_returns(&decl.body) {
            let message = format!("Function '{name}' does not return a value on all code paths");
            self.report(Code::E3035, decl.name.span, message);
        }
    }

    fn parameters(&mut self, sym: &FuncSym, is_main: bool) -> Vec<Param> {
        let mut params = Vec::new();
        for (param, ty) in sym.decl.params.iter().zip(sym.params()) {
            let local = self.frame.add_local(&param.name, ty.clone(), LocalKind::Parameter, !param.by_ref);
            // `main` is called without arguments.
            let binding = if is_main { Binding::Unbound } else { Binding::Local(local) };
            self.frame.bind(&param.name, binding);
            if param.by_ref {
                self.frame.make_boxed(local);
                self.frame.facts.aliases.insert(local);
            }
            params.push(Param { local, by_ref: param.by_ref });
        }
        params
    }

    fn named_result_stmts(&mut self, sym: &FuncSym) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for (result, ty) in sym.decl.results.iter().zip(sym.results()) {
            let Some(name) = &result.name else { continue };
            let id = self.new_stmt(name.span, false);
            let local = self.frame.declare(name, ty.clone(), LocalKind::Result, false);
            let value = Expr { ty: ty.clone(), at: name.span, kind: ExprKind::Default };
            stmts.push(Stmt { id, at: name.span, kind: StmtKind::Declare { local, value } });
        }
        stmts
    }

    /// Lowers the calls of `ensure` statements. Names are looked up in the blocks around the statement; the function's
    /// outermost block is as it is at its end.
    fn finish_ensures(&mut self, stmts: &mut [Stmt]) {
        let pending = std::mem::take(&mut self.frame.ensures);
        if pending.is_empty() {
            return;
        }
        let outermost = self.frame.names.place();
        let mut calls = HashMap::new();
        for PendingEnsure { id, call, place } in pending {
            self.frame.current = Some(id);
            self.frame.names.go_to(place.with_outermost(&outermost));
            calls.insert(id, self.expr(&call, None));
        }
        self.frame.names.go_to(outermost);
        stmts.iter_mut().for_each(|stmt| enter_calls(stmt, &mut calls));
    }
}

/// Enters the calls of the `ensure` statements in and below `stmt`.
fn enter_calls(stmt: &mut Stmt, calls: &mut HashMap<StmtId, Expr>) {
    if let StmtKind::Ensure { call } = &mut stmt.kind
        && let Some(found) = calls.remove(&stmt.id)
    {
        *call = found;
    }
    for stmt in blocks_mut(stmt).into_iter().flat_map(|block| block.stmts.iter_mut()) {
        enter_calls(stmt, calls);
    }
}

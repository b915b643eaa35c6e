//! The file level: which statements are allowed (E2056), and the order of its evaluation.

use std::rc::Rc;

use crate::modules::Graph;
use crate::syntax::ast::{self, VarDecl};
use crate::syntax::foreign;
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{Expr, ExprKind, GlobalId, Raise, Stmt, StmtKind, StoreKind, UnpackTarget};
use ez_runtime::sync::{NO_ROOM, deeper_or};
use ez_runtime::value::Type;

use super::checker::Checker;
use super::symbols::{ModuleRef, ModuleState};
use super::variables::{const_array, dynamic_const, ty_written};

impl Checker<'_> {
    /// Lowers the file level of a module, those it imports first.
    pub fn evaluate_module(&mut self, graph: &Graph, module: usize, out: &mut Vec<Stmt>) {
        let Some(sym) = self.syms.modules.get(module) else { return };
        if sym.state.get() != ModuleState::Waiting {
            return;
        }
        sym.state.set(ModuleState::Running);
        for file in &sym.files {
            self.evaluate_imports(graph, *file, out);
        }
        let Some(unit) = graph.modules.get(module) else { return };
        for (file, unit) in sym.files.iter().zip(&unit.files) {
            self.file = *file;
            self.frame.file_level = Some(module);
            for stmt in &unit.ast.items {
                self.file_stmt(stmt, out);
            }
        }
        sym.state.set(ModuleState::Done);
    }

    fn evaluate_imports(&mut self, graph: &Graph, file: usize, out: &mut Vec<Stmt>) {
        let Some(sym) = self.syms.files.get(file) else { return };
        for import in sym.imports.iter().filter(|i| !i.from_sibling) {
            let failure = match &import.module {
                ModuleRef::Library(_) => None,
                ModuleRef::User(index) => deeper_or(
                    || {
                        self.evaluate_module(graph, *index, out);
                        None
                    },
                    || Some((Code::E5018, NO_ROOM.into())),
                ),
                ModuleRef::Failed(failure) => Some((failure.code, failure.message.clone())),
            };
            let Some((code, message)) = failure else { continue };
            self.file = file;
            let id = self.new_stmt(import.keyword, false);
            out.push(self.failing(id, Raise { code, message, help: None, at: import.at }));
        }
    }

    fn file_stmt(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) {
        if let ast::StmtKind::Var(decl) = &s.kind {
            // In a cell, `main` declares them.
            if self.cell_main.is_none() {
                out.push(self.global_declaration(s, decl));
            }
        } else if let ast::StmtKind::Struct(decl) = &s.kind {
            self.mark_ready(&decl.name.text);
        } else if let ast::StmtKind::Enum(decl) = &s.kind {
            if let Some(kind) = self.enum_members(decl, &s.attrs) {
                let id = self.new_stmt(s.span, false);
                let at = self.stmt_at(id, s.span);
                out.push(Stmt { id, at, kind });
            }
            self.mark_ready(&decl.name.text);
        } else {
            self.misplaced(s);
        }
    }

    fn mark_ready(&mut self, name: &str) {
        if let Some(sym) = self.module().and_then(|m| m.types.get(name)) {
            sym.ready.set(true);
        }
    }

    /// E2056 for statements that belong in functions.
    fn misplaced(&mut self, s: &ast::Stmt) {
        let follows_word = std::mem::take(&mut self.follows_word);
        let inside_function = "can only be used inside a function";
        let inside_loop = "can only be used inside a loop";
        let move_it = "move it inside a function";
        let (what, advice, at) = match &s.kind {
            ast::StmtKind::If { branches, .. } => {
                ("'if' statement", move_it, branches.first().map_or(s.span, |b| b.keyword))
            }
            ast::StmtKind::When(when) => ("'when' statement", move_it, when.keyword),
            ast::StmtKind::For { keyword, .. } => ("'for' statement", move_it, *keyword),
            ast::StmtKind::ForEach { keyword, .. } => ("'for_each' statement", move_it, *keyword),
            ast::StmtKind::While { keyword, .. } => ("'as_long_as' statement", move_it, *keyword),
            ast::StmtKind::Loop { keyword, .. } => ("'loop' statement", move_it, *keyword),
            ast::StmtKind::Assign(assign) => ("assignment", move_it, assign.at),
            ast::StmtKind::MultiAssign { names, .. } => {
                ("assignment", move_it, names.first().map_or(s.span, |n| n.span))
            }
            ast::StmtKind::Expr(_) => ("expression statement", move_it, s.span),
            ast::StmtKind::Return { keyword, .. } => ("'return' statement", inside_function, *keyword),
            ast::StmtKind::Ensure { keyword, .. } => ("'ensure' statement", inside_function, *keyword),
            ast::StmtKind::Break => ("'break' statement", inside_loop, s.span),
            ast::StmtKind::Continue => ("'continue' statement", inside_loop, s.span),
            ast::StmtKind::Var(_)
            | ast::StmtKind::Struct(_)
            | ast::StmtKind::Enum(_)
            | ast::StmtKind::Func(_)
            | ast::StmtKind::Using(_) => return,
        };
        self.has_misplaced = true;
        let word = if let ast::StmtKind::Expr(e) = &s.kind { e.name() } else { None };
        // The words and numbers of a sentence are one mistake.
        let is_word = if let ast::StmtKind::Expr(e) = &s.kind {
            matches!(e.kind.class(), ast::ExprClass::Name(_) | ast::ExprClass::Value)
        } else {
            false
        };
        self.follows_word = is_word;
        if follows_word && is_word {
            return;
        }
        let help = word.and_then(|word| foreign::translation(word)).map(String::from).or_else(|| {
            let plain = matches!(s.kind, ast::StmtKind::Expr(_) | ast::StmtKind::Assign(_));
            let text = self.sources.get(s.span.file).map(|file| file.slice(s.span).to_string());
            let text = text.filter(|text| text.len() <= 40 && !text.contains('\n'));
            let text = text.unwrap_or_else(|| "...".into());
            plain.then(|| format!("what a program does is written in a function: do main() {{ {text} }}"))
        });
        self.report_help(Code::E2056, at, format!("{what} not allowed at file scope; {advice}"), help);
    }

    /// Lowers the declaration of globals.
    pub fn global_declaration(&mut self, s: &ast::Stmt, decl: &VarDecl) -> Stmt {
        let id = self.new_stmt(s.span, decl.value.is_some());
        if !self.is_cell_level() && decl.value.as_ref().is_some_and(calls) {
            let message =
                "function call in variable initializer not allowed at file scope; move it inside a function";
            self.has_misplaced = true;
            self.report(Code::E2056, decl.keyword, message);
        }
        let kind = match (decl.names.as_slice(), &decl.value) {
            ([_], value) => self.single_global(decl, value.as_ref()),
            (_, Some(value)) => self.multi_global(decl, value),
            (_, None) => None,
        };
        let kind = kind.unwrap_or_else(|| StmtKind::Expr {
            expr: self.error_expr(decl.keyword),
            discard: ez_runtime::program::Discard::Fine,
        });
        Stmt { id, at: decl.keyword, kind }
    }

    fn global_named(&self, name: &ast::Name) -> Option<GlobalId> {
        if name.is_blank() {
            return None;
        }
        let known = self.module().and_then(|module| module.globals.get(&name.text)).copied();
        known.filter(|id| self.syms.global(*id).is_some_and(|g| g.span == name.span)).or_else(|| {
            // Declared twice.
            let found = self.syms.globals.iter().position(|g| g.span == name.span)?;
            Some(GlobalId(found as u32))
        })
    }

    fn set_global(&self, id: GlobalId, ty: &Type) {
        if let Some(sym) = self.syms.global(id) {
            let _ = sym.ty.set(if ty.is_failed() { Type::Any } else { ty.clone() });
        }
    }

    fn single_global(&mut self, decl: &VarDecl, value: Option<&ast::Expr>) -> Option<StmtKind> {
        let (name, written_type) = decl.names.first()?;
        if !name.is_blank() {
            self.global_shadowing(name);
        }
        let declared = written_type.as_ref().map(|ty| self.declared_type(ty, name.span));
        let id = self.global_named(name);
        let Some(written) = value else {
            let ty = declared.map_or(Type::Any, |d| d.ty);
            let global = id?;
            self.set_global(global, &ty);
            return Some(StmtKind::DeclareGlobal {
                global,
                value: Expr { ty, at: name.span, kind: ExprKind::Default },
            });
        };
        // In the value of a global without a written type, unknown names are run-time errors.
        let lenient = declared.is_none();
        let wanted = declared.as_ref().map(|d| &d.ty);
        let value = self.with_lenient(lenient, |c| c.expr(written, wanted));
        let (ty, fine) = match declared {
            Some(declared) => {
                let fine = !declared.failed && self.check_declared(&declared, &value, written, name.span);
                (declared.ty, fine)
            }
            None => self.inferred_type(&value, written, name),
        };
        let Some(global) = id else {
            return Some(StmtKind::Expr { expr: value, discard: ez_runtime::program::Discard::Fine });
        };
        self.set_global(global, &ty);
        if dynamic_const(decl.constant, ty_written(&decl.names), &ty) {
            return Some(StmtKind::Raise(const_array(decl.keyword)));
        }
        if fine && matches!(value.ty, Type::Tuple(_)) {
            let targets = vec![UnpackTarget::DeclareGlobal(global)];
            return Some(StmtKind::Unpack { targets, value, at: decl.keyword });
        }
        // At the level of a file there is nothing to refer to, and calls are not allowed.
        if let (ExprKind::RefTo(target), true) = (&value.kind, self.is_cell_level()) {
            if let Some(sym) = self.syms.global(global) {
                sym.boxed.set(true);
            }
            return Some(StmtKind::DeclareGlobalRef { global, target: target.clone() });
        }
        let value = self.keep(value, &ty, StoreKind::Declare, name.span, decl.constant);
        Some(StmtKind::DeclareGlobal { global, value })
    }

    fn multi_global(&mut self, decl: &VarDecl, value: &ast::Expr) -> Option<StmtKind> {
        let value = self.expr(value, None);
        let types = self.multi_types(&decl.names, &value);
        let mut targets = Vec::new();
        for ((name, _), ty) in decl.names.iter().zip(&types.each) {
            match self.global_named(name) {
                Some(id) if !name.is_blank() => {
                    self.set_global(id, ty);
                    targets.push(UnpackTarget::DeclareGlobal(id));
                }
                _ => targets.push(UnpackTarget::Skip),
            }
        }
        Some(StmtKind::Unpack { targets, value, at: decl.keyword })
    }
}

/// Whether a call stands anywhere in the expression; those in interpolated strings are overlooked.
fn calls(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Call { .. })
        || !matches!(e.kind, ast::ExprKind::Interp(_)) && e.parts().into_iter().any(calls)
}

/// The name of file-level evaluation in stack traces.
pub fn program_name() -> Rc<str> {
    "<program>".into()
}

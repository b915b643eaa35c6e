//! Target expressions: indexing, and what can be assigned or referred to.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::syntax::ast;
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{Expr, ExprKind, Target, TargetKind};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, told_apart};

use super::checker::Checker;
use super::scopes::Binding;
use super::types::{assignable, is_hashable};

impl Checker<'_> {
    /// `base[index]`
    pub fn index(&mut self, base: &ast::Expr, index: &ast::Expr, at: Span) -> Expr {
        let base_value = self.expr(base, None);
        let key = key_type(&base_value.ty);
        let index_value = self.expr(index, key.as_ref());
        let ty = self.check_index(&base_value.ty, base, &index_value.ty, index);
        Expr { ty, at, kind: ExprKind::Index(Box::new(base_value), Box::new(index_value)) }
    }

    /// Checks the index (E3003, E3016, E5003) and gives the type of the element.
    fn check_index(
        &mut self,
        base: &Type,
        base_ast: &ast::Expr,
        index: &Type,
        index_ast: &ast::Expr,
    ) -> Type {
        if let Type::Map(key, value) = base {
            if !is_hashable(index) {
                let message = format!(
                    "map key must be a hashable type (string, integer, bool, char, byte, enum), got {index}"
                );
                self.report(Code::E3003, index_ast.at, message);
            } else if !assignable(key, index) {
                let (key, index) = told_apart(key, index);
                let message = format!("map key type mismatch: expected {key}, got {index}");
                self.report(Code::E3003, index_ast.at, message);
            }
            return (**value).clone();
        }
        if !index.is_integer() && !index.is_any() && (!base.is_any() || *index == Type::Void) {
            self.report(Code::E3003, index_ast.at, format!("index must be an integer, got {index}"));
        }
        match base {
            Type::Array(elem, size) => {
                self.check_bounds(base_ast, *size, index_ast);
                (**elem).clone()
            }
            Type::Str => Type::Char,
            Type::Any | Type::Failed => base.clone(),
            // Accepted by the check; an error at run time.
            Type::Range => Type::INT,
            other => {
                let message = format!("cannot index into {other} (expected array, string, or map)");
                self.report(Code::E3016, base_ast.at, message);
                Type::Failed
            }
        }
    }

    /// E5003 for literal indices.
    fn check_bounds(&mut self, base: &ast::Expr, size: Option<u64>, index: &ast::Expr) {
        let Some(number) = super::ranges::literal(index) else { return };
        if number.sign() == num_bigint::Sign::Minus {
            let name = self.short_text(base).unwrap_or_else(|| "a".into());
            let ordinal =
                if number == BigInt::from(-1) { "last".into() } else { format!("{}th last", -&number) };
            let help = format!(
                "elements are counted from 0; the {ordinal} one is {name}[len({name}) - {}]",
                -&number
            );
            let message = format!("array index {number} is negative");
            self.report_help(Code::E5003, index.at, message, Some(help));
        } else if let Some(size) = size.filter(|n| number >= (*n).into()) {
            let message = format!("array index {number} out of bounds for array of size {size}");
            self.report(Code::E5003, index.at, message);
        }
    }

    /// The target that an expression denotes; `None` if it denotes none. Unless `read`, unknown names in
    /// indices become run-time errors instead of reports.
    pub fn target(&mut self, e: &ast::Expr, read: bool) -> Option<Target> {
        let at = e.at;
        match e.kind.class() {
            ast::ExprClass::Name(name) => match self.frame.lookup(name) {
                Some(Binding::Local(id)) => {
                    self.refers_to_local(at, id);
                    let ty = self.local_value(id, at).ty;
                    Some(Target { ty, at, kind: TargetKind::Local(id) })
                }
                Some(Binding::Unbound) => None,
                Some(Binding::Extra(index)) => {
                    let extra = self.frame.extras.get(index)?;
                    Some(Target { ty: extra.ty.clone(), at, kind: TargetKind::Global(extra.global) })
                }
                None => {
                    let id = *self.module()?.globals.get(name)?;
                    let ty = self.syms.global(id)?.ty.get()?.clone();
                    self.refers_to_global(at, id);
                    Some(Target { ty, at, kind: TargetKind::Global(id) })
                }
            },
            ast::ExprClass::Index(base, index) => self.index_target(base, index, at, read),
            ast::ExprClass::Member(object, name) => {
                if let Some(alias) = object.name()
                    && self.file_sym().is_some_and(|f| f.import(alias).is_some())
                {
                    return None;
                }
                let base = self.expr(object, None);
                let field = self.field(object, base, name, at);
                let kind = if let ExprKind::Field(base, field) = field.kind {
                    TargetKind::Field { base, field }
                } else if let ExprKind::FieldNamed(base, name) = field.kind {
                    TargetKind::FieldNamed { base, name }
                } else {
                    // Reported already.
                    TargetKind::FieldNamed { base: Box::new(self.error_expr(at)), name: name.text.clone() }
                };
                Some(Target { ty: field.ty, at, kind })
            }
            ast::ExprClass::Call | ast::ExprClass::Struct | ast::ExprClass::Value => None,
        }
    }

    fn index_target(&mut self, base: &ast::Expr, index: &ast::Expr, at: Span, read: bool) -> Option<Target> {
        let base_value = self.expr(base, None);
        let key = key_type(&base_value.ty);
        let lenient = self.lenient || !read;
        let index_value = self.with_lenient(lenient, |c| c.expr(index, key.as_ref()));
        let ty = self.check_index(&base_value.ty, base, &index_value.ty, index);
        let index_value = Box::new(index_value);
        if base_value.ty == Type::Str {
            // The base was checked above; finding its target reports nothing new.
            let inner = self.tentatively(|checker| checker.target(base, read), |_| false);
            let base = Box::new(inner?);
            return Some(Target { ty, at, kind: TargetKind::Char { base, index: index_value } });
        }
        let constant = self.constant_global(base);
        let kind = TargetKind::Index { base: Box::new(base_value), index: index_value, constant };
        Some(Target { ty, at, kind })
    }

    /// The name of the file-level constant that the expression is.
    fn constant_global(&self, e: &ast::Expr) -> Option<Rc<str>> {
        let name = e.name()?;
        if self.frame.lookup(name).is_some() {
            return None;
        }
        let id = *self.module()?.globals.get(name)?;
        self.syms.global(id).filter(|g| g.constant).map(|g| g.name.clone())
    }
}

/// Name of the variable at the root of `a.b[c].d`.
pub fn root_name(e: &ast::Expr) -> Option<&Rc<str>> {
    if let ast::ExprKind::Index(base, _) | ast::ExprKind::Member(base, _) = &e.kind {
        return root_name(base);
    }
    e.name()
}

fn key_type(base: &Type) -> Option<Type> {
    match base {
        Type::Map(key, _) => Some((**key).clone()),
        _ => None,
    }
}

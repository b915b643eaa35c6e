//! Member access `a.b`: members of enums, fields of structs, names of modules.

use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use ez_runtime::diagnostics::Code;
use ez_runtime::library::RowKind;
use ez_runtime::program::{Expr, ExprKind};
use ez_runtime::source::Span;
use ez_runtime::value::{EnumDef, StructDef, Type, builtin};

use super::checker::{Checker, raise, raise_help};
use super::declared::Declaration;
use super::names::{not_bound, not_in_module};
use super::scopes::Binding;
use super::suggest::{did_you_mean, one_of};
use super::symbols::{ModuleRef, TypeSym};
use super::types::TypeLookup;

impl Checker<'_> {
    pub fn member(&mut self, object: &ast::Expr, name: &Name, at: Span) -> Expr {
        if let Some(text) = object.name()
            && let Some(value) = self.module_member(text, object.at, name, at)
        {
            return value;
        }
        if let Some((def, sym, shown)) = self.enum_named(object) {
            return self.enum_member(&def, &sym, &shown, name, object.at, at);
        }
        let value = self.expr(object, None);
        self.warn_nil(object, &value.ty, name);
        self.field(object, value, name, at)
    }

    /// The enum that an expression names, `Kind` or `module.Kind`, and the name as it is written.
    fn enum_named(&mut self, object: &ast::Expr) -> Option<(Rc<EnumDef>, Rc<TypeSym>, String)> {
        if let ast::ExprKind::Member(module, type_name) = &object.kind {
            let alias = module.name()?;
            self.module_before_dot(alias)?;
            let (Type::Enum(def), Some(sym)) = self.lookup_qualified_type(alias, &type_name.text)? else {
                return None;
            };
            self.qualified_type(&Name { text: alias.clone(), span: module.at }, type_name);
            return Some((def, sym, format!("{alias}.{}", type_name.text)));
        }
        let text = object.name()?;
        if self.frame.lookup(text).is_some() || self.has_global(text) {
            return None;
        }
        let TypeLookup::Found(Type::Enum(def), Some(sym)) = self.lookup_type(text) else { return None };
        self.refers_to_type(object.at, Some(&sym));
        Some((def, sym, text.to_string()))
    }

    /// Whether an expression is a member of an enum: no place, though it looks like a field.
    pub fn is_enum_member(&mut self, e: &ast::Expr) -> bool {
        matches!(&e.kind, ast::ExprKind::Member(object, _) if self.enum_named(object).is_some())
    }

    pub fn has_global(&self, name: &str) -> bool {
        self.module().is_some_and(|m| m.globals.contains_key(name))
    }

    fn enum_member(
        &mut self,
        def: &Rc<EnumDef>,
        sym: &TypeSym,
        shown: &str,
        name: &Name,
        object_at: Span,
        at: Span,
    ) -> Expr {
        let Some(index) = sym.members.iter().position(|m| *m == name.text) else {
            let members: Vec<&str> = sym.members.iter().map(|m| &**m).collect();
            let help = one_of(&name.text, "its members are", &members);
            let message = format!("enum '{shown}' has no member '{}'", name.text);
            self.report_help(Code::E4004, name.span, message, help);
            return Expr { ty: sym.ty.clone(), ..self.error_expr(at) };
        };
        self.refers_to_part(name.span, &sym.ty, index);
        if self.frame.file_level.is_some() && !sym.ready.get() {
            return if sym.module == self.module_index() {
                not_bound(shown, object_at)
            } else {
                let module = self.syms.modules.get(sym.module).map_or("", |m| &*m.name);
                raise(Code::E4006, object_at, not_in_module(&def.name, module))
            };
        }
        Expr { ty: sym.ty.clone(), at, kind: ExprKind::EnumMember(def.clone(), index as u32) }
    }

    /// `alias.NAME` of an imported module; `None` if `alias` is no module.
    fn module_member(&mut self, alias: &str, alias_at: Span, name: &Name, at: Span) -> Option<Expr> {
        let import = self.module_before_dot(alias)?;
        self.refers_to_module(alias_at, import);
        match &import.module {
            ModuleRef::Library(module) => {
                import.used.set(true);
                let Some(row) = module.row(&name.text) else {
                    let help = did_you_mean(&name.text, module.rows.iter().map(|row| row.name));
                    return Some(raise_help(Code::E4006, at, not_in_module(&name.text, module.name), help));
                };
                debug_assert!(matches!(row.kind, RowKind::Function | RowKind::Constant));
                self.refers(name.span, Declaration::Row(module, row));
                Some(self.read_row(module, row, at, false))
            }
            ModuleRef::User(index) => {
                let module = self.syms.modules.get(*index)?;
                let own = *index == self.module_index();
                let hidden = |private: bool| private && !own;
                let implicit = self.file_sym()?.import(alias).is_none();
                if implicit && let Some(value) = self.own_global(&name.text, at) {
                    self.refers_to_value(name.span, &value);
                    return Some(value);
                }
                if let Some(id) = module.globals.get(&name.text) {
                    let sym = self.syms.global(*id)?;
                    if self.syms.files.get(sym.file).is_some_and(|f| f.has_module_line) {
                        import.used.set(true);
                    }
                    if !hidden(sym.private) {
                        self.refers_to_global(name.span, *id);
                        return Some(self.module_global(*id, at));
                    }
                }
                if let Some(id) = module.funcs.get(&name.text)
                    && self.syms.func(*id).is_some_and(|f| !hidden(f.private))
                {
                    self.refers_to_function(name.span, *id);
                    self.function_as_value(&format!("{alias}.{}", name.text), at);
                    return Some(self.error_expr(at));
                }
                let help = self.module_value_help(*index, &name.text);
                Some(raise_help(Code::E4006, at, not_in_module(&name.text, alias), help))
            }
            ModuleRef::Failed(_) => Some(raise(Code::E4006, at, not_in_module(&name.text, alias))),
        }
    }

    /// Field `name` of the value of `object`.
    pub fn field(&mut self, object: &ast::Expr, value: Expr, name: &Name, at: Span) -> Expr {
        match &value.ty {
            Type::Any | Type::Failed => {
                let ty = value.ty.clone();
                Expr { ty, at, kind: ExprKind::FieldNamed(Box::new(value), name.text.clone()) }
            }
            Type::Struct(def) => match def.field_index(&name.text) {
                Some(index) => {
                    self.refers_to_part(name.span, &value.ty, index);
                    let ty = def.fields().get(index).map_or(Type::Any, |f| f.ty.clone());
                    Expr { ty, at, kind: ExprKind::Field(Box::new(value), index as u32) }
                }
                None => {
                    self.report_no_field(def, &name.text, name.span);
                    self.error_expr(at)
                }
            },
            other => {
                let message =
                    format!("cannot access member '{}' on type '{other}' (not a struct)", name.text);
                let shown = path_of(object);
                let help = self.method_help(other, shown.as_deref().unwrap_or("..."), &name.text);
                self.report_help(Code::E4011, name.span, message, help);
                self.error_expr(at)
            }
        }
    }

    /// E4003
    pub fn report_no_field(&mut self, def: &StructDef, field: &str, at: Span) {
        let fields: Vec<&str> = def.fields().iter().map(|f| &*f.name).collect();
        let help = one_of(field, "its fields are", &fields);
        self.report_help(Code::E4003, at, format!("struct '{}' has no field '{field}'", def.name), help);
    }

    /// W2009, W2010: the object may be nil.
    fn warn_nil(&mut self, object: &ast::Expr, ty: &Type, name: &Name) {
        let hint = "which may be nil - consider checking for nil first";
        if *ty == builtin::error_type() {
            if !self.suppressed(Code::W2009) && !self.is_untyped_name(object) {
                let message = format!("accessing member '{}' on error type {hint}", name.text);
                self.report(Code::W2009, object.at, message);
            }
            return;
        }
        let Type::Struct(def) = ty else { return };
        let own = self.module().and_then(|m| m.types.get(&def.name)).is_some_and(|t| t.ty == *ty);
        if !own || !matches!(object.kind, ast::ExprKind::Member(..)) || self.is_present(object) {
            return;
        }
        let message = format!("accessing member '{}' on struct type '{}' {hint}", name.text, def.name);
        self.report(Code::W2010, object.at, message);
    }

    fn is_untyped_name(&self, object: &ast::Expr) -> bool {
        let binding = object.name().and_then(|name| self.frame.lookup(name));
        matches!(binding, Some(Binding::Local(id)) if self.frame.facts.untyped.contains(&id))
    }

    fn is_present(&self, object: &ast::Expr) -> bool {
        let Some(path) = path_of(object) else { return false };
        self.frame.names.is_non_nil(&path)
    }
}

/// `x.y.z` as text, if the expression consists of names only.
pub fn path_of(e: &ast::Expr) -> Option<String> {
    if let ast::ExprKind::Member(object, name) = &e.kind {
        return Some(format!("{}.{}", path_of(object)?, name.text));
    }
    e.name().map(|name| name.to_string())
}

/// The name at the root of `a.b` or `a.b.c`.
pub fn path_root(e: &ast::Expr) -> Option<&str> {
    let ast::ExprKind::Member(object, _) = &e.kind else { return None };
    object.name().map(|name| &**name).or_else(|| path_root(object))
}

/// Message of E4007 at run time.
pub fn not_imported(module: &str) -> String {
    format!("module '{module}' not imported")
}

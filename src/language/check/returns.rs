//! `return` (docs/language/functions.md#results).

use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use crate::syntax::token::is_primitive;
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{Expr, StoreKind};
use ez_runtime::source::Span;
use ez_runtime::value::{StructDef, Type, told_apart};

use super::checker::{Checker, has_failed};
use super::ranges::{float_literal, literal};
use super::types::{TypeLookup, assignable};

impl Checker<'_> {
    /// Checks the values of a `return` and converts them to the result types.
    pub fn returned(&mut self, keyword: Span, values: &[ast::Expr]) -> Vec<Expr> {
        let results = self.frame.results.clone();
        if results.is_empty() && !values.is_empty() {
            let given: Vec<Type> = values.iter().map(|value| self.expr(value, None).ty).collect();
            let result = match given.as_slice() {
                [only] if !only.is_any() && *only != Type::Void => only.to_string(),
                _ => "int".into(),
            };
            let function = self.syms.func(self.frame.func).map(|func| func.decl.name.text.clone());
            let help = function.map(|name| match &*name {
                "main" => {
                    "main() has no result: leave out the value; exit(1) ends the program with a status".into()
                }
                _ => format!("the type of the result follows the parameters: do {name}(...) -> {result}"),
            });
            let message = "unexpected return value in void function".to_string();
            self.report_help(Code::E3012, keyword, message, help);
            return Vec::new();
        }
        if results.len() != values.len() {
            self.exprs(values);
            let (expected, got) = (results.len(), values.len());
            let message = format!("wrong number of return values: expected {expected}, got {got}");
            self.report(Code::E3013, keyword, message);
            return Vec::new();
        }
        self.named_results(values);
        let each = values.iter().zip(&results);
        each.map(|(value, ty)| self.returned_value(keyword, value, ty)).collect()
    }

    fn returned_value(&mut self, keyword: Span, value: &ast::Expr, ty: &Type) -> Expr {
        if let Some(name) = value.name()
            && !self.is_variable(name)
            && let TypeLookup::Found(Type::Struct(_) | Type::Enum(_), _) = self.lookup_type(name)
        {
            let message =
                format!("cannot return type '{name}' as a value; did you mean to return a variable?");
            self.report(Code::E4001, value.at, message);
            return self.error_expr(value.at);
        }
        if let Some(name) = value.name()
            && self.is_only_builtin(name)
        {
            let message = if is_primitive(name) {
                format!("cannot return type '{name}' as a value; did you mean to return a variable?")
            } else {
                format!("cannot return function '{name}' as a value; did you mean to call it?")
            };
            self.report(Code::E4001, value.at, message);
            return self.error_expr(value.at);
        }
        let lowered = self.expr(value, Some(ty));
        let settled = has_failed(&lowered) || self.returned_literal(value, &lowered, ty);
        // EZ 2.0 takes a range for an array of its numbers, and fails when it is returned.
        let is_range = lowered.ty == Type::Range && assignable(ty, &Type::array(Type::INT));
        if !settled && !is_range && !self.fits(ty, &lowered) {
            self.return_mismatch(ty, &lowered.ty, value, keyword);
        }
        self.store(lowered, ty, StoreKind::Return, keyword)
    }

    fn return_mismatch(&mut self, expected: &Type, got: &Type, value: &ast::Expr, at: Span) {
        let (wanted, given) = told_apart(expected, got);
        let message = format!("return type mismatch: expected {wanted}, got {given}");
        let help = self.conversion_help(expected, got, value);
        self.report_help(Code::E3012, at, message, help);
    }

    /// Checks a literal against its result type; false if it has to be checked like other expressions.
    fn returned_literal(&mut self, value: &ast::Expr, lowered: &Expr, ty: &Type) -> bool {
        match (&value.kind, ty) {
            _ if literal(value).is_some() && ty.is_numeric() => self.returned_range(ty, value),
            _ if float_literal(value).is_some() && ty.is_integer() => {
                self.report(Code::E3014, value.at, format!("cannot assign float value to integer type {ty}"));
            }
            _ if float_literal(value).is_some() && ty.is_numeric() => {}
            (ast::ExprKind::Str(_), _) if !assignable(ty, &lowered.ty) => {
                self.return_mismatch(ty, &lowered.ty, value, value.at);
            }
            (ast::ExprKind::Array(items), Type::Array(elem, _)) => self.returned_array(items, lowered, elem),
            (ast::ExprKind::Map(pairs), Type::Map(key, entry)) => {
                self.returned_map(pairs, lowered, key, entry)
            }
            (ast::ExprKind::Struct { fields, .. }, Type::Struct(def)) => {
                self.returned_struct(fields, lowered, def, value.at);
            }
            _ => return false,
        }
        true
    }

    fn returned_array(&mut self, items: &[ast::Expr], lowered: &Expr, elem: &Type) {
        if self.returned_elements(elem, items) {
            return;
        }
        let ez_runtime::program::ExprKind::Array(values) = &lowered.kind else { return };
        for (item, value) in items.iter().zip(values) {
            if !self.fits(elem, value) {
                return self.element_mismatch(elem, &value.ty, item.at);
            }
        }
    }

    fn returned_map(&mut self, pairs: &[(ast::Expr, ast::Expr)], lowered: &Expr, key: &Type, entry: &Type) {
        let ez_runtime::program::ExprKind::Map(values) = &lowered.kind else { return };
        for ((k, v), (got_key, got_value)) in pairs.iter().zip(values) {
            for (what, e, got, expected) in [("key", k, got_key, key), ("value", v, got_value, entry)] {
                let got = unstored(got);
                if !self.fits(expected, got) {
                    let (expected, got) = told_apart(expected, &got.ty);
                    let message = format!("map {what} type mismatch: expected {expected}, got {got}");
                    self.report(Code::E3001, e.at, message);
                    return;
                }
            }
        }
    }

    fn returned_struct(
        &mut self,
        fields: &[(Name, ast::Expr)],
        lowered: &Expr,
        def: &Rc<StructDef>,
        at: Span,
    ) {
        let same = lowered.ty == Type::Struct(def.clone());
        for field in def.fields() {
            if !fields.iter().any(|(name, _)| name.text == field.name) {
                let message = format!("missing required field '{}' in struct literal", field.name);
                self.report(Code::E4003, at, message);
            }
        }
        if same {
            return;
        }
        for (name, value) in fields {
            let Some(field) = def.field_index(&name.text).and_then(|i| def.fields().get(i)) else {
                self.report_no_field(def, &name.text, name.span);
                continue;
            };
            let given = field_value(lowered, &name.text).map(|v| unstored(v).ty.clone());
            if let Some(got) = given.filter(|got| !assignable(&field.ty, got)) {
                let (expected, got) = told_apart(&field.ty, &got);
                let message =
                    format!("struct field '{}' type mismatch: expected {expected}, got {got}", field.name);
                self.report(Code::E3001, value.at, message);
            }
        }
    }

    /// W2011
    fn named_results(&mut self, values: &[ast::Expr]) {
        let names = self.frame.result_names.clone();
        for (name, value) in names.iter().zip(values) {
            let message = match value.name() {
                Some(given) if *given == name.text => continue,
                Some(given) => {
                    format!("returning '{given}' instead of named return variable '{}'", name.text)
                }
                None => format!("returning expression instead of named return variable '{}'", name.text),
            };
            self.report(Code::W2011, value.at, message);
        }
    }
}

/// The value that a struct literal gives a field.
fn field_value<'e>(literal: &'e Expr, field: &str) -> Option<&'e Expr> {
    let ez_runtime::program::ExprKind::Struct(def, fields) = &literal.kind else { return None };
    let index = def.field_index(field)?;
    fields.iter().find(|(i, _)| *i as usize == index).map(|(_, value)| value)
}

/// The value within the conversion that a store has added.
fn unstored(value: &Expr) -> &Expr {
    if let ez_runtime::program::ExprKind::Store(inner, _) = &value.kind { inner } else { value }
}

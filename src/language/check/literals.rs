//! Literals of arrays, maps and structs.

use std::collections::HashMap;
use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::program::{Expr, ExprKind, StoreKind};
use ez_runtime::source::Span;
use ez_runtime::value::{StructDef, Type, told_apart};

use super::checker::Checker;
use super::types::convertible;

impl Checker<'_> {
    pub fn array_literal(&mut self, items: &[ast::Expr], want: Option<&Type>, at: Span) -> Expr {
        self.array_of(items, want, at, false)
    }

    /// An array literal whose elements may be of different types: then they are of type `any`.
    pub fn mixed_array(&mut self, items: &[ast::Expr], at: Span) -> Expr {
        self.array_of(items, None, at, true)
    }

    fn array_of(&mut self, items: &[ast::Expr], want: Option<&Type>, at: Span, mixed: bool) -> Expr {
        if let (Some(ty @ Type::Map(..)), true) = (want, items.is_empty()) {
            return Expr { ty: ty.clone(), at, kind: ExprKind::Map(Vec::new()) };
        }
        let wanted = want.and_then(Type::elem).cloned();
        let values: Vec<Expr> = items.iter().map(|item| self.expr(item, wanted.as_ref())).collect();
        let misfits = self.check_elements(items, &values, mixed);
        let (consistent, reported) = (misfits.is_empty(), if mixed { Vec::new() } else { misfits });
        let values = self.without_void(values, &reported);
        let natural = values.first().map_or(Type::Any, |first| match element_type(&values) {
            ty if ty == first.ty => self.element_reference(first, &values),
            other => other,
        });
        let elem = match wanted {
            _ if mixed && !consistent => Type::Any,
            Some(wanted) if values.iter().all(|v| self.fits(&wanted, v)) || !consistent => wanted,
            _ => natural,
        };
        let stored = values.into_iter().zip(items);
        let mut stored: Vec<Expr> =
            stored.map(|(v, item)| self.store(v, &elem, StoreKind::Element, item.at)).collect();
        for index in reported {
            if let Some(value) = stored.get_mut(index) {
                value.ty = Type::Failed;
            }
        }
        Expr { ty: Type::array(elem), at, kind: ExprKind::Array(stored) }
    }

    /// Type that the other elements must have if this is the first. A whole number from a library
    /// function goes with floats.
    fn element_reference(&self, first: &Expr, values: &[Expr]) -> Type {
        let float = values.iter().find(|v| matches!(v.ty, Type::Float(_)));
        match float {
            Some(_) if self.is_library_int(first) => Type::FLOAT,
            _ => first.ty.clone(),
        }
    }

    /// Checks that all elements fit the type of the first of those that have a type of their own. If they may not be
    /// `mixed`, others are E3001. Returns the numbers of the others.
    fn check_elements(&mut self, items: &[ast::Expr], values: &[Expr], mixed: bool) -> Vec<usize> {
        let first = values.iter().position(|v| !is_open(&v.ty));
        let Some((first, value)) = first.and_then(|first| Some((first, values.get(first)?))) else {
            return Vec::new();
        };
        let expected = self.element_reference(value, values);
        let mut misfits = Vec::new();
        for (index, (item, value)) in items.iter().zip(values).enumerate() {
            if index != first && !value.ty.is_any() && !self.fits(&expected, value) {
                if !mixed {
                    self.element_mismatch(&expected, &value.ty, item.at);
                }
                misfits.push(index);
            }
        }
        misfits
    }

    /// E3001 for an element.
    pub fn element_mismatch(&mut self, expected: &Type, got: &Type, at: Span) {
        let (expected, got) = told_apart(expected, got);
        let message = format!("array element type mismatch: expected {expected}, got {got}");
        self.report(Code::E3001, at, message);
    }

    pub fn map_literal(&mut self, pairs: &[(ast::Expr, ast::Expr)], want: Option<&Type>, at: Span) -> Expr {
        let (want_key, want_value) = match want {
            Some(Type::Map(key, value)) => (Some(key), Some(value)),
            _ => (None, None),
        };
        let mut keys = Vec::new();
        let mut values = Vec::new();
        for (key, value) in pairs {
            let reported = self.diags.len();
            keys.push(self.expr(key, want_key.map(|t| &**t)));
            // The keys of an object of JavaScript.
            if let (ast::ExprKind::Name(name), Some(found)) = (&key.kind, self.diags.get_mut(reported)) {
                found.help = Some(format!("the key of an entry is a value: {{\"{name}\": ...}}"));
            }
            values.push(self.expr(value, want_value.map(|t| &**t)));
        }
        let keys = self.without_void(keys, &[]);
        let values = self.without_void(values, &[]);
        self.duplicate_keys(pairs);
        let fits = |types: &[Expr], want: Option<&Rc<Type>>| {
            want.filter(|w| types.first().is_none_or(|first| self.fits(w, first))).map(|w| (**w).clone())
        };
        let wanted = fits(&keys, want_key).zip(fits(&values, want_value));
        let own = (self.common_type(&keys), self.common_type(&values));
        let (key, value) = match (want_key.zip(want_value), wanted) {
            (Some((key, value)), _) if own.0.is_any() || own.1.is_any() => {
                self.check_pairs(&keys, key, "key");
                self.check_pairs(&values, value, "value");
                ((**key).clone(), (**value).clone())
            }
            (_, wanted) => wanted.unwrap_or(own),
        };
        let lowered = keys.into_iter().zip(values).map(|(k, v)| {
            let (key_at, value_at) = (k.at, v.at);
            let k = self.store(k, &key, StoreKind::Key, key_at);
            (k, self.store(v, &value, StoreKind::Entry, value_at))
        });
        let lowered: Vec<(Expr, Expr)> = lowered.collect();
        Expr { ty: Type::map(key, value), at, kind: ExprKind::Map(lowered) }
    }

    /// E3001 for the keys or values of a map literal, of different types, that cannot be converted to the
    /// wanted type when the program runs.
    fn check_pairs(&mut self, parts: &[Expr], wanted: &Type, what: &str) {
        for part in parts {
            if !convertible(wanted, &part.ty) {
                let (wanted, got) = told_apart(wanted, &part.ty);
                let message = format!("map {what} type mismatch: expected {wanted}, got {got}");
                self.report(Code::E3001, part.at, message);
            }
        }
    }

    /// The first type if the others fit it, else `any`.
    fn common_type(&self, values: &[Expr]) -> Type {
        let Some(first) = values.first() else { return Type::Any };
        if values.iter().all(|v| self.fits(&first.ty, v)) { first.ty.clone() } else { Type::Any }
    }

    /// E12006
    fn duplicate_keys(&mut self, pairs: &[(ast::Expr, ast::Expr)]) {
        let mut seen: HashMap<String, Span> = HashMap::new();
        for (key, _) in pairs {
            let Some(text) = literal_text(key) else { continue };
            if let Some(first) = seen.get(&text) {
                let line = self.line_of(*first);
                let message = format!("duplicate key {text} in map literal (first defined on line {line})");
                let report = Diagnostic::new(Code::E12006, key.at, message);
                self.diags.push(report.about(Some(*first), "the first one is here"));
            } else {
                seen.insert(text, key.at);
            }
        }
    }

    pub fn struct_literal(
        &mut self,
        module: Option<&Name>,
        name: &Name,
        fields: &[(Name, ast::Expr)],
        at: Span,
    ) -> Expr {
        let ty = self.struct_named(module, name);
        let Ok(Type::Struct(def)) = &ty else {
            for (_, value) in fields {
                self.expr(value, None);
            }
            return match ty {
                Err(failure) => *failure,
                Ok(_) => self.error_expr(at),
            };
        };
        let mut lowered = Vec::new();
        for (field, value) in fields {
            let Some(index) = def.field_index(&field.text) else {
                self.expr(value, None);
                self.report_no_field(def, &field.text, field.span);
                continue;
            };
            self.refers_to_part(field.span, &Type::Struct(def.clone()), index);
            let ty = def.fields().get(index).map_or(Type::Any, |f| f.ty.clone());
            let stored = self.field_value(def, field, &ty, value);
            lowered.push((index as u32, stored));
        }
        Expr { ty: Type::Struct(def.clone()), at, kind: ExprKind::Struct(def.clone(), lowered) }
    }

    fn field_value(&mut self, def: &Rc<StructDef>, field: &Name, ty: &Type, value: &ast::Expr) -> Expr {
        let lowered = self.expr(value, Some(ty));
        let declared_any = ty.is_any() && self.declares_any(def, &field.text) && !lowered.ty.is_any();
        if declared_any || !self.fits(ty, &lowered) {
            let (wanted, got) = told_apart(ty, &lowered.ty);
            let message = format!("struct field '{}' expects {wanted}, got {got}", field.text);
            let help = self.conversion_help(ty, &lowered.ty, value);
            self.report_help(Code::E3001, value.at, message, help);
        }
        self.store(lowered, ty, StoreKind::Field(field.text.clone()), value.at)
    }

    /// Whether the field is declared `any`; no value of a known type fits it.
    fn declares_any(&self, def: &Rc<StructDef>, field: &str) -> bool {
        let types = self.syms.modules.iter().filter_map(|m| m.types.get(&def.name));
        types
            .filter(|sym| sym.ty == Type::Struct(def.clone()))
            .any(|sym| sym.any_fields.iter().any(|f| &**f == field))
    }

    fn line_of(&self, span: Span) -> u32 {
        self.sources.line(span)
    }
}

/// Element type of an array literal without an expected type.
fn element_type(values: &[Expr]) -> Type {
    let Some(first) = values.first() else { return Type::Any };
    if !is_open(&first.ty) || first.ty.is_any() {
        return first.ty.clone();
    }
    values.iter().map(|v| &v.ty).find(|ty| !is_open(ty)).unwrap_or(&first.ty).clone()
}

/// Whether it is `any`, or the type of the literals `{}` and `{:}`.
fn is_open(ty: &Type) -> bool {
    match ty {
        Type::Any | Type::Failed => true,
        Type::Array(elem, None) => elem.is_any(),
        Type::Map(key, value) => key.is_any() && value.is_any(),
        _ => false,
    }
}

/// A literal as messages show it; `None` for anything else.
pub fn literal_text(e: &ast::Expr) -> Option<String> {
    Some(match &e.kind {
        ast::ExprKind::Int(i) => i.to_string(),
        ast::ExprKind::BigInt(i) => i.to_string(),
        ast::ExprKind::Float(x) => ez_runtime::value::float_text(*x),
        ast::ExprKind::Str(s) => format!("\"{s}\""),
        ast::ExprKind::Bool(b) => b.to_string(),
        ast::ExprKind::Char(c) => format!("'{c}'"),
        _ => return None,
    })
}

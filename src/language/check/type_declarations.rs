//! Structs and enums.

use std::collections::HashMap;
use std::rc::Rc;

use num_traits::Zero;

use crate::syntax::ast::{self, Attributes, EnumDecl, EnumForm, StructDecl, UnaryOp};
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{ArithOp, Expr, Operator, StmtKind};
use ez_runtime::value::{EnumBase, EnumDef, FieldDef, MemberCounter, Type, Value};

use super::checker::Checker;
use super::literals::literal_text;
use super::types::mentions;

impl Checker<'_> {
    /// Resolves the fields of a struct.
    pub fn struct_fields(&mut self, decl: &StructDecl) {
        let Some(sym) = self.module().and_then(|m| m.types.get(&decl.name.text)).cloned() else { return };
        let Type::Struct(def) = &sym.ty else { return };
        let mut fields = Vec::new();
        for field in &decl.fields {
            let (mut ty, missing) = self.resolve_type(&field.ty);
            if let Some(missing) = missing {
                let message = format!("undefined type '{}' in struct '{}'", missing.name, decl.name.text);
                let help = self.type_help(&missing.name);
                self.report_unknown((Code::E3009, missing.module.as_deref()), missing.at, message, help);
            } else if mentions(&ty, &|t| *t == Type::Void) {
                let message =
                    format!("'void' type cannot be used as struct field type for '{}'", field.name.text);
                self.report(Code::E3038, field.name.span, message);
                ty = Type::Any;
            }
            fields.push(FieldDef { name: field.name.text.clone(), ty, tag: field.tag.clone() });
        }
        if sym.at == decl.name.span {
            let _ = def.fields.set(fields);
        }
    }

    /// Checks the members of an enum and finds its base type.
    pub fn enum_base(&mut self, decl: &EnumDecl, attrs: &Attributes) {
        self.check_values(decl);
        let Some(sym) = self.module().and_then(|m| m.types.get(&decl.name.text)) else { return };
        if let Type::Enum(def) = &sym.ty
            && sym.at == decl.name.span
        {
            let _ = def.base.set(EnumNumbering::of(decl, attrs).base);
        }
    }

    /// Sets the values of an enum's members if all are literals; otherwise gives the statement that
    /// computes them when the file level runs.
    pub fn enum_members(&mut self, decl: &EnumDecl, attrs: &Attributes) -> Option<StmtKind> {
        let sym = self.module().and_then(|m| m.types.get(&decl.name.text)).cloned()?;
        let Type::Enum(def) = &sym.ty else { return None };
        if sym.at != decl.name.span {
            return None;
        }
        let form = EnumNumbering::of(decl, attrs);
        if form.base == EnumBase::Str
            && let Some((missing, _)) = decl.members.iter().find(|(_, v)| v.is_none())
        {
            let message = format!(
                "string enum '{}' requires explicit value for member '{}'",
                decl.name.text, missing.text
            );
            let raise =
                ez_runtime::program::Raise { code: Code::E2031, message, help: None, at: missing.span };
            return Some(StmtKind::Raise(raise));
        }
        let mut counter = MemberCounter::new(form.base, form.flags);
        let mut members = Vec::new();
        for (name, value) in &decl.members {
            let own = value.as_ref().map(fold);
            if let Some(None) = own {
                return Some(self.late_members(decl, def, form.flags));
            }
            members.push((name.text.clone(), counter.value(own.flatten())));
        }
        let _ = def.members.set(members);
        None
    }

    /// The statement that computes the members at run time.
    fn late_members(&mut self, decl: &EnumDecl, def: &Rc<EnumDef>, flags: bool) -> StmtKind {
        let mut members: Vec<(Rc<str>, Option<Expr>)> = Vec::new();
        for (name, value) in &decl.members {
            let value = value.as_ref().map(|e| self.expr(e, None));
            let value = value.map(|value| self.no_void(value));
            members.push((name.text.clone(), value));
        }
        StmtKind::DefineEnum { def: def.clone(), members, flags }
    }

    /// E3028, E3033
    fn check_values(&mut self, decl: &EnumDecl) {
        let name = &decl.name.text;
        let mut first: Option<(&ast::Name, EnumBase)> = None;
        let mut seen: HashMap<String, &ast::Name> = HashMap::new();
        for (member, value) in &decl.members {
            let kind = match value {
                None => Some(EnumBase::Int),
                Some(e) => literal_base(e),
            };
            match (first, kind) {
                (None, Some(kind)) => first = Some((member, kind)),
                (Some((earlier, base)), Some(kind)) if base != kind => {
                    let (base, earlier, text) = (base_name(base), &earlier.text, &member.text);
                    let message = match value {
                        None => format!(
                            "enum '{name}' has mixed types: member '{earlier}' is {base}, \
                             but '{text}' has no value (defaults to int)"
                        ),
                        Some(_) => format!(
                            "enum '{name}' has mixed types: member '{earlier}' is {base}, but '{text}' is {}",
                            base_name(kind)
                        ),
                    };
                    self.report(Code::E3028, member.span, message);
                }
                _ => {}
            }
            let Some(text) = value.as_ref().and_then(value_text) else { continue };
            if let Some(earlier) = seen.get(&text) {
                let (earlier, member_text) = (&earlier.text, &member.text);
                let message = format!(
                    "enum '{name}' has duplicate value: '{earlier}' and '{member_text}' both have value {text}"
                );
                self.report(Code::E3033, member.span, message);
            } else {
                seen.insert(text, member);
            }
        }
    }
}

fn value_text(e: &ast::Expr) -> Option<String> {
    match super::ranges::literal(e) {
        Some(number) => Some(number.to_string()),
        None => literal_text(e),
    }
}

/// The base type of an enum and how its members without a value are numbered.
struct EnumNumbering {
    base: EnumBase,
    flags: bool,
}

impl EnumNumbering {
    fn of(decl: &EnumDecl, attrs: &Attributes) -> EnumNumbering {
        let mut written = decl.header.map(base_of);
        let mut flags = false;
        // With any attribute, even an unrelated one, the header's type is ignored.
        if attrs.any {
            written = None;
            for form in &attrs.enum_forms {
                match form {
                    EnumForm::Flags => (written, flags) = (Some(EnumBase::Int), true),
                    EnumForm::Base(base) => {
                        (written, flags) = (Some(base_of(*base)), flags && *base == ast::EnumBase::Int)
                    }
                }
            }
        }
        let explicit = decl.members.iter().filter_map(|(_, v)| v.as_ref()).find_map(folded_base);
        let base = match (written, explicit) {
            (_, Some(EnumBase::Str)) => EnumBase::Str,
            (Some(base), _) => base,
            (None, found) => found.unwrap_or(EnumBase::Int),
        };
        EnumNumbering { base, flags }
    }
}

fn base_of(base: ast::EnumBase) -> EnumBase {
    match base {
        ast::EnumBase::Int => EnumBase::Int,
        ast::EnumBase::Float => EnumBase::Float,
        ast::EnumBase::Str => EnumBase::Str,
    }
}

fn base_name(base: EnumBase) -> &'static str {
    match base {
        EnumBase::Int => "int",
        EnumBase::Float => "float",
        EnumBase::Str => "string",
        EnumBase::Bool => "bool",
        EnumBase::Char => "char",
    }
}

/// The base type of a literal.
fn literal_base(e: &ast::Expr) -> Option<EnumBase> {
    match &e.kind {
        ast::ExprKind::Unary(UnaryOp::Neg, inner) => {
            literal_base(inner).filter(|b| matches!(b, EnumBase::Int | EnumBase::Float))
        }
        ast::ExprKind::Int(_) | ast::ExprKind::BigInt(_) => Some(EnumBase::Int),
        ast::ExprKind::Float(_) => Some(EnumBase::Float),
        ast::ExprKind::Str(_) => Some(EnumBase::Str),
        ast::ExprKind::Bool(_) => Some(EnumBase::Bool),
        ast::ExprKind::Char(_) => Some(EnumBase::Char),
        _ => None,
    }
}

fn folded_base(e: &ast::Expr) -> Option<EnumBase> {
    literal_base(e).or_else(|| match fold(e)? {
        Value::Float(_) => Some(EnumBase::Float),
        other => other.as_bigint().map(|_| EnumBase::Int),
    })
}

/// The value of literals and of arithmetic on them.
fn fold(e: &ast::Expr) -> Option<Value> {
    Some(match &e.kind {
        ast::ExprKind::Int(i) => Value::Int(*i),
        ast::ExprKind::BigInt(i) => Value::integer((**i).clone()),
        ast::ExprKind::Float(x) => Value::Float(*x),
        ast::ExprKind::Str(s) => Value::str(&**s),
        ast::ExprKind::Bool(b) => Value::Bool(*b),
        ast::ExprKind::Char(c) => Value::Char(*c),
        ast::ExprKind::Unary(UnaryOp::Neg, inner) => match fold(inner)? {
            Value::Float(x) => Value::Float(-x),
            other => Value::integer(-other.as_bigint()?),
        },
        ast::ExprKind::Binary(op, left, right) => {
            let (a, b) = (fold(left)?.as_bigint()?, fold(right)?.as_bigint()?);
            let Operator::Arith(op) = Operator::from(*op) else { return None };
            Value::integer(match op {
                ArithOp::Add => a + b,
                ArithOp::Sub => a - b,
                ArithOp::Mul => a * b,
                ArithOp::Div if !b.is_zero() => a / b,
                ArithOp::Mod if !b.is_zero() => a % b,
                ArithOp::Div | ArithOp::Mod => return None,
            })
        }
        _ => return None,
    })
}

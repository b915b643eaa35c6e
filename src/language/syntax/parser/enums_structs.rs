//! Structs and enums.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Declared, Parser, UNCLOSED_BRACE, Wanted, reserved};
use crate::syntax::ast::{EnumBase, EnumDecl, Expr, FieldDecl, Name, StmtKind, StructDecl};
use crate::syntax::token::{self, Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic};

/// The base type of this name that an enum can have.
pub fn enum_base(name: &str) -> Option<EnumBase> {
    match name {
        "int" => Some(EnumBase::Int),
        "float" => Some(EnumBase::Float),
        "string" => Some(EnumBase::Str),
        _ => None,
    }
}

impl<'t> Parser<'t> {
    /// The name of a type: reserved ones are reported, but parsing goes on.
    fn type_declaration_name(&mut self, code: Code, what: &str) -> Option<Name> {
        self.wants(Wanted::New);
        let token = self.tok();
        if token.kind.is_keyword() {
            self.error(Code::E2020, token.span, reserved(token.text, "a variable name"));
        } else if token.kind != TokenKind::Ident {
            self.expect(TokenKind::Ident)?;
        } else if token::is_reserved(token.text) {
            self.error(code, token.span, reserved(token.text, what));
        }
        self.bump();
        let name = self.name(token);
        self.declare(&name, Declared::Type);
        Some(name)
    }

    fn open_body(&mut self, what: &str) -> Option<Token<'t>> {
        if !self.at(TokenKind::LeftBrace) {
            let message = format!("expected '{{' after {what} declaration");
            self.error(Code::E2030, self.tok().span, message);
            return None;
        }
        Some(self.bump())
    }

    /// At the name of `const P struct { … }`.
    pub(super) fn struct_declaration(&mut self) -> Option<StmtKind> {
        let name = self.type_declaration_name(Code::E2037, "a struct name")?;
        self.bump();
        let open = self.open_body("struct")?;
        let mut fields: Vec<FieldDecl> = Vec::new();
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            let start = self.pos;
            match self.field_group() {
                Some(group) => fields.extend(group),
                None => {
                    if self.pos == start {
                        self.bump();
                    }
                    self.skip_field();
                }
            }
        }
        self.close_body(open);
        let mut seen = HashSet::new();
        for field in &fields {
            if !seen.insert(&field.name.text) {
                let message = format!("duplicate field name '{}' in struct '{}'", field.name.text, name.text);
                self.error(Code::E2013, field.name.span, message);
            }
        }
        Some(StmtKind::Struct(StructDecl { name, fields }))
    }

    fn close_body(&mut self, open: Token<'_>) {
        if self.eat(TokenKind::RightBrace).is_none() {
            self.error(Code::E2004, open.span, UNCLOSED_BRACE);
        }
    }

    /// Fields that share a type: `x, y int`. The first name may be any token.
    fn field_group(&mut self) -> Option<Vec<FieldDecl>> {
        self.wants(Wanted::New);
        let first = self.tok();
        if token::is_reserved(first.text) && first.kind != TokenKind::Str {
            let error = Diagnostic::new(Code::E2034, first.span, reserved(first.text, "a struct field name"));
            let comma = self.tokens.iter().take(self.pos).rev().take(2).any(|t| t.kind == TokenKind::Comma);
            let hint = match first.kind {
                TokenKind::Do => Some("functions are declared beside the struct, not in it".to_string()),
                TokenKind::Ident if token::is_primitive(first.text) => {
                    Some(super::rewritten::type_after(self.nth(1), first.text))
                }
                _ => comma.then(|| "fields are not separated by commas".to_string()),
            };
            self.report(error.maybe_help(hint));
            return None;
        }
        self.bump();
        let mut names = vec![self.name(first)];
        while self.eat(TokenKind::Comma).is_some() {
            self.wants(Wanted::New);
            let token = self.tok();
            if token.kind != TokenKind::Ident {
                self.error(Code::E2003, token.span, "expected field name after comma");
                return None;
            }
            self.bump();
            names.push(self.name(token));
        }
        let ty = self.type_expr("type")?;
        let tag: Option<Rc<str>> = self.eat(TokenKind::RawStr).map(|token| token.text.into());
        let field = |name| FieldDecl { name, ty: ty.clone(), tag: tag.clone() };
        Some(names.into_iter().map(field).collect())
    }

    /// At the name of `const E enum { … }`.
    pub(super) fn enum_declaration(&mut self) -> Option<StmtKind> {
        let name = self.type_declaration_name(Code::E2038, "an enum name")?;
        self.bump();
        let mut header = None;
        if self.eat(TokenKind::Colon).is_some() {
            header = self.enum_header()?;
        }
        let open = self.open_body("enum")?;
        let reported = self.diagnostics.len();
        let mut members: Vec<(Name, Option<Expr>)> = Vec::new();
        let mut seen = HashSet::new();
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            match self.enum_value() {
                Some((value, _)) if !seen.insert(value.text.clone()) => {
                    let message = format!("duplicate value name '{}' in enum '{}'", value.text, name.text);
                    self.error(Code::E2023, value.span, message);
                }
                Some(member) => members.push(member),
                None => self.skip_field(),
            }
        }
        self.close_body(open);
        if members.is_empty() && self.diagnostics.len() == reported {
            let message = format!("enum '{}' must have at least one value", name.text);
            self.error(Code::E2016, name.span, message);
        }
        Some(StmtKind::Enum(EnumDecl { name, header, members }))
    }

    /// The type after `enum :`.
    fn enum_header(&mut self) -> Option<Option<EnumBase>> {
        self.wants(Wanted::EnumBase);
        let token = self.tok();
        if token.kind != TokenKind::Ident {
            let message = format!("expected type name after ':', got {}", self.found());
            self.error(Code::E2024, token.span, message);
            return None;
        }
        self.bump();
        let base = enum_base(token.text);
        if base.is_none() {
            let message =
                format!("enum type must be a primitive type (int, float, or string), got '{}'", token.text);
            self.error(Code::E2026, token.span, message);
        }
        Some(base)
    }

    fn enum_value(&mut self) -> Option<(Name, Option<Expr>)> {
        self.wants(Wanted::New);
        let found = self.found();
        let token = self.bump();
        if token.kind != TokenKind::Ident {
            let message = format!("expected enum value name, got {found}");
            self.error(Code::E2002, token.span, message);
            return None;
        }
        if token::is_reserved(token.text) {
            self.error(Code::E2035, token.span, reserved(token.text, "an enum value name"));
        }
        let value = match self.eat(TokenKind::Assign) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        self.eat(TokenKind::Comma);
        Some((self.name(token), value))
    }
}

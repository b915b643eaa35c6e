//! Primary expressions: literals, names, and `new`, `range`, `cast`.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{Parser, Wanted};
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::token::{Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::source::Span;

/// The value of an integer literal.
pub(super) fn integer(text: &str) -> Option<BigInt> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let (radix, digits) = match digits.split_at_checked(2) {
        Some(("0x" | "0X", rest)) => (16, rest),
        Some(("0b" | "0B", rest)) => (2, rest),
        Some(("0o" | "0O", rest)) => (8, rest),
        _ => (10, digits.as_str()),
    };
    BigInt::parse_bytes(digits.as_bytes(), radix)
}

impl Parser<'_> {
    /// A primary expression.
    pub(super) fn primary(&mut self) -> Option<Expr> {
        self.wants(Wanted::Value);
        let token = self.tok();
        let leaf = match token.kind {
            TokenKind::Ident => return self.name_or_struct(),
            TokenKind::Str => return self.string(),
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.expression()?;
                self.expect(TokenKind::RightParen)?;
                return Some(inner);
            }
            TokenKind::LeftBrace => return self.array_or_map(),
            TokenKind::New => return self.new_struct(),
            TokenKind::Range => return self.range(),
            TokenKind::Cast => return self.cast(),
            TokenKind::Int => self.int_literal(token),
            TokenKind::Float => self.float_literal(token)?,
            TokenKind::RawStr => ExprKind::Str(token.text.into()),
            TokenKind::Char => ExprKind::Char(super::strings::char_value(token.text)),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Nil => ExprKind::Nil,
            _ => return self.expression_expected(),
        };
        self.bump();
        self.height = 1;
        Some(Expr { span: token.span, at: token.span, kind: leaf })
    }

    fn int_literal(&mut self, token: Token<'_>) -> ExprKind {
        let Some(value) = integer(token.text) else {
            let message = format!("could not parse \"{}\" as integer", token.text);
            self.error(Code::E2027, token.span, message);
            return ExprKind::Int(0);
        };
        value.to_i64().map_or_else(|| ExprKind::BigInt(Rc::new(value)), ExprKind::Int)
    }

    fn float_literal(&mut self, token: Token<'_>) -> Option<ExprKind> {
        let digits: String = token.text.chars().filter(|c| *c != '_').collect();
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Some(ExprKind::Float(value)),
            _ => {
                let message = format!("{} is too large for a float", token.text);
                self.error(Code::E2028, token.span, message);
                self.bump();
                None
            }
        }
    }

    fn name_or_struct(&mut self) -> Option<Expr> {
        let token = self.bump();
        if token.text.starts_with(|c: char| c.is_ascii_uppercase()) && self.struct_fields_follow() {
            let name = self.name(token);
            return self.struct_literal(token.span, None, name);
        }
        self.height = 1;
        Some(Expr { span: token.span, at: token.span, kind: ExprKind::Name(token.text.into()) })
    }

    /// At the `{`: the fields, commas between them optional.
    pub(super) fn struct_literal(&mut self, start: Span, module: Option<Name>, name: Name) -> Option<Expr> {
        let at = self.bump().span;
        let mut fields = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightBrace) {
            if self.at(TokenKind::Eof) {
                self.expect(TokenKind::RightBrace)?;
            }
            if self.nth(1).kind != TokenKind::Colon {
                self.note_open_literal();
            }
            let token = self.bump();
            let field = self.name(token);
            self.expect(TokenKind::Colon)?;
            fields.push((field, self.expression()?));
            height = self.height.max(height);
            self.eat(TokenKind::Comma);
        }
        self.bump();
        self.height = height;
        self.grow(0)?;
        let kind = ExprKind::Struct { module, name, fields };
        Some(Expr { span: start.to(self.prev_span()), at, kind })
    }

    /// At a `{` that begins a value.
    fn array_or_map(&mut self) -> Option<Expr> {
        let open = self.bump().span;
        let kind = if self.eat(TokenKind::RightBrace).is_some() {
            self.height = 0;
            ExprKind::Array(Vec::new())
        } else if self.eat(TokenKind::Colon).is_some() {
            self.expect(TokenKind::RightBrace)?;
            self.height = 0;
            ExprKind::Map(Vec::new())
        } else {
            match self.elements() {
                Some(elements) => elements,
                None => {
                    self.note_open_literal();
                    return None;
                }
            }
        };
        self.grow(0)?;
        Some(Expr { span: open.to(self.prev_span()), at: open, kind })
    }

    /// What is between the `{` and the `}`, which it takes, too.
    fn elements(&mut self) -> Option<ExprKind> {
        let first = self.expression()?;
        if self.at(TokenKind::Colon) { self.map_rest(first) } else { self.array_rest(first) }
    }

    /// A literal fails at the current token: in a file without all of its `}`, at the first token of a line, the
    /// missing one is its own.
    fn note_open_literal(&mut self) {
        if !self.brace_missing || self.at(TokenKind::Eof) || !self.begins_line(0) {
            return;
        }
        self.open_literals += 1;
        let help = self.still_open();
        if let Some(report) = self.diagnostics.last_mut().filter(|report| report.help.is_none()) {
            report.help = help;
        }
    }

    fn array_rest(&mut self, first: Expr) -> Option<ExprKind> {
        let mut elements = vec![first];
        let mut height = self.height;
        while self.eat(TokenKind::Comma).is_some() {
            if self.at(TokenKind::RightBrace) {
                self.trailing_comma(Code::E2017, "array literal", "{1, 2, 3}", "{1, 2, 3,}");
                break;
            }
            elements.push(self.expression()?);
            height = self.height.max(height);
        }
        self.expect(TokenKind::RightBrace)?;
        self.height = height;
        Some(ExprKind::Array(elements))
    }

    fn map_rest(&mut self, first: Expr) -> Option<ExprKind> {
        let mut pairs = Vec::new();
        let mut height = self.height;
        let mut key = first;
        loop {
            self.expect(TokenKind::Colon)?;
            let value = self.expression()?;
            height = self.height.max(height);
            pairs.push((key, value));
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if self.at(TokenKind::RightBrace) {
                self.trailing_comma(Code::E2017, "map literal", "{\"a\": 1}", "{\"a\": 1,}");
                break;
            }
            key = self.expression()?;
            height = self.height.max(height);
        }
        self.expect(TokenKind::RightBrace)?;
        self.height = height;
        Some(ExprKind::Map(pairs))
    }

    /// `new(T)`, `new(m.T)`
    fn new_struct(&mut self) -> Option<Expr> {
        let at = self.bump().span;
        self.expect(TokenKind::LeftParen)?;
        self.wants(Wanted::Struct);
        let token = self.expect(TokenKind::Ident)?;
        let (mut module, mut name) = (None, self.name(token));
        if self.eat(TokenKind::Dot).is_some() {
            self.wants(Wanted::Struct);
            if !self.at(TokenKind::Ident) {
                self.type_expected("type name after '.'");
                return None;
            }
            let token = self.bump();
            module = Some(std::mem::replace(&mut name, self.name(token)));
        }
        self.expect(TokenKind::RightParen)?;
        self.height = 1;
        Some(Expr { span: at.to(self.prev_span()), at, kind: ExprKind::New { module, name } })
    }

    /// `range(a, b, c)`
    fn range(&mut self) -> Option<Expr> {
        let at = self.bump().span;
        self.expect(TokenKind::LeftParen)?;
        let mut bounds = vec![self.expression()?];
        let mut height = self.height;
        while bounds.len() < 3 && self.eat(TokenKind::Comma).is_some() {
            bounds.push(self.expression()?);
            height = self.height.max(height);
        }
        self.expect(TokenKind::RightParen)?;
        self.grow(height)?;
        Some(Expr { span: at.to(self.prev_span()), at, kind: ExprKind::Range(bounds) })
    }

    /// `cast(v, T)`, `cast(v, [T])`
    fn cast(&mut self) -> Option<Expr> {
        let at = self.bump().span;
        self.expect(TokenKind::LeftParen)?;
        let value = Box::new(self.expression()?);
        self.expect(TokenKind::Comma)?;
        let array = self.eat(TokenKind::LeftBracket).is_some();
        self.wants(Wanted::TypeName);
        let token = self.tok();
        if token.kind != TokenKind::Ident {
            let what = if array { "type name in array type" } else { "type name or array type" };
            let message = format!("expected {what}, got {}", self.found());
            let help = (token.kind == TokenKind::Str)
                .then(|| format!("the type is written without quotes: {}", token.text));
            self.report(Diagnostic::new(Code::E2024, token.span, message).maybe_help(help));
            return None;
        }
        self.bump();
        if array {
            self.expect(TokenKind::RightBracket)?;
        }
        self.expect(TokenKind::RightParen)?;
        self.grow(0)?;
        let kind = ExprKind::Cast { value, target: self.name(token), array };
        Some(Expr { span: at.to(self.prev_span()), at, kind })
    }
}

//! Types as written.

use super::{Parser, Wanted};
use crate::syntax::ast::{TypeExpr, TypeExprKind};
use crate::syntax::token::TokenKind;
use ez_runtime::diagnostics::{Code, Diagnostic, Help};

impl Parser<'_> {
    /// A type; if there is none, messages say that `what` was expected.
    pub(super) fn type_expr(&mut self, what: &str) -> Option<TypeExpr> {
        self.wants(Wanted::Type);
        let token = self.tok();
        match token.kind {
            TokenKind::LeftBracket => self.nested(Self::array_type),
            TokenKind::Ident if token.text == "map" && self.nth(1).kind == TokenKind::LeftBracket => {
                self.nested(Self::map_type)
            }
            TokenKind::Ident => self.named_type(),
            _ => {
                self.type_expected(what);
                None
            }
        }
    }

    pub(super) fn type_expected(&mut self, what: &str) {
        let token = self.tok();
        let message = format!("expected {what}, got {}", self.found());
        let help = match token.kind {
            TokenKind::LeftParen => Some(Help::from(
                "EZ has no tuples: each value has a variable of its own, as in 'temp a int, b int = f()'",
            )),
            TokenKind::Assign | TokenKind::Comma => self.untyped_help(),
            _ => self.dashed_name().map(|name| format!("a name has letters, digits and '_': {name}").into()),
        };
        self.report(Diagnostic::new(Code::E2024, token.span, message).maybe_help(help));
    }

    /// The name that `my-var` is meant to be, if these are the tokens around here.
    fn dashed_name(&self) -> Option<String> {
        let before = self.tokens.get(self.pos.checked_sub(1)?)?;
        let (dash, after) = (self.tok(), self.nth(1));
        let joined = before.span.end == dash.span.start && dash.span.end == after.span.start;
        (dash.kind == TokenKind::Minus && joined).then(|| format!("{}_{}", before.text, after.text))
    }

    fn named_type(&mut self) -> Option<TypeExpr> {
        let token = self.bump();
        if self.eat(TokenKind::Dot).is_none() {
            return Some(TypeExpr { span: token.span, kind: TypeExprKind::Named(token.text.into()) });
        }
        self.wants(Wanted::Type);
        if !self.at(TokenKind::Ident) {
            self.type_expected("type name after '.'");
            return None;
        }
        let name = self.bump();
        let kind = TypeExprKind::Qualified(self.name(token), self.name(name));
        Some(TypeExpr { span: token.span.to(name.span), kind })
    }

    /// `[T]`, `[T, 3]`
    fn array_type(&mut self) -> Option<TypeExpr> {
        let open = self.bump().span;
        let element = Box::new(self.type_expr("type name")?);
        let mut size = None;
        if self.eat(TokenKind::Comma).is_some() {
            let token = self.tok();
            if token.kind != TokenKind::Int {
                let message = format!("expected integer for array size, got {}", self.found());
                self.error(Code::E2025, token.span, message);
                return None;
            }
            self.bump();
            let value = super::literals::integer(token.text).and_then(|n| u64::try_from(n).ok());
            size = Some((value.unwrap_or(u64::MAX), token.text.into()));
        }
        let close = self.expect(TokenKind::RightBracket)?.span;
        Some(TypeExpr { span: open.to(close), kind: TypeExprKind::Array(element, size) })
    }

    /// `map[K:V]`
    fn map_type(&mut self) -> Option<TypeExpr> {
        let word = self.bump().span;
        self.bump();
        self.wants(Wanted::TypeName);
        if !self.at(TokenKind::Ident) {
            self.type_expected("type name");
            return None;
        }
        let key = self.named_type()?;
        if self.eat(TokenKind::Colon).is_none() {
            let message = "expected ':' in map type declaration (e.g., map[string:int])";
            self.error(Code::E2024, key.span, message);
            return None;
        }
        let value = self.type_expr("value type in map declaration")?;
        let close = self.expect(TokenKind::RightBracket)?.span;
        let kind = TypeExprKind::Map(Box::new(key), Box::new(value));
        Some(TypeExpr { span: word.to(close), kind })
    }
}

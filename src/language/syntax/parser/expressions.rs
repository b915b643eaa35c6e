//! Expressions: binary operators by precedence, prefix and postfix operators.

use super::Parser;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::syntax::token::TokenKind;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::source::Span;

/// A binary operator and its precedence; higher binds tighter.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::OrOr => (BinaryOp::Or, 1),
        TokenKind::AndAnd => (BinaryOp::And, 2),
        TokenKind::EqEq => (BinaryOp::Eq, 3),
        TokenKind::NotEq => (BinaryOp::Ne, 3),
        TokenKind::Less => (BinaryOp::Lt, 4),
        TokenKind::Greater => (BinaryOp::Gt, 4),
        TokenKind::LessEq => (BinaryOp::Le, 4),
        TokenKind::GreaterEq => (BinaryOp::Ge, 4),
        TokenKind::In => (BinaryOp::In, 5),
        TokenKind::NotIn => (BinaryOp::NotIn, 5),
        TokenKind::BangIn => (BinaryOp::BangIn, 5),
        TokenKind::Plus => (BinaryOp::Add, 6),
        TokenKind::Minus => (BinaryOp::Sub, 6),
        TokenKind::Star => (BinaryOp::Mul, 7),
        TokenKind::Slash => (BinaryOp::Div, 7),
        TokenKind::Percent => (BinaryOp::Mod, 7),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    /// Operators above `level`; all of them are left-associative.
    fn binary(&mut self, level: u8) -> Option<Expr> {
        let start = self.tok().span;
        let mut left = self.unary()?;
        while let Some((op, own)) = binary_operator(self.kind()).filter(|(_, own)| *own > level) {
            let at = self.bump().span;
            let height = self.height;
            let right = self.binary(own)?;
            self.grow(height)?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { span: start.to(self.prev_span()), at, kind };
        }
        Some(left)
    }

    /// Counts one more level on top of the last expression's tree and a sibling of height `other`.
    pub(super) fn grow(&mut self, other: u32) -> Option<()> {
        self.height = self.height.max(other) + 1;
        if self.height > self.max_height { self.too_deep() } else { Some(()) }
    }

    fn unary(&mut self) -> Option<Expr> {
        let op = match self.kind() {
            TokenKind::Minus => UnaryOp::Neg,
            TokenKind::Bang => UnaryOp::Not,
            _ => return self.postfix(),
        };
        let at = self.bump().span;
        if op == UnaryOp::Neg && self.is_least_integer() {
            // -2^63 is one literal, because 2^63 alone does not fit 64 bits.
            let span = self.bump().span;
            self.height = 1;
            return Some(Expr { span: at.to(span), at: span, kind: ExprKind::Int(i64::MIN) });
        }
        let operand = self.nested(Self::unary)?;
        self.grow(0)?;
        let kind = ExprKind::Unary(op, Box::new(operand));
        Some(Expr { span: at.to(self.prev_span()), at, kind })
    }

    /// Whether the next token is the literal 2^63 without a postfix operator.
    fn is_least_integer(&self) -> bool {
        let token = self.tok();
        token.kind == TokenKind::Int
            && super::literals::integer(token.text).is_some_and(|n| -n == i64::MIN.into())
            && !matches!(
                self.nth(1).kind,
                TokenKind::LeftParen
                    | TokenKind::LeftBracket
                    | TokenKind::Dot
                    | TokenKind::Increment
                    | TokenKind::Decrement
            )
    }

    /// A primary expression with its postfix operators.
    fn postfix(&mut self) -> Option<Expr> {
        let start = self.tok().span;
        let mut expr = self.primary()?;
        loop {
            let token = self.tok();
            let height = self.height;
            let kind = match token.kind {
                TokenKind::Increment | TokenKind::Decrement => {
                    self.bump();
                    ExprKind::Postfix(Box::new(expr), if token.kind == TokenKind::Increment { 1 } else { -1 })
                }
                TokenKind::LeftParen => {
                    let args = self.arguments()?;
                    ExprKind::Call { callee: Box::new(expr), args }
                }
                TokenKind::LeftBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect(TokenKind::RightBracket)?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                TokenKind::Dot => {
                    expr = self.member(start, expr)?;
                    continue;
                }
                _ => return Some(expr),
            };
            self.grow(height)?;
            expr = Expr { span: start.to(self.prev_span()), at: token.span, kind };
        }
    }

    /// At the dot: a member, or the literal of a struct of another module.
    fn member(&mut self, start: Span, object: Expr) -> Option<Expr> {
        let dot = self.bump().span;
        let token = self.tok();
        if matches!(token.kind, TokenKind::Eof | TokenKind::RightBrace) {
            let message = format!("expected member name after '.', got {}", self.found());
            self.error(Code::E2002, token.span, message);
            return None;
        }
        self.bump();
        let name = self.name(token);
        if let ExprKind::Name(module) = &object.kind
            && self.is_module_struct(module, token.text)
        {
            let module = crate::syntax::ast::Name { text: module.clone(), span: object.span };
            return self.struct_literal(start, Some(module), name);
        }
        self.grow(0)?;
        let kind = ExprKind::Member(Box::new(object), name);
        Some(Expr { span: start.to(token.span), at: dot, kind })
    }

    /// Whether `module.name {` begins a struct literal rather than a block. `Color.RED {}` and
    /// `module.LIMIT {}` are followed by empty blocks.
    fn is_module_struct(&self, module: &str, name: &str) -> bool {
        let constant = !name.contains(|c: char| c.is_ascii_lowercase());
        module.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && self.struct_fields_follow()
            && !(constant && self.nth(1).kind == TokenKind::RightBrace)
    }

    /// Whether `{ }` or `{ name :` stands here.
    pub(super) fn struct_fields_follow(&self) -> bool {
        self.at(TokenKind::LeftBrace)
            && match self.nth(1).kind {
                TokenKind::RightBrace => true,
                // The keywords that may be names of fields.
                TokenKind::Ident | TokenKind::When | TokenKind::Is | TokenKind::Default | TokenKind::Cast => {
                    self.nth(2).kind == TokenKind::Colon
                }
                _ => false,
            }
    }

    /// `(a, b)` of a call.
    fn arguments(&mut self) -> Option<Vec<Expr>> {
        self.bump();
        let mut args = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightParen) || !args.is_empty() {
            args.push(self.expression()?);
            height = self.height.max(height);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if self.at(TokenKind::RightParen) {
                self.trailing_comma(Code::E2018, "function call", "foo(1, 2)", "foo(1, 2,)");
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        self.height = height;
        Some(args)
    }

    pub(super) fn trailing_comma(&mut self, code: Code, what: &str, valid: &str, invalid: &str) {
        let message = format!("unexpected trailing comma in {what}");
        let help = format!("write {valid}, not {invalid}: commas are written only between values");
        self.report(Diagnostic::new(code, self.tok().span, message).help(help));
    }

    /// The current token cannot begin an expression.
    pub(super) fn expression_expected<T>(&mut self) -> Option<T> {
        let token = self.tok();
        let (code, message) = match token.kind {
            TokenKind::RightParen | TokenKind::RightBracket if self.closes_nothing() => {
                let opener = if token.kind == TokenKind::RightParen { '(' } else { '[' };
                (Code::E2003Closer, format!("this '{}' has no '{opener}' before it", token.text))
            }
            TokenKind::Eof | TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                (Code::E2003, format!("expected an expression, found {}", self.found()))
            }
            TokenKind::Amp => (
                Code::E2001,
                "'&' is only valid for mutable parameters (e.g., 'do foo(&x int)') or import & use"
                    .to_string(),
            ),
            _ => (Code::E2001, format!("unexpected token '{}'", token.text)),
        };
        let ended = matches!(token.kind, TokenKind::Eof | TokenKind::RightBrace) && !self.closes_nothing();
        let help = match token.kind {
            _ if ended => self.still_open(),
            TokenKind::RightBracket if self.before_is(TokenKind::LeftBracket) => self.declaration_of_c(),
            _ => None,
        };
        self.report(Diagnostic::new(code, token.span, message).maybe_help(help));
        None
    }
}

//! What to write instead, for errors that the tokens around them explain; the help texts are in `hints`.

use super::Parser;
use crate::syntax::foreign::{self, Construct};
use crate::syntax::token::{self, Token, TokenKind};
use ez_runtime::diagnostics::{Code, Fix};
use ez_runtime::source::Span;

impl<'t> Parser<'t> {
    /// What to write instead, for an error with `code` at `at`.
    pub(super) fn fix(&self, code: Code, at: Span) -> Option<Fix> {
        let here = self.tok();
        if here.span.head() != at.head() {
            return None;
        }
        match code {
            Code::E2001 => self.unexpected_fix(here),
            Code::E2002 => self.operator_fix(here).or_else(|| self.missing_fix(here)),
            Code::E2017 | Code::E2018 => self.before(1).map(|comma| Fix::certain(comma.span, "")),
            Code::E2020 | Code::E2033 | Code::E2034 => self.type_first(here).or_else(|| self.field_comma()),
            Code::E2024 => self.type_colon(here),
            _ => None,
        }
    }

    /// For a token that cannot begin an expression or statement.
    fn unexpected_fix(&self, here: Token<'t>) -> Option<Fix> {
        let (before, next) = (self.before(1), self.nth(1));
        let before_is = |kind| before.is_some_and(|token| token.kind == kind);
        match here.kind {
            // `===`, `!==`
            TokenKind::Assign if before_is(TokenKind::EqEq) || before_is(TokenKind::NotEq) => {
                Some(Fix::certain(here.span, ""))
            }
            TokenKind::Plus if matches!(next.kind, TokenKind::Int | TokenKind::Float) => {
                Some(Fix::certain(here.span, "").only_if(!before_is(TokenKind::Assign)))
            }
            TokenKind::Increment | TokenKind::Decrement if next.kind == TokenKind::Ident => {
                let is_all = !matches!(
                    self.nth(2).kind,
                    TokenKind::Dot | TokenKind::LeftBracket | TokenKind::LeftParen
                );
                // Within an expression it is the value after counting, which EZ has no operator for.
                let is_statement = self.pos == self.statement;
                let fix = Fix::certain(here.span.to(next.span), format!("{}{}", next.text, here.text));
                is_all.then(|| fix.only_if(is_statement))
            }
            TokenKind::LeftBracket if !before_is(TokenKind::Ident) => self.array_in_brackets(here),
            TokenKind::Colon if next.kind == TokenKind::Assign => {
                let name = before.filter(|t| t.kind == TokenKind::Ident && self.is_first_of_line(1))?;
                let text = format!("temp {} =", name.text);
                // Another language writes assignments so.
                let before = self.tokens.get(..self.pos.saturating_sub(1)).unwrap_or_default();
                let is_new = !before.iter().any(|t| t.kind == TokenKind::Ident && t.text == name.text);
                Some(Fix::certain(name.span.to(next.span), text).only_if(is_new))
            }
            _ => None,
        }
    }

    /// For `[1, 2]`.
    fn array_in_brackets(&self, open: Token<'t>) -> Option<Fix> {
        let mut depth = 0usize;
        for ahead in 0.. {
            let token = self.nth(ahead);
            if token.kind.opens() {
                depth += 1;
            } else if token.kind.opener().is_some() {
                depth = depth.checked_sub(1)?;
                if depth == 0 && token.kind == TokenKind::RightBracket {
                    return Some(Fix::certain(open.span, "{").and(token.span, "}"));
                }
            }
            if depth == 0 || token.kind == TokenKind::Eof || token.kind.starts_statement() {
                break;
            }
        }
        None
    }

    /// For what follows a complete expression.
    fn operator_fix(&self, here: Token<'t>) -> Option<Fix> {
        let (before, next) = (self.before(1)?, self.nth(1));
        let in_header = matches!(
            self.tokens.get(self.statement).map(|t| t.kind),
            Some(TokenKind::If | TokenKind::AsLongAs)
        );
        let beside = here.span.end == next.span.start;
        match here.kind {
            TokenKind::Assign if beside && next.kind == TokenKind::Greater => {
                Some(Fix::certain(here.span.to(next.span), ">=").only_if(in_header))
            }
            TokenKind::Assign if beside && next.kind == TokenKind::Less => {
                Some(Fix::certain(here.span.to(next.span), "<=").only_if(in_header))
            }
            TokenKind::Assign if self.struct_before().is_some() => Some(Fix::certain(here.span, ":")),
            TokenKind::Assign | TokenKind::Is if in_header => Some(Fix::guess(here.span, "==")),
            TokenKind::Amp if in_header => Some(Fix::guess(here.span, "&&")),
            TokenKind::OrKw => Some(Fix::certain(here.span, "||")),
            TokenKind::Semicolon if self.innermost_open()?.kind == TokenKind::LeftBracket => {
                Some(Fix::certain(here.span, ","))
            }
            TokenKind::Ident if here.text == "and" => Some(Fix::certain(here.span, "&&")),
            TokenKind::Ident if here.text == "not" && next.kind == TokenKind::In => {
                Some(Fix::certain(here.span.to(next.span), "!in"))
            }
            TokenKind::Ident if here.text == "then" && next.kind == TokenKind::LeftBrace => {
                Some(Fix::certain(here.span, ""))
            }
            TokenKind::Ident | TokenKind::True | TokenKind::False
                if before.text == "not" && before.kind == TokenKind::Ident =>
            {
                // Only what is one token is negated by the same rules in all languages.
                let is_all = matches!(
                    next.kind,
                    TokenKind::LeftBrace | TokenKind::AndAnd | TokenKind::OrOr | TokenKind::RightParen
                ) || matches!(next.text, "and" | "or");
                let gap = Span { start: before.span.start, end: here.span.start, ..here.span };
                (!here.text.starts_with("in")).then(|| Fix::certain(gap, "!").only_if(is_all))
            }
            _ => None,
        }
    }

    /// For a `:` or a result type without `->` in a declaration.
    fn missing_fix(&self, here: Token<'t>) -> Option<Fix> {
        let in_function = self.tokens.get(self.statement).is_some_and(|t| t.kind == TokenKind::Do);
        let after_parameters = in_function && self.before_is(TokenKind::RightParen);
        match here.kind {
            TokenKind::Colon if after_parameters => Some(Fix::certain(here.span, " ->")),
            TokenKind::Ident if after_parameters && self.nth(1).kind == TokenKind::LeftBrace => {
                Some(Fix::certain(here.span.head(), "-> "))
            }
            _ => self.type_colon(here),
        }
    }

    /// For the `:` of `temp x: int`.
    fn type_colon(&self, here: Token<'t>) -> Option<Fix> {
        let declares = self
            .tokens
            .get(self.statement)
            .is_some_and(|t| matches!(t.kind, TokenKind::Temp | TokenKind::Const | TokenKind::Do));
        let next = self.nth(1);
        let typed = matches!(next.kind, TokenKind::Ident | TokenKind::LeftBracket | TokenKind::Assign);
        let glued = here.span.end == next.span.start && next.kind != TokenKind::Assign;
        let text = if glued { " " } else { "" };
        (here.kind == TokenKind::Colon && declares && typed && self.before_is(TokenKind::Ident))
            .then(|| Fix::certain(here.span, text))
    }

    /// For `int x`.
    fn type_first(&self, ty: Token<'t>) -> Option<Fix> {
        let name = self.nth(1);
        let both = token::is_primitive(ty.text)
            && ty.kind == TokenKind::Ident
            && name.kind == TokenKind::Ident
            && !token::is_primitive(name.text);
        both.then(|| Fix::certain(ty.span.to(name.span), format!("{} {}", name.text, ty.text)))
    }

    /// For the comma before the last two tokens, between the fields of a struct.
    fn field_comma(&self) -> Option<Fix> {
        let comma = self.before(2).filter(|token| token.kind == TokenKind::Comma)?;
        Some(Fix::certain(comma.span, ""))
    }

    /// For a `;`, which may be all that keeps two statements apart.
    pub(super) fn semicolon_fix(&self) -> Fix {
        let next = self.nth(1);
        let ends = !matches!(
            next.kind,
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace | TokenKind::Minus
        );
        let text =
            if next.span.start == self.tok().span.end && next.kind != TokenKind::Eof { " " } else { "" };
        Fix::certain(self.tok().span, text).only_if(ends)
    }

    /// For a construct of another language whose header ends before the token `end`.
    pub(super) fn construct_fix(
        &self,
        word: Token<'t>,
        construct: Construct,
        header: &str,
        end: Token<'t>,
    ) -> Option<Fix> {
        let whole = Span { end: end.span.start, ..word.span };
        let inner = foreign::without_parentheses(header);
        let is_until = word.text.eq_ignore_ascii_case("until");
        if end.kind != TokenKind::LeftBrace || header.contains("//") {
            return None;
        }
        match construct {
            Construct::While if foreign::is_always(inner) => Some(Fix::certain(whole, "loop ")),
            Construct::While if is_until => Some(Fix::certain(whole, format!("as_long_as !({inner}) "))),
            Construct::While => Some(Fix::certain(word.span, "as_long_as")),
            Construct::Unless => Some(Fix::certain(whole, format!("if !({inner}) "))),
            Construct::Forever => Some(Fix::certain(whole, "loop ")),
            Construct::ForEach => Some(Fix::certain(word.span, "for_each").only_if(header.contains(" in "))),
            Construct::Repeat
            | Construct::Else
            | Construct::ElseIf
            | Construct::Switch
            | Construct::Try
            | Construct::Class
            | Construct::Function => None,
        }
    }
}

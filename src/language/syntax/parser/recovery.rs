//! Error recovery: finding where to continue, so that independent errors are all reported and
//! follow-up errors are not. Only recovery uses line ends and indentation.

use super::Parser;
use crate::syntax::ast::{Block, Stmt};
use crate::syntax::token::{Token, TokenKind};

/// Whether some `{` has no `}`.
pub(super) fn brace_missing(tokens: &[Token<'_>]) -> bool {
    let mut open = 0usize;
    for token in tokens {
        match token.kind {
            TokenKind::LeftBrace => open += 1,
            TokenKind::RightBrace => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open > 0
}

/// The stack of delimiters that are open at some place.
#[derive(Default)]
struct Open(Vec<TokenKind>);

impl Open {
    /// Updates the stack with a token; `false` for a `}` without an open `{`.
    fn note(&mut self, kind: TokenKind) -> bool {
        match (kind, kind.opener()) {
            _ if kind.opens() => self.0.push(kind),
            (TokenKind::RightBrace, _) => match self.0.iter().rposition(|k| *k == TokenKind::LeftBrace) {
                Some(index) => self.0.truncate(index),
                None => return false,
            },
            (_, Some(opener)) if self.0.last() == Some(&opener) => {
                self.0.pop();
            }
            _ => {}
        }
        true
    }
}

impl Parser<'_> {
    /// Whether the token `ahead` of the current one is the first of its line.
    pub(super) fn begins_line(&self, ahead: usize) -> bool {
        let index = self.pos + ahead;
        let Some(before) = index.checked_sub(1).and_then(|i| self.tokens.get(i)) else { return true };
        let start = self.nth(ahead).span.start as usize;
        let between = self.origin.text.get(before.span.end as usize..start);
        between.is_none_or(|text| text.contains('\n'))
    }

    /// Moves from where the statement that began at token `start` failed to where the next one
    /// may begin, or to the `}` that ends the block.
    pub(super) fn recover(&mut self, start: usize) {
        let mut open = Open::default();
        for token in self.tokens.iter().take(self.pos).skip(start) {
            open.note(token.kind);
        }
        let mut first = self.pos == start;
        loop {
            let kind = self.kind();
            if kind == TokenKind::Eof || (!first && self.may_begin_statement(kind, &open)) {
                return;
            }
            if kind == TokenKind::LeftBrace && open.0.is_empty() && self.opens_block() {
                // Errors in the block are independent.
                self.block();
                continue;
            }
            if !open.note(kind) {
                return;
            }
            self.bump();
            first = false;
        }
    }

    fn may_begin_statement(&self, kind: TokenKind, open: &Open) -> bool {
        match open.0.last() {
            None => kind.starts_statement() || (kind == TokenKind::Ident && self.begins_line(0)),
            // An unclosed parenthesis ends at the next statement.
            Some(TokenKind::LeftParen | TokenKind::LeftBracket) => {
                kind.starts_statement() && self.begins_line(0)
            }
            Some(_) => kind == TokenKind::Do && self.at_file_margin(),
        }
    }

    /// Whether the `{` here is the last of its line and not part of an expression.
    fn opens_block(&self) -> bool {
        let before = self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.kind);
        let after_value = matches!(
            before,
            Some(TokenKind::Ident | TokenKind::RightParen | TokenKind::RightBracket | TokenKind::Loop)
                | Some(TokenKind::Int | TokenKind::Str | TokenKind::True | TokenKind::False | TokenKind::Nil)
                | Some(TokenKind::Otherwise | TokenKind::Default)
        );
        after_value && self.begins_line(1)
    }

    /// Whether the current token is the first of its line without any indentation.
    pub(super) fn at_file_margin(&self) -> bool {
        let start = self.tok().span.start as usize;
        let before = start.checked_sub(1).and_then(|i| self.origin.text.as_bytes().get(i));
        before.is_none_or(|b| *b == b'\n')
    }

    /// After an error in a header: moves to the `{` on this line that opens the body. A body on the same
    /// line is skipped, because it cannot be told from the rest of the header.
    pub(super) fn seek_body(&mut self) -> bool {
        let mut first = None;
        let mut ahead = 0;
        while self.nth(ahead).kind != TokenKind::Eof && (ahead == 0 || !self.begins_line(ahead)) {
            if self.nth(ahead).kind == TokenKind::LeftBrace {
                if self.begins_line(ahead + 1) {
                    self.pos += ahead;
                    return true;
                }
                first = first.or(Some(ahead));
            }
            ahead += 1;
        }
        if let Some(ahead) = first {
            self.pos += ahead;
            self.skip_braces();
        }
        false
    }

    /// At `{`: moves after its `}`.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.bump().kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth = depth.saturating_sub(1),
                TokenKind::Eof => return,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// After an error in a header: the body, if it can be found.
    pub(super) fn body_after_error(&mut self) -> Option<Block> {
        if self.seek_body() { self.block() } else { None }
    }

    /// Moves to the next line or the `}` that ends a body of fields or values.
    pub(super) fn skip_field(&mut self) {
        let mut open = Open::default();
        loop {
            let kind = self.kind();
            let line = self.begins_line(0);
            if kind == TokenKind::Eof || (line && (open.0.is_empty() || kind.starts_statement())) {
                return;
            }
            if !open.note(kind) {
                return;
            }
            self.bump();
        }
    }

    /// A statement at file level, where a `}` is one too many.
    pub(super) fn statement_at_file_level(&mut self, out: &mut Vec<Stmt>) {
        if let Some(brace) = self.eat(TokenKind::RightBrace) {
            self.error(
                ez_runtime::diagnostics::Code::E2003Closer,
                brace.span,
                "this '}' has no '{' before it",
            );
            return;
        }
        let start = self.pos;
        if self.statement(out).is_none() {
            self.recover(start);
        }
    }

    /// Runs `parse` and drops its reports if it fails: an earlier error has been reported.
    pub(super) fn without_reports<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let reported = self.diagnostics.len();
        let result = parse(self);
        if result.is_none() && !self.nesting_exceeded {
            self.diagnostics.truncate(reported);
        }
        result
    }
}

//! Blocks, and the warning about unreachable statements.

use std::collections::HashSet;

use super::{Parser, UNCLOSED_BRACE};
use crate::diagnostics::{Code, Diagnostic};
use crate::syntax::ast::{Block, ExprKind, Stmt, StmtKind};
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    /// `{ … }`. Errors in its statements do not make the block fail.
    pub(super) fn block(&mut self) -> Option<Block> {
        self.nested(|parser| {
            let open = parser.expect(TokenKind::LeftBrace)?;
            parser.scopes.push(HashSet::new());
            let mut stmts = Vec::new();
            let mut reachable = true;
            while !parser.ends_block() {
                let start = parser.pos;
                let count = stmts.len();
                if parser.statement(&mut stmts).is_none() {
                    parser.recover(start);
                }
                for stmt in stmts.iter().skip(count) {
                    parser.check_reachable(stmt, &mut reachable);
                }
            }
            parser.scopes.pop();
            if parser.eat(TokenKind::RightBrace).is_none() {
                let help = parser.unclosed_by_indentation();
                parser.report(Diagnostic::new(Code::E2004, open.span, UNCLOSED_BRACE).maybe_help(help));
            }
            Some(Block { span: open.span.to(parser.prev_span()), stmts })
        })
    }

    /// The block after a header. If its `{` is missing, that is reported and the probable body is parsed
    /// for its own errors.
    pub(super) fn body(&mut self) -> Option<Block> {
        if !self.at(TokenKind::LeftBrace) {
            self.expect(TokenKind::LeftBrace);
            self.body_after_error();
            return None;
        }
        self.block()
    }

    /// Which `{` is not closed, if the indentation of the `}`s shows it: the first one that is closed by a `}` with
    /// less indentation than its line.
    fn unclosed_by_indentation(&self) -> Option<String> {
        let mut open: Vec<usize> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::LeftBrace => open.push(index),
                TokenKind::RightBrace => {
                    let (start, end) = (open.pop()?, index);
                    let (outer, inner) = (self.indentation(start)?, self.indentation(end)?);
                    if inner < outer && self.first_of_line(end) {
                        let line = self
                            .origin
                            .text
                            .get(..self.tokens.get(start)?.offset as usize)?
                            .matches('\n')
                            .count();
                        return Some(format!(
                            "by the indentation, the '{{' in line {} has no '}}'",
                            line + 1
                        ));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a token is the first of its line.
    fn first_of_line(&self, index: usize) -> bool {
        let Some(token) = self.tokens.get(index) else { return false };
        let before = self.origin.text.get(..token.offset as usize).unwrap_or_default();
        before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
    }

    /// Indentation of a token's line, in bytes.
    fn indentation(&self, index: usize) -> Option<usize> {
        let before = self.origin.text.get(..self.tokens.get(index)?.offset as usize)?;
        let line = before.rsplit('\n').next()?;
        Some(line.len() - line.trim_start().len())
    }

    /// Whether the block ends here: at `}`, at the end of the text, or, if a brace is missing somewhere in
    /// the file, before a `do` without indentation.
    fn ends_block(&self) -> bool {
        match self.kind() {
            TokenKind::RightBrace | TokenKind::Eof => true,
            TokenKind::Do => self.brace_missing && self.in_function && self.at_file_margin(),
            _ => false,
        }
    }

    fn check_reachable(&mut self, stmt: &Stmt, reachable: &mut bool) {
        if *reachable {
            *reachable = !ends_flow(&stmt.kind);
        } else if !self.suppress_unreachable {
            let message = "unreachable code after return/break/continue/exit/panic";
            self.report(
                Diagnostic::new(Code::W2001, stmt.span, message)
                    .help("remove this code or restructure your control flow"),
            );
        }
    }
}

/// Whether nothing after the statement in its block can run.
fn ends_flow(kind: &StmtKind) -> bool {
    let StmtKind::Expr(expr) = kind else {
        return matches!(kind, StmtKind::Return { .. } | StmtKind::Break | StmtKind::Continue);
    };
    let ExprKind::Call { callee, .. } = &expr.kind else { return false };
    let name = match &callee.kind {
        ExprKind::Name(name) => name,
        ExprKind::Member(_, name) => &name.text,
        _ => return false,
    };
    matches!(&**name, "exit" | "panic")
}

//! Blocks, and the warning about unreachable statements.

use super::{Parser, Scope, UNCLOSED_BRACE};
use crate::syntax::ast::{Block, ExprKind, Stmt, StmtKind};
use crate::syntax::token::TokenKind;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::text::slice;

impl Parser<'_> {
    /// `{ … }`. Errors in its statements do not make the block fail.
    pub(super) fn block(&mut self) -> Option<Block> {
        self.nested(|parser| {
            let open = parser.expect(TokenKind::LeftBrace)?;
            parser.scopes.push(Scope::default());
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
            if parser.eat(TokenKind::RightBrace).is_some() {
                return Some(Block { span: open.span.to(parser.prev_span()), stmts });
            }
            if !parser.is_reported_at_literal() {
                let help = parser.unclosed_by_indentation();
                parser.report(Diagnostic::new(Code::E2004, open.span, UNCLOSED_BRACE).maybe_help(help));
            }
            // What is written next would be in it.
            Some(Block { span: open.span.to(parser.tok().span.head()), stmts })
        })
    }

    /// Whether the `}` that a block lacks is the one of a literal that has been reported.
    fn is_reported_at_literal(&mut self) -> bool {
        let fewer = self.open_literals.checked_sub(1);
        self.open_literals = fewer.unwrap_or_default();
        fewer.is_some()
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
    /// less indentation than its line. Only for the first report of a file.
    fn unclosed_by_indentation(&self) -> Option<String> {
        if self.diagnostics.iter().any(|found| found.code == Code::E2004) {
            return None;
        }
        // Line and indentation of each `{` that is open.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let (mut line, mut indentation, mut end) = (1, 0, 0);
        for token in &self.tokens {
            let start = token.offset as usize;
            let between = slice(self.origin.text, end..start);
            let begins_line = between.contains('\n') || end == 0;
            if begins_line {
                line += between.matches('\n').count();
                indentation = between.rsplit('\n').next().map_or(0, str::len);
            }
            end = token.end();
            match token.kind {
                TokenKind::LeftBrace => open.push((line, indentation)),
                TokenKind::RightBrace => {
                    let (of_line, outer) = open.pop()?;
                    if begins_line && indentation < outer {
                        return Some(format!("by the indentation, the '{{' in line {of_line} has no '}}'"));
                    }
                }
                _ => {}
            }
        }
        None
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
    let member = if let ExprKind::Member(_, name) = &callee.kind { Some(&name.text) } else { None };
    callee.name().or(member).is_some_and(|name| matches!(&**name, "exit" | "panic"))
}

//! Statements.

use super::hints::NO_SEMICOLONS;
use super::{Parser, Wanted, reserved};
use crate::syntax::ast::{
    Assign, Attributes, BinaryOp, Block, Branch, Expr, ExprClass, ExprKind, Name, Stmt, StmtKind, When,
    WhenCase,
};
use crate::syntax::token::TokenKind;
use ez_runtime::diagnostics::{Code, Diagnostic, Fix, Help};

/// Cases and default block of a `when`, and whether all of it could be read.
type WhenBody = (Vec<WhenCase>, Option<Block>, bool);

impl Parser<'_> {
    /// One statement with its attributes. An import yields none.
    pub(super) fn statement(&mut self, out: &mut Vec<Stmt>) -> Option<()> {
        let mut attrs = self.attributes();
        attrs.private = self.eat(TokenKind::Private).map(|token| token.span);
        let start = self.tok().span;
        self.statement = self.pos;
        if self.at(TokenKind::Import) {
            // An attribute that stands before an import has been reported.
            self.misplaced_import(attrs.doc.is_some());
            return Some(());
        }
        if attrs.any
            && attrs.enum_forms.is_empty()
            && matches!(self.kind(), TokenKind::Eof | TokenKind::RightBrace)
        {
            // Attributes without a declaration have been reported.
            return Some(());
        }
        if self.at(TokenKind::Semicolon) {
            self.semicolon();
            return Some(());
        }
        if self.foreign_statement() {
            return Some(());
        }
        let kind = self.core(&attrs)?;
        out.push(Stmt { span: start.to(self.prev_span()), attrs, kind });
        Some(())
    }

    /// A `;` after a statement: reported once a file.
    fn semicolon(&mut self) {
        let fix = self.semicolon_fix();
        if let Some((_, all)) = &mut self.semicolons {
            all.edits.extend(fix.edits);
            all.certain &= fix.certain;
        } else {
            self.semicolons = Some((self.tok().span, fix));
            let declared = self.declaration_of_c().map(|ours| format!("{NO_SEMICOLONS}; {ours}"));
            let report = Diagnostic::new(Code::E2001, self.tok().span, "unexpected token ';'");
            self.report(report.maybe_help(declared));
        }
        self.bump();
    }

    fn core(&mut self, attrs: &Attributes) -> Option<StmtKind> {
        match self.kind() {
            TokenKind::Temp | TokenKind::Const => self.declaration(),
            TokenKind::Do => self.function(attrs),
            TokenKind::Return => self.return_statement(),
            TokenKind::Ensure => self.ensure(),
            TokenKind::If => self.if_statement(),
            TokenKind::When => self.when(attrs.strict.is_some()),
            TokenKind::For => self.for_statement(),
            TokenKind::ForEach => self.for_each(),
            TokenKind::AsLongAs => {
                let keyword = self.bump().span;
                let (cond, body) = self.condition()?;
                Some(StmtKind::While { keyword, cond, body })
            }
            TokenKind::Loop => {
                let keyword = self.bump().span;
                Some(StmtKind::Loop { keyword, body: self.body()? })
            }
            TokenKind::Break => {
                self.bump();
                Some(StmtKind::Break)
            }
            TokenKind::Continue => {
                self.bump();
                Some(StmtKind::Continue)
            }
            TokenKind::Using => Some(StmtKind::Using(self.using()?)),
            TokenKind::Ident if self.nth(1).kind == TokenKind::Comma => self.multi_assignment(),
            TokenKind::Ident => self.assignment(),
            _ => Some(StmtKind::Expr(self.expression()?)),
        }
    }

    fn multi_assignment(&mut self) -> Option<StmtKind> {
        let mut names = Vec::new();
        loop {
            let token = self.tok();
            if token.kind != TokenKind::Ident {
                let message = format!("expected identifier in tuple assignment, got {}", self.found());
                self.error(Code::E2029, token.span, message);
                return None;
            }
            self.bump();
            names.push(self.name(token));
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        Some(StmtKind::MultiAssign { names, value })
    }

    /// A statement that starts with a name: an assignment or an expression.
    fn assignment(&mut self) -> Option<StmtKind> {
        let target = self.expression()?;
        let op = match self.kind() {
            TokenKind::Assign => None,
            TokenKind::PlusAssign => Some(BinaryOp::Add),
            TokenKind::MinusAssign => Some(BinaryOp::Sub),
            TokenKind::StarAssign => Some(BinaryOp::Mul),
            TokenKind::SlashAssign => Some(BinaryOp::Div),
            TokenKind::PercentAssign => Some(BinaryOp::Mod),
            _ => return Some(StmtKind::Expr(target)),
        };
        let at = self.prev_span();
        let wrong = match target.kind.class() {
            ExprClass::Name(_) | ExprClass::Index(..) | ExprClass::Member(..) => None,
            ExprClass::Call => Some("function call"),
            ExprClass::Struct => Some("struct literal"),
            ExprClass::Value => Some("expression"),
        };
        if let Some(what) = wrong {
            let message = format!("invalid assignment target: cannot assign to {what}");
            let help = self.declaration_of_c();
            self.report(Diagnostic::new(Code::E2008, at, message).maybe_help(help));
        }
        let op_span = self.bump().span;
        let value = self.expression()?;
        Some(StmtKind::Assign(Assign { target, op, op_span, at, value }))
    }

    fn return_statement(&mut self) -> Option<StmtKind> {
        let keyword = self.bump().span;
        let mut values = Vec::new();
        if !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            values.push(self.expression()?);
            while self.eat(TokenKind::Comma).is_some() {
                values.push(self.expression()?);
            }
        }
        Some(StmtKind::Return { keyword, values })
    }

    fn ensure(&mut self) -> Option<StmtKind> {
        let keyword = self.bump().span;
        let what = match self.kind() {
            TokenKind::Do => Some("function declarations"),
            TokenKind::Const => Some("const declarations"),
            TokenKind::Struct => Some("struct declarations"),
            TokenKind::Enum => Some("enum declarations"),
            TokenKind::LeftBrace => Some("block statements"),
            _ => None,
        };
        if let Some(what) = what {
            let message = format!("ensure cannot be used with {what}; ensure expects a function call");
            self.error(Code::E3039, self.tok().span, message);
            // The value is parsed only for its own errors.
            let (start, mut ignored) = (self.pos, Vec::new());
            if self.without_reports(|parser| parser.statement(&mut ignored)).is_none() {
                self.recover(start);
            }
            return Some(StmtKind::Expr(Expr { span: keyword, at: keyword, kind: ExprKind::Nil }));
        }
        let call = self.expression()?;
        if !matches!(call.kind, ExprKind::Call { .. }) {
            self.error(Code::E3039, self.prev_span(), "ensure expects a function call");
        }
        Some(StmtKind::Ensure { keyword, call })
    }

    /// A condition and the block after it.
    fn condition(&mut self) -> Option<(Expr, Block)> {
        match self.expression() {
            Some(cond) => Some((cond, self.body()?)),
            None => {
                self.body_after_error();
                None
            }
        }
    }

    fn if_statement(&mut self) -> Option<StmtKind> {
        let mut branches = Vec::new();
        let (mut whole, mut reported) = (true, false);
        loop {
            let keyword = self.bump().span;
            match self.condition() {
                Some((cond, body)) => branches.push(Branch { keyword, cond, body }),
                None => whole = false,
            }
            match self.foreign_branch(reported) {
                // The keyword of the next branch has been taken.
                Some(true) => {
                    self.pos -= 1;
                    (whole, reported) = (false, true);
                }
                Some(false) => {
                    self.body();
                    return None;
                }
                None if !self.at(TokenKind::OrKw) => break,
                None => {}
            }
        }
        let mut otherwise = None;
        if self.eat(TokenKind::Otherwise).is_some() {
            otherwise = self.body();
            whole &= otherwise.is_some();
        }
        whole.then_some(StmtKind::If { branches, otherwise })
    }

    fn when(&mut self, strict: bool) -> Option<StmtKind> {
        let keyword = self.bump().span;
        let subject = self.expression();
        let body = if subject.is_some() && self.at(TokenKind::LeftBrace) {
            self.nested(Self::when_body)
        } else {
            if subject.is_some() {
                self.expect(TokenKind::LeftBrace);
            }
            if self.seek_body() {
                self.nested(Self::when_body);
            }
            None
        };
        let (cases, default, whole) = body?;
        if whole && !strict && default.is_none() {
            let report = Diagnostic::new(Code::E2041, keyword, "when statement requires a 'default' case");
            let end = self.prev_span().head();
            let help = Help::from("add 'default { ... }' for all other values; it may be empty");
            self.report(report.help(help.fix(Fix::guess(end, "default {} "))));
        }
        if strict && default.is_some() {
            self.error(Code::E2042, keyword, "#strict when statement cannot have a 'default' case");
        }
        Some(StmtKind::When(When { keyword, subject: subject?, cases, default }))
    }

    fn when_body(&mut self) -> Option<WhenBody> {
        let open = self.expect(TokenKind::LeftBrace)?;
        let (mut cases, mut default, mut whole) = (Vec::new(), None, true);
        loop {
            let token = self.tok();
            match token.kind {
                TokenKind::Is => match self.when_case() {
                    Some(case) => cases.push(case),
                    None => {
                        self.skip_to_case();
                        whole = false;
                    }
                },
                TokenKind::Default => {
                    self.bump();
                    match self.default_block() {
                        Some(block) => default = Some(block),
                        None => {
                            self.skip_to_case();
                            whole = false;
                        }
                    }
                }
                TokenKind::RightBrace => {
                    self.bump();
                    return Some((cases, default, whole));
                }
                TokenKind::Eof => {
                    self.error(Code::E2004, open.span, super::UNCLOSED_BRACE);
                    return None;
                }
                _ => {
                    let message = format!(
                        "unexpected token '{}' in when statement, expected 'is' or 'default'",
                        token.text
                    );
                    let help = (token.kind == TokenKind::Otherwise)
                        .then(|| Help::from(super::hints::DEFAULT).surely("default"));
                    self.report(Diagnostic::new(Code::E2001, token.span, message).maybe_help(help));
                    self.skip_to_case();
                    whole = false;
                }
            }
        }
    }

    fn default_block(&mut self) -> Option<Block> {
        if !self.at(TokenKind::LeftBrace) {
            self.error(Code::E2002, self.tok().span, "expected '{' after default");
            self.body_after_error();
            return None;
        }
        self.block()
    }

    fn when_case(&mut self) -> Option<WhenCase> {
        let keyword = self.bump().span;
        let mut values = Vec::new();
        loop {
            let Some(value) = self.expression() else {
                self.body_after_error();
                return None;
            };
            values.push(value);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        Some(WhenCase { keyword, values, body: self.body()? })
    }

    /// Skips tokens that are not part of a `when`, up to the next case.
    fn skip_to_case(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Is | TokenKind::Default | TokenKind::RightBrace if depth == 0 => return,
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    fn for_statement(&mut self) -> Option<StmtKind> {
        let keyword = self.bump().span;
        let Some((var, ty, iterable)) = self.for_header() else {
            self.body_after_error();
            return None;
        };
        let body = self.body()?;
        Some(StmtKind::For { keyword, var, ty, iterable, body })
    }

    fn for_header(&mut self) -> Option<(Name, Option<crate::syntax::ast::TypeExpr>, Expr)> {
        let paren = self.eat(TokenKind::LeftParen).is_some();
        let (var, good) = self.loop_variable()?;
        self.header_rest(good, |parser| {
            let typed = parser.at(TokenKind::Ident) && !var.is_blank();
            let ty = if typed { Some(parser.type_expr("type")?) } else { None };
            let iterable = parser.iterable(paren)?;
            Some((var, ty, iterable))
        })
    }

    fn for_each(&mut self) -> Option<StmtKind> {
        let keyword = self.bump().span;
        let Some((index, var, iterable)) = self.for_each_header() else {
            self.body_after_error();
            return None;
        };
        let body = self.body()?;
        Some(StmtKind::ForEach { keyword, index, var, iterable, body })
    }

    fn for_each_header(&mut self) -> Option<(Option<Name>, Name, Expr)> {
        let paren = self.eat(TokenKind::LeftParen).is_some();
        let (first, mut good) = self.loop_variable()?;
        let mut second = None;
        if self.eat(TokenKind::Comma).is_some() {
            let (name, fine) = self.loop_variable()?;
            second = Some(name);
            good &= fine;
        }
        let iterable = self.header_rest(good, |parser| parser.iterable(paren))?;
        Some(match second {
            Some(second) => (Some(first), second, iterable),
            None => (None, first, iterable),
        })
    }

    /// The rest of a header whose variable may have been reported already.
    fn header_rest<T>(&mut self, good: bool, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if good { parse(self) } else { self.without_reports(parse) }
    }

    /// The variable of a loop, and whether its name is allowed.
    fn loop_variable(&mut self) -> Option<(Name, bool)> {
        self.wants(Wanted::New);
        let token = self.tok();
        if token.kind.is_keyword() {
            let help = match (token.kind, self.nth(2).text) {
                (TokenKind::Temp | TokenKind::Const, "of" | "in") => Some(format!(
                    "a loop declares its variable itself: for_each {} in {} {{ ... }}",
                    self.nth(1).text,
                    self.header_rest_text(3)
                )),
                (TokenKind::Temp, _) => Some(self.counting_loop(self.nth(1).text, 2)),
                _ => None,
            };
            let message = reserved(token.text, "a variable name");
            self.report(Diagnostic::new(Code::E2020, token.span, message).maybe_help(help));
            if !token.kind.starts_statement() || !self.begins_line(0) {
                self.bump();
            }
            return Some((self.name(token), false));
        }
        let token = match self.eat(TokenKind::Blank) {
            Some(blank) => blank,
            None => self.expect(TokenKind::Ident)?,
        };
        Some((self.name(token), true))
    }

    fn iterable(&mut self, paren: bool) -> Option<Expr> {
        self.wants(Wanted::In);
        self.expect(TokenKind::In)?;
        let iterable = self.expression()?;
        if paren {
            self.expect(TokenKind::RightParen)?;
        }
        Some(iterable)
    }
}

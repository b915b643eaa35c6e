//! Variables and constants.

use super::{Declared, Parser, Wanted, reserved};
use crate::syntax::ast::{Name, StmtKind, TypeExpr, VarDecl};
use crate::syntax::token::{self, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::source::Span;

impl Parser<'_> {
    /// `temp …` or `const …`; the latter may declare a struct or an enum.
    pub(super) fn declaration(&mut self) -> Option<StmtKind> {
        let keyword = self.bump();
        let constant = keyword.kind == TokenKind::Const;
        if constant {
            match self.nth(1).kind {
                TokenKind::Struct => return self.struct_declaration(),
                TokenKind::Enum => return self.enum_declaration(),
                _ => {}
            }
        }
        let kind = if constant { Declared::Constant } else { Declared::Variable };
        let (name, good) = self.variable_name(kind)?;
        let head = (keyword.span, constant);
        if good {
            self.variable(head, name)
        } else {
            self.without_reports(|parser| parser.variable(head, name))
        }
    }

    /// A name to be declared; `false` if it was reported as unusable.
    fn variable_name(&mut self, kind: Declared) -> Option<(Name, bool)> {
        self.wants(Wanted::New);
        let token = self.tok();
        if token.kind.is_keyword() || (token.kind == TokenKind::Ident && token::is_reserved(token.text)) {
            let typed = token::is_primitive(token.text) && self.nth(1).kind == TokenKind::Ident;
            let help = typed.then(|| super::rewritten::type_after(self.nth(1), token.text));
            let message = reserved(token.text, "a variable name");
            self.report(Diagnostic::new(Code::E2020, token.span, message).maybe_help(help));
            if self.begins_line(0) && token.kind.starts_statement() {
                return None;
            }
            self.bump();
            return Some((self.name(token), false));
        }
        let token = match self.eat(TokenKind::Blank) {
            Some(blank) => blank,
            None if token.kind == TokenKind::Int => {
                let message = format!("expected a name, got {} instead", self.found());
                let help = "a name begins with a letter or '_'";
                self.report(Diagnostic::new(Code::E2002, token.span, message).help(help));
                return None;
            }
            None => self.expect(TokenKind::Ident)?,
        };
        let name = self.name(token);
        self.declare(&name, kind);
        Some((name, true))
    }

    /// Everything after the first name.
    fn variable(&mut self, (keyword, constant): (Span, bool), first: Name) -> Option<StmtKind> {
        let blank = first.is_blank();
        let without_type =
            format!("a variable needs a type or a value: temp {0} int, or temp {0} = 0", first.text);
        let mut names = vec![(first, None)];
        let value = match self.kind() {
            TokenKind::Assign => {
                self.bump();
                Some(self.expression()?)
            }
            TokenKind::Comma => {
                self.more_names(&mut names)?;
                self.expect(TokenKind::Assign)?;
                Some(self.expression()?)
            }
            _ => {
                if matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightBrace) {
                    let message = format!("expected type, got {}", self.found());
                    self.report(Diagnostic::new(Code::E2024, self.tok().span, message).help(without_type));
                    return None;
                }
                let ty = self.type_expr("type")?;
                if let Some(first) = names.first_mut() {
                    first.1 = Some(ty);
                }
                if self.at(TokenKind::Comma) && (!constant || blank) {
                    self.more_typed_names(&mut names)?;
                    self.expect(TokenKind::Assign)?;
                    Some(self.expression()?)
                } else {
                    self.typed_value(constant, &names)?
                }
            }
        };
        if names.len() > 1 && self.at(TokenKind::Comma) {
            let help = "several variables store the results of one call; otherwise declare each separately";
            self.report(Diagnostic::new(Code::E2001, self.tok().span, "unexpected token ','").help(help));
            return None;
        }
        Some(StmtKind::Var(VarDecl { keyword, constant, names, value }))
    }

    /// The value of a declaration with one typed name, which a variable need not have.
    fn typed_value(
        &mut self,
        constant: bool,
        names: &[(Name, Option<TypeExpr>)],
    ) -> Option<Option<crate::syntax::ast::Expr>> {
        if let Some(sign) = self.eat(TokenKind::Assign) {
            if matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
                self.error(Code::E2003, sign.span, "expected expression after '='");
                return None;
            }
            return Some(Some(self.expression()?));
        }
        if constant {
            let name = names.first().map_or("", |(name, _)| &name.text);
            let message = format!("const '{name}' must be initialized with a value");
            let report = Diagnostic::new(Code::E2011, self.prev_span(), message);
            self.report(report.maybe_help(self.untyped_help()));
            return None;
        }
        Some(None)
    }

    /// `, b, c` without types.
    fn more_names(&mut self, names: &mut Vec<(Name, Option<TypeExpr>)>) -> Option<()> {
        while self.eat(TokenKind::Comma).is_some() {
            let token = self.tok();
            let usable = matches!(token.kind, TokenKind::Ident | TokenKind::Blank);
            if !usable && !token.kind.is_keyword() {
                let message = format!("expected identifier or _ (blank identifier), got {}", self.found());
                self.error(Code::E2029, token.span, message);
                return None;
            }
            names.push((self.variable_name(Declared::Variable)?.0, None));
        }
        Some(())
    }

    /// `, b T, c U`.
    fn more_typed_names(&mut self, names: &mut Vec<(Name, Option<TypeExpr>)>) -> Option<()> {
        while self.eat(TokenKind::Comma).is_some() {
            let token = self.tok();
            if !matches!(token.kind, TokenKind::Ident | TokenKind::Blank) {
                let message = format!("expected identifier or _, got {}", self.found());
                self.error(Code::E2029, token.span, message);
                if !self.begins_line(0) {
                    self.bump();
                }
                return None;
            }
            let (name, _) = self.variable_name(Declared::Variable)?;
            let ty = self.type_expr("type")?;
            names.push((name, Some(ty)));
        }
        Some(())
    }
}

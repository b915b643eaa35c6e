//! Functions: headers with parameters and results.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Declared, Parser, Wanted, reserved};
use crate::syntax::ast::{
    Attributes, FuncDecl, Name, ParamDecl, ResultDecl, StmtKind, TypeExpr, TypeExprKind,
};
use crate::syntax::token::{self, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic};

type FunctionHeader = (Vec<ParamDecl>, Vec<ResultDecl>);

impl Parser<'_> {
    /// `do f(…) -> … { … }`
    pub(super) fn function(&mut self, attrs: &Attributes) -> Option<StmtKind> {
        let keyword = self.bump().span;
        if self.in_function {
            let message = "function declarations are not allowed inside functions";
            let help = match self.kind() {
                TokenKind::LeftBrace => super::hints::DO_LOOP,
                _ => "functions are declared beside 'main', at file level",
            };
            self.report(Diagnostic::new(Code::E2019, keyword, message).help(help));
            if self.at(TokenKind::LeftBrace) {
                self.loop_of_other_languages();
                return None;
            }
        }
        let name = self.function_name();
        let header = if name.is_some() { self.header() } else { None };
        let outer = (self.in_function, self.suppress_unreachable);
        self.in_function = true;
        self.suppress_unreachable = attrs.suppress.iter().any(|code| matches!(&*code.text, "W2001" | "ALL"));
        let body = if header.is_some() { self.body() } else { self.body_after_error() };
        (self.in_function, self.suppress_unreachable) = outer;
        let (params, results) = header?;
        let decl = FuncDecl { keyword, name: name?, params, results, body: body? };
        Some(StmtKind::Func(Rc::new(decl)))
    }

    /// At the block of `do { … } while (…)`.
    fn loop_of_other_languages(&mut self) {
        self.block();
        if self.tok().text == "while" {
            while !self.begins_line(1) && !self.at(TokenKind::Eof) {
                self.bump();
            }
            self.bump();
        }
    }

    fn function_name(&mut self) -> Option<Name> {
        self.wants(Wanted::New);
        let token = self.tok();
        if token.kind.is_keyword() || (token.kind == TokenKind::Ident && token::is_reserved(token.text)) {
            self.error(Code::E2021, token.span, reserved(token.text, "a function name"));
            self.bump();
            return Some(self.name(token));
        }
        let token = self.expect(TokenKind::Ident)?;
        let name = self.name(token);
        self.declare(&name, Declared::Function);
        Some(name)
    }

    fn header(&mut self) -> Option<FunctionHeader> {
        self.expect(TokenKind::LeftParen)?;
        let params = self.params()?;
        self.expect(TokenKind::RightParen)?;
        let results = if self.at(TokenKind::Arrow) { self.results(&params)? } else { Vec::new() };
        Some((params, results))
    }

    fn params(&mut self) -> Option<Vec<ParamDecl>> {
        let mut params = Vec::new();
        let mut defaulted = false;
        if self.at(TokenKind::RightParen) {
            return Some(params);
        }
        loop {
            self.param_group(&mut params, &mut defaulted)?;
            if self.at(TokenKind::RightParen) {
                break;
            }
            if self.eat(TokenKind::Comma).is_none() {
                let message = format!("expected ',' or ')', got {}", self.found());
                self.error(Code::E2002, self.tok().span, message);
                return None;
            }
        }
        let mut seen = HashSet::new();
        for param in &params {
            if !seen.insert(&param.name.text) {
                let message = format!("duplicate parameter name '{}'", param.name.text);
                self.error(Code::E2012, param.name.span, message);
            }
        }
        Some(params)
    }

    /// Parameters that share a type: `a, &b int = 1`; the default belongs to the last.
    fn param_group(&mut self, params: &mut Vec<ParamDecl>, defaulted: &mut bool) -> Option<()> {
        let mut names = Vec::new();
        loop {
            let by_ref = self.eat(TokenKind::Amp).is_some();
            names.push((self.param_name()?, by_ref));
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        let last = names.last().map(|(name, _)| name.clone())?;
        let ty = self.param_type(&last, "parameter")?;
        let mut default = None;
        let has_default = self.eat(TokenKind::Assign).is_some();
        // Of several names before one type, only the last has the default.
        let required = if has_default { names.len() - 1 } else { names.len() };
        if let (true, Some((name, _))) = (*defaulted, names.iter().take(required).next()) {
            let message =
                format!("required parameter '{}' cannot follow a parameter with a default value", name.text);
            self.error(Code::E2039, name.span, message);
        }
        if has_default {
            *defaulted = true;
            if let Some((name, _)) = names.iter().find(|(_, by_ref)| *by_ref) {
                let message = format!("mutable parameter '{}' cannot have a default value", name.text);
                self.error(Code::E2040, name.span, message);
            }
            default = Some(self.expression()?);
        }
        let count = names.len();
        for (index, (name, by_ref)) in names.into_iter().enumerate() {
            let default = if index + 1 == count { default.take() } else { None };
            params.push(ParamDecl { name, by_ref, ty: ty.clone(), default });
        }
        Some(())
    }

    fn param_name(&mut self) -> Option<Name> {
        self.wants(Wanted::New);
        let token = self.tok();
        let ident = token.kind == TokenKind::Ident;
        if token.kind.is_keyword() || (ident && token::is_reserved(token.text)) {
            let next = self.nth(1);
            let help = (token::is_primitive(token.text)
                && next.kind == TokenKind::Ident
                && !token::is_primitive(next.text))
            .then(|| format!("the type follows the name: {} {}", next.text, token.text));
            let message = reserved(token.text, "a parameter name");
            self.report(Diagnostic::new(Code::E2033, token.span, message).maybe_help(help));
            return None;
        }
        if !ident {
            let message = format!("expected parameter name, got {}", self.found());
            self.error(Code::E2002, token.span, message);
            return None;
        }
        self.bump();
        Some(self.name(token))
    }

    /// The type after a group of names of which `last` is the last.
    fn param_type(&mut self, last: &Name, what: &str) -> Option<TypeExpr> {
        match self.kind() {
            TokenKind::Ident | TokenKind::LeftBracket => self.type_expr("type"),
            TokenKind::RightParen => {
                let message = format!("{what} '{}' is missing a type", last.text);
                self.error(Code::E2014, last.span, message);
                None
            }
            _ => {
                let message = format!("expected ',', type, or ')' after {what} name, got {}", self.found());
                self.error(Code::E2002, self.tok().span, message);
                None
            }
        }
    }

    /// `-> …`
    fn results(&mut self, params: &[ParamDecl]) -> Option<Vec<ResultDecl>> {
        let arrow = self.bump().span;
        match self.kind() {
            TokenKind::LeftParen => {
                self.bump();
                if self.eat(TokenKind::RightParen).is_some() {
                    return Some(Vec::new());
                }
                if self.results_are_named() { self.named_results(params) } else { self.unnamed_results() }
            }
            TokenKind::Ident | TokenKind::LeftBracket | TokenKind::Nil => {
                Some(vec![ResultDecl { name: None, ty: self.result_type()? }])
            }
            kind => {
                let mut message = "expected return type after '->'".to_string();
                if kind != TokenKind::LeftBrace {
                    message.push_str(&format!(", got {} instead", self.found()));
                }
                self.error(Code::E2015, arrow, message);
                None
            }
        }
    }

    /// A type, or `nil` for nothing.
    fn result_type(&mut self) -> Option<TypeExpr> {
        match self.eat(TokenKind::Nil) {
            Some(nil) => Some(TypeExpr { span: nil.span, kind: TypeExprKind::Named("nil".into()) }),
            None => self.type_expr("type"),
        }
    }

    /// After the `(`: whether names stand before the types.
    fn results_are_named(&self) -> bool {
        let (first, second) = (self.nth(0), self.nth(1));
        if first.kind != TokenKind::Ident {
            return false;
        }
        match second.kind {
            TokenKind::Ident => true,
            TokenKind::LeftBracket => first.text != "map",
            TokenKind::Comma => !token::is_primitive(first.text) && self.some_result_is_named(),
            _ => false,
        }
    }

    /// Whether two names, or a name and a `[`, follow each other somewhere in the list.
    fn some_result_is_named(&self) -> bool {
        let mut depth = 0usize;
        for ahead in 0.. {
            let (token, next) = (self.nth(ahead), self.nth(ahead + 1));
            match token.kind {
                TokenKind::LeftBracket => depth += 1,
                TokenKind::RightBracket => depth = depth.saturating_sub(1),
                TokenKind::Ident if depth == 0 => match next.kind {
                    TokenKind::Ident => return true,
                    TokenKind::LeftBracket if token.text != "map" => return true,
                    _ => {}
                },
                TokenKind::RightParen | TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Eof => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    fn unnamed_results(&mut self) -> Option<Vec<ResultDecl>> {
        let mut results = Vec::new();
        loop {
            let token = self.tok();
            if !matches!(token.kind, TokenKind::Ident | TokenKind::LeftBracket | TokenKind::Nil) {
                let message = format!("expected type name in return types, got {}", self.found());
                self.error(Code::E2002, token.span, message);
                return None;
            }
            results.push(ResultDecl { name: None, ty: self.result_type()? });
            if self.end_of_result("expected ',' or ')' in return types")? {
                return Some(results);
            }
        }
    }

    /// A comma between results or the `)` after them; whether that was the end.
    fn end_of_result(&mut self, expected: &str) -> Option<bool> {
        if self.eat(TokenKind::RightParen).is_some() {
            return Some(true);
        }
        if self.eat(TokenKind::Comma).is_none() {
            let message = format!("{expected}, got {}", self.found());
            self.error(Code::E2002, self.tok().span, message);
            return None;
        }
        Some(self.eat(TokenKind::RightParen).is_some())
    }

    fn named_results(&mut self, params: &[ParamDecl]) -> Option<Vec<ResultDecl>> {
        let mut results: Vec<ResultDecl> = Vec::new();
        loop {
            let mut names = Vec::new();
            loop {
                names.push(self.result_name()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
            let last = names.last().cloned()?;
            let ty = self.param_type(&last, "return parameter")?;
            results.extend(names.into_iter().map(|name| ResultDecl { name: Some(name), ty: ty.clone() }));
            if self.end_of_result("expected ',' or ')'")? {
                break;
            }
        }
        self.check_result_names(params, &results);
        Some(results)
    }

    fn result_name(&mut self) -> Option<Name> {
        self.wants(Wanted::New);
        let token = self.tok();
        if token.kind != TokenKind::Ident {
            let message = format!("expected return parameter name, got {}", self.found());
            self.error(Code::E2002, token.span, message);
            return None;
        }
        if token::is_reserved(token.text) {
            self.error(Code::E2033, token.span, reserved(token.text, "a return parameter name"));
            return None;
        }
        self.bump();
        Some(self.name(token))
    }

    fn check_result_names(&mut self, params: &[ParamDecl], results: &[ResultDecl]) {
        let mut seen = HashSet::new();
        for name in results.iter().filter_map(|result| result.name.as_ref()) {
            if !seen.insert(&name.text) {
                let message = format!("duplicate return parameter name '{}'", name.text);
                self.error(Code::E2012, name.span, message);
            } else if params.iter().any(|param| param.name.text == name.text) {
                let message = format!(
                    "return parameter '{}' conflicts with input parameter of the same name",
                    name.text
                );
                self.error(Code::E2012, name.span, message);
            }
        }
    }
}

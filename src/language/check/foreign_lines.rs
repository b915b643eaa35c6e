//! Lines in the syntax of other languages that are statements of EZ one by one, such as `let x = 1` and
//! `int x = 1`: one report a line.

use crate::syntax::ast;
use crate::syntax::foreign::Declares;
use crate::syntax::{foreign, token};
use ez_runtime::diagnostics::{Code, Fix, Help};
use ez_runtime::program::LocalKind;
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;

impl Checker<'_> {
    /// Reports `int x`, the beginning of `int x = …`, and of `let x = 1`; returns the place of the first word. `None` if
    /// the statements, which follow each other, are nothing of this.
    pub fn foreign_declaration(&mut self, stmt: &ast::Stmt, next: &ast::Stmt) -> Option<Span> {
        if let Some((word, name)) = self.type_before_name(stmt, next) {
            self.report_type_before_name(&word, &name, next);
            return Some(word.span);
        }
        let (word, help) = self.declaring_word(stmt, next)?;
        let message = format!("undefined variable '{}'", word.text);
        self.report_help(Code::E4001, word.span, message, Some(help));
        Some(word.span)
    }

    /// The type and the name, if the statements are `int x` or the beginning of `int x = …` on one line.
    fn type_before_name(&self, stmt: &ast::Stmt, next: &ast::Stmt) -> Option<(ast::Name, ast::Name)> {
        let ast::StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Name(word), span, .. }) = &stmt.kind else {
            return None;
        };
        let is_type = token::is_primitive(word)
            || foreign::type_name(word).is_some()
            || self.module().is_some_and(|module| module.types.contains_key(word));
        let target = variable_of(next)?;
        (is_type && self.frame.lookup(word).is_none() && self.same_line(*span, next.span))
            .then(|| (ast::Name { text: word.clone(), span: *span }, target))
    }

    /// The first word of `let x = 1`, `val x = 1` and `set x to 1`, with how EZ writes the line.
    fn declaring_word(&self, stmt: &ast::Stmt, next: &ast::Stmt) -> Option<(ast::Name, Help)> {
        let ast::StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Name(word), span, .. }) = &stmt.kind else {
            return None;
        };
        if self.frame.lookup(word).is_some() || !self.same_line(*span, next.span) {
            return None;
        }
        let name = variable_of(next)?;
        let (help, word_of_ez) = match foreign::declares(word)? {
            Declares::Variable => ("in EZ a variable begins with 'temp': temp", Some("temp")),
            Declares::Constant => ("in EZ a constant begins with 'const': const", Some("const")),
            Declares::Nothing => ("a value is stored with '=':", None),
        };
        let help = Help::from(format!("{help} {} = ...", name.text));
        let word_of_ez = word_of_ez.filter(|_| is_assigned(next) && self.is_declaration(*span, &name, next));
        let help = word_of_ez.map_or(help.clone(), |word_of_ez| help.surely(word_of_ez));
        Some((ast::Name { text: word.clone(), span: *span }, help))
    }

    /// Whether nothing but a declaration can be meant by a line: it begins with the word, then comes a name that a variable
    /// can have, then `=`, or nothing.
    fn is_declaration(&self, word: Span, name: &ast::Name, next: &ast::Stmt) -> bool {
        let Some(file) = self.sources.get(word.file) else { return false };
        let line = file.line(word.start);
        let before = file.slice(Span { start: file.line_start(line), end: word.start, ..word }).trim_end();
        let whole = Span { start: name.span.end, end: file.line_start(line + 1), ..word };
        let behind = file.slice(whole).trim();
        let is_alone = behind.is_empty() || behind.starts_with('}') || behind.starts_with("//");
        (before.is_empty() || before.ends_with(['{', '}']))
            && !token::is_reserved(&name.text)
            && (is_assigned(next) || is_alone)
    }

    fn report_type_before_name(&mut self, word: &ast::Name, name: &ast::Name, next: &ast::Stmt) {
        let ty = foreign::type_name(&word.text).unwrap_or(&word.text);
        let fix = Fix::certain(word.span.to(name.span), format!("temp {} {ty}", name.text));
        let is_declaration = self.is_declaration(word.span, name, next);
        let name = &name.text;
        let help = if is_element(next) {
            Help::from(format!("the type of an array follows its name: temp {name} [{ty}] = {{...}}"))
        } else {
            let help = Help::from(format!("the type follows the name: temp {name} {ty} = ..."));
            if is_declaration { help.fix(fix) } else { help }
        };
        if token::is_primitive(&word.text) {
            let message = format!("type '{}' cannot be used as a value", word.text);
            self.report_help(Code::E3030, word.span, message, Some(help));
        } else {
            let message = format!("undefined variable '{}'", word.text);
            self.report_help(Code::E4001, word.span, message, Some(help));
        }
    }

    /// The place of what may be an unknown word that the statement consists of, or begins with, or that of a
    /// declaration that goes on with one.
    pub fn foreign_word(&self, stmt: &ast::Stmt, next: Option<&ast::Stmt>) -> Option<Span> {
        if let ast::StmtKind::Expr(e) = &stmt.kind {
            return leading_name(e);
        }
        // `temp n unsigned int = 3`
        let ast::StmtKind::Var(_) = &stmt.kind else { return None };
        let name = variable_of(next?)?.text;
        (!self.is_variable(&name)).then_some(stmt.span)
    }

    /// Declares the variable that an unchecked statement assigns to or consists of (`let x = 1`).
    pub fn declare_unchecked(&mut self, stmt: &ast::Stmt) {
        let Some(name) = variable_of(stmt) else { return };
        if self.frame.lookup(&name.text).is_none() {
            let local = self.frame.declare(&name, Type::Any, LocalKind::Variable, false);
            self.frame.failed_declarations.insert(local);
        }
    }
}

/// The place of what may be an unknown word: a name, or that of a function with the name of a construct of
/// another language.
fn leading_name(e: &ast::Expr) -> Option<Span> {
    if let ast::ExprKind::Call { callee, .. } = &e.kind {
        return foreign::translation(callee.name()?).map(|_| callee.span);
    }
    e.name().map(|_| e.span)
}

/// Whether a statement gives a variable a value: `x = 1`.
fn is_assigned(stmt: &ast::Stmt) -> bool {
    matches!(&stmt.kind, ast::StmtKind::Assign(it) if it.op.is_none() && it.target.name().is_some())
}

/// Whether a statement consists of an element: `a[5]`.
fn is_element(stmt: &ast::Stmt) -> bool {
    matches!(&stmt.kind, ast::StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Index(..), .. }))
}

/// The variable that a statement assigns to or consists of: `x`, `x = 1`, `x[2]`.
fn variable_of(stmt: &ast::Stmt) -> Option<ast::Name> {
    let (ast::StmtKind::Assign(ast::Assign { target: e, .. }) | ast::StmtKind::Expr(e)) = &stmt.kind else {
        return None;
    };
    let variable = if let ast::ExprKind::Index(array, _) = &e.kind { array } else { e };
    Some(ast::Name { text: variable.name()?.clone(), span: variable.span })
}

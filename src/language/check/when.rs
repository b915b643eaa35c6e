//! `when` (docs/language/statements.md#when).

use std::collections::HashSet;
use std::rc::Rc;

use crate::syntax::ast::{self, When};
use crate::syntax::token::is_primitive;
use ez_runtime::diagnostics::{Code, Diagnostic, Fix};
use ez_runtime::program::{Case, Expr, ExprKind, Stmt, StmtKind, WhenArm};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::{Checker, has_failed};
use super::literals::literal_text;
use super::types::TypeLookup;

impl Checker<'_> {
    pub fn when(&mut self, s: &ast::Stmt, when: &When) -> Stmt {
        let body = when.cases.first().map(|c| c.keyword).or(when.default.as_ref().map(|d| d.span));
        let head = self.head(when.keyword, body.unwrap_or(s.span));
        let head = trim_brace(self, head);
        let id = self.new_stmt(head, true);
        let subject = self.when_subject(&when.subject);
        let accepted = !has_failed(&subject) && self.check_subject(&subject.ty, when.keyword);
        let members = match &subject.ty {
            Type::Enum(_) => self.members_of(&subject.ty),
            _ => Vec::new(),
        };
        let strict = s.attrs.strict.is_some() && accepted;
        if strict && !subject.ty.is_any() && !matches!(subject.ty, Type::Enum(_)) {
            let message = "#strict attribute only allowed on enum when statements";
            self.report(Code::E2045, when.keyword, message);
        }
        let strict = strict && matches!(subject.ty, Type::Enum(_));
        let mut covered: HashSet<Rc<str>> = HashSet::new();
        let blocks = |checker: &mut Self| {
            let (mut seen, mut arms, mut fine) = (HashSet::new(), Vec::new(), true);
            for case in &when.cases {
                let mut cases = Vec::new();
                for value in &case.values {
                    let (case, is_good) = if strict {
                        let (case, member) = checker.strict_case(value, &subject.ty, &members, &mut seen);
                        covered.extend(member);
                        (case, true)
                    } else {
                        checker.case(value, &subject.ty, &mut seen)
                    };
                    fine &= is_good;
                    cases.push(case);
                }
                arms.push(WhenArm { cases, body: checker.block(&case.body, &[]) });
            }
            let default = when.default.as_ref().map(|block| checker.block(block, &[]));
            if fine {
                checker.reject_void(&subject);
            }
            (arms, default)
        };
        // If the value cannot be used in a `when`, errors in the cases are follow-ups.
        let (arms, default) = self.tentatively(blocks, |_| accepted);
        if strict {
            self.missing_cases(&members, &covered, when, &subject.ty);
        }
        Stmt { id, at: when.keyword, kind: StmtKind::When { subject, arms, default } }
    }

    fn when_subject(&mut self, subject: &ast::Expr) -> Expr {
        if let ast::ExprKind::Name(name) = &subject.kind
            && self.frame.lookup(name).is_none()
            && (is_primitive(name) && self.is_only_builtin(name)
                || matches!(self.lookup_type(name), TypeLookup::Found(Type::Struct(_) | Type::Enum(_), _)))
        {
            let message = format!("when condition must be a value, not a type name '{name}'");
            self.report(Code::E2047, subject.at, message);
            return self.error_expr(subject.at);
        }
        self.expr(subject, None)
    }

    /// E2048–E2050
    fn check_subject(&mut self, ty: &Type, at: Span) -> bool {
        let (code, message) = match ty {
            Type::Bool => {
                (Code::E2048, "when condition cannot be a boolean; use if/or/otherwise instead".to_string())
            }
            Type::Nil => {
                (Code::E2049, "when condition cannot be nil; use if/otherwise to check for nil".to_string())
            }
            Type::Array(..) | Type::Map(..) | Type::Range => {
                (Code::E2050, format!("when condition cannot be an array or map (got {ty})"))
            }
            _ => return true,
        };
        self.report(code, at, message);
        false
    }

    /// A case, and whether nothing was reported about it.
    fn case(&mut self, value: &ast::Expr, subject: &Type, seen: &mut HashSet<String>) -> (Case, bool) {
        if let ast::ExprKind::Range(_) = &value.kind {
            return (Case::Range(self.expr(value, None)), true);
        }
        let duplicate = case_text(value).filter(|text| !seen.insert(text.clone()));
        if let Some(text) = &duplicate {
            self.report(Code::E2043, value.at, format!("duplicate case value: {text}"));
        }
        let lowered = self.expr(value, None);
        let got = &lowered.ty;
        let fits = got == subject
            || got.is_any()
            || subject.is_any()
            || (*got == Type::INT && matches!(subject, Type::Enum(_)))
            || matches!(got, Type::Enum(def) if def.base_type() == *subject);
        if !fits {
            let message = format!("case value type {got} does not match when value type {subject}");
            self.report(Code::E3001, value.at, message);
        }
        let is_good = fits && duplicate.is_none() && !has_failed(&lowered);
        (Case::Equal(lowered), is_good)
    }

    /// A case of a `#strict when`, and the member of the enum that it names.
    fn strict_case(
        &mut self,
        value: &ast::Expr,
        subject: &Type,
        members: &[Rc<str>],
        seen: &mut HashSet<String>,
    ) -> (Case, Option<Rc<str>>) {
        let of_builtin = matches!(&value.kind, ast::ExprKind::Member(owner, _)
            if matches!(&owner.kind, ast::ExprKind::Name(name) if self.is_only_builtin(name)));
        let (case, is_good) = if of_builtin {
            (Case::Equal(self.error_expr(value.at)), true)
        } else {
            self.case(value, subject, seen)
        };
        let member = strict_member(value, &case, subject, members);
        let number = member.as_ref().and_then(|member| members.iter().position(|one| one == member));
        if let (Some(number), ast::ExprKind::Name(_)) = (number, &value.kind) {
            self.refers_to_part(value.at, subject, number);
        }
        if member.is_none() && is_good {
            let message = "#strict when requires explicit enum member values, got non-enum expression";
            self.report(Code::E2054, value.at, message);
        }
        (case, member)
    }

    /// E2046
    fn missing_cases(&mut self, members: &[Rc<str>], covered: &HashSet<Rc<str>>, when: &When, ty: &Type) {
        let mut missing: Vec<&str> = members.iter().filter(|m| !covered.contains(*m)).map(|m| &**m).collect();
        if missing.is_empty() {
            return;
        }
        let fix = self.cases_fix(&missing, when, ty);
        missing.sort_unstable();
        let message = format!("#strict when statement missing enum cases: {}", missing.join(", "));
        self.diags.push(Diagnostic::new(Code::E2046, when.keyword, message).fixed_by(fix));
    }

    /// Adds empty cases for members of an enum behind the last one.
    fn cases_fix(&self, missing: &[&str], when: &When, ty: &Type) -> Option<Fix> {
        let file = self.file_sym()?.id;
        let (last, name) = (when.cases.last()?, self.syms.written_type(file, ty)?);
        let source = self.sources.get(file)?;
        let line = source.line_text(source.line(last.keyword.start))?;
        let indentation = line.split_once("is").map_or("", |(before, _)| before);
        // Behind other words in a line they go on in it.
        let between = if indentation.trim().is_empty() { format!("\n{indentation}") } else { " ".into() };
        let cases: String =
            missing.iter().map(|member| format!("{between}is {name}.{member} {{ }}")).collect();
        Some(Fix::guess(last.body.span.tail(0), cases))
    }

    /// Names of an enum's members, wherever it is declared.
    fn members_of(&self, ty: &Type) -> Vec<Rc<str>> {
        let types = self.syms.modules.iter().flat_map(|m| m.types.values());
        types.filter(|sym| sym.ty == *ty).map(|sym| sym.members.clone()).next().unwrap_or_default()
    }
}

/// The member of the subject's enum that a case of a `#strict when` names, with or without the enum's name.
fn strict_member(value: &ast::Expr, case: &Case, subject: &Type, members: &[Rc<str>]) -> Option<Rc<str>> {
    match (&value.kind, case) {
        (ast::ExprKind::Name(name), _) if members.contains(name) => Some(name.clone()),
        (_, Case::Equal(Expr { kind: ExprKind::EnumMember(_, index), ty, .. })) if ty == subject => {
            members.get(*index as usize).cloned()
        }
        _ => None,
    }
}

/// A head without the `{` that ends it.
fn trim_brace(checker: &Checker, head: Span) -> Span {
    let Some(file) = checker.sources.get(head.file) else { return head };
    let text = file.slice(head);
    let text = text.strip_suffix('{').unwrap_or(text).trim_end();
    Span { end: head.start + text.len() as u32, ..head }
}

/// How E2043 shows a case; `None` for forms that are never compared.
fn case_text(value: &ast::Expr) -> Option<String> {
    if let ast::ExprKind::Member(object, name) = &value.kind {
        return Some(format!("{}.{}", object.name()?, name.text));
    }
    let is_float_or_bool = matches!(value.kind, ast::ExprKind::Float(_) | ast::ExprKind::Bool(_));
    let literal = literal_text(value).filter(|_| !is_float_or_bool);
    literal.or_else(|| value.name().map(|name| name.to_string()))
}

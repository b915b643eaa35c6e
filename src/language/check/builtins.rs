//! Calls of the core builtins (docs/language/builtins.md).

use std::rc::Rc;

use crate::syntax::ast;
use crate::syntax::token::is_primitive;
use ez_runtime::diagnostics::Code;
use ez_runtime::program::{Builtin, Expr, ExprKind};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, builtin};

use super::checker::{Checker, raise, raise_help};

/// The functions that exist without an import, besides the conversions named like types.
const FUNCTIONS: &[&str] =
    &["len", "typeof", "input", "read_int", "copy", "error", "ref", "exit", "panic", "assert"];
/// The constants that exist without an import.
const CONSTANTS: &[&str] = &["EXIT_SUCCESS", "EXIT_FAILURE"];
/// Names that the check accepts like builtins; they are syntax, or errors when they are called.
const OTHERS: &[&str] = &["new", "range", "append"];

/// Names that are known as values or functions without import.
pub fn is_builtin(name: &str) -> bool {
    runs(name) || name == "bool" || CONSTANTS.contains(&name) || OTHERS.contains(&name)
}

/// Whether a name is one of a type or function that exists without import, and so of no value.
pub fn is_type_or_function(name: &str) -> bool {
    runs(name) || is_primitive(name) || OTHERS.contains(&name)
}

/// Builtin functions that exist when the program runs.
pub fn runs(name: &str) -> bool {
    let conversion = !matches!(name, "uint" | "bool") && Type::primitive(name).is_some();
    conversion || FUNCTIONS.contains(&name)
}

/// The names of the builtin functions and constants, without the conversions named like types.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().chain(CONSTANTS).copied()
}

impl Checker<'_> {
    /// A call of a core builtin, whose name is at `name_at`.
    pub fn builtin_call(&mut self, name: &str, args: &[ast::Expr], name_at: Span, at: Span) -> Expr {
        if name == "ref" {
            return self.ref_call(args, name_at, at);
        }
        let values: Vec<Expr> = args.iter().map(|a| self.expr(a, None)).collect();
        if !self.builtin_count(name, args.len(), name_at) {
            return self.error_expr(at);
        }
        let mut failed = Vec::new();
        if let Some((arg, value)) = args.first().zip(values.first()) {
            let is_good = match name {
                "len" => self.check_len(arg, value),
                "typeof" => self.check_typeof(arg, value),
                _ => true,
            };
            failed.extend((!is_good).then_some(0));
            if matches!(name, "int" | "float") {
                self.check_conversion(name, arg, value);
            }
        }
        let values = self.without_void(values, &failed);
        if let Some(ty) = Type::primitive(name) {
            let Some(value) = values.into_iter().next() else { return self.error_expr(at) };
            let kind = ExprKind::Convert { value: Box::new(value), counted: true };
            return Expr { ty, at, kind };
        }
        let (which, ty) = match name {
            "len" => (Builtin::Len, Type::INT),
            "typeof" => (Builtin::Typeof, Type::Str),
            "input" => (Builtin::Input, Type::Str),
            "read_int" => (Builtin::ReadInt, Type::tuple([Type::INT, builtin::error_type()])),
            "copy" => (Builtin::Copy, values.first().map_or(Type::Any, |v| v.ty.clone())),
            "error" => (Builtin::Error, builtin::error_type()),
            "exit" => (Builtin::Exit, Type::Void),
            "panic" => (Builtin::Panic, Type::Void),
            _ => (Builtin::Assert, Type::Void),
        };
        Expr { ty, at, kind: ExprKind::Builtin { which, args: values } }
    }

    /// Reports E5008; false if it did. The arguments of `exit`, `panic` and `assert` are counted at run
    /// time.
    fn builtin_count(&mut self, name: &str, got: usize, at: Span) -> bool {
        let message = match name {
            "exit" | "panic" | "assert" => return true,
            "append" if got < 2 => format!("append() requires at least 2 arguments, got {got}"),
            "input" | "read_int" if got > 0 => {
                let message = format!("{name}() takes 0 arguments, got {got}");
                let help = format!("print the question first: print(\"...\"), then call {name}()");
                self.report_help(Code::E5008, at, message, Some(help));
                return false;
            }
            "append" | "input" | "read_int" => return true,
            _ if got != 1 => format!("{name}() requires exactly 1 argument, got {got}"),
            _ => return true,
        };
        self.report(Code::E5008, at, message);
        false
    }

    /// E3001; false if it was reported.
    fn check_len(&mut self, arg: &ast::Expr, value: &Expr) -> bool {
        let countable = value.ty.is_any()
            || matches!(value.ty, Type::Str | Type::Array(..) | Type::Map(..) | Type::Range);
        if !countable {
            let message = format!("len() argument must be string, array, or map, got {}", value.ty);
            self.report(Code::E3001, arg.at, message);
        }
        countable
    }

    /// E3038; false if it was reported.
    fn check_typeof(&mut self, arg: &ast::Expr, value: &Expr) -> bool {
        let is_value = value.ty != Type::Void;
        if !is_value {
            self.report(Code::E3038, arg.at, "cannot use void function result as argument to typeof()");
        }
        is_value
    }

    /// E3005, E3006: only string literals that are numbers can be converted.
    fn check_conversion(&mut self, name: &str, arg: &ast::Expr, value: &Expr) {
        let is_number = matches!(&arg.kind, ast::ExprKind::Str(text) if looks_numeric(text));
        if value.ty != Type::Str || is_number {
            return;
        }
        let code = if name == "int" { Code::E3005 } else { Code::E3006 };
        let message =
            format!("cannot convert string to {name} before the program runs (the text may not be a number)");
        let help = self.short_text(arg).map(|text| {
            format!("cast({text}, {name}) converts it when the program runs; text that is not a number ends the program")
        });
        self.report_help(code, arg.at, message, help);
    }

    fn ref_call(&mut self, args: &[ast::Expr], name_at: Span, at: Span) -> Expr {
        if !self.builtin_count("ref", args.len(), name_at) {
            return self.error_expr(at);
        }
        let Some(arg) = args.first() else { return self.error_expr(at) };
        if matches!(arg.kind, ast::ExprKind::Name(_))
            && let Some(target) = self.target(arg, true)
        {
            self.refer_to(&target);
            return Expr { ty: target.ty.clone(), at, kind: ExprKind::RefTo(target) };
        }
        let value = self.expr(arg, None);
        let value = self.no_void(value);
        if matches!(value.kind, ExprKind::Raise(_)) {
            return value;
        }
        let ty = value.ty;
        Expr { ty, ..raise(Code::E7003, at, "ref() argument must be a variable") }
    }

    /// `bool` and `append`: accepted by the check, undefined when the program runs.
    pub fn check_only_builtin(&mut self, name: &Rc<str>, args: &[ast::Expr], name_at: Span) -> Expr {
        for arg in args {
            self.expr(arg, None);
        }
        self.builtin_count(name, args.len(), name_at);
        let help = (&**name == "append").then(|| {
            let texts = args.iter().map(|arg| self.short_text(arg)).collect::<Option<Vec<_>>>();
            let arguments = texts.map_or_else(|| "...".to_string(), |texts| texts.join(", "));
            format!("with 'import @arrays' it is arrays.append({arguments})")
        });
        let failing = raise_help(Code::E4002, name_at, undefined_function(name), help);
        if &**name == "bool" { Expr { ty: Type::Bool, ..failing } } else { failing }
    }
}

/// Message of E4002 at run time.
pub fn undefined_function(name: &str) -> String {
    format!("undefined function: '{name}'")
}

fn looks_numeric(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let fine = body.chars().all(|c| c.is_ascii_digit() || c == '_' || c == '.');
    fine && body.chars().any(|c| c.is_ascii_digit()) && body.matches('.').count() <= 1
}

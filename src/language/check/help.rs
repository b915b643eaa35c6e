//! Help for mistakes about operators, conditions, calls and constants, with the program's own names.

use std::rc::Rc;

use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind};
use ez_runtime::diagnostics::{Fix, Help};
use ez_runtime::program::ArithOp;
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::conversion_help::literal_string;
use super::suggest::nearest;

impl Checker<'_> {
    /// For operands of an arithmetic operator that do not go together.
    pub fn arithmetic_help(
        &self,
        op: ArithOp,
        (a, left): (&Type, &Expr),
        (b, right): (&Type, &Expr),
    ) -> Option<Help> {
        if *b == Type::Void && !self.same_line(right.at, left.at) {
            let line = self.sources.line(right.at);
            let operator = op.as_str();
            let help =
                format!("the expression goes on in line {line}: a value is missing after the '{operator}'");
            return Some(help.into());
        }
        let (text_at, number_at) = match (a, b) {
            (Type::Str, number) if number.is_numeric() => (left, right),
            (number, Type::Str) if number.is_numeric() => (right, left),
            (Type::Str, _) | (_, Type::Str) if op == ArithOp::Add => {
                return Some(
                    "a value becomes text with string(value), or inside a text: \"${value}\"".into(),
                );
            }
            _ => return None,
        };
        let (text, number) = (self.short_text(text_at)?, self.short_text(number_at)?);
        let literal = has_literal(left) || has_literal(right);
        let help = match op {
            ArithOp::Add if literal => {
                format!("a number becomes text with string({number}), or inside a text: \"${{{number}}}\"")
            }
            ArithOp::Add => format!(
                "a number becomes text with string({number}), or inside a text: \"${{{number}}}\"; \
                 to add numbers write cast({text}, int)"
            ),
            ArithOp::Mul => {
                format!("to repeat a text write strings.repeat({text}, {number}), with 'import @strings'")
            }
            ArithOp::Sub | ArithOp::Div | ArithOp::Mod => {
                format!("to compute with the number in a text write cast({text}, int)")
            }
        };
        let fix = match op {
            ArithOp::Add if literal => Some(Fix::guess(number_at.span, format!("string({number})"))),
            ArithOp::Sub | ArithOp::Div | ArithOp::Mod => {
                Some(Fix::guess(text_at.span, format!("cast({text}, int)")))
            }
            // There are two ways to go on.
            ArithOp::Add | ArithOp::Mul => None,
        };
        Some(Help::from(help).fix(fix))
    }

    /// For values of different types that are compared.
    pub fn comparison_help(&self, (a, left): (&Type, &Expr), (b, right): (&Type, &Expr)) -> Option<Help> {
        let (text, ty) = match (a, b) {
            (Type::Str, ty) if ty.is_numeric() => (left, ty),
            (ty, Type::Str) if ty.is_numeric() => (right, ty),
            (Type::Char, Type::Str) => return Some(char_help(right)),
            (Type::Str, Type::Char) => return Some(char_help(left)),
            _ => return None,
        };
        let ty = if matches!(ty, Type::Float(_)) { "float" } else { "int" };
        Some(match literal_string(text).filter(|literal| literal.parse::<f64>().is_ok()) {
            Some(literal) => {
                Help::from(format!("write {literal} without quotes")).fix(Fix::guess(text.span, literal))
            }
            None => {
                let number = format!("cast({}, {ty})", self.short_text(text)?);
                Help::from(format!("a text with a number in it is compared as {number}"))
                    .fix(Fix::guess(text.span, number))
            }
        })
    }

    /// For an operand of `&&` or `||` that is no condition: `s == "x" || "y"`.
    pub fn condition_operand_help(&self, op: BinaryOp, before: &Expr, operand: &Expr) -> Option<Help> {
        let ExprKind::Binary(compared, value, _) = &before.kind else { return None };
        if !matches!(compared, BinaryOp::Eq | BinaryOp::Ne) {
            return None;
        }
        let (value, before) = (self.short_text(value)?, self.short_text(before)?);
        let condition = format!("{value} {} {}", compared.as_str(), self.short_text(operand)?);
        let help = Help::from(format!("both sides are conditions: {before} {} {condition}", op.as_str()));
        Some(help.fix(Fix::guess(operand.span, condition)))
    }

    /// For a value that is used as a condition.
    pub fn truth_help(&self, ty: &Type, value: &Expr) -> Option<Help> {
        let text = self.short_text(value)?;
        let condition = match ty {
            Type::Int(_) | Type::Float(_) | Type::Byte => format!("{text} != 0"),
            Type::Str | Type::Array(..) | Type::Map(..) => format!("len({text}) > 0"),
            _ => return None,
        };
        Some(Help::from(format!("write {condition}")).fix(Fix::guess(value.span, condition)))
    }

    /// For a call with a wrong number of arguments: how the function is declared.
    pub fn parameters_help(&self, shown: &str, decl: &ast::FuncDecl) -> Option<String> {
        if decl.params.is_empty() {
            return Some(format!("'{shown}' takes no arguments: {shown}()"));
        }
        let names: Vec<&str> = decl.params.iter().map(|p| &*p.name.text).collect();
        Some(format!("it is declared with {}: {shown}({})", counted(names.len()), names.join(", ")))
    }

    /// For a call of a struct as if it were a function: `Dog("Rex", 5)`.
    pub fn struct_call_help(&self, name: &str) -> Option<String> {
        let Type::Struct(def) = &self.module()?.types.get(name)?.ty else { return None };
        let fields: Vec<String> = def.fields().iter().map(|field| format!("{}: ...", field.name)).collect();
        Some(format!("a struct is written with its fields: {name}{{{}}}", fields.join(", ")))
    }

    /// For a name that is declared elsewhere in the function: below, or in a block that has ended.
    pub fn declared_elsewhere(&self, name: &str, at: Span) -> Option<String> {
        let local = self.frame.locals.iter().rev().find(|local| &*local.name == name);
        if let Some(local) = local {
            let line = self.line(local.span)?;
            return Some(format!(
                "the '{name}' of line {line} is known only in the block in which it is declared"
            ));
        }
        let func = self.syms.func(self.frame.func)?;
        let later = first_declaration(&func.decl.body, name)?;
        let line = self.line(later).filter(|line| self.line(at).is_some_and(|here| here < *line))?;
        Some(format!("it is declared only in line {line}: a variable is known after its declaration"))
    }

    fn line(&self, at: Span) -> Option<u32> {
        Some(self.sources.get(at.file)?.position(at.start).line)
    }

    /// For a program without `main`.
    pub fn main_help(&self) -> String {
        let names = self.syms.modules.first().map(|module| {
            let mut names: Vec<&Rc<str>> = module.funcs.keys().collect();
            names.sort_unstable();
            names
        });
        match nearest("main", names.unwrap_or_default().into_iter().map(|name| &**name)) {
            Some(near) => format!("a program begins with main(): did you mean 'main' instead of '{near}'?"),
            None if self.syms.files.first().is_some_and(|file| file.has_module_line) => {
                "a file that begins with 'module' is for programs that import it: run the one that has main()"
                    .into()
            }
            None => "a program begins with its function main: do main() { ... }".into(),
        }
    }
}

fn char_help(text: &Expr) -> Help {
    match literal_string(text).filter(|literal| literal.chars().count() == 1) {
        Some(literal) => {
            let help = Help::from(format!("a single character is written with single quotes: '{literal}'"));
            let plain = literal.chars().all(|c| c.is_ascii_alphanumeric());
            if plain { help.fix(Fix::certain(text.span, format!("'{literal}'"))) } else { help }
        }
        None => "a char is one character, a string a text of any length: string(c) makes a text".into(),
    }
}

fn counted(parameters: usize) -> String {
    if parameters == 1 { "one parameter".into() } else { format!("{parameters} parameters") }
}

/// Where a block, but none inside of it, declares a variable.
fn first_declaration(block: &ast::Block, name: &str) -> Option<Span> {
    block.stmts.iter().find_map(|stmt| {
        let ast::StmtKind::Var(decl) = &stmt.kind else { return None };
        decl.names.iter().find(|(declared, _)| &*declared.text == name).map(|(declared, _)| declared.span)
    })
}

/// Whether a text or a sum of texts contains a literal one.
fn has_literal(e: &Expr) -> bool {
    if let ExprKind::Binary(BinaryOp::Add, left, right) = &e.kind {
        return has_literal(left) || has_literal(right);
    }
    matches!(e.kind, ExprKind::Str(_) | ExprKind::Interp(_))
}

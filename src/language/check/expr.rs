//! Expressions: dispatches to the parts of the checker by kind.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::syntax::ast::{self, Name};
use ez_runtime::diagnostics::{Code, Fix, Help};
use ez_runtime::program::{Expr, ExprKind, ExprSpan, InterpPart, Target, TargetKind};
use ez_runtime::source::Span;
use ez_runtime::sync::{NO_ROOM, deeper_or};
use ez_runtime::value::{Type, Value};

use super::checker::{Checker, raise, raise_help};
use super::symbols::ModuleRef;
use super::types::TypeLookup;

impl Checker<'_> {
    /// Checks and lowers an expression. `want` is the expected type, if there is one: literals of arrays
    /// and maps take it.
    pub fn expr(&mut self, e: &ast::Expr, want: Option<&Type>) -> Expr {
        let at = e.at;
        if e.span != at {
            self.expressions.push(ExprSpan { at, whole: e.span });
            // Calls of functions of modules fail at the dot.
            if let ast::ExprKind::Call { callee, .. } = &e.kind
                && let ast::ExprKind::Member(..) = callee.kind
            {
                self.expressions.push(ExprSpan { at: callee.at, whole: e.span });
            }
        }
        deeper_or(|| self.kind(e, want), || raise(Code::E5018, at, NO_ROOM))
    }

    fn kind(&mut self, e: &ast::Expr, want: Option<&Type>) -> Expr {
        let at = e.at;
        match &e.kind {
            ast::ExprKind::Name(name) => self.name_value(name, at),
            ast::ExprKind::Int(i) => constant(Type::INT, at, Value::Int(*i)),
            ast::ExprKind::BigInt(i) => constant(Type::INT, at, Value::integer((**i).clone())),
            ast::ExprKind::Float(x) => constant(Type::FLOAT, at, Value::Float(*x)),
            ast::ExprKind::Str(s) => constant(Type::Str, at, self.text(s)),
            ast::ExprKind::Char(c) => constant(Type::Char, at, Value::Char(*c)),
            ast::ExprKind::Bool(b) => constant(Type::Bool, at, Value::Bool(*b)),
            ast::ExprKind::Nil => constant(Type::Nil, at, Value::Nil),
            ast::ExprKind::Interp(parts) => self.interpolation(parts, at),
            ast::ExprKind::Array(items) => self.array_literal(items, want, at),
            ast::ExprKind::Map(pairs) => self.map_literal(pairs, want, at),
            ast::ExprKind::Struct { module, name, fields } => {
                self.struct_literal(module.as_ref(), name, fields, at)
            }
            ast::ExprKind::New { module, name } => self.new_struct(module.as_ref(), name, at),
            ast::ExprKind::Range(args) => self.range_value(args, at),
            ast::ExprKind::Cast { value, target, array } => self.cast(value, target, *array, at),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, at),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, at),
            ast::ExprKind::Postfix(operand, by) => self.postfix(operand, *by, at),
            ast::ExprKind::Call { callee, args } => self.call(callee, args, at),
            ast::ExprKind::Index(base, index) => self.index(base, index, at),
            ast::ExprKind::Member(object, name) => self.member(object, name, at),
        }
    }

    fn interpolation(&mut self, parts: &[ast::InterpPart], at: Span) -> Expr {
        let mut lowered = Vec::new();
        for part in parts {
            lowered.push(match part {
                ast::InterpPart::Text(text) => InterpPart::Text(text.clone()),
                ast::InterpPart::Expr(e) => InterpPart::Value(self.shown(e)),
            });
        }
        Expr { ty: Type::Str, at, kind: ExprKind::Interp(lowered) }
    }

    /// An expression where any type is allowed (an argument of `println`, a part of a string). A global or
    /// enum member of a user module there does not count as a use of its import.
    pub fn shown(&mut self, e: &ast::Expr) -> Expr {
        let import = match super::members::path_root(e) {
            Some(alias) => self.file_sym().and_then(|f| f.import(alias)),
            None => None,
        };
        let user = import.filter(|i| matches!(i.module, ModuleRef::User(_)));
        let before = user.map(|i| i.used.get());
        let value = self.expr(e, None);
        if let (Some(import), Some(before)) = (user, before) {
            import.used.set(before);
        }
        self.no_void(value)
    }

    /// Reports E3038 if `value` is a call without a result.
    pub fn reject_void(&mut self, value: &Expr) {
        if value.ty == Type::Void && !self.gives_value_without_type(value) {
            let message = "cannot use void function result as a value";
            let help = self.void_help(value);
            self.report_help(Code::E3038, value.at, message, help);
        }
    }

    /// Whether it is the call of a function with `return VALUE` but without a result type, which is reported there.
    fn gives_value_without_type(&self, value: &Expr) -> bool {
        let ExprKind::Call { func, .. } = &value.kind else { return false };
        self.syms.func(*func).is_some_and(|func| super::flow::returns_value(&func.decl.body))
    }

    /// [`Checker::reject_void`]; a rejected value becomes [`Checker::error_expr`].
    pub fn no_void(&mut self, value: Expr) -> Expr {
        self.reject_void(&value);
        if value.ty == Type::Void { self.error_expr(value.at) } else { value }
    }

    /// [`Checker::no_void`] for several values. Nothing more is reported about those with the numbers `failed`.
    pub fn without_void(&mut self, values: Vec<Expr>, failed: &[usize]) -> Vec<Expr> {
        let mut kept = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            if !failed.contains(&index) {
                self.reject_void(&value);
            }
            kept.push(if value.ty == Type::Void { self.error_expr(value.at) } else { value });
        }
        kept
    }

    /// Help for E3038: names the function and says why it has no result.
    pub fn void_help(&self, value: &Expr) -> Option<String> {
        if let ExprKind::Call { func, .. } = &value.kind {
            let name = &self.syms.func(*func)?.name;
            return Some(format!("'{name}' returns nothing: its declaration has no '->' with a result type"));
        }
        let ExprKind::Native(native) = &value.kind else { return None };
        Some(format!("'{}' returns nothing: call it in a statement of its own", native.row.name))
    }

    /// `new(T)`
    fn new_struct(&mut self, module: Option<&Name>, name: &Name, at: Span) -> Expr {
        match self.struct_named(module, name) {
            Ok(ty @ Type::Struct(_)) => Expr { ty, at, kind: ExprKind::New },
            Ok(_) => raise(Code::E3002, name.span, undefined_struct(&name.text)),
            Err(failure) => *failure,
        }
    }

    /// The type that a literal or `new` names, or an expression that fails at run time if there is none.
    pub fn struct_named(&mut self, module: Option<&Name>, name: &Name) -> Result<Type, Box<Expr>> {
        let Some(module) = module else {
            return match self.lookup_type(&name.text) {
                TypeLookup::Found(ty @ (Type::Struct(_) | Type::Enum(_)), sym) => {
                    self.refers_to_type(name.span, sym.as_deref());
                    Ok(ty)
                }
                TypeLookup::Ambiguous(modules, _) => {
                    Err(Box::new(ambiguous_type(&name.text, &modules, name.span)))
                }
                _ => {
                    let help = self.type_help(&name.text);
                    Err(Box::new(raise_help(Code::E3002, name.span, undefined_struct(&name.text), help)))
                }
            };
        };
        if self.file_sym().is_none_or(|f| f.module_named(&module.text).is_none()) {
            let message = super::members::not_imported(&module.text);
            return Err(Box::new(raise(Code::E4007, name.span, message)));
        }
        self.qualified_type(module, name).ok_or_else(|| {
            let message = format!("undefined type '{}' in module '{}'", name.text, module.text);
            Box::new(raise(Code::E3002, name.span, message))
        })
    }

    fn range_value(&mut self, args: &[ast::Expr], at: Span) -> Expr {
        let (start, end, step) = self.range_parts(args, at);
        let kind = ExprKind::Range(Box::new(start), Box::new(end), step.map(Box::new));
        Expr { ty: Type::Range, at, kind }
    }

    /// Start, end and step of a `range(…)`, checked.
    pub fn range_parts(&mut self, args: &[ast::Expr], at: Span) -> (Expr, Expr, Option<Expr>) {
        let parts: &[&str] = if args.len() == 1 { &["end"] } else { &["start", "end", "step"] };
        let mut lowered = Vec::new();
        for (arg, part) in args.iter().zip(parts) {
            let value = self.expr(arg, None);
            if !value.ty.is_integer() && !value.ty.is_any() {
                let message = format!("range() {part} must be integer, got {}", value.ty);
                self.report(Code::E3001, arg.at, message);
            }
            lowered.push(value);
        }
        self.range_literals(args, at);
        let mut lowered = lowered.into_iter();
        let zero = constant(Type::INT, at, Value::Int(0));
        let first = lowered.next().unwrap_or_else(|| zero.clone());
        match lowered.next() {
            None => (zero, first, None),
            Some(end) => (first, end, lowered.next()),
        }
    }

    /// E9003, E9005: errors in literal bounds.
    fn range_literals(&mut self, args: &[ast::Expr], at: Span) {
        let literal = |i: usize| args.get(i).and_then(super::ranges::literal);
        let step = if args.len() == 3 { literal(2) } else { Some(BigInt::from(1)) };
        if step == Some(BigInt::ZERO) {
            self.report(Code::E9003, at, "range() step cannot be zero");
            return;
        }
        let plain = |i: usize| {
            let arg = args.get(i)?;
            matches!(arg.kind, ast::ExprKind::Int(_)).then(|| literal(i)).flatten()
        };
        let (Some(start), Some(end), true) = (plain(0), plain(1), args.len() > 1) else { return };
        let forward = step.is_none_or(|s| s > BigInt::ZERO);
        let (wrong, relation, sign) =
            if forward { (start > end, "less", "positive") } else { (start < end, "greater", "negative") };
        if wrong {
            let message = format!(
                "invalid range: start ({start}) must be {relation} than or equal to end ({end}) for {sign} step"
            );
            let help = forward.then(|| format!("to count down write range({start}, {end}, -1)"));
            self.report_help(Code::E9005, at, message, help);
        }
    }

    fn postfix(&mut self, operand: &ast::Expr, by: i64, at: Span) -> Expr {
        let sign = if by > 0 { "++" } else { "--" };
        // `++i` in a line of its own is read as an operator after what is in the line before.
        let prefix = self.name_after_sign(at).map(|name| {
            let after = Span { start: at.end, end: at.end + name.len() as u32, ..at };
            Help::from(format!("EZ writes {name}{sign}, not {sign}{name}"))
                .fix(Fix::certain(at.to(after), format!("{name}{sign}")))
        });
        let misplaced = if prefix.is_some() { at } else { operand.at };
        let Some(target) = self.target(operand, true) else {
            if let Some(root) = self.immutable_root(operand) {
                self.report_immutable(&root, operand.at);
                return self.error_expr(at);
            }
            let value = self.expr(operand, None);
            if !value.ty.is_integer() && !self.is_untyped(&value) {
                let message = format!("postfix operator {sign} requires integer operand, got {}", value.ty);
                self.report_help(Code::E3001, misplaced, message, prefix.clone());
            }
            let message = format!("postfix operator {sign} requires a variable identifier");
            let help =
                prefix.unwrap_or_else(|| format!("'{sign}' follows the name of a variable: x{sign}").into());
            return raise_help(Code::E5015, at, message, Some(help));
        };
        if let Some(root) = self.immutable_root(operand) {
            self.report_immutable(&root, operand.at);
        }
        if !target.ty.is_integer() && !target.ty.is_any() {
            let message = format!("postfix operator {sign} requires integer operand, got {}", target.ty);
            self.report_help(Code::E3001, misplaced, message, prefix);
        }
        Expr { ty: target.ty.clone(), at, kind: ExprKind::Postfix(target, by) }
    }

    /// The name that directly follows the `++` or `--` at `at`, if that begins its line.
    fn name_after_sign(&self, at: Span) -> Option<String> {
        let file = self.sources.get(at.file)?;
        let before = file.text.get(..at.start as usize)?;
        let begins_line = before.rsplit('\n').next()?.trim().is_empty();
        let rest = file.text.get(at.end as usize..)?;
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        // `++a[0]` is not all about the name.
        let is_all = !rest.get(name.len()..)?.starts_with(['[', '.', '(']);
        (begins_line && is_all && name.starts_with(|c: char| !c.is_ascii_digit())).then_some(name)
    }

    /// Boxes the variable of a target, so that references to it can outlive its frame.
    pub fn refer_to(&mut self, target: &Target) {
        match &target.kind {
            TargetKind::Local(id) => self.frame.make_boxed(*id),
            TargetKind::Global(id) => {
                if let Some(sym) = self.syms.global(*id) {
                    sym.boxed.set(true);
                }
            }
            TargetKind::Index { .. }
            | TargetKind::Char { .. }
            | TargetKind::Field { .. }
            | TargetKind::FieldNamed { .. } => {}
        }
    }
}

/// A constant node.
pub fn constant(ty: Type, at: Span, value: Value) -> Expr {
    Expr { ty, at, kind: ExprKind::Const(value) }
}

fn undefined_struct(name: &str) -> String {
    format!("undefined type: '{name}'")
}

fn ambiguous_type(name: &str, modules: &[Rc<str>], at: Span) -> Expr {
    let first = modules.first().map_or("", |m| m);
    let message = format!(
        "type '{name}' found in multiple modules: {}; use explicit module prefix: {first}.{name}",
        modules.join(", ")
    );
    raise(Code::E3002, at, message)
}

//! Operators and casts.

use crate::syntax::ast::{self, BinaryOp, Name, UnaryOp};
use ez_runtime::diagnostics::{Code, Help};
use ez_runtime::program::{ArithOp, CompareOp, Expr, ExprKind, Operator};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value, told_apart};

use super::checker::{Checker, raise};
use super::types::{arithmetic, assignable, base_of, is_ordered};

impl From<BinaryOp> for Operator {
    fn from(op: BinaryOp) -> Operator {
        match op {
            BinaryOp::Add => Operator::Arith(ArithOp::Add),
            BinaryOp::Sub => Operator::Arith(ArithOp::Sub),
            BinaryOp::Mul => Operator::Arith(ArithOp::Mul),
            BinaryOp::Div => Operator::Arith(ArithOp::Div),
            BinaryOp::Mod => Operator::Arith(ArithOp::Mod),
            BinaryOp::Eq => Operator::Compare(CompareOp::Eq),
            BinaryOp::Ne => Operator::Compare(CompareOp::Ne),
            BinaryOp::Lt => Operator::Compare(CompareOp::Lt),
            BinaryOp::Le => Operator::Compare(CompareOp::Le),
            BinaryOp::Gt => Operator::Compare(CompareOp::Gt),
            BinaryOp::Ge => Operator::Compare(CompareOp::Ge),
            BinaryOp::And => Operator::And,
            BinaryOp::Or => Operator::Or,
            BinaryOp::In => Operator::In { negated: false },
            BinaryOp::NotIn | BinaryOp::BangIn => Operator::In { negated: true },
        }
    }
}

impl Checker<'_> {
    pub fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, at: Span) -> Expr {
        let value = self.expr(operand, None);
        match op {
            UnaryOp::Not => {
                self.want_bool(&value.ty, operand.at, "invalid operand for '!'", None);
                Expr { ty: Type::Bool, at, kind: ExprKind::Not(Box::new(self.as_bool(value))) }
            }
            UnaryOp::Neg => {
                if !value.ty.is_numeric() && !value.ty.is_any() {
                    let message = format!("invalid operand for unary '-': {} (expected numeric)", value.ty);
                    self.report(Code::E3002, operand.at, message);
                    return self.error_expr(at);
                }
                negated(value, at)
            }
        }
    }

    /// Whether two places are in one line.
    pub fn same_line(&self, a: Span, b: Span) -> bool {
        self.sources.line(a) == self.sources.line(b)
    }

    fn want_bool(&mut self, ty: &Type, at: Span, what: &str, help: Option<Help>) {
        if *ty != Type::Bool && !ty.is_any() {
            self.report_help(Code::E3002, at, format!("{what}: {ty} (expected bool)"), help);
        }
    }

    pub fn binary(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr, at: Span) -> Expr {
        let a = self.expr(left, None);
        let b = self.expr(right, None);
        // The operator itself reports a void operand, except beside one of unknown type.
        if a.ty.is_any() || b.ty.is_any() || (op.is_membership() && b.ty != Type::Void) {
            self.reject_void(&a);
            self.reject_void(&b);
        }
        if matches!(a.ty, Type::Tuple(_)) || matches!(b.ty, Type::Tuple(_)) {
            return raise(Code::E3014, at, unknown_operator(op, &a.ty, &b.ty));
        }
        match Operator::from(op) {
            Operator::Arith(computed) => self.arith(computed, (a, left), (b, right), at),
            Operator::And | Operator::Or => {
                let what = format!("invalid operand for '{}'", op.as_str());
                self.want_bool(&a.ty, left.at, &what, None);
                let help = self.condition_operand_help(op, left, right);
                let reported = if self.same_line(left.at, right.at) { right.at } else { left.at };
                self.want_bool(&b.ty, reported, &what, help);
                let (a, b) = (Box::new(self.as_bool(a)), Box::new(self.as_bool(b)));
                let kind = if op == BinaryOp::And { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
                Expr { ty: Type::Bool, at, kind }
            }
            Operator::In { negated } => {
                let known = b.ty.is_any()
                    || matches!(b.ty, Type::Array(..) | Type::Map(..) | Type::Str | Type::Range);
                if !known {
                    let sign = op.as_str();
                    let message =
                        format!("invalid operand for '{sign}': {} (expected array, string, or map)", b.ty);
                    self.report(Code::E3002, left.at, message);
                }
                let (item, container) = (Box::new(a), Box::new(b));
                Expr { ty: Type::Bool, at, kind: ExprKind::In { negated, item, container } }
            }
            Operator::Compare(compared) => self.comparison((op, compared), (a, left), (b, right), at),
        }
    }

    fn arith(
        &mut self,
        op: ArithOp,
        (a, left): (Expr, &ast::Expr),
        (b, right): (Expr, &ast::Expr),
        at: Span,
    ) -> Expr {
        let zero = matches!(right.kind, ast::ExprKind::Int(0))
            || matches!(right.kind, ast::ExprKind::Float(x) if x == 0.0 && op.takes_floats());
        // At the operator, as at run time; at the left operand if that is on another line.
        let place = if self.same_line(left.at, at) { at } else { left.at };
        if zero && let Some((code, message)) = op.zero_divisor() {
            self.report(code, place, message);
        }
        let Some(ty) = arithmetic(op, &a.ty, &b.ty) else {
            let expected = match op {
                ArithOp::Add => "numeric or string",
                ArithOp::Mod => "integer",
                ArithOp::Sub | ArithOp::Mul | ArithOp::Div => "numeric",
            };
            let message = format!(
                "invalid operands for '{}': {} and {} (expected {expected})",
                op.as_str(),
                a.ty,
                b.ty
            );
            let help = self.arithmetic_help(op, (&a.ty, left), (&b.ty, right));
            self.report_help(Code::E3002, left.at, message, help);
            return self.error_expr(at);
        };
        self.byte_promotion(op, &a.ty, &b.ty, left.at);
        Expr { ty, at, kind: ExprKind::Arith(op, Box::new(a), Box::new(b)) }
    }

    /// W2004 for arithmetic of a byte with another kind of number.
    fn byte_promotion(&mut self, op: ArithOp, a: &Type, b: &Type, at: Span) {
        let other = match (a, b) {
            (Type::Byte, other) | (other, Type::Byte) => other,
            _ => return,
        };
        let promotes = match op {
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div => true,
            ArithOp::Mod => false,
        };
        if promotes && *other != Type::Byte && other.is_numeric() {
            let message =
                format!("implicit type conversion: byte promoted to {other} in arithmetic operation");
            self.report(Code::W2004, at, message);
        }
    }

    fn comparison(
        &mut self,
        (op, compared): (BinaryOp, CompareOp),
        (a, left): (Expr, &ast::Expr),
        (b, right): (Expr, &ast::Expr),
        at: Span,
    ) -> Expr {
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if !a.ty.is_any() && !b.ty.is_any() {
            if equality {
                self.check_equality(op, (&a.ty, left), (&b.ty, right));
            } else {
                self.check_order(op, (&a.ty, left), (&b.ty, right));
            }
        }
        let mixed = !equality && (a.ty == Type::Char) != (b.ty == Type::Char);
        if mixed && is_ordered(&a.ty) && is_ordered(&b.ty) && !a.ty.is_any() && !b.ty.is_any() {
            let mut failing = raise(Code::E3014, at, unknown_operator(op, &a.ty, &b.ty));
            failing.ty = Type::Bool;
            return failing;
        }
        Expr { ty: Type::Bool, at, kind: ExprKind::Compare(compared, Box::new(a), Box::new(b)) }
    }

    fn check_equality(
        &mut self,
        op: BinaryOp,
        (a, left): (&Type, &ast::Expr),
        (b, right): (&Type, &ast::Expr),
    ) {
        let at = left.at;
        if matches!((a, b), (Type::Enum(_), Type::Enum(_))) && a != b {
            let (x, y) = told_apart(a, b);
            let message = format!("cannot compare different enum types: {x} and {y}");
            self.report(Code::E3032, at, message);
            return;
        }
        let fine = (a.is_numeric() && b.is_numeric()) || assignable(a, b) || assignable(b, a);
        if !fine {
            let help = self.comparison_help((a, left), (b, right));
            let (a, b) = told_apart(a, b);
            let message = format!("cannot compare {a} with {b} using '{}'", op.as_str());
            self.report_help(Code::E3002, at, message, help);
        }
    }

    fn check_order(&mut self, op: BinaryOp, (a, left): (&Type, &ast::Expr), (b, right): (&Type, &ast::Expr)) {
        let at = left.at;
        let sign = op.as_str();
        if *a == Type::Str && *b == Type::Str {
            let message = format!("cannot use '{sign}' on strings; use strings.compare() instead");
            self.report(Code::E3002, at, message);
            return;
        }
        for ty in [a, b] {
            if !is_ordered(ty) {
                let help = self.comparison_help((a, left), (b, right));
                let message = format!("invalid operand for '{sign}': {ty} (expected numeric)");
                self.report_help(Code::E3002, at, message, help);
            }
        }
    }

    /// `cast(value, T)`
    pub fn cast(&mut self, value: &ast::Expr, target: &Name, array: bool, at: Span) -> Expr {
        let value = self.expr(value, None);
        let value = if array { value } else { self.no_void(value) };
        let name = &*target.text;
        let Some(ty) = Type::primitive(name) else {
            let shown = if array { format!("[{name}]") } else { name.to_string() };
            self.report(Code::E3001, at, format!("invalid cast target type: {shown}"));
            return self.error_expr(at);
        };
        let source = if array { value.ty.elem().cloned() } else { Some(value.ty.clone()) };
        let source = match source {
            Some(source) => source,
            None if value.ty.is_any() => value.ty.clone(),
            None => {
                let message = format!("cannot cast non-array type {} to array type [{name}]", value.ty);
                self.report(Code::E3001, at, message);
                return self.error_expr(at);
            }
        };
        if !cast_is_safe(&source, &ty, &value) && !source.is_any() {
            let message = if array {
                format!("cast from [{source}] to [{ty}] may fail at runtime")
            } else {
                format!("cast from {source} to {ty} may fail at runtime")
            };
            self.report(Code::W2004, at, message);
        }
        // These conversions do not exist at run time.
        if matches!(name, "bool" | "uint") {
            let mut failing = raise(Code::E3001, at, format!("unknown cast target type: {name}"));
            failing.ty = if array { Type::array(ty) } else { ty };
            return failing;
        }
        let value = Box::new(value);
        if array {
            Expr { ty: Type::array(ty), at, kind: ExprKind::ConvertArray(value) }
        } else {
            Expr { ty, at, kind: ExprKind::Convert { value, counted: false } }
        }
    }
}

/// Message of E3014.
pub fn unknown_operator(op: BinaryOp, a: &Type, b: &Type) -> String {
    format!("unknown operator: {a} {} {b}", op.as_str())
}

/// Whether W2004 is not given for a cast between these types.
fn cast_is_safe(source: &Type, target: &Type, _value: &Expr) -> bool {
    let numeric = target.is_numeric();
    match source {
        _ if *target == Type::Str => true,
        s if s.is_numeric() => numeric || *target == Type::Char || (*target == Type::Bool && *s == Type::INT),
        Type::Char => numeric || *target == Type::Char,
        Type::Str => numeric || matches!(target, Type::Bool),
        Type::Bool => matches!(target, Type::Bool) || *target == Type::INT,
        _ => false,
    }
}

/// `-value`, folded if the value is a constant.
fn negated(value: Expr, at: Span) -> Expr {
    if let ExprKind::Const(constant) = &value.kind {
        let folded = match constant {
            Value::Float(x) => Some(Value::Float(-x)),
            other => other.as_bigint().map(|n| Value::integer(-n)),
        };
        if let Some(folded) = folded {
            return Expr { ty: value.ty, at, kind: ExprKind::Const(folded) };
        }
    }
    let ty = match base_of(&value.ty) {
        Type::Byte => Type::INT,
        other => other,
    };
    Expr { ty, at, kind: ExprKind::Neg(Box::new(value)) }
}

//! Expressions and operators.

use std::rc::Rc;

use num_bigint::BigInt;

use super::Name;
use ez_runtime::source::Span;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// First token to last, surrounding parentheses not included.
    pub span: Span,
    /// The anchor, the token that reports about this expression point at:
    /// operator, `(` of a call, `[` of an index, `.` of a member, `{` of a literal, the keyword of
    /// `new`/`range`/`cast`, else the token itself.
    pub at: Span,
    pub kind: ExprKind,
}

impl Expr {
    /// The name that the expression consists of; `None` for any other.
    pub fn name(&self) -> Option<&Rc<str>> {
        if let ExprKind::Name(name) = &self.kind { Some(name) } else { None }
    }

    /// The names in it that mean something declared elsewhere: variables, functions, types and modules, but neither
    /// fields nor what is behind the point of a module or enum.
    pub fn names(&self) -> Vec<&Rc<str>> {
        let mut found = Vec::new();
        self.add_names(&mut found);
        found
    }

    fn add_names<'e>(&'e self, found: &mut Vec<&'e Rc<str>>) {
        if let ExprKind::Name(name) = &self.kind {
            found.push(name);
        } else if let ExprKind::Struct { module, name, .. } | ExprKind::New { module, name } = &self.kind {
            found.push(&module.as_ref().unwrap_or(name).text);
        } else if let ExprKind::Cast { target, .. } = &self.kind {
            found.push(&target.text);
        }
        self.parts().into_iter().for_each(|part| part.add_names(found));
    }

    /// The expressions that it is made of, those in an interpolated string included.
    pub fn parts(&self) -> Vec<&Expr> {
        use ExprKind::*;
        match &self.kind {
            Name(_) | New { .. } => Vec::new(),
            Int(_) | BigInt(_) | Float(_) | Str(_) | Char(_) | Bool(_) | Nil => Vec::new(),
            Interp(parts) => parts.iter().filter_map(InterpPart::value).collect(),
            Array(items) | Range(items) => items.iter().collect(),
            Map(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).collect(),
            Struct { fields, .. } => fields.iter().map(|(_, value)| value).collect(),
            Cast { value, .. } | Unary(_, value) | Postfix(value, _) | Member(value, _) => vec![value],
            Binary(_, left, right) | Index(left, right) => vec![left, right],
            Call { callee, args } => std::iter::once(&**callee).chain(args).collect(),
        }
    }
}

/// What a kind of expression is, for questions that need no more.
pub enum ExprClass<'e> {
    Name(&'e Rc<str>),
    Index(&'e Expr, &'e Expr),
    Member(&'e Expr, &'e Name),
    Call,
    /// A literal of a type that is declared.
    Struct,
    /// Any other expression for a value.
    Value,
}

impl ExprKind {
    /// What it is.
    pub fn class(&self) -> ExprClass<'_> {
        use ExprKind::*;
        match self {
            Name(name) => ExprClass::Name(name),
            Index(base, index) => ExprClass::Index(base, index),
            Member(object, name) => ExprClass::Member(object, name),
            Call { .. } => ExprClass::Call,
            Struct { .. } => ExprClass::Struct,
            Int(_) | BigInt(_) | Float(_) | Str(_) | Char(_) | Bool(_) | Nil => ExprClass::Value,
            Interp(_) | Array(_) | Map(_) | New { .. } | Range(_) | Cast { .. } => ExprClass::Value,
            Unary(..) | Binary(..) | Postfix(..) => ExprClass::Value,
        }
    }
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Name(Rc<str>),
    /// An integer literal that fits in 64 bits.
    Int(i64),
    /// A larger one.
    BigInt(Rc<BigInt>),
    /// A float literal.
    Float(f64),
    /// A string without interpolation, raw or not; `\x` bytes that are no UTF-8 became U+FFFD.
    Str(Rc<str>),
    /// A char literal.
    Char(char),
    /// `true` / `false`
    Bool(bool),
    /// `nil`
    Nil,
    /// `"a ${x} b"`
    Interp(Vec<InterpPart>),
    /// `{1, 2}`; `{}` has no elements.
    Array(Vec<Expr>),
    /// `{k: v}`; `{:}` has no pairs.
    Map(Vec<(Expr, Expr)>),
    /// `Point{x: 1}`, `shapes.Point{x: 1}`
    Struct {
        /// `shapes`
        module: Option<Name>,
        /// `Point`
        name: Name,
        /// Fields given, in source order.
        fields: Vec<(Name, Expr)>,
    },
    /// `new(T)`, `new(m.T)`
    New {
        module: Option<Name>,
        /// Type name.
        name: Name,
    },
    /// `range(a, b, c)`: 1 to 3 arguments.
    Range(Vec<Expr>),
    /// `cast(v, T)`, `cast(v, [T])`
    Cast {
        value: Box<Expr>,
        /// The target's name.
        target: Name,
        /// Whether it is `[T]`.
        array: bool,
    },
    /// `-x`, `!x`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `x++` (1), `x--` (-1)
    Postfix(Box<Expr>, i64),
    /// `f(a)`; the callee is a name, a member (`m.f`), or something that cannot be called.
    Call {
        callee: Box<Expr>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.b`; the name's span is the token after the dot.
    Member(Box<Expr>, Name),
}

/// A piece of an interpolated string.
#[derive(Clone, Debug)]
pub enum InterpPart {
    /// Literal text.
    Text(Rc<str>),
    /// `${expr}`
    Expr(Expr),
}

impl InterpPart {
    fn value(&self) -> Option<&Expr> {
        if let InterpPart::Expr(value) = self { Some(value) } else { None }
    }
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    /// `in`
    In,
    /// `not_in`
    NotIn,
    /// `!in`
    BangIn,
}

impl BinaryOp {
    /// Whether it is a membership operator.
    pub fn is_membership(self) -> bool {
        matches!(self, BinaryOp::In | BinaryOp::NotIn | BinaryOp::BangIn)
    }

    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::In => "in",
            BinaryOp::NotIn => "not_in",
            BinaryOp::BangIn => "!in",
        }
    }
}

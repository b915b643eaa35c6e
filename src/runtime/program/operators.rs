//! The operators of expressions, by what they compute.

use crate::diagnostics::Code;

/// An operator of arithmetic; `+` also joins strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// What an operator of the syntax computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// A number or a string.
    Arith(ArithOp),
    /// A bool, from any two values.
    Compare(CompareOp),
    /// `&&`
    And,
    /// `||`
    Or,
    /// Whether a container has something.
    In {
        /// Whether it has not.
        negated: bool,
    },
}

impl ArithOp {
    /// The text of the operator.
    pub fn as_str(self) -> &'static str {
        match self {
            ArithOp::Add => "+",
            ArithOp::Sub => "-",
            ArithOp::Mul => "*",
            ArithOp::Div => "/",
            ArithOp::Mod => "%",
        }
    }

    /// Whether it applies to floats, too.
    pub fn takes_floats(self) -> bool {
        match self {
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div => true,
            ArithOp::Mod => false,
        }
    }

    /// What is reported if the right operand is zero; `None` if it may be.
    pub fn zero_divisor(self) -> Option<(Code, &'static str)> {
        match self {
            ArithOp::Div => Some((Code::E5001, "division by zero")),
            ArithOp::Mod => Some((Code::E5002, "modulo by zero")),
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul => None,
        }
    }
}

impl CompareOp {
    /// The text of the operator.
    pub fn as_str(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
        }
    }
}

//! Declarations of variables, structs, enums and functions, and types as written.

use std::rc::Rc;

use super::{Block, EnumBase, Expr, Name};
use ez_runtime::source::Span;

/// `temp x int = 1`, `const a, b = f()`, `temp a int, b string = f()`.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// `temp` or `const` keyword.
    pub keyword: Span,
    /// Whether it is `const`.
    pub constant: bool,
    /// The names with their types (one without type: inferred).
    pub names: Vec<(Name, Option<TypeExpr>)>,
    pub value: Option<Expr>,
}

/// A struct declaration.
#[derive(Clone, Debug)]
pub struct StructDecl {
    pub name: Name,
    /// Fields in order.
    pub fields: Vec<FieldDecl>,
}

#[derive(Clone, Debug)]
pub struct FieldDecl {
    pub name: Name,
    pub ty: TypeExpr,
    /// The raw string after the type (text between the backticks).
    pub tag: Option<Rc<str>>,
}

/// An enum declaration.
#[derive(Clone, Debug)]
pub struct EnumDecl {
    pub name: Name,
    /// The header's `: T`, if any.
    pub header: Option<EnumBase>,
    /// Members in order.
    pub members: Vec<(Name, Option<Expr>)>,
}

/// A function declaration.
#[derive(Clone, Debug)]
pub struct FuncDecl {
    /// The `do` keyword.
    pub keyword: Span,
    pub name: Name,
    /// Parameters, groups spread out.
    pub params: Vec<ParamDecl>,
    /// Results, groups spread out; empty without `->` and for `-> ()`.
    pub results: Vec<ResultDecl>,
    pub body: Block,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    pub name: Name,
    /// Whether it is `&name`.
    pub by_ref: bool,
    pub ty: TypeExpr,
    pub default: Option<Expr>,
}

/// One result of a function.
#[derive(Clone, Debug)]
pub struct ResultDecl {
    pub name: Option<Name>,
    /// Its type (`nil` is the named type `nil`).
    pub ty: TypeExpr,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// All of it.
    pub span: Span,
    pub kind: TypeExprKind,
}

/// Kinds of written types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `int`, `Point`
    Named(Rc<str>),
    /// `shapes.Point`
    Qualified(Name, Name),
    /// `[T]`, `[T, 3]` (the size with its literal text)
    Array(Box<TypeExpr>, Option<(u64, Rc<str>)>),
    /// `map[K:V]`
    Map(Box<TypeExpr>, Box<TypeExpr>),
}

//! The syntax tree, as written: nothing is inferred or resolved.
//!
//! Every node has `span` (all of it, first token to last) and, where reports point elsewhere, the
//! span of the token they point at (`at`). Identifiers are [`Name`]s with their own span.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::source::{FileId, Span};

/// An identifier (or any other token used as a name) and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The text; `_` for the blank identifier.
    pub text: Rc<str>,
    /// Where.
    pub span: Span,
}

impl Name {
    /// Whether it is the blank identifier `_`.
    pub fn is_blank(&self) -> bool {
        &*self.text == "_"
    }
}

/// One parsed file.
#[derive(Clone, Debug)]
pub struct File {
    /// Which file.
    pub id: FileId,
    /// `module NAME` at the top, if any.
    pub module: Option<Name>,
    /// Imports in source order (misplaced ones included).
    pub imports: Vec<Import>,
    /// File-level `using` names, in source order.
    pub usings: Vec<Using>,
    /// Codes of file-level `#suppress`.
    pub suppress: Vec<Name>,
    /// Everything else, in source order; also statements that may not stand there (E2056 is the
    /// checker's).
    pub items: Vec<Stmt>,
}

/// `import a@math, "./lib"`: one statement.
#[derive(Clone, Debug)]
pub struct Import {
    /// The `import` keyword.
    pub keyword: Span,
    /// All of the statement.
    pub span: Span,
    /// `import & use`.
    pub auto_use: bool,
    /// What is imported.
    pub items: Vec<ImportItem>,
}

/// One item of an import.
#[derive(Clone, Debug)]
pub struct ImportItem {
    /// The alias if one was written.
    pub alias: Option<Name>,
    /// What is meant.
    pub target: ImportTarget,
    /// All of the item.
    pub span: Span,
}

impl ImportItem {
    /// The name under which it is known in the file: the alias, the library module's name, or the
    /// last part of the path (leading `./` and `../` and a trailing `.ez` removed).
    pub fn local_name(&self) -> Rc<str> {
        if let Some(alias) = &self.alias {
            return alias.text.clone();
        }
        match &self.target {
            ImportTarget::Library(name) => name.text.clone(),
            ImportTarget::Path(path) => {
                let last = path.rsplit('/').next().unwrap_or(path);
                last.strip_suffix(".ez").unwrap_or(last).into()
            }
        }
    }
}

/// Target of an import item.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportTarget {
    /// `@math`
    Library(Name),
    /// `"./lib"`, as written.
    Path(Rc<str>),
}

/// `using a, b`.
#[derive(Clone, Debug)]
pub struct Using {
    /// The `using` keyword.
    pub keyword: Span,
    /// The names.
    pub names: Vec<Name>,
}

/// Attributes before a statement, `private` included.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// `private` keyword.
    pub private: Option<Span>,
    /// `#strict`.
    pub strict: Option<Span>,
    /// Codes of `#suppress(…)`.
    pub suppress: Vec<Name>,
    /// `#doc`: its text (escapes not processed), if there is one.
    pub doc: Option<Option<Rc<str>>>,
    /// `#flags` and `#enum(T)` in source order.
    pub enum_forms: Vec<EnumForm>,
    /// Whether any attribute (not `private`) stands there.
    pub any: bool,
}

/// An attribute that shapes an enum.
#[derive(Clone, Debug, PartialEq)]
pub enum EnumForm {
    /// `#flags`
    Flags,
    /// `#enum(int|float|string)`
    Base(EnumBase),
}

/// Base type of an enum as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumBase {
    /// `int`
    Int,
    /// `float`
    Float,
    /// `string`
    Str,
}

/// `{ … }`
#[derive(Clone, Debug)]
pub struct Block {
    /// Both braces included.
    pub span: Span,
    /// Its statements.
    pub stmts: Vec<Stmt>,
}

/// A statement or declaration.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// First token (attributes and `private` not counted) to last.
    pub span: Span,
    /// What stands before it.
    pub attrs: Attributes,
    /// What it is.
    pub kind: StmtKind,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `temp`/`const` with one or more names.
    Var(VarDecl),
    /// `const P struct { … }`
    Struct(StructDecl),
    /// `const E enum { … }`
    Enum(EnumDecl),
    /// `do f(…) { … }` (only at file level; elsewhere it is a syntax error)
    Func(Rc<FuncDecl>),
    /// `target op= value`
    Assign(Assign),
    /// `a, b = value`
    MultiAssign {
        /// Targets (never `_`).
        names: Vec<Name>,
        /// The value.
        value: Expr,
    },
    /// An expression statement.
    Expr(Expr),
    /// `return a, b`
    Return {
        /// The keyword.
        keyword: Span,
        /// Values.
        values: Vec<Expr>,
    },
    /// `ensure call`
    Ensure {
        /// The keyword.
        keyword: Span,
        /// Always `ExprKind::Call`.
        call: Expr,
    },
    /// `if … or … otherwise …`
    If {
        /// The `if` branch and the `or` branches.
        branches: Vec<Branch>,
        /// The `otherwise` block.
        otherwise: Option<Block>,
    },
    /// `when value { is … default … }`
    When(When),
    /// `for i in range(…) { … }`
    For {
        /// The keyword.
        keyword: Span,
        /// The variable, `_` allowed.
        var: Name,
        /// `for i T in`.
        ty: Option<TypeExpr>,
        /// What is iterated; anything but a `range` fails at run time (E5011).
        iterable: Expr,
        /// The body.
        body: Block,
    },
    /// `for_each x in e { … }`, `for_each i, x in e { … }`
    ForEach {
        /// The keyword.
        keyword: Span,
        /// The index variable.
        index: Option<Name>,
        /// The element variable, `_` allowed.
        var: Name,
        /// The collection.
        iterable: Expr,
        /// The body.
        body: Block,
    },
    /// `as_long_as c { … }`
    While {
        /// The keyword.
        keyword: Span,
        /// The condition.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `loop { … }`
    Loop {
        /// The keyword.
        keyword: Span,
        /// The body.
        body: Block,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `using m` inside a block.
    Using(Using),
}

/// One condition and its block.
#[derive(Clone, Debug)]
pub struct Branch {
    /// `if` or `or`.
    pub keyword: Span,
    /// The condition.
    pub cond: Expr,
    /// The block.
    pub body: Block,
}

/// A `when` statement.
#[derive(Clone, Debug)]
pub struct When {
    /// The keyword.
    pub keyword: Span,
    /// The value looked at.
    pub subject: Expr,
    /// `is` cases in order.
    pub cases: Vec<WhenCase>,
    /// The `default` block.
    pub default: Option<Block>,
}

/// `is a, b { … }`
#[derive(Clone, Debug)]
pub struct WhenCase {
    /// The `is` keyword.
    pub keyword: Span,
    /// Values.
    pub values: Vec<Expr>,
    /// The block.
    pub body: Block,
}

/// `temp x int = 1`, `const a, b = f()`, `temp a int, b string = f()`.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// `temp` or `const` keyword.
    pub keyword: Span,
    /// Whether it is `const`.
    pub constant: bool,
    /// The names with their types (one without type: inferred).
    pub names: Vec<(Name, Option<TypeExpr>)>,
    /// The value.
    pub value: Option<Expr>,
}

/// A struct declaration.
#[derive(Clone, Debug)]
pub struct StructDecl {
    /// Its name.
    pub name: Name,
    /// Fields in order.
    pub fields: Vec<FieldDecl>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
    /// The raw string behind the type (text between the backticks).
    pub tag: Option<Rc<str>>,
}

/// An enum declaration.
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// Its name.
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
    /// Its name.
    pub name: Name,
    /// Parameters, groups spread out.
    pub params: Vec<ParamDecl>,
    /// Results, groups spread out; empty without `->` and for `-> ()`.
    pub results: Vec<ResultDecl>,
    /// The body.
    pub body: Block,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// Its name.
    pub name: Name,
    /// Whether it is `&name`.
    pub by_ref: bool,
    /// Its type.
    pub ty: TypeExpr,
    /// Its default.
    pub default: Option<Expr>,
}

/// One result of a function.
#[derive(Clone, Debug)]
pub struct ResultDecl {
    /// The name of a named result.
    pub name: Option<Name>,
    /// Its type (`nil` is the named type `nil`).
    pub ty: TypeExpr,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// All of it.
    pub span: Span,
    /// What it is.
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

/// `target op= value`
#[derive(Clone, Debug)]
pub struct Assign {
    /// A name, index or member expression.
    pub target: Expr,
    /// `=` or the operator of `op=`.
    pub op: Option<BinaryOp>,
    /// The assignment operator's token.
    pub op_span: Span,
    /// The last token of the target: where run-time errors of the statement are reported.
    pub at: Span,
    /// The right side.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// First token to last, surrounding parentheses not included.
    pub span: Span,
    /// The anchor, the token that reports about this expression point at:
    /// operator, `(` of a call, `[` of an index, `.` of a member, `{` of a literal, the keyword of
    /// `new`/`range`/`cast`, else the token itself.
    pub at: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
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
        /// Module.
        module: Option<Name>,
        /// Type name.
        name: Name,
    },
    /// `range(a, b, c)`: 1 to 3 arguments.
    Range(Vec<Expr>),
    /// `cast(v, T)`, `cast(v, [T])`
    Cast {
        /// The value.
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
        /// What is called.
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
#[allow(missing_docs)]
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
    /// Whether the operator asks if something is in a container.
    pub fn is_membership(self) -> bool {
        matches!(self, BinaryOp::In | BinaryOp::NotIn | BinaryOp::BangIn)
    }

    /// As written.
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

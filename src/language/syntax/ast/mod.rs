//! The syntax tree, as written: nothing is inferred or resolved.
//!
//! Every node has a `span` (first token to last) and, where reports have another position, the span of that
//! token (`at`). Identifiers are [`Name`]s with their own span.

mod declarations;
mod expressions;

use std::rc::Rc;

use ez_runtime::source::{FileId, Span};

pub use declarations::{
    EnumDecl, FieldDecl, FuncDecl, ParamDecl, ResultDecl, StructDecl, TypeExpr, TypeExprKind, VarDecl,
};
pub use expressions::{BinaryOp, Expr, ExprClass, ExprKind, InterpPart, UnaryOp};

/// An identifier (or another token used as a name) and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The text; `_` for the blank identifier.
    pub text: Rc<str>,
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
    /// Everything else, in source order, including statements that are not allowed at file level (the checker
    /// reports E2056).
    pub items: Vec<Stmt>,
}

impl File {
    /// Whether a program begins here.
    pub fn has_main(&self) -> bool {
        let is_main = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Func(decl) if &*decl.name.text == "main");
        self.items.iter().any(is_main)
    }

    /// Whether it imports other files.
    pub fn imports_files(&self) -> bool {
        let mut items = self.imports.iter().flat_map(|import| &import.items);
        items.any(|item| matches!(item.target, ImportTarget::Path(_)))
    }
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
    pub items: Vec<ImportItem>,
}

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

impl ImportItem {
    /// The place of its alias, or else of what is imported.
    pub fn name_span(&self) -> Span {
        match (&self.alias, &self.target) {
            (Some(name), _) | (None, ImportTarget::Library(name)) => name.span,
            (None, ImportTarget::Path(_)) => self.span,
        }
    }
}

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
    /// Whether there is any attribute (`private` does not count).
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
    /// The attributes before it.
    pub attrs: Attributes,
    pub kind: StmtKind,
}

impl Stmt {
    /// The blocks of the statement; the body of a function is none of them.
    pub fn blocks(&self) -> Vec<&Block> {
        if let StmtClass::Compound(blocks) = self.kind.class() { blocks } else { Vec::new() }
    }
}

/// The blocks of a statement, or of a function.
pub fn all_blocks(stmt: &Stmt) -> impl Iterator<Item = &Block> {
    let body = if let StmtKind::Func(decl) = &stmt.kind { Some(&decl.body) } else { None };
    stmt.blocks().into_iter().chain(body)
}

/// Visits statements and all that are within them, in their order.
pub fn each_statement<'s>(stmts: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
    for stmt in stmts {
        visit(stmt);
        for block in all_blocks(stmt) {
            each_statement(&block.stmts, visit);
        }
    }
}

/// What a kind of statement is, for questions that need no more.
pub enum StmtClass<'s> {
    Variable(&'s VarDecl),
    Struct(&'s StructDecl),
    Enum(&'s EnumDecl),
    Function(&'s Rc<FuncDecl>),
    /// Has these blocks.
    Compound(Vec<&'s Block>),
    /// Neither declares anything nor has blocks.
    Simple,
}

impl StmtKind {
    /// What it is.
    pub fn class(&self) -> StmtClass<'_> {
        use StmtKind::*;
        let blocks = match self {
            Var(decl) => return StmtClass::Variable(decl),
            Struct(decl) => return StmtClass::Struct(decl),
            Enum(decl) => return StmtClass::Enum(decl),
            Func(decl) => return StmtClass::Function(decl),
            If { branches, otherwise } => branches.iter().map(|it| &it.body).chain(otherwise).collect(),
            When(when) => when.cases.iter().map(|case| &case.body).chain(&when.default).collect(),
            For { body, .. } | ForEach { body, .. } | While { body, .. } | Loop { body, .. } => vec![body],
            Assign(_) | MultiAssign { .. } | Expr(_) | Ensure { .. } => return StmtClass::Simple,
            Return { .. } | Break | Continue | Using(_) => return StmtClass::Simple,
        };
        StmtClass::Compound(blocks)
    }
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
        value: Expr,
    },
    /// An expression statement.
    Expr(Expr),
    /// `return a, b`
    Return { keyword: Span, values: Vec<Expr> },
    /// `ensure call`
    Ensure {
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
        keyword: Span,
        /// The variable, `_` allowed.
        var: Name,
        /// `for i T in`.
        ty: Option<TypeExpr>,
        /// What is iterated; anything but a `range` fails at run time (E5011).
        iterable: Expr,
        body: Block,
    },
    /// `for_each x in e { … }`, `for_each i, x in e { … }`
    ForEach {
        keyword: Span,
        /// The index variable.
        index: Option<Name>,
        /// The element variable, `_` allowed.
        var: Name,
        /// The collection.
        iterable: Expr,
        body: Block,
    },
    /// `as_long_as c { … }`
    While {
        keyword: Span,
        /// The condition.
        cond: Expr,
        body: Block,
    },
    /// `loop { … }`
    Loop { keyword: Span, body: Block },
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
    pub body: Block,
}

/// A `when` statement.
#[derive(Clone, Debug)]
pub struct When {
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
    pub values: Vec<Expr>,
    pub body: Block,
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

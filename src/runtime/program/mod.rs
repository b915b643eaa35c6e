//! A checked program: functions with numbered slots, typed expressions, numbered statements with their
//! positions, and the tables with which the debugger finds variables and statements.
//!
//! Plain data, produced by `check`, read by `interp` (which compiles it to closures) and by `debug`. Names
//! and types are resolved: a name is the number of a local or global, a call the number of a function or a
//! library row, a field an index, a conversion a node of its own. Errors that EZ reports only at run time are
//! [`ExprKind::Raise`] or [`StmtKind::Raise`].

use serde::{Deserialize, Serialize};

mod escape;
mod expr;
mod operators;
mod stmt;
pub mod visit;

use std::rc::Rc;

use foldhash::HashSet;

use crate::source::{FileId, SourceMap, Span};
use crate::value::Type;

pub use escape::unbox_non_escaping;
pub use expr::{
    Arg, Builtin, Callee, Expr, ExprClass, ExprKind, InterpPart, Native, Raise, StoreKind, StoreSite, Target,
    TargetKind,
};
pub use operators::{ArithOp, CompareOp, Operator};
pub use stmt::{Arm, Block, Case, Discard, Stmt, StmtClass, StmtKind, UnpackTarget, WhenArm, Written};

/// Number of a function in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FuncId(pub u32);

/// Number of a global in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GlobalId(pub u32);

/// Number of a local in [`Function::locals`]; also its slot in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocalId(pub u32);

/// Number of a statement in [`Program::statements`]; within a function in source order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StmtId(pub u32);

/// Number of a scope in [`Function::scopes`]; 0 is the function's outermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// A checked program.
#[derive(Debug)]
pub struct Program {
    /// Its source texts.
    pub sources: Rc<SourceMap>,
    pub main_file: FileId,
    /// The files of its modules. `sources` may have others: those of earlier cells, which declare nothing any more.
    pub files: Vec<FileId>,
    /// All functions; `init` and `main` among them.
    pub functions: Vec<Rc<Function>>,
    /// The initialisers of all modules in order of evaluation, as a function: `<program>` in stack traces.
    /// Its statements have spans in different files.
    pub init: FuncId,
    /// `main`. It is called without arguments; its result is ignored.
    pub main: FuncId,
    /// Globals of all modules, in order of declaration, module by module.
    pub globals: Vec<Global>,
    /// For a cell, the number of its own globals, which are the first: `main` declares them one after the other, and all
    /// files see all globals. `None` for a program of files.
    pub declared_by_main: Option<u32>,
    /// The statements, by number.
    pub statements: Vec<StmtInfo>,
    /// The spans of the expressions that consist of several tokens, with what [`Expr::at`] is of each, in the
    /// order of that.
    pub expressions: Vec<ExprSpan>,
}

/// Where an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprSpan {
    /// The position of its run-time errors.
    pub at: Span,
    /// All of it, without parentheses around it.
    pub whole: Span,
}

impl Program {
    /// The function with this number.
    pub fn function(&self, id: FuncId) -> Option<&Rc<Function>> {
        self.functions.get(id.0 as usize)
    }

    /// Whether `main` declares the global, in a cell.
    pub fn is_declared_by_main(&self, id: GlobalId) -> bool {
        self.declared_by_main.is_some_and(|own| id.0 < own)
    }

    /// The table entry of a statement.
    pub fn statement(&self, id: StmtId) -> Option<&StmtInfo> {
        self.statements.get(id.0 as usize)
    }

    /// All of the expression whose run-time errors are at this place; `None` if it is a single token.
    pub fn expression_at(&self, at: Span) -> Option<Span> {
        let found =
            self.expressions.binary_search_by_key(&(at.file, at.start), |it| (it.at.file, it.at.start));
        found.ok().and_then(|index| self.expressions.get(index)).map(|it| it.whole)
    }

    /// The innermost statement whose span (see [`StmtInfo::span`]) contains `at`.
    pub fn statement_around(&self, at: Span) -> Option<StmtId> {
        let around = self.statements.iter().enumerate().filter(|(_, s)| s.steppable && s.contains(at));
        around.min_by_key(|(_, s)| s.span.end - s.span.start).map(|(id, _)| StmtId(id as u32))
    }
}

/// A global variable or constant.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: Rc<str>,
    pub ty: Type,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether anything in the program refers to it (`&`, `ref()`), so that it is kept on the heap.
    pub boxed: bool,
    /// The file that declares it.
    pub file: FileId,
    /// Its name in the declaration.
    pub span: Span,
}

#[derive(Debug)]
pub struct Function {
    /// Its number.
    pub id: FuncId,
    /// Its name in stack traces: `main`, `add`, `module.name` in an imported module, `<program>` for the
    /// initialisers of globals.
    pub name: Rc<str>,
    /// The file that contains it.
    pub file: FileId,
    /// Parameters: the first locals, in order.
    pub params: Vec<Param>,
    /// Result types; empty if there are none.
    pub results: Vec<Type>,
    /// All its variables; the index is the slot.
    pub locals: Vec<Local>,
    /// By number of the scope: its parent (`None` for the outermost).
    pub scopes: Vec<Option<ScopeId>>,
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
    /// Whether it contains `ensure`.
    pub has_ensure: bool,
}

/// A parameter. Calls pass all arguments, so there are no default values here.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its variable.
    pub local: LocalId,
    /// `&name`: the argument is a target, or a value that only the callee can change.
    pub by_ref: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    Parameter,
    /// A named result; declared by a statement at the top of the body.
    Result,
    /// `temp` or `const`.
    Variable,
    /// Variable of a `for` or `for_each`.
    Loop,
    /// Not visible in the program's text.
    Hidden,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: Rc<str>,
    /// Its static type.
    pub ty: Type,
    pub kind: LocalKind,
    /// Whether the program cannot assign to it (`const`, plain parameters, `for` variables).
    pub constant: bool,
    /// Whether it is kept on the heap: `&` parameters, variables used with `&` or `ref()`, variables declared
    /// from `ref(…)`.
    pub boxed: bool,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// The statement that declares it, after which it is visible; `None` for parameters.
    pub declared: Option<StmtId>,
    /// Its name in the source.
    pub span: Span,
}

impl Local {
    /// Whether a debugger's user may give it another value: the program's own rules, except that a parameter
    /// may be set if its value is not a container, which the caller may have, too.
    pub fn is_settable(&self) -> bool {
        let is_container = matches!(self.ty, Type::Array(..) | Type::Map(..) | Type::Struct(_) | Type::Any);
        !self.constant || (self.kind == LocalKind::Parameter && !self.boxed && !is_container)
    }
}

/// What the debugger needs to know about a statement.
#[derive(Clone, Debug)]
pub struct StmtInfo {
    /// Its function.
    pub func: FuncId,
    /// The scope that contains it (for a loop header: the one outside of the loop's own scope).
    pub scope: ScopeId,
    /// The scope of the loop's variable and body, for loop headers.
    pub loop_scope: Option<ScopeId>,
    /// The statement; for those with a block, the head up to the `{`.
    pub span: Span,
    /// The position shown for a stop before it: its first token.
    pub at: Span,
    /// Whether the debugger can stop before it.
    pub steppable: bool,
}

impl StmtInfo {
    /// Whether its span contains the beginning of `at`.
    pub fn contains(&self, at: Span) -> bool {
        self.span.file == at.file && self.span.start <= at.start && at.start < self.span.end
    }
}

impl Function {
    /// A scope and those that contain it, from the inside out.
    pub fn enclosing(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut chain = vec![scope];
        while let Some(Some(parent)) = chain.last().and_then(|s| self.scopes.get(s.0 as usize)) {
            chain.push(*parent);
        }
        chain
    }

    /// The locals visible in `scope` before statement `at`, in order of declaration; inner ones hide outer
    /// ones of the same name.
    pub fn visible(&self, scope: ScopeId, at: StmtId) -> Vec<LocalId> {
        let chain = self.enclosing(scope);
        let mut names = HashSet::default();
        let mut found: Vec<LocalId> = Vec::new();
        for (index, local) in self.locals.iter().enumerate().rev() {
            let declared = local.declared.is_none_or(|d| d < at);
            let is_candidate = local.kind != LocalKind::Hidden && declared && chain.contains(&local.scope);
            if is_candidate && names.insert(&*local.name) {
                found.push(LocalId(index as u32));
            }
        }
        found.reverse();
        found
    }

    /// The local with this number.
    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.0 as usize)
    }
}

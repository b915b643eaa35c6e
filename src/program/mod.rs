//! What runs: functions with resolved slots, typed expressions, numbered statements with their
//! places, and the tables by which the debugger finds variables and statements.
//!
//! Plain data, made by `check`, read by `interp` (which builds closures from it) and by `debug`.
//! Everything that needs names or types was decided before: a name is a local or global number, a
//! call a function number or a library row, a field an index, a conversion a node of its own.
//! What EZ rejects only when it runs is an [`ExprKind::Raise`] or [`StmtKind::Raise`].

use serde::{Deserialize, Serialize};

mod escape;
mod expr;
mod stmt;
pub mod visit;

use std::rc::Rc;

use crate::source::{FileId, SourceMap, Span};
use crate::value::Type;

pub use escape::unbox_non_escaping;
pub use expr::{
    Arg, Builtin, Expr, ExprKind, InterpPart, Native, Place, PlaceKind, Raise, StoreKind, StoreSite,
};
pub use stmt::{Arm, Block, Case, Discard, Stmt, StmtKind, Target, WhenArm};

/// Number of a function in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FuncId(pub u32);

/// Number of a global in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// Number of a local in [`Function::locals`]; also its slot in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// Number of a statement in [`Program::statements`]; within a function in source order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);

/// Number of a scope in [`Function::scopes`]; 0 is the function's outermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// A checked program.
#[derive(Debug)]
pub struct Program {
    /// All its texts.
    pub sources: Rc<SourceMap>,
    /// The file that was named to run.
    pub main_file: FileId,
    /// All functions; `init` and `main` among them.
    pub functions: Vec<Rc<Function>>,
    /// File-level evaluation, `<program>` in stack traces: the initialisers of all modules in the
    /// order of evaluation (its statements carry spans in different files).
    pub init: FuncId,
    /// `main`. It is called without arguments; a declared result is ignored.
    pub main: FuncId,
    /// Globals of all modules, in order of declaration, module by module.
    pub globals: Vec<Global>,
    /// One entry a statement.
    pub statements: Vec<StmtInfo>,
}

impl Program {
    /// The function with this number.
    pub fn function(&self, id: FuncId) -> Option<&Rc<Function>> {
        self.functions.get(id.0 as usize)
    }

    /// What is known of a statement.
    pub fn statement(&self, id: StmtId) -> Option<&StmtInfo> {
        self.statements.get(id.0 as usize)
    }

    /// The innermost statement whose span (see [`StmtInfo::span`]) holds a place.
    pub fn statement_around(&self, at: Span) -> Option<StmtId> {
        let holds =
            |s: &StmtInfo| s.span.file == at.file && s.span.start <= at.start && at.start < s.span.end;
        let around = self.statements.iter().enumerate().filter(|(_, s)| s.steppable && holds(s));
        around.min_by_key(|(_, s)| s.span.end - s.span.start).map(|(id, _)| StmtId(id as u32))
    }
}

/// A global variable or constant.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: Type,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether it is referred to (`&`, `ref()`) anywhere in the program, so that it is kept as a
    /// place on the heap.
    pub boxed: bool,
    /// The file that declares it.
    pub file: FileId,
    /// Its name there.
    pub span: Span,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its number.
    pub id: FuncId,
    /// Its name as stack frames show it: `main`, `add`, `module.name` for one of an imported module,
    /// `<program>` for file-level evaluation.
    pub name: Rc<str>,
    /// The file it stands in.
    pub file: FileId,
    /// Parameters: the first locals, in order.
    pub params: Vec<Param>,
    /// Result types (empty: none).
    pub results: Vec<Type>,
    /// All its variables; the index is the slot.
    pub locals: Vec<Local>,
    /// Scopes by number; the entry is the parent (`None` for the outermost).
    pub scopes: Vec<Option<ScopeId>>,
    /// Its body.
    pub body: Block,
    /// All of the declaration.
    pub span: Span,
    /// Whether it contains `ensure`.
    pub has_ensure: bool,
}

/// A parameter. Defaults are no part of it: calls carry all arguments.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its variable.
    pub local: LocalId,
    /// `&name`: the argument is a place, or a value that the callee may change for itself.
    pub by_ref: bool,
}

/// What a local is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter.
    Parameter,
    /// A named result; declared by a statement at the top of the body.
    Result,
    /// `temp` or `const`.
    Variable,
    /// Variable of a `for` or `for_each`.
    Loop,
    /// Nothing the program named.
    Hidden,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Rc<str>,
    /// Its static type.
    pub ty: Type,
    /// What it is.
    pub kind: LocalKind,
    /// Whether the program may not assign it (`const`, plain parameters, `for` variables).
    pub constant: bool,
    /// Whether it is kept as a place on the heap: `&` parameters, variables used with `&` or
    /// `ref()`, variables declared from `ref(…)`.
    pub boxed: bool,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// The statement that declares it: it is visible behind that one. `None` for parameters.
    pub declared: Option<StmtId>,
    /// Its name in the source.
    pub span: Span,
}

/// What the debugger knows of a statement.
#[derive(Clone, Debug)]
pub struct StmtInfo {
    /// Its function.
    pub func: FuncId,
    /// The scope it stands in (for a loop header: outside of the loop's own scope).
    pub scope: ScopeId,
    /// The scope of the loop's variable and body, for loop headers.
    pub loop_scope: Option<ScopeId>,
    /// The statement, or its head up to the `{` for those with a block.
    pub span: Span,
    /// Where a stop before it is shown: its first token.
    pub at: Span,
    /// Whether the debugger stops at it.
    pub steppable: bool,
}

impl Function {
    /// The scope and those around it, from the inside out.
    pub fn enclosing(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut chain = vec![scope];
        while let Some(Some(parent)) = chain.last().and_then(|s| self.scopes.get(s.0 as usize)) {
            chain.push(*parent);
        }
        chain
    }

    /// The locals visible at a statement in `scope` before statement `at` runs: declaration order,
    /// inner ones hiding outer ones of the same name.
    pub fn visible(&self, scope: ScopeId, at: StmtId) -> Vec<LocalId> {
        let chain = self.enclosing(scope);
        let mut found: Vec<LocalId> = Vec::new();
        for (index, local) in self.locals.iter().enumerate() {
            let declared = local.declared.is_none_or(|d| d < at);
            if local.kind == LocalKind::Hidden || !declared || !chain.contains(&local.scope) {
                continue;
            }
            found.retain(|id| self.locals.get(id.0 as usize).is_none_or(|l| l.name != local.name));
            found.push(LocalId(index as u32));
        }
        found
    }

    /// The local with this number.
    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.0 as usize)
    }
}

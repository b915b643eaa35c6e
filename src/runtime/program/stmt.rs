//! Statements of a program.

use std::rc::Rc;

use crate::source::Span;
use crate::value::EnumDef;

use super::{ArithOp, Expr, GlobalId, LocalId, Raise, ScopeId, StmtId, Target};

/// Statements with a scope of their own.
#[derive(Clone, Debug)]
pub struct Block {
    pub scope: ScopeId,
    /// Both braces included.
    pub span: Span,
    /// Its statements, in order.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its number; its entry in the debugger's table is in `Program::statements`.
    pub id: StmtId,
    /// First token of the statement.
    pub at: Span,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement writes to.
#[derive(Clone, Copy, Debug)]
pub enum Written<'s> {
    /// A local that it declares, or its loop variable.
    Local(LocalId),
    /// A global that it declares.
    Global(GlobalId),
    /// A target that it assigns.
    Target(&'s Target),
}

impl Stmt {
    /// What the statement itself writes to after its expressions were computed, in order. What these change, and
    /// what its blocks do, is not part of it.
    pub fn written(&self) -> Vec<Written<'_>> {
        use StmtKind::*;
        match &self.kind {
            Declare { local, .. } | DeclareRef { local, .. } => vec![Written::Local(*local)],
            DeclareGlobal { global, .. } | DeclareGlobalRef { global, .. } => vec![Written::Global(*global)],
            For { var, .. } => vec![Written::Local(*var)],
            ForEach { index, var, .. } => {
                index.iter().chain([var]).map(|local| Written::Local(*local)).collect()
            }
            Assign { target, .. } | OpAssign { target, .. } => vec![Written::Target(target)],
            Unpack { targets, .. } => {
                let written = |target| match target {
                    &UnpackTarget::Declare(local) => Some(Written::Local(local)),
                    &UnpackTarget::DeclareGlobal(global) => Some(Written::Global(global)),
                    UnpackTarget::Assign(target) => Some(Written::Target(target)),
                    UnpackTarget::Skip => None,
                };
                targets.iter().filter_map(written).collect()
            }
            DefineEnum { .. } | Expr { .. } | If { .. } | When { .. } | While { .. } | Loop { .. } => {
                Vec::new()
            }
            Return(_) | Break | Continue | Ensure { .. } | Raise(_) => Vec::new(),
        }
    }

    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        matches!(self.kind.class(), StmtClass::Iteration)
    }
}

/// What a kind of statement does, for questions that need no more.
#[derive(Clone, Copy, Debug)]
pub enum StmtClass<'s> {
    /// Evaluates this, and stores the value where it has a target.
    Evaluation(&'s Expr),
    /// Makes a variable another name for a target.
    Reference,
    /// Defines a type.
    Definition,
    /// Runs one of its blocks, or none.
    Selection,
    /// A loop.
    Iteration,
    /// Continues elsewhere.
    Jump,
    /// Registers a call for later.
    Deferral,
    /// Raises an error.
    Raise,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
// A tree that is built once and read: boxes would only cost.
#[allow(clippy::large_enum_variant)]
pub enum StmtKind {
    /// Creates a variable (a new one each time it runs) and sets its value. `value` has the variable's type
    /// (conversions, copies and range checks are nodes in it). A declaration without a value has the type's
    /// default here, and the debugger does not stop before it.
    Declare {
        /// The variable.
        local: LocalId,
        value: Expr,
    },
    /// `temp r = ref(x)`: the (boxed) variable becomes another name for the target.
    DeclareRef {
        /// The variable.
        local: LocalId,
        /// What it refers to.
        target: Target,
        /// The call of `ref`.
        at: Span,
    },
    /// First assignment of a global (file-level declaration); as `Assign` but allowed for constants.
    DeclareGlobal {
        global: GlobalId,
        /// Its value, of the global's type.
        value: Expr,
    },
    /// `temp r = ref(x)` in a cell: the (boxed) global becomes another name for the target.
    DeclareGlobalRef {
        global: GlobalId,
        /// What it refers to.
        target: Target,
    },
    /// An enum whose member values are computed at run time.
    DefineEnum {
        def: Rc<EnumDef>,
        /// Members with their values; `None` continues from the previous one.
        members: Vec<(Rc<str>, Option<Expr>)>,
        /// `#flags`.
        flags: bool,
    },
    /// `target = value`. Order: value, then the target's container and index. `value` has the target's
    /// type.
    Assign {
        /// The target.
        target: Target,
        value: Expr,
        /// Errors of the store: last token of the target.
        at: Span,
    },
    /// `target op= value`: value first, then the old value; the target is evaluated once.
    OpAssign {
        /// The target.
        target: Target,
        /// The operator.
        op: ArithOp,
        /// The right operand, unconverted (its own type).
        value: Expr,
        /// Errors of operator and store: last token of the target.
        at: Span,
    },
    /// `temp a, b = f()` and `a, b = f()`: a wrong number of values is E5012 at `at`.
    Unpack {
        /// Where the values go.
        targets: Vec<UnpackTarget>,
        /// A tuple (anything else counts as one value).
        value: Expr,
        /// `temp`/`const`, or the first name of an assignment.
        at: Span,
    },
    /// An expression whose value is not used.
    Expr {
        /// The expression.
        expr: Expr,
        /// Whether the value may be ignored.
        discard: Discard,
    },
    /// `return`: values of the result types, in order.
    Return(Vec<Expr>),
    /// `if … or … otherwise …`. Arm 0 has the statement's own number.
    If {
        /// The conditions with their blocks.
        arms: Vec<Arm>,
        /// The last block.
        otherwise: Option<Block>,
    },
    /// `when`.
    When {
        /// The subject, evaluated once.
        subject: Expr,
        /// Cases in order, first match wins.
        arms: Vec<WhenArm>,
        /// `default`.
        default: Option<Block>,
    },
    /// `for i in range(start, end, step)`, with integers of any size.
    For {
        /// The variable (hidden for `_`). Its type is an integer type.
        var: LocalId,
        /// First number.
        start: Expr,
        /// End, exclusive.
        end: Expr,
        /// Step; 1 if missing.
        step: Option<Expr>,
        body: Block,
    },
    /// `for_each i, x in e` over an array, string, or a value of unknown type (checked at run time, E3017).
    ForEach {
        /// The index variable.
        index: Option<LocalId>,
        /// The element variable (hidden for `_`).
        var: LocalId,
        /// The collection.
        iterable: Expr,
        body: Block,
    },
    /// `as_long_as`.
    While {
        /// The condition, bool.
        cond: Expr,
        body: Block,
    },
    /// `loop`.
    Loop { body: Block },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// Registers a call to be executed when the function ends; nothing is evaluated now.
    Ensure { call: Expr },
    /// Raises an error.
    Raise(Raise),
}

impl StmtKind {
    /// What it does.
    pub fn class(&self) -> StmtClass<'_> {
        use StmtKind::*;
        match self {
            Declare { value, .. } | DeclareGlobal { value, .. } => StmtClass::Evaluation(value),
            Assign { value, .. } | OpAssign { value, .. } => StmtClass::Evaluation(value),
            Unpack { value, .. } | Expr { expr: value, .. } => StmtClass::Evaluation(value),
            DeclareRef { .. } | DeclareGlobalRef { .. } => StmtClass::Reference,
            DefineEnum { .. } => StmtClass::Definition,
            If { .. } | When { .. } => StmtClass::Selection,
            For { .. } | ForEach { .. } | While { .. } | Loop { .. } => StmtClass::Iteration,
            Return(_) | Break | Continue => StmtClass::Jump,
            Ensure { .. } => StmtClass::Deferral,
            Raise(_) => StmtClass::Raise,
        }
    }
}

/// Whether the value of an expression statement may be ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discard {
    /// It may be, except several values (E5011).
    Fine,
    /// A single result of a user function called by its plain name may not, unless it is nil: E5011.
    Used,
}

/// Where a value of a tuple goes.
#[derive(Clone, Debug)]
pub enum UnpackTarget {
    /// `_`
    Skip,
    /// A new variable; the value is copied and converted to its type.
    Declare(LocalId),
    /// A global being declared.
    DeclareGlobal(GlobalId),
    /// An assignment; the value is copied and converted to the target's type.
    Assign(Target),
}

/// A condition with its block.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its number: the debugger can stop before each `or` condition.
    pub id: StmtId,
    /// `if` or `or`.
    pub at: Span,
    /// The condition, bool.
    pub cond: Expr,
    pub body: Block,
}

/// The cases of one `is`.
#[derive(Clone, Debug)]
pub struct WhenArm {
    pub cases: Vec<Case>,
    pub body: Block,
}

/// A case of a `when`.
#[derive(Clone, Debug)]
pub enum Case {
    /// Matches an equal value (kinds must agree: [`crate::value::member_equal`]).
    Equal(Expr),
    /// A `range(…)` expression: matches an integer inside it.
    Range(Expr),
}

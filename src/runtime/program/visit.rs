//! Traversal of statements and expressions.

use super::{
    Arg, Arm, Block, Case, Expr, ExprKind, FuncId, InterpPart, Stmt, StmtKind, Target, TargetKind,
    UnpackTarget, WhenArm,
};

/// How a target is used where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is assigned.
    Stored,
    /// A reference to it is created that may be kept (`ref()`).
    Referred,
    /// It is passed to this parameter of this function.
    Passed(FuncId, usize),
}

/// Is called for everything in source order. `expr` is called before the parts of an expression. Containers
/// and indices in targets are visited as expressions, too.
pub trait Visitor {
    /// A statement, before its parts.
    fn stmt(&mut self, _: &Stmt) {}
    /// An expression, before its parts.
    fn expr(&mut self, _: &Expr) {}
    /// An expression, after its parts: in order of evaluation.
    fn computed(&mut self, _: &Expr) {}
    /// A target, and how it is used.
    fn target(&mut self, _: &Target, _: Use) {}
}

/// The blocks of a kind of statement: one list for shared and for exclusive access.
macro_rules! blocks_of {
    ($kind:expr, $iter:ident) => {
        match $kind {
            If { arms, otherwise } => arms.$iter().map(|Arm { body, .. }| body).chain(otherwise).collect(),
            When { arms, default, .. } => {
                arms.$iter().map(|WhenArm { body, .. }| body).chain(default).collect()
            }
            For { body, .. } | ForEach { body, .. } | While { body, .. } | Loop { body } => vec![body],
            Declare { .. } | DeclareRef { .. } | DeclareGlobal { .. } | DeclareGlobalRef { .. } => Vec::new(),
            DefineEnum { .. } | Assign { .. } | OpAssign { .. } | Unpack { .. } | Expr { .. } => Vec::new(),
            Return(_) | Break | Continue | Ensure { .. } | Raise(_) => Vec::new(),
        }
    };
}

/// The blocks of a statement.
pub fn blocks(stmt: &Stmt) -> Vec<&Block> {
    use StmtKind::*;
    blocks_of!(&stmt.kind, iter)
}

/// [`blocks`], to be changed.
pub fn blocks_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    use StmtKind::*;
    blocks_of!(&mut stmt.kind, iter_mut)
}

/// Visits statements with all their parts.
pub fn walk(stmts: &[Stmt], v: &mut dyn Visitor) {
    for stmt in stmts {
        walk_stmt(stmt, v);
    }
}

/// Visits a statement with all its parts.
pub fn walk_stmt(stmt: &Stmt, v: &mut dyn Visitor) {
    walk_head(stmt, v);
    for block in blocks(stmt) {
        walk(&block.stmts, v);
    }
}

/// Visits a statement without its blocks.
pub fn walk_head(stmt: &Stmt, v: &mut dyn Visitor) {
    v.stmt(stmt);
    walk_parts(stmt, v);
}

/// Visits the expressions and targets of a statement, but not its blocks.
pub fn walk_parts(stmt: &Stmt, v: &mut dyn Visitor) {
    match &stmt.kind {
        StmtKind::Declare { value, .. } | StmtKind::DeclareGlobal { value, .. } => walk_expr(value, v),
        StmtKind::DeclareRef { target, .. } | StmtKind::DeclareGlobalRef { target, .. } => {
            walk_target(target, Use::Referred, v)
        }
        StmtKind::DefineEnum { members, .. } => {
            members.iter().filter_map(|(_, value)| value.as_ref()).for_each(|e| walk_expr(e, v));
        }
        StmtKind::Assign { target, value, .. } | StmtKind::OpAssign { target, value, .. } => {
            walk_expr(value, v);
            walk_target(target, Use::Stored, v);
        }
        StmtKind::Unpack { targets, value, .. } => {
            walk_expr(value, v);
            for target in targets {
                if let UnpackTarget::Assign(target) = target {
                    walk_target(target, Use::Stored, v);
                }
            }
        }
        StmtKind::Expr { expr, .. } | StmtKind::Ensure { call: expr } => walk_expr(expr, v),
        StmtKind::Return(values) => values.iter().for_each(|e| walk_expr(e, v)),
        StmtKind::If { arms, .. } => arms.iter().for_each(|a| walk_expr(&a.cond, v)),
        StmtKind::When { subject, arms, .. } => {
            walk_expr(subject, v);
            for case in arms.iter().flat_map(|a| &a.cases) {
                let (Case::Equal(e) | Case::Range(e)) = case;
                walk_expr(e, v);
            }
        }
        StmtKind::For { start, end, step, .. } => {
            [Some(start), Some(end), step.as_ref()].into_iter().flatten().for_each(|e| walk_expr(e, v));
        }
        StmtKind::ForEach { iterable, .. } => walk_expr(iterable, v),
        StmtKind::While { cond, .. } => walk_expr(cond, v),
        StmtKind::Loop { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Raise(_) => {}
    }
}

/// Visits a target, then its parts.
fn walk_target(target: &Target, how: Use, v: &mut dyn Visitor) {
    v.target(target, how);
    match &target.kind {
        TargetKind::Local(_) | TargetKind::Global(_) => {}
        TargetKind::Index { base, index, .. } => {
            walk_expr(base, v);
            walk_expr(index, v);
        }
        TargetKind::Char { base, index } => {
            walk_target(base, how, v);
            walk_expr(index, v);
        }
        TargetKind::Field { base, .. } | TargetKind::FieldNamed { base, .. } => walk_expr(base, v),
    }
}

/// Visits an expression and its parts.
pub fn walk_expr(e: &Expr, v: &mut dyn Visitor) {
    v.expr(e);
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::EnumMember(..)
        | ExprKind::Default
        | ExprKind::New
        | ExprKind::Raise(_) => {}
        ExprKind::Neg(a)
        | ExprKind::Not(a)
        | ExprKind::Field(a, _)
        | ExprKind::FieldNamed(a, _)
        | ExprKind::Convert { value: a, .. }
        | ExprKind::ConvertArray(a)
        | ExprKind::Store(a, _)
        | ExprKind::Copy { value: a, .. } => walk_expr(a, v),
        ExprKind::Arith(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Index(a, b)
        | ExprKind::In { item: a, container: b, .. } => {
            walk_expr(a, v);
            walk_expr(b, v);
        }
        ExprKind::Array(items) | ExprKind::Builtin { args: items, .. } => {
            items.iter().for_each(|item| walk_expr(item, v));
        }
        ExprKind::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            walk_expr(key, v);
            walk_expr(value, v);
        }),
        ExprKind::Struct(_, fields) => fields.iter().for_each(|(_, value)| walk_expr(value, v)),
        ExprKind::Interp(parts) => parts.iter().for_each(|part| {
            if let InterpPart::Value(value) = part {
                walk_expr(value, v);
            }
        }),
        ExprKind::Range(start, end, step) => {
            walk_expr(start, v);
            walk_expr(end, v);
            step.iter().for_each(|e| walk_expr(e, v));
        }
        ExprKind::Call { func, args } => args.iter().enumerate().for_each(|(i, arg)| match arg {
            Arg::Value(value) => walk_expr(value, v),
            Arg::Ref(target) => walk_target(target, Use::Passed(*func, i), v),
        }),
        ExprKind::Native(native) => native.args.iter().for_each(|arg| walk_expr(arg, v)),
        ExprKind::Postfix(target, _) => walk_target(target, Use::Stored, v),
        ExprKind::RefTo(target) => walk_target(target, Use::Referred, v),
    }
    v.computed(e);
}

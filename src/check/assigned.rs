//! Finds assignments in a function that follow a declaration.

use crate::syntax::ast::{Block, ExprKind, Stmt, StmtKind};

/// Whether anything in the block assigns to the variable `name` itself.
pub(crate) fn assigns(block: &Block, name: &str) -> bool {
    block.stmts.iter().any(|stmt| assigned_by(stmt, name))
}

fn assigned_by(stmt: &Stmt, name: &str) -> bool {
    match &stmt.kind {
        StmtKind::Assign(assign) => matches!(&assign.target.kind, ExprKind::Name(n) if &**n == name),
        StmtKind::MultiAssign { names, .. } => names.iter().any(|n| &*n.text == name),
        StmtKind::If { branches, otherwise } => {
            branches.iter().any(|b| assigns(&b.body, name))
                || otherwise.as_ref().is_some_and(|b| assigns(b, name))
        }
        StmtKind::When(when) => {
            when.cases.iter().any(|c| assigns(&c.body, name))
                || when.default.as_ref().is_some_and(|b| assigns(b, name))
        }
        StmtKind::For { body, .. }
        | StmtKind::ForEach { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::Loop { body, .. } => assigns(body, name),
        StmtKind::Var(_)
        | StmtKind::Struct(_)
        | StmtKind::Enum(_)
        | StmtKind::Func(_)
        | StmtKind::Expr(_)
        | StmtKind::Return { .. }
        | StmtKind::Ensure { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Using(_) => false,
    }
}

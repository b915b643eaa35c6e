//! Finds assignments in a function that follow a declaration.

use crate::syntax::ast::{Block, StmtKind};

use super::flow::any_stmt;

/// Whether anything in the block assigns to the variable `name` itself.
pub fn assigns(block: &Block, name: &str) -> bool {
    any_stmt(block, &|kind| match kind {
        StmtKind::Assign(assign) => assign.target.name().is_some_and(|target| &**target == name),
        StmtKind::MultiAssign { names, .. } => names.iter().any(|target| &*target.text == name),
        StmtKind::Var(_)
        | StmtKind::Struct(_)
        | StmtKind::Enum(_)
        | StmtKind::Func(_)
        | StmtKind::Expr(_)
        | StmtKind::Return { .. }
        | StmtKind::Ensure { .. }
        | StmtKind::If { .. }
        | StmtKind::When(_)
        | StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Loop { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Using(_) => false,
    })
}

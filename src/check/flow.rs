//! Whether functions with results return on every path (docs/language/functions.md#results).

use crate::syntax::ast::{Block, Stmt, StmtKind};

/// Whether the block counts as having a `return` (E3024). Bodies of `loop` are not searched, and a
/// `when` counts only if all of its blocks have one.
pub(crate) fn has_return(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return { .. } => true,
        StmtKind::If { branches, otherwise } => {
            branches.iter().any(|b| has_return(&b.body)) || otherwise.as_ref().is_some_and(has_return)
        }
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            has_return(body)
        }
        _ => when_all(stmt, has_return),
    })
}

/// Whether a statement of the block, at any depth, is a `return` with a value.
pub(crate) fn returns_value(block: &Block) -> bool {
    any_stmt(block, &|kind| matches!(kind, StmtKind::Return { values, .. } if !values.is_empty()))
}

/// Whether a statement of the block, at any depth, passes the test.
pub(crate) fn any_stmt(block: &Block, test: &dyn Fn(&StmtKind) -> bool) -> bool {
    let inside = |block: &Block| any_stmt(block, test);
    block.stmts.iter().any(|stmt| {
        test(&stmt.kind)
            || match &stmt.kind {
                StmtKind::If { branches, otherwise } => {
                    branches.iter().any(|b| inside(&b.body)) || otherwise.as_ref().is_some_and(inside)
                }
                StmtKind::For { body, .. }
                | StmtKind::ForEach { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::Loop { body, .. } => inside(body),
                StmtKind::When(when) => {
                    when.default.as_ref().is_some_and(inside) || when.cases.iter().any(|c| inside(&c.body))
                }
                _ => false,
            }
    })
}

/// Whether every path through the block meets a `return`. Loops never count.
pub(crate) fn always_returns(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return { .. } => true,
        StmtKind::If { branches, otherwise: Some(otherwise) } => {
            branches.iter().all(|b| always_returns(&b.body)) && always_returns(otherwise)
        }
        _ => when_all(stmt, always_returns),
    })
}

/// Whether it is a `when` with `default` whose blocks all pass the test.
fn when_all(stmt: &Stmt, test: fn(&Block) -> bool) -> bool {
    match &stmt.kind {
        StmtKind::When(when) => {
            when.default.as_ref().is_some_and(test) && when.cases.iter().all(|c| test(&c.body))
        }
        _ => false,
    }
}

//! Whether functions with results return on every path (docs/language/functions.md#results).

use crate::syntax::ast::{Block, StmtKind, When};

/// Whether the block counts as having a `return` (E3024). Bodies of `loop` are not searched, and a
/// `when` counts only if all of its blocks have one.
pub fn has_return(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        if let StmtKind::When(when) = &stmt.kind {
            return when_all(when, has_return);
        }
        let is_searched = !matches!(stmt.kind, StmtKind::Loop { .. });
        matches!(stmt.kind, StmtKind::Return { .. })
            || is_searched && stmt.blocks().into_iter().any(has_return)
    })
}

/// Whether a statement of the block, at any depth, is a `return` with a value.
pub fn returns_value(block: &Block) -> bool {
    any_stmt(block, &|kind| matches!(kind, StmtKind::Return { values, .. } if !values.is_empty()))
}

/// Whether a statement of the block, at any depth, passes the test.
pub fn any_stmt(block: &Block, test: &dyn Fn(&StmtKind) -> bool) -> bool {
    let mut stmts = block.stmts.iter();
    stmts.any(|stmt| test(&stmt.kind) || stmt.blocks().into_iter().any(|block| any_stmt(block, test)))
}

/// Whether every path through the block meets a `return`. Loops never count.
pub fn always_returns(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        if let StmtKind::When(when) = &stmt.kind {
            return when_all(when, always_returns);
        }
        let has_otherwise = matches!(stmt.kind, StmtKind::If { otherwise: Some(_), .. });
        matches!(stmt.kind, StmtKind::Return { .. })
            || has_otherwise && stmt.blocks().into_iter().all(always_returns)
    })
}

/// Whether it has a `default`, and all blocks pass the test.
fn when_all(when: &When, test: fn(&Block) -> bool) -> bool {
    when.default.as_ref().is_some_and(test) && when.cases.iter().all(|case| test(&case.body))
}

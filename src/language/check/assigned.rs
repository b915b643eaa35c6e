//! Finds assignments in a function that follow a declaration.

use crate::syntax::ast::{Block, StmtKind};

use super::flow::any_stmt;

/// Whether anything in the block assigns to the variable `name` itself.
pub fn assigns(block: &Block, name: &str) -> bool {
    any_stmt(block, &|kind| {
        if let StmtKind::Assign(assign) = kind {
            return assign.target.name().is_some_and(|target| &**target == name);
        }
        let StmtKind::MultiAssign { names, .. } = kind else { return false };
        names.iter().any(|target| &*target.text == name)
    })
}

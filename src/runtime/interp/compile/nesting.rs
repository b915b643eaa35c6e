//! How deep the nodes of a function are nested, which is how deep its closures call each other.

use crate::program::visit::{Visitor, blocks, walk_parts};
use crate::program::{Expr, Stmt};
use crate::sync::ALONE;

#[derive(Default)]
struct Levels {
    now: u32,
    most: u32,
}

impl Visitor for Levels {
    fn expr(&mut self, _: &Expr) {
        self.now += 1;
        self.most = self.most.max(self.now);
    }

    fn computed(&mut self, _: &Expr) {
        self.now -= 1;
    }
}

/// The levels of statements and expressions, where the stack is made larger because of them; else 0.
pub(super) fn levels(stmts: &[Stmt]) -> u32 {
    if !ALONE {
        return 0;
    }
    let of_stmt = |stmt: &Stmt| {
        let mut parts = Levels::default();
        walk_parts(stmt, &mut parts);
        let inner = blocks(stmt).into_iter().map(|block| levels(&block.stmts)).max();
        parts.most.max(inner.unwrap_or(0)) + 1
    };
    stmts.iter().map(of_stmt).max().unwrap_or(0)
}

//! Finds copies that cannot be observed: `items[j] = t` where `t` is never read again.
//!
//! A local dies in a statement if it is declared in the same block and this is the last statement that reads
//! it, as a whole value. Then its object can be passed on instead of being copied. Loops make no difference:
//! the declaration runs again before the next read.

use std::collections::{BTreeSet, HashMap};

use crate::interp::slots::Slot;
use crate::program::visit::{Use, Visitor, blocks, walk_stmt};
use crate::program::{Block, Expr, ExprKind, Function, LocalId, Place, PlaceKind, Stmt, StmtId, StmtKind};

/// The statements in which a copied local dies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    dying: HashMap<StmtId, LocalId>,
}

impl Moves {
    /// Analyses a function. One with `ensure` has no moves, since the ensured calls read locals at the end.
    pub fn of(function: &Function) -> Moves {
        let mut moves = Moves::default();
        if !function.has_ensure {
            moves.block(function, &function.body);
        }
        moves
    }

    /// Whether `local` dies in `stmt`.
    pub fn dies(&self, stmt: StmtId, local: LocalId) -> bool {
        self.dying.get(&stmt) == Some(&local)
    }

    /// The locals that die in some statement.
    pub fn locals(&self) -> Box<[Slot]> {
        let unique: BTreeSet<Slot> = self.dying.values().map(|local| Slot::new(local.0)).collect();
        unique.into_iter().collect()
    }

    /// Whether `local` dies in some statement.
    pub fn has(&self, local: LocalId) -> bool {
        self.dying.values().any(|dying| *dying == local)
    }

    fn block(&mut self, function: &Function, block: &Block) {
        for (i, stmt) in block.stmts.iter().enumerate() {
            if let StmtKind::Declare { local, .. } = &stmt.kind
                && function.local(*local).is_some_and(|l| !l.boxed && l.ty.is_container())
            {
                self.declared(*local, block.stmts.get(i + 1..).unwrap_or_default());
            }
            for inner in blocks(stmt) {
                self.block(function, inner);
            }
        }
    }

    fn declared(&mut self, local: LocalId, rest: &[Stmt]) {
        let last = rest.iter().rposition(|s| reads_in_stmt(s, local) > 0);
        let Some(stmt) = last.and_then(|i| rest.get(i)) else { return };
        let value = match &stmt.kind {
            StmtKind::Assign { value, .. } | StmtKind::Declare { value, .. } => value,
            _ => return,
        };
        let whole = matches!(&value.kind, ExprKind::Copy { value, .. } if matches!(value.kind, ExprKind::Local(id) if id == local));
        if whole && reads_in_stmt(stmt, local) == 1 {
            self.dying.insert(stmt.id, local);
        }
    }
}

/// How often a statement, nested blocks included, mentions the local.
fn reads_in_stmt(stmt: &Stmt, local: LocalId) -> usize {
    struct Count(LocalId, usize);
    impl Visitor for Count {
        fn expr(&mut self, e: &Expr) {
            if matches!(e.kind, ExprKind::Local(id) if id == self.0) {
                self.1 += 1;
            }
        }
        fn place(&mut self, place: &Place, _: Use) {
            if matches!(place.kind, PlaceKind::Local(id) if id == self.0) {
                self.1 += 1;
            }
        }
    }
    let mut count = Count(local, 0);
    walk_stmt(stmt, &mut count);
    count.1
}

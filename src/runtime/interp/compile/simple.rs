//! Which statements may be followed by others in a segment: they run no other statements, or only plain ones in arms, and
//! nothing that waits, or looks at the number of its place.

use crate::program::visit::{Visitor, walk_expr, walk_head};
use crate::program::{Builtin, Callee, Expr, ExprClass, ExprKind, Native, Stmt, StmtClass, StmtId, StmtKind};

use super::Compiler;
use super::containers::is_access;
use super::quick::quick;

/// Most statements of a segment, or of an arm in it: a breakpoint in it makes all of them check their flags.
pub(super) const LONGEST: usize = 32;

impl Compiler<'_> {
    /// The number of statements of the segment at the beginning of these.
    pub(super) fn segment_length(&self, stmts: &[Stmt]) -> usize {
        self.length_of(stmts, |stmt| is_plain(stmt) || self.has_simple_arms(stmt) || leaves(stmt))
    }

    /// The number of statements of the segment at the beginning of these, where each `if` ends it.
    pub(super) fn plain_length(&self, stmts: &[Stmt]) -> usize {
        self.length_of(stmts, is_plain)
    }

    fn length_of(&self, stmts: &[Stmt], goes_on: impl Fn(&Stmt) -> bool) -> usize {
        let before =
            stmts.iter().take(self.longest.saturating_sub(1)).take_while(|stmt| goes_on(stmt)).count();
        stmts.len().min(before + 1)
    }

    /// Whether a statement is an `if` with conditions that only read, whose arms run plain statements and nothing else, but
    /// may leave.
    pub(super) fn has_simple_arms(&self, stmt: &Stmt) -> bool {
        let StmtKind::If { arms, otherwise } = &stmt.kind else { return false };
        self.longest > 1
            && arms.iter().all(|arm| only_reads(&arm.cond) && is_simple_block(&arm.body.stmts))
            && otherwise.as_ref().is_none_or(|block| is_simple_block(&block.stmts))
    }
}

fn is_simple_block(stmts: &[Stmt]) -> bool {
    let Some((last, before)) = stmts.split_last() else { return true };
    stmts.len() <= LONGEST && before.iter().all(is_plain) && (is_plain(last) || is_simple_end(last))
}

/// Whether a statement leaves its block, and does nothing before but evaluate results.
fn is_simple_end(stmt: &Stmt) -> bool {
    if let StmtKind::Return(values) = &stmt.kind {
        return values.iter().all(is_quiet);
    }
    matches!(stmt.kind, StmtKind::Break | StmtKind::Continue)
}

/// The statement, or arm of an `if`, whose place is the first of a statement.
pub(super) fn first_place(stmt: &Stmt) -> StmtId {
    if let StmtKind::If { arms, .. } = &stmt.kind
        && let Some(arm) = arms.first()
    {
        return arm.id;
    }
    stmt.id
}

/// Whether a statement runs no other statements, and nothing that waits, or looks at the number of its place.
pub(super) fn is_plain(stmt: &Stmt) -> bool {
    let is_global = matches!(stmt.kind, StmtKind::DeclareGlobal { .. });
    if is_global || !matches!(stmt.kind.class(), StmtClass::Evaluation(_)) {
        return false;
    }
    let mut simple = Simple(true);
    walk_head(stmt, &mut simple);
    simple.0
}

/// Whether a statement does nothing, after evaluating a simple condition that writes nothing, or leaves its block.
pub(super) fn leaves(stmt: &Stmt) -> bool {
    let StmtKind::If { arms, otherwise: None } = &stmt.kind else { return false };
    let [arm] = &arms[..] else { return false };
    let last = arm.body.stmts.last().map(|last| &last.kind);
    let is_left =
        matches!(last, Some(StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Raise(_)));
    is_left && only_reads(&arm.cond)
}

/// Whether an expression neither runs statements nor anything that waits, or looks at the number of its place.
fn is_quiet(e: &Expr) -> bool {
    let mut simple = Simple(true);
    walk_expr(e, &mut simple);
    simple.0
}

/// Whether an expression is as [`is_quiet`] wants it and, in addition, writes nothing.
pub(super) fn only_reads(e: &Expr) -> bool {
    let mut reads = OnlyReads(Simple(true));
    walk_expr(e, &mut reads);
    reads.0.0
}

struct OnlyReads(Simple);

impl Visitor for OnlyReads {
    fn expr(&mut self, e: &Expr) {
        self.0.expr(e);
        self.0.0 &= !matches!(e.kind, ExprKind::Postfix(..) | ExprKind::Native(_));
    }
}

/// Whether a function of the library never looks for an interrupt, nor at the number of the place, and never returns an
/// `Error`: where the debugger can do something in the middle of a statement, nothing may have been counted in advance.
fn is_quiet_call(native: &Native) -> bool {
    quick(native).is_some() || is_access(native)
}

struct Simple(bool);

impl Visitor for Simple {
    fn expr(&mut self, e: &Expr) {
        self.0 &= match e.kind.class() {
            ExprClass::Calls(Callee::Function(..)) => false,
            ExprClass::Calls(Callee::Native(native)) => is_quiet_call(native),
            ExprClass::Calls(Callee::Builtin(which)) => {
                matches!(which, Builtin::Len | Builtin::Typeof | Builtin::Copy)
            }
            ExprClass::Computes | ExprClass::Reads | ExprClass::Writes | ExprClass::Creates => true,
        };
    }
}

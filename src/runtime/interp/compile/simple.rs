//! Which statements are simple: they run no other statements but those of their own arms, and nothing that waits, or looks
//! at the number of its place. So the places of several may be counted at once.

use crate::interp::steps::UNSEEN;
use crate::program::visit::{Visitor, walk_expr, walk_head};
use crate::program::{Arm, Builtin, Expr, ExprKind, Stmt, StmtId, StmtKind};

use super::{Compiler, natives};

/// Most places of a segment: a breakpoint at one of them makes all check their flags.
pub(super) const LONGEST: usize = 32;

// The places of arms are counted without a look.
const _: () = assert!((LONGEST as i64) < UNSEEN);

impl Compiler<'_> {
    /// Whether a statement is simple in the code that is compiled.
    pub(super) fn is_simple(&self, stmt: &Stmt) -> bool {
        self.size(stmt).is_some()
    }

    /// The number of places of a simple statement.
    fn size(&self, stmt: &Stmt) -> Option<usize> {
        let mut room = LONGEST;
        // Where each statement is a segment of its own, those in arms are, too.
        let may_have_arms = self.longest > 1;
        let is_simple = (may_have_arms || is_plain(stmt)) && fits(stmt, &mut room);
        is_simple.then_some(LONGEST - room)
    }

    /// The number of statements of the segment at the beginning of these.
    pub(super) fn segment_length(&self, stmts: &[Stmt]) -> usize {
        let mut room = self.longest;
        for (index, stmt) in stmts.iter().enumerate() {
            let size = self.size(stmt).or_else(|| leaves(stmt).then_some(1));
            match size.and_then(|size| room.checked_sub(size)) {
                Some(left) => room = left,
                // Where another one follows, there has been room for it.
                None => return index + usize::from(index == 0 || room > 0 && size.is_none()),
            }
        }
        stmts.len()
    }

    /// The same where each `if` ends it.
    pub(super) fn plain_length(&self, stmts: &[Stmt]) -> usize {
        let before =
            stmts.iter().take(self.longest.saturating_sub(1)).take_while(|stmt| is_plain(stmt)).count();
        stmts.len().min(before + 1)
    }
}

/// Whether a statement is simple and has at most so many places, which it takes from `room`.
fn fits(stmt: &Stmt, room: &mut usize) -> bool {
    let StmtKind::If { arms, otherwise } = &stmt.kind else {
        return take_place(room) && is_plain(stmt);
    };
    let arm = |arm: &Arm| take_place(room) && only_reads(&arm.cond) && all_fit(&arm.body.stmts, room);
    arms.iter().all(arm) && otherwise.as_ref().is_none_or(|block| all_fit(&block.stmts, room))
}

/// The same for the statements of an arm, the last of which may leave it.
fn all_fit(stmts: &[Stmt], room: &mut usize) -> bool {
    let Some((last, before)) = stmts.split_last() else { return true };
    before.iter().all(|stmt| fits(stmt, room))
        && if is_simple_end(last) { take_place(room) } else { fits(last, room) }
}

/// Whether a statement leaves its block, and does nothing but evaluate results before.
fn is_simple_end(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Return(values) => values.iter().all(is_quiet),
        StmtKind::Declare { .. }
        | StmtKind::DeclareRef { .. }
        | StmtKind::DeclareGlobal { .. }
        | StmtKind::DeclareGlobalRef { .. }
        | StmtKind::DefineEnum { .. }
        | StmtKind::Assign { .. }
        | StmtKind::OpAssign { .. }
        | StmtKind::Unpack { .. }
        | StmtKind::Expr { .. }
        | StmtKind::If { .. }
        | StmtKind::When { .. }
        | StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Loop { .. }
        | StmtKind::Ensure { .. }
        | StmtKind::Raise(_) => false,
    }
}

fn take_place(room: &mut usize) -> bool {
    let left = room.checked_sub(1);
    *room = left.unwrap_or_default();
    left.is_some()
}

/// Adds the places of a statement that are counted with its segment: of a simple one all, else the first.
pub(super) fn add_places(stmt: &Stmt, is_simple: bool, found: &mut Vec<StmtId>) {
    let StmtKind::If { arms, otherwise } = &stmt.kind else { return found.push(stmt.id) };
    if !is_simple {
        return found.push(first_place(stmt));
    }
    for arm in arms {
        found.push(arm.id);
        arm.body.stmts.iter().for_each(|stmt| add_places(stmt, true, found));
    }
    let others = otherwise.iter().flat_map(|block| &block.stmts);
    others.for_each(|stmt| add_places(stmt, true, found));
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

/// Whether a statement is simple and has no arms.
pub(super) fn is_plain(stmt: &Stmt) -> bool {
    match stmt.kind {
        StmtKind::Declare { .. }
        | StmtKind::Assign { .. }
        | StmtKind::OpAssign { .. }
        | StmtKind::Unpack { .. }
        | StmtKind::Expr { .. } => {
            let mut simple = Simple(true);
            walk_head(stmt, &mut simple);
            simple.0
        }
        StmtKind::DeclareRef { .. }
        | StmtKind::DeclareGlobal { .. }
        | StmtKind::DeclareGlobalRef { .. }
        | StmtKind::DefineEnum { .. }
        | StmtKind::Return(_)
        | StmtKind::If { .. }
        | StmtKind::When { .. }
        | StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Loop { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Ensure { .. }
        | StmtKind::Raise(_) => false,
    }
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

/// The same for one that, in addition, writes nothing.
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

struct Simple(bool);

impl Visitor for Simple {
    fn expr(&mut self, e: &Expr) {
        if matches!(e.kind, ExprKind::Call { .. }) {
            self.0 = false;
        } else if let ExprKind::Native(native) = &e.kind {
            self.0 &= natives::is_quiet(native);
        } else if let ExprKind::Builtin { which, .. } = &e.kind {
            self.0 &= matches!(which, Builtin::Len | Builtin::Typeof | Builtin::Copy);
        }
    }
}

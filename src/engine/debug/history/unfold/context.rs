//! What kind of statement one is, and which heads around it decided that it runs.

use crate::api::StatementKind;
use ez_runtime::program::visit::blocks;
use ez_runtime::program::{ExprKind, Function, Stmt, StmtId, StmtKind};

/// A head, and what its condition was, if it is one and that follows from where the statement is.
pub(crate) type DecidingHead = (StmtId, Option<bool>);

/// The kind of a statement of a function, and the heads of the innermost `if`, `when` or loop with a condition around
/// it, in the order in which they are computed: of an `if`, the conditions up to that of its block.
pub(crate) fn context(function: &Function, id: StmtId) -> (StatementKind, Vec<DecidingHead>) {
    find(&function.body.stmts, id, &[]).unwrap_or((StatementKind::Other, Vec::new()))
}

fn find(stmts: &[Stmt], id: StmtId, around: &[DecidingHead]) -> Option<(StatementKind, Vec<DecidingHead>)> {
    stmts.iter().find_map(|stmt| {
        if let StmtKind::If { arms, otherwise } = &stmt.kind {
            let heads: Vec<DecidingHead> = arms.iter().map(|arm| (arm.id, Some(false))).collect();
            let found = arms.iter().enumerate().find_map(|(number, arm)| {
                let before = heads.get(..number).filter(|before| !before.is_empty()).unwrap_or(around);
                if arm.id == id {
                    return Some((StatementKind::If, before.to_vec()));
                }
                let mut heads = heads.get(..=number).unwrap_or_default().to_vec();
                heads.last_mut().into_iter().for_each(|(_, holds)| *holds = Some(true));
                find(&arm.body.stmts, id, &heads)
            });
            return found.or_else(|| otherwise.as_ref().and_then(|block| find(&block.stmts, id, &heads)));
        }
        if stmt.id == id {
            return Some((kind(stmt), around.to_vec()));
        }
        let own = [(stmt.id, matches!(stmt.kind, StmtKind::While { .. }).then_some(true))];
        let around = if let StmtKind::Loop { .. } = stmt.kind { around } else { &own };
        blocks(stmt).into_iter().find_map(|block| find(&block.stmts, id, around))
    })
}

fn kind(stmt: &Stmt) -> StatementKind {
    match &stmt.kind {
        StmtKind::Declare { .. }
        | StmtKind::DeclareRef { .. }
        | StmtKind::DeclareGlobal { .. }
        | StmtKind::DeclareGlobalRef { .. }
        | StmtKind::DefineEnum { .. } => StatementKind::Declaration,
        StmtKind::Assign { .. } | StmtKind::Unpack { .. } => StatementKind::Assignment,
        StmtKind::OpAssign { .. } => StatementKind::Update,
        StmtKind::Expr { expr, .. } if matches!(expr.kind, ExprKind::Postfix(..)) => StatementKind::Update,
        StmtKind::Expr { .. } => StatementKind::Expression,
        StmtKind::Return(_) => StatementKind::Return,
        StmtKind::If { .. } => StatementKind::If,
        StmtKind::When { .. } => StatementKind::When,
        StmtKind::For { .. } => StatementKind::For,
        StmtKind::ForEach { .. } => StatementKind::ForEach,
        StmtKind::While { .. } => StatementKind::AsLongAs,
        StmtKind::Loop { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Ensure { .. }
        | StmtKind::Raise(_) => StatementKind::Other,
    }
}

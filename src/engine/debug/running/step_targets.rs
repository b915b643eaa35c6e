//! The calls in a statement that a step can go into.

use crate::api::{Position, StepTarget};
use crate::debug::inspect::frames::{FrameView, location};
use ez_runtime::program::visit::{Visitor, blocks, walk_expr, walk_head};
use ez_runtime::program::{Block, Expr, ExprKind, FuncId, Program, Stmt, StmtId, StmtKind};
use ez_runtime::source::Span;

/// A call of a user-defined function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The function that is called.
    pub callee: FuncId,
    /// The opening parenthesis of the call; of a call with the name of a module, the dot before the function's name.
    pub at: Span,
}

/// The calls in the head of a statement, in order of execution.
pub fn calls(program: &Program, func: FuncId, stmt: StmtId) -> Vec<CallSite> {
    all_calls(program, func, stmt).iter().filter_map(Computed::of_user).collect()
}

fn all_calls(program: &Program, func: FuncId, stmt: StmtId) -> Vec<Computed> {
    let mut calls = Calls(Vec::new());
    visit_head(program, func, stmt, &mut calls);
    calls.0
}

/// The calls that a frame has still to make in its statement, in order of execution.
pub fn calls_ahead(program: &Program, view: &FrameView) -> Vec<CallSite> {
    let calls = all_calls(program, view.func, view.stmt);
    // After one that has returned or is in progress; no statement begins where a call is.
    let over = calls.iter().position(|call| call.at == view.at).map_or(0, |index| index + 1);
    let over = if is_counted_again(program, view) { calls.len() } else { over };
    calls.iter().skip(over).filter_map(Computed::of_user).collect()
}

/// Whether it is the header of a loop that has computed once and for all what it goes through.
fn is_counted_again(program: &Program, view: &FrameView) -> bool {
    let found = program.function(view.func).and_then(|function| head(&function.body, view.stmt));
    let Some(Head::Stmt(stmt)) = found.filter(|_| view.back_edge) else { return false };
    matches!(stmt.kind, StmtKind::For { .. } | StmtKind::ForEach { .. })
}

/// Whether a statement is an `ensure`.
pub fn is_ensure(program: &Program, func: FuncId, stmt: StmtId) -> bool {
    let found = program.function(func).and_then(|function| head(&function.body, stmt));
    matches!(found, Some(Head::Stmt(Stmt { kind: StmtKind::Ensure { .. }, .. })))
}

/// Visits the part of a function before which the program stops at `stmt`: a statement without its blocks, or a
/// condition.
pub fn visit_head(program: &Program, func: FuncId, stmt: StmtId, visitor: &mut dyn Visitor) {
    let Some(function) = program.function(func) else { return };
    match head(&function.body, stmt) {
        Some(Head::Stmt(stmt)) => walk_head(stmt, visitor),
        Some(Head::Condition(condition)) => walk_expr(condition, visitor),
        None => {}
    }
}

/// A call with its number in the form of the API; `None` if its file is unknown.
pub fn described(program: &Program, id: u32, call: CallSite) -> Option<StepTarget> {
    let source = program.sources.get(call.at.file)?;
    let span = program.expression_at(call.at).unwrap_or(call.at);
    let start = location(&program.sources, span);
    let end = source.position(span.end);
    Some(StepTarget {
        id,
        label: short(source.slice(span)),
        start: Position { line: start.line, column: start.column },
        end: Position { line: end.line, column: end.column },
    })
}

/// Maximum length of a label in characters.
const LABEL: usize = 60;

/// A text on one line, shortened for a menu.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LABEL {
        return line;
    }
    line.chars().take(LABEL - 1).chain(['…']).collect()
}

/// A part of a function before which the program can stop.
enum Head<'a> {
    /// A statement, without its blocks.
    Stmt(&'a Stmt),
    /// A condition of an `if`.
    Condition(&'a Expr),
}

/// Finds the part with this number in a block.
fn head(block: &Block, wanted: StmtId) -> Option<Head<'_>> {
    for stmt in &block.stmts {
        if let StmtKind::If { arms, .. } = &stmt.kind
            && let Some(arm) = arms.iter().find(|arm| arm.id == wanted)
        {
            return Some(Head::Condition(&arm.cond));
        }
        if stmt.id == wanted {
            return Some(Head::Stmt(stmt));
        }
        if let Some(found) = blocks(stmt).into_iter().find_map(|block| head(block, wanted)) {
            return Some(found);
        }
    }
    None
}

/// A call of any function.
struct Computed {
    /// `None`: a function of the library.
    callee: Option<FuncId>,
    at: Span,
}

impl Computed {
    fn of_user(&self) -> Option<CallSite> {
        Some(CallSite { callee: self.callee?, at: self.at })
    }
}

struct Calls(Vec<Computed>);

impl Visitor for Calls {
    fn computed(&mut self, expr: &Expr) {
        if let ExprKind::Call { func, .. } = expr.kind {
            self.0.push(Computed { callee: Some(func), at: expr.at });
        }
        if let ExprKind::Native(_) | ExprKind::Builtin { .. } = expr.kind {
            self.0.push(Computed { callee: None, at: expr.at });
        }
    }
}

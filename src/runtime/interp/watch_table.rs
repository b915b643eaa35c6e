//! The table of watches of a running program, and the analysis of which statements may write a watched
//! variable. The watches are carried out in `watch`.

use std::sync::Arc;

use foldhash::HashSet;

use crate::program::visit::{Use, Visitor, blocks, walk_expr, walk_parts, walk_stmt};
use crate::program::{
    Expr, ExprKind, FuncId, Function, GlobalId, Local, LocalId, Program, Stmt, StmtClass, StmtId, StmtKind,
    Target, TargetKind, Written,
};
use crate::source::Span;
use crate::value::{PartChange, Type, Value};

use super::flags::{ASSIGNS, StatementFlags, WRITES, WRITTEN};
use super::slots::{Fp, Slot};

/// The bits of a statement's flag that concern watches.
pub const BITS: u8 = ASSIGNS | WRITES | WRITTEN;

/// The number of a watch, chosen by whoever sets it.
pub type WatchId = u64;

/// A variable of a running program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedVariable {
    /// A local of a frame.
    Local {
        /// The frame.
        fp: Fp,
        /// Its function.
        func: FuncId,
        /// The local.
        local: LocalId,
    },
    /// A global.
    Global(GlobalId),
}

impl WatchedVariable {
    /// The variable, in any frame.
    fn declared(self) -> Declared {
        match self {
            WatchedVariable::Local { func, local, .. } => Declared::Local(func, local),
            WatchedVariable::Global(global) => Declared::Global(global),
        }
    }
}

/// A change of something that is watched.
#[derive(Clone, Debug)]
pub struct WatchHit {
    /// The number of the watch.
    pub watch: WatchId,
    /// The old value; `None` if the element or entry did not exist.
    pub old: Option<Value>,
    /// The new value; `None` if the element or entry does not exist any more.
    pub new: Option<Value>,
    /// The assignment or statement that made the change.
    pub at: Span,
    /// The step of the last place before it.
    pub step: u64,
    /// Number of calls in progress, `main` not counted, where that assignment or statement is.
    pub depth: u32,
    /// That the debugger has found that it counts, if it was told of it before; or why that cannot be found.
    pub tested: Option<Result<(), String>>,
}

/// A watched variable whose value is in its slot.
#[derive(Debug)]
pub(super) struct SlotWatch {
    pub(super) number: WatchId,
    pub(super) variable: WatchedVariable,
    pub(super) fp: Fp,
    pub(super) slot: Slot,
    pub(super) ty: Type,
    /// The value at the last comparison.
    pub(super) last: Value,
    /// The statements that may assign it, with the flag that each gets.
    pub(super) writers: Vec<(StmtId, u8)>,
}

/// The watches of a running program, and the writes recorded.
#[derive(Default)]
pub struct Watches {
    pub(super) slots: Vec<SlotWatch>,
    /// The last statement with [`WRITES`] that has begun, and its depth.
    pub(super) writer: Option<(StmtId, u32)>,
    /// The statements that may assign something watched and were in progress when that began, with their depths, the
    /// outermost first, until they are over.
    pub(super) outer_writers: Vec<(StmtId, u32)>,
    pub(super) hits: Vec<WatchHit>,
    /// Whether writes are reported (see [`report_writes`](super::watch::report_writes)).
    pub(super) reports: bool,
    /// The statements that have `ASSIGNS` for that, while a part is watched.
    pub(super) reported: HashSet<StmtId>,
    /// Changes of watched parts that an evaluation of the debugger has made.
    pub(super) evaluated: Vec<PartChange>,
    /// The flags of the statements of the running program.
    pub(super) flags: Arc<StatementFlags>,
}

impl Watches {
    /// Whether there are hits to report.
    pub fn has_hits(&self) -> bool {
        !self.hits.is_empty()
    }

    /// Whether a statement may have written something that is to be noticed at the next place.
    pub(super) fn has_writer(&self) -> bool {
        self.writer.is_some() || !self.outer_writers.is_empty()
    }

    /// The statement that has written to a watched slot what is noticed at a place of this depth, and its depth.
    pub(super) fn writer_of(&self, watch: &SlotWatch, depth: u32) -> Option<(StmtId, u32)> {
        let may_assign = |(stmt, _): &&(StmtId, u32)| watch.writers.iter().any(|(writer, _)| writer == stmt);
        let outer = self.outer_writers.iter().filter(|(_, outer)| *outer >= depth);
        let found = self.writer.iter().chain(outer).find(may_assign);
        found.copied().or(self.writer).or(self.outer_writers.first().copied())
    }

    /// Removes and returns the recorded writes, in order.
    pub fn take_hits(&mut self) -> Vec<WatchHit> {
        std::mem::take(&mut self.hits)
    }

    /// Records writes that were taken.
    pub fn put_back(&mut self, hits: Vec<WatchHit>) {
        self.hits = hits;
    }

    pub(super) fn set_writers(&self, on: bool) {
        for (statement, bit) in self.slots.iter().flat_map(|watch| &watch.writers) {
            if on || *bit != ASSIGNS || !self.reported.contains(statement) {
                self.flags.set_own(statement.0 as usize, *bit, on);
            }
        }
    }

    /// Records a change. Several changes of one watch by one statement are joined.
    pub(super) fn note(
        &mut self,
        change: PartChange,
        at: Span,
        (step, depth): (u64, u32),
        of_one_statement: usize,
    ) {
        let earlier = self.hits.iter_mut().skip(of_one_statement).find(|hit| hit.watch == change.watch);
        match earlier {
            Some(hit) => hit.new = change.new,
            None => {
                let PartChange { watch, old, new } = change;
                self.hits.push(WatchHit { watch, old, new, at, step, depth, tested: None });
            }
        }
    }
}

/// The statements that may assign a variable.
pub(super) fn writers(program: &Program, variable: WatchedVariable) -> Vec<(StmtId, u8)> {
    writers_of(program, variable.declared())
}

fn writers_of(program: &Program, variable: Declared) -> Vec<(StmtId, u8)> {
    let mut found = Vec::new();
    match variable {
        Declared::Local(func, _) => {
            if let Some(function) = program.function(func) {
                collect_writers(&function.body.stmts, variable, &mut found);
            }
        }
        Declared::Global(_) => {
            for function in &program.functions {
                collect_writers(&function.body.stmts, variable, &mut found);
            }
        }
    }
    found
}

/// Whether nothing writes to a variable but the call that it is a parameter of, or its declaration, which is run once
/// in its function.
pub fn is_written_once(program: &Program, variable: Declared) -> bool {
    match writers_of(program, variable).as_slice() {
        [] => matches!(variable, Declared::Local(..)),
        [(only, _)] => declared_in(program, variable).is_some_and(|function| {
            let is_declaration =
                |stmt: &Stmt| stmt.id == *only && is_simple(stmt) && declares(stmt, variable);
            function.body.stmts.iter().any(is_declaration)
        }),
        _ => false,
    }
}

/// Looks for writes of anything but variables in slots.
struct Writes<'l>(&'l [Local], bool);

impl Visitor for Writes<'_> {
    fn expr(&mut self, e: &Expr) {
        self.1 |= matches!(e.kind, ExprKind::Call { .. } | ExprKind::Native(_));
    }

    fn target(&mut self, target: &Target, _: Use) {
        self.1 |= match target.kind {
            TargetKind::Local(id) => self.0.get(id.0 as usize).is_none_or(|local| local.boxed),
            TargetKind::Global(_)
            | TargetKind::Index { .. }
            | TargetKind::Char { .. }
            | TargetKind::Field { .. }
            | TargetKind::FieldNamed { .. } => true,
        };
    }
}

/// Whether a statement itself may write anything but variables in slots.
pub fn writes_parts(stmt: &Stmt, locals: &[Local]) -> bool {
    let mut writes = Writes(locals, false);
    walk_stmt(stmt, &mut writes);
    writes.1
}

/// The statements, and arms of an `if`, that may write parts of objects, but for what their blocks do.
pub(super) fn part_writers(program: &Program) -> HashSet<StmtId> {
    let mut found = HashSet::default();
    for function in &program.functions {
        collect_part_writers(&function.body.stmts, &function.locals, &mut found);
    }
    found
}

fn collect_part_writers(stmts: &[Stmt], locals: &[Local], found: &mut HashSet<StmtId>) {
    for stmt in stmts {
        let mut note = |id: StmtId, walk: &dyn Fn(&mut Writes)| {
            let mut writes = Writes(locals, false);
            walk(&mut writes);
            if writes.1 {
                found.insert(id);
            }
        };
        if let StmtKind::If { arms, .. } = &stmt.kind {
            arms.iter().for_each(|arm| note(arm.id, &|writes| walk_expr(&arm.cond, writes)));
        } else {
            note(stmt.id, &|writes| walk_parts(stmt, writes));
        }
        let blocks = blocks(stmt).into_iter();
        blocks.for_each(|block| collect_part_writers(&block.stmts, locals, found));
    }
}

fn collect_writers(stmts: &[Stmt], variable: Declared, found: &mut Vec<(StmtId, u8)>) {
    for stmt in stmts {
        let mut own = Assigns { variable, writes: 0, calls: false };
        walk_parts(stmt, &mut own);
        if own.writes > 0 || declares(stmt, variable) {
            // What is written before a call is found in the called function.
            let writes_early = own.calls && own.writes > own.targets(stmt);
            found.push((stmt.id, if is_simple(stmt) && !writes_early { ASSIGNS } else { WRITES }));
            // The later conditions of an `if` are statements with numbers of their own.
            if let StmtKind::If { arms, .. } = &stmt.kind {
                found.extend(arms.iter().map(|arm| (arm.id, WRITES)));
            }
        }
        for block in blocks(stmt) {
            collect_writers(&block.stmts, variable, found);
        }
    }
}

/// Whether the statement has no blocks, and is not just a call.
fn is_simple(stmt: &Stmt) -> bool {
    // A statement that is only a call is run as a step of the function's body.
    let is_call =
        matches!(&stmt.kind, StmtKind::Expr { expr, .. } if matches!(expr.kind, ExprKind::Call { .. }));
    matches!(stmt.kind.class(), StmtClass::Evaluation(_)) && !is_call
}

/// A variable of a program, in any frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    Local(FuncId, LocalId),
    Global(GlobalId),
}

/// The statement that declares a variable; `None` for parameters.
pub fn declaration(program: &Program, variable: Declared) -> Option<StmtId> {
    Some(declaring(program, variable)?.id)
}

/// The statement that declares a variable with a value of its own; `None` for parameters, and for references to
/// other variables.
pub fn creation(program: &Program, variable: Declared) -> Option<StmtId> {
    let stmt = declaring(program, variable)?;
    (!matches!(stmt.kind, StmtKind::DeclareRef { .. } | StmtKind::DeclareGlobalRef { .. })).then_some(stmt.id)
}

fn declaring(program: &Program, variable: Declared) -> Option<&Stmt> {
    find_declaration(&declared_in(program, variable)?.body.stmts, variable)
}

/// The function whose statements declare a variable, if it is no parameter.
fn declared_in(program: &Program, variable: Declared) -> Option<&Function> {
    let function = match variable {
        Declared::Local(func, _) => func,
        Declared::Global(id) if program.is_declared_by_main(id) => program.main,
        Declared::Global(_) => program.init,
    };
    program.function(function).map(|function| &**function)
}

fn find_declaration(stmts: &[Stmt], variable: Declared) -> Option<&Stmt> {
    stmts.iter().find_map(|stmt| match declares(stmt, variable) {
        true => Some(stmt),
        false => blocks(stmt).into_iter().find_map(|block| find_declaration(&block.stmts, variable)),
    })
}

/// Whether the statement declares the variable with a value, or is the loop that sets it.
fn declares(stmt: &Stmt, variable: Declared) -> bool {
    stmt.written().into_iter().any(|written| match written {
        Written::Local(id) => matches!(variable, Declared::Local(_, local) if local == id),
        Written::Global(id) => variable == Declared::Global(id),
        Written::Target(_) => false,
    })
}

/// Looks for assignments to a variable in a statement, without its blocks.
struct Assigns {
    variable: Declared,
    /// How many there are.
    writes: usize,
    /// Whether the statement calls functions of the program.
    calls: bool,
}

impl Assigns {
    fn is_variable(&self, target: &Target) -> bool {
        match &target.kind {
            TargetKind::Local(id) => matches!(self.variable, Declared::Local(_, local) if *id == local),
            TargetKind::Global(id) => self.variable == Declared::Global(*id),
            // The target of the string is visited itself.
            TargetKind::Char { .. }
            | TargetKind::Index { .. }
            | TargetKind::Field { .. }
            | TargetKind::FieldNamed { .. } => false,
        }
    }

    /// How many of the assignments are made by the statement itself, after its expressions were evaluated.
    fn targets(&self, stmt: &Stmt) -> usize {
        let is_target = |it: &Written| matches!(it, Written::Target(target) if self.is_variable(target));
        stmt.written().iter().filter(|it| is_target(it)).count()
    }
}

impl Visitor for Assigns {
    fn expr(&mut self, expr: &Expr) {
        self.calls |= matches!(expr.kind, ExprKind::Call { .. });
    }

    fn target(&mut self, target: &Target, how: Use) {
        if how == Use::Stored && self.is_variable(target) {
            self.writes += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn several_changes_in_one_statement_are_one() {
        let flags = Arc::new(StatementFlags::new(2));
        let mut watches = Watches { flags, ..Watches::default() };
        let change = |new| PartChange { watch: 1, old: Some(Value::Int(1)), new: Some(Value::Int(new)) };
        let at = Span { file: crate::source::FileId(0), start: 0, end: 1 };
        watches.note(change(2), at, (1, 0), 0);
        watches.note(change(3), at, (1, 0), 0);
        let hits = watches.take_hits();
        assert!(matches!(&hits[..], [hit] if matches!(hit.new, Some(Value::Int(3)))));
        assert!(!watches.has_hits());
    }
}

//! Segments: statements of a block of which only the last may run other statements, or let the debugger do
//! something. In attached code, their places are counted at once if none of them has to call the debugger.
//!
//! An `if` that leaves the block may be among the others: its condition is simple, and where it holds, the places that
//! are not reached are taken back before the arm runs ([`Compiler::leaving`]).
//!
//! So the number of the place is ahead of the program in all statements of a segment but the last; nothing in these
//! looks at it. If one of them fails, the places that are not reached are taken back before anything is reported.

use std::sync::Arc;

use crate::interp::closures::{StmtFn, closure};
use crate::interp::flags::{ASSIGNS, Head, StatementFlag};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Stop, Vm};
use crate::interp::watch::writes_parts;
use crate::program::visit::{Visitor, walk_expr, walk_stmt};
use crate::program::{Builtin, Expr, ExprKind, Stmt, StmtId, StmtKind};

use super::sequences::{run_counted, sequence};
use super::stmts::{ask, run_watched, statement};
use super::{Compiler, natives};

/// Most statements of a segment: a breakpoint in it makes all of them check their flags.
pub(super) const LONGEST: usize = 32;

/// The places of a segment in attached code.
pub(super) struct Places {
    pub head: Arc<Head>,
    each: Box<[Member]>,
}

/// A statement of a segment.
struct Member {
    flag: StatementFlag,
    id: StmtId,
    /// The number of places that its code takes to be counted already: of the statements that follow, if it may leave.
    ahead: u64,
}

impl Places {
    /// Whether no place of the segment has to call the debugger.
    #[inline(always)]
    pub fn are_quiet(&self, vm: &Vm) -> bool {
        vm.steps.is_quiet(self.head.need())
    }

    /// The number of statements.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        self.each.len() as u64
    }

    /// What the places of a single statement do if they are not quiet.
    #[cold]
    #[inline(never)]
    pub fn ask(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
        for Member { flag, id, .. } in &self.each {
            let bits = flag.bits();
            if vm.steps.pass() || bits != 0 {
                ask(vm, fp, *id, bits)?;
            }
        }
        Ok(())
    }

    /// A single statement whose writes are to be reported (see [`report_writes`](crate::interp::watch::report_writes)).
    pub fn reporting(&self) -> Option<StmtId> {
        self.each.first().filter(|member| member.flag.own_bits() & ASSIGNS != 0).map(|member| member.id)
    }

    /// Runs the statements.
    #[inline(always)]
    pub fn run(&self, statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.are_quiet(vm) {
            return self.run_each(statements, vm, fp);
        }
        vm.steps.pass_quiet(statements.len() as u64);
        run_counted(statements, vm, fp)
    }

    /// Runs the statements, each after checking its flag.
    #[cold]
    #[inline(never)]
    pub fn run_each<'s>(
        &self,
        statements: impl IntoIterator<Item = &'s StmtFn>,
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Exit> {
        let last = self.each.len().saturating_sub(1);
        for (index, (run, Member { flag, id, ahead })) in statements.into_iter().zip(&self.each).enumerate() {
            run_watched(flag, *id, vm, fp, |vm, fp| {
                vm.steps.pass_quiet(*ahead);
                // The last one may run segments that are quiet.
                vm.is_looked_at = index < last;
                let result = run.run(vm, fp);
                vm.is_looked_at = false;
                vm.steps.take_back(*ahead);
                result
            })?;
        }
        Ok(())
    }
}

/// A segment whose statements are called without a loop.
fn fixed<const N: usize>(places: Places, statements: [StmtFn; N]) -> StmtFn {
    closure(move |vm, fp| places.run(&statements, vm, fp))
}

/// A statement of segments that follow each other.
struct Step {
    run: StmtFn,
    /// Of the segment, at its first statement.
    places: Option<Places>,
    /// The number of statements behind it in its segment.
    left: u64,
}

impl Step {
    fn all(segments: Vec<(Places, Vec<StmtFn>)>) -> Vec<Step> {
        let mut steps = Vec::new();
        for (places, statements) in segments {
            let mut left = statements.len() as u64;
            let mut places = Some(places);
            steps.extend(statements.into_iter().map(|run| {
                left -= 1;
                Step { run, places: places.take(), left }
            }));
        }
        steps
    }

    /// Runs it; its place has been counted.
    #[inline(always)]
    fn run_counted(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let result = self.run.run(vm, fp);
        if result.is_err() {
            vm.steps.take_back(self.left);
        }
        result
    }
}

/// Runs segments that follow each other.
#[inline(always)]
fn run_segments(steps: &[Step], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    for (index, step) in steps.iter().enumerate() {
        if let Some(places) = &step.places {
            if !places.are_quiet(vm) {
                return run_carefully(steps.get(index..).unwrap_or_default(), vm, fp);
            }
            vm.steps.pass_quiet(places.count());
        }
        step.run_counted(vm, fp)?;
    }
    Ok(())
}

/// The same where places of the first segment have to call the debugger.
#[cold]
#[inline(never)]
fn run_carefully(steps: &[Step], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    let mut rest = steps;
    while let Some(Step { places: Some(places), left, .. }) = rest.first() {
        let (segment, others) = rest.split_at_checked(*left as usize + 1).unwrap_or((rest, &[]));
        rest = others;
        if places.are_quiet(vm) {
            vm.steps.pass_quiet(places.count());
            segment.iter().try_for_each(|step| step.run_counted(vm, fp))?;
        } else {
            places.run_each(segment.iter().map(|step| &step.run), vm, fp)?;
        }
    }
    Ok(())
}

fn segment(places: Places, statements: Vec<StmtFn>) -> StmtFn {
    let statements = return_if_few!(statements, few => fixed(places, few));
    closure(move |vm, fp| places.run(&statements, vm, fp))
}

/// Segments that follow each other.
fn several(segments: Vec<(Places, Vec<StmtFn>)>) -> StmtFn {
    let steps = return_if_few!(Step::all(segments), few => closure(move |vm, fp| run_segments(&few, vm, fp)));
    closure(move |vm, fp| run_segments(&steps, vm, fp))
}

impl Compiler<'_> {
    /// Compiles statements that follow each other.
    pub fn block(&mut self, stmts: &[Stmt]) -> StmtFn {
        if self.flags.is_none() {
            let all = stmts.iter().map(|stmt| self.stmt(stmt)).collect();
            return sequence(all);
        }
        let mut all = Vec::new();
        let mut rest = stmts;
        while !rest.is_empty() {
            let (first, others) = rest.split_at(self.segment_length(rest));
            rest = others;
            let run = self.segment(first);
            all.extend(self.places(None, first).map(|places| (places, run)));
        }
        match <[(Places, Vec<StmtFn>); 1]>::try_from(all) {
            Ok([(places, run)]) => segment(places, run),
            Err(all) => several(all),
        }
    }

    /// A statement, or an arm of an `if`, that is a segment of its own; `run` does not check its flag.
    pub(super) fn alone(&self, id: StmtId, run: StmtFn) -> StmtFn {
        match self.place(id) {
            Some(place) => fixed(place, [run]),
            None => run,
        }
    }

    /// Compiles the statements of a segment.
    pub(super) fn segment(&mut self, stmts: &[Stmt]) -> Vec<StmtFn> {
        let following = (0..stmts.len() as u64).rev();
        stmts.iter().zip(following).map(|(stmt, following)| self.stmt_before(stmt, following)).collect()
    }

    /// The arm of an `if` that leaves a segment: `following` places have been counted that are not reached.
    pub(super) fn leaving(&self, then: StmtFn, following: u64) -> StmtFn {
        if following == 0 || self.flags.is_none() {
            return then;
        }
        statement(move |vm, fp| {
            vm.steps.take_back(following);
            let result = then.run(vm, fp);
            // Whoever runs the segment takes them back, too.
            vm.steps.pass_quiet(following);
            result
        })
    }

    /// The places of a segment; `None` in plain code. `header`: the loop that it is the first segment of.
    pub(super) fn places(&self, header: Option<StmtId>, stmts: &[Stmt]) -> Option<Places> {
        let following = (0..stmts.len() as u64).rev();
        let members = stmts.iter().zip(following).map(|(stmt, following)| {
            let ahead = if leaves(stmt) { following } else { 0 };
            (first_place(stmt), ahead)
        });
        // What the last statement writes is seen at the next segment, or by the loop at its header.
        let counted =
            if header.is_some() { stmts } else { stmts.split_last().map_or(stmts, |(_, before)| before) };
        let writes = self.flags.is_some() && counted.iter().any(|stmt| writes_parts(stmt, &self.locals));
        self.places_of(header, &members.collect::<Vec<_>>(), writes)
    }

    /// The place of a single statement, or arm of an `if`; `None` in plain code.
    pub(super) fn place(&self, id: StmtId) -> Option<Places> {
        self.places_of(None, &[(id, 0)], false)
    }

    fn places_of(&self, header: Option<StmtId>, members: &[(StmtId, u64)], writes: bool) -> Option<Places> {
        let flags = self.flags.as_ref()?;
        let member =
            |&(id, ahead): &(StmtId, u64)| Some(Member { flag: flags.of(id.0 as usize)?, id, ahead });
        let each = members.iter().filter_map(member).collect();
        let numbers: Vec<usize> = members.iter().map(|(id, _)| id.0 as usize).collect();
        let head = flags.head(header.map(|id| id.0 as usize), &numbers, writes);
        Some(Places { head, each })
    }

    /// The number of statements of the segment at the beginning of these.
    pub(super) fn segment_length(&self, stmts: &[Stmt]) -> usize {
        self.length_of(stmts, |stmt| is_simple(stmt) || leaves(stmt))
    }

    /// The same where an `if` is always the last statement.
    pub(super) fn simple_length(&self, stmts: &[Stmt]) -> usize {
        self.length_of(stmts, is_simple)
    }

    fn length_of(&self, stmts: &[Stmt], goes_on: impl Fn(&Stmt) -> bool) -> usize {
        let before =
            stmts.iter().take(self.longest.saturating_sub(1)).take_while(|stmt| goes_on(stmt)).count();
        stmts.len().min(before + 1)
    }
}

/// The statement whose place is the first of a statement.
fn first_place(stmt: &Stmt) -> StmtId {
    if let StmtKind::If { arms, .. } = &stmt.kind
        && let Some(arm) = arms.first()
    {
        return arm.id;
    }
    stmt.id
}

/// Whether a statement neither runs other statements nor anything that waits, or looks at the number of its place.
pub(super) fn is_simple(stmt: &Stmt) -> bool {
    match stmt.kind {
        StmtKind::Declare { .. }
        | StmtKind::Assign { .. }
        | StmtKind::OpAssign { .. }
        | StmtKind::Unpack { .. }
        | StmtKind::Expr { .. } => {
            let mut simple = Simple(true);
            walk_stmt(stmt, &mut simple);
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
fn leaves(stmt: &Stmt) -> bool {
    let StmtKind::If { arms, otherwise: None } = &stmt.kind else { return false };
    let [arm] = &arms[..] else { return false };
    let last = arm.body.stmts.last().map(|last| &last.kind);
    let is_left =
        matches!(last, Some(StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Raise(_)));
    is_left && only_reads(&arm.cond)
}

/// The same for an expression that, in addition, writes nothing.
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

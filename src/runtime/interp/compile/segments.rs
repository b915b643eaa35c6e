//! Segments: statements of a block of which only the last may run other statements, or let the debugger do
//! something. In attached code, their places are counted at once if none of them has to call the debugger.
//!
//! An `if` may be among the others if all that it runs is simple, too (`simple`); its arms count their own places (`arms`),
//! for which the segment has made sure that there is room. So may one that leaves the block: where its condition holds, the
//! places that are not reached are taken back before the arm runs ([`Compiler::leaving`]).
//!
//! So the number of the place is ahead of the program in all statements of a segment but the last, and in arms; nothing in
//! these looks at it. If one of them fails or leaves, the places that are not reached are taken back before anything is
//! reported.

use std::sync::Arc;

use crate::interp::closures::{StmtFn, closure};
use crate::interp::flags::{Head, StatementFlag};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm};
use crate::interp::watch::writes_parts;
use crate::program::{Stmt, StmtId};

use super::Compiler;
use super::sequences::{run_counted, sequence};
use super::simple::{add_places, first_place, is_plain, leaves};
use super::stmts::{run_watched, statement};

/// The places of a segment in attached code.
pub(super) struct Places {
    pub head: Arc<Head>,
    pub each: Members,
}

/// Statements that follow each other.
pub(super) struct Members(Box<[Member]>);

/// A statement of a segment, or of an arm in it; or a step of a body.
pub(super) struct Member {
    flag: StatementFlag,
    id: StmtId,
    /// The number of places that its code takes to be counted already: of the statements that follow, if it may leave.
    ahead: i64,
    /// Whether it is simple.
    is_simple: bool,
}

impl Places {
    /// Counts the places of the segment, if none of them has to call the debugger; returns whether it did.
    #[inline(always)]
    pub fn pass(&self, vm: &mut Vm) -> bool {
        vm.steps.pass_all(self.head.cost())
    }

    /// Runs the statements.
    #[inline(always)]
    pub fn run(&self, statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.pass(vm) {
            return self.each.run(statements, vm, fp);
        }
        run_counted(statements, vm, fp)
    }
}

impl Member {
    /// Runs the statement after checking its flag.
    pub fn run<T>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        run: impl FnOnce(&mut Vm, Fp) -> Result<T, Exit>,
    ) -> Result<T, Exit> {
        run_watched(&self.flag, self.id, vm, fp, run)
    }
}

impl Members {
    /// Runs the statements, each after checking its flag.
    #[cold]
    #[inline(never)]
    pub fn run<'s>(
        &self,
        statements: impl IntoIterator<Item = &'s StmtFn>,
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Exit> {
        for (run, member) in statements.into_iter().zip(&self.0) {
            member.run(vm, fp, |vm, fp| {
                vm.steps.pass_quiet(member.ahead);
                // Others may run segments that are quiet.
                vm.is_looked_at = member.is_simple;
                let result = run.run(vm, fp);
                vm.is_looked_at = false;
                vm.steps.take_back(member.ahead);
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
    left: i64,
}

impl Step {
    fn all(segments: Vec<(Places, Vec<StmtFn>)>) -> Vec<Step> {
        let mut steps = Vec::new();
        for (places, statements) in segments {
            let mut left = statements.len() as i64;
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

/// Runs segments that follow each other. The first eight statements are called without a loop, which takes seven
/// instructions less for each.
#[inline(always)]
fn run_segments(steps: &[Step], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    macro_rules! run {
        ($step:expr, $index:expr) => {
            if let Some(places) = &$step.places
                && !places.pass(vm)
            {
                return run_carefully(steps.get($index..).unwrap_or_default(), vm, fp);
            }
            $step.run_counted(vm, fp)?;
        };
        ($($index:literal)*) => {
            $(if let Some(step) = steps.get($index) {
                run!(step, $index);
            })*
        };
    }
    run!(0 1 2 3 4 5 6 7);
    for (index, step) in steps.iter().enumerate().skip(8) {
        run!(step, index);
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
        if places.pass(vm) {
            segment.iter().try_for_each(|step| step.run_counted(vm, fp))?;
        } else {
            places.each.run(segment.iter().map(|step| &step.run), vm, fp)?;
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
        match (self.head(None, &[id], 1, false), self.member(id, 0, false)) {
            (Some(head), Some(member)) => fixed(Places { head, each: Members(Box::new([member])) }, [run]),
            _ => run,
        }
    }

    /// Compiles the statements of a segment.
    pub(super) fn segment(&mut self, stmts: &[Stmt]) -> Vec<StmtFn> {
        let following = (0..stmts.len() as i64).rev();
        stmts.iter().zip(following).map(|(stmt, following)| self.stmt_before(stmt, following)).collect()
    }

    /// The arm of an `if` that leaves a segment: `following` places have been counted that are not reached.
    pub(super) fn leaving(&self, then: StmtFn, following: i64) -> StmtFn {
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
        // What the last statement writes is seen at the next segment, or by the loop at its header; unless others of its
        // places follow.
        let is_followed = |last: &Stmt| header.is_some() || !is_plain(last) && self.is_simple(last);
        let counted = match stmts.split_last() {
            Some((last, before)) if !is_followed(last) => before,
            _ => stmts,
        };
        let writes = self.flags.is_some() && counted.iter().any(|stmt| writes_parts(stmt, &self.locals));
        let mut ids = Vec::new();
        stmts.iter().for_each(|stmt| add_places(stmt, self.is_simple(stmt), &mut ids));
        let head = self.head(header, &ids, stmts.len(), writes)?;
        Some(Places { head, each: self.members(stmts)? })
    }

    /// The head of these statements and arms, of which it counts so many `places`; `None` in plain code. `header`: the loop
    /// whose place follows them, and is counted, too. `writes`: the statements may write parts of objects before the last
    /// place.
    pub(super) fn head(
        &self,
        header: Option<StmtId>,
        ids: &[StmtId],
        places: usize,
        writes: bool,
    ) -> Option<Arc<Head>> {
        let numbers: Vec<usize> = ids.iter().map(|id| id.0 as usize).collect();
        Some(self.flags.as_ref()?.head(header.map(|id| id.0 as usize), &numbers, places, writes))
    }

    /// Statements that follow each other; `None` in plain code.
    pub(super) fn members(&self, stmts: &[Stmt]) -> Option<Members> {
        let following = (0..stmts.len() as i64).rev();
        let each = stmts.iter().zip(following).map(|(stmt, following)| {
            let is_simple = self.is_simple(stmt);
            let ahead = if !is_simple && leaves(stmt) { following } else { 0 };
            self.member(first_place(stmt), ahead, is_simple)
        });
        Some(Members(each.collect::<Option<_>>()?))
    }

    /// An arm of an `if` that is simple; `None` in plain code.
    pub(super) fn simple_arm(&self, id: StmtId) -> Option<Members> {
        Some(Members(Box::new([self.member(id, 0, true)?])))
    }

    /// A single place; `None` in plain code.
    pub(super) fn member(&self, id: StmtId, ahead: i64, is_simple: bool) -> Option<Member> {
        let flag = self.flags.as_ref()?.of(id.0 as usize)?;
        Some(Member { flag, id, ahead, is_simple })
    }
}

//! Segments: statements of a block of which only the last may run other statements, or let the debugger do
//! something. In attached code, their places are counted at once if none of them has to call the debugger.
//!
//! An `if` may be among the others if its arms run plain statements only (`arms`); each arm has flags of its own. If one
//! of its places has to call the debugger, the places that follow in the segment are taken back, and look themselves.
//!
//! So may one that leaves the block: where its condition holds, the places that are not reached are taken back before the
//! arm runs ([`Compiler::leaving`]).
//!
//! So the number of the place is ahead of the program in all statements of a segment but the last; nothing in these
//! looks at it. If one of them fails, the places that are not reached are taken back before anything is reported.

use std::sync::Arc;

use crate::interp::closures::{StmtFn, closure};
use crate::interp::flags::SegmentFlags;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm};
use crate::interp::watch::writes_parts;
use crate::program::{Stmt, StmtId};

use super::Compiler;
use super::members::{Left, Member, Members};
use super::sequences::{run_counted, sequence};
use super::simple::{first_place, is_plain, leaves};
use super::stmts::statement;

/// The places of a segment in attached code.
pub(super) struct Places {
    pub flags: Arc<SegmentFlags>,
    pub each: Members,
}

impl Places {
    /// Counts the places of the segment, if none of them has to call the debugger; returns whether it did.
    #[inline(always)]
    pub fn pass(&self, vm: &mut Vm) -> bool {
        vm.steps.pass_all(self.flags.cost())
    }

    /// Runs the statements.
    #[inline(always)]
    pub fn run(&self, statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.pass(vm) {
            return self.run_flagged(statements, vm, fp);
        }
        run_counted(statements, vm, fp, |exit, next, vm, fp| self.each.left(exit, next, statements, vm, fp))
    }
}

impl Places {
    /// Runs the statements, some of which have flags.
    #[cold]
    #[inline(never)]
    pub fn run_flagged(&self, statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        match self.test(statements.iter(), vm, fp) {
            Ok(()) => Ok(()),
            Err(Left::Before(number)) => self.each.run_from(number, statements, vm, fp),
            Err(Left::Within(number, exit)) => self.each.left(exit, number + 1, statements, vm, fp),
        }
    }

    /// Counts the places of these statements and runs them, if they need to do no more than test conditions. Those before
    /// which they are left are not counted.
    #[inline(always)]
    pub fn test<'s>(
        &self,
        statements: impl ExactSizeIterator<Item = &'s StmtFn>,
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Left> {
        let count = statements.len() as i64;
        if !self.flags.has_tests() || !vm.steps.pass_all(count) {
            return Err(Left::Before(0));
        }
        let conditions = vm.conditions.clone();
        let result = self.each.run_tested(statements, &conditions, vm, fp);
        if let Err(Left::Before(number)) = result {
            vm.steps.take_back(count - number as i64);
        }
        result
    }
}

/// A segment whose statements are called without a loop.
fn fixed<const N: usize>(places: Places, statements: [StmtFn; N]) -> StmtFn {
    closure(move |vm, fp| places.run(&statements, vm, fp))
}

/// A statement of segments that follow each other.
struct SegmentStatement {
    run: StmtFn,
    /// The places of the segment, at its first statement.
    places: Option<Places>,
    /// The number of statements behind it in its segment.
    left: i64,
}

impl SegmentStatement {
    fn all(segments: Vec<(Places, Vec<StmtFn>)>) -> Vec<SegmentStatement> {
        let mut steps = Vec::new();
        for (places, statements) in segments {
            let mut left = statements.len() as i64;
            let mut places = Some(places);
            steps.extend(statements.into_iter().map(|run| {
                left -= 1;
                SegmentStatement { run, places: places.take(), left }
            }));
        }
        steps
    }
}

/// Runs segments that follow each other. Without a loop, a statement takes seven instructions less.
#[inline(always)]
fn run_segments(steps: &[SegmentStatement], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    unrolled!(steps, (number, step) => {
        if let Some(places) = &step.places
            && !places.pass(vm)
        {
            return run_carefully(steps.get(number..).unwrap_or_default(), vm, fp);
        }
        if let Err(exit) = step.run.run(vm, fp) {
            return left(exit, steps, number, vm, fp);
        }
    });
    Ok(())
}

/// Runs segments that follow each other, where places of the first segment have to call the debugger. In a loop,
/// since they may be any number.
#[cold]
#[inline(never)]
fn run_carefully(steps: &[SegmentStatement], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    let mut rest = steps;
    while let Some(SegmentStatement { places: Some(places), left, .. }) = rest.first() {
        let (segment, others) = rest.split_at_checked(*left as usize + 1).unwrap_or((rest, &[]));
        rest = others;
        let ran = if places.pass(vm) {
            run_quietly(segment, vm, fp)?
        } else {
            run_tested(segment, places, vm, fp)?
        };
        places.each.run(ran, segment.iter().skip(ran).map(|step| &step.run), vm, fp)?;
    }
    Ok(())
}

/// Runs statements of a segment whose places have been counted; returns how many, before those that have to look.
fn run_quietly(segment: &[SegmentStatement], vm: &mut Vm, fp: Fp) -> Result<usize, Exit> {
    for (number, step) in segment.iter().enumerate() {
        if let Err(exit) = step.run.run(vm, fp) {
            return left_within(segment, number, exit, vm);
        }
    }
    Ok(segment.len())
}

/// Tests the conditions of statements of a segment and runs them, if that is all that its flags want; returns how many,
/// before those that have to look.
fn run_tested(segment: &[SegmentStatement], places: &Places, vm: &mut Vm, fp: Fp) -> Result<usize, Exit> {
    match places.test(segment.iter().map(|step| &step.run), vm, fp) {
        Ok(()) => Ok(segment.len()),
        Err(Left::Before(number)) => Ok(number),
        Err(Left::Within(number, exit)) => left_within(segment, number, exit, vm),
    }
}

/// A statement of a segment whose places have been counted was left; returns the number of the next one, if that has to look.
fn left_within(segment: &[SegmentStatement], number: usize, exit: Exit, vm: &mut Vm) -> Result<usize, Exit> {
    if exit == Exit::CheckedPlaces {
        return Ok(number + 1);
    }
    vm.steps.take_back(segment.get(number).map_or(0, |step| step.left));
    Err(exit)
}

/// The statement with this number was left.
#[cold]
#[inline(never)]
fn left(exit: Exit, steps: &[SegmentStatement], number: usize, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    let (before, following) = steps.split_at_checked(number + 1).unwrap_or((steps, &[]));
    let Some(SegmentStatement { left, .. }) = before.last() else { return Err(exit) };
    if exit != Exit::CheckedPlaces {
        vm.steps.take_back(*left);
        return Err(exit);
    }
    let (segment, others) = following.split_at_checked(*left as usize).unwrap_or((following, &[]));
    let counted = before.iter().rev().zip(1..);
    let first = counted.filter_map(|(step, ran)| Some((step.places.as_ref()?, ran))).next();
    if let Some((places, ran)) = first {
        places.each.run(ran, segment.iter().map(|step| &step.run), vm, fp)?;
    }
    run_carefully(others, vm, fp)
}

fn segment(places: Places, statements: Vec<StmtFn>) -> StmtFn {
    let statements = return_if_few!(statements, few => fixed(places, few));
    closure(move |vm, fp| places.run(&statements, vm, fp))
}

/// Segments that follow each other.
fn several(segments: Vec<(Places, Vec<StmtFn>)>) -> StmtFn {
    let steps = return_if_few!(SegmentStatement::all(segments), few => closure(move |vm, fp| run_segments(&few, vm, fp)));
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
        match self.place_of_arm(id, false) {
            Some(place) => fixed(place, [run]),
            None => run,
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
        // What the last statement writes is seen at the next segment, or by the loop at its header.
        let counted =
            if header.is_some() { stmts } else { stmts.split_last().map_or(stmts, |(_, before)| before) };
        let writes = self.flags.is_some() && counted.iter().any(|stmt| writes_parts(stmt, &self.locals));
        let ids: Vec<StmtId> = stmts.iter().map(first_place).collect();
        let flags = self.segment_flags(header, &ids, stmts.len(), writes)?;
        Some(Places { flags, each: self.members(stmts)? })
    }

    /// The flags of these statements, of which this many `places` are counted; `None` in plain code. `header`: the loop
    /// whose place follows them, and is counted, too. `writes`: the statements may write parts of objects before the last
    /// place.
    pub(super) fn segment_flags(
        &self,
        header: Option<StmtId>,
        ids: &[StmtId],
        places: usize,
        writes: bool,
    ) -> Option<Arc<SegmentFlags>> {
        let numbers: Vec<usize> = ids.iter().map(|id| id.0 as usize).collect();
        Some(self.flags.as_ref()?.segment(header.map(|id| id.0 as usize), &numbers, places, writes))
    }

    fn members(&self, stmts: &[Stmt]) -> Option<Members> {
        let following = (0..stmts.len() as i64).rev();
        let each = stmts.iter().zip(following).map(|(stmt, following)| {
            let is_simple = is_plain(stmt) || self.has_simple_arms(stmt);
            let ahead = if !is_simple && leaves(stmt) { following } else { 0 };
            self.member(first_place(stmt), ahead, is_simple)
        });
        Some(Members::of(each.collect::<Option<Vec<_>>>()?))
    }

    /// The place of an arm of an `if`; `None` in plain code. `is_simple`: the arms run plain statements.
    pub(super) fn place_of_arm(&self, id: StmtId, is_simple: bool) -> Option<Places> {
        let each = Members::of([self.member(id, 0, is_simple)?]);
        Some(Places { flags: self.segment_flags(None, &[id], 1, false)?, each })
    }

    /// A single place; `None` in plain code.
    pub(super) fn member(&self, id: StmtId, ahead: i64, is_simple: bool) -> Option<Member> {
        let flag = self.flags.as_ref()?.of(id.0 as usize)?;
        Some(Member { flag, id, ahead, is_simple })
    }
}

//! `if`, and its arms.
//!
//! An `if` may be part of a segment in attached code, whose places have been counted up to its end. If its arms run plain
//! statements only, an arm looks at nothing but its own flags; if one is set, it takes back the places that follow the
//! `if`, and tells so ([`Exit::CheckedPlaces`]). The places of conditions that are false and only read are counted with
//! that of the condition that is true ([`Chain`]).

use std::sync::Arc;

use crate::interp::closures::{BoolFn, StmtFn, closure};
use crate::interp::flags::SegmentFlags;
use crate::interp::operand::BoolOperand;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};
use crate::program::{Arm, Stmt, StmtId};

use super::Compiler;
use super::members::{Left, Members};
use super::segments::Places;
use super::sequences::{run_plain, sequence};
use super::simple::only_reads;
use super::stmts::statement;

/// How arms are compiled. `following`: the number of places that have been counted behind the `if`.
#[derive(Clone, Copy)]
enum How {
    /// They run plain statements.
    Simple { following: i64 },
    /// The arms are compiled as blocks. If there are places that follow, the only arm leaves.
    Blocks { following: i64 },
}

/// An arm that runs plain statements, or leads to the other arms of its `if`.
struct PlainArm<S> {
    places: Places,
    statements: S,
    following: i64,
}

impl<S: AsRef<[StmtFn]> + 'static> PlainArm<S> {
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.places.pass(vm) {
            return self.look(vm, fp);
        }
        run_plain(self.statements.as_ref(), vm, fp)
    }

    #[cold]
    #[inline(never)]
    fn look(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let following = if std::mem::take(&mut vm.is_looked_at) { 0 } else { self.following };
        let statements = self.statements.as_ref();
        match self.places.test(statements.iter(), vm, fp) {
            Ok(()) => Ok(()),
            Err(Left::Before(number)) => {
                looking(following, vm, |vm| self.places.each.run_from(number, statements, vm, fp))
            }
            Err(Left::Within(number, exit)) => self.places.each.left(exit, number + 1, statements, vm, fp),
        }
    }

    fn boxed(self) -> StmtFn {
        closure(move |vm, fp| self.run(vm, fp))
    }
}

/// The arms of an `if` behind the first one, in attached code.
struct Chain {
    conditions: Box<[BoolFn]>,
    /// What runs where these are true.
    blocks: Box<[StmtFn]>,
    otherwise: Option<StmtFn>,
    /// The flags of all arms.
    flags: Arc<SegmentFlags>,
    each: Members,
    following: i64,
}

impl Chain {
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.flags.is_clear() || !vm.steps.is_far(self.flags.places()) {
            return self.look(vm, fp);
        }
        let mut places = 0;
        for (condition, block) in self.conditions.iter().zip(&self.blocks) {
            places += 1;
            match condition.run(vm, fp) {
                Ok(false) => continue,
                holds => {
                    vm.steps.pass_quiet(places);
                    return if holds.is_ok() { block.run(vm, fp) } else { Err(Exit::Stop) };
                }
            }
        }
        vm.steps.pass_quiet(places);
        self.otherwise.as_ref().map_or(Ok(()), |run| run.run(vm, fp))
    }

    /// Runs the arms where one of their places may have to call the debugger.
    #[cold]
    #[inline(never)]
    fn look(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let following = if std::mem::take(&mut vm.is_looked_at) { 0 } else { self.following };
        looking(following, vm, |vm| self.run_from(0, vm, fp))
    }

    /// Runs the arms from this number on.
    fn run_from(&self, first: usize, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let (Some(condition), Some(block), Some(member)) =
            (self.conditions.get(first), self.blocks.get(first), self.each.get(first))
        else {
            return self.otherwise.as_ref().map_or(Ok(()), |run| run.run(vm, fp));
        };
        member.run(vm, fp, |vm, fp| {
            // Others may run segments that are quiet.
            vm.is_looked_at = member.is_simple;
            let result = match condition.run(vm, fp) {
                Ok(true) => block.run(vm, fp),
                Ok(false) => self.run_from(first + 1, vm, fp),
                Err(Wide) => Err(Exit::Stop),
            };
            vm.is_looked_at = false;
            result
        })
    }
}

/// Runs an arm each of whose places looks, before this many places that have been counted and look themselves then.
fn looking(following: i64, vm: &mut Vm, run: impl FnOnce(&mut Vm) -> Result<(), Exit>) -> Result<(), Exit> {
    vm.steps.take_back(following);
    match run(vm) {
        Ok(()) if following > 0 => Err(Exit::CheckedPlaces),
        Ok(()) => Ok(()),
        Err(exit) => {
            // Whoever runs the segment takes them back, too.
            vm.steps.pass_quiet(following);
            Err(exit)
        }
    }
}

/// What runs an arm.
enum Then {
    /// A single statement, which is called by the `if` itself.
    One(PlainArm<[StmtFn; 1]>),
    /// Such a statement, which may run others.
    Block(Places, StmtFn),
    Any(StmtFn),
}

impl Then {
    fn boxed(self) -> StmtFn {
        match self {
            Then::One(only) => only.boxed(),
            Then::Block(places, run) => closure(move |vm, fp| places.run(std::slice::from_ref(&run), vm, fp)),
            Then::Any(run) => run,
        }
    }
}

impl Compiler<'_> {
    /// Compiles an `if`; `following`: the number of statements behind it in its segment.
    pub(super) fn if_stmt(
        &mut self,
        stmt: &Stmt,
        arms: &[Arm],
        otherwise: Option<&[Stmt]>,
        following: i64,
    ) -> StmtFn {
        let is_simple = self.has_simple_arms(stmt);
        let how = if is_simple { How::Simple { following } } else { How::Blocks { following } };
        self.if_arms(arms, otherwise, how)
    }

    fn if_arms(&mut self, arms: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> StmtFn {
        let Some((arm, rest)) = arms.split_first() else {
            return self.then(otherwise.unwrap_or_default(), how).boxed();
        };
        self.stmt = arm.id;
        let has_else = !rest.is_empty() || otherwise.is_some();
        condition_operand!(self, &arm.cond, cond => {
            let then = self.then(&arm.body.stmts, how);
            let other = has_else.then(|| self.others(rest, otherwise, how));
            match then {
                Then::One(only) => branch(cond, move |vm, fp| only.run(vm, fp), other),
                Then::Block(places, run) => {
                    branch(cond, move |vm, fp| places.run(std::slice::from_ref(&run), vm, fp), other)
                }
                Then::Any(then) => branch(cond, move |vm, fp| then.run(vm, fp), other),
            }
        })
    }

    fn then(&mut self, stmts: &[Stmt], how: How) -> Then {
        match how {
            How::Simple { following } => self.plain_arm(stmts, following),
            How::Blocks { following } => {
                if stmts.len() == 1
                    && following == 0
                    && let Some(places) = self.places(None, stmts)
                    && let Some(run) = self.segment(stmts).pop()
                {
                    return Then::Block(places, run);
                }
                let then = self.block(stmts);
                Then::Any(self.leaving(then, following))
            }
        }
    }

    /// What an arm of an `if` leads to if its condition is false.
    fn others(&mut self, rest: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> StmtFn {
        if let Some(chain) = self.chain_of_arms(rest, otherwise, how) {
            return closure(move |vm, fp| chain.run(vm, fp));
        }
        let run = self.if_arms(rest, otherwise, how);
        let Some(arm) = rest.first() else { return run };
        match how {
            How::Simple { following } => match self.place_of_arm(arm.id, true) {
                Some(places) => PlainArm { places, statements: [run], following }.boxed(),
                None => run,
            },
            How::Blocks { .. } => self.alone(arm.id, run),
        }
    }

    /// The arms behind the first one, in attached code, if they are several and their conditions only read.
    fn chain_of_arms(&mut self, arms: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> Option<Chain> {
        if self.longest == 1 || arms.len() < 2 || !arms.iter().all(|arm| only_reads(&arm.cond)) {
            return None;
        }
        let ids: Vec<StmtId> = arms.iter().map(|arm| arm.id).collect();
        let flags = self.segment_flags(None, &ids, ids.len(), false)?;
        let (following, is_simple) = match how {
            How::Simple { following } => (following, true),
            How::Blocks { following } => (following, false),
        };
        let each = ids.iter().map(|id| self.member(*id, 0, is_simple)).collect::<Option<Vec<_>>>()?;
        let mut conditions = Vec::new();
        let mut blocks = Vec::new();
        for arm in arms {
            self.stmt = arm.id;
            conditions.push(self.condition(&arm.cond));
            blocks.push(self.then(&arm.body.stmts, how).boxed());
        }
        let otherwise = otherwise.map(|stmts| self.then(stmts, how).boxed());
        let (conditions, blocks, each) = (conditions.into(), blocks.into(), Members::of(each));
        Some(Chain { conditions, blocks, otherwise, flags, each, following })
    }

    fn plain_arm(&mut self, stmts: &[Stmt], following: i64) -> Then {
        let statements = self.segment(stmts);
        let Some(places) = self.places(None, stmts) else { return Then::Any(sequence(statements)) };
        match <[StmtFn; 1]>::try_from(statements) {
            Ok(statements) => Then::One(PlainArm { places, statements, following }),
            Err(all) => {
                let all = return_if_few!(all, few => {
                    Then::Any(PlainArm { places, statements: few, following }.boxed())
                });
                Then::Any(PlainArm { places, statements: all, following }.boxed())
            }
        }
    }
}

/// An `if` with one arm, and what runs otherwise.
fn branch(
    cond: impl BoolOperand,
    then: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static,
    other: Option<StmtFn>,
) -> StmtFn {
    match other {
        Some(other) => statement(move |vm, fp| match cond.get(vm, fp) {
            Ok(true) => then(vm, fp),
            Ok(false) => other.run(vm, fp),
            Err(Wide) => Err(Exit::Stop),
        }),
        None => statement(move |vm, fp| match cond.get(vm, fp) {
            Ok(true) => then(vm, fp),
            Ok(false) => Ok(()),
            Err(Wide) => Err(Exit::Stop),
        }),
    }
}

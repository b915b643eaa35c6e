//! `if`, and its arms.
//!
//! Those of a simple `if` in attached code belong to the segment of the `if`, which has made sure that there is room for all
//! their places: an arm counts its own without looking. Other arms begin segments of their own.

use crate::interp::closures::{StmtFn, closure};
use crate::interp::operand::BoolOperand;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};
use crate::program::{Arm, Stmt};

use super::Compiler;
use super::segments::Members;
use super::sequences::{run_counted, sequence};
use super::stmts::statement;

/// How arms are compiled.
#[derive(Clone, Copy)]
enum How {
    /// As parts of the segment.
    Simple,
    /// As blocks. So many places have been counted that are not reached if the first arm runs, which then leaves.
    Blocks { following: i64 },
}

/// Statements whose places are counted, but not looked at, when they begin.
struct Counted<S> {
    each: Members,
    statements: S,
}

impl<S: AsRef<[StmtFn]> + 'static> Counted<S> {
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let statements = self.statements.as_ref();
        if vm.is_looked_at {
            vm.is_looked_at = false;
            return self.each.run(statements, vm, fp);
        }
        vm.steps.pass_quiet(statements.len() as i64);
        run_counted(statements, vm, fp)
    }

    fn boxed(self) -> StmtFn {
        closure(move |vm, fp| self.run(vm, fp))
    }
}

/// What runs an arm.
enum Then {
    /// A single statement, which is called by the `if` itself.
    One(Counted<[StmtFn; 1]>),
    Any(StmtFn),
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
        let how = if self.is_simple(stmt) { How::Simple } else { How::Blocks { following } };
        self.if_arms(arms, otherwise, how)
    }

    fn if_arms(&mut self, arms: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> StmtFn {
        let Some((arm, rest)) = arms.split_first() else {
            return match self.then(otherwise.unwrap_or_default(), how) {
                Then::One(only) => only.boxed(),
                Then::Any(run) => run,
            };
        };
        self.stmt = arm.id;
        let has_else = !rest.is_empty() || otherwise.is_some();
        condition_operand!(self, &arm.cond, cond => {
            let then = self.then(&arm.body.stmts, how);
            let other = has_else.then(|| self.others(rest, otherwise, how));
            match then {
                Then::One(only) => branch(cond, move |vm, fp| only.run(vm, fp), other),
                Then::Any(then) => branch(cond, move |vm, fp| then.run(vm, fp), other),
            }
        })
    }

    fn then(&mut self, stmts: &[Stmt], how: How) -> Then {
        match how {
            How::Simple => self.counted(stmts),
            How::Blocks { following } => {
                let then = self.block(stmts);
                Then::Any(self.leaving(then, following))
            }
        }
    }

    /// What an arm of an `if` leads to if its condition is false.
    fn others(&mut self, rest: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> StmtFn {
        match (how, rest.first()) {
            (How::Simple, first) => {
                let run = self.if_arms(rest, otherwise, how);
                match first.and_then(|arm| self.simple_arm(arm.id)) {
                    Some(each) => Counted { each, statements: [run] }.boxed(),
                    None => run,
                }
            }
            (How::Blocks { .. }, first) => {
                let run = self.if_arms(rest, otherwise, How::Blocks { following: 0 });
                match first {
                    Some(arm) => self.alone(arm.id, run),
                    None => run,
                }
            }
        }
    }

    /// The statements of an arm of a simple `if`.
    fn counted(&mut self, stmts: &[Stmt]) -> Then {
        fn boxed<S: AsRef<[StmtFn]> + 'static>(each: Members, statements: S) -> Then {
            Then::Any(Counted { each, statements }.boxed())
        }
        let statements = self.segment(stmts);
        let Some(each) = self.members(stmts) else { return Then::Any(sequence(statements)) };
        match <[StmtFn; 1]>::try_from(statements) {
            Ok(statements) => Then::One(Counted { each, statements }),
            Err(all) => {
                let all = return_if_few!(all, few => boxed(each, few));
                boxed(each, all)
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

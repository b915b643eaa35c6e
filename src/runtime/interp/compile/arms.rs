//! `if`, and its arms.
//!
//! An `if` may be part of a segment in attached code, whose places have been counted up to its end. If its arms run plain
//! statements only, an arm looks at nothing but its own flags; if one is set, it takes back the places that follow the
//! `if`, and tells so ([`Exit::CheckedPlaces`]).

use crate::interp::closures::{StmtFn, closure};
use crate::interp::operand::BoolOperand;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};
use crate::program::{Arm, Stmt};

use super::Compiler;
use super::segments::Places;
use super::sequences::{run_plain, sequence};
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
        vm.steps.take_back(following);
        match self.places.each.run_from(0, self.statements.as_ref(), vm, fp) {
            Ok(()) if following > 0 => Err(Exit::CheckedPlaces),
            Ok(()) => Ok(()),
            Err(exit) => {
                // Whoever runs the segment takes them back, too.
                vm.steps.pass_quiet(following);
                Err(exit)
            }
        }
    }

    fn boxed(self) -> StmtFn {
        closure(move |vm, fp| self.run(vm, fp))
    }
}

/// What runs an arm.
enum Then {
    /// A single statement, which is called by the `if` itself.
    One(PlainArm<[StmtFn; 1]>),
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
        let is_simple = self.has_simple_arms(stmt);
        let how = if is_simple { How::Simple { following } } else { How::Blocks { following } };
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
            How::Simple { following } => self.plain_arm(stmts, following),
            How::Blocks { following } => {
                let then = self.block(stmts);
                Then::Any(self.leaving(then, following))
            }
        }
    }

    /// What an arm of an `if` leads to if its condition is false.
    fn others(&mut self, rest: &[Arm], otherwise: Option<&[Stmt]>, how: How) -> StmtFn {
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

//! The statements of a segment where each looks at its place.

use std::rc::Rc;

use crate::interp::closures::StmtFn;
use crate::interp::flags::StatementFlag;
use crate::interp::slots::Fp;
use crate::interp::vm::{Condition, Conditions, Exit, Vm};
use crate::program::StmtId;

use super::stmts::run_watched;

/// Statements that follow each other: of a segment, or of an arm in it.
#[derive(Clone)]
pub(super) struct Members(Rc<[Member]>);

/// One of them; or a step of a body.
pub(super) struct Member {
    pub flag: StatementFlag,
    pub id: StmtId,
    /// The number of places that its code takes to be counted already: of the statements that follow, if it may leave.
    pub ahead: i64,
    /// Whether it is plain, or has simple arms.
    pub is_simple: bool,
}

/// Where statements have been left whose conditions were tested.
pub(super) enum Left {
    /// Before the one with this number, whose place has to call the debugger, or to look whether it has.
    Before(usize),
    /// Within the one with this number.
    Within(usize, Exit),
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
    pub fn of(members: impl Into<Rc<[Member]>>) -> Members {
        Members(members.into())
    }

    /// The one with this number.
    pub fn get(&self, number: usize) -> Option<&Member> {
        self.0.get(number)
    }

    /// Runs the statements from this number on, each after checking its flag.
    #[cold]
    #[inline(never)]
    pub fn run_from(&self, first: usize, statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        self.run(first, statements.iter().skip(first), vm, fp)
    }

    /// The numbers of those that have flags, which are that they have a condition, and these.
    pub fn conditions<'c>(&self, conditions: &'c Conditions) -> Vec<(usize, &'c Condition)> {
        let flagged = self.0.iter().enumerate().filter(|(_, member)| member.flag.own_bits() != 0);
        flagged.filter_map(|(number, member)| Some((number, conditions.of(member.id)?))).collect()
    }

    /// Runs statements whose places have been counted, each after testing its condition, if it has one.
    #[inline(always)]
    pub fn run_tested<'s>(
        &self,
        statements: impl Iterator<Item = &'s StmtFn>,
        conditions: &Conditions,
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Left> {
        for (number, (run, member)) in statements.zip(&*self.0).enumerate() {
            if member.flag.own_bits() != 0 && conditions.hold(member.id, vm, fp) {
                return Err(Left::Before(number));
            }
            run.run(vm, fp).map_err(|exit| Left::Within(number, exit))?;
        }
        Ok(())
    }

    /// A statement of a segment whose places have been counted was left, which is not the last.
    #[cold]
    #[inline(never)]
    pub fn left(
        &self,
        exit: Exit,
        next: usize,
        statements: &[StmtFn],
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Exit> {
        if exit == Exit::CheckedPlaces {
            return self.run_from(next, statements, vm, fp);
        }
        vm.steps.take_back((statements.len() - next) as i64);
        Err(exit)
    }

    /// Runs these statements, the first of which has this number, each after checking its flag.
    pub fn run<'s>(
        &self,
        first: usize,
        statements: impl Iterator<Item = &'s StmtFn>,
        vm: &mut Vm,
        fp: Fp,
    ) -> Result<(), Exit> {
        for (run, member) in statements.zip(self.0.iter().skip(first)) {
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

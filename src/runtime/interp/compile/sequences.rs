//! Statements that run one after the other. Those of an array, whose length is known, are called without a loop, which
//! takes five instructions less for each.

use std::rc::Rc;

use crate::interp::closures::{StmtFn, closure};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm};

/// Returns `$result`, with what the vector `$all` contains as an array, if that is one to eight; else evaluates to `$all`.
macro_rules! return_if_few {
    ($all:expr, $array:ident => $result:expr) => { return_if_few!($all, $array => $result; 1 2 3 4 5 6 7 8) };
    ($all:expr, $array:ident => $result:expr; $($count:literal)*) => {{
        let all = $all;
        $(
            let all = match <[_; $count]>::try_from(all) {
                Ok($array) => return $result,
                Err(all) => all,
            };
        )*
        all
    }};
}

/// A statement that runs these, whose places have been counted; and they themselves.
pub(super) fn counted_and_shared(statements: Vec<StmtFn>) -> (StmtFn, Rc<[StmtFn]>) {
    fn shared<const N: usize>(statements: [StmtFn; N]) -> (StmtFn, Rc<[StmtFn]>) {
        let statements = Rc::new(statements);
        let all = statements.clone();
        (closure(move |vm, fp| run_counted(&*statements, vm, fp)), all)
    }
    let statements: Rc<[StmtFn]> = return_if_few!(statements, few => shared(few)).into();
    let all = statements.clone();
    (closure(move |vm, fp| run_counted(&statements, vm, fp)), all)
}

/// Runs statements whose places have been counted. For the first eight, the number of places to be taken back is a constant.
#[inline(always)]
pub(super) fn run_counted(statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    macro_rules! run {
        ($run:expr, $index:expr) => {
            let following = statements.len() - 1 - $index;
            if following == 0 {
                return $run.run(vm, fp);
            }
            if let Err(exit) = $run.run(vm, fp) {
                vm.steps.take_back(following as i64);
                return Err(exit);
            }
        };
        ($($index:literal)*) => {
            $(if let Some(run) = statements.get($index) {
                run!(run, $index);
            })*
        };
    }
    run!(0 1 2 3 4 5 6 7);
    for (index, run) in statements.iter().enumerate().skip(8) {
        run!(run, index);
    }
    Ok(())
}

/// Runs statements in plain code.
pub(super) fn sequence(statements: Vec<StmtFn>) -> StmtFn {
    let statements = match <[StmtFn; 1]>::try_from(statements) {
        Ok([only]) => return only,
        Err(statements) => statements,
    };
    let statements = return_if_few!(statements, few => closure(move |vm, fp| run_all(&few, vm, fp)));
    closure(move |vm, fp| run_all(&statements, vm, fp))
}

#[inline(always)]
fn run_all(statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    let Some((last, before)) = statements.split_last() else { return Ok(()) };
    for run in before {
        run.run(vm, fp)?;
    }
    last.run(vm, fp)
}

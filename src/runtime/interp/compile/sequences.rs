//! Statements that run one after the other. Those of an array, whose length is known, are called without a loop, which
//! takes five instructions less for each.

use std::rc::Rc;

use crate::interp::closures::{StmtFn, closure};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm};

use super::members::Members;

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

/// Evaluates `$body` for each of these and its number, for the first eight without a loop.
macro_rules! unrolled {
    ($all:expr, ($number:ident, $each:ident) => $body:expr) => {
        unrolled!($all, ($number, $each) => $body; 0 1 2 3 4 5 6 7)
    };
    ($all:expr, ($number:ident, $each:ident) => $body:expr; $($first:literal)*) => {
        let all = $all;
        $(if let Some($each) = all.get($first) {
            let $number = $first;
            $body
        })*
        for ($number, $each) in all.iter().enumerate().skip(8) {
            $body
        }
    };
}

/// Statements that are shared.
pub(super) type Shared = Rc<dyn AsRef<[StmtFn]>>;

/// Statements of a segment, one of which has arms that may have looked at their places.
struct Looking<S> {
    statements: S,
    each: Members,
}

impl<S: AsRef<[StmtFn]>> AsRef<[StmtFn]> for Looking<S> {
    fn as_ref(&self) -> &[StmtFn] {
        self.statements.as_ref()
    }
}

/// A statement that runs these, whose places have been counted; and they themselves. `each`: their places, if one of them
/// has simple arms.
pub(super) fn counted_and_shared(statements: Vec<StmtFn>, each: Option<Members>) -> (StmtFn, Shared) {
    fn shared<S: AsRef<[StmtFn]> + 'static>(statements: S, each: Option<Members>) -> (StmtFn, Shared) {
        match each {
            Some(each) => {
                let all = Rc::new(Looking { statements, each });
                let shared = all.clone();
                let run = closure(move |vm, fp| {
                    run_counted(all.statements.as_ref(), vm, fp, |exit, next, vm, fp| {
                        all.each.left(exit, next, all.statements.as_ref(), vm, fp)
                    })
                });
                (run, shared)
            }
            None => {
                let all = Rc::new(statements);
                let shared = all.clone();
                (closure(move |vm, fp| run_plain((*all).as_ref(), vm, fp)), shared)
            }
        }
    }
    let statements = return_if_few!(statements, few => shared(few, each));
    shared(statements, each)
}

/// Runs statements whose places have been counted, none of which has simple arms.
#[inline(always)]
pub(super) fn run_plain(statements: &[StmtFn], vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    run_counted(statements, vm, fp, |exit, next, vm, _| {
        vm.steps.take_back((statements.len() - next) as i64);
        Err(exit)
    })
}

/// Runs statements whose places have been counted, the first eight without a loop. `left` is what to do if one of them is
/// left, and has the number of the next.
#[inline(always)]
pub(super) fn run_counted(
    statements: &[StmtFn],
    vm: &mut Vm,
    fp: Fp,
    left: impl Fn(Exit, usize, &mut Vm, Fp) -> Result<(), Exit>,
) -> Result<(), Exit> {
    unrolled!(statements, (number, run) => {
        if number + 1 == statements.len() {
            return run.run(vm, fp);
        }
        if let Err(exit) = run.run(vm, fp) {
            return left(exit, number + 1, vm, fp);
        }
    });
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

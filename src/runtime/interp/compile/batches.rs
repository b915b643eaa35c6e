//! Loops in attached code whose body is a single segment of simple statements: the places of many rounds are counted
//! at once, after they have run. Nothing in such a round looks at the number of its place.

use crate::interp::closures::StmtFn;
use crate::interp::operand::BoolOperand;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Exit, Vm, Wide};

use super::headers::{Attached, LoopBody};
use super::stmts::statement;

/// Number of rounds whose places are counted at once.
pub(super) const BATCH: u64 = 64;

/// A loop with a simple body, and a condition that only reads.
pub(super) fn repeat_simple(header: Attached<false>, cond: impl BoolOperand, body: LoopBody) -> StmtFn {
    statement(move |vm, fp| match cond.get(vm, fp) {
        Ok(true) => repeat_rounds(&header, &cond, &body, vm, fp),
        Ok(false) => Ok(()),
        Err(Wide) => Err(Exit::Stop),
    })
}

/// The same after the condition was true for the first time. A function of its own, since many loops have no round, and
/// this needs many registers.
#[inline(never)]
fn repeat_rounds(
    header: &Attached<false>,
    cond: &impl BoolOperand,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
) -> Result<(), Exit> {
    loop {
        if header.is_quiet_for(BATCH, vm) {
            let (rounds, end) = repeat_batch(cond, body, vm, fp);
            count_rounds(body, rounds, vm);
            match end {
                End::Batch => continue,
                End::Condition(result) => return result,
                End::Interrupted(result) => interrupted(header, body, result, vm, fp)?,
            }
        } else {
            header.run_alone(body, vm, fp)?;
        }
        match cond.get(vm, fp) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(Wide) => return Err(Exit::Stop),
        }
    }
}

/// What ended rounds of a simple body.
enum End {
    /// They are as many as may run before their places are counted, and the condition is true.
    Batch,
    /// The condition was false, or has failed.
    Condition(Result<(), Exit>),
    /// A statement of the next round has failed, or the memory has to be checked after it.
    Interrupted(Result<(), Exit>),
}

/// Runs rounds of a simple body, the first of which is due, without counting their places; returns their number.
#[inline(always)]
fn repeat_batch(cond: &impl BoolOperand, body: &LoopBody, vm: &mut Vm, fp: Fp) -> (u64, End) {
    for rounds in 0..BATCH {
        let result = body.run_segment(vm, fp);
        if result.is_err() || vm.memory.is_low() {
            return (rounds, End::Interrupted(result));
        }
        match cond.get(vm, fp) {
            Ok(true) => {}
            Ok(false) => return (rounds + 1, End::Condition(Ok(()))),
            Err(Wide) => return (rounds + 1, End::Condition(Err(Exit::Stop))),
        }
    }
    (BATCH, End::Batch)
}

/// Runs rounds of a simple body without counting their places; returns the number of the one that has failed, or after
/// which the memory has to be checked, with its result, or the end. A function of its own has registers for all it needs.
#[inline(never)]
pub(super) fn count_batch(
    slot: Slot,
    numbers: std::ops::Range<i64>,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
) -> (i64, Result<(), Exit>) {
    let end = numbers.end;
    for i in numbers {
        vm.set_int(fp, slot, i);
        let result = body.run_segment(vm, fp);
        if result.is_err() || vm.memory.is_low() {
            return (i, result);
        }
    }
    (end, Ok(()))
}

/// Ends a round that has `left` a statement with an error, or after which the memory has to be checked; its places have
/// not been counted.
#[cold]
#[inline(never)]
pub(super) fn interrupted(
    header: &Attached<false>,
    body: &LoopBody,
    left: Result<(), Exit>,
    vm: &mut Vm,
    fp: Fp,
) -> Result<(), Exit> {
    // Those of statements that were not reached have been taken back already.
    vm.steps.pass_quiet(body.count);
    left?;
    Ok(header.pass_alone(vm, fp)?)
}

/// Counts the places of so many rounds that have run.
#[inline(always)]
pub(super) fn count_rounds(body: &LoopBody, rounds: u64, vm: &mut Vm) {
    vm.steps.pass_quiet(rounds * (1 + body.count));
}

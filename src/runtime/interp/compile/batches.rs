//! Loops in attached code whose body is a single segment of plain statements: the places of many rounds are counted
//! at once, after they have run. Nothing in such a round looks at the number of its place.

use crate::interp::closures::StmtFn;
use crate::interp::operand::BoolOperand;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Exit, Vm};

use super::headers::{Attached, LoopBody};
use super::rounds::test;
use super::stmts::statement;

/// Number of rounds whose places are counted at once.
pub(super) const BATCH: i64 = 64;

/// A loop with a plain body, and a condition that only reads. The first rounds are counted one by one: beginning a batch
/// takes longer than the few rounds of a short loop.
pub(super) fn repeat_plain(header: Attached<false>, cond: impl BoolOperand, body: LoopBody) -> StmtFn {
    let repeat = Repeat { header, cond, body };
    statement(move |vm, fp| match repeat.run(vm, fp) {
        Err(Exit::Break) => Ok(()),
        other => other,
    })
}

struct Repeat<C> {
    header: Attached<false>,
    cond: C,
    body: LoopBody,
}

/// What ended rounds.
enum End {
    /// They are as many as may run before their places are counted, and the condition is true.
    Batch,
    /// The condition was false, or has failed.
    Condition(Exit),
    /// A statement of the next round has failed, or the memory has to be checked after it.
    Interrupted(Result<(), Exit>),
}

impl<C: BoolOperand> Repeat<C> {
    /// Runs the loop, which ends with [`Exit::Break`].
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        test(&self.cond, vm, fp)?;
        // Not in a loop, before which the compiler would load what takes longer than the rounds.
        self.first_round(vm, fp)?;
        self.first_round(vm, fp)?;
        self.rounds(vm, fp)
    }

    /// Counts and runs a round, or if that has to look, all; tells whether there is another one.
    #[inline(always)]
    fn first_round(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if !self.header.pass_round(vm) {
            return self.rounds(vm, fp);
        }
        let result = self.body.run_segment(vm, fp);
        if result.is_err() || vm.memory.is_low() {
            return self.rounds_after(result, vm, fp);
        }
        test(&self.cond, vm, fp)
    }

    /// Runs the rest of the loop after an interrupted round, which has been counted.
    #[cold]
    #[inline(never)]
    fn rounds_after(&self, result: Result<(), Exit>, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        count_rounds(&self.body, -1, vm);
        interrupted(&self.header, &self.body, result, vm, fp)?;
        test(&self.cond, vm, fp)?;
        self.rounds(vm, fp)
    }

    /// Runs the rest of the loop after the condition was true.
    #[inline(never)]
    fn rounds(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let Repeat { header, cond, body } = self;
        loop {
            if header.is_quiet_for(BATCH, vm) {
                let (rounds, end) = self.batch(vm, fp);
                count_rounds(body, rounds, vm);
                match end {
                    End::Batch => continue,
                    End::Condition(exit) => return Err(exit),
                    End::Interrupted(result) => interrupted(header, body, result, vm, fp)?,
                }
            } else {
                header.run_alone(body, vm, fp)?;
            }
            test(cond, vm, fp)?;
        }
    }

    /// Runs rounds, the first of which is due, without counting their places; returns their number.
    #[inline(always)]
    fn batch(&self, vm: &mut Vm, fp: Fp) -> (i64, End) {
        for rounds in 0..BATCH {
            let result = self.body.run_segment(vm, fp);
            if result.is_err() || vm.memory.is_low() {
                return (rounds, End::Interrupted(result));
            }
            if let Err(exit) = test(&self.cond, vm, fp) {
                return (rounds + 1, End::Condition(exit));
            }
        }
        (BATCH, End::Batch)
    }
}

/// Runs rounds of a plain body, at least one, without counting their places; returns the number of the one that has failed,
/// or after which the memory has to be checked, with its result, or the end. A function of its own has registers for all it
/// needs.
#[inline(never)]
pub(super) fn count_batch(
    slot: Slot,
    numbers: std::ops::Range<i64>,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
) -> (i64, Result<(), Exit>) {
    let mut i = numbers.start;
    vm.set_int(fp, slot, i);
    loop {
        let result = body.run_segment(vm, fp);
        if result.is_err() || vm.memory.is_low() {
            return (i, result);
        }
        if i + 1 >= numbers.end {
            return (numbers.end, Ok(()));
        }
        i += 1;
        vm.set_int(fp, slot, i);
    }
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

/// Counts the places of this many rounds that have run.
#[inline(always)]
pub(super) fn count_rounds(body: &LoopBody, rounds: i64, vm: &mut Vm) {
    vm.steps.pass_quiet(rounds * (1 + body.count));
}

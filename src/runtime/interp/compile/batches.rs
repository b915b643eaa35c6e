//! Loops in attached code whose body is a single segment of plain statements: the places of many rounds are counted
//! at once, after they have run. Nothing in such a round looks at the number of its place.

use crate::interp::closures::StmtFn;
use crate::interp::operand::BoolOperand;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Condition, Conditions, Exit, Vm};

use super::headers::{Attached, Header, LoopBody};
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
    Interrupted(Interrupted),
}

/// What has ended a round whose places have not been counted.
pub(super) enum Interrupted {
    /// It has run, and the memory has to be checked; or a statement has failed, and the places of those that follow have been
    /// taken back.
    After(Result<(), Exit>),
    /// The condition of the statement with this number, or of the header behind them, does not give `false`.
    Before(usize),
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
            return self.rounds_after(Interrupted::After(result), vm, fp);
        }
        test(&self.cond, vm, fp)
    }

    /// Runs the rest of the loop after an interrupted round, which has been counted.
    #[cold]
    #[inline(never)]
    fn rounds_after(&self, end: Interrupted, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        count_rounds(&self.body, -1, vm);
        end.finish(&self.header, &self.body, vm, fp)?;
        test(&self.cond, vm, fp)?;
        self.rounds(vm, fp)
    }

    /// Runs the rest of the loop after the condition was true.
    #[inline(never)]
    fn rounds(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let Repeat { header, cond, body } = self;
        loop {
            let (rounds, end) = if header.is_quiet_for(BATCH, vm) {
                self.batch(|vm, fp| round(body, vm, fp), vm, fp)
            } else if header.is_tested_for(BATCH, vm) {
                let conditions = vm.conditions.clone();
                let tests = Tests::of(header, body, &conditions);
                self.batch(|vm, fp| tests.round(vm, fp), vm, fp)
            } else {
                header.run_alone(body, vm, fp)?;
                test(cond, vm, fp)?;
                continue;
            };
            count_rounds(body, rounds, vm);
            match end {
                End::Batch => continue,
                End::Condition(exit) => return Err(exit),
                End::Interrupted(end) => end.finish(header, body, vm, fp)?,
            }
            test(cond, vm, fp)?;
        }
    }

    /// Runs rounds, the first of which is due, without counting their places; returns their number.
    #[inline(always)]
    fn batch(
        &self,
        round: impl Fn(&mut Vm, Fp) -> Result<(), Interrupted>,
        vm: &mut Vm,
        fp: Fp,
    ) -> (i64, End) {
        for rounds in 0..BATCH {
            if let Err(end) = round(vm, fp) {
                return (rounds, End::Interrupted(end));
            }
            if let Err(exit) = test(&self.cond, vm, fp) {
                return (rounds + 1, End::Condition(exit));
            }
        }
        (BATCH, End::Batch)
    }
}

/// Runs a round of a plain body.
#[inline(always)]
pub(super) fn round(body: &LoopBody, vm: &mut Vm, fp: Fp) -> Result<(), Interrupted> {
    let result = body.run_segment(vm, fp);
    if result.is_err() || vm.memory.is_low() { Err(Interrupted::After(result)) } else { Ok(()) }
}

/// What is tested in rounds of a plain body.
pub(super) struct Tests<'t> {
    parts: Vec<Part<'t>>,
    /// The statements behind the last condition.
    rest: &'t [StmtFn],
    /// The number of all statements.
    count: usize,
    /// The condition of the header.
    last: Option<&'t Condition>,
}

/// Statements, and what is tested behind them.
struct Part<'t> {
    statements: &'t [StmtFn],
    /// The number of the statement that the condition belongs to.
    number: usize,
    condition: &'t Condition,
}

impl<'t> Tests<'t> {
    /// The tests in rounds of this loop.
    pub fn of(header: &Attached<false>, body: &'t LoopBody, conditions: &'t Conditions) -> Tests<'t> {
        let (mut rest, mut ran) = (body.statements(), 0);
        let count = rest.len();
        let each = body.places.as_ref().map_or_else(Vec::new, |places| places.each.conditions(conditions));
        let parts = each.into_iter().map(|(number, condition)| {
            let (statements, others) = rest.split_at_checked(number - ran).unwrap_or((rest, &[]));
            (rest, ran) = (others, number);
            Part { statements, number, condition }
        });
        let parts = parts.collect();
        Tests { parts, rest, count, last: header.condition(conditions) }
    }

    /// Runs a round.
    #[inline(always)]
    pub fn round(&self, vm: &mut Vm, fp: Fp) -> Result<(), Interrupted> {
        for Part { statements, number, condition } in &self.parts {
            run(statements, self.count - number, vm, fp)?;
            if vm.holds(*condition, fp) {
                return Err(Interrupted::Before(*number));
            }
        }
        run(self.rest, 0, vm, fp)?;
        if vm.memory.is_low() {
            return Err(Interrupted::After(Ok(())));
        }
        match self.last {
            Some(condition) if vm.holds(condition, fp) => Err(Interrupted::Before(self.count)),
            _ => Ok(()),
        }
    }
}

/// Runs statements of a round, behind which there are so many others.
#[inline(always)]
fn run(statements: &[StmtFn], others: usize, vm: &mut Vm, fp: Fp) -> Result<(), Interrupted> {
    let mut rest = statements.iter();
    while let Some(statement) = rest.next() {
        if let Err(exit) = statement.run(vm, fp) {
            vm.steps.take_back((rest.len() + others) as i64);
            return Err(Interrupted::After(Err(exit)));
        }
    }
    Ok(())
}

/// Runs rounds of a plain body, at least one, without counting their places; returns the number of the one that was
/// interrupted, or the end. A function of its own has registers for all it needs.
#[inline(never)]
pub(super) fn count_batch(
    slot: Slot,
    numbers: std::ops::Range<i64>,
    round: impl Fn(&mut Vm, Fp) -> Result<(), Interrupted>,
    vm: &mut Vm,
    fp: Fp,
) -> (i64, Result<(), Interrupted>) {
    let mut i = numbers.start;
    vm.set_int(fp, slot, i);
    loop {
        let result = round(vm, fp);
        if result.is_err() {
            return (i, result);
        }
        if i + 1 >= numbers.end {
            return (numbers.end, Ok(()));
        }
        i += 1;
        vm.set_int(fp, slot, i);
    }
}

impl Interrupted {
    /// Counts the places of the round that have been reached, and finishes it.
    #[cold]
    #[inline(never)]
    pub fn finish(self, header: &Attached<false>, body: &LoopBody, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        match self {
            Interrupted::After(result) => {
                // Those of statements that were not reached have been taken back already.
                vm.steps.pass_quiet(body.count);
                result?;
            }
            Interrupted::Before(number) => {
                vm.steps.pass_quiet(number as i64);
                body.run_from(number, vm, fp)?;
            }
        }
        Ok(header.pass_alone(vm, fp)?)
    }
}

/// Counts the places of this many rounds that have run.
#[inline(always)]
pub(super) fn count_rounds(body: &LoopBody, rounds: i64, vm: &mut Vm) {
    vm.steps.pass_quiet(rounds * (1 + body.count));
}

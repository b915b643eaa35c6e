//! The rounds of loops.

use crate::interp::operand::BoolOperand;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm, Wide};

use super::headers::{Header, LoopBody};

/// What decides whether a loop has another round.
pub(super) trait Rounds {
    /// Begins the next round, for which it gives the variables of the loop their values; [`Exit::Break`] if there is none.
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit>;

    /// Whether that neither runs statements nor does anything that a debugger may look at.
    fn is_quiet(&self) -> bool {
        true
    }
}

/// Tells whether the condition of a loop is true; [`Exit::Break`] if not.
#[inline(always)]
pub(super) fn test(cond: &impl BoolOperand, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    match cond.get(vm, fp) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Exit::Break),
        Err(Wide) => Err(Exit::Stop),
    }
}

/// Runs rounds.
#[inline(always)]
pub(super) fn run_rounds(
    header: &impl Header,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
    rounds: impl Rounds,
) -> Result<(), Exit> {
    match run_until_left(header, body, vm, fp, rounds) {
        Err(Exit::Break) => Ok(()),
        other => other,
    }
}

#[inline(always)]
fn run_until_left(
    header: &impl Header,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
    mut rounds: impl Rounds,
) -> Result<(), Exit> {
    loop {
        rounds.begin_next(vm, fp)?;
        if !header.enter(vm) {
            rounds = run_uncounted(header, body, vm, fp, rounds)?;
            continue;
        }
        // A loop of its own needs no variable that tells whether the places of the round have been counted.
        loop {
            match header.run(body, true, vm, fp) {
                Ok(()) | Err(Exit::Continue) => {}
                Err(other) => return Err(other),
            }
            if !header.pass(body, rounds.is_quiet(), vm, fp)? {
                break;
            }
            if let Err(exit) = rounds.begin_next(vm, fp) {
                header.end(body, vm);
                return Err(exit);
            }
        }
    }
}

/// Runs a round whose places have not been counted, and passes the header's place; and those that follow as long as
/// conditions are tested in them.
#[cold]
#[inline(never)]
fn run_uncounted<R: Rounds>(
    header: &impl Header,
    body: &LoopBody,
    vm: &mut Vm,
    fp: Fp,
    mut rounds: R,
) -> Result<R, Exit> {
    loop {
        match header.run(body, false, vm, fp) {
            Ok(()) | Err(Exit::Continue) => {}
            Err(other) => return Err(other),
        }
        header.pass_alone(vm, fp)?;
        if !header.has_tests() {
            return Ok(rounds);
        }
        rounds.begin_next(vm, fp)?;
    }
}

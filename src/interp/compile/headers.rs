//! Headers and bodies of loops: what happens in each round in addition to the loop's own work.
//!
//! Attached code passes two places there: the header at the back edge, and the first statement of the body.
//! Usually neither has to call the debugger; then both are counted at once, which saves a large part of the
//! cost of a debugger in loops with a short body.

use crate::program::{Stmt, StmtId, StmtKind};

use crate::interp::flags::StatementFlag;
use crate::interp::operand::StmtFn;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Stop, Vm};

use super::Compiler;
use super::stmts::{ask_at_back_edge, plain, run_watched, watched};

/// The body of a loop. In attached code, the loop checks the flag of its first statement.
pub(super) struct LoopBody {
    first: StmtFn,
    /// The flag of the first statement; `None` in plain code, and where that statement checks it itself.
    watch: Option<(StatementFlag, StmtId)>,
    rest: Option<StmtFn>,
}

impl LoopBody {
    /// Runs the body without checking the first statement's flag.
    #[inline(always)]
    fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        (self.first)(vm, fp)?;
        match &self.rest {
            Some(rest) => rest(vm, fp),
            None => Ok(()),
        }
    }

    /// Runs the body after checking the first statement's flag.
    #[inline]
    fn run_watched(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let Some((flag, id)) = &self.watch else { return self.run(vm, fp) };
        run_watched(flag, *id, &self.first, vm, fp)?;
        match &self.rest {
            Some(rest) => rest(vm, fp),
            None => Ok(()),
        }
    }
}

/// The header of a loop: plain or attached code.
pub(super) trait Header: Clone + 'static {
    /// Compiles the loop statement itself.
    fn statement(&self, run: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn;

    /// Passes the header's place.
    fn back_edge(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop>;

    /// Whether neither the header's place nor that of the body's first statement has to call the debugger.
    fn is_quiet(&self, vm: &Vm, body: &LoopBody) -> bool;

    /// Counts a number of these two places.
    fn pass_quiet(&self, vm: &mut Vm, places: u64);

    /// Runs the body; `passed`: the place of its first statement has been counted already.
    fn run(&self, body: &LoopBody, passed: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit>;

    /// Passes the header's place. If neither place has to call the debugger and the body is certain to run
    /// (`again`), the place of its first statement is counted, too, and the result is `true`.
    #[inline(always)]
    fn pass(&self, body: &LoopBody, again: bool, vm: &mut Vm, fp: Fp) -> Result<bool, Stop> {
        if again && self.is_quiet(vm, body) {
            self.pass_quiet(vm, 2);
            return Ok(true);
        }
        self.back_edge(vm, fp)?;
        Ok(false)
    }
}

/// The header in plain code.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    pub id: StmtId,
}

/// The header in attached code.
#[derive(Clone)]
pub(super) struct Attached {
    pub flag: StatementFlag,
    pub id: StmtId,
}

impl Header for Plain {
    fn statement(&self, run: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn {
        plain(run)
    }

    #[inline(always)]
    fn back_edge(&self, vm: &mut Vm, _: Fp) -> Result<(), Stop> {
        if vm.memory.is_low() { check_memory(vm, self.id) } else { Ok(()) }
    }

    #[inline(always)]
    fn is_quiet(&self, _: &Vm, _: &LoopBody) -> bool {
        false
    }

    #[inline(always)]
    fn pass_quiet(&self, _: &mut Vm, _: u64) {}

    #[inline(always)]
    fn run(&self, body: &LoopBody, _: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        body.run(vm, fp)
    }
}

impl Header for Attached {
    fn statement(&self, run: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn {
        watched(self.flag.clone(), self.id, run)
    }

    #[inline(always)]
    fn back_edge(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
        let bits = self.flag.bits();
        if vm.steps.pass() || bits != 0 {
            return ask_at_back_edge(vm, fp, self.id, bits);
        }
        if vm.memory.is_low() { check_memory(vm, self.id) } else { Ok(()) }
    }

    #[inline(always)]
    fn is_quiet(&self, vm: &Vm, body: &LoopBody) -> bool {
        let Some((flag, _)) = &body.watch else { return false };
        (self.flag.bits() | flag.own_bits()) == 0 && vm.steps.next_two_are_quiet() && !vm.memory.is_low()
    }

    #[inline(always)]
    fn pass_quiet(&self, vm: &mut Vm, places: u64) {
        vm.steps.pass_quiet(places);
    }

    #[inline(always)]
    fn run(&self, body: &LoopBody, passed: bool, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        if passed { body.run(vm, fp) } else { body.run_watched(vm, fp) }
    }
}

#[cold]
#[inline(never)]
fn check_memory(vm: &mut Vm, id: StmtId) -> Result<(), Stop> {
    let at = vm.program.statement(id).map_or(vm.nowhere(), |statement| statement.at);
    vm.check_memory(at)
}

impl Compiler<'_> {
    /// Compiles the body of a loop.
    pub(super) fn loop_body(&mut self, stmts: &[Stmt]) -> LoopBody {
        let watch = stmts.first().and_then(watched_first).and_then(|id| Some((self.flag(id)?, id)));
        let unwatched = match &watch {
            Some((_, id)) => self.unwatched.replace(*id),
            None => self.unwatched,
        };
        let mut compiled: Vec<StmtFn> = stmts.iter().map(|s| self.stmt(s)).collect();
        self.unwatched = unwatched;
        let rest = if compiled.len() > 1 { Some(Self::sequence(compiled.split_off(1))) } else { None };
        LoopBody { first: Self::sequence(compiled), watch, rest }
    }
}

/// The first statement of a body, if the loop can count its place: loops cannot be counted in advance.
fn watched_first(stmt: &Stmt) -> Option<StmtId> {
    if let StmtKind::If { arms, .. } = &stmt.kind {
        return Some(arms.first()?.id);
    }
    (!stmt.is_loop()).then_some(stmt.id)
}

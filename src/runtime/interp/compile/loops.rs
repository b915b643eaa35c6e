//! `as_long_as` and `loop`.

use crate::interp::closures::StmtFn;
use crate::interp::operand::BoolOperand;
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Vm};
use crate::program::{Expr, Stmt, StmtId};

use super::Compiler;
use super::batches::repeat_plain;
use super::headers::{Header, LoopBody};
use super::rounds::{Rounds, run_rounds, test};
use super::simple::only_reads;
use super::stmts::statement;

impl Compiler<'_> {
    pub fn while_stmt(&mut self, id: StmtId, cond: &Expr, body: &[Stmt]) -> StmtFn {
        // Before the body, so that calls in it belong to this statement.
        let only_reads = only_reads(cond);
        loop_condition_operand!(self, cond, cond => self.repeat(id, cond, only_reads, body))
    }

    fn repeat(&mut self, id: StmtId, cond: impl BoolOperand, only_reads: bool, body: &[Stmt]) -> StmtFn {
        let body = self.loop_body(id, body);
        match self.attached_header(id, &body) {
            Some(header) if body.is_plain && only_reads => repeat_plain(header, cond, body),
            _ => with_header!(self, id, &body, header => repeat_while(header, cond, only_reads, body)),
        }
    }

    pub fn loop_stmt(&mut self, id: StmtId, body: &[Stmt]) -> StmtFn {
        let body = self.loop_body(id, body);
        with_header!(self, id, &body, header => statement(move |vm, fp| {
            run_rounds(&header, &body, vm, fp, Endless)
        }))
    }
}

struct Endless;

impl Rounds for Endless {
    #[inline(always)]
    fn begin_next(&mut self, _: &mut Vm, _: Fp) -> Result<(), Exit> {
        Ok(())
    }
}

/// `only_reads`: the condition neither runs statements nor writes anything.
fn repeat_while(header: impl Header, cond: impl BoolOperand, only_reads: bool, body: LoopBody) -> StmtFn {
    statement(move |vm, fp| run_rounds(&header, &body, vm, fp, While { cond: &cond, only_reads }))
}

struct While<'c, C> {
    cond: &'c C,
    only_reads: bool,
}

impl<C: BoolOperand> Rounds for While<'_, C> {
    #[inline(always)]
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        test(self.cond, vm, fp)
    }

    #[inline(always)]
    fn is_quiet(&self) -> bool {
        self.only_reads
    }
}

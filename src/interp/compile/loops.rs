//! Loops. In attached code a header asks its own flag each time it comes round.

use crate::diagnostics::Code;
use crate::program::{Expr, LocalId, Stmt, StmtId, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{Elems, Heap, Ref, Repr, Type, Value, inspect, memory};

use crate::interp::flags::StatementFlag;
use crate::interp::operand::{BoolOperand, IntFn, StmtFn, ValueFn};
use crate::interp::slots::{Fp, Slot, peek};
use crate::interp::vm::{Exit, Stop, Vm, Wide};

use super::Compiler;
use super::stmts::{ask_at_back_edge, plain, watched};
use super::variables::Variable;

/// Runs the body; `break` leaves the surrounding loop.
macro_rules! run_body {
    ($body:expr, $vm:expr, $fp:expr) => {
        match $body($vm, $fp) {
            Ok(()) | Err(Exit::Continue) => {}
            Err(Exit::Break) => break,
            Err(other) => return Err(other),
        }
    };
}

/// What a loop does each time it comes round.
trait Header: Clone + 'static {
    /// Makes a statement of the loop.
    fn statement(&self, run: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn;
    fn back_edge(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop>;
}

/// No debugger.
#[derive(Clone, Copy)]
struct Plain {
    id: StmtId,
}

/// A debugger may set the flag.
#[derive(Clone)]
struct Attached {
    flag: StatementFlag,
    id: StmtId,
}

impl Header for Plain {
    fn statement(&self, run: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn {
        plain(run)
    }

    #[inline(always)]
    fn back_edge(&self, vm: &mut Vm, _: Fp) -> Result<(), Stop> {
        if memory::is_low() { check_memory(vm, self.id) } else { Ok(()) }
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
        if memory::is_low() { check_memory(vm, self.id) } else { Ok(()) }
    }
}

#[cold]
#[inline(never)]
fn check_memory(vm: &mut Vm, id: StmtId) -> Result<(), Stop> {
    let at = vm.program.statement(id).map_or(vm.nowhere(), |statement| statement.at);
    vm.check_memory(at)
}

/// Binds `$header` to the header of the loop `$id` and makes the loop for either kind of run.
macro_rules! with_header {
    ($b:expr, $id:expr, $header:ident => $body:expr) => {
        match $b.flag($id) {
            Some(flag) => {
                let $header = Attached { flag, id: $id };
                $body
            }
            None => {
                let $header = Plain { id: $id };
                $body
            }
        }
    };
}

impl Compiler<'_> {
    pub(crate) fn while_stmt(&mut self, id: StmtId, cond: &Expr, body: &[Stmt]) -> StmtFn {
        let body = self.block(body);
        if self.simple_comparison(cond).is_none() {
            let cond = self.condition(cond);
            return with_header!(self, id, header => repeat_while(header, cond, body));
        }
        cond_operand!(self, cond, cond => with_header!(self, id, header => repeat_while(header, cond, body)))
    }

    pub(crate) fn loop_stmt(&mut self, id: StmtId, body: &[Stmt]) -> StmtFn {
        let body = self.block(body);
        with_header!(self, id, header => header.clone().statement(move |vm, fp| {
            loop {
                run_body!(body, vm, fp);
                header.back_edge(vm, fp)?;
            }
            Ok(())
        }))
    }

    pub(crate) fn for_stmt(
        &mut self,
        s: &Stmt,
        var: LocalId,
        start: &Expr,
        end: &Expr,
        step: Option<&Expr>,
        body: &[Stmt],
    ) -> StmtFn {
        let ty = self.local(var).map_or(Type::INT, |l| l.ty.clone());
        let (start, end) = (self.bound(start), self.bound(end));
        let step = step.map(|e| self.bound(e));
        let body = self.block(body);
        if ty == Type::INT && !self.is_boxed(var) && step.is_none() {
            let (at, slot) = (s.at, Slot::new(var.0));
            return with_header!(self, s.id, header => count_up(header, slot, start, end, body, at));
        }
        let counted = Counted { var: self.loop_variable(var, &ty), ty, start, end, step, body, at: s.at };
        with_header!(self, s.id, header => header.clone().statement(move |vm, fp| counted.run(vm, fp, &header)))
    }

    /// A bound of a range in 64 bits; what is larger saturates.
    fn bound(&mut self, e: &Expr) -> IntFn {
        let at = e.at;
        if e.ty.repr() == Repr::Int {
            let f = self.int(e);
            return Box::new(move |vm, fp| match f(vm, fp) {
                Ok(i) => Ok(i),
                Err(Wide) => {
                    let value = vm.take_value()?;
                    Ok(crate::interp::ranges::bounds(vm, &value, &value, &Value::Int(1), at)?.0)
                }
            });
        }
        let f = self.value(e);
        Box::new(move |vm, fp| {
            let value = f(vm, fp)?;
            Ok(crate::interp::ranges::bounds(vm, &value, &value, &Value::Int(1), at)?.0)
        })
    }

    pub(crate) fn for_each_stmt(
        &mut self,
        s: &Stmt,
        index: Option<LocalId>,
        var: LocalId,
        iterable: &Expr,
        body: &[Stmt],
    ) -> StmtFn {
        let each = Each {
            index: index.map(|i| self.loop_variable(i, &Type::INT)),
            var: self.loop_variable(var, &Type::Any),
            at: s.at,
            iterable: self.value(iterable),
            body: self.block(body),
        };
        with_header!(self, s.id, header => header.clone().statement(move |vm, fp| each.run(vm, fp, &header)))
    }
}

fn repeat_while(header: impl Header, cond: impl BoolOperand, body: StmtFn) -> StmtFn {
    header.clone().statement(move |vm, fp| {
        loop {
            match cond.get(vm, fp) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Wide) => return Err(Exit::Stop),
            }
            run_body!(body, vm, fp);
            header.back_edge(vm, fp)?;
        }
        Ok(())
    })
}

/// `for i in range(start, end)` with a plain `int`.
fn count_up(header: impl Header, slot: Slot, start: IntFn, end: IntFn, body: StmtFn, at: Span) -> StmtFn {
    header.clone().statement(move |vm, fp| {
        let mut i = start(vm, fp).map_err(|Wide| Exit::Stop)?;
        let end = end(vm, fp).map_err(|Wide| Exit::Stop)?;
        crate::interp::ranges::check(vm, i, end, 1, at)?;
        while i < end {
            vm.set_int(fp, slot, i);
            run_body!(body, vm, fp);
            header.back_edge(vm, fp)?;
            i += 1;
        }
        Ok(())
    })
}

/// Any other `for` over a range.
struct Counted {
    var: Variable,
    ty: Type,
    start: IntFn,
    end: IntFn,
    step: Option<IntFn>,
    body: StmtFn,
    at: Span,
}

impl Counted {
    fn run(&self, vm: &mut Vm, fp: Fp, header: &impl Header) -> Result<(), Exit> {
        let mut i = (self.start)(vm, fp).map_err(|Wide| Exit::Stop)?;
        let end = (self.end)(vm, fp).map_err(|Wide| Exit::Stop)?;
        let step = match &self.step {
            Some(step) => step(vm, fp).map_err(|Wide| Exit::Stop)?,
            None => 1,
        };
        crate::interp::ranges::check(vm, i, end, step, self.at)?;
        let site = StoreSite { kind: StoreKind::Loop, at: self.at };
        while if step > 0 { i < end } else { i > end } {
            let value = crate::interp::store::store(vm, &self.ty, Value::Int(i), &site)?;
            self.var.init(vm, fp, value);
            run_body!(self.body, vm, fp);
            header.back_edge(vm, fp)?;
            match i.checked_add(step) {
                Some(next) => i = next,
                None => break,
            }
        }
        Ok(())
    }
}

struct Each {
    index: Option<Variable>,
    var: Variable,
    at: Span,
    iterable: ValueFn,
    body: StmtFn,
}

impl Each {
    fn run(&self, vm: &mut Vm, fp: Fp, header: &impl Header) -> Result<(), Exit> {
        let value = (self.iterable)(vm, fp)?.follow();
        if let Value::Ref(r) = &value {
            match &**r {
                Heap::Array(a) => {
                    let is_outermost = a.begin_iteration();
                    let result = self.array(vm, fp, r, header);
                    if is_outermost {
                        a.end_iteration();
                    }
                    return result;
                }
                Heap::Str(_) => return self.string(vm, fp, r, header),
                _ => {}
            }
        }
        let kind = if matches!(value, Value::Nil) { inspect(&value) } else { value.typeof_name() };
        Ok(vm.fail(Code::E3017, format!("for_each requires array or string, got {kind}"), self.at)?)
    }

    fn set_index(&self, vm: &mut Vm, fp: Fp, i: usize) {
        if let Some(index) = &self.index {
            index.init(vm, fp, Value::Int(i as i64));
        }
    }

    fn array(&self, vm: &mut Vm, fp: Fp, r: &Ref, header: &impl Header) -> Result<(), Exit> {
        let Heap::Array(a) = &**r else { return Ok(()) };
        // The length is fixed: nothing may grow or shrink it meanwhile.
        let count = a.borrow().data.len();
        let unboxed_int = *self.var.ty == Type::INT && !self.var.boxed;
        for i in 0..count {
            self.set_index(vm, fp, i);
            let quick = match &peek(a, &vm.mutator).data {
                Elems::Ints(all) if unboxed_int => all.get(i).copied(),
                _ => None,
            };
            match quick {
                Some(x) => vm.set_int(fp, self.var.slot, x),
                None => {
                    let item = a.borrow().data.get(i).unwrap_or_default();
                    let item = if self.var.ty.is_any() { item } else { item.follow() };
                    if a.is_frozen() {
                        crate::value::freeze(&item);
                    }
                    self.var.init(vm, fp, item);
                }
            }
            run_body!(self.body, vm, fp);
            header.back_edge(vm, fp)?;
        }
        Ok(())
    }

    fn string(&self, vm: &mut Vm, fp: Fp, r: &Ref, header: &impl Header) -> Result<(), Exit> {
        let Heap::Str(text) = &**r else { return Ok(()) };
        let unboxed = *self.var.ty == Type::Char && !self.var.boxed;
        for (offset, c) in text.as_str().char_indices() {
            self.set_index(vm, fp, offset);
            if unboxed {
                vm.frames.set(fp, self.var.slot, u64::from(c as u32));
            } else {
                self.var.init(vm, fp, Value::Char(c));
            }
            run_body!(self.body, vm, fp);
            header.back_edge(vm, fp)?;
        }
        Ok(())
    }
}

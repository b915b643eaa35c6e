//! Loops.

use crate::diagnostics::Code;
use crate::program::{Expr, LocalId, Stmt, StmtId, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{Elems, Heap, Ref, Repr, Type, Value, inspect};

use crate::interp::operand::{BoolOperand, IntFn, StmtFn, ValueFn};
use crate::interp::slots::{Fp, Slot, peek};
use crate::interp::vm::{Exit, Vm, Wide};

use super::Compiler;
use super::headers::{Attached, Header, LoopBody, Plain};
use super::variables::Variable;

/// Runs the body; `break` leaves the loop that contains the macro.
macro_rules! run_body {
    ($run:expr) => {
        match $run {
            Ok(()) | Err(Exit::Continue) => {}
            Err(Exit::Break) => break,
            Err(other) => return Err(other),
        }
    };
}

/// Binds `$header` to the header of the loop `$id`, and compiles the loop for plain or attached code.
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
        let body = self.loop_body(body);
        if self.simple_comparison(cond).is_none() {
            let cond = self.condition(cond);
            return with_header!(self, id, header => repeat_while(header, cond, body));
        }
        cond_operand!(self, cond, cond => with_header!(self, id, header => repeat_while(header, cond, body)))
    }

    pub(crate) fn loop_stmt(&mut self, id: StmtId, body: &[Stmt]) -> StmtFn {
        let body = self.loop_body(body);
        with_header!(self, id, header => header.clone().statement(move |vm, fp| {
            let mut passed = false;
            loop {
                run_body!(header.run(&body, passed, vm, fp));
                passed = header.pass(&body, true, vm, fp)?;
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
        let body = self.loop_body(body);
        if ty == Type::INT && !self.is_boxed(var) && step.is_none() {
            let (at, slot) = (s.at, Slot::new(var.0));
            return with_header!(self, s.id, header => count_up(header, slot, start, end, body, at));
        }
        let counted = Counted { var: self.loop_variable(var, &ty), ty, start, end, step, body, at: s.at };
        with_header!(self, s.id, header => header.clone().statement(move |vm, fp| counted.run(vm, fp, &header)))
    }

    /// A bound of a range in 64 bits; larger integers saturate.
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
            body: self.loop_body(body),
        };
        with_header!(self, s.id, header => header.clone().statement(move |vm, fp| each.run(vm, fp, &header)))
    }
}

fn repeat_while<C: BoolOperand>(header: impl Header, cond: C, body: LoopBody) -> StmtFn {
    header.clone().statement(move |vm, fp| {
        let mut is_quiet = false;
        loop {
            let holds = cond.get(vm, fp);
            if is_quiet {
                // Counts the header's place and, if the body runs, that of its first statement.
                header.pass_quiet(vm, if matches!(holds, Ok(true)) { 2 } else { 1 });
            }
            match holds {
                Ok(true) => {}
                Ok(false) => break,
                Err(Wide) => return Err(Exit::Stop),
            }
            run_body!(header.run(&body, is_quiet, vm, fp));
            is_quiet = !C::RUNS_STATEMENTS && header.is_quiet(vm, &body);
            if !is_quiet {
                header.back_edge(vm, fp)?;
            }
        }
        Ok(())
    })
}

/// `for i in range(start, end)` with a plain `int`.
fn count_up(header: impl Header, slot: Slot, start: IntFn, end: IntFn, body: LoopBody, at: Span) -> StmtFn {
    header.clone().statement(move |vm, fp| {
        let mut i = start(vm, fp).map_err(|Wide| Exit::Stop)?;
        let end = end(vm, fp).map_err(|Wide| Exit::Stop)?;
        crate::interp::ranges::check(vm, i, end, 1, at)?;
        let mut passed = false;
        while i < end {
            vm.set_int(fp, slot, i);
            run_body!(header.run(&body, passed, vm, fp));
            let next = i + 1;
            passed = header.pass(&body, next < end, vm, fp)?;
            i = next;
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
    body: LoopBody,
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
            run_body!(header.run(&self.body, false, vm, fp));
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
    body: LoopBody,
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
        // The length is fixed at the start: the array cannot change size during the loop.
        let count = a.borrow().data.len();
        let unboxed_int = *self.var.ty == Type::INT && !self.var.boxed;
        let mut passed = false;
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
            run_body!(header.run(&self.body, passed, vm, fp));
            passed = header.pass(&self.body, i + 1 < count, vm, fp)?;
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
            run_body!(header.run(&self.body, false, vm, fp));
            header.back_edge(vm, fp)?;
        }
        Ok(())
    }
}

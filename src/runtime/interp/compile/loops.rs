//! Loops.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::diagnostics::Code;
use crate::interp::closures::{Closure, IntFn, StmtFn, ValueFn};
use crate::interp::operand::BoolOperand;
use crate::interp::ranges::{Bound, check, check_any, integer};
use crate::interp::slots::{Fp, peek};
use crate::interp::store::store;
use crate::interp::vm::{Exit, Stop, Vm, Wide};
use crate::program::{Expr, LocalId, Stmt, StmtId, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{Elems, Heap, Ref, Repr, Type, Value, inspect, normalize, view_fits};

use super::Compiler;
use super::batches::{BATCH, count_batch, count_rounds, interrupted, repeat_simple};
use super::headers::{Attached, Header, LoopBody, Plain};
use super::ints::unbox_value;
use super::simple::only_reads;
use super::stmts::statement;
use super::variables::Variable;

/// Runs a round of a loop and passes the header's place; `break` leaves the loop that contains the macro. `$counted`:
/// whether the places of the body's first segment have been counted, then of that of the next round (`$ahead`: see
/// [`Header::pass`]).
macro_rules! run_round {
    ($header:expr, $body:expr, $counted:ident, $ahead:expr, $vm:ident, $fp:ident) => {
        $counted = $counted || $header.enter($body, $vm);
        match $header.run($body, $counted, $vm, $fp) {
            Ok(()) | Err(Exit::Continue) => {}
            Err(Exit::Break) => {
                $counted = false;
                break;
            }
            Err(other) => return Err(other),
        }
        $counted = $header.pass($body, $ahead, $vm, $fp)?;
    };
}

/// Binds `$header` to the header of the loop `$id` with this body, and compiles the loop for plain or attached code.
macro_rules! with_header {
    ($b:expr, $id:expr, $body:expr, $header:ident => $run:expr) => {
        if let Some($header) = $b.attached_header::<false>($id, $body) {
            $run
        } else if let Some($header) = $b.attached_header::<true>($id, $body) {
            $run
        } else {
            let $header = Plain { id: $id };
            $run
        }
    };
}

impl Compiler<'_> {
    pub fn while_stmt(&mut self, id: StmtId, cond: &Expr, body: &[Stmt]) -> StmtFn {
        // Before the body, so that calls in it belong to this statement.
        let only_reads = only_reads(cond);
        loop_condition_operand!(self, cond, cond => self.repeat(id, cond, only_reads, body))
    }

    fn repeat(&mut self, id: StmtId, cond: impl BoolOperand, only_reads: bool, body: &[Stmt]) -> StmtFn {
        let body = self.loop_body(id, body);
        match self.attached_header(id, &body) {
            Some(header) if body.is_simple && only_reads => repeat_simple(header, cond, body),
            _ => with_header!(self, id, &body, header => repeat_while(header, cond, only_reads, body)),
        }
    }

    pub fn loop_stmt(&mut self, id: StmtId, body: &[Stmt]) -> StmtFn {
        let body = self.loop_body(id, body);
        with_header!(self, id, &body, header => statement(move |vm, fp| {
            let mut counted = false;
            loop {
                run_round!(header, &body, counted, true, vm, fp);
            }
            header.end(&body, counted, vm);
            Ok(())
        }))
    }

    pub fn for_stmt(
        &mut self,
        s: &Stmt,
        var: LocalId,
        start: &Expr,
        end: &Expr,
        step: Option<&Expr>,
        body: &[Stmt],
    ) -> StmtFn {
        let ty = self.local(var).map_or(Type::INT, |l| l.ty.clone());
        let bounds = Bounds {
            start: self.bound(start, Bound::Start),
            end: self.bound(end, Bound::End),
            step: step.map(|step| self.bound(step, Bound::Step)),
            at: s.at,
        };
        let body = self.loop_body(s.id, body);
        let var = self.loop_variable(var, &ty);
        let counted = Counted { var, ty, bounds, body, at: s.at };
        if counted.ty == Type::INT && !counted.var.boxed && counted.bounds.step.is_none() {
            let id = s.id;
            return match self.attached_header(id, &counted.body) {
                Some(header) if counted.body.is_simple => count_simple(header, counted),
                _ => with_header!(self, id, &counted.body, header => count_up(header, counted)),
            };
        }
        with_header!(self, s.id, &counted.body, header => statement(move |vm, fp| {
            match counted.bounds.get(vm, fp)? {
                Numbers::Small(numbers) => counted.small(vm, fp, &header, numbers),
                Numbers::Wide(numbers) => counted.wide(vm, fp, &header, *numbers),
            }
        }))
    }

    /// A number of a range: in 64 bits, or the pending value if it is larger.
    fn bound(&mut self, e: &Expr, which: Bound) -> IntFn {
        let at = e.at;
        if e.ty.repr() == Repr::Int {
            let int = self.int(e);
            return IntFn::new(move |vm, fp| match int.get(vm, fp) {
                Ok(i) => Ok(i),
                Err(Wide) => {
                    let value = vm.take_value()?;
                    let number = integer(vm, &value, which, at)?;
                    unbox_value(vm, &number)
                }
            });
        }
        let value = self.value(e);
        IntFn::new(move |vm, fp| {
            let value = value.run(vm, fp)?;
            let number = integer(vm, &value, which, at)?;
            unbox_value(vm, &number)
        })
    }

    pub fn for_each_stmt(
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
            site: StoreSite { kind: StoreKind::Loop, at: s.at },
            iterable: self.value(iterable),
            body: self.loop_body(s.id, body),
        };
        with_header!(self, s.id, &each.body, header => statement(move |vm, fp| each.run(vm, fp, &header)))
    }
}

/// `only_reads`: the condition neither runs statements nor writes anything.
fn repeat_while(header: impl Header, cond: impl BoolOperand, only_reads: bool, body: LoopBody) -> StmtFn {
    statement(move |vm, fp| {
        let mut counted = false;
        loop {
            match cond.get(vm, fp) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Wide) => {
                    header.end(&body, counted, vm);
                    return Err(Exit::Stop);
                }
            }
            run_round!(header, &body, counted, only_reads, vm, fp);
        }
        header.end(&body, counted, vm);
        Ok(())
    })
}

/// The expressions that give the numbers of a loop's range.
struct Bounds {
    start: IntFn,
    end: IntFn,
    step: Option<IntFn>,
    at: Span,
}

/// The numbers of a range: start, end and step.
enum Numbers {
    Small([i64; 3]),
    /// At least one of them does not fit into 64 bits.
    Wide(Box<[BigInt; 3]>),
}

impl Bounds {
    /// Evaluates and checks them.
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Numbers, Exit> {
        let start = number(vm, fp, &self.start)?;
        let end = number(vm, fp, &self.end)?;
        let step = match &self.step {
            Some(step) => number(vm, fp, step)?,
            None => Value::Int(1),
        };
        if let (&Value::Int(start), &Value::Int(end), &Value::Int(step)) = (&start, &end, &step) {
            check(vm, start, end, step, self.at)?;
            return Ok(Numbers::Small([start, end, step]));
        }
        check_any(vm, [&start, &end, &step], self.at)?;
        Ok(Numbers::Wide(Box::new([start, end, step].map(|number| number.as_bigint().unwrap_or_default()))))
    }
}

fn number(vm: &mut Vm, fp: Fp, bound: &IntFn) -> Result<Value, Stop> {
    match bound.get(vm, fp) {
        Ok(i) => Ok(Value::Int(i)),
        Err(Wide) => vm.take_value(),
    }
}

/// A `for` over a range.
struct Counted {
    var: Variable,
    ty: Type,
    bounds: Bounds,
    body: LoopBody,
    at: Span,
}

/// `for i in range(start, end)` with a plain `int`.
fn count_up(header: impl Header, numbers: Counted) -> StmtFn {
    let slot = numbers.var.slot;
    statement(move |vm, fp| {
        let [mut i, end, _] = match numbers.bounds.get(vm, fp)? {
            Numbers::Small(numbers) => numbers,
            Numbers::Wide(wide) => return numbers.wide(vm, fp, &header, *wide),
        };
        let body = &numbers.body;
        while i < end {
            if !header.enter(body, vm) {
                vm.set_int(fp, slot, i);
                i += 1;
                match run_uncounted(&header, body, vm, fp) {
                    Ok(()) => continue,
                    Err(Exit::Break) => return Ok(()),
                    Err(other) => return Err(other),
                }
            }
            // A loop of its own needs no variable that tells whether the places of the round have been counted.
            loop {
                vm.set_int(fp, slot, i);
                i += 1;
                match header.run(body, true, vm, fp) {
                    Ok(()) | Err(Exit::Continue) => {}
                    Err(Exit::Break) => return Ok(()),
                    Err(other) => return Err(other),
                }
                if !header.pass(body, true, vm, fp)? {
                    break;
                }
                if i >= end {
                    header.end(body, true, vm);
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

/// Runs a round whose places have not been counted, and passes the header's place.
#[cold]
#[inline(never)]
fn run_uncounted(header: &impl Header, body: &LoopBody, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    match header.run(body, false, vm, fp) {
        Ok(()) | Err(Exit::Continue) => {}
        Err(other) => return Err(other),
    }
    header.pass(body, false, vm, fp)?;
    Ok(())
}

/// The same with a simple body in attached code.
fn count_simple(header: Attached<false>, counted: Counted) -> StmtFn {
    let slot = counted.var.slot;
    statement(move |vm, fp| {
        let [mut i, end, _] = match counted.bounds.get(vm, fp)? {
            Numbers::Small(numbers) => numbers,
            Numbers::Wide(numbers) => return counted.wide(vm, fp, &header, *numbers),
        };
        let body = &counted.body;
        while i < end {
            let result = if header.is_quiet_for(BATCH, vm) {
                let to = i.saturating_add_unsigned(BATCH).min(end);
                let (next, result) = count_batch(slot, i..to, body, vm, fp);
                count_rounds(body, next.abs_diff(i), vm);
                i = next;
                if i == to {
                    continue;
                }
                interrupted(&header, body, result, vm, fp)
            } else {
                vm.set_int(fp, slot, i);
                header.run_alone(body, vm, fp)
            };
            match result {
                Ok(()) => i += 1,
                Err(Exit::Break) => return Ok(()),
                Err(other) => return Err(other),
            }
        }
        Ok(())
    })
}

impl Counted {
    fn small(
        &self,
        vm: &mut Vm,
        fp: Fp,
        header: &impl Header,
        [mut i, end, step]: [i64; 3],
    ) -> Result<(), Exit> {
        let mut counted = false;
        while if step > 0 { i < end } else { i > end } {
            self.init(vm, fp, Value::Int(i))?;
            run_round!(header, &self.body, counted, false, vm, fp);
            match i.checked_add(step) {
                Some(next) => i = next,
                None => break,
            }
        }
        header.end(&self.body, counted, vm);
        Ok(())
    }

    #[cold]
    fn wide(
        &self,
        vm: &mut Vm,
        fp: Fp,
        header: &impl Header,
        [mut i, end, step]: [BigInt; 3],
    ) -> Result<(), Exit> {
        let up = step.is_positive();
        let mut counted = false;
        while if up { i < end } else { i > end } {
            self.init(vm, fp, normalize(i.clone()))?;
            run_round!(header, &self.body, counted, false, vm, fp);
            i += &step;
        }
        header.end(&self.body, counted, vm);
        Ok(())
    }

    /// Gives the loop variable its value.
    fn init(&self, vm: &mut Vm, fp: Fp, value: Value) -> Result<(), Stop> {
        let site = StoreSite { kind: StoreKind::Loop, at: self.at };
        let value = store(vm, &self.ty, value, &site)?;
        self.var.init(vm, fp, value);
        Ok(())
    }
}

struct Each {
    index: Option<Variable>,
    var: Variable,
    at: Span,
    /// The loop variable as a target.
    site: StoreSite,
    iterable: ValueFn,
    body: LoopBody,
}

impl Each {
    fn run(&self, vm: &mut Vm, fp: Fp, header: &impl Header) -> Result<(), Exit> {
        let value = self.iterable.run(vm, fp)?.follow();
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
        let is_wider = !view_fits(&self.var.ty, &a.borrow().elem);
        let mut counted = false;
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
                    let item = match self.var.ty.is_any() {
                        true => item,
                        false if is_wider => store(vm, &self.var.ty, item, &self.site)?,
                        false => item.follow(),
                    };
                    if a.is_frozen() {
                        crate::value::freeze(&item);
                    }
                    self.var.init(vm, fp, item);
                }
            }
            // A conversion that fails has to find the places of the round not counted.
            run_round!(header, &self.body, counted, !is_wider, vm, fp);
        }
        header.end(&self.body, counted, vm);
        Ok(())
    }

    fn string(&self, vm: &mut Vm, fp: Fp, r: &Ref, header: &impl Header) -> Result<(), Exit> {
        let Heap::Str(text) = &**r else { return Ok(()) };
        let unboxed = *self.var.ty == Type::Char && !self.var.boxed;
        let mut counted = false;
        for (offset, c) in text.as_str().char_indices() {
            self.set_index(vm, fp, offset);
            if unboxed {
                vm.frames.set(fp, self.var.slot, u64::from(c as u32));
            } else {
                self.var.init(vm, fp, Value::Char(c));
            }
            run_round!(header, &self.body, counted, true, vm, fp);
        }
        header.end(&self.body, counted, vm);
        Ok(())
    }
}

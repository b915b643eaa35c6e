//! `for` over a range.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::interp::closures::{Closure, IntFn, StmtFn};
use crate::interp::ranges::{Bound, check, check_any, integer};
use crate::interp::slots::{Fp, Slot};
use crate::interp::store::store;
use crate::interp::vm::{Exit, Stop, Vm, Wide};
use crate::program::{Expr, LocalId, Stmt, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{Repr, Type, Value, normalize};

use super::Compiler;
use super::batches::{BATCH, Tests, count_batch, count_rounds, round};
use super::headers::{Attached, Header, LoopBody};
use super::rounds::{Rounds, run_rounds};
use super::stmts::statement;
use super::variables::Variable;
use crate::interp::access::int_register;

impl Compiler<'_> {
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
                Some(header) if counted.body.is_plain => count_plain(header, counted),
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
                    int_register(vm, &number)
                }
            });
        }
        let value = self.value(e);
        IntFn::new(move |vm, fp| {
            let value = value.run(vm, fp)?;
            let number = integer(vm, &value, which, at)?;
            int_register(vm, &number)
        })
    }
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
        let [i, end, _] = match numbers.bounds.get(vm, fp)? {
            Numbers::Small(numbers) => numbers,
            Numbers::Wide(wide) => return numbers.wide(vm, fp, &header, *wide),
        };
        run_rounds(&header, &numbers.body, vm, fp, Up { numbers: i..end, slot })
    })
}

/// Numbers that follow each other.
struct Up {
    numbers: std::ops::Range<i64>,
    slot: Slot,
}

impl Rounds for Up {
    #[inline(always)]
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let number = self.numbers.next().ok_or(Exit::Break)?;
        vm.set_int(fp, self.slot, number);
        Ok(())
    }
}

/// Like [`count_up`], with a plain body in attached code.
fn count_plain(header: Attached<false>, counted: Counted) -> StmtFn {
    let slot = counted.var.slot;
    statement(move |vm, fp| {
        let [mut i, end, _] = match counted.bounds.get(vm, fp)? {
            Numbers::Small(numbers) => numbers,
            Numbers::Wide(numbers) => return counted.wide(vm, fp, &header, *numbers),
        };
        let body = &counted.body;
        while i < end {
            let batch = i..i.saturating_add(BATCH).min(end);
            let (next, result) = if header.is_quiet_for(BATCH, vm) {
                count_batch(slot, batch, |vm, fp| round(body, vm, fp), vm, fp)
            } else if header.is_tested_for(BATCH, vm) {
                let conditions = vm.conditions.clone();
                let tests = Tests::of(&header, body, &conditions);
                count_batch(slot, batch, |vm, fp| tests.round(vm, fp), vm, fp)
            } else {
                vm.set_int(fp, slot, i);
                header.run_alone(body, vm, fp)?;
                i += 1;
                continue;
            };
            count_rounds(body, next - i, vm);
            i = next;
            if let Err(end) = result {
                end.finish(&header, body, vm, fp)?;
                i += 1;
            }
        }
        Ok(())
    })
}

/// Numbers from one up or down to another one.
struct Small<'c> {
    counted: &'c Counted,
    next: Option<i64>,
    end: i64,
    step: i64,
}

impl Rounds for Small<'_> {
    #[inline(always)]
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let has_next = |next: &i64| if self.step > 0 { *next < self.end } else { *next > self.end };
        let number = self.next.filter(has_next).ok_or(Exit::Break)?;
        self.next = number.checked_add(self.step);
        let Counted { var, ty, .. } = self.counted;
        if *ty == Type::INT && !var.boxed {
            vm.set_int(fp, var.slot, number);
            return Ok(());
        }
        Ok(self.counted.init(vm, fp, Value::Int(number))?)
    }
}

/// Numbers from one up or down to another one, where one of them does not fit into 64 bits.
struct WideNumbers<'c> {
    counted: &'c Counted,
    /// The next one, the end, and the step.
    numbers: [BigInt; 3],
}

impl Rounds for WideNumbers<'_> {
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let [next, end, step] = &mut self.numbers;
        let has_next = if step.is_positive() { next < end } else { next > end };
        if !has_next {
            return Err(Exit::Break);
        }
        self.counted.init(vm, fp, normalize(next.clone()))?;
        *next += &*step;
        Ok(())
    }
}

impl Counted {
    fn small(
        &self,
        vm: &mut Vm,
        fp: Fp,
        header: &impl Header,
        [start, end, step]: [i64; 3],
    ) -> Result<(), Exit> {
        run_rounds(header, &self.body, vm, fp, Small { counted: self, next: Some(start), end, step })
    }

    #[cold]
    fn wide(&self, vm: &mut Vm, fp: Fp, header: &impl Header, numbers: [BigInt; 3]) -> Result<(), Exit> {
        run_rounds(header, &self.body, vm, fp, WideNumbers { counted: self, numbers })
    }

    /// Gives the loop variable its value.
    fn init(&self, vm: &mut Vm, fp: Fp, value: Value) -> Result<(), Stop> {
        let site = StoreSite { kind: StoreKind::Loop, at: self.at };
        let value = store(vm, &self.ty, value, &site)?;
        self.var.init(vm, fp, value);
        Ok(())
    }
}

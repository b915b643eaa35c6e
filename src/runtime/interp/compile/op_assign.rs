//! Compound assignments: `target op= value`. Each frequent form has a fast path; the general one is used for all others.

use crate::program::{ArithOp, Expr, Target, TargetKind};
use crate::source::Span;
use crate::value::{FloatKind, Heap, Limits, Ref, Repr, Type, Value, append_str, append_to, round_single};

use crate::interp::arith::{
    Arithmetic, Bound, arith_values, dispatch_float, dispatch_int, float_if_finite, float_op, in_slot,
    int_slow, widened,
};
use crate::interp::boxing::{ref_value, value_ref};
use crate::interp::closures::{FloatFn, IntFn, RefFn, StmtFn, Word};
use crate::interp::lvalues::op_lvalue;
use crate::interp::operand::{FloatOperand, IntOperand};
use crate::interp::slots::{Fp, Slot};
use crate::interp::targets::Lvalue;
use crate::interp::vm::{Exit, SEE_WIDE, Vm, Wide};

use super::Compiler;
use super::natives::{RegisterOperand, Unboxing};
use super::registers::Register;
use super::scalar_targets::ScalarTarget;
use super::stmts::statement;
use super::stores::Store;

impl Compiler<'_> {
    pub fn op_assign(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        match (target.ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) if is_whole(&target.ty) && is_whole(&value.ty) => {
                self.op_assign_whole(target, op, value, at)
            }
            (Repr::Float, Repr::Int | Repr::Float) if matches!(target.ty, Type::Float(_)) => {
                self.op_assign_float(target, op, value, at)
            }
            _ if matches!((&target.ty, &value.ty, op), (Type::Str, Type::Str, ArithOp::Add)) => {
                let (local, global) = (self.assignable_slot(target, Repr::Ref), self.global_slot(target));
                if let Some(slot) = local.or(global.as_ref().map(|global| global.0)) {
                    let (value, is_global) = (self.reference(value), global.is_some());
                    return statement(move |vm, fp| {
                        let more = value.get(vm, fp)?;
                        append_to_slot(vm, if is_global { vm.globals } else { fp }, slot, more, at)
                    });
                }
                let store = Store::new(target, value, at);
                scalar_operand!(self, target, scalar => return append_text(store, self.reference(value), scalar));
                self.op_assign_general(target, op, value, at)
            }
            _ => self.op_assign_general(target, op, value, at),
        }
    }

    /// `target op= value` on integers.
    fn op_assign_whole(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        let store = Store::new(target, value, at);
        let limits = limits_of_result(&target.ty, &value.ty);
        if let Some(slot) = self.assignable_slot(target, Repr::Int) {
            let operation = IntOperation { slot, limits: in_slot(limits), store };
            return int_operand!(self, value, a => with_arith!(op, O => {
                statement(move |vm, fp| operation.run::<O, _>(&a, vm, fp))
            }));
        }
        scalar_operand!(self, target, scalar => {
            return step_scalar::<IntFn, _, _>(Step { value: self.computed(value), scalar, op, results: limits, store });
        });
        self.op_assign_general(target, op, value, at)
    }

    /// `target op= value` on floats.
    fn op_assign_float(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        let is_single = target.ty == Type::Float(FloatKind::F32);
        if let Some(slot) = self.assignable_slot(target, Repr::Float) {
            if is_single {
                let value = self.any_float(value);
                return statement(move |vm, fp| {
                    let y = value.get(vm, fp)?;
                    let x = f64::from_bits(vm.frames.get(fp, slot));
                    let r = round_single(dispatch_float(vm, op, x, y, at)?);
                    vm.frames.set(fp, slot, r.to_bits());
                    Ok(())
                });
            }
            return float_operand!(self, value, a => with_arith!(op, O => statement(move |vm, fp| {
                let y = a.get(vm, fp)?;
                let x = f64::from_bits(vm.frames.get(fp, slot));
                let r = float_op::<O>(vm, x, y, &at)?;
                vm.frames.set(fp, slot, r.to_bits());
                Ok(())
            })));
        }
        let store = Store::new(target, value, at);
        scalar_operand!(self, target, scalar => {
            let (value, results) = (self.any_float(value), Floats { is_single });
            return step_scalar::<FloatFn, _, _>(Step { value, scalar, op, results, store });
        });
        self.op_assign_general(target, op, value, at)
    }

    fn op_assign_general(&mut self, target: &Target, op: ArithOp, value: &Expr, at: Span) -> StmtFn {
        let (ty, value_type) = (target.ty.clone(), value.ty.clone());
        let value = self.value(value);
        let character = matches!(target.kind, TargetKind::Char { .. });
        let lvalue = self.lvalue(target, at);
        statement(move |vm, fp| {
            let y = value.run(vm, fp)?;
            let lvalue = lvalue.run(vm, fp)?;
            if character {
                // A compound operator on a character of a string is ignored.
                return Ok(lvalue.write(vm, &ty, y, at)?);
            }
            op_lvalue(vm, fp, &lvalue, (&ty, &value_type), op, &y, at)
        })
    }
}

/// Whether values of this type are integers.
fn is_whole(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Byte)
}

/// The results of an operator that can be stored in a scalar of type `left`.
fn limits_of_result(left: &Type, right: &Type) -> Limits {
    let limits = Bound::of(left).limits();
    // The result of a byte and another integer has the type of that.
    if *left == Type::Byte { limits.and(Bound::of(right).limits()) } else { limits }
}

/// `scalar += more` on strings.
fn append_text(store: Store, more: RefFn, scalar: impl ScalarTarget) -> StmtFn {
    statement(move |vm, fp| {
        let more = more.get(vm, fp)?;
        if let Some(Heap::Str(text)) = more.as_deref()
            && let Some(()) =
                scalar.change_value::<false, _>(vm, fp, |place, _| append_to(place, text.as_str()))?
        {
            if vm.memory.is_low() {
                vm.check_memory(store.at)?;
            }
            return Ok(());
        }
        store.change(&scalar, vm, fp, ArithOp::Add, &ref_value(more))
    })
}

/// The results of operators that a scalar can hold. (Not a closure, which two functions do not share inlined.)
trait Results<X>: 'static {
    fn of(&self, op: ArithOp, x: X, y: X) -> Option<X>;
}

impl Results<i64> for Limits {
    #[inline(always)]
    fn of(&self, op: ArithOp, x: i64, y: i64) -> Option<i64> {
        dispatch_int(op, x, y).filter(|result| self.have(*result))
    }
}

struct Floats {
    is_single: bool,
}

impl Results<f64> for Floats {
    #[inline(always)]
    fn of(&self, op: ArithOp, x: f64, y: f64) -> Option<f64> {
        float_if_finite(op, x, y).map(|r| if self.is_single { round_single(r) } else { r })
    }
}

/// `scalar op= value` on numbers.
struct Step<T, V, R> {
    value: V,
    scalar: T,
    op: ArithOp,
    results: R,
    store: Store,
}

fn step_scalar<C: Unboxing, T: ScalarTarget, R: Results<C::Value>>(step: Step<T, C::Operand, R>) -> StmtFn
where
    C::Value: Register,
{
    let is_add = step.op == ArithOp::Add;
    if !step.scalar.is_quick() || step.value.is_computed() || !(is_add || step.op == ArithOp::Sub) {
        return statement(move |vm, fp| match T::INLINED {
            true => step.run::<C>(vm, fp),
            false => step.run_apart::<C>(vm, fp),
        });
    }
    // Saves no registers, since it calls another function at its end only.
    statement(move |vm, fp| {
        if let Some(y) = step.value.at_hand(vm, fp)
            && let Some(_) = step.scalar.update::<true, _>(vm, fp, |x| match is_add {
                true => step.results.of(ArithOp::Add, x, y),
                false => step.results.of(ArithOp::Sub, x, y),
            })?
        {
            return Ok(());
        }
        step.run_apart::<C>(vm, fp)
    })
}

impl<T: ScalarTarget, V, R> Step<T, V, R> {
    #[inline(never)]
    fn run_apart<C: Unboxing>(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit>
    where
        V: RegisterOperand<C>,
        C::Value: Register,
        R: Results<C::Value>,
    {
        self.run::<C>(vm, fp)
    }

    #[inline(always)]
    fn run<C: Unboxing>(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit>
    where
        V: RegisterOperand<C>,
        C::Value: Register,
        R: Results<C::Value>,
    {
        let y = self.value.register(vm, fp);
        if let Ok(y) = y
            && let Some(_) = self.scalar.update::<false, _>(vm, fp, |x| self.results.of(self.op, x, y))?
        {
            return Ok(());
        }
        let y = Word::new(vm, y);
        self.store.change_register::<C>(&self.scalar, vm, fp, self.op, y)
    }
}

/// `slot op= a` on integers.
struct IntOperation {
    slot: Slot,
    /// The results that the slot can hold.
    limits: Limits,
    store: Store,
}

impl IntOperation {
    #[inline(always)]
    fn run<O: Arithmetic, A: IntOperand>(&self, a: &A, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let y = if A::AT_HAND { a.at_hand(&vm.frames, &vm.mutator, fp).ok_or(Wide) } else { a.get(vm, fp) };
        let x = vm.frames.get(fp, self.slot) as i64;
        if x != SEE_WIDE
            && let Ok(y) = y
            && let Some(r) = O::ints(x, y)
            && self.limits.have(r)
        {
            vm.frames.set(fp, self.slot, r as u64);
            return Ok(());
        }
        if A::AT_HAND {
            return self.run_apart(O::OP, a, vm, fp);
        }
        let y = Word::new(vm, y);
        self.run_any(O::OP, y, vm, fp)
    }

    #[cold]
    #[inline(never)]
    fn run_apart(&self, op: ArithOp, a: &impl IntOperand, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let y = a.get(vm, fp);
        let y = Word::new(vm, y);
        self.run_any(op, y, vm, fp)
    }

    /// For integers of any size, and nil.
    #[cold]
    #[inline(never)]
    fn run_any(&self, op: ArithOp, register: Word<i64>, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let Store { ty, value_type, at } = &self.store;
        let register = register.take(vm);
        let y = vm.int_value(value_type, register)?;
        if *ty == Type::Byte {
            return op_lvalue(vm, fp, &Lvalue::Slot(fp, self.slot), (ty, value_type), op, &y, *at);
        }
        let x = vm.int(fp, self.slot);
        let x = vm.int_value(ty, x)?;
        match int_slow(vm, Some(fp), op, &x, &widened(&y), Bound::of(ty), *at) {
            Ok(r) => vm.set_int(fp, self.slot, r),
            Err(Wide) => vm.set_pending(fp, self.slot)?,
        }
        Ok(())
    }
}

/// `slot += more` on strings: in place if nothing else refers to the string.
fn append_to_slot(vm: &mut Vm, fp: Fp, slot: Slot, more: Option<Ref>, at: Span) -> Result<(), Exit> {
    if let (Some(Heap::Str(_)), Some(Heap::Str(more_text))) = (vm.frames.object(fp, slot), more.as_deref())
        && let Some(own) = vm.frames.replace_ref(fp, slot, None)
    {
        let longer = append_str(own, more_text.as_str());
        drop(vm.frames.replace_ref(fp, slot, Some(longer)));
        if vm.memory.is_low() {
            vm.check_memory(at)?;
        }
        return Ok(());
    }
    let value = |r: Option<Ref>| r.map_or(Value::Nil, Value::Ref);
    let old = value(vm.frames.get_ref(fp, slot));
    let new = arith_values(vm, ArithOp::Add, &old, &value(more), at)?;
    drop(vm.frames.replace_ref(fp, slot, value_ref(new)));
    Ok(())
}

//! Expressions whose value is an integer register: integers, byte, char, enums over them.

use crate::program::{ArithOp, Builtin, Expr, ExprKind};
use crate::source::Span;
use crate::sync::deeper_or;
use crate::value::{Limits, Repr, Type, Value};

use crate::interp::access;
use crate::interp::arith::{Add, Arithmetic, Bound, Mul, Sub, int_slow, neg_slow};
use crate::interp::boxing::value_int;
use crate::interp::closures::{Closure, IntFn, ValueFn, Word};
use crate::interp::int_sum::SimpleSum;
use crate::interp::operand::{Constant, IntOperand, ObjectOperand};
use crate::interp::parts::{element, part};
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Vm, Wide};

use super::conversions::{converted_limits, int_of_float};
use super::progress::{no_room, not_compiled};
use super::scalar_targets::variable_or;
use super::values::field_name;
use super::{Compiler, index_may_be_first};

impl Compiler<'_> {
    /// An expression with an integer register.
    pub fn int(&mut self, e: &Expr) -> IntFn {
        if !self.goes_on(e) {
            return IntFn::new(|vm, _| Err(not_compiled(vm).into()));
        }
        let watch = self.watch_of(e, Some(Repr::Int));
        let at = e.at;
        let closure =
            deeper_or(|| self.int_closure(e), || IntFn::new(move |vm, _| Err(no_room(vm, at).into())));
        match watch {
            Some(watch) => watch.int(closure),
            None => closure,
        }
    }

    fn int_closure(&mut self, e: &Expr) -> IntFn {
        let at = e.at;
        if let Some(k) = self.known_int(e) {
            return IntFn::new(move |_, _| Ok(k));
        }
        match &e.kind {
            ExprKind::Const(Value::Nil) => IntFn::new(|vm, _| Err(vm.set_pending_value(&Value::Nil))),
            ExprKind::Const(value) => match value_int(value) {
                Some(k) => IntFn::new(move |_, _| Ok(k)),
                None => {
                    let value = value.clone();
                    IntFn::new(move |vm, _| Err(vm.set_pending_value(&value)))
                }
            },
            ExprKind::Local(id) if !self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                IntFn::new(move |vm, fp| vm.int(fp, slot))
            }
            ExprKind::Global(id) if self.plain_global(*id) => {
                let slot = Slot::new(id.0);
                IntFn::new(move |vm, _| vm.int(vm.globals, slot))
            }
            ExprKind::EnumMember(..) if !self.is_observing() => match self.constant_register(e) {
                Some(Constant(k)) => IntFn::new(move |_, _| Ok(k)),
                None => self.int_from_value(e),
            },
            ExprKind::Neg(a) => self.neg_int(a, Bound::of(&e.ty), at),
            ExprKind::Arith(op, a, b) if a.ty.repr() == Repr::Int && b.ty.repr() == Repr::Int => {
                match (Bound::of(&e.ty), self.simple_sum(e).filter(SimpleSum::is_long)) {
                    (Bound::Int, Some(sum)) => IntFn::new(move |vm, fp| sum.get(vm, fp)),
                    (Bound::Int, None) => self.int_arith(*op, a, b, at),
                    (bound, _) => self.bounded_arith(*op, a, b, bound, at),
                }
            }
            ExprKind::Index(base, index) if !matches!(base.ty, Type::Map(..) | Type::Any) => {
                self.int_element(e, base, index)
            }
            ExprKind::Index(base, index)
                if matches!(base.ty, Type::Map(..)) && index_may_be_first(base, index) =>
            {
                self.scalar_entry(e, base, index)
            }
            ExprKind::Field(base, field) => {
                let (field, name) = (*field, field_name(&base.ty, *field));
                object_operand!(self, base, base => part(
                    base,
                    move |object, vm| access::quick_int_field(object, field, &vm.mutator),
                    move |vm, object| access::int_field(vm, object, (field, &name), at),
                ))
            }
            ExprKind::Builtin { which: Builtin::Len, args } if args.len() == 1 => match args.first() {
                Some(arg) if arg.ty.repr() == Repr::Ref => {
                    object_operand!(self, arg, a => part(
                        a,
                        |object, vm| match vm.depth == vm.depth_limit {
                            true => None,
                            false => access::quick_length(object, &vm.mutator),
                        },
                        move |vm, object| match vm.depth == vm.depth_limit {
                            true => Ok(super::calls::too_deep(vm, at)?),
                            false => access::length(vm, object, at),
                        },
                    ))
                }
                _ => self.int_from_value(e),
            },
            ExprKind::Call { func, args } => self.call(*func, args, at, |vm| vm.ret as i64),
            ExprKind::Convert { value: a, counted }
                if e.ty == Type::INT && matches!(a.ty, Type::Float(_)) =>
            {
                let (from, counted) = (a.ty.clone(), *counted);
                let a = self.float(a);
                IntFn::new(move |vm, fp| {
                    let x = a.get(vm, fp)?;
                    // The bounds are safely inside the range: 2^63 itself does not fit.
                    if x > -9.2e18 && x < 9.2e18 && vm.depth != vm.depth_limit {
                        Ok(x as i64)
                    } else {
                        int_of_float(vm, x, &from, counted, &at).take(vm)
                    }
                })
            }
            ExprKind::Convert { value: a, counted } if converted_limits(&a.ty, &e.ty).is_some() => {
                self.convert_int(e, a, *counted)
            }
            ExprKind::Store(a, site) if a.ty.repr() == Repr::Int => self.store_int(e, a, site),
            ExprKind::Postfix(target, delta) => self.postfix(target, *delta, at),
            ExprKind::Native(native) => {
                let quick = self.quick_int(native, e).or_else(|| self.read_part(native, e));
                quick.unwrap_or_else(|| self.int_from_value(e))
            }
            _ => self.int_from_value(e),
        }
    }

    fn int_arith(&mut self, op: ArithOp, a: &Expr, b: &Expr, at: Span) -> IntFn {
        // With the call compiled in, a level of recursion takes one native call (see `body`). Recursive functions
        // rarely divide.
        let with_call = match op {
            ArithOp::Add => self.arith_with_call::<Add>(a, b, at),
            ArithOp::Sub => self.arith_with_call::<Sub>(a, b, at),
            ArithOp::Mul => self.arith_with_call::<Mul>(a, b, at),
            ArithOp::Div | ArithOp::Mod => None,
        };
        with_call.unwrap_or_else(|| {
            left_operand!(self, a, a => int_operand!(self, b, b => with_arith!(op, O => arith::<O, _, _>(a, b, unlimited, at))))
        })
    }

    /// Arithmetic with a call as an operand (the left one, if both are); `None` if there is none.
    fn arith_with_call<O: Arithmetic>(&mut self, a: &Expr, b: &Expr, at: Span) -> Option<IntFn> {
        call_operand!(self, a, call => {
            let b = self.int(b);
            return Some(arith::<O, _, _>(call, b, unlimited, at));
        }, else {});
        call_operand!(self, b, call => {
            let a = self.int(a);
            Some(arith::<O, _, _>(a, call, unlimited, at))
        }, else None)
    }

    /// Evaluates to a value, then converts that to a register.
    pub fn int_from_value(&mut self, e: &Expr) -> IntFn {
        let f = self.value(e);
        variable_or(self.boxed(e), move |vm, fp| unbox(vm, fp, &f))
    }

    fn neg_int(&mut self, a: &Expr, bound: Bound, at: Span) -> IntFn {
        // The negation of a byte is an `int`.
        let limits = if bound == Bound::Byte { Bound::Int } else { bound }.limits();
        let a = self.computed(a);
        IntFn::new(move |vm, fp| {
            let x = a.get(vm, fp);
            if let Ok(x) = x
                && let Some(r) = x.checked_neg()
                && limits.have(r)
            {
                return Ok(r);
            }
            let x = Word::new(vm, x);
            neg_any(vm, x, bound, &at).take(vm)
        })
    }

    fn bounded_arith(&mut self, op: ArithOp, a: &Expr, b: &Expr, bound: Bound, at: Span) -> IntFn {
        let limits = bound.limits();
        let bounds = move || (bound, limits);
        match (self.simple_int(a), self.simple_int(b)) {
            (Some(a), Some(b)) => with_arith!(op, O => arith::<O, _, _>(a, b, bounds, at)),
            _ => {
                let (a, b) = (self.computed(a), self.computed(b));
                with_arith!(op, O => arith::<O, _, _>(a, b, bounds, at))
            }
        }
    }

    fn int_element(&mut self, e: &Expr, base: &Expr, index: &Expr) -> IntFn {
        let at = e.at;
        let is_string = matches!(base.ty, Type::Str);
        if !index_may_be_first(base, index) {
            let (base, index) = (self.reference(base), self.int(index));
            return IntFn::new(move |vm, fp| {
                let object = base.evaluate(vm, fp)?;
                let i = match index.get(vm, fp) {
                    Ok(i) => i,
                    Err(Wide) => {
                        let i = vm.take_value()?;
                        return Ok(access::index_error(vm, object.as_deref(), &i, at)?);
                    }
                };
                if is_string {
                    return access::char_of_string(vm, object.as_deref(), i, at);
                }
                match object.as_deref().and_then(|o| access::quick_int_element(o, i, &vm.mutator)) {
                    Some(x) => Ok(x),
                    None => access::int_element(vm, object.as_deref(), i, at),
                }
            });
        }
        // The index is evaluated first: it has no side effects, and then the container is borrowed for the
        // access only.
        if is_string {
            return element_operands!(self, (base, index), (base, index) => {
                element(base, index, at, |object, i, _| access::quick_char(object, i), access::char_of_string)
            });
        }
        if e.ty == Type::INT {
            return element_operands!(self, (base, index), (base, index) => {
                element(base, index, at, access::element_of_ints, access::int_element)
            });
        }
        object_operand!(self, base, base => int_operand!(self, index, index => {
            element(base, index, at, access::quick_int_element, access::int_element)
        }))
    }
}

/// A value as an integer register.
#[inline]
pub fn unbox(vm: &mut Vm, fp: Fp, f: &ValueFn) -> Result<i64, Wide> {
    let value = f.run(vm, fp)?;
    access::int_register(vm, &value)
}

#[cold]
#[inline(never)]
fn neg_any(vm: &mut Vm, register: Word<i64>, bound: Bound, at: &Span) -> Word<i64> {
    let register = register.take(vm);
    Word::of(vm, |vm| {
        let x = vm.int_value(&Type::INT, register)?;
        neg_slow(vm, &x, bound, *at)
    })
}

/// Arithmetic on operands; `bounds`: those of the result.
fn arith<O: Arithmetic, A: IntOperand, B: IntOperand>(
    a: A,
    b: B,
    bounds: impl Fn() -> (Bound, Limits) + 'static,
    at: Span,
) -> IntFn {
    if A::RUNS_STATEMENTS || B::RUNS_STATEMENTS {
        return IntFn::new(move |vm, fp| compute::<O, A, B>(vm, fp, &a, &b, bounds(), &at));
    }
    // A function without calls other than the last saves no registers.
    IntFn::new(move |vm, fp| {
        if let (Some(x), Some(y)) =
            (a.at_hand(&vm.frames, &vm.mutator, fp), b.at_hand(&vm.frames, &vm.mutator, fp))
            && let Some(r) = O::ints(x, y)
            && bounds().1.have(r)
        {
            return Ok(r);
        }
        compute_apart::<O, A, B>(vm, fp, &a, &b, &bounds, &at).take(vm)
    })
}

/// The range of results of type `int`.
#[inline(always)]
fn unlimited() -> (Bound, Limits) {
    (Bound::Int, Limits::new(i64::MIN, i64::MAX))
}

#[inline(always)]
fn compute<O: Arithmetic, A: IntOperand, B: IntOperand>(
    vm: &mut Vm,
    fp: Fp,
    a: &A,
    b: &B,
    (bound, limits): (Bound, Limits),
    at: &Span,
) -> Result<i64, Wide> {
    let x = match a.get(vm, fp) {
        Ok(x) => x,
        Err(Wide) => return left_wide(vm, fp, b, O::OP, bound, at).take(vm),
    };
    let y = match b.get(vm, fp) {
        Ok(y) => y,
        Err(Wide) => return right_wide(vm, fp, x, O::OP, bound, at).take(vm),
    };
    match O::ints(x, y) {
        Some(r) if limits.have(r) => Ok(r),
        _ => overflowed(vm, fp, O::OP, (x, y), bound, at).take(vm),
    }
}

#[cold]
#[inline(never)]
fn compute_apart<O: Arithmetic, A: IntOperand, B: IntOperand>(
    vm: &mut Vm,
    fp: Fp,
    a: &A,
    b: &B,
    bounds: &impl Fn() -> (Bound, Limits),
    at: &Span,
) -> Word<i64> {
    Word::of(vm, |vm| compute::<O, A, B>(vm, fp, a, b, bounds(), at))
}

#[cold]
#[inline(never)]
fn overflowed(vm: &mut Vm, fp: Fp, op: ArithOp, (x, y): (i64, i64), bound: Bound, at: &Span) -> Word<i64> {
    Word::of(vm, |vm| int_slow(vm, Some(fp), op, &Value::Int(x), &Value::Int(y), bound, *at))
}

#[cold]
#[inline(never)]
fn left_wide<B: IntOperand>(vm: &mut Vm, fp: Fp, b: &B, op: ArithOp, bound: Bound, at: &Span) -> Word<i64> {
    Word::of(vm, |vm| {
        let x = vm.take_value()?;
        let y = match b.get(vm, fp) {
            Ok(y) => Value::Int(y),
            Err(Wide) => vm.take_value()?,
        };
        int_slow(vm, Some(fp), op, &x, &y, bound, *at)
    })
}

#[cold]
#[inline(never)]
fn right_wide(vm: &mut Vm, fp: Fp, x: i64, op: ArithOp, bound: Bound, at: &Span) -> Word<i64> {
    Word::of(vm, |vm| {
        let y = vm.take_value()?;
        int_slow(vm, Some(fp), op, &Value::Int(x), &y, bound, *at)
    })
}

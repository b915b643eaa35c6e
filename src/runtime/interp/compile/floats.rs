//! Expressions whose value is a float register (integer expressions are converted).

use crate::program::{ArithOp, Expr, ExprKind};
use crate::source::Span;
use crate::sync::deeper_or;
use crate::value::{FloatKind, Repr, Type, round_single};

use crate::interp::access;
use crate::interp::arith::{Arithmetic, float_op};
use crate::interp::boxing::value_float;
use crate::interp::closures::{Closure, FloatFn};
use crate::interp::formula::{Term, with_formula};
use crate::interp::operand::{FloatOperand, IntOperand, ObjectOperand, wide_as_float};
use crate::interp::parts::{element, part};
use crate::interp::slots::Slot;
use crate::interp::vm::{Wide, is_nil_float};

use super::progress::{no_room, not_compiled};
use super::scalar_targets::variable_or;
use super::values::field_name;
use super::{Compiler, index_may_be_first};

impl Compiler<'_> {
    /// An expression with a float register, or one with an integer register converted to it.
    pub fn float(&mut self, e: &Expr) -> FloatFn {
        if !self.goes_on(e) {
            return FloatFn::new(|vm, _| Err(not_compiled(vm)));
        }
        let watch = self.watch_of(e, Some(Repr::Float));
        let at = e.at;
        let closure = deeper_or(|| self.float_closure(e), || FloatFn::new(move |vm, _| Err(no_room(vm, at))));
        match watch {
            Some(watch) => watch.float(closure),
            None => closure,
        }
    }

    fn float_closure(&mut self, e: &Expr) -> FloatFn {
        let at = e.at;
        if e.ty.repr() == Repr::Int {
            return int_operand!(self, e, a => FloatFn::new(move |vm, fp| match a.get(vm, fp) {
                Ok(i) => Ok(i as f64),
                Err(Wide) => wide_as_float(vm).take(vm),
            }));
        }
        if e.ty.repr() != Repr::Float && !self.is_float(e) {
            return self.float_from_value(e);
        }
        if let Some(k) = self.known_float(e) {
            return FloatFn::new(move |_, _| Ok(k));
        }
        match &e.kind {
            ExprKind::Const(value) => {
                let k = value_float(value);
                FloatFn::new(move |_, _| Ok(k))
            }
            ExprKind::Local(id) if !self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                FloatFn::new(move |vm, fp| Ok(f64::from_bits(vm.frames.get(fp, slot))))
            }
            ExprKind::Global(id) if self.plain_global(*id) => {
                let slot = Slot::new(id.0);
                FloatFn::new(move |vm, _| Ok(f64::from_bits(vm.frames.get(vm.globals, slot))))
            }
            ExprKind::Neg(a) => {
                float_operand!(self, a, a => FloatFn::new(move |vm, fp| match a.get(vm, fp)? {
                    x if is_nil_float(x) => vm.nil_operand("-", at),
                    x => Ok(-x),
                }))
            }
            ExprKind::Arith(op, a, b) if numeric(a) && numeric(b) => match self.formula(e) {
                Some(Term::Operation(operation)) => with_formula!(operation, formula => {
                    FloatFn::new(move |vm, fp| formula.get(vm, fp))
                }),
                _ => self.float_arith(*op, a, b, at),
            },
            ExprKind::Index(base, index) if !matches!(base.ty, Type::Map(..) | Type::Any) => {
                self.float_element(e, base, index)
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
                    move |object, vm| access::quick_float_field(object, field, &vm.mutator),
                    move |vm, object| access::float_field(vm, object, (field, &name), at),
                ))
            }
            ExprKind::Call { func, args } => self.call(*func, args, at, |vm| f64::from_bits(vm.ret)),
            ExprKind::Convert { value: a, counted }
                if e.ty == Type::FLOAT && (a.ty.is_integer() || matches!(a.ty, Type::Float(_))) =>
            {
                self.float_call(a, *counted, at)
            }
            ExprKind::Store(a, _) if (numeric(a) || self.is_float(a)) && !matches!(a.ty, Type::Enum(_)) => {
                match e.ty {
                    Type::Float(FloatKind::F32) => {
                        let a = self.float_or_nil(a);
                        FloatFn::new(move |vm, fp| {
                            let x = a.get(vm, fp)?;
                            Ok(if is_nil_float(x) { x } else { round_single(x) })
                        })
                    }
                    _ => self.float_or_nil(a),
                }
            }
            ExprKind::Native(native) => {
                let quick = self.quick_float(native, e).or_else(|| self.read_part(native, e));
                quick.unwrap_or_else(|| self.float_from_value(e))
            }
            _ => self.float_from_value(e),
        }
    }

    fn float_arith(&mut self, op: ArithOp, a: &Expr, b: &Expr, at: Span) -> FloatFn {
        float_operand!(self, a, a => float_operand!(self, b, b => with_arith!(op, O => arith::<O, _, _>(a, b, at))))
    }

    /// `float(a)` of a number. `counted`: it is checked against the recursion depth like a call.
    fn float_call(&mut self, a: &Expr, counted: bool, at: Span) -> FloatFn {
        if !counted {
            return self.float(a);
        }
        let a = self.any_float(a);
        FloatFn::new(move |vm, fp| {
            let x = a.get(vm, fp)?;
            if vm.depth == vm.depth_limit { Ok(super::calls::too_deep(vm, at)?) } else { Ok(x) }
        })
    }

    /// Like [`Compiler::float`], but keeps nil, as stores need.
    fn float_or_nil(&mut self, e: &Expr) -> FloatFn {
        if e.ty.repr() != Repr::Int {
            return self.float(e);
        }
        int_operand!(self, e, a => FloatFn::new(move |vm, fp| match a.get(vm, fp) {
            Ok(i) => Ok(i as f64),
            Err(Wide) => wide_as_float(vm).take(vm),
        }))
    }

    fn float_from_value(&mut self, e: &Expr) -> FloatFn {
        let f = self.value(e);
        variable_or(self.boxed(e), move |vm, fp| Ok(value_float(&f.run(vm, fp)?)))
    }

    fn float_element(&mut self, e: &Expr, base: &Expr, index: &Expr) -> FloatFn {
        let at = e.at;
        if index_may_be_first(base, index) && e.ty == Type::Float(FloatKind::F32) {
            return object_operand!(self, base, base => int_operand!(self, index, index => {
                element(base, index, at, access::quick_single_element, access::float_element)
            }));
        }
        if index_may_be_first(base, index) {
            return element_operands!(self, (base, index), (base, index) => {
                element(base, index, at, access::quick_float_element, access::float_element)
            });
        }
        let (base, index) = (self.reference(base), self.int(index));
        FloatFn::new(move |vm, fp| {
            let object = base.evaluate(vm, fp)?;
            match index.get(vm, fp) {
                Ok(i) => {
                    let found = object.as_deref();
                    match found.and_then(|object| access::quick_float_element(object, i, &vm.mutator)) {
                        Some(x) => Ok(x),
                        None => access::float_element(vm, object.as_deref(), i, at),
                    }
                }
                Err(Wide) => {
                    let i = vm.take_value()?;
                    access::index_error(vm, object.as_deref(), &i, at)
                }
            }
        })
    }
}

fn numeric(e: &Expr) -> bool {
    matches!(e.ty.repr(), Repr::Int | Repr::Float)
}

fn arith<O: Arithmetic, A: FloatOperand, B: FloatOperand>(a: A, b: B, at: Span) -> FloatFn {
    FloatFn::new(move |vm, fp| {
        let x = a.get(vm, fp)?;
        let y = b.get(vm, fp)?;
        float_op::<O>(vm, x, y, &at)
    })
}

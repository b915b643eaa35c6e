//! Expressions of type bool.

use crate::program::{CompareOp, Expr, ExprKind};
use crate::sync::deeper_or;
use crate::value::{Heap, Repr, Type, Value};

use crate::interp::access;
use crate::interp::arith::{Comparison, compare_values};
use crate::interp::boxing::value_bool;
use crate::interp::closures::BoolFn;
use crate::interp::operand::{BoolOperand, CompareInts, FloatOperand};
use crate::interp::parts::element;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Pending, Vm, Wide, is_nil_float};

use super::progress::{no_room, not_compiled};
use super::{Compiler, index_may_be_first, is_pure};

impl Compiler<'_> {
    /// Compiles an expression of type bool.
    pub fn boolean(&mut self, e: &Expr) -> BoolFn {
        if !self.goes_on(e) {
            return Box::new(|vm, _| Err(not_compiled(vm).into()));
        }
        let watch = self.watch_of(e, Some(Repr::Bool));
        let at = e.at;
        let closure =
            deeper_or(|| self.boolean_closure(e), || Box::new(move |vm, _| Err(no_room(vm, at).into())));
        match watch {
            Some(watch) => watch.boolean(closure),
            None => closure,
        }
    }

    fn boolean_closure(&mut self, e: &Expr) -> BoolFn {
        let at = e.at;
        if let Some(Value::Bool(k)) = self.known(e) {
            let k = *k;
            return Box::new(move |_, _| Ok(k));
        }
        match &e.kind {
            ExprKind::Local(id) if !self.is_boxed(*id) && e.ty.repr() == Repr::Bool => {
                let slot = Slot::new(id.0);
                Box::new(move |vm, fp| vm.bool(fp, slot))
            }
            ExprKind::Global(id) if self.plain_global(*id) && e.ty.repr() == Repr::Bool => {
                let slot = Slot::new(id.0);
                Box::new(move |vm, _| vm.bool(vm.globals, slot))
            }
            ExprKind::Not(a) if self.is_bool_element(a) => self.bool_element(a, true, at),
            ExprKind::Not(a) => {
                let a = self.boolean(a);
                Box::new(move |vm, fp| match a(vm, fp) {
                    Ok(x) => Ok(!x),
                    Err(Wide) => nil_bool(vm, "!", at),
                })
            }
            ExprKind::And(..) => self.until(e, false),
            ExprKind::Or(..) => self.until(e, true),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b, e),
            ExprKind::In { negated, item, container } => self.membership(*negated, item, container, e),
            ExprKind::Index(..) if self.is_bool_element(e) => self.bool_element(e, false, at),
            ExprKind::Call { func, args } if e.ty.repr() == Repr::Bool => self.bool_call(*func, args, e),
            _ => {
                let f = self.value(e);
                Box::new(move |vm, fp| {
                    let value = f(vm, fp)?;
                    access::bool_register(vm, &value)
                })
            }
        }
    }

    /// Compiles a chain of `||` (or `&&`): evaluates conditions up to the first that is `decides`.
    fn until(&mut self, e: &Expr, decides: bool) -> BoolFn {
        let mut chain = Vec::new();
        let mut rest = e;
        while let (ExprKind::Or(a, b), true) | (ExprKind::And(a, b), false) = (&rest.kind, decides) {
            chain.push(&**b);
            rest = a;
            if self.is_observing() {
                break;
            }
        }
        chain.push(rest);
        let chain: Vec<BoolFn> = chain.into_iter().rev().map(|e| self.condition(e)).collect();
        let chain = match <[BoolFn; 2]>::try_from(chain) {
            Ok([a, b]) => {
                return Box::new(move |vm, fp| if a(vm, fp)? == decides { Ok(decides) } else { b(vm, fp) });
            }
            Err(chain) => chain,
        };
        match <[BoolFn; 3]>::try_from(chain) {
            Ok([a, b, c]) => {
                Box::new(
                    move |vm, fp| {
                        if a(vm, fp)? == decides || b(vm, fp)? == decides { Ok(decides) } else { c(vm, fp) }
                    },
                )
            }
            Err(chain) => Box::new(move |vm, fp| {
                for condition in &chain {
                    if condition(vm, fp)? == decides {
                        return Ok(decides);
                    }
                }
                Ok(!decides)
            }),
        }
    }

    /// Like [`Compiler::boolean`], but nil counts as false (conditions, `&&`, `||`).
    pub fn condition(&mut self, e: &Expr) -> BoolFn {
        let f = self.boolean(e);
        let never_nil = matches!(
            e.kind,
            ExprKind::Compare(..)
                | ExprKind::Not(_)
                | ExprKind::Const(_)
                | ExprKind::In { .. }
                | ExprKind::And(..)
                | ExprKind::Or(..)
        );
        if never_nil {
            return f;
        }
        Box::new(move |vm, fp| match f(vm, fp) {
            Ok(x) => Ok(x),
            Err(Wide) => nil_is_false(vm),
        })
    }

    /// Whether it is an element of an array of bools, at an index without side effects.
    fn is_bool_element(&self, e: &Expr) -> bool {
        let ExprKind::Index(base, index) = &e.kind else { return false };
        matches!(base.ty, Type::Array(..))
            && e.ty == Type::Bool
            && index_may_be_first(base, index)
            && index.ty.repr() == Repr::Int
    }

    /// Such an element, or its negation, whose operator is at `not_at`.
    fn bool_element(&mut self, e: &Expr, negated: bool, not_at: crate::source::Span) -> BoolFn {
        let ExprKind::Index(base, index) = &e.kind else { return self.boolean(e) };
        let at = e.at;
        object_operand!(self, base, base => index_operand!(self, index, index => element(
            base,
            index,
            at,
            move |object, i, mutator| access::quick_bool_element(object, i, mutator).map(|x| x != negated),
            move |vm, object, i, at| match access::bool_element(vm, object, i, at) {
                Ok(x) => Ok(x != negated),
                Err(Wide) if negated => nil_bool(vm, "!", not_at),
                Err(Wide) => Err(Wide),
            },
        )))
    }

    fn bool_call(&mut self, func: crate::program::FuncId, args: &[crate::program::Arg], e: &Expr) -> BoolFn {
        self.call(func, args, e.at, |vm| vm.ret != 0)
    }

    fn compare(&mut self, op: CompareOp, a: &Expr, b: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        match (a.ty.repr(), b.ty.repr()) {
            (Repr::Int, Repr::Int) => {
                int_operand!(self, a, a => int_operand!(self, b, b => with_compare!(op, O => {
                    let test = CompareInts::<O, _, _> { left: a, right: b, at, op: std::marker::PhantomData };
                    Box::new(move |vm: &mut Vm, fp| test.get(vm, fp)) as BoolFn
                })))
            }
            (Repr::Int | Repr::Float, Repr::Int | Repr::Float) => {
                float_pair_operand!(self, a, a => float_operand!(self, b, b => with_compare!(op, O => Box::new(move |vm: &mut Vm, fp: Fp| {
                    let x = a.get(vm, fp)?;
                    let y = b.get(vm, fp)?;
                    if x.is_nan() || y.is_nan() {
                        return compare_nan(vm, O::OP, x, y, at);
                    }
                    Ok(<O as Comparison>::test(x, y))
                }) as BoolFn)))
            }
            _ if matches!((&a.ty, &b.ty), (Type::Str, Type::Str)) => self.compare_strings(op, a, b, e),
            _ => {
                let (a, b) = (self.value(a), self.value(b));
                Box::new(move |vm, fp| {
                    let x = a(vm, fp)?;
                    let y = b(vm, fp)?;
                    Ok(compare_values(vm, op, &x, &y, at)?)
                })
            }
        }
    }

    fn compare_strings(&mut self, op: CompareOp, a: &Expr, b: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        let negated = op == CompareOp::Ne;
        let (a, b) = (self.reference(a), self.reference(b));
        Box::new(move |vm, fp| {
            let x = a.get(vm, fp)?;
            let y = b.get(vm, fp)?;
            if let (Some(x), Some(y), CompareOp::Eq | CompareOp::Ne) = (x.as_deref(), y.as_deref(), op)
                && let (Heap::Str(x), Heap::Str(y)) = (x, y)
            {
                return Ok((x.as_str() == y.as_str()) != negated);
            }
            let value = |r: Option<crate::value::Ref>| r.map_or(Value::Nil, Value::Ref);
            Ok(compare_values(vm, op, &value(x), &value(y), at)?)
        })
    }

    fn membership(&mut self, negated: bool, item: &Expr, container: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        if matches!(container.ty, Type::Map(..)) && !item.ty.is_any() && is_pure(container) && is_pure(item) {
            return self.map_membership(negated, item, container, at);
        }
        let (item, container) = (self.value(item), self.value(container));
        Box::new(move |vm, fp| {
            let item = item(vm, fp)?;
            let container = container(vm, fp)?;
            Ok(crate::interp::dynamic::contains(vm, &item, &container, at)? != negated)
        })
    }
}

#[cold]
fn compare_nan(vm: &mut Vm, op: CompareOp, x: f64, y: f64, at: crate::source::Span) -> Result<bool, Wide> {
    let value = |x: f64| if is_nil_float(x) { Value::Nil } else { Value::Float(x) };
    Ok(compare_values(vm, op, &value(x), &value(y), at)?)
}

#[cold]
fn nil_bool(vm: &mut Vm, op: &str, at: crate::source::Span) -> Result<bool, Wide> {
    match vm.take_value()? {
        value if value_bool(&value).is_some() => Ok(false),
        _ => Ok(vm.nil_operand(op, at)?),
    }
}

#[cold]
fn nil_is_false(vm: &mut Vm) -> Result<bool, Wide> {
    if let Pending::Nil = vm.pending {
        vm.pending = Pending::None;
        return Ok(false);
    }
    Err(Wide)
}

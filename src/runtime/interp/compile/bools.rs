//! Expressions of type bool.

use crate::program::{CompareOp, Expr, ExprKind, Native};
use crate::source::Span;
use crate::sync::deeper_or;
use crate::value::{EntryKey, Repr, Type, Value};

use crate::interp::access;
use crate::interp::arith::compare_values;
use crate::interp::boxing::{bool_value, value_bool};
use crate::interp::closures::{BoolFn, ValueFn, closure};
use crate::interp::comparison::{CompareInts, Holds};
use crate::interp::conditions::{AnyBool, CompareFormulas, OneOf, Three, Two};
use crate::interp::formula::{Quick, QuickFn, Term};
use crate::interp::keys::KeyOperand;
use crate::interp::operand::{AnyInt, BoolOperand, Constant, FloatOperand, IntOperand, LocalInt, Simple};
use crate::interp::parts::element;
use crate::interp::ranges::InRange;
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Pending, Stop, Vm, Wide, is_nil_float};

use super::progress::{no_room, not_compiled};
use super::scalar_targets::variable_or;
use super::{Compiler, index_may_be_first, is_pure};

impl Compiler<'_> {
    /// Compiles an expression of type bool.
    pub fn boolean(&mut self, e: &Expr) -> BoolFn {
        if !self.goes_on(e) {
            return closure(|vm, _| Err(not_compiled(vm).into()));
        }
        let watch = self.watch_of(e, Some(Repr::Bool));
        let at = e.at;
        let closure =
            deeper_or(|| self.boolean_closure(e), || closure(move |vm, _| Err(no_room(vm, at).into())));
        match watch {
            Some(watch) => watch.boolean(closure),
            None => closure,
        }
    }

    fn boolean_closure(&mut self, e: &Expr) -> BoolFn {
        let at = e.at;
        if let Some(Value::Bool(k)) = self.known(e) {
            let k = *k;
            return closure(move |_, _| Ok(k));
        }
        match &e.kind {
            ExprKind::Local(id) if !self.is_boxed(*id) && e.ty.repr() == Repr::Bool => {
                let slot = Slot::new(id.0);
                closure(move |vm, fp| vm.bool(fp, slot))
            }
            ExprKind::Global(id) if self.plain_global(*id) && e.ty.repr() == Repr::Bool => {
                let slot = Slot::new(id.0);
                closure(move |vm, _| vm.bool(vm.globals, slot))
            }
            ExprKind::Not(a) if self.is_bool_element(a) => self.bool_element(a, true, at),
            ExprKind::Not(a) => {
                let a = self.boolean(a);
                closure(move |vm, fp| match a.run(vm, fp) {
                    Ok(x) => Ok(!x),
                    Err(Wide) => nil_bool(vm, "!", at),
                })
            }
            ExprKind::And(..) | ExprKind::Or(..) => first_of!(
                chain => closure(move |vm, fp| chain.get(vm, fp)) as BoolFn;
                self.one_of(e), self.comparison_and_another(e), self.two_conditions(e), self.three_conditions(e),
                else self.until(e)
            ),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b, e),
            ExprKind::In { negated, item, container } => self.membership(*negated, item, container, e),
            ExprKind::Index(..) if self.is_bool_element(e) => self.bool_element(e, false, at),
            ExprKind::Index(base, index)
                if matches!(base.ty, Type::Map(..))
                    && e.ty == Type::Bool
                    && index_may_be_first(base, index) =>
            {
                self.scalar_entry(e, base, index)
            }
            ExprKind::Call { func, args } if e.ty.repr() == Repr::Bool => self.bool_call(*func, args, e),
            ExprKind::Native(native) => self.native_bool(native, e),
            _ => {
                let f = self.value(e);
                variable_or(self.boxed(e), move |vm, fp| register(&f, vm, fp))
            }
        }
    }

    /// The conditions that are connected by `||` (or `&&`), and the one value of each that decides.
    fn chain<'e>(&self, e: &'e Expr) -> (Vec<&'e Expr>, bool) {
        let decides = matches!(e.kind, ExprKind::Or(..));
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
        chain.reverse();
        (chain, decides)
    }

    /// Such conditions, if there are this many; `None` while expressions are observed.
    fn short_chain<'e, const N: usize>(&self, e: &'e Expr) -> Option<([&'e Expr; N], bool)> {
        if self.is_observing() || !matches!(e.kind, ExprKind::Or(..) | ExprKind::And(..)) {
            return None;
        }
        let (chain, decides) = self.chain(e);
        Some((chain.try_into().ok()?, decides))
    }

    /// Compiles a chain of `||` (or `&&`): evaluates conditions up to the first that decides.
    fn until(&mut self, e: &Expr) -> BoolFn {
        let (chain, decides) = self.chain(e);
        let chain: Vec<BoolFn> = chain.into_iter().map(|e| self.condition(e)).collect();
        closure(move |vm, fp| {
            for condition in &chain {
                if condition.run(vm, fp)? == decides {
                    return Ok(decides);
                }
            }
            Ok(!decides)
        })
    }

    /// Comparisons of a local with constants, of which one decides.
    fn one_of(&mut self, e: &Expr) -> Option<OneOf> {
        if self.is_observing() {
            return None;
        }
        let (chain, decides) = self.chain(e);
        let wanted = if decides { CompareOp::Eq } else { CompareOp::Ne };
        let mut local = None;
        let mut constants = Vec::new();
        for condition in chain {
            let ExprKind::Compare(op, a, b) = &condition.kind else { return None };
            let (slot, Constant(k)) = (self.plain_local(a, Repr::Int)?, self.constant_register(b)?);
            if *op != wanted || *local.get_or_insert(slot) != slot {
                return None;
            }
            constants.push(k);
        }
        Some(OneOf { local: local?, constants: constants.into(), found: decides, general: self.until(e) })
    }

    /// A comparison, and another condition.
    pub(super) fn comparison_and_another(&mut self, e: &Expr) -> Option<Two<CompareInts<LocalInt, Simple>>> {
        let ([a, b], decides) = self.short_chain(e)?;
        Some(Two { a: self.simple_comparison(a)?, b: self.condition(b), decides })
    }

    pub(super) fn two_conditions(&mut self, e: &Expr) -> Option<Two<BoolFn>> {
        let ([a, b], decides) = self.short_chain(e)?;
        Some(Two { a: self.condition(a), b: self.condition(b), decides })
    }

    pub(super) fn three_conditions(&mut self, e: &Expr) -> Option<Three> {
        let (chain, decides) = self.short_chain(e)?;
        Some(Three { conditions: chain.map(|e| self.condition(e)), decides })
    }

    /// A comparison of a formula with what `part` recognises.
    fn compared_formula<B: Quick>(
        &mut self,
        e: &Expr,
        part: impl Fn(&Self, &Expr) -> Option<B>,
    ) -> Option<CompareFormulas<B>> {
        let ExprKind::Compare(op, a, b) = &e.kind else { return None };
        let Term::Operation(left) = self.formula(a)? else { return None };
        let (left, right) = (left.closure(), part(self, b)?);
        Some(CompareFormulas { left, right, holds: Holds::of(*op), general: self.boolean(e) })
    }

    pub(super) fn compared_with_constant(&mut self, e: &Expr) -> Option<CompareFormulas<Constant<f64>>> {
        self.compared_formula(e, |compiler, right| compiler.constant_float(right))
    }

    pub(super) fn compared_with_formula(&mut self, e: &Expr) -> Option<CompareFormulas<QuickFn>> {
        self.compared_formula(e, |compiler, right| Some(compiler.formula(right)?.closure()))
    }

    /// Like [`Compiler::boolean`], but nil counts as false (conditions, `&&`, `||`).
    pub fn condition(&mut self, e: &Expr) -> BoolFn {
        if let Some(slot) = self.plain_local(e, Repr::Bool) {
            return closure(move |vm, fp| Ok(vm.frames.get(fp, slot) == u64::from(true)));
        }
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
        closure(move |vm, fp| match f.run(vm, fp) {
            Ok(x) => Ok(x),
            Err(Wide) => nil_is_false(vm),
        })
    }

    /// Any bool.
    pub(super) fn any_bool(&mut self, e: &Expr) -> AnyBool {
        if let Some(Value::Bool(k)) = self.known(e) {
            return AnyBool::Constant(*k);
        }
        match self.plain_local(e, Repr::Bool) {
            Some(slot) => AnyBool::Local(slot),
            None => AnyBool::Computed(self.boolean(e)),
        }
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
    fn bool_element(&mut self, e: &Expr, negated: bool, not_at: Span) -> BoolFn {
        let ExprKind::Index(base, index) = &e.kind else { return self.boolean(e) };
        let at = e.at;
        element_operands!(self, (base, index), (base, index) => element(
            base,
            index,
            at,
            move |object, i, mutator| access::quick_bool_element(object, i, mutator).map(|x| x != negated),
            move |vm, object, i, at| match access::bool_element(vm, object, i, at) {
                Ok(x) => Ok(x != negated),
                Err(Wide) if negated => nil_bool(vm, "!", not_at),
                Err(Wide) => Err(Wide),
            },
        ))
    }

    fn bool_call(&mut self, func: crate::program::FuncId, args: &[crate::program::Arg], e: &Expr) -> BoolFn {
        self.call(func, args, e.at, |vm| vm.ret != 0)
    }

    /// A call of a library function. Whether a map has a key is found out as by `in`, where both are known.
    fn native_bool(&mut self, native: &Native, e: &Expr) -> BoolFn {
        if let Some(quick) = self.quick_bool(native, e).or_else(|| self.read_part(native, e)) {
            return quick;
        }
        let f = self.value(e);
        let general = closure(move |vm: &mut Vm, fp| register(&f, vm, fp));
        match &native.args[..] {
            [map, key]
                if (native.module, native.row.name) == ("maps", "contains")
                    && !native.counted
                    && matches!(map.ty, Type::Map(..))
                    && !key.ty.is_any()
                    && self.may_repeat(&[map, key]) =>
            {
                self.map_membership(false, key, map, move |vm, fp, _| general.run(vm, fp))
            }
            _ => general,
        }
    }

    fn compare(&mut self, op: CompareOp, a: &Expr, b: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        match (a.ty.repr(), b.ty.repr()) {
            (Repr::Int, Repr::Int) => {
                element_operand!(self, a, a => compared_operand!(self, b, b => compare_ints(op, a, b, at)))
            }
            (Repr::Int | Repr::Float, Repr::Int | Repr::Float) => {
                let holds = Holds::of(op);
                float_operand!(self, a, a => float_operand!(self, b, b => closure(move |vm, fp| {
                    let x = a.get(vm, fp)?;
                    let y = b.get(vm, fp)?;
                    if x.is_nan() || y.is_nan() {
                        return compare_nan(vm, op, x, y, at);
                    }
                    Ok(holds.test(x, y))
                }) as BoolFn))
            }
            (Repr::Bool, Repr::Bool) if a.ty == b.ty && matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                let (ty, a, b) = (a.ty.clone(), self.boolean(a), self.boolean(b));
                closure(move |vm, fp| {
                    let x = or_value(a.run(vm, fp), vm)?;
                    let y = or_value(b.run(vm, fp), vm)?;
                    match (x, y) {
                        (Ok(x), Ok(y)) => Ok((x == y) == (op == CompareOp::Eq)),
                        (x, y) => {
                            let [x, y] = [x, y].map(|part| part.map_or_else(|it| it, |x| bool_value(&ty, x)));
                            Ok(compare_values(vm, op, &x, &y, at)?)
                        }
                    }
                })
            }
            _ if matches!((&a.ty, &b.ty), (Type::Str, Type::Str)) => self.compare_strings(op, a, b, e),
            _ => {
                let (a, b) = (self.value(a), self.value(b));
                closure(move |vm, fp| {
                    let x = a.run(vm, fp)?;
                    let y = b.run(vm, fp)?;
                    Ok(compare_values(vm, op, &x, &y, at)?)
                })
            }
        }
    }

    fn compare_strings(&mut self, op: CompareOp, a: &Expr, b: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        let negated = op == CompareOp::Ne;
        string_operand!(self, a, a => string_operand!(self, b, b => closure(move |vm, fp| {
            let (x, y) = (a.evaluate(vm, fp)?, b.evaluate(vm, fp)?);
            let texts = (a.key(&x, fp, &vm.frames).text(), b.key(&y, fp, &vm.frames).text());
            if let (Some(x), Some(y), CompareOp::Eq | CompareOp::Ne) = (texts.0, texts.1, op) {
                return Ok(x.equals(y) != negated);
            }
            compare_keys(vm, fp, op, (&a, &x), (&b, &y), at)
        })))
    }

    fn membership(&mut self, negated: bool, item: &Expr, container: &Expr, e: &Expr) -> BoolFn {
        let at = e.at;
        if let ExprKind::Range(start, end, step) = &container.kind
            && let Some(found) =
                self.in_range(negated, [item, start, end], step.as_deref(), [at, container.at])
        {
            return found;
        }
        let contains = move |vm: &mut Vm, [item, container]: [Value; 2]| {
            Ok(crate::interp::dynamic::contains(vm, &item, &container, at)? != negated)
        };
        if matches!(container.ty, Type::Map(..)) && !item.ty.is_any() && is_pure(container) && is_pure(item) {
            return self.map_membership(negated, item, container, move |vm, _, parts| contains(vm, parts));
        }
        let (item, container) = (self.value(item), self.value(container));
        closure(move |vm, fp| {
            let item = item.run(vm, fp)?;
            let container = container.run(vm, fp)?;
            contains(vm, [item, container])
        })
    }

    /// Whether an integer is in a range of integers, which is no object then.
    fn in_range(
        &mut self,
        negated: bool,
        numbers: [&Expr; 3],
        step: Option<&Expr>,
        [at, range_at]: [Span; 2],
    ) -> Option<BoolFn> {
        let is_integer = |e: &Expr| e.ty.is_integer();
        if self.is_observing() || !numbers.into_iter().chain(step).all(is_integer) {
            return None;
        }
        let [item, start, end] = numbers.map(|e| self.computed(e));
        let step = step.map_or(AnyInt::Simple(Simple::Constant(1)), |e| self.computed(e));
        let test = InRange { numbers: [item, start, end, step], negated, at, range_at };
        Some(closure(move |vm, fp| test.get(vm, fp)))
    }
}

fn compare_ints(op: CompareOp, left: impl IntOperand, right: impl IntOperand, at: Span) -> BoolFn {
    let test = CompareInts::new(op, left, right, at);
    closure(move |vm, fp| test.get(vm, fp))
}

/// Comparison of evaluated keys as values.
#[cold]
#[inline(never)]
fn compare_keys<A: KeyOperand, B: KeyOperand>(
    vm: &mut Vm,
    fp: Fp,
    op: CompareOp,
    (a, x): (&A, &A::Evaluated),
    (b, y): (&B, &B::Evaluated),
    at: Span,
) -> Result<bool, Wide> {
    let (x, y) = (a.key(x, fp, &vm.frames).to_value(), b.key(y, fp, &vm.frames).to_value());
    Ok(compare_values(vm, op, &x, &y, at)?)
}

/// A bool register, or the value that there is instead.
#[inline(always)]
fn or_value(register: Result<bool, Wide>, vm: &mut Vm) -> Result<Result<bool, Value>, Stop> {
    match register {
        Ok(x) => Ok(Ok(x)),
        Err(Wide) => Ok(Err(vm.take_value()?)),
    }
}

/// A value as a bool register.
fn register(f: &ValueFn, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
    let value = f.run(vm, fp)?;
    access::bool_register(vm, &value)
}

#[cold]
fn compare_nan(vm: &mut Vm, op: CompareOp, x: f64, y: f64, at: Span) -> Result<bool, Wide> {
    let value = |x: f64| if is_nil_float(x) { Value::Nil } else { Value::Float(x) };
    Ok(compare_values(vm, op, &value(x), &value(y), at)?)
}

#[cold]
fn nil_bool(vm: &mut Vm, op: &str, at: Span) -> Result<bool, Wide> {
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

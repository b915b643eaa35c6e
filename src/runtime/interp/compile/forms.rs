//! Recognises expressions that operands have a form for (see [`operands`](super::operands)).

use crate::interp::arith::Bound;
use crate::interp::boxing::{value_int, value_ref};
use crate::interp::closures::IntFn;
use crate::interp::comparison::CompareInts;
use crate::interp::formula::{Operation, Term};
use crate::interp::int_sum::{Addend, SimpleProduct, SimpleSum, SumStep};
use crate::interp::keys::{IntKeys, StrAtHand, StrKeys};
use crate::interp::operand::{
    AnyFloat, AnyInt, AnyRef, Constant, ElementRef, IntOperand, LocalFloat, LocalInt, LocalPlus, LocalRef,
    Simple,
};
use crate::interp::parts::IntElement;
use crate::interp::slots::Slot;
use crate::program::{ArithOp, Expr, ExprKind};
use crate::value::{Repr, Type, Value};

use super::scalar_targets::Boxed;
use super::values::member;
use super::{Compiler, is_pure};

/// The number of operations in a sum that is looked for: of a longer one the beginning is found.
const LONGEST_SUM: usize = 8;

/// The number of operations in a formula that is looked for.
const LONGEST_FORMULA: u32 = 16;

impl Compiler<'_> {
    pub(super) fn constant_int(&self, e: &Expr) -> Option<Constant<i64>> {
        self.known_int(e).map(Constant)
    }

    /// The integer register of a constant, or of a member of an enum that is known before the program runs.
    pub(super) fn constant_register(&self, e: &Expr) -> Option<Constant<i64>> {
        if let ExprKind::EnumMember(def, index) = &e.kind
            && e.ty.repr() == Repr::Int
            && !self.is_observing()
        {
            let (_, value) = def.members().get(*index as usize)?;
            return value_int(value).map(Constant);
        }
        match self.known(e)? {
            value @ (Value::Int(_) | Value::Char(_) | Value::Byte(_)) => value_int(value).map(Constant),
            _ => None,
        }
    }

    pub(super) fn local_int(&self, e: &Expr) -> Option<LocalInt> {
        self.plain_local(e, Repr::Int).map(LocalInt)
    }

    pub(super) fn constant_float(&self, e: &Expr) -> Option<Constant<f64>> {
        self.known_float(e).map(Constant)
    }

    pub(super) fn local_float(&self, e: &Expr) -> Option<LocalFloat> {
        self.plain_local(e, Repr::Float).map(LocalFloat)
    }

    /// Recognises a formula, or an operand of one.
    pub(super) fn formula(&self, e: &Expr) -> Option<Term> {
        self.term(e, &mut { LONGEST_FORMULA })
    }

    /// `left`: the number of operations that it may have.
    fn term(&self, e: &Expr, left: &mut u32) -> Option<Term> {
        if let Some(k) = self.known_float(e) {
            return Some(Term::Constant(k));
        }
        if let Some(slot) = self.plain_local(e, Repr::Float) {
            return Some(Term::Local(slot));
        }
        if let Some(slot) = self.plain_local(e, Repr::Int) {
            return Some(Term::Int(slot));
        }
        let ExprKind::Arith(op, a, b) = &e.kind else { return None };
        if e.ty.repr() != Repr::Float || self.is_observing() {
            return None;
        }
        *left = left.checked_sub(1)?;
        let (a, b) = (self.term(a, left)?, self.term(b, left)?);
        Some(Term::Operation(Box::new(Operation::new(*op, a, b, e.at)?)))
    }

    /// Recognises a local plus or minus a constant.
    pub fn local_plus(&self, e: &Expr) -> Option<LocalPlus> {
        let ExprKind::Arith(op, a, b) = &e.kind else { return None };
        let k = self.known_int(b)?;
        let slot = self.plain_local(a, Repr::Int).filter(|_| Bound::of(&e.ty) == Bound::Int)?;
        let delta = match op {
            ArithOp::Add => k,
            ArithOp::Sub => k.checked_neg()?,
            ArithOp::Mul | ArithOp::Div | ArithOp::Mod => return None,
        };
        Some(LocalPlus { slot, delta, minus: *op == ArithOp::Sub, at: e.at })
    }

    /// Recognises an integer constant or local.
    pub fn simple_int(&self, e: &Expr) -> Option<Simple> {
        match self.known_int(e) {
            Some(k) => Some(Simple::Constant(k)),
            None => self.plain_local(e, Repr::Int).map(Simple::Local),
        }
    }

    /// Any float, or an integer, which is converted.
    pub(super) fn any_float(&mut self, e: &Expr) -> AnyFloat {
        if let Some(k) = self.known_float(e) {
            return AnyFloat::Constant(k);
        }
        let [float, int] = [Repr::Float, Repr::Int].map(|repr| self.plain_local(e, repr));
        match (float, int) {
            (Some(slot), _) => AnyFloat::Local(slot),
            (None, Some(slot)) => AnyFloat::Int(slot),
            (None, None) => AnyFloat::Computed(self.float(e)),
        }
    }

    /// Any expression with a reference register; a value of an enum, also another one.
    pub(super) fn any_ref(&mut self, e: &Expr) -> AnyRef {
        if let Some(slot) = self.plain_local(e, Repr::Ref) {
            return AnyRef::Local(slot);
        }
        let constant = if let ExprKind::EnumMember(def, index) = &e.kind
            && !self.is_observing()
        {
            member(def, *index)
        } else {
            self.known(e).filter(|value| value.as_str().is_some()).cloned()
        };
        match constant {
            Some(value) => AnyRef::Constant(value_ref(value)),
            None => AnyRef::Computed(self.reference(e)),
        }
    }

    /// Any integer register.
    pub fn computed(&mut self, e: &Expr) -> AnyInt {
        match (self.constant_register(e), self.plain_local(e, Repr::Int)) {
            (Some(Constant(k)), _) => AnyInt::Simple(Simple::Constant(k)),
            (None, Some(slot)) => AnyInt::Simple(Simple::Local(slot)),
            (None, None) => AnyInt::Computed(self.int(e)),
        }
    }

    /// Recognises a constant, and a sum or difference of constants and locals.
    pub fn simple_sum(&self, e: &Expr) -> Option<SimpleSum> {
        if let Some(k) = self.known_int(e) {
            return SimpleSum::new(Simple::Constant(k), Vec::new());
        }
        if self.is_observing() {
            return None;
        }
        let mut steps = Vec::new();
        let mut rest = e;
        let first = loop {
            if let Some(first) = self.simple_int(rest) {
                break first;
            }
            let ExprKind::Arith(op @ (ArithOp::Add | ArithOp::Sub), a, b) = &rest.kind else { return None };
            if Bound::of(&rest.ty) != Bound::Int || steps.len() == LONGEST_SUM {
                return None;
            }
            steps.push(SumStep { right: self.simple_int(b)?, minus: *op == ArithOp::Sub, at: rest.at });
            rest = a;
        };
        steps.reverse();
        SimpleSum::new(first, steps)
    }

    /// Recognises a sum or difference of constants and this many locals.
    pub(super) fn sum_of_locals<const N: usize>(&self, e: &Expr) -> Option<SimpleSum<[Addend; N]>> {
        self.simple_sum(e)?.of_locals()
    }

    /// Recognises a product of a local and a constant or local.
    pub(super) fn simple_product(&self, e: &Expr) -> Option<SimpleProduct> {
        let ExprKind::Arith(ArithOp::Mul, a, b) = &e.kind else { return None };
        let left = self.plain_local(a, Repr::Int).filter(|_| Bound::of(&e.ty) == Bound::Int)?;
        Some(SimpleProduct { left, right: self.simple_int(b)?, at: e.at })
    }

    /// Recognises a comparison of an integer local with what `operand` recognises.
    fn comparison<B: IntOperand>(
        &self,
        e: &Expr,
        operand: impl Fn(&Expr) -> Option<B>,
    ) -> Option<CompareInts<LocalInt, B>> {
        let ExprKind::Compare(op, left, right) = &e.kind else { return None };
        Some(CompareInts::new(*op, self.local_int(left)?, operand(right)?, e.at))
    }

    /// Recognises a comparison of an integer local with another one or a constant.
    pub fn simple_comparison(&self, e: &Expr) -> Option<CompareInts<LocalInt, Simple>> {
        self.comparison(e, |right| match self.constant_register(right) {
            Some(Constant(k)) => Some(Simple::Constant(k)),
            None => self.plain_local(right, Repr::Int).map(Simple::Local),
        })
    }

    pub(super) fn comparison_with_local(&self, e: &Expr) -> Option<CompareInts<LocalInt, LocalInt>> {
        self.comparison(e, |right| self.local_int(right))
    }

    pub(super) fn comparison_with_constant(&self, e: &Expr) -> Option<CompareInts<LocalInt, Constant<i64>>> {
        self.comparison(e, |right| self.constant_register(right))
    }

    /// Recognises an element of an array of `int` in a local.
    fn int_element_of_local<'e>(&self, e: &'e Expr) -> Option<(LocalRef, &'e Expr)> {
        let ExprKind::Index(base, index) = &e.kind else { return None };
        let is_element = matches!(base.ty, Type::Array(..)) && e.ty == Type::INT && !self.is_observing();
        is_element.then(|| Some((LocalRef(self.plain_local(base, Repr::Ref)?), &**index)))?
    }

    /// Such an element at an index that is a local, too.
    pub(super) fn int_at_local(&self, e: &Expr) -> Option<IntElement<LocalInt>> {
        let (array, index) = self.int_element_of_local(e)?;
        Some(IntElement { array, index: self.local_int(index)?, at: e.at })
    }

    /// Recognises an element of an array of `int` in a local, at a sum of this many locals.
    pub(super) fn int_at_sum<const N: usize>(&self, e: &Expr) -> Option<IntElement<SimpleSum<[Addend; N]>>> {
        let (array, index) = self.int_element_of_local(e)?;
        Some(IntElement { array, index: self.sum_of_locals(index)?, at: e.at })
    }

    /// Recognises a boxed variable that has been declared when the code runs.
    pub(super) fn boxed(&self, e: &Expr) -> Option<Boxed> {
        let (number, is_global) = if let ExprKind::Local(id) = e.kind
            && self.is_boxed(id)
        {
            (id.0, false)
        } else if let ExprKind::Global(id) = e.kind
            && self.global_boxed(id)
            && !self.is_early(id)
        {
            (id.0, true)
        } else {
            return None;
        };
        Some(Boxed { slot: Slot::new(number), ty: e.ty.clone(), is_global })
    }

    pub(super) fn local_object(&self, e: &Expr) -> Option<LocalRef> {
        self.plain_local(e, Repr::Ref).filter(|_| !e.ty.is_any()).map(LocalRef)
    }

    /// Recognises `container[index]` of an array of objects, with an index without side effects.
    fn object_element<'e>(&self, e: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        let ExprKind::Index(container, index) = &e.kind else { return None };
        let Type::Array(elem, _) = &container.ty else { return None };
        let is_object = matches!(&**elem, Type::Array(..) | Type::Struct(_) | Type::Map(..));
        (is_object && is_pure(index) && index.ty.repr() == Repr::Int).then_some((container, index))
    }

    /// An element of an array in a local; the index is a local, too.
    pub(super) fn local_element(&self, e: &Expr) -> Option<ElementRef<LocalRef, LocalInt>> {
        let (container, index) = self.object_element(e)?;
        let container = LocalRef(self.plain_local(container, Repr::Ref)?);
        Some(ElementRef { container, index: self.local_int(index)?, at: e.at })
    }

    /// An element of an array in a local, at any index.
    pub(super) fn computed_element(&mut self, e: &Expr) -> Option<ElementRef<LocalRef, IntFn>> {
        let (container, index) = self.object_element(e)?;
        let container = LocalRef(self.plain_local(container, Repr::Ref)?);
        Some(ElementRef { container, index: self.int(index), at: e.at })
    }

    pub(super) fn int_key(&mut self, e: &Expr) -> Option<IntKeys> {
        (e.ty == Type::INT).then(|| IntKeys(self.computed(e)))
    }

    pub(super) fn string_at_hand(&self, e: &Expr) -> Option<StrAtHand> {
        if e.ty != Type::Str {
            return None;
        }
        match self.plain_local(e, Repr::Ref) {
            Some(slot) => Some(StrAtHand::Local(slot)),
            None => Some(StrAtHand::Constant(value_ref(self.known(e)?.clone()))),
        }
    }

    pub(super) fn string_key(&mut self, e: &Expr) -> Option<StrKeys> {
        (e.ty == Type::Str).then(|| StrKeys(self.reference(e)))
    }
}

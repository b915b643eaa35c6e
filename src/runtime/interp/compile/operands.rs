//! Operands: the parts of an expression or statement for which its closure exists in several forms, so that the
//! frequent ones take no native call of their own.
//!
//! Each macro binds `$x` to the operand for `$e` in the first form that fits, and expands `$body` for it; the last form
//! is any expression, compiled to a closure. To take one out, delete it here; to add one, show what it gains.
//!
//! What each gains: how many times as many instructions a benchmark program (`benches/programs`, with less to do)
//! takes without it, counted by `valgrind --tool=callgrind`, the time to start included. Forms without a number here
//! were taken out.
//!
//! | form | programs |
//! |---|---|
//! | integer: a constant | maps 1.08, loops 1.05 |
//! | integer: a local | loops 1.18, letters 1.11, sort 1.09, strings 1.09 |
//! | index: a sum of simple ones | sort 1.05 |
//! | index: a local | matmul 1.21, nbody 1.10, sieve 1.08 |
//! | call: as an operand | fib 1.02, and a native call less a level (`body`): `benches/limits.py` |
//! | call: with one integer | fib 1.06 |
//! | float: a constant, a local | mandelbrot 1.06, 1.33 |
//! | float: a sum, difference or product of two locals (declarations, left operands) | mandelbrot 1.11 |
//! | bool: a constant | sieve 1.03 |
//! | object: a local | sort 1.25, sieve 1.19, queens 1.10 |
//! | object: an element of a local | matmul 1.23, nbody 1.19, structs 1.08 |
//! | condition: a comparison of locals and constants | sieve 1.09 |
//! | map: a local | maps 1.06 |
//! | key: an `int`, a string, a string in a local | maps 1.23, 1.16, 1.04 |
//!
//! The same of the statements and expressions that have a form of their own for a type:
//!
//! | form | programs |
//! |---|---|
//! | `array[i] = x` (`assign`): `int`, `bool`, objects | sort 2.9, sieve 3.6, structs 1.6; `float` like these |
//! | `local op= x`: `int`, `float` | loops 7.3, matmul 3.7 |
//! | `object.field op= x`: `float` | nbody 4.0 |
//! | `map[key] = x`, `map[key] op= x` (`entries`) | maps 1.65, 2.4 |
//! | functions of `math` (`natives`) | nbody 1.13 |
//! | comparison of floats (`bools`) | mandelbrot 1.45 |

use std::marker::PhantomData;

use crate::interp::arith::{Arithmetic, Bound};
use crate::interp::closures::IntFn;
use crate::interp::float_pair::FloatPair;
use crate::interp::keys::{IntKeys, LocalKey, StrKeys};
use crate::interp::operand::{
    CompareInts, Constant, ElementRef, LocalFloat, LocalInt, LocalPlus, LocalRef, Simple, SimpleSum,
};
use crate::interp::slots::Slot;
use crate::program::{ArithOp, CompareOp, Expr, ExprKind};
use crate::source::Span;
use crate::value::{Repr, Type, Value};

use super::{Compiler, is_pure};

/// The first of some operands that there is.
macro_rules! first_of {
    ($x:ident => $body:expr; else $general:expr) => {{
        let $x = $general;
        $body
    }};
    ($x:ident => $body:expr; $form:expr, $($others:tt)*) => {
        if let Some($x) = $form { $body } else { first_of!($x => $body; $($others)*) }
    };
}

/// An integer: a constant, a local, or any expression.
macro_rules! int_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_int(e), $b.local_int(e), else $b.int(e))
    }};
}

/// An index: a sum or difference of locals and constants, a local, or any expression.
macro_rules! index_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.simple_sum(e), $b.local_int(e), else $b.int(e))
    }};
}

/// The argument of a call with one integer: a local plus or minus a constant, a local, or any expression.
macro_rules! argument_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.local_plus(e), $b.local_int(e), else $b.int(e))
    }};
}

/// A call, if `$e` is one.
macro_rules! call_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr, else $otherwise:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let $crate::program::ExprKind::Call { func, args } = &e.kind
            && !$b.fragment
            && !$b.is_observing()
        {
            match $b.single_int(*func, args) {
                Some(one) => first_of!(arg => {
                    let $x = $b.call_one(*func, arg, e.at);
                    $body
                }; $b.local_plus(one), else $b.int(one)),
                None => {
                    let $x = $b.call_many(*func, args, e.at);
                    $body
                }
            }
        } else {
            $otherwise
        }
    }};
}

/// A float: a constant, a local, or any expression; integers are converted.
macro_rules! float_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_float(e), $b.local_float(e), else $b.float(e))
    }};
}

/// The same, or a sum, difference or product of two locals.
macro_rules! float_pair_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.constant_float(e), $b.local_float(e),
            $b.float_pair::<$crate::interp::arith::Add>(e), $b.float_pair::<$crate::interp::arith::Sub>(e),
            $b.float_pair::<$crate::interp::arith::Mul>(e),
            else $b.float(e))
    }};
}

/// A bool: a constant, or any expression.
macro_rules! bool_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_bool(e), else $b.boolean(e))
    }};
}

/// An object: a local, an element of one, or any expression.
macro_rules! object_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.local_object(e), $b.local_element(e), $b.computed_element(e),
            else $b.reference(e))
    }};
}

/// A condition: a comparison of a local with a constant or a local, or any expression.
macro_rules! condition_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        match $b.simple_comparison(e) {
            Some((op, left, right)) => with_compare!(op, O => match right {
                $crate::interp::operand::Simple::Local(right) => {
                    let right = $crate::interp::operand::LocalInt(right);
                    let $x = $crate::interp::compile::operands::comparison::<O, _>(left, right, e.at);
                    $body
                }
                $crate::interp::operand::Simple::Constant(right) => {
                    let right = $crate::interp::operand::Constant(right);
                    let $x = $crate::interp::compile::operands::comparison::<O, _>(left, right, e.at);
                    $body
                }
            }),
            None => {
                let $x = $b.boolean(e);
                $body
            }
        }
    }};
}

/// A map: a local, or any expression.
macro_rules! map_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.local_object(e), else $b.reference(e))
    }};
}

/// The key of a map: an `int`, a string in a local, any string, or any expression.
macro_rules! key_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.local_int_key(e), $b.int_key(e), $b.local_key(e), $b.string_key(e), else $b.value(e))
    }};
}

/// Expands `$body` for each operator of a kind, with `$O` for its type.
macro_rules! with_operator {
    ($kind:ident { $($operator:ident)* }, $op:expr, $O:ident => $body:expr) => {
        match $op {
            $($crate::program::$kind::$operator => {
                type $O = $crate::interp::arith::$operator;
                $body
            })*
        }
    };
}

/// The same for an arithmetic operator.
macro_rules! with_arith {
    ($op:expr, $O:ident => $body:expr) => { with_operator!(ArithOp { Add Sub Mul Div Mod }, $op, $O => $body) };
}

/// The same for a comparison.
macro_rules! with_compare {
    ($op:expr, $O:ident => $body:expr) => { with_operator!(CompareOp { Eq Ne Lt Le Gt Ge }, $op, $O => $body) };
}

/// Compares a local with something.
pub(super) fn comparison<O, B>(left: Slot, right: B, at: Span) -> CompareInts<O, LocalInt, B> {
    CompareInts { left: LocalInt(left), right, at, op: PhantomData }
}

impl Compiler<'_> {
    pub(super) fn constant_int(&self, e: &Expr) -> Option<Constant<i64>> {
        self.known_int(e).map(Constant)
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

    /// Recognises an operation on two locals with float slots.
    pub(super) fn float_pair<O: Arithmetic>(&self, e: &Expr) -> Option<FloatPair<O>> {
        let ExprKind::Arith(op, a, b) = &e.kind else { return None };
        let local = |e| self.plain_local(e, Repr::Float);
        let is_pair = *op == O::OP && e.ty.repr() == Repr::Float && !self.is_observing();
        is_pair.then(|| Some(FloatPair::new(local(a)?, local(b)?, e.at)))?
    }

    pub(super) fn constant_bool(&self, e: &Expr) -> Option<Constant<bool>> {
        match self.known(e)? {
            Value::Bool(k) => Some(Constant(*k)),
            _ => None,
        }
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

    /// Recognises a constant, and a sum or difference of constants and locals.
    pub fn simple_sum(&self, e: &Expr) -> Option<SimpleSum> {
        let sum = |left, right, minus| Some(SimpleSum { left, right, minus, at: e.at });
        if let Some(k) = self.known_int(e) {
            return sum(Simple::Constant(k), Simple::Constant(0), false);
        }
        let ExprKind::Arith(op @ (ArithOp::Add | ArithOp::Sub), a, b) = &e.kind else { return None };
        if Bound::of(&e.ty) != Bound::Int || self.is_observing() {
            return None;
        }
        sum(self.simple_int(a)?, self.simple_int(b)?, *op == ArithOp::Sub)
    }

    /// Recognises a comparison of an integer local with another one or a constant.
    pub fn simple_comparison(&self, e: &Expr) -> Option<(CompareOp, Slot, Simple)> {
        let ExprKind::Compare(op, left, right) = &e.kind else { return None };
        Some((*op, self.plain_local(left, Repr::Int)?, self.simple_int(right)?))
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

    /// The same at any index.
    pub(super) fn computed_element(&mut self, e: &Expr) -> Option<ElementRef<LocalRef, IntFn>> {
        let (container, index) = self.object_element(e)?;
        let container = LocalRef(self.plain_local(container, Repr::Ref)?);
        Some(ElementRef { container, index: self.int(index), at: e.at })
    }

    pub(super) fn local_int_key(&self, e: &Expr) -> Option<IntKeys<LocalInt>> {
        (e.ty == Type::INT).then(|| self.local_int(e))?.map(IntKeys)
    }

    pub(super) fn int_key(&mut self, e: &Expr) -> Option<IntKeys<IntFn>> {
        (e.ty == Type::INT).then(|| IntKeys(self.int(e)))
    }

    pub(super) fn local_key(&self, e: &Expr) -> Option<LocalKey> {
        (e.ty == Type::Str).then(|| self.plain_local(e, Repr::Ref))?.map(LocalKey)
    }

    pub(super) fn string_key(&mut self, e: &Expr) -> Option<StrKeys> {
        (e.ty == Type::Str).then(|| StrKeys(self.reference(e)))
    }
}

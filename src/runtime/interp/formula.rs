//! Formulas: arithmetic on floats in locals and constants, and integers in locals, like `2.0 * x * y + i`.
//!
//! Only the result is checked: an infinite or undefined result of an operation, and nil, which is a NaN, as are large
//! integers here, make those of all that follow infinite or undefined, too. Then everything is computed once more, each
//! result checked.

use std::marker::PhantomData;

use crate::program::ArithOp;
use crate::source::Span;

use super::arith::{Add, Arithmetic, Div, Mul, Sub, dispatch_float};
use super::closures::Word;
use super::operand::{AnyFloat, Constant, FloatOperand, LocalFloat, LocalInt, Simple};
use super::slots::{Fp, Frames, Slot};
use super::vm::{Stop, Vm};

/// A part of a formula.
pub enum Term {
    Local(Slot),
    /// A local with an integer slot.
    Int(Slot),
    Constant(f64),
    Operation(Box<Operation>),
}

/// `left op right`
pub struct Operation {
    op: FormulaOp,
    pub left: Term,
    pub right: Term,
    at: Span,
}

/// The operations of formulas. (That of `%` is a call.)
#[derive(Clone, Copy)]
pub enum FormulaOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// A part of a formula, compiled.
pub trait Quick: 'static {
    /// Its value, without a check.
    fn quick(&self, frames: &Frames, fp: Fp) -> f64;
}

/// Any part of a formula, compiled.
pub type QuickFn = Box<dyn Quick>;

/// An operation of a formula, compiled.
pub struct Compiled<O, A, B> {
    left: A,
    right: B,
    op: PhantomData<O>,
}

/// A formula, compiled.
pub struct Formula<Q> {
    quick: Q,
    operation: Box<Operation>,
}

/// Expands `$body` with `$part` for a part of a formula, compiled.
macro_rules! with_part {
    ($term:expr, $part:ident => $body:expr) => {
        match $term {
            $crate::interp::formula::Term::Local(slot) => {
                let $part = $crate::interp::operand::LocalFloat(*slot);
                $body
            }
            $crate::interp::formula::Term::Int(slot) => {
                let $part = $crate::interp::operand::LocalInt(*slot);
                $body
            }
            $crate::interp::formula::Term::Constant(k) => {
                let $part = $crate::interp::operand::Constant(*k);
                $body
            }
            $crate::interp::formula::Term::Operation(operation) => {
                let $part = operation.closure();
                $body
            }
        }
    };
}
pub(super) use with_part;

/// Like `with_part`, for a left part: an operation on two locals, or the product of a constant and a local, is no
/// closure.
macro_rules! with_left_part {
    ($term:expr, $part:ident => $body:expr) => {{
        let term = $term;
        if let Some($part) = term.pair_of_locals::<$crate::interp::arith::Add>() {
            $body
        } else if let Some($part) = term.pair_of_locals::<$crate::interp::arith::Sub>() {
            $body
        } else if let Some($part) = term.pair_of_locals::<$crate::interp::arith::Mul>() {
            $body
        } else if let Some($part) = term.multiple() {
            $body
        } else {
            $crate::interp::formula::with_part!(term, $part => $body)
        }
    }};
}
pub(super) use with_left_part;

/// Expands `$body` with `$formula` for the formula that the operation `$operation`, in a box, is.
macro_rules! with_formula {
    ($operation:expr, $formula:ident => $body:expr) => {{
        let operation = $operation;
        match operation.op() {
            $crate::interp::formula::FormulaOp::Add => {
                $crate::interp::formula::with_formula!(operation, $crate::interp::arith::Add, $formula => $body)
            }
            $crate::interp::formula::FormulaOp::Sub => {
                $crate::interp::formula::with_formula!(operation, $crate::interp::arith::Sub, $formula => $body)
            }
            $crate::interp::formula::FormulaOp::Mul => {
                $crate::interp::formula::with_formula!(operation, $crate::interp::arith::Mul, $formula => $body)
            }
            $crate::interp::formula::FormulaOp::Div => {
                $crate::interp::formula::with_formula!(operation, $crate::interp::arith::Div, $formula => $body)
            }
        }
    }};
    ($operation:ident, $O:ty, $formula:ident => $body:expr) => {
        $crate::interp::formula::with_left_part!(&$operation.left, left => {
            $crate::interp::formula::with_part!(&$operation.right, right => {
                let quick = $crate::interp::formula::Compiled::<$O, _, _>::new(left, right);
                let $formula = $crate::interp::formula::Formula::new(quick, $operation);
                $body
            })
        })
    };
}
pub(super) use with_formula;

impl FormulaOp {
    fn of_program(self) -> ArithOp {
        match self {
            FormulaOp::Add => ArithOp::Add,
            FormulaOp::Sub => ArithOp::Sub,
            FormulaOp::Mul => ArithOp::Mul,
            FormulaOp::Div => ArithOp::Div,
        }
    }
}

impl Operation {
    /// `left op right`, whose operator is at `at`; `None` if a formula can't have it.
    pub fn new(op: ArithOp, left: Term, right: Term, at: Span) -> Option<Operation> {
        let op = match op {
            ArithOp::Add => FormulaOp::Add,
            ArithOp::Sub => FormulaOp::Sub,
            ArithOp::Mul => FormulaOp::Mul,
            // What is divided by an infinite result would be zero.
            ArithOp::Div if !matches!(right, Term::Operation(_)) => FormulaOp::Div,
            ArithOp::Div | ArithOp::Mod => return None,
        };
        Some(Operation { op, left, right, at })
    }

    pub fn op(&self) -> FormulaOp {
        self.op
    }

    /// The operation as a part of a formula.
    pub fn closure(&self) -> QuickFn {
        match self.op {
            FormulaOp::Add => self.closure_for::<Add>(),
            FormulaOp::Sub => self.closure_for::<Sub>(),
            FormulaOp::Mul => self.closure_for::<Mul>(),
            FormulaOp::Div => self.closure_for::<Div>(),
        }
    }

    fn closure_for<O: Arithmetic>(&self) -> QuickFn {
        with_left_part!(&self.left, left => with_part!(&self.right, right => {
            Box::new(Compiled::<O, _, _>::new(left, right))
        }))
    }

    /// The value, with each result checked.
    fn checked(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        let left = self.left.checked(vm, fp)?;
        let right = self.right.checked(vm, fp)?;
        dispatch_float(vm, self.op.of_program(), left, right, self.at)
    }

    #[cold]
    #[inline(never)]
    fn checked_apart(&self, vm: &mut Vm, fp: Fp) -> Word<f64> {
        Word::of(vm, |vm| self.checked(vm, fp))
    }
}

impl Term {
    /// This operation on two locals, compiled, if it is one.
    pub fn pair_of_locals<O: Arithmetic>(&self) -> Option<Compiled<O, LocalFloat, LocalFloat>> {
        let Term::Operation(operation) = self else { return None };
        let (Term::Local(left), Term::Local(right)) = (&operation.left, &operation.right) else {
            return None;
        };
        let pair = Compiled::new(LocalFloat(*left), LocalFloat(*right));
        (operation.op.of_program() == O::OP).then_some(pair)
    }

    /// The product of a constant and a local, compiled, if it is one.
    pub fn multiple(&self) -> Option<Compiled<Mul, Constant<f64>, LocalFloat>> {
        let Term::Operation(operation) = self else { return None };
        let (Term::Constant(k), Term::Local(slot)) = (&operation.left, &operation.right) else { return None };
        let product = Compiled::new(Constant(*k), LocalFloat(*slot));
        matches!(operation.op, FormulaOp::Mul).then_some(product)
    }

    /// A part of a formula.
    pub fn closure(&self) -> QuickFn {
        match self {
            Term::Local(slot) => Box::new(LocalFloat(*slot)),
            Term::Int(slot) => Box::new(LocalInt(*slot)),
            Term::Constant(k) => Box::new(Constant(*k)),
            Term::Operation(operation) => operation.closure(),
        }
    }

    fn checked(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        match self {
            Term::Local(slot) => LocalFloat(*slot).get(vm, fp),
            Term::Int(slot) => AnyFloat::Int(*slot).get(vm, fp),
            Term::Constant(k) => Ok(*k),
            Term::Operation(operation) => operation.checked(vm, fp),
        }
    }
}

impl Quick for LocalFloat {
    #[inline(always)]
    fn quick(&self, frames: &Frames, fp: Fp) -> f64 {
        f64::from_bits(frames.get(fp, self.0))
    }
}

impl Quick for LocalInt {
    #[inline(always)]
    fn quick(&self, frames: &Frames, fp: Fp) -> f64 {
        Simple::Local(self.0).small(frames, fp).map_or(f64::NAN, |i| i as f64)
    }
}

impl Quick for Constant<f64> {
    #[inline(always)]
    fn quick(&self, _: &Frames, _: Fp) -> f64 {
        self.0
    }
}

impl Quick for QuickFn {
    #[inline(always)]
    fn quick(&self, frames: &Frames, fp: Fp) -> f64 {
        (**self).quick(frames, fp)
    }
}

impl<O, A, B> Compiled<O, A, B> {
    pub fn new(left: A, right: B) -> Compiled<O, A, B> {
        Compiled { left, right, op: PhantomData }
    }
}

impl<O: Arithmetic, A: Quick, B: Quick> Quick for Compiled<O, A, B> {
    #[inline(always)]
    fn quick(&self, frames: &Frames, fp: Fp) -> f64 {
        O::floats(self.left.quick(frames, fp), self.right.quick(frames, fp))
    }
}

impl<Q: Quick> Formula<Q> {
    /// The formula that is this operation, which is compiled to `quick`.
    pub fn new(quick: Q, operation: Box<Operation>) -> Formula<Q> {
        Formula { quick, operation }
    }
}

impl<Q: Quick> FloatOperand for Formula<Q> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        let result = self.quick.quick(&vm.frames, fp);
        if result.is_finite() { Ok(result) } else { self.operation.checked_apart(vm, fp).take(vm) }
    }
}

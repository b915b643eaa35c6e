//! Conditions: bools that closures of `if` and loops evaluate themselves.

use super::closures::BoolFn;
use super::comparison::Holds;
use super::formula::{Quick, QuickFn};
use super::operand::{BoolOperand, Simple};
use super::slots::{Fp, Frames, Slot};
use super::vm::{NIL_BOOL, Vm, Wide};

/// Any bool; a constant and a local without a call.
pub enum AnyBool {
    Constant(bool),
    Local(Slot),
    Computed(BoolFn),
}

/// `a || b`, or `a && b`: `a` if it `decides`, else `b`.
pub struct Two<A> {
    pub a: A,
    pub b: BoolFn,
    pub decides: bool,
}

/// Like [`Two`], of three conditions.
pub struct Three {
    pub conditions: [BoolFn; 3],
    pub decides: bool,
}

/// Comparison of a formula with another one, or with a constant.
pub struct CompareFormulas<B> {
    pub left: QuickFn,
    pub right: B,
    pub holds: Holds,
    /// Compares them where one is infinite or undefined, or nil.
    pub general: BoolFn,
}

/// `local == k || local == l || ...`, or `local != k && local != l && ...`, with constants.
pub struct OneOf {
    pub local: Slot,
    pub constants: Box<[i64]>,
    /// What it is if the local is one of the constants.
    pub found: bool,
    /// Compares it if it is big, or nil.
    pub general: BoolFn,
}

impl BoolOperand for OneOf {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        match Simple::Local(self.local).small(&vm.frames, fp) {
            Some(x) => Ok(self.constants.contains(&x) == self.found),
            None => self.general.run(vm, fp),
        }
    }
}

impl BoolOperand for AnyBool {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        match self {
            AnyBool::Constant(k) => Ok(*k),
            AnyBool::Local(slot) => vm.bool(fp, *slot),
            AnyBool::Computed(f) => f.run(vm, fp),
        }
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, fp: Fp) -> Option<bool> {
        match self {
            AnyBool::Constant(k) => Some(*k),
            AnyBool::Local(slot) => Some(frames.get(fp, *slot)).filter(|x| *x != NIL_BOOL).map(|x| x != 0),
            AnyBool::Computed(_) => None,
        }
    }

    fn is_computed(&self) -> bool {
        matches!(self, AnyBool::Computed(_))
    }
}

impl<A: BoolOperand> BoolOperand for Two<A> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        if self.a.get(vm, fp)? == self.decides { Ok(self.decides) } else { self.b.run(vm, fp) }
    }
}

impl BoolOperand for Three {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let [a, b, c] = &self.conditions;
        let is_decided = a.run(vm, fp)? == self.decides || b.run(vm, fp)? == self.decides;
        if is_decided { Ok(self.decides) } else { c.run(vm, fp) }
    }
}

impl<B: Quick> BoolOperand for CompareFormulas<B> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let x = self.left.quick(&vm.frames, fp);
        let y = self.right.quick(&vm.frames, fp);
        let is_finite = x.is_finite() && y.is_finite();
        if is_finite { Ok(self.holds.test(x, y)) } else { self.general.run(vm, fp) }
    }
}

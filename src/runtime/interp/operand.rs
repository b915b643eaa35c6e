//! Operands of nodes: constants and variables are compiled into the node; everything else is a closure.

use num_traits::ToPrimitive;

use crate::program::ArithOp;
use crate::source::Span;
use crate::value::{Elems, Heap, Mutator, ObjectMut, Ref, Reference, Value};

use super::access::{element_value, index_error};
use super::arith::{Bound, int_slow};
use super::boxing::{NIL_FLOAT, follow_ref, value_ref};
use super::closures::{BoolFn, FloatFn, IntFn, RefFn, Word};
use super::slots::{Fp, Frames, Slot, object_mut, peek};
use super::vm::{SEE_WIDE, Stop, Vm, Wide};

/// An operand of type int.
pub trait IntOperand: 'static {
    /// Whether evaluation may run statements of the program.
    const RUNS_STATEMENTS: bool = true;
    /// Whether [`IntOperand::at_hand`] returns all but big integers and nil.
    const AT_HAND: bool = false;
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide>;
    /// The integer, if that takes no call; else `None`, and nothing has happened.
    #[inline(always)]
    fn at_hand(&self, _: &Frames, _: &Mutator, _: Fp) -> Option<i64> {
        None
    }
    /// Whether that is never so.
    fn is_computed(&self) -> bool {
        !Self::AT_HAND
    }
}

/// An operand of type int that takes no call but for big integers, nil and errors, and runs no statements.
pub trait QuickInt: 'static {
    /// The integer, if that takes no call; else `None`, and nothing has happened.
    fn quick(&self, frames: &Frames, mutator: &Mutator, fp: Fp) -> Option<i64>;
    /// The integer in all cases.
    fn general(&self, vm: &mut Vm, fp: Fp) -> Word<i64>;
}

impl<Q: QuickInt> IntOperand for Q {
    const RUNS_STATEMENTS: bool = false;
    const AT_HAND: bool = true;

    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        match self.quick(&vm.frames, &vm.mutator, fp) {
            Some(x) => Ok(x),
            None => self.general(vm, fp).take(vm),
        }
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, mutator: &Mutator, fp: Fp) -> Option<i64> {
        self.quick(frames, mutator, fp)
    }
}

/// An operand of type float.
pub trait FloatOperand: 'static {
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop>;
    /// The float, if that takes no call; else `None`, and nothing has happened.
    #[inline(always)]
    fn at_hand(&self, _: &Frames, _: Fp) -> Option<f64> {
        None
    }
    /// Whether that is never so.
    fn is_computed(&self) -> bool {
        true
    }
}

/// An operand of type bool.
pub trait BoolOperand: 'static {
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide>;
    /// The bool, if that takes no call; else `None`, and nothing has happened.
    #[inline(always)]
    fn at_hand(&self, _: &Frames, _: Fp) -> Option<bool> {
        None
    }
    /// Whether that is never so.
    fn is_computed(&self) -> bool {
        true
    }
}

/// An operand that is an object. Everything that may run code of the program is evaluated first; then the
/// object is borrowed from the [`Vm`], so that nothing can be evaluated while it is in use.
pub trait ObjectOperand: 'static {
    /// What identifies the object after the evaluation.
    type Evaluated;
    /// Whether [`ObjectOperand::at_hand`] can return an object.
    const AT_HAND: bool = false;
    /// The object, if finding it takes no call; else `None`, and nothing has happened.
    #[inline(always)]
    fn at_hand<'v>(&self, _: Fp, _: &'v Frames, _: &'v Mutator) -> Option<&'v Heap> {
        None
    }
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<Self::Evaluated, Stop>;
    /// The object; `None` for nil, and where [`ObjectOperand::own`] is needed.
    fn object<'v>(
        &self,
        evaluated: &'v Self::Evaluated,
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v Mutator,
    ) -> Option<&'v Heap>;
    /// Like [`ObjectOperand::object`], mutably.
    fn object_mut<'v>(
        &self,
        evaluated: &'v Self::Evaluated,
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v mut Mutator,
    ) -> Option<ObjectMut<'v>>;
    /// A counted reference to the object, in all cases; `None` for nil.
    fn own(&self, evaluated: Self::Evaluated, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop>;
}

/// A constant.
pub struct Constant<X>(pub X);
/// A local with an integer slot.
pub struct LocalInt(pub Slot);
/// A local with a float slot.
pub struct LocalFloat(pub Slot);
/// A local with a reference slot.
pub struct LocalRef(pub Slot);
/// A boxed local whose type has references.
pub struct BoxedRef(pub Slot, pub Span);

impl IntOperand for Constant<i64> {
    const RUNS_STATEMENTS: bool = false;
    const AT_HAND: bool = true;

    #[inline(always)]
    fn get(&self, _: &mut Vm, _: Fp) -> Result<i64, Wide> {
        Ok(self.0)
    }

    #[inline(always)]
    fn at_hand(&self, _: &Frames, _: &Mutator, _: Fp) -> Option<i64> {
        Some(self.0)
    }
}

impl IntOperand for LocalInt {
    const RUNS_STATEMENTS: bool = false;
    const AT_HAND: bool = true;

    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        vm.int(fp, self.0)
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, _: &Mutator, fp: Fp) -> Option<i64> {
        let x = frames.get(fp, self.0) as i64;
        (x != SEE_WIDE).then_some(x)
    }
}

/// A local with an integer slot plus a constant.
pub struct LocalPlus {
    pub slot: Slot,
    pub delta: i64,
    /// Whether the program subtracts `-delta`.
    pub minus: bool,
    pub at: Span,
}

impl LocalPlus {
    /// For big integers and nil.
    #[cold]
    #[inline(never)]
    fn slow(&self, vm: &mut Vm, fp: Fp) -> Word<i64> {
        let (op, y) = match self.minus {
            true => (ArithOp::Sub, self.delta.wrapping_neg()),
            false => (ArithOp::Add, self.delta),
        };
        Word::of(vm, |vm| -> Result<i64, Wide> {
            let x = Simple::Local(self.slot).value(vm, fp)?;
            int_slow(vm, Some(fp), op, &x, &Value::Int(y), Bound::Int, self.at)
        })
    }
}

impl IntOperand for LocalPlus {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        let x = vm.frames.get(fp, self.slot) as i64;
        match x.checked_add(self.delta) {
            Some(sum) if x != SEE_WIDE => Ok(sum),
            _ => self.slow(vm, fp).take(vm),
        }
    }
}

/// A constant, or a local with an integer slot.
#[derive(Clone, Copy)]
pub enum Simple {
    Local(Slot),
    Constant(i64),
}

impl Simple {
    /// The integer; `None` if the local is big or nil.
    #[inline(always)]
    pub fn small(self, frames: &Frames, fp: Fp) -> Option<i64> {
        let x = match self {
            Simple::Constant(k) => k,
            Simple::Local(slot) => frames.get(fp, slot) as i64,
        };
        (x != SEE_WIDE).then_some(x)
    }

    /// The number as a value, of any size, or nil.
    pub fn value(self, vm: &mut Vm, fp: Fp) -> Result<Value, Stop> {
        match self {
            Simple::Constant(k) => Ok(Value::Int(k)),
            Simple::Local(slot) => match vm.int(fp, slot) {
                Ok(x) => Ok(Value::Int(x)),
                Err(Wide) => vm.take_value(),
            },
        }
    }
}

impl IntOperand for Simple {
    const RUNS_STATEMENTS: bool = false;
    const AT_HAND: bool = true;

    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        match self {
            Simple::Constant(k) => Ok(*k),
            Simple::Local(slot) => vm.int(fp, *slot),
        }
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, _: &Mutator, fp: Fp) -> Option<i64> {
        self.small(frames, fp)
    }
}

/// Any integer; a constant or local without a call.
pub enum AnyInt {
    Simple(Simple),
    Computed(IntFn),
}

impl IntOperand for AnyInt {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        match self {
            AnyInt::Simple(simple) => simple.get(vm, fp),
            AnyInt::Computed(f) => f.get(vm, fp),
        }
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, _: &Mutator, fp: Fp) -> Option<i64> {
        match self {
            AnyInt::Simple(simple) => simple.small(frames, fp),
            AnyInt::Computed(_) => None,
        }
    }

    fn is_computed(&self) -> bool {
        matches!(self, AnyInt::Computed(_))
    }
}

impl IntOperand for IntFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        IntFn::get(self, vm, fp)
    }
}

impl FloatOperand for Constant<f64> {
    #[inline(always)]
    fn get(&self, _: &mut Vm, _: Fp) -> Result<f64, Stop> {
        Ok(self.0)
    }
}

impl FloatOperand for LocalFloat {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        Ok(f64::from_bits(vm.frames.get(fp, self.0)))
    }
}

/// Any float; a constant, a local, and an integer in a local without a call.
pub enum AnyFloat {
    Constant(f64),
    Local(Slot),
    Int(Slot),
    Computed(FloatFn),
}

impl FloatOperand for AnyFloat {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        match self {
            AnyFloat::Constant(k) => Ok(*k),
            AnyFloat::Local(slot) => Ok(f64::from_bits(vm.frames.get(fp, *slot))),
            AnyFloat::Int(slot) => match vm.int(fp, *slot) {
                Ok(i) => Ok(i as f64),
                Err(Wide) => wide_as_float(vm).take(vm),
            },
            AnyFloat::Computed(f) => f.get(vm, fp),
        }
    }

    #[inline(always)]
    fn at_hand(&self, frames: &Frames, fp: Fp) -> Option<f64> {
        match self {
            AnyFloat::Constant(k) => Some(*k),
            AnyFloat::Local(slot) => Some(f64::from_bits(frames.get(fp, *slot))),
            AnyFloat::Int(slot) => Simple::Local(*slot).small(frames, fp).map(|i| i as f64),
            AnyFloat::Computed(_) => None,
        }
    }

    fn is_computed(&self) -> bool {
        matches!(self, AnyFloat::Computed(_))
    }
}

impl FloatOperand for FloatFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        FloatFn::get(self, vm, fp)
    }
}

/// Any reference; a constant and a local without a call.
pub enum AnyRef {
    Constant(Option<Ref>),
    Local(Slot),
    Computed(RefFn),
}

impl AnyRef {
    /// A counted reference.
    #[inline(always)]
    pub fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        match self {
            AnyRef::Computed(f) => f.get(vm, fp),
            other => Ok(other.at_hand(&vm.frames, fp)),
        }
    }

    /// A counted reference, if it is no computed one.
    #[inline(always)]
    pub fn at_hand(&self, frames: &Frames, fp: Fp) -> Option<Ref> {
        match self {
            AnyRef::Constant(r) => r.clone(),
            AnyRef::Local(slot) => frames.get_ref(fp, *slot),
            AnyRef::Computed(_) => None,
        }
    }
}

impl BoolOperand for BoolFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        self.run(vm, fp)
    }
}

impl ObjectOperand for LocalRef {
    type Evaluated = ();
    const AT_HAND: bool = true;

    #[inline(always)]
    fn at_hand<'v>(&self, fp: Fp, frames: &'v Frames, _: &'v Mutator) -> Option<&'v Heap> {
        frames.object(fp, self.0)
    }

    #[inline(always)]
    fn evaluate(&self, _: &mut Vm, _: Fp) -> Result<(), Stop> {
        Ok(())
    }

    #[inline(always)]
    fn object<'v>(&self, _: &'v (), fp: Fp, frames: &'v Frames, _: &'v Mutator) -> Option<&'v Heap> {
        frames.object(fp, self.0)
    }

    #[inline(always)]
    fn object_mut<'v>(
        &self,
        _: &'v (),
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v mut Mutator,
    ) -> Option<ObjectMut<'v>> {
        Some(ObjectMut::new(frames.object(fp, self.0)?, mutator))
    }

    fn own(&self, (): (), vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        Ok(vm.frames.get_ref(fp, self.0))
    }
}

impl BoxedRef {
    /// The object in the variable, unless that holds a reference or a boxed scalar.
    #[inline(always)]
    fn find<'v>(&self, fp: Fp, frames: &'v Frames, mutator: &'v Mutator) -> Option<&'v Heap> {
        match frames.object(fp, self.0)? {
            Heap::Reference(Reference::Variable(variable)) => plain_object(&peek(variable, mutator).value),
            _ => None,
        }
    }
}

impl ObjectOperand for BoxedRef {
    type Evaluated = ();
    const AT_HAND: bool = true;

    #[inline(always)]
    fn at_hand<'v>(&self, fp: Fp, frames: &'v Frames, mutator: &'v Mutator) -> Option<&'v Heap> {
        self.find(fp, frames, mutator)
    }

    #[inline(always)]
    fn evaluate(&self, _: &mut Vm, _: Fp) -> Result<(), Stop> {
        Ok(())
    }

    #[inline(always)]
    fn object<'v>(&self, _: &'v (), fp: Fp, frames: &'v Frames, mutator: &'v Mutator) -> Option<&'v Heap> {
        self.find(fp, frames, mutator)
    }

    #[inline(always)]
    fn object_mut<'v>(
        &self,
        _: &'v (),
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v mut Mutator,
    ) -> Option<ObjectMut<'v>> {
        object_mut(frames, mutator, |frames, mutator| self.find(fp, frames, mutator))
    }

    #[cold]
    #[inline(never)]
    fn own(&self, (): (), vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        let value = super::targets::read_boxed(vm, fp, self.0, self.1)?;
        Ok(super::boxing::value_ref(value))
    }
}

impl ObjectOperand for RefFn {
    type Evaluated = Option<Ref>;

    #[inline(always)]
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        Ok(follow_ref(self.get(vm, fp)?))
    }

    #[inline(always)]
    fn object<'v>(
        &self,
        evaluated: &'v Option<Ref>,
        _: Fp,
        _: &'v Frames,
        _: &'v Mutator,
    ) -> Option<&'v Heap> {
        evaluated.as_deref()
    }

    #[inline(always)]
    fn object_mut<'v>(
        &self,
        evaluated: &'v Option<Ref>,
        _: Fp,
        _: &'v Frames,
        mutator: &'v mut Mutator,
    ) -> Option<ObjectMut<'v>> {
        Some(ObjectMut::new(evaluated.as_deref()?, mutator))
    }

    fn own(&self, evaluated: Option<Ref>, _: &mut Vm, _: Fp) -> Result<Option<Ref>, Stop> {
        Ok(evaluated)
    }
}

/// The object of a value, unless that is a reference or a boxed scalar.
#[inline(always)]
fn plain_object(value: &Value) -> Option<&Heap> {
    match value {
        Value::Ref(r) if !matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => Some(r),
        _ => None,
    }
}

/// The element of an array at `index`, if it is a plain object.
#[inline(always)]
pub fn element_object<'v>(array: &'v Heap, index: i64, mutator: &'v Mutator) -> Option<&'v Ref> {
    match array {
        Heap::Array(array) => match &peek(array, mutator).data {
            Elems::Values(all) => match all.get(usize::try_from(index).ok()?)? {
                Value::Ref(r) if !matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => Some(r),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// `container[index]` whose element is an object; the index has no side effects.
pub struct ElementRef<A, I> {
    pub container: A,
    pub index: I,
    pub at: Span,
}

impl<A: ObjectOperand<Evaluated = ()>, I: IntOperand> ElementRef<A, I> {
    #[inline(always)]
    fn find<'v>(&self, index: i64, fp: Fp, frames: &'v Frames, mutator: &'v Mutator) -> Option<&'v Heap> {
        let array = self.container.object(&(), fp, frames, mutator)?;
        element_object(array, index, mutator).map(|r| &**r)
    }
}

impl<A: ObjectOperand<Evaluated = ()>, I: IntOperand> ObjectOperand for ElementRef<A, I> {
    type Evaluated = i64;
    const AT_HAND: bool = I::AT_HAND;

    #[inline(always)]
    fn at_hand<'v>(&self, fp: Fp, frames: &'v Frames, mutator: &'v Mutator) -> Option<&'v Heap> {
        self.find(self.index.at_hand(frames, mutator, fp)?, fp, frames, mutator)
    }

    #[inline(always)]
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Stop> {
        match self.index.get(vm, fp) {
            Ok(index) => Ok(index),
            Err(Wide) => wide_index(vm, fp, &self.container, &self.at).take(vm),
        }
    }

    #[inline(always)]
    fn object<'v>(
        &self,
        index: &'v i64,
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v Mutator,
    ) -> Option<&'v Heap> {
        self.find(*index, fp, frames, mutator)
    }

    #[inline(always)]
    fn object_mut<'v>(
        &self,
        index: &'v i64,
        fp: Fp,
        frames: &'v Frames,
        mutator: &'v mut Mutator,
    ) -> Option<ObjectMut<'v>> {
        object_mut(frames, mutator, |frames, mutator| self.find(*index, fp, frames, mutator))
    }

    #[cold]
    #[inline(never)]
    fn own(&self, index: i64, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        let container = self.container.own((), vm, fp)?;
        let element = element_value(vm, container.as_deref(), &Value::Int(index), self.at)?;
        Ok(follow_ref(value_ref(element)))
    }
}

/// Reports an index that is not a 64-bit integer and is pending.
#[cold]
#[inline(never)]
pub fn wide_index<A: ObjectOperand, X: Default>(vm: &mut Vm, fp: Fp, base: &A, at: &Span) -> Word<X> {
    Word::of(vm, |vm| -> Result<X, Stop> {
        let i = vm.take_value()?;
        let evaluated = base.evaluate(vm, fp)?;
        let object = base.own(evaluated, vm, fp)?;
        index_error(vm, object.as_deref(), &i, *at)
    })
}

/// Converts a pending big integer to the nearest float, and pending nil to nil.
#[cold]
#[inline(never)]
pub fn wide_as_float(vm: &mut Vm) -> Word<f64> {
    Word::of(vm, |vm| {
        vm.take_value().map(|value| match value {
            Value::Nil => f64::from_bits(NIL_FLOAT),
            value => value.as_bigint().and_then(|b| b.to_f64()).unwrap_or(f64::NAN),
        })
    })
}

//! Operands of nodes: constants and locals are compiled into the node, everything else is a closure.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::source::Span;
use crate::value::{Heap, Ref, Value};

use super::arith::{CompareOp, compare_values};
use super::slots::{Borrowed, Fp, peek};
use super::vm::{Exit, SEE_WIDE, Stop, Vm, Wide};

pub(crate) type IntFn = Box<dyn Fn(&mut Vm, Fp) -> Result<i64, Wide>>;
pub(crate) type FloatFn = Box<dyn Fn(&mut Vm, Fp) -> Result<f64, Stop>>;
pub(crate) type BoolFn = Box<dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>>;
pub(crate) type RefFn = Box<dyn Fn(&mut Vm, Fp) -> Result<Option<Ref>, Stop>>;
pub(crate) type ValueFn = Box<dyn Fn(&mut Vm, Fp) -> Result<Value, Stop>>;
pub(crate) type StmtFn = Box<dyn Fn(&mut Vm, Fp) -> Result<(), Exit>>;
/// Evaluates an argument (second frame: the callee's) into its slot.
pub(crate) type ArgFn = Box<dyn Fn(&mut Vm, Fp, Fp) -> Result<(), Stop>>;

/// Gives an integer.
pub(crate) trait IntE: 'static {
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide>;
}

/// Gives a float.
pub(crate) trait FloatE: 'static {
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop>;
}

/// Gives a bool.
pub(crate) trait BoolE: 'static {
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide>;
}

/// Gives an object for one operation (`None`: nil).
pub(crate) trait RefE: 'static {
    type Held: HeldObject;
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Self::Held>, Stop>;
}

/// An object for one operation.
pub(crate) trait HeldObject: Deref<Target = Heap> {
    /// A counted reference to it.
    fn own(&self) -> Ref;
}

impl HeldObject for Borrowed {
    fn own(&self) -> Ref {
        Borrowed::own(*self)
    }
}

impl HeldObject for Owned {
    fn own(&self) -> Ref {
        self.0.clone()
    }
}

impl HeldObject for Held {
    fn own(&self) -> Ref {
        match self {
            Held::Borrowed(b) => b.own(),
            Held::Owned(r) => r.clone(),
        }
    }
}

/// A constant.
pub(crate) struct K<X>(pub X);
/// A local with an integer slot.
pub(crate) struct LocalInt(pub u32);
/// A local with a float slot.
pub(crate) struct LocalFloat(pub u32);
/// A local with a reference slot.
pub(crate) struct LocalRef(pub u32);
/// A boxed local whose type has references.
pub(crate) struct BoxedRef(pub u32, pub Span);

impl IntE for K<i64> {
    #[inline(always)]
    fn get(&self, _: &mut Vm, _: Fp) -> Result<i64, Wide> {
        Ok(self.0)
    }
}

impl IntE for LocalInt {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        vm.int(fp, self.0)
    }
}

/// A local with an integer slot plus a constant.
pub(crate) struct LocalPlus {
    pub slot: u32,
    pub delta: i64,
    /// The same for big integers and nil.
    pub general: IntFn,
}

impl IntE for LocalPlus {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        let x = fp.get(self.slot) as i64;
        match x.checked_add(self.delta) {
            Some(sum) if x != SEE_WIDE => Ok(sum),
            _ => (self.general)(vm, fp),
        }
    }
}

impl IntE for IntFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        self(vm, fp)
    }
}

impl FloatE for K<f64> {
    #[inline(always)]
    fn get(&self, _: &mut Vm, _: Fp) -> Result<f64, Stop> {
        Ok(self.0)
    }
}

impl FloatE for LocalFloat {
    #[inline(always)]
    fn get(&self, _: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        Ok(f64::from_bits(fp.get(self.0)))
    }
}

impl FloatE for FloatFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        self(vm, fp)
    }
}

impl BoolE for BoolFn {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        self(vm, fp)
    }
}

/// An owned object, alive as long as the operation.
pub(crate) struct Owned(pub Ref);

impl Deref for Owned {
    type Target = Heap;
    #[inline(always)]
    fn deref(&self) -> &Heap {
        &self.0
    }
}

/// Either.
pub(crate) enum Held {
    Borrowed(Borrowed),
    Owned(Ref),
}

impl Deref for Held {
    type Target = Heap;
    #[inline(always)]
    fn deref(&self) -> &Heap {
        match self {
            Held::Borrowed(b) => b,
            Held::Owned(r) => r,
        }
    }
}

impl RefE for LocalRef {
    type Held = Borrowed;
    #[inline(always)]
    fn get(&self, _: &mut Vm, fp: Fp) -> Result<Option<Borrowed>, Stop> {
        Ok(fp.borrow(self.0))
    }
}

impl RefE for BoxedRef {
    type Held = Held;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Held>, Stop> {
        match fp.borrow_boxed(self.0) {
            Some(b) => Ok(Some(Held::Borrowed(b))),
            None => boxed_slow(vm, fp, self.0, self.1),
        }
    }
}

#[cold]
#[inline(never)]
fn boxed_slow(vm: &mut Vm, fp: Fp, slot: u32, at: Span) -> Result<Option<Held>, Stop> {
    let value = super::places::read_boxed(vm, fp, slot, at)?;
    Ok(super::boxing::value_ref(value).map(Held::Owned))
}

impl RefE for RefFn {
    type Held = Owned;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Owned>, Stop> {
        Ok(follow_ref(self(vm, fp)?).map(Owned))
    }
}

/// A reference register with places followed.
#[inline(always)]
pub(crate) fn follow_ref(r: Option<Ref>) -> Option<Ref> {
    match &r {
        Some(heap) if matches!(&**heap, Heap::Place(_)) => follow_slow(r),
        _ => r,
    }
}

#[cold]
#[inline(never)]
fn follow_slow(r: Option<Ref>) -> Option<Ref> {
    super::boxing::value_ref(r.map_or(Value::Nil, |r| Value::Ref(r).follow()))
}

/// `container[index]` whose element is an object; the index contains no call, so it is evaluated
/// first and both are borrowed.
pub(crate) struct ElementRef<A, I> {
    pub container: A,
    pub index: I,
    pub slow: RefFn,
}

/// The object at `index` of an array, borrowed; `None` where the slow path has to look.
#[inline(always)]
pub(crate) fn element_object(heap: &Heap, index: i64) -> Option<Borrowed> {
    if let Heap::Array(a) = heap
        && let crate::value::Elems::Values(v) = &peek(a)?.data
        && let Value::Ref(r) = v.get(usize::try_from(index).ok()?)?
        && !matches!(&**r, Heap::Place(_) | Heap::Scalar(_))
    {
        return Some(Borrowed::of(r));
    }
    None
}

impl<I: IntE> RefE for ElementRef<LocalRef, I> {
    type Held = Held;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Held>, Stop> {
        if let Ok(index) = self.index.get(vm, fp)
            && let Some(container) = fp.borrow(self.container.0)
            && let Some(found) = element_object(&container, index)
        {
            return Ok(Some(Held::Borrowed(found)));
        }
        element_slow(vm, fp, &self.slow)
    }
}

impl<I: IntE> RefE for ElementRef<BoxedRef, I> {
    type Held = Held;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Held>, Stop> {
        if let Ok(index) = self.index.get(vm, fp)
            && let Some(container) = fp.borrow_boxed(self.container.0)
            && let Some(found) = element_object(&container, index)
        {
            return Ok(Some(Held::Borrowed(found)));
        }
        element_slow(vm, fp, &self.slow)
    }
}

/// Evaluates the whole index expression again (it has no effects) the general way, errors included.
#[cold]
#[inline(never)]
fn element_slow(vm: &mut Vm, fp: Fp, slow: &RefFn) -> Result<Option<Held>, Stop> {
    vm.pending = super::vm::Pending::None;
    Ok(follow_ref(slow(vm, fp)?).map(Held::Owned))
}

/// Comparison of two integers.
pub(crate) struct CompareInts<O, A, B> {
    pub left: A,
    pub right: B,
    pub at: Span,
    pub op: PhantomData<O>,
}

impl<O: CompareOp, A: IntE, B: IntE> BoolE for CompareInts<O, A, B> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        let x = match self.left.get(vm, fp) {
            Ok(x) => x,
            Err(Wide) => return compare_left::<O, B>(vm, fp, &self.right, self.at),
        };
        match self.right.get(vm, fp) {
            Ok(y) => Ok(O::test(x, y)),
            Err(Wide) => compare_right::<O>(vm, x, self.at),
        }
    }
}

#[cold]
#[inline(never)]
fn compare_left<O: CompareOp, B: IntE>(vm: &mut Vm, fp: Fp, right: &B, at: Span) -> Result<bool, Wide> {
    let x = vm.take_value().map_err(|Stop| Wide)?;
    let y = match right.get(vm, fp) {
        Ok(y) => Value::Int(y),
        Err(Wide) => vm.take_value().map_err(|Stop| Wide)?,
    };
    compare_values(vm, O::OP, &x, &y, at).map_err(|Stop| Wide)
}

#[cold]
#[inline(never)]
fn compare_right<O: CompareOp>(vm: &mut Vm, x: i64, at: Span) -> Result<bool, Wide> {
    let y = vm.take_value().map_err(|Stop| Wide)?;
    compare_values(vm, O::OP, &Value::Int(x), &y, at).map_err(|Stop| Wide)
}

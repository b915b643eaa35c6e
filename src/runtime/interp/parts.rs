//! Parts of objects: closures that read an element or another part, and changes.
//!
//! Where the object and the index are at hand, the closure calls nothing but, at its end, the general case: a
//! function that calls nothing saves no registers.

use crate::source::Span;
use crate::value::{Heap, Mutator, ObjectMut, Ref};

use super::access;
use super::boxing::follow_ref;
use super::closures::{Closure, Word};
use super::operand::{IntOperand, LocalRef, ObjectOperand, QuickInt, wide_index};
use super::slots::{Fp, Frames, object_mut};
use super::vm::{Stop, Vm, Wide};

/// Reads a part of an object. `quick` gets the borrowed object; if it returns `None`, `general` gets a counted
/// reference, or `None` for nil.
pub fn part<A: ObjectOperand, C: Closure>(
    base: A,
    quick: impl Fn(&Heap, &Vm) -> Option<C::Value> + 'static,
    general: impl Fn(&mut Vm, Option<&Heap>) -> Result<C::Value, C::Error> + 'static,
) -> C {
    let general = move |vm: &mut Vm, object: Option<&Heap>, ()| general(vm, object);
    C::new(move |vm, fp| read(vm, fp, &base, (), |object, vm, ()| quick(object, vm), &general))
}

/// Reads `base[index]` at `at`; `quick` and `general` as for [`part`]. The index has no side effects: it is
/// evaluated first, so that the object is borrowed for the access only.
pub fn element<A: ObjectOperand, I: IntOperand, C: Closure>(
    base: A,
    index: I,
    at: Span,
    quick: impl Fn(&Heap, i64, &Mutator) -> Option<C::Value> + 'static,
    general: impl Fn(&mut Vm, Option<&Heap>, i64, Span) -> Result<C::Value, C::Error> + 'static,
) -> C {
    let general = move |vm: &mut Vm, object: Option<&Heap>, i: i64| general(vm, object, i, at);
    if A::AT_HAND && I::AT_HAND {
        return C::new(move |vm, fp| {
            if let Some(i) = index.at_hand(&vm.frames, &vm.mutator, fp)
                && let Some(object) = base.at_hand(fp, &vm.frames, &vm.mutator)
                && let Some(found) = quick(object, i, &vm.mutator)
            {
                return Ok(found);
            }
            element_of_any(vm, fp, &base, &index, &at, &general).take(vm)
        });
    }
    C::new(move |vm, fp| {
        let i = match index.get(vm, fp) {
            Ok(i) => i,
            Err(Wide) => return wide_index(vm, fp, &base, &at).take(vm),
        };
        read(vm, fp, &base, i, |object, vm, i| quick(object, i, &vm.mutator), &general)
    })
}

/// Reads the part `which`.
#[inline(always)]
fn read<A: ObjectOperand, W: Copy, X: Default, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    which: W,
    quick: impl Fn(&Heap, &Vm, W) -> Option<X>,
    general: &impl Fn(&mut Vm, Option<&Heap>, W) -> Result<X, E>,
) -> Result<X, E> {
    if A::AT_HAND {
        let object = base.at_hand(fp, &vm.frames, &vm.mutator);
        return match object.and_then(|object| quick(object, vm, which)) {
            Some(found) => Ok(found),
            None => part_of_any(vm, fp, base, which, general).take(vm),
        };
    }
    let evaluated = base.evaluate(vm, fp)?;
    let object = base.object(&evaluated, fp, &vm.frames, &vm.mutator);
    if let Some(found) = object.and_then(|object| quick(object, vm, which)) {
        return Ok(found);
    }
    part_of_evaluated(vm, fp, base, evaluated, which, general).take(vm)
}

#[cold]
#[inline(never)]
fn part_of_any<A: ObjectOperand, W, X: Default, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    which: W,
    general: &impl Fn(&mut Vm, Option<&Heap>, W) -> Result<X, E>,
) -> Word<X> {
    match base.evaluate(vm, fp) {
        Ok(evaluated) => part_of_evaluated(vm, fp, base, evaluated, which, general),
        Err(stop) => Word::new(vm, Err(stop)),
    }
}

#[cold]
#[inline(never)]
fn part_of_evaluated<A: ObjectOperand, W, X: Default, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    evaluated: A::Evaluated,
    which: W,
    general: &impl Fn(&mut Vm, Option<&Heap>, W) -> Result<X, E>,
) -> Word<X> {
    Word::of(vm, |vm| -> Result<X, E> {
        let object = base.own(evaluated, vm, fp)?;
        general(vm, object.as_deref(), which)
    })
}

/// An element of an array of `int` in a local, at an index without side effects.
pub struct IntElement<I> {
    pub array: LocalRef,
    pub index: I,
    pub at: Span,
}

impl<I: IntOperand> QuickInt for IntElement<I> {
    #[inline(always)]
    fn quick(&self, frames: &Frames, mutator: &Mutator, fp: Fp) -> Option<i64> {
        let i = self.index.at_hand(frames, mutator, fp)?;
        access::element_of_ints(self.array.at_hand(fp, frames, mutator)?, i, mutator)
    }

    #[cold]
    #[inline(never)]
    fn general(&self, vm: &mut Vm, fp: Fp) -> Word<i64> {
        let general = |vm: &mut Vm, object: Option<&Heap>, i| access::int_element(vm, object, i, self.at);
        element_of_any(vm, fp, &self.array, &self.index, &self.at, &general)
    }
}

#[cold]
#[inline(never)]
fn element_of_any<A: ObjectOperand, X: Default, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    index: &impl IntOperand,
    at: &Span,
    general: &impl Fn(&mut Vm, Option<&Heap>, i64) -> Result<X, E>,
) -> Word<X> {
    match index.get(vm, fp) {
        Ok(i) => part_of_any(vm, fp, base, i, general),
        Err(Wide) => wide_index(vm, fp, base, at),
    }
}

/// Looks at the object of an operand; `None` if there is none, or `look` returns `None`.
#[inline(always)]
pub fn look_at<A: ObjectOperand, X>(
    operand: &A,
    vm: &mut Vm,
    fp: Fp,
    look: impl FnOnce(&Heap, &Mutator) -> Option<X>,
) -> Result<Option<X>, Stop> {
    if A::AT_HAND {
        let object = operand.at_hand(fp, &vm.frames, &vm.mutator);
        return Ok(object.and_then(|object| look(object, &vm.mutator)));
    }
    let evaluated = operand.evaluate(vm, fp)?;
    let object = operand.object(&evaluated, fp, &vm.frames, &vm.mutator);
    Ok(object.and_then(|object| look(object, &vm.mutator)))
}

/// Looks at an element of the object of an operand; the index has no side effects. `None` if it does not fit 64 bits.
#[inline(always)]
pub fn look_at_element<A: ObjectOperand, I: IntOperand, X>(
    (base, index): (&A, &I),
    vm: &mut Vm,
    fp: Fp,
    look: impl FnOnce(&Heap, i64, &Mutator) -> Option<X>,
) -> Result<Option<X>, Stop> {
    let Some(index) = small(index, vm, fp) else { return Ok(None) };
    look_at(base, vm, fp, |object, mutator| look(object, index, mutator))
}

/// An index, if it fits 64 bits.
#[inline(always)]
pub fn small<I: IntOperand>(index: &I, vm: &mut Vm, fp: Fp) -> Option<i64> {
    if I::AT_HAND { index.at_hand(&vm.frames, &vm.mutator, fp) } else { index.get(vm, fp).ok() }
}

/// The object of an operand, to be changed; `None` if there is none, or it is not at hand and access is to be `is_quick`, see
/// [`ObjectMut::quick`]. (What gets it is no closure, which would not be inlined where several use it.)
#[inline(always)]
pub fn to_change<'v, A: ObjectOperand>(
    operand: &A,
    evaluated: &'v mut Option<A::Evaluated>,
    is_quick: bool,
    vm: &'v mut Vm,
    fp: Fp,
) -> Result<Option<ObjectMut<'v>>, Stop> {
    if A::AT_HAND {
        let object =
            object_mut(&vm.frames, &mut vm.mutator, |frames, mutator| operand.at_hand(fp, frames, mutator));
        return Ok(object.map(|object| object.quick(is_quick)));
    }
    if is_quick {
        return Ok(None);
    }
    let evaluated = evaluated.insert(operand.evaluate(vm, fp)?);
    Ok(operand.object_mut(evaluated, fp, &vm.frames, &mut vm.mutator))
}

/// A counted reference to the object of an operand; `None` for nil.
pub fn owned<A: ObjectOperand>(operand: &A, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
    let evaluated = operand.evaluate(vm, fp)?;
    Ok(follow_ref(operand.own(evaluated, vm, fp)?))
}

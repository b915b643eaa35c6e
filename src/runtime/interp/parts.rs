//! Parts of objects: closures that read an element or another part, and changes.
//!
//! Where the object and the index are at hand, the closure calls nothing but, at its end, the general case: a
//! function that calls nothing saves no registers.

use crate::source::Span;
use crate::value::{Heap, Mutator, ObjectMut, Ref};

use super::boxing::follow_ref;
use super::operand::{IntOperand, ObjectOperand, wide_index};
use super::slots::{Fp, object_mut};
use super::vm::{Stop, Vm, Wide};

type Part<X, E> = Box<dyn Fn(&mut Vm, Fp) -> Result<X, E>>;

/// Reads a part of an object. `quick` gets the borrowed object; if it returns `None`, `general` gets a counted
/// reference, or `None` for nil.
pub fn part<A: ObjectOperand, X: 'static, E: From<Stop> + 'static>(
    base: A,
    quick: impl Fn(&Heap, &Vm) -> Option<X> + 'static,
    general: impl Fn(&mut Vm, Option<&Heap>) -> Result<X, E> + 'static,
) -> Part<X, E> {
    Box::new(move |vm, fp| read(vm, fp, &base, &quick, &general))
}

#[inline(always)]
fn read<A: ObjectOperand, X, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    quick: impl Fn(&Heap, &Vm) -> Option<X>,
    general: &impl Fn(&mut Vm, Option<&Heap>) -> Result<X, E>,
) -> Result<X, E> {
    if A::AT_HAND {
        let object = base.at_hand(fp, &vm.frames, &vm.mutator);
        return match object.and_then(|object| quick(object, vm)) {
            Some(found) => Ok(found),
            None => part_of_any(vm, fp, base, general),
        };
    }
    let evaluated = base.evaluate(vm, fp)?;
    let object = base.object(&evaluated, fp, &vm.frames, &vm.mutator);
    if let Some(found) = object.and_then(|object| quick(object, vm)) {
        return Ok(found);
    }
    let object = base.own(evaluated, vm, fp)?;
    general(vm, object.as_deref())
}

#[cold]
#[inline(never)]
fn part_of_any<A: ObjectOperand, X, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    general: &impl Fn(&mut Vm, Option<&Heap>) -> Result<X, E>,
) -> Result<X, E> {
    let evaluated = base.evaluate(vm, fp)?;
    let object = base.own(evaluated, vm, fp)?;
    general(vm, object.as_deref())
}

#[cold]
#[inline(never)]
fn element_of_any<A: ObjectOperand, X, E: From<Stop>>(
    vm: &mut Vm,
    fp: Fp,
    base: &A,
    index: &impl IntOperand,
    at: Span,
    general: &impl Fn(&mut Vm, Option<&Heap>, i64, Span) -> Result<X, E>,
) -> Result<X, E> {
    match index.get(vm, fp) {
        Ok(i) => part_of_any(vm, fp, base, &|vm, object| general(vm, object, i, at)),
        Err(Wide) => wide_index(vm, fp, base, at),
    }
}

/// Reads `base[index]` at `at`; `quick` and `general` as for [`part`]. The index has no side effects: it is
/// evaluated first, so that the object is borrowed for the access only.
pub fn element<A: ObjectOperand, I: IntOperand, X: 'static, E: From<Stop> + 'static>(
    base: A,
    index: I,
    at: Span,
    quick: impl Fn(&Heap, i64, &Mutator) -> Option<X> + 'static,
    general: impl Fn(&mut Vm, Option<&Heap>, i64, Span) -> Result<X, E> + 'static,
) -> Part<X, E> {
    if A::AT_HAND && I::AT_HAND {
        return Box::new(move |vm, fp| {
            if let Some(i) = index.at_hand(&vm.frames, fp)
                && let Some(object) = base.at_hand(fp, &vm.frames, &vm.mutator)
                && let Some(found) = quick(object, i, &vm.mutator)
            {
                return Ok(found);
            }
            element_of_any(vm, fp, &base, &index, at, &general)
        });
    }
    Box::new(move |vm, fp| {
        let i = match index.get(vm, fp) {
            Ok(i) => i,
            Err(Wide) => return wide_index(vm, fp, &base, at),
        };
        let quick = |object: &Heap, vm: &Vm| quick(object, i, &vm.mutator);
        read(vm, fp, &base, quick, &|vm, object| general(vm, object, i, at))
    })
}

/// Changes the object of an operand; `None` if there is none, or `change` returns `None`.
#[inline(always)]
pub fn change<A: ObjectOperand, X>(
    operand: &A,
    vm: &mut Vm,
    fp: Fp,
    change: impl FnOnce(&mut ObjectMut) -> Option<X>,
) -> Result<Option<X>, Stop> {
    if A::AT_HAND {
        let object =
            object_mut(&vm.frames, &mut vm.mutator, |frames, mutator| operand.at_hand(fp, frames, mutator));
        return Ok(object.and_then(|mut object| change(&mut object)));
    }
    let evaluated = operand.evaluate(vm, fp)?;
    let object = operand.object_mut(&evaluated, fp, &vm.frames, &mut vm.mutator);
    Ok(object.and_then(|mut object| change(&mut object)))
}

/// A counted reference to the object of an operand; `None` for nil.
pub fn owned<A: ObjectOperand>(operand: &A, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
    let evaluated = operand.evaluate(vm, fp)?;
    Ok(follow_ref(operand.own(evaluated, vm, fp)?))
}

//! Exchanges of two elements in attached code: `temp t = a[i]`, `a[i] = b[j]`, `b[j] = t`.
//!
//! Nobody can notice whether the first two copy the objects, or pass them on with the numbers that copies would have, as
//! long as none of the three can fail, no debugger looks in between, and it does not know the objects. The first
//! statement decides that; the third moves the local, which dies in it (`moves`).

use crate::interp::access;
use crate::interp::boxing::follow_ref;
use crate::interp::closures::{Closure, IntFn, RefFn};
use crate::interp::operand::element_object;
use crate::interp::slots::Fp;
use crate::interp::store;
use crate::interp::vm::{Pending, Vm};
use crate::value::{Ref, Type, become_copy, can_become_copy};

/// An element of an array, an object of type `ty`; finding it has no side effects.
pub(super) struct Element {
    array: RefFn,
    index: IntFn,
    ty: Type,
    /// [`Type::is_flat`] of `ty`.
    is_flat: bool,
}

/// The value of the first statement: what is in `element`. `other`: the one that the second statement takes. `copy`
/// makes a copy.
pub(super) fn begin(element: Element, other: Element, copy: RefFn) -> RefFn {
    RefFn::new(move |vm, fp| {
        let found = if vm.is_looked_at { None } else { exchangeable(vm, fp, &element, &other) };
        vm.is_exchanging = found.is_some();
        match found {
            Some(object) => Ok(Some(passed_on(object))),
            None => copy.get(vm, fp),
        }
    })
}

/// The value of the second statement.
pub(super) fn go_on(element: Element, copy: RefFn) -> RefFn {
    RefFn::new(move |vm, fp| {
        let is_exchanging = std::mem::take(&mut vm.is_exchanging);
        match is_exchanging.then(|| element.find(vm, fp, Ref::clone)).flatten() {
            Some(object) => Ok(Some(passed_on(object))),
            None => copy.get(vm, fp),
        }
    })
}

/// The first one's object, if it can be exchanged with that of the other one, which is another object.
fn exchangeable(vm: &mut Vm, fp: Fp, element: &Element, other: &Element) -> Option<Ref> {
    let object = element.find(vm, fp, Ref::clone)?;
    // If it is the same, it has two owners now, of which `object` is one.
    other.find(vm, fp, |_| object)
}

impl Element {
    pub fn new(array: RefFn, index: IntFn, ty: Type) -> Element {
        Element { array, index, is_flat: ty.is_flat(), ty }
    }

    /// What `then` makes of its object, if that can be passed on, and replaced without failing.
    fn find<X>(&self, vm: &mut Vm, fp: Fp, then: impl FnOnce(&Ref) -> X) -> Option<X> {
        let (Ok(array), Ok(index)) = (self.array.get(vm, fp), self.index.get(vm, fp)) else {
            // Copying reports it.
            vm.pending = Pending::None;
            return None;
        };
        let array = follow_ref(array)?;
        let object = element_object(&array, index, &vm.mutator)?;
        let can_be = store::is_own(object, &self.ty, self.is_flat)
            && can_become_copy(object)
            && access::can_replace_elements(&array);
        can_be.then(|| then(object))
    }
}

/// An object in place of a copy of it.
fn passed_on(object: Ref) -> Ref {
    become_copy(&object);
    object
}

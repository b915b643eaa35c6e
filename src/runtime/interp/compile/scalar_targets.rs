//! Targets that hold scalars, which a statement reads, computes and writes at once: globals, boxed variables, elements,
//! fields, entries. What they are found by has no side effects, so that the rare cases (big integers, nil, results that do
//! not fit, what a debugger watches) locate them once more, as any target.

use crate::interp::access;
use crate::interp::closures::Closure;
use crate::interp::keys::KeyOperand;
use crate::interp::lvalues::{boxed_lvalue, index_lvalue, nil_member};
use crate::interp::operand::{IntOperand, ObjectOperand};
use crate::interp::parts::{owned, small, to_change};
use crate::interp::slots::{Fp, Slot, object_mut, peek};
use crate::interp::targets::Lvalue;
use crate::interp::vm::{Pending, Stop, Vm};
use crate::source::Span;
use crate::value::{
    EntryKey, Heap, Mutator, ObjectMut, ObjectPart, Ref, Reference, Type, Value, exchange_object,
};

use super::registers::{Content, Register};

/// A target of a scalar, found without side effects. Where it is to be `QUICK`, nothing is changed if that would take a call.
/// (A constant, since a closure that two functions share is not inlined.)
pub trait ScalarTarget: 'static {
    /// Whether its methods are inlined wherever they are called: not if they have closures.
    const INLINED: bool = true;

    /// Whether to try `QUICK` first: it takes less than all cases do, and is likely to change something.
    #[inline(always)]
    fn is_quick(&self) -> bool {
        true
    }

    /// Changes the scalar in it, as [`Scalar`](crate::value::Scalar) says.
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop>;

    /// Sets it to a scalar that is not nil; `None` if nothing was changed.
    #[inline(always)]
    fn set<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        scalar: S,
    ) -> Result<Option<()>, Stop> {
        Ok(self.update::<QUICK, _>(vm, fp, |_: S| Some(scalar))?.map(drop))
    }

    /// Changes it where it is a value in an object, as [`ObjectMut::change_part`] does.
    #[inline(always)]
    fn change_value<const QUICK: bool, X>(
        &self,
        _: &mut Vm,
        _: Fp,
        _: impl FnMut(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        Ok(None)
    }

    /// Exchanges the object in it, as [`exchange_object`] does; `None` if nothing was changed.
    #[inline(always)]
    fn exchange<const QUICK: bool>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        new: &mut Option<Ref>,
    ) -> Result<Option<()>, Stop> {
        self.change_value::<QUICK, _>(vm, fp, |place, _| exchange_object(place, new))
    }

    /// Locates it, for all cases. Errors are reported at `at`.
    fn lvalue(&self, vm: &mut Vm, fp: Fp, at: Span) -> Result<Lvalue, Stop>;
}

/// A global in a slot.
pub struct GlobalSlot(pub Slot);

/// A boxed variable of this type; a local, or a global.
pub struct Boxed {
    pub slot: Slot,
    pub ty: Type,
    pub is_global: bool,
}

/// An element of an array, whose index has this type.
pub struct Element<A, I> {
    pub base: A,
    pub index: I,
    pub index_type: Type,
}

/// A field of a struct.
pub struct Field<A> {
    pub base: A,
    pub field: u32,
}

/// An entry of a map.
pub struct Entry<M, K> {
    pub map: M,
    pub key: K,
}

impl ScalarTarget for GlobalSlot {
    #[inline(always)]
    fn is_quick(&self) -> bool {
        false
    }

    #[inline(always)]
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        _: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        let Some(old) = S::of_slot(vm.frames.get(vm.globals, self.0)) else { return Ok(None) };
        let Some(new) = compute(old).and_then(S::slot) else { return Ok(None) };
        vm.frames.set(vm.globals, self.0, new);
        Ok(Some(old))
    }

    fn lvalue(&self, vm: &mut Vm, _: Fp, _: Span) -> Result<Lvalue, Stop> {
        Ok(Lvalue::Slot(vm.globals, self.0))
    }
}

/// The longest chain of references that is followed here.
const LONGEST_CHAIN: usize = 8;

/// Where a chain of references leads to, in the object at its end; `None` where it is an entry.
#[inline]
pub(super) fn referred<'v>(reference: &'v Heap, mutator: &'v Mutator) -> Option<(&'v Heap, ObjectPart)> {
    let mut object = reference;
    for _ in 0..LONGEST_CHAIN {
        let Heap::Reference(reference) = object else { return None };
        match reference {
            Reference::Variable(variable) => match &peek(variable, mutator).value {
                Value::Ref(next) if matches!(&**next, Heap::Reference(_)) => object = next,
                _ => return Some((object, ObjectPart::Variable)),
            },
            Reference::Element { array, index } => return Some((array, ObjectPart::Element(*index))),
            Reference::Field { object, field } => return Some((object, ObjectPart::Field(*field))),
            Reference::Entry { .. } => return None,
        }
    }
    None
}

impl Boxed {
    #[inline(always)]
    fn frame(&self, vm: &Vm, fp: Fp) -> Fp {
        if self.is_global { vm.globals } else { fp }
    }

    /// What its slot refers to: usually the variable itself.
    #[inline(always)]
    fn variable<'v>(&self, is_quick: bool, vm: &'v mut Vm, fp: Fp) -> Option<ObjectMut<'v>> {
        let fp = self.frame(vm, fp);
        let variable = object_mut(&vm.frames, &mut vm.mutator, |frames, _| frames.object(fp, self.slot));
        variable.map(|variable| variable.quick(is_quick))
    }

    /// Changes what it refers to, whatever that is: a part of an object.
    #[inline(never)]
    fn change_referred<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        change: impl FnOnce(&mut ObjectMut, ObjectPart) -> Option<X>,
    ) -> Option<X> {
        let fp = self.frame(vm, fp);
        let mut which = ObjectPart::Variable;
        let mut object = object_mut(&vm.frames, &mut vm.mutator, |frames, mutator| {
            let (object, found) = referred(frames.object(fp, self.slot)?, mutator)?;
            which = found;
            Some(object)
        })?;
        change(&mut object, which)
    }

    /// What is in it, if that is of this kind.
    #[inline(always)]
    fn read<X: Content>(&self, vm: &Vm, fp: Fp) -> Option<X> {
        let fp = self.frame(vm, fp);
        let object = vm.frames.object(fp, self.slot)?;
        of_variable(object, &vm.mutator).or_else(|| read_referred(object, &vm.mutator))
    }
}

/// Evaluates an expression by `general`; if it is a boxed variable, reads that.
pub(super) fn variable_or<C: Closure>(
    variable: Option<Boxed>,
    general: impl Fn(&mut Vm, Fp) -> Result<C::Value, C::Error> + 'static,
) -> C
where
    C::Value: Content,
{
    let Some(variable) = variable else { return C::new(general) };
    C::new(move |vm, fp| variable.read(vm, fp).map_or_else(|| general(vm, fp), Ok))
}

/// What is in a boxed variable itself.
#[inline(always)]
fn of_variable<X: Content>(object: &Heap, mutator: &Mutator) -> Option<X> {
    let Heap::Reference(Reference::Variable(variable)) = object else { return None };
    X::of_value(&peek(variable, mutator).value)
}

/// What a reference leads to.
#[inline(never)]
fn read_referred<X: Content>(reference: &Heap, mutator: &Mutator) -> Option<X> {
    let (object, which) = referred(reference, mutator)?;
    match which {
        ObjectPart::Variable => of_variable(object, mutator),
        ObjectPart::Element(index) => X::of_element(object, index, mutator),
        ObjectPart::Field(field) => X::of_value(access::field(object, field, mutator)?),
    }
}

impl ScalarTarget for Boxed {
    #[inline(always)]
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        match self.variable(QUICK, vm, fp).and_then(|mut variable| variable.update_variable(&compute)) {
            None if !QUICK => Ok(self.change_referred(vm, fp, |object, which| match which {
                ObjectPart::Variable => object.update_variable(compute),
                ObjectPart::Element(index) => object.update_element(index, compute),
                // The field may have a narrower type than the variable.
                ObjectPart::Field(field) => object.update_field_of_any(field, compute),
            })),
            old => Ok(old),
        }
    }

    #[inline(always)]
    fn change_value<const QUICK: bool, X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        mut compute: impl FnMut(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        let variable = self.variable(QUICK, vm, fp);
        match variable.and_then(|mut it| it.change_part(ObjectPart::Variable, &mut compute)) {
            None if !QUICK => {
                Ok(self.change_referred(vm, fp, |object, which| object.change_part(which, compute)))
            }
            found => Ok(found),
        }
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, _: Span) -> Result<Lvalue, Stop> {
        let fp = self.frame(vm, fp);
        Ok(boxed_lvalue(vm, fp, self.slot, &self.ty))
    }
}

impl<A: ObjectOperand, I: IntOperand> ScalarTarget for Element<A, I> {
    #[inline(always)]
    fn is_quick(&self) -> bool {
        A::AT_HAND && I::AT_HAND
    }

    #[inline(always)]
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        let Some(index) = small(&self.index, vm, fp) else { return Ok(None) };
        let mut evaluated = None;
        match to_change(&self.base, &mut evaluated, QUICK, vm, fp)? {
            Some(mut array) => Ok(array.update_element(index, compute)),
            None => Ok(None),
        }
    }

    #[inline(always)]
    fn change_value<const QUICK: bool, X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnMut(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        let Some(index) = small(&self.index, vm, fp) else { return Ok(None) };
        let mut evaluated = None;
        match to_change(&self.base, &mut evaluated, QUICK, vm, fp)? {
            Some(mut array) => Ok(array.change_part(ObjectPart::Element(index), compute)),
            None => Ok(None),
        }
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, at: Span) -> Result<Lvalue, Stop> {
        // What the index has left there, if it is large or nil.
        vm.pending = Pending::None;
        let array = owned(&self.base, vm, fp)?;
        let register = self.index.get(vm, fp);
        let index = vm.int_value(&self.index_type, register)?;
        index_lvalue(vm, array, index, at)
    }
}

impl<A: ObjectOperand> ScalarTarget for Field<A> {
    #[inline(always)]
    fn is_quick(&self) -> bool {
        A::AT_HAND
    }

    #[inline(always)]
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        let mut evaluated = None;
        match to_change(&self.base, &mut evaluated, QUICK, vm, fp)? {
            Some(mut object) => Ok(object.update_field(self.field, compute)),
            None => Ok(None),
        }
    }

    #[inline(always)]
    fn change_value<const QUICK: bool, X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnMut(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        let mut evaluated = None;
        match to_change(&self.base, &mut evaluated, QUICK, vm, fp)? {
            Some(mut object) => Ok(object.change_part(ObjectPart::Field(self.field), compute)),
            None => Ok(None),
        }
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, at: Span) -> Result<Lvalue, Stop> {
        match owned(&self.base, vm, fp)? {
            Some(object) => Ok(Lvalue::Field(object, self.field)),
            None => nil_member(vm, at),
        }
    }
}

impl<M: ObjectOperand, K: KeyOperand> Entry<M, K> {
    /// Changes the map: evaluates the key, then the map. `None` if nothing was changed.
    #[inline(always)]
    pub fn change<const QUICK: bool, X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        change: impl FnOnce(&mut ObjectMut, &K::Key<'_>) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        if QUICK && !self.key.is_quick() {
            return Ok(None);
        }
        let key_evaluated = self.key.evaluate(vm, fp)?;
        let map_evaluated = self.map.evaluate(vm, fp)?;
        let key = self.key.key(&key_evaluated, fp, &vm.frames);
        let map = self.map.object_mut(&map_evaluated, fp, &vm.frames, &mut vm.mutator);
        Ok(map.and_then(|map| change(&mut map.quick(QUICK), &key)))
    }
}

impl<M: ObjectOperand, K: KeyOperand> ScalarTarget for Entry<M, K> {
    const INLINED: bool = false;

    #[inline(always)]
    fn is_quick(&self) -> bool {
        M::AT_HAND && self.key.is_quick()
    }

    #[inline(always)]
    fn update<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl Fn(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        self.change::<QUICK, _>(vm, fp, |map, key| map.update_entry(key, compute))
    }

    #[inline(always)]
    fn change_value<const QUICK: bool, X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnMut(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        self.change::<QUICK, _>(vm, fp, |map, key| map.change_entry(key, compute))
    }

    /// The entry may be new.
    #[inline(always)]
    fn set<const QUICK: bool, S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        scalar: S,
    ) -> Result<Option<()>, Stop> {
        // Without a closure, which would be a function of its own.
        if QUICK && !self.key.is_quick() {
            return Ok(None);
        }
        let key_evaluated = self.key.evaluate(vm, fp)?;
        let map_evaluated = self.map.evaluate(vm, fp)?;
        let key = self.key.key(&key_evaluated, fp, &vm.frames);
        match self.map.object_mut(&map_evaluated, fp, &vm.frames, &mut vm.mutator) {
            Some(map) => Ok(map.quick(QUICK).set_scalar_entry(&key, scalar)),
            None => Ok(None),
        }
    }

    /// The entry may be new.
    #[inline(always)]
    fn exchange<const QUICK: bool>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        new: &mut Option<Ref>,
    ) -> Result<Option<()>, Stop> {
        self.change::<QUICK, _>(vm, fp, |map, key| map.exchange_entry(key, new))
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, at: Span) -> Result<Lvalue, Stop> {
        let map = owned(&self.map, vm, fp)?;
        let evaluated = self.key.evaluate(vm, fp)?;
        let key = self.key.key(&evaluated, fp, &vm.frames).to_value();
        index_lvalue(vm, map, key, at)
    }
}

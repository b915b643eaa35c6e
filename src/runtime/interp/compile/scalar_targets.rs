//! Targets that hold scalars, which a statement reads, computes and writes at once: globals, boxed variables, elements,
//! fields, entries. What they are found by has no side effects, so that the rare cases (big integers, nil, results that do
//! not fit, what a debugger watches) locate them once more, as any target.

use crate::interp::access;
use crate::interp::boxing::{NIL_FLOAT, is_nil_float};
use crate::interp::keys::KeyOperand;
use crate::interp::lvalues::{boxed_lvalue, index_lvalue, nil_member};
use crate::interp::operand::{IntOperand, ObjectOperand};
use crate::interp::parts::{change, change_element, owned};
use crate::interp::slots::{Fp, Slot, object_mut, peek};
use crate::interp::targets::Lvalue;
use crate::interp::vm::{NIL_BOOL, Pending, SEE_WIDE, Stop, Vm};
use crate::source::Span;
use crate::value::{EntryKey, Heap, Mutator, ObjectMut, ObjectPart, Reference, Scalar, Type, Value};

/// A scalar as the content of a slot.
pub trait Register: Scalar {
    /// The scalar in a slot; `None` for what the content only stands for.
    fn of_slot(content: u64) -> Option<Self>;
    /// The content of a slot with this scalar, if it is one of itself.
    fn slot(self) -> Option<u64>;
    /// The scalar that a value is; `None` if that is an object or nil.
    fn of_value(value: &Value) -> Option<Self>;
    /// The scalar at an index of an array.
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<Self>;

    /// Whether it stands for nil.
    #[inline(always)]
    fn is_nil(self) -> bool {
        false
    }
}

impl Register for i64 {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<i64> {
        (content as i64 != SEE_WIDE).then_some(content as i64)
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        (self != SEE_WIDE).then_some(self as u64)
    }

    #[inline(always)]
    fn of_value(value: &Value) -> Option<i64> {
        match value {
            Value::Int(x) => Some(*x),
            Value::Byte(x) => Some(i64::from(*x)),
            Value::Char(c) => Some(i64::from(u32::from(*c))),
            Value::Nil | Value::Float(_) | Value::Bool(_) | Value::Ref(_) => None,
        }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<i64> {
        access::quick_int_element(array, index, mutator)
    }
}

impl Register for f64 {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<f64> {
        (content != NIL_FLOAT).then_some(f64::from_bits(content))
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        Some(self.to_bits())
    }

    #[inline(always)]
    fn of_value(value: &Value) -> Option<f64> {
        if let Value::Float(x) = value { Some(*x) } else { None }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<f64> {
        let double = access::quick_float_element(array, index, mutator);
        double.or_else(|| access::quick_single_element(array, index, mutator))
    }

    #[inline(always)]
    fn is_nil(self) -> bool {
        is_nil_float(self)
    }
}

impl Register for bool {
    #[inline(always)]
    fn of_slot(content: u64) -> Option<bool> {
        (content != NIL_BOOL).then_some(content != 0)
    }

    #[inline(always)]
    fn slot(self) -> Option<u64> {
        Some(u64::from(self))
    }

    #[inline(always)]
    fn of_value(value: &Value) -> Option<bool> {
        if let Value::Bool(x) = value { Some(*x) } else { None }
    }

    #[inline(always)]
    fn of_element(array: &Heap, index: i64, mutator: &Mutator) -> Option<bool> {
        access::quick_bool_element(array, index, mutator)
    }
}

/// A target of a scalar, found without side effects.
pub trait ScalarTarget: 'static {
    /// Changes the scalar in it, as [`Scalar`] says.
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Result<Option<S>, Stop>;

    /// Changes it where it is a value in an object, as [`ObjectMut::change_part`] does.
    #[inline(always)]
    fn change_value<X>(
        &self,
        _: &mut Vm,
        _: Fp,
        _: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        Ok(None)
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
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        _: Fp,
        compute: impl FnOnce(S) -> Option<S>,
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

    /// The object that holds what it refers to, and which part of it that is.
    #[inline(always)]
    fn object_mut<'v>(&self, vm: &'v mut Vm, fp: Fp) -> Option<(ObjectMut<'v>, ObjectPart)> {
        let fp = self.frame(vm, fp);
        let mut which = ObjectPart::Variable;
        let object = object_mut(&vm.frames, &mut vm.mutator, |frames, mutator| {
            let (object, found) = referred(frames.object(fp, self.slot)?, mutator)?;
            which = found;
            Some(object)
        })?;
        Some((object, which))
    }

    /// The scalar in it, if there is one.
    #[inline(always)]
    pub fn read<S: Register>(&self, vm: &Vm, fp: Fp) -> Option<S> {
        let fp = self.frame(vm, fp);
        let (object, which) = referred(vm.frames.object(fp, self.slot)?, &vm.mutator)?;
        match which {
            ObjectPart::Variable => match object {
                Heap::Reference(Reference::Variable(variable)) => {
                    S::of_value(&peek(variable, &vm.mutator).value)
                }
                _ => None,
            },
            ObjectPart::Element(index) => S::of_element(object, index, &vm.mutator),
            ObjectPart::Field(field) => S::of_value(access::field(object, field, &vm.mutator)?),
        }
    }
}

impl ScalarTarget for Boxed {
    #[inline(always)]
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        let Some((mut object, which)) = self.object_mut(vm, fp) else { return Ok(None) };
        Ok(match which {
            ObjectPart::Variable => object.update_variable(compute),
            ObjectPart::Element(index) => object.update_element(index, compute),
            // The field may have a narrower type than the variable.
            ObjectPart::Field(field) => object.update_field_of_any(field, compute),
        })
    }

    #[inline(always)]
    fn change_value<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        let Some((mut object, which)) = self.object_mut(vm, fp) else { return Ok(None) };
        Ok(object.change_part(which, compute))
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, _: Span) -> Result<Lvalue, Stop> {
        let fp = self.frame(vm, fp);
        Ok(boxed_lvalue(vm, fp, self.slot, &self.ty))
    }
}

impl<A: ObjectOperand, I: IntOperand> ScalarTarget for Element<A, I> {
    #[inline(always)]
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        change_element((&self.base, &self.index), vm, fp, |array, i| array.update_element(i, compute))
    }

    #[inline(always)]
    fn change_value<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        change_element((&self.base, &self.index), vm, fp, |array, i| {
            array.change_part(ObjectPart::Element(i), compute)
        })
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
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        change(&self.base, vm, fp, |object| object.update_field(self.field, compute))
    }

    #[inline(always)]
    fn change_value<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        change(&self.base, vm, fp, |object| object.change_part(ObjectPart::Field(self.field), compute))
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
    pub fn change<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        change: impl FnOnce(&mut ObjectMut, &K::Key<'_>) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        let key_evaluated = self.key.evaluate(vm, fp)?;
        let map_evaluated = self.map.evaluate(vm, fp)?;
        let key = self.key.key(&key_evaluated, fp, &vm.frames);
        let map = self.map.object_mut(&map_evaluated, fp, &vm.frames, &mut vm.mutator);
        Ok(map.and_then(|mut map| change(&mut map, &key)))
    }
}

impl<M: ObjectOperand, K: KeyOperand> ScalarTarget for Entry<M, K> {
    #[inline(always)]
    fn update<S: Register>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Result<Option<S>, Stop> {
        self.change(vm, fp, |map, key| map.update_entry(key, compute))
    }

    #[inline(always)]
    fn change_value<X>(
        &self,
        vm: &mut Vm,
        fp: Fp,
        compute: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Result<Option<X>, Stop> {
        self.change(vm, fp, |map, key| map.change_entry(key, compute))
    }

    fn lvalue(&self, vm: &mut Vm, fp: Fp, at: Span) -> Result<Lvalue, Stop> {
        let map = owned(&self.map, vm, fp)?;
        let evaluated = self.key.evaluate(vm, fp)?;
        let key = self.key.key(&evaluated, fp, &vm.frames).to_value();
        index_lvalue(vm, map, key, at)
    }
}

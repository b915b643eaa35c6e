//! Fast stores that need no conversion, because the object's representation is that of the stored value. They
//! return `None` without having stored anything if the value does not fit or the object is watched by a
//! debugger: then the slow path has to be taken.

use std::cell::RefMut;
use std::rc::Rc;

use super::array::{Array, Elems};
use super::heap::{Heap, MapValue, Ref, Value};
use super::map::{EntryKey, OrderedMap};
use super::memory;
use super::object::{Mutator, ObjectCell, Part};
use super::observe::Parts;
use super::reference::{Reference, Variable};
use super::scalar::Scalar;
use super::string::append_str;
use super::types::Type;

/// Exclusive access to an object: while it exists, no other object changes.
pub struct ObjectMut<'a> {
    heap: &'a Heap,
    mutator: &'a mut Mutator,
    is_quick: bool,
}

impl<'a> ObjectMut<'a> {
    /// Access to `heap`.
    #[inline(always)]
    pub fn new(heap: &'a Heap, mutator: &'a mut Mutator) -> ObjectMut<'a> {
        ObjectMut { heap, mutator, is_quick: false }
    }

    /// Access that takes no call before it changes something: `None` where an object has to be asked whether it may change.
    #[inline(always)]
    pub fn quick(self, is_quick: bool) -> ObjectMut<'a> {
        ObjectMut { is_quick, ..self }
    }

    #[inline(always)]
    fn change<T: Parts>(&mut self, cell: &'a ObjectCell<T>, part: Part) -> Option<RefMut<'_, T>> {
        if self.is_quick {
            return cell.change_unguarded(self.mutator);
        }
        cell.change_unwatched(self.mutator, part)
    }

    #[inline(always)]
    fn array(&mut self, part: Part) -> Option<RefMut<'_, Array>> {
        match self.heap {
            Heap::Array(array) => self.change(array, part),
            _ => None,
        }
    }

    /// The array, to replace one element.
    #[inline(always)]
    fn element(&mut self, index: i64) -> Option<RefMut<'_, Array>> {
        // A wrong index is one of no element.
        self.array(Part::Element(index as usize))
    }

    #[inline(always)]
    fn map(&mut self, part: Part) -> Option<RefMut<'_, MapValue>> {
        match self.heap {
            Heap::Map(map) => self.change(map, part),
            _ => None,
        }
    }

    /// Changes an element, as [`Scalar`] says.
    #[inline(always)]
    pub fn update_element<S: Scalar>(
        &mut self,
        index: i64,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Option<S> {
        // A negative index is too large as an unsigned one.
        S::change_element(&mut *self.element(index)?, index as usize, compute)
    }

    /// Sets an element that holds such a scalar.
    #[inline(always)]
    pub fn set_element<S: Scalar>(&mut self, index: i64, value: S) -> Option<()> {
        self.update_element(index, |_| Some(value)).map(drop)
    }

    /// Changes a field, as [`Scalar`] says; `compute` sees to it that the result fits.
    #[inline(always)]
    pub fn update_field<S: Scalar>(&mut self, field: u32, compute: impl FnOnce(S) -> Option<S>) -> Option<S> {
        let Heap::Struct(object) = self.heap else { return None };
        let mut fields = self.change(&object.fields, Part::Field(field))?;
        S::change_value(fields.get_mut(field as usize)?, None, compute)
    }

    /// Changes a field, as [`Scalar`] says, if the result fits its type.
    #[inline(always)]
    pub fn update_field_of_any<S: Scalar>(
        &mut self,
        field: u32,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Option<S> {
        let Heap::Struct(object) = self.heap else { return None };
        let ty = &object.def.fields().get(field as usize)?.ty;
        let mut fields = self.change(&object.fields, Part::Field(field))?;
        S::change_value(fields.get_mut(field as usize)?, Some(ty), compute)
    }

    /// Changes the value of an entry, as [`Scalar`] says.
    #[inline(always)]
    pub fn update_entry<S: Scalar>(
        &mut self,
        key: &impl EntryKey,
        compute: impl FnOnce(S) -> Option<S>,
    ) -> Option<S> {
        let is_quick = self.is_quick;
        let mut map = self.map(Part::One)?;
        let MapValue { value: ty, entries, .. } = &mut *map;
        S::change_value(entry_mut(key, entries, is_quick)?, Some(ty), compute)
    }

    /// Changes a boxed variable, as [`Scalar`] says, unless it is a constant.
    #[inline(always)]
    pub fn update_variable<S: Scalar>(&mut self, compute: impl FnOnce(S) -> Option<S>) -> Option<S> {
        let Heap::Reference(Reference::Variable(variable)) = self.heap else { return None };
        let mut variable = self.change(variable, Part::One)?;
        let Variable { ty, value, constant: None } = &mut *variable else { return None };
        S::change_value(value, Some(ty), compute)
    }

    /// Changes a part that is a value; `change` gets its type, too, and sees to it that the result fits. Constants do not
    /// change.
    #[inline(always)]
    pub fn change_part<X>(
        &mut self,
        part: ObjectPart,
        change: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Option<X> {
        match (part, self.heap) {
            (ObjectPart::Element(index), _) => {
                let mut array = self.element(index)?;
                let Array { data: Elems::Values(all), elem } = &mut *array else { return None };
                change(all.get_mut(usize::try_from(index).ok()?)?, elem)
            }
            (ObjectPart::Field(field), Heap::Struct(object)) => {
                let ty = &object.def.fields().get(field as usize)?.ty;
                let mut fields = self.change(&object.fields, Part::Field(field))?;
                change(fields.get_mut(field as usize)?, ty)
            }
            (ObjectPart::Variable, Heap::Reference(Reference::Variable(variable))) => {
                let mut variable = self.change(variable, Part::One)?;
                let Variable { ty, value, constant: None } = &mut *variable else { return None };
                change(value, ty)
            }
            _ => None,
        }
    }

    /// Like [`ObjectMut::change_part`], for the value of an entry.
    #[inline(always)]
    pub fn change_entry<X>(
        &mut self,
        key: &impl EntryKey,
        change: impl FnOnce(&mut Value, &Type) -> Option<X>,
    ) -> Option<X> {
        let mut map = self.map(Part::One)?;
        let MapValue { value: ty, entries, .. } = &mut *map;
        change(key.entry_mut(entries)?, ty)
    }

    /// Exchanges two elements of an array that are different objects, and for both of which `can_be` holds; returns
    /// them, the one that was at `one` first.
    #[inline(always)]
    pub fn exchange(&mut self, one: i64, other: i64, can_be: impl Fn(&Ref) -> bool) -> Option<[Ref; 2]> {
        let mut array = self.array(Part::One)?;
        let Elems::Values(all) = &mut array.data else { return None };
        let (one, other) = (usize::try_from(one).ok()?, usize::try_from(other).ok()?);
        let (Value::Ref(a), Value::Ref(b)) = (all.get(one)?, all.get(other)?) else { return None };
        if one == other || !can_be(a) || !can_be(b) {
            return None;
        }
        let objects = [a.clone(), b.clone()];
        all.swap(one, other);
        Some(objects)
    }

    /// Appends to an array with the representation of the value.
    #[inline(always)]
    pub fn push(&mut self, value: &Value) -> Option<()> {
        let mut array = self.array(Part::End)?;
        let array = &mut *array;
        match (&mut array.data, value) {
            (Elems::Ints(all), Value::Int(x)) => push(all, *x),
            (Elems::Floats(all), Value::Float(x)) => push(all, *x),
            (Elems::Bools(all), Value::Bool(x)) => push(all, *x),
            (Elems::Bytes(all), Value::Byte(x)) => push(all, *x),
            (Elems::Values(all), Value::Ref(r)) if is_element_type(r, &array.elem) => {
                push(all, value.clone())
            }
            _ => None,
        }
    }

    /// Like [`exchange_object`], with the value of an entry; a new one gets `new` if that has the map's value type.
    #[inline(always)]
    pub fn exchange_entry(&mut self, key: &impl EntryKey, new: &mut Option<Ref>) -> Option<()> {
        let is_quick = self.is_quick;
        let mut map = self.map(Part::All)?;
        let MapValue { value: ty, entries, key: key_type } = &mut *map;
        if is_quick {
            return exchange_object(key.quick_entry_mut(entries)?, new);
        }
        let place = key.locate(entries)?;
        if let Some(value) = entries.value_mut(&place) {
            return exchange_object(value, new);
        }
        if !is_element_type(new.as_deref()?, ty) || !key.fits(key_type) {
            return None;
        }
        entries.add(place, key.to_value(), new.take().map_or(Value::Nil, Value::Ref));
        Some(())
    }

    /// Removes an entry, if there is one; returns its value, to be dropped when the object is not borrowed any more.
    #[inline(always)]
    pub fn remove_entry(&mut self, key: &impl EntryKey) -> Option<Option<Value>> {
        let mut map = self.map(Part::All)?;
        if !key.fits(&map.key) {
            return None;
        }
        let place = key.locate(&map.entries)?;
        Some(map.entries.remove_from(place))
    }

    /// Sets an entry to a scalar that its type has.
    #[inline(always)]
    pub fn set_scalar_entry<S: Scalar>(&mut self, key: &impl EntryKey, scalar: S) -> Option<()> {
        let is_quick = self.is_quick;
        let mut map = self.map(Part::All)?;
        let MapValue { value: ty, entries, key: key_type } = &mut *map;
        if is_quick {
            return S::change_value(key.quick_entry_mut(entries)?, Some(ty), |_| Some(scalar)).map(drop);
        }
        let place = key.locate(entries)?;
        if let Some(value) = entries.value_mut(&place) {
            return S::change_value(value, Some(ty), |_| Some(scalar)).map(drop);
        }
        let value = scalar.value(ty)?;
        if !key.fits(key_type) {
            return None;
        }
        entries.add(place, key.to_value(), value);
        Some(())
    }
}

#[inline(always)]
fn entry_mut<'m>(key: &impl EntryKey, map: &'m mut OrderedMap, is_quick: bool) -> Option<&'m mut Value> {
    if is_quick { key.quick_entry_mut(map) } else { key.entry_mut(map) }
}

/// Appends, unless there is no memory.
#[inline(always)]
fn push<T>(all: &mut Vec<T>, element: T) -> Option<()> {
    memory::grow(all).then(|| all.push(element))
}

/// A part of an object.
#[derive(Clone, Copy)]
pub enum ObjectPart {
    Variable,
    Element(i64),
    Field(u32),
}

/// Exchanges a string, a struct or a value of an enum with another one of the same type, which fits what the old one fits.
/// `new` gets the old one, to be dropped when the object is not borrowed any more.
#[inline(always)]
pub fn exchange_object(place: &mut Value, new: &mut Option<Ref>) -> Option<()> {
    let (Value::Ref(place), Some(new)) = (place, new) else { return None };
    let are_alike = match (&**place, &**new) {
        (Heap::Struct(old), Heap::Struct(new)) => Rc::ptr_eq(&old.def, &new.def),
        (Heap::Enum(old), Heap::Enum(new)) => Rc::ptr_eq(&old.def, &new.def),
        (Heap::Str(_), Heap::Str(_)) => true,
        _ => false,
    };
    are_alike.then(|| std::mem::swap(place, new))
}

/// Appends to a string: in place if nothing else refers to it.
pub fn append_to(place: &mut Value, more: &str) -> Option<()> {
    place.as_str()?;
    if let Value::Ref(text) = std::mem::take(place) {
        *place = Value::Ref(append_str(text, more));
    }
    Some(())
}

/// Whether an array with this element type can hold the object without conversion.
#[inline(always)]
fn is_element_type(object: &Heap, elem: &Type) -> bool {
    match (object, elem) {
        (Heap::Struct(s), Type::Struct(def)) => Rc::ptr_eq(&s.def, def),
        (Heap::Str(_), Type::Str) => true,
        (Heap::Enum(e), Type::Enum(def)) => Rc::ptr_eq(&e.def, def),
        _ => false,
    }
}

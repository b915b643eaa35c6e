//! Keys of maps as operands of nodes: integers and strings are looked up as what they are, without
//! becoming values first.

use crate::value::{Heap, IntKind, OrderedMap, Type, Value};

use super::boxing::ref_value;
use super::operand::{HeldObject, IntE, RefE, ValueFn};
use super::slots::Fp;
use super::vm::{Stop, Vm, Wide};

/// Gives a key for one operation.
pub(crate) trait KeyE: 'static {
    type Held: HeldKey;
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Self::Held, Stop>;
}

/// A key for one operation.
pub(crate) trait HeldKey {
    /// The value of this key. `None` also where the general way has to say what is wrong with the key.
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value>;
    /// The same, to be changed.
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value>;
    /// Whether it is, as it stands, a key of this type.
    fn fits(&self, ty: &Type) -> bool;
    fn to_value(&self) -> Value;
}

/// Keys of static type `int`.
pub(crate) struct IntKeys<E>(pub E);

/// One of them.
pub(crate) enum IntKey {
    Small(i64),
    /// A big one, or nil.
    Other(Value),
}

impl<E: IntE> KeyE for IntKeys<E> {
    type Held = IntKey;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<IntKey, Stop> {
        match self.0.get(vm, fp) {
            Ok(key) => Ok(IntKey::Small(key)),
            Err(Wide) => Ok(IntKey::Other(vm.take_value()?)),
        }
    }
}

impl HeldKey for IntKey {
    #[inline(always)]
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        match self {
            IntKey::Small(key) => map.get(key),
            IntKey::Other(key) => map.get(key),
        }
    }

    #[inline(always)]
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        match self {
            IntKey::Small(key) => map.get_mut(key),
            IntKey::Other(key) => map.get_mut(key),
        }
    }

    #[inline(always)]
    fn fits(&self, ty: &Type) -> bool {
        matches!((self, ty), (IntKey::Small(_), Type::Int(IntKind::Int)))
    }

    fn to_value(&self) -> Value {
        match self {
            IntKey::Small(key) => Value::Int(*key),
            IntKey::Other(key) => key.clone(),
        }
    }
}

/// Keys of static type `string`.
pub(crate) struct StrKeys<E>(pub E);

/// One of them (`None`: nil).
pub(crate) struct StrKey<H>(Option<H>);

impl<E: RefE> KeyE for StrKeys<E> {
    type Held = StrKey<E::Held>;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<StrKey<E::Held>, Stop> {
        self.0.get(vm, fp).map(StrKey)
    }
}

impl<H: HeldObject> HeldKey for StrKey<H> {
    #[inline(always)]
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        match self.0.as_deref() {
            Some(Heap::Str(key)) => map.get(key),
            _ => None,
        }
    }

    #[inline(always)]
    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        match self.0.as_deref() {
            Some(Heap::Str(key)) => map.get_mut(key),
            _ => None,
        }
    }

    #[inline(always)]
    fn fits(&self, ty: &Type) -> bool {
        matches!(ty, Type::Str) && matches!(self.0.as_deref(), Some(Heap::Str(_)))
    }

    fn to_value(&self) -> Value {
        ref_value(self.0.as_ref().map(HeldObject::own))
    }
}

impl KeyE for ValueFn {
    type Held = Value;
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Value, Stop> {
        self(vm, fp)
    }
}

impl HeldKey for Value {
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        map.get(self)
    }

    fn entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        map.get_mut(self)
    }

    fn fits(&self, _: &Type) -> bool {
        false
    }

    fn to_value(&self) -> Value {
        self.clone()
    }
}

//! Map keys as operands: integers and strings are looked up without being converted to values.

use crate::value::{EntryKey, Heap, IntKind, OrderedMap, Place, Ref, Str, Type, Value};

use super::boxing::{follow_ref, ref_value};
use super::closures::{RefFn, ValueFn};
use super::operand::{AnyInt, IntOperand};
use super::slots::{Fp, Frames, Slot};
use super::vm::{Stop, Vm, Wide};

/// Evaluates a key, then lends it for a look-up.
pub trait KeyOperand: 'static {
    type Evaluated;
    type Key<'v>: EntryKey;
    /// Whether evaluating it takes no call, and [`EntryKey::quick_entry_mut`] is likely to find the entry.
    #[inline(always)]
    fn is_quick(&self) -> bool {
        false
    }
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<Self::Evaluated, Stop>;
    fn key<'v>(&'v self, evaluated: &'v Self::Evaluated, fp: Fp, frames: &'v Frames) -> Self::Key<'v>;
}

/// Keys of static type `int`.
pub struct IntKeys(pub AnyInt);

/// An evaluated key.
pub enum IntKey {
    Small(i64),
    /// A big integer, or nil.
    Other(Value),
}

impl KeyOperand for IntKeys {
    type Evaluated = IntKey;
    type Key<'v> = &'v IntKey;

    #[inline(always)]
    fn is_quick(&self) -> bool {
        matches!(self.0, AnyInt::Simple(_))
    }

    #[inline(always)]
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<IntKey, Stop> {
        match self.0.get(vm, fp) {
            Ok(key) => Ok(IntKey::Small(key)),
            Err(Wide) => Ok(IntKey::Other(vm.take_value()?)),
        }
    }

    #[inline(always)]
    fn key<'v>(&'v self, evaluated: &'v IntKey, _: Fp, _: &'v Frames) -> &'v IntKey {
        evaluated
    }
}

impl EntryKey for &IntKey {
    #[inline(always)]
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        match self {
            IntKey::Small(key) => map.get(key),
            IntKey::Other(key) => map.get(key),
        }
    }

    #[inline(always)]
    fn locate(&self, map: &OrderedMap) -> Option<Place> {
        Some(match self {
            IntKey::Small(key) => map.locate(key),
            IntKey::Other(key) => map.locate(key),
        })
    }

    #[inline(always)]
    fn quick_entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        let IntKey::Small(key) = self else { return None };
        map.first_mut(*key as u64, |other| matches!(other, Value::Int(other) if other == key))
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

/// Keys of static type `string` in a local, or constant.
pub enum StrAtHand {
    Local(Slot),
    Constant(Option<Ref>),
}

/// Computed keys of static type `string`.
pub struct StrKeys(pub RefFn);

/// An evaluated key; `None` for nil.
pub struct StrKey<'v>(Option<&'v Ref>);

impl KeyOperand for StrAtHand {
    type Evaluated = ();
    type Key<'v> = StrKey<'v>;

    /// A literal is likely to be the very object that is the key in the map.
    #[inline(always)]
    fn is_quick(&self) -> bool {
        matches!(self, StrAtHand::Constant(_))
    }

    #[inline(always)]
    fn evaluate(&self, _: &mut Vm, _: Fp) -> Result<(), Stop> {
        Ok(())
    }

    #[inline(always)]
    fn key<'v>(&'v self, _: &'v (), fp: Fp, frames: &'v Frames) -> StrKey<'v> {
        match self {
            StrAtHand::Local(slot) => StrKey(frames.reference(fp, *slot)),
            StrAtHand::Constant(key) => StrKey(key.as_ref()),
        }
    }
}

impl KeyOperand for StrKeys {
    type Evaluated = Option<Ref>;
    type Key<'v> = StrKey<'v>;

    #[inline(always)]
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<Option<Ref>, Stop> {
        Ok(follow_ref(self.0.get(vm, fp)?))
    }

    #[inline(always)]
    fn key<'v>(&'v self, evaluated: &'v Option<Ref>, _: Fp, _: &'v Frames) -> StrKey<'v> {
        StrKey(evaluated.as_ref())
    }
}

impl KeyOperand for ValueFn {
    type Evaluated = Value;
    type Key<'v> = &'v Value;

    #[inline(always)]
    fn evaluate(&self, vm: &mut Vm, fp: Fp) -> Result<Value, Stop> {
        self.run(vm, fp)
    }

    #[inline(always)]
    fn key<'v>(&'v self, evaluated: &'v Value, _: Fp, _: &'v Frames) -> &'v Value {
        evaluated
    }
}

impl<'v> StrKey<'v> {
    /// The string.
    #[inline(always)]
    pub fn text(&self) -> Option<&'v Str> {
        match self.0.map(|r| &**r) {
            Some(Heap::Str(text)) => Some(text),
            _ => None,
        }
    }
}

impl EntryKey for StrKey<'_> {
    #[inline(always)]
    fn entry<'m>(&self, map: &'m OrderedMap) -> Option<&'m Value> {
        map.get(self.text()?)
    }

    #[inline(always)]
    fn locate(&self, map: &OrderedMap) -> Option<Place> {
        Some(map.locate(self.text()?))
    }

    #[inline(always)]
    fn quick_entry_mut<'m>(&self, map: &'m mut OrderedMap) -> Option<&'m mut Value> {
        let key = self.0?;
        let hash = self.text()?.known_hash()?;
        map.first_mut(hash, |other| matches!(other, Value::Ref(other) if Ref::ptr_eq(other, key)))
    }

    #[inline(always)]
    fn fits(&self, ty: &Type) -> bool {
        matches!(ty, Type::Str) && self.text().is_some()
    }

    fn to_value(&self) -> Value {
        ref_value(self.0.cloned())
    }
}

//! Map entries whose key expression has no side effects: integer and string keys are looked up without being
//! converted to values.

use crate::program::{Expr, Target};
use crate::source::Span;
use crate::value::{EntryKey, Heap, Ref, Repr, Type, Value};

use crate::interp::access;
use crate::interp::closures::{BoolFn, StmtFn, ValueFn, closure};
use crate::interp::keys::KeyOperand;
use crate::interp::operand::ObjectOperand;
use crate::interp::parts::owned;
use crate::interp::slots::{Fp, peek};
use crate::interp::vm::{Stop, Vm, Wide};

use super::assign::{set_object, set_scalar};
use super::natives::Unboxing;
use super::registers::{Content, Register};
use super::scalar_targets::Entry;
use super::stores::Store;
use super::{Compiler, index_may_be_first};

impl Compiler<'_> {
    /// `map[key]` as a value.
    pub fn entry(&mut self, e: &Expr, base: &Expr, index: &Expr) -> ValueFn {
        let at = e.at;
        if index_may_be_first(base, index) {
            return map_operand!(self, base, base => key_operand!(self, index, key => closure(move |vm, fp| {
                match look_up(&base, &key, vm, fp, |value| Some(value.clone()))? {
                    Found::Yes(value) => Ok(value),
                    Found::No { map, key, .. } => access::element_value(vm, map.as_deref(), &key, at),
                }
            })));
        }
        self.element(e, base, index)
    }

    /// `map[key]` as a register.
    pub(super) fn scalar_entry<C: Unboxing>(&mut self, e: &Expr, base: &Expr, index: &Expr) -> C
    where
        C::Value: Register,
    {
        let at = e.at;
        map_operand!(self, base, base => key_operand!(self, index, key => C::new(move |vm, fp| {
            match look_up(&base, &key, vm, fp, Content::of_value)? {
                Found::Yes(x) => Ok(x),
                Found::No { map, key, .. } => {
                    let value = access::element_value(vm, map.as_deref(), &key, at)?;
                    C::unbox(vm, &value)
                }
            }
        })))
    }

    /// `base[index]` for all kinds of containers.
    pub fn element(&mut self, e: &Expr, base: &Expr, index: &Expr) -> ValueFn {
        let at = e.at;
        let key_first = index_may_be_first(base, index);
        let (base, key) = (self.reference(base), self.value(index));
        if key_first {
            return closure(move |vm, fp| {
                let key = key.run(vm, fp)?;
                let object = base.evaluate(vm, fp)?;
                access::element_value(vm, object.as_deref(), &key, at)
            });
        }
        closure(move |vm, fp| {
            let object = base.evaluate(vm, fp)?;
            let key = key.run(vm, fp)?;
            access::element_value(vm, object.as_deref(), &key, at)
        })
    }

    /// Whether a map has a key; no operand has side effects. `general` gets key and map where they are of other kinds.
    pub fn map_membership(
        &mut self,
        negated: bool,
        item: &Expr,
        map: &Expr,
        general: impl Fn(&mut Vm, Fp, [Value; 2]) -> Result<bool, Wide> + 'static,
    ) -> BoolFn {
        map_operand!(self, map, map => key_operand!(self, item, item => {
            closure(move |vm, fp| {
                if let Some(found) = is_key(&map, &item, vm, fp)? {
                    return Ok(found != negated);
                }
                let parts = key_and_map(&map, &item, vm, fp)?;
                general(vm, fp, parts)
            })
        }))
    }

    /// `map[key] = value`; map and key have no side effects.
    pub fn assign_entry(
        &mut self,
        target: &Target,
        base: &Expr,
        index: &Expr,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let store = Store::new(target, value, at);
        let is_scalar =
            [&target.ty, &value.ty].iter().all(|ty| !matches!(ty, Type::Enum(_)) && ty.repr() != Repr::Ref);
        if is_scalar && target.ty.repr() == value.ty.repr() {
            return with_register!(target.ty, C => {
                let value = C::compile(self, value);
                map_operand!(self, base, map => key_operand!(self, index, key => {
                    set_scalar::<C>(store, value, Entry { map, key })
                }))
            });
        }
        let value = self.any_ref(value);
        map_operand!(self, base, map => key_operand!(self, index, key => set_object(store, value, Entry { map, key })))
    }
}

/// The result of a fast look-up.
pub(super) enum Found<X> {
    Yes(X),
    /// Undecided: map and key for the slow path.
    No {
        map: Option<Ref>,
        key: Value,
        /// Whether it is certain that the map does not have the key.
        is_missing: bool,
    },
}

/// Whether a map has a key; `None` if the kinds of map and key are not handled here.
#[inline(always)]
fn is_key<A: ObjectOperand, K: KeyOperand>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
) -> Result<Option<bool>, Stop> {
    let key_evaluated = key.evaluate(vm, fp)?;
    let map_evaluated = map.evaluate(vm, fp)?;
    let key = key.key(&key_evaluated, fp, &vm.frames);
    let Some(Heap::Map(map)) = map.object(&map_evaluated, fp, &vm.frames, &vm.mutator) else {
        return Ok(None);
    };
    let map = peek(map, &vm.mutator);
    let found = key.entry(&map.entries).is_some();
    Ok((found || key.fits(&map.key)).then_some(found))
}

/// Key and map as values.
fn key_and_map<A: ObjectOperand, K: KeyOperand>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
) -> Result<[Value; 2], Stop> {
    let key = key_value(key, vm, fp)?;
    Ok([key, owned(map, vm, fp)?.map_or(Value::Nil, Value::Ref)])
}

/// A key, as a value.
pub(super) fn key_value(key: &impl KeyOperand, vm: &mut Vm, fp: Fp) -> Result<Value, Stop> {
    let evaluated = key.evaluate(vm, fp)?;
    Ok(key.key(&evaluated, fp, &vm.frames).to_value())
}

/// Looks up a key: evaluates the key, then the map.
#[inline(always)]
pub(super) fn look_up<A: ObjectOperand, K: KeyOperand, X>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
    taken: impl Fn(&Value) -> Option<X>,
) -> Result<Found<X>, Stop> {
    let key_evaluated = key.evaluate(vm, fp)?;
    let map_evaluated = map.evaluate(vm, fp)?;
    let (key, is_missing) = {
        let found = key.key(&key_evaluated, fp, &vm.frames);
        let mut is_missing = false;
        if let Some(Heap::Map(map)) = map.object(&map_evaluated, fp, &vm.frames, &vm.mutator) {
            let map = peek(map, &vm.mutator);
            match found.entry(&map.entries) {
                Some(value) => {
                    if let Some(x) = taken(value) {
                        return Ok(Found::Yes(x));
                    }
                }
                None => is_missing = found.fits(&map.key),
            }
        }
        (found.to_value(), is_missing)
    };
    Ok(Found::No { map: map.own(map_evaluated, vm, fp)?, key, is_missing })
}

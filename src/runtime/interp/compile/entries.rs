//! Map entries whose key expression has no side effects: integer and string keys are looked up without being
//! converted to values.

use crate::program::{ArithOp, Expr, Target};
use crate::source::Span;
use crate::value::{EntryKey, Heap, ObjectMut, Ref, Type, Value};

use crate::interp::access;
use crate::interp::arith::dispatch_int;
use crate::interp::closures::{BoolFn, StmtFn, ValueFn, closure};
use crate::interp::keys::KeyOperand;
use crate::interp::operand::{IntOperand, ObjectOperand};
use crate::interp::parts::owned;
use crate::interp::slots::{Fp, peek};
use crate::interp::targets::Lvalue;
use crate::interp::vm::{Exit, Stop, Vm, Wide};

use super::assign::op_lvalue;
use super::stmts::statement;
use super::targets::index_lvalue;
use super::{Compiler, index_may_be_first};

impl Compiler<'_> {
    /// `map[key]` as a value.
    pub fn entry(&mut self, e: &Expr, base: &Expr, index: &Expr) -> ValueFn {
        let at = e.at;
        if index_may_be_first(base, index) {
            return map_operand!(self, base, base => key_operand!(self, index, key => closure(move |vm, fp| {
                match look_up(&base, &key, vm, fp)? {
                    Found::Yes(value) => Ok(value),
                    Found::No { map, key } => access::element_value(vm, map.as_deref(), &key, at),
                }
            })));
        }
        self.element(e, base, index)
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

    /// `key in map`; no operand has side effects.
    pub fn map_membership(&mut self, negated: bool, item: &Expr, map: &Expr, at: Span) -> BoolFn {
        map_operand!(self, map, map => key_operand!(self, item, item => {
            closure(move |vm, fp| {
                let (map, item) = match is_key(&map, &item, vm, fp)? {
                    Found::Yes(found) => return Ok(found != negated),
                    Found::No { map, key } => (map.map_or(Value::Nil, Value::Ref), key),
                };
                Ok(crate::interp::dynamic::contains(vm, &item, &map, at)? != negated)
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
        let ty = target.ty.clone();
        if ty == Type::INT && value.ty == Type::INT {
            let value = self.int(value);
            return map_operand!(self, base, base => key_operand!(self, index, key => {
                statement(move |vm, fp| {
                    let v = match value.get(vm, fp) {
                        Ok(v) => v,
                        Err(Wide) => {
                            let v = vm.take_value()?;
                            return write_entry_slow(vm, fp, (&base, &key), &ty, v, at);
                        }
                    };
                    let stored = change_entry(&base, &key, vm, fp, |map, key| map.set_int_entry(key, v))?;
                    if stored.is_some() {
                        return Ok(());
                    }
                    write_entry_slow(vm, fp, (&base, &key), &ty, Value::Int(v), at)
                })
            }));
        }
        let value = self.value(value);
        map_operand!(self, base, base => key_operand!(self, index, key => statement(move |vm, fp| {
            let v = value.run(vm, fp)?;
            // The old value is dropped only here, where the map is not borrowed any more.
            if let Some(old) = change_entry(&base, &key, vm, fp, |map, key| map.set_entry(key, &v))? {
                drop(old);
                return Ok(());
            }
            write_entry_slow(vm, fp, (&base, &key), &ty, v, at)
        })))
    }

    /// `map[key] op= y` on integers; map and key have no side effects.
    pub fn op_assign_entry(
        &mut self,
        (base, index): (&Expr, &Expr),
        op: ArithOp,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        int_operand!(self, value, value => map_operand!(self, base, base => key_operand!(self, index, key => {
            statement(move |vm, fp| {
                let y = match value.get(vm, fp) {
                    Ok(y) => y,
                    Err(Wide) => {
                        let y = vm.take_value()?;
                        return op_entry_slow(vm, fp, (&base, &key), op, &y, at);
                    }
                };
                let changed = change_entry(&base, &key, vm, fp, |map, key| {
                    map.update_int_entry(key, |x| dispatch_int(op, x, y))
                })?;
                if changed.is_some() {
                    return Ok(());
                }
                op_entry_slow(vm, fp, (&base, &key), op, &Value::Int(y), at)
            })
        })))
    }
}

/// The result of a fast look-up.
enum Found<X> {
    Yes(X),
    /// Undecided: map and key for the slow path.
    No {
        map: Option<Ref>,
        key: Value,
    },
}

/// Whether a map has a key; `No` if the kinds of map and key are not handled here.
#[inline(always)]
fn is_key<A: ObjectOperand, K: KeyOperand>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
) -> Result<Found<bool>, Stop> {
    let key_evaluated = key.evaluate(vm, fp)?;
    let map_evaluated = map.evaluate(vm, fp)?;
    let key = {
        let key = key.key(&key_evaluated, fp, &vm.frames);
        if let Some(Heap::Map(map)) = map.object(&map_evaluated, fp, &vm.frames, &vm.mutator) {
            let map = peek(map, &vm.mutator);
            let found = key.entry(&map.entries).is_some();
            if found || key.fits(&map.key) {
                return Ok(Found::Yes(found));
            }
        }
        key.to_value()
    };
    Ok(Found::No { map: map.own(map_evaluated, vm, fp)?, key })
}

/// Looks up a key: evaluates the key, then the map.
#[inline(always)]
fn look_up<A: ObjectOperand, K: KeyOperand>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
) -> Result<Found<Value>, Stop> {
    let key_evaluated = key.evaluate(vm, fp)?;
    let map_evaluated = map.evaluate(vm, fp)?;
    let key = {
        let found = key.key(&key_evaluated, fp, &vm.frames);
        if let Some(Heap::Map(map)) = map.object(&map_evaluated, fp, &vm.frames, &vm.mutator)
            && let Some(value) = found.entry(&peek(map, &vm.mutator).entries)
        {
            return Ok(Found::Yes(value.clone()));
        }
        found.to_value()
    };
    Ok(Found::No { map: map.own(map_evaluated, vm, fp)?, key })
}

/// Changes an entry: evaluates the key, then the map. `None` if nothing was changed.
#[inline(always)]
fn change_entry<A: ObjectOperand, K: KeyOperand, X>(
    map: &A,
    key: &K,
    vm: &mut Vm,
    fp: Fp,
    change: impl FnOnce(&mut ObjectMut, &K::Key<'_>) -> Option<X>,
) -> Result<Option<X>, Stop> {
    let key_evaluated = key.evaluate(vm, fp)?;
    let map_evaluated = map.evaluate(vm, fp)?;
    let key = key.key(&key_evaluated, fp, &vm.frames);
    let map = map.object_mut(&map_evaluated, fp, &vm.frames, &mut vm.mutator);
    Ok(map.and_then(|mut map| change(&mut map, &key)))
}

/// An entry as an lvalue, for the slow path: evaluates map and key again, in the order of the language.
fn entry_lvalue<A: ObjectOperand, K: KeyOperand>(
    vm: &mut Vm,
    fp: Fp,
    (map, key): (&A, &K),
    at: Span,
) -> Result<Lvalue, Stop> {
    let map = owned(map, vm, fp)?;
    let evaluated = key.evaluate(vm, fp)?;
    let key = key.key(&evaluated, fp, &vm.frames).to_value();
    index_lvalue(vm, map, key, at)
}

/// `map[key] = value` in all other cases.
#[cold]
#[inline(never)]
fn write_entry_slow<A: ObjectOperand, K: KeyOperand>(
    vm: &mut Vm,
    fp: Fp,
    entry: (&A, &K),
    ty: &Type,
    value: Value,
    at: Span,
) -> Result<(), Exit> {
    Ok(entry_lvalue(vm, fp, entry, at)?.write(vm, ty, value, at)?)
}

/// `map[key] op= y` on integers in all other cases.
#[cold]
#[inline(never)]
fn op_entry_slow<A: ObjectOperand, K: KeyOperand>(
    vm: &mut Vm,
    fp: Fp,
    entry: (&A, &K),
    op: ArithOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    let lvalue = entry_lvalue(vm, fp, entry, at)?;
    op_lvalue(vm, &lvalue, (&Type::INT, &Type::INT), op, y, at)
}

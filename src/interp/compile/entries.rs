//! Entries of maps whose key has no effects: looked up as an integer or a string where it is one.

use crate::program::{Expr, Place, StmtId};
use crate::source::Span;
use crate::syntax::ast::BinaryOp;
use crate::value::{Heap, Type, Value};

use crate::interp::keys::{HeldKey, KeyE};
use crate::interp::operand::{BoolFn, HeldObject, IntE, IntFn, RefE, StmtFn, ValueFn};
use crate::interp::slots::{Fp, peek};
use crate::interp::vm::{Exit, Vm, Wide};
use crate::interp::{access, fast};

use super::assign::{op_spot, write_slow};
use super::ints::unbox;
use super::places::SpotFn;
use super::{Compiler, is_pure};

impl Compiler<'_> {
    /// `map[key]` as a value.
    pub(crate) fn entry(&mut self, e: &Expr, base: &Expr, index: &Expr) -> ValueFn {
        let at = e.at;
        if is_pure(index) {
            return map_operand!(self, base, base => key_operand!(self, index, key => Box::new(move |vm, fp| {
                let key = key.get(vm, fp)?;
                let held = base.get(vm, fp)?;
                if let Some(Heap::Map(m)) = held.as_deref()
                    && let Some(value) = peek(m).and_then(|m| key.entry(&m.entries))
                {
                    return Ok(value.clone());
                }
                access::element_value(vm, held.as_deref(), &key.to_value(), at)
            })));
        }
        self.element(e, base, index)
    }

    /// `base[index]` the general way.
    pub(crate) fn element(&mut self, e: &Expr, base: &Expr, index: &Expr) -> ValueFn {
        let at = e.at;
        let pure = is_pure(index);
        let (base, key) = (self.reference(base), self.value(index));
        if pure {
            return Box::new(move |vm, fp| {
                let key = key(vm, fp)?;
                let held = RefE::get(&base, vm, fp)?;
                access::element_value(vm, held.as_deref(), &key, at)
            });
        }
        Box::new(move |vm, fp| {
            let held = RefE::get(&base, vm, fp)?;
            let key = key(vm, fp)?;
            access::element_value(vm, held.as_deref(), &key, at)
        })
    }

    /// `map[key]` as an integer register; all of it has no effects.
    pub(crate) fn int_entry(&mut self, e: &Expr, base: &Expr, index: &Expr) -> IntFn {
        let slow = self.element(e, base, index);
        map_operand!(self, base, base => key_operand!(self, index, key => Box::new(move |vm, fp| {
            let key = key.get(vm, fp)?;
            if let Some(Heap::Map(m)) = base.get(vm, fp)?.as_deref()
                && let Some(Value::Int(value)) = peek(m).and_then(|m| key.entry(&m.entries))
            {
                return Ok(*value);
            }
            unbox(vm, fp, &slow)
        })))
    }

    /// `key in map`; neither has effects.
    pub(crate) fn map_membership(&mut self, negated: bool, item: &Expr, map: &Expr, at: Span) -> BoolFn {
        map_operand!(self, map, map => key_operand!(self, item, item => {
            Box::new(move |vm: &mut Vm, fp| {
                let item = item.get(vm, fp)?;
                let held = map.get(vm, fp)?;
                if let Some(Heap::Map(m)) = held.as_deref()
                    && let Some(m) = peek(m)
                {
                    let found = item.entry(&m.entries).is_some();
                    if found || item.fits(&m.key) {
                        return Ok(found != negated);
                    }
                }
                // Not there as it is: other kinds of keys, references, nil.
                let map = held.map_or(Value::Nil, |h| Value::Ref(h.own()));
                Ok(crate::interp::dynamic::contains(vm, &item.to_value(), &map, at)? != negated)
            })
        }))
    }

    /// `map[key] = value`; map and key have no effects.
    pub(crate) fn assign_entry(
        &mut self,
        id: StmtId,
        place: &Place,
        base: &Expr,
        index: &Expr,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let ty = place.ty.clone();
        let slow = self.spot(place, at);
        if ty == Type::INT && value.ty == Type::INT {
            let value = self.int(value);
            return map_operand!(self, base, base => key_operand!(self, index, key => {
                statement!(self, id, move |vm, fp| {
                    let v = match value(vm, fp) {
                        Ok(v) => v,
                        Err(Wide) => {
                            let v = vm.take_value()?;
                            return write_slow(vm, fp, &slow, &ty, v, at);
                        }
                    };
                    let k = key.get(vm, fp)?;
                    if let Some(held) = base.get(vm, fp)? && fast::set_int_entry(&held, &k, v) {
                        return Ok(());
                    }
                    write_slow(vm, fp, &slow, &ty, Value::Int(v), at)
                })
            }));
        }
        let value = self.value(value);
        map_operand!(self, base, base => key_operand!(self, index, key => statement!(self, id, move |vm, fp| {
            let v = value(vm, fp)?;
            let k = key.get(vm, fp)?;
            if let Some(held) = base.get(vm, fp)? && fast::set_entry(&held, &k, &v) {
                return Ok(());
            }
            write_slow(vm, fp, &slow, &ty, v, at)
        })))
    }

    /// `map[key] op= y` on integers; map and key have no effects.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn op_assign_entry(
        &mut self,
        id: StmtId,
        place: &Place,
        base: &Expr,
        index: &Expr,
        op: BinaryOp,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let slow = self.spot(place, at);
        let ty = place.ty.clone();
        int_operand!(self, value, value => map_operand!(self, base, base => key_operand!(self, index, key => {
            statement!(self, id, move |vm, fp| {
                let y = match value.get(vm, fp) {
                    Ok(y) => y,
                    Err(Wide) => {
                        let y = vm.take_value()?;
                        return op_entry_slow(vm, fp, &slow, &ty, op, &y, at);
                    }
                };
                let k = key.get(vm, fp)?;
                if let Some(held) = base.get(vm, fp)? && fast::op_entry(&held, &k, op, y) {
                    return Ok(());
                }
                op_entry_slow(vm, fp, &slow, &ty, op, &Value::Int(y), at)
            })
        })))
    }
}

/// `map[key] op= y` the general way.
#[cold]
#[inline(never)]
fn op_entry_slow(
    vm: &mut Vm,
    fp: Fp,
    spot: &SpotFn,
    ty: &Type,
    op: BinaryOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    let spot = spot(vm, fp)?;
    op_spot(vm, &spot, (ty, &Type::INT), op, y, at)
}

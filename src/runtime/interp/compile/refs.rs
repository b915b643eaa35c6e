//! Expressions whose value is a reference register: strings, containers, `any`.

use std::rc::Rc;

use crate::program::{ArithOp, Expr, ExprKind};
use crate::sync::deeper_or;
use crate::value::{Elems, Heap, Ref, Repr, Type, Value, append_str, new_object};

use crate::interp::access;
use crate::interp::boxing::value_ref;
use crate::interp::closures::{Closure, RefFn, closure};
use crate::interp::operand::element_object;
use crate::interp::parts::{element, part};
use crate::interp::slots::Slot;
use crate::interp::store;

use super::progress::{no_room, not_compiled};
use super::scalar_targets::variable_or;
use super::values::{field_name, member};
use super::{Compiler, index_may_be_first};

impl Compiler<'_> {
    /// An expression with a reference register.
    pub fn reference(&mut self, e: &Expr) -> RefFn {
        if !self.goes_on(e) {
            return RefFn::new(|vm, _| Err(not_compiled(vm)));
        }
        let watch = self.watch_of(e, Some(Repr::Ref));
        let at = e.at;
        let closure =
            deeper_or(|| self.reference_closure(e), || RefFn::new(move |vm, _| Err(no_room(vm, at))));
        match watch {
            Some(watch) => watch.reference(closure),
            None => closure,
        }
    }

    fn reference_closure(&mut self, e: &Expr) -> RefFn {
        let at = e.at;
        if let ExprKind::EnumMember(def, index) = &e.kind
            && let Some(known) = member(def, *index)
        {
            let known = value_ref(known);
            return RefFn::new(move |_, _| Ok(known.clone()));
        }
        if e.ty.repr() != Repr::Ref {
            return self.reference_from_value(e);
        }
        match &e.kind {
            ExprKind::Const(value) => {
                let r = value_ref(value.clone());
                RefFn::new(move |_, _| Ok(r.clone()))
            }
            ExprKind::Local(id) if !self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                RefFn::new(move |vm, fp| Ok(vm.frames.get_ref(fp, slot)))
            }
            ExprKind::Global(id) if self.plain_global(*id) => {
                let slot = Slot::new(id.0);
                RefFn::new(move |vm, _| Ok(vm.frames.get_ref(vm.globals, slot)))
            }
            ExprKind::Arith(ArithOp::Add, a, b) if matches!((&a.ty, &b.ty), (Type::Str, Type::Str)) => {
                self.concat(a, b, e)
            }
            ExprKind::Index(base, index)
                if matches!(base.ty, Type::Array(..))
                    && index_may_be_first(base, index)
                    && index.ty.repr() == Repr::Int =>
            {
                let base_container = base;
                element_operands!(self, (base_container, index), (base, index) => element(
                    base,
                    index,
                    at,
                    |object, i, mutator| element_object(object, i, mutator).map(|found| Some(found.clone())),
                    |vm, object, i, at| {
                        Ok(value_ref(access::element_value(vm, object, &Value::Int(i), at)?))
                    },
                ))
            }
            ExprKind::Field(base, field) => {
                let (field, name) = (*field, field_name(&base.ty, *field));
                object_operand!(self, base, base => part(
                    base,
                    move |object, vm| access::quick_ref_field(object, field, &vm.mutator).map(Some),
                    move |vm, object| Ok(value_ref(access::field_value(vm, object, (field, &name), at)?)),
                ))
            }
            ExprKind::Call { func, args } => self.call(*func, args, at, |vm| vm.ret_ref.take()),
            ExprKind::Copy { value, freeze: false, .. } if value.ty == e.ty && self.is_new(value) => {
                self.reference(value)
            }
            ExprKind::Copy { value, freeze, site } => {
                let (ty, freeze, site) = (e.ty.clone(), *freeze, site.clone());
                if let ExprKind::Local(id) = value.kind
                    && self.moves.dies(self.stmt, id)
                {
                    return self.moved(Slot::new(id.0), ty, freeze, site);
                }
                let copied = self.reference(value);
                RefFn::new(move |vm, fp| {
                    let r = copied.get(vm, fp)?;
                    store::copy(vm, r, &ty, freeze, &site)
                })
            }
            ExprKind::Interp(parts) => self.interpolate(parts, e.at),
            _ => self.reference_from_value(e),
        }
    }

    /// Whether an expression makes an object of scalars, to which nothing else refers.
    fn is_new(&self, e: &Expr) -> bool {
        if let ExprKind::Array(items) = &e.kind {
            return items.iter().all(|item| self.is_scalar(item));
        }
        if let ExprKind::Map(pairs) = &e.kind {
            return pairs.iter().all(|(_, value)| self.is_scalar(value));
        }
        matches!(&e.kind, ExprKind::Struct(_, fields) if fields.iter().all(|(_, value)| self.is_scalar(value)))
    }

    /// Whether the value of an expression is a scalar for certain, and no reference to one; or a constant text.
    fn is_scalar(&self, e: &Expr) -> bool {
        if let ExprKind::Const(value) = &e.kind {
            return e.ty.repr() != Repr::Ref || value.as_str().is_some();
        }
        let is_computed = matches!(
            e.kind,
            ExprKind::Arith(..) | ExprKind::Neg(_) | ExprKind::Not(_) | ExprKind::Compare(..)
        );
        let is_stored = matches!(&e.kind, ExprKind::Store(value, _) if self.is_scalar(value));
        let is_local = matches!(e.kind, ExprKind::Local(id) if !self.is_boxed(id));
        e.ty.repr() != Repr::Ref && (is_computed || is_stored || is_local)
    }

    /// A copy of a local that is never read again: the object itself, if nothing else refers to it. Attached
    /// code leaves the object in the variable, too, where a debugger can show it, and records that it is
    /// shared; before the debugger evaluates anything, the variable gets its own copy ([`store::unshare`]).
    fn moved(&mut self, slot: Slot, ty: Type, freeze: bool, site: Rc<crate::program::StoreSite>) -> RefFn {
        let keep = self.flags.is_some();
        let is_flat = ty.is_flat();
        RefFn::new(move |vm, fp| {
            let r = vm.frames.replace_ref(fp, slot, None);
            if !freeze && r.as_ref().is_some_and(|r| store::is_own(r, &ty, is_flat)) {
                if keep {
                    drop(vm.frames.replace_ref(fp, slot, r.clone()));
                    vm.frames.set_handed_on(fp, slot, true);
                }
                return Ok(r);
            }
            if keep {
                drop(vm.frames.replace_ref(fp, slot, r.clone()));
            }
            store::copy(vm, r, &ty, freeze, &site)
        })
    }

    fn reference_from_value(&mut self, e: &Expr) -> RefFn {
        let f = self.value(e);
        variable_or(self.boxed(e), move |vm, fp| Ok(value_ref(f.run(vm, fp)?)))
    }

    fn concat(&mut self, a: &Expr, b: &Expr, e: &Expr) -> RefFn {
        let at = e.at;
        let (a, b) = (self.reference(a), self.reference(b));
        RefFn::new(move |vm, fp| {
            let x = a.get(vm, fp)?;
            let y = b.get(vm, fp)?;
            if let (Some(Heap::Str(_)), Some(Heap::Str(more))) = (x.as_deref(), y.as_deref())
                && let Some(x) = x
            {
                let text = append_str(x, more.as_str());
                if vm.memory.is_low() {
                    vm.check_memory(at)?;
                }
                return Ok(Some(text));
            }
            let value = |r: Option<Ref>| r.map_or(Value::Nil, Value::Ref);
            Ok(value_ref(crate::interp::arith::arith_values(vm, ArithOp::Add, &value(x), &value(y), at)?))
        })
    }

    /// Elements of an array literal: unboxed scalars, or values.
    pub fn array_literal(&mut self, e: &Expr, items: &[Expr]) -> RefFn {
        let elem = e.ty.elem().cloned().unwrap_or(Type::Any);
        let values: Box<[_]> =
            items.iter().enumerate().map(|(i, item)| self.literal_item(&elem, i, item)).collect();
        let elem_type = Rc::new(elem.clone());
        RefFn::new(move |vm, fp| {
            let mut data = Elems::for_type(&elem);
            for value in &values {
                data.push(value.run(vm, fp)?);
            }
            let array = crate::value::Array { elem: elem_type.clone(), data };
            Ok(Some(new_object(Heap::Array(array.into()))))
        })
    }

    /// An element of an array literal. The error for a byte that does not fit names its index.
    fn literal_item(&mut self, elem: &Type, i: usize, item: &Expr) -> crate::interp::closures::ValueFn {
        let (Type::Byte, ExprKind::Store(inner, site)) = (elem, &item.kind) else { return self.value(item) };
        let (inner, site) = (self.value(inner), site.clone());
        closure(move |vm, fp| {
            let value = inner.run(vm, fp)?;
            match crate::value::convert(&Type::Byte, value.clone()) {
                Ok(byte) => Ok(byte),
                Err(crate::value::StoreFailure::Byte) => {
                    let shown = crate::value::inspect(&value);
                    let message = format!(
                        "byte array element [{i}] value {shown} out of range: must be between 0 and 255"
                    );
                    vm.fail(crate::diagnostics::Code::E3022, message, site.at)
                }
                Err(_) => store::store(vm, &Type::Byte, value, &site),
            }
        })
    }
}

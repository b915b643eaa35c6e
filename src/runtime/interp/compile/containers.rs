//! Library functions that read or change an element or entry, as `a[i]` and `m[k]` do; where one of those would not do
//! the same, they are called.

use crate::program::visit::{Visitor, walk_expr};
use crate::program::{Expr, ExprKind, Native};
use crate::value::{Heap, Type, Value};

use crate::interp::access;
use crate::interp::closures::{StmtFn, Word};
use crate::interp::keys::KeyOperand;
use crate::interp::operand::{IntOperand, LocalRef, ObjectOperand};
use crate::interp::parts::{look_at, look_at_element, owned};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Pending, Stop, Vm};

use super::append::append;
use super::entries::{Found, key_value, look_up};
use super::natives::{NativeCall, RegisterOperand, Unboxing};
use super::registers::{Content, Register};
use super::scalar_targets::{Element, Entry, ScalarTarget};
use super::stmts::statement;
use super::{Compiler, is_pure};

/// What a function does with a container.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    /// `arrays.get(a, i)`
    Get,
    /// `arrays.first(a)`
    First,
    /// `arrays.last(a)`
    Last,
    /// `arrays.set(a, i, x)`
    Set,
    /// `maps.get(m, k, x)`
    GetEntry,
    /// `maps.set(m, k, x)`
    SetEntry,
    /// `maps.remove(m, k)`
    RemoveEntry,
}

/// What a call does with a container whose types it has; but for a removal, with one of scalars.
fn access(native: &Native) -> Option<Access> {
    let (container, others) = native.args.split_first()?;
    let (part, found) = match (&container.ty, native.module, native.row.name, others) {
        (Type::Array(elem, _), "arrays", "get", [index]) if is_int(index) => (elem, Access::Get),
        (Type::Array(elem, _), "arrays", "first", []) => (elem, Access::First),
        (Type::Array(elem, _), "arrays", "last", []) => (elem, Access::Last),
        (Type::Array(elem, _), "arrays", "set", [index, x]) if is_int(index) && x.ty == **elem => {
            (elem, Access::Set)
        }
        (Type::Map(key, value), "maps", "get", [k, x]) if k.ty == **key && x.ty == **value => {
            (value, Access::GetEntry)
        }
        (Type::Map(key, _), "maps", "remove", [k]) if k.ty == **key => return Some(Access::RemoveEntry),
        (Type::Map(key, value), "maps", "set", [k, x]) if k.ty == **key && x.ty == **value => {
            (value, Access::SetEntry)
        }
        _ => return None,
    };
    matches!(**part, Type::Int(_) | Type::Float(_) | Type::Bool | Type::Byte | Type::Char).then_some(found)
}

fn is_int(e: &Expr) -> bool {
    matches!(e.ty, Type::Int(_))
}

/// Whether a function changes or reads a part, and does nothing else.
pub(super) fn is_access(native: &Native) -> bool {
    access(native).is_some() || (native.module, native.row.name) == ("arrays", "append")
}

impl Compiler<'_> {
    /// A call that reads a scalar, in a register; `None` if it has no such form.
    pub(super) fn read_part<C: Unboxing>(&mut self, native: &Native, e: &Expr) -> Option<C>
    where
        C::Value: Register,
    {
        let is_plain = !self.is_observing() && native.args.iter().all(is_pure);
        let call = self.native_call(native, e);
        match (access(native).filter(|_| is_plain)?, &native.args[..]) {
            (Access::Get, [array, index]) => Some(object_operand!(self, array, base => {
                int_operand!(self, index, index => get(call, base, index))
            })),
            (which @ (Access::First | Access::Last), [array]) => {
                Some(object_operand!(self, array, base => first_or_last(call, base, which == Access::Last)))
            }
            (Access::GetEntry, [map, key, default])
                if self.is_at_hand(default) && [map, key].iter().any(|e| self.is_at_hand(e)) =>
            {
                let default = (C::compile(self, default), default.ty.clone());
                Some(map_operand!(self, map, map => key_operand!(self, key, key => {
                    get_entry::<C>(call, (map, key), default)
                })))
            }
            _ => None,
        }
    }

    /// Whether evaluating an expression can neither fail nor do anything.
    fn is_at_hand(&self, e: &Expr) -> bool {
        if let ExprKind::Local(id) = e.kind {
            return !self.is_boxed(id);
        }
        matches!(e.kind, ExprKind::Const(_))
    }

    /// A statement that calls a function that changes a part; `None` if it has no such form.
    pub(super) fn change_part(&mut self, native: &Native, e: &Expr) -> Option<StmtFn> {
        if self.is_observing() {
            return None;
        }
        if let Some(f) = append(self, native, e) {
            return Some(f);
        }
        let call = self.native_call(native, e);
        match (access(native)?, &native.args[..]) {
            (Access::Set, [array, index, x]) if keeps_locals(x) => {
                let (base, index_type) = (self.local_object(array)?, index.ty.clone());
                let scalar = Element { base, index: self.simple_int(index)?, index_type };
                Some(with_register!(x.ty, C => {
                    let x = (C::compile(self, x), x.ty.clone());
                    set::<C, _>(call, scalar, x, |scalar, x, vm, fp| {
                        let array = object_value(&scalar.base, vm, fp)?;
                        let index = scalar.index.get(vm, fp);
                        Ok([array, vm.int_value(&Type::INT, index)?, x])
                    })
                }))
            }
            (Access::SetEntry, [map, key, x]) if self.is_at_hand(key) && keeps_locals(x) => {
                let map = self.local_object(map)?;
                Some(with_register!(x.ty, C => {
                    let x = (C::compile(self, x), x.ty.clone());
                    key_operand!(self, key, key => set::<C, _>(call, Entry { map, key }, x, |entry, x, vm, fp| {
                        let key = key_value(&entry.key, vm, fp)?;
                        Ok([object_value(&entry.map, vm, fp)?, key, x])
                    }))
                }))
            }
            (Access::RemoveEntry, [map, key]) if self.is_at_hand(key) => {
                let map = self.local_object(map)?;
                Some(key_operand!(self, key, key => remove_entry(call, Entry { map, key })))
            }
            _ => None,
        }
    }
}

/// Whether evaluating an expression changes no local that is in a slot: others change through references only, and are
/// boxed.
fn keeps_locals(e: &Expr) -> bool {
    struct Keeps(bool);
    impl Visitor for Keeps {
        fn expr(&mut self, e: &Expr) {
            self.0 &= !matches!(e.kind, ExprKind::Postfix(..));
        }
    }
    let mut keeps = Keeps(true);
    walk_expr(e, &mut keeps);
    keeps.0
}

fn get<C: Unboxing>(call: NativeCall, base: impl ObjectOperand, index: impl IntOperand) -> C
where
    C::Value: Register,
{
    C::new(move |vm, fp| {
        if let Some(x) = look_at_element((&base, &index), vm, fp, Content::of_element)?
            && call.may_run(vm)
        {
            return Ok(x);
        }
        rare(vm, |vm| {
            let array = object_value(&base, vm, fp)?;
            let register = index.get(vm, fp);
            let index = vm.int_value(&Type::INT, register)?;
            C::called(vm, fp, &call, &[array, index])
        })
        .take(vm)
    })
}

fn first_or_last<C: Unboxing>(call: NativeCall, base: impl ObjectOperand, is_last: bool) -> C
where
    C::Value: Register,
{
    C::new(move |vm, fp| {
        let found = look_at(&base, vm, fp, |array, mutator| {
            let i = if is_last { access::quick_length(array, mutator)? - 1 } else { 0 };
            Content::of_element(array, i, mutator)
        })?;
        if let Some(x) = found
            && call.may_run(vm)
        {
            return Ok(x);
        }
        rare(vm, |vm| {
            let array = object_value(&base, vm, fp)?;
            C::called(vm, fp, &call, &[array])
        })
        .take(vm)
    })
}

fn get_entry<C: Unboxing>(
    call: NativeCall,
    (map, key): (impl ObjectOperand, impl KeyOperand),
    default: (C::Operand, Type),
) -> C
where
    C::Value: Register,
{
    C::new(move |vm, fp| {
        let (default, ty) = &default;
        match look_up(&map, &key, vm, fp, Content::of_value)? {
            Found::Yes(x) if call.may_run(vm) => Ok(x),
            Found::No { map, is_missing: true, .. }
                if has_values_of(map.as_deref(), ty) && call.may_run(vm) =>
            {
                default.register(vm, fp)
            }
            _ => rare(vm, |vm| {
                let key = key_value(&key, vm, fp)?;
                let map = object_value(&map, vm, fp)?;
                let default = default.register(vm, fp);
                let default = C::value(vm, ty, default)?;
                C::called(vm, fp, &call, &[map, key, default])
            })
            .take(vm),
        }
    })
}

fn has_values_of(map: Option<&Heap>, ty: &Type) -> bool {
    matches!(map, Some(Heap::Map(map)) if *map.borrow().value == *ty)
}

/// Sets a part to a scalar, or calls the function with `args`, the last of which is that as a value.
fn set<C: Unboxing, T: ScalarTarget>(
    call: NativeCall,
    part: T,
    (x, ty): (C::Operand, Type),
    args: impl Fn(&T, Value, &mut Vm, Fp) -> Result<[Value; 3], Stop> + 'static,
) -> StmtFn
where
    C::Value: Register,
{
    statement(move |vm, fp| {
        let register = x.register(vm, fp);
        if let Ok(x) = register
            && !x.is_nil()
            && call.may_run(vm)
            && let Some(()) = part.set::<false, _>(vm, fp, x)?
        {
            return Ok(());
        }
        let register = Word::new(vm, register);
        change_by_call(&call, vm, fp, |vm| {
            let register = register.take(vm);
            let x = C::value(vm, &ty, register)?;
            args(&part, x, vm, fp)
        })
    })
}

fn remove_entry(call: NativeCall, entry: Entry<LocalRef, impl KeyOperand>) -> StmtFn {
    statement(move |vm, fp| {
        if call.may_run(vm)
            && let Some(old) = entry.change::<false, _>(vm, fp, |map, key| map.remove_entry(key))?
        {
            drop(old);
            return Ok(());
        }
        change_by_call(&call, vm, fp, |vm| {
            let key = key_value(&entry.key, vm, fp)?;
            Ok([object_value(&entry.map, vm, fp)?, key])
        })
    })
}

/// Calls the function, where nothing else does what it does.
#[cold]
#[inline(never)]
fn change_by_call<const N: usize>(
    call: &NativeCall,
    vm: &mut Vm,
    fp: Fp,
    args: impl FnOnce(&mut Vm) -> Result<[Value; N], Stop>,
) -> Result<(), Exit> {
    let args = args(vm)?;
    Ok(call.run(vm, fp, &args).map(drop)?)
}

/// The object of an operand, as a value.
fn object_value(operand: &impl ObjectOperand, vm: &mut Vm, fp: Fp) -> Result<Value, Stop> {
    Ok(owned(operand, vm, fp)?.map_or(Value::Nil, Value::Ref))
}

/// What is done where the operands, which have no side effects, are evaluated once more.
#[cold]
#[inline(never)]
fn rare<X: Default, E>(vm: &mut Vm, general: impl FnOnce(&mut Vm) -> Result<X, E>) -> Word<X> {
    // What an operand has left there, if it is large or nil.
    vm.pending = Pending::None;
    Word::of(vm, general)
}

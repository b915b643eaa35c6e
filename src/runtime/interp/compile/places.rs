//! Places (expressions that can be assigned to): locating them, referring to them, and storing into them.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::program::{Place, PlaceKind};
use crate::source::Span;
use crate::value::{Heap, Ref, Reference, Repr, Type, Value};

use crate::interp::access;
use crate::interp::arith::{Bound, widened};
use crate::interp::boxing::follow_ref;
use crate::interp::closures::{Closure, IntFn, ResultFn, StmtFn, closure};
use crate::interp::places::{Spot, new_variable, not_indexable};
use crate::interp::slots::{Fp, Frames, Slot};
use crate::interp::vm::{Exit, SEE_WIDE, Stop, Vm, Wide};

use super::Compiler;
use super::stmts::statement;

pub type SpotFn = ResultFn<Spot, Stop>;
pub type PlaceFn = ResultFn<Ref, Stop>;

impl Compiler<'_> {
    /// Locates the place; the container is evaluated before the index. Errors of stores are reported at `at`.
    pub fn spot(&mut self, place: &Place, at: Span) -> SpotFn {
        match &place.kind {
            PlaceKind::Local(id) if self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                let ty = place.ty.clone();
                closure(move |vm, fp| Ok(boxed_spot(vm, fp, slot, &ty)))
            }
            PlaceKind::Local(id) => {
                let slot = Slot::new(id.0);
                closure(move |_, fp| Ok(Spot::Slot(fp, slot)))
            }
            PlaceKind::Global(id) => {
                let slot = Slot::new(id.0);
                let boxed = self.global_boxed(*id);
                let constant =
                    self.program.globals.get(id.0 as usize).filter(|g| g.constant).map(|g| g.name.clone());
                if let Some(name) = constant {
                    return closure(move |vm, _| {
                        let message =
                            format!("cannot assign to immutable variable '{name}' (declared as const)");
                        vm.fail(Code::E5013, message, at)
                    });
                }
                let ty = place.ty.clone();
                closure(move |vm, _| {
                    let globals = vm.globals;
                    Ok(if boxed { boxed_spot(vm, globals, slot, &ty) } else { Spot::Slot(globals, slot) })
                })
            }
            PlaceKind::Index { base, index, constant } => {
                let constant = constant.clone();
                let (base, index) = (self.reference(base), self.value(index));
                closure(move |vm, fp| {
                    if let Some(name) = &constant {
                        let message =
                            format!("cannot modify immutable variable '{name}' (declared as const)");
                        return vm.fail(Code::E5006, message, at);
                    }
                    let base = follow_ref(base.get(vm, fp)?);
                    let index = index.run(vm, fp)?;
                    index_spot(vm, base, index, at)
                })
            }
            PlaceKind::Char { base, index } => {
                let (base, index) = (self.spot(base, at), self.value(index));
                closure(move |vm, fp| {
                    let base = base.run(vm, fp)?;
                    let index = index.run(vm, fp)?;
                    Ok(Spot::Char(Box::new(base), index))
                })
            }
            PlaceKind::Field { base, field } => {
                let name = super::values::field_name(&base.ty, *field);
                let (base, field) = (self.reference(base), *field);
                closure(move |vm, fp| match follow_ref(base.get(vm, fp)?) {
                    Some(object) => Ok(Spot::Field(object, field)),
                    None => nil_member(vm, &name, at),
                })
            }
            PlaceKind::FieldNamed { base, name } => {
                let (base, name) = (self.reference(base), name.clone());
                closure(move |vm, fp| {
                    let Some(object) = follow_ref(base.get(vm, fp)?) else {
                        return nil_member(vm, &name, at);
                    };
                    let field = match &*object {
                        Heap::Struct(s) => s.def.field_index(&name),
                        _ => return vm.fail(Code::E4011, "member access not supported on this value", at),
                    };
                    match field {
                        Some(field) => Ok(Spot::Field(object, field as u32)),
                        None => vm.fail(Code::E4003, format!("field '{name}' not found"), at),
                    }
                })
            }
        }
    }

    /// The place as a reference, for `&` parameters and `ref()`.
    pub fn place_ref(&mut self, place: &Place) -> PlaceFn {
        match &place.kind {
            PlaceKind::Local(id) if self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                let ty = place.ty.clone();
                closure(move |vm, fp| Ok(boxed_place(vm, fp, slot, &ty)))
            }
            PlaceKind::Local(id) => {
                // Only in fragments: a copy of the variable, which the caller of this copies back.
                let (slot, ty) = (Slot::new(id.0), place.ty.clone());
                closure(move |vm, fp| {
                    let value = vm.slot_value(fp, slot, &ty);
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
            PlaceKind::Global(id) => {
                let (slot, ty, boxed) = (Slot::new(id.0), place.ty.clone(), self.global_boxed(*id));
                closure(move |vm, _| {
                    if boxed {
                        return Ok(boxed_place(vm, vm.globals, slot, &ty));
                    }
                    let value = vm.slot_value(vm.globals, slot, &ty);
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
            PlaceKind::Index { base, index, constant: _ } => {
                let (base, index) = (self.reference(base), self.value(index));
                closure(move |vm, fp| {
                    let base = follow_ref(base.get(vm, fp)?);
                    let index = index.run(vm, fp)?;
                    Ok(element_place(base, index))
                })
            }
            PlaceKind::Field { base, field } => {
                let name = super::values::field_name(&base.ty, *field);
                let (base, field, at) = (self.reference(base), *field, place.at);
                closure(move |vm, fp| match follow_ref(base.get(vm, fp)?) {
                    Some(object) => Ok(field_place(object, field)),
                    None => {
                        access::named_field(vm, None, &name, at).map(|_| Rc::new(Heap::Scalar(Value::Nil)))
                    }
                })
            }
            PlaceKind::FieldNamed { .. } | PlaceKind::Char { .. } => {
                let at = place.at;
                let (spot, ty) = (self.spot(place, at), place.ty.clone());
                closure(move |vm, fp| {
                    let spot = spot.run(vm, fp)?;
                    if let Spot::Field(object, field) = spot {
                        return Ok(field_place(object, field));
                    }
                    let value = spot.read(vm, &ty, at)?;
                    Ok(new_variable(Rc::new(ty.clone()), value, None))
                })
            }
        }
    }

    /// `x++`, `x--`.
    pub fn postfix(&mut self, place: &Place, delta: i64, at: Span) -> IntFn {
        let slow = self.postfix_general(place, delta, at);
        match self.steppable_slot(place) {
            Some(slot) => IntFn::new(move |vm, fp| match step_slot(&mut vm.frames, fp, slot, delta) {
                Some(old) => Ok(old),
                None => slow.get(vm, fp),
            }),
            None => slow,
        }
    }

    /// The same as a statement.
    pub fn postfix_stmt(&mut self, place: &Place, delta: i64, at: Span) -> StmtFn {
        let general = self.postfix_general(place, delta, at);
        match self.steppable_slot(place) {
            Some(slot) => statement(move |vm, fp| match step_slot(&mut vm.frames, fp, slot, delta) {
                Some(_) => Ok(()),
                None => discard(vm, fp, &general),
            }),
            None => statement(move |vm, fp| discard(vm, fp, &general)),
        }
    }

    /// The slot of a local whose `++` and `--` are limited by 64 bits only.
    fn steppable_slot(&self, place: &Place) -> Option<Slot> {
        self.assignable_slot(place, Repr::Int).filter(|_| Bound::of(&place.ty) == Bound::Int)
    }

    fn postfix_general(&mut self, place: &Place, delta: i64, at: Span) -> IntFn {
        let bound = Bound::of(&place.ty);
        let ty = place.ty.clone();
        let spot = self.postfix_spot(place, at);
        IntFn::new(move |vm, fp| {
            let spot = spot.run(vm, fp)?;
            let old = read_for_postfix(vm, &spot, &ty, at)?;
            // An `int` may be another name for a byte.
            let old = if ty.is_integer() { widened(&old) } else { old };
            let new = crate::interp::arith::step(vm, &old, delta, bound, at)?;
            spot.write(vm, &ty, new, at)?;
            super::ints::unbox_value(vm, &old)
        })
    }

    /// Like [`Compiler::spot`], with the error message that `++` has for constants.
    fn postfix_spot(&mut self, place: &Place, at: Span) -> SpotFn {
        self.spot(place, at)
    }

    /// The slot of a local integer that may be changed in place.
    pub fn assignable_slot(&self, place: &Place, repr: Repr) -> Option<Slot> {
        let PlaceKind::Local(id) = place.kind else { return None };
        (!self.is_boxed(id) && place.ty.repr() == repr).then(|| Slot::new(id.0))
    }
}

/// Adds `delta` to the integer in a slot, and returns the old one; `None`, and nothing has happened, if one of
/// them is large or nil.
#[inline(always)]
fn step_slot(frames: &mut Frames, fp: Fp, slot: Slot, delta: i64) -> Option<i64> {
    let old = frames.get(fp, slot) as i64;
    let new = old.checked_add(delta).filter(|new| old != SEE_WIDE && *new != SEE_WIDE)?;
    frames.set(fp, slot, new as u64);
    Some(old)
}

/// Evaluates an integer and ignores it.
#[inline(never)]
fn discard(vm: &mut Vm, fp: Fp, value: &IntFn) -> Result<(), Exit> {
    if let Err(Wide) = value.get(vm, fp) {
        vm.take_value()?;
    }
    Ok(())
}

fn read_for_postfix(vm: &mut Vm, spot: &Spot, ty: &Type, at: Span) -> Result<Value, Wide> {
    match spot {
        Spot::Element(array, index) => {
            let found = match (&**array, index) {
                (Heap::Array(a), Value::Int(i)) => {
                    usize::try_from(*i).ok().and_then(|i| a.borrow().data.get(i))
                }
                _ => None,
            };
            match found {
                Some(value) => Ok(value.follow()),
                None => {
                    let message = format!("index out of bounds: {}", crate::value::inspect(index));
                    vm.fail_wide(Code::E9001, message, at)
                }
            }
        }
        Spot::Entry(map, key) => {
            let found = match &**map {
                Heap::Map(m) => m.borrow().entries.get(key).cloned(),
                _ => None,
            };
            match found {
                Some(value) => Ok(value.follow()),
                None => vm.fail_wide(Code::E12001Missing, "key not found in map", at),
            }
        }
        other => Ok(other.read(vm, ty, at)?),
    }
}

pub fn nil_member<X>(vm: &mut Vm, _name: &str, at: Span) -> Result<X, Stop> {
    vm.fail(Code::E4011, "member access not supported: nil", at)
}

fn boxed_spot(vm: &mut Vm, fp: Fp, slot: Slot, ty: &Type) -> Spot {
    Spot::Boxed(boxed_place(vm, fp, slot, ty))
}

/// The variable in a boxed slot. It is created if the slot is not initialised (a name used before its
/// declaration has run).
fn boxed_place(vm: &mut Vm, fp: Fp, slot: Slot, ty: &Type) -> Ref {
    if let Some(place) = vm.frames.get_ref(fp, slot) {
        return place;
    }
    let place = new_variable(Rc::new(ty.clone()), crate::interp::defaults::default_variable(ty), None);
    drop(vm.frames.replace_ref(fp, slot, Some(place.clone())));
    place
}

pub fn index_spot(vm: &mut Vm, base: Option<Ref>, index: Value, at: Span) -> Result<Spot, Stop> {
    let Some(base) = base else { return not_indexable(vm, None, at) };
    match &*base {
        Heap::Map(m) => {
            let key = access::map_key(vm, &index, "map key must be a hashable type, got ", at)?;
            // An invalid key is refused when something is stored.
            let key = m.borrow().own_key(&key).unwrap_or(key);
            Ok(Spot::Entry(base, key))
        }
        Heap::Array(_) => Ok(Spot::Element(base, index)),
        other => not_indexable(vm, Some(other), at),
    }
}

/// A reference to an element or entry. If that is itself a reference, it is returned instead.
fn element_place(base: Option<Ref>, index: Value) -> Ref {
    let Some(base) = base else { return Rc::new(Heap::Scalar(Value::Nil)) };
    let place = match (&*base, &index) {
        (Heap::Array(_), Value::Int(i)) => Reference::Element { array: base.clone(), index: *i },
        (Heap::Map(m), _) => {
            let key = m.borrow().own_key(&index).unwrap_or_else(|| index.follow());
            Reference::Entry { map: base.clone(), key }
        }
        _ => Reference::Entry { map: base.clone(), key: index.follow() },
    };
    match place.read() {
        Some(Value::Ref(r)) if matches!(&*r, Heap::Reference(_)) => r,
        _ => Rc::new(Heap::Reference(place)),
    }
}

fn field_place(object: Ref, field: u32) -> Ref {
    let place = Reference::Field { object, field };
    match place.read() {
        Some(Value::Ref(r)) if matches!(&*r, Heap::Reference(_)) => r,
        _ => Rc::new(Heap::Reference(place)),
    }
}

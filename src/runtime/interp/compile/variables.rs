//! Declarations: variables get their initial values.

use std::rc::Rc;

use crate::program::{Expr, ExprKind, GlobalId, LocalId, LocalKind};
use crate::value::{MemberCounter, Repr, Type, Value};

use crate::interp::closures::{StmtFn, ValueFn, closure};
use crate::interp::operand::{FloatOperand, IntOperand};
use crate::interp::slots::{Fp, Slot};
use crate::interp::targets::new_variable;
use crate::interp::vm::{Exit, SEE_WIDE, Stop, Vm, Wide};

use super::Compiler;
use super::stmts::statement;

/// A variable to be declared: a slot, or a box that the slot refers to.
pub struct Variable {
    pub slot: Slot,
    pub ty: Rc<Type>,
    pub boxed: bool,
    /// Its name, if it is a constant.
    pub constant: Option<Rc<str>>,
}

impl Variable {
    /// Sets the initial value.
    pub fn init(&self, vm: &mut Vm, fp: Fp, value: Value) {
        if self.boxed {
            let variable = new_variable(self.ty.clone(), value, self.constant.clone());
            drop(vm.frames.replace_ref(fp, self.slot, Some(variable)));
        } else {
            vm.set_slot_value(fp, self.slot, &self.ty, value);
        }
    }

    /// Sets the initial value of a global.
    pub fn init_global(&self, vm: &mut Vm, value: Value) {
        vm.bind(GlobalId(self.slot.number()));
        self.init(vm, vm.globals, value);
    }
}

impl Compiler<'_> {
    /// A local; `ty` is its type if the function does not know it.
    pub fn variable(&self, local: LocalId, ty: &Type) -> Variable {
        let slot = Slot::new(local.0);
        match self.local(local) {
            Some(l) => {
                let constant = l.constant.then(|| l.name.clone());
                Variable { slot, ty: Rc::new(l.ty.clone()), boxed: l.boxed, constant }
            }
            None => Variable { slot, ty: Rc::new(ty.clone()), boxed: false, constant: None },
        }
    }

    /// A variable that a loop sets. The program cannot assign to it directly, but through a reference.
    pub fn loop_variable(&self, local: LocalId, ty: &Type) -> Variable {
        Variable { constant: None, ..self.variable(local, ty) }
    }

    pub fn global_variable(&self, global: GlobalId) -> Variable {
        let info = self.program.globals.get(global.0 as usize);
        let ty = info.map_or(Type::Any, |g| g.ty.clone());
        let constant = info.filter(|g| g.constant).map(|g| g.name.clone());
        Variable {
            slot: Slot::new(global.0),
            ty: Rc::new(ty),
            boxed: info.is_some_and(|g| g.boxed),
            constant,
        }
    }

    /// A declaration of a local with a value.
    pub fn declare(&mut self, local: LocalId, value: &Expr) -> StmtFn {
        let variable = self.variable(local, &value.ty);
        let kind = self.local(local).map(|l| l.kind);
        let result_default = kind == Some(LocalKind::Result) && matches!(value.kind, ExprKind::Default);
        if variable.boxed || result_default {
            let f: ValueFn = if result_default {
                let ty = variable.ty.clone();
                closure(move |_, _| Ok(crate::interp::defaults::default_new(&ty)))
            } else {
                self.value(value)
            };
            return statement(move |vm, fp| {
                let value = f.run(vm, fp)?;
                variable.init(vm, fp, value);
                Ok(())
            });
        }
        if self.flags.is_some() && self.moves.has(local) {
            let (slot, value) = (variable.slot, self.reference(value));
            return statement(move |vm, fp| {
                let value = value.get(vm, fp)?;
                drop(vm.frames.replace_ref(fp, slot, value));
                vm.frames.set_handed_on(fp, slot, false);
                Ok(())
            });
        }
        self.set_slot(variable.slot, &variable.ty, value)
    }

    /// `slot = value` for an unboxed local.
    pub fn set_slot(&mut self, slot: Slot, ty: &Type, value: &Expr) -> StmtFn {
        match (ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) => {
                call_operand!(self, value, call => self.set_int_slot(slot, call), else {
                    element_operand!(self, value, a => self.set_int_slot(slot, a))
                })
            }
            (Repr::Float, Repr::Float) => {
                formula_operand!(self, value, a => statement(move |vm, fp| {
                    let value = a.get(vm, fp)?;
                    vm.frames.set(fp, slot, value.to_bits());
                    Ok(())
                }))
            }
            (Repr::Bool, Repr::Bool) => {
                let a = self.boolean(value);
                statement(move |vm, fp| {
                    match a.run(vm, fp) {
                        Ok(value) => vm.frames.set(fp, slot, u64::from(value)),
                        Err(Wide) => set_nil_bool(vm, fp, slot)?,
                    }
                    Ok(())
                })
            }
            (Repr::Ref, Repr::Ref) => {
                let a = self.reference(value);
                statement(move |vm, fp| {
                    let value = a.get(vm, fp)?;
                    drop(vm.frames.replace_ref(fp, slot, value));
                    Ok(())
                })
            }
            _ => {
                let (a, ty) = (self.value(value), ty.clone());
                statement(move |vm, fp| {
                    let value = a.run(vm, fp)?;
                    vm.set_slot_value(fp, slot, &ty, value);
                    Ok(())
                })
            }
        }
    }

    fn set_int_slot(&self, slot: Slot, value: impl IntOperand) -> StmtFn {
        statement(move |vm, fp| set_int(slot, &value, vm, fp))
    }

    pub fn define_enum(
        &mut self,
        def: &Rc<crate::value::EnumDef>,
        members: &[(Rc<str>, Option<Expr>)],
        flags: bool,
    ) -> StmtFn {
        let def = def.clone();
        let members: Vec<(Rc<str>, Option<ValueFn>)> =
            members.iter().map(|(name, e)| (name.clone(), e.as_ref().map(|e| self.value(e)))).collect();
        statement(move |vm, fp| {
            let mut done: Vec<(Rc<str>, Value)> = Vec::new();
            let mut counter = MemberCounter::new(def.base(), flags);
            for (name, value) in &members {
                let own = match value {
                    Some(value) => Some(value.run(vm, fp)?.plain()),
                    None => None,
                };
                done.push((name.clone(), counter.value(own)));
            }
            let _ = def.members.set(done);
            Ok(())
        })
    }
}

#[inline(always)]
fn set_int<A: IntOperand>(slot: Slot, value: &A, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    if !A::AT_HAND {
        return set_any_int(slot, value, vm, fp);
    }
    match value.at_hand(&vm.frames, &vm.mutator, fp) {
        Some(x) if x != SEE_WIDE => {
            vm.frames.set(fp, slot, x as u64);
            Ok(())
        }
        _ => set_int_apart(slot, value, vm, fp),
    }
}

#[inline(always)]
fn set_any_int(slot: Slot, value: &impl IntOperand, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    match value.get(vm, fp) {
        Ok(value) => {
            vm.set_int(fp, slot, value);
            Ok(())
        }
        Err(Wide) => Ok(vm.set_pending(fp, slot)?),
    }
}

#[cold]
#[inline(never)]
fn set_int_apart(slot: Slot, value: &impl IntOperand, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
    set_any_int(slot, value, vm, fp)
}

#[cold]
fn set_nil_bool(vm: &mut Vm, fp: Fp, slot: Slot) -> Result<(), Stop> {
    let value = vm.take_value()?;
    vm.set_slot_value(fp, slot, &Type::Bool, value);
    Ok(())
}

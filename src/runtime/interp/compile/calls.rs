//! Calls of user functions.

use crate::diagnostics::Code;
use std::rc::Rc;

use crate::program::{Arg, Expr, ExprKind, FuncId, Local, StmtId, StoreKind, StoreSite, Target, TargetKind};
use crate::source::Span;
use crate::sync::{ALONE, on_new_stack};
use crate::value::{Repr, Type, Value, view_fits};

use crate::interp::boxing::{ref_value, value_ref};
use crate::interp::closures::{ArgFn, Closure};
use crate::interp::operand::{FloatOperand, IntOperand};
use crate::interp::slots::{Fp, HEADER, Slot};
use crate::interp::store;
use crate::interp::targets::new_variable;
use crate::interp::vm::{Exit, Pending, Stop, Vm, Wide};
use crate::interp::watch;

use super::progress::not_compiled;
use super::{Code as Callee, CodeCell, Compiler};

/// A local of a stopped frame that a fragment passes by reference: its value is copied back after the call.
struct WriteBack {
    slot: Slot,
    arg: Slot,
    ty: Type,
}

/// A call of a user function.
pub struct Call<A> {
    args: A,
    callee: CodeCell,
    /// Where the callee's frame starts in the caller's.
    offset: Slot,
    site: u32,
}

/// Evaluates the arguments of a call.
pub trait Args: 'static {
    /// Evaluates the arguments into the callee's frame and enters that.
    fn enter(&self, vm: &mut Vm, fp: Fp, code: &Callee, offset: Slot, site: u32) -> Result<Fp, Stop>;
}

/// One integer: the most frequent form in recursive functions.
pub struct OneInt<A>(A);

/// Any arguments.
pub struct Many(Box<[ArgFn]>);

impl<A: IntOperand> Args for OneInt<A> {
    #[inline(always)]
    fn enter(&self, vm: &mut Vm, fp: Fp, code: &Callee, offset: Slot, site: u32) -> Result<Fp, Stop> {
        match self.0.get(vm, fp) {
            Ok(value) => {
                let frame = vm.enter(fp, offset, &code.layout, site)?;
                vm.set_int(frame, Slot::new(0), value);
                Ok(frame)
            }
            Err(Wide) => wide_argument(vm, fp, offset, code, site),
        }
    }
}

impl Args for Many {
    #[inline(always)]
    fn enter(&self, vm: &mut Vm, fp: Fp, code: &Callee, offset: Slot, site: u32) -> Result<Fp, Stop> {
        let frame = vm.frames.arguments(fp, offset, &code.layout);
        for arg in &self.0 {
            arg(vm, fp, frame).map_err(|stop| abandoned(vm, frame, code, stop))?;
        }
        vm.enter(fp, offset, &code.layout, site).map_err(|stop| abandoned(vm, frame, code, stop))
    }
}

impl<A: Args> Call<A> {
    /// Executes the call. The results are left in the [`Vm`].
    #[inline(always)]
    pub fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
        let Some(code) = self.callee.get() else { return Err(not_compiled(vm)) };
        let frame = self.args.enter(vm, fp, code, self.offset, self.site)?;
        run(vm, fp, frame, code, self.site)
    }

    fn boxed<C: Closure>(self, result: impl Fn(&mut Vm) -> C::Value + 'static) -> C {
        C::new(move |vm, fp| {
            self.run(vm, fp)?;
            Ok(result(vm))
        })
    }
}

/// A call with an integer result, compiled into the node that uses it.
impl<A: Args> IntOperand for Call<A> {
    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        self.run(vm, fp)?;
        Ok(vm.ret as i64)
    }
}

impl Compiler<'_> {
    /// Compiles a call; `result` takes its result from the [`Vm`].
    pub fn call<C: Closure>(
        &mut self,
        func: FuncId,
        args: &[Arg],
        at: Span,
        result: impl Fn(&mut Vm) -> C::Value + 'static,
    ) -> C {
        let back = self.write_backs(func, args);
        if !back.is_empty() {
            return call_with_write_back(self.call_many(func, args, at), back, result);
        }
        match self.single_int(func, args) {
            Some(one) => argument_operand!(self, one, arg => self.call_one(func, arg, at).boxed(result)),
            None => self.call_many(func, args, at).boxed(result),
        }
    }

    /// The argument of a call that has a single integer argument.
    pub fn single_int<'e>(&self, func: FuncId, args: &'e [Arg]) -> Option<&'e Expr> {
        let [Arg::Value(e)] = args else { return None };
        let callee = self.program.function(func)?;
        let local = callee.locals.first()?;
        let fits = e.ty.repr() == Repr::Int && local.ty.repr() == Repr::Int && !local.boxed;
        (fits && !self.is_default(e)).then_some(e)
    }

    pub fn call_one<A: IntOperand>(&mut self, func: FuncId, arg: A, at: Span) -> Call<OneInt<A>> {
        let offset = self.at + HEADER as u32;
        self.max = self.max.max(offset + 1);
        let offset = Slot::new(offset);
        let (site, callee) = (self.site(func, at, offset), self.callee(func));
        Call { args: OneInt(arg), callee, offset, site }
    }

    pub fn call_many(&mut self, func: FuncId, args: &[Arg], at: Span) -> Call<Many> {
        let free = self.at;
        let first = free + HEADER as u32;
        self.at = first;
        self.max = self.max.max(first + args.len() as u32);
        let offset = Slot::new(first);
        let (site, callee) = (self.site(func, at, offset), self.callee(func));
        let list = self.arguments(func, args, first, at);
        self.at = free;
        Call { args: Many(list), callee, offset, site }
    }

    fn callee(&self, func: FuncId) -> CodeCell {
        self.codes.get(func.0 as usize).cloned().unwrap_or_default()
    }

    /// The arguments of a call at `at`.
    fn arguments(&mut self, func: FuncId, args: &[Arg], first: u32, at: Span) -> Box<[ArgFn]> {
        let program = self.program;
        let locals = program.function(func).map_or(&[][..], |f| &f.locals);
        let mut list = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            // The callee's frame is filled while arguments are evaluated: their own calls start above it.
            self.at = first + i as u32;
            let (boxed, ty) = locals.get(i).map_or((false, Type::Any), |l| (l.boxed, l.ty.clone()));
            let slot = Slot::new(i as u32);
            let argument = self.argument(slot, arg, boxed, ty);
            list.push(match (arg, locals.get(i)) {
                (Arg::Value(e), _) if self.is_default(e) => default_argument(argument, self.stmt),
                (Arg::Ref(target), Some(local)) if !view_fits(&local.ty, &target.ty) => {
                    checked_reference(argument, slot, local, at)
                }
                _ => argument,
            });
        }
        list.into()
    }

    /// Whether an argument is the default value of a parameter, which is somewhere else in the source, and may fail.
    fn is_default(&self, e: &Expr) -> bool {
        let stmt = self.program.statement(self.stmt).filter(|_| !self.fragment);
        stmt.is_some_and(|stmt| !stmt.contains(e.at)) && !matches!(e.kind, ExprKind::Const(_))
    }

    fn argument(&mut self, slot: Slot, arg: &Arg, boxed: bool, ty: Type) -> ArgFn {
        match arg {
            // The parameter itself is never assigned: the container can be passed without a box.
            Arg::Ref(target) if !boxed => {
                if let TargetKind::Local(id) = target.kind
                    && !self.is_boxed(id)
                {
                    let from = Slot::new(id.0);
                    return Box::new(move |vm, fp, frame| {
                        let container = vm.frames.get_ref(fp, from);
                        drop(vm.frames.replace_ref(frame, slot, container));
                        Ok(())
                    });
                }
                let at = target.at;
                let lvalue = self.lvalue(target, at);
                Box::new(move |vm, fp, frame| {
                    let value = lvalue.run(vm, fp)?.read(vm, &ty, at)?;
                    drop(vm.frames.replace_ref(frame, slot, value_ref(value)));
                    Ok(())
                })
            }
            Arg::Ref(target) => {
                let reference = self.target_reference(target);
                Box::new(move |vm, fp, frame| {
                    let r = reference.run(vm, fp)?;
                    drop(vm.frames.replace_ref(frame, slot, Some(r)));
                    Ok(())
                })
            }
            Arg::Value(e) if boxed => {
                let (value, ty) = (self.value(e), Rc::new(ty));
                Box::new(move |vm, fp, frame| {
                    let value = value.run(vm, fp)?;
                    drop(vm.frames.replace_ref(frame, slot, Some(new_variable(ty.clone(), value, None))));
                    Ok(())
                })
            }
            Arg::Value(e) => match (e.ty.repr(), ty.repr()) {
                (Repr::Int, Repr::Int) => {
                    int_operand!(self, e, a => Box::new(move |vm: &mut Vm, fp: Fp, frame: Fp| {
                    match a.get(vm, fp) {
                        Ok(value) => {
                            vm.set_int(frame, slot, value);
                            Ok(())
                        }
                        Err(Wide) => vm.set_pending(frame, slot),
                    }
                }) as ArgFn)
                }
                (Repr::Float, Repr::Float) => {
                    float_operand!(self, e, a => Box::new(move |vm: &mut Vm, fp: Fp, frame: Fp| {
                    let value = a.get(vm, fp)?;
                    vm.frames.set(frame, slot, value.to_bits());
                    Ok(())
                }) as ArgFn)
                }
                (Repr::Ref, Repr::Ref) => {
                    let a = self.reference(e);
                    Box::new(move |vm, fp, frame| {
                        let value = a.get(vm, fp)?;
                        drop(vm.frames.replace_ref(frame, slot, value));
                        Ok(())
                    })
                }
                _ => {
                    let a = self.value(e);
                    Box::new(move |vm, fp, frame| {
                        let value = a.run(vm, fp)?;
                        vm.set_slot_value(frame, slot, &ty, value);
                        Ok(())
                    })
                }
            },
        }
    }

    /// The arguments by reference whose variable is not boxed; occurs only in fragments.
    fn write_backs(&self, func: FuncId, args: &[Arg]) -> Vec<WriteBack> {
        let callee = self.program.function(func);
        let boxed = |i: usize| callee.and_then(|f| f.locals.get(i)).is_some_and(|l| l.boxed);
        let found = args.iter().enumerate().filter(|(i, _)| boxed(*i)).filter_map(|(i, arg)| {
            let Arg::Ref(Target { kind: TargetKind::Local(id), ty, .. }) = arg else { return None };
            let is_plain = self.fragment && !self.is_boxed(*id);
            is_plain.then(|| WriteBack { slot: Slot::new(id.0), arg: Slot::new(i as u32), ty: ty.clone() })
        });
        found.collect()
    }
}

#[cold]
pub fn too_deep<X>(vm: &mut Vm, at: Span) -> Result<X, Stop> {
    let limit = crate::interp::vm::MAX_DEPTH;
    vm.fail(Code::E5018, format!("maximum recursion depth exceeded (limit: {limit})"), at)
}

/// An argument that is a default value: its errors tell the statement that makes the call.
fn default_argument(argument: ArgFn, stmt: StmtId) -> ArgFn {
    Box::new(move |vm, fp, frame| {
        argument(vm, fp, frame).inspect_err(|Stop| {
            if let Pending::Error(error) = &mut vm.pending
                && !error.told
            {
                error.stmt = Some(stmt);
            }
        })
    })
}

/// An argument for a `&` parameter whose type is narrower than that of the variable: fails if the present value
/// does not fit it.
fn checked_reference(argument: ArgFn, slot: Slot, param: &Local, at: Span) -> ArgFn {
    let (ty, site) = (param.ty.clone(), StoreSite { kind: StoreKind::Parameter(param.name.clone()), at });
    Box::new(move |vm, fp, frame| {
        argument(vm, fp, frame)?;
        let value = ref_value(vm.frames.get_ref(frame, slot)).follow();
        store::store(vm, &ty, value, &site).map(drop)
    })
}

/// Runs the function of an entered frame and leaves the frame.
#[inline(always)]
fn run(vm: &mut Vm, caller: Fp, frame: Fp, code: &Callee, site: u32) -> Result<(), Stop> {
    if let Err(Exit::Stop) = run_body(vm, frame, code) {
        return stopped(vm, caller, frame, code, site);
    }
    vm.depth = vm.depth.wrapping_sub(1);
    let watched = vm.depth == 0;
    vm.frames.leave(frame, &code.layout);
    if watched {
        return returned(vm, caller, site);
    }
    Ok(())
}

/// What a level of nodes in progress takes of a stack at most, in bytes.
const LEVEL: u32 = 300;

/// What a call takes, in levels.
const CALL: u32 = 8;

#[inline(always)]
fn run_body(vm: &mut Vm, frame: Fp, code: &Callee) -> Result<(), Exit> {
    if !ALONE {
        return code.body.run(vm, frame);
    }
    let before = vm.levels_on_stack;
    vm.levels_on_stack = before + code.levels + CALL;
    if vm.levels_on_stack > vm.most_levels {
        return run_on_new_stack(vm, frame, code, before);
    }
    let ran = code.body.run(vm, frame);
    vm.levels_on_stack = before;
    ran
}

#[cold]
#[inline(never)]
fn run_on_new_stack(vm: &mut Vm, frame: Fp, code: &Callee, before: u32) -> Result<(), Exit> {
    vm.levels_on_stack = code.levels + CALL;
    let mut ran = Err(Exit::Stop);
    let bytes = (vm.levels_on_stack + vm.most_levels).saturating_mul(LEVEL);
    let had_room = on_new_stack(bytes, &mut || ran = code.body.run(vm, frame));
    vm.levels_on_stack = before;
    if had_room { ran } else { Ok(vm.no_stack_left()?) }
}

/// The callee has stopped: adds the call to the call stack of an error; a pending result is passed on.
#[cold]
#[inline(never)]
fn stopped(vm: &mut Vm, caller: Fp, frame: Fp, code: &Callee, site: u32) -> Result<(), Stop> {
    vm.tell_raised(frame);
    vm.depth = vm.depth.wrapping_sub(1);
    let watched = vm.depth == 0;
    vm.frames.leave(frame, &code.layout);
    if let Pending::Big(_) | Pending::Nil = vm.pending {
        if watched {
            let pending = std::mem::take(&mut vm.pending);
            vm.returned_wide = Some(match &pending {
                Pending::Big(big) => Value::integer(big.clone()),
                _ => Value::Nil,
            });
            returned(vm, caller, site)?;
            vm.pending = pending;
        }
        return Err(Stop);
    }
    // Of this end the debugger is not told.
    drop(watch::frames_ended(vm, caller));
    let call = vm.sites.get(site as usize).copied();
    if let (Pending::Error(error), Some(call)) = (&mut vm.pending, call) {
        if std::mem::take(&mut error.at_call) {
            error.span = call.span;
        } else {
            error.calls.push(call);
        }
    }
    Err(Stop)
}

/// A frame whose return is watched has returned.
#[cold]
#[inline(never)]
fn returned(vm: &mut Vm, caller: Fp, site: u32) -> Result<(), Stop> {
    let (ret, ret_ref) = (vm.ret, vm.ret_ref.clone());
    let Some(mut debugger) = vm.debugger.take() else { return Ok(()) };
    let result = debugger.returned(vm, caller, site);
    vm.debugger = Some(debugger);
    vm.returned_wide = None;
    vm.ret = ret;
    vm.ret_ref = ret_ref;
    result
}

/// The call could not be entered: releases its arguments.
#[cold]
#[inline(never)]
fn abandoned(vm: &mut Vm, frame: Fp, code: &Callee, stop: Stop) -> Stop {
    vm.frames.abandon(frame, &code.layout);
    stop
}

#[cold]
#[inline(never)]
fn wide_argument(vm: &mut Vm, fp: Fp, offset: Slot, code: &Callee, site: u32) -> Result<Fp, Stop> {
    let value = vm.take_value()?;
    let frame = vm.enter(fp, offset, &code.layout, site)?;
    vm.set_pending_value(&value);
    vm.set_pending(frame, Slot::new(0))?;
    Ok(frame)
}

fn call_with_write_back<C: Closure>(
    call: Call<Many>,
    back: Vec<WriteBack>,
    result: impl Fn(&mut Vm) -> C::Value + 'static,
) -> C {
    let Call { args: Many(list), callee, offset, site } = call;
    C::new(move |vm, fp| {
        let Some(code) = callee.get() else { return Err(not_compiled(vm).into()) };
        let frame = vm.frames.arguments(fp, offset, &code.layout);
        for arg in &list {
            arg(vm, fp, frame).map_err(|stop| abandoned(vm, frame, code, stop))?;
        }
        let variables: Vec<_> = back.iter().map(|b| (b, vm.frames.get_ref(frame, b.arg))).collect();
        let frame =
            vm.enter(fp, offset, &code.layout, site).map_err(|stop| abandoned(vm, frame, code, stop))?;
        let ran = run(vm, fp, frame, code, site);
        for (back, variable) in variables {
            let value = variable.map_or(Value::Nil, |p| Value::Ref(p).follow());
            vm.set_slot_value(fp, back.slot, &back.ty, value);
        }
        ran?;
        Ok(result(vm))
    })
}

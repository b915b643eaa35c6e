//! Statements.

use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

use crate::diagnostics::Code;
use crate::program::{
    Arm, Case, Discard, Expr, ExprKind, LocalId, LocalKind, Place, PlaceKind, Stmt, StmtId, StmtKind, Target,
    WhenArm,
};
use crate::source::Span;
use crate::syntax::ast::BinaryOp;
use crate::value::{Elems, Heap, Repr, Type, Value};

use crate::interp::arith::{ArithOp, Bound, float_op, int_slow};
use crate::interp::boxing::value_ref;
use crate::interp::flags::CONDITION;
use crate::interp::operand::{BoolE, FloatE, IntE, RefE, StmtFn, ValueFn};
use crate::interp::places::new_variable;
use crate::interp::slots::{Fp, peek};
use crate::interp::vm::{Exit, Parked, Stop, Vm, Wide};

use super::{Builder, Hook, is_pure};

/// A statement asks the debugger first if its flag is set. The slow path is a tail call, so that the
/// fast one saves no registers.
#[cold]
#[inline(never)]
fn ask<F: Fn(&mut Vm, Fp) -> Result<(), Exit>>(
    f: &F,
    vm: &mut Vm,
    fp: Fp,
    id: StmtId,
    bits: u8,
) -> Result<(), Exit> {
    // One breakpoint with a condition and nothing else: most often the condition is false.
    if bits != CONDITION || vm.condition_holds(id.0 as usize, fp)? {
        ask_debugger(vm, fp, id, false)?;
    }
    f(vm, fp)
}

/// Asks the debugger before a statement, or before a loop's header decides again.
#[cold]
#[inline(never)]
pub(crate) fn ask_debugger(vm: &mut Vm, fp: Fp, id: StmtId, round: bool) -> Result<(), Stop> {
    let Some(mut debugger) = vm.debugger.take() else { return Ok(()) };
    let result = debugger.statement(vm, fp, id, round);
    vm.debugger = Some(debugger);
    result
}

impl<H: Hook> Builder<'_, H> {
    /// Makes a statement of what it does.
    pub(crate) fn st(&self, id: StmtId, f: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn {
        if !H::ATTACHED {
            return Box::new(f);
        }
        let Some(flag) = self.flags.get(id.0 as usize) else { return Box::new(f) };
        Box::new(move |vm, fp| {
            let bits = flag.load(Relaxed);
            if bits != 0 {
                return ask(&f, vm, fp, id, bits);
            }
            f(vm, fp)
        })
    }

    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> StmtFn {
        let mut built: Vec<StmtFn> = stmts.iter().map(|s| self.stmt(s)).collect();
        match built.len() {
            0 => Box::new(|_, _| Ok(())),
            1 => built.pop().unwrap_or_else(|| Box::new(|_, _| Ok(()))),
            2 => match (built.pop(), built.pop()) {
                (Some(b), Some(a)) => Box::new(move |vm, fp| {
                    a(vm, fp)?;
                    b(vm, fp)
                }),
                _ => Box::new(|_, _| Ok(())),
            },
            3 => match (built.pop(), built.pop(), built.pop()) {
                (Some(c), Some(b), Some(a)) => Box::new(move |vm, fp| {
                    a(vm, fp)?;
                    b(vm, fp)?;
                    c(vm, fp)
                }),
                _ => Box::new(|_, _| Ok(())),
            },
            _ => {
                let all: Box<[StmtFn]> = built.into();
                Box::new(move |vm, fp| {
                    for stmt in &all {
                        stmt(vm, fp)?;
                    }
                    Ok(())
                })
            }
        }
    }

    pub(crate) fn stmt(&mut self, s: &Stmt) -> StmtFn {
        self.stmt = s.id;
        let id = s.id;
        match &s.kind {
            StmtKind::Declare { local, value } => self.declare(id, *local, value),
            StmtKind::DeclareRef { local, place } => {
                let slot = local.0;
                let place = self.place_ref(place);
                self.st(id, move |vm, fp| {
                    let place = place(vm, fp)?;
                    drop(fp.replace_ref(slot, Some(place)));
                    Ok(())
                })
            }
            StmtKind::DeclareGlobal { global, value } => {
                let (slot, ty, boxed) = (global.0, value.ty.clone(), self.global_boxed(*global));
                let info = self.program.globals.get(slot as usize);
                let ty = info.map_or(ty, |g| g.ty.clone());
                let constant = info.filter(|g| g.constant).map(|g| g.name.clone());
                let value = self.value(value);
                self.st(id, move |vm, fp| {
                    let value = value(vm, fp)?;
                    vm.bind(slot);
                    let globals = vm.globals;
                    if boxed {
                        drop(globals.replace_ref(slot, Some(new_variable(&ty, value, constant.clone()))));
                    } else {
                        vm.set_slot_value(globals, slot, &ty, value);
                    }
                    Ok(())
                })
            }
            StmtKind::DefineEnum { def, members, flags } => self.define_enum(id, def, members, *flags),
            StmtKind::Assign { place, value, at } => self.assign(id, place, value, *at),
            StmtKind::OpAssign { place, op, value, at } => self.op_assign(id, place, *op, value, *at),
            StmtKind::Unpack { targets, value, at } => self.unpack(id, targets, value, *at),
            StmtKind::Expr { expr, discard } => self.expression(id, expr, *discard),
            StmtKind::Return(values) => self.return_stmt(id, values),
            StmtKind::If { arms, otherwise } => {
                let otherwise = otherwise.as_ref().map(|b| b.stmts.as_slice());
                self.if_stmt(arms, otherwise)
            }
            StmtKind::When { subject, arms, default } => {
                let default = default.as_ref().map(|b| b.stmts.as_slice());
                self.when_stmt(id, subject, arms, default)
            }
            StmtKind::For { var, start, end, step, body } => {
                self.for_stmt(s, *var, start, end, step.as_ref(), &body.stmts)
            }
            StmtKind::ForEach { index, var, iterable, body } => {
                self.for_each_stmt(s, *index, *var, iterable, &body.stmts)
            }
            StmtKind::While { cond, body } => self.while_stmt(id, cond, &body.stmts),
            StmtKind::Loop { body } => self.loop_stmt(id, &body.stmts),
            StmtKind::Break => self.st(id, |_, _| Err(Exit::Break)),
            StmtKind::Continue => self.st(id, |_, _| Err(Exit::Continue)),
            StmtKind::Ensure { call } => {
                let call: Rc<ValueFn> = Rc::new(self.value(call));
                self.st(id, move |vm, _| {
                    if let Some(list) = vm.ensures.last_mut() {
                        list.push(call.clone());
                    }
                    Ok(())
                })
            }
            StmtKind::Raise(raise) => {
                let raise = raise.clone();
                self.st(id, move |vm, _| Ok(vm.raise(&raise)?))
            }
        }
    }

    fn declare(&mut self, id: StmtId, local: LocalId, value: &Expr) -> StmtFn {
        let slot = local.0;
        let (ty, kind, boxed, constant) = match self.local(local) {
            Some(l) => (l.ty.clone(), l.kind, l.boxed, l.constant.then(|| l.name.clone())),
            None => (value.ty.clone(), LocalKind::Variable, false, None),
        };
        let result_default = kind == LocalKind::Result && matches!(value.kind, ExprKind::Default);
        if boxed || result_default {
            let f: ValueFn = if result_default {
                let ty = ty.clone();
                Box::new(move |_, _| Ok(crate::interp::defaults::default_new(&ty)))
            } else {
                self.value(value)
            };
            return self.st(id, move |vm, fp| {
                let value = f(vm, fp)?;
                if boxed {
                    drop(fp.replace_ref(slot, Some(new_variable(&ty, value, constant.clone()))));
                } else {
                    vm.set_slot_value(fp, slot, &ty, value);
                }
                Ok(())
            });
        }
        self.set_slot(id, slot, &ty, value)
    }

    /// `slot = value` for an unboxed local.
    fn set_slot(&mut self, id: StmtId, slot: u32, ty: &Type, value: &Expr) -> StmtFn {
        match (ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) => int_operand!(self, value, a => self.st(id, move |vm, fp| {
                match a.get(vm, fp) {
                    Ok(value) => {
                        vm.set_int(fp, slot, value);
                        Ok(())
                    }
                    Err(Wide) => Ok(vm.set_parked(fp, slot)?),
                }
            })),
            (Repr::Float, Repr::Float) => float_operand!(self, value, a => self.st(id, move |vm, fp| {
                let value = a.get(vm, fp)?;
                fp.set(slot, value.to_bits());
                Ok(())
            })),
            (Repr::Bool, Repr::Bool) => {
                let a = self.boolean(value);
                self.st(id, move |vm, fp| {
                    match a(vm, fp) {
                        Ok(value) => fp.set(slot, u64::from(value)),
                        Err(Wide) => set_nil_bool(vm, fp, slot)?,
                    }
                    Ok(())
                })
            }
            (Repr::Ref, Repr::Ref) => {
                let a = self.reference(value);
                self.st(id, move |vm, fp| {
                    let value = a(vm, fp)?;
                    drop(fp.replace_ref(slot, value));
                    Ok(())
                })
            }
            _ => {
                let (a, ty) = (self.value(value), ty.clone());
                self.st(id, move |vm, fp| {
                    let value = a(vm, fp)?;
                    vm.set_slot_value(fp, slot, &ty, value);
                    Ok(())
                })
            }
        }
    }

    fn define_enum(
        &mut self,
        id: StmtId,
        def: &Rc<crate::value::EnumDef>,
        members: &[(Rc<str>, Option<Expr>)],
        flags: bool,
    ) -> StmtFn {
        let def = def.clone();
        let members: Vec<(Rc<str>, Option<ValueFn>)> =
            members.iter().map(|(name, e)| (name.clone(), e.as_ref().map(|e| self.value(e)))).collect();
        self.st(id, move |vm, fp| {
            let mut done: Vec<(Rc<str>, Value)> = Vec::new();
            let mut next = if flags { Value::Int(1) } else { crate::interp::enums::first(&def) };
            for (name, value) in &members {
                let value = match value {
                    Some(value) => crate::interp::arith::plain(&value(vm, fp)?),
                    None => next,
                };
                next = crate::interp::enums::after(&value, flags);
                done.push((name.clone(), value));
            }
            let _ = def.members.set(done);
            Ok(())
        })
    }

    fn assign(&mut self, id: StmtId, place: &Place, value: &Expr, at: Span) -> StmtFn {
        match &place.kind {
            PlaceKind::Local(local) if !self.is_boxed(*local) && !self.fragment => {
                return self.set_slot(id, local.0, &place.ty, value);
            }
            PlaceKind::Index { base, index, constant: None }
                if matches!(base.ty, Type::Array(..)) && is_pure(index) && index.ty.repr() == Repr::Int =>
            {
                return self.assign_element(id, place, base, index, value, at);
            }
            PlaceKind::Index { base, index, constant: None }
                if matches!(base.ty, Type::Map(..)) && is_pure(index) && is_pure(base) =>
            {
                return self.assign_entry(id, place, base, index, value, at);
            }
            PlaceKind::Field { base, field } => return self.assign_field(id, place, base, *field, value, at),
            _ => {}
        }
        let ty = place.ty.clone();
        let value = self.value(value);
        let spot = self.spot(place, at);
        self.st(id, move |vm, fp| {
            let value = value(vm, fp)?;
            let spot = spot(vm, fp)?;
            Ok(spot.write(vm, &ty, value, at)?)
        })
    }

    /// `array[index] = value` where the fast path needs no conversion.
    fn assign_element(
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
        match (ty.repr(), value.ty.repr()) {
            (Repr::Int, Repr::Int) if value.ty.is_integer() => {
                let value_type = value.ty.clone();
                let value = self.int(value);
                ref_operand!(self, base, base => int_operand!(self, index, index => self.st(id, move |vm, fp| {
                    let v = value(vm, fp);
                    if let Ok(v) = v && let Ok(i) = index.get(vm, fp) && let Some(held) = base.get(vm, fp)?
                        && set_int_element(&held, i, v) {
                        return Ok(());
                    }
                    let v = match v {
                        Ok(v) => crate::interp::boxing::int_value(&value_type, v),
                        Err(Wide) => vm.take_value()?,
                    };
                    write_slow(vm, fp, &slow, &ty, v, at)
                })))
            }
            (Repr::Float, Repr::Float) => {
                let value = self.float(value);
                ref_operand!(self, base, base => int_operand!(self, index, index => self.st(id, move |vm, fp| {
                    let v = value(vm, fp)?;
                    if let Ok(i) = index.get(vm, fp) && let Some(held) = base.get(vm, fp)? && set_float_element(&held, i, v) {
                        return Ok(());
                    }
                    let v = crate::interp::boxing::float_value(&Type::FLOAT, v);
                    write_slow(vm, fp, &slow, &ty, v, at)
                })))
            }
            (Repr::Bool, Repr::Bool) => {
                let value = self.boolean(value);
                ref_operand!(self, base, base => int_operand!(self, index, index => self.st(id, move |vm, fp| {
                    let v = match value(vm, fp) {
                        Ok(v) => Some(v),
                        Err(Wide) => crate::interp::boxing::value_bool(&vm.take_value()?),
                    };
                    if let Some(v) = v && let Ok(i) = index.get(vm, fp) && let Some(held) = base.get(vm, fp)? && set_bool_element(&held, i, v) {
                        return Ok(());
                    }
                    write_slow(vm, fp, &slow, &ty, v.map_or(Value::Nil, Value::Bool), at)
                })))
            }
            (Repr::Ref, Repr::Ref) if matches!(ty, Type::Struct(_) | Type::Str) => {
                let value = self.reference(value);
                ref_operand!(self, base, base => int_operand!(self, index, index => self.st(id, move |vm, fp| {
                    let v = value(vm, fp)?;
                    if let Some(new) = &v && let Ok(i) = index.get(vm, fp) && let Some(held) = base.get(vm, fp)?
                        && let Some(old) = crate::interp::fast::replace_object(&held, i, new) {
                        drop(old);
                        return Ok(());
                    }
                    write_slow(vm, fp, &slow, &ty, crate::interp::boxing::ref_value(v), at)
                })))
            }
            _ => {
                let value = self.value(value);
                self.st(id, move |vm, fp| {
                    let v = value(vm, fp)?;
                    write_slow(vm, fp, &slow, &ty, v, at)
                })
            }
        }
    }

    /// `map[key] = value` on an existing map where neither needs a conversion.
    fn assign_entry(
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
        let (value, key) = (self.value(value), self.value(index));
        ref_operand!(self, base, base => self.st(id, move |vm, fp| {
            let v = value(vm, fp)?;
            let k = key(vm, fp)?;
            if let Some(held) = base.get(vm, fp)? && crate::interp::fast::set_entry(&held, &k, &v) {
                return Ok(());
            }
            write_slow(vm, fp, &slow, &ty, v, at)
        }))
    }

    fn assign_field(
        &mut self,
        id: StmtId,
        place: &Place,
        base: &Expr,
        field: u32,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let ty = place.ty.clone();
        let slow = self.spot(place, at);
        let float = ty == Type::FLOAT && value.ty.repr() == Repr::Float;
        if float && is_pure(base) {
            let value = self.float(value);
            return ref_operand!(self, base, base => self.st(id, move |vm, fp| {
                let v = value(vm, fp)?;
                if let Some(held) = base.get(vm, fp)? && set_float_field(&held, field, v) {
                    return Ok(());
                }
                let v = crate::interp::boxing::float_value(&Type::FLOAT, v);
                write_slow(vm, fp, &slow, &ty, v, at)
            }));
        }
        let value = self.value(value);
        self.st(id, move |vm, fp| {
            let v = value(vm, fp)?;
            write_slow(vm, fp, &slow, &ty, v, at)
        })
    }

    fn op_assign(&mut self, id: StmtId, place: &Place, op: BinaryOp, value: &Expr, at: Span) -> StmtFn {
        if let Some(slot) = self.assignable_slot(place, Repr::Int)
            && value.ty.repr() == Repr::Int
            && Bound::of(&place.ty) == Bound::Int
            && place.ty.is_integer()
        {
            return int_operand!(self, value, a => with_arith!(op, O => self.st(id, move |vm, fp| {
                let y = match a.get(vm, fp) {
                    Ok(y) => y,
                    Err(Wide) => return op_int_wide(vm, fp, slot, O::OP, at),
                };
                let x = fp.get(slot) as i64;
                if x != i64::MIN && let Some(r) = <O as ArithOp>::ints(x, y) {
                    vm.set_int(fp, slot, r);
                    return Ok(());
                }
                op_int_slow(vm, fp, slot, O::OP, &Value::Int(y), at)
            })));
        }
        if let Some(slot) = self.assignable_slot(place, Repr::Float)
            && place.ty == Type::FLOAT
            && matches!(value.ty.repr(), Repr::Int | Repr::Float)
        {
            return float_operand!(self, value, a => with_arith!(op, O => self.st(id, move |vm, fp| {
                let y = a.get(vm, fp)?;
                let x = f64::from_bits(fp.get(slot));
                let r = float_op::<O>(vm, x, y, at)?;
                fp.set(slot, r.to_bits());
                Ok(())
            })));
        }
        if let Some(slot) = self.assignable_slot(place, Repr::Ref)
            && matches!((&place.ty, &value.ty, op), (Type::Str, Type::Str, BinaryOp::Add))
        {
            let value = self.reference(value);
            return self.st(id, move |vm, fp| {
                let more = value(vm, fp)?;
                append_to_slot(vm, fp, slot, more, at)
            });
        }
        if let PlaceKind::Field { base, field } = &place.kind
            && place.ty == Type::FLOAT
            && matches!(value.ty.repr(), Repr::Int | Repr::Float)
            && is_pure(base)
        {
            return self.op_assign_field(id, place, base, *field, op, value, at);
        }
        if let PlaceKind::Index { base, index, constant: None } = &place.kind
            && matches!(base.ty, Type::Map(..))
            && place.ty == Type::INT
            && value.ty == Type::INT
            && is_pure(index)
            && is_pure(base)
        {
            let (value, key) = (self.int(value), self.value(index));
            let slow = self.spot(place, at);
            let ty = place.ty.clone();
            return ref_operand!(self, base, base => self.st(id, move |vm, fp| {
                let y = match value(vm, fp) {
                    Ok(y) => y,
                    Err(Wide) => {
                        let y = vm.take_value()?;
                        return op_entry_slow(vm, fp, &slow, &ty, op, &y, at);
                    }
                };
                let k = key(vm, fp)?;
                if let Some(held) = base.get(vm, fp)? && crate::interp::fast::op_entry(&held, &k, op, y) {
                    return Ok(());
                }
                op_entry_slow(vm, fp, &slow, &ty, op, &Value::Int(y), at)
            }));
        }
        self.op_assign_general(id, place, op, value, at)
    }

    #[allow(clippy::too_many_arguments)]
    fn op_assign_field(
        &mut self,
        id: StmtId,
        place: &Place,
        base: &Expr,
        field: u32,
        op: BinaryOp,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let ty = place.ty.clone();
        let slow = self.spot(place, at);
        let value = self.float(value);
        ref_operand!(self, base, base => with_arith!(op, O => self.st(id, move |vm, fp| {
            let y = value(vm, fp)?;
            if let Some(held) = base.get(vm, fp)? && let Some(x) = get_float_field(&held, field) {
                let r = float_op::<O>(vm, x, y, at)?;
                if set_float_field(&held, field, r) {
                    return Ok(());
                }
            }
            let spot = slow(vm, fp)?;
            let x = spot.read(vm, &ty, at)?;
            let r = crate::interp::arith::arith_values(vm, O::OP, &x, &Value::Float(y), at)?;
            Ok(spot.write(vm, &ty, r, at)?)
        })))
    }

    fn op_assign_general(
        &mut self,
        id: StmtId,
        place: &Place,
        op: BinaryOp,
        value: &Expr,
        at: Span,
    ) -> StmtFn {
        let (ty, value_type) = (place.ty.clone(), value.ty.clone());
        let value = self.value(value);
        let character = matches!(place.kind, PlaceKind::Char { .. });
        let spot = self.spot(place, at);
        self.st(id, move |vm, fp| {
            let y = value(vm, fp)?;
            let spot = spot(vm, fp)?;
            if character {
                // The operator is ignored (chapter 04 §5).
                return Ok(spot.write(vm, &ty, y, at)?);
            }
            op_spot(vm, &spot, (&ty, &value_type), op, &y, at)
        })
    }

    fn unpack(&mut self, id: StmtId, targets: &[Target], value: &Expr, at: Span) -> StmtFn {
        let value = self.value(value);
        let count = targets.len();
        let targets: Vec<super::unpack::Sink> = targets.iter().map(|t| self.sink(t, at)).collect();
        self.st(id, move |vm, fp| {
            let value = value(vm, fp)?;
            let parts = super::unpack::parts(vm, value, count, at)?;
            for (sink, part) in targets.iter().zip(parts) {
                sink(vm, fp, part)?;
            }
            Ok(())
        })
    }

    fn expression(&mut self, id: StmtId, expr: &Expr, discard: Discard) -> StmtFn {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Call { func, args } if matches!(expr.ty, Type::Void) => {
                let call = self.call::<(), Stop>(*func, args, at, |_| ());
                return self.st(id, move |vm, fp| Ok(call(vm, fp)?));
            }
            ExprKind::Postfix(place, delta) => {
                let f = self.postfix(place, *delta, at);
                return self.st(id, move |vm, fp| match f(vm, fp) {
                    Ok(_) => Ok(()),
                    Err(Wide) => {
                        vm.take_value()?;
                        Ok(())
                    }
                });
            }
            ExprKind::Native(native) => {
                if let Some(f) = self.append(native, at) {
                    return self.st(id, f);
                }
            }
            _ => {}
        }
        let f = self.value(expr);
        let several = matches!(expr.ty, Type::Tuple(_));
        self.st(id, move |vm, fp| {
            let value = f(vm, fp)?;
            let tuple = several || matches!(&value, Value::Ref(r) if matches!(&**r, Heap::Tuple(_)));
            if tuple || (discard == Discard::Used && !matches!(value, Value::Nil)) {
                return unused(vm, &value, at);
            }
            Ok(())
        })
    }

    fn return_stmt(&mut self, id: StmtId, values: &[Expr]) -> StmtFn {
        let [value] = values else {
            if values.is_empty() {
                return self.st(id, |_, _| Err(Exit::Return));
            }
            let values: Box<[ValueFn]> = values.iter().map(|v| self.value(v)).collect();
            return self.st(id, move |vm, fp| {
                let mut parts = Vec::with_capacity(values.len());
                for value in &values {
                    parts.push(value(vm, fp)?);
                }
                vm.ret_ref = value_ref(Value::tuple(parts));
                Err(Exit::Return)
            });
        };
        match value.ty.repr() {
            Repr::Int => int_operand!(self, value, a => self.st(id, move |vm, fp| match a.get(vm, fp) {
                Ok(v) => {
                    vm.ret = v as u64;
                    Err(Exit::Return)
                }
                Err(Wide) => Err(Exit::Stop),
            })),
            Repr::Float => float_operand!(self, value, a => self.st(id, move |vm, fp| {
                let v = a.get(vm, fp)?;
                vm.ret = v.to_bits();
                Err(Exit::Return)
            })),
            Repr::Bool => {
                let a = self.boolean(value);
                self.st(id, move |vm, fp| match a(vm, fp) {
                    Ok(v) => {
                        vm.ret = u64::from(v);
                        Err(Exit::Return)
                    }
                    Err(Wide) => Err(Exit::Stop),
                })
            }
            Repr::Ref => {
                let a = self.reference(value);
                self.st(id, move |vm, fp| {
                    vm.ret_ref = a(vm, fp)?;
                    Err(Exit::Return)
                })
            }
        }
    }

    fn if_stmt(&mut self, arms: &[Arm], otherwise: Option<&[Stmt]>) -> StmtFn {
        let Some((arm, rest)) = arms.split_first() else {
            return match otherwise {
                Some(stmts) => self.block(stmts),
                None => Box::new(|_, _| Ok(())),
            };
        };
        self.stmt = arm.id;
        let id = arm.id;
        let cond = &arm.cond;
        let simple = self.simple_comparison(cond).is_some();
        let has_else = !rest.is_empty() || otherwise.is_some();
        if !simple && !matches!(cond.kind, ExprKind::Compare(..) | ExprKind::Not(_)) {
            let cond = self.condition(cond);
            let then = self.block(&arm.body.stmts);
            let other = self.if_stmt(rest, otherwise);
            return self.st(id, move |vm, fp| match cond(vm, fp) {
                Ok(true) => then(vm, fp),
                Ok(false) => other(vm, fp),
                Err(Wide) => Err(Exit::Stop),
            });
        }
        cond_operand!(self, cond, cond => {
            let then = self.block(&arm.body.stmts);
            if has_else {
                let other = self.if_stmt(rest, otherwise);
                self.st(id, move |vm, fp| match cond.get(vm, fp) {
                    Ok(true) => then(vm, fp),
                    Ok(false) => other(vm, fp),
                    Err(Wide) => Err(Exit::Stop),
                })
            } else {
                self.st(id, move |vm, fp| match cond.get(vm, fp) {
                    Ok(true) => then(vm, fp),
                    Ok(false) => Ok(()),
                    Err(Wide) => Err(Exit::Stop),
                })
            }
        })
    }

    fn when_stmt(
        &mut self,
        id: StmtId,
        subject: &Expr,
        arms: &[WhenArm],
        default: Option<&[Stmt]>,
    ) -> StmtFn {
        enum Test {
            Equal(ValueFn),
            Range(ValueFn),
        }
        let subject = self.value(subject);
        let mut built: Vec<(Vec<Test>, StmtFn)> = Vec::new();
        for arm in arms {
            self.stmt = id;
            let tests = arm.cases.iter().map(|case| match case {
                Case::Equal(e) => Test::Equal(self.value(e)),
                Case::Range(e) => Test::Range(self.value(e)),
            });
            let tests = tests.collect();
            built.push((tests, self.block(&arm.body.stmts)));
        }
        let default = default.map(|stmts| self.block(stmts));
        self.st(id, move |vm, fp| {
            let value = subject(vm, fp)?;
            for (tests, body) in &built {
                for test in tests {
                    let hit = match test {
                        Test::Equal(f) => {
                            let case = f(vm, fp)?;
                            !matches!(value, Value::Nil) && crate::value::member_equal(&value, &case)
                        }
                        Test::Range(f) => crate::interp::enums::in_case_range(&value, &f(vm, fp)?),
                    };
                    if hit {
                        return body(vm, fp);
                    }
                }
            }
            match &default {
                Some(body) => body(vm, fp),
                None => Ok(()),
            }
        })
    }
}

#[cold]
fn set_nil_bool(vm: &mut Vm, fp: Fp, slot: u32) -> Result<(), Stop> {
    let value = vm.take_value()?;
    vm.set_slot_value(fp, slot, &Type::Bool, value);
    Ok(())
}

/// `map[key] op= y` the general way.
#[cold]
#[inline(never)]
fn op_entry_slow(
    vm: &mut Vm,
    fp: Fp,
    spot: &super::places::SpotFn,
    ty: &Type,
    op: BinaryOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    let spot = spot(vm, fp)?;
    op_spot(vm, &spot, (ty, &Type::INT), op, y, at)
}

/// `place op= y` on a place that was found.
fn op_spot(
    vm: &mut Vm,
    spot: &crate::interp::places::Spot,
    (ty, value_type): (&Type, &Type),
    op: BinaryOp,
    y: &Value,
    at: Span,
) -> Result<(), Exit> {
    if spot.is_missing_entry() {
        return Ok(vm.fail(Code::E12003, "key not found in map for compound assignment", at)?);
    }
    let x = spot.read(vm, ty, at)?;
    let r = typed_arith(vm, op, &x, y, (ty, value_type), at)?;
    Ok(spot.write(vm, ty, r, at)?)
}

fn write_slow(
    vm: &mut Vm,
    fp: Fp,
    spot: &super::places::SpotFn,
    ty: &Type,
    value: Value,
    at: Span,
) -> Result<(), Exit> {
    vm.parked = Parked::None;
    let spot = spot(vm, fp)?;
    Ok(spot.write(vm, ty, value, at)?)
}

#[inline(always)]
fn set_int_element(heap: &Heap, i: i64, value: i64) -> bool {
    if let Heap::Array(a) = heap
        && let Ok(mut a) = a.try_borrow_mut()
        && !a.frozen
        && let Elems::Ints(v) = &mut a.data
        && let Some(place) = v.get_mut(i as usize)
    {
        *place = value;
        return true;
    }
    false
}

#[inline(always)]
fn set_float_element(heap: &Heap, i: i64, value: f64) -> bool {
    if let Heap::Array(a) = heap
        && let Ok(mut a) = a.try_borrow_mut()
        && !a.frozen
        && !crate::interp::vm::is_nil_float(value)
        && let Elems::Floats(v) = &mut a.data
        && let Some(place) = v.get_mut(i as usize)
    {
        *place = value;
        return true;
    }
    false
}

#[inline(always)]
fn set_bool_element(heap: &Heap, i: i64, value: bool) -> bool {
    if let Heap::Array(a) = heap
        && let Ok(mut a) = a.try_borrow_mut()
        && !a.frozen
        && let Elems::Bools(v) = &mut a.data
        && let Some(place) = v.get_mut(i as usize)
    {
        *place = value;
        return true;
    }
    false
}

#[inline(always)]
fn get_float_field(heap: &Heap, field: u32) -> Option<f64> {
    match heap {
        Heap::Struct(s) => match peek(&s.fields)?.get(field as usize)? {
            Value::Float(x) => Some(*x),
            _ => None,
        },
        _ => None,
    }
}

/// Stores over a float; anything else there (nil, a reference) goes the slow way.
#[inline(always)]
fn set_float_field(heap: &Heap, field: u32, value: f64) -> bool {
    if let Heap::Struct(s) = heap
        && !s.frozen.get()
        && !crate::interp::vm::is_nil_float(value)
        && let Ok(mut fields) = s.fields.try_borrow_mut()
        && let Some(place @ Value::Float(_)) = fields.get_mut(field as usize)
    {
        *place = Value::Float(value);
        return true;
    }
    false
}

#[cold]
#[inline(never)]
fn op_int_wide(vm: &mut Vm, fp: Fp, slot: u32, op: BinaryOp, at: Span) -> Result<(), Exit> {
    let y = vm.take_value()?;
    op_int_slow(vm, fp, slot, op, &y, at)
}

#[cold]
#[inline(never)]
fn op_int_slow(vm: &mut Vm, fp: Fp, slot: u32, op: BinaryOp, y: &Value, at: Span) -> Result<(), Exit> {
    let x = match vm.int(fp, slot) {
        Ok(x) => Value::Int(x),
        Err(Wide) => vm.take_value()?,
    };
    match int_slow(vm, op, &x, y, Bound::Int, at) {
        Ok(r) => vm.set_int(fp, slot, r),
        Err(Wide) => vm.set_parked(fp, slot)?,
    }
    Ok(())
}

/// `slot += more` on strings: in place if nobody else holds the string.
fn append_to_slot(
    vm: &mut Vm,
    fp: Fp,
    slot: u32,
    more: Option<crate::value::Ref>,
    at: Span,
) -> Result<(), Exit> {
    if let (Some(held), Some(Heap::Str(more_text))) = (fp.borrow(slot), more.as_deref())
        && matches!(&*held, Heap::Str(_))
        && let Some(own) = fp.replace_ref(slot, None)
    {
        drop(fp.replace_ref(slot, Some(super::refs::append_str(own, more_text.as_str()))));
        return Ok(());
    }
    let value = |r: Option<crate::value::Ref>| r.map_or(Value::Nil, Value::Ref);
    let old = value(fp.get_ref(slot));
    let new = crate::interp::arith::arith_values(vm, BinaryOp::Add, &old, &value(more), at)?;
    drop(fp.replace_ref(slot, value_ref(new)));
    Ok(())
}

/// Arithmetic on values with the bounds of the left operand's static type.
fn typed_arith(
    vm: &mut Vm,
    op: BinaryOp,
    x: &Value,
    y: &Value,
    (left, right): (&Type, &Type),
    at: Span,
) -> Result<Value, Stop> {
    let (a, b) = (crate::interp::arith::plain(x), crate::interp::arith::plain(y));
    let whole = |v: &Value| v.as_bigint().is_some();
    if left.is_integer() && whole(&a) && !matches!(b, Value::Float(_) | Value::Nil) {
        let wide = match &b {
            Value::Byte(b) => Value::Int(i64::from(*b)),
            other => other.clone(),
        };
        if whole(&wide) {
            return match int_slow(vm, op, &a, &wide, Bound::of(left), at) {
                Ok(r) => Ok(Value::Int(r)),
                Err(Wide) => vm.take_value(),
            };
        }
    }
    if let (Type::Byte, Type::Int(kind), Value::Byte(x)) = (left, right, &a)
        && whole(&b)
    {
        let bound = Bound::of(&Type::Int(*kind));
        return match int_slow(vm, op, &Value::Int(i64::from(*x)), &b, bound, at) {
            Ok(r) => Ok(Value::Int(r)),
            Err(Wide) => vm.take_value(),
        };
    }
    crate::interp::arith::arith_values(vm, op, &a, &b, at)
}

#[cold]
fn unused(vm: &mut Vm, value: &Value, at: Span) -> Result<(), Exit> {
    let count = match value {
        Value::Ref(r) => match &**r {
            Heap::Tuple(parts) => parts.len(),
            _ => 1,
        },
        _ => 1,
    };
    let message = if count == 1 {
        "return value from function not used (use `temp _ = func()` to discard)".to_string()
    } else {
        let blanks = vec!["_"; count].join(", ");
        format!("return values from function not used (use `temp {blanks} = func()` to discard)")
    };
    Ok(vm.fail(Code::E5011, message, at)?)
}

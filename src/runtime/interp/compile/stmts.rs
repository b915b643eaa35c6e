//! Statements.

use crate::diagnostics::Code;
use crate::program::{Discard, Expr, ExprKind, Stmt, StmtId, StmtKind, WhenArm};
use crate::source::Span;
use crate::value::{Heap, Type, Value};

use crate::interp::closures::StmtFn;
use crate::interp::flags::{ASSIGNS, CONDITION, StatementFlag};
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{EnsuredCall, Exit, Stop, Vm};
use crate::interp::watch;

use super::Compiler;
use super::exchanges::{self, Exchange, Shown};
use super::moves::{Elements, Exchanging};

/// What a statement does first if its flag or the place counter says so.
#[cold]
#[inline(never)]
pub fn ask(vm: &mut Vm, fp: Fp, id: StmtId, own: u8) -> Result<(), Stop> {
    let mut bits = own | vm.steps.asked();
    if bits & watch::BITS != 0 {
        if watch::at_place(vm, id, bits) {
            return ask_debugger(vm, fp, id, false);
        }
        bits &= !watch::BITS;
    }
    if bits == 0 || !holds(vm, fp, id, bits) { Ok(()) } else { ask_debugger(vm, fp, id, false) }
}

/// What a loop header does first at the back edge.
#[cold]
#[inline(never)]
pub fn ask_at_back_edge(vm: &mut Vm, fp: Fp, id: StmtId, own: u8) -> Result<(), Stop> {
    let mut bits = own | vm.steps.asked();
    if bits & watch::BITS != 0 && !watch::at_place(vm, id, bits) {
        bits &= !watch::BITS;
    }
    if bits == 0 || !holds(vm, fp, id, bits) { Ok(()) } else { ask_debugger(vm, fp, id, true) }
}

/// Whether bits of a statement's flags are other than those of a condition that is false.
fn holds(vm: &mut Vm, fp: Fp, id: StmtId, bits: u8) -> bool {
    // Where its place was counted with others, it has been tested already.
    bits != CONDITION || vm.condition_result.is_some() || vm.condition_holds(id, fp)
}

/// A statement, without its place.
pub fn statement(f: impl Fn(&mut Vm, Fp) -> Result<(), Exit> + 'static) -> StmtFn {
    Box::new(f)
}

/// Runs a statement after checking its flag.
pub fn run_watched<T>(
    flag: &StatementFlag,
    id: StmtId,
    vm: &mut Vm,
    fp: Fp,
    run: impl FnOnce(&mut Vm, Fp) -> Result<T, Exit>,
) -> Result<T, Exit> {
    let bits = flag.bits();
    let mut assigns = false;
    if vm.steps.pass() || bits != 0 {
        ask(vm, fp, id, bits)?;
        // The debugger may just have begun to watch a variable that this statement assigns.
        assigns = flag.own_bits() & ASSIGNS != 0;
    }
    let result = run(vm, fp);
    if assigns {
        watch::after_statement(vm, fp, id, matches!(result, Err(Exit::Stop)))?;
    }
    result
}

/// Calls the debugger before a statement, or before a loop header at the back edge.
fn ask_debugger(vm: &mut Vm, fp: Fp, id: StmtId, back_edge: bool) -> Result<(), Stop> {
    let Some(mut debugger) = vm.debugger.take() else { return Ok(()) };
    let result = debugger.statement(vm, fp, id, back_edge);
    vm.debugger = Some(debugger);
    // Where it did not ask what is hit.
    vm.condition_result = None;
    result?;
    match vm.instead.take() {
        Some(run) => run(vm, fp),
        None => Ok(()),
    }
}

impl Compiler<'_> {
    /// Compiles a statement, without its place.
    pub fn stmt(&mut self, s: &Stmt) -> StmtFn {
        self.stmt_before(s, 0)
    }

    /// Compiles a statement of a segment, without its place; `following`: the number of those behind it.
    pub(super) fn stmt_before(&mut self, s: &Stmt, following: i64) -> StmtFn {
        let run = self.stmt_closure(s, following);
        let run = self.exchanging(s, following, run);
        self.reporting(s, run)
    }

    fn stmt_closure(&mut self, s: &Stmt, following: i64) -> StmtFn {
        self.stmt = s.id;
        let id = s.id;
        match &s.kind {
            StmtKind::Declare { local, value } => self.declare(*local, value),
            StmtKind::DeclareRef { local, target, at } => {
                let (slot, at) = (Slot::new(local.0), *at);
                let reference = self.target_reference(target);
                statement(move |vm, fp| {
                    if vm.depth == vm.depth_limit {
                        super::calls::too_deep::<()>(vm, at)?;
                    }
                    let reference = reference.run(vm, fp)?;
                    drop(vm.frames.replace_ref(fp, slot, Some(reference)));
                    Ok(())
                })
            }
            StmtKind::DeclareGlobal { global, value } => {
                let variable = self.global_variable(*global);
                let value = self.value(value);
                statement(move |vm, fp| {
                    let value = value.run(vm, fp)?;
                    variable.init_global(vm, value);
                    Ok(())
                })
            }
            StmtKind::DeclareGlobalRef { global, target } => {
                let id_of_global = *global;
                let reference = self.target_reference(target);
                statement(move |vm, fp| {
                    let reference = reference.run(vm, fp)?;
                    vm.preset_global(id_of_global, reference);
                    Ok(())
                })
            }
            StmtKind::DefineEnum { def, members, flags } => self.define_enum(def, members, *flags),
            StmtKind::Assign { target, value, at } => self.assign(target, value, *at),
            StmtKind::OpAssign { target, op, value, at } => self.op_assign(target, *op, value, *at),
            StmtKind::Unpack { targets, value, at } => self.unpack(targets, value, *at),
            StmtKind::Expr { expr, discard } => self.expression(expr, *discard),
            StmtKind::Return(values) => self.return_stmt(s.id, values),
            StmtKind::If { arms, otherwise } => {
                let otherwise = otherwise.as_ref().map(|b| b.stmts.as_slice());
                self.if_stmt(s, arms, otherwise, following)
            }
            StmtKind::When { subject, arms, default } => {
                let default = default.as_ref().map(|b| b.stmts.as_slice());
                self.when_stmt(subject, arms, default)
            }
            StmtKind::For { var, start, end, step, body } => {
                self.for_stmt(s, *var, start, end, step.as_ref(), &body.stmts)
            }
            StmtKind::ForEach { index, var, iterable, body } => {
                self.for_each_stmt(s, *index, *var, iterable, &body.stmts)
            }
            StmtKind::While { cond, body } => self.while_stmt(id, cond, &body.stmts),
            StmtKind::Loop { body } => self.loop_stmt(s.id, &body.stmts),
            StmtKind::Break => statement(|_, _| Err(Exit::Break)),
            StmtKind::Continue => statement(|_, _| Err(Exit::Continue)),
            StmtKind::Ensure { call } => {
                let call = EnsuredCall::from(self.value(call));
                statement(move |vm, _| {
                    if let Some(list) = vm.ensures.last_mut() {
                        list.push(call.clone());
                    }
                    Ok(())
                })
            }
            StmtKind::Raise(raise) => {
                let raise = raise.clone();
                statement(move |vm, _| Ok(vm.raise(&raise)?))
            }
        }
    }

    /// A statement that may be part of an exchange; `following`: the number of those behind it in its segment.
    fn exchanging(&mut self, stmt: &Stmt, following: i64, run: StmtFn) -> StmtFn {
        let is_attached = self.flags.is_some();
        let flag = |id: StmtId| self.flags.as_ref()?.of(id.0 as usize);
        match self.moves.exchange(stmt.id).cloned() {
            Some(_) if self.is_observing() => run,
            // The other two are in the same segment.
            Some(Exchanging::Begins(elements)) if !is_attached || following >= 2 => {
                let Elements { array, indices: [one, other], ty, local, others: [second, third] } = *elements;
                let between = flag(second).zip(flag(third));
                let local = Slot::new(local.0);
                let shown = between.map(|(second, third)| Shown { local, between: [second, third] });
                let indices = [self.int(&one), self.int(&other)];
                exchanges::begin(Exchange { array: self.reference(&array), indices, ty, shown }, run)
            }
            Some(Exchanging::GoesOn) => exchanges::go_on(run),
            Some(Exchanging::Ends) => exchanges::end(run),
            Some(Exchanging::Begins(_)) | None => run,
        }
    }

    fn expression(&mut self, expr: &Expr, discard: Discard) -> StmtFn {
        let at = expr.at;
        match &expr.kind {
            _ if self.is_observing() => {}
            ExprKind::Call { func, args } if matches!(expr.ty, Type::Void) => {
                return self.call(*func, args, at, |_| ());
            }
            ExprKind::Postfix(target, delta) => return self.postfix_stmt(target, *delta, at),
            ExprKind::Native(native) => {
                if let Some(f) = self.change_part(native, expr) {
                    return f;
                }
            }
            _ => {}
        }
        let f = self.value(expr);
        let several = matches!(expr.ty, Type::Tuple(_));
        statement(move |vm, fp| {
            let value = f.run(vm, fp)?;
            let tuple = several || matches!(&value, Value::Ref(r) if matches!(&**r, Heap::Tuple(_)));
            if tuple || (discard == Discard::Used && !matches!(value, Value::Nil)) {
                return unused(vm, &value, at);
            }
            Ok(())
        })
    }

    fn when_stmt(&mut self, subject: &Expr, arms: &[WhenArm], default: Option<&[Stmt]>) -> StmtFn {
        let select = self.selector(subject, arms);
        let mut bodies: Vec<StmtFn> = arms.iter().map(|arm| self.block(&arm.body.stmts)).collect();
        bodies.push(self.block(default.unwrap_or_default()));
        statement(move |vm, fp| {
            let arm = select.run(vm, fp)?;
            bodies.get(arm).map_or(Ok(()), |body| body.run(vm, fp))
        })
    }
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
